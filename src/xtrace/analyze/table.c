/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/analyze/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/output.h"
#include "core/text/optional.h"
#include "core/wide.h"

enum { CELL = 48, HELD_ROWS = 512, GAP = 2, LEAST_ROOM = 8 };

void tl_xtrace_tables_begin(struct tl_output *out, enum tl_xtrace_table_form form)
{
	if (form == TL_XTRACE_JSON)
		tl_put_text(out, "{\"format\":\"xtrace\"");
}

void tl_xtrace_tables_end(struct tl_output *out, enum tl_xtrace_table_form form)
{
	if (form == TL_XTRACE_JSON)
		tl_put_text(out, "}\n");
}

void tl_xtrace_table_begin(struct tl_xtrace_table *table, struct tl_output *out,
			   enum tl_xtrace_table_form form, const struct tl_xtrace_table_page *page,
			   unsigned number, const char *name, const char *title)
{
	*table = (struct tl_xtrace_table){ .out = out, .form = form, .page = *page };
	if (form == TL_XTRACE_JSON)
		tl_put_format(out, ",\"%s\":[", name);
	else if (form == TL_XTRACE_TEXT)
		tl_put_format(out, "%s%s\n", tl_text_if(number, "\n"), title);
}

/* ---- text ---- */

static void pad(struct tl_output *out, size_t blanks)
{
	while (blanks--)
		tl_put_char(out, ' ');
}

/* The last cell of a line, cut where the terminal ends if a part of it still tells something. */
static void put_rest(const struct tl_xtrace_table *t, const char *text, size_t size, size_t used)
{
	size_t room = tl_excess(t->page.width, used);
	bool cut = t->page.width && size > room && room >= LEAST_ROOM;

	tl_put_shown(t->out, text, cut ? room - 3 : size);
	if (cut)
		tl_put_text(t->out, "...");
}

static void put_line(const struct tl_xtrace_table *t, const char *const *cells)
{
	size_t used = 0;

	for (size_t i = 0; i < t->count; i++) {
		size_t size = strlen(cells[i]), blanks = t->widths[i] - size;

		if (i >= t->fitting && t->columns[i].place != TL_XTRACE_REST)
			continue;
		pad(t->out, i ? GAP : 0);
		used += i ? GAP : 0;
		if (t->columns[i].place == TL_XTRACE_REST) {
			put_rest(t, cells[i], size, used);
			break;
		}
		pad(t->out, t->columns[i].place > 0 ? blanks : 0);
		tl_put_shown(t->out, cells[i], size);
		pad(t->out, t->columns[i].place < 0 ? blanks : 0);
		used += t->widths[i];
	}
	tl_put_char(t->out, '\n');
}

/* Columns that the terminal has room for, beside some of the last one. */
static size_t count_fitting(const struct tl_xtrace_table *t)
{
	bool rest = t->columns[t->count - 1].place == TL_XTRACE_REST;
	size_t used = rest ? GAP + LEAST_ROOM : 0, count = 0;

	if (!t->page.width)
		return t->count;
	while (count < t->count && t->columns[count].place != TL_XTRACE_REST) {
		used += t->widths[count] + (count ? GAP : 0);
		if (used > t->page.width && count)
			return count;
		count++;
	}
	return t->count;
}

static void put_text_head(struct tl_xtrace_table *t)
{
	const char *names[TL_XTRACE_MOST_COLUMNS];

	if (t->head_done)
		return;
	t->head_done = true;
	t->fitting = count_fitting(t);
	for (size_t i = 0; i < t->count; i++)
		names[i] = t->columns[i].name;
	put_line(t, names);
}

/* The cells of a row; returns those of the next one. */
static const char *take_row(const struct tl_xtrace_table *t, const char *text, const char **cells)
{
	for (size_t i = 0; i < t->count; i++) {
		cells[i] = text;
		text += strlen(text) + 1;
	}
	return text;
}

/* Write the rows that are held back. */
static void put_held(struct tl_xtrace_table *t)
{
	const char *cells[TL_XTRACE_MOST_COLUMNS], *text;
	size_t size;

	if (!t->held)
		return;
	text = tl_output_bytes(t->held, &size);
	if (tl_output_failed(t->held)) {
		*t->page.no_memory = true;
		return;
	}
	for (size_t row = 0; row < t->held_rows; row++) {
		text = take_row(t, text, cells);
		for (size_t i = 0; i < t->count; i++)
			t->widths[i] = tl_max(strlen(cells[i]), t->widths[i]);
	}
	put_text_head(t);
	text = tl_output_bytes(t->held, &size);
	for (size_t row = 0; row < t->held_rows; row++) {
		text = take_row(t, text, cells);
		put_line(t, cells);
	}
}

