/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_FILE_ROWS_H
#define TL_PROFILE_FILE_ROWS_H
/*
 * Rows of numbers as bytes (docs/formats/profile.md, "Rows"). Fields go in groups of seven: a byte
 * whose bits say which of them stand there, then those as LEB128 of zigzag; its highest bit says
 * that another group follows. Sorted rows have few differences, so most take three or four bytes.
 */
#include <string.h>

#include "core/arithmetic.h"
#include "core/cursor.h"
#include "core/varint.h"
#include "profile/file/layout.h"

/* A number of more than eight bytes; NULL: it has more than 64 bits. */
const uint8_t *tl_pfile_take_long(const uint8_t *from, uint64_t *value);

/*
 * At least ten bytes can be read at `from`. NULL: the number has more than 64 bits. How many bytes
 * a number of several has is hard to foresee, so that all of them are put together at once.
 */
static inline const uint8_t *tl_pfile_take_number(const uint8_t *from, uint64_t *value)
{
	uint64_t word, ends;

	*value = *from;
	if (*value < 0x80)
		return from + 1;
	word = tl_get64s(from, TL_HOST_BIG_ENDIAN);
	ends = ~word & UINT64_C(0x8080808080808080);
	if (!ends)
		return tl_pfile_take_long(from, value);
	/* The bits up to the first byte that ends a number, seven of each byte. */
	word &= (ends ^ (ends - 1)) & UINT64_C(0x7f7f7f7f7f7f7f7f);
	word = (word & UINT64_C(0x007f007f007f007f)) | (word >> 1 & UINT64_C(0x3f803f803f803f80));
	word = (word & UINT64_C(0x00003fff00003fff)) | (word >> 2 & UINT64_C(0x0fffc0000fffc000));
	*value = (word & UINT64_C(0x0fffffff)) | (word >> 4 & UINT64_C(0xfffffff0000000));
	return from + (unsigned)__builtin_ctzll(ends) / 8 + 1;
}

/*
 * The same of a number that mostly has one byte or two, without a branch on which; *high is 0 if it
 * could be shorter.
 */
static inline const uint8_t *tl_pfile_take_few(const uint8_t *from, uint64_t *value, uint64_t *high)
{
	const unsigned word = tl_get16s(from, TL_HOST_BIG_ENDIAN), more = word >> 7 & 1;

	if (word >> 15 & more) {
		from = tl_pfile_take_number(from, value);
		*high = from ? from[-1] : 0;
		return from;
	}
	*value = (word & 0x7f) | (word >> 1 & 0x3f80 & (0 - more));
	*high = *value >> 7 * more;
	return from + 1 + more;
}

/* Write a row behind the one with the keys `last`, which become this one's; they begin as zeros. */
uint8_t *tl_pfile_put_row(uint8_t *to, uint32_t keys, uint32_t fields, uint64_t *last,
			  const uint64_t *row);

/*
 * The same of rows `first` .. `first` + `count` - 1 of an order, each of which is the number before
 * less the row's own. At most TL_PFILE_ORDER_BYTES are written for each.
 */
enum { TL_PFILE_ORDER_BYTES = 1 + TL_VARINT_BYTES };
uint8_t *tl_pfile_put_order(uint8_t *to, uint64_t *last, const uint32_t *order, size_t first,
			    size_t count);

/*
 * The same of a line, whose costs are coded already, as LEB128 of zigzag behind each other, and are
 * added to `sums`. Eight bytes more than the costs have can be read, and TL_PFILE_SLACK more than
 * those of the row written.
 */
enum { TL_PFILE_SLACK = 8 };
uint8_t *tl_pfile_put_coded(uint8_t *to, uint64_t *last, const uint64_t *row, const uint8_t *costs,
			    uint32_t count, uint64_t *sums);

/*
 * Fields of one group from `at` on, which `bits` says are there. NULL: it has fields that there
 * are not, or a number of more than 64 bits.
 */
