/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "helper.h"

/* "a line per call path, with the path's self cost, sorted by the bytes of the path" */
TEST(lines_are_paths_with_self_cost)
{
	struct tl_profile *profile = small_profile(0);
	char *text = export_text("folded", profile);

	assert_string_equal(text, "main 10\n"
				  "main;a 20\n"
				  "main;a;b 30\n"
				  "main;b 5\n");
	free(text);
	tl_profile_free(profile);
}

/*
 * "Paths that read the same are one line, whichever part, file or object their functions are of."
 */
TEST(parts_and_files_are_summed)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t one = add_part(profile, 1, 7, ""), two = add_part(profile, 1, 8, "worker");
	uint32_t f = add_function(profile, "", "x.c", "f", 0),
		 g = add_function(profile, "", "y.c", "f", 0);
	struct tl_export_options threads = { .size = sizeof(threads), .threads = true };
	size_t size;
	char *text;

	add_context(profile, TL_NONE, f, one, 1, 100);
	add_context(profile, TL_NONE, g, one, 1, 20);
	add_context(profile, TL_NONE, f, two, 1, 3);
	finish(profile);
	text = export_text("folded", profile);
	assert_string_equal(text, "f 123\n");
	free(text);
	/* "options.threads: the root frame is the thread `command (tid)` or `thread TID`" */
	text = export_with("folded", profile, &threads, &size);
	assert_string_equal(text, "thread 7;f 120\nworker (8);f 3\n");
	free(text);
	tl_profile_free(profile);
}

/*
 * "';' and the end of a line would break the format inside a name; they become ':' and ' '." Bytes
 * sort unsigned.
 */
TEST(names_are_made_safe_and_sorted_by_bytes)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t part = add_part(profile, 1, 1, "");
	uint32_t a = add_function(profile, "", "", "a", 0),
		 bang = add_function(profile, "", "", "a!", 0);
	uint32_t odd = add_function(profile, "", "", "x;y\nz \"\\\t\xff", 0),
		 none = add_function(profile, "", "", "", 0);
	uint32_t top = add_context(profile, TL_NONE, a, part, 1, 1);
	char *text;

	add_context(profile, top, odd, part, 1, 2);
	add_context(profile, TL_NONE, bang, part, 1, 3);
	add_context(profile, TL_NONE, none, part, 1, 4);
	finish(profile);
	text = export_text("folded", profile);
	/* '!' (0x21) is less than ';' (0x3b) */
	assert_string_equal(text, "\?\?\? 4\na 1\na! 3\na;x:y z \"\\ \\xff 2\n");
	free(text);
	tl_profile_free(profile);
}

/* A chain of functions "0", "1", ... with costs 1, 2, ...; each calls the next one. */
static struct tl_profile *chain(uint32_t depth)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t part = add_part(profile, 1, 1, ""), at = TL_NONE;

	for (uint32_t i = 0; i < depth; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%u", (unsigned)i);
		at = add_context(profile, at, add_function(profile, "", "", name, 0), part, 1,
				 (int64_t)i + 1);
	}
	finish(profile);
	return profile;
}

/* "frames of a stack at most, what is deeper is summed in one frame more" */
TEST(stacks_are_as_deep_as_asked_for)
{
	struct tl_profile *profile = chain(5);
	uint64_t too_deep = 7;
	struct tl_export_options options = { .size = sizeof(options),
					     .most_depth = 2,
					     .too_deep = &too_deep };
	size_t size;
	char *text = export_with("folded", profile, &options, &size);

	assert_string_equal(text, "0 1\n0;1 2\n0;1;(deeper than 2 frames) 12\n");
	assert_int_equal(too_deep, 3);
	free(text);
	/* "set to the number of call paths that were too deep, if there are some" */
	options.most_depth = 5;
	too_deep = 0;
	text = export_with("folded", profile, &options, &size);
	assert_non_null(strstr(text, "0;1;2;3;4 5\n"));
	assert_int_equal(too_deep, 0);
	free(text);
	tl_profile_free(profile);
}

/* "0: 1000" */
TEST(a_thousand_frames_unless_told)
{
	static const char *const formats[] = { "folded", "speedscope" };
	struct tl_profile *profiles[] = { chain(1000), chain(1001) };

	for (size_t i = 0; i < 4; i++) {
		char *text = export_text(formats[i / 2], profiles[i % 2]);

		assert_int_equal(strstr(text, "deeper than 1000") != NULL, i % 2);
		free(text);
	}
	tl_profile_free(profiles[0]);
	tl_profile_free(profiles[1]);
}

/* "self > 0": nothing for zero and for costs below it */
TEST(only_positive_costs)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t part = add_part(profile, 1, 1, ""), f = add_function(profile, "", "", "f", 0);
	uint32_t g = add_function(profile, "", "", "g", 0),
		 h = add_function(profile, "", "", "h", 0);
	uint32_t top = add_context(profile, TL_NONE, f, part, 1, -5);
	char *text;

	add_context(profile, top, g, part, 1, 0);
	add_context(profile, top, h, part, 1, INT64_MAX);
	finish(profile);
	text = export_text("folded", profile);
	assert_string_equal(text, "f;h 9223372036854775807\n");
	free(text);
	tl_profile_free(profile);
}

