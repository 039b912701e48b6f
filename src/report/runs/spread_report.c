/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What functions cost in many files, as text, CSV or JSON: those first that differ most; then the
 * files that stand out.
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

enum {
	TEXT_ROWS = 40,
	NAME_COLUMNS = 24, /* that a name has at least, where a file is named behind it */
};

struct spread_table {
	const struct tl_spread *spread;
	struct tl_report_options options;
	struct tl_output *out;
	struct tl_spread_row *rows; /* the total, then sorted */
	struct tl_spread_origin *origins;
	size_t count, shown;
	size_t origin_count;
	size_t compared; /* origins that have the event */
	size_t far;      /* origins that stand out */
	const struct sort_column *column;
};

/* ---- the order ---- */

/* Names sort from A to Z; numbers by size, the largest first. */
struct sort_column {
	const char *name;
	const char *(*text)(const struct tl_spread_row *row);
	double (*number)(const struct tl_spread_row *row);
};

static const char *function_text(const struct tl_spread_row *row)
{
	return row->function->name;
}

static const char *object_text(const struct tl_spread_row *row)
{
	return row->function->object;
}

static const char *file_text(const struct tl_spread_row *row)
{
	return row->function->file;
}

static double count_number(const struct tl_spread_row *row)
{
	return (double)row->count;
}

static double min_number(const struct tl_spread_row *row)
{
	return row->min;
}

static double median_number(const struct tl_spread_row *row)
{
	return row->median;
}

static double max_number(const struct tl_spread_row *row)
{
	return row->max;
}

static double mean_number(const struct tl_spread_row *row)
{
	return row->mean;
}

static double deviation_number(const struct tl_spread_row *row)
{
	return row->deviation;
}

static double variation_number(const struct tl_spread_row *row)
{
	return isnan(row->variation) ? 0 : row->variation;
}

static double outliers_number(const struct tl_spread_row *row)
{
	return (double)row->outliers;
}

static const struct sort_column columns[] = {
	{ "deviation", NULL, deviation_number }, /* the default */
	{ "variation", NULL, variation_number }, { "min", NULL, min_number },
	{ "median", NULL, median_number },       { "max", NULL, max_number },
	{ "mean", NULL, mean_number },           { "outliers", NULL, outliers_number },
	{ "count", NULL, count_number },         { "function", function_text, NULL },
	{ "object", object_text, NULL },         { "file", file_text, NULL },
};

enum { SORT_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

const char *const *tl_report_spread_sort_columns(void)
{
	static const char *const names[] = { "deviation", "variation", "min",      "median",
					     "max",       "mean",      "outliers", "count",
					     "function",  "object",    "file",     NULL };

	_Static_assert(SORT_COLUMNS + 1 == sizeof(names) / sizeof(names[0]),
		       "each column has one name");
	return names;
}

static int choose_column(struct spread_table *table, struct tl_error *err)
{
	const char *name = table->options.sort;

	for (size_t i = 0; i < SORT_COLUMNS; i++)
		if (!name || !strcmp(columns[i].name, name)) {
			table->column = &columns[i];
			return 0;
		}
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "there is no such column");
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct tl_spread_row *a = left, *b = right;
	const struct spread_table *table = context;
	const struct sort_column *column = table->column;
	int order = 0;

	if (column->text) {
		order = strcmp(column->text(a), column->text(b));
	} else {
		double x = column->number(a), y = column->number(b);

		order = (x < y) - (x > y);
		if (table->options.ascending)
			order = -order;
	}
	if (!order)
		order = strcmp(a->function->name, b->function->name);
	if (!order)
		order = strcmp(a->function->object, b->function->object);
	return order ? order : strcmp(a->function->file, b->function->file);
}

/* ---- rows ---- */

static void take_origins(struct spread_table *table)
{
	for (size_t i = 0; i < table->origin_count; i++) {
		struct tl_spread_origin *origin = &table->origins[i];

		tl_spread_origin(table->spread, i, origin, sizeof(*origin));
		table->compared += origin->has_event;
		table->far += origin->stands_out;
	}
}

static int collect(struct spread_table *table, struct tl_error *err)
{
	bool brief = table->options.form == TL_REPORT_TEXT && !table->options.all;

	table->count = tl_spread_row_count(table->spread);
	table->origin_count = tl_spread_origin_count(table->spread);
	table->rows = malloc((table->count + 1) * sizeof(*table->rows));
	table->origins = malloc((table->origin_count + 1) * sizeof(*table->origins));
	if (!table->rows || !table->origins)
		return tl_error_memory(err);
	for (size_t i = 0; i < table->count; i++)
		tl_spread_row(table->spread, i, &table->rows[i], sizeof(*table->rows));
	take_origins(table);
	qsort_r(table->rows + 1, table->count - 1, sizeof(*table->rows), compare_rows, table);
	table->shown = table->count;
	if (!table->options.top && brief)
		table->options.top = TEXT_ROWS;
	if (table->options.top && table->options.top < table->count - 1)
		table->shown = table->options.top + 1;
	return 0;
}

