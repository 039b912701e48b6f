/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tl_query_*: a database in memory whose schemas are the inputs, and nothing that can be written.
 */
#include "query/sql/database.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/sized.h"
#include "core/text/optional.h"
#include "query/sql/aggregates.h"
#include "query/tables/tables.h"

/* A statement cannot make texts or blobs larger than this out of nothing. */
enum { LONGEST_VALUE = 64 << 20 };

/* ---- errors ---- */

static void forget_message(struct tl_query *query)
{
	free(query->message);
	query->message = NULL;
}

static int interrupted(struct tl_error *err)
{
	int status = tl_error_at(err, TL_IO, TL_NOWHERE, "interrupted");

	if (err)
		err->sys_errno = ECANCELED;
	return status;
}

int tl_query_failed(struct tl_query *query, int code, struct tl_error *err)
{
	const char *text = sqlite3_errmsg(query->database);

	forget_message(query);
	if (code == SQLITE_NOMEM)
		return tl_error_memory(err);
	query->message = strdup(text);
	if (!query->message)
		return tl_error_memory(err);
	if (code == SQLITE_INTERRUPT)
		return interrupted(err);
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "the statement cannot be answered");
}

const char *tl_query_message(const struct tl_query *query)
{
	return tl_text_or_empty(query->message);
}

/* ---- what a statement may do ---- */

/* Pragmas that tell of tables. */
static bool is_harmless(const char *pragma)
{
	static const char *const names[] = { "table_info",    "table_xinfo",   "table_list",
					     "database_list", "function_list", "collation_list" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!sqlite3_stricmp(names[i], pragma))
			return true;
	return false;
}

/* A function that would load code into the process. */
static bool is_harmful(const char *function)
{
	return !sqlite3_stricmp(function, "load_extension") ||
	       !sqlite3_stricmp(function, "fts3_tokenizer");
}

static int authorize(void *data, int action, const char *first, const char *second,
		     const char *schema, const char *trigger)
{
	(void)data;
	(void)schema;
	(void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return second && is_harmful(second) ? SQLITE_DENY : SQLITE_OK;
	case SQLITE_PRAGMA:
		return first && is_harmless(first) ? SQLITE_OK : SQLITE_DENY;
	}
	return SQLITE_DENY;
}

/* ---- the connection ---- */