/* Sums that do not fit stay at the end of the range. */
TEST(sums_saturate)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t one = add_part(profile, 1, 1, ""), two = add_part(profile, 1, 2, "");
	uint32_t f = add_function(profile, "", "", "f", 0);
	char *text;

	add_context(profile, TL_NONE, f, one, 1, INT64_MAX);
	add_context(profile, TL_NONE, f, two, 1, INT64_MAX);
	finish(profile);
	text = export_text("folded", profile);
	assert_string_equal(text, "f 9223372036854775807\n");
	free(text);
	tl_profile_free(profile);
}

/*
 * A chain is walked without recursion, and its path is written once: 100000 frames of "f;" and the
 * end.
 */
TEST(deep_chain)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t part = add_part(profile, 1, 1, ""), f = add_function(profile, "", "", "f", 0),
		 at = TL_NONE;
	struct tl_export_options whole = { .size = sizeof(whole), .most_depth = UINT32_MAX };
	size_t size;
	char *text;

	for (int i = 1; i <= 100000; i++)
		at = add_context(profile, at, f, part, 1, i == 100000 ? 42 : 0);
	finish(profile);
	text = export_with("folded", profile, &whole, &size);
	assert_int_equal(strlen(text), 99999 * 2 + 1 + 4);
	assert_memory_equal(text, "f;f;f;", 6);
	assert_string_equal(text + strlen(text) - 7, "f;f 42\n");
	free(text);
	tl_profile_free(profile);
}

/* Without call stacks each function is a stack of one frame. */
TEST(lines_without_contexts)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t part = add_part(profile, 1, 1, ""), f = add_function(profile, "", "f.c", "f", 0);
	char *text;

	add_line(profile, f, part, (struct tl_position){ .file = "f.c", .line = 1 }, 5);
	add_line(profile, f, part, (struct tl_position){ .file = "f.c", .line = 2 }, 6);
	finish(profile);
	text = export_text("folded", profile);
	assert_string_equal(text, "f 11\n");
	free(text);
	tl_profile_free(profile);
}

TEST(empty_profile)
{
	struct tl_profile *profile = new_profile(0, 1);
	char *text;

	finish(profile);
	text = export_text("folded", profile);
	assert_string_equal(text, "");
	free(text);
	tl_profile_free(profile);
}

/* "TL_BAD_USAGE when the event is not one of the profile"; not at a byte */
TEST(no_such_event)
{
	struct tl_profile *profile = small_profile(0);
	struct tl_export_options options = { .size = sizeof(options), .event = 1 };
	struct tl_output *out;
	struct tl_error err;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	for (const struct tl_exporter *const *e = tl_exporters(); *e; e++) {
		assert_int_equal((*e)->write(profile, &options, out, &err), TL_BAD_USAGE);
		assert_int_equal(err.status, TL_BAD_USAGE);
		assert_true(err.offset == TL_NOWHERE);
	}
	tl_output_discard(out);
	tl_profile_free(profile);
}

/* "set to the number of call paths that cost less than zero": of both formats that have none. */
TEST(paths_below_zero_are_left_out_and_counted)
{
	static const char *const formats[] = { "folded", "speedscope" };

	for (size_t i = 0; i < 2; i++) {
		struct tl_profile *profile = new_profile(0, 1);
		uint64_t below_zero = 7;
		const struct tl_export_options options = { .size = sizeof(options),
							   .below_zero = &below_zero };
		uint32_t part = add_part(profile, 1, 1, ""),
			 f = add_function(profile, "", "", "f", 0),
			 g = add_function(profile, "", "", "g", 0), top;
		size_t size;
		char *text;

		top = add_context(profile, TL_NONE, f, part, 1, -5);
		add_context(profile, top, g, part, 1, 3);
		add_context(profile, TL_NONE, g, part, 1, -1);
		finish(profile);
		text = export_with(formats[i], profile, &options, &size);
		assert_int_equal(below_zero, 2);
		assert_null(strstr(text, "-5"));
		if (i == 0)
			assert_string_equal(text, "f;g 3\n");
		free(text);
		tl_profile_free(profile);
	}
}

/* Two functions whose names are the same as text are one line, though no part or context is. */
TEST(functions_of_one_name_are_one_line)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t part = add_part(profile, 1, 1, ""), a = add_function(profile, "x", "", "f;", 0),
		 b = add_function(profile, "y", "", "f:", 0);
	char *text;

	add_context(profile, add_context(profile, TL_NONE, a, part, 1, 1), b, part, 1, 2);
	add_context(profile, add_context(profile, TL_NONE, b, part, 1, 4), a, part, 1, 8);
	finish(profile);
	text = export_text("folded", profile);
	assert_string_equal(text, "f: 5\nf:;f: 10\n");
	free(text);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_below_zero_are_left_out_and_counted),
		cmocka_unit_test(functions_of_one_name_are_one_line),
		cmocka_unit_test(lines_are_paths_with_self_cost),
		cmocka_unit_test(parts_and_files_are_summed),
		cmocka_unit_test(names_are_made_safe_and_sorted_by_bytes),
		cmocka_unit_test(only_positive_costs),
		cmocka_unit_test(stacks_are_as_deep_as_asked_for),
		cmocka_unit_test(a_thousand_frames_unless_told),
		cmocka_unit_test(sums_saturate),
		cmocka_unit_test(deep_chain),
		cmocka_unit_test(lines_without_contexts),
		cmocka_unit_test(empty_profile),
		cmocka_unit_test(no_such_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
