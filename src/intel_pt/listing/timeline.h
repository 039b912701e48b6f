/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_LISTING_TIMELINE_H
#define TL_INTEL_PT_LISTING_TIMELINE_H
/* The calls of a feed over time. */
#include <tracelathe/timeline.h>

#include "intel_pt/profile/fold.h"

struct tl_pt_timeline_options {
	struct tl_pt_fold_options fold; /* `watch` is the timeline's */
	uint32_t depth;                 /* frames shown above each other, 0: any number */
	const char *function, *object;  /* regular expressions, NULL: any */
};

/* Begin the timeline, unless an error comes first, and fill it. 0 or negative. */
int tl_pt_timeline(const struct tl_pt_feed *feed, const struct tl_pt_timeline_options *options,
		   struct tl_pt_faults *faults, struct tl_timeline *timeline, struct tl_error *err);

#endif
