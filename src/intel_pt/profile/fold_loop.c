/* SPDX-License-Identifier: Apache-2.0 */
/* The loop over nodes: one iteration for each executed block. */
#include "core/error.h"
#include "intel_pt/profile/fold.h"
#include "profile/model/model.h"

enum { CALLS_AHEAD = 256, NODES_AHEAD = 4096 };

static const enum tl_pt_arrival arrivals[TL_PT_KEY_FIRST] = {
	[TL_PT_KEY_NONE] = TL_PT_BY_FLOW,     [TL_PT_KEY_CALL] = TL_PT_BY_CALL,
	[TL_PT_KEY_RETURN] = TL_PT_BY_RETURN, [TL_PT_KEY_FAR_RETURN] = TL_PT_BY_FAR_RETURN,
	[TL_PT_KEY_ENABLE] = TL_PT_BY_ENABLE, [TL_PT_KEY_INTERRUPT] = TL_PT_BY_INTERRUPT,
	[TL_PT_KEY_ABORT] = TL_PT_BY_FLOW,    [TL_PT_KEY_LOSS] = TL_PT_BY_LOSS,
	[TL_PT_KEY_SWITCH] = TL_PT_BY_SWITCH, [TL_PT_KEY_MOVE] = TL_PT_BY_MOVE,
	[TL_PT_KEY_START] = TL_PT_BY_START,   [TL_PT_KEY_SEVERAL] = TL_PT_BY_FLOW,
	[TL_PT_KEY_UNKNOWN] = TL_PT_BY_FLOW,
};

void tl_pt_fold_settle(struct tl_pt_folder *f)
{
	struct tl_pt_stack *stack = &f->thread->stack;

	int64_t cost[TL_PT_COSTS] = { [TL_PT_COST_INSNS] = f->insns };

	if (f->cycles.seen)
		tl_pt_cycles_give(f, f->insns, &cost[TL_PT_COST_CYCLES]);
	if (f->timed)
		tl_fold_cost(&stack->fold, cost);
	if (!f->window.closed) {
		f->thread->total_insns += f->insns;
		tl_add_cost(&f->thread->total_cycles, cost[TL_PT_COST_CYCLES],
			    &stack->fold.losses.saturated);
	}
	f->insns = 0;
}

void tl_pt_fold_change_clock(struct tl_pt_folder *f)
{
	struct tl_pt_fold_thread *thread = f->thread;
	const uint64_t step = thread->stack.fold.hot.clock - thread->clock;

	if (!thread->arriving)
		return;
	thread->clock += step;
	thread->elsewhere -= step;
	f->ticks.base += step;
}

/* Pass the transfer by which the last node was left to the call stack. */
static void arrive(struct tl_pt_folder *f, struct tl_pt_arrival_addr *at)
{
	enum tl_pt_arrival how =
		f->pos.key < TL_PT_KEY_FIRST ? arrivals[f->pos.key] : TL_PT_BY_FLOW;
	uint64_t back =
		how == TL_PT_BY_CALL || how == TL_PT_BY_START ? f->pos.last->after : f->pos.back;
	const bool again = f->pos.called && how == TL_PT_BY_ENABLE && at->ip == back;

	f->pos.called = false;
	tl_pt_fold_settle(f);
	f->thread->arriving = true;
	f->thread->clock = f->thread->stack.fold.hot.clock;
	if (again)
		tl_pt_stack_rename(&f->thread->stack, at);
	else
		tl_pt_stack_arrive(&f->thread->stack, how, at, back);
	tl_pt_fold_change_clock(f);
	f->thread->arriving = false;
}

static struct tl_pt_arrival_addr addr_of(struct tl_pt_folder *f, uint64_t ip)
{
	struct tl_pt_name name = tl_pt_functions_name(&f->functions, ip);

	return (struct tl_pt_arrival_addr){ ip, name.function, TL_NONE, name.is_entry };
}

static uint32_t key_of(uint32_t function)
{
	return function == TL_NONE ? TL_PT_KEY_UNKNOWN : function + TL_PT_KEY_FIRST;
}

static inline void count_branch(struct tl_pt_folder *f, const struct tl_pt_node_facts *last,
				uint64_t ip)
{
	if (!f->window.closed && !f->visits.branch_counted && last->after != ip)
		f->visits.list[f->visits.last].taken++;
	f->visits.branch_counted = false;
}

