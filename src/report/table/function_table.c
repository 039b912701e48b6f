/* SPDX-License-Identifier: Apache-2.0 */
/* The function table: its rows. table_text.c and table_csv_json.c write them. */
#include "report/table/function_table.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "profile/derive/recursion.h"
#include "profile/model/part_lists.h"
#include "profile/model/unsized.h"

/* Rows in text, and of each interval, unless the options ask for more. */
enum { TEXT_ROWS = 40, INTERVAL_ROWS = 10 };

struct collection {
	struct tl_function_table *table;
	size_t capacity;
	bool *recursive;      /* by function; NULL: rows are of all */
	struct tl_arena kept; /* durations; cost vectors of rows over several parts */
};

static bool any_cost(const struct tl_view *view, const struct tl_function_totals *totals)
{
	for (uint32_t i = 0; i < tl_profile_event_count(view->profile); i++)
		if (totals->self[i] || totals->inclusive[i])
			return true;
	return false;
}

/* NULL without memory. */
static const struct tl_latency *latency_of(struct collection *to, uint32_t function, uint32_t part)
{
	static const struct tl_latency none = { 0 };
	struct tl_latency latency, *kept;

	if (function >= tl_profile_function_count(to->table->view.profile) ||
	    !tl_profile_latency_of(to->table->view.profile, function, part, &latency))
		return &none;
	kept = tl_arena_alloc(&to->kept, sizeof(*kept));
	if (kept)
		*kept = latency;
	return kept;
}

/*
 * A function whose calls never ended has a row; a function that was never called and has no cost
 * has none.
 */
static int add_row(struct collection *to, uint32_t function, uint32_t part, struct tl_error *err)
{
	struct tl_function_table *table = to->table;
	const struct tl_profile *profile = table->view.profile;
	struct tl_table_row row = { .function = function, .part = part, .thread = TL_NOWHERE };

	row.totals = tl_view_totals(&table->view, function, part);
	if (!row.totals.calls && !row.totals.unfinished && !any_cost(&table->view, &row.totals))
		return TL_OK;
	row.is = tl_view_function(&table->view, function);
	if (part != TL_NONE)
		row.thread = tl_profile_part(profile, part)->thread;
	if (part != TL_NONE)
		row.number = tl_profile_part(profile, part)->number;
	row.latency = latency_of(to, function, part);
	if (!row.latency)
		return tl_error_memory(err);
	if (!tl_grow(&table->rows, &to->capacity, table->count + 1, sizeof(row)))
		return tl_error_memory(err);
	table->rows[table->count++] = row;
	return TL_OK;
}

static int add_functions(struct collection *to, struct tl_error *err)
{
	const struct tl_view *view = &to->table->view;
	uint32_t count = tl_profile_function_count(view->profile);
	int status = TL_OK;

	if (!to->recursive)
		count = tl_view_function_count(view); /* with cycles */
	for (uint32_t i = 0; i < count && status == TL_OK; i++)
		if (tl_view_chosen(view, i) && (!to->recursive || to->recursive[i]))
			status = add_row(to, i, TL_NONE, err);
	return status;
}

static int add_threads(struct collection *to, struct tl_error *err)
{
	const struct tl_view *view = &to->table->view;
	uint32_t parts = tl_profile_part_count(view->profile);
	struct tl_part_lists lists;
	int status = tl_part_lists_make(&lists, view->profile) ? TL_OK : tl_error_memory(err);

	for (uint32_t part = 0; part < parts && status == TL_OK; part++)
		for (uint32_t i = lists.start[part]; i < lists.start[part + 1] && status == TL_OK;
		     i++) {
			uint32_t function = lists.functions[i];

			if (tl_view_chosen(view, function) &&
			    (!to->recursive || to->recursive[function]))
				status = add_row(to, function, part, err);
		}
	tl_part_lists_free(&lists);
	return status;
}

static int64_t *sum_costs(struct tl_arena *arena, uint32_t count, const int64_t *a,
			  const int64_t *b)
{
	int64_t *sum = tl_arena_alloc(arena, count * sizeof(*sum));

	for (uint32_t i = 0; sum && i < count; i++)
		sum[i] = tl_sum_saturating(a[i], b[i]);
	return sum;
}

static int join_rows(struct collection *to, struct tl_table_row *into,
		     const struct tl_table_row *row, struct tl_error *err)
{
	uint32_t count = tl_profile_event_count(to->table->view.profile);
	int64_t *self = sum_costs(&to->kept, count, into->totals.self, row->totals.self);
	int64_t *inclusive =
		sum_costs(&to->kept, count, into->totals.inclusive, row->totals.inclusive);

	if (!self || !inclusive)
		return tl_error_memory(err);
	into->totals.self = self;
	into->totals.inclusive = inclusive;
	into->totals.calls += row->totals.calls;
	into->totals.unfinished += row->totals.unfinished;
	into->totals.cut += row->totals.cut;
	return TL_OK;
}

