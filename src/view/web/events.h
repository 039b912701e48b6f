/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_VIEW_WEB_EVENTS_H
#define TL_VIEW_WEB_EVENTS_H
/*
 * Events without duration of a file, and values of its counters, by track and time, so that a
 * window of them is found.
 */
#include "core/memory.h"
#include "view/web/document.h"

/* What is kept: marks, bytes of their values, values of counters; the rest is counted. */
enum {
	TL_WEB_MOST_MARKS = 4 << 20,
	TL_WEB_MOST_VALUE_BYTES = 64 << 20,
	TL_WEB_MOST_COUNTED = 2 << 20
};

struct tl_web_mark {
	uint64_t ticks;  /* from the origin of the index on */
	uint64_t values; /* where its values begin; TL_NOWHERE: they are not kept */
	uint32_t size;   /* of its values */
	uint32_t name;   /* number in `names` */
	uint32_t track;  /* number in `tracks` */
};

/* A thread, or (thread < 0) a process, with events. */
struct tl_web_event_track {
	int64_t process, thread;
	size_t begin, end; /* its marks */
};

/* A counter of a thread, or (thread < 0) of a process. */
struct tl_web_counter {
	int64_t process, thread;
	uint32_t name;
	size_t begin, end; /* its values */
	double least, most;
};

struct tl_web_counted {
	uint64_t ticks; /* from the origin of the index on */
	double value;
	uint32_t counter, order;
};

/* Not changed any more once it is made: any thread may read it. */
struct tl_web_events {
	struct tl_web_mark *marks; /* by track, then by time */
	size_t count, capacity;
	struct tl_web_event_track *tracks; /* in the order of their first event */
	size_t track_count, track_capacity;
	struct tl_index by_thread;
	struct tl_names names;
	struct tl_output *values;        /* objects of JSON */
	struct tl_web_counter *counters; /* in the order of their first value */
	size_t counter_count, counter_capacity;
	struct tl_index by_counter;
	struct tl_web_counted *counted; /* by counter, then by time */
	size_t counted_count, counted_capacity;
	uint64_t left_out; /* what is beyond TL_WEB_MOST_MARKS or TL_WEB_MOST_COUNTED */
	uint64_t origin;
	bool no_memory;
};

/*
 * The events of a file, made when they are asked for the first time; they live as long as the
 * document. None in a format without any. 0 or negative.
 */
int tl_web_events_get(struct tl_web_document *document, const struct tl_web_asker *asker,
		      const struct tl_web_events **events, struct tl_error *err);
/* The last value of a counter at or before a time; counter->begin: its first. */
size_t tl_web_counted_at(const struct tl_web_events *events, const struct tl_web_counter *counter,
			 uint64_t ticks);
void tl_web_events_free(struct tl_web_events *events);

/* The first mark of a track at or behind a time; track->end: none. */
size_t tl_web_events_from(const struct tl_web_events *events,
			  const struct tl_web_event_track *track, uint64_t ticks);

#endif
