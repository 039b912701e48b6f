/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions and groups that a table takes on itself (docs/query.md, "What is quick") choose the
 * rows that SQLite would: it is asked to do so by a plus before the column. Every integer column of
 * every table is compared with values that it has, values between, and bounds of all kinds.
 */
#include "../unit.h"

#include <inttypes.h>
#include <string.h>

#include <tracelathe/query.h>

#include "../whole_input.h"

enum { MOST_COLUMNS = 40, NAME = 40 };

/* What an integer column holds. */
struct column {
	char name[NAME];
	bool counted; /* it has an integer */
	int64_t least, middle, greatest;
};

struct columns {
	struct column list[MOST_COLUMNS];
	size_t count, rows;
};

static struct tl_query *open_recording(const char *const *names, size_t count)
{
	const char *paths[4];
	struct tl_query *query;

	for (size_t i = 0; i < count; i++)
		paths[i] = whole_path(names[i]);
	assert_int_equal(tl_query_open(&query, NULL), 0);
	assert_int_equal(tl_query_add(query, paths, count, NULL, NULL, NULL), 0);
	return query;
}

/* ---- rows ---- */

/* The rows of a statement as CSV, for tl_output_discard(); NULL: it cannot be run. */
static struct tl_output *rows_of(struct tl_query *query, const char *sql)
{
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	if (tl_query_print(query, sql, TL_REPORT_CSV, out, NULL) == 0)
		return out;
	tl_output_discard(out);
	return NULL;
}

static void want_same(struct tl_query *query, const char *sql, const char *plain)
{
	struct tl_output *ours = rows_of(query, sql), *theirs = rows_of(query, plain);
	const char *our_text, *their_text;
	size_t our_size, their_size;

	if (!ours || !theirs)
		fail_msg("%s: not run", sql);
	our_text = tl_output_bytes(ours, &our_size);
	their_text = tl_output_bytes(theirs, &their_size);
	if (our_size != their_size || memcmp(our_text, their_text, our_size) != 0)
		fail_msg("%s: %zu bytes of rows, %zu where SQLite chooses", sql, our_size,
			 their_size);
	tl_output_discard(ours);
	tl_output_discard(theirs);
}

/* ---- columns ---- */

static void see_value(struct column *column, int64_t value)
{
	if (!column->counted || value < column->least)
		column->least = value;
	if (!column->counted || value > column->greatest)
		column->greatest = value;
	column->middle = value;
	column->counted = true;
}

/* Of each column the least, the greatest, and the last value of the first half of 64 rows. */
static bool see_columns(struct tl_query *query, const char *table, struct columns *columns)
{
	struct tl_query_value value;
	char sql[128];

	memset(columns, 0, sizeof(*columns));
	snprintf(sql, sizeof(sql), "SELECT * FROM %s", table);
	if (tl_query_start(query, sql, NULL, NULL) != 1)
		return false;
	while (tl_query_next(query, NULL) == 1) {
		columns->count = tl_query_column_count(query);
		assert_true(columns->count <= MOST_COLUMNS);
		for (size_t i = 0; i < columns->count; i++) {
			struct column *column = &columns->list[i];
			const int64_t middle = column->middle;

			snprintf(column->name, NAME, "%s", tl_query_column_name(query, i));
			assert_int_equal(tl_query_column(query, i, &value, sizeof(value)), 0);
			if (value.type != TL_QUERY_INTEGER)
				continue;
			see_value(column, value.integer);
			if (columns->rows > 32)
				column->middle = middle;
		}
		columns->rows++;
	}
	return columns->rows;
}

/* ---- comparisons ---- */

/* Of the first column that the conditions name, all values. */
static void compare(struct tl_query *query, const char *table, const char *condition,
		    const char *plain)
{
	const int name = (int)strcspn(condition, " ");
	char sql[320], other[320];

	snprintf(sql, sizeof(sql), "SELECT %.*s FROM %s WHERE %s", name, condition, table,
		 condition);
	snprintf(other, sizeof(other), "SELECT %.*s FROM %s WHERE %s", name, condition, table,
		 plain);
	want_same(query, sql, other);
}

static void compare_value(struct tl_query *query, const char *table, const struct column *column,
			  const char *comparison, int64_t value, const char *fraction)
{
	char condition[128], plain[136];

	snprintf(condition, sizeof(condition), "\"%s\" %s %" PRId64 "%s", column->name, comparison,
		 value, fraction);
	snprintf(plain, sizeof(plain), "+%s", condition);
	compare(query, table, condition, plain);
}

