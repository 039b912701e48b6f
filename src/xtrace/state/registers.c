/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/state/registers.h"

#include "core/cursor.h"
#include "isa/a64/a64.h"
#include "isa/a64/a64_operands.h"

static uint32_t field(uint32_t opcode, unsigned high, unsigned low)
{
	return opcode >> low & ((UINT32_C(2) << (high - low)) - 1);
}

static int64_t signed_field(uint32_t opcode, unsigned high, unsigned low)
{
	uint64_t sign = UINT64_C(1) << (high - low);

	return (int64_t)((field(opcode, high, low) ^ sign) - sign);
}

/* Register 31 is XZR here: nothing is written. */
static uint64_t bit_of(uint32_t number)
{
	return number == 31 ? 0 : UINT64_C(1) << number;
}

static uint64_t or_sp(uint32_t number)
{
	return UINT64_C(1) << number;
}

/* Of a number of a computation: none for zero. */
static uint64_t bit_unless_zero(unsigned number)
{
	return number == TL_A64_ZERO ? 0 : UINT64_C(1) << number;
}

static uint32_t rd_of(uint32_t opcode)
{
	return field(opcode, 4, 0);
}

static uint32_t rn_of(uint32_t opcode)
{
	return field(opcode, 9, 5);
}

/* ---- data processing ---- */

/* "PC-rel. addressing" */
static void address_of(uint32_t opcode, struct tl_xtrace_insn_effect *e)
{
	int64_t offset = signed_field(opcode, 23, 5) * 4 + (int64_t)field(opcode, 30, 29);

	e->kind = opcode >> 31 ? TL_XTRACE_EFFECT_PAGE : TL_XTRACE_EFFECT_RELATIVE;
	e->value = (uint64_t)offset << (opcode >> 31 ? 12 : 0);
}

/* "Add/subtract (immediate)" */
static void add_immediate(uint32_t opcode, struct tl_xtrace_insn_effect *e)
{
	uint64_t value = (uint64_t)field(opcode, 21, 10) << (field(opcode, 22, 22) ? 12 : 0);

	e->kind = TL_XTRACE_EFFECT_ADD;
	e->value = field(opcode, 30, 30) ? -value : value;
}

static bool compute(uint32_t opcode, struct tl_xtrace_insn_effect *e)
{
	const struct tl_a64_computation c = tl_a64_computation(opcode);

	if (!c.compute)
		return false;
	e->kind = TL_XTRACE_EFFECT_COMPUTE;
	e->computation = c;
	e->needs = bit_unless_zero(c.n) | bit_unless_zero(c.m) | bit_unless_zero(c.a) |
		   (c.reads_flags ? TL_XTRACE_KNOWN_FLAGS : 0);
	e->forget = bit_unless_zero(c.d) | (c.writes_flags ? TL_XTRACE_KNOWN_FLAGS : 0);
	return true;
}

/* "Move wide (immediate)": MOVN 00, MOVZ 10; MOVK is computed */
static void move_wide(uint32_t opcode, struct tl_xtrace_insn_effect *e)
{
	e->value = (uint64_t)field(opcode, 20, 5) << field(opcode, 22, 21) * 16;
	e->kind = TL_XTRACE_EFFECT_CONSTANT;
	if (field(opcode, 30, 29) == 0)
		e->value = ~e->value;
	if (rd_of(opcode) == 31)
		e->kind = TL_XTRACE_EFFECT_NONE;
}

/* "Data Processing -- Immediate": op0 is bits 25:23 */
static void immediate(uint32_t opcode, struct tl_xtrace_insn_effect *e)
{
	switch (field(opcode, 25, 23)) {
	case 0:
	case 1:
		address_of(opcode, e);
		if (rd_of(opcode) == 31)
			e->kind = TL_XTRACE_EFFECT_NONE;
		break;
	case 2: /* With flags it is computed. */
		add_immediate(opcode, e);
		break;
	case 3: /* with tags: SP */
		e->forget = or_sp(rd_of(opcode));
		break;
	case 5:
		move_wide(opcode, e);
		break;
	default:
		e->forget = bit_of(rd_of(opcode));
		/* "Data-processing (1 source immediate)", AUTIASPPC */
		if (field(opcode, 31, 22) >= 0x3ce)
			e->forget |= or_sp(TL_XTRACE_REG_LINK);
	}
}

