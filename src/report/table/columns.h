/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_TABLE_COLUMNS_H
#define TL_REPORT_TABLE_COLUMNS_H
/* The columns of the function table, in one table for sorting, text, CSV and JSON. */
#include "report/view.h"

/* A line of the table: a function, or a function in one thread. */
struct tl_table_row {
	uint32_t function;
	uint32_t part;   /* TL_NONE: all parts */
	uint64_t thread; /* TL_NOWHERE: unknown */
	uint64_t number; /* of the part; 0: none */
	const struct tl_function *is;
	struct tl_function_totals totals;
	const struct tl_latency *latency; /* calls 0: none */
};

/* A number that may be unknown. */
struct tl_table_number {
	uint64_t magnitude;
	bool negative, known;
};

enum tl_column_kind {
	TL_COLUMN_NAME, /* text; sorts from A to Z */
	TL_COLUMN_KEY,  /* a number that is a name (line, id, thread); sorts upwards */
	TL_COLUMN_COST, /* of an event: one column per event */
	TL_COLUMN_COUNT,
	TL_COLUMN_TIME, /* in ticks of the profile's clock */
};

/* The tables that have a column. */
enum tl_column_rows {
	TL_OF_ALL,
	TL_OF_CALLS,     /* where there are durations of calls */
	TL_OF_THREADS,   /* with rows a thread */
	TL_OF_INTERVALS, /* with rows an interval */
};

struct tl_column {
	enum tl_column_kind kind;
	const char *(*text)(const struct tl_table_row *row);
	struct tl_table_number (*number)(const struct tl_table_row *row);
	const int64_t *(*cost)(
		const struct tl_table_row *row); /* one number per event of the profile */
	enum tl_column_rows of;
	unsigned spare; /* to fit a terminal, text leaves out the highest rank first; 0: never */
};

/* All columns in the order of CSV; their names are those of tl_report_sort_columns(). */
extern const struct tl_column tl_columns[];
size_t tl_column_count(void);
const char *tl_column_name(const struct tl_column *column);
/* The column says which thread or interval a row is of. */
bool tl_column_of_part(const struct tl_column *column);
/* Whether a view has the column at all. */
bool tl_column_shown(const struct tl_column *column, const struct tl_view *view);

/* The number of a row in a column that is not text; `event` counts for costs only. */
struct tl_table_number tl_column_number(const struct tl_column *column,
					const struct tl_table_row *row, uint32_t event);

void tl_swap_rows(struct tl_table_row *a, struct tl_table_row *b);

/*
 * Move the first `shown` rows to the front, sorted as the options ask; the others are in any order.
 * TL_BAD_USAGE for an unknown column.
 */
int tl_rows_sort(const struct tl_view *view, struct tl_table_row *rows, size_t count, size_t shown,
		 struct tl_error *err);

#endif
