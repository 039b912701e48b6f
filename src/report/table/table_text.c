/* SPDX-License-Identifier: Apache-2.0 */
/* The function table as text: aligned columns, names last, where they have most room. */
#include <stdio.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/output.h"
#include "profile/model/unsized.h"
#include "report/number_text.h"
#include "report/table/function_table.h"

enum {
	NAME_COLUMNS = 24, /* kept free for names when columns are left out to fit the terminal */
	GAP = 2,           /* blanks between columns */
	SPARE_EVENT = 100, /* further events are left out before anything else */
	SPARE_SHARE = 1,   /* the share of the inclusive cost is left out last */
};

/* A column of text: a column of the table, or its share of the total. */
struct cell_column {
	const struct tl_column *column;
	uint32_t event;
	bool share;
	unsigned spare;
	size_t width;
};

struct table_layout {
	struct cell_column *columns;
	size_t count;
	size_t left_out; /* columns that the terminal has no room for */
};

/* ---- choice of columns ---- */

static bool any_cut(const struct tl_profile *profile)
{
	struct tl_function_totals totals = { 0 };

	for (uint32_t i = 0; i < tl_profile_function_count(profile) && !totals.cut; i++)
		tl_profile_totals_of(profile, i, TL_NONE, &totals);
	return totals.cut > 0;
}

static bool text_column(const struct tl_column *column, const struct tl_view *view)
{
	bool numeric =
		column->cost || column->kind == TL_COLUMN_COUNT || column->kind == TL_COLUMN_TIME;
	struct tl_losses losses;

	if (!tl_column_shown(column, view) || (!numeric && !tl_column_of_part(column)))
		return false;
	if (!strcmp(tl_column_name(column), "cut"))
		return any_cut(view->profile);
	if (!strcmp(tl_column_name(column), "calls"))
		return view->counts_calls;
	if (strcmp(tl_column_name(column), "unfinished"))
		return true;
	losses = tl_profile_losses_of(view->profile);
	return losses.unfinished > 0;
}

/*
 * A profile may have sixteen events, which would be 32 columns. Unless events were chosen, self
 * costs of all events are shown, and the other costs of the first event only.
 */
static void add_cost_columns(struct table_layout *layout, const struct tl_column *column,
			     const struct tl_view *view)
{
	uint32_t events = view->event_count;

	if (!view->options.events && strcmp(tl_column_name(column), "self") != 0)
		events = 1;
	for (uint32_t i = 0; i < events; i++) {
		struct cell_column cell = { .column = column, .event = view->events[i] };

		if (i)
			cell.spare = SPARE_EVENT + i;
		layout->columns[layout->count++] = cell;
		if (i)
			continue;
		cell.share = true;
		if (strcmp(tl_column_name(column), "self") != 0)
			cell.spare = SPARE_SHARE;
		layout->columns[layout->count++] = cell;
	}
}

static bool orders(const struct tl_column *column, const struct tl_view *view)
{
	return view->options.sort && !strcmp(view->options.sort, tl_column_name(column));
}

/* Room for every column once, every cost once per event, and the shares of the first event. */
static bool choose_columns(struct table_layout *layout, const struct tl_view *view)
{
	layout->columns =
		calloc(tl_column_count() * (view->event_count + 2), sizeof(*layout->columns));
	if (!layout->columns)
		return false;
	for (size_t i = 0; i < tl_column_count(); i++) {
		const struct tl_column *column = &tl_columns[i];

		if (!text_column(column, view))
			continue;
		struct cell_column cell = { .column = column };

		if (column->cost) {
			add_cost_columns(layout, column, view);
			continue;
		}
		if (!orders(column, view))
			cell.spare = column->spare;
		layout->columns[layout->count++] = cell;
	}
	return true;
}

/* ---- cells ---- */

static size_t format_time(const struct tl_view *view, char *text, uint64_t ticks, uint64_t rate)
{
	if (view->options.seconds)
		return tl_format_seconds(text, ticks, rate);
	return tl_format_time(text, ticks, rate);
}

