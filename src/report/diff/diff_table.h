/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_DIFF_DIFF_TABLE_H
#define TL_REPORT_DIFF_DIFF_TABLE_H
/* The table of differences: its sorted rows, and its forms. */
#include <tracelathe/report.h>

struct tl_diff_table {
	const struct tl_diff *diff;
	struct tl_report_options options; /* complete, whatever size the caller's had */
	struct tl_output *out;
	uint32_t *events; /* the chosen ones, at least one */
	uint32_t event_count;
	struct tl_diff_row *rows;
	size_t count;         /* rows that are not left out, sorted */
	size_t shown;         /* number of rows that are written, from the first */
	size_t unchanged;     /* rows left out since nothing changed */
	size_t below;         /* rows left out by the threshold */
	bool several_objects; /* then lines name the object too */
};

/* after - before; at the limit of 64 bits if it does not fit. */
int64_t tl_diff_change(const struct tl_diff_row *row, uint32_t event);

/* Whether any of the events differs; `events` NULL: the first `count` of the diff. */
bool tl_diff_changed(const struct tl_diff_row *row, const uint32_t *events, uint32_t count);

/* "new", "gone", "same", "changed": of all events of the diff. */
const char *tl_diff_state(const struct tl_diff *diff, const struct tl_diff_row *row);

/* Order rows as the options ask. TL_BAD_USAGE for an unknown column. */
int tl_diff_sort(const struct tl_diff_table *table, struct tl_error *err);

/* What the columns of an event are. */
enum tl_diff_cell { TL_DIFF_BEFORE, TL_DIFF_AFTER, TL_DIFF_CHANGE, TL_DIFF_PERCENT };
enum { TL_DIFF_CELLS = TL_DIFF_PERCENT + 1 };

/* A cell as text of less than TL_VALUE_ROOM bytes. @return its length */
size_t tl_diff_format_cell(const struct tl_diff_table *table, const struct tl_diff_row *row,
			   uint32_t event, int cell, char *text);
/* The totals as a row without a function. */
struct tl_diff_row tl_diff_total_row(const struct tl_diff_table *table);

/* The chosen rows, unsorted. Free it also after a failure. */
int tl_diff_table_make(struct tl_diff_table *table, const struct tl_diff *diff,
		       const struct tl_report_options *options, struct tl_error *err);
void tl_diff_table_free(struct tl_diff_table *table);

int tl_diff_put_text(const struct tl_diff_table *table, struct tl_error *err);
void tl_diff_put_markdown(const struct tl_diff_table *table);
void tl_diff_put_csv(const struct tl_diff_table *table);
void tl_diff_put_json(const struct tl_diff_table *table);

#endif
