/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of nodes: what a node is, found once; and its counts as those of instructions, edges. */
#include <string.h>

#include "intel_pt/blocks/unsized.h"
#include "intel_pt/coverage/coverage.h"

enum { INSNS_AT_ONCE = 64 };

/* ---- addresses ---- */

struct spot {
	uint64_t address;
	uint32_t object;
};

static bool find_map(struct tl_pt_counting *c, uint64_t ip)
{
	struct tl_pt_mapping mapping;

	if (!c->feed->mapping(c->feed->arg, ip, &mapping))
		mapping = (struct tl_pt_mapping){ .start = ip, .end = ip + 1, .object = "" };
	c->map = (struct tl_pt_coverage_map){
		.start = mapping.start,
		.end = mapping.end,
		.bias = mapping.file ? mapping.bias : 0,
	};
	c->map.object = tl_coverage_object(c->coverage, mapping.object, mapping.file, c->map.bias,
					   mapping.start - mapping.offset);
	c->no_memory |= c->map.object == TL_NONE;
	return c->map.object != TL_NONE;
}

static struct spot spot_of(struct tl_pt_counting *c, uint64_t ip)
{
	if ((c->map.object == TL_NONE || ip < c->map.start || ip >= c->map.end) && !find_map(c, ip))
		return (struct spot){ ip, 0 };
	return (struct spot){ ip - c->map.bias, c->map.object };
}

/* ---- a node that is met first ---- */

static enum tl_branch_kind kind_of(const struct tl_pt_node_insn *insn)
{
	switch (insn->iclass) {
	case TL_PT_IC_CALL:
		return insn->direct ? TL_BRANCH_CALL : TL_BRANCH_INDIRECT_CALL;
	case TL_PT_IC_RETURN:
		return TL_BRANCH_RETURN;
	case TL_PT_IC_JUMP:
		return insn->direct ? TL_BRANCH_JUMP : TL_BRANCH_INDIRECT_JUMP;
	case TL_PT_IC_COND_JUMP:
		return TL_BRANCH_CONDITIONAL;
	case TL_PT_IC_FAR_CALL:
	case TL_PT_IC_FAR_RETURN:
	case TL_PT_IC_FAR_JUMP:
		return TL_BRANCH_SYSTEM;
	case TL_PT_IC_INDIRECT:
		return TL_BRANCH_INDIRECT_JUMP;
	default:
		return TL_BRANCH_NONE;
	}
}

static uint32_t add_insn(struct tl_pt_counting *c, const struct tl_pt_node_insn *insn)
{
	const struct spot spot = spot_of(c, insn->ip);
	const struct tl_coverage_insn made = {
		.address = spot.address,
		.object = spot.object,
		.place = TL_NONE,
		.function = TL_NONE,
		.size = insn->size,
		.kind = (uint8_t)kind_of(insn),
	};

	if (c->no_memory || !tl_coverage_add_insn(c->coverage, &made))
		return TL_NONE;
	return tl_coverage_find(c->coverage, spot.object, spot.address);
}

/* A branch that is not the last instruction of its node is direct. */
static bool add_inner(struct tl_pt_counters *k, uint32_t from, uint64_t target)
{
	if (!tl_grow(&k->jumps, &k->jump_room, k->jump_count + 1, sizeof(*k->jumps)))
		return false;
	k->jumps[k->jump_count++] = (struct tl_pt_inner_jump){ .from = from, .target = target };
	return true;
}

static bool take_insns(struct tl_pt_counting *c, struct tl_pt_counter *counter,
		       const struct tl_pt_node_insn *insns, size_t count,
		       struct tl_pt_node_insn *last)
{
	struct tl_pt_counters *k = c->now;

	if (!tl_grow(&k->insns, &k->insn_room, k->insn_count + count, sizeof(*k->insns)))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (counter->insns && kind_of(last) != TL_BRANCH_NONE &&
		    !add_inner(k, k->insns[k->insn_count - 1], last->target))
			return false;
		k->insns[k->insn_count] = add_insn(c, &insns[i]);
		if (k->insns[k->insn_count] == TL_NONE)
			return false;
		k->insn_count++;
		counter->insns++;
		*last = insns[i];
	}
	return true;
}

