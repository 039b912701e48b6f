/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/profile/token_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "core/tables/at_first.h"
#include "xtrace/state/registers.h"

enum {
	MAX_INSNS = 64,
	MAX_TOKENS = 256,
	MAX_BYTES = 16384,
	MAX_VARIANTS = 4,
	FIRST_SLOTS = TL_AT_FIRST(1024, 16)
};

bool tl_xtrace_token_blocks_begin(struct tl_xtrace_token_blocks *blocks,
				  struct tl_xtrace_function_map *functions)
{
	*blocks =
		(struct tl_xtrace_token_blocks){ .functions = functions, .mask = FIRST_SLOTS - 1 };
	blocks->slots = calloc(FIRST_SLOTS, sizeof(struct tl_xtrace_token_block *));
	blocks->cache = malloc(sizeof(*blocks->cache));
	if (!blocks->slots || !blocks->cache) {
		tl_xtrace_token_blocks_free(blocks);
		return false;
	}
	tl_a64_cache_begin(blocks->cache);
	return true;
}

void tl_xtrace_token_blocks_free(struct tl_xtrace_token_blocks *blocks)
{
	tl_arena_free(&blocks->arena);
	free(blocks->slots);
	free(blocks->made);
	free(blocks->cache);
	*blocks = (struct tl_xtrace_token_blocks){ 0 };
}

/* ---- making one ---- */

/* A block under construction, with room for the largest one. */
struct draft {
	struct tl_xtrace_token_block block;
	struct tl_xtrace_block_token tokens[MAX_TOKENS];
	struct tl_xtrace_block_insn insns[MAX_INSNS];
	uint16_t accesses[MAX_INSNS]; /* the first one's token of each instruction, 0: none */
};

static void draft_access(struct draft *d, uint8_t byte, bool store, uint16_t token)
{
	struct tl_xtrace_block_insn *insn = &d->insns[d->block.insn_count - 1];
	uint32_t size = (uint32_t)tl_xtrace_access_size(byte);

	if (!d->accesses[d->block.insn_count - 1])
		d->accesses[d->block.insn_count - 1] = token;
	if (store) {
		insn->stores++;
		insn->store_bytes += size;
	} else {
		insn->loads++;
		insn->load_bytes += size;
	}
}

/* DC ZVA stores zeros, for which there is no STORE token. */
static void draft_zero(struct draft *d)
{
	struct tl_xtrace_block_insn *insn = &d->insns[d->block.insn_count - 1];

	insn->stores++;
	insn->store_bytes += TL_XTRACE_ZVA_BYTES;
}

static void draft_instruction(struct tl_xtrace_token_blocks *blocks, struct draft *d,
			      const uint8_t *p, unsigned opcode_at)
{
	uint32_t opcode = tl_get32s(p + opcode_at, TL_HOST_BIG_ENDIAN);
	const struct tl_a64 *known = tl_a64_look(blocks->cache, opcode);
	struct tl_xtrace_token_block *b = &d->block;

	b->last = b->end;
	b->end += 4;
	b->flow = known->flow;
	b->direct = known->target;
	b->target = b->last + (uint64_t)(int64_t)known->offset;
	d->insns[b->insn_count++] = (struct tl_xtrace_block_insn){ .opcode = opcode };
	d->tokens[b->token_count - 1].opcode_at = (uint8_t)opcode_at;
	d->tokens[b->token_count - 1].opcode = opcode;
}

static bool sets_task(const struct draft *d)
{
	return d->block.insn_count &&
	       tl_xtrace_writes_task(d->insns[d->block.insn_count - 1].opcode);
}

