/* SPDX-License-Identifier: Apache-2.0 */
/* Costs, calls and jumps by address, and adding them to the profile. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "intel_pt/profile/fold.h"
#include "profile/model/unsized.h"

void tl_pt_addr_costs_free(struct tl_pt_addr_costs *l)
{
	free(l->addrs);
	free(l->costs);
	free(l->calls);
	tl_index_free(&l->by_ip);
	tl_index_free(&l->by_cost);
	tl_index_free(&l->by_call);
}

/* ---- addresses ---- */

static bool same_ip(const void *context, const void *key, uint32_t number)
{
	const struct tl_pt_exec_addr *addrs = context;

	return addrs[number].ip == *(const uint64_t *)key;
}

uint32_t tl_pt_addr_costs_addr(struct tl_pt_addr_costs *l, const struct tl_pt_node_insn *insn)
{
	uint64_t hash = tl_hash64(insn->ip);
	uint32_t number = tl_index_find(&l->by_ip, hash, same_ip, l->addrs, &insn->ip);

	if (number != TL_NONE)
		return number;
	number = (uint32_t)l->addr_count;
	if (!tl_grow(&l->addrs, &l->addr_capacity, l->addr_count + 1, sizeof(*l->addrs)) ||
	    !tl_index_add(&l->by_ip, hash, number))
		return TL_NONE;
	l->addrs[l->addr_count++] = (struct tl_pt_exec_addr){
		.ip = insn->ip,
		.target = insn->direct ? insn->target : 0,
		.iclass = insn->iclass,
	};
	return number;
}

static bool same_cost(const void *context, const void *key, uint32_t number)
{
	const struct tl_pt_addr_cost *costs = context, *wanted = key;

	return costs[number].addr == wanted->addr && costs[number].function == wanted->function;
}

struct tl_pt_addr_cost *tl_pt_addr_costs_cost(struct tl_pt_addr_costs *l, uint32_t addr,
					      uint32_t function)
{
	const struct tl_pt_addr_cost wanted = { .addr = addr, .function = function };
	uint64_t hash = tl_hash64((uint64_t)addr << 32 | function);
	uint32_t number = tl_index_find(&l->by_cost, hash, same_cost, l->costs, &wanted);

	if (number != TL_NONE)
		return &l->costs[number];
	number = (uint32_t)l->cost_count;
	if (!tl_grow(&l->costs, &l->cost_capacity, l->cost_count + 1, sizeof(*l->costs)) ||
	    !tl_index_add(&l->by_cost, hash, number)) {
		l->no_memory = true;
		return NULL;
	}
	l->costs[l->cost_count++] = wanted;
	return &l->costs[number];
}

/* ---- calls ---- */

static bool same_call(const void *context, const void *key, uint32_t number)
{
	const struct tl_pt_addr_call *calls = context, *wanted = key, *have = &calls[number];

	return have->from == wanted->from && have->caller == wanted->caller &&
	       have->callee == wanted->callee;
}

static uint32_t find_call(struct tl_pt_addr_costs *l, const struct tl_pt_addr_call *call)
{
	uint64_t hash = tl_hash_pair(call->from, (uint64_t)call->caller << 32 | call->callee);
	uint32_t number = tl_index_find(&l->by_call, hash, same_call, l->calls, call);

	if (number != TL_NONE)
		return number;
	number = (uint32_t)l->call_count;
	if (!tl_grow(&l->calls, &l->call_capacity, l->call_count + 1, sizeof(*l->calls)) ||
	    !tl_index_add(&l->by_call, hash, number)) {
		l->no_memory = true;
		return TL_NONE;
	}
	l->calls[l->call_count++] = *call;
	return number;
}

/*
 * The address of the last instruction of the node that was left: the call instruction; 0: unknown.
 */
static uint64_t site(const struct tl_pt_folder *f)
{
	const struct tl_pt_node_addrs *l;

	if (f->pos.last == &f->pos.outside)
		return 0;
	l = &f->visits.nodes[f->pos.last - f->cache->nodes];
	return l->count ? f->thread->costs.addrs[f->visits.addrs[l->first + l->count - 1]].ip : 0;
}

void tl_pt_addr_costs_reopened(void *arg, struct tl_pt_frame *frame)
{
	struct tl_pt_folder *f = arg;
	struct tl_pt_addr_call *call;

	if (frame->call == TL_NONE)
		return;
	call = &f->thread->costs.calls[frame->call];
	if (call->active++)
		return;
	call->clock_start = (int64_t)f->thread->stack.fold.hot.clock;
	call->insns_start = f->thread->total_insns;
	call->cycles_start = f->thread->total_cycles;
}

