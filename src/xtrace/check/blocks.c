/* SPDX-License-Identifier: Apache-2.0 */
/* Which block stands at a place of the stream, and what is known of the program behind it. */
#include <stdlib.h>
#include <string.h>

#include "xtrace/check/code.h"

enum {
	FIRST_SLOTS = TL_AT_FIRST(1024, 16),
	MOST_SLOTS = 1 << 17,
	MOST_BYTES = 32 << 20, /* of all blocks, before they are made anew */
	MOST_MADE = 12,        /* blocks of one place */
	ENOUGH_VISITS = 2,     /* before the first is made, since much is executed once */
	BEHIND = 16,           /* bytes that operations may read behind a block */
};

void tl_xtrace_check_blocks_begin(struct tl_xtrace_check_blocks *blocks)
{
	*blocks = (struct tl_xtrace_check_blocks){ .mask = FIRST_SLOTS - 1 };
	blocks->slots = calloc(FIRST_SLOTS, sizeof(*blocks->slots));
}

void tl_xtrace_check_blocks_free(struct tl_xtrace_check_blocks *blocks)
{
	free(blocks->slots);
	tl_arena_free(&blocks->arena);
	*blocks = (struct tl_xtrace_check_blocks){ .slots = NULL };
}

/* ---- slots ---- */

static struct tl_xtrace_check_slot *slot_of(const struct tl_xtrace_check_blocks *blocks,
					    uint64_t pc, uint8_t head)
{
	size_t at = (size_t)tl_hash64(pc ^ (uint64_t)head << 56) & blocks->mask;

	while (blocks->slots[at].head &&
	       (blocks->slots[at].pc != pc || blocks->slots[at].head != head))
		at = (at + 1) & blocks->mask;
	return &blocks->slots[at];
}

/* Programs that have so many blocks begin anew; what is remembered of the last one stays. */
static void forget_blocks(struct tl_xtrace_check_stream *s)
{
	struct tl_xtrace_check_blocks *blocks = &s->blocks;

	if (blocks->last) {
		s->blocks.last_opcode = *s->last.op;
		s->last.op = &s->blocks.last_opcode;
	}
	blocks->last = NULL;
	tl_arena_free(&blocks->arena);
	memset(blocks->slots, 0, (blocks->mask + 1) * sizeof(*blocks->slots));
	blocks->count = 0;
}

static void grow(struct tl_xtrace_check_blocks *blocks)
{
	struct tl_xtrace_check_blocks grown = { .mask = blocks->mask * 2 + 1 };

	grown.slots = calloc(grown.mask + 1, sizeof(*grown.slots));
	for (size_t i = 0; grown.slots && i <= blocks->mask; i++)
		if (blocks->slots[i].head)
			*slot_of(&grown, blocks->slots[i].pc, blocks->slots[i].head) =
				blocks->slots[i];
	if (!grown.slots)
		return;
	free(blocks->slots);
	blocks->slots = grown.slots;
	blocks->mask = grown.mask;
}

/* Whether there is room for one slot more. */
static bool make_room(struct tl_xtrace_check_blocks *blocks)
{
	if (blocks->count * 2 > blocks->mask && blocks->mask < MOST_SLOTS - 1)
		grow(blocks);
	return blocks->count * 4 <= blocks->mask * 3;
}

static bool are_too_many(const struct tl_xtrace_check_blocks *blocks)
{
	return blocks->arena.total > MOST_BYTES || blocks->count * 4 > blocks->mask * 3;
}

/* ---- which block ---- */

/* What stands in the stream, and how far blocks may go. */
struct place {
	uint64_t pc;
	const uint8_t *p, *end; /* bytes that can be read */
	const uint8_t *kinds;   /* of tokens, by their bytes */
};

static bool same_tokens(const struct tl_xtrace_check_block *b, const uint8_t *p)
{
	const uint64_t *tokens = b->tokens, *mask = tokens + b->words;
	uint64_t differ = 0, word;

	for (uint16_t i = 0; i < b->words; i++) {
		memcpy(&word, p + 8 * (size_t)i, sizeof(word));
		differ |= (word ^ tokens[i]) & mask[i];
	}
	return !differ;
}

/* An exception may have kept the last instruction from ending. */
static bool may_be_interrupted(const struct tl_xtrace_check_block *b, const struct place *at)
{
	const uint8_t *next = at->p + b->bytes;

	return b->ends_with_access &&
	       (at->kinds[*next] == TL_XTRACE_ALLGPR ||
		(b->el && at->kinds[*next] == TL_XTRACE_PCINST && next[1] % 128 == 0));
}

