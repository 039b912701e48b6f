/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call paths of a profile that only has sums. From the roots downwards, the inclusive cost of a
 * path (its amount) is divided between the self cost of its function and the calls of the function,
 * in the proportion they have in the profile as a whole, so that the shares always add up to the
 * amount. A call to a function that is on the path already is closed: its share goes to the other
 * calls. The path with the largest amount is made first. Paths that are too small, too deep or too
 * many are summed below their caller in a function of their own, tl_stacks_other_name.
 *
 * The amount of a root is the cost of a function that its callers do not account for, scaled so
 * that the roots add up to the total. Functions that call each other in a cycle account for each
 * other's costs more than once: together they get the cost of the cycle that calls from outside do
 * not account for.
 */
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/wide.h"
#include "export/stacks/call_sums.h"
#include "export/stacks/path_queue.h"
#include "export/stacks/stacks.h"
#include "profile/derive/cycles.h"
#include "profile/model/unsized.h"

const char tl_stacks_other_name[] = "(other)";

/*
 * Scratch vectors: the divisor of an amount, the sum of the weights that have their share, the sum
 * of their shares, the rest, one share.
 */
enum { WHOLE, DONE, GIVEN, REST, SHARE, SPARE_VECTORS };

/* Sums of each cycle of functions, by component and event. */
struct cycle_sums {
	int64_t *given;   /* cost that calls from outside do not account for */
	int64_t *weights; /* sum of root_weight() of its functions */
	int64_t *self;
};

/* The paths of one part. */
struct estimate {
	struct tl_call_sums s;
	const struct tl_cycles *cycles;
	struct cycle_sums cycle;
	struct tl_profile *result;
	uint32_t events, part, other; /* other: the function of all summed paths */
	double least;
	uint32_t most, most_depth, made;
	uint64_t *on_path; /* by function: the last visit that had it on the path */
	uint64_t visits;
	uint32_t base;       /* the first context of the part */
	uint32_t *parent_of; /* by context from there on, as are the functions */
	uint32_t *function_of;
	/* by context from there on, and of the roots at the end: its "(other)", or TL_NONE */
	uint32_t *other_of;
	struct tl_path_queue queue;
	int64_t *spare;   /* SPARE_VECTORS vectors, for one visit */
	uint32_t *costly; /* events of which the amount that is divided has a cost */
	uint32_t costly_count;
};

static double score(const struct estimate *e, const int64_t *amount)
{
	double most = 0;

	for (uint32_t i = 0; i < e->events; i++) {
		double share = 0;

		if (e->s.total[i])
			share = (double)amount[i] / (double)e->s.total[i];
		if (share > most)
			most = share;
	}
	return most;
}

/* Whether a path with this score may be queued. */
static bool is_wanted(const struct estimate *e, double score_of_path)
{
	return score_of_path > 0 && score_of_path >= e->least;
}

/* ---- dividing ---- */

/* amount * done / whole. Differences of these portions add up to the amount without a rest. */
static int64_t portion(int64_t amount, int64_t done, int64_t whole)
{
	if (!whole)
		return 0;
	return tl_share(amount, done, whole);
}

/*
 * The share of the next weight; *done is the sum of the weights before it, *given that of their
 * shares. Most weights are 0, and have none.
 */
static int64_t next_share(int64_t amount, int64_t weight, int64_t *done, int64_t *given,
			  int64_t whole)
{
	const int64_t before = *given;

	if (!weight)
		return 0;
	*done = tl_sum_saturating(*done, weight);
	*given = portion(amount, tl_min(*done, whole), whole);
	return *given - before;
}

static bool is_open(const struct estimate *e, uint32_t pair)
{
	return e->on_path[e->s.pairs[pair].callee] != e->visits;
}

/* Most calls are open: of all that the function divides, those that are not are taken off. */
static void take_off_closed(const struct estimate *e, uint32_t function, int64_t *whole)
{
	memcpy(whole, e->s.divided + (size_t)function * e->events, e->events * sizeof(*whole));
	for (uint32_t w = e->s.first_pair[function]; w < e->s.first_pair[function + 1]; w++)
		for (uint32_t i = 0; !is_open(e, w) && i < e->events; i++)
			whole[i] -= e->s.pairs[w].cost[i];
}

