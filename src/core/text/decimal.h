/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_TEXT_DECIMAL_H
#define TL_CORE_TEXT_DECIMAL_H
/*
 * Decimal numbers of a text, exact: a time such as 1643371.123456 has more digits than a double
 * keeps.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cursor.h"

/* 10^0 and all others that 64 bits hold. */
enum { TL_POWERS_OF_TEN = 20 };
extern const uint64_t tl_powers_of_ten[TL_POWERS_OF_TEN];

/* (negative ? -1 : 1) * digits * 10^exponent. */
struct tl_decimal {
	uint64_t digits;
	int32_t exponent;
	bool negative;
	bool rounded; /* digits beyond the nineteenth were left out */
};

/*
 * Read a number as JSON has it (RFC 8259, section 6), also with zeros in front or "+". False: the
 * text is none, or has more behind it.
 */
bool tl_decimal_parse(const uint8_t *text, size_t size, struct tl_decimal *number);

/*
 * The same of the usual form, at most 19 digits without an exponent, in one pass over text that a
 * byte which is none of a number ends: behind the number. NULL: it has another form, or is none.
 */
const uint8_t *tl_decimal_take(const uint8_t *text, struct tl_decimal *number);

/* tl_decimal_scaled() of any number. */
int64_t tl_decimal_scaled_any(const struct tl_decimal *number, int scale, bool *exact);
/*
 * The number times 10^scale, to the nearest whole one, halves away from zero; the limit of 64 bits
 * where it is beyond. *exact becomes false when that is not the number.
 */
static inline int64_t tl_decimal_scaled(const struct tl_decimal *number, int scale, bool *exact)
{
	/* As many decimals as are asked for: nearly all of one file. */
	if (number->exponent == -scale && number->digits <= INT64_MAX && !number->rounded)
		return number->negative ? -(int64_t)number->digits : (int64_t)number->digits;
	return tl_decimal_scaled_any(number, scale, exact);
}

/*
 * The nearest double or one beside it; behind more than 22 decimals or zeros its last digits may
 * differ (by 1e-15 of the number). Infinite beyond all of them.
 */
double tl_decimal_double(const struct tl_decimal *number);

/* Decimals that are not zero: 3 of 0.125. */
unsigned tl_decimal_places(const struct tl_decimal *number);

/* ---- digits by the word: no branch depends on how many there are ---- */

/* How many of the first eight bytes are digits in a row, and their value. */
static inline unsigned tl_decimal_eight(const uint8_t *p, uint64_t *value)
{
	uint64_t word = tl_le64(p) ^ UINT64_C(0x3030303030303030), others;
	unsigned count;

	/* The highest bit of bytes above 9, exact up to the first of them. */
	others = ((word + UINT64_C(0x7676767676767676)) | word) & UINT64_C(0x8080808080808080);
	count = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
	/* The last digit goes to the last byte, behind zeros. One shift by 64 bits is undefined. */
	word = word << (32 - 4 * count) << (32 - 4 * count);
	word = (word * 10 + (word >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
	word = (word * 100 + (word >> 16)) & UINT64_C(0x0000ffff0000ffff);
	*value = (word * 10000 + (word >> 32)) & UINT32_MAX;
	return count;
}

/* tl_decimal_take() where so many bytes from `text` on can be read. */
enum { TL_DECIMAL_ROOM = 32 };
static inline const uint8_t *tl_decimal_take_padded(const uint8_t *text, struct tl_decimal *number)
{
	const uint8_t *p = text + (*text == '-');
	uint64_t digits, more;
	unsigned whole = tl_decimal_eight(p, &digits), next = 0;

	if (whole == 8) {
		next = tl_decimal_eight(p + 8, &more);
		digits = digits * tl_powers_of_ten[next] + more;
		whole += next;
	}
	p += whole;
	*number = (struct tl_decimal){ .negative = *text == '-' };
	if (*p == '.') {
		const unsigned places = tl_decimal_eight(p + 1, &more);

		/* There may be more digits, or too many. */
		if (next == 8 || places == 8 || whole + places > 19)
			return tl_decimal_take(text, number);
		digits = digits * tl_powers_of_ten[places] + more;
		number->exponent = -(int32_t)places;
		p += places + 1;
	} else if (next == 8) {
		return tl_decimal_take(text, number);
	}
	number->digits = digits;
	return whole ? p : NULL;
}

#endif
