/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two Callgrind profiles, parted at the middle of the input: merged either way round they are the
 * same bytes and the sum of both; their difference adds up; everything that can be annotated is, or
 * is told as not.
 */
#include <string.h>

#include <tracelathe/callgrind.h>
#include <tracelathe/export.h>
#include <tracelathe/report.h>

#include "fuzz.h"
#include "parts.h"
#include "profile/diff/diff.h"
#include "profile/model/unsized.h"

static struct tl_profile *read_profile(const uint8_t *data, size_t size)
{
	struct tl_callgrind_reader *reader = NULL;
	struct tl_profile *profile = NULL;
	struct tl_source *source = NULL;

	if (tl_source_open_memory(&source, data, size, "fuzz", NULL))
		return NULL;
	if (!tl_callgrind_open(&reader, source, NULL, NULL) &&
	    tl_callgrind_fold(&reader, 1, NULL, &profile, NULL) < 0)
		profile = NULL;
	tl_callgrind_close(reader);
	tl_source_close(source);
	return profile;
}

/* An export as a memory output, which is the caller's. */
static struct tl_output *exported(const struct tl_profile *profile, const char *format)
{
	struct tl_output *out;

	if (tl_output_open_memory(&out, NULL))
		return NULL;
	tl_exporter_find(format)->write(profile, NULL, out, NULL);
	return out;
}

static void must_be_the_same(const struct tl_profile *a, const struct tl_profile *b,
			     const char *format)
{
	struct tl_output *x = exported(a, format), *y = exported(b, format);
	size_t p = 0, q = 0;

	if (x && y) {
		const char *left = tl_output_bytes(x, &p), *right = tl_output_bytes(y, &q);

		FUZZ_MUST(p == q && !memcmp(left, right, p));
	}
	tl_output_discard(x);
	tl_output_discard(y);
}

static int64_t total_of(const struct tl_profile *profile, const char *event)
{
	for (uint32_t e = 0; e < tl_profile_event_count(profile); e++)
		if (!strcmp(tl_profile_event(profile, e)->name, event))
			return tl_profile_total(profile)[e];
	return 0;
}

static void merge(const struct tl_profile *a, const struct tl_profile *b)
{
	const struct tl_profile *const ab[] = { a, b }, *const ba[] = { b, a };
	struct tl_profile *one, *other;

	if (tl_profile_merge(&one, ab, 2, NULL))
		return;
	FUZZ_MUST(tl_profile_merge(&other, ba, 2, NULL) == 0);
	/* Sums that do not fit depend on the order: the signs of costs may differ. */
	if (!tl_profile_losses_of(one).saturated && !tl_profile_losses_of(other).saturated) {
		must_be_the_same(one, other, "json");
		must_be_the_same(one, other, "callgrind");
		for (uint32_t e = 0; e < tl_profile_event_count(one); e++) {
			const char *name = tl_profile_event(one, e)->name;

			if (!*tl_profile_event(one, e)->formula)
				FUZZ_MUST(tl_profile_total(one)[e] ==
					  total_of(a, name) + total_of(b, name));
		}
	}
	tl_profile_free(one);
	tl_profile_free(other);
}

static void report(const struct tl_diff *diff, const struct tl_profile *profile,
		   enum tl_report_form form)
{
	const struct tl_report_options options = { .size = sizeof(options),
						   .form = form,
						   .threshold = -1 };
	struct tl_annotate_options what = { .size = sizeof(what), .threshold = -1, .context = -1 };
	struct tl_output *out;

	if (tl_output_open_memory(&out, NULL))
		return;
	tl_report_diff(diff, &options, out, NULL);
	/* Files of any name must not be read: instructions without a binary. */
	what.assembly = true;
	tl_report_annotate(profile, &what, &options, out, NULL);
	tl_output_discard(out);
}

static void compare(const struct tl_profile *a, const struct tl_profile *b, enum tl_diff_unit by)
{
	const struct tl_diff_options options = { .size = sizeof(options), .by = by };
	struct tl_diff *diff;
	int64_t sum = 0;

	if (tl_profile_diff(&diff, a, b, &options, NULL))
		return;
	for (uint32_t i = 0; i < tl_diff_row_count(diff); i++)
		if (__builtin_add_overflow(sum, tl_diff_row_of(diff, i).before[0], &sum))
			break;
	if (by != TL_DIFF_ARCS && !tl_profile_losses_of(a).saturated)
		FUZZ_MUST(sum == tl_diff_total(diff, false)[0]);
	for (int form = TL_REPORT_TEXT; form <= TL_REPORT_JSON; form++)
		report(diff, a, (enum tl_report_form)form);
	tl_diff_free(diff);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_profile *a = read_profile(data, size / 2),
			  *b = read_profile(data + size / 2, size - size / 2);

	if (a && b) {
		exercise_chosen_by(data, size);
		if (exercise_does(0, 2))
			merge(a, b);
		for (int by = TL_DIFF_FUNCTIONS; by <= TL_DIFF_LINES && exercise_does(1, 2); by++)
			compare(a, b, (enum tl_diff_unit)by);
	}
	tl_profile_free(a);
	tl_profile_free(b);
	return 0;
}
