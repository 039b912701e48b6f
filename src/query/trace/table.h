/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_TRACE_TABLE_H
#define TL_QUERY_TRACE_TABLE_H
/*
 * A table: a row of the list in tables.c. It knows nothing of SQLite; vtab.c gives it to SQLite.
 * There are tables whose rows are all known once the input was folded, and streams.
 */
#include <string.h>

#include <tracelathe/query.h>

struct tl_query_trace;

/* How a filter compares a column with a number. */
enum tl_query_comparison {
	TL_QUERY_EQUAL,
	TL_QUERY_LESS,
	TL_QUERY_LESS_EQUAL,
	TL_QUERY_GREATER,
	TL_QUERY_GREATER_EQUAL,
};

/*
 * One condition of a statement that a table may use to give fewer rows. SQLite tests it again,
 * unless the column is TL_QUERY_EXACT and the value an integer in the statement.
 */
struct tl_query_condition {
	int column;
	enum tl_query_comparison comparison;
	int64_t value;
	const char *text; /* of a text column; NULL: the value is a number */
};

enum { TL_QUERY_CONDITIONS = 8, TL_QUERY_GROUP_COLUMNS = 3 };

/* What a statement wants of a stream. */
struct tl_query_wish {
	struct tl_query_condition conditions[TL_QUERY_CONDITIONS];
	size_t condition_count;
	/* Rows have to come in the order of these columns. */
	int groups[TL_QUERY_GROUP_COLUMNS];
	bool descending[TL_QUERY_GROUP_COLUMNS];
	size_t group_count;
	uint64_t columns; /* bits of the columns that are asked for; 63: that and all behind */
};

typedef void tl_query_cell_fn(const struct tl_query_trace *trace, uint64_t row, int column,
			      struct tl_query_value *value);

/* How a word is a value. */
enum tl_query_word {
	TL_QUERY_KNOWN,  /* a count or a time; TL_NOWHERE: unknown */
	TL_QUERY_SIGNED, /* an integer */
	TL_QUERY_NAME,   /* a text by number */
};

struct tl_query_name {
	const char *text;
	size_t size;
};

/* Rows that lie ready: a word of each row in each column that was asked for. */
struct tl_query_rows {
	size_t count;
	const uint64_t *const *columns;
	const uint8_t *words;              /* by column: enum tl_query_word */
	const struct tl_query_name *names; /* they live as long as the stream */
};

/* Rows that are read one after the other. */
struct tl_query_stream {
	/* 0 or negative; *handle is closed in any case. */
	int (*open)(struct tl_query_trace *trace, const struct tl_query_wish *wish, void **handle,
		    struct tl_error *err);
	/*
	 * The next rows, many at once; they live until the next call. Either this, or next() and
	 * cell(). 1: at least one row; 0: there is none; or negative
	 */
	int (*rows)(void *handle, struct tl_query_rows *rows, struct tl_error *err);
	/* 1: a row; 0: there is none; or negative */
	int (*next)(void *handle, struct tl_error *err);
	/*
	 * What the value points to lives until the next row. 0; 1: it is a sum that does not fit;
	 * or negative
	 */
	int (*cell)(void *handle, int column, struct tl_query_value *value, struct tl_error *err);
	void (*close)(void *handle);
};

/* How a column is used by a plan; bits. */
enum tl_query_column_use {
	TL_QUERY_KEY = 1 << 0,      /* rows of one value are found by an index, or read alone */
	TL_QUERY_UNIQUE = 1 << 1,   /* with that: there is one such row */
	TL_QUERY_RANGE = 1 << 2,    /* a stream reads less for < and > */
	TL_QUERY_GROUP = 1 << 3,    /* a stream can put rows of the same value together */
	TL_QUERY_ORDER = 1 << 4,    /* rows come in ascending order of it, but see below */
	TL_QUERY_EXACT = 1 << 5,    /* a stream gives only rows for which a comparison holds */
	TL_QUERY_TEXT_KEY = 1 << 6, /* a stream reads less for a text that is equal */
};

struct tl_query_table {
	struct tl_query_table_info info;
	const uint8_t *uses; /* by column: enum tl_query_column_use */
	int column_count;
	/* Rows that are known: their number, once the trace is folded, and their values. */
	uint64_t (*rows)(const struct tl_query_trace *trace);
	tl_query_cell_fn *cell;
	const struct tl_query_stream *stream; /* NULL: the rows are known */
	bool texts_pass;   /* a text lives until the next row, not as long as the input is open */
	bool order_of_one; /* TL_QUERY_ORDER is of inputs of one file; several are read in turns */
	bool of_sums;      /* a row is a group of calls (trace/aggregates.h) */
};

/* Ends with a NULL. */
extern const struct tl_query_table *const tl_query_tables[];
/* The number of a table, -1: there is none. */
int tl_query_table_find(const char *name, size_t size);

/* ---- values ---- */

static inline void tl_query_set_integer(struct tl_query_value *value, int64_t number)
{
	value->type = TL_QUERY_INTEGER;
	value->integer = number;
}

/*
 * A count or a time. SQLite has no integers of 64 bits without sign: from 2^63 on it is the nearest
 * real number.
 */
static inline void tl_query_set_count(struct tl_query_value *value, uint64_t number)
{
	if (number <= INT64_MAX) {
		tl_query_set_integer(value, (int64_t)number);
	} else {
		value->type = TL_QUERY_REAL;
		value->real = (double)number;
	}
}

/* An address keeps its 64 bits: those from 2^63 on are negative, and right in hexadecimal. */
static inline void tl_query_set_address(struct tl_query_value *value, uint64_t address)
{
	if (address)
		tl_query_set_integer(value, (int64_t)address);
}

/* A number of which TL_NOWHERE means that it is unknown. */
static inline void tl_query_set_known(struct tl_query_value *value, uint64_t number)
{
	if (number != TL_NOWHERE)
		tl_query_set_count(value, number);
}

static inline void tl_query_set_text(struct tl_query_value *value, const char *text)
{
	value->type = TL_QUERY_TEXT;
	value->text = text;
	value->size = strlen(text);
}

/* "" is unknown. */
static inline void tl_query_set_name(struct tl_query_value *value, const char *text)
{
	if (*text)
		tl_query_set_text(value, text);
}

#endif
