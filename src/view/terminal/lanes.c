/* SPDX-License-Identifier: Apache-2.0 */
#include "view/terminal/lanes.h"

#include <stdio.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "report/number_text.h"

enum { NAME_COLUMNS = 14, MOST_ROWS = 128 };

static void show_all(struct tl_lanes *lanes)
{
	/* Calls from before the first time of a trace have no time that means anything. */
	if (lanes->first < lanes->info.origin)
		lanes->first = lanes->info.origin;
	if (lanes->first > lanes->last)
		lanes->first = lanes->last;
	tl_lanes_show(lanes, lanes->first, lanes->last + 1);
}

int tl_lanes_begin(struct tl_lanes *lanes, struct tl_call_index *index, struct tl_error *err)
{
	struct tl_call_track_info track;

	*lanes = (struct tl_lanes){ .index = index, .first = UINT64_MAX, .function = TL_NONE };
	tl_call_index_info(index, &lanes->info, sizeof(lanes->info));
	for (; tl_call_index_track(index, lanes->track_count, &track, sizeof(track)) == 1;
	     lanes->track_count++) {
		if (!track.calls)
			continue;
		lanes->calls += track.calls;
		lanes->first = tl_min(track.first, lanes->first);
		lanes->last = tl_max(track.last, lanes->last);
	}
	lanes->index_count = lanes->track_count;
	show_all(lanes);
	return tl_call_cursor_open(&lanes->cursor, index, err);
}

void tl_lanes_end(struct tl_lanes *lanes)
{
	tl_call_cursor_close(lanes->cursor);
	tl_view_points_free(lanes->points);
	free(lanes->others);
	lanes->cursor = NULL;
	lanes->points = NULL;
	lanes->others = NULL;
}

uint64_t tl_lanes_since_origin(const struct tl_lanes *lanes, uint64_t ticks)
{
	return ticks > lanes->info.origin ? ticks - lanes->info.origin : 0;
}

/* ---- events and counters ---- */

/* Process and thread of a lane. */
static struct tl_lane lane_at(const struct tl_lanes *lanes, size_t number)
{
	struct tl_call_track_info track = { 0 };

	if (number >= lanes->index_count)
		return lanes->others[number - lanes->index_count];
	tl_call_index_track(lanes->index, number, &track, sizeof(track));
	return (struct tl_lane){ track.process, track.thread };
}

static bool add_lane(struct tl_lanes *lanes, int64_t process, int64_t thread)
{
	const size_t count = lanes->track_count - lanes->index_count;

	for (size_t i = 0; i < lanes->track_count; i++) {
		const struct tl_lane lane = lane_at(lanes, i);

		if (lane.process == process && lane.thread == thread)
			return true;
	}
	if (!tl_grow(&lanes->others, &lanes->other_capacity, count + 1, sizeof(*lanes->others)))
		return false;
	lanes->others[count] = (struct tl_lane){ process, thread };
	lanes->track_count++;
	return true;
}

static void note_time(struct tl_lanes *lanes, uint64_t since_origin)
{
	lanes->first = tl_min(lanes->first, lanes->info.origin + since_origin);
	lanes->last = tl_max(lanes->last, lanes->info.origin + since_origin);
}

int tl_lanes_gather(struct tl_lanes *lanes, struct tl_input *input, struct tl_error *err)
{
	const struct tl_view_points *p;
	bool made = true;
	int status = tl_view_points_gather(input, lanes->info.origin, &lanes->points, err);

	if (status < 0)
		return status;
	p = lanes->points;
	if (!lanes->calls && p->count + p->counted_count)
		lanes->first = UINT64_MAX;
	for (size_t i = 0; made && i < p->track_count; i++) {
		made = add_lane(lanes, p->tracks[i].process, p->tracks[i].thread);
		note_time(lanes, p->marks[p->tracks[i].begin].ticks);
		note_time(lanes, p->marks[p->tracks[i].end - 1].ticks);
	}
	for (size_t i = 0; made && i < p->counter_count; i++) {
		if (!p->counters[i].end)
			continue;
		made = add_lane(lanes, p->counters[i].process, p->counters[i].thread);
		note_time(lanes, p->counted[p->counters[i].begin].ticks);
		note_time(lanes, p->counted[p->counters[i].end - 1].ticks);
	}
	show_all(lanes);
	return tl_error_unless_made(made, err);
}

