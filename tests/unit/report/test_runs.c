/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several runs a side, as tables: which functions are shown, in which order, and what is said of
 * them. The statistics themselves are those of profile-runs.
 */
#include "../unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiles.h"

#include "core/output.h"
#include "report/number_text.h"
#include "report/runs/statistics.h"

/* ---- statistics as text ---- */

struct table {
	struct tl_output *out;
	const char *cells[3][TL_STATISTICS_COLUMNS];
	const char *names[3];
	size_t used[3]; /* columns in front of each name, as put_name() was told */
};

static size_t cell_of(const void *arg, size_t row, int column, char *text)
{
	const struct table *table = arg;

	return (size_t)snprintf(text, TL_VALUE_ROOM, "%s", table->cells[row][column]);
}

static void name_of(const void *arg, size_t row, size_t used)
{
	struct table *table = (struct table *)arg;

	table->used[row] = used;
	tl_put_text(table->out, table->names[row]);
}

/* A column is as wide as its widest text, the title among them, and is set apart by two blanks. */
TEST(columns_are_as_wide_as_they_have_to_be)
{
	static const struct tl_statistics_text text = {
		.titles = { "a", "bb", "ccc", "d", "e", "ffffff" },
		.cell = cell_of,
		.put_name = name_of,
	};
	struct table table = {
		.cells = { { "1", "2", "3", "4", "5", "6" },
			   { "10", "200", "3", "", "55", "6" },
			   { "1", "2", "3", "4444", "5", "666666" } },
		.names = { "f", "a longer name", "" },
	};
	char *made;

	assert_int_equal(tl_output_open_memory(&table.out, NULL), 0);
	tl_put_statistics_text(table.out, &text, &table, 3);
	made = take_text(table.out);
	assert_string_equal(made, " a   bb  ccc     d   e  ffffff  function\n"
				  " 1    2    3     4   5       6  f\n"
				  "10  200    3        55       6  a longer name\n"
				  " 1    2    3  4444   5  666666  \n");
	free(made);
	/* 2 + 3 + 3 + 4 + 2 + 6, and two blanks behind each */
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(table.used[i], 20 + 6 * 2);
}

TEST(a_table_without_rows_has_titles)
{
	static const struct tl_statistics_text text = {
		.titles = { "a", "b", "c", "d", "e", "f" },
		.cell = cell_of,
		.put_name = name_of,
	};
	struct table table = { .out = NULL };
	char *made;

	assert_int_equal(tl_output_open_memory(&table.out, NULL), 0);
	tl_put_statistics_text(table.out, &text, &table, 0);
	made = take_text(table.out);
	assert_string_equal(made, "a  b  c  d  e  f  function\n");
	free(made);
}

