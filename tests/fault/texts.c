/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callgrind profiles cut at any byte, and damaged in every way: no crash, no hang, always an answer
 * that adds up. "A malformed line is skipped and counted"; "0 silent acceptance of a part whose
 * self sum differs from its totals" (docs/formats/callgrind.md, section 4).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exercise.h"
#include "exercise_text.h"
#include "traces.h"

enum { SEED = 20261121 };

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
	broken = exercise_text(exact, size);
	free(exact);
	return broken;
}

static int test_prefixes(const struct trace *trace)
{
	int failures = 0;

	for (size_t size = 0; size <= trace->size && failures < 5; size++) {
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
		kind = random_below(&random, 4) ? mutate_text(room, &size, &random)
						: mutate(room, &size, &random);
	watch(20, trace->name);
	broken = exercise_exactly(room, size);
	free(room);
	return broken ? report(trace, kind, number, broken) : 0;
}

/* Usage: texts [MUTANTS [LONGEST]]: every prefix of the texts of at most LONGEST bytes. */
int main(int argc, char **argv)
{
	struct trace *texts;
	size_t mutants = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
	size_t count = texts_load(&texts, argc > 2 ? strtoul(argv[2], NULL, 10) : 16 * 1024),
	       prefixes = 0;
	int failures = 0;

	if (!count) {
		puts("skipped: no profiles");
		return TEST_SKIPPED;
	}
	for (size_t i = 0; i < count; i++) {
		failures += test_prefixes(&texts[i]);
		prefixes += texts[i].size + 1;
	}
	for (size_t i = 0; i < mutants && failures < 20; i++)
		failures += test_mutant(&texts[i % count], i);
	printf("%zu mutants of %zu profiles, and their %zu prefixes, %d failures\n", mutants, count,
	       prefixes, failures);
	traces_free(texts, count);
	return failures != 0;
}
