/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "Compare and swap", "Compare and swap pair", "Atomic memory operations" of the Arm Architecture
 * Reference Manual.
 */
#include "atomics.h"

#include <stdbool.h>
#include <string.h>

enum {
	ADD,
	CLEAR,
	EXCLUSIVE_OR,
	SET,
	SIGNED_MAXIMUM,
	SIGNED_MINIMUM,
	UNSIGNED_MAXIMUM,
	UNSIGNED_MINIMUM
};

static uint64_t number(const uint8_t *from, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)from[i] << 8 * i;
	return value;
}

static void put(uint8_t *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static int64_t with_sign(uint64_t value, unsigned bytes)
{
	return (int64_t)(value << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

static uint64_t combine(unsigned how, uint64_t old, uint64_t operand, unsigned bytes)
{
	bool less = with_sign(old, bytes) < with_sign(operand, bytes);

	switch (how) {
	case ADD:
		return old + operand;
	case CLEAR:
		return old & ~operand;
	case EXCLUSIVE_OR:
		return old ^ operand;
	case SET:
		return old | operand;
	case SIGNED_MAXIMUM:
		return less ? operand : old;
	case SIGNED_MINIMUM:
		return less ? old : operand;
	case UNSIGNED_MAXIMUM:
		return old < operand ? operand : old;
	default:
		return old < operand ? old : operand;
	}
}

/* One register, or (CASP) two. */
static void compare_and_swap(unsigned bytes, bool pair, const uint8_t *old,
			     const uint64_t operands[4], uint8_t *stored)
{
	uint8_t wanted[16], swapped[16];
	unsigned whole = pair ? 2 * bytes : bytes;

	put(wanted, operands[0], bytes);
	put(swapped, operands[2], bytes);
	if (pair) {
		put(wanted + bytes, operands[1], bytes);
		put(swapped + bytes, operands[3], bytes);
	}
	memcpy(stored, memcmp(old, wanted, whole) ? old : swapped, whole);
}

void atomic_stores(uint32_t opcode, const uint8_t old[16], const uint64_t operands[4],
		   uint8_t stored[16])
{
	unsigned bytes = 1u << (opcode >> 30);
	uint64_t operand;

	if ((opcode & 0xbfa07c00) == 0x08207c00) {
		compare_and_swap(opcode >> 30 & 1 ? 8 : 4, true, old, operands, stored);
	} else if ((opcode & 0x3fa07c00) == 0x08a07c00) {
		compare_and_swap(bytes, false, old, operands, stored);
	} else {
		operand = bytes == 8 ? operands[0] : operands[0] & ((UINT64_C(1) << 8 * bytes) - 1);
		/* SWP has bit 15. */
		put(stored,
		    opcode >> 15 & 1
			    ? operand
			    : combine(opcode >> 12 & 7, number(old, bytes), operand, bytes),
		    bytes);
	}
}
