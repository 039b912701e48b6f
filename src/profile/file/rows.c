/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/file/rows.h"

#include "core/arithmetic.h"
#include "core/cursor.h"

const uint8_t *tl_pfile_take_long(const uint8_t *from, uint64_t *value)
{
	uint64_t sum = *from++ & 0x7f;

	for (unsigned shift = 7; shift < 64; shift += 7) {
		uint8_t byte = *from++;

		sum |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*value = sum;
			return shift == 63 && byte > 1 ? NULL : from;
		}
	}
	return NULL;
}

/* A number, if it is not 0. Which ones are is hard to foresee: a byte is written for each. */
static inline uint8_t *put_present(uint8_t *to, uint64_t value)
{
	*to = (uint8_t)value;
	if (value < 0x80)
		return to + (value != 0);
	*to++ |= 0x80;
	return tl_put_varint(to, value >> 7);
}

/* Seven fields from `at` on. The first byte is left for the bits. */
static uint8_t *put_group(uint8_t *to, uint32_t keys, uint32_t at, uint32_t end, uint64_t *last,
			  const uint64_t *row)
{
	uint8_t *begin = to++;
	unsigned bits = 0;
	uint32_t i = at, differ = tl_min(keys, end);

	/* Rows are sorted, so that the first keys are mostly the same. */
	while (i < differ && row[i] == last[i])
		i++;
	for (; i < differ; i++) {
		uint64_t value = tl_zigzag(row[i] - last[i]);

		last[i] = row[i];
		bits |= (unsigned)(value != 0) << (i - at);
		to = put_present(to, value);
	}
	for (; i < end; i++) {
		bits |= (unsigned)(row[i] != 0) << (i - at);
		to = put_present(to, tl_zigzag(row[i]));
	}
	*begin = (uint8_t)bits;
	return to;
}

uint8_t *tl_pfile_put_row(uint8_t *to, uint32_t keys, uint32_t fields, uint64_t *last,
			  const uint64_t *row)
{
	uint8_t *bits = to, *used = to + 1;

	/* Most rows have but the first costs. */
	while (fields > keys && fields > 1 && !row[fields - 1])
		fields--;
	/* Groups in which nothing stands are left out at the end of the row only. */
	for (uint32_t at = 0; !at || at < fields; at += TL_PFILE_GROUP) {
		uint32_t end = tl_min(at + TL_PFILE_GROUP, fields);
		uint8_t *group = to;

		to = put_group(group, keys, at, end, last, row);
		if (at && *group) {
			for (; bits < group; bits = used, used = bits + 1)
				*bits |= 0x80;
		}
		if (!at || *group) {
			bits = group;
			used = to;
		}
	}
	return used;
}

/*
 * A row with one key, of less than 35 bits: a byte that says whether it stands there, and that. How
 * many bytes it has is hard to foresee, so that there is no branch on it. Eight bytes are written.
 */
static inline uint8_t *put_step(uint8_t *to, uint64_t value)
{
	enum { GROUP = 7 };
	const unsigned there = value != 0, bits = 64 - (unsigned)__builtin_clzll(value | 1);
	const unsigned bytes = (bits + GROUP - 1) / GROUP;
	const uint64_t more = UINT64_C(0x8080808080808080) & ((UINT64_C(1) << 8 * (bytes - 1)) - 1);
	uint64_t word = value;

	word = (word & UINT64_C(0x0fffffff)) | (word & UINT64_C(0xfffffff0000000)) << 4;
	word = (word & UINT64_C(0x00003fff00003fff)) | (word & UINT64_C(0x0fffc0000fffc000)) << 2;
	word = (word & UINT64_C(0x007f007f007f007f)) | (word & UINT64_C(0x3f803f803f803f80)) << 1;
	word = (word | more) << 8 | there;
	if (TL_HOST_BIG_ENDIAN)
		word = __builtin_bswap64(word);
	memcpy(to, &word, sizeof(word));
	return to + 1 + (bytes & (0 - there));
}

uint8_t *tl_pfile_put_order(uint8_t *to, uint64_t *last, const uint32_t *order, size_t first,
			    size_t count)
{
	uint64_t before = *last;

	for (size_t i = first; i < first + count; i++) {
		const uint64_t key = (uint64_t)order[i] - i, value = tl_zigzag(key - before);

		before = key;
		to = put_step(to, value);
	}
	*last = before;
	return to;
}

/* ---- costs that are coded already ---- */

/* Costs of one byte each, without a branch for each unless some are 0. */
static inline uint8_t *put_short(uint8_t *to, uint64_t word, unsigned count, unsigned *bits)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const uint64_t there = (UINT64_C(1) << 8 * count) - 1;

	/* The highest bit of the lowest byte that is 0 is set. */
	if (!((word - (ones & there)) & ~word & (ones << 7) & there)) {
		if (TL_HOST_BIG_ENDIAN)
			word = __builtin_bswap64(word);
		memcpy(to, &word, sizeof(word));
		*bits = (1u << count) - 1;
		return to + count;
	}
	for (unsigned i = 0; i < count; i++, word >>= 8) {
		*to = (uint8_t)word;
		to += *to != 0;
		*bits |= (unsigned)((word & 0xff) != 0) << i;
	}
	return to;
}

/* Up to seven costs as a group. */
static uint8_t *put_coded_group(uint8_t *to, const uint8_t **costs, unsigned count, uint64_t *sums)
{
	uint64_t word = tl_get64s(*costs, TL_HOST_BIG_ENDIAN) & ((UINT64_C(1) << 8 * count) - 1);
	uint8_t *begin = to++;
	unsigned bits = 0;

	if (!(word & UINT64_C(0x8080808080808080))) {
		to = put_short(to, word, count, &bits);
		*costs += count;
		for (unsigned i = 0; i < count; i++, word >>= 8)
			sums[i] += tl_unzigzag(word & 0x7f);
	} else {
		for (unsigned i = 0; i < count; i++) {
			uint64_t value = 0;

			*costs = tl_pfile_take_number(*costs, &value);
			bits |= (unsigned)(value != 0) << i;
			to = put_present(to, value);
			sums[i] += tl_unzigzag(value);
		}
	}
	*begin = (uint8_t)bits;
	return to;
}

uint8_t *tl_pfile_put_coded(uint8_t *to, uint64_t *last, const uint64_t *row, const uint8_t *costs,
			    uint32_t count, uint64_t *sums)
{
	enum { KEYS = TL_PFILE_GROUP - 1 };
	uint8_t *bits = to, *used;
	uint64_t value = 0;

	used = to = put_group(to, KEYS, 0, KEYS, last, row);
	if (!count)
		return to;
	costs = tl_pfile_take_number(costs, &value);
	*bits = (uint8_t)(*bits | (unsigned)(value != 0) << KEYS);
	used = to = put_present(to, value);
	sums[0] += tl_unzigzag(value);
	for (uint32_t at = 1; at < count; at += TL_PFILE_GROUP) {
		uint8_t *group = to;

		to = put_coded_group(group, &costs, tl_min(count - at, (uint32_t)TL_PFILE_GROUP),
				     sums + at);
		if (*group) {
			for (; bits < group; bits = used, used = bits + 1)
				*bits |= 0x80;
			bits = group;
			used = to;
		}
	}
	return used;
}