/* The divisor of a context's amount: self cost and the calls that are open. */
static void divisor(const struct estimate *e, uint32_t function, int64_t *whole)
{
	if (e->s.divided_fits) {
		take_off_closed(e, function, whole);
		return;
	}
	memcpy(whole, e->s.self + (size_t)function * e->events, e->events * sizeof(*whole));
	for (uint32_t w = e->s.first_pair[function]; w < e->s.first_pair[function + 1]; w++)
		if (is_open(e, w))
			tl_call_sums_add(e->events, whole, e->s.pairs[w].cost);
}

static uint64_t estimate_calls(const struct estimate *e, uint32_t pair, const int64_t *amount)
{
	const int64_t *cost = e->s.pairs[pair].cost;

	for (uint32_t i = 0; i < e->events; i++)
		if (cost[i]) {
			/* What is taken off a cost, or added to what was saved, calls nothing. */
			if ((amount[i] < 0) != (cost[i] < 0))
				return 0;
			return tl_scale_unsigned_nearest(e->s.pairs[pair].calls,
							 tl_magnitude(amount[i]),
							 tl_magnitude(cost[i]));
		}
	return e->s.pairs[pair].calls;
}

static int64_t *spare(const struct estimate *e, int which)
{
	return e->spare + (size_t)which * e->events;
}

static void find_costly(struct estimate *e, const int64_t *amount)
{
	e->costly_count = 0;
	for (uint32_t i = 0; i < e->events; i++)
		if (amount[i])
			e->costly[e->costly_count++] = i;
}

/* The share of the next open call, which is 0 but in the costly events. @return its score */
static double share_out(const struct estimate *e, const int64_t *amount, const int64_t *cost)
{
	int64_t *share = spare(e, SHARE), *done = spare(e, DONE), *given = spare(e, GIVEN);
	const int64_t *whole = spare(e, WHOLE);
	double most = 0;

	for (uint32_t n = 0; n < e->costly_count; n++) {
		const uint32_t i = e->costly[n];

		share[i] = next_share(amount[i], cost[i], &done[i], &given[i], whole[i]);
		if (share[i] && e->s.total[i])
			most = tl_max(most, (double)share[i] / (double)e->s.total[i]);
	}
	return most;
}

/* The shares of all open calls that follow are added to the rest. */
static void add_remaining(const struct estimate *e, const int64_t *amount)
{
	int64_t *rest = spare(e, REST);

	for (uint32_t n = 0; n < e->costly_count; n++) {
		const uint32_t i = e->costly[n];
		const int64_t whole = spare(e, WHOLE)[i];
		const int64_t left = portion(amount[i], whole, whole) - spare(e, GIVEN)[i];

		if (left > 0)
			rest[i] = tl_sum_saturating(rest[i], left);
	}
}

/* Queue a path for each open call, with its share; the shares of others are added to the rest. */
static int descend(struct estimate *e, const struct tl_path_candidate *c, uint32_t context)
{
	int64_t *share = spare(e, SHARE);

	memset(share, 0, e->events * sizeof(*share));
	for (uint32_t w = e->s.first_pair[c->function]; w < e->s.first_pair[c->function + 1]; w++) {
		struct tl_path_candidate next = { .parent = context,
						  .function = e->s.pairs[w].callee,
						  .depth = c->depth + 1 };
		int status = 0;

		/* Nothing is queued any more, and what a call's share is matters to nobody. */
		if (next.depth > e->most_depth || tl_path_queue_full(&e->queue)) {
			add_remaining(e, c->amount);
			break;
		}
		if (!is_open(e, w))
			continue;
		next.score = share_out(e, c->amount, e->s.pairs[w].cost);
		if (is_wanted(e, next.score)) {
			next.calls = estimate_calls(e, w, share);
			status = tl_path_queue_put(&e->queue, next, share);
		}
		if (status < 0)
			return status;
		if (!status)
			tl_call_sums_add(e->events, spare(e, REST), share);
	}
	return 0;
}

