/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as lines. "One compact object a line (no blanks outside strings), every field of the
 * record under its name in the format's specification, plus "offset" and, where there is a clock,
 * "tsc"."
 */
#include "drawn_threads.h"

#include "../temp_fixture.h"
#include "core/output.h"
#include "xray/listing/select.h"

/* A name that has everything to escape, as a YAML scalar and as a JSON string. */
#define NAME_YAML "'operator\"\"_x\\<char>'"
#define NAME_JSON "operator\\\"\\\"_x\\\\<char>"
#define NAME_TEXT "operator\"\"_x\\<char>"

/* clang-format off */
static const struct tl_xray_fold_options all = {
	.size = sizeof(all), .thread = TL_NOWHERE, .process = TL_NOWHERE, .cpu = TL_NOWHERE,
};
/* clang-format on */

static void put_trace(struct bytes *b)
{
	size_t start;

	put_header(b, 5, FDR, 1000, 16384);
	start = begin_block(b, 1, 2, 100);      /* 32 48 64 80 96 */
	put_function(b, ENTER_ARGS, 5, 0);      /* 112 */
	put_argument(b, 255);                   /* 120 */
	put_custom(b, 5, 0, "a\"b\n\xff\0", 6); /* 136 */
	put_typed(b, -3, 77, "plain", 5);       /* 158 */
	put_tsc_wrap(b, UINT64_MAX);            /* 179 */
	put_function(b, TAIL_EXIT, 6, 0);       /* 195 */
	put_function(b, 6, 6, 0);               /* 203: lost */
	end_block(b, start);
}

/* The dump of a trace, terminated; for free(). */
static char *dump_by(const struct bytes *b, bool json, const struct tl_xray_fold_options *limits,
		     const char *function, unsigned jobs)
{
	static const char map_text[] =
		"---\n- { id: 5, address: 0x10, function: 0x10, kind: function-enter, "
		"always-instrument: true, function-name: " NAME_YAML ", version: 2 }\n...\n";
	struct tl_xray_select select = { .limits = *limits };
	struct tl_xray_map *map;
	struct tl_output *out;
	struct trace t;
	const char *text;
	char *copy;
	size_t size;

	temp_write(&temp, "map", map_text, sizeof(map_text) - 1);
	assert_int_equal(tl_xray_map_open_yaml(&map, temp_path(&temp, "map"), NULL), 0);
	assert_int_equal(tl_xray_names_begin(&select.names, map, function, NULL, NULL), 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	open_trace(&t, b, NULL);
	assert_int_equal(tl_xray_dump(t.reader, &select, json, jobs, out, NULL), 0);
	text = tl_output_bytes(out, &size);
	copy = strndup(text, size);
	assert_non_null(copy);
	assert_int_equal(strlen(copy), size); /* no NUL byte, whatever a payload has */
	close_trace(&t);
	tl_output_discard(out);
	tl_xray_names_end(&select.names);
	tl_xray_map_close(map);
	return copy;
}

static char *dump(const struct bytes *b, bool json, const struct tl_xray_fold_options *limits,
		  const char *function)
{
	return dump_by(b, json, limits, function, 1);
}

/* The n-th line, without its end; for free(). */
static char *line(const char *text, size_t n)
{
	for (; n; n--) {
		text = strchr(text, '\n');
		assert_non_null(text);
		text++;
	}
	assert_non_null(strchr(text, '\n'));
	return strndup(text, strcspn(text, "\n"));
}

TEST(json_lines_have_every_field)
{
	static const char *const expected[] = {
		/* 80 + 8 + 16 + 22 + 21 + 16 + 16 bytes of the block, less its extents */
		"{\"offset\":32,\"record\":\"buffer-extents\",\"thread\":2,\"process\":1,"
		"\"size\":163,\"tsc\":100}",
		"{\"offset\":48,\"record\":\"new-buffer\",\"thread\":2,\"process\":1,\"tsc\":100}",
		"{\"offset\":64,\"record\":\"wall-clock\",\"thread\":2,\"process\":1,"
		"\"seconds\":5,\"microseconds\":250,\"tsc\":100}",
		"{\"offset\":80,\"record\":\"pid\",\"thread\":2,\"process\":1,\"tsc\":100}",
		"{\"offset\":96,\"record\":\"new-cpu\",\"thread\":2,\"process\":1,\"cpu\":1,"
		"\"tsc\":100}",
		"{\"offset\":112,\"record\":\"function\",\"action\":\"enter-arg\",\"id\":5,"
		"\"name\":\"" NAME_JSON
		"\",\"thread\":2,\"process\":1,\"cpu\":1,\"tsc\":100,\"delta\":0,\"args\":[255]}",
		"{\"offset\":120,\"record\":\"call-argument\",\"thread\":2,\"process\":1,"
		"\"argument\":255,\"tsc\":100}",
		NULL, /* below */
		"{\"offset\":158,\"record\":\"typed-event\",\"thread\":2,\"process\":1,\"cpu\":1,"
		"\"delta\":-3,\"event_type\":77,\"size\":5,\"data\":\"plain\","
		"\"bytes\":\"706c61696e\",\"tsc\":102}",
		"{\"offset\":179,\"record\":\"tsc-wrap\",\"thread\":2,\"process\":1,"
		"\"tsc\":18446744073709551615}",
		"{\"offset\":195,\"record\":\"function\",\"action\":\"tail-exit\",\"id\":6,"
		"\"name\":\"#6\",\"thread\":2,\"process\":1,\"cpu\":1,"
		"\"tsc\":18446744073709551615,\"delta\":0,\"args\":[]}",
	};
	struct bytes b = { 0 };
	char *text;

	put_trace(&b);
	text = dump(&b, true, &all, NULL);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		char *got = line(text, i);

		if (expected[i])
			assert_string_equal(got, expected[i]);
		free(got);
	}
	free(text);
	free_bytes(&b);
}

