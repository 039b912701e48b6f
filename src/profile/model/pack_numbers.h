/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_PACK_NUMBERS_H
#define TL_PROFILE_PACK_NUMBERS_H
/* Numbers of a pack, which holds nothing that is not well-formed. */
#include "core/cursor.h"
#include "core/varint.h"

static inline const uint8_t *tl_pack_take_number(const uint8_t *p, uint64_t *value)
{
	uint64_t sum = *p & 0x7f;

	if (*p < 0x80) {
		*value = sum;
		return p + 1;
	}
	if (p[1] < 0x80) {
		*value = sum | (uint64_t)p[1] << 7;
		return p + 2;
	}
	for (unsigned shift = 7; *p++ & 0x80; shift += 7)
		sum |= (uint64_t)(*p & 0x7f) << shift;
	*value = sum;
	return p;
}

static inline const uint8_t *tl_pack_take_difference(const uint8_t *p, uint64_t *number,
						     uint64_t base)
{
	p = tl_pack_take_number(p, number);
	*number = base + tl_unzigzag(*number);
	return p;
}

/*
 * Move behind `count` numbers: as many bytes have no highest bit. Eight bytes at a time, where as
 * many are there; their highest bits, moved down and multiplied, give the sums up to each byte.
 */
static inline const uint8_t *tl_pack_skip_numbers(const uint8_t *p, const uint8_t *end,
						  uint32_t count)
{
	const uint64_t highest = UINT64_C(0x8080808080808080), ones = highest >> 7;

	while (count && end - p >= 8) {
		/* In each byte: how many numbers end up to there. */
		const uint64_t ends = (~tl_get64s(p, TL_HOST_BIG_ENDIAN) & highest) >> 7;
		const uint64_t sums = ends * ones;
		const uint32_t found = (uint32_t)(sums >> 56);

		/* The first byte that has so many keeps its highest bit. */
		if (found >= count)
			return p +
			       (unsigned)__builtin_ctzll(((sums | highest) - ones * count) &
							 highest) /
				       8 +
			       1;
		count -= found;
		p += 8;
	}
	for (; count; count--)
		while (*p++ & 0x80)
			;
	return p;
}

#endif
