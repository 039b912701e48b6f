/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_WINDOW_SUMS_H
#define TL_OPEN_WINDOW_SUMS_H
/*
 * Steps of tracks in the flat fold, one track after the other: what the sums of a window and those
 * of a tile are made with. The fold's functions get the numbers of the profile.
 */
#include "open/window/known.h"
#include "open/window/window.h"
#include "profile/fold/flat.h"

struct tl_tile_sums; /* tile_sums.h */

enum { TL_SUMS_LAST_BITS = 12 };

struct tl_sums {
	struct tl_known_functions *known;
	struct tl_call_cursor *cursor;
	struct tl_call_span span;
	struct tl_tile_sums *tile; /* whose sums are made: calls around it are noted; NULL: none */
	struct tl_flat flat;
	uint32_t *near; /* the fold's number plus one, by the index's; 0: not met yet */
	size_t near_capacity;
	struct tl_index met; /* numbers in `functions`, by the index's */
	struct tl_met_function {
		uint32_t function, number; /* the index's and the fold's; TL_NONE: none */
	} *functions;
	size_t function_count, function_capacity;
	uint32_t *places; /* the fold's number plus one, by that of known functions; 0: none */
	size_t place_capacity;
	/* by the fold's number, the first of the index's that has it, and its known number */
	uint32_t *indexed, *numbers;
	size_t indexed_capacity, number_capacity;
	struct tl_met_function last[1 << TL_SUMS_LAST_BITS]; /* by the index's low bits */
	size_t *skipped; /* steps before the window whose calls are open, by their numbers */
	size_t skipped_capacity;
	uint64_t now;        /* of the last step */
	int status;          /* negative: a function could not be named */
	struct tl_error err; /* why */
};

/* Sums of functions of an index; `arcs`: also of calls between them. NULL without memory. */
struct tl_sums *tl_sums_begin(struct tl_known_functions *known, bool exact, bool arcs);
void tl_sums_free(struct tl_sums *s);

/* The fold's number of a function; TL_NONE: it has none, and `status` or the fold says why. */
uint32_t tl_sums_function(struct tl_sums *s, uint32_t function);
/* A call of a function of the index begins. */
void tl_sums_begin_call(struct tl_sums *s, uint32_t function, unsigned flags);
/* Time passes; the gate opens and closes exactly at the borders of the window. */
void tl_sums_pass_time(struct tl_sums *s, uint64_t ticks);
/* Begin a stack with the calls that are open where a leaf begins. 0 or negative. */
int tl_sums_open_calls(struct tl_sums *s, const struct tl_call_track *track, size_t leaf,
		       struct tl_error *err);
/* The steps of a leaf. 0 or negative. */
int tl_sums_fold_leaf(struct tl_sums *s, const struct tl_call_track *track, size_t leaf,
		      struct tl_error *err);
/* The window has not ended, and nothing keeps the sums from being right. */
bool tl_sums_can_go_on(const struct tl_sums *s);
/* What keeps the sums from being right. 0: nothing. */
int tl_sums_fault(const struct tl_sums *s, struct tl_error *err);

#endif
