/* SPDX-License-Identifier: Apache-2.0 */
/* One segment of a stream, folded on a local stack. */
#include <string.h>

#include "xtrace/fold.h"

/* ---- from block to block ---- */

struct run {
	struct xtrace_fold *fold;
	size_t segment;
	struct xtrace_worker *worker;
	struct xtrace_stack stack;
	struct xtrace_walk walk;
	struct xtrace_last last;
	struct xtrace_block *done; /* whose last instruction was the last one; NULL: none */
	const uint8_t *done_at;	   /* its tokens, if it came as it is; NULL: `last` is filled in */
};

static void fill_last(struct run *r)
{
	const struct xtrace_block *b = r->done;

	if (!r->done_at)
		return;
	r->last = (struct xtrace_last){
		.pc = b->last,
		.target = b->target,
		.flow = b->flow,
		.el = b->place.el,
		.has_target = b->direct || b->target_at,
		.valid = true,
	};
	if (!b->direct && b->target_at)
		r->last.target = tl_get64s(r->done_at + b->target_at + 1, TL_HOST_BIG_ENDIAN);
	r->done_at = NULL;
}

static bool same_indirect(const void *context, const void *key, uint32_t number)
{
	const struct xtrace_indirect *a = &((const struct xtrace_worker *)context)
						   ->indirect[number],
				     *b = key;

	return a->from == b->from && a->to == b->to && a->function == b->function;
}

static void count_indirect(struct run *r, const struct xtrace_place *to)
{
	struct xtrace_worker *w = r->worker;
	const struct xtrace_indirect key = { .from = r->last.pc,
					     .to = to->pc,
					     .function = to->function };
	uint64_t hash = tl_hash_pair(key.from, key.to);
	uint32_t found = tl_index_find(&w->indirect_index, hash, same_indirect, w, &key);

	if (found == TL_NONE) {
		if (w->indirect_count >= TL_NONE ||
		    !tl_grow(&w->indirect, &w->indirect_capacity, w->indirect_count + 1,
			     sizeof(*w->indirect)) ||
		    !tl_index_add(&w->indirect_index, hash, (uint32_t)w->indirect_count)) {
			r->stack.no_memory = true;
			return;
		}
		found = (uint32_t)w->indirect_count++;
		w->indirect[found] = key;
	}
	w->indirect[found].count++;
}

/* A branch to the next instruction goes there anyway: it counts as not taken. */
static void count_jump(struct run *r, const struct xtrace_place *to)
{
	if (r->done && r->last.flow == TL_A64_CONDITIONAL && to->pc == r->done->target &&
	    to->pc != r->done->end)
		r->done->taken++;
	if (r->last.flow == TL_A64_JUMP_REGISTER &&
	    (!r->last.has_target || r->last.target == to->pc) &&
	    to->function == xtrace_stack_top(&r->stack))
		count_indirect(r, to);
}

/* The step to a block, in full. */
static void step_to(struct run *r, const struct xtrace_block *next)
{
	struct xtrace_fold *fold = r->fold;

	fill_last(r);
	if (!r->last.valid) {
		const struct xtrace_step begin = { .kind = XTRACE_STEP_BEGIN, .to = next->place };

		tl_xtrace_stack_step(&r->stack, &begin);
		return;
	}
	if (next->place.el == r->last.el)
		count_jump(r, &next->place);
	tl_xtrace_step_to(&r->stack, &fold->functions, fold->gather ? &r->worker->entries : NULL,
			  &r->last, &next->place);
}

/* Nearly every step stays in its function: it is behind the block, or where its branch goes. */
static inline void step_quickly(struct run *r, const struct xtrace_block *next)
{
	struct xtrace_block *done = r->done;

	if (__builtin_expect(!r->done_at || done->place.function != next->place.function ||
				     done->place.el != next->place.el,
			     0)) {
		step_to(r, next);
	} else if (next->place.pc == done->end &&
		   (done->flow == TL_A64_NEXT || done->flow == TL_A64_CONDITIONAL)) {
		return;
	} else if (next->place.pc == done->target && done->flow == TL_A64_CONDITIONAL) {
		done->taken++;
	} else if (next->place.pc != done->target || done->flow != TL_A64_JUMP) {
		step_to(r, next);
	}
}

/* ---- instructions one by one ---- */

static void add_extra(struct run *r, struct xtrace_block *b, size_t number,
		      const struct xtrace_cost *cost)
{
	struct xtrace_block_insn *insn = &b->insns[number];

	if (!insn->extra) {
		insn->extra = tl_arena_alloc(&r->worker->blocks.arena, sizeof(*insn->extra));
		if (!insn->extra) {
			r->stack.no_memory = true;
			return;
		}
		memset(insn->extra, 0, sizeof(*insn->extra));
	}
	xtrace_cost_add(insn->extra, cost);
	xtrace_cost_add(&r->stack.run, cost);
}

