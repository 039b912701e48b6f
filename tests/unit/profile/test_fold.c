/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fold, rule by rule of the head of profile/fold/fold.h (quoted at each test), on sequences
 * whose figures are worked out by hand; and against a slow, plain simulator on random ones
 * (test_fold_random.c).
 */
#include <time.h>

#include "machine.h"

#include "profile/model/unsized.h"

/* Functions of the sequences below. */
enum { A, B, C, D };

/*
 * Plain nesting. t: 0    10   25   40   50
 *                   A in B in B out A out
 * is A 0..40, B 10..25.
 */
TEST(calls_nest)
{
	static const struct step steps[] = {
		{ IN, A, 0 }, { IN, B, 10 }, { OUT, B, 25 }, { OUT, A, 40 }
	};
	struct machine m = { 0 };

	machine_run(&m, steps, 4);
	assert_function(&m, A, 1, 0, 25, 40);
	assert_function(&m, B, 1, 0, 15, 15);
	assert_durations(&m, A, 1, 40, 40, 40, 40);
	assert_durations(&m, B, 1, 15, 15, 15, 15);
	assert_int_equal(*tl_profile_total(m.profile), 40);
	assert_no_losses(&m);
	machine_free(&m);
}

/* One function along two paths is two contexts: A calls B twice, C calls B once. */
TEST(contexts_are_paths)
{
	static const struct step steps[] = { { IN, A, 0 },  { IN, B, 1 },  { OUT, B, 3 },
					     { IN, B, 4 },  { OUT, B, 9 }, { OUT, A, 10 },
					     { IN, C, 10 }, { IN, B, 11 }, { OUT, B, 15 },
					     { OUT, C, 20 } };
	struct machine m = { 0 };

	machine_run(&m, steps, 10);
	assert_int_equal(tl_profile_context_count(m.profile), 4);
	/* "numbered from 0 in the order they were first met": A, A>B, C, C>B */
	assert_context(&m, 0, TL_NONE, A, 1, 0, 3, 10);
	assert_context(&m, 1, 0, B, 2, 0, 7, 7);
	assert_context(&m, 2, TL_NONE, C, 1, 0, 6, 10);
	assert_context(&m, 3, 2, B, 1, 0, 4, 4);
	assert_function(&m, B, 3, 0, 11, 11);
	assert_durations(&m, B, 3, 2, 5, 11, 4); /* 2 4 5: t[1] */
	machine_free(&m);
}

/*
 * "frames of one function stand on each other; durations count every level, inclusive cost counts
 * the outermost"
 */
TEST(recursion_counts_inclusive_once)
{
	static const struct step steps[] = { { IN, A, 0 },   { IN, A, 10 },  { IN, A, 20 },
					     { OUT, A, 30 }, { OUT, A, 40 }, { OUT, A, 50 } };
	struct machine m = { 0 };

	machine_run(&m, steps, 6);
	assert_function(&m, A, 3, 0, 50, 50);
	assert_durations(&m, A, 3, 10, 50, 90, 30);
	assert_int_equal(tl_profile_context_count(m.profile), 3);
	assert_context(&m, 2, 1, A, 1, 0, 10, 10);
	machine_free(&m);
}

/* A > B > A > B: each inclusive from its outermost frame. */
TEST(mutual_recursion_counts_each_once)
{
	static const struct step steps[] = { { IN, A, 0 },   { IN, B, 10 },  { IN, A, 20 },
					     { IN, B, 30 },  { OUT, B, 40 }, { OUT, A, 50 },
					     { OUT, B, 60 }, { OUT, A, 70 } };
	struct machine m = { 0 };

	machine_run(&m, steps, 8);
	assert_function(&m, A, 2, 0, 40, 70);
	assert_function(&m, B, 2, 0, 30, 50);
	assert_durations(&m, A, 2, 30, 70, 100, 70);
	assert_durations(&m, B, 2, 10, 50, 60, 50);
	machine_free(&m);
}

