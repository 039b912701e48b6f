/* SPDX-License-Identifier: Apache-2.0 */
#include "view/terminal/lanes.h"

#include <stdio.h>

#include "report/number_text.h"
#include "core/arithmetic.h"

enum { NAME_COLUMNS = 14, MOST_ROWS = 128 };

int tl_lanes_begin(struct tl_lanes *lanes, struct tl_call_index *index, struct tl_error *err)
{
	struct tl_call_track_info track;

	*lanes = (struct tl_lanes){ .index = index, .first = UINT64_MAX, .function = TL_NONE };
	tl_call_index_info(index, &lanes->info, sizeof(lanes->info));
	for (; tl_call_index_track(index, lanes->track_count, &track, sizeof(track)) == 1;
	     lanes->track_count++) {
		if (!track.calls)
			continue;
		lanes->first = tl_min(track.first, lanes->first);
		lanes->last = tl_max(track.last, lanes->last);
	}
	/* Calls from before the first time of a trace have no time that means anything. */
	if (lanes->first < lanes->info.origin)
		lanes->first = lanes->info.origin;
	if (lanes->first > lanes->last)
		lanes->first = lanes->last;
	tl_lanes_show(lanes, lanes->first, lanes->last + 1);
	return tl_call_cursor_open(&lanes->cursor, index, err);
}

void tl_lanes_end(struct tl_lanes *lanes)
{
	tl_call_cursor_close(lanes->cursor);
	lanes->cursor = NULL;
}

uint64_t tl_lanes_since_origin(const struct tl_lanes *lanes, uint64_t ticks)
{
	return ticks > lanes->info.origin ? ticks - lanes->info.origin : 0;
}

/* ---- the window ---- */

void tl_lanes_show(struct tl_lanes *lanes, uint64_t from, uint64_t to)
{
	lanes->from = tl_max(from, lanes->first);
	lanes->to = tl_min(to, lanes->last + 1);
	if (lanes->to <= lanes->from)
		lanes->to = lanes->from + 1;
}

static uint64_t tick_at(const struct tl_lanes *lanes, int column)
{
	int columns = lanes->columns > 0 ? lanes->columns : 1;
	double share = (double)column / columns;

	return lanes->from + (uint64_t)(share * (double)(lanes->to - lanes->from));
}

uint64_t tl_lanes_now(const struct tl_lanes *lanes)
{
	return tick_at(lanes, lanes->column);
}

void tl_lanes_zoom(struct tl_lanes *lanes, bool in)
{
	uint64_t now = tl_lanes_now(lanes), before = now - lanes->from, behind = lanes->to - now;

	if (in && lanes->to - lanes->from > 2)
		tl_lanes_show(lanes, now - before / 2, now + (behind + 1) / 2);
	else if (!in)
		tl_lanes_show(
			lanes, now - lanes->first > 2 * before ? now - 2 * before : lanes->first,
			lanes->last + 1 - now > 2 * behind ? now + 2 * behind : lanes->last + 1);
}

void tl_lanes_pan(struct tl_lanes *lanes, int eighths)
{
	uint64_t width = lanes->to - lanes->from;
	uint64_t step = (width / 8 + 1) * (uint64_t)(eighths < 0 ? -eighths : eighths);
	uint64_t room = eighths < 0 ? lanes->from - lanes->first : lanes->last + 1 - lanes->to;

	step = tl_min(step, room);
	lanes->from = eighths < 0 ? lanes->from - step : lanes->from + step;
	lanes->to = lanes->from + width;
}

/* ---- drawing ---- */

static int column_of(const struct tl_lanes *lanes, uint64_t ticks)
{
	double share;

	if (ticks <= lanes->from)
		return 0;
	if (ticks >= lanes->to)
		return lanes->columns;
	share = (double)(ticks - lanes->from) / (double)(lanes->to - lanes->from);
	return (int)(share * lanes->columns);
}

static const char *name_of(const struct tl_lanes *lanes, uint32_t number)
{
	struct tl_call_function function;

	if (number == TL_NONE ||
	    tl_call_index_function(lanes->index, number, &function, sizeof(function), NULL) < 0)
		return "";
	return function.name;
}

/* A block with its name; of short calls together, dots. */
static void draw_item(struct tl_lanes *lanes, struct tl_canvas *canvas, int row,
		      const struct tl_call_item *item, bool chosen)
{
	int begin = column_of(lanes, item->start);
	int end = column_of(lanes, item->end == TL_NOWHERE ? lanes->to : item->end);
	enum tl_style style = TL_STYLE_BLOCK + item->function % TL_STYLE_BLOCKS;

	end = end > begin ? end : begin + 1;
	if (chosen && lanes->column >= begin && lanes->column < end)
		lanes->function = item->function;
	for (int i = begin; i < end; i++)
		tl_canvas_put(canvas, row, NAME_COLUMNS + i, 1, style, item->count ? "." : " ");
	if (end - begin > 2 && !item->count) {
		tl_canvas_put(canvas, row, NAME_COLUMNS + begin, 1, style, "|");
		tl_canvas_put_name(canvas, row, NAME_COLUMNS + begin + 1, end - begin - 1, style,
				   name_of(lanes, item->function));
	}
}

