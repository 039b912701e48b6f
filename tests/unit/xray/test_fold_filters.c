/* SPDX-License-Identifier: Apache-2.0 */
/* What of a trace is folded: windows of time, processors, threads, processes. */
#include "folds.h"

/* ---- the time window ---- */

/*
 * "absolute window, [from, to); to 0: open": cost to the tick; a call that the window cuts is
 * unfinished.
 */
TEST(a_time_window_counts_to_the_tick)
{
	static const struct {
		uint64_t from, to;
		int64_t self1, inclusive1, inclusive2;
		uint64_t calls2;
		/* clang-format off */
	} cases[] = {
		{ 105, 120, 5, 15, 10, 0 },  { 115, 125, 0, 10, 10, 0 }, { 111, 112, 0, 1, 1, 0 },
		{ 110, 131, 1, 21, 20, 1 },  { 110, 130, 0, 20, 20, 0 }, { 125, 0, 10, 15, 5, 0 },
		{ 0, 120, 10, 20, 10, 0 },   { 104, 106, 2, 2, 0, 0 },	 { 135, 1000, 5, 5, 0, 0 },
		{ 1, 10000, 20, 40, 20, 1 }, { 131, 132, 1, 1, 0, 0 },
	};
	/* clang-format on */
	struct bytes b = { 0 };

	put_two_calls(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_xray_fold_options options = all;
		struct tl_profile *profile;
		bool whole = cases[i].from == 1;

		options.from_ticks = cases[i].from;
		options.to_ticks = cases[i].to;
		profile = fold(&b, &options);
		has(profile, 1, whole, !whole, cases[i].self1, cases[i].inclusive1);
		if (cases[i].inclusive2)
			has(profile, 2, cases[i].calls2, !cases[i].calls2, cases[i].inclusive2,
			    cases[i].inclusive2);
		else
			assert_int_equal(tl_profile_context_count(profile), 1);
		assert_int_equal(*tl_profile_total(profile), cases[i].inclusive1);
		tl_profile_free(profile);
	}
	free_bytes(&b);
}

TEST(a_window_outside_holds_nothing)
{
	static const uint64_t windows[][2] = { { 0, 50 },      { 10, 100 },  { 141, 0 },
					       { 1000, 2000 }, { 120, 110 }, { 115, 115 } };
	struct bytes b = { 0 };

	put_two_calls(&b);
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		struct tl_xray_fold_options options = all;
		struct tl_profile *profile;

		options.from_ticks = windows[i][0];
		options.to_ticks = windows[i][1];
		profile = fold(&b, &options);
		assert_int_equal(*tl_profile_total(profile), 0);
		assert_int_equal(tl_profile_context_count(profile), 0);
		assert_int_equal(tl_profile_losses_of(profile).unfinished, 0);
		tl_profile_free(profile);
	}
	free_bytes(&b);
}

/* The parts of a trace that windows cut it into add up to the whole. */
TEST(windows_add_up)
{
	struct bytes b = { 0 };

	put_two_calls(&b);
	for (uint64_t cut = 100; cut <= 141; cut++) {
		struct tl_xray_fold_options options = all;
		struct tl_profile *before, *after;

		options.to_ticks = cut;
		before = fold(&b, &options);
		options.to_ticks = 0;
		options.from_ticks = cut;
		after = fold(&b, &options);
		assert_int_equal(*tl_profile_total(before) + *tl_profile_total(after), 40);
		tl_profile_free(before);
		tl_profile_free(after);
	}
	free_bytes(&b);
}

/* ---- cpu, thread, process ---- */

/* cpu 1: 100..150 and from 200 on; cpu 2: 150..200. 2 runs 150..180. */
static void put_migration(struct bytes *b)
{
	size_t start;

	put_header(b, 5, FDR, 1000, 16384);
	start = begin_block(b, 1, 2, 100);
	put_function(b, ENTER, 1, 0);
	put_new_cpu(b, 2, 150);
	put_function(b, ENTER, 2, 0);
	put_function(b, EXIT, 2, 30);
	put_new_cpu(b, 1, 200);
	put_function(b, EXIT, 1, 0);
	end_block(b, start);
}

/* The same as basic mode says it. */
static void put_basic_migration(struct bytes *b)
{
	put_header(b, 3, BASIC, 1000, 0);
	put_basic(b, 1, ENTER, 1, 100, 2, 1);
	put_basic(b, 2, ENTER, 2, 150, 2, 1);
	put_basic(b, 2, EXIT, 2, 180, 2, 1);
	put_basic(b, 1, EXIT, 1, 200, 2, 1);
}

TEST(a_cpu_filter)
{
	for (unsigned basic = 0; basic < 2; basic++) {
		struct tl_xray_fold_options options = all;
		struct tl_profile *profile;
		struct bytes b = { 0 };

		if (basic)
			put_basic_migration(&b);
		else
			put_migration(&b);
		options.cpu = 1;
		profile = fold(&b, &options);
		has(profile, 1, 0, 1, 50, 50);
		assert_int_equal(tl_profile_context_count(profile), 1);
		tl_profile_free(profile);
		options.cpu = 2;
		profile = fold(&b, &options);
		has(profile, 1, 0, 1, 20, 50);
		has(profile, 2, 1, 0, 30, 30);
		tl_profile_free(profile);
		options.cpu = 3;
		profile = fold(&b, &options);
		assert_int_equal(*tl_profile_total(profile), 0);
		tl_profile_free(profile);
		/* With a window, both must hold. */
		options.cpu = 2;
		options.from_ticks = 160;
		options.to_ticks = 170;
		profile = fold(&b, &options);
		has(profile, 2, 0, 1, 10, 10);
		tl_profile_free(profile);
		free_bytes(&b);
	}
}

TEST(thread_and_process_filters)
{
	static const struct {
		uint64_t thread, process;
		size_t parts;
		int64_t total;
		/* clang-format off */
	} cases[] = {
		{ TL_NOWHERE, TL_NOWHERE, 3, 111 }, { 2, TL_NOWHERE, 2, 101 }, { TL_NOWHERE, 1, 2,
		  11 },
		{ 2, 4, 1, 100 },		    { 3, 4, 0, 0 },	       { 99, TL_NOWHERE, 0,
		  0 },
	};
	/* clang-format on */
	static const struct {
		int32_t process, thread;
		uint32_t ticks;
	} threads[] = { { 1, 2, 1 }, { 1, 3, 10 }, { 4, 2, 100 } };
	struct bytes b = { 0 };

	put_header(&b, 5, FDR, 1000, 16384);
	for (size_t i = 0; i < 3; i++) {
		size_t start = begin_block(&b, threads[i].process, threads[i].thread, 500);

		put_function(&b, ENTER, 7, 0);
		put_function(&b, EXIT, 7, threads[i].ticks);
		end_block(&b, start);
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_xray_fold_options options = all;
		struct tl_profile *profile;

		options.thread = cases[i].thread;
		options.process = cases[i].process;
		profile = fold(&b, &options);
		assert_int_equal(tl_profile_part_count(profile), cases[i].parts);
		assert_int_equal(*tl_profile_total(profile), cases[i].total);
		tl_profile_free(profile);
	}
	free_bytes(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_time_window_counts_to_the_tick),
		cmocka_unit_test(a_window_outside_holds_nothing),
		cmocka_unit_test(windows_add_up),
		cmocka_unit_test(a_cpu_filter),
		cmocka_unit_test(thread_and_process_filters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
