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

/* What an instruction must access. */
struct tl_a64_access {
	bool reads, writes;           /* may load, may store */
	bool needs_load, needs_store; /* and must, unless it faults */
	uint16_t bytes;               /* that it loads, and stores; 0: not known */
	uint8_t base;                 /* enum tl_a64_base */
	uint8_t rn, rm, option, shift;
	/* Those that a store holds, and a load of vectors; 0: not known. */
	uint8_t registers, rt, rt2;
	bool vector; /* V0 to V31, and not general ones */
	int32_t offset;
};

struct tl_a64_access tl_a64_access_of(const struct tl_a64 *a64);

#endif