/* The events of a lane; NULL: it has none. */
static const struct tl_view_mark_track *marks_of(const struct tl_lanes *lanes, size_t number)
{
	const struct tl_view_points *p = lanes->points;
	const struct tl_lane lane = lane_at(lanes, number);

	for (size_t i = 0; p && i < p->track_count; i++)
		if (p->tracks[i].process == lane.process && p->tracks[i].thread == lane.thread)
			return &p->tracks[i];
	return NULL;
}

/* The next counter of a lane from a number on; NULL: there is none. */
static const struct tl_view_counter *counter_of(const struct tl_lanes *lanes, size_t number,
						size_t *from)
{
	const struct tl_view_points *p = lanes->points;
	const struct tl_lane lane = lane_at(lanes, number);

	for (; p && *from < p->counter_count; ++*from) {
		const struct tl_view_counter *c = &p->counters[*from];

		if (c->end && c->process == lane.process && c->thread == lane.thread)
			return &p->counters[(*from)++];
	}
	return NULL;
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

/* No calls of a lane that is not of the index. */
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

	*window = (struct tl_call_window){ .count = 0 };
	if (track >= lanes->index_count)
		return 0;
	return tl_call_cursor_window(lanes->cursor, &query, window, sizeof(*window), err);
}

/* The events of a column of the screen: [*first, *end). */
static void marks_at(const struct tl_lanes *lanes, const struct tl_view_mark_track *marks,
		     int column, size_t *first, size_t *end)
{
	const uint64_t origin = lanes->info.origin;

	*first = tl_view_marks_from(lanes->points, marks, tick_at(lanes, column) - origin);
	*end = tl_view_marks_from(lanes->points, marks, tick_at(lanes, column + 1) - origin);
}

/* An event is a dot; several are more. */
static void draw_marks(const struct tl_lanes *lanes, struct tl_canvas *canvas, int row,
		       const struct tl_view_mark_track *marks)
{
	for (int column = 0; column < lanes->columns; column++) {
		size_t first, end;

		marks_at(lanes, marks, column, &first, &end);
		if (end > first)
			tl_canvas_put(canvas, row, NAME_COLUMNS + column, 1, TL_STYLE_PLAIN,
				      end - first == 1   ? "."
				      : end - first < 10 ? ":"
							 : "#");
	}
}

/* A digit a column: the value at its begin, 0 the least of all and 9 the greatest. */
static void draw_counter(const struct tl_lanes *lanes, struct tl_canvas *canvas, int row,
			 const struct tl_view_counter *counter)
{
	const struct tl_view_points *p = lanes->points;
	const double least = counter->least < 0 ? counter->least : 0;
	const double range = (counter->most > 0 ? counter->most : 0) - least;

	tl_canvas_put_name(canvas, row, 1, NAME_COLUMNS - 2, TL_STYLE_DIM,
			   p->names.names[counter->name].text);
	for (int column = 0; column < lanes->columns; column++) {
		const uint64_t at = tick_at(lanes, column + 1) - 1 - lanes->info.origin;
		const struct tl_view_counted *v = &p->counted[tl_view_counted_at(p, counter, at)];
		char digit[2] = "0";

		if (v->ticks > at)
			continue;
		if (range > 0)
			digit[0] = (char)('0' + (int)((v->value - least) / range * 9));
		tl_canvas_put(canvas, row, NAME_COLUMNS + column, 1, TL_STYLE_PLAIN, digit);
	}
}

enum { MOST_COUNTER_ROWS = 4 };

