/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "helper.h"

/*
 * Decoded by protoc with the fields of profile.proto, a message a line, blanks squeezed; for
 * free().
 */
static char *decode(const struct tl_profile *profile, const struct tl_export_options *options)
{
	char command[2048], *bytes, *text;
	size_t size;

	need_program("protoc");
	need_program("gzip");
	bytes = export_with("pprof", profile, options, &size);
	snprintf(command, sizeof(command),
		 "gzip -dc | protoc --decode=Profile -I'%s' profile.proto | tr -s ' \\n' ' ' | "
		 "sed -E 's/(^| "
		 ")(sample|sample_type|mapping|location|function|string_table|period_type|period|"
		 "default_sample_type|duration_nanos|comment)(:| \\{)/\\n\\2\\3/g'",
		 here());
	text = pipe_through(command, bytes, size);
	free(bytes);
	return text;
}

/*
 * RFC 1952, 2.3: 1f 8b, method 8, no flags, MTIME 0, XFL 4 (fast), OS 255 (unknown): not a word of
 * when and where
 */
TEST(gzip_header_is_deterministic)
{
	struct tl_profile *profile = small_profile(0);
	size_t size;
	char *bytes = export_with("pprof", profile, NULL, &size);

	assert_true(size > 18);
	assert_memory_equal(bytes, "\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff", 10);
	free(bytes);
	tl_profile_free(profile);
}

/*
 * "sample types calls/count plus each event; ticks with known frequency are nanoseconds; one sample
 * per context with self cost; locations leaf first; string table; labels thread id". At 2 GHz a
 * tick is half a nanosecond; what is cut off is carried: 10 20 30 5 ticks are 5 10 15 2 ns.
 */
TEST(contexts_are_samples)
{
	struct tl_profile *profile = small_profile(2000000000);
	char *text = decode(profile, NULL);

	assert_string_equal(
		text,
		"\nsample_type { type: 1 unit: 2 }"
		"\nsample_type { type: 3 unit: 4 }"
		"\nsample { location_id: 1 value: 1 value: 5 label { key: 5 num: 1 } label { key: "
		"6 num: 2 } }"
		"\nsample { location_id: 2 location_id: 1 value: 2 value: 10 label { key: 5 num: 1 "
		"} "
		"label { key: 6 num: 2 } }"
		"\nsample { location_id: 3 location_id: 2 location_id: 1 value: 3 value: 15 "
		"label { key: 5 num: 1 } label { key: 6 num: 2 } }"
		"\nsample { location_id: 3 location_id: 1 value: 1 value: 2 label { key: 5 num: 1 "
		"} "
		"label { key: 6 num: 2 } }"
		"\nmapping { id: 1 filename: 13 has_functions: true has_filenames: true has_lines: "
		"true }"
		"\nmapping { id: 2 filename: 14 has_functions: true has_filenames: true has_lines: "
		"true }"
		"\nlocation { id: 1 mapping_id: 1 line { function_id: 1 line: 10 } }"
		"\nlocation { id: 2 mapping_id: 1 line { function_id: 2 line: 20 } }"
		"\nlocation { id: 3 mapping_id: 2 line { function_id: 3 line: 30 } }"
		"\nfunction { id: 1 name: 7 system_name: 7 filename: 8 start_line: 10 }"
		"\nfunction { id: 2 name: 9 system_name: 9 filename: 10 start_line: 20 }"
		"\nfunction { id: 3 name: 11 system_name: 11 filename: 12 start_line: 30 }"
		"\nstring_table: \"\"\nstring_table: \"calls\"\nstring_table: \"count\""
		"\nstring_table: \"time\"\nstring_table: \"nanoseconds\"\nstring_table: \"process\""
		"\nstring_table: \"thread\"\nstring_table: \"main\"\nstring_table: \"main.c\""
		"\nstring_table: \"a\"\nstring_table: \"a.c\"\nstring_table: \"b\"\nstring_table: "
		"\"b.c\""
		"\nstring_table: \"prog\"\nstring_table: \"lib.so\""
		"\nperiod_type { type: 3 unit: 4 }\nperiod: 1\ndefault_sample_type: 3 ");
	free(text);
	tl_profile_free(profile);
}

/*
 * "Without contexts: samples from lines (one-frame stacks)"; an inlined line's function is of the
 * line's file
 */
TEST(lines_are_samples)
{
	struct tl_profile *profile = new_profile(0, 2);
	uint32_t f = add_function(profile, "", "f.c", "f", 1);
	struct tl_export_options bytes = { .size = sizeof(bytes), .event = 1, .command = "cmd" };
	char *text;

	add_line(profile, f, TL_NONE,
		 (struct tl_position){ .file = "f.c", .line = 5, .address = 0x1234 }, -7);
	add_line(profile, f, TL_NONE, (struct tl_position){ .file = "i.h", .line = 9 }, INT64_MAX);
	finish(profile);
	text = decode(profile, &bytes);
	/* strings: 1 Ticks, 2 ticks, 3 Bytes, 4 bytes, 5 cmd, 6 f, 7 f.c, 8 i.h */
	assert_string_equal(
		text, "\nsample_type { type: 1 unit: 2 }\nsample_type { type: 3 unit: 4 }"
		      "\nsample { location_id: 1 value: -7 value: 0 }"
		      "\nsample { location_id: 2 value: 9223372036854775807 value: 0 }"
		      "\nlocation { id: 1 address: 4660 line { function_id: 1 line: 5 } }"
		      "\nlocation { id: 2 line { function_id: 3 line: 9 } }"
		      "\nfunction { id: 1 name: 6 system_name: 6 filename: 7 start_line: 1 }"
		      "\nfunction { id: 3 name: 6 system_name: 6 filename: 8 }"
		      "\nstring_table: \"\"\nstring_table: \"Ticks\"\nstring_table: \"ticks\""
		      "\nstring_table: \"Bytes\"\nstring_table: \"bytes\"\nstring_table: \"cmd\""
		      "\nstring_table: \"f\"\nstring_table: \"f.c\"\nstring_table: \"i.h\""
		      "\nperiod_type { type: 3 unit: 4 }\nperiod: 1\ncomment: "
		      "5\ndefault_sample_type: 3 ");
	free(text);
	tl_profile_free(profile);
}

