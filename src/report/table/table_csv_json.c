/* SPDX-License-Identifier: Apache-2.0 */
/* The function table as CSV (RFC 4180) and as one JSON object. */
#include <string.h>

#include "core/output.h"
#include "report/table/function_table.h"

/* Seconds in their shortest exact form have enough digits to compute the ticks again. */
static void put_time(const struct tl_view *view, uint64_t ticks)
{
	uint64_t frequency = tl_profile_frequency(view->profile);

	if (view->options.seconds && frequency)
		tl_put_double(view->out, (double)ticks / (double)frequency);
	else
		tl_put_u64(view->out, ticks);
}

static void put_number(const struct tl_view *view, const struct tl_column *column,
		       struct tl_table_number number)
{
	if (column->kind == TL_COLUMN_TIME) {
		put_time(view, number.magnitude);
		return;
	}
	if (number.negative)
		tl_put_char(view->out, '-');
	tl_put_u64(view->out, number.magnitude);
}

/* ---- CSV ---- */

/* The cost columns stand together, event by event. */
static bool first_cost(size_t column)
{
	return tl_columns[column].cost && !(column && tl_columns[column - 1].cost);
}

static void put_cost_heads(const struct tl_view *view)
{
	for (uint32_t i = 0; i < view->event_count; i++)
		for (size_t j = 0; j < tl_column_count(); j++)
			if (tl_columns[j].cost)
				tl_view_put_csv_event(view, i, tl_column_name(&tl_columns[j]));
}

static void put_costs(const struct tl_view *view, const struct tl_table_row *row)
{
	for (uint32_t i = 0; i < view->event_count; i++) {
		for (size_t j = 0; j < tl_column_count(); j++) {
			if (!tl_columns[j].cost)
				continue;
			tl_put_char(view->out, ',');
			tl_put_i64(view->out, tl_columns[j].cost(row)[view->events[i]]);
		}
	}
}

static void put_field(const struct tl_view *view, const struct tl_column *column,
		      const struct tl_table_row *row)
{
	if (column != tl_columns)
		tl_put_char(view->out, ',');
	if (column->text) {
		tl_put_csv(view->out, column->text(row));
		return;
	}
	struct tl_table_number number = column->number(row);

	if (number.known)
		put_number(view, column, number);
}

static void put_head_field(const struct tl_view *view, const struct tl_column *column)
{
	if (column != tl_columns)
		tl_put_char(view->out, ',');
	if (column == tl_columns)
		tl_put_text(view->out, tl_view_unit(view));
	else
		tl_put_text(view->out, tl_column_name(column));
}

/* A row; NULL: the head line. */
static void put_csv_line(const struct tl_view *view, const struct tl_table_row *row)
{
	for (size_t i = 0; i < tl_column_count(); i++) {
		if (!tl_column_shown(&tl_columns[i], view) ||
		    (tl_columns[i].cost && !first_cost(i)))
			continue;
		if (tl_columns[i].cost && row)
			put_costs(view, row);
		else if (tl_columns[i].cost)
			put_cost_heads(view);
		else if (row)
			put_field(view, &tl_columns[i], row);
		else
			put_head_field(view, &tl_columns[i]);
	}
	tl_put_char(view->out, '\n');
}

void tl_function_table_put_csv(const struct tl_function_table *table)
{
	put_csv_line(&table->view, NULL);
	for (size_t i = 0; i < table->shown && !tl_output_failed(table->view.out); i++)
		put_csv_line(&table->view, &table->rows[i]);
}

/* ---- JSON ---- */

static void put_json_field(const struct tl_view *view, const struct tl_column *column,
			   const struct tl_table_row *row)
{
	tl_put_text(view->out, ",\"");
	tl_put_text(view->out, tl_column_name(column));
	tl_put_text(view->out, "\":");
	if (column->cost) {
		tl_view_put_json_cost(view, column->cost(row));
		return;
	}
	struct tl_table_number number = column->number(row);

	if (number.known)
		put_number(view, column, number);
	else
		tl_put_text(view->out, "null");
}

/* Whether tl_view_put_json_function() writes the column. */
static bool identity(const struct tl_column *column)
{
	return (column->kind == TL_COLUMN_NAME || column->kind == TL_COLUMN_KEY) &&
	       !tl_column_of_part(column);
}

static void put_identity(const struct tl_view *view, const struct tl_table_row *row)
{
	tl_put_char(view->out, '{');
	if (tl_view_by_functions(view)) {
		tl_view_put_json_function(view, row->function);
		return;
	}
	tl_put_json(view->out, tl_view_unit(view), strlen(tl_view_unit(view)));
	tl_put_char(view->out, ':');
	tl_put_json(view->out, row->is->name, strlen(row->is->name));
}

static void put_exact(struct tl_output *out, const struct tl_latency *latency)
{
	tl_put_text(out, ",\"exact\":");
	tl_put_boolean(out, latency->exact || !latency->calls);
}

static void put_json_row(const struct tl_view *view, const struct tl_table_row *row)
{
	put_identity(view, row);
	for (size_t i = 0; i < tl_column_count(); i++)
		if (tl_column_shown(&tl_columns[i], view) && !identity(&tl_columns[i]))
			put_json_field(view, &tl_columns[i], row);
	if (view->timed)
		put_exact(view->out, row->latency);
	tl_put_char(view->out, '}');
}

void tl_function_table_put_json(const struct tl_function_table *table)
{
	const struct tl_view *view = &table->view;
	const char *unit = tl_view_unit(view);

	tl_put_char(view->out, '{');
	tl_view_put_json_head(view);
	tl_put_format(view->out, ",\"%s%s\":[", unit, unit[strlen(unit) - 1] == 's' ? "es" : "s");
	for (size_t i = 0; i < table->shown && !tl_output_failed(view->out); i++) {
		if (i)
			tl_put_char(view->out, ',');
		put_json_row(view, &table->rows[i]);
	}
	tl_put_text(view->out, "],");
	tl_view_put_json_losses(view);
	tl_put_text(view->out, "}\n");
}
