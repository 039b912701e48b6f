/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R. Tarjan, "Depth-First Search and Linear Graph Algorithms" (1972), with the call stack as an
 * array: call graphs of interpreters are deep.
 */
#include "profile/derive/cycles.h"

#include <string.h>

#include "core/arithmetic.h"

/* What is known of a function, in one place: who is called next may be anywhere. */
struct node {
	uint32_t order; /* when it was met, 0: not yet */
	uint32_t low;   /* the earliest that it leads back to */
	/* The next of its callees to follow, and the end of them, among the targets. */
	uint32_t next, end;
};

struct visit {
	struct node *nodes; /* by function */
	uint32_t *targets;
	uint32_t *path; /* functions on the way down */
	uint32_t *open; /* met, and not yet in a component */
	size_t depth, opened;
	uint32_t met;
};

/* Not filled: pages that are not needed are not made. */
static uint32_t *room(size_t count)
{
	return malloc((count + 1) * sizeof(uint32_t));
}

static uint32_t *zeros(size_t count)
{
	return calloc(count + 1, sizeof(uint32_t));
}

static uint32_t *nones(size_t count)
{
	uint32_t *made = room(count);

	if (made)
		memset(made, 0xff, (count + 1) * sizeof(*made));
	return made;
}

static void visit_free(struct visit *v)
{
	free(v->nodes);
	free(v->targets);
	free(v->path);
	free(v->open);
}

static bool visit_make(struct visit *v, size_t functions, size_t arcs)
{
	*v = (struct visit){
		.nodes = calloc(functions + 1, sizeof(*v->nodes)),
		.targets = room(arcs),
		.path = room(functions),
		.open = room(functions),
	};
	return v->nodes && v->targets && v->path && v->open;
}

/* Calls from one function to another, grouped by caller. */
static void link_calls(struct visit *v, size_t functions, const struct tl_caller_callee *calls,
		       size_t count)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < count; i++)
		if (calls[i].caller != TL_NONE)
			v->nodes[calls[i].caller].end++;
	for (size_t f = 0; f < functions; f++) {
		v->nodes[f].next = sum;
		sum += v->nodes[f].end;
		v->nodes[f].end = v->nodes[f].next;
	}
	for (size_t i = 0; i < count; i++)
		if (calls[i].caller != TL_NONE)
			v->targets[v->nodes[calls[i].caller].end++] = calls[i].callee;
}

static void enter(struct visit *v, uint32_t function)
{
	v->nodes[function].order = v->nodes[function].low = ++v->met;
	v->path[v->depth++] = function;
	v->open[v->opened++] = function;
}

/* All that is reached from a function was seen: it may be where a component began. */
static void leave(struct visit *v, struct tl_cycles *cycles)
{
	uint32_t function = v->path[--v->depth], member;

	if (v->depth) {
		uint32_t *low = &v->nodes[v->path[v->depth - 1]].low;

		*low = tl_min(v->nodes[function].low, *low);
	}
	if (v->nodes[function].low != v->nodes[function].order)
		return;
	do {
		member = v->open[--v->opened];
		cycles->of[member] = cycles->count;
		cycles->size[cycles->count]++;
	} while (member != function);
	cycles->count++;
}

static void visit_from(struct visit *v, struct tl_cycles *cycles, uint32_t root)
{
	enter(v, root);
	while (v->depth) {
		struct node *node = &v->nodes[v->path[v->depth - 1]];
		uint32_t target;

		if (node->next == node->end) {
			leave(v, cycles);
			continue;
		}
		target = v->targets[node->next++];
		if (!v->nodes[target].order)
			enter(v, target);
		else if (v->nodes[target].order < node->low && cycles->of[target] == TL_NONE)
			node->low = v->nodes[target].order;
	}
}

static void number_members(struct tl_cycles *cycles, size_t functions)
{
	for (size_t f = 0; f < functions; f++) {
		uint32_t component = cycles->of[f];

		if (cycles->size[component] < 2)
			continue;
		if (cycles->leader[component] == TL_NONE)
			cycles->leader[component] = cycles->members;
		cycles->member[f] = cycles->members++;
	}
}

