/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf.data cut at any byte, and damaged in every way: no crash, no hang; "a bad record costs that
 * record; truncated files keep what is whole" (docs/formats/perf-data.md, section 10).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exercise.h"
#include "exercise_perf.h"
#include "mutate.h"
#include "traces.h"

enum { SEED = 20261122 };

static int report(const struct trace *trace, const char *what, size_t number, const char *broken)
{
	fprintf(stderr, "%s: %s %zu: %s\n", trace->name, what, number, broken);
	return 1;
}

/* The exact size of the allocation lets the sanitizer see a read of one byte too many. */
static const char *exercise_exactly(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size ? size : 1);
	const char *broken;

	memcpy(exact, data, size);
	broken = exercise_perf(exact, size);
	free(exact);
	return broken;
}

static int test_prefixes(const struct trace *trace, size_t step)
{
	int failures = 0;

	for (size_t size = 0; size <= trace->size && failures < 5; size += step) {
		watch(20, trace->name);
		const char *broken = exercise_exactly(trace->data, size);

		if (broken)
			failures += report(trace, "first bytes", size, broken);
	}
	return failures;
}

static int test_mutant(const struct trace *trace, size_t number)
{
	struct random random = random_for(SEED, number);
	size_t size = trace->size;
	uint8_t *room = malloc(size + 4 * MUTATE_GROWTH);
	const char *kind = "", *broken;

	memcpy(room, trace->data, size);
	for (size_t n = 1 + random_below(&random, 6) / 4 + random_below(&random, 6) / 5; n; n--)
		kind = mutate(room, &size, &random);
	watch(20, trace->name);
	broken = exercise_exactly(room, size);
	free(room);
	return broken ? report(trace, kind, number, broken) : 0;
}

/* Usage: perf [MUTANTS [STEP]]: every STEPth prefix. */
int main(int argc, char **argv)
{
	struct trace *traces;
	size_t mutants = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
	size_t step = argc > 2 ? strtoul(argv[2], NULL, 10) : 1, prefixes = 0;
	size_t count = perf_load(&traces, 1 << 20);
	int failures = 0;

	if (!count) {
		puts("skipped: no perf.data");
		return TEST_SKIPPED;
	}
	for (size_t i = 0; i < count; i++) {
		if (traces[i].size > 8192)
			continue;
		failures += test_prefixes(&traces[i], step);
		prefixes += traces[i].size / step + 1;
	}
	for (size_t i = 0; i < mutants && failures < 20; i++)
		failures += test_mutant(&traces[i % count], i);
	printf("%zu mutants of %zu files, and %zu prefixes, %d failures\n", mutants, count,
	       prefixes, failures);
	traces_free(traces, count);
	return failures != 0;
}
