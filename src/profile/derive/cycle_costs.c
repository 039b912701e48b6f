/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of a cycle is the self cost of its functions plus the inclusive cost of the calls that
 * leave it. No such call leads back into the cycle (its callee would belong to the cycle), so the
 * sum is exact for profiles with and without contexts.
 */
#include "profile/derive/cycle_costs.h"

#include <stdio.h>
#include <string.h>

#include "core/arithmetic.h"
#include "profile/derive/cycles.h"

static bool make_room(struct tl_cycle_costs *costs, const struct tl_profile *profile)
{
	size_t cycles = costs->count, events = profile->event_count;

	costs->names = tl_zeroed(cycles, sizeof(*costs->names));
	costs->functions = tl_zeroed(cycles, sizeof(*costs->functions));
	costs->chosen = tl_zeroed(cycles, sizeof(*costs->chosen));
	costs->calls = tl_zeroed(cycles, sizeof(*costs->calls));
	costs->self = tl_zeroed(cycles * events, sizeof(*costs->self));
	costs->inclusive = tl_zeroed(cycles * events, sizeof(*costs->inclusive));
	return costs->names && costs->functions && costs->chosen && costs->calls && costs->self &&
	       costs->inclusive;
}

static void add_row(const struct tl_profile *profile, int64_t *to, uint32_t cycle,
		    const int64_t *cost)
{
	uint64_t saturated = 0;

	for (uint32_t e = 0; e < profile->event_count; e++)
		tl_add_cost(&to[(size_t)cycle * profile->event_count + e], cost[e], &saturated);
}

static void add_up(struct tl_cycle_costs *costs, const struct tl_profile *profile)
{
	uint64_t saturated = 0;

	for (uint32_t f = 0; f < profile->functions.table.count; f++) {
		const int64_t *self = profile->sums.self + (size_t)f * profile->event_count;

		if (costs->of[f] == TL_NONE)
			continue;
		costs->chosen[costs->of[f]] |= tl_profile_chosen(profile, f);
		add_row(profile, costs->self, costs->of[f], self);
		add_row(profile, costs->inclusive, costs->of[f], self);
	}
	for (size_t i = 0; i < profile->arcs.table.count; i++) {
		const struct tl_arc *arc = &profile->arcs.list[i];
		uint32_t from = tl_profile_renumber(costs->of, arc->caller);
		uint32_t to = costs->of[arc->callee];

		if (from == to)
			continue;
		if (from != TL_NONE)
			add_row(profile, costs->inclusive, from,
				profile->arcs.table.cost + i * profile->event_count);
		if (to != TL_NONE)
			tl_add_count(&costs->calls[to], arc->calls, &saturated);
	}
}

struct order {
	const struct tl_cycle_costs *costs;
	size_t events;
};

/* The costliest first; those of equal cost in the order of their first functions. */
static int compare_cycles(const void *left, const void *right, void *context)
{
	const struct order *order = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int64_t x = order->costs->inclusive[a * order->events],
		y = order->costs->inclusive[b * order->events];

	return x != y ? (x < y) - (x > y) : tl_compare(a, b);
}

static bool name_cycles(struct tl_cycle_costs *costs, const struct tl_profile *profile)
{
	struct order order = { costs, profile->event_count };
	uint32_t *cycles = tl_zeroed(costs->count, sizeof(*cycles));

	if (!cycles)
		return false;
	for (uint32_t i = 0; i < costs->count; i++)
		cycles[i] = i;
	qsort_r(cycles, costs->count, sizeof(*cycles), compare_cycles, &order);
	for (uint32_t i = 0; i < costs->count; i++) {
		char *name = costs->names[cycles[i]];

		snprintf(name, TL_CYCLE_NAME, "<cycle %u>", (unsigned)i + 1);
		costs->functions[cycles[i]] = (struct tl_function){
			.name = name, .object = "", .file = "", .id = TL_NOWHERE
		};
	}
	free(cycles);
	return true;
}

/* Numbers in the order of their first functions; `first` is by component. */
static void number_cycles(struct tl_cycle_costs *costs, const struct tl_cycles *graph,
			  uint32_t *first, size_t functions)
{
	for (size_t f = 0; f < functions; f++) {
		uint32_t component = graph->of[f];

		costs->of[f] = TL_NONE;
		if (graph->size[component] < 2)
			continue;
		if (first[component] == TL_NONE)
			first[component] = costs->count++;
		costs->of[f] = first[component];
	}
}

static bool find_cycles(struct tl_cycle_costs *costs, const struct tl_profile *profile)
{
	size_t functions = profile->functions.table.count;
	struct tl_cycles graph;
	uint32_t *first;
	bool ok;

	if (!tl_cycles_find(&graph, profile))
		return false;
	first = malloc(((size_t)graph.count + 1) * sizeof(*first));
	costs->of = malloc((functions + 1) * sizeof(*costs->of));
	ok = first && costs->of;
	if (ok) {
		memset(first, 0xff, ((size_t)graph.count + 1) * sizeof(*first));
		number_cycles(costs, &graph, first, functions);
	}
	tl_cycles_free(&graph);
	free(first);
	return ok;
}

bool tl_cycle_costs_make(struct tl_cycle_costs *costs, const struct tl_profile *profile)
{
	*costs = (struct tl_cycle_costs){ 0 };
	if (!find_cycles(costs, profile) || !make_room(costs, profile))
		return false;
	add_up(costs, profile);
	return name_cycles(costs, profile);
}

void tl_cycle_costs_free(struct tl_cycle_costs *costs)
{
	free(costs->of);
	free(costs->names);
	free(costs->functions);
	free(costs->chosen);
	free(costs->calls);
	free(costs->self);
	free(costs->inclusive);
	*costs = (struct tl_cycle_costs){ 0 };
}
