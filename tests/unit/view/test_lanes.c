/* SPDX-License-Identifier: Apache-2.0 */
/* The window of the timeline of a terminal: what keys do to it, counted by hand. */
#include "../unit.h"

#include "view/terminal/lanes.h"

/* A trace of 1,000 ticks, [0, 1000), on a screen of 80 columns. */
static struct tl_lanes window(uint64_t from, uint64_t to, int column)
{
	return (struct tl_lanes){
		.first = 0, .last = 999, .from = from, .to = to, .column = column, .columns = 80
	};
}

static void assert_shown(const struct tl_lanes *lanes, uint64_t from, uint64_t to)
{
	assert_int_equal(lanes->from, from);
	assert_int_equal(lanes->to, to);
}

/* "The tick at the cursor": columns have the same width. */
TEST(the_tick_at_the_cursor)
{
	static const struct {
		int column;
		uint64_t tick;
	} rows[] = { { 0, 100 }, { 1, 102 }, { 40, 200 }, { 79, 297 } };
	struct tl_lanes narrow = window(10, 13, 0), unseen = window(10, 13, 0);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct tl_lanes lanes = window(100, 300, rows[i].column);

		assert_int_equal(tl_lanes_now(&lanes), rows[i].tick);
	}
	/* A tick has 26 2/3 columns. */
	for (narrow.column = 0; narrow.column < 80; narrow.column++)
		assert_int_equal(tl_lanes_now(&narrow), 10 + 3 * narrow.column / 80);
	/* Before the first picture. */
	unseen.columns = 0;
	assert_int_equal(tl_lanes_now(&unseen), 10);
}

/* "Twice as fine, around the cursor": either side of it is halved, until two ticks are left. */
TEST(finer)
{
	static const struct {
		uint64_t from, to;
		int column;
		uint64_t new_from, new_to;
	} rows[] = {
		{ 100, 180, 0, 100, 140 },  { 100, 180, 40, 120, 160 }, { 100, 180, 60, 130, 170 },
		{ 100, 105, 40, 101, 104 }, { 100, 104, 0, 100, 102 },  { 100, 103, 0, 100, 102 },
		{ 100, 103, 40, 101, 102 }, { 100, 102, 0, 100, 102 },  { 100, 102, 40, 100, 102 },
		{ 100, 101, 0, 100, 101 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tl_lanes lanes = window(rows[i].from, rows[i].to, rows[i].column);

		tl_lanes_zoom(&lanes, true);
		assert_shown(&lanes, rows[i].new_from, rows[i].new_to);
	}
}

/* "Twice as coarse": either side is doubled, but does not leave the trace. */
TEST(coarser)
{
	static const struct {
		uint64_t from, to;
		int column;
		uint64_t new_from, new_to;
	} rows[] = {
		{ 400, 480, 0, 400, 560 },   { 400, 480, 20, 380, 540 },
		{ 400, 480, 60, 340, 500 },  { 19, 99, 20, 0, 159 },
		{ 20, 100, 20, 0, 160 },     { 21, 101, 20, 1, 161 },
		{ 859, 939, 20, 839, 999 },  { 860, 940, 20, 840, 1000 },
		{ 861, 941, 20, 841, 1000 }, { 0, 1000, 40, 0, 1000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tl_lanes lanes = window(rows[i].from, rows[i].to, rows[i].column);

		tl_lanes_zoom(&lanes, false);
		assert_shown(&lanes, rows[i].new_from, rows[i].new_to);
	}
}

/* "By eighths of the width", and a tick, so that a window of few ticks moves, too. */
TEST(to_other_times)
{
	static const struct {
		uint64_t from, to;
		int eighths;
		uint64_t new_from;
	} rows[] = {
		{ 400, 480, 1, 411 }, { 400, 480, -1, 389 }, { 400, 480, 4, 444 },
		{ 400, 403, 1, 401 }, { 400, 403, -3, 397 }, { 400, 480, 0, 400 },
		{ 5, 85, -1, 0 },     { 11, 91, -1, 0 },     { 12, 92, -1, 1 },
		{ 915, 995, 1, 920 }, { 909, 989, 1, 920 },  { 908, 988, 1, 919 },
		{ 0, 1000, 8, 0 },    { 0, 1000, -8, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tl_lanes lanes = window(rows[i].from, rows[i].to, 40);

		tl_lanes_pan(&lanes, rows[i].eighths);
		assert_shown(&lanes, rows[i].new_from,
			     rows[i].new_from + rows[i].to - rows[i].from);
	}
}

/* "What is between two ticks, within the trace": a tick at least. */
TEST(within_the_trace)
{
	static const struct {
		uint64_t from, to, shown_from, shown_to;
	} rows[] = {
		{ 150, 250, 150, 250 }, { 0, 250, 100, 250 },   { 150, 5000, 150, 300 },
		{ 150, 150, 150, 151 }, { 150, 140, 150, 151 }, { 0, UINT64_MAX, 100, 300 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tl_lanes lanes = { .first = 100, .last = 299 };

		tl_lanes_show(&lanes, rows[i].from, rows[i].to);
		assert_shown(&lanes, rows[i].shown_from, rows[i].shown_to);
	}
}

TEST(since_the_origin)
{
	const struct tl_lanes lanes = { .info = { .origin = 1000 } };

	assert_int_equal(tl_lanes_since_origin(&lanes, 1001), 1);
	assert_int_equal(tl_lanes_since_origin(&lanes, 1000), 0);
	assert_int_equal(tl_lanes_since_origin(&lanes, 999), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_tick_at_the_cursor),
		cmocka_unit_test(finer),
		cmocka_unit_test(coarser),
		cmocka_unit_test(to_other_times),
		cmocka_unit_test(within_the_trace),
		cmocka_unit_test(since_the_origin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
