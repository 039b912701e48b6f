/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a gap does to the stack, rule by rule of the head of profile/fold/fold.h (quoted at each
 * test).
 */
#include "machine.h"

#include "profile/model/unsized.h"

enum { A, B, C, D, LOST };

/*
 * Frames, from the outermost on, and the exits behind a gap: how many of both live on, and were
 * opened in the gap.
 */
static void assert_match(const char *frames, const char *exits, bool to_end, size_t kept,
			 size_t begun)
{
	uint32_t functions[16];
	struct tl_fold_match match;
	struct tl_fold fold;
	size_t count = strlen(exits);

	assert_true(tl_fold_begin(&fold, 0, false));
	for (int i = 0; i < 5; i++)
		tl_fold_add_function(&fold);
	for (; *frames; frames++)
		tl_fold_enter(&fold, (uint32_t)(*frames - 'A'));
	for (size_t i = 0; i < count; i++)
		functions[i] = (uint32_t)(exits[i] - 'A');
	assert_true(tl_fold_match_exits(&fold, functions, count, to_end, &match));
	assert_int_equal(match.kept, kept);
	assert_int_equal(match.begun, begun);
	tl_fold_end(&fold);
	tl_fold_free(&fold);
}

/*
 * "matched with the open frames from the outermost inwards, frame by frame": A is main(), B
 * recurses.
 */
TEST(exits_are_matched_from_the_outermost_frame_inwards)
{
	assert_match("ABB", "BBBA", true, 3, 1); /* one more B than there was */
	assert_match("ABB", "BBA", true, 3, 0);
	assert_match("ABBB", "BBA", true, 3, 0); /* the innermost B ended in the gap */
	assert_match("ABCD", "CBA", true, 3, 0);
	assert_match("ABCD", "DDBA", true, 2, 2);
	assert_match("ABCD", "A", true, 1, 0);
}

/* "beginning where most of them match": the thread's outermost frames need not exit. */
TEST(the_outermost_frames_may_stay_open)
{
	assert_match("ABCD", "DCB", true, 4, 0);
	assert_match("ABCD", "DC", true, 4, 0);
	assert_match("ABB", "BB", true, 3, 0);
	assert_match("ABCBD", "DB", true, 5, 0);
}

/* "Of equally good places the outermost; before a further gap the innermost" */
TEST(of_equal_places_the_outermost_or_the_innermost)
{
	assert_match("ABBBB", "BB", true, 3, 0);
	assert_match("ABBBB", "BB", false, 5, 0);
	assert_match("ABBBB", "BBA", false, 3, 0);
}

/*
 * "Exits that are left over belong to frames that were opened in the gap"; "Without such exits all
 * frames stay open."
 */
TEST(exits_of_other_functions_close_no_frame)
{
	assert_match("AB", "DC", true, 2, 2);
	assert_match("", "BA", true, 0, 2);
	assert_match("ABC", "", true, 3, 0);
	assert_match("ABC", "", false, 3, 0);
}

TEST(exits_may_fit_without_a_gap)
{
	static const uint32_t exits[] = { C, B, A, A };
	struct tl_fold fold;

	assert_true(tl_fold_begin(&fold, 0, false));
	for (uint32_t i = A; i <= C; i++)
		tl_fold_enter(&fold, tl_fold_add_function(&fold));
	assert_true(tl_fold_fits(&fold, exits, 0));
	assert_true(tl_fold_fits(&fold, exits, 2));
	assert_true(tl_fold_fits(&fold, exits, 3));
	assert_false(tl_fold_fits(&fold, exits, 4));
	assert_false(tl_fold_fits(&fold, exits + 1, 1));
	tl_fold_end(&fold);
	tl_fold_free(&fold);
}

/*
 * t: 0    10   20  gap  50    60    65    70
 *    A in B in C in     D out B out C ?   A out
 * C ended in the gap, D began there. D costs 50..55: "the cost of those frames behind the gap
 * counts, their calls do not".
 */
TEST(a_gap_has_its_own_time)
{
	static const uint32_t exits[] = { D, B, A };
	struct machine m = { 0 };
	struct tl_fold_match match;
	struct tl_losses losses;

	machine_begin(&m);
	machine_step(&m, (struct step){ IN, A, 0 });
	machine_step(&m, (struct step){ IN, B, 10 });
	machine_step(&m, (struct step){ IN, C, 20 });
	machine_step(&m, (struct step){ TIME, 0, 25 });
	assert_true(tl_fold_match_exits(&m.fold, exits, 3, true, &match));
	tl_fold_gap_begin(&m.fold, &match, LOST);
	tl_fold_time(&m.fold, 50);
	tl_fold_gap_end(&m.fold, exits, match.begun);
	machine_step(&m, (struct step){ OUT, D, 55 });
	machine_step(&m, (struct step){ OUT, B, 60 });
	machine_step(&m, (struct step){ OUT, A, 70 });
	machine_finish(&m);
	assert_function(&m, A, 1, 0, 20, 70);
	assert_function(&m, B, 1, 0, 15, 50);
	assert_function(&m, C, 1, 0, 5, 5);
	assert_function(&m, D, 0, 0, 5, 5);
	assert_function(&m, LOST, 0, 0, 25, 25);
	assert_durations(&m, B, 1, 50, 50, 50, 50);
	assert_no_durations(&m, C);
	assert_cut(&m, C, 1);
	losses = tl_profile_losses_of(m.profile);
	assert_int_equal(losses.gap_ends, 1);
	assert_int_equal(losses.bridged, 2);
	assert_int_equal(losses.orphan_exits, 1);
	assert_int_equal(losses.uncertain, 0);
	machine_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exits_are_matched_from_the_outermost_frame_inwards),
		cmocka_unit_test(the_outermost_frames_may_stay_open),
		cmocka_unit_test(of_equal_places_the_outermost_or_the_innermost),
		cmocka_unit_test(exits_of_other_functions_close_no_frame),
		cmocka_unit_test(exits_may_fit_without_a_gap),
		cmocka_unit_test(a_gap_has_its_own_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
