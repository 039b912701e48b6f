/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts, sums, least and greatest values of calls, which the table makes: which statements are
 * written again for that (src/query/sql/aggregates.c), that their answers are those of SQLite,
 * which makes them itself where the statement is inside of another one, and the ends of numbers.
 */
#include "../unit.h"

#include <stdlib.h>
#include <string.h>

#include <tracelathe/query.h>

#include "query/sql/aggregates.h"
#include "query/tables/call_sums.h"
#include "trace.h"

static const char *const summed[] = {
	"SELECT count(*) FROM calls",
	"SELECT sum(duration) FROM calls;",
	"select COUNT( * ) , Sum( self )n, max(\"end\") 'x' from Calls where duration > -5 and "
	"self<=20",
	"SELECT count(id), count(parent), min(parent), max(thread), min(process) FROM calls",
	"SELECT min(duration) + max(duration) * 2, -sum(self) FROM calls WHERE depth BETWEEN 1 AND "
	"1",
	"SELECT sum(duration) FROM calls WHERE start < 5",
	"SELECT function, count(*), sum(duration) FROM calls GROUP BY function",
	"SELECT sum(duration), name FROM calls GROUP BY thread, name, depth",
	"SELECT \"function\" AS f, count(*) FROM calls GROUP BY function ORDER BY 2 DESC, f LIMIT "
	"1",
	"SELECT depth FROM calls WHERE thread = 7 GROUP BY depth HAVING count(*) > 1 ORDER BY "
	"depth DESC",
	"SELECT CASE WHEN sum(duration) > 30 THEN 'long' ELSE name END, count(*) FROM calls GROUP "
	"BY name",
	"SELECT count(*) FROM calls WHERE duration < 0",
	/* Which SQLite sees to hold for no call, before it asks for one. */
	"SELECT count(*), count(self), max(self) FROM calls WHERE self = 5 AND self <= 4",
	"SELECT sum(duration), max(self), count(self) FROM calls WHERE duration < 0",
	"SELECT name, max(self) FROM calls WHERE duration < 0 GROUP BY name",
	"SELECT function, sum(function) FROM calls GROUP BY function HAVING function > 1",
	"SELECT name, count(*) FROM calls GROUP BY name HAVING name LIKE '%2'",
	"SELECT sum(cut), max(late), count(*) IS NULL FROM calls GROUP BY cut, late",
};

