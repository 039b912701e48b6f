/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frames of a flame graph: those that are drawn and those that are summed, held against sums
 * done by hand.
 */
#include "flame_helper.h"

#include "profile/model/unsized.h"

/* main 10, main>a 20, main>a>b 30, main>b 5 */
TEST(frames_and_rows)
{
	struct tl_profile *profile = small_profile(1000);
	struct tl_flame_options options = flame_data_options();
	char *text;

	options.name = "x<y";
	text = flame_text(profile, NULL, &options);
	assert_frames(text, 0,
		      "[[\"all;main\",1,10],[\"all;main;a\",2,20],[\"all;main;a;b\",3,30],"
		      "[\"all;main;b\",1,5]]\n");
	assert_jq(text, "[.name, .frequency, .total, .columns, .notes, .diff, .estimated]",
		  "[\"x<y\",1000,[65],[\"all\"],[],false,false]\n");
	/*
	 * Recursion counts once in `inclusive`; here: main 65, a 50, b 35 of its own and nothing
	 * else.
	 */
	assert_jq(text,
		  ". as $d | [.rows | .function as $f | .calls as $c | .self[0] as $s | "
		  ".inclusive[0] as $i | range($f | length) | "
		  "[$d.texts[$d.functions.name[$f[.]]], $c[.], $s[.], $i[.]]]",
		  "[[\"main\",1,10,65],[\"a\",2,20,50],[\"b\",4,35,35]]\n");
	/* "one JSON object, in which no '<' stands" */
	assert_lacks(text, "<");
	free(text);
	tl_profile_free(profile);
}

/*
 * "stacks with less than this share of every event are summed" in "(other)" of their caller, "so
 * that every total stays what it is"; calls are those the caller made. 20 % of 1000 is 200: b (with
 * c below it) and d have less.
 */
static struct tl_profile *wide_profile(void)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t part = add_part(profile, 1, 1, ""), f[5], top, b;
	static const char *const names[] = { "main", "a", "b", "c", "d" };

	for (int i = 0; i < 5; i++)
		f[i] = add_function(profile, "", "", names[i], 0);
	top = add_context(profile, TL_NONE, f[0], part, 1, 400);
	add_context(profile, top, f[1], part, 5, 301);
	b = add_context(profile, top, f[2], part, 7, 50);
	add_context(profile, b, f[3], part, 11, 149);
	add_context(profile, top, f[4], part, 13, 100);
	finish(profile);
	return profile;
}

TEST(small_stacks_are_summed)
{
	struct tl_profile *profile = wide_profile();
	struct tl_flame_options options = flame_data_options();
	char *text;

	options.threshold = 20;
	text = flame_text(profile, NULL, &options);
	assert_frames(text, 0,
		      "[[\"all;main\",1,400],[\"all;main;a\",5,301],[\"all;main;(other)\",20,"
		      "299]]\n");
	assert_jq(text, ".notes",
		  "[\"3 stacks below 20 % of the total are summed into their callers as "
		  "\\\"(other)\\\".\"]\n");
	assert_jq(text, "[.total[0], (.cells.self[0] | add)]", "[1000,1000]\n");
	/* The table leaves nothing out. */
	assert_jq(text, ".rows.function | length", "5\n");
	free(text);
	tl_profile_free(profile);
}

/* "frames drawn, the largest ones": main 1000, a 301, b with c 199 */
TEST(the_largest_frames_are_drawn)
{
	struct tl_profile *profile = wide_profile();
	struct tl_flame_options options = flame_data_options();
	char *text;

	options.most_frames = 3;
	text = flame_text(profile, NULL, &options);
	assert_frames(text, 0,
		      "[[\"all;main\",1,400],[\"all;main;a\",5,301],[\"all;main;b\",7,50],"
		      "[\"all;main;b;(other)\",11,149],[\"all;main;(other)\",13,100]]\n");
	assert_jq(text, ".notes[0]",
		  "\"2 stacks below 20 % of the total are summed into their callers as "
		  "\\\"(other)\\\".\"\n");
	free(text);
	tl_profile_free(profile);
}

