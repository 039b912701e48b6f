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

/*
 * The number times 10^scale, to the nearest whole one, halves away from zero; the limit of 64 bits
 * where it is beyond. *exact becomes false when that is not the number.
 */
int64_t tl_decimal_scaled(const struct tl_decimal *number, int scale, bool *exact);

/*
 * The nearest double or one beside it; behind more than 22 decimals or zeros its last digits may
 * differ (by 1e-15 of the number). Infinite beyond all of them.
 */
double tl_decimal_double(const struct tl_decimal *number);

/* Decimals that are not zero: 3 of 0.125. */
unsigned tl_decimal_places(const struct tl_decimal *number);

#endif
