/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRACELATHE_QUERY_H
#define TRACELATHE_QUERY_H
/**
 * @file
 * SQL over traces and profiles of any format (docs/query.md has the tables and their columns).
 *
 * Nothing is imported: the tables of sums are the folded profile, the others are streamed from the
 * file while a statement runs. Statements can read, and nothing else: no table is written, no file
 * is opened or attached, no extension is loaded.
 *
 * The order of calls: tl_query_open(), tl_query_add() for each input, then statements, each by
 * tl_query_start() and tl_query_next() until that returns 0, or printed by tl_query_print();
 * tl_query_close().
 */
#include <tracelathe/core.h>
#include <tracelathe/open.h>
#include <tracelathe/profile.h>
#include <tracelathe/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Inputs that can be asked, and the statement that runs. One thread at a time. */
struct tl_query;

/**
 * Begin without an input.
 * @return 0; TL_NO_MEMORY; TL_UNSUPPORTED: the library was built without SQLite
 */
TL_API int tl_query_open(struct tl_query **query, struct tl_error *err);
/** Ends a statement that runs; closes the inputs. NULL is allowed. */
TL_API void tl_query_close(struct tl_query *query);

/**
 * Add an input, as tl_input_open() takes it. Its tables are in the schema `a`, those of the second
 * input in `b`, and so on; a name without a schema is that of the first input which has it.
 *
 * The input is opened here and read when a statement needs it. Filters of the options hold for all
 * tables.
 * @param paths    they are copied
 * @param options  NULL: all defaults; what its members point to has to live until tl_query_close()
 * @param failed   set to the path the error is about; may be NULL
 * @return 0; TL_TOO_LARGE: there are as many inputs as SQLite takes (10, as a rule); or another
 *         negative status
 */
TL_API int tl_query_add(struct tl_query *query, const char *const *paths, size_t path_count,
			const struct tl_input_options *options, const char **failed,
			struct tl_error *err);

/**
 * Compile the first statement of a text. A statement that runs is ended.
 * @param sql   UTF-8
 * @param rest  set to what stands behind the statement; NULL: the text has to be one statement
 * @return 1; 0: there is no statement, only blanks and comments; or a negative status:
 *         TL_BAD_USAGE is wrong SQL, or what is not allowed, tl_query_message() says what
 */
TL_API int tl_query_start(struct tl_query *query, const char *sql, const char **rest,
			  struct tl_error *err);
/**
 * The next row of the statement.
 * @return 1 and a row; 0: there is none; or a negative status: TL_IO with ECANCELED after
 *         tl_query_interrupt(), else what went wrong with the input or the statement
 */
TL_API int tl_query_next(struct tl_query *query, struct tl_error *err);
/** The text of the last error, with the file and the place; "" when there was none. */
TL_API const char *tl_query_message(const struct tl_query *query);

/** Columns of the statement; 0: no statement runs. */
TL_API size_t tl_query_column_count(const struct tl_query *query);
/** The name of a column by number from 0, NULL: there is none. Lives as long as the statement. */
TL_API const char *tl_query_column_name(const struct tl_query *query, size_t column);

/** What a value is. */
enum tl_query_type {
	TL_QUERY_NULL,
	TL_QUERY_INTEGER,
	TL_QUERY_REAL,
	TL_QUERY_TEXT,
	TL_QUERY_BLOB,
};

/** A value of a row; what it points to lives until the next row. */
struct tl_query_value {
	enum tl_query_type type;
	int64_t integer;
	double real;
	const char *text; /**< text (UTF-8 as the input had it, terminated) or bytes */
	size_t size;      /**< of the text or the bytes */
};

/**
 * A value of the present row, by the column's number from 0.
 * @param size  sizeof(*value)
 * @return 0; TL_BAD_USAGE: there is no such column or no row, or the size is too small
 */
TL_API int tl_query_column(const struct tl_query *query, size_t column,
			   struct tl_query_value *value, size_t size);

/**
 * Stop the statement that runs, and the reading of its inputs. May be called by another thread, and
 * by a signal handler, while the query is open. Without a statement nothing happens.
 */
TL_API void tl_query_interrupt(struct tl_query *query);

/**
 * Run all statements of a text and write their rows: a table for people (TL_REPORT_TEXT), CSV with
 * a line of names (RFC 4180), or a JSON array of objects. A statement without columns writes
 * nothing. Memory use does not grow with the number of rows.
 * @return 0 or a negative status, as tl_query_next()
 */
TL_API int tl_query_print(struct tl_query *query, const char *sql, enum tl_report_form form,
			  struct tl_output *out, struct tl_error *err);

/** Whether a text that is typed line by line ends with a whole statement, or has none begun. */
TL_API bool tl_query_complete(const char *sql);

/** What tl_query_store() stores. Set `size`; zeros are the defaults. */
struct tl_query_store_options {
	size_t size;        /**< sizeof(struct tl_query_store_options) */
	const char *tables; /**< names, separated by commas; NULL: all that the input has */
};
/**
 * Write the tables of an input as a database of SQLite, for other tools: with the same columns,
 * those that `*` does not show included, and with indexes on what is looked up. Tables that the
 * input does not have (calls of a profile) are there without rows, and the table `absent` (name,
 * reason) has a row for each of them. A statement that runs is ended.
 *
 * The database is a temporary file ($TMPDIR, else /var/tmp) until it is complete, and is then
 * copied into the output. tl_query_interrupt() stops it.
 * @param input    by number from 0
 * @param options  NULL: all defaults
 * @return 0; TL_BAD_USAGE: there is no such input or table; TL_UNSUPPORTED: the library was built
 *         without SQLite; or another negative status: tl_query_message() may say more
 */
TL_API int tl_query_store(struct tl_query *query, size_t input,
			  const struct tl_query_store_options *options, struct tl_output *out,
			  struct tl_error *err);

/**
 * An input by number from 0, NULL: there is none. For tl_input_damage(): of the handles that were
 * opened for it, the one that has met the most damage. Borrowed until the next statement.
 */
TL_API struct tl_input *tl_query_input(const struct tl_query *query, size_t number);
/** The profile of an input, NULL: no statement has needed it. Borrowed. */
TL_API const struct tl_profile *tl_query_profile(const struct tl_query *query, size_t number);

/** A table that each input has. */
struct tl_query_table_info {
	const char *name;
	const char *columns; /**< "id INTEGER, name TEXT, ..." */
	const char *help;    /**< what a row is */
};
/** The tables by number from 0, in the order of the documents; NULL behind the last. Static. */
TL_API const struct tl_query_table_info *tl_query_table_info(size_t number);

#ifdef __cplusplus
}
#endif
#endif