/* The largest, wherever among their callers' callees they were found. */
TEST(the_largest_frames_are_drawn_in_any_order)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	static const int64_t costs[4][4] = {
		{ 1, 2, 40, 30 }, { 40, 1, 2, 30 }, { 2, 30, 40, 1 }, { 40, 30, 2, 1 }
	};
	static const char *const expected[] = {
		"[[\"all;m\",1,0],[\"all;m;c\",1,40],[\"all;m;d\",1,30],[\"all;m;(other)\",2,3]]\n",
		"[[\"all;m\",1,0],[\"all;m;a\",1,40],[\"all;m;d\",1,30],[\"all;m;(other)\",2,3]]\n",
		"[[\"all;m\",1,0],[\"all;m;b\",1,30],[\"all;m;c\",1,40],[\"all;m;(other)\",2,3]]\n",
		"[[\"all;m\",1,0],[\"all;m;a\",1,40],[\"all;m;b\",1,30],[\"all;m;(other)\",2,3]]\n",
	};

	for (size_t row = 0; row < 4; row++) {
		struct tl_profile *profile = new_profile(0, 1);
		uint32_t part = add_part(profile, 1, 1, "");
		uint32_t top = add_context(profile, TL_NONE, add_function(profile, "", "", "m", 0),
					   part, 1, 0);
		struct tl_flame_options options = flame_data_options();
		char *text;

		for (size_t i = 0; i < 4; i++)
			add_context(profile, top, add_function(profile, "", "", names[i], 0), part,
				    1, costs[row][i]);
		finish(profile);
		options.most_frames = 3;
		text = flame_text(profile, NULL, &options);
		assert_frames(text, 0, expected[row]);
		free(text);
		tl_profile_free(profile);
	}
}

/* "frames of a stack, what is deeper is summed" */
TEST(deep_stacks_are_cut)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t part = add_part(profile, 1, 1, ""), f = add_function(profile, "", "", "f", 0),
		 at = TL_NONE;
	struct tl_flame_options options = flame_data_options();
	char *text;

	for (int i = 0; i < 100000; i++)
		at = add_context(profile, at, f, part, 1, 2);
	finish(profile);
	options.most_depth = 2;
	text = flame_text(profile, NULL, &options);
	assert_frames(text, 0,
		      "[[\"all;f\",1,2],[\"all;f;f\",1,2],[\"all;f;f;(deeper than 2 "
		      "frames)\",99998,199996]]\n");
	assert_jq(text, ".notes",
		  "[\"Stacks are drawn 2 frames deep; 99,998 below that are summed.\"]\n");
	free(text);
	tl_profile_free(profile);
}

/* "Functions are the same when object, file and name are; of those left, when they have a name that
 * is there once ..." */
TEST(baseline_is_matched)
{
	struct tl_profile *after = small_profile(0), *before = new_profile(0, 1);
	uint32_t part = add_part(before, 1, 1, ""), gone = add_function(before, "", "", "gone", 0);
	uint32_t moved = add_function(before, "other", "moved.c", "a", 99);
	uint32_t same = add_function(before, "prog", "main.c", "main", 10);
	struct tl_flame_options options = flame_data_options();
	uint32_t top;
	char *text;

	top = add_context(before, TL_NONE, same, part, 1, 1);
	add_context(before, top, moved, part, 2, 4);
	add_context(before, top, gone, part, 3, 16);
	finish(before);
	text = flame_text(after, before, &options);
	assert_frames(text, 1,
		      "[[\"all;main\",1,1],[\"all;main;a\",2,4],[\"all;main;gone\",3,16]]\n");
	assert_frames(text, 0,
		      "[[\"all;main\",1,10],[\"all;main;a\",2,20],[\"all;main;a;b\",3,30],"
		      "[\"all;main;b\",1,5]]\n");
	assert_jq(text, "[.diff, .columns, .total, .baseline_total]",
		  "[true,[\"after\",\"before\"],[65],[21]]\n");
	free(text);
	tl_profile_free(after);
	tl_profile_free(before);
}

