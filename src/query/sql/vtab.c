/* SPDX-License-Identifier: Apache-2.0 */
#include "query/sql/vtab.h"

#include <stdlib.h>
#include <string.h>

#include "query/tables/tables.h"

struct query_cursor {
	sqlite3_vtab_cursor base; /* must be first */
	uint64_t row, end;        /* of known rows, or of the index */
	const struct tl_query_key_index *index;
	void *handle;              /* of a stream that is open, else NULL */
	bool has_row;              /* of a stream */
	struct tl_query_rows rows; /* of a stream of many at once: those that lie ready */
	size_t at;
};

static struct tl_query_vtab *vtab_of(const struct query_cursor *cursor)
{
	return (struct tl_query_vtab *)cursor->base.pVtab;
}

/* ---- errors ---- */

static int code_of(int status)
{
	return status == TL_NO_MEMORY ? SQLITE_NOMEM : SQLITE_ERROR;
}

static int fail(struct tl_query_vtab *vtab, const struct tl_error *err)
{
	vtab->trace->failed = err->status;
	if (err->status == TL_NO_MEMORY)
		return SQLITE_NOMEM;
	if (atomic_load(&vtab->trace->stop))
		return SQLITE_INTERRUPT;
	sqlite3_free(vtab->base.zErrMsg);
	vtab->base.zErrMsg = sqlite3_mprintf("%s", tl_query_trace_explain(vtab->trace, err));
	return code_of(err->status);
}

/* ---- tables ---- */

static int refuse(char **message, const char *format, const char *text)
{
	*message = sqlite3_mprintf(format, text);
	return SQLITE_ERROR;
}

/* The columns as SQLite is told of them. */
static int declare(sqlite3 *database, const struct tl_query_table *table)
{
	char *sql = sqlite3_mprintf("CREATE TABLE t(%s)", table->info.columns);
	int code = sql ? sqlite3_declare_vtab(database, sql) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return code;
}

/* `number`: of a table in the list. */
static int connect_table(sqlite3 *database, struct tl_query_registry *registry,
			 struct tl_query_trace *trace, const struct tl_query_table *table,
			 int number, sqlite3_vtab **to)
{
	struct tl_query_vtab *vtab;
	int code = declare(database, table);

	if (code != SQLITE_OK)
		return code;
	vtab = calloc(1, sizeof(*vtab));
	if (!vtab)
		return SQLITE_NOMEM;
	vtab->registry = registry;
	vtab->trace = trace;
	vtab->table = table;
	vtab->number = number;
	trace->references++;
	*to = &vtab->base;
	return SQLITE_OK;
}

/* The key of an input, and the name of a table. */
static int choose(struct tl_query_registry *registry, int count, const char *const *arguments,
		  struct tl_query_choice *choice, char **message)
{
	if (registry->resolve)
		return registry->resolve(registry, count, arguments, choice, message);
	if (count != 2)
		return refuse(message, "%s", "two arguments are needed: the input and the table");
	choice->trace = tl_query_registry_find(registry, arguments[0]);
	choice->table = tl_query_table_find(arguments[1], strlen(arguments[1]));
	if (!choice->trace)
		return refuse(message, "there is no input %s", arguments[0]);
	if (choice->table < 0)
		return refuse(message, "there is no table %s", arguments[1]);
	return SQLITE_OK;
}

static int connect_chosen(sqlite3 *database, void *data, int count, const char *const *arguments,
			  struct tl_query_choice *choice, sqlite3_vtab **vtab, char **message)
{
	int code = choose(data, count - 3, arguments + 3, choice, message);

	if (code == SQLITE_OK)
		code = connect_table(database, data, choice->trace, tl_query_tables[choice->table],
				     choice->table, vtab);
	return code;
}

static int connect_sums(sqlite3 *database, void *data, int count, const char *const *arguments,
			sqlite3_vtab **vtab, char **message)
{
	struct tl_query_registry *registry = data;

	(void)count;
	(void)arguments;
	if (!registry->count)
		return refuse(message, "%s", "there is no input");
	return connect_table(database, registry, registry->list[0].trace, &tl_query_call_sums, 0,
			     vtab);
}

static int connect(sqlite3 *database, void *data, int count, const char *const *arguments,
		   sqlite3_vtab **vtab, char **message)
{
	struct tl_query_choice choice = { .table = -1 };

	return connect_chosen(database, data, count, arguments, &choice, vtab, message);
}

