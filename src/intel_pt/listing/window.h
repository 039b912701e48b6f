/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_LISTING_WINDOW_H
#define TL_INTEL_PT_LISTING_WINDOW_H
/* Windows of time: from seconds since the beginning of the trace to ticks of the TSC. */
#include "intel_pt/profile/feed.h"

/* In ticks; 0: open on this side. */
struct tl_pt_window {
	uint64_t from, to;
};

/* The earliest time in any slice of a feed, UINT64_MAX: none has a time. 0 or negative. */
int tl_pt_feed_first_time(const struct tl_pt_feed *feed, uint64_t *first, struct tl_error *err);

/* Seconds from the first time on; at or below 0: open. 0 or negative. */
int tl_pt_feed_window(const struct tl_pt_feed *feed, double from_seconds, double to_seconds,
		      struct tl_pt_window *window, struct tl_error *err);

#endif
