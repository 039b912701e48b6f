/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_PARTS_LANES_H
#define TL_XTRACE_PARTS_LANES_H
/*
 * Several walks over parts of one stream at once, by one thread: where a token begins depends on
 * the one before, so that a single walk waits for memory most of the time.
 */
#include "xtrace/format/walk.h"

enum { TL_XTRACE_LANES = 4 };

struct tl_xtrace_lanes {
	struct tl_xtrace_walk *walks[TL_XTRACE_LANES];
	unsigned count; /* of those at work, the first ones */
	/* Used by the two below only. */
	struct tl_xtrace_lanes_pass *pass;
};

/* Begin walks in all lanes, as long as there are parts of the stream. False: no lane is at work. */
bool tl_xtrace_lanes_fill(struct tl_xtrace_lanes *lanes);
/* The walk of a lane has ended with TL_XTRACE_NONE; another may have its number now. */
void tl_xtrace_lanes_drop(struct tl_xtrace_lanes *lanes, unsigned lane);
/* No more walks are to begin, in any thread. */
void tl_xtrace_lanes_stop(struct tl_xtrace_lanes *lanes);

struct tl_xtrace_lanes_ops {
	/* Called once a thread, with no lane filled yet; returns when tl_xtrace_lanes_fill() says
	 * so. */
	void (*walk)(void *arg, struct tl_xtrace_lanes *lanes);
	/* What was walked until now counts for nothing: it comes again. */
	void (*forget)(void *arg);
};

/*
 * tl_xtrace_each_segment() for what does not depend on the order of tokens or on where a walk
 * begins, and cannot fail.
 */
int tl_xtrace_each_lane(struct tl_xtrace_trace *trace, uint32_t stream, unsigned jobs,
			const struct tl_xtrace_lanes_ops *ops, void *arg, struct tl_error *err);

#endif