void tl_pt_fold_branch(struct tl_pt_folder *f, uint64_t ip)
{
	if (!f->visits.nodes)
		return;
	count_branch(f, f->pos.last, ip);
	f->visits.branch_counted = true;
}

static void go_to(struct tl_pt_folder *f, struct tl_pt_arrival_addr *at)
{
	if (f->pos.key != key_of(at->function))
		arrive(f, at);
	f->pos.key = key_of(at->function);
}

void tl_pt_fold_arrive(struct tl_pt_folder *f, uint64_t ip)
{
	struct tl_pt_arrival_addr at = addr_of(f, ip);

	go_to(f, &at);
}

/* Count executed instructions: with time as a cost, without as the clock. */
static void count_insns(struct tl_pt_folder *f, uint32_t insns)
{
	struct tl_fold_hot *hot = &f->thread->stack.fold.hot;

	if (f->timed)
		f->insns += insns;
	else
		hot->clock += insns;
}

/*
 * Whether a function that was called may be entered by the loop from now on: a call of one that
 * returns twice notes its return point.
 */
static bool may_enter(struct tl_pt_folder *f, uint32_t called)
{
	return called != TL_NONE && !f->functions.list[called].twice &&
	       tl_pt_stack_know(&f->thread->stack, called);
}

static void arrive_at_part(struct tl_pt_folder *f, struct tl_pt_inner_function *in)
{
	struct tl_pt_arrival_addr at = { in->ip, in->function, in->called, in->is_entry };

	go_to(f, &at);
	if (may_enter(f, at.called))
		in->called = at.called;
}

/* Fold the functions of a node that belongs to several, up to the entry of the last one. */
static void fold_inner(struct tl_pt_folder *f, uint32_t number)
{
	uint32_t first = 0;

	for (struct tl_pt_inner_function *in = &f->cache->inner[f->cache->nodes[number].called];;
	     in++) {
		arrive_at_part(f, in);
		if (!in[1].ip)
			return;
		if (f->visits.nodes && !f->window.closed) {
			/* Not in one expression: tl_pt_visits_first() may move the list. */
			uint32_t visit = tl_pt_visits_first(
				f, number, tl_fold_top(&f->thread->stack.fold), first, in->insns);

			f->visits.list[visit].count++;
		}
		first += in->insns;
		count_insns(f, in->insns);
		f->pos.key = TL_PT_KEY_NONE;
	}
}

/* ---- the nodes to come ---- */

struct returns {
	uint64_t *backs;
	size_t count, most;
	uint64_t calls[CALLS_AHEAD]; /* return addresses of calls among these nodes */
	size_t depth;
};

static const struct tl_pt_node_facts *facts_of(struct tl_pt_folder *f, uint32_t number)
{
	if (!tl_pt_node_facts_known(f, number))
		tl_pt_node_facts_scan(f, number);
	return &f->cache->nodes[number];
}

/* Step from a node to the next one. False: the targets of later returns are not known. */
static bool follow(struct returns *r, const struct tl_pt_node_facts *n,
		   const struct tl_pt_node_facts *next)
{
	if (n->exit == TL_PT_KEY_CALL) {
		if (r->depth == CALLS_AHEAD)
			return false;
		r->calls[r->depth++] = n->after;
		return true;
	}
	if (n->exit != TL_PT_KEY_RETURN)
		return n->exit > TL_PT_KEY_SEVERAL;
	if (r->depth)
		return r->calls[--r->depth] == next->ip;
	if (r->count == r->most)
		return false;
	r->backs[r->count++] = next->ip;
	return true;
}

/* The node that ran before node i of the queue, i > 0. */
static uint32_t before_of(const struct tl_pt_folder *f, const uint32_t *node)
{
	const uint32_t *before = f->unstamped.loud.insns ? f->unstamped.loud.before : NULL;
	const uint32_t number = before ? tl_pt_node_before(before[node - f->unstamped.nodes]) : 0;

	return number ? number + f->cache->shift : node[-1];
}