static void compare_column(struct tl_query *query, const char *table, const struct column *column)
{
	static const char *const comparisons[] = { "=", "<", "<=", ">", ">=" };
	const int64_t values[] = { -1, column->least, column->middle, column->greatest };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		for (size_t j = 0; j < 5; j++)
			compare_value(query, table, column, comparisons[j], values[i], "");
	compare_value(query, table, column, "<", column->middle, ".5");
	compare_value(query, table, column, ">", -INT64_MAX, "");
	compare_value(query, table, column, "<=", INT64_MAX, "");
	compare_value(query, table, column, "<", 0, "");
}

static void compare_range(struct tl_query *query, const char *table, const struct column *column,
			  int64_t from, int64_t to)
{
	char condition[160], plain[160];

	snprintf(condition, sizeof(condition), "\"%s\" > %" PRId64 " AND \"%s\" <= %" PRId64,
		 column->name, from, column->name, to);
	snprintf(plain, sizeof(plain), "+\"%s\" > %" PRId64 " AND +\"%s\" <= %" PRId64,
		 column->name, from, column->name, to);
	compare(query, table, condition, plain);
}

/* Two columns at once, of which either may choose fewer rows. */
static void compare_pair(struct tl_query *query, const char *table, const struct column *one,
			 const struct column *other)
{
	static const char *const comparisons[][2] = { { "=", ">=" }, { ">=", "<" }, { "<=", ">" } };
	char condition[160], plain[160];

	for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]); i++) {
		snprintf(condition, sizeof(condition),
			 "\"%s\" %s %" PRId64 " AND \"%s\" %s %" PRId64, one->name,
			 comparisons[i][0], one->middle, other->name, comparisons[i][1],
			 other->middle);
		snprintf(plain, sizeof(plain), "+\"%s\" %s %" PRId64 " AND +\"%s\" %s %" PRId64,
			 one->name, comparisons[i][0], one->middle, other->name, comparisons[i][1],
			 other->middle);
		compare(query, table, condition, plain);
	}
}

static void compare_groups(struct tl_query *query, const char *table, const struct column *key,
			   const struct column *value)
{
	char sql[256], plain[256];

	snprintf(sql, sizeof(sql),
		 "SELECT \"%s\", count(*), sum(\"%s\") FROM %s GROUP BY 1 ORDER BY 1", key->name,
		 value->name, table);
	snprintf(plain, sizeof(plain),
		 "SELECT +\"%s\" AS \"%s\", count(*), sum(\"%s\") FROM %s GROUP BY 1 ORDER BY 1",
		 key->name, key->name, value->name, table);
	want_same(query, sql, plain);
}

/* How many tables have rows. */
static size_t compare_tables(const char *const *names, size_t count)
{
	struct tl_query *query = open_recording(names, count);
	struct columns columns;
	size_t tables = 0;

	for (size_t i = 0; tl_query_table_info(i); i++) {
		const char *table = tl_query_table_info(i)->name;
		const struct column *before = NULL;

		if (!see_columns(query, table, &columns))
			continue;
		tables++;
		for (size_t j = 0; j < columns.count; j++) {
			const struct column *column = &columns.list[j];

			if (!column->counted)
				continue;
			compare_column(query, table, column);
			compare_range(query, table, column, column->least, column->middle);
			compare_range(query, table, column, column->greatest, column->least);
			if (before) {
				compare_pair(query, table, before, column);
				compare_groups(query, table, column, before);
			}
			before = column;
		}
	}
	tl_query_close(query);
	return tables;
}

/* ---- recordings ---- */

TEST(calls_and_records)
{
	static const char *const names[] = { "xray/args-fdr.xray" };

	assert_true(compare_tables(names, 1) >= 8);
}

TEST(instructions_and_accesses)
{
	static const char *const names[] = {
		"xtrace/xtrace.20260101000001.0.hint9.xinsndata.bin",
		"xtrace/xtrace.20260101000001.1.hint9.xinsndata.bin",
	};

	assert_true(compare_tables(names, 2) >= 8);
}

TEST(sums_of_several_parts)
{
	static const char *const names[] = { "callgrind/threads.out", "callgrind/threads.out-01",
					     "callgrind/threads.out-02" };

	assert_true(compare_tables(names, 3) >= 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_and_records),
		cmocka_unit_test(instructions_and_accesses),
		cmocka_unit_test(sums_of_several_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
