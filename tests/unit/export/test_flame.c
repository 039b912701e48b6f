/* SPDX-License-Identifier: Apache-2.0 */
/* Flame graphs: which frames there are and which are summed, held against sums done by hand. */
#include "helper.h"

#include <stdio.h>

#include "profile/model/unsized.h"

static struct tl_flame_options data_options(void)
{
	return (struct tl_flame_options){ .size = sizeof(struct tl_flame_options),
					  .form = TL_FLAME_DATA,
					  .threshold = -1 };
}

static void assert_jq(const char *text, const char *filter, const char *expected)
{
	char command[1536], *seen;

	need_program("jq");
	snprintf(command, sizeof(command), "jq -c '%s'", filter);
	seen = pipe_through(command, text, strlen(text));
	assert_string_equal(seen, expected);
	free(seen);
}

/* Each frame as [path, calls, self] of a column, in the order of the file. */
static void assert_frames(const char *text, int column, const char *expected)
{
	static const char filter[] =
		". as $d | def path(f): (if f == 0 then \"\" else path($d.frames.parent[f]) + "
		"\";\" end) + $d.texts[$d.functions.name[$d.frames.function[f]]]; "
		"[range($d.cells.frame | length) | select($d.cells.column[.] == %d) | "
		"[$d.cells.frame[.], path($d.cells.frame[.]), $d.cells.calls[.], "
		"$d.cells.self[0][.]]] | sort | map(.[1:])";
	char text_filter[1024];

	snprintf(text_filter, sizeof(text_filter), filter, column);
	assert_jq(text, text_filter, expected);
}

/* main 10, main>a 20, main>a>b 30, main>b 5 */
TEST(frames_and_rows)
{
	struct tl_profile *profile = small_profile(1000);
	struct tl_flame_options options = data_options();
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
	struct tl_flame_options options = data_options();
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
	struct tl_flame_options options = data_options();
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

/* "frames of a stack, what is deeper is summed" */
TEST(deep_stacks_are_cut)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t part = add_part(profile, 1, 1, ""), f = add_function(profile, "", "", "f", 0),
		 at = TL_NONE;
	struct tl_flame_options options = data_options();
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
	struct tl_flame_options options = data_options();
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
	struct tl_flame_options options = data_options();
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
	struct tl_flame_options options = data_options();
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
	struct tl_flame_options options = data_options();
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

/* "Parts of one thread have the same title: then their numbers tell them apart." */
TEST(parts_of_a_thread_are_told_apart)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t f = add_function(profile, "", "", "f", 0);
	struct tl_flame_options options = data_options();
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
	struct tl_flame_options options = data_options();
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

static struct tl_position nowhere(void)
{
	return (struct tl_position){ .file = "" };
}

static void add_sums(struct tl_profile *profile, uint32_t function, int64_t self)
{
	add_line(profile, function, TL_NONE, nowhere(), self);
}

static void add_call(struct tl_profile *profile, uint32_t caller, uint32_t callee, uint64_t calls,
		     int64_t cost)
{
	add_arc(profile,
		(struct tl_arc){ .caller = caller,
				 .callee = callee,
				 .part = TL_NONE,
				 .from = nowhere(),
				 .to = nowhere(),
				 .calls = calls },
		cost);
}

/*
 * "what a function was given is divided between its own cost and its calls as they are divided in
 * the profile as a whole": c has 60, of which 40 were for a (which cost 60 in all) and 20 for b.
 * c's calls of itself are no path.
 */
TEST(paths_are_estimated)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t m = add_function(profile, "", "", "main", 0),
		 a = add_function(profile, "", "", "a", 0);
	uint32_t b = add_function(profile, "", "", "b", 0),
		 c = add_function(profile, "", "", "c", 0);
	struct tl_flame_options options = data_options();
	char *text;

	add_sums(profile, m, 10);
	add_sums(profile, a, 20);
	add_sums(profile, b, 10);
	add_sums(profile, c, 60);
	add_call(profile, m, a, 1, 60);
	add_call(profile, m, b, 1, 30);
	add_call(profile, a, c, 4, 40);
	add_call(profile, b, c, 2, 20);
	add_call(profile, c, c, 100, 50);
	finish(profile);
	text = flame_text(profile, NULL, &options);
	assert_frames(text, 0,
		      "[[\"all;main\",0,10],[\"all;main;a\",1,20],[\"all;main;a;c\",4,40],"
		      "[\"all;main;b\",1,10],[\"all;main;b;c\",2,20]]\n");
	assert_jq(text, "[.estimated, (.notes[0] | test(\"estimated\"))]", "[true,true]\n");
	free(text);
	/* "what is too small": 25 % leaves b's c (20) and what b itself costs with it: b has 30. */
	options.threshold = 25;
	text = flame_text(profile, NULL, &options);
	assert_frames(text, 0,
		      "[[\"all;main\",0,10],[\"all;main;a\",1,20],[\"all;main;a;c\",4,40],"
		      "[\"all;main;b\",1,10],[\"all;main;b;(other)\",0,20]]\n");
	free(text);
	tl_profile_free(profile);
}

