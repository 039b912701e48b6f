/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_SAMPLES_STACKS_H
#define TL_PERF_DATA_SAMPLES_STACKS_H
/*
 * The sampled stacks as a tree of addresses. Its first level are roots: what a thread ran under one
 * name and with one set of maps, so that an address below a root means one place of one file.
 * Functions are looked up when the tree is complete, once an address.
 */
#include <tracelathe/core.h>

#include "core/memory.h"
#include "core/trees/known_paths.h"
#include "core/trees/path_tree.h"

/* What the stacks below it have in common. */
struct tl_perf_stack_root {
	uint32_t process;  /* number in the table of processes */
	uint64_t pid, tid; /* TL_NOWHERE: not recorded; of a virtual machine: guests.h */
	uint32_t comm;     /* name of the thread at that time */
	uint32_t cgroup;   /* path of its control group, a name; 0: unknown */
	size_t changes;    /* of the process's maps, up to the last one that replaced others */
	uint64_t first_ns, last_ns;
	uint64_t samples;
};

/* The samples of one event whose innermost address is that of a node. */
struct tl_perf_stack_cost {
	uint64_t samples, period;
	uint32_t event;
	uint32_t next; /* cost of another event at the same node; 0: none */
};

/* A stack, its root first, then the outermost address. */
struct tl_perf_stack_path {
	struct tl_path_step *steps;
	size_t count, capacity;
};

/* Whether it pays to look for whole paths, by what was found of late. */
struct tl_perf_path_gain {
	uint32_t paths, found; /* looked for */
	uint64_t steps;        /* looked up one by one of those that were not found */
	uint32_t left_out;     /* paths yet to come that are not looked for */
	uint32_t pause;        /* how many they were last time; 0: none were */
};

struct tl_perf_stacks {
	struct tl_perf_stack_root *roots;
	size_t root_count, root_capacity;
	struct tl_index root_index;
	/* Keys are addresses, those of the children of node 0 numbers of roots. */
	struct tl_path_tree tree;
	uint32_t *first_costs; /* by node, up to its capacity: its first cost; 0: none */
	size_t first_cost_capacity;
	struct tl_perf_stack_path last;
	struct tl_known_paths known;
	struct tl_perf_path_gain gain;
	struct tl_perf_stack_cost *costs;
	size_t cost_count, cost_capacity;
	uint64_t saturated; /* sums that did not fit */
};

/* False without memory. */
bool tl_perf_stacks_begin(struct tl_perf_stacks *stacks);
void tl_perf_stacks_free(struct tl_perf_stacks *stacks);

/* The number of a root, which is added if it is new; TL_NONE without memory. Times do not count. */
uint32_t tl_perf_stacks_root(struct tl_perf_stacks *stacks, const struct tl_perf_stack_root *root);
/*
 * The node of a stack of addresses under a root, the innermost address first; 0 without memory.
 * What it has in common with the stack before is not looked up again.
 */
uint32_t tl_perf_stacks_path(struct tl_perf_stacks *stacks, uint32_t root, const uint64_t *ips,
			     size_t count);
/* A sample at a node. False without memory. */
bool tl_perf_stacks_count(struct tl_perf_stacks *stacks, uint32_t node, uint32_t event,
			  uint64_t period);
/* The first cost of a node; 0: none. */
static inline uint32_t tl_perf_stacks_first_cost(const struct tl_perf_stacks *stacks, uint32_t node)
{
	return node < stacks->first_cost_capacity ? stacks->first_costs[node] : 0;
}

#endif