/* @return the context, or a negative tl_status */
static int64_t add_context(struct estimate *e, uint32_t parent, uint32_t function, uint64_t calls,
			   const int64_t *self, struct tl_error *err)
{
	int64_t number;

	/* Each path is made once, so that no context need be looked up. */
	number = tl_profile_append_context(e->result, parent, function, e->part, err);
	if (number < 0)
		return number;
	e->other_of[number - e->base] = TL_NONE;
	tl_profile_add_context_cost(e->result, (uint32_t)number, calls, self);
	e->parent_of[number - e->base] = parent;
	e->function_of[number - e->base] = function;
	return number;
}

/* Each path, one "(other)" below it, and that of the roots. */
static size_t other_count(const struct estimate *e)
{
	return 2 * (size_t)e->most + 3;
}

static size_t other_place(const struct estimate *e, uint32_t context)
{
	return context == TL_NONE ? other_count(e) - 1 : context - e->base;
}

static uint32_t *other_of(const struct estimate *e, uint32_t context)
{
	return &e->other_of[other_place(e, context)];
}

/* Add to the "(other)" of a context. @return 0, or a negative tl_status */
static int add_other(struct estimate *e, uint32_t context, const int64_t *rest,
		     struct tl_error *err)
{
	int64_t number;

	if (score(e, rest) <= 0)
		return 0;
	if (*other_of(e, context) != TL_NONE) {
		tl_profile_add_context_cost(e->result, *other_of(e, context), 0, rest);
		return 0;
	}
	number = add_context(e, context, e->other, 0, rest, err);
	if (number < 0)
		return (int)number;
	*other_of(e, context) = (uint32_t)number;
	return 0;
}

static void mark_path(struct estimate *e, const struct tl_path_candidate *c)
{
	e->visits++;
	e->on_path[c->function] = e->visits;
	for (uint32_t at = c->parent; at != TL_NONE; at = e->parent_of[at - e->base])
		e->on_path[e->function_of[at - e->base]] = e->visits;
}

/* Make the context of a path: its self cost, then candidates for its callees. */
static int visit(struct estimate *e, const struct tl_path_candidate *c, struct tl_error *err)
{
	int64_t *whole = spare(e, WHOLE), *done = spare(e, DONE), *given = spare(e, GIVEN),
		*share = spare(e, SHARE), context;
	const int64_t *self = e->s.self + (size_t)c->function * e->events;
	int status;

	e->made++;
	mark_path(e, c);
	divisor(e, c->function, whole);
	memset(done, 0, (size_t)e->events * sizeof(*done));
	memset(given, 0, (size_t)e->events * sizeof(*given));
	memset(spare(e, REST), 0, (size_t)e->events * sizeof(*done));
	find_costly(e, c->amount);
	for (uint32_t i = 0; i < e->events; i++)
		share[i] =
			whole[i] ? next_share(c->amount[i], self[i], &done[i], &given[i], whole[i])
				 : c->amount[i];
	context = add_context(e, c->parent, c->function, c->calls, share, err);
	if (context < 0)
		return (int)context;
	status = descend(e, c, (uint32_t)context);
	if (status < 0)
		return tl_error_memory(err);
	return add_other(e, (uint32_t)context, spare(e, REST), err);
}

/* ---- what is not made ---- */

/* One "(other)" without a cost for each of these sums, in their order. */
static int make_others(struct estimate *e, struct tl_path_place *places, size_t count,
		       struct tl_error *err)
{
	int64_t *nothing = spare(e, SHARE);

	if (count)
		qsort(places, count, sizeof(*places), tl_path_compare);
	memset(nothing, 0, e->events * sizeof(*nothing));
	for (size_t i = 0; i < count; i++) {
		const uint32_t parent = e->queue.sums.list[places[i].slot].parent;
		int64_t number = add_context(e, parent, e->other, 0, nothing, err);

		if (number < 0)
			return (int)number;
		*other_of(e, parent) = (uint32_t)number;
	}
	return 0;
}

