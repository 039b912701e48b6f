/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_DEPENDENCES_H
#define TL_XTRACE_DEPENDENCES_H
/*
 * How far instructions are from those that made what they read, in registers and in memory, and how
 * many could run at once in a window if nothing but these dependences held them up.
 */
#include "isa/a64/a64_operands.h"
#include "xtrace/state/address_ids.h"

enum {
	TL_XTRACE_WINDOWS = 7,    /* 16, 32, ... 1024 instructions */
	TL_XTRACE_DISTANCES = 41, /* 1; 2 to 3; 4 to 7; ... */
	TL_XTRACE_REGISTERS = TL_A64_NZCV + 1,
};

static inline uint64_t tl_xtrace_window(unsigned number)
{
	return UINT64_C(16) << number;
}

/* Distances of what was read: bucket n counts 2^n up to 2^(n+1) - 1. */
struct tl_xtrace_distances {
	uint64_t buckets[TL_XTRACE_DISTANCES];
	uint64_t reads, unknown; /* unknown: made before the part, or by nothing that was seen */
};

/* Who made a register or 8 bytes of memory last, and how long the chain was that it ended. */
struct tl_xtrace_producer {
	uint64_t number; /* of the instruction, from 1; 0: none */
	uint16_t depth[TL_XTRACE_WINDOWS];
};

struct tl_xtrace_dependences {
	struct tl_xtrace_distances registers, memory;
	uint64_t instructions;              /* the present one's number */
	uint64_t chains[TL_XTRACE_WINDOWS]; /* sum of the longest chains of windows that are over */
	uint16_t longest[TL_XTRACE_WINDOWS]; /* of the present window */
	struct tl_xtrace_producer made[TL_XTRACE_REGISTERS];
	struct tl_xtrace_address_ids ids; /* 8 bytes of memory */
	struct tl_xtrace_producer *memory_made;
	size_t memory_room;
	/* The present instruction: what it writes, and the longest chain before it. */
	struct tl_a64_operands operands;
	uint16_t depth[TL_XTRACE_WINDOWS];
	uint64_t *stored; /* addresses / 8 */
	size_t stored_count, stored_room;
	bool open;
	struct tl_xtrace_operand_slot *slots; /* operands of opcodes */
};

bool tl_xtrace_dependences_begin(struct tl_xtrace_dependences *d);
void tl_xtrace_dependences_free(struct tl_xtrace_dependences *d);
/* The next instruction; then its accesses. False without memory. */
bool tl_xtrace_dependences_step(struct tl_xtrace_dependences *d, uint32_t opcode);
bool tl_xtrace_dependences_access(struct tl_xtrace_dependences *d, bool store, uint64_t address,
				  uint64_t size);
/* All are over. False without memory. */
bool tl_xtrace_dependences_end(struct tl_xtrace_dependences *d);

#endif
