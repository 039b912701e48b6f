/* SPDX-License-Identifier: Apache-2.0 */
/* The table of differences as text: for each event the cost before, the cost after, the change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "report/diff/diff_table.h"
#include "report/function_cell.h"
#include "report/name_text.h"
#include "report/number_text.h"
#include "report/view.h"

#define WORSE "\033[31m"
#define BETTER "\033[32m"

enum {
	GAP = 2,           /* blanks between columns */
	NAME_COLUMNS = 24, /* kept free for names when events are left out to fit the terminal */
};

struct diff_layout {
	size_t *widths;  /* by event and kind */
	uint32_t events; /* that the terminal has room for, at least one */
};

static const char *const titles[] = { "before", "after", "change", "%" };

/* ---- cells ---- */

static size_t format_value(const struct tl_diff_table *table, uint32_t event, int64_t value,
			   bool sign, char *text)
{
	uint64_t rate = tl_diff_rate(table->diff, event);

	if (!sign || value <= 0)
		return tl_format_cost(text, value, rate, table->options.seconds);
	*text = '+';
	return 1 + tl_format_cost(text + 1, value, rate, table->options.seconds);
}

static size_t copy(char *text, const char *from)
{
	strcpy(text, from);
	return strlen(from);
}

/* INT64_MIN has no positive counterpart; one more makes no difference in a percentage. */
static int64_t negatable(int64_t cost)
{
	if (cost == INT64_MIN)
		return -INT64_MAX;
	return cost;
}

static size_t format_percent(const struct tl_diff_row *row, uint32_t event, char *text)
{
	int64_t change = negatable(tl_diff_change(row, event)),
		before = negatable(row->before[event]);
	size_t length;

	if (!row->in_before)
		return copy(text, "new");
	if (!row->in_after)
		return copy(text, "gone");
	if (!row->before[event])
		return copy(text, "-");
	if (before < 0)
		change = -change;
	length = tl_format_share(text + 1, change, llabs(before));
	if (text[1] == '-' || !change) {
		memmove(text, text + 1, length + 1);
		return length;
	}
	text[0] = '+';
	return length + 1;
}

size_t tl_diff_format_cell(const struct tl_diff_table *table, const struct tl_diff_row *row,
			   uint32_t event, int cell, char *text)
{
	switch (cell) {
	case TL_DIFF_BEFORE:
		return format_value(table, event, row->before[event], false, text);
	case TL_DIFF_AFTER:
		return format_value(table, event, row->after[event], false, text);
	case TL_DIFF_CHANGE:
		return format_value(table, event, tl_diff_change(row, event), true, text);
	default:
		return format_percent(row, event, text);
	}
}

static size_t format_title(const struct tl_diff_table *table, uint32_t i, int kind, char *text,
			   size_t size)
{
	const char *event = tl_diff_event(table->diff, table->events[i])->name;
	int length;

	if (table->event_count > 1 && kind != TL_DIFF_PERCENT)
		length = snprintf(text, size, "%s:%s", event, titles[kind]);
	else
		length = snprintf(text, size, "%s", titles[kind]);
	if (length < 0)
		return 0;
	if ((size_t)length >= size)
		return size - 1;
	return (size_t)length;
}

/* ---- widths ---- */

struct tl_diff_row tl_diff_total_row(const struct tl_diff_table *table)
{
	return (struct tl_diff_row){
		.in_before = true,
		.in_after = true,
		.before = tl_diff_total(table->diff, false),
		.after = tl_diff_total(table->diff, true),
	};
}

static void widen(const struct tl_diff_table *table, struct diff_layout *layout,
		  const struct tl_diff_row *row)
{
	char text[TL_VALUE_ROOM];

	for (uint32_t i = 0; i < table->event_count; i++)
		for (int kind = 0; kind < TL_DIFF_CELLS; kind++) {
			size_t *width = &layout->widths[i * TL_DIFF_CELLS + (uint32_t)kind];
			size_t length =
				tl_diff_format_cell(table, row, table->events[i], kind, text);

			if (length > *width)
				*width = length;
		}
}

static bool measure(const struct tl_diff_table *table, struct diff_layout *layout)
{
	struct tl_diff_row total = tl_diff_total_row(table);
	char text[64];

	layout->widths =
		calloc((size_t)table->event_count * TL_DIFF_CELLS, sizeof(*layout->widths));
	if (!layout->widths)
		return false;
	for (uint32_t i = 0; i < table->event_count; i++)
		for (int kind = 0; kind < TL_DIFF_CELLS; kind++)
			layout->widths[i * TL_DIFF_CELLS + (uint32_t)kind] =
				format_title(table, i, kind, text, sizeof(text));
	widen(table, layout, &total);
	for (size_t i = 0; i < table->shown; i++)
		widen(table, layout, &table->rows[i]);
	return true;
}

static size_t columns_of_event(const struct diff_layout *layout, uint32_t event)
{
	size_t columns = 0;

	for (int kind = 0; kind < TL_DIFF_CELLS; kind++)
		columns += layout->widths[event * TL_DIFF_CELLS + (uint32_t)kind] + GAP;
	return columns;
}

/* Leave the last events out until names have room on the terminal. */
static void fit(const struct tl_diff_table *table, struct diff_layout *layout)
{
	size_t total = NAME_COLUMNS;

	for (uint32_t i = 0; i < table->event_count; i++)
		total += columns_of_event(layout, i);
	layout->events = table->event_count;
	while (table->options.width && total > table->options.width && layout->events > 1)
		total -= columns_of_event(layout, --layout->events);
}