/*
 * The "(other)" of all paths that wait below whatever has none, in the order in which the first of
 * them would be taken. There are many more paths than parents.
 */
static int make_missing_others(struct estimate *e, struct tl_error *err)
{
	const struct tl_path_sums *sums = &e->queue.sums;
	struct tl_path_place *places = malloc((sums->count + 1) * sizeof(*places));
	size_t count = 0;
	int status;

	for (size_t i = 0; places && i < sums->count; i++)
		if (*other_of(e, sums->list[i].parent) == TL_NONE)
			places[count++] = sums->list[i].first;
	status = places ? make_others(e, places, count, err) : tl_error_memory(err);
	free(places);
	return status;
}

/* Enough paths are made: those that wait are added to the "(other)" below their callers. */
static int add_waiting(struct estimate *e, struct tl_error *err)
{
	const struct tl_path_sums *sums = &e->queue.sums;
	int status = tl_path_queue_let_go(&e->queue) ? 0 : tl_error_memory(err);

	if (status == 0)
		status = make_missing_others(e, err);
	for (size_t i = 0; status == 0 && i < sums->count; i++)
		tl_profile_add_context_cost(e->result, *other_of(e, sums->list[i].parent), 0,
					    tl_path_sums_costs(sums, i));
	return status;
}

/* ---- roots ---- */

/* The cost of a function (self cost and calls) that its callers do not account for. */
static void root_weight(const struct estimate *e, uint32_t function, int64_t *weight)
{
	divisor(e, function, weight);
	for (uint32_t i = 0; i < e->events; i++) {
		int64_t given = e->s.given[(size_t)function * e->events + i];

		if (weight[i] > given)
			weight[i] -= given;
		else
			weight[i] = 0;
	}
}

static bool in_cycle(const struct estimate *e, uint32_t function)
{
	return e->cycles->size[e->cycles->of[function]] > 1;
}

static int64_t *of_cycle(const struct estimate *e, int64_t *sums, uint32_t function)
{
	return sums + (size_t)e->cycles->of[function] * e->events;
}

/* A function's share of the cost that its cycle is given: by weights, else by self costs. */
static void share_cycle(const struct estimate *e, uint32_t function, int64_t *weight)
{
	const int64_t *given = of_cycle(e, e->cycle.given, function);
	const int64_t *weights = of_cycle(e, e->cycle.weights, function);
	const int64_t *self = of_cycle(e, e->cycle.self, function);

	for (uint32_t i = 0; i < e->events; i++) {
		int64_t own = e->s.self[(size_t)function * e->events + i];

		if (given[i] <= 0)
			weight[i] = 0;
		else if (weights[i])
			weight[i] = portion(given[i], weight[i], weights[i]);
		else
			weight[i] = portion(given[i], own, self[i]);
	}
}

static void take_away(int64_t *from, int64_t cost)
{
	*from = tl_sum_saturating(*from, -cost);
}

static void sum_cycles(struct estimate *e)
{
	int64_t *weight = spare(e, SHARE);

	for (uint32_t f = 0; f < e->s.functions; f++) {
		if (!in_cycle(e, f))
			continue;
		root_weight(e, f, weight);
		tl_call_sums_add(e->events, of_cycle(e, e->cycle.weights, f), weight);
		tl_call_sums_add(e->events, of_cycle(e, e->cycle.self, f),
				 e->s.self + (size_t)f * e->events);
		tl_call_sums_add(e->events, of_cycle(e, e->cycle.given, f),
				 e->s.self + (size_t)f * e->events);
	}
	for (uint32_t w = 0; w < e->s.pair_count; w++) {
		const struct tl_call_pair *pair = &e->s.pairs[w];
		const int64_t *cost = pair->cost;

		if (e->cycles->of[pair->caller] == e->cycles->of[pair->callee])
			continue;
		if (in_cycle(e, pair->caller))
			tl_call_sums_add(e->events, of_cycle(e, e->cycle.given, pair->caller),
					 cost);
		for (uint32_t i = 0; in_cycle(e, pair->callee) && i < e->events; i++)
			if (cost[i] > 0)
				take_away(&of_cycle(e, e->cycle.given, pair->callee)[i], cost[i]);
	}
}

