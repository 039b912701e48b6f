/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_CALLS_SOURCE_H
#define TL_XTRACE_CALLS_SOURCE_H
/* An instruction stream as a source of calls (timeline/calls/tracks.h). */
#include "timeline/calls/tracks.h"
#include "xtrace/format/trace.h"

/*
 * Make a source. The trace and the binaries of the options live longer than it; `filter` chooses
 * functions by name and object. 0 or negative.
 */
int tl_xtrace_call_source(struct tl_xtrace_trace *trace,
			  const struct tl_xtrace_fold_options *options,
			  const struct tl_profile_filter *filter, struct tl_call_source *source,
			  struct tl_error *err);

#endif