/* ---- lines ---- */

/*
 * The function of a row, or its caller and the function, at most half of the room for the caller.
 */
static void put_function(const struct tl_diff_table *table, const struct tl_diff_row *row,
			 size_t used)
{
	enum tl_diff_unit by = tl_diff_by(table->diff);
	struct tl_function_cell cell = { .name = row->function->name,
					 .file = row->file,
					 .line = row->function->line };
	size_t room = tl_room_left(&table->options, used), half = room;

	if (by == TL_DIFF_LINES)
		cell.line = row->line;
	if (table->several_objects)
		cell.object = row->function->object;
	if (by == TL_DIFF_ARCS) {
		const char *caller = "(outside)";

		if (row->caller)
			caller = row->caller->name;
		if (table->options.width)
			half = room / 2;
		tl_put_short_name(table->out, caller, half);
		tl_put_text(table->out, " -> ");
		if (table->options.width)
			room = tl_room_left(&table->options,
					    used + strlen(" -> ") +
						    tl_short_name_columns(caller, half));
	}
	tl_put_function_cell(table->out, &cell, room);
}

static void put_row(const struct tl_diff_table *table, const struct diff_layout *layout,
		    const struct tl_diff_row *row)
{
	int64_t change = tl_diff_change(row, table->events[0]);
	bool color = table->options.color && row->function && change;
	char text[TL_VALUE_ROOM];
	size_t used = 0;

	if (color)
		tl_put_text(table->out, change > 0 ? WORSE : BETTER);
	for (uint32_t i = 0; i < layout->events; i++)
		for (int kind = 0; kind < TL_DIFF_CELLS; kind++) {
			size_t length =
				tl_diff_format_cell(table, row, table->events[i], kind, text);

			tl_put_right(table->out, text, length,
				     layout->widths[i * TL_DIFF_CELLS + (uint32_t)kind]);
			tl_put_blanks(table->out, GAP);
			used += layout->widths[i * TL_DIFF_CELLS + (uint32_t)kind] + GAP;
		}
	if (row->function)
		put_function(table, row, used);
	else
		tl_put_text(table->out, "(total)");
	if (color)
		tl_put_text(table->out, TL_COLOR_END);
	tl_put_char(table->out, '\n');
}

static void put_titles(const struct tl_diff_table *table, const struct diff_layout *layout)
{
	static const char *const names[] = { "function", "caller -> function", "line" };
	char text[64];

	if (table->options.color)
		tl_put_text(table->out, TL_COLOR_DIM);
	for (uint32_t i = 0; i < layout->events; i++)
		for (int kind = 0; kind < TL_DIFF_CELLS; kind++) {
			size_t length = format_title(table, i, kind, text, sizeof(text));

			tl_put_right(table->out, text, length,
				     layout->widths[i * TL_DIFF_CELLS + (uint32_t)kind]);
			tl_put_blanks(table->out, GAP);
		}
	tl_put_text(table->out, names[tl_diff_by(table->diff)]);
	if (table->options.color)
		tl_put_text(table->out, TL_COLOR_END);
	tl_put_char(table->out, '\n');
}

static void put_side(const struct tl_diff_table *table, const struct diff_layout *layout,
		     const char *key, bool after)
{
	const struct tl_profile *profile = tl_diff_profile(table->diff, after);
	const char *format = tl_profile_format(profile);
	char text[TL_VALUE_ROOM];

	tl_put_text(table->out, key);
	if (!*format)
		format = "profile";
	tl_put_text(table->out, format);
	for (uint32_t i = 0; i < layout->events; i++) {
		uint32_t event = table->events[i];

		tl_put_text(table->out, ", ");
		tl_put_name(table->out, tl_diff_event(table->diff, event)->name);
		tl_put_char(table->out, ' ');
		tl_put_bytes(table->out, text,
			     format_value(table, event, tl_diff_total(table->diff, after)[event],
					  false, text));
	}
	tl_put_char(table->out, '\n');
}

static void put_left_out(const struct tl_diff_table *table, size_t count, const char *more,
			 const char *why)
{
	static const char *const ones[] = { "function", "call", "line" };

	if (!count)
		return;
	tl_put_text(table->out, "... ");
	tl_put_count(table->out, count);
	tl_put_text(table->out, more);
	tl_put_text(table->out, ones[tl_diff_by(table->diff)]);
	tl_put_plural(table->out, count);
	tl_put_text(table->out, why);
}

int tl_diff_put_text(const struct tl_diff_table *table, struct tl_error *err)
{
	struct diff_layout layout = { 0 };
	struct tl_diff_row total = tl_diff_total_row(table);

	if (!measure(table, &layout))
		return tl_error_memory(err);
	fit(table, &layout);
	put_side(table, &layout, "before  ", false);
	put_side(table, &layout, "after   ", true);
	tl_put_char(table->out, '\n');
	put_titles(table, &layout);
	put_row(table, &layout, &total);
	for (size_t i = 0; i < table->shown && !tl_output_failed(table->out); i++)
		put_row(table, &layout, &table->rows[i]);
	put_left_out(table, table->count - table->shown, " more ", " (--all shows them)\n");
	put_left_out(table, table->below, " ", " below the threshold\n");
	put_left_out(table, table->unchanged, " ", " without a change (--all shows them)\n");
	if (layout.events < table->event_count) {
		tl_put_format(table->out, "... %u more event", table->event_count - layout.events);
		tl_put_plural(table->out, table->event_count - layout.events);
		tl_put_text(table->out, " (--wide shows them)\n");
	}
	free(layout.widths);
	return 0;
}
