/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tables need beside a profile (query/trace/folded.c): how functions are numbered, which
 * have rows, threads, losses and depths; and the index of a column, against a search row by row.
 */
#include "../unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/model/model.h"
#include "query/trace/trace.h"

/* ---- profiles ---- */

static struct tl_profile *new_profile(void)
{
	const struct tl_event event = { .name = "Ir", .long_name = "", .unit = "", .formula = "" };
	struct tl_profile *profile;

	assert_int_equal(tl_profile_make(&profile, "callgrind", &event, 1, 0, NULL), 0);
	return profile;
}

/* A function with a number of the trace and a cost; 0: nothing is known of it. */
static void add_function(struct tl_profile *profile, const char *name, uint64_t id, int64_t cost)
{
	const struct tl_function function = { .name = name, .file = "", .object = "", .id = id };
	const int64_t number = tl_profile_put_function(profile, &function, NULL);
	struct tl_cost_line line = { .function = (uint32_t)number,
				     .part = TL_NONE,
				     .at = { .file = "" } };

	assert_true(number >= 0);
	if (cost)
		assert_int_equal(tl_profile_put_line(profile, &line, &cost, NULL), 0);
}

/* Prepared for the tables; a trace that is nothing but its profile. */
static void prepare(struct tl_query_trace *trace, struct tl_profile *profile)
{
	memset(trace, 0, sizeof(*trace));
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
	trace->profile = profile;
	assert_true(tl_query_trace_prepare(trace));
}

static void forget(struct tl_query_trace *trace)
{
	tl_query_folded_free(&trace->folded);
	tl_profile_free(trace->profile);
}

/* ---- functions ---- */

enum { MOST = 5 };

/*
 * "Functions are numbered as in the trace, ..., and where it has no such numbers, from 0 in the
 * order in which they were met."
 */