/* If no function has a weight, all are one cycle without a root: then self costs are weights. */
static void choose_weight(const struct estimate *e, uint32_t function, const bool *cyclic,
			  int64_t *weight)
{
	root_weight(e, function, weight);
	if (in_cycle(e, function))
		share_cycle(e, function, weight);
	for (uint32_t i = 0; i < e->events; i++)
		if (cyclic[i])
			weight[i] = e->s.self[(size_t)function * e->events + i];
}

static int queue_roots(struct estimate *e, const bool *cyclic, struct tl_error *err)
{
	int64_t *whole = spare(e, WHOLE), *done = spare(e, DONE), *given = spare(e, GIVEN),
		*share = spare(e, SHARE), *rest = spare(e, REST);

	for (uint32_t f = 0; f < e->s.functions; f++) {
		struct tl_path_candidate root = { .parent = TL_NONE, .function = f, .depth = 1 };
		int status = 0;

		choose_weight(e, f, cyclic, share);
		for (uint32_t i = 0; i < e->events; i++)
			share[i] =
				next_share(e->s.total[i], share[i], &done[i], &given[i], whole[i]);
		root.score = score(e, share);
		if (root.score <= 0)
			continue;
		root.calls = e->s.entered[f];
		if (is_wanted(e, root.score))
			status = tl_path_queue_put(&e->queue, root, share);
		if (status < 0)
			return tl_error_memory(err);
		if (!status)
			tl_call_sums_add(e->events, rest, share);
	}
	return add_other(e, TL_NONE, rest, err);
}

static int add_roots(struct estimate *e, struct tl_error *err)
{
	int64_t *whole = spare(e, WHOLE), *weight = spare(e, SHARE);
	bool *cyclic = calloc((size_t)e->events + 1, sizeof(*cyclic));
	int status;

	if (!cyclic)
		return tl_error_memory(err);
	e->visits++; /* no function is on the path, all calls are open */
	sum_cycles(e);
	for (int pass = 0; pass < 2; pass++) {
		memset(whole, 0, e->events * sizeof(*whole));
		for (uint32_t f = 0; f < e->s.functions; f++) {
			choose_weight(e, f, cyclic, weight);
			tl_call_sums_add(e->events, whole, weight);
		}
		for (uint32_t i = 0; i < e->events; i++)
			cyclic[i] = cyclic[i] || !whole[i];
	}
	memset(spare(e, DONE), 0, e->events * sizeof(*whole));
	memset(spare(e, GIVEN), 0, e->events * sizeof(*whole));
	memset(spare(e, REST), 0, e->events * sizeof(*whole));
	status = queue_roots(e, cyclic, err);
	free(cyclic);
	return status;
}

/* ---- the profile ---- */

static bool make_room(struct estimate *e)
{
	size_t most = (size_t)e->most * 2 + 2; /* each path, and one "(other)" below it */
	size_t components = (size_t)e->cycles->count * e->events + 1;

	e->spare = calloc((size_t)e->events * SPARE_VECTORS + 1, sizeof(*e->spare));
	e->costly = malloc(((size_t)e->events + 1) * sizeof(*e->costly));
	e->on_path = calloc((size_t)e->s.functions + 1, sizeof(*e->on_path));
	e->parent_of = malloc(most * sizeof(*e->parent_of));
	e->function_of = malloc(most * sizeof(*e->function_of));
	e->other_of = malloc(other_count(e) * sizeof(*e->other_of));
	e->cycle.given = calloc(components, sizeof(*e->cycle.given));
	e->cycle.weights = calloc(components, sizeof(*e->cycle.weights));
	e->cycle.self = calloc(components, sizeof(*e->cycle.self));
	if (e->other_of)
		*other_of(e, TL_NONE) = TL_NONE;
	return e->spare && e->costly && e->on_path && e->parent_of && e->function_of &&
	       e->other_of && e->cycle.given && e->cycle.weights && e->cycle.self;
}

