/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_DIFF_H
#define TL_PROFILE_DIFF_H
/*
 * The inside of struct tl_diff: events and functions are matched (diff_match.c), then compared as
 * rows (diff.c).
 */
#include "profile/model/model.h"

enum { TL_BEFORE, TL_AFTER, TL_SIDES };

/* The key of a row: numbers of matched functions, and a place for lines. */
struct tl_diff_key {
	uint32_t function, caller; /* caller TL_NONE: none */
	const char *file;          /* "": the function's own */
	uint32_t line;
};

struct tl_diff_thing {
	struct tl_diff_key key;
	uint64_t calls[TL_SIDES];
	bool there[TL_SIDES];
};

struct tl_diff {
	const struct tl_profile *profiles[TL_SIDES];
	enum tl_diff_unit by;
	bool inclusive;
	uint32_t call_event; /* calls as an event, TL_NONE: none */

	struct tl_event *events;
	uint64_t *rates;
	uint32_t event_count;
	uint32_t *event_maps[TL_SIDES]; /* by event of the profile */
	uint8_t *event_sides;           /* by event: a bit for each side that has it */
	int64_t *totals[TL_SIDES];

	struct tl_names names;         /* renamed ones */
	struct tl_function *functions; /* matched ones */
	uint32_t function_count;
	uint32_t *function_maps[TL_SIDES]; /* by function of the profile */

	struct tl_diff_thing *things;
	size_t thing_count, thing_capacity;
	int64_t *costs; /* by thing: TL_SIDES vectors */
	size_t cost_capacity;
};

/* tl_diff_row() for callers inside the library; all zeros where there is no such row. */
struct tl_diff_row tl_diff_row_of(const struct tl_diff *diff, uint32_t row);

/* The costs of a thing on one side. */
static inline int64_t *tl_diff_costs(const struct tl_diff *diff, size_t thing, int side)
{
	return diff->costs + (thing * TL_SIDES + (size_t)side) * diff->event_count;
}

/* Match events and functions of both sides; `calls` are one more event. TL_UNSUPPORTED: no event is
 * on both. */
int tl_diff_match_events(struct tl_diff *diff, bool calls, struct tl_error *err);
int tl_diff_match_functions(struct tl_diff *diff, const struct tl_diff_options *options,
			    struct tl_error *err);

/* The names of a side's functions after renaming, by function; free(*names) unless it failed. */
int tl_diff_rename(struct tl_diff *diff, int side, const struct tl_diff_options *options,
		   const char ***names, struct tl_error *err);

#endif
