/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of time. */
#include "folded_trace.h"

/*
 * Of a window of time only what ran in it counts. The leaf's last instruction is at its end, the
 * return behind it: no call ended inside.
 */
TEST(a_window)
{
	timed = true;
	options.from_ticks = 180;
	options.to_ticks = 260;
	SLICE(5, TWO_ROUNDS);
	fold();
	assert_int_equal(total("Ticks"), 80);
	assert_int_equal(total("Ir"), 8);
	want("Ticks", LEAF, 0, 30, 30);
	want("Ir", LEAF, 0, 3, 3);
	want("Ir", MAIN, 0, 5, 8);
}

/*
 * Edges between two times are where the time is spread to: the leaf has 50 of its ticks from 120 to
 * 180, main all behind it up to 225. Instructions are where their block began: at 180 and 220.
 */
TEST(a_window_between_times)
{
	timed = true;
	options.from_ticks = 130;
	options.to_ticks = 225;
	SLICE(5, TWO_ROUNDS);
	fold();
	assert_int_equal(total("Ticks"), 95);
	assert_int_equal(total("Ir"), 5);
	want("Ticks", LEAF, 0, 50, 50);
	want("Ticks", MAIN, 0, 45, 95);
	want("Ir", LEAF, 0, 0, 0);
	want("Ir", MAIN, 0, 5, 5);
}

/* Both edges inside of one block: the leaf's, from 120 to 180. */
TEST(a_window_inside_of_a_block)
{
	timed = true;
	options.from_ticks = 131;
	options.to_ticks = 137;
	SLICE(5, TWO_ROUNDS);
	fold();
	assert_int_equal(total("Ticks"), 6);
	assert_int_equal(total("Ir"), 0);
	want("Ticks", LEAF, 0, 6, 6);
	want("Ticks", MAIN, 0, 0, 6);
}

/*
 * Each thread has its own time: the second one runs before 225 again, and what it does behind its
 * last time is done at 220; the third one runs only behind 225, where the others have left the
 * window, too.
 */
TEST(a_window_of_threads)
{
	timed = true;
	options.from_ticks = 130;
	options.to_ticks = 225;
	SLICE(5, TWO_ROUNDS);
	SLICE(6, BEGIN_AT(MAIN, 140), RETURN, TSC(220), TIP(MAIN), PGD_BARE);
	SLICE(7, BEGIN_AT(MAIN, 240), RETURN, TSC(320), TIP(MAIN), PGD_BARE);
	fold();
	assert_int_equal(total("Ticks"), 95 + 80);
	assert_int_equal(total("Ir"), 5 + 12);
	want("Ticks", LEAF, 1, 50 + 60, 50 + 60);
	want("Ticks", MAIN, 0, 45 + 20, 95 + 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_window),
		CASE(a_window_between_times),
		CASE(a_window_inside_of_a_block),
		CASE(a_window_of_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
