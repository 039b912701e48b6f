/* SPDX-License-Identifier: Apache-2.0 */
/* tl_query_*: rows, values, errors, interrupts. The trace has two functions, 1 calls 2 twice. */
#include "../unit.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

#include <tracelathe/query.h>

#include "trace.h"

static struct tl_query *begin(struct temp *temp)
{
	const char *path = make_trace(temp);
	struct tl_query *query;
	struct tl_error err;

	assert_int_equal(tl_query_open(&query, &err), 0);
	assert_int_equal(tl_query_add(query, &path, 1, NULL, NULL, &err), 0);
	return query;
}

static void end(struct temp *temp, struct tl_query *query)
{
	tl_query_close(query);
	temp_close(temp);
}

static int64_t integer(const struct tl_query *query, size_t column)
{
	struct tl_query_value value;

	assert_int_equal(tl_query_column(query, column, &value, sizeof(value)), 0);
	assert_int_equal(value.type, TL_QUERY_INTEGER);
	return value.integer;
}

/* ---- rows ---- */

TEST(calls_are_rows)
{
	static const int64_t wanted[][5] = { { 0, 1, 100, 200, 75 },
					     { 1, 2, 110, 115, 5 },
					     { 2, 2, 120, 140, 20 } };
	struct temp temp;
	struct tl_query *query = begin(&temp);
	struct tl_error err;

	assert_int_equal(tl_query_start(query,
					"SELECT id, function, start, \"end\", self FROM calls",
					NULL, &err),
			 1);
	assert_int_equal(tl_query_column_count(query), 5);
	assert_string_equal(tl_query_column_name(query, 1), "function");
	assert_null(tl_query_column_name(query, 5));
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(tl_query_next(query, &err), 1);
		for (size_t j = 0; j < 5; j++)
			assert_int_equal(integer(query, j), wanted[i][j]);
	}
	assert_int_equal(tl_query_next(query, &err), 0);
	assert_int_equal(tl_query_next(query, &err), 0);
	end(&temp, query);
}

TEST(values_have_types)
{
	struct temp temp;
	struct tl_query *query = begin(&temp);
	struct tl_query_value value;
	struct tl_error err;

	assert_int_equal(tl_query_start(query, "SELECT NULL, 1.5, 'ab', x'0001', -3", NULL, &err),
			 1);
	assert_int_equal(tl_query_column(query, 0, &value, sizeof(value)), TL_BAD_USAGE);
	assert_int_equal(tl_query_next(query, &err), 1);
	assert_int_equal(tl_query_column(query, 0, &value, sizeof(value)), 0);
	assert_int_equal(value.type, TL_QUERY_NULL);
	assert_int_equal(tl_query_column(query, 1, &value, sizeof(value)), 0);
	assert_true(value.type == TL_QUERY_REAL && value.real == 1.5);
	assert_int_equal(tl_query_column(query, 2, &value, sizeof(value)), 0);
	assert_int_equal(value.type, TL_QUERY_TEXT);
	assert_string_equal(value.text, "ab");
	assert_int_equal(tl_query_column(query, 3, &value, sizeof(value)), 0);
	assert_int_equal(value.type, TL_QUERY_BLOB);
	assert_int_equal(value.size, 2);
	assert_memory_equal(value.text, "\0\1", 2);
	assert_int_equal(integer(query, 4), -3);
	assert_int_equal(tl_query_column(query, 5, &value, sizeof(value)), TL_BAD_USAGE);
	assert_int_equal(tl_query_column(query, 4, &value, sizeof(value) - 1), TL_BAD_USAGE);
	end(&temp, query);
}

TEST(a_text_of_several_statements_is_read_one_by_one)
{
	const char *rest = "SELECT 1; -- a comment\n ; SELECT 2;  ";
	struct temp temp;
	struct tl_query *query = begin(&temp);
	struct tl_error err;

	assert_int_equal(tl_query_start(query, rest, NULL, &err), TL_BAD_USAGE);
	assert_int_equal(tl_query_start(query, rest, &rest, &err), 1);
	assert_int_equal(tl_query_next(query, &err), 1);
	assert_int_equal(integer(query, 0), 1);
	assert_int_equal(tl_query_start(query, rest, &rest, &err), 1);
	assert_int_equal(tl_query_next(query, &err), 1);
	assert_int_equal(integer(query, 0), 2);
	assert_int_equal(tl_query_start(query, rest, &rest, &err), 0);
	assert_int_equal(tl_query_start(query, "SELECT 3; -- the end", NULL, &err), 1);
	end(&temp, query);
}

