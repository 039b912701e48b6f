/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PPROF_PROFILE_COLLECT_H
#define TL_PPROF_PROFILE_COLLECT_H
/* The pass over the samples: those that a filter lets pass, in the tree of stacks. */
#include "pprof/profile/fold.h"
#include "pprof/profile/prune.h"
#include "pprof/profile/stacks.h"

struct tl_pprof_collected {
	struct tl_pprof_stacks stacks;
	struct tl_pprof_thread *threads; /* by number */
	uint64_t *samples;               /* of each thread */
	size_t thread_count, thread_capacity, sample_capacity;
	struct tl_index thread_index;
	uint64_t passed; /* samples that the filter let pass */
};

/* 0 or negative; free it in any case. */
int tl_pprof_collect(struct tl_pprof_collected *c, struct tl_pprof_file *p,
		     const struct tl_pprof_fold_options *options, struct tl_error *err);
void tl_pprof_collected_free(struct tl_pprof_collected *c);

#endif
