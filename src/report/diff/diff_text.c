/* SPDX-License-Identifier: Apache-2.0 */
/* The table of differences as text: for each event the cost before, the cost after, the change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "report/diff/diff_table.h"
#include "report/number_text.h"
#include "report/view.h"

#define WORSE "\033[31m"
#define BETTER "\033[32m"

enum { BEFORE, AFTER, CHANGE, PERCENT, KINDS, GAP = 2 };

/* Widths by event and kind. */
struct diff_layout {
	size_t *widths;
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

static size_t format_cell(const struct tl_diff_table *table, const struct tl_diff_row *row,
			  uint32_t event, int kind, char *text)
{
	switch (kind) {
	case BEFORE:
		return format_value(table, event, row->before[event], false, text);
	case AFTER:
		return format_value(table, event, row->after[event], false, text);
	case CHANGE:
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

	if (table->event_count > 1 && kind != PERCENT)
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

static struct tl_diff_row total_row(const struct tl_diff_table *table)
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
		for (int kind = 0; kind < KINDS; kind++) {
			size_t *width = &layout->widths[i * KINDS + (uint32_t)kind];
			size_t length = format_cell(table, row, table->events[i], kind, text);

			if (length > *width)
				*width = length;
		}
}

static bool measure(const struct tl_diff_table *table, struct diff_layout *layout)
{
	struct tl_diff_row total = total_row(table);
	char text[64];

	layout->widths = calloc((size_t)table->event_count * KINDS, sizeof(*layout->widths));
	if (!layout->widths)
		return false;
	for (uint32_t i = 0; i < table->event_count; i++)
		for (int kind = 0; kind < KINDS; kind++)
			layout->widths[i * KINDS + (uint32_t)kind] =
				format_title(table, i, kind, text, sizeof(text));
	widen(table, layout, &total);
	for (size_t i = 0; i < table->shown; i++)
		widen(table, layout, &table->rows[i]);
	return true;
}

/* ---- lines ---- */

static void put_function(const struct tl_diff_table *table, const struct tl_function *function,
			 const char *file, uint32_t line)
{
	tl_put_name(table->out, function->name);
	if (*file) {
		tl_put_text(table->out, "  ");
		tl_put_name(table->out, tl_last_name(file));
		if (line)
			tl_put_format(table->out, ":%u", line);
	}
	if (*function->object && table->several_objects) {
		tl_put_text(table->out, "  [");
		tl_put_name(table->out, tl_last_name(function->object));
		tl_put_char(table->out, ']');
	}
}

static void put_name(const struct tl_diff_table *table, const struct tl_diff_row *row)
{
	enum tl_diff_unit by = tl_diff_by(table->diff);

	if (!row->function) {
		tl_put_text(table->out, "(total)");
		return;
	}
	if (by == TL_DIFF_ARCS) {
		tl_put_name(table->out, row->caller ? row->caller->name : "(outside)");
		tl_put_text(table->out, " -> ");
	}
	put_function(table, row->function, row->file,
		     by == TL_DIFF_LINES ? row->line : row->function->line);
}

static void put_row(const struct tl_diff_table *table, const struct diff_layout *layout,
		    const struct tl_diff_row *row)
{
	int64_t change = tl_diff_change(row, table->events[0]);
	bool color = table->options.color && row->function && change;
	char text[TL_VALUE_ROOM];

	if (color)
		tl_put_text(table->out, change > 0 ? WORSE : BETTER);
	for (uint32_t i = 0; i < table->event_count; i++)
		for (int kind = 0; kind < KINDS; kind++) {
			size_t length = format_cell(table, row, table->events[i], kind, text);

			tl_put_right(table->out, text, length,
				     layout->widths[i * KINDS + (uint32_t)kind]);
			tl_put_blanks(table->out, GAP);
		}
	put_name(table, row);
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
	for (uint32_t i = 0; i < table->event_count; i++)
		for (int kind = 0; kind < KINDS; kind++) {
			size_t length = format_title(table, i, kind, text, sizeof(text));

			tl_put_right(table->out, text, length,
				     layout->widths[i * KINDS + (uint32_t)kind]);
			tl_put_blanks(table->out, GAP);
		}
	tl_put_text(table->out, names[tl_diff_by(table->diff)]);
	if (table->options.color)
		tl_put_text(table->out, TL_COLOR_END);
	tl_put_char(table->out, '\n');
}

static void put_side(const struct tl_diff_table *table, const char *key, bool after)
{
	const struct tl_profile *profile = tl_diff_profile(table->diff, after);
	const char *format = tl_profile_format(profile);
	char text[TL_VALUE_ROOM];

	tl_put_text(table->out, key);
	if (!*format)
		format = "profile";
	tl_put_text(table->out, format);
	for (uint32_t i = 0; i < table->event_count; i++) {
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
	struct tl_diff_row total = total_row(table);

	if (!measure(table, &layout))
		return tl_error_memory(err);
	put_side(table, "before  ", false);
	put_side(table, "after   ", true);
	tl_put_char(table->out, '\n');
	put_titles(table, &layout);
	put_row(table, &layout, &total);
	for (size_t i = 0; i < table->shown && !tl_output_failed(table->out); i++)
		put_row(table, &layout, &table->rows[i]);
	put_left_out(table, table->count - table->shown, " more ", " (--all shows them)\n");
	put_left_out(table, table->below, " ", " below the threshold\n");
	put_left_out(table, table->unchanged, " ", " without a change (--all shows them)\n");
	free(layout.widths);
	return 0;
}