static int ask(struct tl_lanes *lanes, size_t track, uint32_t rows, struct tl_call_window *window,
	       struct tl_error *err)
{
	const struct tl_call_query query = {
		.size = sizeof(query),
		.track = track,
		.from = lanes->from,
		.to = lanes->to,
		.pixels = (uint32_t)lanes->columns,
		.rows = rows,
	};

	return tl_call_cursor_window(lanes->cursor, &query, window, sizeof(*window), err);
}

static int draw_track(struct tl_lanes *lanes, struct tl_canvas *canvas, int row, size_t track,
		      struct tl_error *err)
{
	struct tl_call_window window;
	struct tl_call_track_info info = { 0 };
	char name[32];
	int status = ask(lanes, track, lanes->depth + 1, &window, err);

	tl_call_index_track(lanes->index, track, &info, sizeof(info));
	snprintf(name, sizeof(name), "%s%lld", track == lanes->track ? ">" : " ",
		 (long long)info.thread);
	tl_canvas_put(canvas, row, 0, NAME_COLUMNS - 1,
		      track == lanes->track ? TL_STYLE_CURSOR : TL_STYLE_PLAIN, name);
	for (size_t i = 0; status == 0 && i < window.count; i++)
		if (window.items[i].depth == lanes->depth)
			draw_item(lanes, canvas, row, &window.items[i], false);
	return status;
}

/* The chosen track: a line for each depth. The innermost call at the cursor is lanes->function. */
static int draw_stack(struct tl_lanes *lanes, struct tl_canvas *canvas, int row, int rows,
		      struct tl_error *err)
{
	struct tl_call_window window;
	int status = ask(lanes, lanes->track, (uint32_t)tl_min(rows, MOST_ROWS), &window, err);

	lanes->function = TL_NONE;
	for (size_t i = 0; status == 0 && i < window.count; i++)
		if (window.items[i].depth < (uint32_t)rows)
			draw_item(lanes, canvas, row + (int)window.items[i].depth, &window.items[i],
				  true);
	for (int i = 0; i < rows; i++) {
		char depth[16];

		snprintf(depth, sizeof(depth), "%d", i);
		tl_canvas_put_right(canvas, row + i, 0, NAME_COLUMNS - 1, TL_STYLE_DIM, depth);
		tl_canvas_paint(canvas, row + i, NAME_COLUMNS + lanes->column, 1, TL_STYLE_CURSOR);
	}
	return status;
}

/* When the window begins, how wide it is, and what is at the cursor. */
static void draw_head(const struct tl_lanes *lanes, struct tl_canvas *canvas, int row)
{
	char from[TL_VALUE_ROOM], width[TL_VALUE_ROOM], line[160];

	tl_format_time(from, tl_lanes_since_origin(lanes, lanes->from), lanes->info.frequency);
	tl_format_time(width, lanes->to - lanes->from, lanes->info.frequency);
	snprintf(line, sizeof(line), "from %s, %s wide, threads at depth %u", from, width,
		 lanes->depth);
	tl_canvas_put(canvas, row, 0, canvas->columns, TL_STYLE_DIM, line);
}

static void draw_cursor(const struct tl_lanes *lanes, struct tl_canvas *canvas, int row)
{
	char now[TL_VALUE_ROOM];
	int column = tl_canvas_put(canvas, row, 0, canvas->columns, TL_STYLE_DIM, "at ");

	tl_format_time(now, tl_lanes_since_origin(lanes, tl_lanes_now(lanes)),
		       lanes->info.frequency);
	column += tl_canvas_put(canvas, row, column, 24, TL_STYLE_DIM, now);
	tl_canvas_put_name(canvas, row, column + 2, canvas->columns - column - 2, TL_STYLE_PLAIN,
			   name_of(lanes, lanes->function));
}

int tl_lanes_draw(struct tl_lanes *lanes, struct tl_canvas *canvas, int row, int rows,
		  struct tl_error *err)
{
	size_t room = rows > 8 ? (size_t)(rows - 2) / 2 : 1;
	size_t shown = tl_min(lanes->track_count, room);
	int status = 0;

	lanes->columns = canvas->columns - NAME_COLUMNS;
	if (lanes->columns < 1 || rows < 4 || !lanes->track_count)
		return 0;
	if (lanes->column >= lanes->columns)
		lanes->column = lanes->columns - 1;
	if (lanes->track < lanes->top || lanes->track >= lanes->top + shown)
		lanes->top = lanes->track < lanes->top ? lanes->track : lanes->track - shown + 1;
	draw_head(lanes, canvas, row);
	for (size_t i = 0; status == 0 && i < shown && lanes->top + i < lanes->track_count; i++)
		status = draw_track(lanes, canvas, row + 1 + (int)i, lanes->top + i, err);
	if (status == 0)
		status =
			draw_stack(lanes, canvas, row + 2 + (int)shown, rows - 2 - (int)shown, err);
	draw_cursor(lanes, canvas, row + 1 + (int)shown);
	return status;
}