/* Whether the token at `p` still belongs to the block. */
static bool goes_on(const struct tl_xtrace_token_blocks *blocks, const struct draft *d,
		    const uint8_t *p, size_t left)
{
	const struct tl_xtrace_token_block *b = &d->block;
	uint8_t kind;

	if (!left || b->token_count == MAX_TOKENS || b->bytes > MAX_BYTES || !blocks->sizes[*p] ||
	    blocks->sizes[*p] > left)
		return false;
	kind = blocks->kinds[*p];
	if (kind == TL_XTRACE_INST)
		return b->flow == TL_A64_NEXT && *p >> 6 == b->place.el &&
		       !(blocks->ends_at_task && sets_task(d)) && b->insn_count < MAX_INSNS &&
		       tl_xtrace_locate_for(blocks->functions, blocks->questions, b->end,
					    b->place.el)
				       .function == b->place.function;
	return !tl_xtrace_ends_instruction(kind);
}

/* Collect the tokens of the block at `p`. False: no whole instruction stands there. */
static bool draft(struct tl_xtrace_token_blocks *blocks, struct draft *d, const uint8_t *p,
		  const uint8_t *end)
{
	const uint8_t *begin = p;
	struct tl_xtrace_token_block *b = &d->block;

	if (!blocks->sizes[*p] || blocks->sizes[*p] > (size_t)(end - p))
		return false;
	do {
		uint8_t kind = blocks->kinds[*p];

		d->tokens[b->token_count++] =
			(struct tl_xtrace_block_token){ (uint16_t)(p - begin), *p, 0, 0 };
		if (kind == TL_XTRACE_INST)
			draft_instruction(blocks, d, p, 1);
		else if (kind == TL_XTRACE_PCINST)
			draft_instruction(blocks, d, p, 9);
		else if (kind == TL_XTRACE_LOAD || kind == TL_XTRACE_STORE)
			draft_access(d, *p, kind == TL_XTRACE_STORE, (uint16_t)(p - begin));
		else if (kind == TL_XTRACE_DC)
			draft_zero(d);
		else if (kind == TL_XTRACE_TARGET_B || (kind == TL_XTRACE_SVCARG && !b->target_at))
			b->target_at = (uint16_t)(p - begin);
		p += blocks->sizes[*p];
		b->bytes = (uint16_t)(p - begin);
	} while (goes_on(blocks, d, p, (size_t)(end - p)));
	return true;
}

static void sum_costs(struct draft *d)
{
	struct tl_xtrace_token_block *b = &d->block;
	int64_t *n = b->cost.n;

	n[TL_XTRACE_IR] = b->insn_count;
	n[TL_XTRACE_IR_KERNEL] = b->place.el ? b->insn_count : 0;
	for (size_t i = 0; i < b->insn_count; i++) {
		n[TL_XTRACE_LOADS] += d->insns[i].loads;
		n[TL_XTRACE_STORES] += d->insns[i].stores;
		n[TL_XTRACE_LOAD_BYTES] += d->insns[i].load_bytes;
		n[TL_XTRACE_STORE_BYTES] += d->insns[i].store_bytes;
	}
}

static void sum_sp(struct draft *d)
{
	for (uint16_t i = 0; i < d->block.insn_count; i++)
		tl_xtrace_sp_change_add(&d->block.sp, d->insns[i].opcode, i, d->accesses[i]);
	d->block.sp_kind = d->block.sp.kind;
}

/* What is the same every time: the bytes of tokens, and opcodes. */
static void fill_chunks(const struct tl_xtrace_token_block *b, const uint8_t *p)
{
	enum { BYTES = sizeof(b->chunks->value) };

	memset(b->chunks, 0, b->chunk_count * sizeof(*b->chunks));
	for (size_t i = 0; i < b->token_count; i++) {
		const struct tl_xtrace_block_token *t = &b->tokens[i];
		unsigned size = t->opcode_at ? t->opcode_at + 4 : 1;

		for (unsigned j = 0; j < size; j++) {
			size_t at = t->offset + j;
			struct tl_xtrace_block_chunk *chunk = &b->chunks[at / BYTES];

			if (j && j < t->opcode_at)
				continue;
			((uint8_t *)&chunk->value)[at % BYTES] = p[at];
			((uint8_t *)&chunk->mask)[at % BYTES] = UINT8_MAX;
		}
	}
}

