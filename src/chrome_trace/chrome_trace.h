/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CHROME_TRACE_CHROME_TRACE_H
#define TL_CHROME_TRACE_CHROME_TRACE_H
/* Chrome's trace events (docs/formats/chrome-trace.md): a JSON array, or an object with one. */
#include "foreign/json.h"

extern const struct tl_foreign_reader tl_chrome_reader;

/* How sure it is that these are trace events, 0 .. 100. */
int tl_chrome_probe(const uint8_t *data, size_t size);

/* What becomes of an event, by its phase. */
enum tl_chrome_kind {
	TL_CHROME_UNKNOWN,
	TL_CHROME_BEGIN,
	TL_CHROME_END,
	TL_CHROME_COMPLETE,
	TL_CHROME_INSTANT,
	TL_CHROME_METADATA,
	TL_CHROME_COUNTER,
	TL_CHROME_ASYNC,
	TL_CHROME_FLOW,
	TL_CHROME_OTHER, /* objects, samples, memory dumps, contexts, clock synchronisation */
	TL_CHROME_KINDS,
};
/* phases.c */
enum tl_chrome_kind tl_chrome_kind_of(uint8_t phase);

/* The members of an event that are read. */
struct tl_chrome_event {
	uint64_t offset;
	uint32_t name, argument; /* names; `argument` is args.name */
	int64_t process, thread;
	uint32_t thread_name; /* where the thread is a text */
	uint8_t phase;
	bool has_time, has_duration;
	struct tl_decimal time, duration; /* microseconds */
};

/* A value of a counter event: the key of an argument, and its number. */
struct tl_chrome_value {
	uint32_t name;
	struct tl_decimal number;
};

/* Of one event; those beyond are told. */
enum { TL_CHROME_MOST_VALUES = 32 };

struct tl_chrome_read {
	struct tl_foreign_json reader;
	uint64_t counts[TL_CHROME_KINDS];
	uint64_t stacks;                    /* events that have one */
	bool has_events;                    /* there is a list of events */
	uint32_t thread_name, process_name; /* the names of events of metadata */
	uint32_t value_name;                /* "value", which adds nothing to a counter's name */
	struct tl_chrome_value values[TL_CHROME_MOST_VALUES]; /* of the present event */
	unsigned value_count;                                 /* those beyond are counted, too */
	uint64_t values_left_out;
	/* of the present event, and one that counts the rest */
	struct tl_foreign_argument arguments[TL_CHROME_MOST_VALUES + 1];
	unsigned argument_count;
	uint64_t arguments_left_out;
};

/* An event, whose begin is the present token (event.c). */
int tl_chrome_take_event(void *read, struct tl_error *err);
/* Behind the key of an event's arguments (arguments.c). */
int tl_chrome_take_arguments(struct tl_chrome_read *read, struct tl_chrome_event *event,
			     struct tl_error *err);
/* They are those of the instant that was added to a thread last. */
int tl_chrome_keep_arguments(struct tl_chrome_read *read, struct tl_foreign_thread *thread,
			     struct tl_error *err);
/* The values of a counter event (counter.c). */
int tl_chrome_add_values(struct tl_chrome_read *read, const struct tl_chrome_event *event,
			 struct tl_error *err);
/* Its meaning (meaning.c). */
int tl_chrome_use_event(struct tl_chrome_read *read, const struct tl_chrome_event *event,
			struct tl_error *err);

#endif
