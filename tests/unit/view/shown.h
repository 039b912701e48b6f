/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_VIEW_SHOWN_H
#define TESTS_UNIT_VIEW_SHOWN_H
/* A browser without a terminal: keys are pressed, rows are read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include "view/terminal/browser.h"

enum { ROWS = 12, COLUMNS = 80 };

struct shown {
	struct tl_profile *profile;
	struct tl_browser *browser;
	struct tl_canvas canvas;
	char line[COLUMNS * 4 + 1];
};

static inline void end(struct shown *s)
{
	tl_browser_close(s->browser);
	tl_profile_free(s->profile);
	tl_canvas_free(&s->canvas);
}

static inline void draw(struct shown *s, int rows, int columns)
{
	assert_true(tl_canvas_begin(&s->canvas, rows, columns));
	assert_true(tl_browser_draw(s->browser, &s->canvas));
}

/* A row as text, without the blanks behind it. */
static inline const char *row_of(struct shown *s, int row)
{
	size_t size = 0;

	for (int i = 0; i < s->canvas.columns; i++) {
		const struct tl_cell *cell = &s->canvas.cells[row * s->canvas.columns + i];

		memcpy(s->line + size, cell->text, strlen(cell->text));
		size += strlen(cell->text);
	}
	while (size && s->line[size - 1] == ' ')
		size--;
	s->line[size] = 0;
	return s->line;
}

static inline void press(struct shown *s, const char *keys)
{
	for (; *keys; keys++)
		assert_true(tl_browser_key(s->browser, *keys));
	draw(s, ROWS, COLUMNS);
}

static inline int chosen_row(const struct shown *s)
{
	for (int row = 1; row < s->canvas.rows - 1; row++)
		if (s->canvas.cells[row * s->canvas.columns].style == TL_STYLE_CURSOR)
			return row;
	return -1;
}

#endif