/* "an orphan: counted and dropped. Like every record it sets the time, but it closes no frame." */
TEST(an_orphan_exit_moves_time_only)
{
	static const struct step steps[] = {
		{ OUT, B, 0 }, { IN, A, 10 }, { OUT, C, 15 }, { OUT, A, 30 }, { OUT, A, 40 }
	};
	struct machine m = { 0 };

	machine_run(&m, steps, 5);
	assert_function(&m, A, 1, 0, 20, 20);
	assert_function(&m, B, 0, 0, 0, 0);
	assert_function(&m, C, 0, 0, 0, 0);
	assert_int_equal(tl_profile_losses_of(m.profile).orphan_exits, 3);
	assert_int_equal(tl_profile_context_count(m.profile), 1);
	assert_int_equal(tl_profile_part(m.profile, 0)->first_ticks, 0);
	assert_int_equal(tl_profile_part(m.profile, 0)->last_ticks, 40);
	machine_free(&m);
}

/*
 * "the call is `unfinished`: its cost counts, but it has no duration and is not among the finished
 * calls"
 */
TEST(an_open_frame_is_unfinished)
{
	static const struct step steps[] = {
		{ IN, A, 0 }, { IN, B, 10 }, { OUT, B, 20 }, { IN, B, 30 }, { TIME, 0, 45 }
	};
	struct machine m = { 0 };

	machine_run(&m, steps, 5);
	assert_function(&m, A, 0, 1, 20, 45);
	assert_function(&m, B, 1, 1, 25, 25);
	assert_no_durations(&m, A);
	assert_durations(&m, B, 1, 10, 10, 10, 10);
	assert_int_equal(tl_profile_losses_of(m.profile).unfinished, 2);
	machine_free(&m);
}

/*
 * "an exit closes the innermost open frame of its function and every frame above that one (...):
 * they are calls, but `cut`, without a duration, and counted as deduced".
 * C is at most one of a caller further out:
 * B was left, maybe before C was entered.
 */
TEST(an_exit_closes_what_stands_above)
{
	static const struct step steps[] = {
		{ IN, A, 0 }, { IN, B, 10 }, { IN, C, 20 }, { OUT, A, 50 }, { OUT, C, 60 }
	};
	struct machine m = { 0 };

	machine_run(&m, steps, 5);
	assert_function(&m, A, 1, 0, 10, 50);
	assert_function(&m, B, 1, 0, 10, 40);
	assert_function(&m, C, 1, 0, 30, 30);
	assert_durations(&m, A, 1, 50, 50, 50, 50);
	assert_no_durations(&m, B);
	assert_no_durations(&m, C);
	assert_cut(&m, A, 0);
	assert_cut(&m, B, 1);
	assert_cut(&m, C, 1);
	assert_int_equal(tl_profile_losses_of(m.profile).uncertain, 1);
	assert_int_equal(tl_profile_losses_of(m.profile).deduced_exits, 2);
	assert_int_equal(tl_profile_losses_of(m.profile).orphan_exits, 1);
	assert_int_equal(tl_profile_losses_of(m.profile).unfinished, 0);
	machine_free(&m);
}

/*
 * "the innermost open frame of its function": A > B > A > C, then A exits: the outer A and B stay.
 */
TEST(an_exit_takes_the_innermost_frame)
{
	static const struct step steps[] = { { IN, A, 0 },  { IN, B, 1 },   { IN, A, 2 },
					     { IN, C, 3 },  { OUT, A, 10 }, { OUT, B, 20 },
					     { OUT, A, 30 } };
	struct machine m = { 0 };

	machine_run(&m, steps, 7);
	assert_durations(&m, A, 2, 8, 30, 38, 30);
	assert_durations(&m, B, 1, 19, 19, 19, 19);
	assert_no_durations(&m, C);
	assert_cut(&m, C, 1);
	assert_int_equal(tl_profile_losses_of(m.profile).uncertain, 0);
	assert_int_equal(tl_profile_losses_of(m.profile).deduced_exits, 1);
	assert_int_equal(tl_profile_losses_of(m.profile).unfinished, 0);
	machine_free(&m);
}

/*
 * "an exit. The function it jumps to is then entered as a call of the caller": A calls B, which
 * leaves by a tail exit into C: C's context is A > C, not A > B > C.
 */
TEST(a_tail_exit_is_an_exit)
{
	static const struct step steps[] = { { IN, A, 0 },  { IN, B, 10 },  { OUT, B, 20 },
					     { IN, C, 20 }, { OUT, C, 35 }, { OUT, A, 40 } };
	struct machine m = { 0 };

	machine_run(&m, steps, 6);
	assert_int_equal(tl_profile_context_count(m.profile), 3);
	assert_context(&m, 2, 0, C, 1, 0, 15, 15);
	assert_function(&m, A, 1, 0, 15, 40);
	assert_no_losses(&m);
	machine_free(&m);
}