static bool look_at(struct tl_pt_counting *c, uint32_t node, struct tl_pt_counter *counter)
{
	struct tl_pt_node_insn insns[INSNS_AT_ONCE], last = { 0 };
	int count;

	counter->first = (uint32_t)c->now->insn_count;
	counter->jumps = (uint32_t)c->now->jump_count;
	while ((count = tl_pt_node_insns(c->decoder, node, counter->insns, insns, INSNS_AT_ONCE)) >
	       0) {
		if (!counter->insns)
			counter->ip = insns[0].ip;
		if (!take_insns(c, counter, insns, (size_t)count, &last))
			return false;
	}
	if (count == -TL_PT_NOMEM)
		return false;
	counter->after = last.ip + last.size;
	counter->target = last.direct ? last.target : 0;
	counter->kind = (uint8_t)kind_of(&last);
	counter->known = true;
	return add_inner(c->now, TL_NONE, 0);
}

static bool make_room(struct tl_pt_counters *k, uint32_t node)
{
	size_t had = k->count;

	if (node < had)
		return true;
	if (!tl_grow(&k->list, &k->room, (size_t)node + 1, sizeof(*k->list)))
		return false;
	k->count = k->room;
	memset(k->list + had, 0, (k->count - had) * sizeof(*k->list));
	return true;
}

struct tl_pt_counter *tl_pt_counter_meet(struct tl_pt_counting *c, uint32_t node)
{
	struct tl_pt_counters *k = c->now;
	struct tl_pt_counter *counter;

	if (!make_room(k, node) ||
	    !tl_grow(&k->touched, &k->touched_room, k->touched_count + 1, sizeof(*k->touched)))
		return NULL;
	counter = &k->list[node];
	if (!counter->known && !look_at(c, node, counter))
		return NULL;
	counter->touched = true;
	k->touched[k->touched_count++] = node;
	return counter;
}

/* ---- counts ---- */

static void add_edge(struct tl_pt_counting *c, uint64_t from, uint32_t from_object, uint64_t to,
		     struct tl_coverage_edge edge)
{
	struct spot spot;

	if (!edge.count)
		return;
	spot = spot_of(c, to);
	edge.from = from;
	edge.from_object = from_object;
	edge.to = spot.address;
	edge.to_object = spot.object;
	c->no_memory |= !tl_coverage_add_edge(c->coverage, &edge);
}

static void add_branch(struct tl_pt_counting *c, uint32_t insn, uint64_t target, uint64_t count,
		       bool falls)
{
	const struct tl_coverage_insn *from = &c->coverage->insns[insn];

	add_edge(c, from->address, from->object, target,
		 (struct tl_coverage_edge){ .count = count, .kind = from->kind, .falls = falls });
}

void tl_pt_counter_retarget(struct tl_pt_counting *c, struct tl_pt_counter *counter,
			    uint64_t target)
{
	add_branch(c, c->now->insns[counter->first + counter->insns - 1], counter->target,
		   counter->taken, false);
	counter->target = target;
	counter->taken = 0;
}

void tl_pt_count_async(struct tl_pt_counting *c, uint64_t from, uint64_t to)
{
	const struct spot spot = spot_of(c, from);

	add_edge(c, spot.address, spot.object, to,
		 (struct tl_coverage_edge){ .count = 1, .kind = TL_BRANCH_ASYNC });
}

static void add_up(struct tl_pt_counting *c, struct tl_pt_counter *counter)
{
	const uint32_t *insns = c->now->insns + counter->first;

	if (!counter->insns)
		return;
	for (uint32_t i = 0; i < counter->insns; i++)
		tl_coverage_count(c->coverage, insns[i], counter->count);
	for (const struct tl_pt_inner_jump *jump = c->now->jumps + counter->jumps;
	     jump->from != TL_NONE; jump++)
		add_branch(c, jump->from, jump->target, counter->count, false);
	add_branch(c, insns[counter->insns - 1], counter->target, counter->taken, false);
	add_branch(c, insns[counter->insns - 1], counter->after, counter->falls, true);
	counter->count = counter->taken = counter->falls = 0;
	counter->touched = false;
}

void tl_pt_counters_add_up(struct tl_pt_counting *c)
{
	struct tl_pt_counters *k = c->now;

	for (size_t i = 0; i < k->touched_count; i++)
		add_up(c, &k->list[k->touched[i]]);
	k->touched_count = 0;
}

void tl_pt_counters_free(struct tl_pt_counters *k)
{
	free(k->list);
	free(k->insns);
	free(k->jumps);
	free(k->touched);
	*k = (struct tl_pt_counters){ .list = NULL };
}
