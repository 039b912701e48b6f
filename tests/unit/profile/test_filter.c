/* SPDX-License-Identifier: Apache-2.0 */
/* A narrower profile, and a choice of functions. Quotes are from <tracelathe/profile.h>. */
#include "stacks.h"

#include "profile/model/model.h"

static void filtered(struct tl_profile **to, const struct tl_profile *from, const char *function,
		     const char *object)
{
	struct tl_profile_filter filter = { .size = sizeof(filter),
					    .function = function,
					    .object = object };

	assert_int_equal(tl_profile_filtered(to, from, &filter, NULL), 0);
}

static void has(const struct tl_profile *profile, const char *name, uint64_t calls, int64_t self,
		int64_t inclusive)
{
	uint32_t number = named(profile, name);
	struct tl_function_totals totals;

	assert_int_not_equal(number, TL_NONE);
	tl_profile_totals_of(profile, number, TL_NONE, &totals);
	assert_int_equal(totals.calls, calls);
	assert_int_equal(totals.self[0], self);
	assert_int_equal(totals.inclusive[0], inclusive);
}

/*
 * "the contexts whose path has a matching function (from the root down to the last function below
 * it)"
 */
TEST(stacks_through_a_function_are_kept)
{
	struct machine m = { 0 };
	struct tl_function_totals totals;
	struct tl_profile *narrow;

	make_stacks(&m);
	filtered(&narrow, m.profile, "^f2$", NULL);
	/* The way to f2 is kept, without what it cost itself; all below f2 is kept whole. */
	assert_int_equal(tl_profile_context_count(narrow), 5);
	has(narrow, "f0", 0, 0, 20);
	has(narrow, "f1", 0, 0, 10);
	has(narrow, "f2", 2, 17, 20);
	has(narrow, "f3", 1, 3, 3);
	assert_int_equal(named(narrow, "f4"), TL_NONE);
	assert_int_equal(tl_profile_total(narrow)[0], 20);
	assert_int_equal(tl_profile_part_count(narrow), 1);
	tl_profile_free(narrow);

	filtered(&narrow, m.profile, "1", NULL);
	has(narrow, "f1", 1, 30, 40);
	has(narrow, "f2", 1, 7, 10);
	tl_profile_totals_of(narrow, named(narrow, "f1"), TL_NONE, &totals);
	assert_int_equal(totals.unfinished, 1);
	tl_profile_free(narrow);
	machine_free(&m);
}

/* A pattern that everything matches changes nothing; one that nothing does leaves nothing. */
TEST(everything_and_nothing)
{
	struct machine m = { 0 };
	struct tl_profile *narrow;

	make_stacks(&m);
	filtered(&narrow, m.profile, ".", NULL);
	assert_int_equal(tl_profile_context_count(narrow), tl_profile_context_count(m.profile));
	for (uint32_t i = 0; i < tl_profile_context_count(narrow); i++) {
		assert_int_equal(*tl_profile_context_self(narrow, i),
				 *tl_profile_context_self(m.profile, i));
		assert_int_equal(*tl_profile_context_inclusive(narrow, i),
				 *tl_profile_context_inclusive(m.profile, i));
		assert_int_equal(tl_profile_context(narrow, i)->calls,
				 tl_profile_context(m.profile, i)->calls);
	}
	tl_profile_free(narrow);
	filtered(&narrow, m.profile, NULL, NULL);
	assert_int_equal(tl_profile_total(narrow)[0], tl_profile_total(m.profile)[0]);
	tl_profile_free(narrow);
	filtered(&narrow, m.profile, "nothing", NULL);
	assert_int_equal(tl_profile_context_count(narrow), 0);
	assert_int_equal(tl_profile_total(narrow)[0], 0);
	tl_profile_free(narrow);
	machine_free(&m);
}

/* The durations of the functions kept come along, of all parts and of each that had its own. */
TEST(durations_come_along)
{
	static const struct step first[] = { { IN, 1, 0 }, { OUT, 1, 5 } },
				 second[] = { { IN, 1, 0 }, { OUT, 1, 9 } };
	struct machine m = { .keep_latency = true };
	struct tl_latency latency;
	struct tl_profile *narrow;

	machine_begin(&m);
	machine_steps(&m, first, 2);
	machine_next_part(&m);
	machine_steps(&m, second, 2);
	machine_finish(&m);
	filtered(&narrow, m.profile, "f1", NULL);
	assert_true(tl_profile_latency_of(narrow, named(narrow, "f1"), TL_NONE, &latency));
	assert_int_equal(latency.calls, 2);
	assert_int_equal(latency.sum, 14);
	assert_true(tl_profile_latency_of(narrow, named(narrow, "f1"), 1, &latency));
	assert_int_equal(latency.calls, 1);
	assert_int_equal(latency.max, 9);
	tl_profile_free(narrow);
	machine_free(&m);
}

/* ---- sums ---- */

static struct tl_profile *make_sums(void)
{
	/* clang-format off */
	static const struct tl_function functions[] = {
		{ .name = "main", .object = "a.out" }, { .name = "f", .object = "a.out" },
		  { .name = "g", .object = "lib.so" },
	};
	/* clang-format on */
	static const struct tl_event ir = { .name = "Ir" };
	struct tl_profile *profile;

