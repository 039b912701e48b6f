/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computations as operations of blocks: the most frequent ones with their fields decoded, the
 * others by their function (a64_compute.h).
 */
#include "isa/a64/a64_table.h"
#include "xtrace/check/block.h"

static uint64_t ones(unsigned count)
{
	return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* "Add/subtract (shifted register)" without flags, and "Logical (shifted register)" without flags
 * and inversion: of LSL. */
static unsigned shifted_kind(uint32_t opcode)
{
	static const uint8_t logical[] = { TL_XTRACE_OPERATION_AND, TL_XTRACE_OPERATION_OR,
					   TL_XTRACE_OPERATION_XOR };

	if ((opcode & 0x3fe00000) == 0x0b000000)
		return opcode >> 30 & 1 ? TL_XTRACE_OPERATION_DIFFERENCE : TL_XTRACE_OPERATION_SUM;
	if ((opcode & 0x1fe00000) == 0x0a000000 && tl_a64_bits(opcode, 30, 29) < 3)
		return logical[tl_a64_bits(opcode, 30, 29)];
	return TL_XTRACE_OPERATION_END;
}

/* UBFM: bits S:R of the source, or bits S:0 at width - R. */
static void decode_field(uint32_t opcode, struct tl_xtrace_check_operation *o)
{
	unsigned r = tl_a64_bits(opcode, 21, 16), s = tl_a64_bits(opcode, 15, 10),
		 width = opcode >> 31 ? 64 : 32;
	bool down = s >= r;

	o->kind = TL_XTRACE_OPERATION_FIELD;
	o->size = (uint8_t)(down ? r : 0);
	o->a = (uint8_t)(down ? 0 : width - r);
	o->value = ones(down ? s - r + 1 : s + 1);
}

/* SUBS of an immediate, or of a register shifted by LSL. */
static bool decode_compare(uint32_t opcode, struct tl_xtrace_check_operation *o)
{
	bool immediate = (opcode & 0x7f800000) == 0x71000000;

	if (!immediate && (opcode & 0x7fe00000) != 0x6b000000)
		return false;
	o->kind = TL_XTRACE_OPERATION_COMPARE;
	o->a = immediate ? 0 : (uint8_t)tl_a64_bits(opcode, 15, 10);
	o->value = immediate ? (uint64_t)tl_a64_bits(opcode, 21, 10) << (opcode >> 22 & 1 ? 12 : 0)
			     : 0;
	return true;
}

struct tl_xtrace_check_operation tl_xtrace_check_computation(uint32_t opcode,
							     const struct tl_a64_computation *c)
{
	struct tl_xtrace_check_operation o = { .kind = (uint8_t)shifted_kind(opcode),
					       .d = c->d,
					       .n = c->n,
					       .m = c->m,
					       .a = c->a,
					       .size = opcode >> 31 ? 8 : 4,
					       .opcode = opcode };

	if (decode_compare(opcode, &o))
		return o;
	if (c->d == TL_A64_ZERO)
		o.kind = TL_XTRACE_OPERATION_END;
	else if (o.kind)
		o.a = (uint8_t)tl_a64_bits(opcode, 15, 10);
	else if ((opcode & 0x7fe08000) == 0x1b000000)
		o.kind = TL_XTRACE_OPERATION_PRODUCT;
	else if ((opcode & 0x7f800000) == 0x53000000)
		decode_field(opcode, &o);
	if (o.kind)
		return o;
	o.kind = c->writes_flags ? TL_XTRACE_OPERATION_COMPUTE_FLAGS : TL_XTRACE_OPERATION_COMPUTE;
	o.compute = c->compute;
	return o;
}

/* "AddWithCarry()" of the complement, and 1. */
static void compare(struct tl_xtrace_registers *r, const struct tl_xtrace_check_operation *o)
{
	unsigned top = o->size * 8u - 1;
	uint64_t mask = ones(top + 1), n = r->x[o->n] & mask,
		 m = ((r->x[o->m] << o->a) + o->value) & mask, result = (n - m) & mask;

	r->nzcv = (unsigned)(result >> top) << 3 | (unsigned)!result << 2 |
		  (unsigned)(n >= m) << 1 | (unsigned)(((n ^ m) & (n ^ result)) >> top);
	if (o->d != TL_A64_ZERO)
		r->x[o->d] = result;
}

void tl_xtrace_check_compute(struct tl_xtrace_registers *r,
			     const struct tl_xtrace_check_operation *o)
{
	struct tl_a64_inputs in;
	unsigned nzcv = r->nzcv;
	uint64_t result;

	/* `a` of a comparison is a shift, not a register. */
	if (o->kind == TL_XTRACE_OPERATION_COMPARE) {
		compare(r, o);
		return;
	}
	in = (struct tl_a64_inputs){ r->x[o->n], r->x[o->m], r->x[o->a], r->nzcv };
	result = o->compute(o->opcode, &in, &nzcv);
	if (o->kind == TL_XTRACE_OPERATION_COMPUTE_FLAGS)
		r->nzcv = nzcv;
	if (o->d != TL_A64_ZERO)
		r->x[o->d] = result;
}