static int set_up(struct tl_query *query)
{
	sqlite3 *database = query->database;
	int code =
		sqlite3_create_module(database, "tracelathe", &tl_query_module, &query->registry);

	if (code == SQLITE_OK)
		code = sqlite3_create_module(database, TL_QUERY_SUMS_NAME, &tl_query_sums_module,
					     &query->registry);
	sqlite3_limit(database, SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
	sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	return code == SQLITE_OK ? sqlite3_set_authorizer(database, authorize, NULL) : code;
}

int tl_query_open(struct tl_query **query, struct tl_error *err)
{
	struct tl_query *q = calloc(1, sizeof(*q));
	int code;

	*query = NULL;
	if (!q)
		return tl_error_memory(err);
	code = sqlite3_open_v2(":memory:", &q->database,
			       SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
			       NULL);
	if (code == SQLITE_OK)
		code = set_up(q);
	if (code != SQLITE_OK) {
		tl_query_close(q);
		return tl_error_memory(err);
	}
	*query = q;
	return 0;
}

/* What runs is what was asked. */
static void forget_sums(struct tl_query *query)
{
	if (query->registry.count)
		query->registry.list[0].trace->aggregates = NULL;
	free(query->asked);
	query->asked = NULL;
}

static void end_statement(struct tl_query *query)
{
	sqlite3_finalize(query->statement);
	query->statement = NULL;
	query->has_row = query->done = false;
	forget_sums(query);
}

void tl_query_close(struct tl_query *query)
{
	if (!query)
		return;
	end_statement(query);
	sqlite3_close(query->database);
	tl_query_registry_close(&query->registry);
	forget_message(query);
	free(query);
}

/* ---- inputs ---- */

int tl_query_execute(struct tl_query *query, char *sql)
{
	int code = SQLITE_NOMEM;

	sqlite3_set_authorizer(query->database, NULL, NULL);
	if (sql)
		code = sqlite3_exec(query->database, sql, NULL, NULL, NULL);
	sqlite3_free(sql);
	sqlite3_set_authorizer(query->database, authorize, NULL);
	return code;
}

/* a, b, ... z */
static char schema_letter(size_t number)
{
	return (char)('a' + number);
}

static int make_tables(struct tl_query *query, size_t number)
{
	char letter = schema_letter(number);
	int code = tl_query_execute(query, sqlite3_mprintf("ATTACH ':memory:' AS %c", letter));

	/* The authorizer would not let a statement make the table of sums. */
	if (code == SQLITE_OK && !number)
		code = tl_query_execute(query, sqlite3_mprintf("PRAGMA table_info('%s')",
							       tl_query_call_sums.info.name));

	for (size_t i = 0; code == SQLITE_OK && tl_query_tables[i]; i++)
		code = tl_query_execute(query,
					sqlite3_mprintf("CREATE VIRTUAL TABLE %c.%s USING "
							"tracelathe(%c, %s)",
							letter, tl_query_tables[i]->info.name,
							letter, tl_query_tables[i]->info.name));
	return code;
}

int tl_query_add(struct tl_query *query, const char *const *paths, size_t path_count,
		 const struct tl_input_options *options, const char **failed, struct tl_error *err)
{
	size_t number = query->registry.count;
	char key[2] = { schema_letter(number), '\0' };
	struct tl_query_trace *trace;
	int status, code;

	end_statement(query);
	if (number >= (size_t)sqlite3_limit(query->database, SQLITE_LIMIT_ATTACHED, -1) ||
	    number > 'z' - 'a')
		return tl_error_at(err, TL_TOO_LARGE, TL_NOWHERE,
				   "one query takes no more inputs than SQLite takes schemas");
	status = tl_query_trace_open(&trace, paths, path_count, options, failed, err);
	if (status == 0)
		status = tl_query_registry_add(&query->registry, key, trace, err);
	if (status < 0)
		return status;
	code = make_tables(query, number);
	if (code == SQLITE_OK)
		return 0;
	return tl_query_failed(query, code, err);
}

struct tl_input *tl_query_input(const struct tl_query *query, size_t number)
{
	if (number >= query->registry.count)
		return NULL;
	return tl_query_trace_worst(query->registry.list[number].trace);
}

const struct tl_profile *tl_query_profile(const struct tl_query *query, size_t number)
{
	return number < query->registry.count ? query->registry.list[number].trace->profile : NULL;
}

/* ---- statements ---- */

static void set_stop(struct tl_query *query, bool stop)
{
	atomic_store(&query->stop, stop);
	for (size_t i = 0; i < query->registry.count; i++)
		atomic_store(&query->registry.list[i].trace->stop, stop);
}

void tl_query_interrupt(struct tl_query *query)
{
	set_stop(query, true);
	sqlite3_interrupt(query->database);
}

void tl_query_begin(struct tl_query *query)
{
	end_statement(query);
	forget_message(query);
	set_stop(query, false);
}

/* SQLite takes a statement without a word for one, a comment for example. */
static int compile(struct tl_query *query, const char *sql, const char **rest)
{
	int code;

	do {
		code = sqlite3_prepare_v2(query->database, sql, -1, &query->statement, rest);
		if (code != SQLITE_OK || query->statement || *rest == sql)
			break;
		sql = *rest;
	} while (*sql);
	return code;
}

/* As a statement over sums of calls. False: it is none. */
static bool compile_sums(struct tl_query *query, const char *sql, const char **rest)
{
	const char *behind = sql;
	char *sums = query->registry.count
			     ? tl_query_aggregates_rewrite(sql, &query->aggregates, &behind)
			     : NULL;

	if (!sums)
		return false;
	query->registry.list[0].trace->aggregates = &query->aggregates;
	query->asked = strndup(sql, (size_t)(behind - sql));
	if (query->asked &&
	    sqlite3_prepare_v2(query->database, sums, -1, &query->statement, NULL) == SQLITE_OK)
		*rest = behind;
	else
		forget_sums(query);
	free(sums);
	return query->asked;
}

/* The statement over sums cannot be answered: ask as the caller did. */
static int step_as_asked(struct tl_query *query)
{
	int code;

	sqlite3_finalize(query->statement);
	query->statement = NULL;
	query->registry.list[0].trace->failed = TL_OK;
	code = sqlite3_prepare_v2(query->database, query->asked, -1, &query->statement, NULL);
	forget_sums(query);
	return code == SQLITE_OK ? sqlite3_step(query->statement) : code;
}

static bool is_blank(struct tl_query *query, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	const char *rest = sql;
	bool blank = true;

	while (blank && *sql) {
		if (sqlite3_prepare_v2(query->database, sql, -1, &statement, &rest) != SQLITE_OK)
			return false;
		blank = !statement;
		sqlite3_finalize(statement);
		if (rest == sql)
			break;
		sql = rest;
	}
	return blank;
}

int tl_query_start(struct tl_query *query, const char *sql, const char **rest, struct tl_error *err)
{
	const char *behind = sql;
	int code;

	tl_query_begin(query);
	code = compile_sums(query, sql, &behind) ? SQLITE_OK : compile(query, sql, &behind);
	if (code != SQLITE_OK)
		return tl_query_failed(query, code, err);
	if (rest)
		*rest = behind;
	else if (!is_blank(query, behind)) {
		end_statement(query);
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "there is more than one statement");
	}
	return query->statement != NULL;
}