/* What belongs to the present instruction. */
static void take_tokens(struct run *r, struct xtrace_cost *cost)
{
	struct xtrace_walk *w = &r->walk;

	while (w->next < w->end && !xtrace_ends_instruction(w->tokens->kind[*w->next])) {
		switch (xtrace_walk_next(w)) {
		case TL_XTRACE_NONE:
			return;
		case TL_XTRACE_LOAD:
			cost->n[XTRACE_LOADS]++;
			cost->n[XTRACE_LOAD_BYTES] += (int64_t)xtrace_access_size(*w->token);
			break;
		case TL_XTRACE_STORE:
			cost->n[XTRACE_STORES]++;
			cost->n[XTRACE_STORE_BYTES] += (int64_t)xtrace_access_size(*w->token);
			break;
		case TL_XTRACE_TARGET_B:
			r->last.target = xtrace_walk_value(w);
			r->last.has_target = true;
			break;
		default:
			break;
		}
	}
}

/* Whether instruction `number` of a block stands next in the stream. */
static bool comes_next(const struct run *r, const struct xtrace_block *b, size_t number)
{
	const uint8_t *p = r->walk.next;

	return number < b->insn_count && r->walk.end - p >= 5 &&
	       r->walk.tokens->kind[*p] == TL_XTRACE_INST && *p >> 6 == b->place.el &&
	       tl_get32s(p + 1, TL_HOST_BIG_ENDIAN) == b->insns[number].opcode;
}

/* A block whose tokens came out otherwise than usual: as much of it as is there. False: the walk is
 * over. */
static bool one_by_one(struct run *r, struct xtrace_block *b)
{
	enum tl_xtrace_kind kind = xtrace_walk_next(&r->walk);
	size_t i = 0;

	if (!xtrace_is_instruction(kind))
		return kind != TL_XTRACE_NONE;
	do {
		struct xtrace_cost cost = {
			{ [XTRACE_IR] = 1, [XTRACE_IR_KERNEL] = b->place.el > 0 }
		};

		if (i)
			kind = xtrace_walk_next(&r->walk);
		if (kind == TL_XTRACE_NONE)
			break;
		xtrace_walk_instruction(&r->walk, kind);
		r->last = (struct xtrace_last){
			.pc = r->walk.pc, .flow = TL_A64_NEXT, .el = b->place.el, .valid = true
		};
		take_tokens(r, &cost);
		add_extra(r, b, i++, &cost);
	} while (comes_next(r, b, i));
	r->done = NULL;
	r->done_at = NULL;
	if (i < b->insn_count)
		return true;
	b->last_count++;
	r->done = b;
	r->last.flow = b->flow;
	if (b->direct) {
		r->last.target = b->target;
		r->last.has_target = true;
	}
	return true;
}

/* ---- a segment ---- */

static void take_whole(struct run *r, struct xtrace_block *b)
{
	b->count++;
	xtrace_cost_add(&r->stack.run, &b->cost);
	r->done = b;
	r->done_at = r->walk.next;
	xtrace_block_skip(b, &r->walk);
}

/* Spans that are many are not kept: memory does not grow with the segment. */
enum { MANY_SPANS = 1024 };

static void give_spans(struct run *r)
{
	tl_xtrace_fold_spans(r->fold, r->segment, r->stack.spans, r->stack.span_count);
	r->stack.spans = NULL;
	r->stack.span_count = r->stack.span_capacity = 0;
}

static void fold_walk(struct run *r)
{
	struct xtrace_walk *w = &r->walk;

	while (w->next < w->end && !r->stack.no_memory && !r->worker->blocks.no_memory) {
		struct xtrace_block *b = NULL;
		uint64_t pc;

		if (xtrace_block_pc(w, &pc))
			b = xtrace_block_next(&r->worker->blocks, r->done, w, pc);
		if (!b) {
			if (xtrace_walk_next(w) == TL_XTRACE_NONE)
				break;
			continue;
		}
		step_quickly(r, b);
		if (__builtin_expect(r->stack.span_count >= MANY_SPANS, 0))
			give_spans(r);
		if (xtrace_block_is_whole(&r->worker->blocks, b, w))
			take_whole(r, b);
		else if (!one_by_one(r, b))
			break;
	}
	xtrace_walk_next(w); /* how it ends, if it has not yet */
}

void tl_xtrace_fold_segment(struct xtrace_fold *fold, struct xtrace_worker *worker,
			    struct xtrace_walk *walk, size_t segment,
			    struct xtrace_part *part)
{
	struct run r = { .fold = fold, .segment = segment, .worker = worker, .walk = *walk };

	if (!tl_xtrace_stack_begin(&r.stack, true, fold->options.lines)) {
		part->no_memory = true;
		return;
	}
	fold_walk(&r);
	*walk = r.walk;
	fill_last(&r);
	part->last = r.last;
	part->gap = r.walk.status != TL_OK;
	if (r.last.valid)
		tl_xtrace_stack_close_local(&r.stack);
	part->no_memory = r.stack.no_memory || worker->blocks.no_memory;
	part->spans = r.stack.spans;
	part->span_count = r.stack.span_count;
	r.stack.spans = NULL;
	r.stack.span_count = 0;
	tl_xtrace_stack_free(&r.stack);
}