size_t tl_pt_fold_ahead(void *arg, uint64_t *backs, size_t most)
{
	struct tl_pt_folder *f = arg;
	struct returns r = { .backs = backs, .most = most };
	size_t count = f->unstamped.at && f->unstamped.at < f->unstamped.end
			       ? (size_t)(f->unstamped.end - f->unstamped.at)
			       : 0;

	for (size_t i = 0; i + 1 < count && i < NODES_AHEAD; i++)
		if (!follow(&r, facts_of(f, before_of(f, &f->unstamped.at[i + 1])),
			    facts_of(f, f->unstamped.at[i + 1])))
			break;
	return r.count;
}

/* The slow path: a node that is new, or is not reached by plain flow inside a function. */
static __attribute__((noinline)) void arrive_slowly(struct tl_pt_folder *f, const uint32_t *numbers)
{
	uint32_t number = *numbers;
	struct tl_pt_node_facts *n = &f->cache->nodes[number];
	struct tl_pt_arrival_addr at;

	if (n->entry == TL_PT_KEY_NONE)
		tl_pt_node_facts_scan(f, number);
	if (n->entry == TL_PT_KEY_SEVERAL) {
		fold_inner(f, number);
		return;
	}
	if (n->entry == f->pos.key)
		return;
	at = (struct tl_pt_arrival_addr){
		.ip = n->ip,
		.function = n->entry == TL_PT_KEY_UNKNOWN ? TL_NONE : n->entry - TL_PT_KEY_FIRST,
		.called = n->called - 1, /* 0 is TL_NONE then */
		.is_entry = n->is_entry,
	};
	f->unstamped.at = numbers;
	arrive(f, &at);
	f->unstamped.at = NULL;
	if (may_enter(f, at.called))
		n->called = at.called + 1;
}

/* What a loop over nodes is made for; constants, so that each has the code for its case alone. */
struct loop_kind {
	bool timed, observed;
	bool sited;  /* frames know the node that was left (tl_pt_share_opened()) */
	bool summed; /* without contexts */
};

/* Members of the folder that the loop keeps in registers. */
struct hot {
	struct tl_fold_hot fold;
	struct tl_pt_node_facts *last;
	uint32_t key;
	int64_t insns;
	uint64_t part;
};

static inline __attribute__((always_inline)) void store(const struct hot *h, struct tl_pt_folder *f)
{
	f->thread->stack.fold.hot = h->fold;
	f->pos.last = h->last;
	f->pos.key = h->key;
	f->insns = h->insns;
	f->ticks.part = h->part;
}

static inline __attribute__((always_inline)) void load(struct hot *h, const struct tl_pt_folder *f)
{
	*h = (struct hot){ f->thread->stack.fold.hot, f->pos.last, f->pos.key, f->insns,
			   f->ticks.part };
}

/* The instructions since the last call or return are the innermost function's. */
static inline __attribute__((always_inline)) void give(struct hot *h, struct tl_pt_folder *f,
						       struct loop_kind kind)
{
	struct tl_fold *fold = &f->thread->stack.fold;
	const uint32_t node = h->fold.top->node;

	if (!kind.timed)
		return;
	if (!f->window.closed)
		h->fold.nodes[node].cost += h->insns;
	if (kind.summed && !f->window.closed)
		*tl_fold_total_at(fold, TL_PT_COST_INSNS) += h->insns;
	if (f->cycles.seen) {
		int64_t *cycles = tl_fold_cost_at(fold, node, TL_PT_COST_CYCLES);
		const int64_t before = *cycles;

		tl_pt_cycles_give(f, h->insns, cycles);
		if (kind.summed)
			tl_add_cost(tl_fold_total_at(fold, TL_PT_COST_CYCLES), *cycles - before,
				    &fold->losses.saturated);
	}
	h->insns = 0;
}

static inline __attribute__((always_inline)) void pop(struct hot *h, struct tl_fold *fold,
						      struct loop_kind kind)
{
	if (kind.summed)
		tl_fold_hot_pop_summed(&h->fold, fold, kind.timed ? TL_PT_COSTS : 0);
	else
		tl_fold_hot_pop(&h->fold, fold);
}

