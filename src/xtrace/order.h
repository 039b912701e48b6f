/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_ORDER_H
#define TL_XTRACE_ORDER_H
/*
 * The streams of a group in the order of their TIME tokens ("the absolute order of a memory access
 * instruction among several trace files"). What a stream does before an access is taken together
 * with it; streams without TIME come last, one after the other. Nothing is kept of what was passed.
 */
#include "xtrace/reader.h"

/* Looks ahead in one stream for its next TIME. */
struct xtrace_scout {
	struct xtrace_walk walk;
	size_t segment;
	/*
	 * of the instruction that `end` follows; UINT64_MAX: no further TIME, `end` is the stream's
	 */
	uint64_t time;
	uint64_t end; /* offset behind that instruction */
	enum tl_xtrace_kind ahead;
	bool over;
};

struct xtrace_order {
	const struct tl_xtrace *trace;
	struct xtrace_scout *scouts; /* one a stream */
};

/* Streams for which `wanted` is false are left out; NULL: none. 0 or TL_NO_MEMORY. */
int tl_xtrace_order_begin(struct xtrace_order *order, struct tl_xtrace *trace, const bool *wanted,
			  struct tl_error *err);
/* The next run: instructions of *stream up to offset *end (and those before it that were skipped as
 * damaged). False: over. */
bool tl_xtrace_order_next(struct xtrace_order *order, uint32_t *stream, uint64_t *end);
void tl_xtrace_order_end(struct xtrace_order *order);

#endif
