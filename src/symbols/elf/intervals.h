/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_INTERVALS_H
#define TL_SYMBOLS_INTERVALS_H
/* Address ranges that may nest and overlap, made flat for binary search. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Addresses [start, end) belong to `number`. */
struct tl_interval {
	uint64_t start, end;
	uint32_t number;
};

struct tl_segment {
	uint64_t start;  /* up to the next segment's start */
	uint32_t number; /* TL_NONE: no item */
};

/* Zero-filled is empty. */
struct tl_intervals {
	struct tl_segment *segments;
	size_t count, capacity;
};

/*
 * Build from `count` items in order of `start`. An address belongs to the last item that holds it:
 * the innermost where ranges nest. False without memory.
 */
bool tl_intervals_build(struct tl_intervals *intervals, const struct tl_interval *items,
			size_t count);
/*
 * The same from `count` items in any order, which are sorted: an address belongs to the item of the
 * highest number that holds it. Where numbers follow a tree, parents first, that is the innermost.
 */
bool tl_intervals_paint(struct tl_intervals *intervals, struct tl_interval *items, size_t count);
/* Sort items by their starts, those of one start in any order. False without memory. */
bool tl_intervals_sort(struct tl_interval *items, size_t count);
/* The number of the item that an address belongs to, TL_NONE: no item. */
uint32_t tl_intervals_find(const struct tl_intervals *intervals, uint64_t address);
/*
 * The same where the next address is often near the last one: `*last` is the segment that was found
 * then, at first 0, and is searched first.
 */
uint32_t tl_intervals_find_near(const struct tl_intervals *intervals, uint64_t address,
				size_t *last);
void tl_intervals_free(struct tl_intervals *intervals);

#endif
