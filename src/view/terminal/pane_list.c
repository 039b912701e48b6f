/* SPDX-License-Identifier: Apache-2.0 */
/* Functions, call trees, callers and callees: a row each, costs on the left, the name behind. */
#include <stdio.h>
#include <string.h>

#include "core/text/optional.h"
#include "report/number_text.h"
#include "view/terminal/panes.h"

enum { SHARE_COLUMNS = 8, COST_COLUMNS = 11, CALLS_COLUMNS = 13, NAME_AT = 54, NARROW = 70 };

/* ---- columns ---- */

enum { SHARES = 1, COSTS = 2, CALLS = 4, COLUMN_CHOICES = 4 };

/* What is shown on the left of names; a narrow screen shows no more than shares and calls first. */
static unsigned columns_of(const struct tl_browser *b, const struct tl_canvas *canvas)
{
	static const unsigned chosen[COLUMN_CHOICES] = { SHARES | COSTS | CALLS, COSTS | CALLS,
							 SHARES | CALLS, SHARES };

	return !b->columns && canvas->columns < NARROW ? SHARES | CALLS : chosen[b->columns];
}

/* Of a cost: its share, a blank between them, and the cost itself. */
static int cost_width(unsigned columns)
{
	return (columns & SHARES ? SHARE_COLUMNS : 0) + (columns & COSTS ? COST_COLUMNS : 0) +
	       ((columns & (SHARES | COSTS)) == (SHARES | COSTS));
}

/* ---- drawing ---- */

/* Ticks are shown as time where the profile says how long one is. */
static uint64_t rate_of(const struct tl_browser *b)
{
	return tl_profile_timed(b->profile) && !b->list.event ? tl_profile_frequency(b->profile)
							      : 0;
}

static int put_cost(const struct tl_browser *b, struct tl_canvas *canvas, int row, int column,
		    int64_t cost, enum tl_style style)
{
	const unsigned columns = columns_of(b, canvas);
	char text[TL_VALUE_ROOM];

	if (columns & SHARES) {
		tl_format_share(text, cost, tl_profile_total(b->profile)[b->list.event]);
		tl_canvas_put_right(canvas, row, column, SHARE_COLUMNS, style, text);
	}
	column += cost_width(columns);
	if (columns & COSTS) {
		tl_format_cost(text, cost, rate_of(b), false);
		tl_canvas_put_right(canvas, row, column - COST_COLUMNS, COST_COLUMNS, style, text);
	}
	return column;
}

/* Where the name begins. */
static int put_numbers(const struct tl_browser *b, struct tl_canvas *canvas, int row,
		       const struct tl_list_row *r, enum tl_style style)
{
	char text[TL_VALUE_ROOM];
	int column = 0;

	/* A cost of calls to or from another function is none of its own. */
	if (r->role == TL_ROW_CALLER || r->role == TL_ROW_CALLEE)
		column = cost_width(columns_of(b, canvas));
	else
		column = put_cost(b, canvas, row, column, r->self, style);
	if (b->pane == TL_PANE_BOTTOM_UP && r->depth)
		column *= 2;
	else
		column = put_cost(b, canvas, row, column, r->inclusive, style);
	if (!(columns_of(b, canvas) & CALLS))
		return column + 1;
	tl_format_count(text, r->calls);
	tl_canvas_put_right(canvas, row, column, CALLS_COLUMNS, style, text);
	return column + CALLS_COLUMNS + 1;
}

static const char *mark_of(const struct tl_browser *b, const struct tl_list_row *r)
{
	static const char *const roles[] = { [TL_ROW_PLAIN] = "",
					     [TL_ROW_CALLER] = "< ",
					     [TL_ROW_CHOSEN] = "* ",
					     [TL_ROW_CALLEE] = "> " };

	if (b->pane != TL_PANE_TOP_DOWN && b->pane != TL_PANE_BOTTOM_UP)
		return roles[r->role];
	return r->leaf ? "  " : r->open ? "- " : "+ ";
}

static enum tl_style heat_of(const struct tl_browser *b, const struct tl_list_row *r)
{
	int64_t total = tl_profile_total(b->profile)[b->list.event];

	return total > 0 && r->self > total / 10 ? TL_STYLE_HOT : TL_STYLE_PLAIN;
}