/*
 * "records are missing: counted"; "Without such exits all frames stay open": a later exit closes
 * them.
 */
TEST(a_gap_keeps_frames_open)
{
	static const struct step steps[] = {
		{ IN, A, 0 }, { GAP, 0, 10 }, { GAP, 0, 20 }, { OUT, A, 100 }
	};
	struct machine m = { 0 };

	machine_run(&m, steps, 4);
	assert_function(&m, A, 1, 0, 100, 100);
	assert_int_equal(tl_profile_losses_of(m.profile).gaps, 2);
	machine_free(&m);
}

/* "the step counts as no time, and is counted. Time goes on from the new value." */
TEST(time_does_not_go_back)
{
	static const struct step steps[] = {
		{ IN, A, 100 }, { IN, B, 150 }, { OUT, B, 120 }, { OUT, A, 130 }
	};
	struct machine m = { 0 };

	machine_run(&m, steps, 4);
	assert_function(&m, A, 1, 0, 60, 60); /* 100..150, then 120..130 */
	assert_durations(&m, B, 1, 0, 0, 0, 0);
	assert_int_equal(tl_profile_losses_of(m.profile).time_reversals, 1);
	assert_int_equal(tl_profile_part(m.profile, 0)->last_ticks, 130);
	machine_free(&m);
}

/* "a sum over 2^63 - 1 saturates, and is counted": the clock of the fold is such a sum. */
TEST(the_clock_saturates)
{
	const uint64_t most = INT64_MAX;
	const struct step steps[] = {
		{ IN, A, 0 },         { IN, B, most - 5 },     { OUT, B, most + 10 },
		{ IN, B, most + 20 }, { OUT, B, most + 1000 }, { OUT, A, most + 2000 }
	};
	struct machine m = { 0 };

	machine_run(&m, steps, 6);
	assert_durations(&m, B, 2, 0, 5, 5, 5);
	assert_durations(&m, A, 1, most, most, most, most);
	assert_function(&m, A, 1, 0, INT64_MAX - 5, INT64_MAX);
	/* most + 10 is the first that does not fit; every one after it does not either. */
	assert_int_equal(tl_profile_losses_of(m.profile).saturated, 4);
	machine_free(&m);
}

/*
 * Durations of recursive calls sum up at every level: 2 * (2^63 - 1) fits 64 bits, three of them do
 * not.
 */
TEST(the_sum_of_durations_saturates)
{
	const uint64_t most = INT64_MAX;
	const struct step steps[] = { { IN, A, 0 },     { IN, A, 0 },     { IN, A, 0 },
				      { OUT, A, most }, { OUT, A, most }, { OUT, A, most } };
	struct tl_latency latency;
	struct machine m = { 0 };

	machine_run(&m, steps, 6);
	assert_true(tl_profile_latency_of(m.profile, A, TL_NONE, &latency));
	assert_true(latency.sum == UINT64_MAX);
	assert_int_equal(latency.calls, 3);
	assert_function(&m, A, 3, 0, INT64_MAX, INT64_MAX);
	assert_int_equal(tl_profile_losses_of(m.profile).saturated, 1);
	machine_free(&m);
}

/* So does the sum over threads: each of them fits, both together do not. */
TEST(the_sum_over_parts_saturates)
{
	const uint64_t most = INT64_MAX;
	const struct step steps[] = {
		{ IN, A, 0 }, { IN, A, 0 }, { OUT, A, most }, { OUT, A, most }
	};
	struct machine m = { 0 };

	machine_begin(&m);
	machine_steps(&m, steps, 4);
	machine_next_part(&m);
	assert_int_equal(tl_profile_losses_of(m.profile).saturated, 0);
	machine_steps(&m, steps, 4);
	machine_end_part(&m);
	assert_int_equal(tl_profile_losses_of(m.profile).saturated, 1);
	assert_true(machine_sum(&m, A) == UINT64_MAX);
	assert_int_equal(tl_profile_finish(m.profile, NULL), 0);
	machine_free(&m);
}

/* ---- the gate ---- */

/*
 * "while the gate is closed no cost is counted. A call is finished, and timed, only if the gate was
 * open from its entry to its exit; a call that the gate cuts is `unfinished`."
 */
