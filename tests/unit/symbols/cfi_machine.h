/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_SYMBOLS_CFI_MACHINE_H
#define TESTS_UNIT_SYMBOLS_CFI_MACHINE_H
/* A frame of x86-64 with 64 bytes of stack, and expressions over them. */
#include <elf.h>
#include <string.h>

#include "../unit.h"

#include "symbols/cfi/expression.h"

enum { SP = 7, BP = 6, BX = 3, RA = 16 };

static struct tl_cfi_row row;
static uint8_t stack[64];
static struct tl_cfi_memory memory = { stack, 0x7000, sizeof(stack) };
static struct tl_cfi_frame frame;

static inline void begin(void)
{
	memset(&row, 0, sizeof(row));
	row.machine = EM_X86_64;
	row.return_register = RA;
	for (unsigned i = 0; i < sizeof(stack); i++)
		stack[i] = (uint8_t)(i + 1);
	frame = (struct tl_cfi_frame){ .pc = 0x401234, .known = 0xffff };
	for (unsigned i = 0; i < 16; i++)
		frame.registers[i] = 0x100 * (uint64_t)i;
	frame.registers[SP] = 0x7000;
}

static inline enum tl_cfi_result evaluate(const uint8_t *code, size_t size, uint64_t *value)
{
	const struct tl_cfi_step step = { &row, &memory, &frame, 0x10000 };
	const struct tl_cfi_rule rule = { TL_CFI_VAL_EXPRESSION, (int64_t)size, code };
	const uint64_t cfa = 0x7040;

	return tl_cfi_evaluate(&step, &rule, &cfa, value);
}

/* The bytes of the stack are 1, 2, 3, ... from 0x7000 on. */
static inline uint64_t stack_word(uint64_t address, unsigned size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | (address - 0x7000 + size + 1);
	return value;
}

#endif