/* ORR with XZR and no shift is MOV. */
static bool is_move(uint32_t opcode)
{
	return (opcode & 0x7fe0ffe0) == 0x2a0003e0 && rd_of(opcode) != 31 &&
	       field(opcode, 20, 16) != 31;
}

/* What is not computed of "Data Processing -- Register" */
static void of_registers(uint32_t opcode, struct tl_xtrace_insn_effect *e)
{
	struct tl_a64_operands operands = tl_a64_operands(opcode);

	for (unsigned i = 0; i < operands.write_count; i++)
		if (operands.writes[i] == TL_A64_NZCV)
			e->forget |= TL_XTRACE_KNOWN_FLAGS;
	/* "Add/subtract (extended register)" and those with tags may write SP. */
	e->forget |= or_sp(rd_of(opcode));
}

/* Additions of constants and moves are frequent enough to be kinds of their own. */
static bool is_plain_sum(uint32_t opcode)
{
	return (opcode & 0x3f800000) == 0x11000000;
}

static void data_processing(uint32_t opcode, struct tl_xtrace_insn_effect *e)
{
	if (is_move(opcode)) {
		e->kind = TL_XTRACE_EFFECT_MOVE;
		e->rn = (uint8_t)field(opcode, 20, 16);
	} else if (!is_plain_sum(opcode) && compute(opcode, e)) {
		return;
	} else if (field(opcode, 27, 27)) {
		of_registers(opcode, e);
	} else {
		immediate(opcode, e);
	}
}

/* ---- loads and stores ---- */

/* "Load/store register (...)": the general register that a load writes, and how. `size` and `opc`
 * are 31:30 and 23:22. */
static void plain_load(uint32_t opcode, struct tl_xtrace_insn_effect *e)
{
	unsigned size = field(opcode, 31, 30), opc = field(opcode, 23, 22);

	/* Stores, vectors, PRFM */
	if (opc == 0 || field(opcode, 26, 26) || (size == 3 && opc == 2))
		return;
	e->kind = rd_of(opcode) == 31 ? TL_XTRACE_EFFECT_NONE : TL_XTRACE_EFFECT_LOAD;
	e->size = (uint8_t)(1 << size);
	if (opc == 1)
		e->extend = TL_XTRACE_EXTEND_ZERO;
	else
		e->extend = opc == 2 ? TL_XTRACE_EXTEND_SIGN_64 : TL_XTRACE_EXTEND_SIGN_32;
}

static void load_of(struct tl_xtrace_insn_effect *e, unsigned size, unsigned rd, bool two)
{
	e->kind = rd == 31 && !two ? TL_XTRACE_EFFECT_NONE : TL_XTRACE_EFFECT_LOAD;
	e->size = (uint8_t)size;
	e->rd = (uint8_t)rd;
	e->pair = two;
	e->extend = TL_XTRACE_EXTEND_ZERO;
}

static void write_back(uint32_t opcode, struct tl_xtrace_insn_effect *e, int64_t offset)
{
	e->writes_back = true;
	e->rn = (uint8_t)rn_of(opcode);
	e->back = (int16_t)offset;
}

/* Bits 29:27 and 25:24 are 111 and 00. */
static void single_register(uint32_t opcode, struct tl_xtrace_insn_effect *e)
{
	unsigned how = field(opcode, 11, 10);

	if (!field(opcode, 21, 21)) {
		plain_load(opcode, e);
		if (how & 1)
			write_back(opcode, e, signed_field(opcode, 20, 12));
	} else if (how == 2) {
		plain_load(opcode, e);
	} else if (how & 1) { /* LDRAA */
		e->forget =
			bit_of(rd_of(opcode)) | (field(opcode, 11, 11) ? or_sp(rn_of(opcode)) : 0);
	} else if (field(opcode, 15, 15) && field(opcode, 14, 12) == 5) { /* LD64B */
		e->forget = UINT32_MAX;
	} else if (field(opcode, 15, 15) && field(opcode, 14, 12) &&
		   field(opcode, 14, 12) != 4) { /* ST64BV, RCW */
		e->forget = bit_of(rd_of(opcode)) | bit_of(field(opcode, 20, 16)) |
			    TL_XTRACE_KNOWN_FLAGS;
	} else if (!field(opcode, 26, 26)) { /* "Atomic memory operations": Rt is what was there */
		load_of(e, 1u << field(opcode, 31, 30), rd_of(opcode), false);
	}
}

