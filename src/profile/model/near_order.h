/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_NEAR_ORDER_H
#define TL_PROFILE_NEAR_ORDER_H
/*
 * A stable sort of numbers that are nearly in order: a merge sort that begins with the runs there
 * are, where a number that is out of place by a few others does not end a run. Writers of profiles
 * have the items of a function like this, once for each time that they write it. Part of its
 * caller, so that the comparison is.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Whether `first` may stand before `second`. */
typedef bool tl_in_order_fn(const void *context, uint32_t first, uint32_t second);

/* How far a number may be out of place in a run. */
enum { TL_NEAR_PLACES = 8 };

/*
 * Put the number at `at` where it belongs among those before it, of which the ones from `begin` on
 * are sorted. False, and nothing is changed: that is too far away.
 */
static inline bool tl_near_insert(uint32_t *order, uint32_t begin, uint32_t at,
				  tl_in_order_fn *in_order, const void *context)
{
	const uint32_t number = order[at];
	uint32_t least = at - begin > TL_NEAR_PLACES ? at - TL_NEAR_PLACES : begin, to = at;

	while (to > least && !in_order(context, order[to - 1], number))
		to--;
	if (to == least && to > begin && !in_order(context, order[to - 1], number))
		return false;
	memmove(order + to + 1, order + to, (at - to) * sizeof(*order));
	order[to] = number;
	return true;
}

/* Sort a run that begins at `begin`. Returns its end. */
static inline uint32_t tl_near_run(uint32_t *order, uint32_t begin, uint32_t count,
				   tl_in_order_fn *in_order, const void *context)
{
	uint32_t at = begin + 1;

	while (at < count && (in_order(context, order[at - 1], order[at]) ||
			      tl_near_insert(order, begin, at, in_order, context)))
		at++;
	return at;
}

/* Two runs that follow each other in `from`, up to `second` and `end`, into one. */
static inline void tl_near_merge(const uint32_t *from, uint32_t *to, uint32_t second, uint32_t end,
				 tl_in_order_fn *in_order, const void *context)
{
	uint32_t a = 0, b = second;

	while (a < second && b < end)
		*to++ = in_order(context, from[a], from[b]) ? from[a++] : from[b++];
	memcpy(to, from + a, (second - a) * sizeof(*to));
	memcpy(to + (second - a), from + b, (end - b) * sizeof(*to));
}

/* Sort `*order`, with room for as many numbers at `*room`; the two may be swapped. */
static inline void tl_near_order(uint32_t **order, uint32_t **room, uint32_t count,
				 tl_in_order_fn *in_order, const void *context)
{
	while (count && tl_near_run(*order, 0, count, in_order, context) < count) {
		uint32_t *from = *order, *sorted = *room;

		for (uint32_t at = 0, second, end; at < count; at = end) {
			second = tl_near_run(from, at, count, in_order, context);
			end = second < count ? tl_near_run(from, second, count, in_order, context)
					     : second;
			tl_near_merge(from + at, sorted + at, second - at, end - at, in_order,
				      context);
		}
		*room = from;
		*order = sorted;
	}
}

#endif
