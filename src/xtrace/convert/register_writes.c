/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings: Arm Architecture Reference Manual (DDI 0487), C4.1. */
#include "xtrace/convert/register_writes.h"

#include "core/cursor.h"
#include "xtrace/format/reader.h"
#include "isa/a64/a64.h"

enum { LINK = 30, NONE = 31 };

static uint32_t field(uint32_t opcode, unsigned high, unsigned low)
{
	return opcode >> low & ((2u << (high - low)) - 1);
}

static void add(struct tl_xtrace_register_writes *effects, unsigned reg, uint64_t value)
{
	if (effects->count < TL_XTRACE_REGISTER_WRITES)
		effects->list[effects->count++] = (struct tl_xtrace_register_write){ reg, value };
}

/* A general register; 31 is none. */
static void add_x(struct tl_xtrace_register_writes *effects, unsigned reg, uint64_t value)
{
	if (reg != NONE)
		add(effects, reg, value);
}

/* ---- loaded values ---- */

static uint64_t little(const uint8_t *data, uint32_t size)
{
	uint64_t value = 0;

	for (uint32_t i = 0; i < size && i < 8; i++)
		value |= (uint64_t)data[i] << 8 * i;
	return value;
}

static uint64_t extend(uint64_t value, uint32_t bytes, bool is_signed, bool to_64)
{
	unsigned unused = 64 - 8 * bytes;

	if (is_signed)
		value = (uint64_t)((int64_t)(value << unused) >> unused);
	return to_64 ? value : (uint32_t)value;
}

/*
 * "Load/store register" (all addressing modes) and "Load register (literal)": opc selects the
 * extension of the sign.
 */
static void single_load(struct tl_xtrace_register_writes *effects, uint32_t opcode,
			const struct tl_xtrace_access *access)
{
	bool literal = (opcode & 0x3b000000) == 0x18000000;
	uint32_t opc = field(opcode, 23, 22);
	bool is_signed = literal ? opcode >> 30 == 2 : opc & 2;

	add_x(effects, opcode & 31,
	      extend(little(access->data, access->size), access->size, is_signed,
		     literal || opc != 3));
}

/* "Load/store register pair": one access of both, or one each. */
static void pair_load(struct tl_xtrace_register_writes *effects, uint32_t opcode,
		      const struct tl_xtrace_access *first, const struct tl_xtrace_access *second)
{
	uint32_t half = opcode >> 31 ? 8 : 4;
	bool is_signed = opcode >> 30 == 1;
	const uint8_t *high = first->data + half;

	if (second) {
		if (first->size != half || second->size != half)
			return;
		high = second->data;
	} else if (first->size != 2 * half) {
		return;
	}
	add_x(effects, opcode & 31, extend(little(first->data, half), half, is_signed, true));
	add_x(effects, field(opcode, 14, 10), extend(little(high, half), half, is_signed, true));
}

/*
 * Loads that extend with zeros: exclusive and ordered ones, and LDAPR, which is among the atomic
 * operations.
 */
static bool is_plain_load(uint32_t opcode)
{
	return (opcode & 0x3f600000) == 0x08400000 || (opcode & 0x3fe0fc00) == 0x38a0c000;
}

static bool is_single_load(uint32_t opcode)
{
	bool atomic = (opcode & 0x3f200c00) == 0x38200000;

	return (opcode & 0x3f000000) == 0x18000000 ||
	       ((opcode & 0x3a000000) == 0x38000000 && !atomic);
}

static void loaded(struct tl_xtrace_register_writes *effects, uint32_t opcode,
		   const struct tl_xtrace_access *accesses, unsigned count)
{
	bool pair = (opcode & 0x3e400000) == 0x28400000;

	/* Atomic operations load and store; vectors are not tracked. */
	if (!count || accesses[0].store || opcode >> 26 & 1)
		return;
	if (pair)
		pair_load(effects, opcode, &accesses[0], count == 2 ? &accesses[1] : NULL);
	else if (count != 1 || accesses[0].size > 8)
		return;
	else if (is_plain_load(opcode))
		add_x(effects, opcode & 31, little(accesses[0].data, accesses[0].size));
	else if (is_single_load(opcode))
		single_load(effects, opcode, &accesses[0]);
}

/* ---- the whole ---- */

static void tokens(struct tl_xtrace_register_writes *effects,
		   const struct tl_xtrace_instruction *insn)
{
	struct tl_a64 what = tl_a64_classify(insn->opcode);

	if (insn->values.has_mrs && (what.special == TL_A64_MRS || what.special == TL_A64_RNDR))
		add_x(effects, insn->opcode & 31, insn->values.mrs);
	if (insn->values.has_stxr)
		add_x(effects, field(insn->opcode, 20, 16), insn->values.stxr);
	if (insn->values.has_flags)
		add(effects, TL_XTRACE_REG_NZCV, insn->values.flags);
	if (insn->pc_known && tl_a64_is_call(&what))
		add_x(effects, LINK, insn->pc + 4);
}

void tl_xtrace_collect_register_writes(const struct tl_xtrace_reader *reader,
				       const struct tl_xtrace_instruction *insn,
				       struct tl_xtrace_sp *stack,
				       struct tl_xtrace_register_writes *effects)
{
	struct tl_xtrace_sp before = *stack;
	struct tl_xtrace_access accesses[2];
	unsigned count = 0;
	uint64_t at = 0;

	effects->count = 0;
	while (count < 2 && tl_xtrace_read_access(reader, insn, &at, &accesses[count]))
		count++;
	loaded(effects, insn->opcode, accesses, insn->loads + insn->stores > 2 ? 0 : count);
	tokens(effects, insn);
	tl_xtrace_sp_follow(stack, insn->opcode, count, count ? accesses[0].address : 0);
	if (stack->known && (!before.known || stack->sp != before.sp))
		add(effects, TL_XTRACE_REG_SP, stack->sp);
}