/* "Load/store register pair (...)": `opc` is bits 31:30 */
static void pair(uint32_t opcode, struct tl_xtrace_insn_effect *e)
{
	unsigned opc = field(opcode, 31, 30), how = field(opcode, 24, 23);
	bool vector = field(opcode, 26, 26), load = field(opcode, 22, 22);
	unsigned size = opc & 2 ? 8 : 4;

	if (vector)
		size = 4u << opc;
	/* STGP has the pair's words, and a granule as its unit. */
	if (!vector && !load && opc == 1)
		size = 16;
	if (how & 1)
		write_back(opcode, e, signed_field(opcode, 21, 15) * (int64_t)size);
	if (vector || !load)
		return;
	e->kind = TL_XTRACE_EFFECT_LOAD;
	e->size = (uint8_t)size;
	e->pair = true;
	e->rt2 = (uint8_t)field(opcode, 14, 10);
	e->extend = opc == 1 ? TL_XTRACE_EXTEND_SIGN_64 : TL_XTRACE_EXTEND_ZERO;
}

/* "Load register (literal)" */
static void literal(uint32_t opcode, struct tl_xtrace_insn_effect *e)
{
	unsigned opc = field(opcode, 31, 30);

	if (field(opcode, 26, 26) || opc == 3 || rd_of(opcode) == 31)
		return;
	e->kind = TL_XTRACE_EFFECT_LOAD;
	e->size = opc == 1 ? 8 : 4;
	e->extend = opc == 2 ? TL_XTRACE_EXTEND_SIGN_64 : TL_XTRACE_EXTEND_ZERO;
}

/*
 * "Load/store exclusive", "ordered", "Compare and swap": bits 23 to 21 are o2, L, o1. CAS and CASP
 * load into Rs.
 */
static void exclusive(uint32_t opcode, struct tl_xtrace_insn_effect *e)
{
	unsigned kind = field(opcode, 23, 21), size = 1u << field(opcode, 31, 30),
		 rs = field(opcode, 20, 16);
	bool of_pair = (kind & 5) == 1;

	if (kind == 5 || kind == 7) {
		load_of(e, size, rs, false);
	} else if (of_pair && !field(opcode, 31, 31)) { /* CASP */
		e->rt2 = rs + 1 < 31 ? (uint8_t)(rs + 1) : 31;
		load_of(e, field(opcode, 30, 30) ? 8 : 4, rs, true);
	} else if (kind == 3) { /* LDXP */
		e->rt2 = (uint8_t)field(opcode, 14, 10);
		load_of(e, size, rd_of(opcode), true);
	} else if (kind & 2) {
		load_of(e, size, rd_of(opcode), false);
	} else if (kind < 2) { /* STXR, STXP: a token has the status */
		e->forget = bit_of(rs);
	}
}

/* All the others: what any of them writes. */
static void other_memory(uint32_t opcode, struct tl_xtrace_insn_effect *e)
{
	unsigned rs = field(opcode, 20, 16), rt = rd_of(opcode);

	/* "Memory Copy and Memory Set": places and sizes move on, CPYP and SETP say how in NZCV. */
	if (tl_a64_is_memory_copy(opcode)) {
		e->forget = bit_of(rt) | bit_of(rs) | bit_of(rn_of(opcode)) | TL_XTRACE_KNOWN_FLAGS;
		return;
	}
	if (field(opcode, 26, 26)) { /* structures of vectors */
		e->forget =
			field(opcode, 23, 23) || field(opcode, 29, 29) ? or_sp(rn_of(opcode)) : 0;
		return;
	}
	/* "LDAPR/STLR (unscaled immediate)" */
	if ((opcode & 0x3f200c00) == 0x19000000) {
		plain_load(opcode, e);
		return;
	}
	e->forget = bit_of(rt) | bit_of(rt | 1) | bit_of(rs) | bit_of(rs | 1) |
		    bit_of(field(opcode, 14, 10)) | or_sp(rn_of(opcode)) | TL_XTRACE_KNOWN_FLAGS;
}