static const char *unit_name(const struct spread_table *table, bool many)
{
	if (table->options.by == TL_BY_HOST)
		return many ? "hosts" : "host";
	if (table->options.by == TL_BY_CGROUP)
		return many ? "cgroups" : "cgroup";
	if (table->options.by == TL_BY_PROCESS)
		return many ? "processes" : "process";
	return many ? "files" : "file";
}

/* ---- text ---- */

static size_t put_cost(const struct spread_table *table, char *text, double cost)
{
	return tl_format_statistic(text, cost, tl_spread_rate(table->spread),
				   table->options.seconds);
}

static size_t format_cell(const void *arg, size_t number, int column, char *text)
{
	const struct spread_table *table = arg;
	const struct tl_spread_row *row = &table->rows[number];

	switch (column) {
	case 0:
		return put_cost(table, text, row->min);
	case 1:
		return put_cost(table, text, row->median);
	case 2:
		return put_cost(table, text, row->max);
	case 3:
		if (isnan(row->variation))
			return (size_t)snprintf(text, TL_VALUE_ROOM, "-");
		return (size_t)snprintf(text, TL_VALUE_ROOM, "%.2f%%", 100 * row->variation);
	case 4:
		return tl_format_count(text, row->outliers);
	default:
		return tl_format_count(text, row->count);
	}
}

/* The file has its last name where the terminal has no room for its path, then none. */
static void put_name(const void *arg, size_t number, size_t used)
{
	static const char between[] = ", most in ";
	const struct spread_table *table = arg;
	const struct tl_spread_row *row = &table->rows[number];
	const char *name = row->function ? row->function->name : "(total)", *most = row->most;
	const size_t width = table->options.width;
	const size_t room = width - tl_min(width, used + strlen(between));
	const size_t least = tl_min(tl_name_columns(name), (size_t)NAME_COLUMNS);

	if (width && least + tl_name_columns(most) > room)
		most = tl_last_name(most);
	if (width && least + tl_name_columns(most) > room)
		most = NULL;
	if (most)
		used += strlen(between) + tl_name_columns(most);
	tl_put_short_name(table->out, name, tl_room_left(&table->options, used));
	if (!most)
		return;
	tl_put_text(table->out, between);
	tl_put_name(table->out, most);
}

static void put_far_origin(const struct spread_table *table, const struct tl_spread_origin *origin)
{
	char total[TL_VALUE_ROOM], here[TL_VALUE_ROOM], median[TL_VALUE_ROOM];

	put_cost(table, total, origin->total);
	tl_put_name(table->out, origin->name);
	tl_put_format(table->out, ": total %s, score %+.1f", total, origin->score);
	if (origin->function) {
		put_cost(table, here, origin->cost);
		put_cost(table, median, origin->median);
		tl_put_format(table->out, "; by %zu function", origin->functions);
		tl_put_plural(table->out, origin->functions);
		tl_put_text(table->out, ", most of all ");
		tl_put_name(table->out, origin->function->name);
		tl_put_format(table->out, ": %s instead of %s", here, median);
	}
	tl_put_char(table->out, '\n');
}

static int further_off(const void *left, const void *right)
{
	const struct tl_spread_origin *a = left, *b = right;
	double x = fabs(a->score), y = fabs(b->score);

	if (a->stands_out != b->stands_out)
		return a->stands_out ? -1 : 1;
	if (x != y)
		return tl_compare(y, x);
	return strcmp(a->name, b->name);
}

static void put_far_origins(const struct spread_table *table)
{
	bool brief = !table->options.all && table->far > TEXT_ROWS;
	size_t shown = brief ? TEXT_ROWS : table->far;

	tl_put_format(table->out, "\n%zu of %zu %s", table->far, table->compared,
		      unit_name(table, table->compared != 1));
	tl_put_text(table->out, table->far == 1 ? " stands out" : " stand out");
	tl_put_text(table->out, table->far ? ", furthest off first:\n" : "\n");
	qsort(table->origins, table->origin_count, sizeof(*table->origins), further_off);
	for (size_t i = 0; i < shown; i++)
		put_far_origin(table, &table->origins[i]);
	if (brief)
		tl_put_format(table->out, "... %zu more (--all shows them)\n", table->far - shown);
}

static void put_text(const struct spread_table *table)
{
	static const struct tl_statistics_text text = {
		.titles = { "min", "median", "max", "variation", "out", "in" },
		.cell = format_cell,
		.put_name = put_name,
	};

	tl_put_text(table->out, tl_spread_event(table->spread));
	tl_put_format(table->out, " in %zu %s\n\n", table->compared,
		      unit_name(table, table->compared != 1));
	tl_put_statistics_text(table->out, &text, table, table->shown);
	if (table->count > table->shown)
		tl_put_format(table->out, "... %zu more (--all shows them)\n",
			      table->count - table->shown);
	put_far_origins(table);
}

