/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PPROF_PROFILE_STACKS_H
#define TL_PPROF_PROFILE_STACKS_H
/*
 * The sampled stacks as a tree, with the values of the samples summed up at the innermost place.
 * Its first level are threads; below them are locations, or the functions of locations.
 */
#include "core/memory.h"
#include "core/trees/path_tree.h"

/* A location of the last stack, and where its keys end in the path. */
struct tl_pprof_level {
	uint32_t location;
	uint32_t end;
};

/* The last stack, from the outermost location inwards. */
struct tl_pprof_path {
	struct tl_pprof_level *levels;
	size_t level_count, level_capacity;
	struct tl_path_step *steps;
	size_t step_count, step_capacity;
	size_t known; /* steps whose nodes are known, those of the stack before */
	uint32_t root;
};

struct tl_pprof_stacks {
	struct tl_path_tree tree; /* keys of the children of node 0 are numbers of threads */
	uint32_t *rows;           /* by node, up to its capacity: its row of costs; 0: none */
	size_t row_capacity;
	int64_t *costs; /* `width` numbers a row; row 0 is not used */
	size_t cost_count, cost_capacity, width;
	struct tl_pprof_path path;
	uint64_t saturated; /* sums that did not fit */
};

/* Rows of `width` values. False without memory; free it in any case. */
bool tl_pprof_stacks_begin(struct tl_pprof_stacks *stacks, size_t width);
void tl_pprof_stacks_free(struct tl_pprof_stacks *stacks);

/* The node of a thread. 0 without memory. */
uint32_t tl_pprof_stacks_root(struct tl_pprof_stacks *stacks, uint32_t thread);

/*
 * A stack of `count` locations, the innermost first, below a node of tl_pprof_stacks_root(): what
 * it has in common with the stack before is kept, of which `common` locations are known to be. The
 * number of locations that are, the outermost ones; the others are entered one by one, further
 * inwards each.
 */
size_t tl_pprof_stacks_keep(struct tl_pprof_stacks *stacks, uint32_t root,
			    const uint32_t *locations, size_t count, size_t common);
/* Go inwards to a location, whose keys are pushed then. False without memory. */
bool tl_pprof_stacks_enter(struct tl_pprof_stacks *stacks, uint32_t location);
bool tl_pprof_stacks_push(struct tl_pprof_stacks *stacks, uint32_t key);
/* Add values to the stack that was entered. False without memory. */
bool tl_pprof_stacks_count(struct tl_pprof_stacks *stacks, const int64_t *values);
/* All of it for a stack whose keys are its locations. */
bool tl_pprof_stacks_add(struct tl_pprof_stacks *stacks, uint32_t root, const uint32_t *locations,
			 size_t count, size_t common, const int64_t *values);

/* The values of a node; NULL: it has none of its own. */
static inline const int64_t *tl_pprof_stacks_values(const struct tl_pprof_stacks *stacks,
						    uint32_t node)
{
	const uint32_t row = node < stacks->row_capacity ? stacks->rows[node] : 0;

	return row ? stacks->costs + row * stacks->width : NULL;
}

#endif