	assert_int_equal(tl_profile_make(&profile, "test", &ir, 1, 0, NULL), 0);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(tl_profile_put_function(profile, &functions[i], NULL), i);
		assert_int_equal(tl_profile_put_line(
					 profile,
					 &(struct tl_cost_line){ .function = i, .part = TL_NONE },
					 (const int64_t[]){ 10 << i }, NULL),
				 0);
	}
	for (uint32_t i = 0; i < 3; i++) {
		struct tl_arc arc = {
			.caller = i ? i - 1 : TL_NONE, .callee = i, .part = TL_NONE, .calls = i + 1
		};

		assert_int_equal(tl_profile_put_arc(
					 profile, &arc,
					 (const int64_t[]){ 70 - (i ? 10 : 0) - (i > 1 ? 20 : 0) },
					 NULL),
				 0);
	}
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
	return profile;
}

/* "without contexts, of the matching functions' lines and the arcs that touch one" */
TEST(sums_keep_lines_and_arcs_that_touch)
{
	struct tl_profile *whole = make_sums(), *narrow;

	filtered(&narrow, whole, NULL, "^lib");
	assert_int_equal(tl_profile_line_count(narrow), 1);
	assert_int_equal(tl_profile_arc_count(narrow), 1);
	has(narrow, "g", 3, 40, 40);
	has(narrow, "f", 0, 0, 40);
	assert_int_equal(named(narrow, "main"), TL_NONE);
	assert_int_equal(tl_profile_total(narrow)[0], 40);
	tl_profile_free(narrow);

	filtered(&narrow, whole, "main", NULL);
	assert_int_equal(tl_profile_line_count(narrow), 1);
	assert_int_equal(tl_profile_arc_count(narrow), 2); /* from outside, and to f */
	has(narrow, "main", 1, 10, 70);
	tl_profile_free(narrow);

	/* Both patterns must match. */
	filtered(&narrow, whole, "g", "a.out");
	assert_int_equal(tl_profile_line_count(narrow), 0);
	assert_int_equal(tl_profile_arc_count(narrow), 0);
	tl_profile_free(narrow);
	tl_profile_free(whole);
}

/* ---- choosing ---- */

/* "Choose the functions that tables show. No number changes" */
TEST(choosing_changes_no_number)
{
	struct tl_profile_filter filter = { .size = sizeof(filter), .object = "^a" };
	struct tl_profile *profile = make_sums();

	/* "True when the function was chosen, or none ever was." */
	assert_true(tl_profile_chosen(profile, 0) && tl_profile_chosen(profile, 1) &&
		    tl_profile_chosen(profile, 2));
	assert_int_equal(tl_profile_choose(profile, &filter, NULL), 0);
	assert_true(tl_profile_chosen(profile, 0));
	assert_true(tl_profile_chosen(profile, 1));
	assert_false(tl_profile_chosen(profile, 2));
	has(profile, "main", 1, 10, 70);
	has(profile, "g", 3, 40, 40);
	assert_int_equal(tl_profile_total(profile)[0], 70);
	/* A second choice replaces the first. */
	filter = (struct tl_profile_filter){ .size = sizeof(filter), .function = "^(main|g)$" };
	assert_int_equal(tl_profile_choose(profile, &filter, NULL), 0);
	assert_true(tl_profile_chosen(profile, 0));
	assert_false(tl_profile_chosen(profile, 1));
	assert_true(tl_profile_chosen(profile, 2));
	tl_profile_free(profile);
}

/* "TL_BAD_USAGE for a pattern that does not compile" */
TEST(a_bad_pattern_is_bad_usage)
{
	static const char *const bad[] = { "(", "[", "a\\", "*(" };
	struct tl_profile *profile = make_sums(), *narrow;

	for (size_t i = 0; i < 2 * sizeof(bad) / sizeof(bad[0]); i++) {
		struct tl_profile_filter filter = { .size = sizeof(filter) };
		struct tl_error err = { .status = TL_OK };

		*(i % 2 ? &filter.function : &filter.object) = bad[i / 2];
		assert_int_equal(tl_profile_filtered(&narrow, profile, &filter, &err),
				 TL_BAD_USAGE);
		assert_null(narrow);
		assert_int_equal(err.status, TL_BAD_USAGE);
		assert_true(err.offset == TL_NOWHERE);
		err.status = TL_OK;
		assert_int_equal(tl_profile_choose(profile, &filter, &err), TL_BAD_USAGE);
		assert_int_equal(err.status, TL_BAD_USAGE);
		assert_true(tl_profile_chosen(profile, 2));
	}
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_through_a_function_are_kept),
		cmocka_unit_test(everything_and_nothing),
		cmocka_unit_test(durations_come_along),
		cmocka_unit_test(sums_keep_lines_and_arcs_that_touch),
		cmocka_unit_test(choosing_changes_no_number),
		cmocka_unit_test(a_bad_pattern_is_bad_usage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
