/* SPDX-License-Identifier: Apache-2.0 */
#include "pprof/profile/stacks.h"

#include <string.h>

#include "profile/model/model.h"
#include "core/arithmetic.h"

enum { FIRST_SLOTS = 1024 };

bool tl_pprof_stacks_begin(struct tl_pprof_stacks *stacks, size_t width)
{
	*stacks = (struct tl_pprof_stacks){
		.slot_mask = FIRST_SLOTS - 1, .width = width, .node_count = 1, .cost_count = 1
	};
	stacks->slots = calloc(FIRST_SLOTS, sizeof(*stacks->slots));
	if (!stacks->slots ||
	    !tl_grow(&stacks->nodes, &stacks->node_capacity, FIRST_SLOTS, sizeof(*stacks->nodes)))
		return false;
	stacks->nodes[0] = (struct tl_pprof_node){ .parent = TL_NONE };
	return true;
}

void tl_pprof_stacks_free(struct tl_pprof_stacks *stacks)
{
	free(stacks->nodes);
	free(stacks->slots);
	free(stacks->costs);
	free(stacks->path);
	*stacks = (struct tl_pprof_stacks){ .nodes = NULL };
}

static inline size_t home(const struct tl_pprof_stacks *s, uint32_t parent, uint32_t location)
{
	return (size_t)tl_hash64((uint64_t)parent << 32 | location) & s->slot_mask;
}

static bool grow_slots(struct tl_pprof_stacks *s)
{
	size_t count = 2 * (s->slot_mask + 1);
	uint32_t *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return false;
	free(s->slots);
	s->slots = slots;
	s->slot_mask = count - 1;
	for (uint32_t i = 1; i < s->node_count; i++) {
		size_t at = home(s, s->nodes[i].parent, s->nodes[i].location);

		while (slots[at])
			at = (at + 1) & s->slot_mask;
		slots[at] = i;
	}
	return true;
}

static uint32_t add_node(struct tl_pprof_stacks *s, uint32_t parent, uint32_t location, size_t at)
{
	if (s->node_count >= TL_NONE ||
	    !tl_grow(&s->nodes, &s->node_capacity, s->node_count + 1, sizeof(*s->nodes)))
		return 0;
	s->nodes[s->node_count] = (struct tl_pprof_node){ parent, location, 0 };
	s->slots[at] = (uint32_t)s->node_count;
	s->node_count++;
	if (2 * s->node_count > s->slot_mask && !grow_slots(s))
		return 0;
	return (uint32_t)(s->node_count - 1);
}

/* The child of a node, added if it is new; 0 without memory. */
static inline uint32_t child(struct tl_pprof_stacks *s, uint32_t parent, uint32_t location)
{
	size_t at = home(s, parent, location);
	uint32_t node;

	while ((node = s->slots[at])) {
		if (s->nodes[node].parent == parent && s->nodes[node].location == location)
			return node;
		at = (at + 1) & s->slot_mask;
	}
	return add_node(s, parent, location, at);
}

uint32_t tl_pprof_stacks_root(struct tl_pprof_stacks *stacks, uint32_t thread)
{
	return child(stacks, 0, thread);
}

static bool add_values(struct tl_pprof_stacks *s, uint32_t node, const int64_t *values)
{
	int64_t *row;

	if (!s->nodes[node].cost) {
		if (!tl_grow(&s->costs, &s->cost_capacity, s->cost_count + 1,
			     s->width * sizeof(*s->costs)))
			return false;
		memset(s->costs + s->cost_count * s->width, 0, s->width * sizeof(*s->costs));
		s->nodes[node].cost = (uint32_t)s->cost_count++;
	}
	row = s->costs + s->nodes[node].cost * s->width;
	for (size_t i = 0; i < s->width; i++)
		tl_add_cost(&row[i], values[i], &s->saturated);
	return true;
}

/*
 * Samples in a row often have callers in common: as far as they are those of the last stack, nodes
 * are not looked up again.
 */
static size_t known_path(const struct tl_pprof_stacks *s, uint32_t root, const uint32_t *locations,
			 size_t count)
{
	size_t most = tl_min(count, s->path_count), i = 0;

	if (root != s->path_root)
		return 0;
	while (i < most && s->nodes[s->path[i]].location == locations[count - 1 - i])
		i++;
	return i;
}

bool tl_pprof_stacks_add(struct tl_pprof_stacks *s, uint32_t root, const uint32_t *locations,
			 size_t count, const int64_t *values)
{
	size_t known = known_path(s, root, locations, count);
	uint32_t node = known ? s->path[known - 1] : root;

	if (!tl_grow(&s->path, &s->path_capacity, count, sizeof(*s->path)))
		return false;
	s->path_root = root;
	for (s->path_count = known; s->path_count < count; s->path_count++) {
		node = child(s, node, locations[count - 1 - s->path_count]);
		if (!node)
			return false;
		s->path[s->path_count] = node;
	}
	return add_values(s, node, values);
}
