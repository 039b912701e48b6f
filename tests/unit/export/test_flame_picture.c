/* SPDX-License-Identifier: Apache-2.0 */
/* Flame graphs as pictures: places by hand, well-formed by XML's own tools. */
#include "flame_helper.h"

#include <stdio.h>

/*
 * 1320 pixels and 10 on either side are 20 pixels a tick: main 65 from 10 to 1310, a 50 to 1010,
 * its b 30 to 610, the other b 5 from 1010 on. Rows are 18 high, the first at 58; a flame has its
 * root in the last of four.
 */
TEST(picture_has_frames_in_their_places)
{
	struct tl_profile *profile = small_profile(1000);
	struct tl_flame_options options = flame_svg_options();
	char *text, *again;

	options.width = 1320;
	options.name = "small & <quick>";
	text = flame_text(profile, NULL, &options);
	assert_xml(text);
	assert_contains(text, "<rect x=\"10.00\" y=\"112\" width=\"1300.00\" height=\"17\"");
	assert_contains(text,
			"<title>a\ntotal 50 ms, 76.92 %\nself 20 ms, 30.77 %\n2 "
			"calls\na.c:20\nprog</title><rect x=\"10.00\" y=\"76\" width=\"1000.00\" "
			"height=\"17\"");
	assert_contains(text, "<rect x=\"10.00\" y=\"58\" width=\"600.00\" height=\"17\"");
	assert_contains(text, "<rect x=\"1010.00\" y=\"76\" width=\"100.00\" height=\"17\"");
	assert_contains(text, ">small &amp; &lt;quick&gt;</text>");
	assert_lacks(text, "<script");
	again = flame_text(profile, NULL, &options);
	assert_string_equal(text, again);
	free(again);
	free(text);
	options.icicle = true;
	text = flame_text(profile, NULL, &options);
	assert_contains(text, "<rect x=\"10.00\" y=\"58\" width=\"1300.00\" height=\"17\"");
	assert_contains(text, "<rect x=\"10.00\" y=\"112\" width=\"600.00\" height=\"17\"");
	free(text);
	tl_profile_free(profile);
}

/*
 * "a picture of so many pixels": notes have letters of 6.6 pixels, so that one of the longest that
 * fit between two margins of 10 ends in "..", and no letter more would fit.
 */
TEST(notes_fit_the_picture)
{
	static const char whole[] = "1 stack below 20 % of the total is summed into its caller as "
				    "&quot;(other)&quot;.</text>";
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t part = add_part(profile, 1, 1, ""), top;

	top = add_context(profile, TL_NONE, add_function(profile, "", "", "main", 0), part, 1, 90);
	add_context(profile, top, add_function(profile, "", "", "a", 0), part, 1, 10);
	finish(profile);
	for (uint32_t width = 300; width <= 900; width += 100) {
		const size_t room = (width - 20) * 10 / 66, letters = 71;
		struct tl_flame_options options = flame_svg_options();
		char *text, cut[128];

		options.width = width;
		options.threshold = 20;
		text = flame_text(profile, NULL, &options);
		if (letters <= room) {
			assert_contains(text, whole);
		} else {
			snprintf(cut, sizeof(cut), ">%.*s..</text>", (int)room - 2, whole);
			assert_contains(text, cut);
		}
		free(text);
	}
	tl_profile_free(profile);
}

/* "events: which events, in this order ... A picture shows the first" */
TEST(picture_of_a_chosen_event)
{
	struct tl_profile *profile = new_profile(1000, 2);
	uint32_t part = add_part(profile, 1, 1, ""),
		 context = add_context(profile, TL_NONE, add_function(profile, "", "", "f", 0),
				       part, 1, 7);
	struct tl_flame_options options = flame_svg_options();
	const uint32_t events[] = { 1, 0 };
	char *text;

	tl_profile_add_context_cost(profile, context, 0, (int64_t[]){ 0, 4096 });
	finish(profile);
	options.events = events;
	options.event_count = 2;
	text = flame_text(profile, NULL, &options);
	assert_contains(text, ">Bytes 4096 bytes</text>");
	assert_contains(text, "<title>f\ntotal 4096 bytes, 100.00 %\nself 4096 bytes, 100.00 %");
	free(text);
	tl_profile_free(profile);
}

/* "As many letters as fit; ".." stands for the rest": 100 pixels less 8 hold 12 letters of 7.2, as
 * letters of UTF-8. */