int tl_query_next(struct tl_query *query, struct tl_error *err)
{
	int code;

	if (!query->statement || query->done)
		return 0;
	if (atomic_load(&query->stop))
		code = SQLITE_INTERRUPT;
	else
		code = sqlite3_step(query->statement);
	if (query->asked && !query->has_row && code != SQLITE_ROW && code != SQLITE_DONE &&
	    !atomic_load(&query->stop))
		code = step_as_asked(query);
	query->has_row = code == SQLITE_ROW;
	if (query->has_row)
		return 1;
	query->done = true;
	if (code == SQLITE_DONE)
		return 0;
	return tl_query_failed(query, atomic_load(&query->stop) ? SQLITE_INTERRUPT : code & 0xff,
			       err);
}

bool tl_query_complete(const char *sql)
{
	return sqlite3_complete(sql);
}

size_t tl_query_column_count(const struct tl_query *query)
{
	return query->statement ? (size_t)sqlite3_column_count(query->statement) : 0;
}

const char *tl_query_column_name(const struct tl_query *query, size_t column)
{
	if (column >= tl_query_column_count(query))
		return NULL;
	return sqlite3_column_name(query->statement, (int)column);
}

static void take_bytes(sqlite3_stmt *statement, int column, struct tl_query_value *value)
{
	if (value->type == TL_QUERY_TEXT)
		value->text = (const char *)sqlite3_column_text(statement, column);
	else
		value->text = sqlite3_column_blob(statement, column);
	value->size = (size_t)sqlite3_column_bytes(statement, column);
	if (!value->text) {
		value->text = "";
		value->size = 0;
	}
}

int tl_query_column(const struct tl_query *query, size_t column, struct tl_query_value *value,
		    size_t size)
{
	struct tl_query_value ours = { .type = TL_QUERY_NULL };
	sqlite3_stmt *statement = query->statement;

	if (!query->has_row || column >= tl_query_column_count(query))
		return TL_BAD_USAGE;
	switch (sqlite3_column_type(statement, (int)column)) {
	case SQLITE_INTEGER:
		ours.type = TL_QUERY_INTEGER;
		ours.integer = sqlite3_column_int64(statement, (int)column);
		break;
	case SQLITE_FLOAT:
		ours.type = TL_QUERY_REAL;
		ours.real = sqlite3_column_double(statement, (int)column);
		break;
	case SQLITE_TEXT:
		ours.type = TL_QUERY_TEXT;
		take_bytes(statement, (int)column, &ours);
		break;
	case SQLITE_BLOB:
		ours.type = TL_QUERY_BLOB;
		take_bytes(statement, (int)column, &ours);
		break;
	}
	return tl_give(value, size, sizeof(ours), &ours, sizeof(ours));
}
