/* SPDX-License-Identifier: Apache-2.0 */
/* The table of differences: its rows. diff_text.c and diff_csv_json.c write them. */
#include "report/diff/diff_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/sized.h"
#include "profile/diff/diff.h"

/* Rows in text, unless the options ask for more. */
enum { TEXT_ROWS = 40 };

/* ---- events ---- */

static int choose_events(struct tl_diff_table *table, struct tl_error *err)
{
	const struct tl_report_options *options = &table->options;
	uint32_t known = tl_diff_event_count(table->diff);

	table->event_count = known;
	if (options->events)
		table->event_count = options->event_count;
	else if (options->form == TL_REPORT_TEXT && known)
		table->event_count = 1; /* text has room for one */
	if (!table->event_count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "a report needs at least one event");
	table->events = malloc(table->event_count * sizeof(*table->events));
	if (!table->events)
		return tl_error_memory(err);
	for (uint32_t i = 0; i < table->event_count; i++) {
		table->events[i] = i;
		if (options->events)
			table->events[i] = options->events[i];
		if (table->events[i] >= known)
			return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
					   "the profiles have no event of that number");
	}
	return 0;
}

/* ---- rows ---- */

static double floor_of(const struct tl_diff_table *table)
{
	double before = fabs((double)tl_diff_total(table->diff, false)[table->events[0]]);
	double after = fabs((double)tl_diff_total(table->diff, true)[table->events[0]]);

	return fmax(before, after) * table->options.threshold / 100;
}

static int collect(struct tl_diff_table *table, struct tl_error *err)
{
	uint32_t count = tl_diff_row_count(table->diff);
	bool brief = table->options.form == TL_REPORT_TEXT && !table->options.all;
	double floor = floor_of(table);

	table->rows = malloc(((size_t)count + 1) * sizeof(*table->rows));
	if (!table->rows)
		return tl_error_memory(err);
	for (uint32_t i = 0; i < count; i++) {
		struct tl_diff_row row = tl_diff_row_of(table->diff, i);

		if (brief && !tl_diff_changed(&row, table->events, table->event_count))
			table->unchanged++;
		else if (fabs((double)tl_diff_change(&row, table->events[0])) < floor)
			table->below++;
		else
			table->rows[table->count++] = row;
	}
	for (size_t i = 1; i < table->count; i++)
		if (strcmp(table->rows[i].function->object, table->rows[0].function->object) != 0)
			table->several_objects = true;
	return 0;
}

static void cut(struct tl_diff_table *table)
{
	size_t top = table->options.top;

	if (!top && !table->options.all && table->options.form == TL_REPORT_TEXT)
		top = TEXT_ROWS;
	table->shown = table->count;
	if (top && top < table->count)
		table->shown = top;
}

static int put_table(const struct tl_diff_table *table, struct tl_error *err)
{
	switch (table->options.form) {
	case TL_REPORT_TEXT:
		return tl_diff_put_text(table, err);
	case TL_REPORT_CSV:
		tl_diff_put_csv(table);
		return 0;
	case TL_REPORT_JSON:
		tl_diff_put_json(table);
		return 0;
	}
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "there is no report of that form");
}

int tl_diff_table_make(struct tl_diff_table *table, const struct tl_diff *diff,
		       const struct tl_report_options *options, struct tl_error *err)
{
	int status = 0;

	*table = (struct tl_diff_table){ .diff = diff };
	if (options)
		status = tl_take_options(&table->options, sizeof(table->options),
					 sizeof(table->options), options, options->size, err);
	if (status < 0)
		return status;
	if (!(table->options.threshold > 0))
		table->options.threshold = 0;
	status = choose_events(table, err);
	if (status < 0)
		return status;
	return collect(table, err);
}

void tl_diff_table_free(struct tl_diff_table *table)
{
	free(table->rows);
	free(table->events);
}

int tl_report_diff(const struct tl_diff *diff, const struct tl_report_options *options,
		   struct tl_output *out, struct tl_error *err)
{
	struct tl_diff_table table;
	int status = tl_diff_table_make(&table, diff, options, err);

	table.out = out;
	if (status == 0)
		status = tl_diff_sort(&table, err);
	if (status == 0) {
		cut(&table);
		status = put_table(&table, err);
	}
	tl_diff_table_free(&table);
	return status;
}

int tl_report_diff_markdown(const struct tl_diff *diff, const struct tl_report_options *options,
			    struct tl_output *out, struct tl_error *err)
{
	struct tl_report_options text = { .size = sizeof(text) };
	struct tl_diff_table table;
	int status = 0;

	if (options)
		status = tl_take_options(&text, sizeof(text), sizeof(text), options, options->size,
					 err);
	if (status < 0)
		return status;
	text.size = sizeof(text);
	text.form = TL_REPORT_TEXT;
	status = tl_diff_table_make(&table, diff, &text, err);
	table.out = out;
	if (status == 0)
		status = tl_diff_sort(&table, err);
	if (status == 0) {
		cut(&table);
		tl_diff_put_markdown(&table);
	}
	tl_diff_table_free(&table);
	return status;
}