/* A sample has a value for each event, in the order of the sample types; calls come first. */
TEST(samples_have_every_event)
{
	struct tl_profile *profile = new_profile(0, 2);
	uint32_t part = add_part(profile, TL_NOWHERE, TL_NOWHERE, ""),
		 context = add_context(profile, TL_NONE, add_function(profile, "", "", "f", 0),
				       part, 2, 7);
	char *text;

	tl_profile_add_context_cost(profile, context, 1, (int64_t[]){ 0, 9 });
	finish(profile);
	text = decode(profile, NULL);
	assert_contains(text, "\nsample { location_id: 1 value: 3 value: 7 value: 9 }");
	free(text);
	tl_profile_free(profile);
}

/*
 * "decoders insist on UTF-8": other bytes become U+FFFD (octal 357 277 275); quotes and the like
 * stay
 */
TEST(odd_names)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t part = add_part(profile, TL_NOWHERE, TL_NOWHERE, "");
	uint32_t f = add_function(profile, "", "", "\"\\\t\n\xff", 0);
	char *text;

	add_context(profile, TL_NONE, f, part, 0, 1);
	finish(profile);
	text = decode(profile, NULL);
	assert_contains(text, "\nstring_table: \"\\\"\\\\\\t\\n\\357\\277\\275\"");
	assert_contains(text, "\nsample { location_id: 1 value: 1 }");
	assert_lacks(text, "calls");
	free(text);
	tl_profile_free(profile);
}

/*
 * pprof's own reader: 65 ticks at 1 GHz are 65 ns; inclusive of a is 50; files and lines are there.
 */
TEST(pprof_agrees)
{
	struct tl_profile *profile = small_profile(1000000000);
	char *bytes, *text;
	size_t size;

	need_program("go");
	bytes = export_with("pprof", profile, NULL, &size);
	text = pipe_through("HOME=${HOME:-/} go tool pprof -symbolize=none -top /dev/stdin", bytes,
			    size);
	assert_contains(text, "Type: time\n");
	assert_contains(text, "accounting for 65ns, 100% of 65ns total");
	assert_contains(text, "      35ns 53.85% 53.85%       35ns 53.85%  b\n");
	assert_contains(text, "      20ns 30.77% 84.62%       50ns 76.92%  a\n");
	assert_contains(text, "      10ns 15.38%   100%       65ns   100%  main\n");
	free(text);
	text = pipe_through("HOME=${HOME:-/} go tool pprof -symbolize=none -raw /dev/stdin", bytes,
			    size);
	assert_contains(text, "calls/count time/nanoseconds[dflt]\n");
	assert_contains(text, "3         30: 3 2 1 \n");
	assert_contains(text, "thread:[2]");
	assert_contains(text, "1: 0x0 M=1 main main.c:10 s=10\n");
	free(text);
	free(bytes);
	tl_profile_free(profile);
}

TEST(empty_profile)
{
	struct tl_profile *profile = new_profile(0, 1);
	char *text;

	finish(profile);
	text = decode(profile, NULL);
	assert_string_equal(
		text,
		"\nsample_type { type: 1 unit: 2 }\nstring_table: \"\"\nstring_table: \"Ticks\""
		"\nstring_table: \"ticks\"\nperiod_type { type: 1 unit: 2 }\nperiod: 1"
		"\ndefault_sample_type: 1 ");
	free(text);
	tl_profile_free(profile);
}

/* The path of a deep stack is 100000 numbers; the packed field is written whole. */
TEST(deep_chain)
{
	struct tl_profile *profile = new_profile(0, 1);
	uint32_t part = add_part(profile, 1, 1, ""), f = add_function(profile, "", "", "f", 0),
		 at = TL_NONE;
	struct tl_export_options whole = { .size = sizeof(whole), .most_depth = UINT32_MAX };
	char *bytes, *text;
	size_t size;

	need_program("gzip");
	for (int i = 1; i <= 100000; i++)
		at = add_context(profile, at, f, part, 0, i == 100000 ? 42 : 0);
	finish(profile);
	bytes = export_with("pprof", profile, &whole, &size);
	/* one byte per frame, before compression */
	text = pipe_through("gzip -dc | wc -c", bytes, size);
	assert_in_range(atoi(text), 100000, 100300);
	free(text);
	free(bytes);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gzip_header_is_deterministic),
		cmocka_unit_test(contexts_are_samples),
		cmocka_unit_test(lines_are_samples),
		cmocka_unit_test(samples_have_every_event),
		cmocka_unit_test(odd_names),
		cmocka_unit_test(pprof_agrees),
		cmocka_unit_test(empty_profile),
		cmocka_unit_test(deep_chain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
