/* SPDX-License-Identifier: Apache-2.0 */
#include "view/terminal/panes.h"

#include <string.h>

static bool is_list(enum tl_pane pane)
{
	return pane <= TL_PANE_CALLERS;
}

static const enum tl_list_kind kinds[] = {
	[TL_PANE_FUNCTIONS] = TL_LIST_FUNCTIONS,
	[TL_PANE_TOP_DOWN] = TL_LIST_TOP_DOWN,
	[TL_PANE_BOTTOM_UP] = TL_LIST_BOTTOM_UP,
	[TL_PANE_CALLERS] = TL_LIST_CALLERS,
};

/* The function in the middle of callers: the chosen one, else the first of the table. */
static void need_function(struct tl_browser *b)
{
	struct tl_list all = { .order = TL_BY_SELF };

	if (b->function != TL_NONE || !tl_list_make(&all, b->profile, TL_LIST_FUNCTIONS, 0) ||
	    !all.count) {
		tl_list_free(&all);
		return;
	}
	b->function = all.rows[0].function;
	tl_list_free(&all);
}

/* The row of the chosen function. */
static void find_function(struct tl_browser *b)
{
	b->cursor = b->top = 0;
	for (size_t i = 0; i < b->list.count; i++) {
		bool chosen = b->pane == TL_PANE_CALLERS ? b->list.rows[i].role == TL_ROW_CHOSEN
							 : b->list.rows[i].function == b->function;

		if (chosen) {
			b->cursor = i;
			return;
		}
	}
}

static bool is_tree(enum tl_pane pane)
{
	return pane == TL_PANE_TOP_DOWN || pane == TL_PANE_BOTTOM_UP;
}

/* Estimated stacks divide costs and calls: only trees are made of them, where exact sums exist. */
static const struct tl_profile *profile_of(const struct tl_browser *b, enum tl_pane pane)
{
	if (b->window)
		return b->window;
	if (pane == TL_PANE_HELP)
		return b->profile;
	return is_tree(pane) || !b->options.sums ? b->whole : b->options.sums;
}

/* The number of a function of another profile; TL_NONE: it is not there. */
static uint32_t number_in(const struct tl_profile *profile, const struct tl_function *function)
{
	uint32_t count = tl_profile_function_count(profile);

	for (uint32_t i = 0; i < count; i++) {
		const struct tl_function *f = tl_profile_function(profile, i);

		if (!strcmp(f->name, function->name) && !strcmp(f->object, function->object) &&
		    !strcmp(f->file, function->file))
			return i;
	}
	return TL_NONE;
}

/* The chosen function has another number in another profile, or is not there. */
static void show_profile(struct tl_browser *b, const struct tl_profile *profile)
{
	if (b->profile == profile)
		return;
	if (b->function != TL_NONE)
		b->function = number_in(profile, tl_profile_function(b->profile, b->function));
	b->searched = TL_NONE;
	b->profile = profile;
}

bool tl_pane_choose(struct tl_browser *b, enum tl_pane pane)
{
	show_profile(b, profile_of(b, pane));
	b->pane = pane;
	b->cursor = b->top = 0;
	if (pane == TL_PANE_CALLERS || pane == TL_PANE_CALLS || pane == TL_PANE_SOURCE)
		need_function(b);
	if (pane == TL_PANE_SOURCE)
		return tl_pane_make_source(b);
	if (!is_list(pane))
		return true;
	if (pane == TL_PANE_CALLERS && b->function == TL_NONE) {
		b->pane = TL_PANE_FUNCTIONS;
		return true;
	}
	if (!tl_list_make(&b->list, b->profile, kinds[pane], b->function))
		return false;
	find_function(b);
	return true;
}

void tl_pane_leave_window(struct tl_browser *b)
{
	if (!b->window)
		return;
	tl_profile_free(b->window);
	b->window = NULL;
	b->function = b->searched = TL_NONE;
	b->profile = b->whole;
	b->list.event = tl_profile_shown_event(b->whole, 0);
	b->no_memory |= !tl_pane_choose(b, is_list(b->pane) ? b->pane : TL_PANE_FUNCTIONS);
}

void tl_pane_scroll(struct tl_browser *b, size_t rows)
{
	rows = rows ? rows : 1;
	if (b->cursor < b->top)
		b->top = b->cursor;
	if (b->cursor >= b->top + rows)
		b->top = b->cursor - rows + 1;
}

void tl_pane_draw(struct tl_browser *b, struct tl_canvas *canvas, int row, int rows)
{
	struct tl_error err = { .text = "" };

	if (is_list(b->pane)) {
		tl_pane_draw_list(b, canvas, row, rows);
	} else if (b->pane == TL_PANE_CALLS) {
		tl_pane_draw_calls(b, canvas, row, rows);
	} else if (b->pane != TL_PANE_TIMELINE) {
		tl_pane_draw_text(b, canvas, row, rows);
	} else if (tl_pane_need_index(b) && tl_lanes_draw(&b->lanes, canvas, row, rows, &err) < 0) {
		strncpy(b->message, err.text, sizeof(b->message) - 1);
	}
}

bool tl_pane_key(struct tl_browser *b, int key)
{
	if (is_list(b->pane))
		return tl_pane_list_key(b, key);
	if (b->pane == TL_PANE_CALLS)
		return tl_pane_calls_key(b, key);
	if (b->pane == TL_PANE_SOURCE)
		return tl_pane_source_key(b, key);
	return b->pane == TL_PANE_TIMELINE && tl_pane_timeline_key(b, key);
}

const char *tl_pane_hint(const struct tl_browser *b)
{
	switch (b->pane) {
	case TL_PANE_TOP_DOWN:
	case TL_PANE_BOTTOM_UP:
		return "q quit  ? help  Enter open/close  s sort  r reverse  c columns  / search";
	case TL_PANE_CALLS:
		return "q quit  ? help  Enter show in the timeline  / search";
	case TL_PANE_TIMELINE:
		return "q quit  ? help  + - zoom  < > pan  0 all  e events  Enter profile of the "
		       "window";
	case TL_PANE_SOURCE:
		return b->assembly ? "q quit  ? help  a source  / search  n next"
				   : "q quit  ? help  a assembly  / search  n next";
	case TL_PANE_HELP:
		return "q quit  ? help  / search  n next";
	default:
		return "q quit  ? help  Enter callers  s sort  r reverse  c columns  / search";
	}
}

size_t tl_pane_rows(const struct tl_browser *b)
{
	if (is_list(b->pane))
		return b->list.count;
	if (b->pane == TL_PANE_CALLS)
		return b->calls.count;
	return b->pane == TL_PANE_TIMELINE ? 0 : tl_pane_text_lines(b);
}

const char *tl_pane_row_text(struct tl_browser *b, size_t row)
{
	if (is_list(b->pane))
		return row < b->list.count
			       ? tl_profile_function(b->profile, b->list.rows[row].function)->name
			       : "";
	return b->pane == TL_PANE_CALLS || b->pane == TL_PANE_TIMELINE ? ""
								       : tl_pane_text_line(b, row);
}