TEST(names_are_cut_to_fit)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t part = add_part(profile, 1, 1, "");
	struct tl_flame_options options = flame_svg_options();
	char *text;

	add_context(profile, TL_NONE, add_function(profile, "", "", "exactly12let", 0), part, 1,
		    100);
	add_context(profile, TL_NONE, add_function(profile, "", "", "these are 13!", 0), part, 1,
		    100);
	add_context(profile, TL_NONE,
		    add_function(profile, "", "",
				 "\xc3\xa4\xc3\xb6\xc3\xbc"
				 "456789abcdef",
				 0),
		    part, 1, 100);
	add_context(profile, TL_NONE, add_function(profile, "", "", "tiny", 0), part, 1, 31);
	finish(profile);
	options.width = 351;
	text = flame_text(profile, NULL, &options);
	assert_xml(text);
	assert_contains(text, ">exactly12let</text>");
	assert_contains(text, ">these are ..</text>");
	assert_contains(text, ">\xc3\xa4\xc3\xb6\xc3\xbc"
			      "456789a..</text>");
	assert_lacks(text, ">tiny</text>");
	free(text);
	tl_profile_free(profile);
}

/* XML 1.0, 2.2: no control characters; what is not UTF-8 is U+FFFD. */
TEST(odd_names_are_xml)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t part = add_part(profile, 1, 1, "");
	struct tl_flame_options options = flame_svg_options();
	char *text;

	add_context(profile, TL_NONE,
		    add_function(profile, "<o>", "]]>", "\x01\x1f\xff<a href=\"x\">&amp;</a>", 1),
		    part, 1, 1);
	finish(profile);
	text = flame_text(profile, NULL, &options);
	assert_xml(text);
	assert_contains(text,
			"<title>  \xef\xbf\xbd&lt;a href=&quot;x&quot;&gt;&amp;amp;&lt;/a&gt;\n");
	free(text);
	tl_profile_free(profile);
}

static const char *fill_of(const char *text, const char *title)
{
	const char *frame = strstr(text, title);

	assert_non_null(frame);
	frame = strstr(frame, "fill=\"#");
	assert_non_null(frame);
	return frame + 7;
}

/*
 * "their colours say how their cost changed": red is more than blue where it grew, less where it
 * shrank
 */
TEST(picture_of_a_difference)
{
	struct tl_profile *after = small_profile(0), *before = new_profile(0, 1);
	uint32_t part = add_part(before, 1, 1, ""),
		 m = add_function(before, "prog", "main.c", "main", 10);
	uint32_t a = add_function(before, "prog", "a.c", "a", 20),
		 b = add_function(before, "lib.so", "b.c", "b", 30), top;
	struct tl_flame_options options = flame_svg_options();
	unsigned red, green, blue;
	char *text;

	top = add_context(before, TL_NONE, m, part, 1, 10);
	add_context(before, top, a, part, 1, 10);
	add_context(before, top, b, part, 1, 45);
	finish(before);
	text = flame_text(after, before, &options);
	assert_xml(text);
	assert_int_equal(sscanf(fill_of(text, "<title>a\n"), "%2x%2x%2x", &red, &green, &blue), 3);
	assert_true(red > blue + 20);
	/* the b beside a, the last one: 45 became 5 */
	assert_int_equal(
		sscanf(fill_of(text, "<title>b\ntotal 5 "), "%2x%2x%2x", &red, &green, &blue), 3);
	assert_true(blue > red + 20);
	/* 65 before and after: all is as it was */
	assert_int_equal(sscanf(fill_of(text, "<title>main\n"), "%2x%2x%2x", &red, &green, &blue),
			 3);
	assert_true(red + 20 > blue && blue + 20 > red);
	free(text);
	tl_profile_free(after);
	tl_profile_free(before);
}

/* A change of the whole total has the full color, no change has none: #e6613c and #d6d8de. */
TEST(full_colors_of_a_difference)
{
	struct tl_profile *after = new_profile(0, 1), *before = new_profile(0, 1);
	uint32_t part = add_part(after, 1, 1, ""), old = add_part(before, 1, 1, "");
	struct tl_flame_options options = flame_svg_options();
	char *text;

	add_context(after, TL_NONE, add_function(after, "", "", "f", 0), part, 1, 100);
	add_context(before, TL_NONE, add_function(before, "", "", "f", 0), old, 1, 0);
	finish(after);
	finish(before);
	text = flame_text(after, before, &options);
	assert_memory_equal(fill_of(text, "<title>f\n"), "e6613c", 6);
	free(text);
	text = flame_text(after, after, &options);
	assert_memory_equal(fill_of(text, "<title>f\n"), "d6d8de", 6);
	free(text);
	tl_profile_free(after);
	tl_profile_free(before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(picture_has_frames_in_their_places),
		cmocka_unit_test(notes_fit_the_picture),
		cmocka_unit_test(picture_of_a_chosen_event),
		cmocka_unit_test(names_are_cut_to_fit),
		cmocka_unit_test(odd_names_are_xml),
		cmocka_unit_test(picture_of_a_difference),
		cmocka_unit_test(full_colors_of_a_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
