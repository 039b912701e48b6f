/* SPDX-License-Identifier: Apache-2.0 */
/* Calls as lines of text and JSON: two threads with calls of every kind, each line by hand. */
#include "../unit.h"

#include <string.h>

#include "timeline/calls/calls_text.h"
#include "timeline/calls/stream.h"

/* ---- the calls ---- */

#define BEGIN(at, number, bits) { .ticks = (at), .function = (number), .flags = (bits) }
#define END(at, bits) { .ticks = (at), .end = true, .flags = (bits) }

/* clang-format off */
static const struct tl_step first_steps[] = {
	BEGIN(100, 0, 0),
	BEGIN(110, 1, TL_CALL_LATE),
	END(115, 0),
	BEGIN(120, 2, 0),
	END(140, TL_CALL_CUT),
	BEGIN(150, 1, 0), /* unfinished, as the call around it is */
};
static const struct tl_step second_steps[] = {
	BEGIN(1500000000, 2, TL_CALL_LATE),
	END(4000000001, TL_CALL_CUT),
	BEGIN(UINT64_MAX - 1, 3, 0),
};
/* clang-format on */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int add_track(struct tl_call_tracks *tracks, int64_t process, int64_t thread,
		     const struct tl_step *list, size_t count, struct tl_error *err)
{
	struct tl_call_track *track = tl_call_tracks_add(tracks, process, thread);
	struct tl_steps steps = { .no_memory = false };
	struct tl_leaf_builder builder;
	int status;

	assert_non_null(track);
	for (size_t i = 0; i < count; i++)
		tl_steps_put(&steps, list[i]);
	tl_leaf_builder_begin(&builder, tracks, track);
	status = tl_leaf_builder_add(&builder, &steps, NULL, err);
	if (status == 0)
		status = tl_leaf_builder_end(&builder, err);
	tl_leaf_builder_free(&builder);
	free(steps.list);
	return status;
}

static int build(void *handle, struct tl_call_tracks *tracks, struct tl_error *err)
{
	int status = add_track(tracks, 7, 8, first_steps, COUNT(first_steps), err);

	(void)handle;
	return status ? status : add_track(tracks, -1, -2, second_steps, COUNT(second_steps), err);
}

static int function_of(void *handle, uint32_t number, struct tl_call_function *function,
		       struct tl_error *err)
{
	static const char *const names[] = { "main", "a \"b\"\\\n", "\303\251t\303\251", "" };

	(void)err;
	/* The handle may name a function that cannot be read. */
	if (handle && *(const uint32_t *)handle == number)
		return tl_error_at(err, TL_BAD_RECORD, 77, "no such function");
	*function = (struct tl_call_function){ .name = names[number], .wanted = true };
	return 0;
}

static const struct tl_call_source_ops ops = { .build = build, .function = function_of };

static struct tl_calls *open_calls(uint64_t frequency, uint32_t *unreadable)
{
	const struct tl_call_source source = { .ops = &ops,
					       .handle = unreadable,
					       .frequency = frequency };
	const struct tl_calls_options options = { .size = sizeof(options), .to = TL_NOWHERE };
	struct tl_calls *calls;

	assert_int_equal(tl_calls_open(&calls, &source, &options, NULL), 0);
	return calls;
}

/* What is printed, to free(). */
static char *print(uint64_t frequency, bool json, bool seconds, int status)
{
	struct tl_calls *calls = open_calls(frequency, NULL);
	struct tl_output *out;
	const char *bytes;
	char *text;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_calls_print(calls, json, seconds, out, NULL), status);
	bytes = tl_output_bytes(out, &size);
	text = strndup(bytes ? bytes : "", size);
	assert_non_null(text);
	tl_output_discard(out);
	tl_calls_close(calls);
	return text;
}

static void prints(uint64_t frequency, bool json, bool seconds, const char *wanted)
{
	char *text = print(frequency, json, seconds, 0);

	assert_string_equal(text, wanted);
	free(text);
}

/* ---- JSON ---- */

/* "one line a call, in order of begin within a thread; `end` null: unfinished" */
TEST(calls_are_lines_of_json)
{
	prints(0, true, false,
	       "{\"thread\":8,\"process\":7,\"start\":100,\"end\":null,\"depth\":0,"
	       "\"function\":\"main\",\"parent\":null,\"id\":0}\n"
	       "{\"thread\":8,\"process\":7,\"start\":110,\"end\":115,\"depth\":1,"
	       "\"function\":\"a \\\"b\\\"\\\\\\n\",\"parent\":0,\"id\":1,\"late\":true}\n"
	       "{\"thread\":8,\"process\":7,\"start\":120,\"end\":140,\"depth\":1,"
	       "\"function\":\"\303\251t\303\251\",\"parent\":0,\"id\":2,\"cut\":true}\n"
	       "{\"thread\":8,\"process\":7,\"start\":150,\"end\":null,\"depth\":1,"
	       "\"function\":\"a \\\"b\\\"\\\\\\n\",\"parent\":0,\"id\":3}\n"
	       "{\"thread\":-2,\"process\":-1,\"start\":1500000000,\"end\":4000000001,\"depth\":0,"
	       "\"function\":\"\303\251t\303\251\",\"parent\":null,\"id\":4,\"cut\":true,"
	       "\"late\":true}\n"
	       "{\"thread\":-2,\"process\":-1,\"start\":18446744073709551614,\"end\":null,"
	       "\"depth\":0,\"function\":\"\",\"parent\":null,\"id\":5}\n");
}

