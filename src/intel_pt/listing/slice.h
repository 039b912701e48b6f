/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_LISTING_SLICE_H
#define TL_INTEL_PT_LISTING_SLICE_H
/* Parts of a trace that can be decoded on their own: they begin at a PSB and end before one. */
#include "intel_pt/listing/window.h"
#include "intel_pt/profile/functions.h"

struct tl_pt_byte_range {
	uint64_t from, to; /* bytes */
};

/* The smallest such part that holds all that ran in a window of time; to_ticks 0: no end. */
int tl_pt_slice_time(const struct tl_pt_config *config, uint64_t from_ticks, uint64_t to_ticks,
		     struct tl_pt_byte_range *part, struct tl_error *err);

/* The position at which a function with a matching name was entered. */
struct tl_pt_trigger {
	uint64_t offset, tsc;
	bool timed;
};

/*
 * Find the earliest one, by the clock if there is one. 1: found, 0: not; negative: TL_BAD_USAGE for
 * a pattern that does not compile, TL_NO_MEMORY.
 */
int tl_pt_find_trigger(const struct tl_pt_feed *feed, struct tl_pt_functions *functions,
		       const char *pattern, struct tl_pt_trigger *trigger, struct tl_error *err);

/* The first PSB at or behind an offset; the end of the trace if there is none. */
uint64_t tl_pt_psb_behind(const struct tl_pt_config *config, uint64_t offset);

/* The first time in the trace. 1; 0: it has none; negative: no memory. */
int tl_pt_first_time(const struct tl_pt_config *config, uint64_t *tsc, struct tl_error *err);

/* ---- of a feed ---- */

/*
 * The window of time that ends with the first call of a function with a matching name, and begins
 * so many seconds before it. 0; negative: no such function, no time, no memory.
 */
int tl_pt_slice_before_call(const struct tl_pt_feed *feed, const char *pattern,
			    double before_seconds, struct tl_pt_window *window,
			    struct tl_pt_trigger *trigger, struct tl_error *err);

/*
 * Write the part of a raw trace, a feed of one slice, that ran in a window. With `trigger` the part
 * goes up to the first PSB behind it, whatever the end of the window is. 0 or negative.
 */
int tl_pt_slice_raw(const struct tl_pt_feed *feed, const struct tl_pt_window *window,
		    const struct tl_pt_trigger *trigger, struct tl_output *out,
		    struct tl_error *err);

#endif
