/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One node per call path: the contexts of all threads, and of both profiles where there is a
 * baseline, laid over each other. Frames below the greatest depth are summed in one node, since a
 * browser lays out trees by recursion.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/wide.h"
#include "export/event_time.h"
#include "export/flame/flame.h"

static bool same_node(const void *context, const void *key, uint32_t number)
{
	const struct tl_flame_node *have = &((const struct tl_flame *)context)->tree.nodes[number],
				   *wanted = key;

	return have->parent == wanted->parent && have->function == wanted->function;
}

/* The node of a function below another, added if new; TL_NONE without memory. */
static uint32_t node_below(struct tl_flame *flame, uint32_t parent, uint32_t function)
{
	struct tl_flame_node key = { parent, function, flame->tree.nodes[parent].depth + 1 };
	uint64_t hash = tl_hash_pair(parent, function);
	uint32_t found = tl_index_find(&flame->tree.index, hash, same_node, flame, &key);

	if (found != TL_NONE)
		return found;
	if (flame->tree.count >= INT32_MAX ||
	    !tl_grow(&flame->tree.nodes, &flame->tree.capacity, flame->tree.count + 1,
		     sizeof(key)) ||
	    !tl_index_add(&flame->tree.index, hash, (uint32_t)flame->tree.count))
		return TL_NONE;
	flame->tree.nodes[flame->tree.count] = key;
	return (uint32_t)flame->tree.count++;
}

static bool add_root(struct tl_flame *flame)
{
	if (!tl_grow(&flame->tree.nodes, &flame->tree.capacity, 1, sizeof(*flame->tree.nodes)))
		return false;
	flame->tree.nodes[0] =
		(struct tl_flame_node){ 0, flame->functions.count + TL_FLAME_ALL, 0 };
	flame->tree.count = 1;
	return true;
}

/* The node above a context without caller. */
static uint32_t root_of(struct tl_flame *flame, int side, uint32_t part)
{
	uint32_t parts = tl_profile_part_count(flame->contexts[side]);

	if (!flame->options.threads || flame->profile[1] || flame->columns.count < 2 ||
	    part >= parts)
		return 0;
	return node_below(flame, 0,
			  flame->functions.count + TL_FLAME_THREADS + flame->columns.of_part[part]);
}

static uint32_t node_of_context(struct tl_flame *flame, int side, const struct tl_context *context)
{
	uint32_t deeper = flame->functions.count + TL_FLAME_DEEPER, parent;

	if (context->parent == TL_NONE)
		parent = root_of(flame, side, context->part);
	else
		parent = flame->tree.node_of[side][context->parent];
	if (parent == TL_NONE)
		return TL_NONE;
	if (flame->tree.nodes[parent].function == deeper)
		return parent;
	if (flame->tree.nodes[parent].depth >= flame->options.most_depth)
		return node_below(flame, parent, deeper);
	return node_below(flame, parent, flame->functions.of[side][context->function]);
}

static bool place_contexts(struct tl_flame *flame, int side)
{
	uint32_t count = tl_profile_context_count(flame->contexts[side]);

	flame->tree.node_of[side] = malloc(((size_t)count + 1) * sizeof(uint32_t));
	if (!flame->tree.node_of[side])
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t node =
			node_of_context(flame, side, tl_profile_context(flame->contexts[side], i));

		if (node == TL_NONE)
			return false;
		flame->tree.node_of[side][i] = node;
		flame->drawn.too_deep += flame->tree.nodes[node].function ==
					 flame->functions.count + TL_FLAME_DEEPER;
	}
	return true;
}

/* ---- costs ---- */

int64_t tl_flame_cost(const struct tl_flame *flame, int side, const int64_t *costs, uint32_t event)
{
	uint32_t number = flame->events[side][event];
	uint64_t ours, theirs;

	if (number == TL_NONE)
		return 0;
	if (!side)
		return costs[number];
	/* Ticks of the baseline's clock, converted to ticks of the profile's clock. */
	ours = tl_event_frequency(flame->profile[0], flame->events[0][event]);
	theirs = tl_event_frequency(flame->profile[1], number);
	if (!ours || !theirs || ours == theirs)
		return costs[number];
	return tl_scale(costs[number], ours, theirs);
}