/* ---- text ---- */

/* What is not known is "-"; characters that a terminal would obey are replaced. */
TEST(calls_are_lines_of_text)
{
	char *text = print(0, false, false, 0), *line, *rest = NULL;
	static const char *const begins[] = {
		"0 process 7 thread 8 start 100 end - depth 0 parent - main",
		"1 process 7 thread 8 start 110 end 115 depth 1 parent 0 late a \"b\"\\",
		"2 process 7 thread 8 start 120 end 140 depth 1 parent 0 cut \303\251t\303\251",
		"3 process 7 thread 8 start 150 end - depth 1 parent 0 a \"b\"\\",
		("4 process -1 thread -2 start 1500000000 end 4000000001 depth 0 parent - cut late "
		 "\303\251t\303\251"),
		"5 process -1 thread -2 start 18446744073709551614 end - depth 0 parent - ",
	};

	line = strtok_r(text, "\n", &rest);
	for (size_t i = 0; i < COUNT(begins); i++, line = strtok_r(NULL, "\n", &rest)) {
		assert_non_null(line);
		assert_memory_equal(line, begins[i], strlen(begins[i]));
		/* nothing but what stands for the end of a line in a name */
		if (!strstr(begins[i], "\"b\""))
			assert_string_equal(line, begins[i]);
	}
	assert_null(line);
	free(text);
}

/* ---- seconds ---- */

/* Ticks of 1 GHz have nine decimals; of 3 GHz a third of a nanosecond, which is cut. */
TEST(times_are_seconds_of_the_clock)
{
	static const struct {
		uint64_t frequency;
		const char *start, *end;
	} cases[] = {
		{ 1000000000, "\"start\":1.500000000,", "\"end\":4.000000001," },
		{ 1000000, "\"start\":1500.000000000,", "\"end\":4000.000001000," },
		{ 1, "\"start\":1500000000.000000000,", "\"end\":4000000001.000000000," },
		{ 3000000000, "\"start\":0.500000000,", "\"end\":1.333333333666," },
		{ 2000000000, "\"start\":0.750000000,", "\"end\":2.000000000500," },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text = print(cases[i].frequency, true, true, 0);

		assert_non_null(strstr(text, cases[i].start));
		assert_non_null(strstr(text, cases[i].end));
		/* what is no time stays */
		assert_non_null(strstr(text, "\"end\":null"));
		assert_non_null(strstr(text, "\"id\":5}"));
		free(text);
	}
	{
		char *text = print(1000000000, false, true, 0);

		assert_non_null(strstr(text, " start 1.500000000 end 4.000000001 depth 0 "));
		assert_non_null(strstr(text, " start 0.000000110 end 0.000000115 depth 1 "));
		free(text);
	}
}

/* A frequency that is known does not make seconds of ticks by itself. */
TEST(ticks_stay_ticks)
{
	char *known = print(1000000000, true, false, 0), *unknown = print(0, true, false, 0);

	assert_string_equal(known, unknown);
	free(known);
	free(unknown);
}

TEST(seconds_need_a_frequency)
{
	struct tl_calls *calls = open_calls(0, NULL);
	struct tl_output *out;
	struct tl_error err;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	for (int json = 0; json < 2; json++) {
		assert_int_equal(tl_calls_print(calls, json, true, out, &err), TL_BAD_USAGE);
		assert_int_equal(err.status, TL_BAD_USAGE);
		assert_true(err.offset == TL_NOWHERE);
	}
	tl_output_bytes(out, &size);
	assert_int_equal(size, 0);
	tl_output_discard(out);
	tl_calls_close(calls);
}

/* ---- what fails ---- */

/* Calls before a function that cannot be read are printed; the error is the function's. */
TEST(a_function_that_cannot_be_read_ends_the_lines)
{
	uint32_t unreadable = 2;
	struct tl_calls *calls = open_calls(0, &unreadable);
	struct tl_output *out;
	struct tl_error err;
	const char *bytes;
	size_t size, lines = 0;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_calls_print(calls, true, false, out, &err), TL_BAD_RECORD);
	assert_int_equal(err.offset, 77);
	bytes = tl_output_bytes(out, &size);
	for (size_t i = 0; i < size; i++)
		lines += bytes[i] == '\n';
	assert_int_equal(lines, 2);
	tl_output_discard(out);
	tl_calls_close(calls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_lines_of_json),
		cmocka_unit_test(calls_are_lines_of_text),
		cmocka_unit_test(times_are_seconds_of_the_clock),
		cmocka_unit_test(ticks_stay_ticks),
		cmocka_unit_test(seconds_need_a_frequency),
		cmocka_unit_test(a_function_that_cannot_be_read_ends_the_lines),
	};

	return cmocka_run_group_tests_name("timeline calls text", tests, NULL, NULL);
}