static bool fits(const struct tl_xtrace_check_stream *s, const struct tl_xtrace_check_block *b,
		 const struct place *at)
{
	return b->pc == at->pc && (s->registers.known & b->reads) == b->known &&
	       (size_t)(at->end - at->p) >= (size_t)b->words * 8 + BEHIND &&
	       same_tokens(b, at->p) &&
	       tl_xtrace_ends_instruction((enum tl_xtrace_kind)at->kinds[at->p[b->bytes]]) &&
	       !may_be_interrupted(b, at);
}

/* A block of what stands there, if it comes often enough, but not again and again. */
static struct tl_xtrace_check_block *make(struct tl_xtrace_check_stream *s,
					  struct tl_xtrace_check_slot *slot, const struct place *at)
{
	struct tl_xtrace_check_block *b;

	if (slot->visits < ENOUGH_VISITS)
		slot->visits++;
	if (slot->visits < ENOUGH_VISITS || slot->made == MOST_MADE)
		return NULL;
	slot->made++;
	b = tl_xtrace_check_make_block(s, at->pc, at->p, at->end);
	if (!b)
		return NULL;
	b->variant = slot->blocks;
	slot->blocks = b;
	return fits(s, b, at) ? b : NULL;
}

static struct tl_xtrace_check_block *look_up(struct tl_xtrace_check_stream *s,
					     const struct place *at)
{
	struct tl_xtrace_check_slot *slot = slot_of(&s->blocks, at->pc, *at->p);

	if (!slot->head) {
		if (!make_room(&s->blocks))
			return NULL;
		slot = slot_of(&s->blocks, at->pc, *at->p);
		slot->pc = at->pc;
		slot->head = *at->p;
		s->blocks.count++;
	}
	for (struct tl_xtrace_check_block *b = slot->blocks; b; b = b->variant)
		if (fits(s, b, at))
			return b;
	return make(s, slot, at);
}

static struct tl_xtrace_check_block *find(struct tl_xtrace_check_stream *s, const struct place *at)
{
	struct tl_xtrace_check_block *before = s->blocks.last, *b = NULL;
	bool elsewhere = before && at->pc != before->behind;

	if (before)
		b = before->next[elsewhere];
	if (b && fits(s, b, at))
		return b;
	b = look_up(s, at);
	if (b && before)
		before->next[elsewhere] = b;
	return b;
}

/* ---- behind it ---- */

/* The addresses that the last instruction leads to. */
static inline void find_ways(struct tl_xtrace_check_stream *s,
			     const struct tl_xtrace_check_block *b, const uint8_t *p)
{
	uint64_t direct = b->behind - 4 + (uint64_t)(int64_t)b->last.a64.offset;
	bool taken, not_taken;

	switch (b->last.a64.flow) {
	case TL_A64_NEXT:
		s->blocks.next = s->blocks.other = b->behind;
		break;
	case TL_A64_JUMP:
	case TL_A64_CALL:
		s->blocks.next = s->blocks.other = direct;
		break;
	case TL_A64_CONDITIONAL:
		tl_xtrace_check_ways(&s->registers, b->last.a64.opcode, &taken, &not_taken);
		s->blocks.next = taken ? direct : b->behind;
		s->blocks.other = not_taken ? b->behind : direct;
		break;
	default:
		s->blocks.next = s->blocks.other =
			tl_get64s(p + b->target_at + 1, TL_HOST_BIG_ENDIAN);
	}
}

/* All of a block was right. */
static inline void take_whole(struct tl_xtrace_check_stream *s, struct tl_xtrace_check_block *b,
			      const uint8_t *p)
{
	s->registers.known = (s->registers.known & ~b->becomes_unknown) | b->becomes_known;
	s->counts.ordinal += b->insn_count;
	s->counts.user += b->el ? 0 : b->insn_count;
	s->blocks.last = b;
	find_ways(s, b, p);
}

/* Some instructions of it were. */
static void take_some(struct tl_xtrace_check_stream *s, const struct tl_xtrace_check_block *b,
		      uint32_t count)
{
	const struct tl_xtrace_check_block_insn *next = &b->insns[count];

	s->registers.known = (s->registers.known & ~next->unknown) | next->known;
	s->counts.ordinal += count;
	s->counts.user += b->el ? 0 : count;
	s->blocks.last = NULL;
}