TEST(the_gate_cuts_calls)
{
	static const struct step steps[] = {
		{ IN, A, 0 },    { IN, B, 10 },    { OUT, B, 20 }, /* B 10 ticks, finished */
		{ IN, C, 20 },   { CLOSE, 0, 30 }, { OUT, C, 50 }, /* C 10 of its 30 ticks */
		{ IN, B, 60 },   { OUT, B, 70 },                   /* wholly outside */
		{ IN, D, 70 },   { OPEN, 0, 80 },  { OUT, D, 95 }, /* D 15 of its 25 ticks */
		{ OUT, A, 100 },                                   /* A 0..30 and 80..100, cut */
	};
	struct machine m = { 0 };

	machine_run(&m, steps, sizeof(steps) / sizeof(steps[0]));
	assert_function(&m, A, 0, 1, 15, 50);
	assert_function(&m, B, 1, 0, 10, 10);
	assert_function(&m, C, 0, 1, 10, 10);
	assert_function(&m, D, 0, 1, 15, 15);
	assert_durations(&m, B, 1, 10, 10, 10, 10);
	assert_no_durations(&m, A);
	assert_no_durations(&m, C);
	assert_no_durations(&m, D);
	assert_int_equal(tl_profile_losses_of(m.profile).unfinished, 3);
	assert_int_equal(*tl_profile_total(m.profile), 50);
	machine_free(&m);
}

/*
 * What only happened outside is no context: D and B > C; but B, on the way to what happened inside,
 * is one.
 */
TEST(contexts_outside_the_gate_are_left_out)
{
	/* clang-format off */
	static const struct step steps[] = {
		{ CLOSE, 0, 0 }, { IN, D, 0 },   { OUT, D, 10 },  { IN, B, 10 },  { IN, C, 20 },
		  { OUT, C, 30 },
		{ OPEN, 0, 40 }, { IN, A, 40 },  { OUT, A, 47 },  { CLOSE, 0, 47 }, { OUT, B, 60 },
		  { IN, D, 60 },
		{ TIME, 0, 70 }, /* D open at the end: never let in */
	};
	/* clang-format on */
	struct machine m = { 0 };

	machine_run(&m, steps, sizeof(steps) / sizeof(steps[0]));
	assert_int_equal(tl_profile_context_count(m.profile), 2);
	assert_context(&m, 0, TL_NONE, B, 0, 1, 0, 7);
	assert_context(&m, 1, 0, A, 1, 0, 7, 7);
	assert_function(&m, D, 0, 0, 0, 0);
	assert_int_equal(tl_profile_losses_of(m.profile).unfinished, 1);
	machine_free(&m);
}

/* Opening an open gate cuts nothing. */
TEST(the_gate_moves_only_when_it_changes)
{
	static const struct step steps[] = { { OPEN, 0, 0 },  { IN, A, 0 },    { OPEN, 0, 5 },
					     { OUT, A, 9 },   { CLOSE, 0, 9 }, { CLOSE, 0, 10 },
					     { OPEN, 0, 20 }, { IN, A, 20 },   { OUT, A, 22 } };
	struct machine m = { 0 };

	machine_run(&m, steps, 9);
	assert_durations(&m, A, 2, 2, 9, 11, 9);
	assert_function(&m, A, 2, 0, 11, 11);
	machine_free(&m);
}

/* ---- further events ---- */

/*
 * "Cost of the innermost open function": event 0 is time, the others follow; none is counted
 * outside the gate.
 */
TEST(further_events_go_to_the_innermost_frame)
{
	static const struct step steps[] = {
		{ COST, 3, 0 },   { IN, A, 0 },       { COST, 5, 1 },  { IN, B, 10 },
		{ COST, 7, 11 },  { COST, 1, 12 },    { OUT, B, 20 },  { COST, 100, 21 },
		{ CLOSE, 0, 22 }, { COST, 1000, 23 }, { OPEN, 0, 24 }, { OUT, A, 30 }
	};
	struct machine m = { .extra_events = 2 };
	struct tl_function_totals totals;

	machine_run(&m, steps, sizeof(steps) / sizeof(steps[0]));
	/* The second further event counts twice the first, and negative. */
	tl_profile_totals_of(m.profile, A, TL_NONE, &totals);
	assert_int_equal(totals.self[1], 105);
	assert_int_equal(totals.self[2], -210);
	assert_int_equal(totals.inclusive[1], 113);
	assert_int_equal(totals.inclusive[2], -226);
	assert_int_equal(totals.self[0], 18); /* 0..10 and 20..22 and 24..30 */
	tl_profile_totals_of(m.profile, B, TL_NONE, &totals);
	assert_int_equal(totals.self[1], 8);
	assert_int_equal(totals.self[2], -16);
	assert_int_equal(tl_profile_total(m.profile)[1], 113);
	machine_free(&m);
}

