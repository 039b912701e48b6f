/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ISA_A64_ACCESS_H
#define TL_ISA_A64_ACCESS_H
/*
 * What an instruction accesses, by its opcode: how many bytes it loads and stores, where, and which
 * registers a store holds. Encodings: DDI 0487, C4.1, "Loads and Stores".
 */
#include <stdbool.h>
#include <stdint.h>

#include "isa/a64/a64.h"

/* Where an instruction accesses memory. */
enum tl_a64_base {
	TL_A64_BASE_ANYWHERE,
	TL_A64_BASE_OFFSET,  /* rn + offset */
	TL_A64_BASE_INDEX,   /* rn + rm, extended and shifted */
	TL_A64_BASE_LITERAL, /* PC + offset */
};

/* Loads and stores of structures, LD1 to LD4 and ST1 to ST4. */
enum tl_a64_structure_kind {
	TL_A64_NO_STRUCTURE,
	TL_A64_CONSECUTIVE, /* whole registers, one behind the other */
	TL_A64_REPEATED,    /* LD1R: one element, in all of a register */
	TL_A64_INTERLEAVED, /* all others */
};

/* What an instruction must access. */
struct tl_a64_access {
	bool reads, writes;           /* may load, may store */
	bool needs_load, needs_store; /* and must, unless it faults */
	uint16_t bytes;               /* that it loads, and stores; 0: not known */
	uint8_t base;                 /* enum tl_a64_base */
	uint8_t rn, rm, option, shift;
	/* Those that a store holds, and a load of vectors; 0: not known. */
	uint8_t registers, rt, rt2;
	bool vector;       /* V0 to V31, and not general ones */
	uint8_t structure; /* enum tl_a64_structure_kind: tl_a64_structure_of() knows more */
	uint8_t in_a_row;  /* CONSECUTIVE: so many registers from rt on, of which V0 follows V31 */
	int32_t offset;
};

struct tl_a64_access tl_a64_access_of(const struct tl_a64 *a64);

/* What loads and stores of structures do with vectors. */
struct tl_a64_structure {
	uint8_t rt, registers; /* the first; how many, of which V0 follows V31 */
	uint8_t size;          /* log2 of the bytes of an element */
	uint8_t lane;          /* of single ones: which element of a register */
	bool single;           /* one element of each register */
	bool repeated;         /* LD1R to LD4R: in all elements */
	bool interleaved;      /* the first elements of all registers, then the second */
	bool whole;            /* 16 bytes of a register, else 8 */
};

struct tl_a64_structure tl_a64_structure_of(uint32_t opcode);

/* Which byte of which register byte `at` of the memory is; of repeated ones, in the first
 * element. */
void tl_a64_structure_place(const struct tl_a64_structure *structure, unsigned at, unsigned *number,
			    unsigned *byte);

#endif
