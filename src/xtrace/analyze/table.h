/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_TABLE_H
#define TL_XTRACE_TABLE_H
/*
 * A table, written row by row: aligned text, CSV, or a member of a JSON object (an array of
 * objects). Cells come in the order of the columns. Columns of text are as wide as their cells:
 * rows are held back, some hundred at a time, until that is known.
 */
#include <tracelathe/core.h>

enum tl_xtrace_table_form { TL_XTRACE_TEXT, TL_XTRACE_CSV, TL_XTRACE_JSON };

/* Where a cell of text stands in its column. */
enum { TL_XTRACE_LEFT = -1, TL_XTRACE_REST = 0, TL_XTRACE_RIGHT = 1 };

struct tl_xtrace_table_column {
	const char *name;
	int place; /* <0: to the left, >0: to the right, 0: the last one, as long as it is */
};

/* How text is written. */
struct tl_xtrace_table_page {
	uint32_t width;  /* of the terminal: longer lines are cut; 0: none is */
	bool *no_memory; /* set where an allocation fails; nothing is written from then on */
};

enum { TL_XTRACE_MOST_COLUMNS = 112 };

struct tl_xtrace_table {
	struct tl_output *out;
	enum tl_xtrace_table_form form;
	const struct tl_xtrace_table_column *columns;
	size_t count, at;
	bool rows; /* there was one */
	struct tl_xtrace_table_page page;
	/* Text: the cells of rows that are held back, each with a NUL; their columns so far. */
	struct tl_output *held;
	size_t held_rows;
	bool head_done;
	size_t fitting; /* columns that have room, from the first one; and the REST */
	size_t widths[TL_XTRACE_MOST_COLUMNS];
};

/* Beginning and end of a group of tables, which is one object in JSON. */
void tl_xtrace_tables_begin(struct tl_output *out, enum tl_xtrace_table_form form);
void tl_xtrace_tables_end(struct tl_output *out, enum tl_xtrace_table_form form);

/* `number`: how many tables there were before; `title` is for text. */
void tl_xtrace_table_begin(struct tl_xtrace_table *table, struct tl_output *out,
			   enum tl_xtrace_table_form form, const struct tl_xtrace_table_page *page,
			   unsigned number, const char *name, const char *title);
/* The columns, before the first row. */
void tl_xtrace_table_columns(struct tl_xtrace_table *table,
			     const struct tl_xtrace_table_column *columns, size_t count);
void tl_xtrace_table_end(struct tl_xtrace_table *table);
/* Free what an analysis that failed left of a table; nothing is done for one that has ended. */
void tl_xtrace_table_drop(struct tl_xtrace_table *table);

void tl_xtrace_cell_text(struct tl_xtrace_table *table, const char *text);
void tl_xtrace_cell_u64(struct tl_xtrace_table *table, uint64_t value);
void tl_xtrace_cell_i64(struct tl_xtrace_table *table, int64_t value);
/* In JSON a string, as all addresses are. */
void tl_xtrace_cell_hex(struct tl_xtrace_table *table, uint64_t value);
/* part of whole in percent, two digits behind the point; of nothing: none. */
void tl_xtrace_cell_percent(struct tl_xtrace_table *table, uint64_t part, uint64_t whole);
/* Nothing is known: empty, null. */
void tl_xtrace_cell_none(struct tl_xtrace_table *table);
/* A cell the caller writes to the returned output in the table's form, and ends. */
struct tl_output *tl_xtrace_cell_begin(struct tl_xtrace_table *table);
void tl_xtrace_cell_end(struct tl_xtrace_table *table);

#endif
