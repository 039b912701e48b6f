/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles whose ticks are an emulator's: what is shown first, and that no profile made of them
 * forgets it.
 */
#include "profiles.h"

#include <tracelathe/open.h>

#include "profile/model/model.h"

static const char *const clocks[] = { "Ticks", "Cycles", "Ir" };

/* One thread, f in 5 ticks, 7 cycles and 9 instructions. */
static struct tl_profile *traced(bool emulated)
{
	static const int64_t cost[] = { 5, 7, 9 };
	struct tl_profile *profile = new_profile("intel-pt", clocks, 3, 1000);
	uint32_t part = add_part(profile, 1, 1, 1, "program");
	uint32_t f = add_function(profile, "program", "f.c", "f");

	profile->emulated = emulated;
	assert_int_equal(tl_profile_add_context(profile, TL_NONE, f, part, NULL), 0);
	tl_profile_add_context_cost(profile, 0, 1, cost);
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
	return profile;
}

static void expect_shown(const struct tl_profile *profile, uint32_t a, uint32_t b, uint32_t c)
{
	assert_int_equal(tl_profile_shown_event(profile, 0), a);
	assert_int_equal(tl_profile_shown_event(profile, 1), b);
	assert_int_equal(tl_profile_shown_event(profile, 2), c);
	assert_int_equal(tl_profile_shown_event(profile, 3), 3);
}

TEST(instructions_come_first_where_ticks_are_an_emulators)
{
	static const char *const without[] = { "Ticks", "Cycles", "Dr" };
	struct tl_profile *profile = traced(true);

	expect_shown(profile, 2, 0, 1);
	tl_profile_free(profile);
	profile = traced(false);
	expect_shown(profile, 0, 1, 2);
	tl_profile_free(profile);
	profile = new_profile("intel-pt", without, 3, 0);
	profile->emulated = true;
	expect_shown(profile, 0, 1, 2);
	tl_profile_free(profile);
}

TEST(a_sum_of_an_emulated_program_and_another_says_so)
{
	struct tl_profile *one = traced(true), *other = traced(false), *sum;

	for (int order = 0; order < 3; order++) {
		const struct tl_profile *from[] = { order == 1 ? other : one,
						    order == 0 ? other : one };

		assert_int_equal(tl_profile_merge(&sum, from, 2, NULL), 0);
		assert_true(tl_profile_emulated(sum));
		expect_shown(sum, 2, 0, 1);
		tl_profile_free(sum);
	}
	assert_int_equal(
		tl_profile_merge(&sum, (const struct tl_profile *const[]){ other, other }, 2, NULL),
		0);
	assert_false(tl_profile_emulated(sum));
	tl_profile_free(sum);
	tl_profile_free(one);
	tl_profile_free(other);
}

/* Profiles of one shape are added up as they come, whatever ran the programs. */
TEST(a_gathered_sum_says_so_in_any_order)
{
	for (int order = 0; order < 2; order++) {
		const struct tl_gather_options options = { .size = sizeof(options) };
		struct tl_gathered gathered = { .size = sizeof(gathered) };
		struct tl_profile *sum;
		struct tl_gather *gather;

		assert_int_equal(tl_gather_open(&gather, &options, NULL), 0);
		for (int i = 0; i < 4; i++) {
			struct tl_profile *profile = traced(i % 2 == order);

			assert_int_equal(tl_gather_take(gather, &profile, NULL), 0);
			tl_profile_free(profile);
		}
		assert_int_equal(tl_gather_profile(gather, &sum, &gathered, sizeof(gathered), NULL),
				 0);
		assert_true(tl_profile_emulated(sum));
		assert_int_equal(tl_profile_total(sum)[2], 36);
		tl_profile_free(sum);
		tl_gather_close(gather);
	}
}

TEST(what_is_made_of_it_says_so)
{
	const struct tl_profile_filter kept = { .size = sizeof(kept), .function = "f" };
	struct tl_profile *profile = traced(true), *made;

	assert_int_equal(tl_profile_filtered(&made, profile, &kept, NULL), 0);
	assert_true(tl_profile_emulated(made));
	tl_profile_free(made);
	assert_int_equal(tl_profile_idle_apart(&made, profile, "g", NULL), 0);
	assert_true(tl_profile_emulated(made));
	tl_profile_free(made);
	assert_int_equal(tl_profile_grouped(&made, profile, TL_BY_OBJECT, NULL), 0);
	assert_true(tl_profile_emulated(made));
	tl_profile_free(made);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_come_first_where_ticks_are_an_emulators),
		cmocka_unit_test(a_sum_of_an_emulated_program_and_another_says_so),
		cmocka_unit_test(a_gathered_sum_says_so_in_any_order),
		cmocka_unit_test(what_is_made_of_it_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
