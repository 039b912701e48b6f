/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_EXERCISE_XTRACE_H
#define TESTS_FAULT_EXERCISE_XTRACE_H
/*
 * Everything that can be done with an xtrace pair, on any bytes, held against what must be true of
 * any bytes. Each returns what was not as it must be, NULL when all was well.
 *
 * A pair in one piece: the size of the instruction stream in four bytes, the stream, the snapshots.
 */
#include <stddef.h>
#include <stdint.h>

#include <tracelathe/xtrace.h>

struct pair {
	const uint8_t *stream, *snapshots;
	size_t stream_size, snapshots_size;
};

/* Sizes that are larger than what is there mean all of it. */
struct pair pair_of(const uint8_t *data, size_t size);

/* Open both in memory. 0 or a negative status; close with close_pair() in either case. */
struct open_pair {
	struct tl_source *sources[2];
	struct tl_xtrace_trace *trace;
	struct tl_error err;
};
int open_pair(struct open_pair *open, const struct pair *pair,
	      const struct tl_xtrace_options *options);
void close_pair(struct open_pair *open);

/* Tokens and instructions: in order, whole, and with what was skipped as many bytes as there are.
 */
const char *exercise_tokens(const struct pair *pair);
/* What is told of a trace: by one thread or two the same. */
const char *exercise_tell(const struct pair *pair);
/* Violations lie in their files. */
const char *exercise_check(const struct pair *pair);
/* Parts read as what they were cut from, and together they are the whole. */
const char *exercise_slice(const struct pair *pair);

#endif
