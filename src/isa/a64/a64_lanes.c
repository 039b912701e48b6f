/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors of integers, element by element: results that are as long as their operands, or sums of
 * these. Elements have their sign where U (bit 29) is 0.
 */
#include <stddef.h>

#include "core/cursor.h"
#include "isa/a64/a64_lane_operations.h"

/* ---- elements ---- */

struct tl_a64_lanes tl_a64_lanes_of(const struct tl_a64_vector *v, unsigned from, unsigned size,
				    unsigned count, bool sign)
{
	struct tl_a64_lanes l;
	const uint8_t *p = v->bytes + from;

	switch (size) {
	case 0:
		for (unsigned i = 0; i < count; i++)
			l.e[i] = p[i];
		break;
	case 1:
		for (unsigned i = 0; i < count; i++)
			l.e[i] = tl_get16s(p + 2 * (size_t)i, TL_HOST_BIG_ENDIAN);
		break;
	case 2:
		for (unsigned i = 0; i < count; i++)
			l.e[i] = tl_get32s(p + 4 * (size_t)i, TL_HOST_BIG_ENDIAN);
		break;
	default:
		for (unsigned i = 0; i < count; i++)
			l.e[i] = tl_get64s(p + 8 * (size_t)i, TL_HOST_BIG_ENDIAN);
	}
	for (unsigned i = 0; sign && i < count; i++)
		l.e[i] = tl_a64_sign_extended(l.e[i], 8u << size);
	return l;
}

struct tl_a64_vector tl_a64_vector_of(const struct tl_a64_lanes *l, unsigned size, unsigned count)
{
	struct tl_a64_vector v = { { 0 } };

	for (unsigned i = 0; i < count; i++)
		for (unsigned k = 0; k < 1u << size; k++)
			v.bytes[(i << size) + k] = (uint8_t)(l->e[i] >> 8 * k);
	return v;
}

/* ---- "Advanced SIMD three same" ---- */

enum { EACH, PAIRWISE };

static const struct tl_a64_lane_operation three_same[2][32] = {
	{ [0] = { add_half, 0 },      [1] = { sqadd, 0 },     [2] = { add_half_rounded, 0 },
	  [4] = { subtract_half, 0 }, [5] = { sqsub, 0 },     [6] = { cmgt, 0 },
	  [7] = { cmge, 0 },          [8] = { sshl, 0 },      [10] = { srshl, 0 },
	  [12] = { smax, 0 },         [13] = { smin, 0 },     [14] = { abd, 0 },
	  [15] = { aba, 0 },          [16] = { add, 0 },      [17] = { cmtst, 0 },
	  [18] = { mla, 0 },          [19] = { multiply, 0 }, [20] = { smax, PAIRWISE },
	  [21] = { smin, PAIRWISE },  [22] = { sqdmulh, 0 },  [23] = { add, PAIRWISE } },
	{ [0] = { add_half, 0 },      [1] = { uqadd, 0 },     [2] = { add_half_rounded, 0 },
	  [4] = { subtract_half, 0 }, [5] = { uqsub, 0 },     [6] = { cmhi, 0 },
	  [7] = { cmhs, 0 },          [8] = { ushl, 0 },      [10] = { urshl, 0 },
	  [12] = { umax, 0 },         [13] = { umin, 0 },     [14] = { abd, 0 },
	  [15] = { aba, 0 },          [16] = { subtract, 0 }, [17] = { cmeq, 0 },
	  [18] = { mls, 0 },          [19] = { pmul, 0 },     [20] = { umax, PAIRWISE },
	  [21] = { umin, PAIRWISE },  [22] = { sqrdmulh, 0 } },
};

static const struct tl_a64_lane_operation *three_same_of(uint32_t opcode)
{
	return &three_same[is_unsigned(opcode)][tl_a64_bits(opcode, 15, 11)];
}

/* SQRDMULH is signed, though U is 1. */
static bool has_sign(uint32_t opcode)
{
	return !is_unsigned(opcode) || tl_a64_bits(opcode, 15, 11) == 22;
}

static struct tl_a64_vector by_lanes(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned size = size_of(opcode), count = count_of(opcode, size), bits = 8u << size;
	bool sign = has_sign(opcode);
	struct tl_a64_lanes n = tl_a64_lanes_of(vn(opcode, v), 0, size, count, sign),
			    m = tl_a64_lanes_of(vm(opcode, v), 0, size, count, sign),
			    d = tl_a64_lanes_of(vd(opcode, v), 0, size, count, sign);
	tl_a64_lane_fn *fn = three_same_of(opcode)->fn;

	(void)x;
	for (unsigned i = 0; i < count; i++)
		n.e[i] = fn(n.e[i], m.e[i], d.e[i], bits);
	return tl_a64_vector_of(&n, size, count);
}

