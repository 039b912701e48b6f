/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a profile of another tool, by each of the readers: a profile comes whose total is
 * the sum over its contexts, or a status that is not about memory; `info`, `dump` and `check` end.
 * A table of functions read without contexts has the sums that those with contexts give.
 */
#include <stdbool.h>
#include <string.h>

#include "chrome_trace/chrome_trace.h"
#include "folded/folded.h"
#include "fuzz.h"
#include "parts.h"
#include "perf_script/perf_script.h"
#include "speedscope/speedscope.h"

static const struct tl_foreign_reader *const readers[] = {
	&tl_folded_reader,
	&tl_speedscope_reader,
	&tl_chrome_reader,
	&tl_perf_script_reader,
};

static void sum_up(const struct tl_profile *profile)
{
	for (uint32_t e = 0; e < tl_profile_event_count(profile); e++) {
		int64_t sum = 0;
		bool fits = true;

		for (uint32_t i = 0; i < tl_profile_context_count(profile); i++)
			fits &= !__builtin_add_overflow(sum, tl_profile_context_self(profile, i)[e],
							&sum);
		FUZZ_MUST(!fits || tl_profile_total(profile)[e] == sum);
	}
}

static int read_bytes(struct tl_foreign_file *foreign, const struct tl_foreign_reader *reader,
		      const uint8_t *data, size_t size)
{
	struct tl_source *source;
	int status = tl_source_open_memory(&source, data, size, "bytes", NULL);

	if (status == 0)
		status = reader->read(foreign, source, NULL);
	tl_source_close(source);
	FUZZ_MUST(status <= 0 && status != TL_NO_MEMORY);
	return status;
}

static void use(const struct tl_foreign_reader *reader, const uint8_t *data, size_t size, bool dump,
		bool strict)
{
	struct tl_foreign_options options = { .process = TL_NOWHERE, .thread = TL_NOWHERE };
	struct tl_profile *profile = NULL;
	struct tl_foreign_file foreign;
	struct tl_output *out;

	FUZZ_MUST(!tl_output_open_memory(&out, NULL));
	options.dump = dump ? out : NULL;
	options.json = strict;
	FUZZ_MUST(tl_foreign_begin(&foreign, reader, &options));
	foreign.faults.check = dump ? NULL : out;
	foreign.faults.strict = strict;
	if (!read_bytes(&foreign, reader, data, size) && !dump) {
		if (!tl_foreign_fold(&foreign, &profile, NULL))
			sum_up(profile);
		tl_foreign_describe(&foreign, strict, out);
	}
	tl_profile_free(profile);
	tl_foreign_end(&foreign);
	tl_output_discard(out);
}

static struct tl_profile *read_profile(const uint8_t *data, size_t size, bool table)
{
	const struct tl_foreign_options options = {
		.process = TL_NOWHERE,
		.thread = TL_NOWHERE,
		.sums_alone = true,
		.table = table,
	};
	struct tl_profile *profile = NULL;
	struct tl_foreign_file foreign;

	FUZZ_MUST(tl_foreign_begin(&foreign, &tl_folded_reader, &options));
	if (!read_bytes(&foreign, &tl_folded_reader, data, size))
		FUZZ_MUST(!tl_foreign_fold(&foreign, &profile, NULL));
	tl_foreign_end(&foreign);
	return profile;
}

static bool is_whole(const struct tl_profile *profile)
{
	struct tl_losses losses;

	FUZZ_MUST(!tl_profile_losses(profile, &losses, sizeof(losses)));
	return !losses.saturated;
}

/* Functions come in the order of the text, whatever is kept of them. */
static void compare_table(const uint8_t *data, size_t size)
{
	struct tl_profile *tree = read_profile(data, size, false);
	struct tl_profile *table = read_profile(data, size, true);
	const uint32_t events = tree ? tl_profile_event_count(tree) : 0;

	FUZZ_MUST(!tree == !table);
	if (tree && is_whole(tree) && is_whole(table)) {
		FUZZ_MUST(tl_profile_function_count(tree) == tl_profile_function_count(table));
		for (uint32_t f = 0; f < tl_profile_function_count(tree); f++) {
			struct tl_function_totals a, b;

			tl_profile_function_totals(tree, f, TL_NONE, &a, sizeof(a));
			tl_profile_function_totals(table, f, TL_NONE, &b, sizeof(b));
			FUZZ_MUST(!strcmp(tl_profile_function(tree, f)->name,
					  tl_profile_function(table, f)->name));
			FUZZ_MUST(!memcmp(a.self, b.self, events * sizeof(*a.self)));
			FUZZ_MUST(!memcmp(a.inclusive, b.inclusive, events * sizeof(*a.self)));
		}
	}
	tl_profile_free(tree);
	tl_profile_free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	exercise_chosen_by(data, size);
	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		for (unsigned way = 0; way < 3; way++)
			if (exercise_does(way, 3))
				use(readers[i], data, size, way == 1, way == 2);
	if (exercise_does(0, 3))
		compare_table(data, size);
	return 0;
}