TEST(inputs_are_schemas_up_to_the_limit)
{
	struct temp temp;
	struct tl_query *query = begin(&temp);
	const char *path = temp_path(&temp, "trace");
	struct tl_error err;
	int status, count = 1;

	while ((status = tl_query_add(query, &path, 1, NULL, NULL, &err)) == 0)
		count++;
	assert_int_equal(status, TL_TOO_LARGE);
	assert_true(count >= 10);
	assert_non_null(tl_query_input(query, (size_t)count - 1));
	assert_null(tl_query_input(query, (size_t)count));
	assert_int_equal(tl_query_start(query, "SELECT count(*) FROM j.calls", NULL, &err), 1);
	assert_int_equal(tl_query_next(query, &err), 1);
	assert_int_equal(integer(query, 0), 3);
	end(&temp, query);
}

/* ---- errors ---- */

TEST(wrong_statements_say_why)
{
	struct temp temp;
	struct tl_query *query = begin(&temp);
	struct tl_error err;

	assert_string_equal(tl_query_message(query), "");
	assert_int_equal(tl_query_start(query, "SELECT x FROM calls", NULL, &err), TL_BAD_USAGE);
	assert_string_equal(tl_query_message(query), "no such column: x");
	assert_int_equal(tl_query_start(query, "DELETE FROM calls", NULL, &err), TL_BAD_USAGE);
	assert_int_equal(tl_query_next(query, &err), 0);
	assert_int_equal(tl_query_column_count(query), 0);
	assert_int_equal(tl_query_start(query, "SELECT 1", NULL, &err), 1);
	assert_string_equal(tl_query_message(query), "");
	end(&temp, query);
}

/* Rows of a stream have no numbers, without which RIGHT JOIN would lose some. */
TEST(streams_have_no_row_numbers)
{
	static const char *const refused[] = {
		"SELECT rowid FROM calls",
		"SELECT count(*) FROM functions f RIGHT JOIN calls c ON c.function = f.id",
		"SELECT count(*) FROM functions f FULL JOIN records r ON r.offset = f.id",
	};
	struct temp temp;
	struct tl_query *query = begin(&temp);
	struct tl_error err;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		int status = tl_query_start(query, refused[i], NULL, &err);

		/* Before SQLite 3.39 there is no such join. */
		if (status == 1)
			status = tl_query_next(query, &err);
		assert_int_equal(status, TL_BAD_USAGE);
		if (sqlite3_libversion_number() >= 3039000)
			assert_non_null(strstr(tl_query_message(query), "have no numbers"));
	}
	assert_int_equal(tl_query_start(query,
					"SELECT count(*) FROM functions f LEFT JOIN calls c ON "
					"c.function = f.id OR c.depth = f.id",
					NULL, &err),
			 1);
	assert_int_equal(tl_query_next(query, &err), 1);
	/* Function 1 has its own call and two of depth 1; function 2 has two. */
	assert_int_equal(integer(query, 0), 5);
	assert_int_equal(tl_query_start(query, "SELECT max(rowid) FROM functions", NULL, &err), 1);
	assert_int_equal(tl_query_next(query, &err), 1);
	assert_int_equal(integer(query, 0), 1);
	end(&temp, query);
}

