/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ISA_A64_TABLE_H
#define TL_ISA_A64_TABLE_H
/*
 * The rows of the A64 classifier: encodings of a kind, found by (opcode & mask) == bits; the first
 * that fits counts.
 */
#include "isa/a64/a64.h"

struct tl_a64_row {
	uint32_t mask, bits;
	uint8_t class;      /* enum tl_a64_class */
	uint8_t flow;       /* enum tl_a64_flow */
	uint8_t special;    /* enum tl_a64_special */
	uint8_t low, count; /* bits of the branch offset, in words; count 0: none */
	uint16_t access;
	/* Bytes touched, NULL: none. */
	unsigned (*bytes)(uint32_t opcode);
	/* Whether the encoding is allocated beyond what the mask says, NULL: it is. */
	bool (*allocated)(uint32_t opcode);
	const char *group; /* as chapter C4 calls it */
};

/* The rows of a part of the encoding space ("A64 instruction set encoding", C4.1: op0 and op1). */
struct tl_a64_table {
	uint32_t mask, bits;
	const struct tl_a64_row *rows;
	size_t count;
};

extern const struct tl_a64_table tl_a64_branches, tl_a64_immediates, tl_a64_registers,
	tl_a64_memory, tl_a64_vectors, tl_a64_sve_memory, tl_a64_sve, tl_a64_sme;

/* Bits [high, low] of an opcode. */
static inline uint32_t tl_a64_bits(uint32_t opcode, unsigned high, unsigned low)
{
	return opcode >> low & (uint32_t)((2ull << (high - low)) - 1);
}

#endif