/* Of neighbours: those of Vn, then those of Vm. */
static struct tl_a64_vector pairwise(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned size = size_of(opcode), count = count_of(opcode, size), bits = 8u << size;
	bool sign = !is_unsigned(opcode);
	struct tl_a64_lanes n = tl_a64_lanes_of(vn(opcode, v), 0, size, count, sign),
			    m = tl_a64_lanes_of(vm(opcode, v), 0, size, count, sign), result;
	tl_a64_lane_fn *fn = three_same_of(opcode)->fn;

	(void)x;
	for (unsigned i = 0; i < count / 2; i++) {
		result.e[i] = fn(n.e[2 * i], n.e[2 * i + 1], 0, bits);
		result.e[count / 2 + i] = fn(m.e[2 * i], m.e[2 * i + 1], 0, bits);
	}
	return tl_a64_vector_of(&result, size, count);
}

/* AND, BIC, ORR, ORN, and with U EOR, BSL, BIT, BIF by `size`. */
static uint64_t logic_of(uint32_t opcode, uint64_t n, uint64_t m, uint64_t d)
{
	switch (size_of(opcode) | (is_unsigned(opcode) ? 4u : 0u)) {
	case 0:
		return n & m;
	case 1:
		return n & ~m;
	case 2:
		return n | m;
	case 3:
		return n | ~m;
	case 4:
		return n ^ m;
	case 5:
		return m ^ ((m ^ n) & d);
	case 6:
		return d ^ ((d ^ n) & m);
	default:
		return d ^ ((d ^ n) & ~m);
	}
}

static struct tl_a64_vector logic(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned count = count_of(opcode, 3);
	struct tl_a64_lanes n = tl_a64_lanes_of(vn(opcode, v), 0, 3, count, false),
			    m = tl_a64_lanes_of(vm(opcode, v), 0, 3, count, false),
			    d = tl_a64_lanes_of(vd(opcode, v), 0, 3, count, false);

	(void)x;
	for (unsigned i = 0; i < count; i++)
		n.e[i] = logic_of(opcode, n.e[i], m.e[i], d.e[i]);
	return tl_a64_vector_of(&n, 3, count);
}

struct tl_a64_vector_choice tl_a64_three_same(uint32_t opcode)
{
	const struct tl_a64_lane_operation *o = three_same_of(opcode);

	if (tl_a64_bits(opcode, 15, 11) == 3)
		return choice(logic, is_unsigned(opcode) && size_of(opcode));
	if (!o->fn)
		return choice(NULL, false);
	return choice(o->how == PAIRWISE ? pairwise : by_lanes, adds_to(o->fn));
}

/* ---- "Advanced SIMD two-register miscellaneous" ---- */

static const struct tl_a64_lane_operation two_misc[2][32] = {
	{ [4] = { leading_signs, 0 },
	  [5] = { ones_in, 0 },
	  [8] = { cmgt, 0 },
	  [9] = { cmeq, 0 },
	  [10] = { cmlt, 0 },
	  [11] = { absolute, 0 } },
	{ [4] = { leading_zeros, 0 }, [8] = { cmge, 0 }, [9] = { cmle, 0 }, [11] = { negated, 0 } },
};

enum {
	REVERSE_64 = 0,
	REVERSE_16 = 1,
	ADD_PAIRS = 2,
	INVERT = 5, /* U: NOT, or RBIT of size 1 */
	ADD_PAIRS_TO = 6,
	NARROW = 18,     /* U: SQXTUN */
	SHIFT_LONG = 19, /* U */
	NARROW_SATURATED = 20,
};

/* Of each element alone, and zero. */
static struct tl_a64_vector each(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned number = tl_a64_bits(opcode, 16, 12), size = size_of(opcode);
	bool invert = number == INVERT && is_unsigned(opcode);
	tl_a64_lane_fn *fn = two_misc[is_unsigned(opcode)][number].fn;
	unsigned count;
	struct tl_a64_lanes n;

	(void)x;
	if (invert) {
		fn = size ? bits_reversed : inverted;
		size = 0;
	}
	count = count_of(opcode, size);
	n = tl_a64_lanes_of(vn(opcode, v), 0, size, count, true);
	for (unsigned i = 0; i < count; i++)
		n.e[i] = fn(n.e[i], 0, 0, 8u << size);
	return tl_a64_vector_of(&n, size, count);
}

