/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TIMELINE_TIMELINE_H
#define TL_TIMELINE_TIMELINE_H
/*
 * The consumer's side of a timeline: the operations of a format, its tracks, its clock. Producers
 * need no more than the public header.
 */
#include <tracelathe/timeline.h>

#include "core/memory.h"
#include "core/output.h"
#include "core/wide.h"

/* The part of a track every format has; a format's own follows in the same allocation, zeroed. */
struct tl_track {
	int64_t process, thread; /* thread < 0: the track of the process itself */
	uint32_t number;         /* in the order of first use */
	bool begun;              /* the format has announced it */
};

/*
 * Tracks by (process, thread). Events of many threads interleave, so a small cache is asked before
 * the index.
 */
enum { TL_TRACK_CACHE = 64 };

struct tl_tracks {
	struct tl_track *cache[TL_TRACK_CACHE];
	struct tl_track **all;
	size_t count, capacity;
	size_t track_size; /* bytes of a format's track */
	struct tl_index index;
};

/* A time as seconds, nanoseconds, and picoseconds below them. */
struct tl_time {
	uint64_t seconds;
	uint32_t ns, ps;
};

struct tl_timeline_ops {
	struct tl_timeline_format format;
	size_t size; /* bytes of the format's timeline, which begins with a struct tl_timeline */
	size_t track_size;                           /* bytes of its tracks */
	bool (*begin)(struct tl_timeline *timeline); /* false: no memory */
	void (*name)(struct tl_timeline *timeline, struct tl_track *track, const char *name);
	void (*enter)(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks,
		      uint32_t name_key, const char *name, const char *file, uint32_t line,
		      const struct tl_timeline_arg *args, size_t arg_count);
	void (*leave)(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks);
	void (*instant)(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks,
			const char *name, const struct tl_timeline_arg *args, size_t arg_count);
	void (*counter)(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks,
			const char *name, double value);
	void (*end)(struct tl_timeline *timeline);
	/* NULL: where the output failed; of a format whose threads write */
	bool (*failed)(const struct tl_timeline *timeline);
	void (*free_track)(struct tl_track *track); /* frees the members of the format's track */
	void (*free)(struct tl_timeline *timeline); /* frees the members of the format's timeline */
};

/* A format's own members follow, zeroed when it begins. */
struct tl_timeline {
	const struct tl_timeline_ops *ops;
	struct tl_output *out; /* NULL: nothing is written */
	uint64_t frequency;    /* never 0 */
	unsigned jobs;         /* threads to work on; 0: 1 */
	bool clock_known;      /* false: the frequency is a default */
	uint64_t origin;       /* ticks of the first record; 0: times are absolute */
	bool begun;
	bool no_memory; /* an allocation failed; from then on nothing is written */
	bool used;      /* a call, an instant or a value was written */
	struct tl_tracks tracks;
};

/* A timeline of a format, not yet begun; NULL without memory. */
struct tl_timeline *tl_timeline_new(const struct tl_timeline_ops *ops, struct tl_output *out);

/*
 * A number as JSON: in decimal, or a text of hexadecimal. False, and nothing is written: it is a
 * text or bytes.
 */
bool tl_timeline_put_number(struct tl_output *out, const struct tl_timeline_arg *arg);

/* The track, added if it is new. NULL, and timeline->no_memory is set, without memory. */
struct tl_track *tl_timeline_track(struct tl_timeline *timeline, int64_t process, int64_t thread);

/* Exact down to a picosecond. Clocks below 18 GHz need no 128-bit division. */
static inline struct tl_time tl_ticks_time(uint64_t frequency, uint64_t ticks)
{
	struct tl_time time = { .seconds = ticks / frequency };
	uint64_t rest = ticks % frequency;

	if (frequency <= UINT64_MAX / 1000000000) {
		rest *= 1000000000;
		time.ns = (uint32_t)(rest / frequency);
		time.ps = (uint32_t)(rest % frequency * 1000 / frequency);
	} else {
		uint64_t ps = tl_scale_unsigned(rest, 1000000000000, frequency);

		time.ns = (uint32_t)(ps / 1000);
		time.ps = (uint32_t)(ps % 1000);
	}
	return time;
}

/* Nanoseconds; UINT64_MAX if they do not fit. */
static inline uint64_t tl_ticks_ns(uint64_t frequency, uint64_t ticks)
{
	uint64_t seconds, rest;

	if (frequency == 1000000000)
		return ticks;
	seconds = ticks / frequency;
	rest = ticks % frequency;
	if (seconds >= UINT64_MAX / 1000000000)
		return UINT64_MAX;
	if (frequency <= UINT64_MAX / 1000000000)
		return seconds * 1000000000 + rest * 1000000000 / frequency;
	return seconds * 1000000000 + tl_scale_unsigned(rest, 1000000000, frequency);
}

#endif
