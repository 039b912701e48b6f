/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_data/samples/stacks.h"

#include <string.h>

#include "core/arithmetic.h"

bool tl_perf_stacks_begin(struct tl_perf_stacks *s)
{
	*s = (struct tl_perf_stacks){ .roots = NULL };
	if (!tl_path_tree_begin(&s->tree) ||
	    !tl_grow(&s->costs, &s->cost_capacity, 1, sizeof(*s->costs)))
		return false;
	s->costs[0] = (struct tl_perf_stack_cost){ 0 };
	s->cost_count = 1;
	return true;
}

void tl_perf_stacks_free(struct tl_perf_stacks *s)
{
	tl_path_tree_free(&s->tree);
	free(s->roots);
	free(s->first_costs);
	free(s->costs);
	free(s->last.steps);
	tl_known_paths_free(&s->known);
	tl_index_free(&s->root_index);
	*s = (struct tl_perf_stacks){ .roots = NULL };
}

/* ---- roots ---- */

static bool same_root(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_stack_root *roots = context, *wanted = key, *have = &roots[number];

	return have->process == wanted->process && have->pid == wanted->pid &&
	       have->tid == wanted->tid && have->comm == wanted->comm &&
	       have->cgroup == wanted->cgroup && have->changes == wanted->changes;
}

uint32_t tl_perf_stacks_root(struct tl_perf_stacks *s, const struct tl_perf_stack_root *root)
{
	const uint64_t hash = tl_hash_pair(tl_hash_pair(root->pid, root->tid << 32 | root->comm),
					   (uint64_t)root->cgroup << 32 ^ root->changes);
	uint32_t number = tl_index_find(&s->root_index, hash, same_root, s->roots, root);

	if (number != TL_NONE)
		return number;
	number = (uint32_t)s->root_count;
	if (!tl_grow(&s->roots, &s->root_capacity, s->root_count + 1, sizeof(*s->roots)) ||
	    !tl_index_add(&s->root_index, hash, number))
		return TL_NONE;
	s->roots[s->root_count++] = *root;
	return number;
}

/* ---- nodes ---- */

/* How many addresses of a stack, and its root, are those of the stack before. */
static size_t common_with_last(const struct tl_perf_stack_path *last, uint32_t root,
			       const uint64_t *ips, size_t count)
{
	size_t at = 1;

	if (!last->count || last->steps[0].key != root)
		return 0;
	while (at < last->count && at <= count && last->steps[at].key == ips[count - at])
		at++;
	return at;
}

/* `looked_up`: how many steps were. */
static uint32_t find_path(struct tl_perf_stacks *s, uint32_t root, const uint64_t *ips,
			  size_t count, size_t *looked_up)
{
	struct tl_perf_stack_path *last = &s->last;
	size_t at;

	if (!tl_grow(&last->steps, &last->capacity, count + 1, sizeof(*last->steps)))
		return 0;
	at = common_with_last(last, root, ips, count);
	*looked_up = count + 1 - at;
	for (size_t i = at; i <= count; i++)
		last->steps[i].key = i ? ips[count - i] : root;
	last->count = 0;
	if (!tl_path_tree_follow(&s->tree, at ? last->steps[at - 1].node : 0, last->steps + at,
				 count + 1 - at))
		return 0;
	last->count = count + 1;
	return last->steps[count].node;
}

/*
 * To look for a whole path takes as long as to look up some steps of it. Where most paths are new,
 * or differ little from those before them, that is left out for a while.
 */
enum { TRIED = 1 << 12, LONGEST_PAUSE = 1 << 17, STEPS_A_PATH = 8 };

static void weigh(struct tl_perf_path_gain *g)
{
	const uint64_t missed = g->paths - g->found;

	if (g->paths < TRIED)
		return;
	/* Paths that were found would have taken as many steps as the others. */
	if (g->found * g->steps < STEPS_A_PATH * g->paths * missed)
		g->pause = g->pause ? tl_min(2 * g->pause, LONGEST_PAUSE) : TRIED;
	else
		g->pause = 0;
	g->left_out = g->pause;
	g->paths = g->found = 0;
	g->steps = 0;
}

uint32_t tl_perf_stacks_path(struct tl_perf_stacks *s, uint32_t root, const uint64_t *ips,
			     size_t count)
{
	struct tl_perf_path_gain *g = &s->gain;
	size_t looked_up;
	uint64_t hash;
	uint32_t node;

	if (g->left_out) {
		g->left_out--;
		return find_path(s, root, ips, count, &looked_up);
	}
	weigh(g);
	g->paths++;
	hash = tl_known_paths_hash(root, ips, count);
	node = tl_known_paths_find(&s->known, hash, root, ips, count);
	g->found += node != 0;
	if (node)
		return node;
	node = find_path(s, root, ips, count, &looked_up);
	g->steps += looked_up;
	if (!node || !tl_known_paths_put(&s->known, hash, root, ips, count, node))
		return 0;
	return node;
}

/* ---- costs ---- */

static bool room_for(struct tl_perf_stacks *s, uint32_t node)
{
	const size_t before = s->first_cost_capacity;

	if (node < before)
		return true;
	if (!tl_grow(&s->first_costs, &s->first_cost_capacity, (size_t)node + 1,
		     sizeof(*s->first_costs)))
		return false;
	memset(s->first_costs + before, 0,
	       (s->first_cost_capacity - before) * sizeof(*s->first_costs));
	return true;
}

/* The cost of an event at a node; 0: no memory. */
static uint32_t cost_of(struct tl_perf_stacks *s, uint32_t node, uint32_t event)
{
	uint32_t number = tl_perf_stacks_first_cost(s, node);

	while (number && s->costs[number].event != event)
		number = s->costs[number].next;
	if (number)
		return number;
	if (s->cost_count >= UINT32_MAX || !room_for(s, node) ||
	    !tl_grow(&s->costs, &s->cost_capacity, s->cost_count + 1, sizeof(*s->costs)))
		return 0;
	number = (uint32_t)s->cost_count++;
	s->costs[number] =
		(struct tl_perf_stack_cost){ .event = event, .next = s->first_costs[node] };
	s->first_costs[node] = number;
	return number;
}

bool tl_perf_stacks_count(struct tl_perf_stacks *s, uint32_t node, uint32_t event, uint64_t period)
{
	const uint32_t number = cost_of(s, node, event);
	struct tl_perf_stack_cost *cost = &s->costs[number];

	if (!number)
		return false;
	cost->samples++;
	if (__builtin_add_overflow(cost->period, period, &cost->period) ||
	    cost->period > INT64_MAX) {
		cost->period = INT64_MAX;
		s->saturated++;
	}
	return true;
}
