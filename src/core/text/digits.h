/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_TEXT_DIGITS_H
#define TL_CORE_TEXT_DIGITS_H
/*
 * Digits of numbers that are written by the million, all of a word at once: no branch depends on
 * how many there are. Each function returns the end of its digits.
 */
#include <string.h>

#include "core/cursor.h"
#include "core/output.h"

/* "00000000" */
#define TL_EIGHT_ZEROS UINT64_C(0x3030303030303030)

/* Store digits, the first one in the lowest byte. */
static inline void tl_store_digits(char *p, uint64_t digits)
{
	if (TL_HOST_BIG_ENDIAN)
		digits = __builtin_bswap64(digits);
	memcpy(p, &digits, sizeof(digits));
}

static inline void tl_store_four(char *p, uint32_t digits)
{
	if (TL_HOST_BIG_ENDIAN)
		digits = __builtin_bswap32(digits);
	memcpy(p, &digits, sizeof(digits));
}

/*
 * Decimal digits of a number below 10,000, in room for four bytes. Hundredths and tenths are
 * products that are exact up to 10,000 and 100; zeros in front are bytes that are shifted out.
 */
static inline char *tl_format_four(char *p, uint32_t value)
{
	const uint32_t hundreds = value * 5243 >> 19;
	const uint32_t pairs = hundreds | (value - hundreds * 100) << 16;
	const uint32_t tens = pairs * 103 >> 10 & 0x000f000f;
	const uint32_t digits = tens | (pairs - tens * 10) << 8;
	const unsigned zeros = (unsigned)__builtin_ctz(digits | 1u << 24) & ~7u;

	tl_store_four(p, (digits + 0x30303030) >> zeros);
	return p + 4 - zeros / 8;
}

/* A number below 10^8 as eight digits without '0' added, the first one in the lowest byte. */
static inline uint64_t tl_eight_digits(uint32_t value)
{
	const uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
	const uint64_t hundreds = fours * 5243 >> 19 & UINT64_C(0x0000007f0000007f);
	const uint64_t pairs = hundreds | (fours - hundreds * 100) << 16;
	const uint64_t tens = pairs * 103 >> 10 & UINT64_C(0x000f000f000f000f);

	return tens | (pairs - tens * 10) << 8;
}

/* Decimal digits of a number below 10^8, in room for eight bytes. */
static inline char *tl_format_eight(char *p, uint32_t value)
{
	const uint64_t digits = tl_eight_digits(value);
	const unsigned zeros = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) & ~7u;

	tl_store_digits(p, (digits + TL_EIGHT_ZEROS) >> zeros);
	return p + 8 - zeros / 8;
}

/* tl_format_u64(), of which most numbers are small. */
static inline char *tl_format_number(char *p, uint64_t value)
{
	return value < 10000 ? tl_format_four(p, (uint32_t)value) : tl_format_u64(p, value);
}

/* A number below 16^8 as eight digits, the first one in the lowest byte. */
static inline uint64_t tl_hex_digits(uint32_t value)
{
	uint64_t word = value;
	uint64_t letters;

	word = (word << 16 | word) & UINT64_C(0x0000ffff0000ffff);
	word = (word << 8 | word) & UINT64_C(0x00ff00ff00ff00ff);
	word = (word << 4 | word) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	word = __builtin_bswap64(word);
	letters = (word + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
	return word + TL_EIGHT_ZEROS + letters * ('a' - '9' - 1);
}

/* "0x" and lower-case digits without zeros in front, in room for 18 bytes. */
static inline char *tl_format_hex(char *p, uint64_t value)
{
	const uint32_t high = (uint32_t)(value >> 32), low = (uint32_t)value;
	const unsigned zeros = (unsigned)__builtin_clz((high ? high : low) | 1) / 4;

	memcpy(p, "0x", 2);
	p += 2;
	if (high) {
		tl_store_digits(p, tl_hex_digits(high) >> zeros * 8);
		p += 8 - zeros;
		tl_store_digits(p, tl_hex_digits(low));
		return p + 8;
	}
	tl_store_digits(p, tl_hex_digits(low) >> zeros * 8);
	return p + 8 - zeros;
}

#endif