/* Of another kind, or such that SQLite would ask a sum what only a call can say. */
static const char *const left_alone[] = {
	"SELECT id FROM calls",
	"SELECT 1 FROM calls LIMIT 1",
	"SELECT * FROM calls",
	"SELECT *, count(*) FROM calls",
	"SELECT count(*) FROM functions",
	"SELECT count(*) FROM a.calls",
	"SELECT count(*) FROM calls c",
	"SELECT count(*) FROM calls, functions",
	"SELECT count(*) FROM calls JOIN functions",
	"SELECT count(*) FROM (SELECT 1 FROM calls)",
	"SELECT (SELECT count(*) FROM calls)",
	"SELECT count(*) FROM calls UNION SELECT 1",
	"WITH x AS (SELECT 1) SELECT count(*) FROM calls",
	"EXPLAIN SELECT count(*) FROM calls",
	"SELECT DISTINCT count(*) FROM calls",
	"SELECT count(DISTINCT function) FROM calls",
	"SELECT count(DISTINCT function) FROM calls GROUP BY function",
	"SELECT total(self) FROM calls",
	"SELECT avg(function) FROM calls GROUP BY function",
	"SELECT group_concat(name) FROM calls GROUP BY name",
	"SELECT abs(function), count(*) FROM calls GROUP BY function",
	"SELECT max(function, depth), count(*) FROM calls GROUP BY function, depth",
	"SELECT sum(self + 1) FROM calls",
	"SELECT sum(self) FILTER (WHERE depth = 1) FROM calls",
	"SELECT sum(self) OVER (ORDER BY id) FROM calls",
	"SELECT max(name) FROM calls",
	"SELECT name, max(self) FROM calls",
	"SELECT depth, count(*) FROM calls GROUP BY function",
	"SELECT count(*) AS depth FROM calls",
	"SELECT count(*) FROM calls GROUP BY self",
	"SELECT count(*) FROM calls GROUP BY 1",
	"SELECT count(*) FROM calls GROUP BY function, function",
	"SELECT count(*) FROM calls GROUP BY function + 1",
	"SELECT count(*) FROM calls GROUP BY process, thread, depth, name",
	"SELECT name, count(*) FROM calls GROUP BY name COLLATE NOCASE",
	"SELECT function, count(*) FROM calls GROUP BY function ORDER BY self",
	"SELECT count(*) FROM calls WHERE duration > 5.0",
	"SELECT count(*) FROM calls WHERE duration > 1e3",
	"SELECT count(*) FROM calls WHERE duration > 0x10",
	"SELECT count(*) FROM calls WHERE duration > 9999999999999999999",
	"SELECT count(*) FROM calls WHERE duration <> 5",
	"SELECT count(*) FROM calls WHERE duration > 5 OR depth = 1",
	"SELECT count(*) FROM calls WHERE duration > depth",
	"SELECT count(*) FROM calls WHERE duration > 5 + 1",
	"SELECT count(*) FROM calls WHERE (duration > 5)",
	"SELECT count(*) FROM calls WHERE NOT duration > 5",
	"SELECT count(*) FROM calls WHERE name = 'f'",
	"SELECT count(*) FROM calls WHERE duration IN (1, 2)",
	"SELECT \"tl 0\", count(*) FROM calls",
	"SELECT rowid, count(*) FROM calls",
	"SELECT count(*) -- all of them\nFROM calls",
	"SELECT count(*) FROM calls WHERE",
	"SELECT count(*), FROM calls",
	"SELECT count(* FROM calls",
	"SELECT count(*) FROM calls WHERE name = 'f",
	"SELECT count(*) FROM",
	"SELECT",
	"",
};

TEST(statements_that_want_but_sums_are_written_again)
{
	struct tl_query_aggregates found;
	const char *behind;

	for (size_t i = 0; i < sizeof(summed) / sizeof(summed[0]); i++) {
		char *text = tl_query_aggregates_rewrite(summed[i], &found, &behind);

		if (!text)
			fail_msg("%s is not written again", summed[i]);
		assert_null(strstr(text, "calls"));
		assert_int_equal(*behind, '\0');
		free(text);
	}
	for (size_t i = 0; i < sizeof(left_alone) / sizeof(left_alone[0]); i++) {
		char *text = tl_query_aggregates_rewrite(left_alone[i], &found, &behind);

		if (text)
			fail_msg("%s is written as %s", left_alone[i], text);
	}
}

TEST(the_aggregates_of_a_statement_are_known_once_each)
{
	struct tl_query_aggregates found;
	const char *sql =
		"SELECT max(self), count(*), max(self) FROM calls GROUP BY thread, depth; x";
	const char *behind;
	char *text = tl_query_aggregates_rewrite(sql, &found, &behind);

	assert_non_null(text);
	assert_string_equal(behind, " x");
	assert_int_equal(found.count, 2);
	assert_int_equal(found.list[0].kind, TL_QUERY_MAX);
	assert_int_equal(found.list[0].column, TL_QUERY_CALL_SELF);
	assert_int_equal(found.list[1].kind, TL_QUERY_COUNT_ROWS);
	assert_int_equal(found.key_count, 2);
	assert_int_equal(found.keys[1], TL_QUERY_CALL_DEPTH);
	free(text);
}

/* ---- answers ---- */

static struct tl_output *print(struct tl_query *query, const char *sql)
{
	struct tl_output *out;
	struct tl_error err;

