/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_VIEW_POINTS_POINTS_H
#define TL_VIEW_POINTS_POINTS_H
/*
 * Events without duration of a file, and values of its counters, by track and time, so that a
 * window of them is found.
 */
#include <tracelathe/open.h>

#include "core/memory.h"

/* What is kept: marks, bytes of their values, values of counters; the rest is counted. */
enum {
	TL_VIEW_MOST_MARKS = 4 << 20,
	TL_VIEW_MOST_VALUE_BYTES = 64 << 20,
	TL_VIEW_MOST_COUNTED = 2 << 20
};

struct tl_view_mark {
	uint64_t ticks;  /* from the origin of the index on */
	uint64_t values; /* where its values begin; TL_NOWHERE: they are not kept */
	uint32_t size;   /* of its values */
	uint32_t name;   /* number in `names` */
	uint32_t track;  /* number in `tracks` */
};

/* A thread, or (thread < 0) a process, with events. */
struct tl_view_mark_track {
	int64_t process, thread;
	size_t begin, end; /* its marks */
};

/* A counter of a thread, or (thread < 0) of a process. */
struct tl_view_counter {
	int64_t process, thread;
	uint32_t name;
	size_t begin, end; /* its values */
	double least, most;
};

struct tl_view_counted {
	uint64_t ticks; /* from the origin of the index on */
	double value;
	uint32_t counter, order;
};

/* Not changed any more once it is made: any thread may read it. */
struct tl_view_points {
	struct tl_view_mark *marks; /* by track, then by time */
	size_t count, capacity;
	struct tl_view_mark_track *tracks; /* in the order of their first event */
	size_t track_count, track_capacity;
	struct tl_index by_thread;
	struct tl_names names;
	struct tl_output *values;         /* objects of JSON */
	struct tl_view_counter *counters; /* in the order of their first value */
	size_t counter_count, counter_capacity;
	struct tl_index by_counter;
	struct tl_view_counted *counted; /* by counter, then by time */
	size_t counted_count, counted_capacity;
	uint64_t left_out; /* what is beyond TL_VIEW_MOST_MARKS or TL_VIEW_MOST_COUNTED */
	uint64_t origin;
	bool no_memory;
};

/*
 * Gather those of an input. None in a format without any. Free them with tl_view_points_free().
 * @param origin  that of the index
 * @return 0 or negative
 */
int tl_view_points_gather(struct tl_input *input, uint64_t origin, struct tl_view_points **points,
			  struct tl_error *err);
/* NULL is allowed. */
void tl_view_points_free(struct tl_view_points *points);

/* The first mark of a track at or behind a time; track->end: none. */
size_t tl_view_marks_from(const struct tl_view_points *points,
			  const struct tl_view_mark_track *track, uint64_t ticks);
/* The last value of a counter at or before a time; counter->begin: its first. */
size_t tl_view_counted_at(const struct tl_view_points *points,
			  const struct tl_view_counter *counter, uint64_t ticks);

#endif