/* "every line and arc is of one part ... then each part has paths of its own" */
TEST(parts_of_sums_have_their_paths)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t m = add_function(profile, "", "", "main", 0),
		 a = add_function(profile, "", "", "a", 0);
	struct tl_flame_options options = data_options();
	char *text;

	for (uint32_t part = 0; part < 2; part++) {
		add_part(profile, TL_NOWHERE, part + 1, "");
		add_line(profile, m, part, nowhere(), 10 + part);
		add_line(profile, a, part, nowhere(), part ? 3 : 50);
		add_arc(profile,
			(struct tl_arc){ .caller = m,
					 .callee = a,
					 .part = part,
					 .calls = 2,
					 .from = nowhere(),
					 .to = nowhere() },
			part ? 3 : 50);
	}
	finish(profile);
	text = flame_text(profile, NULL, &options);
	assert_frames(text, 0, "[[\"all;main\",0,10],[\"all;main;a\",2,50]]\n");
	assert_frames(text, 1, "[[\"all;main\",0,11],[\"all;main;a\",2,3]]\n");
	assert_jq(text, "[.columns, .estimated, .total]",
		  "[[\"thread 1\",\"thread 2\"],true,[74]]\n");
	free(text);
	tl_profile_free(profile);
}

/* "Where all is one cycle there is no root": x (30) and y (70) call each other; nothing is lost,
 * nothing endless. */
TEST(a_cycle_has_an_estimate)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t x = add_function(profile, "", "", "x", 0),
		 y = add_function(profile, "", "", "y", 0);
	struct tl_flame_options options = data_options();
	char *text;

	add_sums(profile, x, 30);
	add_sums(profile, y, 70);
	add_call(profile, x, y, 5, 100);
	add_call(profile, y, x, 5, 130);
	finish(profile);
	text = flame_text(profile, NULL, &options);
	assert_jq(text, "[.total[0], (.cells.self[0] | add), (.frames.parent | length) < 6]",
		  "[100,100,true]\n");
	free(text);
	tl_profile_free(profile);
}

/* Knuth's MMIX generator */
static uint32_t next_random(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*seed >> 33) % below);
}

/*
 * "so that the parts always make up what was given": whatever the arcs say, costs add up to the
 * total.
 */
TEST(estimates_add_up)
{
	struct tl_flame_options options = data_options();
	uint64_t seed = 7;

	options.most_frames = 100;
	for (int round = 0; round < 8; round++) {
		struct tl_profile *profile = new_profile(0, 1);
		int64_t total = 0;
		char expected[64], *text;

		for (uint32_t i = 0; i < 30; i++) {
			char name[8];
			int64_t cost = next_random(&seed, 1000000);

			snprintf(name, sizeof(name), "f%u", (unsigned)i);
			add_sums(profile, add_function(profile, "", "", name, 0), cost);
			total += cost;
		}
		for (uint32_t i = 0; i < 90; i++) {
			uint32_t caller = next_random(&seed, 30), callee = next_random(&seed, 30);

			add_call(profile, caller, callee, 1 + i, next_random(&seed, 3000000));
		}
		finish(profile);
		text = flame_text(profile, NULL, &options);
		snprintf(expected, sizeof(expected), "[%lld,%lld,true]\n", (long long)total,
			 (long long)total);
		assert_jq(
			text,
			"[.total[0], (.cells.self[0] | add), ([.cells.self[0][] < 0] | any | not)]",
			expected);
		free(text);
		tl_profile_free(profile);
	}
}

