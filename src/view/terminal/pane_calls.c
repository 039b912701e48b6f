/* SPDX-License-Identifier: Apache-2.0 */
/* Calls over time: the longest calls of a function, and the timeline. */
#include <stdio.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "report/number_text.h"
#include "view/terminal/panes.h"

enum { LONGEST = 1000, MOST_FUNCTIONS = 1 << 24 };

/* ---- the index ---- */

/* 0 or negative. That it cannot be kept is said, as the next time takes as long. */
static int find_index(struct tl_browser *b, struct tl_error *err)
{
	struct tl_error unkept = { .status = TL_OK };
	int status;

	if (!b->options.index_path)
		return tl_input_index(b->options.input, &b->index, err);
	status = tl_input_index_kept(b->options.input, b->options.index_path, &b->index, &unkept,
				     err);
	if (unkept.status < 0)
		snprintf(b->message, sizeof(b->message), "the index is not kept: %s", unkept.text);
	return tl_error_or_end(status);
}

static bool counts_calls(const struct tl_profile *profile)
{
	struct tl_function_totals totals;

	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++) {
		tl_profile_function_totals(profile, i, TL_NONE, &totals, sizeof(totals));
		if (totals.calls)
			return true;
	}
	return false;
}

static void gather_events(struct tl_browser *b)
{
	struct tl_error err = { .text = "" };

	if (!b->lanes.points && tl_lanes_gather(&b->lanes, b->options.input, &err) < 0)
		snprintf(b->message, sizeof(b->message), "%s", err.text);
	else if (!b->lanes.points->count && !b->lanes.points->counted_count)
		snprintf(b->message, sizeof(b->message), "there are no events and no counters");
}

bool tl_pane_need_index(struct tl_browser *b)
{
	struct tl_error err = { .text = "the profile has no calls one by one" };
	int status = TL_UNSUPPORTED;

	if (b->index)
		return true;
	if (b->options.input && !b->no_index)
		status = find_index(b, &err);
	if (status == 0)
		status = tl_lanes_begin(&b->lanes, b->index, &err);
	/* Where the profile counts no calls, what was sampled are events. */
	if (status == 0 && (!b->lanes.calls || !counts_calls(b->whole)))
		status = tl_lanes_gather(&b->lanes, b->options.input, &err);
	if (status < 0 && !b->no_index)
		snprintf(b->why, sizeof(b->why), "%s", err.text);
	b->no_index = status < 0;
	if (status < 0)
		snprintf(b->message, sizeof(b->message), "%s", b->why);
	return status == 0;
}

static bool same_function(const struct tl_call_function *a, const struct tl_function *f)
{
	return !strcmp(a->name, f->name) && !strcmp(a->object, f->object) &&
	       a->address == f->address;
}

/* The index's number of a function of the profile; TL_NONE: it is not there. */
static uint32_t number_in_index(const struct tl_browser *b, uint32_t function)
{
	const struct tl_function *f = tl_profile_function(b->profile, function);
	struct tl_call_function named;

	if (f->id != TL_NOWHERE)
		return (uint32_t)f->id;
	for (uint32_t i = 0; i < MOST_FUNCTIONS &&
			     tl_call_index_function(b->index, i, &named, sizeof(named), NULL) == 0;
	     i++)
		if (same_function(&named, f))
			return i;
	return TL_NONE;
}

static uint32_t number_in_profile(const struct tl_browser *b, uint32_t function)
{
	struct tl_call_function named;
	uint32_t count = tl_profile_function_count(b->profile);

	if (function == TL_NONE ||
	    tl_call_index_function(b->index, function, &named, sizeof(named), NULL) < 0)
		return TL_NONE;
	for (uint32_t i = 0; i < count; i++)
		if (same_function(&named, tl_profile_function(b->profile, i)))
			return i;
	return TL_NONE;
}

/* ---- the longest calls ---- */

bool tl_pane_find_calls(struct tl_browser *b)
{
	struct tl_call_span span = { .size = sizeof(span) };
	struct tl_error err = { .text = "" };
	uint32_t number;

	tl_call_search_end(&b->calls);
	b->calls = (struct tl_call_search){ .count = 0 };
	b->searched = b->function;
	if (b->function == TL_NONE || !tl_pane_need_index(b))
		return true;
	number = number_in_index(b, b->function);
	if (number == TL_NONE)
		return true;
	if (b->window) {
		span.from = b->lanes.from;
		span.to = b->lanes.to;
	}
	if (tl_input_search(b->options.input, b->index, &span, number, LONGEST, &b->calls,
			    sizeof(b->calls), &err) < 0)
		snprintf(b->message, sizeof(b->message), "%s", err.text);
	return err.status != TL_NO_MEMORY;
}

static void draw_call(const struct tl_browser *b, struct tl_canvas *canvas, int row, size_t number)
{
	const struct tl_call_found *found = &b->calls.longest[number];
	const struct tl_calls_info *info = &b->lanes.info;
	struct tl_call_track_info track = { 0 };
	char text[TL_VALUE_ROOM];

	tl_format_time(text, found->item.busy, info->frequency);
	tl_canvas_put_right(canvas, row, 0, 14, TL_STYLE_PLAIN, text);
	tl_format_time(text, found->item.self, info->frequency);
	tl_canvas_put_right(canvas, row, 14, 14, TL_STYLE_PLAIN, text);
	tl_format_time(text, tl_lanes_since_origin(&b->lanes, found->item.start), info->frequency);
	tl_canvas_put_right(canvas, row, 28, 16, TL_STYLE_PLAIN, text);
	tl_call_index_track(b->index, found->track, &track, sizeof(track));
	snprintf(text, sizeof(text), "%lld", (long long)track.thread);
	tl_canvas_put_right(canvas, row, 44, 12, TL_STYLE_PLAIN, text);
	snprintf(text, sizeof(text), "%u", found->item.depth);
	tl_canvas_put_right(canvas, row, 56, 8, TL_STYLE_PLAIN, text);
	if (found->item.end == TL_NOWHERE)
		tl_canvas_put(canvas, row, 66, 12, TL_STYLE_WARN, "unfinished");
	if (number == b->cursor)
		tl_canvas_paint(canvas, row, 0, canvas->columns, TL_STYLE_CURSOR);
}

