/* SPDX-License-Identifier: Apache-2.0 */
#include "export/stacks/call_sums.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "profile/model/groups.h"
#include "export/stacks/stacks.h"
#include "profile/model/model.h"
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

static bool any_below_zero(const int64_t *costs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (costs[i] < 0)
			return true;
	return false;
}

/* Mostly there is one arc: its costs are read where they are. False without memory. */
static bool sum_pair(struct tl_call_sums *s, struct tl_call_pair *pair, const uint32_t *order,
		     uint32_t count)
{
	size_t size = ((size_t)s->events + 1) * sizeof(int64_t);
	int64_t *sum;

	pair->cost = tl_profile_arc_cost(s->profile, order[0]);
	if (count == 1 && !any_below_zero(pair->cost, s->events))
		return true;
	sum = tl_arena_alloc(&s->arena, size);
	if (!sum)
		return false;
	memset(sum, 0, size);
	for (uint32_t i = 0; i < count; i++)
		tl_call_sums_add(s->events, sum, tl_profile_arc_cost(s->profile, order[i]));
	pair->cost = sum;
	return true;
}

static void add_divided(struct tl_call_sums *s, uint32_t caller, const int64_t *cost)
{
	int64_t *divided = vector(s, s->divided, caller);

	for (uint32_t i = 0; i < s->events; i++)
		if (__builtin_add_overflow(divided[i], cost[i], &divided[i]))
			s->divided_fits = false;
}

/*
 * Add the pair of these arcs. Calls from outside the trace and calls of a function to itself are no
 * step of a path. False without memory.
 */
static bool add_pair(struct tl_call_sums *s, const uint32_t *order, uint32_t count)
{
	const struct tl_arc *first = tl_profile_arc(s->profile, order[0]);
	struct tl_call_pair pair = { .caller = first->caller, .callee = first->callee };

	for (uint32_t i = 0; i < count; i++)
		pair.calls += tl_profile_arc(s->profile, order[i])->calls;
	if (pair.caller == TL_NONE)
		s->entered[pair.callee] += pair.calls;
	if (pair.caller == TL_NONE || pair.caller == pair.callee)
		return true;
	if (!sum_pair(s, &pair, order, count))
		return false;
	add_divided(s, pair.caller, pair.cost);
	for (uint32_t i = 0; i < count; i++)
		tl_call_sums_add(s->events, vector(s, s->given, pair.callee),
				 tl_profile_arc_cost(s->profile, order[i]));
	s->pairs[s->pair_count++] = pair;
	s->first_pair[pair.caller + 1]++;
	return true;
}

static bool same_pair(const struct tl_arc *a, const struct tl_arc *b)
{
	return a->caller == b->caller && a->callee == b->callee;
}

/* Sum the arcs, sorted by caller and callee. False without memory. */
static bool join_arcs(struct tl_call_sums *s, const uint32_t *order, uint32_t count)
{
	for (uint32_t i = 0, end; i < count; i = end) {
		const struct tl_arc *arc = tl_profile_arc(s->profile, order[i]);

		for (end = i + 1;
		     end < count && same_pair(arc, tl_profile_arc(s->profile, order[end])); end++)
			;
		if (!add_pair(s, order + i, end - i))
			return false;
	}
	for (uint32_t f = 0; f < s->functions; f++)
		s->first_pair[f + 1] += s->first_pair[f];
	return true;
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
	s->first_pair = calloc((size_t)s->functions + 1, sizeof(*s->first_pair));
	ok = order && s->pairs && s->first_pair && join_arcs(s, order, chosen);
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
				       .divided =
					       malloc((functions * events + 1) * sizeof(int64_t)),
				       .divided_fits = true,
				       .entered = calloc(functions + 1, sizeof(uint64_t)) };
	if (!sums->total || !sums->self || !sums->given || !sums->divided || !sums->entered)
		return false;
	sum_lines(sums);
	memcpy(sums->divided, sums->self, functions * events * sizeof(int64_t));
	return sum_arcs(sums);
}

void tl_call_sums_free(struct tl_call_sums *sums)
{
	void *arrays[] = { sums->total,   sums->self,  sums->given,     sums->divided,
			   sums->entered, sums->pairs, sums->first_pair };

	tl_arena_free(&sums->arena);

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
	return tl_profile_status(number);
}

int64_t tl_stacks_copy_function(struct tl_profile *result, const struct tl_profile *from,
				uint32_t function, bool lent, struct tl_error *err)
{
	const struct tl_function *copied = tl_profile_function(from, function);

	if (lent)
		return tl_profile_number(tl_profile_function_interned(result, copied), err);
	return tl_profile_put_function(result, copied, err);
}

int tl_stacks_inherit(struct tl_profile *made, struct tl_error *err)
{
	return tl_profile_inherit(made, 0, err);
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
