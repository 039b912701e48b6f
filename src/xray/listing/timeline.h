/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_LISTING_TIMELINE_H
#define TL_XRAY_LISTING_TIMELINE_H
/* Calls over time. */
#include <tracelathe/timeline.h>

#include "xray/listing/clock.h"
#include "xray/listing/select.h"

/*
 * Begin a timeline and put the selected calls, events and migrations on it. 0 or negative;
 * TL_UNSUPPORTED, before the timeline begins, for a profiling-mode file.
 */
int tl_xray_timeline(struct tl_xray_reader *reader, struct tl_xray_select *select,
		     struct tl_timeline *timeline, struct tl_error *err);

/*
 * One of several traces on a timeline that has begun: its window is in ticks of the common clock,
 * and the keys of its names begin at `first_key`.
 */
int tl_xray_timeline_put(struct tl_xray_reader *reader, struct tl_xray_select *select,
			 const struct tl_xray_clock *clock, uint32_t first_key,
			 struct tl_timeline *timeline, struct tl_error *err);

#endif
