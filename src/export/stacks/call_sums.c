/* SPDX-License-Identifier: Apache-2.0 */
#include "export/stacks/call_sums.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "profile/model/groups.h"
#include "export/stacks/stacks.h"
#include "profile/model/unsized.h"

static bool of_part(const struct tl_call_sums *s, uint32_t part)
{
	return s->part == TL_NONE || s->part == part;
}

static int64_t *vector(const struct tl_call_sums *s, int64_t *of, uint32_t number)
{
	return of + (size_t)number * s->events;
}

/* Costs below zero cannot be divided among paths: a sum below zero counts as zero. */
static void raise_to_zero(int64_t *costs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (costs[i] < 0)
			costs[i] = 0;
}

static void sum_lines(struct tl_call_sums *s)
{
	uint32_t count = tl_profile_line_count(s->profile);

	for (uint32_t i = 0; i < count; i++) {
		const struct tl_cost_line *line = tl_profile_line(s->profile, i);
		const int64_t *cost = tl_profile_line_cost(s->profile, i);
		int64_t *self = vector(s, s->self, line->function);

		for (uint32_t e = 0; of_part(s, line->part) && e < s->events; e++) {
			self[e] = tl_sum_saturating(self[e], cost[e]);
			s->total[e] = tl_sum_saturating(s->total[e], cost[e]);
		}
	}
	raise_to_zero(s->self, (size_t)s->functions * s->events);
	raise_to_zero(s->total, s->events);
}

/* Arcs that are being sorted: numbers in the profile, and the order by callee, once it is known. */
struct sorting {
	const struct tl_profile *profile;
	uint32_t functions, *chosen;
	const uint32_t *by_callee;
};

static uint32_t callee_of(const void *context, uint32_t number)
{
	const struct sorting *s = context;

	return tl_profile_arc(s->profile, s->chosen[number])->callee;
}

/* Calls from outside the trace come last. */
static uint32_t caller_of(const void *context, uint32_t number)
{
	const struct sorting *s = context;
	uint32_t caller = tl_profile_arc(s->profile, s->chosen[s->by_callee[number]])->caller;

	return caller == TL_NONE ? s->functions : caller;
}

/*
 * Sort arcs by caller and callee, by counting: there are far more arcs than functions, and each
 * look at an arc is one into memory that no cache has. NULL without memory.
 */
static uint32_t *sort_arcs(const struct tl_profile *profile, uint32_t functions, uint32_t *chosen,
			   uint32_t count)
{
	struct sorting s = { profile, functions, chosen, NULL };
	struct tl_groups callees, callers = { NULL, NULL };
	uint32_t *order = malloc(((size_t)count + 1) * sizeof(*order));
	bool ok = tl_groups_make(&callees, count, functions, callee_of, &s) && order;

	s.by_callee = callees.order;
	ok = ok && tl_groups_make(&callers, count, functions + 1, caller_of, &s);
	for (uint32_t i = 0; ok && i < count; i++)
		order[i] = chosen[callees.order[callers.order[i]]];
	tl_groups_free(&callees);
	tl_groups_free(&callers);
	if (!ok) {
		free(order);
		order = NULL;
	}
	return order;
}

/*
 * Sum the arcs, sorted by caller and callee. Calls from outside the trace and calls of a function
 * to itself are no step of a path.
 */
static void join_arcs(struct tl_call_sums *s, const uint32_t *order, uint32_t count)
{
	struct tl_call_pair *pair = NULL;

	for (uint32_t i = 0; i < count; i++) {
		const struct tl_arc *arc = tl_profile_arc(s->profile, order[i]);
		const int64_t *cost = tl_profile_arc_cost(s->profile, order[i]);

		if (arc->caller == TL_NONE)
			s->entered[arc->callee] += arc->calls;
		if (arc->caller == TL_NONE || arc->caller == arc->callee)
			continue;
		if (!pair || pair->caller != arc->caller || pair->callee != arc->callee) {
			pair = &s->pairs[s->pair_count++];
			*pair = (struct tl_call_pair){ arc->caller, arc->callee, 0 };
			s->first_pair[arc->caller + 1]++;
		}
		pair->calls += arc->calls;
		tl_call_sums_add(s->events, vector(s, s->costs, s->pair_count - 1), cost);
		tl_call_sums_add(s->events, vector(s, s->given, arc->callee), cost);
	}
	for (uint32_t f = 0; f < s->functions; f++)
		s->first_pair[f + 1] += s->first_pair[f];
}

