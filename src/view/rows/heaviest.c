/* SPDX-License-Identifier: Apache-2.0 */
/*
 * By the digits of weights, as these are mostly short: to compare rows takes five times as long.
 */
#include "view/rows/heaviest.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static unsigned used_bits(const struct tl_view_row *list, size_t count)
{
	uint64_t all = 0;

	for (size_t i = 0; i < count; i++)
		all |= list[i].weight;
	return all ? 64 - (unsigned)__builtin_clzll(all) : 0;
}

static unsigned digit_of(const struct tl_view_row *row, unsigned shift)
{
	return (unsigned)(row->weight >> shift) & (DIGITS - 1);
}

static void count_digits(size_t counts[DIGITS], const struct tl_view_row *list, size_t count,
			 unsigned shift)
{
	memset(counts, 0, DIGITS * sizeof(*counts));
	for (size_t i = 0; i < count; i++)
		counts[digit_of(&list[i], shift)]++;
}

/*
 * Drop rows whose highest digits are lower than those of `most` others, so that few are sorted that
 * are not wanted. @return how many are left
 */
static size_t drop_light(struct tl_view_row *list, size_t count, size_t most, unsigned bits)
{
	const unsigned shift = tl_excess(bits, DIGIT_BITS);
	size_t counts[DIGITS], above = 0, left = 0;
	unsigned least = DIGITS;

	count_digits(counts, list, count, shift);
	while (above < most && least)
		above += counts[--least];
	for (size_t i = 0; i < count; i++)
		if (digit_of(&list[i], shift) >= least)
			list[left++] = list[i];
	return left;
}

/* One round, the highest digit first. */
static void sort_by_digit(struct tl_view_row *restrict to, const struct tl_view_row *restrict from,
			  size_t count, unsigned shift)
{
	size_t places[DIGITS], at = 0;

	count_digits(places, from, count, shift);
	for (unsigned i = DIGITS; i-- > 0;) {
		size_t here = places[i];

		places[i] = at;
		at += here;
	}
	for (size_t i = 0; i < count; i++)
		to[places[digit_of(&from[i], shift)]++] = from[i];
}

size_t tl_view_heaviest(struct tl_view_row *list, size_t count, size_t most)
{
	const unsigned bits = used_bits(list, count);
	struct tl_view_row *from = list, *to;

	if (count > most)
		count = drop_light(list, count, most, bits);
	to = malloc((count + 1) * sizeof(*to));
	if (!to)
		return SIZE_MAX;
	for (unsigned shift = 0; shift < bits; shift += DIGIT_BITS) {
		struct tl_view_row *sorted = to;

		sort_by_digit(to, from, count, shift);
		to = from;
		from = sorted;
	}
	if (from != list)
		memcpy(list, from, count * sizeof(*list));
	free(from != list ? from : to);
	return tl_min(count, most);
}
