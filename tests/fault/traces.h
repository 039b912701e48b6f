/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_TRACES_H
#define TESTS_FAULT_TRACES_H
/* The traces that fault tests start from: ours, and those of the shared corpus where it is present.
 */
#include <stddef.h>
#include <stdint.h>

struct trace {
	char *name;
	uint8_t *data;
	size_t size;
};

/* What status a test program exits with when there is nothing to test with. */
enum { TEST_SKIPPED = 77 };

/*
 * Every XRay trace of fewer than `limit` bytes below tests/golden/xray, fuzz/corpus/xray and the
 * shared corpus, in a fixed order, equal ones once. Returns their number; 0 when there are none (or
 * no memory).
 */
size_t traces_load(struct trace **traces, size_t limit);
/*
 * The same for Callgrind profiles: tests/golden/callgrind, fuzz/corpus/callgrind and the shared
 * corpus.
 */
size_t texts_load(struct trace **texts, size_t limit);
/* The same for xtrace pairs, each in one piece (exercise_xtrace.h): fuzz/corpus/xtrace. */
size_t pairs_load(struct trace **pairs, size_t limit);
/* And for perf.data: fuzz/corpus/perf_data and the shared corpus. */
size_t perf_load(struct trace **traces, size_t limit);
void traces_free(struct trace *traces, size_t count);

#endif
