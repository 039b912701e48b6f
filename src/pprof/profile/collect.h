/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PPROF_PROFILE_COLLECT_H
#define TL_PPROF_PROFILE_COLLECT_H
/*
 * The pass over the samples: those that a filter lets pass, in the tree of stacks. Where no lines
 * are asked for the tree is one of functions: a node is then a calling context of its own.
 */
#include "pprof/profile/fold.h"
#include "pprof/profile/names.h"
#include "pprof/profile/prune.h"
#include "pprof/profile/stacks.h"

struct tl_pprof_collected {
	struct tl_pprof_stacks stacks;
	struct tl_pprof_thread *threads; /* by number */
	uint64_t *samples;               /* of each thread */
	size_t thread_count, thread_capacity, sample_capacity;
	struct tl_index thread_index;
	uint64_t passed; /* samples that the filter let pass */
	uint64_t after;  /* number of the sample behind the last one that was added whole */
	struct tl_pprof_names *names; /* of functions as keys; NULL: keys are locations */
};

/* 0 or negative; free it in any case. `names` are asked for functions, unless lines are wanted. */
int tl_pprof_collect(struct tl_pprof_collected *c, struct tl_pprof_file *p,
		     struct tl_pprof_names *names, const struct tl_pprof_fold_options *options,
		     struct tl_error *err);
void tl_pprof_collected_free(struct tl_pprof_collected *c);

#endif
