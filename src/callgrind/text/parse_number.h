/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CALLGRIND_TEXT_PARSE_NUMBER_H
#define TL_CALLGRIND_TEXT_PARSE_NUMBER_H
/*
 * Numbers of a line ("Number := HexNumber | (Digit)+"). They are read without a bound, because a
 * line ends in a byte that is not a digit (lines.h). Each function returns the byte behind the
 * number, or NULL if there is none.
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

/*
 * A number of any length, decimal or hexadecimal: the plain way of tl_callgrind_parse_number().
 * `over` is set when it does not fit 64 bits.
 */
const uint8_t *tl_callgrind_long_number(const uint8_t *p, uint64_t *value, bool *over);

/*
 * A signed cost in any form. One that does not fit is clamped to the range and sets `over`; a
 * fraction is dropped and sets `fraction`.
 */
const uint8_t *tl_callgrind_unusual_cost(const uint8_t *p, const uint8_t *stop, int64_t *cost,
					 bool *over, bool *fraction);

#if !TL_HOST_BIG_ENDIAN
/*
 * Up to eight digits at once. The digits are shifted to the top of a word, so that leading zeros
 * fill the rest; then pairs, fours and eights are joined by one multiplication each. No branch
 * depends on the number of digits. The plain loop, which gives the same values, is the one below
 * for big-endian hosts.
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

/* The same, in half the steps for a number of at most three digits. */
static inline const uint8_t *tl_callgrind_parse_few(const uint8_t *p, uint64_t *value)
{
	uint32_t word = tl_get32(p) ^ 0x30303030u;
	uint32_t other = ((word + 0x76767676u) | word) & 0x80808080u;
	unsigned bits;

	if (!other)
		return tl_callgrind_parse_digits(p, value);
	bits = (unsigned)__builtin_ctz(other) & ~7u;
	if (!bits)
		return p;
	word <<= 32 - bits;
	word = word * 10 + (word >> 8);
	*value = (word & 0xff) * 100 + (word >> 16 & 0xff);
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

static inline const uint8_t *tl_callgrind_parse_few(const uint8_t *p, uint64_t *value)
{
	return tl_callgrind_parse_digits(p, value);
}
#endif

/* Most numbers of a profile have one digit. */
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
