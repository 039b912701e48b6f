/* SPDX-License-Identifier: Apache-2.0 */
#include "core/wide.h"

#include <stddef.h>

/* ---- in parts of 32 and 64 bits ---- */

struct tl_wide tl_wide_product_in_parts(uint64_t a, uint64_t b)
{
	const uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
	const uint64_t low = a_low * b_low;
	/* Neither sum overflows: (2^32 - 1)^2 + 2 * (2^32 - 1) is 2^64 - 1. */
	const uint64_t first = a_high * b_low + (low >> 32);
	const uint64_t second = a_low * b_high + (uint32_t)first;

	return (struct tl_wide){ a_high * b_high + (first >> 32) + (second >> 32),
				 second << 32 | (uint32_t)low };
}

/* A bit at a time, as on paper. */
uint64_t tl_wide_quotient_in_parts(struct tl_wide a, uint64_t b, uint64_t *rest)
{
	uint64_t left = a.high % b, quotient = 0;

	for (int bit = 63; bit >= 0; bit--) {
		const bool carry = left >> 63;

		left = left << 1 | (a.low >> bit & 1);
		if (carry || left >= b) {
			left -= b;
			quotient |= UINT64_C(1) << bit;
		}
	}
	if (rest)
		*rest = left;
	return a.high >= b ? UINT64_MAX : quotient;
}

/* ---- as the machine can ---- */

#ifdef __SIZEOF_INT128__
struct tl_wide tl_wide_product(uint64_t a, uint64_t b)
{
	const unsigned __int128 product = (unsigned __int128)a * b;

	return (struct tl_wide){ (uint64_t)(product >> 64), (uint64_t)product };
}

uint64_t tl_wide_quotient(struct tl_wide a, uint64_t b, uint64_t *rest)
{
	const unsigned __int128 whole = (unsigned __int128)a.high << 64 | a.low;

	if (rest)
		*rest = (uint64_t)(whole % b);
	return a.high >= b ? UINT64_MAX : (uint64_t)(whole / b);
}
#else
struct tl_wide tl_wide_product(uint64_t a, uint64_t b)
{
	return tl_wide_product_in_parts(a, b);
}

uint64_t tl_wide_quotient(struct tl_wide a, uint64_t b, uint64_t *rest)
{
	return tl_wide_quotient_in_parts(a, b, rest);
}
#endif

struct tl_wide tl_wide_sum(struct tl_wide a, uint64_t b)
{
	const uint64_t low = a.low + b;

	return (struct tl_wide){ a.high + (low < b), low };
}

struct tl_wide tl_wide_difference(struct tl_wide a, uint64_t b)
{
	return (struct tl_wide){ a.high - (a.low < b), a.low - b };
}

/* ---- scaling ---- */

uint64_t tl_scale_unsigned(uint64_t value, uint64_t times, uint64_t per)
{
	return tl_wide_quotient(tl_wide_product(value, times), per, NULL);
}

/* The greatest product leaves room for half a divisor. */
uint64_t tl_scale_unsigned_nearest(uint64_t value, uint64_t times, uint64_t per)
{
	return tl_wide_quotient(tl_wide_sum(tl_wide_product(value, times), per / 2), per, NULL);
}

/* A number of the magnitude, or the limit of the range. */
static int64_t with_sign(uint64_t magnitude, bool negative, bool *beyond)
{
	const bool fits = magnitude <= (uint64_t)INT64_MAX + negative;

	if (beyond)
		*beyond = !fits;
	if (!fits)
		return negative ? INT64_MIN : INT64_MAX;
	return (int64_t)(negative ? -magnitude : magnitude);
}

int64_t tl_scale(int64_t value, uint64_t times, uint64_t per)
{
	return with_sign(tl_scale_unsigned(tl_magnitude(value), times, per), value < 0, NULL);
}

int64_t tl_scale_nearest(int64_t value, uint64_t times, uint64_t per, bool *beyond)
{
	return with_sign(tl_scale_unsigned_nearest(tl_magnitude(value), times, per), value < 0,
			 beyond);
}

int64_t tl_share(int64_t amount, int64_t part, int64_t whole)
{
	const uint64_t share =
		tl_scale_unsigned(tl_magnitude(amount), tl_magnitude(part), tl_magnitude(whole));

	return with_sign(share, (amount < 0) ^ (part < 0) ^ (whole < 0), NULL);
}
