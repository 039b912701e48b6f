/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_WIDE_H
#define TL_CORE_WIDE_H
/*
 * Products of two 64-bit numbers, divided again: clocks, shares, positions. They are exact, and the
 * same on machines of 32 bits, whose compilers have no integer of 128 bits.
 */
#include <stdbool.h>
#include <stdint.h>

/* A number of 128 bits without a sign. */
struct tl_wide {
	uint64_t high, low;
};

struct tl_wide tl_wide_product(uint64_t a, uint64_t b);
/* Sums and differences wrap around, as those of uint64_t. */
struct tl_wide tl_wide_sum(struct tl_wide a, uint64_t b);
struct tl_wide tl_wide_difference(struct tl_wide a, uint64_t b);
/*
 * a / b without its fraction, for b > 0. The rest of the division goes to *rest, which may be NULL.
 * A quotient that does not fit is UINT64_MAX; its rest is right nevertheless.
 */
uint64_t tl_wide_quotient(struct tl_wide a, uint64_t b, uint64_t *rest);

/* The same without an integer of 128 bits, on every machine, so that every machine can test it. */
struct tl_wide tl_wide_product_in_parts(uint64_t a, uint64_t b);
uint64_t tl_wide_quotient_in_parts(struct tl_wide a, uint64_t b, uint64_t *rest);

/* value * times / per for per > 0, without the fraction, or to the nearest; UINT64_MAX at most. */
uint64_t tl_scale_unsigned(uint64_t value, uint64_t times, uint64_t per);
uint64_t tl_scale_unsigned_nearest(uint64_t value, uint64_t times, uint64_t per);

/* value * times / per for per > 0, towards zero; what does not fit is the limit of the range. */
int64_t tl_scale(int64_t value, uint64_t times, uint64_t per);
/* The same to the nearest, halves away from zero. *beyond, which may be NULL: it does not fit. */
int64_t tl_scale_nearest(int64_t value, uint64_t times, uint64_t per, bool *beyond);

/* amount * part / whole for whole != 0, towards zero, of numbers with signs. */
int64_t tl_share(int64_t amount, int64_t part, int64_t whole);

/* The number without its sign. */
static inline uint64_t tl_magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

#endif
