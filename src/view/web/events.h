/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_VIEW_WEB_EVENTS_H
#define TL_VIEW_WEB_EVENTS_H
/* Events without duration of a file, by track and time, so that a window of them is found. */
#include "core/memory.h"
#include "view/web/document.h"

/* What is kept: marks, and bytes of their values; of the rest the number is told. */
enum { TL_WEB_MOST_MARKS = 4 << 20, TL_WEB_MOST_VALUE_BYTES = 64 << 20 };

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

/* Not changed any more once it is made: any thread may read it. */
struct tl_web_events {
	struct tl_web_mark *marks; /* by track, then by time */
	size_t count, capacity;
	struct tl_web_event_track *tracks; /* in the order of their first event */
	size_t track_count, track_capacity;
	struct tl_index by_thread;
	struct tl_names names;
	struct tl_output *values; /* objects of JSON */
	uint64_t left_out;        /* events beyond TL_WEB_MOST_MARKS */
	uint64_t origin;
	bool no_memory;
};

/*
 * The events of a file, made when they are asked for the first time; they live as long as the
 * document. None in a format without any. 0 or negative.
 */
int tl_web_events_get(struct tl_web_document *document, const struct tl_web_asker *asker,
		      const struct tl_web_events **events, struct tl_error *err);
void tl_web_events_free(struct tl_web_events *events);

/* The first mark of a track at or behind a time; track->end: none. */
size_t tl_web_events_from(const struct tl_web_events *events,
			  const struct tl_web_event_track *track, uint64_t ticks);

#endif
