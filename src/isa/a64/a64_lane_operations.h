/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ISA_A64_LANE_OPERATIONS_H
#define TL_ISA_A64_LANE_OPERATIONS_H
/*
 * What is done with the elements of vectors: functions of elements that are extended to 64 bits, of
 * which results are cut. Beside them the fields of the groups of C4.1 in which bits of an opcode
 * are the number of an operation.
 */
#include "isa/a64/a64_lanes.h"

/* ---- fields ---- */

static inline unsigned size_of(uint32_t opcode)
{
	return tl_a64_bits(opcode, 23, 22);
}

static inline bool is_unsigned(uint32_t opcode)
{
	return opcode >> 29 & 1;
}

static inline bool is_scalar(uint32_t opcode)
{
	return opcode >> 28 & 1;
}

/* Q: all of the register, or its lower half; where elements are of one half, the upper one. */
static inline bool is_whole(uint32_t opcode)
{
	return opcode >> 30 & 1;
}

static inline unsigned upper_half(uint32_t opcode)
{
	return is_whole(opcode) ? 8 : 0;
}

static inline unsigned count_of(uint32_t opcode, unsigned size)
{
	if (is_scalar(opcode))
		return 1;
	return (is_whole(opcode) ? 16u : 8u) >> size;
}

static inline struct tl_a64_vector_choice choice(tl_a64_vector_fn *fn, bool keeps)
{
	return (struct tl_a64_vector_choice){ fn, keeps };
}

static inline const struct tl_a64_vector *vn(uint32_t opcode, const struct tl_a64_vector *v)
{
	return &v[opcode >> 5 & 31];
}

static inline const struct tl_a64_vector *vm(uint32_t opcode, const struct tl_a64_vector *v)
{
	return &v[opcode >> 16 & 31];
}

static inline const struct tl_a64_vector *vd(uint32_t opcode, const struct tl_a64_vector *v)
{
	return &v[opcode & 31];
}

/* An operation of a group, and what kind of operands it has there. */
struct tl_a64_lane_operation {
	tl_a64_lane_fn *fn;
	uint8_t how;
};

/* ---- operations ---- */

static inline uint64_t add(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d, (void)bits;
	return n + m;
}

static inline uint64_t subtract(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d, (void)bits;
	return n - m;
}

/* Halves: of 32 bits at most, so that no bit is lost. */
static inline uint64_t add_half(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d, (void)bits;
	return (uint64_t)((int64_t)(n + m) >> 1);
}

static inline uint64_t add_half_rounded(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d, (void)bits;
	return (uint64_t)((int64_t)(n + m + 1) >> 1);
}

static inline uint64_t subtract_half(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d, (void)bits;
	return (uint64_t)((int64_t)(n - m) >> 1);
}

/* "SignedSat()", "UnsignedSat()" */
static inline uint64_t saturated(int64_t value, unsigned bits)
{
	int64_t most = (int64_t)tl_a64_ones(bits - 1);

	if (value > most)
		return (uint64_t)most;
	return value < -most - 1 ? ~(uint64_t)most : (uint64_t)value;
}

static inline uint64_t saturated_unsigned(int64_t value, unsigned bits)
{
	if (value < 0)
		return 0;
	return (uint64_t)value > tl_a64_ones(bits) ? tl_a64_ones(bits) : (uint64_t)value;
}

static inline uint64_t sqadd(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	int64_t sum;

	(void)d;
	if (__builtin_add_overflow((int64_t)n, (int64_t)m, &sum))
		sum = (int64_t)n < 0 ? INT64_MIN : INT64_MAX;
	return saturated(sum, bits);
}

static inline uint64_t uqadd(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	uint64_t sum = n + m;

	(void)d;
	return sum < n || sum > tl_a64_ones(bits) ? tl_a64_ones(bits) : sum;
}

static inline uint64_t sqsub(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	int64_t result;

	(void)d;
	if (__builtin_sub_overflow((int64_t)n, (int64_t)m, &result))
		result = (int64_t)n < 0 ? INT64_MIN : INT64_MAX;
	return saturated(result, bits);
}

static inline uint64_t uqsub(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d, (void)bits;
	return n > m ? n - m : 0;
}

static inline uint64_t all_if(bool yes)
{
	return yes ? UINT64_MAX : 0;
}

static inline uint64_t cmgt(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d, (void)bits;
	return all_if((int64_t)n > (int64_t)m);
}

static inline uint64_t cmge(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d, (void)bits;
	return all_if((int64_t)n >= (int64_t)m);
}

static inline uint64_t cmle(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	return cmge(m, n, d, bits);
}

static inline uint64_t cmlt(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	return cmgt(m, n, d, bits);
}

static inline uint64_t cmhi(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d, (void)bits;
	return all_if(n > m);
}

static inline uint64_t cmhs(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d, (void)bits;
	return all_if(n >= m);
}

static inline uint64_t cmeq(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d, (void)bits;
	return all_if(n == m);
}

static inline uint64_t cmtst(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d, (void)bits;
	return all_if(n & m);
}

/* To the left by the lowest byte of `m`, to the right if that is negative. */
static inline uint64_t right(uint64_t n, unsigned by, bool sign)
{
	if (sign)
		return (uint64_t)((int64_t)n >> (by > 63 ? 63 : by));
	return by > 63 ? 0 : n >> by;
}

