/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call paths of a profile that only has sums. From the roots downwards, what a function was given is divided
 * between its own cost and its calls as they are divided in the profile as a whole, so that the parts always
 * make up what was given. A call to a function that is on the path already is no way down: its share goes to
 * the others. The largest paths are made first; what is too small, too deep or one too many is put under a
 * function of its own, tl_flame_other_name.
 *
 * A root is given what a function costs beyond what its callers account for, scaled so that roots make up the
 * total.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "export/flame.h"

const char tl_flame_other_name[] = "(other)";

/* Calls from one function to another; costs are at `arc * events` of the estimate's array. */
struct way {
	uint32_t caller, callee;
	uint64_t calls;
};

/* A path that is not made yet. */
struct candidate {
	double score;
	uint32_t parent, function, depth; /* parent: context, TL_NONE: a root */
	uint64_t calls, number;
	int64_t *amount;
};

/* What an amount is divided by, how much of that is done, what is not gone into, and one share. */
enum { WHOLE, DONE, REST, SHARE, SPARE_VECTORS };

struct estimate {
	const struct tl_profile *sums;
	struct tl_profile *result;
	uint32_t events, functions, other;
	double least;
	uint32_t most, most_depth, made;
	int64_t *self;	   /* by function and event, none below 0 */
	uint64_t *entered; /* by function: calls from outside */
	int64_t *given;	   /* by function and event: what callers account for */
	int64_t *total;	   /* by event */
	struct way *ways;  /* sorted by caller and callee, one each */
	int64_t *costs;	   /* by way and event, none below 0 */
	uint32_t way_count;
	uint32_t *first_way; /* by function, and one more */
	uint64_t *on_path;   /* by function: the turn it was last on the path in */
	uint64_t turn, numbers;
	uint32_t *parent_of; /* by context made, as are the functions */
	uint32_t *function_of;
	struct candidate *heap;
	size_t heap_count, heap_capacity;
	int64_t *spare; /* SPARE_VECTORS of them, for the turn */
};

/* ---- what the profile says ---- */

static void add_costs(const struct estimate *e, int64_t *to, const int64_t *from)
{
	for (uint32_t i = 0; i < e->events; i++)
		if (from[i] > 0)
			to[i] = tl_add_saturating(to[i], from[i]);
}