/* An index that SQLite takes for a value of another type would find too little. */
TEST(conditions_of_other_types_are_those_of_sqlite)
{
	static const struct {
		const char *sql;
		int64_t count;
	} cases[] = {
		{ "SELECT count(*) FROM calls WHERE start > 109.5", 2 },
		{ "SELECT count(*) FROM calls WHERE start > '109'", 2 },
		{ "SELECT count(*) FROM calls WHERE start < 1e300", 3 },
		{ "SELECT count(*) FROM calls WHERE start < -1e300", 0 },
		{ "SELECT count(*) FROM calls WHERE start = NULL", 0 },
		{ "SELECT count(*) FROM calls WHERE thread = '7'", 3 },
		{ "SELECT count(*) FROM calls WHERE thread = 7.5", 0 },
		{ "SELECT count(*) FROM calls WHERE start < -5", 0 },
		{ "SELECT count(*) FROM calls WHERE start <= 110 AND \"end\" >= 115", 2 },
		{ "SELECT count(*) FROM calls WHERE process = 6", 0 },
		{ "SELECT count(*) FROM functions WHERE id = '2'", 1 },
		{ "SELECT count(*) FROM functions WHERE id = 2.0", 1 },
		{ "SELECT count(*) FROM functions WHERE id IN (1, 2, 3)", 2 },
	};
	struct temp temp;
	struct tl_query *query = begin(&temp);
	struct tl_error err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(tl_query_start(query, cases[i].sql, NULL, &err), 1);
		assert_int_equal(tl_query_next(query, &err), 1);
		assert_int_equal(integer(query, 0), cases[i].count);
	}
	end(&temp, query);
}

static void *interrupt_soon(void *query)
{
	usleep(50000);
	tl_query_interrupt(query);
	return NULL;
}

TEST(an_endless_statement_is_interrupted)
{
	struct temp temp;
	struct tl_query *query = begin(&temp);
	struct tl_error err;
	pthread_t thread;

	assert_int_equal(tl_query_start(query,
					"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
					"FROM n) SELECT sum(i) FROM n, calls",
					NULL, &err),
			 1);
	assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, query), 0);
	assert_int_equal(tl_query_next(query, &err), TL_IO);
	assert_int_equal(err.sys_errno, ECANCELED);
	pthread_join(thread, NULL);
	assert_int_equal(tl_query_start(query, "SELECT count(*) FROM calls", NULL, &err), 1);
	assert_int_equal(tl_query_next(query, &err), 1);
	assert_int_equal(integer(query, 0), 3);
	end(&temp, query);
}

/* ---- printing ---- */

static void expect_text(struct tl_query *query, const char *sql, enum tl_report_form form,
			const char *wanted)
{
	struct tl_output *out;
	struct tl_error err;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, &err), 0);
	assert_int_equal(tl_query_print(query, sql, form, out, &err), 0);
	tl_output_write(out, "", 1);
	assert_string_equal(tl_output_bytes(out, &size), wanted);
	tl_output_discard(out);
}

TEST(rows_are_printed_in_each_form)
{
	static const char sql[] =
		"SELECT 1 AS a, 'x\"' AS b, NULL AS c UNION ALL SELECT 22, 'é', 0.5";
	struct temp temp;
	struct tl_query *query = begin(&temp);

	expect_text(query, sql, TL_REPORT_CSV, "a,b,c\n1,\"x\"\"\",\n22,é,0.5\n");
	expect_text(query, sql, TL_REPORT_JSON,
		    "[{\"a\":1,\"b\":\"x\\\"\",\"c\":null},\n{\"a\":22,\"b\":\"é\",\"c\":0.5}]\n");
	expect_text(query, sql, TL_REPORT_TEXT,
		    "a  │ b  │ c\n───┼────┼────\n 1 │ x\" │ \n22 │ é  │ 0.5\n");
	expect_text(query, "SELECT 1 AS a WHERE 0", TL_REPORT_JSON, "[]\n");
	expect_text(query, "SELECT 1 AS a WHERE 0; SELECT 2 AS b", TL_REPORT_CSV, "a\nb\n2\n");
	expect_text(query, " -- nothing", TL_REPORT_TEXT, "");
	end(&temp, query);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_rows),
		cmocka_unit_test(values_have_types),
		cmocka_unit_test(a_text_of_several_statements_is_read_one_by_one),
		cmocka_unit_test(inputs_are_schemas_up_to_the_limit),
		cmocka_unit_test(wrong_statements_say_why),
		cmocka_unit_test(streams_have_no_row_numbers),
		cmocka_unit_test(conditions_of_other_types_are_those_of_sqlite),
		cmocka_unit_test(an_endless_statement_is_interrupted),
		cmocka_unit_test(rows_are_printed_in_each_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
