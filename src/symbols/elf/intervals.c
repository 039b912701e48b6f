/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/elf/intervals.h"

#include <stdlib.h>
#include <string.h>

#include <tracelathe/core.h>

#include "core/arithmetic.h"
#include "core/memory.h"

/*
 * Items open at the sweep's address; those that ended below the top are dropped when they come up.
 */
struct sweep {
	struct tl_intervals *intervals;
	const struct tl_interval **open;
	size_t depth;
};

static void begin_segment(struct tl_intervals *intervals, uint64_t start, uint32_t number)
{
	/* Two per item at most, for which tl_intervals_build() made room. */
	if (intervals->count && intervals->segments[intervals->count - 1].start == start)
		intervals->count--;
	intervals->segments[intervals->count++] = (struct tl_segment){ start, number };
}

/* Close the items that end at or before an address. */
static void close_until(struct sweep *sweep, uint64_t address)
{
	while (sweep->depth && sweep->open[sweep->depth - 1]->end <= address) {
		uint64_t end = sweep->open[--sweep->depth]->end;

		while (sweep->depth && sweep->open[sweep->depth - 1]->end <= end)
			sweep->depth--;
		begin_segment(sweep->intervals, end,
			      sweep->depth ? sweep->open[sweep->depth - 1]->number : TL_NONE);
	}
}

bool tl_intervals_build(struct tl_intervals *intervals, const struct tl_interval *items,
			size_t count)
{
	struct sweep sweep = { .intervals = intervals };

	if (!count)
		return true;
	if (count > PTRDIFF_MAX / sizeof(*sweep.open) ||
	    !tl_grow(&intervals->segments, &intervals->capacity, 2 * count,
		     sizeof(*intervals->segments)))
		return false;
	sweep.open = malloc(count * sizeof(*sweep.open));
	if (!sweep.open)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (items[i].end <= items[i].start)
			continue;
		close_until(&sweep, items[i].start);
		sweep.open[sweep.depth++] = &items[i];
		begin_segment(intervals, items[i].start, items[i].number);
	}
	close_until(&sweep, UINT64_MAX);
	free(sweep.open);
	return true;
}

/* ---- by number ---- */

static int by_start(const void *left, const void *right)
{
	const struct tl_interval *a = left, *b = right;

	if (a->start != b->start)
		return tl_compare(a->start, b->start);
	return tl_compare(a->number, b->number);
}

/* So few are sorted by comparing them; so many bits of an address are sorted by at a time. */
enum { FEW = 256, DIGIT = 11, DIGITS = 1 << DIGIT };

/* Of items of one digit, those of lesser digits, which were sorted by before, keep their order. */
static void sort_by_digit(struct tl_interval *to, const struct tl_interval *items, size_t count,
			  uint64_t least, unsigned shift)
{
	size_t begin[DIGITS + 1] = { 0 };

	for (size_t i = 0; i < count; i++)
		begin[((items[i].start - least) >> shift & (DIGITS - 1)) + 1]++;
	for (size_t i = 1; i < DIGITS; i++)
		begin[i] += begin[i - 1];
	for (size_t i = 0; i < count; i++)
		to[begin[(items[i].start - least) >> shift & (DIGITS - 1)]++] = items[i];
}

/* Items of a unit are many, and lie within a few megabytes. */
bool tl_intervals_sort(struct tl_interval *items, size_t count)
{
	struct tl_interval *from = items, *to, *room;
	uint64_t least = UINT64_MAX, most = 0;

	if (count < FEW) {
		qsort(items, count, sizeof(*items), by_start);
		return true;
	}
	room = tl_alloc_many(count, sizeof(*room));
	if (!room)
		return false;
	for (size_t i = 0; i < count; i++) {
		least = tl_min(least, items[i].start);
		most = tl_max(most, items[i].start);
	}
	to = room;
	for (unsigned shift = 0; shift < 64 && (most - least) >> shift; shift += DIGIT) {
		struct tl_interval *sorted = to;

		sort_by_digit(to, from, count, least, shift);
		to = from;
		from = sorted;
	}
	if (from != items)
		memcpy(items, from, count * sizeof(*items));
	free(room);
	return true;
}