/* "to the nearest"; what does not fit a count is the largest that does. */
TEST(medians_are_rounded)
{
	static const struct {
		double cost;
		uint64_t rate;
		bool seconds;
		const char *text;
	} cases[] = {
		{ 0, 0, false, "0" },
		{ 1.4, 0, false, "1" },
		{ 1.5, 0, false, "2" },
		{ 2.5, 0, false, "3" },
		{ -1.4, 0, false, "-1" },
		{ -1.5, 0, false, "-2" },
		{ 1234567.5, 0, false, "1,234,568" },
		{ 1e30, 0, false, "9,000,000,000,000,000,000" },
		{ -1e30, 0, false, "-9,000,000,000,000,000,000" },
		{ 1500, 1000, true, "1.500000000" },
		{ 61.7e-6 * 1e9, 1000000000, false, "61.70 us" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[TL_VALUE_ROOM];
		const size_t size =
			tl_format_statistic(text, cases[i].cost, cases[i].rate, cases[i].seconds);

		assert_string_equal(text, cases[i].text);
		assert_int_equal(size, strlen(cases[i].text));
	}
}

/* ---- statistics for programs ---- */

static const struct tl_statistic numbers[] = {
	{ "one", 1 }, { "half", 0.5 }, { "none", NAN }, { "far", INFINITY }, { "minus", -2.25 },
};
enum { NUMBERS = sizeof(numbers) / sizeof(numbers[0]) };

/* No number is an empty cell, and null. */
TEST(numbers_for_programs)
{
	const struct tl_function function = { .name = "f,\"g\"", .object = "o", .file = "a b" };
	struct tl_output *out;
	char *made;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	tl_put_statistics_head(out, numbers, NUMBERS);
	tl_put_char(out, '\n');
	tl_put_statistics_csv(out, &function, numbers, 3);
	tl_put_char(out, '\n');
	tl_put_statistics_csv(out, NULL, numbers + 4, 1);
	tl_put_char(out, '\n');
	tl_put_json_function(out, &function);
	tl_put_statistics_json(out, numbers, NUMBERS);
	made = take_text(out);
	assert_string_equal(made, "function,object,file,one,half,none,far,minus\n"
				  "\"f,\"\"g\"\"\",o,a b,1,0.5,\n"
				  "(total),,,-2.25\n"
				  "\"function\":\"f,\\\"g\\\"\",\"object\":\"o\",\"file\":\"a b\","
				  "\"one\":1,\"half\":0.5,\"none\":null,\"far\":null,"
				  "\"minus\":-2.25");
	free(made);
}

/* ---- runs ---- */

/* What functions cost in three runs a side; 0: it did not run. */
struct costs {
	const char *name;
	int64_t before[3], after[3];
};

static void add_run(struct tl_runs *runs, bool after, const struct costs *list, size_t count,
		    size_t run)
{
	const struct tl_event event = { .name = "Ir", .long_name = "", .unit = "", .formula = "" };
	struct tl_profile *profile;

	assert_int_equal(tl_profile_make(&profile, "callgrind", &event, 1, 0, NULL), 0);
	for (size_t i = 0; i < count; i++) {
		const int64_t cost = after ? list[i].after[run] : list[i].before[run];

		if (cost)
			add_line(profile, add_function(profile, list[i].name, "prog"), TL_NONE,
				 cost, 0);
	}
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
	assert_int_equal(tl_runs_add(runs, after, profile, false, NULL), 0);
	tl_profile_free(profile);
}

static struct tl_runs *runs_of(const struct costs *list, size_t count)
{
	struct tl_runs *runs;

	assert_int_equal(tl_runs_open(&runs, NULL), 0);
	for (size_t run = 0; run < 3; run++) {
		add_run(runs, false, list, count, run);
		add_run(runs, true, list, count, run);
	}
	assert_int_equal(tl_runs_compare(runs, NULL, NULL), 0);
	return runs;
}

/*
 * Two functions of which it is certain that they differ, since their costs are the same in each run
 * of a side; one of which it is not, since its runs differ; two that are as they were.
 */
static const struct costs some[] = {
	{ "grows", { 1000, 1000, 1000 }, { 3000, 3000, 3000 } },
	{ "falls|a", { 9000, 9000, 9000 }, { 5000, 5000, 5000 } },
	{ "noisy", { 100, 90000, 4000 }, { 70000, 200, 9000 } },
	{ "same", { 70, 70, 70 }, { 70, 70, 70 } },
	{ "also", { 60, 60, 60 }, { 60, 60, 60 } },
};
enum { SOME = sizeof(some) / sizeof(some[0]) };

typedef int report_fn(const struct tl_runs *runs, const struct tl_report_options *options,
		      struct tl_output *out, struct tl_error *err);

static char *reported(report_fn *report, struct tl_report_options options)
{
	struct tl_runs *runs = runs_of(some, SOME);
	struct tl_output *out;

	options.size = sizeof(options);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(report(runs, &options, out, NULL), 0);
	tl_runs_free(runs);
	return take_text(out);
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	for (; (text = strstr(text, part)); text++)
		count++;
	return count;
}

/* "the total, what differs by more than chance, and, ... with `all`, the other functions" */
TEST(text_shows_what_differs)
{
	char *text = reported(tl_report_runs, (struct tl_report_options){ .form = TL_REPORT_TEXT });

	IN_ORDER(text,
		 "Ir: medians of 3 and 3 runs; p of Welch's t-test, corrected for 5 functions "
		 "(Benjamini and Hochberg), * at most 0.01\n\n",
		 "  function\n", "  (total)\n",
		 /* by 4,000 and by 2,000: the larger change first */
		 " 9,000   5,000   -44.44%", "falls|a\n", " 1,000   3,000  +200.00%", "grows\n",
		 "... 3 without a difference beyond chance (--all shows them)\n");
	assert_null(strstr(text, "noisy"));
	assert_int_equal(count_of(text, "* "), 3); /* two rows, and the head */
	free(text);
}

TEST(all_shows_the_others_behind)
{
	char *text = reported(tl_report_runs,
			      (struct tl_report_options){ .form = TL_REPORT_TEXT, .all = true });

	/* noisy changes most, by 5,000, but not beyond chance; of those that are equal the name */
	IN_ORDER(text, "falls|a\n", "grows\n", "noisy\n", "also\n", "same\n");
	assert_null(strstr(text, "..."));
	free(text);
}

TEST(top_cuts_rows)
{
	static const struct {
		uint32_t top;
		bool all;
		const char *end;
	} cases[] = {
		{ 1, false, "falls|a\n... 1 more (--all shows them)\n... 3 without" },
		{ 2, false, "grows\n... 3 without" },
		{ 3, false, "grows\n... 3 without" },
		{ 1, true, "falls|a\n... 4 more (--all shows them)\n" },
		{ 4, true, "also\n... 1 more (--all shows them)\n" },
		{ 5, true, "same\n" },
		{ 6, true, "same\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text =
			reported(tl_report_runs, (struct tl_report_options){ .form = TL_REPORT_TEXT,
									     .top = cases[i].top,
									     .all = cases[i].all });

		assert_non_null(strstr(text, cases[i].end));
		assert_int_equal(count_of(text, "... "), count_of(cases[i].end, "... "));
		free(text);
	}
}

/* A name that holds what ends a cell; what is certain is bold, as a star would begin emphasis. */
TEST(runs_as_markdown)
{
	char *text = reported(tl_report_runs_markdown, (struct tl_report_options){ .top = 1 });

	IN_ORDER(text, "(Benjamini and Hochberg), * at most 0.01\n\n",
		 "| function | before | after | % | 95 % interval | p | effect |\n"
		 "|:--|--:|--:|--:|--:|--:|--:|\n",
		 "| **total** | ", "falls", "a", " | 9,000 | 5,000 | -44.44% | ", "** |", " |\n\n",
		 "... 1 more (--all shows them)\n", "... 3 without a difference");
	assert_null(strstr(text, "falls|a"));
	assert_int_equal(count_of(text, "\n| "), 3); /* heads, total, one function */
	free(text);
}

/* All functions, none of the total; the change of 9,000 to 5,000 is -4/9 of 9,000. */
TEST(runs_as_csv)
{
	char *text = reported(tl_report_runs, (struct tl_report_options){ .form = TL_REPORT_CSV });
	const char *row = strstr(text, "\nfalls|a,prog,,9000,5000,-44.44");
	double percent, low, high, p, adjusted;
	int certain;

	IN_ORDER(text,
		 "function,object,file,median_before,median_after,percent,low_percent,"
		 "high_percent,p,adjusted_p,effect,significant\n",
		 "grows,prog,,1000,3000,200,", ",1\n", "noisy,prog,,4000,9000,", ",0\n",
		 "also,prog,,60,60,0,", ",0\n", "same,prog,,70,70,0,", ",0\n");
	assert_int_equal(count_of(text, "\n"), 1 + SOME);
	assert_non_null(row);
	assert_int_equal(sscanf(row, "\nfalls|a,prog,,9000,5000,%lf,%lf,%lf,%lf,%lf,", &percent,
				&low, &high, &p, &adjusted),
			 5);
	assert_true(fabs(percent + 400.0 / 9) < 1e-9);
	assert_true(low < percent && percent < high && high < 0);
	/* corrected for five functions of which two differ: at most by 5 / 1 */
	assert_true(p > 0 && p <= adjusted && adjusted <= 5 * p && adjusted <= 0.01);
	assert_int_equal(sscanf(strchr(row + 1, '\n') - 1, "%d", &certain), 1);
	assert_int_equal(certain, 1);
	free(text);
}

/* The costs of each run, in their order. */
TEST(runs_as_json)
{
	char *text = reported(tl_report_runs,
			      (struct tl_report_options){ .form = TL_REPORT_JSON, .top = 3 });

	IN_ORDER(text,
		 "{\"event\":\"Ir\",\"unit\":\"\",\"test\":\"welch\","
		 "\"correction\":\"benjamini-hochberg\",\"level\":0.01,\"total\":"
		 "{\"before\":[10230,100130,14130],\"after\":[78130,8330,17130],"
		 "\"median_before\":14130,\"median_after\":17130,",
		 "\"significant\":false},\"rows\":[{\"function\":\"falls|a\",\"object\":\"prog\","
		 "\"file\":\"\",\"before\":[9000,9000,9000],\"after\":[5000,5000,5000],"
		 "\"median_before\":9000,\"median_after\":5000,",
		 "\"significant\":true},{\"function\":\"grows\"",
		 "\"significant\":true},{\"function\":\"noisy\",",
		 "\"before\":[100,90000,4000],\"after\":[70000,200,9000],",
		 "\"significant\":false}]}\n");
	assert_int_equal(count_of(text, "\"function\":"), 3);
	free(text);
}

/* What is new has no change in percent. */
TEST(functions_of_one_side)
{
	static const struct costs list[] = { { "new", { 0, 0, 0 }, { 5, 5, 5 } },
					     { "old", { 5, 5, 5 }, { 0, 0, 0 } } };
	const struct tl_report_options options = { .size = sizeof(options),
						   .form = TL_REPORT_TEXT,
						   .all = true };
	struct tl_runs *runs = runs_of(list, 2);
	struct tl_output *out;
	char *text;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_report_runs(runs, &options, out, NULL), 0);
	text = take_text(out);
	IN_ORDER(text, "     0      5         -  ", "  -  ", "new\n", "     5      0  -100.00%  ",
		 "old\n");
	free(text);
	tl_runs_free(runs);
}

TEST(runs_have_to_be_compared)
{
	struct tl_runs *runs;
	struct tl_output *out;
	size_t size;

	assert_int_equal(tl_runs_open(&runs, NULL), 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_report_runs(runs, NULL, out, NULL), TL_BAD_USAGE);
	assert_int_equal(tl_report_runs_markdown(runs, NULL, out, NULL), TL_BAD_USAGE);
	tl_output_bytes(out, &size);
	assert_int_equal(size, 0);
	tl_output_discard(out);
	tl_runs_free(runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_as_wide_as_they_have_to_be),
		cmocka_unit_test(a_table_without_rows_has_titles),
		cmocka_unit_test(medians_are_rounded),
		cmocka_unit_test(numbers_for_programs),
		cmocka_unit_test(text_shows_what_differs),
		cmocka_unit_test(all_shows_the_others_behind),
		cmocka_unit_test(top_cuts_rows),
		cmocka_unit_test(runs_as_markdown),
		cmocka_unit_test(runs_as_csv),
		cmocka_unit_test(runs_as_json),
		cmocka_unit_test(functions_of_one_side),
		cmocka_unit_test(runs_have_to_be_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