bool tl_cycles_of_calls(struct tl_cycles *cycles, size_t functions,
			const struct tl_caller_callee *calls, size_t count)
{
	struct visit v;
	bool ok = visit_make(&v, functions, count);

	*cycles = (struct tl_cycles){
		.of = nones(functions),
		.size = zeros(functions),
		.member = nones(functions),
		.leader = nones(functions),
	};
	ok = ok && cycles->of && cycles->size && cycles->member && cycles->leader;
	if (ok) {
		link_calls(&v, functions, calls, count);
		for (uint32_t f = 0; f < functions; f++)
			if (!v.nodes[f].order)
				visit_from(&v, cycles, f);
		number_members(cycles, functions);
	} else {
		tl_cycles_free(cycles);
	}
	visit_free(&v);
	return ok;
}

bool tl_cycles_find(struct tl_cycles *cycles, const struct tl_profile *profile)
{
	const size_t count = profile->arcs.table.count;
	struct tl_caller_callee *calls = malloc((count + 1) * sizeof(*calls));
	bool ok = calls;

	for (size_t i = 0; ok && i < count; i++)
		calls[i] = (struct tl_caller_callee){ profile->arcs.list[i].caller,
						      profile->arcs.list[i].callee };
	ok = ok && tl_cycles_of_calls(cycles, profile->functions.table.count, calls, count);
	free(calls);
	return ok;
}

void tl_cycles_free(struct tl_cycles *cycles)
{
	free(cycles->of);
	free(cycles->size);
	free(cycles->member);
	free(cycles->leader);
	*cycles = (struct tl_cycles){ 0 };
}

/* ---- what cycles cost ---- */

static void add_member(const struct tl_cycles *cycles, const struct tl_cycle_sums *sums, size_t f,
		       int64_t *whole, uint64_t *cut)
{
	const int64_t *own = sums->inclusive + f * sums->stride;
	int64_t *cycle = whole + (size_t)cycles->leader[cycles->of[f]] * sums->events;

	for (uint32_t e = 0; e < sums->events; e++)
		tl_add_cost(&cycle[e], own[e], cut);
}

void tl_cycle_settle_row(int64_t *costs, const int64_t *inside, const int64_t *whole,
			 uint32_t events)
{
	uint64_t cut = 0;

	for (uint32_t e = 0; e < events; e++) {
		tl_add_cost(&costs[e], inside[e], &cut);
		costs[e] = tl_min(costs[e], whole[e]);
	}
}

bool tl_cycles_settle(const struct tl_cycles *cycles, const struct tl_cycle_sums *sums,
		      uint64_t *cut)
{
	int64_t *whole = tl_zeroed((size_t)cycles->members * sums->events, sizeof(*whole));

	if (!whole)
		return false;
	for (size_t f = 0; f < sums->functions; f++)
		if (cycles->member[f] != TL_NONE)
			add_member(cycles, sums, f, whole, cut);
	for (size_t f = 0; f < sums->functions; f++)
		if (cycles->member[f] != TL_NONE)
			tl_cycle_settle_row(sums->inclusive + f * sums->stride,
					    sums->inside + (size_t)cycles->member[f] * sums->events,
					    whole + (size_t)cycles->leader[cycles->of[f]] *
							    sums->events,
					    sums->events);
	free(whole);
	return true;
}

/* ---- in parts ---- */

struct part_key {
	const struct tl_profile *profile;
	const struct tl_cycles *cycles;
};

/* Locals, by cycle and part. */
static bool same_cycle(const void *context, const void *key, uint32_t number)
{
	const struct part_key *k = context;
	const struct tl_part_function *a = &k->profile->part_functions.list[number], *b = key;

	return a->part == b->part && k->cycles->of[a->function] == k->cycles->of[b->function];
}

bool tl_cycle_parts_make(struct tl_cycle_parts *parts, const struct tl_profile *profile,
			 const struct tl_cycles *cycles)
{
	size_t count = profile->part_functions.table.count;
	struct part_key context = { profile, cycles };
	struct tl_index index = { 0 };
	bool ok;

	parts->slot = nones(count);
	ok = parts->slot != NULL;
	for (uint32_t i = 0; ok && i < count; i++) {
		const struct tl_part_function *local = &profile->part_functions.list[i];
		uint64_t hash = tl_hash_pair(cycles->of[local->function], local->part);

		if (cycles->size[cycles->of[local->function]] < 2)
			continue;
		parts->slot[i] = tl_index_find(&index, hash, same_cycle, &context, local);
		if (parts->slot[i] != TL_NONE)
			continue;
		parts->slot[i] = i;
		ok = tl_index_add(&index, hash, i);
	}
	tl_index_free(&index);
	return ok;
}

void tl_cycle_parts_free(struct tl_cycle_parts *parts)
{
	free(parts->slot);
}
