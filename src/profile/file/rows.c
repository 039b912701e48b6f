/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/file/rows.h"

#include "core/arithmetic.h"

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

	/* Orders of elements are half of all rows. */
	if (fields == 1)
		return put_group(to, keys, 0, 1, last, row);
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