/* Half of the last place is added before. */
static inline uint64_t right_rounded(uint64_t n, unsigned by, bool sign)
{
	return by ? right(n, by, sign) + (right(n, by - 1, sign) & 1) : n;
}

static inline uint64_t left(uint64_t n, int by)
{
	return by > 63 ? 0 : n << by;
}

static inline uint64_t sshl(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	int by = (int8_t)m;

	(void)d, (void)bits;
	return by < 0 ? right(n, (unsigned)-by, true) : left(n, by);
}

static inline uint64_t ushl(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	int by = (int8_t)m;

	(void)d, (void)bits;
	return by < 0 ? right(n, (unsigned)-by, false) : left(n, by);
}

static inline uint64_t srshl(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	int by = (int8_t)m;

	(void)d, (void)bits;
	return by < 0 ? right_rounded(n, (unsigned)-by, true) : left(n, by);
}

static inline uint64_t urshl(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	int by = (int8_t)m;

	(void)d, (void)bits;
	return by < 0 ? right_rounded(n, (unsigned)-by, false) : left(n, by);
}

static inline uint64_t smax(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d, (void)bits;
	return (int64_t)n > (int64_t)m ? n : m;
}

static inline uint64_t smin(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d, (void)bits;
	return (int64_t)n < (int64_t)m ? n : m;
}

static inline uint64_t umax(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d, (void)bits;
	return n > m ? n : m;
}

static inline uint64_t umin(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d, (void)bits;
	return n < m ? n : m;
}

/* Of 32 bits at most: as numbers with a sign both kinds are ordered rightly. */
static inline uint64_t abd(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d, (void)bits;
	return (int64_t)n > (int64_t)m ? n - m : m - n;
}

static inline uint64_t aba(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	return d + abd(n, m, d, bits);
}

static inline uint64_t multiply(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d, (void)bits;
	return n * m;
}

static inline uint64_t mla(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)bits;
	return d + n * m;
}

static inline uint64_t mls(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)bits;
	return d - n * m;
}

/* "PolynomialMult()" of 8 bits. */
static inline uint64_t pmul(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	uint64_t product = 0;

	(void)d;
	for (unsigned i = 0; i < bits; i++)
		product ^= m >> i & 1 ? n << i : 0;
	return product;
}

/* The upper half of twice the product. */
static inline uint64_t sqdmulh(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d;
	return saturated((int64_t)(n * m) >> (bits - 1), bits);
}

static inline uint64_t sqrdmulh(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)d;
	return saturated((int64_t)(n * m + (UINT64_C(1) << (bits - 2))) >> (bits - 1), bits);
}

/* Of one element. */

static inline uint64_t absolute(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)m, (void)d, (void)bits;
	return (int64_t)n < 0 ? 0 - n : n;
}

static inline uint64_t negated(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)m, (void)d, (void)bits;
	return 0 - n;
}

static inline uint64_t inverted(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)m, (void)d, (void)bits;
	return ~n;
}

static inline uint64_t bits_reversed(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	uint64_t result = 0;

	(void)m, (void)d;
	for (unsigned i = 0; i < bits; i++)
		result |= (n >> i & 1) << (bits - 1 - i);
	return result;
}

static inline uint64_t ones_in(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)m, (void)d;
	return (uint64_t)__builtin_popcountll(n & tl_a64_ones(bits));
}

static inline uint64_t leading_zeros(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	(void)m, (void)d;
	n &= tl_a64_ones(bits);
	return n ? (uint64_t)__builtin_clzll(n) - (64 - bits) : bits;
}

/* Bits behind the sign that are as it is. */
static inline uint64_t leading_signs(uint64_t n, uint64_t m, uint64_t d, unsigned bits)
{
	return leading_zeros(n ^ (uint64_t)((int64_t)n >> 1), m, d, bits) - 1;
}

/* Those that have the old Vd as an operand. */
static inline bool adds_to(tl_a64_lane_fn *fn)
{
	return fn == mla || fn == mls || fn == aba;
}

/* ---- elements of half the length ---- */

/* The lower half of Vd, or, with Q, the upper one. */
static inline struct tl_a64_vector narrowed(uint32_t opcode, const struct tl_a64_vector *v,
					    const struct tl_a64_lanes *l, unsigned size)
{
	struct tl_a64_vector low = tl_a64_vector_of(l, size, 8u >> size), result;

	if (is_scalar(opcode))
		return tl_a64_vector_of(l, size, 1);
	if (!is_whole(opcode))
		return low;
	result = *vd(opcode, v);
	for (unsigned i = 0; i < 8; i++)
		result.bytes[8 + i] = low.bytes[i];
	return result;
}

/* The elements that are twice as long as a narrow result's. */
static inline struct tl_a64_lanes long_lanes(uint32_t opcode, const struct tl_a64_vector *v,
					     unsigned size, bool sign)
{
	return tl_a64_lanes_of(v, 0, size + 1, is_scalar(opcode) ? 1 : 8u >> size, sign);
}

static inline uint64_t saturated_narrow(uint64_t value, unsigned bits, bool from_sign, bool to_sign)
{
	if (to_sign)
		return saturated((int64_t)value, bits);
	if (from_sign)
		return saturated_unsigned((int64_t)value, bits);
	return value > tl_a64_ones(bits) ? tl_a64_ones(bits) : value;
}

#endif