	assert_int_equal(tl_output_open_memory(&out, &err), 0);
	assert_int_equal(tl_query_print(query, sql, TL_REPORT_CSV, out, &err), 0);
	return out;
}

/* Inside of another statement it is asked as it is; names of columns are compared, too. */
TEST(answers_are_those_of_sqlite)
{
	struct temp temp;
	const char *path = make_trace(&temp);
	struct tl_query *query;

	assert_int_equal(tl_query_open(&query, NULL), 0);
	assert_int_equal(tl_query_add(query, &path, 1, NULL, NULL, NULL), 0);
	for (size_t i = 0; i < sizeof(summed) / sizeof(summed[0]); i++) {
		struct tl_output *got, *wanted;
		size_t got_size, wanted_size;
		const char *here, *there;
		char inside[512];

		snprintf(inside, sizeof(inside), "SELECT * FROM (%.*s)",
			 (int)strcspn(summed[i], ";"), summed[i]);
		got = print(query, summed[i]);
		wanted = print(query, inside);
		here = tl_output_bytes(got, &got_size);
		there = tl_output_bytes(wanted, &wanted_size);
		if (got_size != wanted_size || memcmp(here, there, got_size) != 0)
			fail_msg("%s: %.*s instead of %.*s", summed[i], (int)got_size, here,
				 (int)wanted_size, there);
		tl_output_discard(got);
		tl_output_discard(wanted);
	}
	tl_query_close(query);
	temp_close(&temp);
}

/* ---- the ends of numbers ---- */

static const uint64_t *const *columns_of(int column, const uint64_t *words)
{
	static const uint64_t *columns[TL_QUERY_CALL_COLUMNS];

	columns[column] = words;
	return columns;
}