/* REV64, REV32, REV16: elements in groups. */
static struct tl_a64_vector reverse(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned size = size_of(opcode), count = count_of(opcode, size),
		 whole = is_unsigned(opcode) ? 2 : 3, flip;
	struct tl_a64_lanes n = tl_a64_lanes_of(vn(opcode, v), 0, size, count, false), result;

	(void)x;
	if (tl_a64_bits(opcode, 16, 12) == REVERSE_16)
		whole = 1;
	flip = (1u << (whole - size)) - 1;
	for (unsigned i = 0; i < count; i++)
		result.e[i] = n.e[i ^ flip];
	return tl_a64_vector_of(&result, size, count);
}

/* SADDLP, UADDLP, SADALP, UADALP: sums of neighbours, twice as long. */
static struct tl_a64_vector add_pairs(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned size = size_of(opcode), count = count_of(opcode, size) / 2;
	struct tl_a64_lanes n = tl_a64_lanes_of(vn(opcode, v), 0, size, 2 * count,
						!is_unsigned(opcode)),
			    d = tl_a64_lanes_of(vd(opcode, v), 0, size + 1, count, false);

	(void)x;
	for (unsigned i = 0; i < count; i++)
		n.e[i] = n.e[2 * i] + n.e[2 * i + 1] +
			 (tl_a64_bits(opcode, 16, 12) == ADD_PAIRS_TO ? d.e[i] : 0);
	return tl_a64_vector_of(&n, size + 1, count);
}

/* XTN, SQXTN, UQXTN, SQXTUN */
static struct tl_a64_vector narrow(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned size = size_of(opcode), count = is_scalar(opcode) ? 1 : 8u >> size;
	bool saturates = tl_a64_bits(opcode, 16, 12) == NARROW_SATURATED,
	     sign = !saturates || !is_unsigned(opcode), cut = !saturates && !is_unsigned(opcode);
	struct tl_a64_lanes n = long_lanes(opcode, vn(opcode, v), size, sign);

	(void)x;
	for (unsigned i = 0; i < count && !cut; i++)
		n.e[i] = saturated_narrow(n.e[i], 8u << size, sign, sign && saturates);
	return narrowed(opcode, v, &n, size);
}

/* SHLL: to the left by the length of an element. */
static struct tl_a64_vector shift_long(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned size = size_of(opcode), count = 8u >> size;
	struct tl_a64_lanes n =
		tl_a64_lanes_of(vn(opcode, v), upper_half(opcode), size, count, false);

	(void)x;
	for (unsigned i = 0; i < count; i++)
		n.e[i] <<= 8u << size;
	return tl_a64_vector_of(&n, size + 1, count);
}

struct tl_a64_vector_choice tl_a64_two_misc(uint32_t opcode)
{
	unsigned number = tl_a64_bits(opcode, 16, 12);

	if (two_misc[is_unsigned(opcode)][number].fn)
		return choice(each, false);
	switch (number) {
	case REVERSE_64:
	case REVERSE_16:
		return choice(reverse, false);
	case ADD_PAIRS:
	case ADD_PAIRS_TO:
		return choice(add_pairs, number == ADD_PAIRS_TO);
	case INVERT:
		return choice(each, false);
	case NARROW:
	case NARROW_SATURATED:
		return choice(narrow, is_whole(opcode) && !is_scalar(opcode));
	case SHIFT_LONG:
		return choice(shift_long, false);
	default:
		return choice(NULL, false);
	}
}

/* ---- "Advanced SIMD across lanes" ---- */

enum { ACROSS_ADD_LONG = 3, ACROSS_MAX = 10, ACROSS_MIN = 26, ACROSS_ADD = 27 };

static tl_a64_lane_fn *across_of(uint32_t opcode)
{
	switch (tl_a64_bits(opcode, 16, 12)) {
	case ACROSS_ADD_LONG:
	case ACROSS_ADD:
		return add;
	case ACROSS_MAX:
		return is_unsigned(opcode) ? umax : smax;
	case ACROSS_MIN:
		return is_unsigned(opcode) ? umin : smin;
	default:
		return NULL;
	}
}

static struct tl_a64_vector across(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned size = size_of(opcode), count = count_of(opcode, size),
		 longer = tl_a64_bits(opcode, 16, 12) == ACROSS_ADD_LONG;
	struct tl_a64_lanes n =
		tl_a64_lanes_of(vn(opcode, v), 0, size, count, !is_unsigned(opcode));
	tl_a64_lane_fn *fn = across_of(opcode);

	(void)x;
	for (unsigned i = 1; i < count; i++)
		n.e[0] = fn(n.e[0], n.e[i], 0, 8u << size);
	return tl_a64_vector_of(&n, size + longer, 1);
}

struct tl_a64_vector_choice tl_a64_across_lanes(uint32_t opcode)
{
	return choice(across_of(opcode) ? across : NULL, false);
}
