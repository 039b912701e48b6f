/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of integers of which results are longer or shorter than their operands, or shifted. */
#include <stddef.h>

#include "isa/a64/a64_lane_operations.h"

/* ---- "Advanced SIMD three different" ---- */

enum { LONG, WIDE, HALF, POLYNOMIAL };

static const struct tl_a64_lane_operation three_different[16] = {
	[0] = { add, LONG },      [1] = { add, WIDE },       [2] = { subtract, LONG },
	[3] = { subtract, WIDE }, [4] = { add, HALF },       [5] = { aba, LONG },
	[6] = { subtract, HALF }, [7] = { abd, LONG },       [8] = { mla, LONG },
	[10] = { mls, LONG },     [12] = { multiply, LONG }, [14] = { pmul, POLYNOMIAL },
};

static const struct tl_a64_lane_operation *three_different_of(uint32_t opcode)
{
	return &three_different[tl_a64_bits(opcode, 15, 12)];
}

/* Results twice as long as the elements of Vm, of the half that Q says; of WIDE Vn has such,
 * too. */
static struct tl_a64_vector lengthened(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	const struct tl_a64_lane_operation *o = three_different_of(opcode);
	unsigned size = size_of(opcode), count = 8u >> size, from = upper_half(opcode);
	bool sign = !is_unsigned(opcode) && o->how != POLYNOMIAL;
	struct tl_a64_lanes m = tl_a64_lanes_of(vm(opcode, v), from, size, count, sign),
			    n = o->how == WIDE
					? tl_a64_lanes_of(vn(opcode, v), 0, size + 1, count, sign)
					: tl_a64_lanes_of(vn(opcode, v), from, size, count, sign),
			    d = tl_a64_lanes_of(vd(opcode, v), 0, size + 1, count, false);

	(void)x;
	for (unsigned i = 0; i < count; i++)
		n.e[i] = o->fn(n.e[i], m.e[i], d.e[i], 8u << size);
	return tl_a64_vector_of(&n, size + 1, count);
}

/* ADDHN, SUBHN, and, rounded, RADDHN, RSUBHN: the upper halves. */
static struct tl_a64_vector half(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned size = size_of(opcode), count = 8u >> size, bits = 8u << size;
	struct tl_a64_lanes n = long_lanes(opcode, vn(opcode, v), size, false),
			    m = long_lanes(opcode, vm(opcode, v), size, false);
	uint64_t round = is_unsigned(opcode) ? UINT64_C(1) << (bits - 1) : 0;

	(void)x;
	for (unsigned i = 0; i < count; i++)
		n.e[i] = (three_different_of(opcode)->fn(n.e[i], m.e[i], 0, bits) + round) >> bits;
	return narrowed(opcode, v, &n, size);
}

/* PMULL of 64 bits: 128 of a result. */
static struct tl_a64_vector pmull_64(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned from = upper_half(opcode);
	uint64_t n = tl_a64_lanes_of(vn(opcode, v), from, 3, 1, false).e[0],
		 m = tl_a64_lanes_of(vm(opcode, v), from, 3, 1, false).e[0];
	struct tl_a64_lanes r = { { 0, 0 } };

	(void)x;
	for (unsigned i = 0; i < 64; i++) {
		uint64_t take = 0 - (m >> i & 1);

		r.e[0] ^= n << i & take;
		r.e[1] ^= i ? n >> (64 - i) & take : 0;
	}
	return tl_a64_vector_of(&r, 3, 2);
}

struct tl_a64_vector_choice tl_a64_three_different(uint32_t opcode)
{
	const struct tl_a64_lane_operation *o = three_different_of(opcode);

	if (!o->fn || is_scalar(opcode))
		return choice(NULL, false);
	if (o->how == POLYNOMIAL && size_of(opcode) == 3)
		return choice(pmull_64, false);
	return o->how == HALF ? choice(half, is_whole(opcode)) : choice(lengthened, adds_to(o->fn));
}

/* ---- "Advanced SIMD shift by immediate" ---- */

enum {
	SHIFT_RIGHT = 0,
	SHIFT_RIGHT_ADD = 2,
	ROUND_RIGHT = 4,
	ROUND_RIGHT_ADD = 6,
	INSERT_RIGHT = 8,  /* U */
	SHIFT_LEFT = 10,   /* U: SLI */
	SHIFT_NARROW = 16, /* to 19: rounded, saturated; U: SQSHRUN, SQRSHRUN, UQSHRN, UQRSHRN */
	LENGTHEN = 20,
};

/* immh:immb, and log2 of the bytes of an element. */
static unsigned immediate_of(uint32_t opcode)
{
	return tl_a64_bits(opcode, 22, 16);
}

static unsigned shifted_size(uint32_t opcode)
{
	return 28 - (unsigned)__builtin_clz(immediate_of(opcode));
}

static uint64_t shifted(uint32_t opcode, uint64_t n, uint64_t d, unsigned bits)
{
	bool sign = !is_unsigned(opcode);
	unsigned by = 2 * bits - immediate_of(opcode), by_left = immediate_of(opcode) - bits;
	uint64_t mask;

	switch (tl_a64_bits(opcode, 15, 11)) {
	case SHIFT_RIGHT:
		return right(n, by, sign);
	case SHIFT_RIGHT_ADD:
		return d + right(n, by, sign);
	case ROUND_RIGHT:
		return right_rounded(n, by, sign);
	case ROUND_RIGHT_ADD:
		return d + right_rounded(n, by, sign);
	case INSERT_RIGHT:
		mask = right(tl_a64_ones(bits), by, false);
		return (d & ~mask) | right(n & tl_a64_ones(bits), by, false);
	default:
		mask = sign ? 0 : tl_a64_ones(by_left);
		return (d & mask) | n << by_left;
	}
}

