/* SPDX-License-Identifier: Apache-2.0 */
/* Call paths estimated from callers and callees, held against sums done by hand. */
#include "flame_helper.h"

#include <stdio.h>

#include "profile/model/unsized.h"

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
	struct tl_flame_options options = flame_data_options();
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
	/* A path of just so much is not too small: b has 30 of 100, c of a has 40. */
	options.threshold = 30;
	text = flame_text(profile, NULL, &options);
	assert_frames(text, 0,
		      "[[\"all;main\",0,10],[\"all;main;a\",1,20],[\"all;main;a;c\",4,40],"
		      "[\"all;main;b\",1,10],[\"all;main;b;(other)\",0,20]]\n");
	free(text);
	tl_profile_free(profile);
}

/*
 * "Costs below zero cannot be divided among paths: a sum below zero counts as zero": the total is
 * 40; main has -10 + 50 of it, all for a, whose one call has 40 of 50 and stays one.
 */
TEST(sums_below_zero_have_no_share)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t m = add_function(profile, "", "", "main", 0),
		 a = add_function(profile, "", "", "a", 0);
	struct tl_flame_options options = flame_data_options();
	char *text;

	add_sums(profile, m, -10);
	add_sums(profile, a, 50);
	add_call(profile, m, a, 1, 50);
	finish(profile);
	text = flame_text(profile, NULL, &options);
	assert_frames(text, 0, "[[\"all;main\",0,0],[\"all;main;a\",1,40]]\n");
	free(text);
	tl_profile_free(profile);
}

/* "every line and arc is of one part ... then each part has paths of its own" */
TEST(parts_of_sums_have_their_paths)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t m = add_function(profile, "", "", "main", 0),
		 a = add_function(profile, "", "", "a", 0);
	struct tl_flame_options options = flame_data_options();
	char *text;

	for (uint32_t part = 0; part < 2; part++) {
		add_part(profile, TL_NOWHERE, part + 1, "");
		add_line(profile, m, part, no_position(), 10 + part);
		add_line(profile, a, part, no_position(), part ? 3 : 50);
		add_arc(profile,
			(struct tl_arc){ .caller = m,
					 .callee = a,
					 .part = part,
					 .calls = 2,
					 .from = no_position(),
					 .to = no_position() },
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
	struct tl_flame_options options = flame_data_options();
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
	struct tl_flame_options options = flame_data_options();
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
	struct tl_flame_options options = flame_data_options();
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_estimated),
		cmocka_unit_test(sums_below_zero_have_no_share),
		cmocka_unit_test(parts_of_sums_have_their_paths),
		cmocka_unit_test(a_cycle_has_an_estimate),
		cmocka_unit_test(estimates_add_up),
		cmocka_unit_test(huge_costs_are_estimated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