/* The last instruction, number `count` - 1 of the block at `p`, as the plain way leaves it. */
static void leave(struct tl_xtrace_check_stream *s, const struct tl_xtrace_check_block *b,
		  const uint8_t *p, uint32_t count)
{
	const struct tl_xtrace_check_block_insn *insn = &b->insns[count - 1];
	struct tl_xtrace_check_insn *i = &s->last;
	bool whole = count == b->insn_count;

	i->op = whole ? &b->last : tl_xtrace_check_look(s->check, insn->opcode);
	i->pc = b->pc + 4 * (uint64_t)count - 4;
	i->offset = (uint64_t)(p + insn->at - s->stream->data);
	i->ordinal = s->counts.ordinal - 1;
	i->load = NULL;
	i->seen = insn->seen;
	i->lacks = 0;
	i->el = b->el;
	i->rank = i->svcargs = 0;
	i->pc_known = true;
	i->incomplete = i->misdirected = i->has_flags = false;
	if (whole && b->target_at)
		i->target = tl_get64s(p + b->target_at + 1, TL_HOST_BIG_ENDIAN);
	s->place.judged = true;
	s->walk.pc = i->pc;
	s->walk.token = p + insn->at;
	s->walk.next = p + (whole ? b->bytes : insn[1].at);
}

/* ---- the way in ---- */

/* Whether nothing is left to judge before the instruction at `pc`. */
static bool may_follow(const struct tl_xtrace_check_stream *s, uint64_t pc, unsigned el)
{
	const struct tl_xtrace_check_insn *i = &s->last;

	if (!i->op || i->el != el || !i->pc_known || s->allgpr || s->signals.probes_sp ||
	    s->code.differs || pc % 4)
		return false;
	if (s->blocks.last)
		return pc == s->blocks.next || pc == s->blocks.other;
	return i->op->simple && pc == i->pc + 4 && !i->incomplete && !i->lacks;
}

/* Behind block `b` the next one may stand: its place. */
static inline bool find_place(const struct tl_xtrace_check_stream *s,
			      const struct tl_xtrace_check_block *b, struct place *at)
{
	at->p += b->bytes;
	if ((size_t)(at->end - at->p) < TL_XTRACE_MAX_FIXED || *at->p >> 6 != b->el)
		return false;
	if (at->kinds[*at->p] == TL_XTRACE_INST)
		at->pc = b->behind;
	else if (at->kinds[*at->p] == TL_XTRACE_PCINST)
		at->pc = tl_get64s(at->p + 1, TL_HOST_BIG_ENDIAN);
	else
		return false;
	return (at->pc == s->blocks.next || at->pc == s->blocks.other) && at->pc % 4 == 0;
}

/* The last block that something was right of, where it stands, and of how many instructions. */
struct chain {
	const struct tl_xtrace_check_block *last;
	const uint8_t *p;
	uint32_t count;
};

/* Block after block, as long as nothing else comes. */
static void take_blocks(struct tl_xtrace_check_stream *s, struct place *at, const uint8_t *limit,
			struct chain *chain)
{
	struct tl_xtrace_check_block *b;
	uint32_t count;

	do {
		b = find(s, at);
		if (!b || b->bytes > (size_t)(limit - at->p))
			return;
		if (b->edition != s->code.edition && !tl_xtrace_check_code_take_block(s, b))
			return;
		count = tl_xtrace_check_run_block(s, b, at->p);
		if (!count)
			return;
		*chain = (struct chain){ b, at->p, count };
		if (count < b->insn_count) {
			take_some(s, b, count);
			return;
		}
		take_whole(s, b, at->p);
	} while (!s->check->status && find_place(s, b, at) && at->p < limit);
}

bool tl_xtrace_check_take_block(struct tl_xtrace_check_stream *s, struct tl_xtrace_walk *w,
				const uint8_t *limit)
{
	struct place at = { .p = w->next, .end = w->stop, .kinds = w->tokens->kind };
	struct chain chain = { .last = NULL };

	if (s->snapshots.at && s->snapshots.at < limit)
		limit = s->snapshots.at;
	at.pc = at.kinds[*at.p] == TL_XTRACE_INST ? s->walk.pc + 4
						  : tl_get64s(at.p + 1, TL_HOST_BIG_ENDIAN);
	if (at.p >= limit || !s->walk.pc_known || !may_follow(s, at.pc, *at.p >> 6))
		return false;
	if (are_too_many(&s->blocks))
		forget_blocks(s);
	take_blocks(s, &at, limit, &chain);
	if (!chain.last)
		return false;
	leave(s, chain.last, chain.p, chain.count);
	w->token = s->walk.token;
	w->next = s->walk.next;
	return true;
}