void tl_pt_addr_costs_opened(void *arg, struct tl_pt_frame *frame)
{
	struct tl_pt_folder *f = arg;
	const struct tl_fold *fold = &f->thread->stack.fold;
	struct tl_pt_addr_costs *l = &f->thread->costs;
	struct tl_pt_addr_call call = { .callee = fold->hot.top->function,
					.caller = fold->hot.top[-1].function };

	if (call.caller == TL_NONE || frame->flags & TL_PT_FRAME_UNSEEN)
		return;
	call.from = frame->flags & TL_PT_FRAME_HANDLER ? 0 : site(f);
	call.to = f->functions.list[call.callee].address;
	frame->call = find_call(l, &call);
	if (frame->call == TL_NONE)
		return;
	l->calls[frame->call].calls += !f->window.closed;
	tl_pt_addr_costs_reopened(arg, frame);
}

void tl_pt_addr_costs_resumed(struct tl_pt_folder *f, size_t depth, uint64_t from)
{
	const struct tl_fold *fold = &f->thread->stack.fold;
	struct tl_pt_frame *frame = &f->thread->stack.frames.list[depth];
	struct tl_pt_addr_call call = { .callee = fold->frames[depth].function,
					.caller = fold->frames[depth - 1].function };

	frame->call = TL_NONE;
	if (call.caller == TL_NONE || frame->flags & TL_PT_FRAME_UNSEEN)
		return;
	call.from = frame->flags & TL_PT_FRAME_HANDLER ? 0 : from;
	call.to = f->functions.list[call.callee].address;
	frame->call = find_call(&f->thread->costs, &call);
	tl_pt_addr_costs_reopened(f, frame);
}

/* A recursion counts once: the inclusive cost grows while any such call is on the stack. */
void tl_pt_addr_costs_closing(void *arg, struct tl_pt_frame *frame)
{
	struct tl_pt_folder *f = arg;
	struct tl_pt_addr_call *call;

	if (frame->call == TL_NONE)
		return;
	call = &f->thread->costs.calls[frame->call];
	if (--call->active)
		return;
	call->clock += (int64_t)f->thread->stack.fold.hot.clock - call->clock_start;
	call->insns += f->thread->total_insns - call->insns_start;
	call->cycles += f->thread->total_cycles - call->cycles_start;
}

/* ---- adding to the profile ---- */

/* The events of the profile: Ticks, Cycles, Ir. */
uint32_t tl_pt_event_count(const struct tl_pt_folder *f)
{
	return 1u + f->timed + f->cycles.seen;
}

void tl_pt_fold_events(const struct tl_pt_folder *f, int64_t ticks, int64_t cycles, int64_t insns,
		       int64_t cost[1 + TL_PT_COSTS])
{
	cost[0] = ticks;
	cost[1] = cycles;
	cost[tl_pt_event_count(f) - 1] = insns;
}

struct writer {
	struct tl_pt_folder *folder;
	const struct tl_pt_addr_costs *costs;
	struct tl_profile *profile;
	const uint32_t *numbers;
	/*
	 * Functions that the thread ran. Others may be targets of jumps that were never taken:
	 * those of other threads do not matter, and those that are found now have no number.
	 */
	const bool *ran;
	size_t ran_count;
	uint32_t part;
};

/* Set the source line of an address. Its symbol's function; TL_NONE: none that ran. */
static uint32_t locate(struct writer *w, uint64_t ip, struct tl_position *at)
{
	struct tl_pt_line line;
	struct tl_pt_name name = tl_pt_functions_line(&w->folder->functions, ip, &line);

	*at = (struct tl_position){ .file = line.file, .address = ip, .line = line.line };
	return name.function < w->ran_count && w->ran[name.function] ? name.function : TL_NONE;
}

static int put_line(struct writer *w, const struct tl_pt_addr_cost *c, struct tl_error *err)
{
	struct tl_cost_line line = { .part = w->part, .function = w->numbers[c->function] };
	int64_t cost[1 + TL_PT_COSTS];

	tl_pt_fold_events(w->folder, c->ticks, c->cycles, (int64_t)c->executed, cost);
	locate(w, w->costs->addrs[c->addr].ip, &line.at);
	return tl_profile_put_line(w->profile, &line, cost, err);
}