static int value_of(enum tl_query_aggregate_kind kind, int column, const uint64_t *words,
		    size_t count, struct tl_query_value *value)
{
	const struct tl_query_aggregates wanted = { .list = { { kind, column } }, .count = 1 };
	struct tl_query_sums sums = { .wanted = &wanted };
	int status;

	assert_int_equal(tl_query_sums_add(&sums, columns_of(column, words), count), 0);
	assert_true(tl_query_sums_next(&sums));
	*value = (struct tl_query_value){ .type = TL_QUERY_NULL };
	status = tl_query_sums_value(&sums, 0, value);
	assert_false(tl_query_sums_next(&sums));
	tl_query_sums_free(&sums);
	return status;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* As func.c of SQLite has it: a real number behind the first one, else integers that fit. */
TEST(sums_that_do_not_fit_are_told_as_sqlite_does)
{
	static const uint64_t fits[] = { INT64_MAX - 1, TL_NOWHERE, 1 };
	static const uint64_t too_large[] = { INT64_MAX, 1 };
	static const uint64_t real_before[] = { (uint64_t)INT64_MAX + 1, INT64_MAX, 1 };
	static const uint64_t real_behind[] = { INT64_MAX, 1, (uint64_t)INT64_MAX + 1 };
	static const uint64_t below[] = { (uint64_t)INT64_MIN, (uint64_t)-1 };
	struct tl_query_value value;

	assert_int_equal(value_of(TL_QUERY_SUM, TL_QUERY_CALL_SELF, fits, COUNT(fits), &value), 0);
	assert_int_equal(value.type, TL_QUERY_INTEGER);
	assert_int_equal(value.integer, INT64_MAX);
	assert_int_equal(
		value_of(TL_QUERY_SUM, TL_QUERY_CALL_SELF, too_large, COUNT(too_large), &value),
		TL_TOO_LARGE);
	assert_int_equal(
		value_of(TL_QUERY_SUM, TL_QUERY_CALL_SELF, real_before, COUNT(real_before), &value),
		0);
	assert_int_equal(value.type, TL_QUERY_REAL);
	assert_true(value.real == 0x1p64);
	assert_int_equal(
		value_of(TL_QUERY_SUM, TL_QUERY_CALL_SELF, real_behind, COUNT(real_behind), &value),
		TL_TOO_LARGE);
	assert_int_equal(value_of(TL_QUERY_SUM, TL_QUERY_CALL_THREAD, below, COUNT(below), &value),
			 TL_TOO_LARGE);
}

TEST(extremes_know_signs_and_what_is_unknown)
{
	static const uint64_t words[] = { 5, TL_NOWHERE, (uint64_t)INT64_MAX + 2 };
	static const uint64_t unknown[] = { TL_NOWHERE };
	struct tl_query_value value;

	value_of(TL_QUERY_MAX, TL_QUERY_CALL_SELF, words, COUNT(words), &value);
	assert_int_equal(value.type, TL_QUERY_REAL);
	value_of(TL_QUERY_MIN, TL_QUERY_CALL_SELF, words, COUNT(words), &value);
	assert_int_equal(value.integer, 5);
	value_of(TL_QUERY_COUNT, TL_QUERY_CALL_SELF, words, COUNT(words), &value);
	assert_int_equal(value.integer, 2);
	/* -1 is a thread, as any other number. */
	value_of(TL_QUERY_MIN, TL_QUERY_CALL_THREAD, words, COUNT(words), &value);
	assert_int_equal(value.integer, INT64_MIN + 1);
	value_of(TL_QUERY_MAX, TL_QUERY_CALL_THREAD, words, COUNT(words), &value);
	assert_int_equal(value.integer, 5);
	value_of(TL_QUERY_COUNT, TL_QUERY_CALL_THREAD, words, COUNT(words), &value);
	assert_int_equal(value.integer, 3);
	value_of(TL_QUERY_MAX, TL_QUERY_CALL_SELF, unknown, COUNT(unknown), &value);
	assert_int_equal(value.type, TL_QUERY_NULL);
	value_of(TL_QUERY_SUM, TL_QUERY_CALL_SELF, unknown, COUNT(unknown), &value);
	assert_int_equal(value.type, TL_QUERY_NULL);
	value_of(TL_QUERY_SUM, TL_QUERY_CALL_SELF, unknown, 0, &value);
	assert_int_equal(value.type, TL_QUERY_NULL);
}

/* Groups that would take too much memory are left to SQLite. */
TEST(too_many_groups_are_told)
{
	enum {
		ROWS = TL_QUERY_SUMS_BYTES / (TL_QUERY_AGGREGATES * sizeof(struct tl_query_sum)) + 1
	};
	struct tl_query_aggregates wanted = { .keys = { TL_QUERY_CALL_FUNCTION },
					      .key_count = 1,
					      .count = TL_QUERY_AGGREGATES };
	struct tl_query_sums sums = { .wanted = &wanted };
	uint64_t *words = malloc(ROWS * sizeof(*words));

	assert_non_null(words);
	for (uint64_t i = 0; i < ROWS; i++)
		words[i] = i;
	for (size_t i = 0; i < TL_QUERY_AGGREGATES; i++)
		wanted.list[i] = (struct tl_query_aggregate){ TL_QUERY_COUNT_ROWS, -1 };
	assert_int_equal(
		tl_query_sums_add(&sums, columns_of(TL_QUERY_CALL_FUNCTION, words), ROWS - 1), 0);
	assert_int_equal(tl_query_sums_add(&sums, columns_of(TL_QUERY_CALL_FUNCTION, words), ROWS),
			 TL_TOO_LARGE);
	tl_query_sums_free(&sums);
	free(words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statements_that_want_but_sums_are_written_again),
		cmocka_unit_test(the_aggregates_of_a_statement_are_known_once_each),
		cmocka_unit_test(answers_are_those_of_sqlite),
		cmocka_unit_test(sums_that_do_not_fit_are_told_as_sqlite_does),
		cmocka_unit_test(extremes_know_signs_and_what_is_unknown),
		cmocka_unit_test(too_many_groups_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
