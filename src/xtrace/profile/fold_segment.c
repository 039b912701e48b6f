/* SPDX-License-Identifier: Apache-2.0 */
/* One segment of a stream, folded on a local stack. */
#include <string.h>

#include "xtrace/profile/fold.h"
#include "xtrace/state/registers.h"
#include "xtrace/format/snapshot.h"

enum { ALL_LEVELS = 15 };

/* ---- from block to block ---- */

/* What counts, where not all does, and which bin it goes to. */
struct part_run {
	bool any;        /* else all counts, in one bin */
	unsigned levels; /* exception levels that count here, as bits */
	const struct tl_xtrace_place *next, *end;
	const uint8_t *limit; /* where the next place is, or the end */
	unsigned before;      /* those that counted at the instruction before */
	uint8_t level;        /* plus 1; 0: not known yet */
	uint64_t task;        /* that an instruction told */
};

struct run {
	struct tl_xtrace_fold *fold;
	size_t segment;
	struct tl_xtrace_fold_worker *worker;
	struct tl_xtrace_call_stack stack;
	struct tl_xtrace_walk walk;
	struct tl_xtrace_prev_insn last;
	struct tl_xtrace_token_block
		*done;            /* whose last instruction was the last one; NULL: none */
	const uint8_t *done_at;   /* its tokens, if it came as it is; NULL: `last` is filled in */
	const uint8_t *filled_at; /* its tokens, if they did before `last` was filled in */
	struct tl_xtrace_observed_sp observed; /* by the boundary before the next instruction */
	struct part_run part;
};

static void fill_last(struct run *r)
{
	const struct tl_xtrace_token_block *b = r->done;

	if (!r->done_at)
		return;
	r->last = (struct tl_xtrace_prev_insn){
		.pc = b->last,
		.target = b->target,
		.flow = b->flow,
		.el = b->place.el,
		.has_target = b->direct || b->target_at,
		.valid = true,
	};
	if (!b->direct && b->target_at)
		r->last.target = tl_get64s(r->done_at + b->target_at + 1, TL_HOST_BIG_ENDIAN);
	r->filled_at = r->done_at;
	r->done_at = NULL;
}

static bool same_indirect(const void *context, const void *key, uint32_t number)
{
	const struct tl_xtrace_indirect_jump *a = &((const struct tl_xtrace_fold_worker *)context)
							   ->indirect[number],
					     *b = key;

	return a->from == b->from && a->to == b->to && a->function == b->function;
}

static uint64_t hash_indirect(const struct tl_xtrace_indirect_jump *jump)
{
	return tl_hash_pair(jump->from, jump->to);
}

void tl_xtrace_fold_worker_keep(struct tl_xtrace_fold_worker *w)
{
	tl_xtrace_token_blocks_keep(&w->blocks);
	w->indirect_kept = w->indirect_count;
	for (size_t i = 0; i < w->indirect_count; i++)
		w->indirect[i].kept = w->indirect[i].count;
}

bool tl_xtrace_fold_worker_rewind(struct tl_xtrace_fold_worker *w)
{
	tl_xtrace_token_blocks_rewind(&w->blocks);
	tl_index_free(&w->indirect_index);
	w->indirect_index = (struct tl_index){ 0 };
	w->indirect_count = w->indirect_kept;
	for (size_t i = 0; i < w->indirect_count; i++) {
		w->indirect[i].count = w->indirect[i].kept;
		if (!tl_index_add(&w->indirect_index, hash_indirect(&w->indirect[i]), (uint32_t)i))
			return false;
	}
	return true;
}