static inline __attribute__((always_inline)) void enter(struct hot *h, struct tl_fold *fold,
							struct loop_kind kind, uint32_t function)
{
	if (kind.summed)
		tl_fold_hot_enter_summed(&h->fold, fold, function, kind.timed ? TL_PT_COSTS : 0);
	else
		tl_fold_hot_enter(&h->fold, fold, function);
}

/* What a frame knows of the call that the last node made. */
static inline __attribute__((always_inline)) uint32_t call_of(const struct hot *h,
							      const struct tl_pt_folder *f,
							      struct loop_kind kind)
{
	return kind.sited ? (uint32_t)(h->last - f->cache->nodes) : TL_NONE;
}

/*
 * A jump out of the function of a plain frame to the entry of a known one, or from code with a
 * symbol into code without: the innermost frame is replaced, and keeps its return address. It
 * equals jump() and tail() of call_stack.c. False: any other case.
 */
static inline __attribute__((always_inline)) bool tail_call(struct hot *h, struct tl_pt_folder *f,
							    const struct tl_pt_node_facts *n,
							    struct tl_pt_frame *frame,
							    struct loop_kind kind)
{
	struct tl_pt_stack *stack = &f->thread->stack;
	const uint32_t top = h->fold.top->function;

	if (h->key < TL_PT_KEY_UNKNOWN || !n->called || top == TL_NONE || frame->flags)
		return false;
	if (n->entry == TL_PT_KEY_UNKNOWN && f->functions.list[top].by_entry)
		return true;
	if (n->entry != TL_PT_KEY_UNKNOWN && (!n->is_entry || n->called - 1 == top))
		return false;
	give(h, f, kind);
	pop(h, &stack->fold, kind);
	frame->call = call_of(h, f, kind);
	enter(h, &stack->fold, kind, n->called - 1);
	return true;
}

/*
 * Fast path of arrive(): a return to the return address of the innermost frame, or a call of a
 * known function. It equals called() and returned() of call_stack.c in these two cases; the third
 * is tail_call(). False: any other case.
 */
static inline __attribute__((always_inline)) bool call_or_return(struct hot *h,
								 struct tl_pt_folder *f,
								 const struct tl_pt_node_facts *n,
								 struct loop_kind kind)
{
	struct tl_pt_stack *stack = &f->thread->stack;
	size_t depth = (size_t)(h->fold.top - stack->fold.frames);
	struct tl_pt_frame *frame = &stack->frames.list[depth];

	if (h->key == TL_PT_KEY_RETURN && frame->back == n->ip && n->entry != TL_PT_KEY_NONE &&
	    !frame->flags) {
		give(h, f, kind);
		pop(h, &stack->fold, kind);
		return true;
	}
	if (h->key == TL_PT_KEY_CALL && n->called && depth + 2 <= stack->frames.capacity &&
	    depth < TL_PT_STACK_MAX) {
		give(h, f, kind);
		frame[1] =
			(struct tl_pt_frame){ .back = h->last->after, .call = call_of(h, f, kind) };
		enter(h, &stack->fold, kind, n->called - 1);
		return true;
	}
	return tail_call(h, f, n, frame, kind);
}

/* Count a visit; outside the window of time the stack is followed, but no visit is counted. */
static inline __attribute__((always_inline)) void count_visit(struct tl_pt_folder *f,
							      const struct hot *h, uint32_t number)
{
	const struct tl_pt_node_addrs *l = &f->visits.nodes[number];
	uint32_t visit = l->visits;

	if (f->visits.list[visit].function != h->fold.top->function ||
	    f->visits.list[visit].first != l->tail)
		visit = tl_pt_visits_first(f, number, h->fold.top->function, l->tail,
					   l->count - l->tail);
	f->visits.list[visit].count += !f->window.closed;
	if ((f->visits.unattributed_ticks || f->visits.unattributed_cycles) &&
	    f->visits.unattributed_to == h->fold.top->function)
		tl_pt_attribute_to(f, visit);
	f->visits.last = visit;
}

static inline __attribute__((always_inline)) void pass_time(struct tl_pt_folder *f, struct hot *h,
							    uint32_t insns, bool observed)
{
	uint64_t before = h->fold.clock;

	h->insns += insns;
	h->part += insns * f->ticks.rate;
	h->fold.clock = f->ticks.base + (h->part >> TL_PT_RATE_BITS);
	if (observed && f->visits.nodes)
		f->visits.list[f->visits.last].ticks += (int64_t)(h->fold.clock - before);
	if (observed && f->cycles.seen)
		tl_pt_cycles_count(f, h->insns);
}

