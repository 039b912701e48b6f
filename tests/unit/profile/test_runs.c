/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several runs a side. Expected values of Student's distribution are those of printed tables;
 * tests/differential/runs.py holds whole comparisons against an integral of its density.
 */
#include <math.h>

#include "profiles.h"

#include "profile/runs/welch.h"

/* Tables of t have 2.776 for 4 degrees of freedom, 2.228 for 10, 12.706 for 1, at p = 0.05. */
TEST(student_is_that_of_the_tables)
{
	assert_true(fabs(tl_student_t(0.05, 4) - 2.776) < 0.0005);
	assert_true(fabs(tl_student_t(0.05, 10) - 2.228) < 0.0005);
	assert_true(fabs(tl_student_t(0.05, 1) - 12.706) < 0.0005);
	assert_true(fabs(tl_student_t(0.01, 30) - 2.750) < 0.0005);
	assert_true(fabs(tl_student_p(-2.776, 4) - 0.05) < 0.0001);
	/* Of one degree of freedom t is Cauchy's distribution: p = 1 - 2 atan(t) / pi. */
	assert_true(fabs(tl_student_p(1, 1) - 0.5) < 1e-12);
	assert_true(tl_student_p(0, 7) == 1);
}

/* Of counts that are the same in each run only the rounding is uncertain: 1/12 a side. */
TEST(rounding_is_a_part_of_the_variance)
{
	const double a[] = { 100, 100, 100 }, b[] = { 101, 101, 101 };
	struct tl_welch test =
		tl_welch_test((struct tl_sample){ a, 3 }, (struct tl_sample){ b, 3 }, 1);

	/* t = 1 / sqrt(2 / 36), of 4 degrees of freedom */
	assert_true(fabs(test.p - tl_student_p(sqrt(18), 4)) < 1e-12);
	assert_true(test.p > 0.01 && test.p < 0.02);
	assert_true(fabs(test.low - (1 - 2.776445 / sqrt(18))) < 1e-5);
	assert_true(test.mean_after == 101);
}

TEST(the_median_is_the_middle)
{
	double odd[] = { 9, 1, 5 }, even[] = { 8, 1, 2, 4 };

	assert_true(tl_median(odd, 3) == 5);
	assert_true(tl_median(even, 4) == 3);
}

/* A run of f with so many instructions, and of g, which `with_g` says is there. */
static void add_run(struct tl_runs *runs, bool after, int64_t f, bool with_g)
{
	static const char *const events[] = { "Ir" };
	struct tl_profile *p = new_profile("callgrind", events, 1, 0);

	add_line(p, add_function(p, "prog", "m.c", "f"), TL_NONE, at("m.c", 1, 0), f, 0);
	if (with_g)
		add_line(p, add_function(p, "prog", "m.c", "g"), TL_NONE, at("m.c", 2, 0), 7, 0);
	finished(p);
	assert_int_equal(tl_runs_add(runs, after, p, false, NULL), 0);
	tl_profile_free(p);
}

/* "0 where it did not run"; the first row is the total. */
TEST(rows_have_the_costs_of_each_run)
{
	struct tl_runs *runs;
	struct tl_run_row row;

	assert_int_equal(tl_runs_open(&runs, NULL), 0);
	add_run(runs, false, 100, false);
	add_run(runs, false, 102, true);
	add_run(runs, true, 1000, true);
	add_run(runs, true, 1002, true);
	assert_int_equal(tl_runs_compare(runs, NULL, NULL), 0);
	assert_int_equal(tl_runs_row_count(runs), 3);
	assert_int_equal(tl_runs_row(runs, 0, &row, sizeof(row)), 0);
	assert_null(row.function);
	assert_true(row.before[0] == 100 && row.before[1] == 109 && row.after[1] == 1009);
	assert_true(row.median_before == 104.5);
	for (size_t i = 1; i < 3; i++) {
		assert_int_equal(tl_runs_row(runs, i, &row, sizeof(row)), 0);
		if (strcmp(row.function->name, "g") != 0)
			continue;
		assert_true(row.before[0] == 0 && row.before[1] == 7 && row.after[0] == 7);
		assert_false(row.significant);
	}
	assert_int_equal(tl_runs_row(runs, 3, &row, sizeof(row)), TL_BAD_USAGE);
	assert_int_equal(tl_runs_row(runs, 0, &row, sizeof(row) - 1), TL_BAD_USAGE);
	assert_int_equal(tl_runs_rate(runs), 0);
	assert_string_equal(tl_runs_event(runs)->name, "Ir");
	tl_runs_free(runs);
}

TEST(what_cannot_be_compared_is_refused)
{
	static const char *const others[] = { "Dr" };
	struct tl_profile *p = finished(new_profile("callgrind", others, 1, 0));
	struct tl_runs_options options = { .size = sizeof(options), .event = "Ns" };
	struct tl_runs *runs;

	assert_int_equal(tl_runs_open(&runs, NULL), 0);
	add_run(runs, false, 1, true);
	assert_int_equal(tl_runs_add(runs, false, p, false, NULL), TL_UNSUPPORTED);
	add_run(runs, true, 1, true);
	assert_int_equal(tl_runs_compare(runs, NULL, NULL), TL_BAD_USAGE);
	add_run(runs, false, 1, true);
	add_run(runs, true, 1, true);
	assert_int_equal(tl_runs_compare(runs, &options, NULL), TL_UNSUPPORTED);
	options.size = 3;
	assert_int_equal(tl_runs_compare(runs, &options, NULL), TL_BAD_USAGE);
	assert_int_equal(tl_runs_compare(runs, NULL, NULL), 0);
	assert_int_equal(tl_runs_compare(runs, NULL, NULL), TL_BAD_USAGE);
	tl_runs_free(runs);
	tl_runs_free(NULL);
	tl_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(student_is_that_of_the_tables),
		cmocka_unit_test(rounding_is_a_part_of_the_variance),
		cmocka_unit_test(the_median_is_the_middle),
		cmocka_unit_test(rows_have_the_costs_of_each_run),
		cmocka_unit_test(what_cannot_be_compared_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
