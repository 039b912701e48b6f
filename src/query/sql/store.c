/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables as a database of their own: a schema of the connection that is a file without a name
 * while it is made, and is then copied into the output, which need not be a file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"
#include "core/output.h"
#include "core/sized.h"
#include "core/text/optional.h"
#include "query/sql/database.h"

enum { STEP = 1 << 16 };

/* Nobody but us sees the file before it is complete: nothing on the disk secures it. */
static const char settings[] = "PRAGMA stored.journal_mode = MEMORY;"
			       "PRAGMA stored.synchronous = OFF;"
			       "PRAGMA stored.locking_mode = EXCLUSIVE;"
			       "PRAGMA stored.cache_size = -65536;"
			       "PRAGMA stored.auto_vacuum = NONE;"
			       "BEGIN;"
			       "CREATE TABLE stored.absent(name TEXT, reason TEXT)";

/* What is looked up in a table; calls and instructions are found by number without an index. */
static const struct {
	const char *table, *columns;
} indexes[] = {
	{ "functions", "name" }, { "costs", "function" }, { "arcs", "caller" },
	{ "arcs", "callee" },    { "contexts", "id" },    { "contexts", "parent" },
	{ "lines", "function" }, { "jumps", "function" }, { "calls", "function" },
	{ "calls", "start" },    { "calls", "parent" },   { "accesses", "ordinal" },
	{ "samples", "stack" },  { "stacks", "stack" },   { "stacks", "function" },
};

struct store {
	struct tl_query *query;
	struct tl_query_trace *trace;
	char letter; /* of the input's schema */
	int fd;
};

/* ---- statements ---- */

static int store_failed(struct store *s, int code, struct tl_error *err)
{
	if (code == SQLITE_OK)
		return 0;
	return tl_query_failed(s->query, code, err);
}

/* A column of "id INTEGER, ..., late INTEGER HIDDEN": its name and type. */
struct column {
	const char *name;
	int name_size, size;
};

/* False: there is none behind *at. */
static bool next_column(const char **at, struct column *column)
{
	static const char hidden[] = " HIDDEN";
	const char *start = *at, *end = strchrnul(start, ',');

	if (!*start)
		return false;
	*at = *end ? end + 2 : end;
	if ((size_t)(end - start) > strlen(hidden) &&
	    !strncmp(end - strlen(hidden), hidden, strlen(hidden)))
		end -= strlen(hidden);
	*column = (struct column){
		.name = start,
		.name_size = (int)strcspn(start, " ,"),
		.size = (int)(end - start),
	};
	return true;
}

/* Numbers from 0 without a gap or a repetition are the key by which SQLite stores rows. */
static bool is_row_number(const struct tl_query_table_info *table, const struct column *column)
{
	return (!strcmp(table->name, "calls") && !strncmp(column->name, "id ", 3)) ||
	       (!strcmp(table->name, "functions") && !strncmp(column->name, "id ", 3)) ||
	       (!strcmp(table->name, "instructions") && !strncmp(column->name, "ordinal ", 8));
}

static char *creating_text(const struct tl_query_table_info *table)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	const char *at = table->columns;
	struct column column;

	sqlite3_str_appendf(text, "CREATE TABLE stored.%s(", table->name);
	while (next_column(&at, &column))
		sqlite3_str_appendf(text, "%.*s%s%s", column.size, column.name,
				    is_row_number(table, &column) ? " PRIMARY KEY" : "",
				    *at ? ", " : ")");
	return sqlite3_str_finish(text);
}

/* The columns by name, as those that `*` does not show are stored, too. */
static char *filling_text(const struct tl_query_table_info *table, char letter)
{
	sqlite3_str *text = sqlite3_str_new(NULL);
	const char *at = table->columns;
	struct column column;

	sqlite3_str_appendf(text, "INSERT INTO stored.%s SELECT ", table->name);
	while (next_column(&at, &column))
		sqlite3_str_appendf(text, "%.*s%s", column.name_size, column.name,
				    tl_text_if(*at, ", "));
	sqlite3_str_appendf(text, " FROM %c.%s", letter, table->name);
	return sqlite3_str_finish(text);
}

/* ---- tables ---- */

/* Why the input lacks the table is kept; one that was asked for by name has to be there. */
static int leave_out(struct store *s, const char *name, bool asked, int code, struct tl_error *err)
{
	const char *text = sqlite3_errmsg(s->query->database);

	if (s->trace->failed != TL_UNSUPPORTED || asked)
		return store_failed(s, code, err);
	code = tl_query_execute(
		s->query, sqlite3_mprintf("INSERT INTO stored.absent VALUES(%Q, %Q)", name, text));
	return store_failed(s, code, err);
}

static int store_table(struct store *s, const struct tl_query_table_info *table, bool asked,
		       struct tl_error *err)
{
	int code = tl_query_execute(s->query, creating_text(table));

	s->trace->failed = TL_OK;
	if (code == SQLITE_OK)
		code = tl_query_execute(s->query, filling_text(table, s->letter));
	if (code == SQLITE_OK)
		return 0;
	return leave_out(s, table->name, asked, code, err);
}