static struct tl_a64_vector shift(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned size = shifted_size(opcode), count = count_of(opcode, size);
	struct tl_a64_lanes n = tl_a64_lanes_of(vn(opcode, v), 0, size, count,
						!is_unsigned(opcode)),
			    d = tl_a64_lanes_of(vd(opcode, v), 0, size, count, false);

	(void)x;
	for (unsigned i = 0; i < count; i++)
		n.e[i] = shifted(opcode, n.e[i], d.e[i], 8u << size);
	return tl_a64_vector_of(&n, size, count);
}

/* SHRN, RSHRN, SQSHRN, SQRSHRN, UQSHRN, UQRSHRN, SQSHRUN, SQRSHRUN */
static struct tl_a64_vector shift_narrow(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned size = shifted_size(opcode), count = is_scalar(opcode) ? 1 : 8u >> size,
		 bits = 8u << size, number = tl_a64_bits(opcode, 15, 11),
		 by = 2 * bits - immediate_of(opcode);
	bool saturates = number >= 18, sign = !saturates || !is_unsigned(opcode),
	     cut = !saturates && !is_unsigned(opcode);
	struct tl_a64_lanes n = long_lanes(opcode, vn(opcode, v), size, sign);

	(void)x;
	for (unsigned i = 0; i < count; i++) {
		n.e[i] = number & 1 ? right_rounded(n.e[i], by, sign) : right(n.e[i], by, sign);
		if (!cut)
			n.e[i] = saturated_narrow(n.e[i], bits, sign, sign && saturates);
	}
	return narrowed(opcode, v, &n, size);
}

/* SSHLL, USHLL */
static struct tl_a64_vector shift_lengthen(uint32_t opcode, const struct tl_a64_vector *v,
					   uint64_t x)
{
	unsigned size = shifted_size(opcode), count = 8u >> size;
	struct tl_a64_lanes n = tl_a64_lanes_of(vn(opcode, v), upper_half(opcode), size, count,
						!is_unsigned(opcode));

	(void)x;
	for (unsigned i = 0; i < count; i++)
		n.e[i] <<= immediate_of(opcode) - (8u << size);
	return tl_a64_vector_of(&n, size + 1, count);
}

struct tl_a64_vector_choice tl_a64_shift_immediate(uint32_t opcode)
{
	unsigned number = tl_a64_bits(opcode, 15, 11);

	switch (number) {
	case SHIFT_RIGHT:
	case ROUND_RIGHT:
		return choice(shift, false);
	case SHIFT_RIGHT_ADD:
	case ROUND_RIGHT_ADD:
	case INSERT_RIGHT:
		return choice(shift, true);
	case SHIFT_LEFT:
		return choice(shift, is_unsigned(opcode));
	case SHIFT_NARROW:
	case SHIFT_NARROW + 1:
	case SHIFT_NARROW + 2:
	case SHIFT_NARROW + 3:
		return choice(shift_narrow, is_whole(opcode) && !is_scalar(opcode));
	case LENGTHEN:
		return choice(shift_lengthen, false);
	default:
		return choice(NULL, false);
	}
}

/* ---- "Advanced SIMD vector x indexed element" ---- */

static const struct tl_a64_lane_operation of_element[2][16] = {
	{ [2] = { mla, LONG },
	  [6] = { mls, LONG },
	  [8] = { multiply, 0 },
	  [10] = { multiply, LONG },
	  [12] = { sqdmulh, 0 },
	  [13] = { sqrdmulh, 0 } },
	{ [0] = { mla, 0 },
	  [2] = { mla, LONG },
	  [4] = { mls, 0 },
	  [6] = { mls, LONG },
	  [10] = { multiply, LONG } },
};

static const struct tl_a64_lane_operation *element_of(uint32_t opcode)
{
	return &of_element[is_unsigned(opcode)][tl_a64_bits(opcode, 15, 12)];
}

/* H:L:M and Vm of 4 bits, or H:L. */
static uint64_t element(uint32_t opcode, const struct tl_a64_vector *v, unsigned size, bool sign)
{
	unsigned high = opcode >> 11 & 1, low = opcode >> 21 & 1, m = opcode >> 20 & 1,
		 index = size == 1 ? high << 2 | low << 1 | m : high << 1 | low,
		 number = opcode >> 16 & (size == 1 ? 15 : 31);

	return tl_a64_lanes_of(&v[number], index << size, size, 1, sign).e[0];
}

static struct tl_a64_vector with_element(uint32_t opcode, const struct tl_a64_vector *v, uint64_t x)
{
	unsigned size = size_of(opcode), number = tl_a64_bits(opcode, 15, 12),
		 longer = number == 2 || number == 6 || number == 10,
		 count = longer ? 8u >> size : count_of(opcode, size);
	bool sign = !is_unsigned(opcode);
	uint64_t m = element(opcode, v, size, sign);
	struct tl_a64_lanes n = tl_a64_lanes_of(vn(opcode, v), longer ? upper_half(opcode) : 0,
						size, count, sign),
			    d = tl_a64_lanes_of(vd(opcode, v), 0, size + longer, count, false);

	(void)x;
	for (unsigned i = 0; i < count; i++)
		n.e[i] = element_of(opcode)->fn(n.e[i], m, d.e[i], 8u << size);
	return tl_a64_vector_of(&n, size + longer, count);
}

struct tl_a64_vector_choice tl_a64_by_element(uint32_t opcode)
{
	const struct tl_a64_lane_operation *o = element_of(opcode);

	return choice(o->fn && !is_scalar(opcode) ? with_element : NULL, adds_to(o->fn));
}
