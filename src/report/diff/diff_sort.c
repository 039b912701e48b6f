/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the table of differences. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "report/diff/diff_table.h"

/* Columns of names sort as text, from A to Z; those of numbers by size, largest first. */
struct column {
	double (*size)(const struct tl_diff_row *row, uint32_t event);
	const char *(*text)(const struct tl_diff_row *row);
};

struct diff_order {
	const struct column *column;
	uint32_t event;
	bool ascending;
};

static double change_size(const struct tl_diff_row *row, uint32_t event)
{
	return fabs((double)tl_diff_change(row, event));
}

/* A cost that was 0 before has grown by more than any percentage. */
static double percent_size(const struct tl_diff_row *row, uint32_t event)
{
	double change = change_size(row, event);

	if (!row->before[event])
		return change > 0 ? INFINITY : 0;
	return change / fabs((double)row->before[event]);
}

static double before_size(const struct tl_diff_row *row, uint32_t event)
{
	return (double)row->before[event];
}

static double after_size(const struct tl_diff_row *row, uint32_t event)
{
	return (double)row->after[event];
}

static double calls_size(const struct tl_diff_row *row, uint32_t event)
{
	(void)event;
	return fabs((double)row->calls_after - (double)row->calls_before);
}

static const char *function_text(const struct tl_diff_row *row)
{
	return row->function->name;
}

static const char *caller_text(const struct tl_diff_row *row)
{
	if (!row->caller)
		return "";
	return row->caller->name;
}

static const char *object_text(const struct tl_diff_row *row)
{
	return row->function->object;
}

static const char *file_text(const struct tl_diff_row *row)
{
	return row->file;
}

static const char *const names[] = {
	"change",   "percent", "before", "after", "calls",
	"function", "caller",  "object", "file",  NULL,
};
/* clang-format off */
static const struct column columns[] = {
	{ change_size, NULL },   { percent_size, NULL }, { before_size, NULL },
	{ after_size, NULL },    { calls_size, NULL },
	{ NULL, function_text }, { NULL, caller_text },  { NULL, object_text }, { NULL, file_text },
};
/* clang-format on */
_Static_assert(sizeof(columns) / sizeof(columns[0]) + 1 == sizeof(names) / sizeof(names[0]),
	       "each column has one name");

const char *const *tl_report_diff_sort_columns(void)
{
	return names;
}

static int choose_column(struct diff_order *order, const struct tl_diff *diff, const char *name,
			 struct tl_error *err)
{
	const char *colon = strrchr(name, ':'), *column = name;
	bool known = !colon;

	if (colon)
		column = colon + 1;
	for (size_t i = 0; names[i]; i++)
		if (!strcmp(names[i], column))
			order->column = &columns[i];
	if (!order->column || (colon && order->column->text))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "there is no such column to sort by");
	for (uint32_t e = 0; !known && e < tl_diff_event_count(diff); e++) {
		const char *event = tl_diff_event(diff, e)->name;

		if (strlen(event) != (size_t)(colon - name) ||
		    memcmp(event, name, strlen(event)) != 0)
			continue;
		order->event = e;
		known = true;
	}
	if (!known)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "there is no such event to sort by");
	return 0;
}

static int compare_column(const struct diff_order *order, const struct tl_diff_row *a,
			  const struct tl_diff_row *b)
{
	int result;

	if (order->column->text) {
		result = strcmp(order->column->text(a), order->column->text(b));
	} else {
		double x = order->column->size(a, order->event),
		       y = order->column->size(b, order->event);

		result = (x < y) - (x > y);
	}
	if (order->ascending)
		result = -result;
	return result;
}

/* The order of rows with the same change: by names, then by places. */
static int compare_identity(const struct tl_diff_row *a, const struct tl_diff_row *b)
{
	static const char *(*const texts[])(const struct tl_diff_row *row) = {
		function_text, caller_text, object_text, file_text
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		int result = strcmp(texts[i](a), texts[i](b));

		if (result)
			return result;
	}
	if (a->line != b->line)
		return tl_compare(a->line, b->line);
	if (a->caller && b->caller && strcmp(a->caller->object, b->caller->object))
		return strcmp(a->caller->object, b->caller->object);
	if (a->caller && b->caller && strcmp(a->caller->file, b->caller->file))
		return strcmp(a->caller->file, b->caller->file);
	return strcmp(a->function->file, b->function->file);
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct tl_diff_row *a = left, *b = right;
	const struct diff_order *order = context;
	int result = compare_column(order, a, b);

	if (!result && !order->column->text) {
		double x = change_size(a, order->event), y = change_size(b, order->event);

		result = (x < y) - (x > y);
	}
	if (!result)
		result = compare_identity(a, b);
	return result;
}

int tl_diff_sort(const struct tl_diff_table *table, struct tl_error *err)
{
	struct diff_order order = { .event = table->events[0],
				    .ascending = table->options.ascending };
	const char *column = "change";
	int status;

	if (table->options.sort)
		column = table->options.sort;
	status = choose_column(&order, table->diff, column, err);
	if (status == 0 && table->count > 1)
		qsort_r(table->rows, table->count, sizeof(*table->rows), compare_rows, &order);
	return status;
}
