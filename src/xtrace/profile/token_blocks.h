/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_TOKEN_BLOCKS_H
#define TL_XTRACE_TOKEN_BLOCKS_H
/*
 * Token blocks: straight runs of instructions of one function, up to the first that may branch,
 * with the places of their tokens in the stream. A block that comes again is compared instead of
 * decoded: since the places are known, no load waits for the size of the token before it. Programs
 * have few blocks, so nearly every instruction is one of a known block. The plain way is a loop
 * over tl_xtrace_walk_next().
 *
 * A block's costs are those of its tokens. Where tokens come out differently (a load that faults, a
 * predicated store) there are a few variants; beyond these, instructions are counted one by one.
 */
#include <string.h>

#include "core/cursor.h"
#include "isa/a64/a64.h"
#include "xtrace/state/function_map.h"
#include "xtrace/format/walk.h"
#include "xtrace/state/sp_change.h"
#include "xtrace/profile/cost.h"

struct tl_xtrace_block_token {
	uint16_t offset; /* in the block */
	uint8_t byte;
	uint8_t opcode_at; /* in the token; 0: it has none */
	uint32_t opcode;
};

/* Sixteen bytes, which processors with vectors compare at once. */
typedef uint64_t tl_xtrace_chunk_bytes __attribute__((vector_size(16), aligned(8)));

/* A piece of a block, of which the bytes that are the same every time are compared. */
struct tl_xtrace_block_chunk {
	tl_xtrace_chunk_bytes value, mask;
};

struct tl_xtrace_block_insn {
	uint32_t opcode;
	uint16_t loads, stores;
	uint32_t load_bytes, store_bytes;
	struct tl_xtrace_cost *extra; /* counted one by one, and what was kept; NULL: nothing */
};

struct tl_xtrace_token_block {
	struct tl_xtrace_location place; /* of the first instruction */
	uint8_t head;                    /* its token byte */
	uint8_t flow;                    /* enum tl_a64_flow of the last instruction */
	bool direct;                     /* `target` is known */
	uint8_t sp_kind; /* of `sp`, kept here so that most blocks do not touch its cache line */
	/* where the TARGET_B token is, of an SVC the first SVCARG; 0: none */
	uint16_t target_at;
	uint16_t bytes, token_count, insn_count, chunk_count;
	bool sets_task;     /* its last instruction tells the task behind it */
	uint32_t mark;      /* for whoever walks along the blocks; 0 at first */
	uint64_t last, end; /* address of the last instruction; behind it */
	uint64_t target;
	struct tl_xtrace_block_times {
		uint64_t whole;   /* the whole block came */
		uint64_t stepped; /* its instructions came up to the last, counted one by one */
		uint64_t taken;   /* of both, the branch at the end was taken to `target` */
	} times, kept;            /* kept: at tl_xtrace_token_blocks_keep() */
	bool any_extra;
	struct tl_xtrace_cost cost;           /* of one time */
	struct tl_xtrace_block_chunk *chunks; /* of its bytes, and some behind that do not count */
	struct tl_xtrace_block_token *tokens;
	struct tl_xtrace_block_insn *insns;
	struct tl_xtrace_token_block
		*variant; /* the same address, head and first opcode, other tokens */
	/* came last behind this one: what differs, behind a branch or of variants, takes turns */
	struct tl_xtrace_token_block *next[2];
	struct tl_xtrace_sp_change sp;
};

struct tl_xtrace_token_blocks {
	struct tl_xtrace_function_map *functions;
	const uint8_t *kinds; /* by token byte, enum tl_xtrace_kind */
	const uint16_t *sizes;
	struct tl_arena arena;
	struct tl_xtrace_token_block *
		*slots; /* open addressing by address, head and first opcode */
	size_t mask, count;
	struct tl_xtrace_token_block **made; /* all, in the order in which they were made */
	size_t made_count, made_capacity, kept;
	struct tl_xtrace_questions *questions; /* in whose name places are looked up; or NULL */
	struct tl_a64_cache *cache;
	bool no_memory;
	/* Told of a place before it is looked up for a new block; NULL: nobody is. */
	void (*before_new)(void *arg, uint64_t pc, unsigned el);
	void *before_arg;
	bool ends_at_task; /* blocks end behind an instruction that may tell the task */
};

bool tl_xtrace_token_blocks_begin(struct tl_xtrace_token_blocks *blocks,
				  struct tl_xtrace_function_map *functions);
void tl_xtrace_token_blocks_free(struct tl_xtrace_token_blocks *blocks);

/* Keep what is counted, for a rewind: the blocks made since are dropped, and the counts of the
 * others are what they were. */
