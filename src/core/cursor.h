/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_CURSOR_H
#define TL_CORE_CURSOR_H
/*
 * The one cursor: all untrusted bytes are read here. Bounds are tested as `n > (size_t)(end -
 * pos)`; a hot loop tests once for a whole record and then reads unchecked with the tl_get_*
 * functions.
 */
#include "core/arithmetic.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct tl_cursor {
	const uint8_t *pos, *end;
	const uint8_t *base; /* byte 0 of the file, for offsets */
};

static inline struct tl_cursor tl_cursor_over(const uint8_t *data, size_t size)
{
	/* An empty input may have no address at all. */
	return (struct tl_cursor){ data, size ? data + size : data, data };
}

static inline size_t tl_cursor_left(const struct tl_cursor *cur)
{
	return (size_t)(cur->end - cur->pos);
}

static inline bool tl_cursor_has(const struct tl_cursor *cur, uint64_t n)
{
	return n <= (uint64_t)(cur->end - cur->pos);
}

static inline uint64_t tl_cursor_offset(const struct tl_cursor *cur)
{
	return (uint64_t)(cur->pos - cur->base);
}

/* Move to an offset; past the end means to the end. */
static inline void tl_cursor_seek(struct tl_cursor *cur, uint64_t offset)
{
	uint64_t size = (uint64_t)(cur->end - cur->base);

	cur->pos = cur->base + tl_min(offset, size);
}

/* Bound the cursor at an offset: at most its present end, and not before its position. */
static inline void tl_cursor_limit(struct tl_cursor *cur, uint64_t offset)
{
	if (offset < tl_cursor_offset(cur))
		cur->end = cur->pos;
	else if (offset < (uint64_t)(cur->end - cur->base))
		cur->end = cur->base + offset;
}

/* Unchecked loads, host order; the caller has tested the bound. Data is nowhere aligned. */
static inline uint16_t tl_get16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t tl_get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t tl_get64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define TL_HOST_BIG_ENDIAN 1
#else
#define TL_HOST_BIG_ENDIAN 0
#endif

/* Loads with a byte order known at run time. `swap`: the file's order is not the host's. */
static inline uint16_t tl_get16s(const uint8_t *p, bool swap)
{
	return swap ? __builtin_bswap16(tl_get16(p)) : tl_get16(p);
}

static inline uint32_t tl_get32s(const uint8_t *p, bool swap)
{
	return swap ? __builtin_bswap32(tl_get32(p)) : tl_get32(p);
}

static inline uint64_t tl_get64s(const uint8_t *p, bool swap)
{
	return swap ? __builtin_bswap64(tl_get64(p)) : tl_get64(p);
}

/* Loads of formats that are little-endian wherever they are written and read. */
static inline uint16_t tl_le16(const uint8_t *p)
{
	return tl_get16s(p, TL_HOST_BIG_ENDIAN);
}

static inline uint32_t tl_le32(const uint8_t *p)
{
	return tl_get32s(p, TL_HOST_BIG_ENDIAN);
}

static inline uint64_t tl_le64(const uint8_t *p)
{
	return tl_get64s(p, TL_HOST_BIG_ENDIAN);
}

#endif
