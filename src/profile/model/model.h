/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_MODEL_H
#define TL_PROFILE_MODEL_H
/*
 * The inside of struct tl_profile: arrays whose elements are numbered from 0, with a hash index
 * over each array that is looked up by key.
 */
#include <tracelathe/profile.h>

#include "profile/model/cost_table.h"
#include "profile/model/latency.h"
#include "profile/model/pack.h"
#include "profile/model/unsized.h"

/* A function in one part: totals there, and durations when the fold kept them apart. */
struct tl_part_function {
	uint32_t function, part;
	uint64_t calls, unfinished, cut;
	struct tl_latencies latency;
};

struct tl_profile_parts {
	struct tl_part *list;
	size_t count, capacity;
};

/* What is to be said of the input that a profile was made of: damage, or a remark (TL_OK). */
struct tl_profile_note {
	enum tl_status status;
	const char *text, *format;
	uint64_t offset, length, record; /* in the input; TL_NOWHERE: none */
};

enum { TL_PROFILE_NOTES = 1000 }; /* notes that a profile keeps */

struct tl_profile_notes {
	struct tl_profile_note *list;
	size_t count, capacity;
};

struct tl_profile_functions {
	struct tl_function *list;
	struct tl_cost_table table;
	bool *chosen; /* by number; NULL: all */
};

struct tl_profile_contexts {
	struct tl_context *list;
	struct tl_cost_table table; /* cost: self */
	int64_t *inclusive;         /* derived */
};

struct tl_profile_lines {
	struct tl_cost_line *list;
	struct tl_cost_table table;
};

struct tl_profile_arcs {
	struct tl_arc *list;
	struct tl_cost_table table;
};

struct tl_profile_jumps {
	struct tl_jump *list;
	struct tl_cost_table table;
};

struct tl_profile_part_functions {
	struct tl_part_function *list; /* found through the index of the table */
	struct tl_cost_table table;    /* cost: self */
	int64_t *inclusive;            /* derived */
};

/* Durations by function; TL_LATENCIES_NONE beyond the functions that have some. */
struct tl_profile_durations {
	struct tl_latencies *list;
	size_t capacity;
	bool exact; /* every duration is kept */
};

/* Sums over all parts, derived: by function, but for the first two. */
struct tl_profile_sums {
	/*
	 * of contexts they are wanted alone: arcs and lines are not derived, and functions by part
	 * only with `by_part`
	 */
	bool only;
	bool by_part;
	bool derived;           /* lines and arcs follow from contexts, and from nothing else */
	int64_t *total, *zeros; /* one vector of costs each */
	int64_t *self, *inclusive;
	uint64_t *calls, *unfinished, *cut;
	/*
	 * Functions that these have room for before they are derived, since sums over parts were
	 * added without contexts; 0: none were.
	 */
	size_t given;
};

struct tl_profile {
	const char *format;
	enum tl_call_count call_count;
	uint64_t frequency;
	bool timed, estimated, emulated;
	bool finished; /* tl_profile_finish() was called */
	struct tl_names names;

	struct tl_event *events;
	uint32_t event_count;
	struct tl_profile_parts parts;
	struct tl_losses losses; /* of no part */
	struct tl_profile_notes notes;

	struct tl_profile_functions functions;
	struct tl_profile_contexts contexts;
	struct tl_profile_lines lines;
	struct tl_profile_arcs arcs;
	struct tl_profile_jumps jumps;
	/* instead of them, for who writes them; then there are no sums of them; NULL: none */
	struct tl_pack *pack;

	struct tl_profile_part_functions part_functions;
	struct tl_profile_durations durations;
	struct tl_profile_sums sums;
};

/* Whether some event is in ticks; profiles of such are merged if their clock is one. */
bool tl_profile_has_ticks(const struct tl_profile *profile);
/*
 * Room for the sums of all functions over parts that are added without contexts: they are added to
 * `sums` itself, before the rest is derived. False without memory.
 */
bool tl_profile_given_room(struct tl_profile *profile);
/* Take all of them back. */
void tl_profile_forget_given(struct tl_profile *profile);
/* A status: 0 for a number of an element, else the negative status that stands in its place. */
static inline int tl_profile_status(int64_t number)
{
	return number < 0 ? (int)number : 0;
}

/* The number of an element in another profile; `map` has it by the number in its own. */
static inline uint32_t tl_profile_renumber(const uint32_t *map, uint32_t number)
{
	return number == TL_NONE ? TL_NONE : map[number];
}

/* a + b in place, saturating; counts what did not fit. */
static inline void tl_add_cost(int64_t *a, int64_t b, uint64_t *saturated)
{
	if (__builtin_add_overflow(*a, b, a)) {
		*a = b < 0 ? INT64_MIN : INT64_MAX;
		++*saturated;
	}
}

/* The same for a count. */
static inline void tl_add_count(uint64_t *a, uint64_t b, uint64_t *saturated)
{
	if (__builtin_add_overflow(*a, b, a)) {
		*a = UINT64_MAX;
		++*saturated;
	}
}

/* A vector of costs, added to another; sums that do not fit are counted in the profile's losses. */
static inline void tl_profile_add_costs(struct tl_profile *profile, int64_t *to,
					const int64_t *cost)
{
	for (uint32_t e = 0; e < profile->event_count; e++)
		tl_add_cost(&to[e], cost[e], &profile->losses.saturated);
}

/* ---- numbers that a caller gives ---- */