static __attribute__((noinline)) void scan(struct tl_pt_folder *f, struct hot *h, uint32_t number)
{
	store(h, f);
	tl_pt_node_facts_scan(f, number);
	load(h, f);
}

/*
 * Fast path of fold_inner(), without observers: the parts of a node are folded as nodes, one behind
 * the other.
 */
static inline __attribute__((always_inline)) void
fold_parts(struct tl_pt_folder *f, const uint32_t *numbers, struct loop_kind kind)
{
	struct tl_pt_inner_function *part = &f->cache->inner[f->cache->nodes[*numbers].called];
	struct hot h;

	load(&h, f);
	for (;; part++) {
		const struct tl_pt_node_facts n = {
			.ip = part->ip,
			.entry = key_of(part->function),
			.called = part->called + 1, /* TL_NONE is 0 then */
			.is_entry = part->is_entry,
		};

		if (n.entry != h.key && !call_or_return(&h, f, &n, kind)) {
			store(&h, f);
			f->unstamped.at = numbers;
			arrive_at_part(f, part);
			f->unstamped.at = NULL;
			load(&h, f);
		}
		h.key = n.entry;
		if (!part[1].ip)
			break;
		/* Of time they have none, as in count_insns(). */
		if (kind.timed)
			h.insns += part->insns;
		else
			h.fold.clock += part->insns;
	}
	store(&h, f);
}

static __attribute__((noinline)) void fold_parts_timed(struct tl_pt_folder *f,
						       const uint32_t *numbers)
{
	fold_parts(f, numbers, (struct loop_kind){ .timed = true });
}

static __attribute__((noinline)) void fold_parts_timed_summed(struct tl_pt_folder *f,
							      const uint32_t *numbers)
{
	fold_parts(f, numbers, (struct loop_kind){ .timed = true, .summed = true });
}

static __attribute__((noinline)) void fold_parts_plain(struct tl_pt_folder *f,
						       const uint32_t *numbers)
{
	fold_parts(f, numbers, (struct loop_kind){ 0 });
}

static __attribute__((noinline)) void fold_parts_plain_summed(struct tl_pt_folder *f,
							      const uint32_t *numbers)
{
	fold_parts(f, numbers, (struct loop_kind){ .summed = true });
}

/* What call_or_return() does not do. */
static inline __attribute__((always_inline)) void arrive_otherwise(struct tl_pt_folder *f,
								   struct hot *h,
								   const uint32_t *numbers,
								   struct loop_kind kind)
{
	const bool parts = f->cache->nodes[*numbers].entry == TL_PT_KEY_SEVERAL;

	store(h, f);
	if (!parts || kind.observed || kind.sited)
		arrive_slowly(f, numbers);
	else if (kind.timed)
		(kind.summed ? fold_parts_timed_summed : fold_parts_timed)(f, numbers);
	else
		(kind.summed ? fold_parts_plain_summed : fold_parts_plain)(f, numbers);
	load(h, f);
}

static inline __attribute__((always_inline)) void
fold_each(struct tl_pt_folder *f, const uint32_t *numbers, size_t count, struct loop_kind kind)
{
	struct tl_pt_node_facts *nodes = f->cache->nodes;
	struct hot h;

	load(&h, f);
	for (size_t i = 0; i < count; i++) {
		struct tl_pt_node_facts *n = &nodes[numbers[i]];

		if (kind.observed && !tl_pt_node_facts_known(f, numbers[i]))
			scan(f, &h, numbers[i]);
		if (kind.observed && f->visits.nodes)
			count_branch(f, h.last, n->ip);
		if (n->entry != h.key && (kind.observed || n->entry == TL_PT_KEY_SEVERAL ||
					  !call_or_return(&h, f, n, kind)))
			arrive_otherwise(f, &h, &numbers[i], kind);
		if (kind.observed && f->visits.nodes)
			count_visit(f, &h, numbers[i]);
		if (kind.timed)
			pass_time(f, &h, n->insns, kind.observed);
		else
			h.fold.clock += n->insns;
		h.key = n->exit;
		h.last = n;
	}
	store(&h, f);
}