void tl_xtrace_token_blocks_keep(struct tl_xtrace_token_blocks *blocks);
void tl_xtrace_token_blocks_rewind(struct tl_xtrace_token_blocks *blocks);

/*
 * The block at an address, whose tokens stand at `p`; made if there is none. NULL: no whole
 * instruction stands there, or no memory. If it does not fit (tl_xtrace_token_block_fits()), the
 * caller counts the tokens there one by one.
 */
struct tl_xtrace_token_block *tl_xtrace_token_block_at(struct tl_xtrace_token_blocks *blocks,
						       uint64_t pc, const uint8_t *p,
						       const uint8_t *end);

/* The same as tl_xtrace_token_block_fits(), where the chunks reach over the end. */
bool tl_xtrace_token_block_fits_last(const struct tl_xtrace_token_blocks *blocks,
				     const struct tl_xtrace_token_block *block, const uint8_t *p,
				     const uint8_t *end);

/* Whether what stands at `p` is this block, and it ends there. */
static inline bool tl_xtrace_token_block_fits(const struct tl_xtrace_token_blocks *blocks,
					      const struct tl_xtrace_token_block *block,
					      const uint8_t *p, const uint8_t *end)
{
	const struct tl_xtrace_block_chunk *chunk = block->chunks,
					   *last = chunk + block->chunk_count;
	const uint8_t *at = p;
	tl_xtrace_chunk_bytes differs = { 0 };

	if (__builtin_expect(block->chunk_count * sizeof(chunk->value) >= (size_t)(end - p), 0))
		return tl_xtrace_token_block_fits_last(blocks, block, p, end);
	for (; chunk < last; chunk++, at += sizeof(chunk->value)) {
		tl_xtrace_chunk_bytes bytes;

		memcpy(&bytes, at, sizeof(bytes));
		differs |= (bytes ^ chunk->value) & chunk->mask;
	}
	return !(differs[0] | differs[1]) &&
	       tl_xtrace_ends_instruction(blocks->kinds[p[block->bytes]]);
}

/* Where the next instruction of a walk is; false: none begins there. */
static inline bool tl_xtrace_token_block_pc(const struct tl_xtrace_walk *w, uint64_t *pc)
{
	uint8_t kind = w->tokens->kind[*w->next];

	if (kind == TL_XTRACE_INST)
		*pc = w->pc_known ? w->pc + 4 : w->pc;
	else if (kind == TL_XTRACE_PCINST && w->end - w->next >= 13)
		*pc = tl_get64s(w->next + 1, TL_HOST_BIG_ENDIAN);
	else
		return false;
	return true;
}

/* Whether a block stands there. */
static inline bool tl_xtrace_token_block_stands(const struct tl_xtrace_token_blocks *blocks,
						const struct tl_xtrace_token_block *b,
						const struct tl_xtrace_walk *w, uint64_t pc)
{
	return b && b->place.pc == pc && b->head == *w->next &&
	       tl_xtrace_token_block_fits(blocks, b, w->next, w->end);
}

/*
 * The block there; `before` (NULL: none) remembers what comes behind it. `whole`: all of it stands
 * there, before the end of the walk's window, at which tl_xtrace_walk_next() has to be called. The
 * plain way is to ask tl_xtrace_token_block_at() each time.
 */
static inline struct tl_xtrace_token_block *
tl_xtrace_token_block_next(struct tl_xtrace_token_blocks *blocks,
			   struct tl_xtrace_token_block *before, const struct tl_xtrace_walk *w,
			   uint64_t pc, bool *whole)
{
	struct tl_xtrace_token_block *b = before ? before->next[0] : NULL;

	*whole = false;
	if (!tl_xtrace_token_block_stands(blocks, b, w, pc)) {
		b = before ? before->next[1] : NULL;
		if (!tl_xtrace_token_block_stands(blocks, b, w, pc)) {
			b = tl_xtrace_token_block_at(blocks, pc, w->next, w->end);
			if (before) {
				before->next[1] = before->next[0];
				before->next[0] = b;
			}
			if (!b || !tl_xtrace_token_block_fits(blocks, b, w->next, w->end))
				return b;
		}
	}
	*whole = b->bytes < (size_t)(w->stop - w->next);
	return b;
}

/* Go behind it. */
static inline void tl_xtrace_token_block_skip(const struct tl_xtrace_token_block *b,
					      struct tl_xtrace_walk *w)
{
	w->token = w->next;
	w->next += b->bytes;
	w->pc = b->last;
	w->pc_known = true;
}

#endif