/* Self costs onto nodes, then each node onto its parent, which stands before it. */
static bool sum_side(struct tl_flame *flame, int side)
{
	uint32_t count = tl_profile_context_count(flame->contexts[side]),
		 events = flame->event_count;
	int64_t *sums = calloc(flame->tree.count * events + 1, sizeof(*sums));

	flame->tree.inclusive[side] = sums;
	if (!sums)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const int64_t *self = tl_profile_context_self(flame->contexts[side], i);
		int64_t *to = sums + (size_t)flame->tree.node_of[side][i] * events;

		for (uint32_t e = 0; e < events; e++)
			to[e] = tl_sum_saturating(to[e], tl_flame_cost(flame, side, self, e));
	}
	for (size_t n = flame->tree.count; n-- > 1;)
		for (uint32_t e = 0; e < events; e++) {
			int64_t *to = &sums[(size_t)flame->tree.nodes[n].parent * events + e];

			*to = tl_sum_saturating(*to, sums[n * events + e]);
		}
	return true;
}

/* ---- scores: the largest share of a node ---- */

double tl_flame_share(int64_t cost, int64_t total)
{
	double part;

	/* Costs above and below zero may cancel out in the total: then each counts as the whole. */
	if (!total)
		return cost != 0;
	part = (double)cost / (double)total;
	return fabs(part);
}

static void score_side(struct tl_flame *flame, int side)
{
	uint32_t events = flame->event_count;
	const int64_t *sums = flame->tree.inclusive[side];

	for (size_t n = 0; n < flame->tree.count; n++)
		for (uint32_t e = 0; e < events; e++) {
			double s = tl_flame_share(sums[n * events + e], sums[e]);

			if (s > flame->tree.score[n])
				flame->tree.score[n] = s;
		}
}

/* The page can show one thread alone: there, shares are of the thread's total. */
static bool score_columns(struct tl_flame *flame)
{
	const struct tl_profile *profile = flame->contexts[0];
	uint32_t count = tl_profile_context_count(profile), events = flame->event_count;
	uint32_t parts = tl_profile_part_count(profile);
	int64_t *totals = calloc((size_t)parts * events + 1, sizeof(*totals));

	if (!totals)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct tl_context *c = tl_profile_context(profile, i);

		for (uint32_t e = 0; c->parent == TL_NONE && c->part < parts && e < events; e++) {
			int64_t *total = &totals[(size_t)c->part * events + e];

			*total = tl_sum_saturating(
				*total,
				tl_profile_context_inclusive(profile, i)[flame->events[0][e]]);
		}
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct tl_context *c = tl_profile_context(profile, i);
		double *score = &flame->tree.score[flame->tree.node_of[0][i]];

		for (uint32_t e = 0; c->part < parts && e < events; e++) {
			double s = tl_flame_share(
				tl_profile_context_inclusive(profile, i)[flame->events[0][e]],
				totals[(size_t)c->part * events + e]);

			if (s > *score)
				*score = s;
		}
	}
	free(totals);
	return true;
}

bool tl_flame_grow(struct tl_flame *flame)
{
	int sides = 1 + (flame->profile[1] != NULL);
	bool ok = add_root(flame);

	for (int side = 0; ok && side < sides; side++)
		ok = place_contexts(flame, side);
	for (int side = 0; ok && side < sides; side++)
		ok = sum_side(flame, side);
	if (ok)
		flame->tree.score = calloc(flame->tree.count, sizeof(*flame->tree.score));
	if (!flame->tree.score)
		return false;
	for (int side = 0; side < sides; side++)
		score_side(flame, side);
	if (flame->columns.count > 1 && !flame->profile[1] && !score_columns(flame))
		return false;
	/*
	 * With costs below zero a callee may be larger than its caller. A frame cannot be drawn
	 * without its caller's frame, so the caller gets at least the score of its callees.
	 */
	for (size_t n = flame->tree.count; n-- > 1;) {
		double *caller = &flame->tree.score[flame->tree.nodes[n].parent];

		if (flame->tree.score[n] > *caller)
			*caller = flame->tree.score[n];
	}
	return true;
}