/* ---- CSV and JSON ---- */

enum { NUMBERS = 8 };

static void take_numbers(const struct tl_spread_row *row, struct tl_statistic numbers[NUMBERS])
{
	const struct tl_statistic all[NUMBERS] = {
		{ "count", (double)row->count }, { "min", row->min },
		{ "median", row->median },       { "max", row->max },
		{ "mean", row->mean },           { "deviation", row->deviation },
		{ "variation", row->variation }, { "outliers", (double)row->outliers },
	};

	memcpy(numbers, all, sizeof(all));
}

static void put_csv_row(const struct spread_table *table, const struct tl_spread_row *row)
{
	struct tl_statistic numbers[NUMBERS];

	take_numbers(row, numbers);
	tl_put_statistics_csv(table->out, row->function, numbers, NUMBERS);
	tl_put_char(table->out, ',');
	tl_put_csv(table->out, row->least);
	tl_put_char(table->out, ',');
	tl_put_csv(table->out, row->most);
	tl_put_char(table->out, '\n');
}

static void put_csv(const struct spread_table *table)
{
	struct tl_statistic numbers[NUMBERS];

	take_numbers(&table->rows[0], numbers);
	tl_put_statistics_head(table->out, numbers, NUMBERS);
	tl_put_text(table->out, ",least_in,most_in\n");
	for (size_t i = 0; i < table->shown; i++)
		put_csv_row(table, &table->rows[i]);
}

static void put_json_row(const struct spread_table *table, const struct tl_spread_row *row)
{
	struct tl_statistic numbers[NUMBERS];

	tl_put_char(table->out, '{');
	if (row->function) {
		tl_put_json_function(table->out, row->function);
		tl_put_char(table->out, ',');
	}
	tl_put_json_pair(table->out, "least_in", row->least);
	tl_put_char(table->out, ',');
	tl_put_json_pair(table->out, "most_in", row->most);
	take_numbers(row, numbers);
	tl_put_statistics_json(table->out, numbers, NUMBERS);
	tl_put_char(table->out, '}');
}

static void put_json_origin(const struct spread_table *table, const struct tl_spread_origin *origin)
{
	const struct tl_statistic whole[] = {
		{ "total", origin->total },
		{ "score", origin->score },
		{ "functions", (double)origin->functions },
	};
	const struct tl_statistic furthest[] = { { "cost", origin->cost },
						 { "median", origin->median } };
	struct tl_output *out = table->out;

	tl_put_char(out, '{');
	tl_put_json_pair(out, "name", origin->name);
	if (!origin->has_event) {
		tl_put_text(out, ",\"has_event\":false}");
		return;
	}
	tl_put_text(out, ",\"has_event\":true,\"stands_out\":");
	tl_put_boolean(out, origin->stands_out);
	tl_put_statistics_json(out, whole, sizeof(whole) / sizeof(whole[0]));
	if (origin->function) {
		tl_put_text(out, ",\"furthest\":{");
		tl_put_json_function(out, origin->function);
		tl_put_statistics_json(out, furthest, sizeof(furthest) / sizeof(furthest[0]));
		tl_put_char(out, '}');
	}
	tl_put_char(out, '}');
}

static void put_json(const struct spread_table *table)
{
	struct tl_output *out = table->out;

	tl_put_char(out, '{');
	tl_put_json_pair(out, "event", tl_spread_event(table->spread));
	tl_put_char(out, ',');
	tl_put_json_pair(out, "unit", tl_spread_unit(table->spread));
	tl_put_format(out, ",\"compared\":%zu,\"total\":", table->compared);
	put_json_row(table, &table->rows[0]);
	tl_put_text(out, ",\"rows\":[");
	for (size_t i = 1; i < table->shown; i++) {
		if (i > 1)
			tl_put_char(out, ',');
		put_json_row(table, &table->rows[i]);
	}
	tl_put_format(out, "],\"%s\":[", unit_name(table, true));
	for (size_t i = 0; i < table->origin_count; i++) {
		if (i)
			tl_put_char(out, ',');
		put_json_origin(table, &table->origins[i]);
	}
	tl_put_text(out, "]}\n");
}

/* ---- the whole ---- */

int tl_report_spread(const struct tl_spread *spread, const struct tl_report_options *options,
		     struct tl_output *out, struct tl_error *err)
{
	struct spread_table table = { .spread = spread, .out = out };
	int status = 0;

	if (options)
		status = tl_take_options(&table.options, sizeof(table.options),
					 sizeof(table.options), options, options->size, err);
	if (status == 0)
		status = choose_column(&table, err);
	if (status == 0)
		status = collect(&table, err);
	if (status == 0 && table.options.form == TL_REPORT_CSV)
		put_csv(&table);
	else if (status == 0 && table.options.form == TL_REPORT_JSON)
		put_json(&table);
	else if (status == 0)
		put_text(&table);
	free(table.rows);
	free(table.origins);
	return status;
}
