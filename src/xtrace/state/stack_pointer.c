/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings: Arm Architecture Reference Manual (DDI 0487), C4.1. */
#include "xtrace/state/stack_pointer.h"

#include "isa/a64/a64_operands.h"

enum { SP_NUMBER = 31 };

static uint32_t field(uint32_t opcode, unsigned high, unsigned low)
{
	return opcode >> low & ((2u << (high - low)) - 1);
}

static int64_t signed_field(uint32_t opcode, unsigned high, unsigned low)
{
	uint32_t bits = high - low + 1;

	return (int64_t)((uint64_t)field(opcode, high, low) << (64 - bits)) >> (64 - bits);
}

static bool on_stack(uint32_t opcode)
{
	return field(opcode, 9, 5) == SP_NUMBER;
}

/* "Add/subtract (immediate)" to SP. */
static void stack_arithmetic(struct tl_xtrace_sp *stack, uint32_t opcode)
{
	uint64_t amount = (uint64_t)field(opcode, 21, 10) << (field(opcode, 22, 22) ? 12 : 0);

	stack->known = stack->known && on_stack(opcode);
	stack->sp += opcode >> 30 & 1 ? 0 - amount : amount;
}

static void at_address(struct tl_xtrace_sp *stack, uint64_t sp)
{
	stack->known = true;
	stack->sp = sp;
}

/* "Load/store register pair": the mode is in bits 24:23. */
static void stack_pair(struct tl_xtrace_sp *stack, uint32_t opcode, uint64_t address)
{
	unsigned opc = opcode >> 30, scale = opcode >> 26 & 1 ? 2 + opc : 2 + (opc >> 1);
	int64_t offset = signed_field(opcode, 21, 15) * ((int64_t)1 << scale);
	unsigned mode = field(opcode, 24, 23);

	if (mode == 1)
		at_address(stack, address + (uint64_t)offset);
	else if (mode == 3)
		at_address(stack, address);
	else
		at_address(stack, address - (uint64_t)offset);
}

/* "Load/store register": with an unsigned immediate, or by bits 11:10. */
static void stack_single(struct tl_xtrace_sp *stack, uint32_t opcode, uint64_t address)
{
	unsigned vector = opcode >> 26 & 1,
		 scale = opcode >> 30 | (vector && opcode >> 23 & 1 ? 4 : 0);
	uint64_t offset = (uint64_t)signed_field(opcode, 20, 12);

	if (opcode >> 24 & 1)
		at_address(stack, address - ((uint64_t)field(opcode, 21, 10) << scale));
	else if (opcode >> 21 & 1)
		return; /* a register's offset, or atomic */
	else if (field(opcode, 11, 10) == 1)
		at_address(stack, address + offset);
	else if (field(opcode, 11, 10) == 3)
		at_address(stack, address);
	else
		at_address(stack, address - offset);
}

static bool writes_sp(uint32_t opcode)
{
	struct tl_a64_operands operands = tl_a64_operands(opcode);

	for (unsigned i = 0; i < operands.write_count; i++)
		if (operands.writes[i] == TL_A64_SP)
			return true;
	return false;
}

static void stack_access(struct tl_xtrace_sp *stack, uint32_t opcode, uint64_t address)
{
	if ((opcode & 0x3a000000) == 0x28000000)
		stack_pair(stack, opcode, address);
	else if ((opcode & 0x3a000000) == 0x38000000)
		stack_single(stack, opcode, address);
	else if ((opcode & 0x3f000000) == 0x08000000)
		at_address(stack, address); /* exclusives and ordered ones have no offset */
	else if (writes_sp(opcode))
		stack->known = false; /* structures move it by a size or a register */
}

static bool is_memory(uint32_t opcode)
{
	return (opcode & 0x0a000000) == 0x08000000;
}

void tl_xtrace_sp_follow(struct tl_xtrace_sp *stack, uint32_t opcode, bool accessed,
			 uint64_t address)
{
	if ((opcode & 0x3f800000) == 0x11000000 && (opcode & 31) == SP_NUMBER)
		stack_arithmetic(stack, opcode);
	else if (is_memory(opcode) && accessed && on_stack(opcode))
		stack_access(stack, opcode, address);
	else if (!is_memory(opcode) && writes_sp(opcode))
		stack->known = false;
}