static int put_jump(struct writer *w, const struct tl_pt_addr_cost *c, struct tl_error *err)
{
	const struct tl_pt_exec_addr *addr = &w->costs->addrs[c->addr];
	struct tl_jump jump = {
		.part = w->part,
		.function = w->numbers[c->function],
		.executed = c->executed,
		.taken = c->executed,
		.conditional = addr->iclass == TL_PT_IC_COND_JUMP,
	};
	uint32_t target;

	if (!addr->target || (!jump.conditional && addr->iclass != TL_PT_IC_JUMP))
		return 0;
	if (jump.conditional)
		jump.taken = c->taken;
	locate(w, addr->ip, &jump.from);
	target = locate(w, addr->target, &jump.to);
	jump.target = target == TL_NONE ? jump.function : w->numbers[target];
	return tl_profile_put_jump(w->profile, &jump, err);
}

static int put_call(struct writer *w, const struct tl_pt_addr_call *c, struct tl_error *err)
{
	struct tl_arc arc = { .part = w->part, .calls = c->calls };
	int64_t cost[1 + TL_PT_COSTS];

	/* A call that began before the share has its place, even if it ends at once. */
	if (!c->calls && !w->folder->share.on)
		return 0;
	tl_pt_fold_events(w->folder, c->clock, c->cycles, w->folder->timed ? c->insns : c->clock,
			  cost);
	if (c->from)
		locate(w, c->from, &arc.from);
	else
		arc.from = (struct tl_position){ .file = "" };
	if (c->to)
		locate(w, c->to, &arc.to);
	else
		arc.to = (struct tl_position){ .file = "" };
	arc.caller = w->numbers[c->caller];
	arc.callee = w->numbers[c->callee];
	return tl_profile_put_arc(w->profile, &arc, cost, err);
}

/* What ran last before a share is not executed in it, but may be left in it. */
static bool counts(const struct writer *w, const struct tl_pt_addr_cost *c)
{
	return c->executed || (w->folder->share.on && (c->taken || c->ticks));
}

static int put_all(struct writer *w, struct tl_error *err)
{
	const struct tl_pt_addr_costs *l = w->costs;
	int status = 0;

	for (size_t i = 0; status == 0 && i < l->cost_count; i++) {
		const struct tl_pt_addr_cost *cost = &l->costs[i];

		if (!counts(w, cost) || cost->function == TL_NONE)
			continue;
		status = put_line(w, cost, err);
		if (status == 0)
			status = put_jump(w, cost, err);
	}
	for (size_t i = 0; status == 0 && i < l->call_count; i++)
		status = put_call(w, &l->calls[i], err);
	if (status == 0 && w->folder->functions.no_memory)
		return tl_error_memory(err);
	return status;
}

/* A call that did not end has the cost up to the end of the trace. */
static void end_calls(struct tl_pt_fold_thread *thread)
{
	for (size_t i = 0; i < thread->costs.call_count; i++) {
		struct tl_pt_addr_call *call = &thread->costs.calls[i];

		if (!call->active)
			continue;
		call->clock += (int64_t)thread->stack.fold.hot.clock - call->clock_start;
		call->insns += thread->total_insns - call->insns_start;
		call->cycles += thread->total_cycles - call->cycles_start;
		call->active = 0;
	}
}

void tl_pt_addr_costs_find_targets(struct tl_pt_folder *f, const struct tl_pt_addr_costs *l)
{
	for (size_t i = 0; i < l->cost_count; i++) {
		const struct tl_pt_exec_addr *addr = &l->addrs[l->costs[i].addr];

		if (addr->target && addr->iclass == TL_PT_IC_COND_JUMP)
			tl_pt_functions_name(&f->functions, addr->target);
	}
}

static bool *find_ran(const struct tl_pt_folder *f, const struct tl_pt_addr_costs *l)
{
	bool *ran = tl_zeroed(f->functions.count, sizeof(*ran));

	for (size_t i = 0; ran && i < f->functions.count; i++)
		ran[i] = f->functions.list[i].ran;
	for (size_t i = 0; ran && i < l->cost_count; i++)
		if (l->costs[i].function != TL_NONE)
			ran[l->costs[i].function] = true;
	return ran;
}

int tl_pt_addr_costs_into(struct tl_pt_folder *f, struct tl_pt_fold_thread *thread, uint32_t part,
			  const uint32_t *numbers, struct tl_profile *profile, struct tl_error *err)
{
	struct writer w = {
		.folder = f,
		.costs = &thread->costs,
		.profile = profile,
		.numbers = numbers,
		.ran_count = f->functions.count,
		.part = part,
	};
	bool *ran = thread->costs.no_memory ? NULL : find_ran(f, &thread->costs);
	int status;

	if (!ran)
		return tl_error_memory(err);
	w.ran = ran;
	end_calls(thread);
	status = put_all(&w, err);
	free(ran);
	return status;
}