/* Costs near the end of the range neither overflow nor get lost on the way. */
TEST(huge_costs_are_estimated)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t m = add_function(profile, "", "", "main", 0),
		 a = add_function(profile, "", "", "a", 0);
	struct tl_flame_options options = data_options();
	char *text;

	add_sums(profile, m, INT64_MAX / 2);
	add_sums(profile, a, INT64_MAX / 2);
	add_call(profile, m, a, 1, INT64_MAX);
	add_call(profile, a, m, 1, INT64_MAX);
	finish(profile);
	text = flame_text(profile, NULL, &options);
	assert_contains(text, "\"total\":[9223372036854775806]");
	free(text);
	options.form = TL_FLAME_SVG;
	free(flame_text(profile, NULL, &options));
	tl_profile_free(profile);
}

/* ---- edges ---- */

TEST(nothing_is_a_graph_too)
{
	struct tl_profile *profile = new_profile(0, 1);
	struct tl_flame_options options = data_options();
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
	struct tl_flame_options options = data_options();
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

static void assert_refused(const struct tl_profile *profile, const struct tl_flame_options *options,
			   int status)
{
	struct tl_output *out;
	struct tl_error err;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_flame_write(profile, NULL, options, out, &err), status);
	assert_int_equal(err.status, status);
	assert_true(err.offset == TL_NOWHERE);
	tl_output_discard(out);
}

/* "0, TL_BAD_USAGE (no such event), TL_UNSUPPORTED (no page in this build)"; none is at a byte */
TEST(what_is_refused)
{
	struct tl_profile *profile = small_profile(0);
	struct tl_flame_options options = data_options();
	const uint32_t event = 1;

	options.events = &event;
	options.event_count = 1;
	assert_refused(profile, &options, TL_BAD_USAGE);
	options.event_count = 0;
	assert_refused(profile, &options, TL_BAD_USAGE);
	options = data_options();
	options.form = TL_FLAME_DATA + 1;
	assert_refused(profile, &options, TL_BAD_USAGE);
	options.form = TL_FLAME_PAGE;
	if (!tl_flame_has_page())
		assert_refused(profile, &options, TL_UNSUPPORTED);
	tl_profile_free(profile);
}

/* The page holds the same data; title and data are where they belong, and nothing can end the
 * data's element early. */
TEST(page_holds_the_data)
{
	struct tl_flame_options options = data_options();
	struct tl_profile *profile;
	uint32_t part;
	char *data, *page;

	if (!tl_flame_has_page()) {
		print_message("skipped: built without the page\n");
		skip();
	}
	profile = new_profile(0, 1);
	part = add_part(profile, 1, 1, "");
	add_context(profile, TL_NONE, add_function(profile, "", "", "</script><!--", 0), part, 1,
		    1);
	finish(profile);
	options.name = "</title>";
	data = flame_text(profile, NULL, &options);
	options.form = TL_FLAME_PAGE;
	page = flame_text(profile, NULL, &options);
	assert_contains(page, data);
	assert_contains(page, "<title>&lt;/title&gt; \xe2\x80\x93 flame graph</title>");
	assert_lacks(page, "</script><!--");
	/* The licences of the parts come along. */
	assert_contains(page, "Apache License");
	assert_contains(page, "Mike Bostock");
	free(data);
	free(page);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_and_rows),
		cmocka_unit_test(small_stacks_are_summed),
		cmocka_unit_test(the_largest_frames_are_drawn),
		cmocka_unit_test(deep_stacks_are_cut),
		cmocka_unit_test(baseline_is_matched),
		cmocka_unit_test(doubtful_names_are_not_matched),
		cmocka_unit_test(clocks_are_converted),
		cmocka_unit_test(threads_are_columns_or_roots),
		cmocka_unit_test(parts_of_a_thread_are_told_apart),
		cmocka_unit_test(many_threads_share_a_column),
		cmocka_unit_test(paths_are_estimated),
		cmocka_unit_test(parts_of_sums_have_their_paths),
		cmocka_unit_test(a_cycle_has_an_estimate),
		cmocka_unit_test(estimates_add_up),
		cmocka_unit_test(huge_costs_are_estimated),
		cmocka_unit_test(nothing_is_a_graph_too),
		cmocka_unit_test(costs_below_zero),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(page_holds_the_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