TEST(a_further_event_saturates)
{
	static const int64_t most[] = { INT64_MAX }, one[] = { 1 };
	struct tl_event events[] = { { .name = "Ticks" }, { .name = "Bytes" } };
	struct tl_profile *profile;
	struct tl_part part = { .thread = 1 };
	uint32_t number = 0;
	struct tl_fold fold;

	assert_true(tl_fold_begin(&fold, 1, false));
	assert_int_equal(tl_fold_add_function(&fold), 0);
	tl_fold_time(&fold, 1);
	tl_fold_enter(&fold, 0);
	tl_fold_cost(&fold, most);
	tl_fold_cost(&fold, one);
	tl_fold_leave(&fold, 0);
	tl_fold_end(&fold);
	assert_int_equal(tl_profile_make(&profile, "test", events, 2, 0, NULL), 0);
	assert_int_equal(
		tl_profile_put_function(profile, &(struct tl_function){ .name = "f" }, NULL), 0);
	assert_int_equal(tl_fold_into(&fold, profile, &part, &number, false, NULL), 0);
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
	assert_int_equal(tl_profile_total(profile)[1], INT64_MAX);
	assert_int_equal(tl_profile_losses_of(profile).saturated, 1);
	tl_profile_free(profile);
	tl_fold_free(&fold);
}

/* A fold that counts other events than the profile has no place in it. */
TEST(events_must_agree)
{
	struct tl_event ticks = { .name = "Ticks" };
	struct tl_part part = { .thread = 1 };
	struct tl_profile *profile;
	struct tl_error err = { .status = TL_OK };
	struct tl_fold fold;

	assert_true(tl_fold_begin(&fold, 1, false));
	tl_fold_end(&fold);
	assert_int_equal(tl_profile_make(&profile, "test", &ticks, 1, 0, NULL), 0);
	assert_int_equal(tl_fold_into(&fold, profile, &part, NULL, false, &err), TL_BAD_USAGE);
	assert_int_equal(err.status, TL_BAD_USAGE);
	assert_true(err.offset == TL_NOWHERE);
	assert_int_equal(tl_profile_part_count(profile), 0);
	tl_profile_free(profile);
	tl_fold_free(&fold);
}

/* ---- large ones ---- */

/*
 * 100,000 levels: A is on the stack once, its calls are n, their durations 1 + 3 + ... + (2n - 1) =
 * n * n.
 */
TEST(deep_recursion)
{
	const uint64_t n = 100000;
	struct machine m = { 0 };
	uint64_t t = 0;

	machine_begin(&m);
	for (uint64_t i = 0; i < n; i++)
		machine_step(&m, (struct step){ IN, A, t++ });
	for (uint64_t i = 0; i < n; i++)
		machine_step(&m, (struct step){ OUT, A, t++ });
	machine_finish(&m);
	assert_function(&m, A, n, 0, (int64_t)(2 * n - 1), (int64_t)(2 * n - 1));
	assert_int_equal(tl_profile_context_count(m.profile), n);
	assert_int_equal(machine_sum(&m, A), n * n);
	machine_free(&m);
}

/*
 * "Each record takes constant time on average": a search down the stack for each orphan would take
 * 10^10 steps, minutes.
 */
TEST(orphans_below_a_deep_stack_take_no_search)
{
	const uint64_t n = 100000;
	clock_t begun = clock();
	struct machine m = { 0 };

	machine_begin(&m);
	for (uint64_t i = 0; i < n; i++)
		machine_step(&m, (struct step){ IN, A, i });
	for (uint64_t i = 0; i < n; i++) {
		machine_step(&m, (struct step){ OUT, B, n });
		/*
		 * Now and then the top moves, so that what is known of the stack is not all the
		 * same.
		 */
		machine_step(&m, (struct step){ i % 2 ? OUT : IN, C, n });
	}
	machine_finish(&m);
	assert_int_equal(tl_profile_losses_of(m.profile).orphan_exits, n);
	assert_int_equal(tl_profile_losses_of(m.profile).unfinished, n);
	assert_function(&m, C, n / 2, 0, 0, 0);
	machine_free(&m);
	assert_true((double)(clock() - begun) / CLOCKS_PER_SEC < 10);
}