static void draw_distribution(const struct tl_browser *b, struct tl_canvas *canvas, int row)
{
	const struct tl_latency *d = &b->calls.durations;
	char median[TL_VALUE_ROOM], p99[TL_VALUE_ROOM], count[TL_VALUE_ROOM], line[200];
	int column = 0;

	tl_format_count(count, b->calls.calls);
	tl_format_time(median, d->median, b->lanes.info.frequency);
	tl_format_time(p99, d->p99, b->lanes.info.frequency);
	if (b->function != TL_NONE)
		column = tl_canvas_put_name(canvas, row, 0, canvas->columns / 2, TL_STYLE_TITLE,
					    tl_profile_function(b->profile, b->function)->name);
	snprintf(line, sizeof(line), "  %s calls, median %s, p99 %s", count, median, p99);
	tl_canvas_put(canvas, row, column, canvas->columns - column, TL_STYLE_PLAIN, line);
}

void tl_pane_draw_calls(struct tl_browser *b, struct tl_canvas *canvas, int row, int rows)
{
	if (b->searched != b->function)
		b->no_memory |= !tl_pane_find_calls(b);
	if (!b->index) {
		snprintf(b->message, sizeof(b->message), "%s", b->why);
		return;
	}
	draw_distribution(b, canvas, row);
	tl_canvas_put(canvas, row + 1, 0, canvas->columns, TL_STYLE_TITLE,
		      "      duration          self           begin      thread   depth");
	tl_pane_scroll(b, (size_t)(rows > 3 ? rows - 2 : 1));
	for (int i = 0; i < rows - 2 && b->top + (size_t)i < b->calls.count; i++)
		draw_call(b, canvas, row + 2 + i, b->top + (size_t)i);
}

/* A call in the timeline, with a little around it. */
static void show_call(struct tl_browser *b)
{
	const struct tl_call_found *found;
	uint64_t around;

	if (b->cursor >= b->calls.count)
		return;
	found = &b->calls.longest[b->cursor];
	around = found->item.busy / 4 + 1;
	b->lanes.track = found->track;
	tl_lanes_show(&b->lanes, tl_excess(found->item.start, around),
		      found->item.start + found->item.busy + around);
	b->lanes.column = b->lanes.columns / 2;
	b->no_memory |= !tl_pane_choose(b, TL_PANE_TIMELINE);
}

bool tl_pane_calls_key(struct tl_browser *b, int key)
{
	if (key != TL_KEY_ENTER)
		return false;
	show_call(b);
	return true;
}

/* ---- the timeline ---- */

/* The profile of the window that is shown. */
static void fold_window(struct tl_browser *b)
{
	const struct tl_call_span span = { .size = sizeof(span),
					   .from = b->lanes.from,
					   .to = b->lanes.to };
	struct tl_profile *window;
	struct tl_error err = { .text = "" };

	if (tl_input_window(b->options.input, b->index, &span, &window, &err) < 0) {
		snprintf(b->message, sizeof(b->message), "%s", err.text);
		return;
	}
	tl_profile_free(b->window);
	b->window = window;
	b->profile = window;
	b->list.event = tl_profile_shown_event(b->profile, 0);
	b->searched = TL_NONE;
	b->function = number_in_profile(b, b->lanes.function);
	b->no_memory |= !tl_pane_choose(b, TL_PANE_FUNCTIONS);
}

static void move_track(struct tl_lanes *lanes, bool down)
{
	if (down && lanes->track + 1 < lanes->track_count)
		lanes->track++;
	else if (!down && lanes->track)
		lanes->track--;
}

static void move_cursor(struct tl_lanes *lanes, int by)
{
	int column = lanes->column + by;

	if (column < 0 || column >= lanes->columns)
		tl_lanes_pan(lanes, by);
	else
		lanes->column = column;
}

static bool view_key(struct tl_lanes *lanes, int key)
{
	switch (key) {
	case TL_KEY_LEFT:
	case TL_KEY_RIGHT:
		move_cursor(lanes, key == TL_KEY_LEFT ? -1 : 1);
		return true;
	case TL_KEY_UP:
	case TL_KEY_DOWN:
		move_track(lanes, key == TL_KEY_DOWN);
		return true;
	case '+':
	case '-':
		tl_lanes_zoom(lanes, key == '+');
		return true;
	case '<':
	case '>':
		tl_lanes_pan(lanes, key == '<' ? -4 : 4);
		return true;
	case '0':
		tl_lanes_show(lanes, 0, TL_NOWHERE);
		return true;
	case '[':
		lanes->depth -= lanes->depth > 0;
		return true;
	case ']':
		lanes->depth += lanes->depth < 127;
		return true;
	default:
		return false;
	}
}

bool tl_pane_timeline_key(struct tl_browser *b, int key)
{
	if (!b->index)
		return false;
	if (key == TL_KEY_ENTER)
		fold_window(b);
	else if (key == 'e')
		gather_events(b);
	else
		return view_key(&b->lanes, key);
	return true;
}