static int disconnect(sqlite3_vtab *base)
{
	struct tl_query_vtab *vtab = (struct tl_query_vtab *)base;

	tl_query_registry_leave(vtab->registry, vtab->trace);
	free(vtab);
	return SQLITE_OK;
}

static int create(sqlite3 *database, void *data, int count, const char *const *arguments,
		  sqlite3_vtab **vtab, char **message)
{
	struct tl_query_registry *registry = data;
	struct tl_query_choice choice = { .table = -1 };
	int code = connect_chosen(database, data, count, arguments, &choice, vtab, message);

	if (code != SQLITE_OK || !choice.companions)
		return code;
	code = registry->make_companions(database, arguments, count);
	if (code != SQLITE_OK)
		disconnect(*vtab);
	return code;
}

/* ---- cursors ---- */

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **to)
{
	struct query_cursor *cursor = calloc(1, sizeof(*cursor));

	(void)base;
	if (!cursor)
		return SQLITE_NOMEM;
	*to = &cursor->base;
	return SQLITE_OK;
}

static void end_stream(struct query_cursor *cursor)
{
	if (cursor->handle)
		vtab_of(cursor)->table->stream->close(cursor->handle);
	cursor->handle = NULL;
	cursor->has_row = false;
	cursor->rows.count = 0;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct query_cursor *cursor = (struct query_cursor *)base;

	end_stream(cursor);
	free(cursor);
	return SQLITE_OK;
}

static int next_of_stream(struct query_cursor *cursor)
{
	struct tl_query_vtab *vtab = vtab_of(cursor);
	const struct tl_query_stream *stream = vtab->table->stream;
	struct tl_error err;
	int status = stream->rows ? stream->rows(cursor->handle, &cursor->rows, &err)
				  : stream->next(cursor->handle, &err);

	cursor->at = 0;
	cursor->has_row = status == 1;
	if (status < 0)
		return fail(vtab, &err);
	return SQLITE_OK;
}

static int begin_stream(struct query_cursor *cursor, const struct tl_query_wish *wish)
{
	struct tl_query_vtab *vtab = vtab_of(cursor);
	struct tl_error err;

	if (vtab->table->stream->open(vtab->trace, wish, &cursor->handle, &err) < 0) {
		int code = fail(vtab, &err);

		end_stream(cursor);
		return code;
	}
	return next_of_stream(cursor);
}

/* The number of a key among the keys of its table. */
static size_t key_number(const struct tl_query_table *table, int column)
{
	size_t number = 0;

	for (int i = 0; i < column; i++)
		number += (table->uses[i] & TL_QUERY_KEY) != 0;
	return number;
}

/* The rows with the value of the one condition. */
static int begin_keyed(struct query_cursor *cursor, const struct tl_query_condition *condition)
{
	struct tl_query_vtab *vtab = vtab_of(cursor);
	struct tl_query_key_index *index =
		&vtab->trace->folded.keys[vtab->number][key_number(vtab->table, condition->column)];
	size_t end;

	if (!tl_query_key_index_make(index, vtab->table, vtab->trace, condition->column))
		return SQLITE_NOMEM;
	cursor->index = index;
	cursor->row = tl_query_key_index_find(index, condition->value, &end);
	cursor->end = end;
	return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int columns, const char *plan, int count,
		  sqlite3_value **values)
{
	struct query_cursor *cursor = (struct query_cursor *)base;
	struct tl_query_vtab *vtab = vtab_of(cursor);
	struct tl_query_wish wish = { .columns = (uint64_t)columns };
	struct tl_error err;

	end_stream(cursor);
	tl_query_read_plan(plan, values, count, &wish);
	if (vtab->table->stream)
		return begin_stream(cursor, &wish);
	if (tl_query_trace_fold(vtab->trace, &err) < 0)
		return fail(vtab, &err);
	cursor->index = NULL;
	if (wish.condition_count)
		return begin_keyed(cursor, &wish.conditions[0]);
	cursor->row = 0;
	cursor->end = vtab->table->rows(vtab->trace);
	return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
	struct query_cursor *cursor = (struct query_cursor *)base;

	if (++cursor->at < cursor->rows.count)
		return SQLITE_OK;
	if (cursor->handle)
		return next_of_stream(cursor);
	cursor->row++;
	return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
	const struct query_cursor *cursor = (const struct query_cursor *)base;

	return cursor->handle ? !cursor->has_row : cursor->row >= cursor->end;
}

