/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of formats.def by number and by name, and what their records can be written as. */
#include <string.h>

#include "open/coverage.h"

static const struct tl_format *const formats[] = {
#define TL_FORMAT(row) &(row),
#include "open/formats.def"
#undef TL_FORMAT
	NULL,
};

const struct tl_format *tl_format_at(size_t number)
{
	return number < sizeof(formats) / sizeof(formats[0]) ? formats[number] : NULL;
}

const struct tl_format_info *tl_format_info(size_t number)
{
	const struct tl_format *format = tl_format_at(number);

	return format ? &format->info : NULL;
}

const struct tl_format_info *tl_format_find(const char *name)
{
	for (size_t i = 0; formats[i]; i++)
		if (!strcmp(formats[i]->info.name, name))
			return &formats[i]->info;
	return NULL;
}

/* What the coverage of a trace is written as, whatever its format. */
static const struct coverage_target {
	struct tl_trace_target target;
	const struct tl_coverage_exporter *exporter;
} coverage_targets[] = {
	{ { "lcov", "lines, functions and branches with exact counts, for genhtml and others" },
	  &tl_lcov_exporter },
	{ { "drcov", "executed basic blocks as DynamoRIO's drcov (Lighthouse, Ghidra)" },
	  &tl_drcov_exporter },
	{ { "edges", "executed branches as CSV: from, to, kind, how often" }, &tl_edges_exporter },
	{ { "bolt", "branches of one object for llvm-bolt and `perf2bolt -pa`" },
	  &tl_bolt_exporter },
	{ { "llvm-profile", "counts of lines and calls of one object for clang's "
			    "-fprofile-sample-use" },
	  &tl_llvm_profile_exporter },
};

enum { COVERAGE_TARGETS = sizeof(coverage_targets) / sizeof(coverage_targets[0]) };

const struct tl_coverage_exporter *tl_coverage_exporter(const char *name)
{
	for (size_t i = 0; i < COVERAGE_TARGETS; i++)
		if (!strcmp(coverage_targets[i].target.name, name))
			return coverage_targets[i].exporter;
	return NULL;
}

const struct tl_trace_target *tl_trace_target(size_t number)
{
	for (size_t i = 0; formats[i]; i++) {
		const struct tl_conversion *conversion = formats[i]->conversions;

		for (; conversion && conversion->target.name; conversion++)
			if (!number--)
				return &conversion->target;
	}
	return number < COVERAGE_TARGETS ? &coverage_targets[number].target : NULL;
}