void tl_xtrace_table_drop(struct tl_xtrace_table *table)
{
	tl_output_discard(table->held);
	table->held = NULL;
	table->held_rows = 0;
}

static void hold(struct tl_xtrace_table *t)
{
	tl_xtrace_table_drop(t);
	if (tl_output_open_memory(&t->held, NULL) < 0) {
		t->held = NULL;
		*t->page.no_memory = true;
	}
}

/* ---- heads and ends ---- */

void tl_xtrace_table_columns(struct tl_xtrace_table *table,
			     const struct tl_xtrace_table_column *columns, size_t count)
{
	table->columns = columns;
	table->count = count;
	if (table->form == TL_XTRACE_TEXT) {
		for (size_t i = 0; i < count; i++)
			table->widths[i] = strlen(columns[i].name);
		hold(table);
	}
	if (table->form != TL_XTRACE_CSV)
		return;
	for (size_t i = 0; i < count; i++) {
		if (i)
			tl_put_char(table->out, ',');
		tl_put_csv(table->out, columns[i].name);
	}
	tl_put_char(table->out, '\n');
}

void tl_xtrace_table_end(struct tl_xtrace_table *table)
{
	put_held(table);
	tl_xtrace_table_drop(table);
	if (table->head_done && table->fitting < table->count)
		tl_put_text(table->out, "(columns without room are left out; --wide shows them)\n");
	if (table->form == TL_XTRACE_JSON)
		tl_put_char(table->out, ']');
}

/* ---- cells ---- */

struct tl_output *tl_xtrace_cell_begin(struct tl_xtrace_table *table)
{
	struct tl_output *out = table->out;

	if (table->form == TL_XTRACE_TEXT)
		return table->held ? table->held : out;
	if (table->form == TL_XTRACE_CSV) {
		if (table->at)
			tl_put_char(out, ',');
	} else {
		if (table->at || table->rows)
			tl_put_char(out, ',');
		if (!table->at)
			tl_put_char(out, '{');
		tl_put_format(out, "\"%s\":", table->columns[table->at].name);
	}
	table->rows = true;
	return out;
}

static void end_text_cell(struct tl_xtrace_table *table)
{
	if (table->held)
		tl_put_char(table->held, '\0');
	if (++table->at < table->count)
		return;
	table->at = 0;
	if (++table->held_rows < HELD_ROWS)
		return;
	put_held(table);
	hold(table);
}

void tl_xtrace_cell_end(struct tl_xtrace_table *table)
{
	if (table->form == TL_XTRACE_TEXT) {
		end_text_cell(table);
		return;
	}
	if (++table->at < table->count)
		return;
	table->at = 0;
	tl_put_char(table->out, table->form == TL_XTRACE_JSON ? '}' : '\n');
}

/* A cell whose text is known; `quoted`: a string in JSON. */
static void put_cell(struct tl_xtrace_table *table, const char *text, bool quoted)
{
	struct tl_output *out = tl_xtrace_cell_begin(table);

	if (table->form == TL_XTRACE_CSV)
		tl_put_csv(out, text);
	else if (table->form == TL_XTRACE_JSON && quoted)
		tl_put_json(out, text, strlen(text));
	else
		tl_put_text(out, text);
	tl_xtrace_cell_end(table);
}

void tl_xtrace_cell_text(struct tl_xtrace_table *table, const char *text)
{
	put_cell(table, text, true);
}

void tl_xtrace_cell_u64(struct tl_xtrace_table *table, uint64_t value)
{
	char text[CELL];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	put_cell(table, text, false);
}

void tl_xtrace_cell_i64(struct tl_xtrace_table *table, int64_t value)
{
	char text[CELL];

	snprintf(text, sizeof(text), "%" PRIi64, value);
	put_cell(table, text, false);
}

void tl_xtrace_cell_hex(struct tl_xtrace_table *table, uint64_t value)
{
	char text[CELL];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	put_cell(table, text, true);
}

void tl_xtrace_cell_percent(struct tl_xtrace_table *table, uint64_t part, uint64_t whole)
{
	/*
	 * Hundredths of a percent, rounded to nearest; in integers, so that it is the same
	 * everywhere.
	 */
	uint64_t hundredths = whole ? tl_scale_unsigned_nearest(part, 10000, whole) : 0;
	char text[CELL];

	if (!whole) {
		tl_xtrace_cell_none(table);
		return;
	}
	snprintf(text, sizeof(text), "%" PRIu64 ".%02u", hundredths / 100,
		 (unsigned)(hundredths % 100));
	put_cell(table, text, false);
}

void tl_xtrace_cell_none(struct tl_xtrace_table *table)
{
	static const char *const none[] = {
		[TL_XTRACE_TEXT] = "-", [TL_XTRACE_CSV] = "", [TL_XTRACE_JSON] = "null"
	};

	put_cell(table, none[table->form], false);
}
