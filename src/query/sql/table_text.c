/* SPDX-License-Identifier: Apache-2.0 */
#include "query/sql/table_text.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/output.h"

/* Rows that are held back to find the widths of columns. */
enum { MEASURED_ROWS = 1000 };

struct text_cell {
	size_t offset, size; /* in the bytes of the held rows */
	size_t width;
	bool right; /* numbers stand at the right */
};

struct table_text {
	struct tl_query *query;
	struct tl_output *out, *held; /* bytes of held cells */
	struct text_cell *cells;
	size_t cell_count, cell_capacity;
	size_t *widths;
	size_t columns;
};

/* Columns of a terminal that a text takes: one for each character. */
static size_t width_of(const char *text, size_t size)
{
	size_t width = 0;

	for (size_t i = 0; i < size; i++)
		width += ((unsigned char)text[i] & 0xc0) != 0x80;
	return width;
}

static void put_value(struct tl_output *out, const struct tl_query_value *value)
{
	switch (value->type) {
	case TL_QUERY_NULL:
		break;
	case TL_QUERY_INTEGER:
		tl_put_i64(out, value->integer);
		break;
	case TL_QUERY_REAL:
		tl_put_double(out, value->real);
		break;
	case TL_QUERY_TEXT:
		tl_put_shown(out, value->text, value->size);
		break;
	case TL_QUERY_BLOB:
		tl_put_format(out, "(%zu bytes)", value->size);
		break;
	}
}

/* A cell as text, behind those that are held. False without memory. */
static bool hold_cell(struct table_text *t, size_t column)
{
	struct tl_query_value value = { .type = TL_QUERY_NULL };
	struct text_cell *cell;
	size_t before, after;
	const char *bytes;

	if (!tl_grow(&t->cells, &t->cell_capacity, t->cell_count + 1, sizeof(*t->cells)))
		return false;
	tl_query_column(t->query, column, &value, sizeof(value));
	tl_output_bytes(t->held, &before);
	put_value(t->held, &value);
	bytes = tl_output_bytes(t->held, &after);
	if (tl_output_failed(t->held))
		return false;
	cell = &t->cells[t->cell_count++];
	*cell = (struct text_cell){
		.offset = before,
		.size = after - before,
		.width = width_of(bytes + before, after - before),
		.right = value.type == TL_QUERY_INTEGER || value.type == TL_QUERY_REAL,
	};
	if (cell->width > t->widths[column])
		t->widths[column] = cell->width;
	return true;
}

static void put_blanks(struct tl_output *out, size_t count)
{
	while (count--)
		tl_put_char(out, ' ');
}

static void put_cell(struct table_text *t, const char *text, const struct text_cell *cell,
		     size_t column)
{
	size_t room = tl_excess(t->widths[column], cell->width);

	if (column)
		tl_put_text(t->out, " │ ");
	if (cell->right)
		put_blanks(t->out, room);
	tl_output_write(t->out, text, cell->size);
	if (!cell->right && column + 1 < t->columns)
		put_blanks(t->out, room);
}

static void put_head(struct table_text *t)
{
	for (size_t i = 0; i < t->columns; i++) {
		const char *name = tl_query_column_name(t->query, i);
		const struct text_cell cell = { .size = strlen(name),
						.width = width_of(name, strlen(name)) };

		put_cell(t, name, &cell, i);
	}
	tl_put_char(t->out, '\n');
	for (size_t i = 0; i < t->columns; i++) {
		if (i)
			tl_put_text(t->out, "─┼─");
		for (size_t j = 0; j < t->widths[i]; j++)
			tl_put_text(t->out, "─");
	}
	tl_put_char(t->out, '\n');
}

/* The held rows, and none are held any more. */
static int put_held(struct table_text *t, struct tl_error *err)
{
	size_t size;
	const char *bytes = tl_output_bytes(t->held, &size);

	for (size_t i = 0; i < t->cell_count; i++) {
		put_cell(t, bytes + t->cells[i].offset, &t->cells[i], i % t->columns);
		if (i % t->columns == t->columns - 1)
			tl_put_char(t->out, '\n');
	}
	t->cell_count = 0;
	tl_output_discard(t->held);
	return tl_output_open_memory(&t->held, err);
}

static int hold_row(struct table_text *t, struct tl_error *err)
{
	for (size_t i = 0; i < t->columns; i++)
		if (!hold_cell(t, i))
			return tl_error_memory(err);
	return 0;
}

/* The names are known before the first row, and gone behind the last one. */
static int print_rows(struct table_text *t, struct tl_error *err)
{
	bool measured = false;
	int status, held = 0;

	while ((status = tl_query_next(t->query, err)) == 1 && !tl_output_failed(t->out)) {
		status = hold_row(t, err);
		if (status < 0)
			break;
		if (!measured && t->cell_count / t->columns < MEASURED_ROWS)
			continue;
		if (!measured)
			put_head(t);
		measured = true;
		held = put_held(t, err);
		if (held < 0)
			return held;
	}
	if (!measured && (status == 0 || t->cell_count))
		put_head(t);
	held = put_held(t, status < 0 ? NULL : err);
	if (status < 0)
		return status;
	return held;
}

static int begin(struct table_text *t, struct tl_error *err)
{
	t->columns = tl_query_column_count(t->query);
	t->widths = tl_zeroed(t->columns, sizeof(*t->widths));
	if (!t->widths)
		return tl_error_memory(err);
	for (size_t i = 0; i < t->columns; i++) {
		const char *name = tl_query_column_name(t->query, i);

		t->widths[i] = width_of(name, strlen(name));
	}
	return tl_output_open_memory(&t->held, err);
}

int tl_query_print_table(struct tl_query *query, struct tl_output *out, struct tl_error *err)
{
	struct table_text t = { .query = query, .out = out };
	int status = begin(&t, err);

	if (status == 0)
		status = print_rows(&t, err);
	tl_output_discard(t.held);
	free(t.cells);
	free(t.widths);
	return status;
}
