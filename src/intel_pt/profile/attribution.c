/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attribution of costs to addresses: visits of nodes, and ticks and cycles that belong to no visit
 * yet.
 */
#include "core/error.h"
#include "intel_pt/profile/fold.h"
#include "profile/model/model.h"

/* ---- visits ---- */

uint32_t tl_pt_visits_first(struct tl_pt_folder *f, uint32_t number, uint32_t function,
			    uint32_t first, uint32_t steps)
{
	struct tl_pt_node_addrs *l = &f->visits.nodes[number];
	uint32_t at = l->visits, before = 0;

	while (at &&
	       (f->visits.list[at].function != function || f->visits.list[at].first != first)) {
		before = at;
		at = f->visits.list[at].next;
	}
	if (!at) {
		if (f->visits.count >= UINT32_MAX ||
		    !tl_grow(&f->visits.list, &f->visits.capacity, f->visits.count + 1,
			     sizeof(*f->visits.list))) {
			f->thread->costs.no_memory = true;
			return 0;
		}
		at = (uint32_t)f->visits.count++;
		f->visits.list[at] = (struct tl_pt_visits){
			.node = number,
			.function = function,
			.first = first,
			.steps = steps,
		};
	} else if (before) {
		f->visits.list[before].next = f->visits.list[at].next;
	}
	if (at != l->visits)
		f->visits.list[at].next = l->visits;
	l->visits = at;
	return at;
}

/* ---- time and cycles ---- */

void tl_pt_attribute_to(struct tl_pt_folder *f, uint32_t visit)
{
	struct tl_pt_visits *v = &f->visits.list[visit];

	v->ticks += f->visits.unattributed_ticks;
	tl_add_cost(&v->cycles, f->visits.unattributed_cycles,
		    &f->thread->stack.fold.losses.saturated);
	f->visits.unattributed_ticks = f->visits.unattributed_cycles = 0;
}

/*
 * No node ran since the thread was resumed: the cost belongs to the address at which it was
 * suspended.
 */
static void attribute_to_last_addr(struct tl_pt_folder *f)
{
	struct tl_pt_addr_costs *l = &f->thread->costs;
	struct tl_pt_addr_cost *cost;

	if (!(f->visits.unattributed_ticks || f->visits.unattributed_cycles) || !l->last_addr)
		return;
	cost = tl_pt_addr_costs_cost(l, l->last_addr - 1, f->visits.unattributed_to);
	if (!cost)
		return;
	cost->ticks += f->visits.unattributed_ticks;
	tl_add_cost(&cost->cycles, f->visits.unattributed_cycles,
		    &f->thread->stack.fold.losses.saturated);
}

void tl_pt_attribute_rest(struct tl_pt_folder *f)
{
	uint32_t to = f->visits.last;

	/* Which visits there are depends on what was before the share. */
	if (f->visits.unattributed_ticks || f->visits.unattributed_cycles)
		f->share.refused = true;
	for (uint32_t i = 1;
	     (f->visits.unattributed_ticks || f->visits.unattributed_cycles) && i < f->visits.count;
	     i++)
		if (f->visits.list[i].function == f->visits.unattributed_to)
			to = i;
	if (!to)
		attribute_to_last_addr(f);
	tl_pt_attribute_to(f, to);
}

void tl_pt_attribute(struct tl_pt_folder *f, int64_t ticks, int64_t cycles)
{
	uint32_t function = tl_fold_top(&f->thread->stack.fold);
	struct tl_pt_visits *v = &f->visits.list[f->visits.last];
	uint64_t *saturated = &f->thread->stack.fold.losses.saturated;

	if (v->function == function) {
		v->ticks += ticks;
		tl_add_cost(&v->cycles, cycles, saturated);
		return;
	}
	if (f->visits.unattributed_to != function)
		tl_pt_attribute_rest(f);
	f->visits.unattributed_to = function;
	f->visits.unattributed_ticks += ticks;
	tl_add_cost(&f->visits.unattributed_cycles, cycles, saturated);
}

/* ---- visits to costs of addresses ---- */

/* Branches before the last instruction of a node are direct ones, which are always taken. */
static void flush_visits(struct tl_pt_folder *f, const struct tl_pt_visits *v)
{
	const struct tl_pt_node_addrs *l = &f->visits.nodes[v->node];

	for (uint32_t i = 0; i < v->steps; i++) {
		bool last = v->first + i + 1 == l->count;
		uint32_t addr = f->visits.addrs[l->first + v->first + i];
		struct tl_pt_addr_cost *cost =
			tl_pt_addr_costs_cost(&f->thread->costs, addr, v->function);

		if (!cost)
			return;
		cost->executed += v->count;
		cost->taken += last ? v->taken : v->count;
		if (i + 1 == v->steps) {
			cost->ticks += v->ticks;
			tl_add_cost(&cost->cycles, v->cycles,
				    &f->thread->stack.fold.losses.saturated);
		}
	}
}

/* The address of the visit's last instruction. */
static uint32_t last_addr(const struct tl_pt_folder *f, const struct tl_pt_visits *v)
{
	return f->visits.addrs[f->visits.nodes[v->node].first + v->first + v->steps - 1];
}

static void flush_all(struct tl_pt_folder *f)
{
	tl_pt_attribute_rest(f);
	for (size_t i = 1; i < f->visits.count; i++)
		flush_visits(f, &f->visits.list[i]);
	if (f->visits.last)
		f->thread->costs.last_addr = last_addr(f, &f->visits.list[f->visits.last]) + 1;
}

void tl_pt_visits_flush(struct tl_pt_folder *f)
{
	/* Without memory, addresses of nodes may be missing; the fold fails then. */
	if (!f->thread->costs.no_memory && !f->functions.no_memory)
		flush_all(f);
	for (size_t i = 1; i < f->visits.count; i++)
		f->visits.nodes[f->visits.list[i].node] = (struct tl_pt_node_addrs){ 0 };
	f->pos.outside = *f->pos.last;
	f->pos.last = &f->pos.outside;
	f->visits.count = 1;
	f->visits.last = 0;
	f->visits.addr_count = 0;
	if (f->visits.nodes)
		f->cache->scanned = 0;
}