static inline bool tl_profile_has_function(const struct tl_profile *profile, uint32_t function)
{
	return function < profile->functions.table.count;
}

/* A profile to which no part was added has part 0. */
static inline bool tl_profile_has_part(const struct tl_profile *profile, uint32_t part)
{
	return part < (profile->parts.count ? profile->parts.count : 1) || part == TL_NONE;
}

/* TL_BAD_USAGE: there is no such function, context or part. */
int tl_profile_bad_index(struct tl_error *err);

/* ---- adding ---- */

/* tl_profile_add_context() for a context that is known to be new: no lookup. */
int64_t tl_profile_append_context(struct tl_profile *profile, uint32_t parent, uint32_t function,
				  uint32_t part, struct tl_error *err);

/*
 * Add durations of a function (and of the function in a part, unless TL_NONE). False without
 * memory.
 */
bool tl_profile_add_latency(struct tl_profile *profile, uint32_t function, uint32_t part,
			    const struct tl_latencies *latencies);
/* The same; the durations may be taken out of `latencies`, which is then as good as empty. */
bool tl_profile_move_latency(struct tl_profile *profile, uint32_t function, uint32_t part,
			     struct tl_latencies *latencies);

/* The number of the function in a part, TL_NONE: it is not in that part. */
uint32_t tl_profile_find_part_function(const struct tl_profile *profile, uint32_t function,
				       uint32_t part);
/* The same, added if new; TL_NONE without memory. */
uint32_t tl_profile_part_function(struct tl_profile *profile, uint32_t function, uint32_t part);

/*
 * The number of an arc, added if new, with the arc's calls counted. @return it, or a negative
 * tl_status
 */
int64_t tl_profile_arc_number(struct tl_profile *profile, const struct tl_arc *arc,
			      struct tl_error *err);

/*
 * Fast paths for readers that name the same elements again and again: strings must be those that
 * tl_profile_intern() returned, and the caller adds to the cost row itself. A row has one number
 * per event and is valid until the next addition; NULL without memory.
 */
const char *tl_profile_intern(struct tl_profile *profile, const char *text, size_t size);
/* The same of a text that ends with NUL; NULL counts as "". NULL without memory. */
const char *tl_profile_text(struct tl_profile *profile, const char *text);
/* The number of an element that was added; TL_NO_MEMORY for TL_NONE. */
int64_t tl_profile_number(uint32_t number, struct tl_error *err);
/*
 * The names of a profile that has events only become those here, which are then empty. False
 * without memory.
 */
bool tl_profile_take_names(struct tl_profile *profile, struct tl_names *names);
uint32_t tl_profile_function_interned(struct tl_profile *profile,
				      const struct tl_function *function);
/*
 * Room for functions of a profile that has none yet: the caller fills all of them, which differ, in
 * any order. They are indexed when one is looked up for the first time. NULL without memory.
 */
struct tl_function *tl_profile_functions_room(struct tl_profile *profile, size_t count);
int64_t *tl_profile_line_row(struct tl_profile *profile, const struct tl_cost_line *line);
/*
 * Append lines until each function has the line of its own number, so that lines need no lookup.
 * False: no memory.
 */
bool tl_profile_line_each(struct tl_profile *profile);
int64_t *tl_profile_arc_row(struct tl_profile *profile, const struct tl_arc *arc);
/*
 * The number of an arc; TL_NONE: it is not there. Who appends arcs that are new to the array itself
 * may leave the index as it was: it is completed before an arc is added the usual way.
 */
uint32_t tl_profile_find_arc(const struct tl_profile *profile, const struct tl_arc *arc);

/*
 * The number of an event, added with a cost of 0 everywhere if new. @return it, or a negative
 * tl_status
 */
int64_t tl_profile_add_event(struct tl_profile *profile, const struct tl_event *event,
			     struct tl_error *err);

/* Keep a note, whose texts are copied; beyond TL_PROFILE_NOTES none is. False without memory. */
bool tl_profile_add_note(struct tl_profile *profile, const struct tl_profile_note *note);

/*
 * Make lines, arcs and jumps of what is packed, as if each had been added to them in the first
 * place, and drop the pack. 0 or negative.
 */
int tl_profile_unpack(struct tl_profile *profile, struct tl_error *err);

/* The half of tl_profile_finish() for profiles without contexts. False without memory. */
bool tl_profile_derive_sums(struct tl_profile *profile);

/*
 * tl_profile_add_context() without a check of the numbers: for a tree whose functions and parts are
 * those of another profile.
 */
int64_t tl_profile_context_number(struct tl_profile *profile, uint32_t parent, uint32_t function,
				  uint32_t part, struct tl_error *err);
/* Add calls that were never finished. */
void tl_profile_add_unfinished(struct tl_profile *profile, uint32_t context, uint64_t unfinished);
/* Of the calls that were, these have no known duration. */
void tl_profile_add_cut(struct tl_profile *profile, uint32_t context, uint64_t cut);

/*
 * Compute the costs of inherited events from a number on, after all others
 * (derive/inherited_events.c).
 */
int tl_profile_inherit(struct tl_profile *profile, uint32_t first, struct tl_error *err);

/* TL_BAD_USAGE: no formula, or it names an event that the profile does not have. */
int tl_profile_check_formula(const struct tl_profile *profile, const char *formula,
			     struct tl_error *err);

/* a += b, field by field. */
void tl_losses_add(struct tl_losses *a, const struct tl_losses *b);

#endif
