/* SPDX-License-Identifier: Apache-2.0 */
#include "view/terminal/canvas.h"

#include <string.h>

#include "core/memory.h"
#include "core/output.h"
#include "report/name_text.h"
#include "report/number_text.h"

bool tl_canvas_begin(struct tl_canvas *canvas, int rows, int columns)
{
	size_t count = (size_t)rows * (size_t)columns;

	if (!tl_grow(&canvas->cells, &canvas->capacity, count, sizeof(*canvas->cells)))
		return false;
	canvas->rows = rows;
	canvas->columns = columns;
	canvas->no_memory = false;
	for (size_t i = 0; i < count; i++)
		canvas->cells[i] = (struct tl_cell){ " ", TL_STYLE_PLAIN };
	return true;
}

void tl_canvas_free(struct tl_canvas *canvas)
{
	free(canvas->cells);
	*canvas = (struct tl_canvas){ 0 };
}

static struct tl_cell *cell_at(struct tl_canvas *canvas, int row, int column)
{
	if (row < 0 || row >= canvas->rows || column < 0 || column >= canvas->columns)
		return NULL;
	return &canvas->cells[(size_t)row * (size_t)canvas->columns + (size_t)column];
}

/* Bytes of the first character of shown text, which is UTF-8. */
static size_t character_bytes(const char *text)
{
	size_t size = 1;

	while ((text[size] & 0xc0) == 0x80 && size < sizeof(((struct tl_cell *)0)->text) - 1)
		size++;
	return size;
}

/* Whether a character takes two columns: East Asian Wide of Unicode, and pictures. */
static bool is_wide(const char *character)
{
	static const uint32_t ranges[][2] = {
		{ 0x1100, 0x115f },   { 0x2e80, 0xa4cf },   { 0xac00, 0xd7a3 },
		{ 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },
		{ 0xffe0, 0xffe6 },   { 0x1f300, 0x1f64f }, { 0x1f900, 0x1f9ff },
		{ 0x20000, 0x3fffd },
	};
	static const uint8_t masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	size_t bytes = strlen(character);
	uint32_t code = (uint8_t)character[0] & masks[bytes < 5 ? bytes : 4];

	for (size_t i = 1; i < bytes; i++)
		code = code << 6 | ((uint8_t)character[i] & 0x3f);
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (code >= ranges[i][0] && code <= ranges[i][1])
			return true;
	return false;
}

/* Put text that has gone through tl_put_shown(). */
static int put_shown(struct tl_canvas *canvas, int row, int column, int room, enum tl_style style,
		     const char *text)
{
	int taken = 0;

	while (*text) {
		char character[8] = { 0 };
		size_t bytes = character_bytes(text);
		struct tl_cell *cell = cell_at(canvas, row, column + taken);
		int width;

		memcpy(character, text, bytes);
		text += bytes;
		width = is_wide(character) ? 2 : 1;
		if (taken + width > room || !cell ||
		    !cell_at(canvas, row, column + taken + width - 1))
			break;
		memcpy(cell->text, character, sizeof(character));
		cell->style = (uint8_t)style;
		for (int i = 1; i < width; i++)
			cell[i] = (struct tl_cell){ "", (uint8_t)style };
		taken += width;
	}
	return taken;
}

/* What a writer puts, on the canvas. */
static int put_written(struct tl_canvas *canvas, int row, int column, int room, enum tl_style style,
		       const char *text, bool shorten)
{
	struct tl_output *out;
	size_t size;
	int taken = 0;

	if (room <= 0)
		return 0;
	if (tl_output_open_memory(&out, NULL) < 0) {
		canvas->no_memory = true;
		return 0;
	}
	if (shorten)
		tl_put_short_name(out, text, (size_t)room);
	else
		tl_put_name(out, text);
	tl_output_write(out, "", 1);
	/* Text that was cut has no end. */
	if (tl_output_failed(out))
		canvas->no_memory = true;
	else
		taken = put_shown(canvas, row, column, room, style, tl_output_bytes(out, &size));
	tl_output_discard(out);
	return taken;
}

int tl_canvas_put(struct tl_canvas *canvas, int row, int column, int room, enum tl_style style,
		  const char *text)
{
	return put_written(canvas, row, column, room, style, text, false);
}

int tl_canvas_put_name(struct tl_canvas *canvas, int row, int column, int room, enum tl_style style,
		       const char *name)
{
	return put_written(canvas, row, column, room, style, name, true);
}

void tl_canvas_put_right(struct tl_canvas *canvas, int row, int column, int room,
			 enum tl_style style, const char *text)
{
	int width = (int)strlen(text);

	if (width <= room)
		tl_canvas_put(canvas, row, column + room - width, width, style, text);
}

void tl_canvas_paint(struct tl_canvas *canvas, int row, int column, int count, enum tl_style style)
{
	for (int i = 0; i < count; i++) {
		struct tl_cell *cell = cell_at(canvas, row, column + i);

		if (cell)
			cell->style = (uint8_t)style;
	}
}
