/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comparison of several runs a side, as text, CSV, JSON or Markdown: what differs by more than
 * chance first, by the change of the median.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "core/sized.h"
#include "report/function_cell.h"
#include "report/name_text.h"
#include "report/number_text.h"
#include "report/runs/statistics.h"
#include "report/view.h"

enum { TEXT_ROWS = 40 };

struct runs_table {
	const struct tl_runs *runs;
	struct tl_report_options options;
	struct tl_output *out;
	struct tl_run_row *rows; /* the total, then sorted */
	size_t count, shown;
	size_t alike; /* rows that text leaves out, since nothing says that they differ */
};

static double change_of(const struct tl_run_row *row)
{
	return fabs(row->median_after - row->median_before);
}

static int by_weight(const void *left, const void *right)
{
	const struct tl_run_row *a = left, *b = right;
	double x = change_of(a), y = change_of(b);

	if (a->significant != b->significant)
		return a->significant ? -1 : 1;
	if (x != y)
		return tl_compare(y, x);
	return strcmp(a->function->name, b->function->name);
}

static int collect(struct runs_table *table, bool brief, struct tl_error *err)
{
	size_t count = tl_runs_row_count(table->runs);

	table->rows = malloc((count + 1) * sizeof(*table->rows));
	if (!table->rows)
		return tl_error_memory(err);
	for (size_t i = 0; i < count; i++) {
		struct tl_run_row *row = &table->rows[table->count];

		tl_runs_row(table->runs, i, row, sizeof(*row));
		if (i && brief && !row->significant)
			table->alike++;
		else
			table->count++;
	}
	qsort(table->rows + 1, table->count - 1, sizeof(*table->rows), by_weight);
	table->shown = table->count;
	if (!table->options.top && brief)
		table->options.top = TEXT_ROWS;
	if (table->options.top && table->options.top < table->count - 1)
		table->shown = table->options.top + 1;
	return 0;
}

/* ---- text and Markdown ---- */

static size_t put_percent(char *text, double percent)
{
	if (isnan(percent))
		return (size_t)snprintf(text, TL_VALUE_ROOM, "-");
	return (size_t)snprintf(text, TL_VALUE_ROOM, "%+.2f%%", percent);
}

static size_t put_cost(const struct runs_table *table, char *text, double cost)
{
	return tl_format_statistic(text, cost, tl_runs_rate(table->runs), table->options.seconds);
}

static size_t format_cell(const void *arg, size_t number, int column, char *text)
{
	const struct runs_table *table = arg;
	const struct tl_run_row *row = &table->rows[number];

	switch (column) {
	case 0:
		return put_cost(table, text, row->median_before);
	case 1:
		return put_cost(table, text, row->median_after);
	case 2:
		return put_percent(text, row->percent);
	case 3:
		if (isnan(row->low_percent))
			return put_percent(text, NAN);
		return (size_t)snprintf(text, TL_VALUE_ROOM, "%+.2f to %+.2f", row->low_percent,
					row->high_percent);
	case 4:
		return (size_t)snprintf(text, TL_VALUE_ROOM, "%.2g%s", row->adjusted_p,
					row->significant ? "*" : " ");
	default:
		return (size_t)snprintf(text, TL_VALUE_ROOM, "%+.1f", row->effect);
	}
}

static void put_name(const void *arg, size_t number, size_t used)
{
	const struct runs_table *table = arg;
	const struct tl_function *function = table->rows[number].function;

	tl_put_short_name(table->out, function ? function->name : "(total)",
			  tl_room_left(&table->options, used));
}

static const struct tl_statistics_text columns = {
	.titles = { "before", "after", "%", "95 % interval", "p", "effect" },
	.cell = format_cell,
	.put_name = put_name,
};

static void put_head(const struct runs_table *table, const char *end)
{
	const struct tl_run_row *total = &table->rows[0];

	tl_put_text(table->out, tl_runs_event(table->runs)->name);
	tl_put_format(table->out,
		      ": medians of %zu and %zu runs; p of Welch's t-test, corrected for %zu "
		      "functions (Benjamini and Hochberg), * at most 0.01%s",
		      total->before_count, total->after_count, tl_runs_row_count(table->runs) - 1,
		      end);
}

static void put_alike(const struct runs_table *table)
{
	if (table->count > table->shown)
		tl_put_format(table->out, "... %zu more (--all shows them)\n",
			      table->count - table->shown);
	if (table->alike)
		tl_put_format(table->out,
			      "... %zu without a difference beyond chance (--all shows them)\n",
			      table->alike);
}

static void put_text(const struct runs_table *table)
{
	put_head(table, "\n\n");
	tl_put_statistics_text(table->out, &columns, table, table->shown);
	put_alike(table);
}