TEST(numbers_of_functions)
{
	static const struct {
		struct {
			uint64_t id;
			int64_t cost;
		} functions[MOST];
		size_t count;
		bool own;
	} cases[] = {
		{ { { 3, 1 }, { 9, 1 }, { 4, 1 } }, 3, true },
		{ { { 0, 1 } }, 1, true },
		{ { { 0 } }, 0, true },
		/* a number twice, wherever it stands */
		{ { { 3, 1 }, { 3, 1 } }, 2, false },
		{ { { 3, 1 }, { 9, 1 }, { 3, 1 } }, 3, false },
		{ { { 5, 1 }, { 4, 1 }, { 3, 1 }, { 4, 1 } }, 4, false },
		/* one without a number, with a row and without one */
		{ { { 3, 1 }, { TL_NOWHERE, 1 } }, 2, false },
		{ { { 3, 1 }, { TL_NOWHERE, 0 } }, 2, true },
		{ { { TL_NOWHERE, 0 } }, 1, false },
		/* the largest that an integer of SQLite has, and one more */
		{ { { INT64_MAX, 1 }, { 1, 1 } }, 2, true },
		{ { { (uint64_t)INT64_MAX + 1, 1 }, { 1, 1 } }, 2, false },
		/* a function without a row has its number all the same */
		{ { { 3, 0 }, { 3, 1 } }, 2, false },
		{ { { 3, 0 }, { 4, 1 } }, 2, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_profile *profile = new_profile();
		struct tl_query_trace trace;
		size_t shown = 0;

		for (size_t f = 0; f < cases[i].count; f++) {
			const char name[] = { (char)('a' + f), '\0' };

			add_function(profile, name, cases[i].functions[f].id,
				     cases[i].functions[f].cost);
		}
		prepare(&trace, profile);
		assert_int_equal(trace.folded.own_numbers, cases[i].own);
		for (uint32_t f = 0; f < cases[i].count; f++) {
			const int64_t own = (int64_t)cases[i].functions[f].id;

			assert_true(trace.folded.ids[f] == (cases[i].own ? own : (int64_t)f));
			if (cases[i].functions[f].cost)
				assert_int_equal(trace.folded.shown[shown++], f);
		}
		assert_int_equal(trace.folded.shown_count, shown);
		forget(&trace);
	}
}

/* ---- threads ---- */

static void add_part(struct tl_profile *profile, uint64_t process, uint64_t thread,
		     const char *name, const uint64_t times[2], uint64_t records)
{
	const struct tl_part part = {
		.process = process,
		.thread = thread,
		.number = tl_profile_part_count(profile) + 1,
		.command = name,
		.header = "",
		.first_ticks = times[0],
		.last_ticks = times[1],
		.records = records,
	};

	assert_true(tl_profile_put_part(profile, &part, NULL) >= 0);
}

#define TIMES(first, last) ((const uint64_t[]){ first, last })

/* A row a thread, in their order: its parts together. */
TEST(parts_of_a_thread_are_one_row)
{
	static const struct tl_query_thread wanted[] = {
		{ 1, 2, "named later", 10, 99, 111, 3 },
		{ 1, 3, "other", 0, 0, 7, 1 },
		{ 2, 1, "", 50, 60, 8, 2 },
		{ TL_NOWHERE, TL_NOWHERE, "unknown", 1, 2, 3, 1 },
	};
	struct tl_profile *profile = new_profile();
	struct tl_query_trace trace;

	add_part(profile, TL_NOWHERE, TL_NOWHERE, "unknown", TIMES(1, 2), 3);
	add_part(profile, 2, 1, "", TIMES(50, 60), 4);
	add_part(profile, 1, 2, "", TIMES(20, 99), 1);
	add_part(profile, 1, 3, "other", TIMES(0, 0), 7);
	/* one without times begins nothing */
	add_part(profile, 2, 1, "", TIMES(0, 0), 4);
	add_part(profile, 1, 2, "named later", TIMES(10, 30), 10);
	add_part(profile, 1, 2, "named later", TIMES(40, 50), 100);
	prepare(&trace, profile);
	assert_int_equal(trace.folded.thread_count, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct tl_query_thread *is = &trace.folded.threads[i];

		assert_true(is->process == wanted[i].process && is->thread == wanted[i].thread);
		assert_string_equal(is->name, wanted[i].name);
		assert_int_equal(is->first, wanted[i].first);
		assert_int_equal(is->last, wanted[i].last);
		assert_int_equal(is->records, wanted[i].records);
		assert_int_equal(is->parts, wanted[i].parts);
	}
	forget(&trace);
}

/* The first part is without times: the second one's are those of the thread. */
TEST(times_of_a_thread_begin_with_a_time)
{
	struct tl_profile *profile = new_profile();
	struct tl_query_trace trace;

	add_part(profile, 1, 1, "", TIMES(0, 0), 0);
	add_part(profile, 1, 1, "", TIMES(7, 9), 0);
	/* a trace may begin at 0 */
	add_part(profile, 1, 2, "", TIMES(5, 6), 0);
	add_part(profile, 1, 2, "", TIMES(0, 3), 0);
	prepare(&trace, profile);
	assert_int_equal(trace.folded.thread_count, 2);
	assert_int_equal(trace.folded.threads[0].first, 7);
	assert_int_equal(trace.folded.threads[0].last, 9);
	assert_int_equal(trace.folded.threads[1].first, 0);
	assert_int_equal(trace.folded.threads[1].last, 6);
	forget(&trace);
}

/* A thread whose parts have several names has that of its first part with one, however they lie. */
TEST(the_first_part_names_a_thread)
{
	enum { PARTS = 300, THREADS = 3 };
	struct tl_profile *profile = new_profile();
	struct tl_query_trace trace;
	char name[16];

	for (unsigned i = 0; i < PARTS; i++) {
		snprintf(name, sizeof(name), "part %u", i);
		add_part(profile, 1, i % THREADS, i < THREADS ? "" : name, TIMES(0, 0), 1);
	}
	prepare(&trace, profile);
	assert_int_equal(trace.folded.thread_count, THREADS);
	for (unsigned i = 0; i < THREADS; i++) {
		snprintf(name, sizeof(name), "part %u", THREADS + i);
		assert_string_equal(trace.folded.threads[i].name, name);
		assert_int_equal(trace.folded.threads[i].parts, PARTS / THREADS);
	}
	forget(&trace);
}

/* ---- losses ---- */

/* Each kind of loss, by the name that the column has. */
static const struct kind {
	const char *what;
	size_t offset; /* in struct tl_losses */
} kinds[] = {
	{ "orphan exits", offsetof(struct tl_losses, orphan_exits) },
	{ "deduced exits", offsetof(struct tl_losses, deduced_exits) },
	{ "unfinished calls", offsetof(struct tl_losses, unfinished) },
	{ "time reversals", offsetof(struct tl_losses, time_reversals) },
	{ "gaps", offsetof(struct tl_losses, gaps) },
	{ "skipped bytes", offsetof(struct tl_losses, skipped_bytes) },
	{ "skipped records", offsetof(struct tl_losses, skipped_records) },
	{ "saturated sums", offsetof(struct tl_losses, saturated) },
	{ "left calls", offsetof(struct tl_losses, left_calls) },
	{ "calls ended in gaps", offsetof(struct tl_losses, gap_ends) },
	{ "bridged calls", offsetof(struct tl_losses, bridged) },
	{ "uncertain calls", offsetof(struct tl_losses, uncertain) },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static uint64_t *member(struct tl_losses *losses, size_t kind)
{
	return (uint64_t *)((char *)losses + kinds[kind].offset);
}

/* Kind k was lost k + 1 times in the first part, only even kinds in the second one. */
TEST(losses_are_rows)
{
	struct tl_profile *profile = new_profile();
	struct tl_query_trace trace;
	size_t row = 0;

	for (uint64_t number = 1; number <= 2; number++) {
		struct tl_part part = { .process = 1,
					.thread = number,
					.number = number,
					.command = "",
					.header = "" };

		for (size_t k = 0; k < KINDS; k++)
			if (number == 1 || k % 2 == 0)
				*member(&part.losses, k) = 100 * number + k;
		assert_true(tl_profile_put_part(profile, &part, NULL) >= 0);
	}
	prepare(&trace, profile);
	for (uint32_t part = 0; part < 2; part++)
		for (size_t k = 0; k < KINDS; k++) {
			const struct tl_query_losses *is = &trace.folded.lost[row];

			if (part && k % 2)
				continue;
			assert_true(row < trace.folded.lost_count);
			assert_int_equal(is->part, part);
			assert_string_equal(is->what, kinds[k].what);
			assert_int_equal(is->count, 100 * (part + 1) + k);
			row++;
		}
	/* what a part lost is no loss of no part */
	assert_int_equal(trace.folded.lost_count, row);
	forget(&trace);
}

/* ---- an index ---- */

enum { ROWS = 3000 };

/* Keys that are often the same, and the outermost ones; some rows have none. */
static bool key_of(uint64_t row, int64_t *key)
{
	static const int64_t outermost[] = { INT64_MIN, INT64_MAX, -1, 0, 1 };

	if (row % 11 == 3)
		return false;
	*key = row % 97 == 5 ? outermost[row % 5] : (int64_t)(row * 2654435761u % 50) - 25;
	return true;
}

static uint64_t row_count(const struct tl_query_trace *trace)
{
	return trace ? ROWS : 0;
}

static void cell(const struct tl_query_trace *trace, uint64_t row, int column,
		 struct tl_query_value *value)
{
	int64_t key;

	(void)trace;
	assert_int_equal(column, 4);
	if (key_of(row, &key))
		tl_query_set_integer(value, key);
	else if (row % 2)
		tl_query_set_text(value, "0");
}

TEST(rows_of_a_key_are_found)
{
	const struct tl_query_table table = { .rows = row_count, .cell = cell };
	struct tl_query_key_index index = { .rows = NULL };
	struct tl_query_trace trace = { .references = 1 };
	int64_t keys[60] = { INT64_MIN, INT64_MIN + 1, INT64_MAX - 1, INT64_MAX };

	for (int i = 4; i < 60; i++)
		keys[i] = i - 32;
	assert_true(tl_query_key_index_make(&index, &table, &trace, 4));
	assert_int_equal(index.column, 4);
	for (size_t i = 0; i < 60; i++) {
		size_t end, at = tl_query_key_index_find(&index, keys[i], &end);

		for (uint64_t row = 0; row < ROWS; row++) {
			int64_t key;

			if (!key_of(row, &key) || key != keys[i])
				continue;
			assert_true(at < end);
			assert_true(index.rows[at].key == key);
			assert_int_equal(index.rows[at++].row, row);
		}
		assert_int_equal(at, end);
	}
	/* made once */
	{
		const struct tl_query_keyed_row *rows = index.rows;

		assert_true(tl_query_key_index_make(&index, &table, &trace, 4));
		assert_ptr_equal(index.rows, rows);
	}
	tl_query_key_index_free(&index);
}

TEST(an_index_without_rows)
{
	const struct tl_query_table table = { .rows = row_count, .cell = cell };
	struct tl_query_key_index index = { .rows = NULL };
	size_t end;

	assert_true(tl_query_key_index_make(&index, &table, NULL, 4));
	assert_int_equal(tl_query_key_index_find(&index, 0, &end), 0);
	assert_int_equal(end, 0);
	tl_query_key_index_free(&index);
}

/* ---- values ---- */

/* "from 2^63 on it is the nearest real number"; addresses keep their bits, 0 is none. */
TEST(numbers_as_values)
{
	struct tl_query_value value = { .type = TL_QUERY_NULL };

	tl_query_set_known(&value, TL_NOWHERE);
	assert_int_equal(value.type, TL_QUERY_NULL);
	tl_query_set_address(&value, 0);
	assert_int_equal(value.type, TL_QUERY_NULL);
	tl_query_set_name(&value, "");
	assert_int_equal(value.type, TL_QUERY_NULL);
	tl_query_set_known(&value, INT64_MAX);
	assert_int_equal(value.type, TL_QUERY_INTEGER);
	assert_true(value.integer == INT64_MAX);
	tl_query_set_count(&value, (uint64_t)1 << 63);
	assert_int_equal(value.type, TL_QUERY_REAL);
	assert_true(value.real == 9223372036854775808.0);
	tl_query_set_address(&value, UINT64_MAX);
	assert_int_equal(value.type, TL_QUERY_INTEGER);
	assert_true(value.integer == -1);
	tl_query_set_name(&value, "abc");
	assert_int_equal(value.type, TL_QUERY_TEXT);
	assert_int_equal(value.size, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_functions),
		cmocka_unit_test(parts_of_a_thread_are_one_row),
		cmocka_unit_test(times_of_a_thread_begin_with_a_time),
		cmocka_unit_test(the_first_part_names_a_thread),
		cmocka_unit_test(losses_are_rows),
		cmocka_unit_test(rows_of_a_key_are_found),
		cmocka_unit_test(an_index_without_rows),
		cmocka_unit_test(numbers_as_values),
	};

	return cmocka_run_group_tests_name("query folded", tests, NULL, NULL);
}
