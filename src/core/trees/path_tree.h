/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_TREES_PATH_TREE_H
#define TL_CORE_TREES_PATH_TREE_H
/*
 * Paths of keys as a tree: a node is a key below another node, its parent, whose number is less.
 * Where a node is found depends on the hash of its whole path, which needs no memory to be looked
 * at: the places of all nodes of a path are known, and fetched, before the first of them is read.
 * In a tree that is larger than the caches a path then costs about as much as one node.
 */
#include "core/memory.h"

/* Node 0 is the parent of what has no other; its key is 0. */
struct tl_path_node {
	uint64_t key;
	uint32_t parent;
	uint32_t hash; /* of the path from node 0 to here */
};

struct tl_path_tree {
	struct tl_path_node *nodes;
	size_t count, capacity;
	struct tl_index index;
};

/* A tree of node 0. False without memory. */
bool tl_path_tree_begin(struct tl_path_tree *tree);
void tl_path_tree_free(struct tl_path_tree *tree);

/* The child of a node, added if it is new; 0 without memory. */
uint32_t tl_path_tree_child(struct tl_path_tree *tree, uint32_t parent, uint64_t key);

/* One key of a path that goes down from a node. */
struct tl_path_step {
	uint64_t key;
	uint32_t node; /* set by tl_path_tree_follow() */
	uint32_t hash; /* the same */
};

/* The nodes of a path below a node; those that are new are added. False without memory. */
bool tl_path_tree_follow(struct tl_path_tree *tree, uint32_t from, struct tl_path_step *steps,
			 size_t count);

#endif
