/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans (src/query/sql/plan.c): which conditions a table uses itself (docs/query.md, "What is
 * quick"), which values it takes for them, and what a stored database has indexes for.
 */
#include "../unit.h"

#include <sqlite3.h>
#include <string.h>

#include <tracelathe/query.h>

#include "query/sql/vtab.h"
#include "query/tables/tables.h"
#include "query/trace/lines.h"
#include "trace.h"

/* ---- what SQLite is told ---- */

/* The steps that SQLite makes of a statement, each on a line. */
static void plan_of(struct tl_query *query, const char *sql, char *to, size_t size)
{
	struct tl_query_value value;
	size_t used = 0;
	char text[512];

	snprintf(text, sizeof(text), "EXPLAIN QUERY PLAN %s", sql);
	assert_int_equal(tl_query_start(query, text, NULL, NULL), 1);
	while (tl_query_next(query, NULL) == 1) {
		const char *detail;

		assert_int_equal(tl_query_column(query, 3, &value, sizeof(value)), 0);
		/* The number before the colon has the columns that are read. */
		detail = strstr(value.text, " VIRTUAL TABLE INDEX ");
		used += (size_t)snprintf(to + used, size - used, "%s\n",
					 detail ? strchr(detail, ':') + 1 : value.text);
		assert_true(used < size);
	}
}

/* "=COLUMN" and so on for each condition that is used, "gCOLUMN" for each column of groups. */
TEST(tables_use_the_conditions_that_they_can)
{
	static const struct {
		const char *sql, *plan;
	} cases[] = {
		{ "SELECT count(*) FROM calls WHERE thread = 7", "=03 \n" },
		{ "SELECT count(*) FROM calls WHERE thread > 7", ">03 \n" },
		{ "SELECT count(*) FROM calls WHERE start >= 1 AND start <= 9", "]07 [07 \n" },
		{ "SELECT count(*) FROM calls WHERE \"end\" < 9", "<08 \n" },
		{ "SELECT count(*) FROM calls WHERE self = 1 AND depth = 2", "=10 =04 \n" },
		{ "SELECT count(*) FROM calls WHERE name = 'f'", "~06 \n" },
		{ "SELECT count(*) FROM calls WHERE cut = 1 AND late = 0", "=11 =12 \n" },
		/* What is no such comparison, or compares in another way, is left to SQLite. */
		{ "SELECT count(*) FROM calls WHERE name = 'f' COLLATE NOCASE", "\n" },
		{ "SELECT count(*) FROM calls WHERE name > 'f'", "\n" },
		{ "SELECT count(*) FROM calls WHERE start <> 7", "\n" },
		{ "SELECT count(*) FROM calls WHERE +start = 7", "\n" },
		{ "SELECT count(*) FROM calls WHERE id IN (1, 2)", "\n" },
		{ "SELECT name FROM functions WHERE id = 2", "=00 \n" },
		{ "SELECT name FROM functions WHERE id > 2", "\n" },
		{ "SELECT name FROM functions WHERE name = 'f'", "\n" },
		{ "SELECT name FROM functions WHERE id IN (1, 2)", "=00 \n" },
		{ "SELECT self FROM costs WHERE function = 1 AND event = 'x'", "=00 \n" },
		{ "SELECT first FROM parts WHERE id = 1", "=00 \n" },
		{ "SELECT first FROM threads WHERE thread = 7", "=01 \n" },
		/* A join asks for the rows of a function, and goes through the calls once. */
		{ "SELECT f.name FROM functions f JOIN calls c ON f.id = c.function", "\n=00 \n" },
		{ "SELECT f.name FROM costs c JOIN functions f ON f.id = c.function", "\n=00 \n" },
		/* Groups without sorting; order that is there. */
		{ "SELECT function, count(*) FROM calls GROUP BY function", "g05 \n" },
		{ "SELECT name, thread, count(*) FROM calls GROUP BY name, thread", "g06 g03 \n" },
		{ "SELECT depth, count(*) FROM calls GROUP BY depth ORDER BY depth DESC",
		  "G04 \n" },
		{ "SELECT depth, count(*) FROM calls WHERE thread = 7 GROUP BY depth",
		  "=03 g04 \n" },
		{ "SELECT self, count(*) FROM calls GROUP BY self",
		  "\nUSE TEMP B-TREE FOR GROUP BY\n" },
		{ "SELECT name, count(*) FROM functions GROUP BY name",
		  "\nUSE TEMP B-TREE FOR GROUP BY\n" },
		{ "SELECT start FROM calls ORDER BY id", "\n" },
		{ "SELECT start FROM calls ORDER BY id DESC", "\nUSE TEMP B-TREE FOR ORDER BY\n" },
		/* An order that is not that of bytes. */
		{ "SELECT start FROM calls ORDER BY id COLLATE NOCASE",
		  "\nUSE TEMP B-TREE FOR ORDER BY\n" },
		{ "SELECT name, count(*) FROM calls GROUP BY name ORDER BY name COLLATE NOCASE",
		  "g06 \nUSE TEMP B-TREE FOR ORDER BY\n" },
		{ "SELECT start FROM calls ORDER BY start", "\nUSE TEMP B-TREE FOR ORDER BY\n" },
		{ "SELECT start FROM calls ORDER BY function", "\nUSE TEMP B-TREE FOR ORDER BY\n" },
		{ "SELECT name FROM functions ORDER BY id", "\nUSE TEMP B-TREE FOR ORDER BY\n" },
		/* Listings of the input. */
		{ "SELECT text FROM instructions ORDER BY ordinal", "\n" },
		{ "SELECT size FROM accesses ORDER BY ordinal", "\n" },
		{ "SELECT text FROM instructions ORDER BY ordinal DESC",
		  "\nUSE TEMP B-TREE FOR ORDER BY\n" },
		{ "SELECT json FROM records ORDER BY offset", "\nUSE TEMP B-TREE FOR ORDER BY\n" },
		{ "SELECT json FROM records WHERE kind = 'f' AND thread = 7", "~01 =02 \n" },
		{ "SELECT json FROM records WHERE kind > 'f'", "\n" },
		{ "SELECT json FROM records WHERE kind = 'f' COLLATE NOCASE", "\n" },
		{ "SELECT payload FROM instants WHERE name = 'f'", "~03 \n" },
		{ "SELECT payload FROM instants WHERE payload = 'f'", "\n" },
		{ "SELECT stack FROM samples WHERE event = 'f'", "~03 \n" },
	};
	struct temp temp;
	const char *path = make_trace(&temp);
	struct tl_query *query;
	char have[256];

	assert_int_equal(tl_query_open(&query, NULL), 0);
	assert_int_equal(tl_query_add(query, &path, 1, NULL, NULL, NULL), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		*have = '\0';
		plan_of(query, cases[i].sql, have, sizeof(have));
		if (strcmp(have, cases[i].plan))
			fail_msg("%s: %s instead of %s", cases[i].sql, have, cases[i].plan);
	}
	tl_query_close(query);
	temp_close(&temp);
}

/* ---- what is read ---- */

static size_t rows_of(struct tl_query_trace *trace, const struct tl_query_table *table,
		      const struct tl_query_condition *condition)
{
	struct tl_query_wish wish = { .conditions = { *condition }, .condition_count = 1 };
	size_t count = 0;
	void *handle;

	assert_int_equal(table->stream->open(trace, &wish, &handle, NULL), 0);
	while (table->stream->next(handle, NULL) == 1)
		count++;
	table->stream->close(handle);
	return count;
}

/* A table does not hand over the rows that it can tell from those of its conditions. */
TEST(rows_that_are_handed_over)
{
	enum { OFFSET, KIND, THREAD, TIME = 4 };
	static const struct {
		struct tl_query_condition condition;
		size_t rows;
	} cases[] = {
		{ { KIND, TL_QUERY_EQUAL, 0, "function" }, 6 },
		{ { KIND, TL_QUERY_EQUAL, 0, "functio" }, 0 },
		{ { KIND, TL_QUERY_EQUAL, 0, "function " }, 0 },
		{ { THREAD, TL_QUERY_EQUAL, 7, NULL }, 6 },
		{ { THREAD, TL_QUERY_EQUAL, 8, NULL }, 0 },
		{ { THREAD, TL_QUERY_EQUAL, -1, NULL }, 0 },
		{ { THREAD, TL_QUERY_LESS, 8, NULL }, 6 },
		{ { TIME, TL_QUERY_LESS_EQUAL, 115, NULL }, 3 },
		{ { OFFSET, TL_QUERY_GREATER, 32, NULL }, 5 },
	};
	struct temp temp;
	const char *path = make_trace(&temp);
	struct tl_query_trace *trace;

	assert_int_equal(tl_query_trace_open(&trace, &path, 1, NULL, NULL, NULL), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(rows_of(trace, &tl_query_records, &cases[i].condition),
				 cases[i].rows);
	tl_query_trace_leave(trace);
	temp_close(&temp);
}

static int list_records(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	return tl_input_dump(input, TL_REPORT_JSON, out, err);
}

/* A thread is chosen where the lines are made, and is none of the next reader's. */
TEST(lines_of_one_thread)
{
	static const struct {
		uint64_t thread;
		size_t lines;
	} cases[] = { { 8, 0 }, { TL_NOWHERE, 6 }, { 7, 6 } };
	struct temp temp;
	const char *path = make_trace(&temp), *line;
	struct tl_query_trace *trace;

	assert_int_equal(tl_query_trace_open(&trace, &path, 1, NULL, NULL, NULL), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tl_query_part part = { .thread = cases[i].thread };
		struct tl_query_lines *lines;
		size_t count = 0, size;

		assert_int_equal(tl_query_lines_open(&lines, trace, list_records, &part, NULL), 0);
		while (tl_query_lines_next(lines, &line, &size, NULL) == 1)
			count++;
		tl_query_lines_close(lines);
		assert_int_equal(count, cases[i].lines);
	}
	tl_query_trace_leave(trace);
	temp_close(&temp);
}

/* ---- values ---- */

struct value_case {
	const char *sql; /* the value */
	bool number, text;
	int64_t wanted;
};

/* A condition is used where an integer, or a text without a zero byte, says the same. */
TEST(values_of_conditions)
{
	static const struct value_case cases[] = {
		{ "7", true, false, 7 },
		{ "-9223372036854775808", true, false, INT64_MIN },
		{ "2.0", true, false, 2 },
		{ "-3.0", true, false, -3 },
		{ "2.5", false, false, 0 },
		{ "8999999999999999.0", true, false, 8999999999999999 },
		{ "9e15", false, false, 0 },
		{ "-9e15", false, false, 0 },
		{ "1e300", false, false, 0 },
		{ "-1e300", false, false, 0 },
		{ "9e999", false, false, 0 },
		{ "NULL", false, false, 0 },
		{ "'7'", false, true, 0 },
		{ "''", false, true, 0 },
		{ "'a' || char(0)", false, false, 0 },
		{ "x'37'", false, false, 0 },
	};
	sqlite3 *base;

	assert_int_equal(sqlite3_open(":memory:", &base), SQLITE_OK);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char sql[128];
		sqlite3_stmt *asked;
		sqlite3_value *values[2];
		struct tl_query_wish wish = { .condition_count = 0 };

		snprintf(sql, sizeof(sql), "SELECT %s", cases[i].sql);
		assert_int_equal(sqlite3_prepare_v2(base, sql, -1, &asked, NULL), SQLITE_OK);
		assert_int_equal(sqlite3_step(asked), SQLITE_ROW);
		values[0] = values[1] = sqlite3_value_dup(sqlite3_column_value(asked, 0));
		tl_query_read_plan("<12 ~06 g03 G10 ", values, 2, &wish);
		assert_int_equal(wish.condition_count, cases[i].number + cases[i].text);
		if (cases[i].number) {
			assert_int_equal(wish.conditions[0].column, 12);
			assert_int_equal(wish.conditions[0].comparison, TL_QUERY_LESS);
			assert_true(wish.conditions[0].value == cases[i].wanted);
			assert_null(wish.conditions[0].text);
		}
		if (cases[i].text) {
			assert_int_equal(wish.conditions[0].column, 6);
			assert_int_equal(wish.conditions[0].comparison, TL_QUERY_EQUAL);
			assert_string_equal(wish.conditions[0].text, sqlite3_value_text(values[0]));
		}
		assert_int_equal(wish.group_count, 2);
		assert_int_equal(wish.groups[0], 3);
		assert_int_equal(wish.groups[1], 10);
		assert_false(wish.descending[0]);
		assert_true(wish.descending[1]);
		sqlite3_value_free(values[0]);
		sqlite3_finalize(asked);
	}
	sqlite3_close(base);
}

/* The letters of the comparisons, in the order of SQLite's operators. */
TEST(comparisons_of_plans)
{
	static const struct {
		const char *text;
		enum tl_query_comparison comparison;
	} cases[] = {
		{ "=01 ", TL_QUERY_EQUAL },         { "<01 ", TL_QUERY_LESS },
		{ "[01 ", TL_QUERY_LESS_EQUAL },    { ">01 ", TL_QUERY_GREATER },
		{ "]01 ", TL_QUERY_GREATER_EQUAL },
	};
	sqlite3 *base;
	sqlite3_stmt *asked;
	sqlite3_value *value;

	assert_int_equal(sqlite3_open(":memory:", &base), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(base, "SELECT 5", -1, &asked, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(asked), SQLITE_ROW);
	value = sqlite3_value_dup(sqlite3_column_value(asked, 0));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_query_wish wish = { .condition_count = 0 };

		tl_query_read_plan(cases[i].text, &value, 1, &wish);
		assert_int_equal(wish.condition_count, 1);
		assert_int_equal(wish.conditions[0].column, 1);
		assert_int_equal(wish.conditions[0].comparison, cases[i].comparison);
		/* Without a value there is no condition. */
		wish.condition_count = 0;
		tl_query_read_plan(cases[i].text, &value, 0, &wish);
		assert_int_equal(wish.condition_count, 0);
	}
	sqlite3_value_free(value);
	sqlite3_finalize(asked);
	sqlite3_close(base);
}

/* ---- a stored database ---- */

static void expect_column(sqlite3 *base, const char *sql, const char *wanted)
{
	sqlite3_stmt *asked;
	char have[1024] = "";

	assert_int_equal(sqlite3_prepare_v2(base, sql, -1, &asked, NULL), SQLITE_OK);
	while (sqlite3_step(asked) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(asked, 0);

		strcat(strcat(have, text ? text : "NULL"), " ");
	}
	sqlite3_finalize(asked);
	assert_string_equal(have, wanted);
}

static sqlite3 *stored(struct temp *temp, const char *tables, int status)
{
	const struct tl_query_store_options options = { .size = sizeof(options), .tables = tables };
	char *base_path = strdup(temp_path(temp, "base"));
	const char *path = temp_path(temp, "trace");
	struct tl_query *query;
	struct tl_output *out;
	sqlite3 *base = NULL;
	size_t size;
	const void *bytes;

	assert_non_null(base_path);
	assert_int_equal(tl_query_open(&query, NULL), 0);
	assert_int_equal(tl_query_add(query, &path, 1, NULL, NULL, NULL), 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_query_store(query, 1, &options, out, NULL), TL_BAD_USAGE);
	assert_int_equal(tl_query_store(query, 0, &options, out, NULL), status);
	if (status == 0) {
		bytes = tl_output_bytes(out, &size);
		temp_write(temp, "base", bytes, size);
		assert_int_equal(sqlite3_open(base_path, &base), SQLITE_OK);
	}
	tl_output_discard(out);
	tl_query_close(query);
	free(base_path);
	return base;
}

/* "`calls.id`, `functions.id` are primary keys; names, callers, callees ... have indexes." */
TEST(a_stored_database_has_keys_and_indexes)
{
	struct temp temp;
	sqlite3 *base;

	make_trace(&temp);
	base = stored(&temp, NULL, 0);
	expect_column(base, "SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY 1",
		      "accesses_ordinal arcs_callee arcs_caller calls_function calls_parent "
		      "calls_start contexts_id contexts_parent costs_function functions_name "
		      "jumps_function lines_function samples_stack stacks_function stacks_stack ");
	expect_column(base,
		      "SELECT m.name || '.' || t.name FROM sqlite_schema m, "
		      "pragma_table_info(m.name) t WHERE t.pk ORDER BY 1",
		      "calls.id functions.id instructions.ordinal ");
	expect_column(base, "SELECT id || ':' || start FROM calls ORDER BY id",
		      "0:100 1:110 2:120 ");
	expect_column(base, "SELECT name FROM absent ORDER BY 1", "accesses instructions samples ");
	/* Columns that `*` does not show are stored, and are shown then. */
	expect_column(base, "SELECT group_concat(name, ',') FROM pragma_table_info('calls')",
		      "id,parent,process,thread,depth,function,name,start,end,duration,self,cut,"
		      "late ");
	expect_column(base, "PRAGMA integrity_check", "ok ");
	sqlite3_close(base);
	temp_close(&temp);
}

/* "Without `--tables` all tables are written": with it those, and their indexes, alone. */
TEST(chosen_tables_of_a_stored_database)
{
	struct temp temp;
	sqlite3 *base;

	make_trace(&temp);
	base = stored(&temp, "arcs,functions", 0);
	expect_column(base, "SELECT name FROM sqlite_schema ORDER BY type, name",
		      "arcs_callee arcs_caller functions_name absent arcs functions ");
	expect_column(base, "SELECT id FROM functions ORDER BY id", "1 2 ");
	sqlite3_close(base);
	base = stored(&temp, "damage", 0);
	expect_column(base, "SELECT name FROM sqlite_schema ORDER BY name", "absent damage ");
	sqlite3_close(base);
	stored(&temp, "arcs,nothing", TL_BAD_USAGE);
	stored(&temp, "arc", TL_BAD_USAGE);
	stored(&temp, "", TL_BAD_USAGE);
	stored(&temp, "calls,instructions", TL_BAD_USAGE);
	temp_close(&temp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_use_the_conditions_that_they_can),
		cmocka_unit_test(rows_that_are_handed_over),
		cmocka_unit_test(lines_of_one_thread),
		cmocka_unit_test(values_of_conditions),
		cmocka_unit_test(comparisons_of_plans),
		cmocka_unit_test(a_stored_database_has_keys_and_indexes),
		cmocka_unit_test(chosen_tables_of_a_stored_database),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
