/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_ARITHMETIC_H
#define TL_CORE_ARITHMETIC_H
/* Steps of arithmetic that C has no operator for. */
#include <stdint.h>

/*
 * The smaller and the larger of two numbers, in the type that both convert to; each operand is
 * evaluated once.
 */
#define tl_min(a, b)                                                                               \
	({                                                                                         \
		const __typeof__(0 ? (a) : (b)) min_a_ = (a), min_b_ = (b);                        \
		min_a_ < min_b_ ? min_a_ : min_b_;                                                 \
	})

#define tl_max(a, b)                                                                               \
	({                                                                                         \
		const __typeof__(0 ? (a) : (b)) max_a_ = (a), max_b_ = (b);                        \
		max_a_ > max_b_ ? max_a_ : max_b_;                                                 \
	})

/* How much `a` is above `b`; 0 where it is not, as unsigned numbers have no negative difference. */
#define tl_excess(a, b)                                                                            \
	({                                                                                         \
		const __typeof__(0 ? (a) : (b)) above_ = (a), below_ = (b);                        \
		above_ > below_ ? above_ - below_ : 0;                                             \
	})

/* Which of two numbers comes first in a sorted list: -1 the first, 1 the second, 0 either. */
#define tl_compare(a, b)                                                                           \
	({                                                                                         \
		const __typeof__(0 ? (a) : (b)) left_ = (a), right_ = (b);                         \
		(left_ > right_) - (left_ < right_);                                               \
	})

/* a + b, or the limit of the range that the sum is beyond. */
static inline int64_t tl_sum_saturating(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

/* The tick that is `seconds` behind `first`, or the last one there is. */
static inline uint64_t tl_ticks_behind(uint64_t first, double seconds, uint64_t frequency)
{
	const double ticks = seconds * (double)frequency;

	return ticks >= (double)(UINT64_MAX - first) ? UINT64_MAX : first + (uint64_t)(ticks + 0.5);
}

#endif
