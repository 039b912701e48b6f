/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_data/samples/stacks.h"

#include <string.h>

#include "core/cursor.h"

enum { FIRST_SLOTS = 1 << 12 };

bool tl_perf_stacks_begin(struct tl_perf_stacks *s)
{
	*s = (struct tl_perf_stacks){ .slot_mask = FIRST_SLOTS - 1 };
	s->slots = calloc(FIRST_SLOTS, sizeof(*s->slots));
	if (!s->slots || !tl_grow(&s->nodes, &s->node_capacity, 1, sizeof(*s->nodes)) ||
	    !tl_grow(&s->costs, &s->cost_capacity, 1, sizeof(*s->costs)))
		return false;
	s->nodes[0] = (struct tl_perf_stack_node){ 0 };
	s->costs[0] = (struct tl_perf_stack_cost){ 0 };
	s->node_count = s->cost_count = 1;
	return true;
}

void tl_perf_stacks_free(struct tl_perf_stacks *s)
{
	free(s->roots);
	free(s->nodes);
	free(s->slots);
	free(s->costs);
	free(s->last.nodes);
	tl_index_free(&s->root_index);
	*s = (struct tl_perf_stacks){ .roots = NULL };
}

/* ---- roots ---- */

static bool same_root(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_stack_root *roots = context, *wanted = key, *have = &roots[number];

	return have->process == wanted->process && have->pid == wanted->pid &&
	       have->tid == wanted->tid && have->comm == wanted->comm &&
	       have->changes == wanted->changes;
}

uint32_t tl_perf_stacks_root(struct tl_perf_stacks *s, const struct tl_perf_stack_root *root)
{
	const uint64_t hash = tl_hash_pair(
		tl_hash_pair(root->pid, (uint64_t)root->tid << 32 | root->comm), root->changes);
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

static inline size_t home_of(const struct tl_perf_stacks *s, uint32_t parent, uint64_t ip)
{
	return (size_t)tl_hash64(ip ^ (uint64_t)parent * UINT64_C(0x9e3779b97f4a7c15)) &
	       s->slot_mask;
}

static void put_slot(struct tl_perf_stacks *s, uint32_t number)
{
	size_t at = home_of(s, s->nodes[number].parent, s->nodes[number].ip);

	while (s->slots[at])
		at = (at + 1) & s->slot_mask;
	s->slots[at] = number;
}

static bool grow_slots(struct tl_perf_stacks *s)
{
	const size_t count = 2 * (s->slot_mask + 1);
	uint32_t *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return false;
	free(s->slots);
	s->slots = slots;
	s->slot_mask = count - 1;
	for (size_t i = 1; i < s->node_count; i++)
		put_slot(s, (uint32_t)i);
	return true;
}

static uint32_t add_child(struct tl_perf_stacks *s, uint32_t parent, uint64_t ip)
{
	const uint32_t number = (uint32_t)s->node_count;

	if (s->node_count >= UINT32_MAX ||
	    !tl_grow(&s->nodes, &s->node_capacity, s->node_count + 1, sizeof(*s->nodes)))
		return 0;
	s->nodes[number] = (struct tl_perf_stack_node){ .ip = ip, .parent = parent };
	if (2 * s->node_count > s->slot_mask && !grow_slots(s))
		return 0;
	s->node_count++;
	put_slot(s, number);
	return number;
}

uint32_t tl_perf_stacks_child(struct tl_perf_stacks *s, uint32_t parent, uint64_t ip)
{
	size_t at = home_of(s, parent, ip);

	for (uint32_t number; (number = s->slots[at]); at = (at + 1) & s->slot_mask)
		if (s->nodes[number].ip == ip && s->nodes[number].parent == parent)
			return number;
	return add_child(s, parent, ip);
}

uint32_t tl_perf_stacks_path(struct tl_perf_stacks *s, uint32_t root, const uint64_t *ips,
			     size_t count)
{
	struct tl_perf_stack_path *last = &s->last;
	const uint32_t top = tl_perf_stacks_child(s, 0, root);
	size_t at = 1;

	if (!top || !tl_grow(&last->nodes, &last->capacity, count + 1, sizeof(*last->nodes)))
		return 0;
	if (!last->count || last->nodes[0] != top)
		last->count = 1;
	last->nodes[0] = top;
	while (at < last->count && at <= count && s->nodes[last->nodes[at]].ip == ips[count - at])
		at++;
	for (; at <= count; at++) {
		last->nodes[at] = tl_perf_stacks_child(s, last->nodes[at - 1], ips[count - at]);
		last->count = last->nodes[at] ? at + 1 : 0;
		if (!last->count)
			return 0;
	}
	return last->nodes[count];
}

/* ---- costs ---- */

/* The cost of an event at a node; 0: no memory. */
static uint32_t cost_of(struct tl_perf_stacks *s, uint32_t node, uint32_t event)
{
	uint32_t number = s->nodes[node].cost;

	while (number && s->costs[number].event != event)
		number = s->costs[number].next;
	if (number)
		return number;
	if (s->cost_count >= UINT32_MAX ||
	    !tl_grow(&s->costs, &s->cost_capacity, s->cost_count + 1, sizeof(*s->costs)))
		return 0;
	number = (uint32_t)s->cost_count++;
	s->costs[number] =
		(struct tl_perf_stack_cost){ .event = event, .next = s->nodes[node].cost };
	s->nodes[node].cost = number;
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
