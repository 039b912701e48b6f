/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_TREE_CALL_TREE_H
#define TL_REPORT_TREE_CALL_TREE_H
#include <stdint.h>

#include <tracelathe/profile.h>

/* The calling contexts of all parts together. */
struct tl_call_node {
	uint32_t parent; /* TL_NONE: a root; less than the node's own number */
	uint32_t function;
	uint64_t calls, unfinished;
};

struct tl_call_tree {
	struct tl_call_node *nodes;
	int64_t *costs; /* of a node: self, then inclusive, each with all events of the profile */
	uint32_t count, events;
};

int tl_call_tree_build(struct tl_call_tree *tree, const struct tl_profile *profile,
		       struct tl_error *err);
void tl_call_tree_free(struct tl_call_tree *tree);

static inline const int64_t *tl_call_tree_self(const struct tl_call_tree *tree, uint32_t node)
{
	return tree->costs + (size_t)node * 2 * tree->events;
}

static inline const int64_t *tl_call_tree_inclusive(const struct tl_call_tree *tree, uint32_t node)
{
	return tl_call_tree_self(tree, node) + tree->events;
}

#endif
