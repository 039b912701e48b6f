/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_FLOW_BLOCKS_H
#define TL_FLOW_BLOCKS_H
/*
 * The blocks of a trace, and the trace as a list of their numbers. A block is a run of instructions
 * up to the first branch, however the trace was cut there: decoders end what they call a block
 * where a packet, a snapshot or an interrupt stands, too, and two traces of the same path are cut
 * at different places. Such pieces are joined here, so that equal paths are equal lists.
 *
 * A block's identity is a hash of its place (object and offset, so that layouts of the address
 * space do not matter), its number of instructions and their code. Code of no known file has the
 * offset in its page as its place: that much of an address is the same in every layout.
 */
#include <tracelathe/core.h>

#include "core/memory.h"

/* How a block ends. */
enum tl_flow_end {
	TL_FLOW_CUT, /* no branch: the trace goes on elsewhere, or the next piece follows */
	TL_FLOW_BRANCH,
	TL_FLOW_CALL,
	TL_FLOW_RETURN,
};

/* Where code is: what a producer knows of an address. Strings live as long as the producer. */
struct tl_flow_place {
	const char *object;   /* name of its file, "": unknown */
	uint64_t offset;      /* in the object; unknown object: the address */
	const char *function; /* "": unknown; NULL: the source's name() finds it */
	uint64_t into;        /* bytes behind the function's first one */
	uint32_t origin;      /* for name() */
};

struct tl_flow_block {
	uint64_t hash; /* the identity */
	uint64_t code; /* a hash of the instructions */
	uint64_t address, end;
	const uint32_t *starts; /* of the instructions, in bytes behind `address` */
	uint32_t count;         /* of instructions; 0: the block stands for a gap */
	uint8_t ends;           /* enum tl_flow_end */
	struct tl_flow_place place;
};

/* An instruction of a piece. */
struct tl_flow_insn {
	uint64_t address, size;
	uint64_t code; /* any number that is the same for the same bytes */
};

/* From this element on, the blocks come from this place of the file. */
struct tl_flow_mark {
	size_t at;
	uint64_t offset;
};

/* A part of a trace: blocks in the order of execution. Element i is of block number[i]. */
struct tl_flow_list {
	uint32_t *numbers;
	size_t count, number_room;
	struct tl_flow_mark *marks;
	size_t mark_count, mark_room;
};

struct tl_flow_blocks {
	struct tl_flow_block *list;
	size_t count, capacity;
	struct tl_index index;
	struct tl_arena arena;
	struct tl_names names;  /* for producers: strings of places */
	struct tl_index joints; /* pairs of pieces that were joined before */
	struct tl_flow_joint *joint_list;
	size_t joint_count, joint_capacity;
	uint32_t pending; /* a piece that the next one may belong to, TL_NONE: none */
	uint32_t gap;     /* number of the block of gaps, TL_NONE: none yet */
	uint64_t salt;    /* of the hash of gaps: they equal nothing of the other trace */
	bool no_memory;
};

void tl_flow_blocks_begin(struct tl_flow_blocks *blocks, uint64_t salt);
void tl_flow_blocks_free(struct tl_flow_blocks *blocks);

/* The number of a block, which is added if it is new; TL_NONE without memory. */
uint32_t tl_flow_block_add(struct tl_flow_blocks *blocks, const struct tl_flow_insn *insns,
			   size_t count, enum tl_flow_end ends, const struct tl_flow_place *place);

/* What `hash` of a block is. */
uint64_t tl_flow_identity(const struct tl_flow_block *block);

/* Room for `more` pieces in a list; every piece may end one that is pending. False: no memory. */
bool tl_flow_list_room(struct tl_flow_list *list, size_t more);
/* What is put on the list next stands behind this offset of the file. False: no memory. */
bool tl_flow_list_mark(struct tl_flow_list *list, uint64_t offset);
void tl_flow_list_free(struct tl_flow_list *list);

/* The piece that was executed next, where it may have to be joined. */
void tl_flow_put_piece(struct tl_flow_blocks *blocks, struct tl_flow_list *list, uint32_t number);
/* What was pending is all there is of it: the trace ends, or is cut. */
void tl_flow_put_end(struct tl_flow_blocks *blocks, struct tl_flow_list *list);
/* A part of the trace is missing here. */
void tl_flow_put_gap(struct tl_flow_blocks *blocks, struct tl_flow_list *list);

/*
 * What a producer keeps of a block, by its own numbers: the block's number, with this bit where it
 * is a piece that may have to be joined. TL_NONE, which has the bit, too: not looked at yet.
 */
#define TL_FLOW_PIECE (UINT32_C(1) << 31)

static inline uint32_t tl_flow_known(const struct tl_flow_blocks *blocks, uint32_t number)
{
	return number | (blocks->list[number].ends == TL_FLOW_CUT ? TL_FLOW_PIECE : 0);
}

/* The block that was executed next, as tl_flow_known() tells. The list has room. */
static inline void tl_flow_put(struct tl_flow_blocks *blocks, struct tl_flow_list *list,
			       uint32_t known)
{
	if (__builtin_expect(known >= TL_FLOW_PIECE || blocks->pending != TL_NONE, 0))
		tl_flow_put_piece(blocks, list, known & ~TL_FLOW_PIECE);
	else
		list->numbers[list->count++] = known;
}

#endif