static size_t format_number(const struct tl_view *view, const struct cell_column *cell,
			    struct tl_table_number number, char *text)
{
	char *p = text;
	uint64_t rate = 0;

	if (!number.known) {
		strcpy(text, "-");
		return 1;
	}
	if (cell->column->kind == TL_COLUMN_KEY)
		return (size_t)(tl_format_u64(text, number.magnitude) - text);
	if (number.negative)
		*p++ = '-';
	if (cell->column->cost)
		rate = tl_view_rate(view, cell->event);
	else if (cell->column->kind == TL_COLUMN_TIME)
		rate = tl_profile_frequency(view->profile);
	return (size_t)(p - text) + format_time(view, p, number.magnitude, rate);
}

static size_t format_cell(const struct tl_view *view, const struct cell_column *cell,
			  const struct tl_table_row *row, char *text)
{
	const int64_t *total = tl_profile_total(view->profile);

	if (cell->share)
		return tl_format_share(text, cell->column->cost(row)[cell->event],
				       total[cell->event]);
	return format_number(view, cell, tl_column_number(cell->column, row, cell->event), text);
}

/* "self", and for further events "Bc:self". */
static size_t format_title(const struct tl_view *view, const struct cell_column *cell, char *text,
			   size_t size)
{
	const char *name = tl_column_name(cell->column);
	int length;

	if (cell->share)
		length = snprintf(text, size, "%%");
	else if (cell->column->cost && view->event_count > 1)
		length = snprintf(text, size, "%s:%s",
				  tl_profile_event(view->profile, cell->event)->name, name);
	else
		length = snprintf(text, size, "%s", name);
	if (length < 0)
		return 0;
	if ((size_t)length >= size)
		return size - 1;
	return (size_t)length;
}

/* ---- widths ---- */

static void widen(const struct tl_view *view, const struct table_layout *layout,
		  const struct tl_table_row *row)
{
	char text[TL_VALUE_ROOM];

	for (size_t i = 0; i < layout->count; i++) {
		size_t width = format_cell(view, &layout->columns[i], row, text);

		if (width > layout->columns[i].width)
			layout->columns[i].width = width;
	}
}

static void measure(const struct tl_function_table *table, const struct table_layout *layout,
		    const struct tl_table_row *sums)
{
	char title[64];

	for (size_t i = 0; i < layout->count; i++)
		layout->columns[i].width =
			format_title(&table->view, &layout->columns[i], title, sizeof(title));
	widen(&table->view, layout, sums);
	for (size_t i = 0; i < table->shown; i++)
		widen(&table->view, layout, &table->rows[i]);
}

static size_t most_spare(const struct table_layout *layout)
{
	size_t found = 0;

	for (size_t i = 1; i < layout->count; i++)
		if (layout->columns[i].spare >= layout->columns[found].spare)
			found = i;
	return found;
}

/* Leave columns out until names have room on the terminal; the column that sorts the rows stays. */
static void fit(struct table_layout *layout, unsigned width)
{
	size_t total = NAME_COLUMNS;

	for (size_t i = 0; i < layout->count; i++)
		total += layout->columns[i].width + GAP;
	while (width && total > width && layout->count) {
		size_t spare = most_spare(layout);

		if (!layout->columns[spare].spare)
			return;
		total -= layout->columns[spare].width + GAP;
		memmove(&layout->columns[spare], &layout->columns[spare + 1],
			(layout->count - spare - 1) * sizeof(*layout->columns));
		layout->count--;
		layout->left_out++;
	}
}

/* ---- lines ---- */

