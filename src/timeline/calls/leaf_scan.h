/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TIMELINE_CALLS_LEAF_SCAN_H
#define TL_TIMELINE_CALLS_LEAF_SCAN_H
/*
 * The steps of one leaf as calls. Of the calls that are open when the leaf begins only the number
 * is known: what the leaf tells of them is when they end, and what they cost here themselves.
 */
#include "timeline/calls/steps.h"

/* A call that begins in the leaf. */
struct tl_leaf_call {
	uint64_t start, end; /* ticks; end TL_NOWHERE: open at the end of the leaf */
	uint64_t self;       /* ticks in which it was the innermost call, in this leaf */
	uint32_t function, depth;
	uint8_t flags; /* enum tl_call_flag */
};

/* The end of a call that began before the leaf. */
struct tl_leaf_end {
	uint64_t ticks;
	uint64_t self; /* ticks in this leaf */
	uint8_t flags;
};

struct tl_leaf_scan {
	struct tl_leaf_call *calls; /* in the order of their begin */
	size_t call_count, call_capacity;
	uint32_t *open; /* those not ended, from the outermost */
	size_t open_count, open_capacity;
	/* Calls from before the leaf, innermost first: number i had the depth `depth` - 1 - i. */
	struct tl_leaf_end *ends;
	size_t end_count, end_capacity;
	uint64_t low_self; /* ticks here of the innermost one that does not end here */
	uint64_t ticks;    /* of the last step */
	uint32_t depth;    /* calls open at the beginning */
	bool no_memory;
};

/* The calls open at the least, and at the end. */
static inline uint32_t tl_leaf_lowest(const struct tl_leaf_scan *scan)
{
	return scan->depth - (uint32_t)scan->end_count;
}

static inline uint32_t tl_leaf_depth_after(const struct tl_leaf_scan *scan)
{
	return tl_leaf_lowest(scan) + (uint32_t)scan->open_count;
}

/*
 * Scan the steps behind `ticks`, with `depth` calls open. Ends without an open call are left out.
 * The scan is used again and again. False without memory.
 */
bool tl_leaf_scan(struct tl_leaf_scan *scan, const struct tl_steps *steps, uint64_t ticks,
		  uint32_t depth);
void tl_leaf_scan_free(struct tl_leaf_scan *scan);

#endif
