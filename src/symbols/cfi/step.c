/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/cfi/step.h"

#include <elf.h>

#include "symbols/cfi/expression.h"

unsigned tl_cfi_stack_register(uint16_t machine)
{
	return machine == EM_AARCH64 ? 31 : machine == EM_386 ? 4 : 7;
}

unsigned tl_cfi_frame_register(uint16_t machine)
{
	return machine == EM_AARCH64 ? 29 : machine == EM_386 ? 5 : 6;
}

static enum tl_cfi_result take_register(const struct tl_cfi_frame *frame, uint64_t number,
					uint64_t *value)
{
	if (number >= TL_CFI_REGISTERS || !(frame->known >> number & 1))
		return TL_CFI_UNKNOWN;
	*value = frame->registers[number];
	return TL_CFI_CALLER;
}

static enum tl_cfi_result find_cfa(const struct tl_cfi_step *s, uint64_t *cfa)
{
	const struct tl_cfi_row *row = s->row;
	enum tl_cfi_result result;

	if (row->cfa.kind == TL_CFI_VAL_EXPRESSION)
		return tl_cfi_evaluate(s, &row->cfa, NULL, cfa);
	result = take_register(s->frame, row->cfa_register, cfa);
	if (result == TL_CFI_CALLER)
		*cfa += (uint64_t)row->cfa.value;
	return result;
}

/*
 * A word that was saved on the stack. Where the stack pointer is above its place already, as in an
 * epilogue, the register holds the value again.
 */
static enum tl_cfi_result load_saved(const struct tl_cfi_step *s, unsigned number, uint64_t at,
				     uint64_t *value)
{
	uint64_t top;

	if (take_register(s->frame, tl_cfi_stack_register(s->row->machine), &top) ==
		    TL_CFI_CALLER &&
	    at < top)
		return take_register(s->frame, number, value);
	return tl_cfi_load(s->memory, at, tl_cfi_word(s->row), value);
}

/* The caller's value of a register. */
static enum tl_cfi_result apply(const struct tl_cfi_step *s, unsigned number, uint64_t cfa,
				uint64_t *value)
{
	const struct tl_cfi_rule *rule = &s->row->rules[number];
	enum tl_cfi_result result;
	uint64_t at;

	switch (rule->kind) {
	case TL_CFI_SAME:
		return take_register(s->frame, number, value);
	case TL_CFI_OFFSET:
		return load_saved(s, number, cfa + (uint64_t)rule->value, value);
	case TL_CFI_VAL_OFFSET:
		*value = cfa + (uint64_t)rule->value;
		return TL_CFI_CALLER;
	case TL_CFI_REGISTER:
		return take_register(s->frame, (uint64_t)rule->value, value);
	case TL_CFI_EXPRESSION:
		result = tl_cfi_evaluate(s, rule, &cfa, &at);
		return result == TL_CFI_CALLER ? load_saved(s, number, at, value) : result;
	case TL_CFI_VAL_EXPRESSION:
		return tl_cfi_evaluate(s, rule, &cfa, value);
	default:
		return TL_CFI_UNKNOWN;
	}
}

/* The bits of an address below those that a signature is in, for code of processes. */
#define ADDRESS_BITS UINT64_C(0x0000ffffffffffff)

static uint64_t plain_address(const struct tl_cfi_row *row, uint64_t address)
{
	if (row->is_32bit)
		return (uint32_t)address;
	if (row->is_signed)
		return address & ADDRESS_BITS;
	return address;
}

/* Registers of the caller; those that cannot be found become unknown. */
static void take_registers(const struct tl_cfi_step *s, uint64_t cfa, struct tl_cfi_frame *caller)
{
	const unsigned stack = tl_cfi_stack_register(s->row->machine);

	for (unsigned i = 0; i < TL_CFI_REGISTERS; i++)
		if (apply(s, i, cfa, &caller->registers[i]) == TL_CFI_CALLER)
			caller->known |= UINT64_C(1) << i;
	/* The stack pointer of the caller is the CFA unless a rule says otherwise. */
	if (s->row->rules[stack].kind == TL_CFI_SAME) {
		caller->registers[stack] = cfa;
		caller->known |= UINT64_C(1) << stack;
	}
}

enum tl_cfi_result tl_cfi_step(const struct tl_cfi_row *row, const struct tl_cfi_memory *memory,
			       uint64_t bias, struct tl_cfi_frame *frame)
{
	const struct tl_cfi_step step = { row, memory, frame, bias };
	struct tl_cfi_frame caller = { .known = 0 };
	enum tl_cfi_result result;
	uint64_t cfa = 0;

	if (row->rules[row->return_register].kind == TL_CFI_UNDEFINED)
		return TL_CFI_OUTERMOST;
	result = find_cfa(&step, &cfa);
	if (result == TL_CFI_CALLER)
		result = apply(&step, (unsigned)row->return_register, cfa, &caller.pc);
	if (result != TL_CFI_CALLER)
		return result;
	caller.pc = plain_address(row, caller.pc);
	if (!caller.pc)
		return TL_CFI_OUTERMOST;
	take_registers(&step, cfa, &caller);
	*frame = caller;
	return TL_CFI_CALLER;
}
