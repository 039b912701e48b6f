/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_SATURATE_H
#define TL_CORE_SATURATE_H
/* Sums of costs that stay at the limits of 64 bits. */
#include <stdint.h>

/* a + b, or the limit of the range that the sum is beyond. */
static inline int64_t tl_sum_saturating(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

#endif
