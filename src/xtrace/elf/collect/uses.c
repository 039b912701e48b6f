/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings: Arm Architecture Reference Manual (DDI 0487), chapter C4. */
#include "xtrace/elf/collect/uses.h"

#include "isa/a64/a64_operands.h"
#include "isa/a64/a64_table.h"
#include "xtrace/state/registers.h"

static bool is(uint32_t opcode, uint32_t mask, uint32_t value)
{
	return (opcode & mask) == value;
}

static uint64_t bit_of(uint32_t number)
{
	return UINT64_C(1) << (number & 31);
}

/* Fields that may name a register: D, N, A, M. */
static uint64_t all_fields(uint32_t opcode)
{
	return bit_of(opcode) | bit_of(opcode >> 5) | bit_of(opcode >> 10) | bit_of(opcode >> 16);
}

/* That register, and the three behind it. */
static uint32_t four_from(uint32_t number)
{
	uint32_t first = number & 31;

	return UINT32_C(15) << first | (first > 28 ? UINT32_C(15) >> (32 - first) : 0);
}

static bool is_scalable(const struct tl_a64 *insn)
{
	return insn->class == TL_A64_SVE || insn->class == TL_A64_SME ||
	       insn->access & TL_A64_SCALABLE;
}

/* ---- general registers ---- */

static uint64_t general_reads(const struct tl_a64 *insn, const struct tl_a64_operands *o)
{
	const uint64_t hints =
		bit_of(16) | bit_of(17) | bit_of(TL_XTRACE_REG_LINK) | bit_of(TL_XTRACE_REG_SP);
	uint32_t opcode = insn->opcode;
	uint64_t reads = 0;

	for (unsigned i = 0; i < o->read_count; i++)
		if (o->reads[i] <= TL_A64_SP)
			reads |= bit_of(o->reads[i]);
		else if (o->reads[i] == TL_A64_NZCV)
			reads |= TL_XTRACE_KNOWN_FLAGS;
	if (is_scalable(insn))
		return reads | all_fields(opcode) | TL_XTRACE_KNOWN_FLAGS;
	if (insn->class == TL_A64_AUTH || is(opcode, 0xfe000800, 0xd6000800))
		return reads | all_fields(opcode) | hints;
	if (insn->special == TL_A64_SVC)
		return reads | bit_of(8);
	if (is(opcode, 0xffffffe0, 0xd53b4200)) /* MRS of NZCV */
		return reads | TL_XTRACE_KNOWN_FLAGS;
	/* Those that a64_operands.h does not know. */
	if (!o->read_count && insn->access && !is(opcode, 0x3b000000, 0x18000000))
		return reads | all_fields(opcode) | TL_XTRACE_KNOWN_FLAGS;
	if (!o->read_count && insn->class == TL_A64_SYSTEM && insn->special != TL_A64_MRS)
		return reads | bit_of(opcode) | bit_of(opcode | 1);
	return reads;
}

static uint64_t general_writes(const struct tl_a64 *insn, const struct tl_a64_operands *o)
{
	uint64_t writes = 0;

	for (unsigned i = 0; i < o->write_count && !is_scalable(insn); i++)
		if (o->writes[i] <= TL_A64_SP)
			writes |= bit_of(o->writes[i]);
		else if (o->writes[i] == TL_A64_NZCV)
			writes |= TL_XTRACE_KNOWN_FLAGS;
	return writes;
}

/* ---- vectors ---- */

/* "Advanced SIMD load/store multiple structures": how many registers. */
static unsigned structure_registers(uint32_t opcode)
{
	switch (opcode >> 12 & 15) {
	case 7:
		return 1;
	case 8:
	case 10:
		return 2;
	case 4:
	case 6:
		return 3;
	default:
		return 4;
	}
}

static void use_structures(uint32_t opcode, struct tl_xtrace_uses *u)
{
	if (is(opcode, 0xbf400000, 0x0c400000)) {
		uint32_t all = four_from(opcode);

		for (unsigned over = structure_registers(opcode); over < 4; over++)
			all &= ~(UINT32_C(1) << ((opcode + over) & 31));
		u->vectors |= all;
		return;
	}
	u->halves[0] |= four_from(opcode);
	u->halves[1] |= four_from(opcode);
}

/* "Loads and Stores" of vector registers. */
static void use_memory(const struct tl_a64 *insn, struct tl_xtrace_uses *u)
{
	uint32_t opcode = insn->opcode, group = opcode >> 27 & 7;
	uint32_t rt = (uint32_t)bit_of(opcode), rt2 = (uint32_t)bit_of(opcode >> 10);
	bool load = opcode >> 22 & 1, pair = group == 5;
	/* Not the atomic ones of floating point. */
	bool plain = group == 7 && !is(opcode, 0x3f200c00, 0x3c200000);
	uint32_t both = rt | (pair ? rt2 : 0);

	if (group == 1) {
		use_structures(opcode, u);
	} else if (group == 3 ? !tl_a64_bits(opcode, 25, 24) : load && (pair || plain)) {
		u->vectors |= both;
	} else if (pair || plain) {
		u->halves[0] |= both;
		if (pair ? opcode >> 30 == 2 : opcode >> 23 & 1)
			u->halves[1] |= both;
	} else {
		u->halves[0] |= four_from(opcode) | four_from(opcode >> 16);
		u->halves[1] |= four_from(opcode) | four_from(opcode >> 16);
	}
}