/* A payload as text, for reading, and as bytes, which lose nothing. */
TEST(a_payload_is_text_and_bytes)
{
	static const char begin[] =
		"{\"offset\":136,\"record\":\"custom-event\",\"thread\":2,\"process\":1,"
		"\"cpu\":1,\"delta\":5,\"size\":6,\"data\":\"a\\\"b\\n";
	static const char end[] = "\\u0000\",\"bytes\":\"6122620aff00\",\"tsc\":105}";
	struct bytes b = { 0 };
	char *text, *got;

	put_trace(&b);
	text = dump(&b, true, &all, NULL);
	got = line(text, 7);
	assert_true(strlen(got) > strlen(begin) + strlen(end));
	assert_memory_equal(got, begin, strlen(begin));
	assert_string_equal(got + strlen(got) - strlen(end), end);
	free(got);
	/* Damage is a line, too: 8 bytes at 203. */
	got = line(text, 11);
	assert_non_null(strstr(got, "{\"offset\":203,\"record\":\"lost\","
				    "\"thread\":2,\"process\":1,\"length\":8,\"text\":\""));
	free(got);
	free(text);
	free_bytes(&b);
}

/* jq reads every line, and sees the name and the bytes that were put in. */
TEST(jq_reads_every_line)
{
	char command[1400], *text, *got;
	struct bytes b = { 0 };
	size_t size;

	if (system("command -v jq >/dev/null 2>&1")) {
		print_message("skipped: jq is not installed\n");
		skip();
	}
	put_trace(&b);
	text = dump(&b, true, &all, NULL);
	temp_write(&temp, "lines", text, strlen(text));
	snprintf(command, sizeof(command),
		 "cd '%s' && jq -r 'select(.name != null).name, select(.bytes != null).bytes, "
		 ".offset' lines >out",
		 temp.directory);
	assert_int_equal(system(command), 0);
	got = temp_read(temp_path(&temp, "out"), &size);
	assert_string_equal(got, "32\n48\n64\n80\n96\n" NAME_TEXT "\n112\n120\n"
				 "6122620aff00\n136\n706c61696e\n158\n179\n#6\n195\n203\n");
	free(got);
	free(text);
	free_bytes(&b);
}

/* "every record, one line each, with offset" */
TEST(text_lines_say_the_same)
{
	static const char *const parts[][4] = {
		{ "0x00000020 ", "buffer-extents", "size=163", "" },
		{ "0x00000030 ", "new-buffer", "2", "" },
		{ "0x00000040 ", "wall-clock", "seconds=5", "microseconds=250" },
		{ "0x00000050 ", "pid", "process=1", "" },
		{ "0x00000060 ", "new-cpu", " 1 ", "100" },
		{ "0x00000070 ", "enter-arg [5] " NAME_TEXT "(0xff)", "delta=0", "100" },
		{ "0x00000078 ", "call-argument", "argument=255", "" },
		{ "0x00000088 ", "custom-event", "delta=5", "size=6" },
		{ "0x0000009e ", "typed-event", "event_type=77", "data=\"plain\"" },
		{ "0x000000b3 ", "tsc-wrap", "18446744073709551615", "" },
		{ "0x000000c3 ", "tail-exit [6] #6", "delta=0", "" },
		{ "0x000000cb ", "lost", "length=8", "" },
	};
	struct bytes b = { 0 };
	char *text;
	size_t count = 0;

	put_trace(&b);
	text = dump(&b, false, &all, NULL);
	for (size_t i = 0; i < 12; i++) {
		char *got = line(text, i);

		assert_memory_equal(got, parts[i][0], strlen(parts[i][0]));
		for (size_t p = 1; p < 4; p++)
			assert_non_null(strstr(got, parts[i][p]));
		free(got);
	}
	for (const char *p = text; *p; p++)
		count += *p == '\n';
	assert_int_equal(count, 12);
	free(text);
	free_bytes(&b);
}

