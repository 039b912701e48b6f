/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xtrace pairs cut at any byte, and damaged in every way, in either file: no crash, no hang, always
 * an answer that adds up. "No crash, no hang, exact offsets": every byte of a stream is either read
 * or told as skipped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exercise.h"
#include "exercise_xtrace.h"
#include "mutate.h"
#include "traces.h"

enum { SEED = 20261122 };

static const struct {
	const char *name;
	const char *(*run)(const struct pair *pair);
} exercises[] = {
	{ "tokens", exercise_tokens },
	{ "tell", exercise_tell },
	{ "check", exercise_check },
	{ "slice", exercise_slice },
};

/* Exact allocations let the sanitizer see a read of one byte too many. */
static int test_pair(const char *name, const char *what, size_t number, const uint8_t *stream,
		     size_t stream_size, const uint8_t *snapshots, size_t snapshots_size)
{
	uint8_t *one = malloc(stream_size ? stream_size : 1),
		*two = malloc(snapshots_size ? snapshots_size : 1);
	const struct pair pair = { one, two, stream_size, snapshots_size };
	int failures = 0;

	memcpy(one, stream, stream_size);
	memcpy(two, snapshots, snapshots_size);
	watch(20, name);
	for (size_t i = 0; i < sizeof(exercises) / sizeof(exercises[0]) && !failures; i++) {
		const char *broken = exercises[i].run(&pair);

		if (broken) {
			fprintf(stderr, "%s: %s %zu: %s: %s\n", name, what, number,
				exercises[i].name, broken);
			failures = 1;
		}
	}
	free(one);
	free(two);
	return failures;
}

static int test_prefixes(const struct trace *trace, size_t step)
{
	struct pair pair = pair_of(trace->data, trace->size);
	int failures = 0;

	for (size_t size = 0; size <= pair.stream_size && failures < 5; size += step)
		failures += test_pair(trace->name, "first bytes", size, pair.stream, size,
				      pair.snapshots, pair.snapshots_size);
	for (size_t size = 0; size <= pair.snapshots_size && failures < 5; size += step)
		failures += test_pair(trace->name, "first bytes of snapshots", size, pair.stream,
				      pair.stream_size, pair.snapshots, size);
	return failures;
}

/* Damage in the stream mostly, in the snapshots often, in both sometimes. */
static int test_mutant(const struct trace *trace, size_t number)
{
	struct random random = random_for(SEED, number);
	struct pair pair = pair_of(trace->data, trace->size);
	uint8_t *stream = malloc(pair.stream_size + 4 * MUTATE_GROWTH);
	uint8_t *snapshots = malloc(pair.snapshots_size + 4 * MUTATE_GROWTH);
	size_t which = random_below(&random, 8);
	const char *kind = "";
	int failures;

	memcpy(stream, pair.stream, pair.stream_size);
	memcpy(snapshots, pair.snapshots, pair.snapshots_size);
	for (size_t n = 1 + random_below(&random, 6) / 4; n && which; n--)
		kind = mutate(stream, &pair.stream_size, &random);
	if (which < 3 && pair.snapshots_size)
		kind = mutate(snapshots, &pair.snapshots_size, &random);
	failures = test_pair(trace->name, kind, number, stream, pair.stream_size, snapshots,
			     pair.snapshots_size);
	free(stream);
	free(snapshots);
	return failures;
}

/* Usage: xtraces [MUTANTS [STEP [FIRST]]] */
int main(int argc, char **argv)
{
	struct trace *traces;
	size_t count = pairs_load(&traces, 64 * 1024);
	size_t mutants = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
	size_t step = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	size_t first = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	int failures = 0;

	if (!count) {
		puts("skipped: no traces");
		return TEST_SKIPPED;
	}
	for (size_t i = 0; i < count && !first; i++)
		failures += test_prefixes(&traces[i], step);
	for (size_t i = first; i < first + mutants && failures < 20; i++)
		failures += test_mutant(&traces[i % count], i);
	printf("%zu mutants of %zu pairs, and their prefixes, %d failures\n", mutants, count,
	       failures);
	traces_free(traces, count);
	return failures != 0;
}
