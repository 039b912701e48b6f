/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PPROF_PROFILE_PRUNE_H
#define TL_PPROF_PROFILE_PRUNE_H
/*
 * Frames that the profile's writer wants to be dropped (drop_frames, keep_frames): a stack ends
 * above the outermost function whose name matches; its cost is then that of the caller. As
 * `go tool pprof` does it, functions at the root of a stack are left.
 */
#include <regex.h>

#include "pprof/reader/sample.h"

struct tl_pprof_prune {
	uint8_t *locations; /* by number, what becomes of it; NULL: nothing is dropped */
};

/* Reads the patterns, and cuts off the functions inlined below a match. 0 or negative. */
int tl_pprof_prune_begin(struct tl_pprof_prune *prune, struct tl_pprof_file *p,
			 struct tl_error *err);
void tl_pprof_prune_end(struct tl_pprof_prune *prune);
/* Take the locations of a sample that are dropped off. */
void tl_pprof_prune_sample(const struct tl_pprof_prune *prune, const struct tl_pprof_sample *sample,
			   const uint32_t **locations, size_t *count);

#endif