/* An index is made when its table is full, in one go. */
static int make_indexes(struct store *s, const char *table, struct tl_error *err)
{
	int code = SQLITE_OK;

	for (size_t i = 0; code == SQLITE_OK && i < sizeof(indexes) / sizeof(indexes[0]); i++)
		if (!strcmp(indexes[i].table, table))
			code = tl_query_execute(
				s->query,
				sqlite3_mprintf("CREATE INDEX stored.%s_%s ON %s(%s)", table,
						indexes[i].columns, table, indexes[i].columns));
	return store_failed(s, code, err);
}

/* Whether a list "functions,calls" has a name; no list has all. */
static bool is_chosen(const char *list, const char *name)
{
	const size_t size = strlen(name);

	if (!list)
		return true;
	for (const char *at = list;; at++) {
		if (!strncmp(at, name, size) && (!at[size] || at[size] == ','))
			return true;
		at = strchrnul(at, ',');
		if (!*at)
			return false;
	}
}

static int check_list(const char *list, struct tl_error *err)
{
	while (list) {
		const char *end = strchrnul(list, ',');

		if (tl_query_table_find(list, (size_t)(end - list)) < 0)
			return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
					   "one of the tables to be stored does not exist");
		list = *end ? end + 1 : NULL;
	}
	return 0;
}

/* `damage` is filled when everything else was read. */
static int store_tables(struct store *s, const char *list, struct tl_error *err)
{
	static const char last[] = "damage";
	const struct tl_query_table_info *damage =
		&tl_query_tables[tl_query_table_find(last, strlen(last))]->info;
	int status = 0;

	for (size_t i = 0; status == 0 && tl_query_tables[i]; i++) {
		const struct tl_query_table_info *table = &tl_query_tables[i]->info;

		if (table == damage || !is_chosen(list, table->name))
			continue;
		status = store_table(s, table, list != NULL, err);
		if (status == 0)
			status = make_indexes(s, table->name, err);
	}
	if (status < 0 || !is_chosen(list, last))
		return status;
	return store_table(s, damage, false, err);
}

/* ---- the file ---- */

static int begin_file(struct store *s, struct tl_error *err)
{
	const char *folder = secure_getenv("TMPDIR");
	char *path;
	int code;

	if (asprintf(&path, "%s/tracelathe.XXXXXX", folder && *folder ? folder : "/var/tmp") < 0)
		return tl_error_memory(err);
	s->fd = tl_file_make_temporary(path);
	if (s->fd < 0) {
		free(path);
		return tl_error_system(err, "cannot make a temporary file");
	}
	code = tl_query_execute(s->query, sqlite3_mprintf("ATTACH %Q AS stored", path));
	if (code == SQLITE_OK)
		code = tl_query_execute(s->query, sqlite3_mprintf("%s", settings));
	/* SQLite needs no name any more, and whatever ends us leaves nothing behind. */
	unlink(path);
	free(path);
	return store_failed(s, code, err);
}

static int copy_file(const struct store *s, struct tl_output *out, struct tl_error *err)
{
	char bytes[STEP];
	ssize_t got;

	if (lseek(s->fd, 0, SEEK_SET) < 0)
		return tl_error_system(err, "the database cannot be read again");
	while ((got = read(s->fd, bytes, sizeof(bytes))) != 0 && !tl_output_failed(out)) {
		if (got > 0)
			tl_output_write(out, bytes, (size_t)got);
		else if (errno != EINTR)
			return tl_error_system(err, "the database cannot be read again");
	}
	return 0;
}

static int store(struct store *s, const char *list, struct tl_output *out, struct tl_error *err)
{
	int status = begin_file(s, err), code;

	if (status == 0)
		status = store_tables(s, list, err);
	code = tl_query_execute(s->query, sqlite3_mprintf(status < 0 ? "ROLLBACK" : "COMMIT"));
	if (status == 0)
		status = store_failed(s, code, err);
	/* A database that could not even be begun is not attached. */
	code = tl_query_execute(s->query, sqlite3_mprintf("DETACH stored"));
	if (status == 0)
		status = store_failed(s, code, err);
	if (status < 0)
		return status;
	return copy_file(s, out, err);
}

int tl_query_store(struct tl_query *query, size_t input,
		   const struct tl_query_store_options *options, struct tl_output *out,
		   struct tl_error *err)
{
	struct tl_query_store_options ours = { .size = sizeof(ours) };
	struct store s = { .query = query, .fd = -1 };
	int status = 0;

	if (options)
		status = tl_take_options(&ours, sizeof(ours), sizeof(size_t), options,
					 options->size, err);
	if (status == 0)
		status = check_list(ours.tables, err);
	if (status == 0 && input >= query->registry.count)
		status = tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "there is no such input");
	if (status < 0)
		return status;
	tl_query_begin(query);
	s.trace = query->registry.list[input].trace;
	s.letter = *query->registry.list[input].key;
	status = store(&s, ours.tables, out, err);
	if (s.fd >= 0)
		close(s.fd);
	return status;
}
