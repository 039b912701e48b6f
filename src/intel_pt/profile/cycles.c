/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cycles of a fold: the counts of CYC packets, spread over instructions as time is (timing.c).
 * Cycles are a cost of contexts, added together with instructions: at calls, returns and
 * timestamps, not at every node, to keep the loop over nodes small.
 */
#include "core/arithmetic.h"
#include "core/error.h"
#include "intel_pt/profile/fold.h"
#include "profile/model/model.h"

/* The largest count that is spread: a larger one passed while no instruction was executed. */
#define SPREAD_MOST (UINT64_C(1) << 40)

void tl_pt_cycles_from(struct tl_pt_folder *f, uint64_t count)
{
	f->cycles.last = count;
	f->cycles.pending = false;
	f->cycles.counted = f->insns;
}

/* The number of instructions of the nodes; those of TL_PT_KEY_SEVERAL are in several entries. */
static uint64_t insns_of(const struct tl_pt_folder *f, const uint32_t *numbers, size_t count)
{
	uint64_t insns = 0;

	for (size_t i = 0; i < count; i++) {
		const struct tl_pt_node_facts *n = &f->cache->nodes[numbers[i]];

		insns += n->insns;
		for (size_t k = n->called; n->entry == TL_PT_KEY_SEVERAL && f->cache->inner[k].ip;
		     k++)
			insns += f->cache->inner[k].insns;
	}
	return insns;
}

void tl_pt_cycles_begin(struct tl_pt_folder *f, const uint32_t *numbers, size_t count, uint64_t to)
{
	struct tl_pt_cycle_count *c = &f->cycles;
	uint64_t step = to - c->last, insns;

	c->counted = f->insns;
	c->insns = c->spread = c->rate = 0;
	if (!step || step > SPREAD_MOST)
		return;
	insns = insns_of(f, numbers, count);
	c->rate = insns ? (step << TL_PT_RATE_BITS) / insns : 0;
}

static void pass(struct tl_pt_folder *f, uint64_t cycles)
{
	struct tl_fold *fold = &f->thread->stack.fold;
	int64_t passed = (int64_t)tl_min(cycles, (uint64_t)INT64_MAX);

	if (!cycles || f->window.closed)
		return;
	tl_add_cost(&f->cycles.unattributed, passed, &fold->losses.saturated);
	if (f->visits.nodes)
		tl_pt_attribute(f, 0, passed);
}

void tl_pt_cycles_count(struct tl_pt_folder *f, int64_t insns)
{
	struct tl_pt_cycle_count *c = &f->cycles;
	uint64_t before = c->spread;

	c->insns += (uint64_t)(insns - c->counted);
	c->counted = insns;
	c->spread = c->insns * c->rate >> TL_PT_RATE_BITS;
	pass(f, c->spread - before);
}

void tl_pt_cycles_give(struct tl_pt_folder *f, int64_t insns, int64_t *cycles)
{
	tl_pt_cycles_count(f, insns);
	tl_add_cost(cycles, f->cycles.unattributed, &f->thread->stack.fold.losses.saturated);
	f->cycles.unattributed = f->cycles.counted = 0;
}

void tl_pt_cycles_end(struct tl_pt_folder *f, uint64_t to)
{
	struct tl_pt_cycle_count *c = &f->cycles;

	tl_pt_cycles_count(f, f->insns);
	pass(f, to - c->last - c->spread);
	c->last = to;
	c->insns = c->spread = c->rate = 0;
}

void tl_pt_cycles_drop(struct tl_fold *fold)
{
	_Static_assert(TL_PT_COST_INSNS == TL_PT_COSTS - 1, "the last one stays where it is");
	fold->event_count = 1;
}