/* "Loads and Stores" */
static void memory(uint32_t opcode, struct tl_xtrace_insn_effect *e)
{
	unsigned group = field(opcode, 29, 27), form = field(opcode, 25, 24);

	if (group == 7 && form == 1)
		plain_load(opcode, e);
	else if (group == 7 && form == 0)
		single_register(opcode, e);
	else if (group == 5)
		pair(opcode, e);
	else if (group == 3 && form == 0)
		literal(opcode, e);
	else if (group == 1 && !field(opcode, 26, 26))
		exclusive(opcode, e);
	else
		other_memory(opcode, e);
}

/* ---- the rest ---- */

/* "Branches, Exception Generating and System instructions" */
static void branch_or_system(uint32_t opcode, struct tl_xtrace_insn_effect *e)
{
	if ((opcode & 0xfc000000) == 0x94000000 || (opcode & 0xfefff000) == 0xd63f0000)
		e->kind = TL_XTRACE_EFFECT_LINK;
	else if ((opcode & 0xffe00000) == 0xd5200000) /* MRS, SYSL: a token has the result */
		e->forget = bit_of(rd_of(opcode));
	else if ((opcode & 0xffe00000) == 0xd5600000)
		e->forget = bit_of(rd_of(opcode)) | bit_of(rd_of(opcode) | 1);
	else if ((opcode & 0xfffff01f) == 0xd503201f &&
		 opcode != 0xd503201f) /* hints on X16, X17 and X30 */
		e->forget = bit_of(16) | bit_of(17) | bit_of(TL_XTRACE_REG_LINK);
	else if ((opcode & 0xffe0001f) == 0xd4000002 ||
		 (opcode & 0xffe0001f) == 0xd4000003) /* HVC, SMC: the firmware's results */
		e->forget = (bit_of(18) - 1) | TL_XTRACE_KNOWN_FLAGS;
	else if ((opcode & 0xfff8f01f) == 0xd500401f) /* PSTATE: another SP, other flags */
		e->forget = or_sp(TL_XTRACE_REG_SP) | TL_XTRACE_KNOWN_FLAGS;
	if ((opcode & ~31u) == 0xd51b4200 || (opcode & ~63u) == 0xd53b2400) /* MSR NZCV, MRS RNDR */
		e->forget |= TL_XTRACE_KNOWN_FLAGS;
}

/* "Data Processing -- Scalar Floating-Point and Advanced SIMD": what is computed, or moves to a
 * general register */
static void vectors(uint32_t opcode, struct tl_xtrace_insn_effect *e)
{
	const struct tl_a64_vector_computation c = tl_a64_vector_computation(opcode);

	if (c.compute) {
		e->kind = TL_XTRACE_EFFECT_VECTOR;
		e->vector = c;
		e->needs = bit_unless_zero(c.n);
		e->forget = c.to_general ? bit_unless_zero(c.d) : 0;
		return;
	}
	if ((opcode & 0x5f20fc00) == 0x1e200000 || (opcode & 0x5f200000) == 0x1e000000 ||
	    (opcode & 0x9fe08400) == 0x0e000400)
		e->forget = bit_of(rd_of(opcode));
	/* "Floating-point compare", "conditional compare" */
	if ((opcode & 0xff200400) == 0x1e200400 || (opcode & 0xff203c00) == 0x1e202000)
		e->forget |= TL_XTRACE_KNOWN_FLAGS;
}

struct tl_xtrace_insn_effect tl_xtrace_insn_effect(uint32_t opcode)
{
	struct tl_xtrace_insn_effect e = { .rd = (uint8_t)rd_of(opcode),
					   .rn = (uint8_t)rn_of(opcode),
					   .rt2 = 31,
					   .opcode = opcode };
	unsigned op0 = field(opcode, 28, 25);

	e.size = opcode >> 31 ? 8 : 4;
	if ((op0 & 14) == 8 || (op0 & 7) == 5)
		data_processing(opcode, &e);
	else if ((op0 & 14) == 10)
		branch_or_system(opcode, &e);
	else if ((op0 & 5) == 4)
		memory(opcode, &e);
	else if ((op0 & 7) == 7)
		vectors(opcode, &e);
	else /* SVE, SME */
		e.forget = or_sp(rd_of(opcode)) | TL_XTRACE_KNOWN_FLAGS;
	return e;
}

