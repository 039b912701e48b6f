/* SPDX-License-Identifier: Apache-2.0 */
#include "report/table/columns.h"

/* clang-format off */
static const char *const names[] = {
	"function", "object", "file",   "line", "id",  "thread", "interval", "self", "inclusive",
	"calls",    "min",    "median", "p90",  "p99", "max",    "sum",  "unfinished",
	"cut",	    NULL,
};
/* clang-format on */

static const char *function_text(const struct tl_table_row *row)
{
	return row->is->name;
}

static const char *object_text(const struct tl_table_row *row)
{
	return row->is->object;
}

static const char *file_text(const struct tl_table_row *row)
{
	return row->is->file;
}

static struct tl_table_number key(uint64_t value, bool known)
{
	return (struct tl_table_number){ .magnitude = value, .known = known };
}

static struct tl_table_number line_number(const struct tl_table_row *row)
{
	return key(row->is->line, row->is->line);
}

static struct tl_table_number id_number(const struct tl_table_row *row)
{
	return key(row->is->id, row->is->id != TL_NOWHERE);
}

static struct tl_table_number thread_number(const struct tl_table_row *row)
{
	return key(row->thread, row->thread != TL_NOWHERE);
}

static struct tl_table_number interval_number(const struct tl_table_row *row)
{
	return key(row->number - 1, row->number != 0);
}

static const int64_t *self_cost(const struct tl_table_row *row)
{
	return row->totals.self;
}

static const int64_t *inclusive_cost(const struct tl_table_row *row)
{
	return row->totals.inclusive;
}

static struct tl_table_number calls_number(const struct tl_table_row *row)
{
	return key(row->totals.calls, true);
}

static struct tl_table_number unfinished_number(const struct tl_table_row *row)
{
	return key(row->totals.unfinished, true);
}

static struct tl_table_number cut_number(const struct tl_table_row *row)
{
	return key(row->totals.cut, true);
}

/* Without a finished call there is no shortest call, but the sum of all durations is 0. */
#define LATENCY(field, known)                                                                      \
	static struct tl_table_number field##_number(const struct tl_table_row *row)               \
	{                                                                                          \
		return key(row->latency->field, known);                                            \
	}
LATENCY(min, row->latency->calls)
LATENCY(median, row->latency->calls)
LATENCY(p90, row->latency->calls)
LATENCY(p99, row->latency->calls)
LATENCY(max, row->latency->calls)
/* Where the durations of calls are not known, neither is their sum; a row of sums has only that. */
LATENCY(sum, row->latency->sum || row->latency->calls || row->totals.cut == row->totals.calls)
#undef LATENCY

/* clang-format off */
const struct tl_column tl_columns[] = {
	/*
	 * kind             text           number             cost            of               spare
	 */
	{ TL_COLUMN_NAME,  function_text, NULL,              NULL,           TL_OF_ALL,       0 },
	{ TL_COLUMN_NAME,  object_text,   NULL,              NULL,           TL_OF_ALL,       0 },
	{ TL_COLUMN_NAME,  file_text,     NULL,              NULL,           TL_OF_ALL,       0 },
	{ TL_COLUMN_KEY,   NULL,          line_number,       NULL,           TL_OF_ALL,       0 },
	{ TL_COLUMN_KEY,   NULL,          id_number,         NULL,           TL_OF_ALL,       0 },
	{ TL_COLUMN_KEY,   NULL,          thread_number,     NULL,           TL_OF_THREADS,   0 },
	{ TL_COLUMN_KEY,   NULL,          interval_number,   NULL,           TL_OF_INTERVALS, 0 },
	{ TL_COLUMN_COST,  NULL,          NULL,              self_cost,      TL_OF_ALL,       0 },
	{ TL_COLUMN_COST,  NULL,          NULL,              inclusive_cost, TL_OF_ALL,       0 },
	{ TL_COLUMN_COUNT, NULL,          calls_number,      NULL,           TL_OF_ALL,       0 },
	{ TL_COLUMN_TIME,  NULL,          min_number,        NULL,           TL_OF_CALLS,     6 },
	{ TL_COLUMN_TIME,  NULL,          median_number,     NULL,           TL_OF_CALLS,     2 },
	{ TL_COLUMN_TIME,  NULL,          p90_number,        NULL,           TL_OF_CALLS,     7 },
	{ TL_COLUMN_TIME,  NULL,          p99_number,        NULL,           TL_OF_CALLS,     5 },
	{ TL_COLUMN_TIME,  NULL,          max_number,        NULL,           TL_OF_CALLS,     4 },
	{ TL_COLUMN_TIME,  NULL,          sum_number,        NULL,           TL_OF_CALLS,     8 },
	{ TL_COLUMN_COUNT, NULL,          unfinished_number, NULL,           TL_OF_CALLS,     3 },
	{ TL_COLUMN_COUNT, NULL,          cut_number,        NULL,           TL_OF_CALLS,     0 },
};
/* clang-format on */

enum { COLUMN_COUNT = sizeof(tl_columns) / sizeof(tl_columns[0]) };
_Static_assert(COLUMN_COUNT + 1 == sizeof(names) / sizeof(names[0]), "each column has one name");

size_t tl_column_count(void)
{
	return COLUMN_COUNT;
}

const char *tl_column_name(const struct tl_column *column)
{
	return names[column - tl_columns];
}

struct tl_table_number tl_column_number(const struct tl_column *column,
					const struct tl_table_row *row, uint32_t event)
{
	if (!column->cost)
		return column->number(row);
	int64_t cost = column->cost(row)[event];

	if (cost < 0)
		return (struct tl_table_number){ -(uint64_t)cost, true, true };
	return (struct tl_table_number){ (uint64_t)cost, false, true };
}

bool tl_column_of_part(const struct tl_column *column)
{
	return column->of == TL_OF_THREADS || column->of == TL_OF_INTERVALS;
}

bool tl_column_shown(const struct tl_column *column, const struct tl_view *view)
{
	bool of_function = column != tl_columns && !tl_column_of_part(column) &&
			   (column->kind == TL_COLUMN_NAME || column->kind == TL_COLUMN_KEY);

	/* Rows of files and objects have only a name; durations are those of functions. */
	if (of_function && !tl_view_by_functions(view))
		return false;
	if (column->of == TL_OF_CALLS && view->options.by >= TL_BY_PART)
		return false;
	if (column->number == unfinished_number)
		return view->ends;
	switch (column->of) {
	case TL_OF_CALLS:
		return view->timed;
	case TL_OF_THREADS:
		return view->options.threads;
	case TL_OF_INTERVALS:
		return view->options.intervals;
	default:
		return true;
	}
}

const char *const *tl_report_sort_columns(void)
{
	return names;
}