static bool sum_arcs(struct tl_call_sums *s)
{
	uint32_t count = tl_profile_arc_count(s->profile), chosen = 0, *order;
	uint32_t *numbers = malloc(((size_t)count + 1) * sizeof(*numbers));
	bool ok;

	if (!numbers)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (of_part(s, tl_profile_arc(s->profile, i)->part))
			numbers[chosen++] = i;
	order = sort_arcs(s->profile, s->functions, numbers, chosen);
	free(numbers);
	s->pairs = malloc(((size_t)chosen + 1) * sizeof(*s->pairs));
	s->costs = calloc((size_t)chosen * s->events + 1, sizeof(*s->costs));
	s->first_pair = calloc((size_t)s->functions + 1, sizeof(*s->first_pair));
	ok = order && s->pairs && s->costs && s->first_pair;
	if (ok)
		join_arcs(s, order, chosen);
	free(order);
	return ok;
}

bool tl_call_sums_collect(struct tl_call_sums *sums, const struct tl_profile *profile,
			  uint32_t part)
{
	size_t functions = tl_profile_function_count(profile),
	       events = tl_profile_event_count(profile);

	*sums = (struct tl_call_sums){ .profile = profile,
				       .part = part,
				       .events = (uint32_t)events,
				       .functions = (uint32_t)functions,
				       .total = calloc(events + 1, sizeof(int64_t)),
				       .self = calloc(functions * events + 1, sizeof(int64_t)),
				       .given = calloc(functions * events + 1, sizeof(int64_t)),
				       .entered = calloc(functions + 1, sizeof(uint64_t)) };
	if (!sums->total || !sums->self || !sums->given || !sums->entered)
		return false;
	sum_lines(sums);
	return sum_arcs(sums);
}

void tl_call_sums_free(struct tl_call_sums *sums)
{
	void *arrays[] = { sums->total, sums->self,  sums->given,     sums->entered,
			   sums->pairs, sums->costs, sums->first_pair };

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		free(arrays[i]);
}

bool tl_call_sums_in_parts(const struct tl_profile *profile)
{
	uint32_t parts = tl_profile_part_count(profile);

	return parts >= 2 && parts <= TL_STACKS_MOST_PARTS && tl_call_sums_by_part(profile);
}

int tl_stacks_copy_parts(struct tl_profile *result, const struct tl_profile *sums, bool by_part,
			 struct tl_error *err)
{
	struct tl_part all = {
		.process = TL_NOWHERE, .thread = TL_NOWHERE, .command = "", .header = ""
	};
	uint32_t known = tl_profile_part_count(sums), parts = by_part ? known : 1;
	int64_t number = 0;

	for (uint32_t i = 0; number >= 0 && i < parts; i++)
		number = tl_profile_put_part(
			result, by_part || known == 1 ? tl_profile_part(sums, i) : &all, err);
	return number < 0 ? (int)number : 0;
}

bool tl_call_sums_by_part(const struct tl_profile *profile)
{
	uint32_t parts = tl_profile_part_count(profile), lines = tl_profile_line_count(profile);
	uint32_t arcs = tl_profile_arc_count(profile);

	for (uint32_t i = 0; i < lines; i++)
		if (tl_profile_line(profile, i)->part >= parts)
			return false;
	for (uint32_t i = 0; i < arcs; i++)
		if (tl_profile_arc(profile, i)->part >= parts)
			return false;
	return true;
}
