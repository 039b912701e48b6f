/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_VIEW_TERMINAL_BROWSER_H
#define TL_VIEW_TERMINAL_BROWSER_H
/*
 * The terminal's view of a trace or profile: which pane is shown, what is chosen in it, what a key
 * does. It draws on a canvas and reads numbers of keys, so that it needs no terminal.
 */
#include <tracelathe/open.h>

#include "view/files/stamps.h"
#include "view/terminal/canvas.h"

struct tl_browser;

/* Keys beside characters. */
enum tl_key {
	TL_KEY_UP = 0x200000, /* behind the last character */
	TL_KEY_DOWN,
	TL_KEY_LEFT,
	TL_KEY_RIGHT,
	TL_KEY_PAGE_UP,
	TL_KEY_PAGE_DOWN,
	TL_KEY_HOME,
	TL_KEY_END,
	TL_KEY_ENTER = '\n',
	TL_KEY_ESCAPE = 27,
	TL_KEY_BACKSPACE = 8,
};

/* How the browser is opened. Zero-filled: of a profile alone. */
struct tl_browser_options {
	struct tl_input *input; /* for calls over time; NULL: none. Lives longer than the browser */
	const char *title;      /* the file's name */
	/* Its files as they were before the input was read; NULL: they are not watched */
	const struct tl_view_stamps *stamps;
	/* How annotations are made; NULL: not at all */
	const struct tl_annotate_options *annotate;
	/* The profile with the lines to annotate, which lives as long; NULL: the one shown */
	const struct tl_profile *lines;
	/*
	 * The sums that the stacks of the profile are estimated from, which lives as long: what
	 * all but trees shows. NULL: the sums of the stacks
	 */
	const struct tl_profile *sums;
	const char *index_path; /* where the index of calls is kept; NULL: nowhere */
	/* How the input was opened: the programs with the code of functions; NULL: none */
	const struct tl_input_options *opened;
};

/* The profile lives longer than the browser. 0 or TL_NO_MEMORY. */
int tl_browser_open(struct tl_browser **browser, const struct tl_profile *profile,
		    const struct tl_browser_options *options, struct tl_error *err);
/* NULL is allowed. */
void tl_browser_close(struct tl_browser *browser);

/* A key was pressed. False: it was the one that ends. */
bool tl_browser_key(struct tl_browser *browser, int key);
/* Draw the screen. False without memory. */
bool tl_browser_draw(struct tl_browser *browser, struct tl_canvas *canvas);
/*
 * Whether the next drawing takes long, as the index of calls is made first: a picture that says so
 * is shown before.
 */
bool tl_browser_is_slow(const struct tl_browser *browser);

/* ---- the terminal (curses.c, curses_none.c) ---- */

/* Whether this program was built with what a terminal needs. */
bool tl_browser_has_terminal(void);
/*
 * Show the browser on the terminal until the key that ends, or a signal. `color`: false for none.
 * @return 0; the number of the signal, which the caller raises; TL_UNSUPPORTED without curses;
 *         TL_IO: there is no terminal
 */
int tl_browser_run(struct tl_browser *browser, bool color, struct tl_error *err);

#endif
