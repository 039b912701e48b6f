/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TIMELINE_CALLS_GAPS_H
#define TL_TIMELINE_CALLS_GAPS_H
/* Where a track does not tell all: its gaps in the order of time. */
#include <tracelathe/timeline.h>

/* Where there are more, neighbours become one, so that memory does not grow with the damage. */
enum { TL_MOST_GAPS = 4096 };

/* Ready when zero-filled. */
struct tl_call_gaps {
	struct tl_call_gap *list;
	size_t count, capacity;
};

/* Append a gap, which begins at or behind the last one. False without memory. */
bool tl_call_gaps_add(struct tl_call_gaps *gaps, const struct tl_call_gap *gap);
void tl_call_gaps_free(struct tl_call_gaps *gaps);

#endif