static int fill(struct estimate *e, struct tl_error *err)
{
	int status = make_room(e) ? add_roots(e, err) : tl_error_memory(err);

	while (status == 0 && e->queue.count) {
		struct tl_path_place place;
		struct tl_path_candidate first;

		if (e->made == e->most) {
			status = add_waiting(e, err);
			break;
		}
		place = tl_path_queue_take(&e->queue);
		first = *tl_path_queue_at(&e->queue, &place);
		status = visit(e, &first, err);
		tl_path_queue_release(&e->queue, &place);
	}
	tl_path_queue_free(&e->queue);
	free(e->spare);
	free(e->costly);
	free(e->on_path);
	free(e->parent_of);
	free(e->function_of);
	free(e->other_of);
	free(e->cycle.given);
	free(e->cycle.weights);
	free(e->cycle.self);
	return status;
}

/* `model` has the values that are the same for every part. */
static int estimate_part(const struct estimate *model, const struct tl_profile *sums, uint32_t part,
			 bool in_parts, struct tl_error *err)
{
	struct estimate e = *model;
	bool ok = tl_call_sums_collect(&e.s, sums, in_parts ? part : TL_NONE);
	int status;

	e.part = part;
	e.base = tl_profile_context_count(e.result);
	e.queue = tl_path_queue_begin(e.events, e.base, e.most);
	status = ok ? fill(&e, err) : tl_error_memory(err);
	tl_call_sums_free(&e.s);
	return status;
}

/* Functions keep their numbers; "(other)" comes behind them. @return its number */
static int64_t copy_functions(struct tl_profile *result, const struct tl_profile *sums, bool lent,
			      struct tl_error *err)
{
	struct tl_function other = {
		.name = tl_stacks_other_name, .object = "", .file = "", .id = TL_NOWHERE - 1
	};
	uint32_t functions = tl_profile_function_count(sums);
	int64_t number = 0;

	for (uint32_t f = 0; number >= 0 && f < functions; f++)
		number = tl_stacks_copy_function(result, sums, f, lent, err);
	if (number < 0)
		return number;
	return tl_profile_put_function(result, &other, err);
}

static int estimate_all(struct estimate *model, const struct tl_profile *sums,
			const struct tl_stacks_limits *limits, struct tl_error *err)
{
	bool in_parts = tl_call_sums_in_parts(sums);
	uint32_t parts = in_parts ? tl_profile_part_count(sums) : 1;
	int64_t status = tl_stacks_copy_parts(model->result, sums, in_parts, err), other = 0;

	if (status >= 0)
		status = other = copy_functions(model->result, sums, limits->lent, err);
	model->other = (uint32_t)other;
	for (uint32_t part = 0; status >= 0 && part < parts; part++)
		status = estimate_part(model, sums, part, in_parts, err);
	if (status < 0)
		return (int)status;
	return (limits->unfinished ? tl_stacks_inherit : tl_profile_finish)(model->result, err);
}

int tl_stacks_estimate(struct tl_profile **estimate, const struct tl_profile *sums,
		       const struct tl_stacks_limits *limits, struct tl_error *err)
{
	struct estimate model = { .events = tl_profile_event_count(sums),
				  .least = limits->threshold / 100,
				  .most = limits->most,
				  .most_depth = limits->most_depth };
	struct tl_cycles cycles;
	int status =
		tl_profile_make(&model.result, tl_profile_format(sums), tl_profile_event(sums, 0),
				model.events, tl_profile_frequency(sums), err);

	if (status == 0)
		tl_profile_set_call_count(model.result, tl_profile_call_count(sums));
	if (status == 0 && !tl_cycles_find(&cycles, sums))
		status = tl_error_memory(err);
	else if (status == 0) {
		model.cycles = &cycles;
		status = estimate_all(&model, sums, limits, err);
		tl_cycles_free(&cycles);
	}
	if (status < 0) {
		tl_profile_free(model.result);
		return status;
	}
	*estimate = model.result;
	return 0;
}
