/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CALLGRIND_TEXT_PARSE_NUMBER_H
#define TL_CALLGRIND_TEXT_PARSE_NUMBER_H
/*
 * Numbers of a line ("Number := HexNumber | (Digit)+"). They are read without a bound: the caller's
 * line ends in a byte that is no digit (see lines.h). Each returns the byte behind the number, or
 * NULL when there is none.
 */
#include <stdbool.h>

#include "core/cursor.h"

static inline bool tl_callgrind_is_digit(uint8_t c)
{
	return (uint8_t)(c - '0') < 10;
}

static inline bool tl_callgrind_is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static inline const uint8_t *tl_callgrind_skip_blanks(const uint8_t *p)
{
	while (tl_callgrind_is_blank(*p))
		p++;
	return p;
}

/* More digits than a 64-bit number may have, and hexadecimal: rare. `over` is set when the number
 * does not fit. */
const uint8_t *tl_callgrind_long_number(const uint8_t *p, uint64_t *value, bool *over);

/* A signed cost; numbers that do not fit are cut to the range and `over` is set, fractions are
 * dropped (`fraction`). */
const uint8_t *tl_callgrind_unusual_cost(const uint8_t *p, const uint8_t *stop, int64_t *cost,
					 bool *over, bool *fraction);

#if !TL_HOST_BIG_ENDIAN
/*
 * Up to eight digits at once: the digits are shifted to the top of a word whose rest becomes
 * leading zeros, then pairs, fours and eights are joined by one multiplication each. No branch
 * depends on how many digits there are.
 */
static inline const uint8_t *tl_callgrind_parse_digits(const uint8_t *p, uint64_t *value)
{
	uint64_t word = tl_get64(p) ^ 0x3030303030303030u;
	uint64_t other = ((word + 0x7676767676767676u) | word) & 0x8080808080808080u;
	unsigned bits;

	if (!other)
		return NULL; /* eight or more */
	bits = (unsigned)__builtin_ctzll(other) & ~7u;
	if (!bits)
		return p;
	word <<= 64 - bits;
	word = word * 10 + (word >> 8);
	*value = ((word & 0x000000ff000000ffu) * 0x000f424000000064u +
		  (word >> 16 & 0x000000ff000000ffu) * 0x0000271000000001u) >>
		 32;
	return p + bits / 8;
}
#else
static inline const uint8_t *tl_callgrind_parse_digits(const uint8_t *p, uint64_t *value)
{
	const uint8_t *start = p;
	uint64_t sum = 0;

	for (; tl_callgrind_is_digit(*p); p++) {
		if (p - start == 7)
			return NULL;
		sum = sum * 10 + (uint64_t)(*p - '0');
	}
	*value = p > start ? sum : *value;
	return p;
}
#endif

/* One digit is what most numbers of a profile have. */
static inline bool tl_callgrind_is_one_digit(const uint8_t *p)
{
	return tl_callgrind_is_digit(p[0]) && !tl_callgrind_is_digit(p[1]) && (p[1] | 0x20) != 'x';
}

static inline const uint8_t *tl_callgrind_parse_number(const uint8_t *p, uint64_t *value,
						       bool *over)
{
	const uint8_t *end;

	if (tl_callgrind_is_one_digit(p)) {
		*value = (uint64_t)(*p - '0');
		return p + 1;
	}
	end = tl_callgrind_parse_digits(p, value);
	if (__builtin_expect(!end || (end == p + 1 && *p == '0' && (p[1] | 0x20) == 'x'), 0))
		return tl_callgrind_long_number(p, value, over);
	return end == p ? NULL : end;
}

#endif
