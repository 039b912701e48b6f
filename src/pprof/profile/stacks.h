/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PPROF_PROFILE_STACKS_H
#define TL_PPROF_PROFILE_STACKS_H
/*
 * The sampled stacks as a tree of locations, with the values of the samples summed up at the
 * innermost location. Its first level are threads.
 */
#include "core/memory.h"

struct tl_pprof_node {
	uint32_t parent;
	uint32_t location; /* of the first level: the number of the thread */
	uint32_t cost;     /* number of its row of values; 0: none */
};

struct tl_pprof_stacks {
	struct tl_pprof_node *nodes; /* node 0 is the outside, the parent of all threads */
	size_t node_count, node_capacity;
	uint32_t *slots; /* open addressing by parent and location; 0: empty */
	size_t slot_mask;
	int64_t *costs; /* `width` numbers a row; row 0 is not used */
	size_t cost_count, cost_capacity, width;
	uint32_t *path; /* the last stack, from the outermost location inwards: nodes */
	size_t path_count, path_capacity;
	uint32_t path_root;
	uint64_t saturated; /* sums that did not fit */
};

/* Rows of `width` values. False without memory; free it in any case. */
bool tl_pprof_stacks_begin(struct tl_pprof_stacks *stacks, size_t width);
void tl_pprof_stacks_free(struct tl_pprof_stacks *stacks);

/* The node of a thread. 0 without memory. */
uint32_t tl_pprof_stacks_root(struct tl_pprof_stacks *stacks, uint32_t thread);
/*
 * Add values to the stack of `count` locations, the innermost first, below a node of
 * tl_pprof_stacks_root(). False without memory.
 */
bool tl_pprof_stacks_add(struct tl_pprof_stacks *stacks, uint32_t root, const uint32_t *locations,
			 size_t count, const int64_t *values);

#endif