/*
 * "that of the same name where there is one on each side": here are two that x could be, so it is
 * neither.
 */
TEST(doubtful_names_are_not_matched)
{
	struct tl_profile *after = new_profile(0, 1), *before = new_profile(0, 1);
	uint32_t one = add_part(after, 1, 1, ""), two = add_part(before, 1, 1, "");
	struct tl_flame_options options = flame_data_options();
	char *text;

	add_context(after, TL_NONE, add_function(after, "", "new.c", "x", 0), one, 1, 8);
	finish(after);
	add_context(before, TL_NONE, add_function(before, "", "a.c", "x", 0), two, 1, 1);
	add_context(before, TL_NONE, add_function(before, "", "b.c", "x", 0), two, 1, 2);
	finish(before);
	text = flame_text(after, before, &options);
	assert_frames(text, 0, "[[\"all;x\",1,8]]\n");
	assert_frames(text, 1, "[[\"all;x\",1,1],[\"all;x\",1,2]]\n");
	assert_jq(text, ".frames.parent", "[0,0,0,0]\n");
	free(text);
	tl_profile_free(after);
	tl_profile_free(before);
}

/* "Ticks of another clock, as ticks of ours": 40 at 2 kHz are the 20 ms that 20 at 1 kHz are. */
TEST(clocks_are_converted)
{
	struct tl_profile *after = new_profile(1000, 1), *before = new_profile(2000, 1);
	uint32_t one = add_part(after, 1, 1, ""), two = add_part(before, 1, 1, "");
	struct tl_flame_options options = flame_data_options();
	char *text;

	add_context(after, TL_NONE, add_function(after, "", "", "f", 0), one, 1, 25);
	finish(after);
	add_context(before, TL_NONE, add_function(before, "", "", "f", 0), two, 1, 40);
	finish(before);
	text = flame_text(after, before, &options);
	assert_frames(text, 1, "[[\"all;f\",1,20]]\n");
	assert_jq(text, "[.total, .baseline_total, .rows.self[0]]", "[[25],[20],[25,20]]\n");
	free(text);
	tl_profile_free(after);
	tl_profile_free(before);
}

/* "each thread is a root of its own"; else threads are columns of the same frames */
TEST(threads_are_columns_or_roots)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t one = add_part(profile, 1, 7, ""), two = add_part(profile, 1, 8, "worker");
	uint32_t f = add_function(profile, "", "", "f", 0);
	struct tl_flame_options options = flame_data_options();
	char *text;

	add_context(profile, TL_NONE, f, one, 1, 100);
	add_context(profile, TL_NONE, f, two, 2, 3);
	finish(profile);
	text = flame_text(profile, NULL, &options);
	assert_jq(text, "[.columns, (.frames.parent | length)]",
		  "[[\"thread 7\",\"worker (8)\"],2]\n");
	assert_frames(text, 0, "[[\"all;f\",1,100]]\n");
	assert_frames(text, 1, "[[\"all;f\",2,3]]\n");
	assert_jq(text, "[.rows.column, .rows.self[0]]", "[[-1,0,1],[103,100,3]]\n");
	free(text);
	options.threads = true;
	text = flame_text(profile, NULL, &options);
	assert_frames(text, 0, "[[\"all;thread 7;f\",1,100]]\n");
	assert_frames(text, 1, "[[\"all;worker (8);f\",2,3]]\n");
	free(text);
	tl_profile_free(profile);
}

/* Of a profile of one thread its root would be all there is: it has none. */
TEST(one_thread_has_no_root)
{
	struct tl_profile *profile = new_profile(0, 1);
	const uint32_t part = add_part(profile, 1, 7, "");
	struct tl_flame_options options = flame_data_options();
	char *text;

	options.threads = true;
	add_context(profile, TL_NONE, add_function(profile, "", "", "f", 0), part, 1, 100);
	finish(profile);
	text = flame_text(profile, NULL, &options);
	assert_frames(text, 0, "[[\"all;f\",1,100]]\n");
	free(text);
	tl_profile_free(profile);
}