static int compare_threads(const void *left, const void *right, void *context)
{
	const struct tl_profile *profile = context;
	const struct tl_table_row *a = left, *b = right;
	uint64_t p = tl_profile_part(profile, a->part)->process,
		 q = tl_profile_part(profile, b->part)->process;

	if (a->function != b->function)
		return tl_compare(a->function, b->function);
	if (p != q)
		return tl_compare(p, q);
	if (a->thread != b->thread)
		return tl_compare(a->thread, b->thread);
	return tl_compare(a->part, b->part);
}

static bool same_thread(const struct tl_profile *profile, const struct tl_table_row *a,
			const struct tl_table_row *b)
{
	return a->function == b->function && a->thread == b->thread &&
	       tl_profile_part(profile, a->part)->process ==
		       tl_profile_part(profile, b->part)->process;
}

/*
 * Callgrind may dump a thread in several parts; they get one row. Quantiles of durations cannot be
 * joined, so rows of a timed profile stay apart (each of its parts is a thread).
 */
static int join_parts(struct collection *to, struct tl_error *err)
{
	struct tl_function_table *table = to->table;
	const struct tl_profile *profile = table->view.profile;
	size_t kept = 0;

	if (table->view.timed || !table->count)
		return TL_OK;
	qsort_r(table->rows, table->count, sizeof(*table->rows), compare_threads,
		(void *)(uintptr_t)profile);
	for (size_t i = 0; i < table->count; i++) {
		if (!kept || !same_thread(profile, &table->rows[kept - 1], &table->rows[i])) {
			table->rows[kept++] = table->rows[i];
			continue;
		}
		int status = join_rows(to, &table->rows[kept - 1], &table->rows[i], err);

		if (status != TL_OK)
			return status;
	}
	table->count = kept;
	return TL_OK;
}

static int collect(struct collection *to, struct tl_error *err)
{
	const struct tl_view *view = &to->table->view;
	int status;

	if (view->options.recursive) {
		to->recursive = tl_profile_recursive(view->profile);
		if (!to->recursive)
			return tl_error_memory(err);
	}
	if (!view->options.threads && !view->options.intervals)
		return add_functions(to, err);
	status = add_threads(to, err);
	if (status == TL_OK && !view->options.intervals)
		status = join_parts(to, err);
	return status;
}

static void cut(struct tl_function_table *table)
{
	const struct tl_report_options *options = &table->view.options;
	size_t top = options->top;

	table->shown = table->count;
	if (options->intervals)
		return;
	if (!top && !options->all && options->form == TL_REPORT_TEXT)
		top = TEXT_ROWS;
	if (top && top < table->count)
		table->shown = top;
}

/* The first rows of each interval, which are in order, go before all others. */
static void cut_intervals(struct tl_function_table *table)
{
	const struct tl_report_options *options = &table->view.options;
	size_t top = options->top, kept = 0, of_part = 0;
	uint32_t part = TL_NONE;

	if (!top && !options->all && options->form == TL_REPORT_TEXT)
		top = INTERVAL_ROWS;
	for (size_t i = 0; i < table->count; i++) {
		of_part = table->rows[i].part == part ? of_part + 1 : 0;
		part = table->rows[i].part;
		if (!top || of_part < top || options->sort)
			tl_swap_rows(&table->rows[kept++], &table->rows[i]);
	}
	if (options->sort && top && top < kept)
		kept = top;
	table->shown = kept;
}

static int put_table(const struct tl_function_table *table, struct tl_error *err)
{
	switch (table->view.options.form) {
	case TL_REPORT_TEXT:
		return tl_function_table_put_text(table, err);
	case TL_REPORT_CSV:
		tl_function_table_put_csv(table);
		return TL_OK;
	case TL_REPORT_JSON:
		tl_function_table_put_json(table);
		return TL_OK;
	}
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "there is no such form of report");
}

static int report_table(const struct tl_profile *profile, const struct tl_report_options *options,
			struct tl_output *out, struct tl_error *err)
{
	struct tl_function_table table = { 0 };
	struct collection to = { .table = &table };
	int status = tl_view_open(&table.view, profile, options, out, err);

	if (status == TL_OK)
		status = collect(&to, err);
	if (status == TL_OK) {
		cut(&table);
		status = tl_rows_sort(&table.view, table.rows, table.count, table.shown, err);
	}
	if (status == TL_OK && table.view.options.intervals)
		cut_intervals(&table);
	if (status == TL_OK)
		status = put_table(&table, err);
	free(table.rows);
	free(to.recursive);
	tl_arena_free(&to.kept);
	tl_view_close(&table.view);
	return status;
}

/* Rows of files or objects are the functions of the profile that is grouped by them. */
int tl_report_functions(const struct tl_profile *profile, const struct tl_report_options *options,
			struct tl_output *out, struct tl_error *err)
{
	bool grouped = options && options->size >= offsetof(struct tl_report_options, cycles) &&
		       options->by != TL_BY_FUNCTION;
	struct tl_profile *groups;
	int status;

	if (!grouped)
		return report_table(profile, options, out, err);
	status = tl_profile_grouped(&groups, profile, options->by, err);
	if (status == TL_OK)
		status = report_table(groups, options, out, err);
	tl_profile_free(groups);
	return status;
}
