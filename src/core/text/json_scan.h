/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_TEXT_JSON_SCAN_H
#define TL_CORE_TEXT_JSON_SCAN_H
/* Bytes of a JSON text in the buffer of the tokenizer, which has TL_JSON_SLACK zeros behind it. */
#include "core/cursor.h"
#include "core/text/json.h"

static inline uint64_t has_zero(uint64_t v)
{
	return (v - UINT64_C(0x0101010101010101)) & ~v & UINT64_C(0x8080808080808080);
}

/* The first quote or backslash from p on; `end` or a little behind it: there is none. */
static inline const uint8_t *pass_plain(const uint8_t *p, const uint8_t *end)
{
	while (p < end) {
		const uint64_t v = tl_get64(p);
		const uint64_t stop = has_zero(v ^ UINT64_C(0x2222222222222222)) |
				      has_zero(v ^ UINT64_C(0x5c5c5c5c5c5c5c5c));

		if (stop) {
#if TL_HOST_BIG_ENDIAN
			while (*p != '"' && *p != '\\')
				p++;
			return p;
#else
			return p + (__builtin_ctzll(stop) >> 3);
#endif
		}
		p += sizeof(v);
	}
	return p;
}

/* The quote that ends a string, from behind the first one on; NULL: it is not before `end`. */
static inline const uint8_t *end_of_string(const uint8_t *p, const uint8_t *end, bool *escaped)
{
	*escaped = false;
	for (;;) {
		p = pass_plain(p, end);
		if (p >= end)
			return NULL;
		if (*p == '"')
			return p;
		*escaped = true;
		p += 2;
	}
}

static inline bool is_of_number(uint8_t c)
{
	return (uint8_t)(c - '0') < 10 || c == '.' || c == '-' || c == '+' || (c | 0x20) == 'e';
}

static inline bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline const uint8_t *behind_blanks(const uint8_t *p)
{
	while (is_blank(*p))
		p++;
	return p;
}

/*
 * Behind the end of the container whose first byte but the bracket is at p. NULL: it does not end
 * before `end`, is nested deeper than `depth` or than the bits of a word, or has a fault, which
 * tl_json_next() will find: tokens cost several times as much as this, which takes the same texts.
 */
const uint8_t *tl_json_behind_container(const uint8_t *p, const uint8_t *end, bool is_object,
					uint32_t depth);

#endif
