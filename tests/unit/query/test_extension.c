/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The extension of SQLite (docs/query.md) in a database of its own: what its arguments choose,
 * which tables it makes, and what it says of arguments that are wrong. The trace is that of
 * trace.h: 1 from 100 to 200, in it 2 from 110 to 115 and from 120 to 140.
 */
#include <sqlite3.h>
#include <stdlib.h>

#include "../unit.h"

#include "trace.h"

static struct temp folder;

struct sqlite3_api_routines;
int sqlite3_extension_init(sqlite3 *database, char **message,
			   const struct sqlite3_api_routines *api);

static sqlite3 *open_database(void)
{
	sqlite3 *database;

	assert_int_equal(sqlite3_open(":memory:", &database), SQLITE_OK);
	return database;
}

/* The first column of the rows, with a blank between. */
static void want_rows(sqlite3 *database, const char *sql, const char *expected)
{
	char text[1024] = "";
	sqlite3_stmt *statement;

	if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(database));
	while (sqlite3_step(statement) == SQLITE_ROW) {
		const char *value = (const char *)sqlite3_column_text(statement, 0);

		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", *text ? " " : "",
			 value ? value : "NULL");
	}
	sqlite3_finalize(statement);
	if (strcmp(text, expected) != 0)
		fail_msg("%s: \"%s\" instead of \"%s\"", sql, text, expected);
}

/* Makes the table t; 0, or what is said against it is compared. */
static void make_table(sqlite3 *database, const char *arguments, const char *message)
{
	char *sql = sqlite3_mprintf("CREATE VIRTUAL TABLE temp.t USING tracelathe(%s)", arguments);
	int code = sqlite3_exec(database, sql, NULL, NULL, NULL);

	sqlite3_free(sql);
	if (!message && code)
		fail_msg("%s: %s", arguments, sqlite3_errmsg(database));
	if (message && (!code || strcmp(sqlite3_errmsg(database), message) != 0))
		fail_msg("%s: \"%s\" instead of \"%s\"", arguments, sqlite3_errmsg(database),
			 message);
}

/* ---- tables ---- */

TEST(t_is_the_functions_and_others_stand_beside_it)
{
	sqlite3 *database = open_database();

	make_table(database, "'trace'", NULL);
	want_rows(database, "SELECT name FROM t ORDER BY id", "#1 #2");
	want_rows(database, "SELECT name FROM functions ORDER BY id", "#1 #2");
	want_rows(database, "SELECT duration FROM t_calls ORDER BY start", "100 5 20");
	want_rows(database,
		  "SELECT sum(c.duration) FROM calls c JOIN t ON t.id = c.function "
		  "WHERE t.name = '#2'",
		  "25");
	want_rows(database, "SELECT count(*) FROM t_events", "1");
	sqlite3_close(database);
}

/* "where the schema has nothing of that name yet" */
TEST(what_has_the_name_of_a_table_stays)
{
	sqlite3 *database = open_database();

	assert_int_equal(sqlite3_exec(database,
				      "CREATE TEMP TABLE calls(mine); INSERT INTO calls VALUES (7)",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	make_table(database, "'trace'", NULL);
	want_rows(database, "SELECT mine FROM calls", "7");
	want_rows(database, "SELECT count(*) FROM t_calls", "3");
	sqlite3_close(database);
}

TEST(a_named_table_is_alone)
{
	sqlite3 *database = open_database();

	make_table(database, "'trace', 'table=calls'", NULL);
	want_rows(database, "SELECT duration FROM t ORDER BY start", "100 5 20");
	want_rows(database, "SELECT count(*) FROM temp.sqlite_master", "1");
	sqlite3_close(database);
}

/* ---- arguments ---- */

/* The durations of the calls that are left. */
static void want_calls(const char *argument, const char *durations)
{
	sqlite3 *database = open_database();
	char arguments[256];

	snprintf(arguments, sizeof(arguments), "'trace', 'table=calls', %s", argument);
	make_table(database, arguments, NULL);
	want_rows(database, "SELECT duration FROM t ORDER BY start", durations);
	sqlite3_close(database);
}

TEST(filters_are_those_of_the_command)
{
	want_calls("'function=^#2$'", "5 20");
	want_calls("\"function=^#1$\"", "100");
	want_calls("thread=7", "100 5 20");
	want_calls("'thread=7'", "100 5 20");
	want_calls("'thread=0x7', 'pid=5'", "100 5 20");
	want_calls("'thread=8'", "");
	want_calls("'pid=6'", "");
	/* a tick is a nanosecond; seconds from the first record, at 100 */
	want_calls("'from=16e-9', 'to=19e-9'", "100");
	want_calls("'from=16e-9'", "100 20");
	want_calls("'to=12e-9'", "100 5");
	want_calls("'format=xray'", "100 5 20");
	want_calls("'object=nothing'", "");
}

TEST(a_file_name_may_have_quotes)
{
	sqlite3 *database = open_database();

	assert_int_equal(link("trace", "it's a \"trace\"=1"), 0);
	make_table(database, "'it''s a \"trace\"=1'", NULL);
	want_rows(database, "SELECT count(*) FROM t_calls", "3");
	sqlite3_close(database);
	assert_int_equal(unlink("it's a \"trace\"=1"), 0);
}

TEST(wrong_arguments_are_told)
{
	static const struct {
		const char *arguments, *message;
	} rows[] = {
		{ "", "no file is given: USING tracelathe('FILE')" },
		{ "'trace', 'table=call'", "there is no table call" },
		{ "'trace', 'colour=red'", "what is 'colour=red'?" },
		{ "'trace', 'calls'", "what is 'calls'?" },
		{ "'trace', 'thread=x'", "what is 'thread=x'?" },
		{ "'trace', 'thread='", "what is 'thread='?" },
		{ "'trace', 'thread=-1'", "what is 'thread=-1'?" },
		{ "'trace', 'pid=99999999999999999999'", "what is 'pid=99999999999999999999'?" },
		{ "'trace', 'cpu=1x'", "what is 'cpu=1x'?" },
		{ "'trace', 'from=-1'", "what is 'from=-1'?" },
		{ "'trace', 'to=soon'", "what is 'to=soon'?" },
		{ "''", "what is ''?" },
		{ "'none'", "none: cannot open" },
		{ "'trace', 'format=perf'", "trace: not a perf.data file" },
		{ "'trace', 'binary=none'", "none: cannot open the binary" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		sqlite3 *database = open_database();

		make_table(database, rows[i].arguments, rows[i].message);
		want_rows(database, "SELECT count(*) FROM temp.sqlite_master", "0");
		sqlite3_close(database);
	}
}

/* ---- the directory of the tests ---- */

static int setup(void **state)
{
	(void)state;
	make_trace(&folder);
	if (chdir(folder.directory))
		return -1;
	return sqlite3_auto_extension((void (*)(void))sqlite3_extension_init);
}

static int teardown(void **state)
{
	(void)state;
	sqlite3_reset_auto_extension();
	temp_close(&folder);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t_is_the_functions_and_others_stand_beside_it),
		cmocka_unit_test(what_has_the_name_of_a_table_stays),
		cmocka_unit_test(a_named_table_is_alone),
		cmocka_unit_test(filters_are_those_of_the_command),
		cmocka_unit_test(a_file_name_may_have_quotes),
		cmocka_unit_test(wrong_arguments_are_told),
	};

	return cmocka_run_group_tests_name("query extension", tests, setup, teardown);
}