static struct tl_xtrace_token_block *keep(struct tl_xtrace_token_blocks *blocks, struct draft *d,
					  const uint8_t *p)
{
	struct tl_xtrace_token_block *b = tl_arena_alloc(&blocks->arena, sizeof(*b));
	size_t tokens = d->block.token_count * sizeof(*b->tokens),
	       insns = d->block.insn_count * sizeof(*b->insns);

	d->block.chunk_count = (uint16_t)((d->block.bytes + 15u) / 16);
	d->block.chunks =
		tl_arena_alloc(&blocks->arena, d->block.chunk_count * sizeof(*d->block.chunks));
	d->block.tokens = tl_arena_alloc(&blocks->arena, tokens);
	d->block.insns = tl_arena_alloc(&blocks->arena, insns);
	if (!b || !d->block.tokens || !d->block.insns || !d->block.chunks ||
	    !tl_grow(&blocks->made, &blocks->made_capacity, blocks->made_count + 1,
		     sizeof(struct tl_xtrace_token_block *))) {
		blocks->no_memory = true;
		return NULL;
	}
	blocks->made[blocks->made_count++] = b;
	memcpy(d->block.tokens, d->tokens, tokens);
	memcpy(d->block.insns, d->insns, insns);
	fill_chunks(&d->block, p);
	*b = d->block;
	return b;
}

static struct tl_xtrace_token_block *make(struct tl_xtrace_token_blocks *blocks, uint64_t pc,
					  const uint8_t *p, const uint8_t *end)
{
	struct draft d = { .block = { .head = *p } };

	if (blocks->before_new)
		blocks->before_new(blocks->before_arg, pc, *p >> 6);
	d.block.place = tl_xtrace_locate_for(blocks->functions, blocks->questions, pc, *p >> 6);
	d.block.end = pc;
	if (d.block.place.function == TL_NONE) {
		blocks->no_memory = true;
		return NULL;
	}
	if (!draft(blocks, &d, p, end))
		return NULL;
	d.block.sets_task = blocks->ends_at_task && sets_task(&d);
	sum_costs(&d);
	sum_sp(&d);
	return keep(blocks, &d, p);
}

/* ---- finding one ---- */

bool tl_xtrace_token_block_fits_last(const struct tl_xtrace_token_blocks *blocks,
				     const struct tl_xtrace_token_block *block, const uint8_t *p,
				     const uint8_t *end)
{
	const struct tl_xtrace_block_token *t = block->tokens, *last = t + block->token_count;

	if (block->bytes >= (size_t)(end - p))
		return false;
	for (; t < last; t++) {
		const uint8_t *at = p + t->offset;

		if (*at != t->byte)
			return false;
		if (t->opcode_at && tl_get32s(at + t->opcode_at, TL_HOST_BIG_ENDIAN) != t->opcode)
			return false;
	}
	return tl_xtrace_ends_instruction(blocks->kinds[p[block->bytes]]);
}

static size_t home(const struct tl_xtrace_token_blocks *blocks, uint64_t pc, uint8_t head,
		   uint32_t opcode)
{
	return (size_t)tl_hash_pair(pc ^ (uint64_t)head << 56, opcode) & blocks->mask;
}

static bool grow(struct tl_xtrace_token_blocks *blocks)
{
	size_t old = blocks->mask + 1, mask = old * 2 - 1;
	struct tl_xtrace_token_block **slots = calloc(old * 2,
						      sizeof(struct tl_xtrace_token_block *)),
				     **before = blocks->slots;

	if (!slots)
		return false;
	blocks->slots = slots;
	blocks->mask = mask;
	for (size_t i = 0; i < old; i++) {
		size_t at;

		if (!before[i])
			continue;
		at = home(blocks, before[i]->place.pc, before[i]->head, before[i]->insns[0].opcode);
		while (slots[at])
			at = (at + 1) & mask;
		slots[at] = before[i];
	}
	free(before);
	return true;
}