static void count_indirect(struct run *r, const struct tl_xtrace_location *to)
{
	struct tl_xtrace_fold_worker *w = r->worker;
	const struct tl_xtrace_indirect_jump key = { .from = r->last.pc,
						     .to = to->pc,
						     .function = to->function };
	uint64_t hash = hash_indirect(&key);
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
static void count_jump(struct run *r, const struct tl_xtrace_location *to)
{
	if (!(r->part.before >> to->el & 1))
		return;
	if (r->done && r->last.flow == TL_A64_CONDITIONAL && to->pc == r->done->target &&
	    to->pc != r->done->end)
		r->done->times.taken++;
	if (r->last.flow == TL_A64_JUMP_REGISTER &&
	    (!r->last.has_target || r->last.target == to->pc) &&
	    to->function == tl_xtrace_stack_top(&r->stack))
		count_indirect(r, to);
}

/* The general way from one block to the next: all that step_quickly() leaves out. */
static void step_to(struct run *r, const struct tl_xtrace_token_block *next)
{
	struct tl_xtrace_fold *fold = r->fold;

	fill_last(r);
	if (!r->last.valid) {
		struct tl_xtrace_stack_op begin = { .kind = TL_XTRACE_OP_BEGIN, .to = next->place };

		if (r->observed.known)
			tl_xtrace_sp_observed(&r->stack, r->observed.sp);
		begin.sp = r->stack.sp.value;
		begin.sp_state = r->stack.sp.state;
		tl_xtrace_stack_apply(&r->stack, &begin);
		r->part.before = r->part.levels;
		return;
	}
	if (next->place.el == r->last.el)
		count_jump(r, &next->place);
	tl_xtrace_follow_flow(&r->stack, &fold->functions,
			      fold->gather ? &r->worker->entries : NULL, &r->last, &next->place,
			      r->observed);
	r->observed.known = false;
	r->part.before = r->part.levels;
}

/*
 * The same as step_to(), for the common case: control stays in the function, either behind the
 * block or at the target of its branch. Then the stack does not change; false.
 */
static inline bool step_quickly(struct run *r, const struct tl_xtrace_token_block *next)
{
	struct tl_xtrace_token_block *done = r->done;

	if (__builtin_expect(r->done_at && done->place.function == next->place.function &&
				     done->place.el == next->place.el,
			     1)) {
		if (next->place.pc == done->end &&
		    (done->flow == TL_A64_NEXT || done->flow == TL_A64_CONDITIONAL))
			return false;
		if (next->place.pc == done->target && done->flow == TL_A64_CONDITIONAL) {
			done->times.taken += r->part.levels >> done->place.el & 1;
			return false;
		}
		if (next->place.pc == done->target && done->flow == TL_A64_JUMP)
			return false;
	}
	step_to(r, next);
	return true;
}

/* ---- SP ---- */

/*
 * The effect of the first `count` instructions of a block, whose tokens are at `at`, on registers.
 */
static void execute(struct run *r, struct tl_xtrace_registers *registers,
		    const struct tl_xtrace_token_block *b, const uint8_t *at, size_t count)
{
	size_t token = 0;

	for (size_t i = 0; i < count && i < b->insn_count; i++) {
		const struct tl_xtrace_insn_effect effect =
			tl_xtrace_insn_effect(b->insns[i].opcode);
		const uint8_t *loaded = NULL;

		for (token++; token < b->token_count && !b->tokens[token].opcode_at; token++)
			if (!loaded &&
			    r->worker->blocks.kinds[b->tokens[token].byte] == TL_XTRACE_LOAD)
				loaded = at + b->tokens[token].offset;
		tl_xtrace_registers_apply(registers, &effect, b->place.pc + 4 * i,
					  loaded ? loaded + 9 : NULL,
					  loaded ? (uint32_t)tl_xtrace_access_size(*loaded) : 0);
	}
}

/* MOV SP, X2 behind LDR X2, [X0]: how stacks are switched. What was loaded is in this block or in
 * the one before. */
static void switch_sp(struct run *r, const struct tl_xtrace_token_block *b, const uint8_t *at)
{
	const uint8_t *before = r->done_at ? r->done_at : r->filled_at;
	struct tl_xtrace_registers registers = { .known = 0 };

	if (r->done && before)
		execute(r, &registers, r->done, before, r->done->insn_count);
	registers.known &= ~(UINT64_C(1) << TL_XTRACE_REG_SP);
	execute(r, &registers, b, at, b->sp.lost + 1u);
	tl_xtrace_sp_lost(&r->stack);
	if (tl_xtrace_registers_know(&registers, TL_XTRACE_REG_SP))
		tl_xtrace_sp_observed(&r->stack, registers.x[TL_XTRACE_REG_SP]);
}

/* Of a whole block. It stays out of the loop over blocks: few blocks need it. */
static __attribute__((noinline)) void
follow_sp(struct run *r, const struct tl_xtrace_token_block *b, const uint8_t *at)
{
	const struct tl_xtrace_sp_change *change = &b->sp;

	if (change->switched)
		tl_xtrace_sp_leave(&r->stack, change->left);
	if (change->broken)
		switch_sp(r, b, at);
	r->stack.sp.value += change->moves;
	if (change->observed)
		tl_xtrace_sp_observed(
			&r->stack,
			change->offset + tl_get64s(at + change->observed + 1, TL_HOST_BIG_ENDIAN));
}

/* Of one instruction; `address`: of its first access, if it has any. */
static void follow_sp_once(struct run *r, uint32_t opcode, bool accessed, uint64_t address)
{
	struct tl_xtrace_sp_change change = { .kind = TL_XTRACE_SP_KEPT };

	tl_xtrace_sp_change_add(&change, opcode, 0, accessed);
	if (change.switched)
		tl_xtrace_sp_leave(&r->stack, 0);
	if (change.broken)
		tl_xtrace_sp_lost(&r->stack);
	r->stack.sp.value += change.moves;
	if (change.observed)
		tl_xtrace_sp_observed(&r->stack, address + change.offset);
}

/* ---- instructions one by one ---- */

static void add_extra(struct run *r, struct tl_xtrace_token_block *b, size_t number,
		      const struct tl_xtrace_cost *cost)
{
	struct tl_xtrace_block_insn *insn = &b->insns[number];

	if (!(r->part.levels >> b->place.el & 1))
		return;
	if (!insn->extra) {
		insn->extra = tl_arena_alloc(&r->worker->blocks.arena, 2 * sizeof(*insn->extra));
		if (!insn->extra) {
			r->stack.no_memory = true;
			return;
		}
		memset(insn->extra, 0, 2 * sizeof(*insn->extra));
		b->any_extra = true;
	}
	tl_xtrace_cost_add(insn->extra, cost);
	tl_xtrace_cost_add(&r->stack.unattributed, cost);
}

/* The tokens of the present instruction. */
static void take_tokens(struct run *r, struct tl_xtrace_cost *cost, uint32_t opcode)
{
	struct tl_xtrace_walk *w = &r->walk;
	bool accessed = false;
	uint64_t address = 0;

	while (w->next < w->end && !tl_xtrace_ends_instruction(w->tokens->kind[*w->next])) {
		enum tl_xtrace_kind kind = tl_xtrace_walk_next(w);

		if ((kind == TL_XTRACE_LOAD || kind == TL_XTRACE_STORE) && !accessed) {
			address = tl_xtrace_walk_value(w);
			accessed = true;
		}
		switch (kind) {
		case TL_XTRACE_NONE:
			return;
		case TL_XTRACE_LOAD:
			cost->n[TL_XTRACE_LOADS]++;
			cost->n[TL_XTRACE_LOAD_BYTES] += (int64_t)tl_xtrace_access_size(*w->token);
			break;
		case TL_XTRACE_STORE:
			cost->n[TL_XTRACE_STORES]++;
			cost->n[TL_XTRACE_STORE_BYTES] += (int64_t)tl_xtrace_access_size(*w->token);
			break;
		case TL_XTRACE_DC:
			cost->n[TL_XTRACE_STORES]++;
			cost->n[TL_XTRACE_STORE_BYTES] += TL_XTRACE_ZVA_BYTES;
			break;
		case TL_XTRACE_SVCARG:
			if (r->last.has_target)
				break;
			/* fall through */
		case TL_XTRACE_TARGET_B:
			r->last.target = tl_xtrace_walk_value(w);
			r->last.has_target = true;
			break;
		case TL_XTRACE_MRS:
			if (tl_xtrace_writes_task(opcode))
				r->part.task = tl_xtrace_walk_value(w);
			break;
		default:
			break;
		}
	}
	follow_sp_once(r, opcode, accessed, address);
}

/* Whether instruction `number` of a block stands next in the stream. */
static bool comes_next(const struct run *r, const struct tl_xtrace_token_block *b, size_t number)
{
	const uint8_t *p = r->walk.next;

	return number < b->insn_count && r->walk.end - p >= 5 && p < r->part.limit &&
	       r->walk.tokens->kind[*p] == TL_XTRACE_INST && *p >> 6 == b->place.el &&
	       tl_get32s(p + 1, TL_HOST_BIG_ENDIAN) == b->insns[number].opcode;
}

/* A block whose tokens differ from all of its variants: count its instructions, as many as follow,
 * one by one. False: the walk is over. */
static bool one_by_one(struct run *r, struct tl_xtrace_token_block *b)
{
	enum tl_xtrace_kind kind = tl_xtrace_walk_next(&r->walk);
	size_t i = 0;

	if (!tl_xtrace_is_instruction(kind))
		return kind != TL_XTRACE_NONE;
	do {
		struct tl_xtrace_cost cost = {
			{ [TL_XTRACE_IR] = 1, [TL_XTRACE_IR_KERNEL] = b->place.el > 0 }
		};
		uint32_t opcode;

		if (i)
			kind = tl_xtrace_walk_next(&r->walk);
		if (kind == TL_XTRACE_NONE)
			break;
		opcode = tl_xtrace_walk_instruction(&r->walk, kind);
		r->last = (struct tl_xtrace_prev_insn){
			.pc = r->walk.pc, .flow = TL_A64_NEXT, .el = b->place.el, .valid = true
		};
		take_tokens(r, &cost, opcode);
		add_extra(r, b, i++, &cost);
	} while (comes_next(r, b, i));
	r->done = NULL;
	r->done_at = r->filled_at = NULL;
	if (i < b->insn_count)
		return true;
	b->times.stepped += r->part.levels >> b->place.el & 1;
	r->done = b;
	r->last.flow = b->flow;
	if (b->direct) {
		r->last.target = b->target;
		r->last.has_target = true;
	}
	return true;
}

/* ---- a segment ---- */

static void take_whole(struct run *r, struct tl_xtrace_token_block *b)
{
	if (__builtin_expect(r->part.levels >> b->place.el & 1, 1)) {
		b->times.whole++;
		tl_xtrace_cost_add(&r->stack.unattributed, &b->cost);
	}
	if (__builtin_expect(b->sp_kind > r->stack.sp.ignored, 0))
		follow_sp(r, b, r->walk.next);
	r->done = b;
	r->done_at = r->walk.next;
	tl_xtrace_token_block_skip(b, &r->walk);
}

/* So many deltas are handed over before the segment ends, so that memory does not grow with it. */
enum { MANY_DELTAS = 1024, STEPS_OF_DELTA = 1 << 14, MANY_STEPS = 1 << 18 };

static void hand_over(struct run *r)
{
	struct tl_xtrace_call_stack *stack = &r->stack;

	r->worker->handed_over = true;
	tl_xtrace_fold_deltas(r->fold, r->segment, stack->deltas.list, stack->deltas.count);
	stack->deltas.list = NULL;
	stack->deltas.count = stack->deltas.capacity = stack->deltas.open = 0;
	stack->log.kept = 0;
}

static void give_deltas(struct run *r)
{
	/* Pending values of SP stay unknown. */
	if (r->stack.sp.state != TL_XTRACE_SP_KNOWN)
		tl_xtrace_sp_lost(&r->stack);
	hand_over(r);
}

/* Steps of calls are many: where nothing waits for SP they are handed over, too. */
static void give_steps(struct run *r)
{
	struct tl_xtrace_call_stack *stack = &r->stack;

	tl_xtrace_stack_shed_steps(stack);
	if (stack->log.kept >= MANY_STEPS && stack->deltas.open == stack->deltas.count)
		hand_over(r);
}

/* What the stack keeps may have become too much. */
static void give_many(struct run *r)
{
	const struct tl_xtrace_stack_deltas *deltas = &r->stack.deltas;

	if (deltas->count >= MANY_DELTAS &&
	    (deltas->open == deltas->count || deltas->count >= 2 * MANY_DELTAS))
		give_deltas(r);
	if (r->stack.log.steps.count >= STEPS_OF_DELTA)
		give_steps(r);
}

/* A token between two instructions. ALLGPR: "the full general registers at an exception level
 * switch". False: the walk is over. */
static bool take_boundary(struct run *r)
{
	enum tl_xtrace_kind kind = tl_xtrace_walk_next(&r->walk);

	if (kind == TL_XTRACE_ALLGPR)
		r->observed = (struct tl_xtrace_observed_sp){
			.sp = tl_get64s(r->walk.token + 1 + 8 * TL_XTRACE_REG_SP,
					TL_HOST_BIG_ENDIAN),
			.known = true,
		};
	return kind != TL_XTRACE_NONE;
}

/* ---- a part ---- */

static void mark(struct run *r, enum tl_xtrace_mark_kind kind, uint64_t value)
{
	if (r->fold->binned)
		tl_xtrace_stack_mark(&r->stack,
				     (struct tl_xtrace_stack_mark){ .kind = kind, .value = value });
}

/* What counts behind a place; NULL: before the first one, nothing does. */
static void set_counted(struct run *r, const struct tl_xtrace_place *place)
{
	unsigned all = r->fold->options.part.levels;

	if (!all)
		all = ALL_LEVELS;
	r->part.levels = place && place->interval ? all : 0;
}

static void set_limit(struct run *r)
{
	r->part.limit = r->walk.end;
	if (r->part.next < r->part.end && r->part.next->offset < r->walk.segment->end)
		r->part.limit = r->walk.stream->data + r->part.next->offset;
}

static void begin_part(struct run *r)
{
	const struct tl_xtrace_places *places;

	r->part.levels = r->part.before = ALL_LEVELS;
	r->part.limit = r->walk.end;
	if (!r->fold->export || !r->fold->places)
		return;
	places = &r->fold->places[r->fold->stream];
	r->part.any = true;
	r->part.next = places->list;
	r->part.end = places->list + places->count;
	while (r->part.next < r->part.end && r->part.next->offset < r->walk.segment->begin)
		r->part.next++;
	set_counted(r, r->part.next > places->list ? r->part.next - 1 : NULL);
	r->part.before = r->part.levels;
	set_limit(r);
}

/* The next instruction is at a place, or behind it. */
static void pass_place(struct run *r)
{
	fill_last(r); /* the step to the next block goes the general way */
	set_counted(r, r->part.next);
	mark(r, TL_XTRACE_MARK_INTERVAL, r->part.next->interval);
	r->part.next++;
	set_limit(r);
}

static void pass_task(struct run *r)
{
	if (r->fold->options.split == TL_XTRACE_BY_TASK && tl_xtrace_is_task(r->part.task))
		mark(r, TL_XTRACE_MARK_KEY, r->part.task);
	r->part.task = 0;
}

/*
 * Before a block of which `whole` stands there: does it stay so? A block over a place is counted
 * one by one, up to there, and so is one that tells the task.
 */
static bool enter_block(struct run *r, const struct tl_xtrace_token_block *b, bool whole)
{
	enum tl_xtrace_split split = r->fold->options.split;

	pass_task(r);
	while (r->part.next < r->part.end && r->walk.next >= r->part.limit)
		pass_place(r);
	if (split == TL_XTRACE_BY_LEVEL && r->part.level != b->place.el + 1)
		mark(r, TL_XTRACE_MARK_KEY, b->place.el);
	r->part.level = (uint8_t)(b->place.el + 1);
	r->stack.uncounted = !(r->part.levels >> b->place.el & 1);
	return whole && !b->sets_task && b->bytes <= (size_t)(r->part.limit - r->walk.next);
}

static void fold_walk(struct run *r)
{
	struct tl_xtrace_walk *w = &r->walk;

	while (w->next < w->end && !r->stack.no_memory && !r->worker->blocks.no_memory) {
		struct tl_xtrace_token_block *b = NULL;
		bool whole;
		uint64_t pc;

		if (tl_xtrace_token_block_pc(w, &pc))
			b = tl_xtrace_token_block_next(&r->worker->blocks, r->done, w, pc, &whole);
		if (!b) {
			if (!take_boundary(r))
				break;
			continue;
		}
		if (__builtin_expect(r->part.any, 0))
			whole = enter_block(r, b, whole);
		if (step_quickly(r, b))
			give_many(r);
		if (whole)
			take_whole(r, b);
		else if (!one_by_one(r, b))
			break;
	}
	tl_xtrace_walk_next(w); /* how it ends, if it has not yet */
}

/* What comes before a segment, if those before it are spliced; of a share, folded. */
static void fill_from_before(struct run *r, struct tl_xtrace_prev_insn *last, bool *first)
{
	const struct tl_xtrace_fold *fold = r->fold;
	const struct tl_xtrace_folded_segment *part = fold->queue.parts + r->segment;

	pthread_mutex_lock(&r->fold->queue.lock);
	if (fold->queue.share.on) {
		*first = !fold->options.share && !r->segment;
		if (r->segment && part[-1].done)
			*last = part[-1].last;
	} else if (fold->queue.next == r->segment && !fold->learning.again) {
		*last = fold->before.insn;
		*first = !fold->before.any;
	}
	pthread_mutex_unlock(&r->fold->queue.lock);
}

/*
 * Before a new block's place is looked up: note it as an entry if it shows to be one, as
 * tl_xtrace_follow_flow() does later.
 */
static void note_arrival(void *arg, uint64_t pc, unsigned el)
{
	struct run *r = arg;
	const struct tl_xtrace_location next = { .pc = pc, .el = (uint8_t)el };
	struct tl_xtrace_prev_insn last;
	uint64_t entries[2] = { pc };
	bool first = false;
	size_t count;

	fill_last(r);
	last = r->last;
	if (!last.valid)
		fill_from_before(r, &last, &first);
	count = first;
	if (last.valid)
		count = tl_xtrace_entries_between(&last, &next, entries);
	for (size_t i = 0; i < count; i++)
		if (!tl_xtrace_note_entry(&r->fold->functions, &r->worker->entries, entries[i]))
			r->stack.no_memory = true;
}

/* SP at the beginning, from the snapshot there: "X31 is SP of the current level". */
static void guess_sp(struct run *r)
{
	struct tl_xtrace_snapshot snapshot;
	uint32_t number = r->walk.segment->snapshot;

	if (number == TL_NONE)
		return;
	tl_xtrace_snapshot_decode(r->walk.stream, number, &snapshot);
	if (snapshot.x[TL_XTRACE_REG_SP])
		tl_xtrace_sp_guess(&r->stack, snapshot.x[TL_XTRACE_REG_SP]);
}

void tl_xtrace_fold_segment(struct tl_xtrace_fold *fold, struct tl_xtrace_fold_worker *worker,
			    struct tl_xtrace_walk *walk, size_t segment,
			    struct tl_xtrace_folded_segment *part)
{
	struct run r = { .fold = fold, .segment = segment, .worker = worker, .walk = *walk };

	if (!tl_xtrace_stack_begin(&r.stack, true, fold->options.lines)) {
		part->no_memory = true;
		return;
	}
	r.stack.log.wanted = fold->stack.log.wanted;
	if (fold->learning.on) {
		worker->blocks.before_new = note_arrival;
		worker->blocks.before_arg = &r;
	}
	guess_sp(&r);
	begin_part(&r);
	fold_walk(&r);
	worker->blocks.before_new = NULL;
	*walk = r.walk;
	fill_last(&r);
	if (r.part.any)
		pass_task(&r);
	part->last = r.last;
	part->last_counted = r.part.levels >> r.last.el & 1;
	part->sp = (struct tl_xtrace_observed_sp){
		.sp = r.stack.sp.value,
		.known = r.stack.sp.state == TL_XTRACE_SP_KNOWN || r.stack.sp.guessed,
		.switched = r.stack.sp.switched,
		.left = r.stack.sp.left,
	};
	part->gap = r.walk.status != TL_OK;
	part->damage = (struct tl_xtrace_fault){
		.text = r.walk.text,
		.offset = r.walk.fault,
		.length = r.walk.segment->end - r.walk.fault,
	};
	if (r.last.valid)
		tl_xtrace_stack_close_local(&r.stack);
	part->no_memory = r.stack.no_memory || worker->blocks.no_memory;
	part->deltas = r.stack.deltas.list;
	part->delta_count = r.stack.deltas.count;
	r.stack.deltas.list = NULL;
	r.stack.deltas.count = 0;
	tl_xtrace_stack_free(&r.stack);
}