/* ---- execution ---- */

static uint64_t loaded_value(const struct tl_xtrace_insn_effect *e, const uint8_t *data)
{
	uint64_t value, sign;

	if (e->size == 8)
		return tl_get64s(data, TL_HOST_BIG_ENDIAN);
	if (e->size == 4)
		value = tl_get32s(data, TL_HOST_BIG_ENDIAN);
	else
		value = data[0] | (e->size == 2 ? (uint64_t)data[1] << 8 : 0);
	if (e->extend == TL_XTRACE_EXTEND_ZERO)
		return value;
	sign = UINT64_C(1) << (8 * e->size - 1);
	value = (value ^ sign) - sign;
	return e->extend == TL_XTRACE_EXTEND_SIGN_32 ? (uint32_t)value : value;
}

static void apply_load(struct tl_xtrace_registers *r, const struct tl_xtrace_insn_effect *e,
		       const uint8_t *data, uint32_t data_size)
{
	r->known &= ~(bit_of(e->rd) | bit_of(e->rt2));
	if (!data || data_size != (e->pair ? 2u : 1u) * e->size)
		return;
	if (e->rd != 31)
		tl_xtrace_registers_set(r, e->rd, loaded_value(e, data));
	if (e->rt2 != 31)
		tl_xtrace_registers_set(r, e->rt2, loaded_value(e, data + e->size));
}

/* rd = rn + value, where rn is known. */
static void apply_sum(struct tl_xtrace_registers *r, const struct tl_xtrace_insn_effect *e)
{
	uint64_t value = r->x[e->rn] + e->value;

	if (!tl_xtrace_registers_know(r, e->rn))
		r->known &= ~(UINT64_C(1) << e->rd);
	else
		tl_xtrace_registers_set(r, e->rd, e->size == 8 ? value : (uint32_t)value);
}

/* What it writes was forgotten already. */
static void apply_computation(struct tl_xtrace_registers *r, const struct tl_xtrace_insn_effect *e)
{
	const struct tl_a64_computation *c = &e->computation;
	const struct tl_a64_inputs in = { r->x[c->n], r->x[c->m], r->x[c->a], r->nzcv };
	bool known = (r->known & e->needs) == e->needs;
	unsigned nzcv = 0;
	uint64_t result;

	r->known &= ~e->forget;
	if (!known)
		return;
	result = c->compute(e->opcode, &in, &nzcv);
	if (c->d != TL_A64_ZERO)
		r->x[c->d] = result;
	if (c->writes_flags)
		r->nzcv = nzcv;
	r->known |= e->forget;
}

void tl_xtrace_registers_apply(struct tl_xtrace_registers *r, const struct tl_xtrace_insn_effect *e,
			       uint64_t pc, const uint8_t *loaded, uint32_t loaded_size)
{
	if (e->writes_back && tl_xtrace_registers_know(r, e->rn))
		r->x[e->rn] += (uint64_t)(int64_t)e->back;
	if (e->kind == TL_XTRACE_EFFECT_COMPUTE) {
		apply_computation(r, e);
		return;
	}
	r->known &= ~e->forget;
	switch (e->kind) {
	case TL_XTRACE_EFFECT_CONSTANT:
		tl_xtrace_registers_set(r, e->rd, e->size == 8 ? e->value : (uint32_t)e->value);
		break;
	case TL_XTRACE_EFFECT_RELATIVE:
		tl_xtrace_registers_set(r, e->rd, pc + e->value);
		break;
	case TL_XTRACE_EFFECT_PAGE:
		tl_xtrace_registers_set(r, e->rd, (pc & ~UINT64_C(4095)) + e->value);
		break;
	case TL_XTRACE_EFFECT_ADD:
	case TL_XTRACE_EFFECT_MOVE:
		apply_sum(r, e);
		break;
	case TL_XTRACE_EFFECT_LINK:
		tl_xtrace_registers_set(r, TL_XTRACE_REG_LINK, pc + 4);
		break;
	case TL_XTRACE_EFFECT_LOAD:
		apply_load(r, e, loaded, loaded_size);
		break;
	default:
		break;
	}
}
