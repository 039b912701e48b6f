/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_FOREIGN_SPAN_CALLS_H
#define TL_FOREIGN_SPAN_CALLS_H
/* Calls over time as a source of calls, and on a timeline. */
#include "foreign/foreign.h"
#include "timeline/calls/tracks.h"

/*
 * Make a source of the calls of a file, which is the source's own from then on, also if this fails:
 * it was allocated by malloc(). 0 or negative; TL_UNSUPPORTED: it has no calls.
 */
int tl_foreign_call_source(struct tl_foreign_file *file, struct tl_call_source *source,
			   struct tl_error *err);

/* Tell what is wrong with the calls, before anything is made of them. 0 or negative. */
int tl_foreign_check_spans(struct tl_foreign_file *file, struct tl_error *err);

/* Begin a timeline and put all calls and instants on it (span_timeline.c). 0 or negative. */
int tl_foreign_timeline(struct tl_foreign_file *file, uint32_t depth, struct tl_timeline *timeline,
			struct tl_error *err);

/* Ticks that the window of the options is from and to; `to` UINT64_MAX: no end. */
struct tl_foreign_window {
	uint64_t from, to;
};
int tl_foreign_window(const struct tl_foreign_file *file, struct tl_foreign_window *window,
		      struct tl_error *err);

/* Whether a thread has spans, and the filters let it pass. */
bool tl_foreign_wants_spans(const struct tl_foreign_file *file, uint32_t thread);
/* A thread as a part of a profile; its texts are those of the stacks' names. */
struct tl_part tl_foreign_span_part(const struct tl_foreign_file *file, uint32_t thread);
/*
 * Add the calls of all threads to a profile that has the functions alone, as sums of functions; the
 * window of the options does not count. `functions[i]` is the profile's number of frame i. 1: done;
 * 0: refused, the profile is to be thrown away; or negative.
 */
int tl_foreign_sum_spans(struct tl_foreign_file *file, struct tl_profile *profile,
			 const uint32_t *functions, struct tl_foreign_walk *met,
			 struct tl_error *err);

/* Functions that the filters by name and object let pass. */
struct tl_foreign_filter {
	const struct tl_foreign_file *file;
	uint8_t *verdicts; /* by frame; NULL: all pass */
};
/* To be freed in any case. 0, TL_BAD_USAGE or TL_NO_MEMORY. */
int tl_foreign_filter_open(struct tl_foreign_filter *filter, const struct tl_foreign_file *file,
			   struct tl_error *err);
static inline bool tl_foreign_filter_accepts(const struct tl_foreign_filter *filter, uint32_t frame)
{
	return !filter->verdicts || filter->verdicts[frame];
}

#endif