static inline const uint8_t *tl_pfile_take_group(const uint8_t *from, unsigned bits, uint32_t at,
						 uint32_t keys, uint32_t fields, uint64_t *row)
{
	const unsigned key_bits = keys > at ? (1u << tl_min(keys - at, 7u)) - 1 : 0;
	uint64_t value = 0;

	if (fields - at < TL_PFILE_GROUP && bits >> (fields - at))
		return NULL;
	row += at;
	for (unsigned left = bits & key_bits; left && from; left &= left - 1) {
		from = tl_pfile_take_number(from, &value);
		row[__builtin_ctz(left)] += tl_unzigzag(value);
	}
	for (unsigned left = bits & ~key_bits; left && from; left &= left - 1) {
		from = tl_pfile_take_number(from, &value);
		row[__builtin_ctz(left)] = tl_unzigzag(value);
	}
	return from;
}

/*
 * Read a row over the one before it. tl_pfile_row_bytes() bytes can be read at `from`. This is
 * what the time of reading a file goes into, so it is part of its caller's loop. Values of the row
 * before stand below *used, which becomes that of this row. NULL: it has fields that there are not,
 * or a number of more than 64 bits.
 */
static inline const uint8_t *tl_pfile_take_row(const uint8_t *from, uint32_t keys, uint32_t fields,
					       uint64_t *row, uint32_t *used)
{
	uint32_t at = 0;
	unsigned bits;

	for (uint32_t i = keys; i < *used; i++)
		row[i] = 0;
	do {
		if (at >= fields && at)
			return NULL;
		bits = *from++;
		from = tl_pfile_take_group(from, bits & 0x7f, at, keys, fields, row);
		at += TL_PFILE_GROUP;
	} while (from && bits >= 0x80);
	*used = tl_min(at, fields);
	return from;
}

/* How many of seven bits are set, in steps that every machine has. */
static inline unsigned tl_pfile_count_bits(unsigned bits)
{
	bits = (bits & 0x55) + (bits >> 1 & 0x55);
	bits = (bits & 0x33) + (bits >> 2 & 0x33);
	return (bits & 0xf) + (bits >> 4);
}

/* Behind so many numbers, which are not looked at. NULL: they go beyond `end`. */
static inline const uint8_t *tl_pfile_pass_numbers(const uint8_t *from, unsigned count,
						   const uint8_t *end)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);

	while (count) {
		/* The highest bit of each byte that ends a number. */
		uint64_t ends = ~tl_get64s(from, TL_HOST_BIG_ENDIAN) & ones << 7;
		const unsigned here = (unsigned)((ends >> 7) * ones >> 56);

		if (from >= end)
			return NULL;
		if (here < count) {
			count -= here;
			from += sizeof(ends);
			continue;
		}
		for (; count > 1; count--)
			ends &= ends - 1;
		return from + (unsigned)__builtin_ctzll(ends) / 8 + 1;
	}
	return from;
}

/*
 * The same as tl_pfile_take_row() of a row whose values are wanted no further than those of its
 * first group: what stands behind is passed over.
 */
static inline const uint8_t *tl_pfile_take_head(const uint8_t *from, uint32_t keys, uint32_t fields,
						uint64_t *row, const uint8_t *end)
{
	unsigned bits = *from++;

	for (uint32_t i = keys; i < tl_min(fields, (uint32_t)TL_PFILE_GROUP); i++)
		row[i] = 0;
	from = tl_pfile_take_group(from, bits & 0x7f, 0, keys, fields, row);
	for (uint32_t at = TL_PFILE_GROUP; from && bits >= 0x80; at += TL_PFILE_GROUP) {
		if (at >= fields || from >= end)
			return NULL;
		bits = *from++;
		from = tl_pfile_pass_numbers(from, tl_pfile_count_bits(bits & 0x7f), end);
	}
	return from;
}

#endif
