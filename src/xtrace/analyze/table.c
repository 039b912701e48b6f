/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/analyze/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/output.h"
#include "core/wide.h"

enum { CELL = 48 };

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
			   enum tl_xtrace_table_form form, unsigned number, const char *name,
			   const char *title)
{
	*table = (struct tl_xtrace_table){ .out = out, .form = form };
	if (form == TL_XTRACE_JSON)
		tl_put_format(out, ",\"%s\":[", name);
	else if (form == TL_XTRACE_TEXT)
		tl_put_format(out, "%s%s\n", number ? "\n" : "", title);
}

static void pad(struct tl_output *out, int blanks)
{
	while (blanks-- > 0)
		tl_put_char(out, ' ');
}

/* Text that is not the last in its line: with blanks up to its width. */
static void put_aligned(struct tl_xtrace_table *table, const char *text)
{
	const struct tl_xtrace_table_column *column = &table->columns[table->at];
	int length = (int)strlen(text);

	if (table->at)
		tl_put_text(table->out, "  ");
	pad(table->out, column->width - length);
	tl_put_shown(table->out, text, strlen(text));
	if (column->width < 0)
		pad(table->out, -column->width - length);
}

static void put_head(struct tl_xtrace_table *table)
{
	for (table->at = 0; table->at < table->count; table->at++) {
		if (table->form == TL_XTRACE_TEXT) {
			put_aligned(table, table->columns[table->at].name);
			continue;
		}
		if (table->at)
			tl_put_char(table->out, ',');
		tl_put_csv(table->out, table->columns[table->at].name);
	}
	tl_put_char(table->out, '\n');
	table->at = 0;
}

void tl_xtrace_table_columns(struct tl_xtrace_table *table,
			     const struct tl_xtrace_table_column *columns, size_t count)
{
	table->columns = columns;
	table->count = count;
	if (table->form != TL_XTRACE_JSON)
		put_head(table);
}

void tl_xtrace_table_end(struct tl_xtrace_table *table)
{
	if (table->form == TL_XTRACE_JSON)
		tl_put_char(table->out, ']');
}

/* ---- cells ---- */

struct tl_output *tl_xtrace_cell_begin(struct tl_xtrace_table *table)
{
	struct tl_output *out = table->out;

	if (table->form == TL_XTRACE_TEXT) {
		if (table->at)
			tl_put_text(out, "  ");
	} else if (table->form == TL_XTRACE_CSV) {
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

void tl_xtrace_cell_end(struct tl_xtrace_table *table)
{
	if (++table->at < table->count)
		return;
	table->at = 0;
	tl_put_char(table->out, table->form == TL_XTRACE_JSON ? '}' : '\n');
}

/* A cell whose text is known; `quoted`: a string in JSON. */
static void put_cell(struct tl_xtrace_table *table, const char *text, bool quoted)
{
	if (table->form == TL_XTRACE_TEXT) {
		put_aligned(table, text);
		table->rows = true;
	} else {
		struct tl_output *out = tl_xtrace_cell_begin(table);

		if (table->form == TL_XTRACE_CSV)
			tl_put_csv(out, text);
		else if (quoted)
			tl_put_json(out, text, strlen(text));
		else
			tl_put_text(out, text);
	}
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