static void put_markdown(const struct runs_table *table)
{
	char text[TL_VALUE_ROOM];

	put_head(table, "\n\n| function |");
	for (int column = 0; column < TL_STATISTICS_COLUMNS; column++)
		tl_put_format(table->out, " %s |", columns.titles[column]);
	tl_put_text(table->out, "\n|:--|--:|--:|--:|--:|--:|--:|\n");
	for (size_t i = 0; i < table->shown; i++) {
		const struct tl_function *function = table->rows[i].function;

		tl_put_text(table->out, "| ");
		if (function)
			tl_put_markdown_code(table->out, function->name);
		else
			tl_put_text(table->out, "**total**");
		tl_put_text(table->out, " |");
		for (int column = 0; column < TL_STATISTICS_COLUMNS; column++) {
			size_t size = format_cell(table, i, column, text);

			/* A star would begin emphasis. */
			if (text[size - 1] == '*')
				tl_put_format(table->out, " **%.*s** |", (int)size - 1, text);
			else
				tl_put_format(table->out, " %s |", text);
		}
		tl_put_char(table->out, '\n');
	}
	if (table->alike || table->count > table->shown)
		tl_put_char(table->out, '\n');
	put_alike(table);
}

/* ---- CSV and JSON ---- */

enum { NUMBERS = 8 };

static void take_numbers(const struct tl_run_row *row, struct tl_statistic numbers[NUMBERS])
{
	const struct tl_statistic all[NUMBERS] = {
		{ "median_before", row->median_before },
		{ "median_after", row->median_after },
		{ "percent", row->percent },
		{ "low_percent", row->low_percent },
		{ "high_percent", row->high_percent },
		{ "p", row->p },
		{ "adjusted_p", row->adjusted_p },
		{ "effect", row->effect },
	};

	memcpy(numbers, all, sizeof(all));
}

static void put_csv(const struct runs_table *table)
{
	struct tl_statistic numbers[NUMBERS];

	take_numbers(&table->rows[0], numbers);
	tl_put_statistics_head(table->out, numbers, NUMBERS);
	tl_put_text(table->out, ",significant\n");
	for (size_t r = 1; r < table->shown; r++) {
		const struct tl_run_row *row = &table->rows[r];

		take_numbers(row, numbers);
		tl_put_statistics_csv(table->out, row->function, numbers, NUMBERS);
		tl_put_text(table->out, row->significant ? ",1\n" : ",0\n");
	}
}

static void put_runs(struct tl_output *out, const char *key, const double *values, size_t count)
{
	tl_put_text(out, key);
	for (size_t i = 0; i < count; i++) {
		tl_put_char(out, i ? ',' : '[');
		tl_put_double(out, values[i]);
	}
	tl_put_char(out, ']');
}

static void put_json_row(const struct runs_table *table, const struct tl_run_row *row)
{
	struct tl_output *out = table->out;
	struct tl_statistic numbers[NUMBERS];

	tl_put_char(out, '{');
	if (row->function) {
		tl_put_json_function(out, row->function);
		tl_put_char(out, ',');
	}
	put_runs(out, "\"before\":", row->before, row->before_count);
	put_runs(out, ",\"after\":", row->after, row->after_count);
	take_numbers(row, numbers);
	tl_put_statistics_json(out, numbers, NUMBERS);
	tl_put_text(out, row->significant ? ",\"significant\":true}" : ",\"significant\":false}");
}

static void put_json(const struct runs_table *table)
{
	const char *event = tl_runs_event(table->runs)->name;
	const char *unit = tl_runs_rate(table->runs) ? "ns" : tl_runs_event(table->runs)->unit;

	tl_put_char(table->out, '{');
	tl_put_json_pair(table->out, "event", event);
	tl_put_char(table->out, ',');
	tl_put_json_pair(table->out, "unit", unit);
	tl_put_text(table->out, ",\"test\":\"welch\",\"correction\":\"benjamini-hochberg\","
				"\"level\":0.01,\"total\":");
	put_json_row(table, &table->rows[0]);
	tl_put_text(table->out, ",\"rows\":[");
	for (size_t i = 1; i < table->shown; i++) {
		if (i > 1)
			tl_put_char(table->out, ',');
		put_json_row(table, &table->rows[i]);
	}
	tl_put_text(table->out, "]}\n");
}

/* ---- the whole ---- */

static int make(struct runs_table *table, const struct tl_runs *runs,
		const struct tl_report_options *options, bool brief, struct tl_error *err)
{
	int status = 0;

	*table = (struct runs_table){ .runs = runs };
	if (options)
		status = tl_take_options(&table->options, sizeof(table->options),
					 sizeof(table->options), options, options->size, err);
	if (status == 0 && !tl_runs_row_count(runs))
		status = tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				     "the runs have not been compared");
	if (status < 0)
		return status;
	return collect(table, brief && !table->options.all, err);
}

static void put_form(const struct runs_table *table)
{
	if (table->options.form == TL_REPORT_CSV)
		put_csv(table);
	else if (table->options.form == TL_REPORT_JSON)
		put_json(table);
	else
		put_text(table);
}

int tl_report_runs(const struct tl_runs *runs, const struct tl_report_options *options,
		   struct tl_output *out, struct tl_error *err)
{
	bool brief = !options || options->form == TL_REPORT_TEXT;
	struct runs_table table;
	int status = make(&table, runs, options, brief, err);

	table.out = out;
	if (status == 0)
		put_form(&table);
	free(table.rows);
	return status;
}

int tl_report_runs_markdown(const struct tl_runs *runs, const struct tl_report_options *options,
			    struct tl_output *out, struct tl_error *err)
{
	struct runs_table table;
	int status = make(&table, runs, options, true, err);

	table.out = out;
	if (status == 0)
		put_markdown(&table);
	free(table.rows);
	return status;
}
