/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tl_sqlite.so: the tables in any program that loads extensions of SQLite.
 *
 *   CREATE VIRTUAL TABLE temp.t USING tracelathe('FILE', 'binary=prog')
 *
 * makes t, the functions of the file, and for each table t_NAME; where the schema has nothing of
 * that name yet, NAME, too. With 'table=NAME' it makes t, that table, and no other.
 */
#include <stdlib.h>

#include "core/error.h"
#include "core/text/optional.h"
#include "query/extension/arguments.h"
#include "query/sql/vtab.h"

SQLITE_EXTENSION_INIT1

/* The table that t is unless another one is named. */
static const char default_table[] = "functions";

/* ---- which input, which table ---- */

static int explain(char **message, const char *format, const char *text)
{
	*message = sqlite3_mprintf(format, text);
	return SQLITE_ERROR;
}

/* The arguments but that of the table: tables with the same ones are of one input. */
static char *key_of(int count, const char *const *arguments)
{
	char *key = sqlite3_mprintf("");

	for (int i = 0; key && i < count; i++)
		if (sqlite3_strnicmp(arguments[i], "'table=", 7))
			key = sqlite3_mprintf("%z%s%s", key, tl_text_if(*key, ", "), arguments[i]);
	return key;
}

static int open_trace(struct tl_query_registry *registry, const char *key,
		      struct tl_query_arguments *arguments, char **message)
{
	struct tl_query_trace *trace;
	const char *failed = arguments->path;
	struct tl_error err;
	int status = tl_query_trace_open(&trace, &arguments->path, 1, &arguments->options, &failed,
					 &err);

	if (status < 0) {
		*message = sqlite3_mprintf("%s: %s", failed ? failed : arguments->path, err.text);
		return SQLITE_ERROR;
	}
	trace->texts = arguments->texts;
	arguments->texts = (struct tl_arena){ .blocks = NULL };
	return tl_query_registry_add(registry, key, trace, &err) < 0 ? SQLITE_NOMEM : SQLITE_OK;
}

static int find_trace(struct tl_query_registry *registry, const char *key,
		      struct tl_query_arguments *arguments, struct tl_query_choice *choice,
		      char **message)
{
	const char *table = arguments->table ? arguments->table : default_table;
	int code = SQLITE_OK;

	choice->companions = !arguments->table;
	choice->table = tl_query_table_find(table, strlen(table));
	if (choice->table < 0)
		return explain(message, "there is no table %s", table);
	if (!tl_query_registry_find(registry, key))
		code = open_trace(registry, key, arguments, message);
	choice->trace = tl_query_registry_find(registry, key);
	return code;
}

static int resolve(struct tl_query_registry *registry, int count, const char *const *given,
		   struct tl_query_choice *choice, char **message)
{
	char *key = key_of(count, given);
	struct tl_query_arguments arguments;
	const char *wrong;
	int code = SQLITE_NOMEM;

	if (!tl_query_arguments_read(&arguments, count, given, &wrong)) {
		if (wrong)
			code = explain(message, "what is %s?", wrong);
	} else if (!arguments.path) {
		code = explain(message, "%s", "no file is given: USING tracelathe('FILE')");
	} else if (key) {
		code = find_trace(registry, key, &arguments, choice, message);
	}
	tl_arena_free(&arguments.texts);
	sqlite3_free(key);
	return code;
}

/* ---- the other tables ---- */

static bool exists(sqlite3 *database, const char *schema, const char *name)
{
	return sqlite3_table_column_metadata(database, schema, name, NULL, NULL, NULL, NULL, NULL,
					     NULL) == SQLITE_OK;
}

static int make_table(sqlite3 *database, const char *schema, char *name, const char *key,
		      const char *table)
{
	char *sql = NULL;
	int code = SQLITE_NOMEM;

	if (name)
		sql = sqlite3_mprintf("CREATE VIRTUAL TABLE IF NOT EXISTS \"%w\".\"%w\" USING "
				      "tracelathe(%s, 'table=%s')",
				      schema, name, key, table);
	if (sql)
		code = sqlite3_exec(database, sql, NULL, NULL, NULL);
	sqlite3_free(sql);
	sqlite3_free(name);
	return code;
}

/* NAME is made where nothing else is called so; a failure to make it is none of the table t. */
static int make_companions(sqlite3 *database, const char *const *arguments, int count)
{
	const char *schema = arguments[1], *owner = arguments[2];
	char *key = key_of(count - 3, arguments + 3);
	int code = key ? SQLITE_OK : SQLITE_NOMEM;

	for (size_t i = 0; code == SQLITE_OK && tl_query_tables[i]; i++) {
		const char *table = tl_query_tables[i]->info.name;

		code = make_table(database, schema, sqlite3_mprintf("%s_%s", owner, table), key,
				  table);
		if (code == SQLITE_OK && sqlite3_stricmp(table, owner) &&
		    !exists(database, schema, table))
			code = make_table(database, schema, sqlite3_mprintf("%s", table), key,
					  table);
	}
	sqlite3_free(key);
	return code;
}

/* ---- loading ---- */

static void close_registry(void *registry)
{
	tl_query_registry_close(registry);
	free(registry);
}

__attribute__((visibility("default"))) int sqlite3_extension_init(sqlite3 *database, char **message,
								  const sqlite3_api_routines *api);

int sqlite3_extension_init(sqlite3 *database, char **message, const sqlite3_api_routines *api)
{
	struct tl_query_registry *registry;

	(void)message;
	SQLITE_EXTENSION_INIT2(api);
	registry = calloc(1, sizeof(*registry));
	if (!registry)
		return SQLITE_NOMEM;
	registry->resolve = resolve;
	registry->make_companions = make_companions;
	return sqlite3_create_module_v2(database, "tracelathe", &tl_query_module, registry,
					close_registry);
}
