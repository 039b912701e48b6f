/* SPDX-License-Identifier: Apache-2.0 */
/* The calling contexts of all parts together: one node per path of functions. */
#include "report/tree/call_tree.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"

struct merge {
	struct tl_call_tree *tree;
	struct tl_index index;
	uint32_t *merged; /* context -> node */
};

struct child {
	uint32_t parent, function;
};

static bool same_node(const void *context, const void *key, uint32_t number)
{
	const struct tl_call_tree *tree = context;
	const struct child *wanted = key;

	return tree->nodes[number].parent == wanted->parent &&
	       tree->nodes[number].function == wanted->function;
}

/* The node of a path, new if there is none yet; TL_NONE without memory. */
static uint32_t find_node(struct merge *merge, struct child key)
{
	struct tl_call_tree *tree = merge->tree;
	uint64_t hash = tl_hash_pair(key.parent, key.function);
	uint32_t found = tl_index_find(&merge->index, hash, same_node, tree, &key);

	if (found != TL_NONE)
		return found;
	if (!tl_index_add(&merge->index, hash, tree->count))
		return TL_NONE;
	tree->nodes[tree->count] =
		(struct tl_call_node){ .parent = key.parent, .function = key.function };
	return tree->count++;
}

static void add_costs(int64_t *sum, const int64_t *more, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		sum[i] = tl_sum_saturating(sum[i], more[i]);
}

static bool merge_context(struct merge *merge, const struct tl_profile *profile, uint32_t number)
{
	struct tl_call_tree *tree = merge->tree;
	const struct tl_context *context = tl_profile_context(profile, number);
	struct child key = { TL_NONE, context->function };
	uint32_t node;
	int64_t *costs;

	if (context->parent != TL_NONE)
		key.parent = merge->merged[context->parent];
	node = find_node(merge, key);
	if (node == TL_NONE)
		return false;
	merge->merged[number] = node;
	tree->nodes[node].calls += context->calls;
	tree->nodes[node].unfinished += context->unfinished;
	costs = tree->costs + (size_t)node * 2 * tree->events;
	add_costs(costs, tl_profile_context_self(profile, number), tree->events);
	add_costs(costs + tree->events, tl_profile_context_inclusive(profile, number),
		  tree->events);
	return true;
}

int tl_call_tree_build(struct tl_call_tree *tree, const struct tl_profile *profile,
		       struct tl_error *err)
{
	uint32_t count = tl_profile_context_count(profile);
	struct merge merge = { .tree = tree };
	bool built;

	*tree = (struct tl_call_tree){ .events = tl_profile_event_count(profile) };
	if (!count && (tl_profile_line_count(profile) || tl_profile_arc_count(profile)))
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "this input has no call stacks; its callers and callees can be "
				   "shown");
	tree->nodes = calloc((size_t)count + 1, sizeof(*tree->nodes));
	tree->costs = calloc((size_t)count * 2 + 1, tree->events * sizeof(*tree->costs));
	merge.merged = calloc((size_t)count + 1, sizeof(*merge.merged));
	built = tree->nodes && tree->costs && merge.merged;
	for (uint32_t i = 0; i < count && built; i++)
		built = merge_context(&merge, profile, i);
	free(merge.merged);
	tl_index_free(&merge.index);
	if (!built)
		return tl_error_memory(err);
	return TL_OK;
}

void tl_call_tree_free(struct tl_call_tree *tree)
{
	free(tree->nodes);
	free(tree->costs);
	*tree = (struct tl_call_tree){ 0 };
}