/* One loop for each kind, as constants decide what is in it. */
static void fold_timed(struct tl_pt_folder *f, const uint32_t *numbers, size_t count)
{
	fold_each(f, numbers, count, (struct loop_kind){ .timed = true });
}

static void fold_timed_summed(struct tl_pt_folder *f, const uint32_t *numbers, size_t count)
{
	fold_each(f, numbers, count, (struct loop_kind){ .timed = true, .summed = true });
}

static void fold_plain(struct tl_pt_folder *f, const uint32_t *numbers, size_t count)
{
	fold_each(f, numbers, count, (struct loop_kind){ 0 });
}

static void fold_plain_summed(struct tl_pt_folder *f, const uint32_t *numbers, size_t count)
{
	fold_each(f, numbers, count, (struct loop_kind){ .summed = true });
}

static void fold_observed(struct tl_pt_folder *f, const uint32_t *numbers, size_t count)
{
	if (f->timed)
		fold_each(f, numbers, count, (struct loop_kind){ .timed = true, .observed = true });
	else
		fold_each(f, numbers, count, (struct loop_kind){ .observed = true });
}

static void fold_sited(struct tl_pt_folder *f, const uint32_t *numbers, size_t count)
{
	if (f->timed)
		fold_each(f, numbers, count, (struct loop_kind){ .timed = true, .sited = true });
	else
		fold_each(f, numbers, count, (struct loop_kind){ .sited = true });
}

void tl_pt_fold_nodes(struct tl_pt_folder *f, const uint32_t *numbers, size_t count)
{
	const bool summed = f->thread->stack.fold.hot.sums;

	if (f->visits.nodes || f->options->watch)
		fold_observed(f, numbers, count);
	else if (f->share.on)
		fold_sited(f, numbers, count);
	else if (f->timed)
		(summed ? fold_timed_summed : fold_timed)(f, numbers, count);
	else
		(summed ? fold_plain_summed : fold_plain)(f, numbers, count);
}

/* As fold_each(), where nodes were passed over: the last one that ran is the one before each. */
static inline __attribute__((always_inline)) void
fold_each_loud(struct tl_pt_folder *f, size_t count, const struct tl_pt_passed_nodes *behind,
	       struct loop_kind kind)
{
	const uint32_t *numbers = f->unstamped.nodes;
	const struct tl_pt_loud_nodes *loud = &f->unstamped.loud;
	struct tl_pt_node_facts *nodes = f->cache->nodes, *of_epoch = nodes + f->cache->shift;
	uint32_t seen = f->unstamped.seen.insns;
	struct hot h;

	load(&h, f);
	for (size_t i = 0; i < count; i++) {
		struct tl_pt_node_facts *n = &nodes[numbers[i]];
		const uint32_t before = tl_pt_node_before(loud->before[i]);

		h.fold.clock += loud->insns[i] - seen;
		seen = loud->insns[i];
		/* What happened behind the batch before this one is told by its events. */
		if (i && before) {
			h.last = &of_epoch[before];
			h.key = h.last->exit;
		}
		if (n->entry != h.key &&
		    (n->entry == TL_PT_KEY_SEVERAL || !call_or_return(&h, f, n, kind)))
			arrive_otherwise(f, &h, &numbers[i], kind);
		if (!(loud->before[i] & TL_PT_COUNTED))
			h.fold.clock += n->insns;
		h.key = n->exit;
		h.last = n;
	}
	h.fold.clock += (uint32_t)(behind->insns - seen);
	if (behind->last) {
		h.last = &of_epoch[behind->last];
		h.key = h.last->exit;
	}
	store(&h, f);
}

void tl_pt_fold_loud_nodes(struct tl_pt_folder *f, size_t count,
			   const struct tl_pt_passed_nodes *behind)
{
	if (f->thread->stack.fold.hot.sums)
		fold_each_loud(f, count, behind, (struct loop_kind){ .summed = true });
	else
		fold_each_loud(f, count, behind, (struct loop_kind){ 0 });
	f->thread->stack.fold.records += behind->nodes - f->unstamped.seen.nodes;
	f->unstamped.seen = *behind;
}