static size_t lines_with(const struct tl_xray_fold_options *limits, const char *function)
{
	struct bytes b = { 0 };
	size_t count = 0;
	char *text;

	put_trace(&b);
	text = dump(&b, true, limits, function);
	for (const char *p = text; *p; p++)
		count += *p == '\n';
	free(text);
	free_bytes(&b);
	return count;
}

/* The filters of all commands: thread, process, cpu, time, function. */
TEST(filters_choose_lines)
{
	struct tl_xray_fold_options o = all;

	assert_int_equal(lines_with(&o, NULL), 12);
	assert_int_equal(lines_with(&o, "operator"), 1);
	assert_int_equal(lines_with(&o, "^#6$"), 1);
	assert_int_equal(lines_with(&o, "nothing"), 0);
	o.thread = 2;
	assert_int_equal(lines_with(&o, NULL), 12);
	o.thread = 3;
	assert_int_equal(lines_with(&o, NULL), 0);
	o = all;
	o.process = 2;
	assert_int_equal(lines_with(&o, NULL), 0);
	o = all;
	o.from_ticks = 102; /* the two events; TSCWrap and what follows it */
	assert_int_equal(lines_with(&o, NULL), 5);
	o.to_ticks = 105;
	assert_int_equal(lines_with(&o, NULL), 1);
}

/* A path of profiling mode: leaf to root, calls and ticks. */
TEST(samples_have_their_paths)
{
	static const int32_t path[] = { 3, 2, 1, 0 };
	struct bytes b = { 0 };
	size_t start;
	char *text;

	put_profiling_header(&b, 0, 7);
	start = begin_samples(&b, 0, 12);
	put_sample(&b, path, 5, 300);
	put_sample(&b, path + 2, 6, (uint64_t)-7); /* ticks are signed */
	end_samples(&b, start);
	text = dump(&b, true, &all, NULL);
	assert_string_equal(
		text,
		"{\"offset\":48,\"record\":\"sample\",\"thread\":12,\"process\":7,\"path\":[3,2,1],"
		"\"calls\":5,\"ticks\":300}\n"
		"{\"offset\":80,\"record\":\"sample\",\"thread\":12,"
		"\"process\":7,\"path\":[1],\"calls\":6,\"ticks\":-7}\n");
	free(text);
	text = dump(&b, false, &all, NULL);
	assert_non_null(strstr(text, "0x00000050               -7      12   0 sample"));
	free(text);
	free_bytes(&b);
}

/*
 * Lines of function records are put together of pieces by several threads where nothing is chosen.
 * A choice that lets all pass goes through them one by one.
 */
TEST(many_lines_are_those_of_each_record)
{
	static const int threads[] = { 1, 2, 8, 9, 40 };
	struct tl_xray_fold_options passes = all;

	passes.to_ticks = UINT64_MAX;
	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		struct bytes b = { .high = i == 1, .big = i == 1 || i == 2 };
		char *expected, *text;

		put_drawn_threads(&b, threads[i], 7 + (uint32_t)i);
		expected = dump_by(&b, true, &passes, NULL, 1);
		assert_true(strlen(expected) > 5000000);
		for (unsigned jobs = 0; jobs < 4; jobs++) {
			text = dump_by(&b, true, &all, NULL, jobs);
			assert_string_equal(text, expected);
			free(text);
		}
		free(expected);
		free_bytes(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_lines_have_every_field),
		cmocka_unit_test(a_payload_is_text_and_bytes),
		cmocka_unit_test(jq_reads_every_line),
		cmocka_unit_test(text_lines_say_the_same),
		cmocka_unit_test(filters_choose_lines),
		cmocka_unit_test(samples_have_their_paths),
		cmocka_unit_test(many_lines_are_those_of_each_record),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