static void give(sqlite3_context *context, const struct tl_query_value *value, bool passes)
{
	switch (value->type) {
	case TL_QUERY_NULL:
		break;
	case TL_QUERY_INTEGER:
		sqlite3_result_int64(context, value->integer);
		break;
	case TL_QUERY_REAL:
		sqlite3_result_double(context, value->real);
		break;
	case TL_QUERY_TEXT:
		sqlite3_result_text64(context, value->text, value->size,
				      passes ? SQLITE_TRANSIENT : SQLITE_STATIC, SQLITE_UTF8);
		break;
	case TL_QUERY_BLOB:
		sqlite3_result_blob64(context, value->text, value->size, SQLITE_TRANSIENT);
		break;
	}
}

/* A value of the row that lies ready. */
static void give_word(sqlite3_context *context, const struct tl_query_rows *rows, size_t row,
		      int number)
{
	struct tl_query_value value = { .type = TL_QUERY_NULL };
	uint64_t word;

	if (!rows->columns[number])
		return;
	word = rows->columns[number][row];
	switch (rows->words[number]) {
	case TL_QUERY_NAME:
		sqlite3_result_text64(context, rows->names[word].text, rows->names[word].size,
				      SQLITE_STATIC, SQLITE_UTF8);
		return;
	case TL_QUERY_SIGNED:
		sqlite3_result_int64(context, (int64_t)word);
		return;
	}
	if (word <= INT64_MAX) {
		sqlite3_result_int64(context, (int64_t)word);
		return;
	}
	tl_query_set_known(&value, word);
	give(context, &value, false);
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
	struct query_cursor *cursor = (struct query_cursor *)base;
	struct tl_query_vtab *vtab = vtab_of(cursor);
	struct tl_query_value value = { .type = TL_QUERY_NULL };
	uint64_t row = cursor->row;
	struct tl_error err;

	if (cursor->rows.count) {
		give_word(context, &cursor->rows, cursor->at, number);
		return SQLITE_OK;
	}
	if (cursor->handle) {
		int status = vtab->table->stream->cell(cursor->handle, number, &value, &err);

		if (status < 0)
			return fail(vtab, &err);
		/* In the words of SQLite's own sum(). */
		if (status > 0)
			sqlite3_result_error(context, "integer overflow", -1);
		if (status > 0)
			return SQLITE_OK;
	} else {
		if (cursor->index)
			row = cursor->index->rows[row].row;
		vtab->table->cell(vtab->trace, row, number, &value);
	}
	give(context, &value, vtab->table->texts_pass);
	return SQLITE_OK;
}

/*
 * By these numbers SQLite knows which rows it had, where it reads a table more than once: for each
 * condition of an OR, by one index or another, and for RIGHT and FULL JOIN. Rows of a stream have
 * none, as they depend on what is passed over; with wrong ones rows would be lost.
 */
static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *number)
{
	const struct query_cursor *cursor = (const struct query_cursor *)base;
	struct tl_query_vtab *vtab = vtab_of(cursor);

	if (cursor->handle) {
		sqlite3_free(vtab->base.zErrMsg);
		vtab->base.zErrMsg = sqlite3_mprintf(
			"rows of `%s` have no numbers, as they are streamed: it has no rowid, and "
			"is no table of a RIGHT or FULL JOIN; ask for WITH ... AS MATERIALIZED "
			"(SELECT ... FROM %s)",
			vtab->table->info.name, vtab->table->info.name);
		return SQLITE_ERROR;
	}
	*number =
		(sqlite3_int64)(cursor->index ? cursor->index->rows[cursor->row].row : cursor->row);
	return SQLITE_OK;
}

const sqlite3_module tl_query_module = {
	.iVersion = 1,
	.xCreate = create,
	.xConnect = connect,
	.xBestIndex = tl_query_plan,
	.xDisconnect = disconnect,
	.xDestroy = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next,
	.xEof = at_end,
	.xColumn = column,
	.xRowid = rowid,
};

const sqlite3_module tl_query_sums_module = {
	.iVersion = 1,
	.xConnect = connect_sums,
	.xBestIndex = tl_query_plan,
	.xDisconnect = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next,
	.xEof = at_end,
	.xColumn = column,
	.xRowid = rowid,
};
