/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_VIEW_TERMINAL_CANVAS_H
#define TL_VIEW_TERMINAL_CANVAS_H
/* A screen of characters in memory: panes draw on it, curses.c shows it, tests read it. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a character means; the terminal decides how that looks. */
enum tl_style {
	TL_STYLE_PLAIN,
	TL_STYLE_TITLE,
	TL_STYLE_CURSOR,
	TL_STYLE_DIM,
	TL_STYLE_HOT,
	TL_STYLE_WARN,
	TL_STYLE_BLOCK, /* and the styles behind it: blocks of different functions */
	TL_STYLE_BLOCKS = 6,
};

struct tl_cell {
	char text[8]; /* UTF-8, terminated; "": the second half of a wide character */
	uint8_t style;
};

struct tl_canvas {
	struct tl_cell *cells;
	size_t capacity;
	int rows, columns;
	bool no_memory; /* text is missing for that */
};

/* An empty canvas of a size. False without memory. */
bool tl_canvas_begin(struct tl_canvas *canvas, int rows, int columns);
void tl_canvas_free(struct tl_canvas *canvas);

/*
 * Put text at a place; what does not fit in `room` columns, or on the canvas, is left out. Control
 * characters are shown as escapes. Returns the columns it took.
 */
int tl_canvas_put(struct tl_canvas *canvas, int row, int column, int room, enum tl_style style,
		  const char *text);
/* The same, the name shortened where it is too long. */
int tl_canvas_put_name(struct tl_canvas *canvas, int row, int column, int room, enum tl_style style,
		       const char *name);
/* Text that ends at `column` + `room`. */
void tl_canvas_put_right(struct tl_canvas *canvas, int row, int column, int room,
			 enum tl_style style, const char *text);
/* Give a part of a row another style. */
void tl_canvas_paint(struct tl_canvas *canvas, int row, int column, int count, enum tl_style style);

#endif
