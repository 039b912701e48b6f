/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_VIEW_TERMINAL_PANES_H
#define TL_VIEW_TERMINAL_PANES_H
/* The panes: what each shows, and what keys do in it. */
#include <stdlib.h>

#include "view/terminal/browser.h"
#include "view/terminal/lanes.h"
#include "view/terminal/list.h"

enum tl_pane {
	TL_PANE_FUNCTIONS,
	TL_PANE_TOP_DOWN,
	TL_PANE_BOTTOM_UP,
	TL_PANE_CALLERS,
	TL_PANE_CALLS,
	TL_PANE_TIMELINE,
	TL_PANE_SOURCE,
	TL_PANE_HELP,
};

struct tl_browser {
	struct tl_browser_options options;
	const struct tl_profile *whole, *profile; /* stacks of everything; what the pane shows */
	struct tl_profile *window;                /* of a window of time, NULL: none is chosen */
	enum tl_pane pane, before_help;
	struct tl_list list;
	size_t cursor, top, page; /* the chosen row; the first and the number of those shown */
	uint32_t function;        /* the chosen one, TL_NONE: none */
	struct tl_call_index *index;
	bool damaged;  /* the input is */
	bool no_index; /* it could not be made: `message` said why */
	struct tl_lanes lanes;
	struct tl_call_search calls; /* of the function `searched` */
	uint32_t searched;
	struct tl_output *text; /* of TL_PANE_SOURCE */
	bool assembly;          /* it has instructions instead of lines */
	unsigned columns;       /* those of lists, by number (pane_list.c) */
	bool typing, no_memory;
	char pattern[64], message[160], why[160], line[1024];
};

/* Show a pane. False without memory. */
bool tl_pane_choose(struct tl_browser *browser, enum tl_pane pane);
void tl_pane_draw(struct tl_browser *browser, struct tl_canvas *canvas, int row, int rows);
/* Whether the pane knows the key. */
bool tl_pane_key(struct tl_browser *browser, int key);
/* What keys do here, in a line. */
const char *tl_pane_hint(const struct tl_browser *browser);
size_t tl_pane_rows(const struct tl_browser *browser);
/* What a search looks at. Lives until the pane changes. */
const char *tl_pane_row_text(struct tl_browser *browser, size_t row);
/* Show the profile of everything again. */
void tl_pane_leave_window(struct tl_browser *browser);

/* ---- pieces of panes ---- */

/* Rows of functions (pane_list.c). */
void tl_pane_draw_list(struct tl_browser *browser, struct tl_canvas *canvas, int row, int rows);
bool tl_pane_list_key(struct tl_browser *browser, int key);

/* Calls over time (pane_calls.c). */
bool tl_pane_need_index(struct tl_browser *browser);
bool tl_pane_find_calls(struct tl_browser *browser);
void tl_pane_draw_calls(struct tl_browser *browser, struct tl_canvas *canvas, int row, int rows);
bool tl_pane_calls_key(struct tl_browser *browser, int key);
bool tl_pane_timeline_key(struct tl_browser *browser, int key);

/* Lines of text: help, annotated source (pane_text.c). */
bool tl_pane_make_source(struct tl_browser *browser);
bool tl_pane_source_key(struct tl_browser *browser, int key);
size_t tl_pane_text_lines(const struct tl_browser *browser);
/* A line, terminated; "" behind the last. Lives until the next call. */
const char *tl_pane_text_line(struct tl_browser *browser, size_t number);
void tl_pane_draw_text(struct tl_browser *browser, struct tl_canvas *canvas, int row, int rows);

/* The first row that is shown, so that the chosen one is; `rows` fit. */
void tl_pane_scroll(struct tl_browser *browser, size_t rows);

#endif
