/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_VIEW_TERMINAL_LANES_H
#define TL_VIEW_TERMINAL_LANES_H
/*
 * The timeline: a line of blocks for each track, and below them the chosen track: its events and
 * counters, and its calls, a line for each depth. Calls come from windows of the index, as wide as
 * the screen.
 */
#include <tracelathe/open.h>

#include "view/points/points.h"
#include "view/terminal/canvas.h"

/* A thread that has events or counters, and no calls. */
struct tl_lane {
	int64_t process, thread;
};

struct tl_lanes {
	struct tl_call_index *index;
	struct tl_call_cursor *cursor;
	struct tl_calls_info info;
	/* tracks of the index, then the other ones; the chosen one; the first one on the screen */
	size_t track_count, track, top;
	size_t index_count; /* tracks of the index */
	uint64_t calls;     /* of all tracks */
	struct tl_lane *others;
	size_t other_capacity;
	struct tl_view_points *points; /* NULL: not gathered */
	uint64_t first, last;          /* of the whole trace, ticks */
	uint64_t from, to;             /* the window */
	int column;                    /* of the cursor */
	int columns;                   /* of the last picture */
	uint32_t depth;                /* that lines of tracks show */
	uint32_t function;             /* that the last picture has at the cursor; TL_NONE: none */
};

/* Begin with the whole trace. 0 or negative. */
int tl_lanes_begin(struct tl_lanes *lanes, struct tl_call_index *index, struct tl_error *err);
void tl_lanes_end(struct tl_lanes *lanes);
/* Gather the events and counters of an input, which are drawn from then on. 0 or negative. */
int tl_lanes_gather(struct tl_lanes *lanes, struct tl_input *input, struct tl_error *err);

/* Ticks since the first one of the trace; 0 before it. */
uint64_t tl_lanes_since_origin(const struct tl_lanes *lanes, uint64_t ticks);
/* The tick at the cursor. */
uint64_t tl_lanes_now(const struct tl_lanes *lanes);
/* Show what is between two ticks, within the trace. */
void tl_lanes_show(struct tl_lanes *lanes, uint64_t from, uint64_t to);
/* Twice as fine (`in`) or as coarse, around the cursor. */
void tl_lanes_zoom(struct tl_lanes *lanes, bool in);
/* To earlier (< 0) or later times, by eighths of the width. */
void tl_lanes_pan(struct tl_lanes *lanes, int eighths);

/* Draw in the rows from `row` on. 0 or negative. */
int tl_lanes_draw(struct tl_lanes *lanes, struct tl_canvas *canvas, int row, int rows,
		  struct tl_error *err);

#endif
