/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_DWARF_BYTES_H
#define TL_SYMBOLS_DWARF_BYTES_H
/*
 * A cursor that remembers its first failure: a read past the end gives 0 and leaves no bytes, so
 * that a whole record is read before anything is tested.
 */
#include "core/cursor.h"

struct tl_dwarf_bytes {
	struct tl_cursor cur;
	bool swap;
	bool bad; /* `cur` stands where the bytes did not suffice */
};

static inline bool tl_dwarf_fail(struct tl_dwarf_bytes *bytes)
{
	bytes->cur.end = bytes->cur.pos;
	bytes->bad = true;
	return false;
}

static inline bool tl_dwarf_need(struct tl_dwarf_bytes *bytes, uint64_t size)
{
	return tl_cursor_has(&bytes->cur, size) || tl_dwarf_fail(bytes);
}

static inline void tl_dwarf_skip(struct tl_dwarf_bytes *bytes, uint64_t size)
{
	if (tl_dwarf_need(bytes, size))
		bytes->cur.pos += size;
}

/* An unsigned number of `size` bytes: 1, 2, 3, 4 or 8. */
static inline uint64_t tl_dwarf_take_word(struct tl_dwarf_bytes *bytes, size_t size)
{
	const uint8_t *at = bytes->cur.pos;

	if (!tl_dwarf_need(bytes, size))
		return 0;
	bytes->cur.pos += size;
	switch (size) {
	case 1:
		return *at;
	case 2:
		return tl_get16s(at, bytes->swap);
	case 4:
		return tl_get32s(at, bytes->swap);
	case 8:
		return tl_get64s(at, bytes->swap);
	default:
		return bytes->swap != TL_HOST_BIG_ENDIAN
			       ? (uint64_t)at[0] << 16 | (uint64_t)at[1] << 8 | at[2]
			       : (uint64_t)at[2] << 16 | (uint64_t)at[1] << 8 | at[0];
	}
}

/* DWARF 7.6 "Variable Length Data"; bits beyond the 64th are dropped. */
static inline uint64_t tl_dwarf_take_uleb(struct tl_dwarf_bytes *bytes)
{
	uint64_t value = 0;

	for (unsigned shift = 0; tl_dwarf_need(bytes, 1); shift += 7) {
		uint8_t byte = *bytes->cur.pos++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	return 0;
}

static inline int64_t tl_dwarf_take_sleb(struct tl_dwarf_bytes *bytes)
{
	uint64_t value = 0;

	for (unsigned shift = 0; tl_dwarf_need(bytes, 1);) {
		uint8_t byte = *bytes->cur.pos++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte >= 0x80)
			continue;
		if ((byte & 0x40) && shift < 64)
			value |= ~(uint64_t)0 << shift;
		return (int64_t)value;
	}
	return 0;
}

/* A terminated text; NULL: its end is missing. */
static inline const char *tl_dwarf_take_text(struct tl_dwarf_bytes *bytes)
{
	const uint8_t *start = bytes->cur.pos;
	size_t left = tl_cursor_left(&bytes->cur);
	const uint8_t *end = left ? memchr(start, '\0', left) : NULL;

	if (!end) {
		tl_dwarf_fail(bytes);
		return NULL;
	}
	bytes->cur.pos = end + 1;
	return (const char *)start;
}

#endif
