/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting apart from work. Quotes are from <tracelathe/profile.h>. */
#include "stacks.h"

#include "profile/model/model.h"

static struct tl_profile *apart_of(const struct tl_profile *profile, const char *pattern)
{
	struct tl_profile *apart;

	assert_int_equal(tl_profile_idle_apart(&apart, profile, pattern, NULL), 0);
	return apart;
}

/* Self costs: of the first event, and of the last one, "Idle". */
static void has_costs(const struct tl_profile *profile, const char *name, int64_t work,
		      int64_t idle)
{
	struct tl_function_totals totals;
	uint32_t last = tl_profile_event_count(profile) - 1;

	tl_profile_totals_of(profile, named(profile, name), TL_NONE, &totals);
	assert_int_equal(totals.self[0], work);
	assert_int_equal(totals.self[last], idle);
}

/*
 * "what was spent in functions whose name matches, and in those that they call": of f2 under f1 10
 * ticks, 3 of them in f3, and of f2 under f0 10.
 */
TEST(cost_below_a_function_is_idle)
{
	struct machine m = { 0 };
	struct tl_profile *apart;

	make_stacks(&m);
	apart = apart_of(m.profile, "^f2$");
	assert_int_equal(tl_profile_event_count(apart), 2);
	assert_string_equal(tl_profile_event(apart, 1)->name, "Idle");
	assert_string_equal(tl_profile_event(apart, 1)->unit, tl_profile_event(apart, 0)->unit);
	has_costs(apart, "f0", 40, 0);
	has_costs(apart, "f1", 30, 0);
	has_costs(apart, "f2", 0, 17);
	has_costs(apart, "f3", 0, 3);
	has_costs(apart, "f4", 20, 0);
	assert_int_equal(tl_profile_total(apart)[0], 90);
	assert_int_equal(tl_profile_total(apart)[1], 20);
	tl_profile_free(apart);
	/* all, and nothing */
	apart = apart_of(m.profile, "f0|f1");
	assert_int_equal(tl_profile_total(apart)[0], 0);
	assert_int_equal(tl_profile_total(apart)[1], 110);
	tl_profile_free(apart);
	apart = apart_of(m.profile, "nothing");
	assert_int_equal(tl_profile_total(apart)[0], 110);
	assert_int_equal(tl_profile_total(apart)[1], 0);
	tl_profile_free(apart);
	machine_free(&m);
}

/* Further events stay where they are. */
TEST(only_the_first_event_is_divided)
{
	static const struct step steps[] = {
		{ IN, 0, 0 },   { IN, 1, 10 },   { COST, 5, 20 },
		{ OUT, 1, 30 }, { COST, 7, 40 }, { OUT, 0, 50 },
	};
	struct machine m = { .extra_events = 2 };
	struct tl_profile *apart;

	machine_run(&m, steps, sizeof(steps) / sizeof(steps[0]));
	apart = apart_of(m.profile, "f1");
	assert_int_equal(tl_profile_event_count(apart), 4);
	assert_string_equal(tl_profile_event(apart, 2)->name, "Faults");
	assert_int_equal(tl_profile_total(apart)[0], 30);
	assert_int_equal(tl_profile_total(apart)[1], 12);
	assert_int_equal(tl_profile_total(apart)[2], -24);
	assert_int_equal(tl_profile_total(apart)[3], 20);
	tl_profile_free(apart);
	machine_free(&m);
}

/* "Calls and durations stay what they are", of all parts and of each, and so does all else. */
TEST(calls_and_durations_stay)
{
	static const struct step first[] = { { IN, 1, 0 }, { OUT, 1, 5 } },
				 second[] = { { IN, 1, 0 }, { OUT, 1, 9 }, { IN, 2, 12 } };
	const struct tl_profile_filter filter = { .size = sizeof(filter), .function = "f1" };
	struct machine m = { .keep_latency = true };
	struct tl_function_totals totals;
	struct tl_latency latency;
	struct tl_profile *apart;

	machine_begin(&m);
	machine_steps(&m, first, 2);
	machine_next_part(&m);
	machine_steps(&m, second, 3);
	machine_finish(&m);
	assert_int_equal(tl_profile_choose(m.profile, &filter, NULL), 0);
	m.profile->estimated = true;
	m.profile->losses.gaps = 3;
	apart = apart_of(m.profile, "f1");
	assert_true(tl_profile_latency_of(apart, named(apart, "f1"), TL_NONE, &latency));
	assert_int_equal(latency.calls, 2);
	assert_int_equal(latency.sum, 14);
	assert_true(tl_profile_latency_of(apart, named(apart, "f1"), 1, &latency));
	assert_int_equal(latency.calls, 1);
	assert_int_equal(latency.sum, 9);
	tl_profile_totals_of(apart, named(apart, "f2"), TL_NONE, &totals);
	assert_int_equal(totals.unfinished, 1);
	tl_profile_totals_of(apart, named(apart, "f1"), TL_NONE, &totals);
	assert_int_equal(totals.calls, 2);
	assert_int_equal(tl_profile_part_count(apart), 2);
	assert_true(tl_profile_chosen(apart, named(apart, "f1")));
	assert_false(tl_profile_chosen(apart, named(apart, "f2")));
	assert_true(apart->estimated);
	assert_int_equal(apart->losses.gaps, 3);
	tl_profile_free(apart);
	machine_free(&m);
}

/* "TL_UNSUPPORTED for a profile without contexts; TL_BAD_USAGE for a pattern" that is none */
TEST(what_cannot_be_divided_is_refused)
{
	static const struct tl_event ir = { .name = "Ir" };
	struct tl_profile *sums, *apart;
	struct machine m = { 0 };
	struct tl_error err;

	assert_int_equal(tl_profile_make(&sums, "test", &ir, 1, 0, NULL), 0);
	assert_int_equal(tl_profile_put_function(sums, &(struct tl_function){ .name = "f" }, NULL),
			 0);
	assert_int_equal(tl_profile_put_line(sums, &(struct tl_cost_line){ .part = TL_NONE },
					     (const int64_t[]){ 5 }, NULL),
			 0);
	assert_int_equal(tl_profile_finish(sums, NULL), 0);
	assert_int_equal(tl_profile_idle_apart(&apart, sums, "f", &err), TL_UNSUPPORTED);
	assert_null(apart);
	assert_string_equal(err.text,
			    "the profile has no call stacks to tell waiting from work by");
	tl_profile_free(sums);
	make_stacks(&m);
	assert_int_equal(tl_profile_idle_apart(&apart, m.profile, "(", &err), TL_BAD_USAGE);
	assert_null(apart);
	machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cost_below_a_function_is_idle),
		cmocka_unit_test(only_the_first_event_is_divided),
		cmocka_unit_test(calls_and_durations_stay),
		cmocka_unit_test(what_cannot_be_divided_is_refused),
	};

	return cmocka_run_group_tests_name("profile idle", tests, NULL, NULL);
}
