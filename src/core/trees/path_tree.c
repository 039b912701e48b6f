/* SPDX-License-Identifier: Apache-2.0 */
#include "core/trees/path_tree.h"

#include <tracelathe/core.h>

/* Nodes that are fetched together: what a core can wait for, and its first cache holds. */
enum { TOGETHER = 32 };

bool tl_path_tree_begin(struct tl_path_tree *tree)
{
	*tree = (struct tl_path_tree){ .count = 0 };
	if (!tl_grow(&tree->nodes, &tree->capacity, 1, sizeof(*tree->nodes)))
		return false;
	tree->nodes[tree->count++] = (struct tl_path_node){ .key = 0 };
	return true;
}

void tl_path_tree_free(struct tl_path_tree *tree)
{
	free(tree->nodes);
	tl_index_free(&tree->index);
	*tree = (struct tl_path_tree){ .nodes = NULL };
}

static inline uint32_t hash_below(uint32_t hash, uint64_t key)
{
	return (uint32_t)tl_hash_pair(hash, key);
}

static uint32_t add_node(struct tl_path_tree *tree, uint32_t parent, uint64_t key, uint32_t hash)
{
	const uint32_t number = (uint32_t)tree->count;

	if (tree->count >= TL_NONE ||
	    !tl_grow(&tree->nodes, &tree->capacity, tree->count + 1, sizeof(*tree->nodes)) ||
	    !tl_index_add(&tree->index, hash, number))
		return 0;
	tree->nodes[tree->count++] = (struct tl_path_node){ key, parent, hash };
	return number;
}

static inline uint32_t find_or_add(struct tl_path_tree *tree, uint32_t parent, uint64_t key,
				   uint32_t hash)
{
	const struct tl_index *index = &tree->index;

	for (size_t at = hash & index->mask; index->slots; at = (at + 1) & index->mask) {
		const struct tl_index_slot *slot = &index->slots[at];

		if (slot->number == TL_NONE)
			break;
		if (slot->hash == hash && tree->nodes[slot->number].key == key &&
		    tree->nodes[slot->number].parent == parent)
			return slot->number;
	}
	return add_node(tree, parent, key, hash);
}

uint32_t tl_path_tree_child(struct tl_path_tree *tree, uint32_t parent, uint64_t key)
{
	return find_or_add(tree, parent, key, hash_below(tree->nodes[parent].hash, key));
}

/* Fetch the slots of a path, then the nodes that these lead to. */
static void fetch(const struct tl_path_tree *tree, uint32_t hash, struct tl_path_step *steps,
		  size_t count)
{
	const struct tl_index *index = &tree->index;

	for (size_t i = 0; i < count; i++) {
		steps[i].hash = hash = hash_below(hash, steps[i].key);
		if (index->slots)
			__builtin_prefetch(&index->slots[hash & index->mask]);
	}
	for (size_t i = 0; index->slots && i < count; i++) {
		const struct tl_index_slot *slot = &index->slots[steps[i].hash & index->mask];

		if (slot->number != TL_NONE)
			__builtin_prefetch(&tree->nodes[slot->number]);
	}
}

bool tl_path_tree_follow(struct tl_path_tree *tree, uint32_t from, struct tl_path_step *steps,
			 size_t count)
{
	uint32_t node = from;

	for (size_t i = 0; i < count; i++) {
		if (i % TOGETHER == 0)
			fetch(tree, tree->nodes[node].hash, steps + i,
			      count - i < TOGETHER ? count - i : TOGETHER);
		node = find_or_add(tree, node, steps[i].key, steps[i].hash);
		if (!node)
			return false;
		steps[i].node = node;
	}
	return true;
}