/* "Parts of one thread have the same title: then their numbers tell them apart." */
TEST(parts_of_a_thread_are_told_apart)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t f = add_function(profile, "", "", "f", 0);
	struct tl_flame_options options = flame_data_options();
	char *text;

	for (uint64_t number = 1; number <= 3; number++) {
		struct tl_part part = { .process = 1,
					.thread = number == 3 ? 8 : 7,
					.number = number,
					.command = "",
					.header = "" };

		assert_int_equal(tl_profile_put_part(profile, &part, NULL), number - 1);
		add_context(profile, TL_NONE, f, (uint32_t)number - 1, 1, 1);
	}
	finish(profile);
	text = flame_text(profile, NULL, &options);
	assert_jq(text, ".columns", "[\"thread 7, part 1\",\"thread 7, part 2\",\"thread 8\"]\n");
	free(text);
	tl_profile_free(profile);
}

/* "the last column may hold several parts": of 40 threads with costs 1 to 40, the 31 largest have
 * their own.
 */
TEST(many_threads_share_a_column)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t f = add_function(profile, "", "", "f", 0);
	struct tl_flame_options options = flame_data_options();
	char *text;

	for (uint32_t i = 1; i <= 40; i++)
		add_context(profile, TL_NONE, f, add_part(profile, 1, i, ""), 1, i);
	finish(profile);
	text = flame_text(profile, NULL, &options);
	/* 1 + ... + 9 = 45; 1 + ... + 40 = 820 */
	assert_jq(text,
		  "[(.columns | length), .columns[0], .columns[30], .columns[31], "
		  ".cells.self[0][0], (.cells.self[0] | add), .rows.self[0][0], .rows.self[0][-1]]",
		  "[32,\"thread 10\",\"thread 40\",\"all other threads\",45,820,820,45]\n");
	free(text);
	tl_profile_free(profile);
}

TEST(nothing_is_a_graph_too)
{
	struct tl_profile *profile = new_profile(0, 1);
	struct tl_flame_options options = flame_data_options();
	char *text;

	finish(profile);
	text = flame_text(profile, NULL, &options);
	assert_jq(text, "[.frames.parent, .total, .cells.frame, .rows.function]",
		  "[[0],[0],[],[]]\n");
	free(text);
	options.form = TL_FLAME_SVG;
	text = flame_text(profile, NULL, &options);
	assert_xml(text);
	free(text);
	tl_profile_free(profile);
}

/* "Some costs are below zero: they count in the totals, and have no width." */
TEST(costs_below_zero)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t part = add_part(profile, 1, 1, ""), top;
	struct tl_flame_options options = flame_data_options();
	char *text;

	top = add_context(profile, TL_NONE, add_function(profile, "", "", "f", 0), part, 1, -30);
	add_context(profile, top, add_function(profile, "", "", "g", 0), part, 1, 50);
	finish(profile);
	text = flame_text(profile, NULL, &options);
	assert_frames(text, 0, "[[\"all;f\",1,-30],[\"all;f;g\",1,50]]\n");
	assert_jq(text, "[.total, .notes]",
		  "[[20],[\"Some costs are below zero: they count in the totals, and have no "
		  "width.\"]]\n");
	free(text);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_and_rows),
		cmocka_unit_test(small_stacks_are_summed),
		cmocka_unit_test(the_largest_frames_are_drawn),
		cmocka_unit_test(the_largest_frames_are_drawn_in_any_order),
		cmocka_unit_test(deep_stacks_are_cut),
		cmocka_unit_test(baseline_is_matched),
		cmocka_unit_test(doubtful_names_are_not_matched),
		cmocka_unit_test(clocks_are_converted),
		cmocka_unit_test(threads_are_columns_or_roots),
		cmocka_unit_test(one_thread_has_no_root),
		cmocka_unit_test(parts_of_a_thread_are_told_apart),
		cmocka_unit_test(many_threads_share_a_column),
		cmocka_unit_test(nothing_is_a_graph_too),
		cmocka_unit_test(costs_below_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
