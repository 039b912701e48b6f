/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_CUTS_H
#define TL_XTRACE_CUTS_H
/*
 * Intervals of several streams together, by their common time. An instruction is as late as its
 * first access (TIME), one without accesses as the one before it; so an interval is what all
 * streams executed from one time to another, and no access in it is later than one of the next.
 */
#include "xtrace/format/trace.h"

/* Where intervals end: for each but the last one, a number of an instruction in each stream. */
struct tl_xtrace_cuts {
	uint64_t *at;
	size_t count, room, streams;
};

/*
 * Cut the streams after each `interval` instructions that count (those of the user, where the
 * stream's header counts these), as near as accesses allow. 0; TL_UNSUPPORTED: a stream has no
 * TIME; TL_NO_MEMORY. `cuts` is zero-filled.
 */
int tl_xtrace_cuts_find(struct tl_xtrace_cuts *cuts, struct tl_xtrace_trace *trace,
			const struct tl_xtrace_stream *const *streams, size_t count,
			uint64_t interval, struct tl_error *err);
void tl_xtrace_cuts_free(struct tl_xtrace_cuts *cuts);

/* The instruction of a stream before which an interval ends; TL_NOWHERE: the last one, or beyond.
 */
static inline uint64_t tl_xtrace_cuts_end(const struct tl_xtrace_cuts *cuts, uint64_t interval,
					  size_t stream)
{
	return interval < cuts->count ? cuts->at[interval * cuts->streams + stream] : TL_NOWHERE;
}

#endif