/* "Advanced SIMD three same": not those that accumulate, insert or select. */
static bool three_same_writes(uint32_t opcode)
{
	unsigned number = opcode >> 11 & 31;

	if (number == 3)
		return !(opcode >> 29 & 1) || !(opcode >> 22 & 3);
	return number != 18 && number != 15 && number != 25 && number != 29;
}

/* "Advanced SIMD two-register miscellaneous": the same, nor those of the upper half. */
static bool two_registers_write(uint32_t opcode)
{
	unsigned number = opcode >> 12 & 31;

	return number != 3 && number != 6 && number != 18 && number != 20 && number != 22;
}

/* "Advanced SIMD shift by immediate" */
static bool shift_writes(uint32_t opcode)
{
	unsigned number = opcode >> 11 & 31;

	return number == 0 || number == 4 || number == 20 || (number == 10 && !(opcode >> 29 & 1));
}

/* Whether all of Rd is written, and nothing of it is read. */
static bool writes_whole(uint32_t opcode)
{
	if ((opcode >> 24 & 0x5f) == 0x1e || (opcode >> 24 & 0x5f) == 0x1f)
		return !is(opcode, 0xfffffc00, 0x9eaf0000); /* FMOV Vd.D[1] */
	if (is(opcode, 0x9ff80400, 0x0f000400))             /* MOVI and the like, not ORR and BIC */
		return (opcode >> 12 & 15) >= 12 || !(opcode >> 12 & 1);
	if (is(opcode, 0xbfe0f400, 0x0e000400)) /* DUP */
		return true;
	if (is(opcode, 0x9f200400, 0x0e200400))
		return three_same_writes(opcode);
	if (is(opcode, 0x9f3e0c00, 0x0e200800))
		return two_registers_write(opcode);
	if (is(opcode, 0x9f800400, 0x0f000400))
		return shift_writes(opcode);
	return is(opcode, 0x9f3e0c00, 0x0e300800) || /* across lanes */
	       is(opcode, 0xbf208c00, 0x0e000800) || /* UZP, TRN, ZIP */
	       is(opcode, 0xbfe08400, 0x2e000000);   /* EXT */
}

/* "Data Processing -- Scalar Floating-Point and Advanced SIMD" */
static void use_data(uint32_t opcode, const struct tl_a64_operands *o, struct tl_xtrace_uses *u)
{
	uint32_t reads = 0, writes = 0;

	for (unsigned i = 0; i < o->read_count; i++)
		if (o->reads[i] >= TL_A64_V0 && o->reads[i] < TL_A64_P0)
			reads |= UINT32_C(1) << (o->reads[i] - TL_A64_V0);
	for (unsigned i = 0; i < o->write_count; i++)
		if (o->writes[i] >= TL_A64_V0 && o->writes[i] < TL_A64_P0)
			writes |= UINT32_C(1) << (o->writes[i] - TL_A64_V0);
	if (is(opcode, 0xbfe08c00, 0x0e000000)) /* TBL, TBX */
		reads |= four_from(opcode >> 5);
	if (writes && writes_whole(opcode))
		u->vectors |= writes;
	else
		reads |= writes;
	u->halves[0] |= reads;
	u->halves[1] |= reads;
}

static void use_scalable(uint32_t opcode, struct tl_xtrace_uses *u)
{
	uint32_t all = four_from(opcode) | four_from(opcode >> 5) | (uint32_t)all_fields(opcode);

	u->halves[0] |= all;
	u->halves[1] |= all;
	u->longer |= all;
	u->predicates = true;
}

struct tl_xtrace_uses tl_xtrace_uses(const struct tl_a64 *insn)
{
	const struct tl_a64_operands o = tl_a64_operands(insn->opcode);
	struct tl_xtrace_uses u = {
		.reads = general_reads(insn, &o),
		.writes = general_writes(insn, &o),
		.status = is(insn->opcode, 0xffffffe0, 0xd53b4420),
	};
	unsigned group = tl_a64_bits(insn->opcode, 28, 25);

	if (is_scalable(insn))
		use_scalable(insn->opcode, &u);
	else if ((group & 7) == 7)
		use_data(insn->opcode, &o, &u);
	else if ((group & 5) == 4 && insn->opcode >> 26 & 1)
		use_memory(insn, &u);
	return u;
}