static void draw_row(const struct tl_browser *b, struct tl_canvas *canvas, int row, size_t number)
{
	const struct tl_list_row *r = &b->list.rows[number];
	enum tl_style style = heat_of(b, r);
	int column = put_numbers(b, canvas, row, r, style);
	int room = canvas->columns > column + 8 ? canvas->columns - column : 8;
	/* A deep tree begins again at the left, so that names have room. */
	int indent = (int)(r->depth % (unsigned)(room / 4)) * 2;

	column += indent;
	column +=
		tl_canvas_put(canvas, row, column, canvas->columns - column, style, mark_of(b, r));
	tl_canvas_put_name(canvas, row, column, canvas->columns - column, style,
			   tl_profile_function(b->profile, r->function)->name);
	if (number == b->cursor)
		tl_canvas_paint(canvas, row, 0, canvas->columns, TL_STYLE_CURSOR);
}

static void draw_head(const struct tl_browser *b, struct tl_canvas *canvas, int row)
{
	static const char *const orders[] = { [TL_BY_SELF] = "self",
					      [TL_BY_INCLUSIVE] = "inclusive",
					      [TL_BY_CALLS] = "calls",
					      [TL_BY_NAME] = "name" };
	const struct tl_event *event = tl_profile_event(b->profile, b->list.event);
	const unsigned columns = columns_of(b, canvas);
	int width = cost_width(columns), end = 2 * width;
	char text[96];

	tl_canvas_put_right(canvas, row, 0, width, TL_STYLE_TITLE, "self");
	tl_canvas_put_right(canvas, row, width, width, TL_STYLE_TITLE,
			    columns & COSTS ? "inclusive" : "incl.");
	if (columns & CALLS) {
		tl_canvas_put_right(canvas, row, end, CALLS_COLUMNS, TL_STYLE_TITLE, "calls");
		end += CALLS_COLUMNS;
	}
	snprintf(text, sizeof(text), "%s by %s%s", event->name, orders[b->list.order],
		 tl_text_if(b->list.reverse, ", least first"));
	tl_canvas_put(canvas, row, end + 1, canvas->columns, TL_STYLE_TITLE, text);
}

void tl_pane_draw_list(struct tl_browser *b, struct tl_canvas *canvas, int row, int rows)
{
	draw_head(b, canvas, row);
	tl_pane_scroll(b, (size_t)(rows > 1 ? rows - 1 : 1));
	for (int i = 0; i < rows - 1 && b->top + (size_t)i < b->list.count; i++)
		draw_row(b, canvas, row + 1 + i, b->top + (size_t)i);
	if (!b->list.count)
		tl_canvas_put(canvas, row + 2, 2, canvas->columns - 2, TL_STYLE_DIM,
			      tl_profile_context_count(b->profile) || b->pane == TL_PANE_FUNCTIONS
				      ? "nothing"
				      : "the input has no call stacks");
}

/* ---- keys ---- */

static void sort_again(struct tl_browser *b)
{
	tl_list_sort(&b->list);
	b->cursor = b->top = 0;
}

static void enter_row(struct tl_browser *b)
{
	if (b->cursor >= b->list.count)
		return;
	if (b->pane == TL_PANE_TOP_DOWN || b->pane == TL_PANE_BOTTOM_UP)
		b->no_memory |= !tl_list_toggle(&b->list, b->cursor);
	else
		b->no_memory |= !tl_pane_choose(b, TL_PANE_CALLERS);
}

/* To the row that a row of a tree is below. */
static void go_out(struct tl_browser *b)
{
	size_t row = b->cursor;

	if (row >= b->list.count)
		return;
	if (b->list.rows[row].open) {
		tl_list_toggle(&b->list, row);
		return;
	}
	while (row && b->list.rows[row].depth >= b->list.rows[b->cursor].depth)
		row--;
	b->cursor = row;
}

static bool is_tree(const struct tl_browser *b)
{
	return b->pane == TL_PANE_TOP_DOWN || b->pane == TL_PANE_BOTTOM_UP;
}

bool tl_pane_list_key(struct tl_browser *b, int key)
{
	/* The function of the row is the chosen one in other panes, too. */
	if (b->cursor < b->list.count)
		b->function = b->list.rows[b->cursor].function;
	if (key == 's') {
		b->list.order = (b->list.order + 1) % TL_LIST_ORDERS;
		sort_again(b);
	} else if (key == 'r') {
		b->list.reverse = !b->list.reverse;
		sort_again(b);
	} else if (key == 'c') {
		b->columns = (b->columns + 1) % COLUMN_CHOICES;
	} else if (key == TL_KEY_ENTER) {
		enter_row(b);
	} else if (key == 'l') {
		b->no_memory |= !tl_pane_choose(b, TL_PANE_CALLS);
	} else if (is_tree(b) && key == TL_KEY_LEFT) {
		go_out(b);
	} else if (is_tree(b) && key == TL_KEY_RIGHT) {
		if (b->cursor < b->list.count && !b->list.rows[b->cursor].open)
			enter_row(b);
	} else {
		return false;
	}
	return true;
}
