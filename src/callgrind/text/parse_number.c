/* SPDX-License-Identifier: Apache-2.0 */
#include "callgrind/text/parse_number.h"

static unsigned digit_of(uint8_t c)
{
	if (tl_callgrind_is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10u : 16;
}

const uint8_t *tl_callgrind_long_number(const uint8_t *p, uint64_t *value, bool *over)
{
	unsigned base = p[0] == '0' && (p[1] | 0x20) == 'x' ? 16 : 10;
	const uint8_t *digits = base == 16 ? p + 2 : p, *at = digits;
	uint64_t sum = 0;

	for (unsigned digit; (digit = digit_of(*at)) < base; at++) {
		if (__builtin_mul_overflow(sum, base, &sum) ||
		    __builtin_add_overflow(sum, digit, &sum)) {
			*over = true;
			while (digit_of(*at) < base)
				at++;
			*value = UINT64_MAX;
			return at;
		}
	}
	*value = sum;
	/* "0x" without a digit: the number 0, and "x" is left for the caller to reject. */
	if (at > digits)
		return at;
	return base == 16 ? p + 1 : NULL;
}