static int compare_arcs(const void *a, const void *b, void *profile)
{
	const struct tl_arc *x = tl_profile_arc(profile, *(const uint32_t *)a);
	const struct tl_arc *y = tl_profile_arc(profile, *(const uint32_t *)b);

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

/* Arcs in order into ways; those from outside and to the function itself say nothing about the paths. */
static void join_arcs(struct estimate *e, const uint32_t *order, uint32_t count)
{
	struct way *way = NULL;

	for (uint32_t i = 0; i < count; i++) {
		const struct tl_arc *arc = tl_profile_arc(e->sums, order[i]);

		if (arc->caller == TL_NONE)
			e->entered[arc->callee] += arc->calls;
		if (arc->caller == TL_NONE || arc->caller == arc->callee)
			continue;
		if (!way || way->caller != arc->caller || way->callee != arc->callee) {
			way = &e->ways[e->way_count++];
			*way = (struct way){ arc->caller, arc->callee, 0 };
			e->first_way[arc->caller + 1]++;
		}
		way->calls += arc->calls;
		add_costs(e, e->costs + (size_t)(e->way_count - 1) * e->events,
			  tl_profile_arc_cost(e->sums, order[i]));
		add_costs(e, e->given + (size_t)arc->callee * e->events,
			  tl_profile_arc_cost(e->sums, order[i]));
	}
	for (uint32_t f = 0; f < e->functions; f++)
		e->first_way[f + 1] += e->first_way[f];
}

static bool gather_arcs(struct estimate *e)
{
	uint32_t count = tl_profile_arc_count(e->sums);
	uint32_t *order = malloc(((size_t)count + 1) * sizeof(*order));

	e->ways = malloc(((size_t)count + 1) * sizeof(*e->ways));
	e->costs = calloc((size_t)count * e->events + 1, sizeof(*e->costs));
	e->first_way = calloc((size_t)e->functions + 1, sizeof(*e->first_way));
	if (order && e->ways && e->costs && e->first_way) {
		for (uint32_t i = 0; i < count; i++)
			order[i] = i;
		qsort_r(order, count, sizeof(*order), compare_arcs, (void *)(uintptr_t)e->sums);
		join_arcs(e, order, count);
	}
	free(order);
	return order && e->ways && e->costs && e->first_way;
}

static bool gather(struct estimate *e)
{
	size_t vectors = (size_t)e->functions * e->events + 1;

	e->self = calloc(vectors, sizeof(*e->self));
	e->given = calloc(vectors, sizeof(*e->given));
	e->total = calloc((size_t)e->events + 1, sizeof(*e->total));
	e->spare = calloc((size_t)e->events * SPARE_VECTORS + 1, sizeof(*e->spare));
	e->entered = calloc((size_t)e->functions + 1, sizeof(*e->entered));
	e->on_path = calloc((size_t)e->functions + 1, sizeof(*e->on_path));
	e->parent_of = malloc(((size_t)e->most * 2 + 2) * sizeof(*e->parent_of));
	e->function_of = malloc(((size_t)e->most * 2 + 2) * sizeof(*e->function_of));
	if (!e->self || !e->given || !e->total || !e->spare || !e->entered || !e->on_path || !e->parent_of ||
	    !e->function_of)
		return false;
	for (uint32_t f = 0; f < e->functions; f++) {
		struct tl_function_totals totals;

		tl_profile_function_totals(e->sums, f, TL_NONE, &totals);
		add_costs(e, e->self + (size_t)f * e->events, totals.self);
	}
	add_costs(e, e->total, tl_profile_total(e->sums));
	return gather_arcs(e);
}

/* ---- candidates, the largest first ---- */

static bool before(const struct candidate *a, const struct candidate *b)
{
	return a->score != b->score ? a->score > b->score : a->number < b->number;
}

static void sift_up(struct estimate *e, size_t at)
{
	struct candidate moved = e->heap[at];

	for (; at && before(&moved, &e->heap[(at - 1) / 2]); at = (at - 1) / 2)
		e->heap[at] = e->heap[(at - 1) / 2];
	e->heap[at] = moved;
}

static struct candidate take_first(struct estimate *e)
{
	struct candidate first = e->heap[0], moved = e->heap[--e->heap_count];
	size_t at = 0;

	for (;;) {
		size_t child = at * 2 + 1;

		if (child + 1 < e->heap_count && before(&e->heap[child + 1], &e->heap[child]))
			child++;
		if (child >= e->heap_count || !before(&e->heap[child], &moved))
			break;
		e->heap[at] = e->heap[child];
		at = child;
	}
	if (e->heap_count)
		e->heap[at] = moved;
	return first;
}

static double score(const struct estimate *e, const int64_t *amount)
{
	double most = 0;

	for (uint32_t i = 0; i < e->events; i++) {
		double share = e->total[i] ? (double)amount[i] / (double)e->total[i] : 0;

		most = share > most ? share : most;
	}
	return most;
}

/* 1: it waits for its turn, 0: it is too small, negative: no memory. */
static int offer(struct estimate *e, struct candidate candidate, const int64_t *amount)
{
	candidate.score = score(e, amount);
	if (candidate.score <= 0 || candidate.score < e->least)
		return 0;
	candidate.amount = malloc(e->events * sizeof(*amount));
	if (!candidate.amount || !tl_grow(&e->heap, &e->heap_capacity, e->heap_count + 1, sizeof(*e->heap))) {
		free(candidate.amount);
		return TL_NO_MEMORY;
	}
	memcpy(candidate.amount, amount, e->events * sizeof(*amount));
	candidate.number = e->numbers++;
	e->heap[e->heap_count++] = candidate;
	sift_up(e, e->heap_count - 1);
	return 1;
}

/* ---- dividing ---- */

/* The part of `amount` that `done` is of `whole`: rounded sums make parts that add up. */
static int64_t portion(int64_t amount, int64_t done, int64_t whole)
{
	return whole ? (int64_t)((__int128)amount * done / whole) : 0;
}

/* The share of the next `weight`; *done is the sum of those before. */
static int64_t next_share(int64_t amount, int64_t weight, int64_t *done, int64_t whole)
{
	int64_t from = portion(amount, *done, whole);

	*done = tl_add_saturating(*done, weight);
	return portion(amount, *done < whole ? *done : whole, whole) - from;
}

static bool is_way(const struct estimate *e, uint32_t way)
{
	return e->on_path[e->ways[way].callee] != e->turn;
}

/* By what the amount of a context is divided: own cost and the ways down. */
static void divisors(const struct estimate *e, uint32_t function, int64_t *whole)
{
	memcpy(whole, e->self + (size_t)function * e->events, e->events * sizeof(*whole));
	for (uint32_t w = e->first_way[function]; w < e->first_way[function + 1]; w++)
		if (is_way(e, w))
			add_costs(e, whole, e->costs + (size_t)w * e->events);
}

static uint64_t estimate_calls(const struct estimate *e, uint32_t way, const int64_t *amount)
{
	const int64_t *cost = e->costs + (size_t)way * e->events;

	for (uint32_t i = 0; i < e->events; i++)
		if (cost[i]) {
			__int128 calls = ((__int128)e->ways[way].calls * amount[i] + cost[i] / 2) / cost[i];

			return calls > (__int128)UINT64_MAX ? UINT64_MAX : (uint64_t)calls;
		}
	return e->ways[way].calls;
}

static int64_t *spare(const struct estimate *e, int which)
{
	return e->spare + (size_t)which * e->events;
}

/* The shares of the ways down; what is not gone into is added to the rest. */
static int descend(struct estimate *e, const struct candidate *c, uint32_t context)
{
	int64_t *share = spare(e, SHARE), *done = spare(e, DONE);

	for (uint32_t w = e->first_way[c->function]; w < e->first_way[c->function + 1]; w++) {
		struct candidate next = { .parent = context,
					  .function = e->ways[w].callee,
					  .depth = c->depth + 1 };
		const int64_t *cost = e->costs + (size_t)w * e->events;
		int status = 0;

		if (!is_way(e, w))
			continue;
		for (uint32_t i = 0; i < e->events; i++)
			share[i] = next_share(c->amount[i], cost[i], &done[i], spare(e, WHOLE)[i]);
		next.calls = estimate_calls(e, w, share);
		if (next.depth <= e->most_depth)
			status = offer(e, next, share);
		if (status < 0)
			return status;
		if (!status)
			add_costs(e, spare(e, REST), share);
	}
	return 0;
}

/* @return the context, or a negative tl_status */
static int64_t add_context(struct estimate *e, uint32_t parent, uint32_t function, uint64_t calls,
			   const int64_t *self, struct tl_error *err)
{
	int64_t number = tl_profile_add_context(e->result, parent, function, 0, err);

	if (number < 0)
		return number;
	tl_profile_add_context_cost(e->result, (uint32_t)number, calls, self);
	e->parent_of[number] = parent;
	e->function_of[number] = function;
	return number;
}

static int64_t add_other(struct estimate *e, uint32_t context, const int64_t *rest, struct tl_error *err)
{
	return score(e, rest) > 0 ? add_context(e, context, e->other, 0, rest, err) : 0;
}

static void mark_path(struct estimate *e, const struct candidate *c)
{
	e->turn++;
	e->on_path[c->function] = e->turn;
	for (uint32_t at = c->parent; at != TL_NONE; at = e->parent_of[at])
		e->on_path[e->function_of[at]] = e->turn;
}

/* Make the context of a candidate: its own share, then candidates for its callees. */
static int visit(struct estimate *e, const struct candidate *c, struct tl_error *err)
{
	int64_t *whole = spare(e, WHOLE), *done = spare(e, DONE), *share = spare(e, SHARE), context;
	const int64_t *self = e->self + (size_t)c->function * e->events;
	int status;

	if (e->made == e->most)
		return (int)add_other(e, c->parent, c->amount, err) < 0 ? TL_NO_MEMORY : 0;
	e->made++;
	mark_path(e, c);
	divisors(e, c->function, whole);
	memset(done, 0, (size_t)e->events * sizeof(*done));
	memset(spare(e, REST), 0, (size_t)e->events * sizeof(*done));
	for (uint32_t i = 0; i < e->events; i++)
		share[i] = whole[i] ? next_share(c->amount[i], self[i], &done[i], whole[i]) : c->amount[i];
	context = add_context(e, c->parent, c->function, c->calls, share, err);
	if (context < 0)
		return (int)context;
	status = descend(e, c, (uint32_t)context);
	if (status < 0)
		return tl_error_memory(err);
	context = add_other(e, (uint32_t)context, spare(e, REST), err);
	return context < 0 ? (int)context : 0;
}

/* ---- roots ---- */

/* What callers do not account for of a function's cost: own cost and calls. */
static void root_weight(const struct estimate *e, uint32_t function, int64_t *weight)
{
	divisors(e, function, weight);
	for (uint32_t i = 0; i < e->events; i++) {
		int64_t given = e->given[(size_t)function * e->events + i];

		weight[i] = weight[i] > given ? weight[i] - given : 0;
	}
}

/* Where all is one cycle there is no root: then every function is one, by its own cost. */
static void choose_weight(const struct estimate *e, uint32_t function, const bool *cyclic, int64_t *weight)
{
	root_weight(e, function, weight);
	for (uint32_t i = 0; i < e->events; i++)
		if (cyclic[i])
			weight[i] = e->self[(size_t)function * e->events + i];
}

static int plant_roots(struct estimate *e, const bool *cyclic, struct tl_error *err)
{
	int64_t *whole = spare(e, WHOLE), *done = spare(e, DONE), *share = spare(e, SHARE),
		*rest = spare(e, REST);

	for (uint32_t f = 0; f < e->functions; f++) {
		struct candidate root = { .parent = TL_NONE, .function = f, .depth = 1 };
		int status;

		choose_weight(e, f, cyclic, share);
		for (uint32_t i = 0; i < e->events; i++)
			share[i] = next_share(e->total[i], share[i], &done[i], whole[i]);
		if (score(e, share) <= 0)
			continue;
		root.calls = e->entered[f];
		status = offer(e, root, share);
		if (status < 0)
			return tl_error_memory(err);
		if (!status)
			add_costs(e, rest, share);
	}
	return (int)add_other(e, TL_NONE, rest, err) < 0 ? TL_NO_MEMORY : 0;
}

static int add_roots(struct estimate *e, struct tl_error *err)
{
	int64_t *whole = spare(e, WHOLE), *weight = spare(e, SHARE);
	bool *cyclic = calloc((size_t)e->events + 1, sizeof(*cyclic));
	int status;

	if (!cyclic)
		return tl_error_memory(err);
	e->turn++; /* nothing is on the path, all ways are open */
	for (int pass = 0; pass < 2; pass++) {
		memset(whole, 0, e->events * sizeof(*whole));
		for (uint32_t f = 0; f < e->functions; f++) {
			choose_weight(e, f, cyclic, weight);
			add_costs(e, whole, weight);
		}
		for (uint32_t i = 0; i < e->events; i++)
			cyclic[i] = cyclic[i] || !whole[i];
	}
	memset(spare(e, DONE), 0, e->events * sizeof(*whole));
	memset(spare(e, REST), 0, e->events * sizeof(*whole));
	status = plant_roots(e, cyclic, err);
	free(cyclic);
	return status;
}

/* ---- the profile ---- */

/* The functions keep their numbers; the one of all others comes behind them. */
static int copy_functions(struct estimate *e, struct tl_error *err)
{
	struct tl_function other = {
		.name = tl_flame_other_name, .object = "", .file = "", .id = TL_NOWHERE - 1
	};
	struct tl_part part = { .process = TL_NOWHERE, .thread = TL_NOWHERE, .command = "", .header = "" };
	int64_t number = tl_profile_add_part(e->result, &part, err);

	for (uint32_t f = 0; number >= 0 && f < e->functions; f++)
		number = tl_profile_add_function(e->result, tl_profile_function(e->sums, f), err);
	if (number >= 0)
		number = tl_profile_add_function(e->result, &other, err);
	e->other = number >= 0 ? (uint32_t)number : 0;
	return number < 0 ? (int)number : 0;
}

static int fill(struct estimate *e, struct tl_error *err)
{
	int status = gather(e) ? copy_functions(e, err) : tl_error_memory(err);

	if (status == 0)
		status = add_roots(e, err);
	while (status == 0 && e->heap_count) {
		struct candidate first = take_first(e);

		status = visit(e, &first, err);
		free(first.amount);
	}
	return status < 0 ? status : tl_profile_finish(e->result, err);
}

static void free_estimate(struct estimate *e)
{
	void *arrays[] = { e->self,	 e->given,	 e->total, e->spare, e->entered,  e->on_path,
			   e->parent_of, e->function_of, e->ways,  e->costs, e->first_way };

	for (size_t i = 0; i < e->heap_count; i++)
		free(e->heap[i].amount);
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		free(arrays[i]);
	free(e->heap);
}

int tl_flame_estimate(struct tl_profile **estimate, const struct tl_profile *sums, double threshold,
		      uint32_t most, uint32_t most_depth, struct tl_error *err)
{
	struct estimate e = { .sums = sums,
			      .events = tl_profile_event_count(sums),
			      .functions = tl_profile_function_count(sums),
			      .least = threshold / 100,
			      .most = most,
			      .most_depth = most_depth };
	const struct tl_event *events = e.events ? tl_profile_event(sums, 0) : NULL;
	int status = tl_profile_new(&e.result, tl_profile_format(sums), events, e.events,
				    tl_profile_frequency(sums), err);

	if (status == 0)
		status = fill(&e, err);
	free_estimate(&e);
	if (status < 0) {
		tl_profile_free(e.result);
		return status;
	}
	*estimate = e.result;
	return 0;
}
