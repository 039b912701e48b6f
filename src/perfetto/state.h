/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERFETTO_STATE_H
#define TL_PERFETTO_STATE_H
/*
 * What packets depend on: sequences with their interned texts and defaults, tracks, clocks. Ids of
 * a file are any 64-bit numbers, so all of these are found through indexes.
 */
#include "core/protobuf/wire.h"
#include "foreign/foreign.h"

/* Packets of one writer, in order. */
struct tl_perfetto_sequence {
	uint32_t id;
	uint32_t generation; /* interned texts of another one do not count; 0: nothing is known */
	uint64_t clock;      /* default of its packets, 0: none */
	uint64_t track;      /* default of its events */
	bool has_track;
	uint64_t thread_track; /* of old traces: the track of events where there is no default */
	int64_t thread_us;     /* of old traces: what absolute times of deltas count from */
};

enum tl_perfetto_kind { TL_PERFETTO_EVENT_NAME, TL_PERFETTO_SOURCE };

/* A text that stands for a number. */
struct tl_perfetto_interned {
	uint32_t sequence, generation;
	uint64_t iid;
	enum tl_perfetto_kind kind;
	uint32_t name, file, line; /* names of the stacks */
};

struct tl_perfetto_track {
	uint64_t uuid, parent;
	bool has_parent, has_process, has_thread, is_counter;
	bool is_incremental; /* values of the counter are changes: `sum` is what they make */
	int64_t multiplier;  /* of its values, 0: none */
	double sum;
	int64_t process, thread;
	uint32_t name, thread_name; /* names of the stacks, 0: none */
	uint32_t spans;             /* the thread of the spans, TL_NONE: no event yet */
};

/* A clock of the trace (ids below 64) or of a sequence, against the trace's time. */
struct tl_perfetto_clock {
	uint32_t sequence; /* TL_NONE: of all */
	uint64_t id, multiplier;
	bool is_incremental;
	uint64_t last; /* incremental: the time so far, in its units */
	int64_t shift; /* ns to add */
};

struct tl_perfetto_state {
	struct tl_foreign_file *foreign;
	struct tl_perfetto_sequence *sequences;
	size_t sequence_count, sequence_capacity;
	struct tl_perfetto_interned *interned;
	size_t interned_count, interned_capacity;
	struct tl_index interned_index;
	struct tl_perfetto_track *tracks;
	size_t track_count, track_capacity;
	struct tl_index track_index;
	struct tl_perfetto_clock *clocks;
	size_t clock_count, clock_capacity;
};

void tl_perfetto_state_free(struct tl_perfetto_state *s);

/* The sequence of an id, added if it is new; NULL without memory. Valid until the next is added. */
struct tl_perfetto_sequence *tl_perfetto_sequence(struct tl_perfetto_state *s, uint32_t id);
/* Keep an interned text. False without memory. */
bool tl_perfetto_intern(struct tl_perfetto_state *s, const struct tl_perfetto_interned *interned);
/* The interned text of an iid; NULL: it is not known. */
const struct tl_perfetto_interned *tl_perfetto_known(const struct tl_perfetto_state *s,
						     const struct tl_perfetto_sequence *sequence,
						     enum tl_perfetto_kind kind, uint64_t iid);
/* The track of a uuid, added if it is new; NULL without memory. Valid until the next is added. */
struct tl_perfetto_track *tl_perfetto_track(struct tl_perfetto_state *s, uint64_t uuid);
/* Give the threads of the spans the ids that the tracks have in the end. 0 or negative. */
int tl_perfetto_settle_tracks(struct tl_perfetto_state *s, struct tl_error *err);

/* A clock snapshot (ClockSnapshot). False without memory. */
bool tl_perfetto_snapshot(struct tl_perfetto_state *s, uint32_t sequence, struct tl_cursor cur);
/*
 * The time of a packet in ns of the trace's clock. False: the clock is not known, and the time is
 * taken as it is.
 */
bool tl_perfetto_time(struct tl_perfetto_state *s, uint32_t sequence, uint64_t clock,
		      uint64_t timestamp, int64_t *ns);

#endif