/* The slot of a block, or the empty slot in which it would be put. */
static struct tl_xtrace_token_block **slot_of(struct tl_xtrace_token_blocks *blocks, uint64_t pc,
					      uint8_t head, uint32_t opcode)
{
	size_t at = home(blocks, pc, head, opcode);

	while (blocks->slots[at] &&
	       (blocks->slots[at]->place.pc != pc || blocks->slots[at]->head != head ||
		blocks->slots[at]->insns[0].opcode != opcode))
		at = (at + 1) & blocks->mask;
	return &blocks->slots[at];
}

/* Another block of the same address, head and first opcode. */
static void add_variant(struct tl_xtrace_token_block *first, struct tl_xtrace_token_block *made)
{
	made->variant = first->variant;
	first->variant = made;
}

static uint32_t first_opcode(const struct tl_xtrace_token_blocks *blocks, const uint8_t *p)
{
	return tl_get32s(p + (blocks->kinds[*p] == TL_XTRACE_PCINST ? 9 : 1), TL_HOST_BIG_ENDIAN);
}

/* The variant that fits, a new one, or any when there are enough of them. */
static struct tl_xtrace_token_block *another(struct tl_xtrace_token_blocks *blocks,
					     struct tl_xtrace_token_block *first, const uint8_t *p,
					     const uint8_t *end)
{
	struct tl_xtrace_token_block *made;
	unsigned count = 0;

	for (struct tl_xtrace_token_block *b = first; b; b = b->variant, count++)
		if (tl_xtrace_token_block_fits(blocks, b, p, end))
			return b;
	if (count >= MAX_VARIANTS)
		return first;
	made = make(blocks, first->place.pc, p, end);
	if (made)
		add_variant(first, made);
	return made;
}

struct tl_xtrace_token_block *tl_xtrace_token_block_at(struct tl_xtrace_token_blocks *blocks,
						       uint64_t pc, const uint8_t *p,
						       const uint8_t *end)
{
	struct tl_xtrace_token_block **slot;
	uint32_t opcode;

	if (blocks->sizes[*p] > (size_t)(end - p))
		return NULL;
	opcode = first_opcode(blocks, p);
	slot = slot_of(blocks, pc, *p, opcode);
	if (*slot)
		return another(blocks, *slot, p, end);
	if (blocks->count * 2 > blocks->mask) {
		if (!grow(blocks)) {
			blocks->no_memory = true;
			return NULL;
		}
		slot = slot_of(blocks, pc, *p, opcode);
	}
	*slot = make(blocks, pc, p, end);
	blocks->count += *slot != NULL;
	return *slot;
}

/* ---- keeping counts ---- */

static void keep_extra(struct tl_xtrace_token_block *b, bool rewind)
{
	for (size_t i = 0; i < b->insn_count; i++) {
		struct tl_xtrace_cost *extra = b->insns[i].extra;

		if (extra && rewind)
			extra[0] = extra[1];
		else if (extra)
			extra[1] = extra[0];
	}
}

void tl_xtrace_token_blocks_keep(struct tl_xtrace_token_blocks *blocks)
{
	blocks->kept = blocks->made_count;
	for (size_t i = 0; i < blocks->made_count; i++) {
		struct tl_xtrace_token_block *b = blocks->made[i];

		b->kept = b->times;
		if (b->any_extra)
			keep_extra(b, false);
	}
}

void tl_xtrace_token_blocks_rewind(struct tl_xtrace_token_blocks *blocks)
{
	memset(blocks->slots, 0, (blocks->mask + 1) * sizeof(struct tl_xtrace_token_block *));
	blocks->made_count = blocks->kept;
	blocks->count = 0;
	for (size_t i = 0; i < blocks->made_count; i++) {
		struct tl_xtrace_token_block *b = blocks->made[i];
		struct tl_xtrace_token_block **slot =
			slot_of(blocks, b->place.pc, b->head, b->insns[0].opcode);

		b->times = b->kept;
		if (b->any_extra)
			keep_extra(b, true);
		b->next[0] = b->next[1] = b->variant = NULL;
		if (*slot)
			add_variant(*slot, b);
		else
			*slot = b;
		blocks->count += *slot == b;
	}
}
