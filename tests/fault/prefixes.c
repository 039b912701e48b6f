/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Truncation at any byte: every prefix of every trace is read, folded and checked. "Must recover:
 * truncation at any byte": the records that lie whole before the cut are all delivered, and no
 * other (docs/formats/xray.md, section 4).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exercise.h"
#include "traces.h"

/* Ends of the function records of the whole trace, in file order. */
struct ends {
	uint64_t *ends;
	size_t count;
};

static void note_end(void *arg, const struct tl_xray_record *record)
{
	struct ends *ends = arg;

	if (record->kind == TL_XRAY_FUNCTION)
		ends->ends[ends->count++] = record->offset + record->length;
}

/* Whether the cut trace gives exactly the function records whose bytes it has. */
static const char *cut_keeps(const uint8_t *data, size_t size, uint64_t whole)
{
	const struct tl_xray_options options = { .size = sizeof(options),
						 .order = TL_XRAY_FILE_ORDER };
	struct walk walk;

	walk_trace(&walk, data, size, &options, NULL, NULL);
	if (walk.broken)
		return walk.broken;
	if (walk.functions < whole)
		return "a whole record before the cut is lost";
	if (walk.functions > whole)
		return "a record more than there are whole ones";
	return NULL;
}

static int report(const struct trace *trace, size_t size, const char *broken)
{
	fprintf(stderr, "%s: first %zu bytes: %s\n", trace->name, size, broken);
	return 1;
}

static int test_prefixes(const struct trace *trace, size_t step)
{
	struct ends ends = { malloc((trace->size / 8 + 1) * sizeof(uint64_t)), 0 };
	const struct tl_xray_options options = { .size = sizeof(options),
						 .order = TL_XRAY_FILE_ORDER };
	struct walk walk;
	size_t whole = 0;
	int failures = 0;

	walk_trace(&walk, trace->data, trace->size, &options, note_end, &ends);
	for (size_t size = 0; size <= trace->size && failures < 5; size++) {
		while (whole < ends.count && ends.ends[whole] <= size)
			whole++;
		/* The exact size of the allocation lets the sanitizer see a read of one byte too
		 * many. */
		uint8_t *cut = malloc(size ? size : 1);

		memcpy(cut, trace->data, size);
		watch(20, trace->name);
		const char *broken = cut_keeps(cut, size, whole);

		if (!broken && size % step == 0)
			broken = exercise(cut, size);
		if (broken)
			failures += report(trace, size, broken);
		free(cut);
	}
	free(ends.ends);
	return failures;
}

/*
 * Usage: prefixes [STEP [LONGEST]]: everything is done with each STEP-th prefix of the traces below
 * LONGEST bytes, plain reading with each.
 */
int main(int argc, char **argv)
{
	struct trace *traces;
	size_t count = traces_load(&traces, argc > 2 ? strtoul(argv[2], NULL, 10) : 64 * 1024);
	size_t step = argc > 1 ? strtoul(argv[1], NULL, 10) : 1, bytes = 0;
	int failures = 0;

	if (!count) {
		puts("skipped: no traces");
		return TEST_SKIPPED;
	}
	for (size_t i = 0; i < count; i++) {
		failures += test_prefixes(&traces[i], step);
		bytes += traces[i].size + 1;
	}
	printf("%zu prefixes of %zu traces, %d failures\n", bytes, count, failures);
	traces_free(traces, count);
	return failures != 0;
}
