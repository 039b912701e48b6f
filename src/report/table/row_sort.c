/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the function table. */
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "report/table/columns.h"

/* llvm-xray's names of its columns. */
static const struct {
	const char *alias, *name;
	/* clang-format off */
} aliases[] = {
	{ "funcid", "id" },  { "func", "function" }, { "count", "calls" },
	{ "med", "median" }, { "90p", "p90" },	     { "99p", "p99" },
};
/* clang-format on */

struct row_order {
	const struct tl_view *view;
	const struct tl_column *column;
	uint32_t event;
	bool ascending;
	bool by_interval;
};

static const struct tl_column *find_column(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strlen(aliases[i].alias) == length && !memcmp(aliases[i].alias, name, length))
			return find_column(aliases[i].name, strlen(aliases[i].name));
	for (size_t i = 0; i < tl_column_count(); i++) {
		const char *known = tl_column_name(&tl_columns[i]);

		if (strlen(known) == length && !memcmp(known, name, length))
			return &tl_columns[i];
	}
	return NULL;
}

static bool find_event(const struct tl_profile *profile, const char *name, size_t length,
		       uint32_t *event)
{
	for (uint32_t i = 0; i < tl_profile_event_count(profile); i++) {
		const char *known = tl_profile_event(profile, i)->name;

		if (strlen(known) == length && !memcmp(known, name, length)) {
			*event = i;
			return true;
		}
	}
	return false;
}

/* "inclusive" is of the first event, "Ir:inclusive" of a named one, as in the head of CSV. */
static int choose_column(struct row_order *order, const char *name, struct tl_error *err)
{
	const char *colon = strrchr(name, ':');
	const char *column = name;

	if (colon)
		column = colon + 1;
	if (!strcmp(name, tl_view_unit(order->view)))
		order->column = tl_columns;
	else
		order->column = find_column(column, strlen(column));
	if (!order->column || (colon && order->column->kind != TL_COLUMN_COST))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "there is no such column to sort by");
	if (colon && !find_event(order->view->profile, name, (size_t)(colon - name), &order->event))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "there is no such event to sort by");
	if (order->column->kind == TL_COLUMN_NAME || order->column->kind == TL_COLUMN_KEY)
		order->ascending = true;
	if (!tl_column_shown(order->column, order->view))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "this table does not have the column to sort by");
	return TL_OK;
}

/* An unknown number is less than any other. */
static int compare_numbers(struct tl_table_number a, struct tl_table_number b)
{
	if (a.known != b.known)
		return a.known ? 1 : -1;
	if (a.negative != b.negative)
		return a.negative ? -1 : 1;
	int order = tl_compare(a.magnitude, b.magnitude);

	if (a.negative)
		order = -order;
	return order;
}

static int compare_column(const struct row_order *order, const struct tl_table_row *a,
			  const struct tl_table_row *b)
{
	const struct tl_column *column = order->column;
	int result;

	if (column->text)
		result = strcmp(column->text(a), column->text(b));
	else
		result = compare_numbers(tl_column_number(column, a, order->event),
					 tl_column_number(column, b, order->event));
	if (!order->ascending)
		result = -result;
	return result;
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct row_order *order = context;
	const struct tl_table_row *a = left, *b = right;
	uint32_t event = order->view->events[0];
	int result = 0;

	if (order->by_interval)
		result = tl_compare(a->part, b->part);
	if (!result)
		result = compare_column(order, a, b);
	if (!result)
		result = (a->totals.inclusive[event] < b->totals.inclusive[event]) -
			 (a->totals.inclusive[event] > b->totals.inclusive[event]);
	if (!result)
		result = tl_view_compare_names(order->view, a->function, b->function);
	if (!result)
		result = tl_compare(a->part, b->part);
	return result;
}

void tl_swap_rows(struct tl_table_row *a, struct tl_table_row *b)
{
	struct tl_table_row row = *a;

	*a = *b;
	*b = row;
}

/* Move a row of a heap, whose root is the last in order, down to its place. */
static void sift_down(const struct row_order *order, struct tl_table_row *heap, size_t at,
		      size_t count)
{
	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count &&
		    compare_rows(&heap[child], &heap[child + 1], (void *)(uintptr_t)order) < 0)
			child++;
		if (compare_rows(&heap[at], &heap[child], (void *)(uintptr_t)order) >= 0)
			return;
		tl_swap_rows(&heap[at], &heap[child]);
	}
}

/*
 * Move the first `wanted` rows to the front, in any order: a heap of them, whose root is the last,
 * is faster than sorting all rows, of which few are shown.
 */
static void select_rows(const struct row_order *order, struct tl_table_row *rows, size_t count,
			size_t wanted)
{
	for (size_t i = wanted / 2; i-- > 0;)
		sift_down(order, rows, i, wanted);
	for (size_t i = wanted; i < count; i++)
		if (compare_rows(&rows[i], &rows[0], (void *)(uintptr_t)order) < 0) {
			tl_swap_rows(&rows[i], &rows[0]);
			sift_down(order, rows, 0, wanted);
		}
}

int tl_rows_sort(const struct tl_view *view, struct tl_table_row *rows, size_t count, size_t shown,
		 struct tl_error *err)
{
	struct row_order order = { .view = view,
				   .event = view->events[0],
				   .ascending = view->options.ascending,
				   .by_interval = view->options.intervals && !view->options.sort };
	const char *column = "self";
	int status;

	if (view->options.sort)
		column = view->options.sort;
	status = choose_column(&order, column, err);
	if (status != TL_OK || count < 2 || !shown)
		return status;
	if (shown < count)
		select_rows(&order, rows, count, shown);
	qsort_r(rows, shown, sizeof(*rows), compare_rows, &order);
	return TL_OK;
}
