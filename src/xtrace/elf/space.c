/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/elf/space.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/memory.h"

/* Below are the pages that systems keep free; above, those of the kernel. */
enum { LOWEST = 16 };
#define HIGHEST (UINT64_C(1) << (47 - 12))

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return tl_compare(x, y);
}

bool tl_xtrace_space_make(struct tl_xtrace_space *space, const struct tl_xtrace_image *image)
{
	const struct tl_xtrace_pages *pages = &image->pages;

	*space = (struct tl_xtrace_space){ 0 };
	if (!tl_grow(&space->pages, &space->capacity, pages->count + 1, sizeof(*space->pages)))
		return false;
	for (size_t i = 0; pages->slots && i <= pages->mask; i++)
		if (pages->slots[i].bytes)
			space->pages[space->count++] = pages->slots[i].number;
	qsort(space->pages, space->count, sizeof(*space->pages), compare);
	return true;
}

/* The first that is not below `number`. */
static size_t lower_bound(const struct tl_xtrace_space *space, uint64_t number)
{
	size_t low = 0, high = space->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (space->pages[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint64_t find_above(const struct tl_xtrace_space *space, uint64_t near, uint64_t limit,
			   uint64_t count)
{
	uint64_t at = tl_max(near + 1, LOWEST);
	size_t i = lower_bound(space, at - 1);

	for (; i < space->count && space->pages[i] <= at + count; i++)
		at = space->pages[i] + 2;
	return at + count <= limit ? at : 0;
}

static uint64_t find_below(const struct tl_xtrace_space *space, uint64_t near, uint64_t limit,
			   uint64_t count)
{
	uint64_t at = near < count ? 0 : near - count;
	size_t i = lower_bound(space, at + count + 1);

	for (; i > 0 && space->pages[i - 1] + 1 >= at; i--)
		at = space->pages[i - 1] < count + 1 ? 0 : space->pages[i - 1] - count - 1;
	return at >= LOWEST && at >= limit ? at : 0;
}

uint64_t tl_xtrace_space_find(const struct tl_xtrace_space *space, uint64_t near, uint64_t reach,
			      uint64_t count)
{
	uint64_t highest = near < HIGHEST && reach < HIGHEST - near ? near + reach : HIGHEST;
	uint64_t at = near < HIGHEST ? find_above(space, near, highest, count) : 0;

	return at ? at : find_below(space, near, tl_excess(near, reach), count);
}

uint64_t tl_xtrace_space_aligned(const struct tl_xtrace_space *space, uint64_t align,
				 uint64_t count)
{
	uint64_t step = align / TL_XTRACE_IMAGE_BYTES;

	for (uint64_t at = step; at + count <= HIGHEST; at += step) {
		size_t i = lower_bound(space, at);

		if (i == space->count || space->pages[i] >= at + count)
			return at * TL_XTRACE_IMAGE_BYTES;
	}
	return 0;
}

bool tl_xtrace_space_take(struct tl_xtrace_space *space, uint64_t first, uint64_t count)
{
	size_t at = lower_bound(space, first);

	if (count > SIZE_MAX / sizeof(*space->pages) - space->count ||
	    !tl_grow(&space->pages, &space->capacity, space->count + (size_t)count,
		     sizeof(*space->pages)))
		return false;
	memmove(space->pages + at + count, space->pages + at,
		(space->count - at) * sizeof(*space->pages));
	for (uint64_t i = 0; i < count; i++)
		space->pages[at + i] = first + i;
	space->count += (size_t)count;
	return true;
}

void tl_xtrace_space_free(struct tl_xtrace_space *space)
{
	free(space->pages);
	*space = (struct tl_xtrace_space){ 0 };
}