/* Events and counters of the chosen track. Returns the rows that they take. */
static int draw_points(const struct tl_lanes *lanes, struct tl_canvas *canvas, int row, int rows)
{
	const struct tl_view_mark_track *marks = marks_of(lanes, lanes->track);
	const struct tl_view_counter *counter;
	size_t from = 0;
	int used = 0;

	if (marks && used < rows) {
		tl_canvas_put(canvas, row, 1, NAME_COLUMNS - 2, TL_STYLE_DIM, "events");
		draw_marks(lanes, canvas, row + used++, marks);
	}
	for (int i = 0; i < MOST_COUNTER_ROWS && used < rows; i++) {
		counter = counter_of(lanes, lanes->track, &from);
		if (!counter)
			break;
		draw_counter(lanes, canvas, row + used++, counter);
	}
	for (int i = 0; i < used; i++)
		tl_canvas_paint(canvas, row + i, NAME_COLUMNS + lanes->column, 1, TL_STYLE_CURSOR);
	return used;
}

static int draw_track(struct tl_lanes *lanes, struct tl_canvas *canvas, int row, size_t track,
		      struct tl_error *err)
{
	const struct tl_lane lane = lane_at(lanes, track);
	struct tl_call_window window;
	char name[32];
	int status = ask(lanes, track, lanes->depth + 1, &window, err);

	snprintf(name, sizeof(name), "%s%s%lld", track == lanes->track ? ">" : " ",
		 lane.thread < 0 ? "process " : "",
		 (long long)(lane.thread < 0 ? lane.process : lane.thread));
	tl_canvas_put(canvas, row, 0, NAME_COLUMNS - 1,
		      track == lanes->track ? TL_STYLE_CURSOR : TL_STYLE_PLAIN, name);
	for (size_t i = 0; status == 0 && i < window.count; i++)
		if (window.items[i].depth == lanes->depth)
			draw_item(lanes, canvas, row, &window.items[i], false);
	if (track >= lanes->index_count && marks_of(lanes, track))
		draw_marks(lanes, canvas, row, marks_of(lanes, track));
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
	for (int i = 0; i < rows && lanes->track < lanes->index_count; i++) {
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

/* The first event at the cursor, with its values. */
static void draw_event(const struct tl_lanes *lanes, struct tl_canvas *canvas, int row, int column)
{
	const struct tl_view_mark_track *marks = marks_of(lanes, lanes->track);
	const struct tl_view_mark *mark;
	size_t first = 0, end = 0, size;
	char line[256];

	if (marks)
		marks_at(lanes, marks, lanes->column, &first, &end);
	if (end <= first)
		return;
	mark = &lanes->points->marks[first];
	snprintf(line, sizeof(line), "%s %.*s", lanes->points->names.names[mark->name].text,
		 mark->values == TL_NOWHERE ? 0 : (int)mark->size,
		 tl_output_bytes(lanes->points->values, &size) +
			 (mark->values == TL_NOWHERE ? 0 : mark->values));
	tl_canvas_put(canvas, row, column, canvas->columns - column, TL_STYLE_PLAIN, line);
}

static void draw_cursor(const struct tl_lanes *lanes, struct tl_canvas *canvas, int row)
{
	char now[TL_VALUE_ROOM];
	int column = tl_canvas_put(canvas, row, 0, canvas->columns, TL_STYLE_DIM, "at ");

	tl_format_time(now, tl_lanes_since_origin(lanes, tl_lanes_now(lanes)),
		       lanes->info.frequency);
	column += tl_canvas_put(canvas, row, column, 24, TL_STYLE_DIM, now) + 2;
	column += tl_canvas_put_name(canvas, row, column, canvas->columns - column, TL_STYLE_PLAIN,
				     name_of(lanes, lanes->function));
	draw_event(lanes, canvas, row, lanes->function == TL_NONE ? column : column + 2);
}

int tl_lanes_draw(struct tl_lanes *lanes, struct tl_canvas *canvas, int row, int rows,
		  struct tl_error *err)
{
	size_t room = rows > 8 ? (size_t)(rows - 2) / 2 : 1;
	size_t shown = tl_min(lanes->track_count, room);
	int status = 0, points, below = row + 2 + (int)shown;

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
	points = draw_points(lanes, canvas, below, row + rows - below);
	if (status == 0)
		status =
			draw_stack(lanes, canvas, below + points, row + rows - below - points, err);
	draw_cursor(lanes, canvas, row + 1 + (int)shown);
	return status;
}
