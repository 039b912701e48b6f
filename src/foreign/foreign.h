/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_FOREIGN_FOREIGN_H
#define TL_FOREIGN_FOREIGN_H
/*
 * What the readers of other tools' profiles have in common: each reads its input once, from the
 * begin to the end, into a struct tl_foreign_file; profiles, calls, timelines and descriptions are
 * made of that, whatever the format.
 */
#include <tracelathe/profile.h>

#include "foreign/counters.h"
#include "foreign/faults.h"
#include "foreign/spans.h"
#include "foreign/stacks.h"

struct tl_foreign_options {
	uint64_t process, thread;        /* TL_NOWHERE: any */
	double from_seconds, to_seconds; /* from the first call on; 0: all */
	const char *function, *object;   /* filters of calls and timelines, NULL: none */
	bool exact, per_thread;          /* as in struct tl_input_options */
	bool lines;                      /* cost lines, too */
	bool sums_alone;        /* no calls between functions, and sums of parts only per thread */
	bool table;             /* sums of functions over all parts are enough */
	bool arguments;         /* what instants say, for timelines */
	struct tl_output *dump; /* where each record is written; NULL: nowhere */
	bool json;
};

enum { TL_FOREIGN_FACTS = 24 };

/* A number that `info` tells of a format. */
struct tl_foreign_fact {
	const char *name; /* static */
	uint64_t value;
};

struct tl_foreign_file {
	struct tl_foreign_options options;
	struct tl_foreign_faults faults;
	struct tl_foreign_stacks stacks; /* samples; the frames of both */
	struct tl_foreign_spans spans;   /* calls over time */
	struct tl_foreign_counters counters;
	uint64_t frequency; /* of the spans' ticks; 0: they are no time */
	const char *unit;   /* of the spans' ticks where they are no time, static */
	uint64_t records;   /* read, as damage counts them */
	struct tl_foreign_fact facts[TL_FOREIGN_FACTS];
	unsigned fact_count;
};

/* How a format is read. */
struct tl_foreign_reader {
	const char *format; /* its name */
	/* 0; negative: nothing usable, or in strict mode the first fault */
	int (*read)(struct tl_foreign_file *foreign, struct tl_source *source,
		    struct tl_error *err);
};

/* Begin with nothing read; `strict`, `check` and `json` of faults may be set then. */
bool tl_foreign_begin(struct tl_foreign_file *foreign, const struct tl_foreign_reader *reader,
		      const struct tl_foreign_options *options);
void tl_foreign_end(struct tl_foreign_file *foreign);

/* A number for `info`. */
void tl_foreign_tell(struct tl_foreign_file *foreign, const char *name, uint64_t value);
/* Whether a window of time is asked for. */
static inline bool tl_foreign_wants_window(const struct tl_foreign_file *foreign)
{
	return foreign->options.from_seconds > 0 || foreign->options.to_seconds > 0;
}
/* Whether the filters let a process and thread pass. */
bool tl_foreign_wants(const struct tl_foreign_file *foreign, uint64_t process, uint64_t thread);

/* Whether there are calls over time, or instants. */
bool tl_foreign_has_spans(const struct tl_foreign_file *file);
/* The profile of what was read: of the calls, if there are some, else of the stacks. */
int tl_foreign_fold(struct tl_foreign_file *foreign, struct tl_profile **profile,
		    struct tl_error *err);
/* The same of the stacks (stack_profile.c), and of the calls (span_profile.c). */
int tl_foreign_fold_stacks(struct tl_foreign_file *foreign, struct tl_profile **profile,
			   struct tl_error *err);
int tl_foreign_fold_spans(struct tl_foreign_file *foreign, struct tl_profile **profile,
			  struct tl_error *err);

/* The calls of a thread as stacks of a part, with their times as costs of an event. */
int tl_foreign_spans_as_stacks(struct tl_foreign_file *file, uint32_t thread, uint32_t part,
			       uint32_t event, struct tl_foreign_walk *met, struct tl_error *err);

/* What `info` prints. */
void tl_foreign_describe(const struct tl_foreign_file *foreign, bool json, struct tl_output *out);

/* Ticks of spans, which may be below zero, as times that are not: what is added to them. */
uint64_t tl_foreign_base(const struct tl_foreign_file *foreign);
/* The least time of all spans, with the base; 0: there are none. */
uint64_t tl_foreign_origin(const struct tl_foreign_file *foreign);
/* Tell what a walk over all threads met. */
int tl_foreign_note_walk(struct tl_foreign_file *foreign, const struct tl_foreign_walk *met,
			 struct tl_error *err);

/* Tell of costs that are counted in parts of their unit, or were rounded. */
int tl_foreign_note_costs(struct tl_foreign_file *foreign, struct tl_error *err);

/* The function of a frame, its texts those of the stacks' names. */
struct tl_function tl_foreign_function(const struct tl_foreign_file *foreign, uint32_t frame);

#endif
