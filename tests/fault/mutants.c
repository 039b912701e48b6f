/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damage of every kind, deterministic: no crash, no hang, always a status, output bounded by the
 * input (docs/formats/xray.md, section 4: "Recovery never invents records").
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exercise.h"
#include "mutate.h"
#include "traces.h"

enum { SEED = 20261120 };

static int test_mutant(const struct trace *trace, size_t number)
{
	struct random random = random_for(SEED, number);
	size_t size = trace->size;
	uint8_t *room = malloc(size + 4 * MUTATE_GROWTH);
	const char *kind = "";

	memcpy(room, trace->data, size);
	/* One mutation mostly, up to three: damage rarely comes alone. */
	for (size_t n = 1 + random_below(&random, 6) / 4 + random_below(&random, 6) / 5; n; n--)
		kind = mutate(room, &size, &random);

	uint8_t *mutant = malloc(size ? size : 1);

	memcpy(mutant, room, size);
	free(room);
	watch(20, trace->name);
	const char *broken = exercise(mutant, size);

	free(mutant);
	if (broken)
		fprintf(stderr, "%s: mutant %zu (%s): %s\n", trace->name, number, kind, broken);
	return broken != NULL;
}

/* Usage: mutants [COUNT [FIRST]] */
int main(int argc, char **argv)
{
	struct trace *traces;
	size_t count = traces_load(&traces, 64 * 1024);
	size_t mutants = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
	size_t first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	int failures = 0;

	if (!count) {
		puts("skipped: no traces");
		return TEST_SKIPPED;
	}
	for (size_t i = first; i < first + mutants && failures < 20; i++)
		failures += test_mutant(&traces[i % count], i);
	printf("%zu mutants of %zu traces, %d failures\n", mutants, count, failures);
	traces_free(traces, count);
	return failures != 0;
}
