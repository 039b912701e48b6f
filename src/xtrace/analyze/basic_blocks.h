/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_BASIC_BLOCKS_H
#define TL_XTRACE_BASIC_BLOCKS_H
/*
 * Basic blocks as they were executed: from where control arrived (behind a branch, taken or not; a
 * change of the exception level; a gap) to the next branch or system call. A block is known by its
 * first address; an exception in its midst ends it early.
 *
 * PCINST tokens do not make blocks: collectors write them in straight-line code, too (section 5).
 */
#include "xtrace/state/address_ids.h"

struct tl_xtrace_basic_block {
	uint64_t address;
	uint32_t el;
	uint32_t length; /* instructions, of its longest execution */
	uint64_t executions, instructions;
	uint64_t in_interval; /* instructions */
};

/* Zero-filled is the beginning. */
struct tl_xtrace_basic_blocks {
	struct tl_xtrace_address_ids numbers; /* address | exception level */
	struct tl_xtrace_basic_block *list;
	size_t room;
	uint32_t *touched; /* blocks of this interval */
	size_t touched_count, touched_room;
};

/* Where a stream is. Zero-filled is the beginning. */
struct tl_xtrace_block_position {
	uint32_t block; /* plus 1; 0: none */
	uint32_t length;
	uint32_t counted; /* of it, in intervals */
	uint32_t el;
	uint64_t next; /* where it goes on */
};

/*
 * "Branches, exception generating and system instructions", but those that go on behind themselves.
 */
static inline bool tl_xtrace_ends_block(uint32_t opcode)
{
	return (opcode >> 26 & 7) == 5 && opcode >> 24 != 0xd5;
}

/* Leave the block a stream is in. False without memory. */
bool tl_xtrace_basic_block_leave(struct tl_xtrace_basic_blocks *blocks,
				 struct tl_xtrace_block_position *place);
/* Enter the block at an address. False without memory. */
bool tl_xtrace_basic_block_enter(struct tl_xtrace_basic_blocks *blocks,
				 struct tl_xtrace_block_position *place, uint64_t pc, unsigned el);
/* Add what was executed of the present block to the interval. */
bool tl_xtrace_basic_block_count(struct tl_xtrace_basic_blocks *blocks,
				 struct tl_xtrace_block_position *place);
/* Blocks of the interval in the order of their numbers; then a new interval begins. */
const uint32_t *tl_xtrace_basic_blocks_interval(struct tl_xtrace_basic_blocks *blocks,
						size_t *count);
void tl_xtrace_basic_blocks_next_interval(struct tl_xtrace_basic_blocks *blocks);
void tl_xtrace_basic_blocks_free(struct tl_xtrace_basic_blocks *blocks);

/* An instruction of a stream. False without memory. */
static inline bool tl_xtrace_basic_block_step(struct tl_xtrace_basic_blocks *blocks,
					      struct tl_xtrace_block_position *place, uint64_t pc,
					      unsigned el, uint32_t opcode)
{
	if ((!place->block || pc != place->next || el != place->el) &&
	    !(tl_xtrace_basic_block_leave(blocks, place) &&
	      tl_xtrace_basic_block_enter(blocks, place, pc, el)))
		return false;
	place->length++;
	place->next = pc + 4;
	return !tl_xtrace_ends_block(opcode) || tl_xtrace_basic_block_leave(blocks, place);
}

#endif
