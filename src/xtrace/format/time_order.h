/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_TIME_ORDER_H
#define TL_XTRACE_TIME_ORDER_H
/*
 * The streams of a group in the order of their TIME tokens ("the absolute order of a memory access
 * instruction among several trace files"). What a stream does before an access is taken together
 * with it; streams without TIME come last, one after the other. Nothing is kept of what was passed.
 */
#include "xtrace/format/walk.h"

/* Looks ahead in one stream for its next TIME. */
struct tl_xtrace_lookahead {
	struct tl_xtrace_walk walk;
	size_t segment;
	/*
	 * of the instruction that `end` follows; UINT64_MAX: no further TIME, `end` is the stream's
	 */
	uint64_t time;
	uint64_t end; /* offset behind that instruction */
	enum tl_xtrace_kind ahead;
	bool over;
};

struct tl_xtrace_time_order {
	const struct tl_xtrace_trace *trace;
	struct tl_xtrace_lookahead *scouts; /* one a stream */
};

/* Streams for which `wanted` is false are left out; NULL: none. 0 or TL_NO_MEMORY. */
int tl_xtrace_time_order_begin(struct tl_xtrace_time_order *order, struct tl_xtrace_trace *trace,
			       const bool *wanted, struct tl_error *err);
/*
 * The next instructions in the order of TIME: those of *stream up to offset *end, damaged ones
 * included. False: all streams are at their end.
 */
bool tl_xtrace_time_order_next(struct tl_xtrace_time_order *order, uint32_t *stream, uint64_t *end);
void tl_xtrace_time_order_end(struct tl_xtrace_time_order *order);

#endif
