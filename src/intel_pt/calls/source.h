/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_CALLS_SOURCE_H
#define TL_INTEL_PT_CALLS_SOURCE_H
/* A feed as a source of calls (timeline/calls/tracks.h). */
#include "intel_pt/profile/fold.h"
#include "timeline/calls/tracks.h"

/*
 * Make a source. The feed and the faults live longer than it; `function` and `object`, filters, may
 * be NULL. 0 or negative.
 */
int tl_pt_call_source(const struct tl_pt_feed *feed, const struct tl_pt_fold_options *options,
		      struct tl_pt_faults *faults, const char *function, const char *object,
		      struct tl_call_source *source, struct tl_error *err);

#endif