/* One parent with thousands of children, each called twice. */
TEST(thousands_of_siblings)
{
	enum { CHILDREN = 5000 };
	struct machine m = { .functions = CHILDREN + 1 };
	uint64_t t = 0;

	machine_begin(&m);
	machine_step(&m, (struct step){ IN, CHILDREN, t });
	for (uint32_t i = 0; i < 2 * CHILDREN; i++) {
		machine_step(&m, (struct step){ IN, i % CHILDREN, t });
		t += i % CHILDREN + 1;
		machine_step(&m, (struct step){ OUT, i % CHILDREN, t });
	}
	machine_step(&m, (struct step){ OUT, CHILDREN, t });
	machine_finish(&m);
	assert_int_equal(tl_profile_context_count(m.profile), CHILDREN + 1);
	for (uint32_t i = 0; i < CHILDREN; i++)
		assert_context(&m, i + 1, 0, i, 2, 0, 2 * ((int64_t)i + 1), 2 * ((int64_t)i + 1));
	assert_function(&m, CHILDREN, 1, 0, 0, (int64_t)CHILDREN * (CHILDREN + 1));
	machine_free(&m);
}

/*
 * "`keep_latency`: durations also for the part alone"; each thread is a part with losses of its
 * own.
 */
TEST(parts_have_their_own_figures)
{
	static const struct step first[] = { { IN, A, 100 }, { OUT, A, 110 }, { OUT, B, 120 } };
	static const struct step second[] = { { IN, A, 0 }, { OUT, A, 30 }, { IN, B, 30 } };
	struct tl_function_totals totals;
	struct tl_latency latency;

	for (int keep = 0; keep < 2; keep++) {
		struct machine m = { .keep_latency = keep };

		machine_begin(&m);
		machine_steps(&m, first, 3);
		machine_next_part(&m);
		machine_steps(&m, second, 3);
		machine_finish(&m);
		assert_int_equal(tl_profile_part_count(m.profile), 2);
		assert_int_equal(tl_profile_part(m.profile, 0)->losses.orphan_exits, 1);
		assert_int_equal(tl_profile_part(m.profile, 1)->losses.unfinished, 1);
		assert_int_equal(tl_profile_part(m.profile, 0)->first_ticks, 100);
		assert_int_equal(tl_profile_part(m.profile, 0)->last_ticks, 120);
		assert_durations(&m, A, 2, 10, 30, 40, 30);
		tl_profile_totals_of(m.profile, A, 1, &totals);
		assert_int_equal(totals.calls, 1);
		assert_int_equal(totals.self[0], 30);
		assert_int_equal(tl_profile_latency_of(m.profile, A, 1, &latency), keep);
		if (keep) {
			assert_int_equal(latency.calls, 1);
			assert_int_equal(latency.median, 30);
		}
		assert_false(tl_profile_latency_of(m.profile, B, 1, &latency));
		machine_free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_nest),
		cmocka_unit_test(contexts_are_paths),
		cmocka_unit_test(recursion_counts_inclusive_once),
		cmocka_unit_test(mutual_recursion_counts_each_once),
		cmocka_unit_test(an_orphan_exit_moves_time_only),
		cmocka_unit_test(an_open_frame_is_unfinished),
		cmocka_unit_test(an_exit_closes_what_stands_above),
		cmocka_unit_test(an_exit_takes_the_innermost_frame),
		cmocka_unit_test(a_tail_exit_is_an_exit),
		cmocka_unit_test(a_gap_keeps_frames_open),
		cmocka_unit_test(time_does_not_go_back),
		cmocka_unit_test(the_clock_saturates),
		cmocka_unit_test(the_sum_of_durations_saturates),
		cmocka_unit_test(the_sum_over_parts_saturates),
		cmocka_unit_test(the_gate_cuts_calls),
		cmocka_unit_test(contexts_outside_the_gate_are_left_out),
		cmocka_unit_test(the_gate_moves_only_when_it_changes),
		cmocka_unit_test(further_events_go_to_the_innermost_frame),
		cmocka_unit_test(a_further_event_saturates),
		cmocka_unit_test(events_must_agree),
		cmocka_unit_test(deep_recursion),
		cmocka_unit_test(orphans_below_a_deep_stack_take_no_search),
		cmocka_unit_test(thousands_of_siblings),
		cmocka_unit_test(parts_have_their_own_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