static void put_heads(const struct tl_view *view, const struct table_layout *layout)
{
	char title[64];

	if (view->options.color)
		tl_put_text(view->out, TL_COLOR_DIM);
	for (size_t i = 0; i < layout->count; i++) {
		size_t length = format_title(view, &layout->columns[i], title, sizeof(title));

		tl_put_right(view->out, title, length, layout->columns[i].width);
		tl_put_blanks(view->out, GAP);
	}
	tl_put_text(view->out, tl_view_unit(view));
	if (view->options.color)
		tl_put_text(view->out, TL_COLOR_END);
	tl_put_char(view->out, '\n');
}

static void put_row(const struct tl_view *view, const struct table_layout *layout,
		    const struct tl_table_row *row)
{
	const char *color = NULL;
	char text[TL_VALUE_ROOM];
	size_t used = 0;

	if (row->function != TL_NONE)
		color = tl_view_color(view, row->totals.self[view->events[0]]);
	if (color)
		tl_put_text(view->out, color);
	for (size_t i = 0; i < layout->count; i++) {
		size_t length = format_cell(view, &layout->columns[i], row, text);

		tl_put_right(view->out, text, length, layout->columns[i].width);
		tl_put_blanks(view->out, GAP);
		used += layout->columns[i].width + GAP;
	}
	if (row->function == TL_NONE)
		tl_put_text(view->out, "(total)");
	else
		tl_view_put_function(view, row->function, used);
	if (color)
		tl_put_text(view->out, TL_COLOR_END);
	tl_put_char(view->out, '\n');
}

/* The line of sums: self and inclusive cost are both the total of the profile. */
static struct tl_table_row add_up(const struct tl_function_table *table, struct tl_latency *latency)
{
	struct tl_table_row sums = {
		.function = TL_NONE, .part = TL_NONE, .thread = TL_NOWHERE, .latency = latency
	};

	sums.totals.self = sums.totals.inclusive = tl_profile_total(table->view.profile);
	for (size_t i = 0; i < table->count; i++) {
		if (table->rows[i].function >= tl_profile_function_count(table->view.profile))
			continue; /* a cycle, whose functions have rows */
		sums.totals.calls += table->rows[i].totals.calls;
		sums.totals.unfinished += table->rows[i].totals.unfinished;
		sums.totals.cut += table->rows[i].totals.cut;
		latency->sum += table->rows[i].latency->sum;
	}
	return sums;
}

static void put_foot(const struct tl_function_table *table, const struct table_layout *layout)
{
	const struct tl_view *view = &table->view;
	bool exact = true;

	if (table->shown < table->count) {
		tl_put_text(view->out, "... ");
		tl_put_count(view->out, table->count - table->shown);
		tl_put_format(view->out, " more %s", tl_view_unit(view));
		tl_put_plural(view->out, table->count - table->shown);
		tl_put_text(view->out, " (--all shows them)\n");
	}
	if (layout->left_out) {
		tl_put_format(view->out, "... %zu more column", layout->left_out);
		tl_put_plural(view->out, layout->left_out);
		tl_put_text(view->out, " (--wide shows them)\n");
	}
	for (size_t i = 0; i < table->shown; i++)
		exact = exact && (table->rows[i].latency->exact || !table->rows[i].latency->calls);
	if (!exact)
		tl_put_text(view->out,
			    "median, p90 and p99 are within 0.4% where calls are many (--exact: "
			    "exact)\n");
}

int tl_function_table_put_text(const struct tl_function_table *table, struct tl_error *err)
{
	struct table_layout layout = { 0 };
	struct tl_latency durations = { 0 };
	struct tl_table_row sums = add_up(table, &durations);

	if (!choose_columns(&layout, &table->view))
		return tl_error_memory(err);
	measure(table, &layout, &sums);
	fit(&layout, table->view.options.width);
	tl_view_put_head(&table->view);
	put_heads(&table->view, &layout);
	put_row(&table->view, &layout, &sums);
	for (size_t i = 0; i < table->shown && !tl_output_failed(table->view.out); i++)
		put_row(&table->view, &layout, &table->rows[i]);
	put_foot(table, &layout);
	free(layout.columns);
	return TL_OK;
}
