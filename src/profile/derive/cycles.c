/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R. Tarjan, "Depth-First Search and Linear Graph Algorithms" (1972), with the call stack as an
 * array: call graphs of interpreters are deep.
 */
#include "profile/derive/cycles.h"

#include <string.h>

#include "core/arithmetic.h"

struct visit {
	/* The graph: callees of function f are targets[first[f]] .. targets[first[f + 1] - 1]. */
	uint32_t *first, *targets;
	/* By function: when it was met, TL_NONE: not yet; and the earliest it leads back to. */
	uint32_t *order, *low;
	/* Functions on the way down, and by function the next of its targets to follow. */
	uint32_t *path, *next;
	uint32_t *open; /* met, and not yet in a component */
	size_t depth, opened;
	uint32_t met;
};

static uint32_t *numbers(size_t count, int fill)
{
	uint32_t *made = malloc((count + 1) * sizeof(*made));

	if (made)
		memset(made, fill, (count + 1) * sizeof(*made));
	return made;
}

static void visit_free(struct visit *v)
{
	free(v->first);
	free(v->targets);
	free(v->order);
	free(v->low);
	free(v->path);
	free(v->next);
	free(v->open);
}

static bool visit_make(struct visit *v, size_t functions, size_t arcs)
{
	*v = (struct visit){
		.first = numbers(functions + 1, 0),
		.targets = numbers(arcs, 0),
		.order = numbers(functions, 0xff),
		.low = numbers(functions, 0xff),
		.path = numbers(functions, 0),
		.next = numbers(functions, 0),
		.open = numbers(functions, 0),
	};
	return v->first && v->targets && v->order && v->low && v->path && v->next && v->open;
}

/* Calls from one function to another, grouped by caller. */
static void link_calls(struct visit *v, size_t functions, const struct tl_caller_callee *calls,
		       size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (calls[i].caller != TL_NONE)
			v->first[calls[i].caller + 1]++;
	for (size_t f = 0; f < functions; f++)
		v->first[f + 1] += v->first[f];
	memcpy(v->next, v->first, functions * sizeof(*v->next));
	for (size_t i = 0; i < count; i++)
		if (calls[i].caller != TL_NONE)
			v->targets[v->next[calls[i].caller]++] = calls[i].callee;
	memcpy(v->next, v->first, functions * sizeof(*v->next));
}

static void enter(struct visit *v, uint32_t function)
{
	v->order[function] = v->low[function] = v->met++;
	v->path[v->depth++] = function;
	v->open[v->opened++] = function;
}

/* All that is reached from a function was seen: it may be where a component began. */
static void leave(struct visit *v, struct tl_cycles *cycles)
{
	uint32_t function = v->path[--v->depth], member;

	if (v->depth) {
		uint32_t *low = &v->low[v->path[v->depth - 1]];

		*low = tl_min(v->low[function], *low);
	}
	if (v->low[function] != v->order[function])
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
		uint32_t function = v->path[v->depth - 1], target;

		if (v->next[function] == v->first[function + 1]) {
			leave(v, cycles);
			continue;
		}
		target = v->targets[v->next[function]++];
		if (v->order[target] == TL_NONE)
			enter(v, target);
		else if (cycles->of[target] == TL_NONE && v->order[target] < v->low[function])
			v->low[function] = v->order[target];
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
		.of = numbers(functions, 0xff),
		.size = numbers(functions, 0),
		.member = numbers(functions, 0xff),
		.leader = numbers(functions, 0xff),
	};
	ok = ok && cycles->of && cycles->size && cycles->member && cycles->leader;
	if (ok) {
		link_calls(&v, functions, calls, count);
		for (uint32_t f = 0; f < functions; f++)
			if (v.order[f] == TL_NONE)
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

	parts->slot = numbers(count, 0xff);
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
