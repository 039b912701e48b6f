/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_REUSE_H
#define TL_XTRACE_REUSE_H
/*
 * Reuse distance (LRU stack distance): how many other lines were touched between two touches of a
 * line. A fully associative LRU cache of N lines hits exactly the touches with a distance below N.
 *
 * Exact, as Bennett and Kruskal count it ("LRU stack processing", 1975): each line has a mark at
 * the time of its last touch, and the distance is the number of marks after it. Marks are bits with
 * a Fenwick tree of their sums above them. When the times are used up, the marks move together,
 * keeping their order; so memory grows with the lines touched and never with the trace.
 */
#include "xtrace/state/address_ids.h"

/* Bucket 0: distance 0; bucket b: 2^(b-1) to 2^b - 1. */
enum { TL_XTRACE_REUSE_BUCKETS = 33 };

struct tl_xtrace_reuse_histogram {
	uint64_t touches, cold; /* cold: the first of a line */
	uint64_t buckets[TL_XTRACE_REUSE_BUCKETS];
	uint64_t distances; /* their sum */
};

/* Zero-filled is the beginning. */
struct tl_xtrace_reuse {
	struct tl_xtrace_address_ids lines;
	uint32_t *times; /* by number of line: when it was touched last */
	size_t time_room;
	uint32_t *owners; /* by time: whose mark it is */
	uint64_t *marks;
	uint32_t *tree;  /* sums of blocks of marks, 1-based */
	uint32_t room;   /* times there are, a multiple of the block */
	uint32_t now;    /* the next one */
	uint64_t recent; /* the line touched last, plus 1 */
	struct tl_xtrace_reuse_histogram histogram;
};

/* False without memory. */
bool tl_xtrace_reuse_touch_other(struct tl_xtrace_reuse *reuse, uint64_t line);
void tl_xtrace_reuse_free(struct tl_xtrace_reuse *reuse);

/* A touch of a line (not UINT64_MAX). False without memory. */
static inline bool tl_xtrace_reuse_touch(struct tl_xtrace_reuse *reuse, uint64_t line)
{
	reuse->histogram.touches++;
	if (reuse->recent == line + 1) {
		reuse->histogram.buckets[0]++;
		return true;
	}
	reuse->recent = line + 1;
	return tl_xtrace_reuse_touch_other(reuse, line);
}

void tl_xtrace_reuse_histogram_add(struct tl_xtrace_reuse_histogram *sum,
				   const struct tl_xtrace_reuse_histogram *histogram);

#endif