/*
 * The open items are a heap with the highest number at the top; ended ones leave when they come up.
 */
static void heap_add(struct sweep *sweep, const struct tl_interval *item)
{
	size_t at = sweep->depth++;

	for (size_t up; at && sweep->open[up = (at - 1) / 2]->number < item->number; at = up)
		sweep->open[at] = sweep->open[up];
	sweep->open[at] = item;
}

static void heap_drop(struct sweep *sweep)
{
	const struct tl_interval *last = sweep->open[--sweep->depth];
	size_t at = 0;

	for (;;) {
		size_t down = 2 * at + 1;

		if (down + 1 < sweep->depth &&
		    sweep->open[down + 1]->number > sweep->open[down]->number)
			down++;
		if (down >= sweep->depth || sweep->open[down]->number <= last->number)
			break;
		sweep->open[at] = sweep->open[down];
		at = down;
	}
	if (sweep->depth)
		sweep->open[at] = last;
}

/*
 * Begin the segments up to an address: each where the item on top ends, and another one comes up.
 */
static void paint_until(struct sweep *sweep, uint64_t address)
{
	while (sweep->depth && sweep->open[0]->end <= address) {
		uint64_t end = sweep->open[0]->end;

		while (sweep->depth && sweep->open[0]->end <= end)
			heap_drop(sweep);
		begin_segment(sweep->intervals, end,
			      sweep->depth ? sweep->open[0]->number : TL_NONE);
	}
}

static void paint(struct sweep *sweep, const struct tl_interval *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (items[i].end <= items[i].start)
			continue;
		paint_until(sweep, items[i].start);
		heap_add(sweep, &items[i]);
		if (sweep->open[0] == &items[i])
			begin_segment(sweep->intervals, items[i].start, items[i].number);
	}
	paint_until(sweep, UINT64_MAX);
}

bool tl_intervals_paint(struct tl_intervals *intervals, struct tl_interval *items, size_t count)
{
	struct sweep sweep = { .intervals = intervals };
	bool sorted;

	if (!count)
		return true;
	if (count > PTRDIFF_MAX / sizeof(*sweep.open) ||
	    !tl_grow(&intervals->segments, &intervals->capacity, 2 * count,
		     sizeof(*intervals->segments)))
		return false;
	sweep.open = malloc(count * sizeof(*sweep.open));
	sorted = sweep.open && tl_intervals_sort(items, count);
	if (sorted)
		paint(&sweep, items, count);
	free(sweep.open);
	tl_shrink(&intervals->segments, &intervals->capacity, intervals->count,
		  sizeof(*intervals->segments));
	return sorted;
}

/* How many segments begin at or before an address. */
static size_t count_before(const struct tl_intervals *intervals, uint64_t address)
{
	size_t low = 0, high = intervals->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (intervals->segments[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t tl_intervals_find(const struct tl_intervals *intervals, uint64_t address)
{
	size_t before = count_before(intervals, address);

	return before ? intervals->segments[before - 1].number : TL_NONE;
}

static bool holds(const struct tl_intervals *intervals, size_t segment, uint64_t address)
{
	return segment < intervals->count && intervals->segments[segment].start <= address &&
	       (segment + 1 == intervals->count ||
		address < intervals->segments[segment + 1].start);
}

uint32_t tl_intervals_find_near(const struct tl_intervals *intervals, uint64_t address,
				size_t *last)
{
	size_t before;

	if (holds(intervals, *last, address))
		return intervals->segments[*last].number;
	before = count_before(intervals, address);
	if (!before)
		return TL_NONE;
	*last = before - 1;
	return intervals->segments[*last].number;
}

void tl_intervals_free(struct tl_intervals *intervals)
{
	free(intervals->segments);
	*intervals = (struct tl_intervals){ 0 };
}
