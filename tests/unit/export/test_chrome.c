/* SPDX-License-Identifier: Apache-2.0 */
#include "helper.h"

#include <math.h>
#include <stdio.h>

static struct timeline_fixture on = { .process = 1 };

static void begin(uint64_t frequency)
{
	begin_timeline(&on, "chrome", frequency);
}

static void enter(int64_t thread, uint64_t ticks, uint32_t key, const char *name)
{
	enter_at(&on, thread, ticks, key, name, "", 0);
}

static void leave(int64_t thread, uint64_t ticks)
{
	leave_at(&on, thread, ticks);
}

/* What stands behind the events. */
static char other[256];

/* The events, one a line, between the frame of the document; for free(). */
static char *finish_events(void)
{
	static const char head[] = "{\"traceEvents\":[\n",
			  tail[] = "\n],\"displayTimeUnit\":\"ns\",\"otherData\":";
	const char *bytes, *end;
	char *events;
	size_t size;
	int empty = tl_timeline_finish(on.timeline, NULL);

	bytes = tl_output_bytes(on.out, &size);
	assert_true(size >= sizeof(head) + sizeof(tail) - 2);
	assert_memory_equal(bytes, head, sizeof(head) - 1);
	end = memmem(bytes, size, tail, sizeof(tail) - 1);
	assert_non_null(end);
	events = strndup(bytes + sizeof(head) - 1, (size_t)(end - bytes) - sizeof(head) + 1);
	assert_non_null(events);
	end += sizeof(tail) - 1;
	snprintf(other, sizeof(other), "%.*s", (int)(bytes + size - end), end);
	/* "1 if there was no call, no instant and no value": names of threads ("M") are neither. */
	assert_int_equal(
		empty, !strstr(events, "\"ph\":\"X\"") && !strstr(events, "\"ph\":\"B\"") &&
			       !strstr(events, "\"ph\":\"C\"") && !strstr(events, "\"ph\":\"i\""));
	tl_output_discard(on.out);
	return events;
}

static void assert_events(const char *expected)
{
	char *events = finish_events();

	assert_string_equal(events, expected);
	free(events);
}

/*
 * "A call is one complete event, written when it ends"; ts in microseconds with nanosecond digits
 */
TEST(calls_are_complete_events)
{
	begin(1000000000);
	enter(2, 1000, 0, "f");
	enter(2, 1500, 1, "g");
	leave(2, 2501);
	leave(2, 3000);
	assert_events(
		"{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":1.500,\"dur\":1.001,\"name\":\"g\"},\n"
		"{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":1.000,\"dur\":2.000,\"name\":\"f\"}");
}

/*
 * "of two that begin together ... the outer one is written as a begin before": equal times keep
 * their nesting
 */
TEST(calls_that_begin_together)
{
	begin(1000000000);
	enter(2, 1000, 0, "f");
	enter(2, 1000, 1, "g");
	enter(2, 1000, 2, "h");
	leave(2, 1000);
	leave(2, 1000);
	leave(2, 1000);
	assert_events(
		"{\"pid\":1,\"tid\":2,\"ph\":\"B\",\"ts\":1.000,\"name\":\"f\"},\n"
		"{\"pid\":1,\"tid\":2,\"ph\":\"B\",\"ts\":1.000,\"name\":\"g\"},\n"
		"{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":1.000,\"dur\":0.000,\"name\":\"h\"},\n"
		"{\"pid\":1,\"tid\":2,\"ph\":\"E\",\"ts\":1.000},\n"
		"{\"pid\":1,\"tid\":2,\"ph\":\"E\",\"ts\":1.000}");
}

/*
 * "what has not ended is a begin without an end", outermost first; a leave without an open call is
 * nothing
 */
TEST(unfinished_and_orphans)
{
	begin(1000000000);
	leave(2, 1);
	enter(2, 1000, 0, "f");
	enter(2, 2000, 1, "g");
	leave(3, 2500);
	assert_events("{\"pid\":1,\"tid\":2,\"ph\":\"B\",\"ts\":1.000,\"name\":\"f\"},\n"
		      "{\"pid\":1,\"tid\":2,\"ph\":\"B\",\"ts\":2.000,\"name\":\"g\"}");
}

/*
 * "exact decimals; fractional ns kept to 3 more digits if the clock is not a multiple": at 3 GHz
 * one tick is a third of a nanosecond, 0.333 ns; tick 3 * 10^9 + 1 is 1 s and 0.333 ns. The
 * duration is the difference of the times shown.
 */
TEST(times_of_odd_clocks)
{
	begin(3000000000);
	enter(2, 3000000001, 0, "f");
	leave(2, 6000000003);
	assert_events("{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":1000000.000333,\"dur\":1000000."
		      "000667,\"name\":\"f\"}");
	/* The end of the range: 2^64 - 1 = 18446744073709551615 seconds; and a clock of 2^63 Hz. */
	begin(1);
	enter(2, UINT64_MAX, 0, "f");
	leave(2, UINT64_MAX);
	assert_events("{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":18446744073709551615000000.000,"
		      "\"dur\":0.000,"
		      "\"name\":\"f\"}");
	begin(UINT64_C(1) << 63);
	enter(2, UINT64_C(1) << 62, 0, "f");
	leave(2, UINT64_C(3) << 62);
	assert_events(
		"{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":500000.000000,\"dur\":1000000.000000,"
		"\"name\":\"f\"}");
	/* "frequency 0: a tick is shown as a nanosecond" */
	begin(0);
	enter(2, 7, 0, "f");
	leave(2, 5);
	assert_events(
		"{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":0.007,\"dur\":0.000,\"name\":\"f\"}");
}

/*
 * "times from the first record on; the origin told once in otherData": nanoseconds since 1970 have
 * no room in a double of microseconds. A step back, to before the origin even, is no time.
 */
TEST(times_from_the_origin_on)
{
	begin(1000000000);
	tl_timeline_origin(on.timeline, UINT64_C(1795000000123456789));
	enter(2, UINT64_C(1795000000123456790), 0, "f");
	enter(2, UINT64_C(1795000000123456792), 1, "g");
	leave(2, UINT64_C(1795000000123456793));
	enter(2, UINT64_C(1795000000123456791), 2, "h"); /* back by 2 ns */
	leave(2, UINT64_C(1795000000123456793));
	leave(2, UINT64_C(1795000000123456797));
	enter(3, 5, 0, "f");
	leave(3, UINT64_C(1795000000123456790));
	assert_events(
		"{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":0.003,\"dur\":0.001,\"name\":\"g\"},\n"
		"{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":0.004,\"dur\":0.000,\"name\":\"h\"},\n"
		"{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":0.001,\"dur\":0.007,\"name\":\"f\"},\n"
		"{\"pid\":1,\"tid\":3,\"ph\":\"X\",\"ts\":0.000,\"dur\":0.001,\"name\":\"f\"}");
	assert_string_equal(other, "{\"origin_ticks\":\"1795000000123456789\",\"ticks_per_second\":"
				   "\"1000000000\","
				   "\"origin_seconds\":\"1795000000.123456789\"}}\n");
	/* 3 GHz: a third of a nanosecond. Without a clock nothing is said of seconds. */
	begin(3000000000);
	tl_timeline_origin(on.timeline, 3000000001);
	assert_events("");
	assert_string_equal(other, "{\"origin_ticks\":\"3000000001\",\"ticks_per_second\":"
				   "\"3000000000\",\"origin_seconds\":\"1.000000000333\"}}\n");
	begin(0);
	tl_timeline_origin(on.timeline, 7);
	assert_events("");
	assert_string_equal(other, "{\"origin_ticks\":\"7\"}}\n");
}

/*
 * 0.1 + 0.2 is more than 0.3 in doubles: a call of that begin and that length would end behind the
 * call that begins at 0.3, so it is written by its begin and its end.
 */
TEST(sums_that_doubles_miss)
{
	assert_true(0.1 + 0.2 > 0.3);
	begin(1000000000);
	enter(2, 100, 0, "f");
	leave(2, 300);
	enter(2, 300, 1, "g");
	leave(2, 400);
	assert_events(
		"{\"pid\":1,\"tid\":2,\"ph\":\"B\",\"ts\":0.100,\"name\":\"f\"},\n"
		"{\"pid\":1,\"tid\":2,\"ph\":\"E\",\"ts\":0.300},\n"
		"{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":0.300,\"dur\":0.100,\"name\":\"g\"}");
}

/*
 * A sum that misses the end by a rounding error does no harm where the next event is a nanosecond
 * away or more.
 */
TEST(sums_that_miss_where_nothing_is)
{
	begin(1000000000);
	enter(2, 100, 0, "f");
	leave(2, 300);
	enter(2, 301, 1, "g");
	leave(2, 303);
	assert_events(
		"{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":0.100,\"dur\":0.200,\"name\":\"f\"},\n"
		"{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":0.301,\"dur\":0.002,\"name\":\"g\"}");
}

/* 0.2 + 0.1 misses 0.3, too: both calls would end beside their instant, and beside each other. */
TEST(sums_that_miss_the_end_of_others)
{
	static const char instant[] = "{\"pid\":1,\"tid\":2,\"ph\":\"i\",\"ts\":0.300,\"s\":\"t\","
				      "\"name\":\"mark\"}";
	struct tl_timeline_point at = { 1, 2, 300 };
	char expected[1024];

	begin(1000000000);
	enter(2, 100, 0, "f");
	enter(2, 200, 1, "g");
	leave(2, 300);
	leave(2, 300);
	assert_events("{\"pid\":1,\"tid\":2,\"ph\":\"B\",\"ts\":0.200,\"name\":\"g\"},\n"
		      "{\"pid\":1,\"tid\":2,\"ph\":\"E\",\"ts\":0.300},\n"
		      "{\"pid\":1,\"tid\":2,\"ph\":\"B\",\"ts\":0.100,\"name\":\"f\"},\n"
		      "{\"pid\":1,\"tid\":2,\"ph\":\"E\",\"ts\":0.300}");
	for (int before = 0; before < 2; before++) {
		begin(1000000000);
		enter(2, 100, 0, "f");
		if (before)
			tl_timeline_instant(on.timeline, &at, "mark", NULL, 0);
		leave(2, 300);
		if (!before)
			tl_timeline_instant(on.timeline, &at, "mark", NULL, 0);
		snprintf(expected, sizeof(expected), "%s%s%s%s%s", before ? instant : "",
			 before ? ",\n" : "",
			 "{\"pid\":1,\"tid\":2,\"ph\":\"B\",\"ts\":0.100,\"name\":\"f\"},\n"
			 "{\"pid\":1,\"tid\":2,\"ph\":\"E\",\"ts\":0.300}",
			 before ? "" : ",\n", before ? "" : instant);
		assert_events(expected);
	}
}

/*
 * From 2^50 ns on the errors of two sums add up to a nanosecond: every sum must be exact there. The
 * two calls are before and behind the last whole second below, and miss by the same error.
 */
TEST(sums_where_errors_are_large)
{
	const uint64_t below = UINT64_C(1125898000000006), above = UINT64_C(1125899000000006);

	assert_true(1125898000000.006 + 0.007 != 1125898000000.013);
	assert_true(1125899000000.006 + 0.007 != 1125899000000.013);
	begin(1000000000);
	enter(2, below, 0, "f");
	leave(2, below + 7);
	enter(2, above, 0, "f");
	leave(2, above + 7);
	assert_events(
		"{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":1125898000000.006,\"dur\":0.007,"
		"\"name\":\"f\"},\n"
		"{\"pid\":1,\"tid\":2,\"ph\":\"B\",\"ts\":1125899000000.006,\"name\":\"f\"},\n"
		"{\"pid\":1,\"tid\":2,\"ph\":\"E\",\"ts\":1125899000000.013}");
}

/*
 * "args object with numbers, strings and bytes (text if valid UTF-8 without NUL, else hex);
 * instants with scope t"
 */
TEST(arguments_and_instants)
{
	const struct tl_timeline_arg args[] = {
		{ .name = "n", .kind = TL_ARG_NUMBER, .number = UINT64_MAX },
		{ .name = "t\"", .kind = TL_ARG_TEXT, .data = "a\"\xff", .size = 3 },
		{ .name = "b", .kind = TL_ARG_BYTES, .data = "h\xc3\xa9", .size = 3 },
		{ .name = "c", .kind = TL_ARG_BYTES, .data = "h\0", .size = 2 },
		{ .name = "d",
		  .kind = TL_ARG_BYTES,
		  .data = "\xed\xa0\x80",
		  .size = 3 }, /* a surrogate */
	};
	struct tl_timeline_point at = { 1, 2, 1000 };

	begin(1000000000);
	tl_timeline_enter(on.timeline, &at, 0, "f", "", 0, args, 5);
	at.ticks = 2000;
	tl_timeline_instant(on.timeline, &at, "e\n", args, 1);
	tl_timeline_leave(on.timeline, &at);
	assert_events("{\"pid\":1,\"tid\":2,\"ph\":\"B\",\"ts\":1.000,\"name\":\"f\",\"args\":"
		      "{\"n\":18446744073709551615,\"t\\\"\":\"a\\\"\xef\xbf\xbd\",\"b\":"
		      "\"h\xc3\xa9\",\"c\":\"6800\","
		      "\"d\":\"eda080\"}},\n"
		      "{\"pid\":1,\"tid\":2,\"ph\":\"i\",\"ts\":2.000,\"s\":\"t\",\"name\":"
		      "\"e\\n\",\"args\":"
		      "{\"n\":18446744073709551615}},\n"
		      "{\"pid\":1,\"tid\":2,\"ph\":\"E\",\"ts\":2.000}");
}

/* Numbers with sign, in hexadecimal (a text, as JSON has no such numbers) and with a fraction. */
TEST(numbers_of_each_kind)
{
	const struct tl_timeline_arg args[] = {
		{ .name = "s", .kind = TL_ARG_SIGNED, .number = (uint64_t)INT64_MIN },
		{ .name = "h", .kind = TL_ARG_HEX, .number = 0xfedcba9876543210 },
		{ .name = "r", .kind = TL_ARG_REAL, .real = -0.375 },
	};
	struct tl_timeline_point at = { 1, 2, 1000 };

	begin(1000000000);
	tl_timeline_instant(on.timeline, &at, "e", args, 3);
	assert_events("{\"pid\":1,\"tid\":2,\"ph\":\"i\",\"ts\":1.000,\"s\":\"t\",\"name\":"
		      "\"e\",\"args\":{\"s\":-9223372036854775808,"
		      "\"h\":\"0xfedcba9876543210\",\"r\":-0.375}}");
}

/* "metadata events process_name/thread_name"; "numeric pid/tid"; "name escaping right" */
TEST(names)
{
	begin(1000000000);
	tl_timeline_name(on.timeline, 1, -1, "p\\");
	tl_timeline_name(on.timeline, 1, 2, "t\t");
	enter(2, 0, 0, "operator\"\"_x");
	leave(2, 1);
	assert_events("{\"pid\":1,\"tid\":1,\"ph\":\"M\",\"name\":\"process_name\",\"args\":{"
		      "\"name\":\"p\\\\\"}},\n"
		      "{\"pid\":1,\"tid\":2,\"ph\":\"M\",\"name\":\"thread_name\",\"args\":{"
		      "\"name\":\"t\\t\"}},\n"
		      "{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":0.000,\"dur\":0.001,\"name\":"
		      "\"operator\\\"\\\"_x\"}");
}

/*
 * The sum of all durations as another reader of JSON sees it, with more threads than the cache of
 * tracks has places.
 */
TEST(many_threads_are_valid_json)
{
	char *events, *sum;

	need_program("jq");
	begin(1000000000);
	for (uint64_t i = 0; i < 1000; i++)
		enter((int64_t)i, 1000 * i, (uint32_t)(i % 7), "f\"\\\xff\n");
	for (uint64_t i = 0; i < 1000; i++)
		leave((int64_t)i, 1000 * i + 2000);
	events = finish_events();
	sum = pipe_through("(echo '['; cat; echo ']') | jq -c '[length, ([.[].dur] | add), "
			   "([.[].tid] | unique | length)]'",
			   events, strlen(events));
	assert_string_equal(sum, "[1000,2000,1000]\n");
	free(sum);
	free(events);
}

/* "valid for jq at all times including zero events" */
TEST(nothing_is_valid_json)
{
	begin(1000000000);
	assert_events("");
}

/* "TL_BAD_USAGE: no such format"; not at a byte */
TEST(unknown_format)
{
	struct tl_error err;

	assert_int_equal(tl_output_open_memory(&on.out, NULL), 0);
	assert_int_equal(tl_timeline_open(&on.timeline, "none", on.out, &err), TL_BAD_USAGE);
	assert_int_equal(err.status, TL_BAD_USAGE);
	assert_true(err.offset == TL_NOWHERE);
	assert_null(on.timeline);
	tl_output_discard(on.out);
	assert_string_equal(tl_timeline_formats()[0]->name, "perfetto");
	assert_string_equal(tl_timeline_formats()[1]->name, "chrome");
	assert_null(tl_timeline_formats()[2]);
}

/*
 * "Counter events (C): args are series", of the process; a value that JSON cannot have is null. An
 * open call does not matter to them.
 */
TEST(counters_are_rows_of_their_process)
{
	const struct tl_timeline_point process = { 1, -1, 1500 }, thread = { 1, 2, 2000 };

	begin(1000000000);
	enter(2, 1000, 0, "f");
	tl_timeline_counter(on.timeline, &process, "he\"ap", 2.5);
	tl_timeline_counter(on.timeline, &thread, "n", -1);
	tl_timeline_counter(on.timeline, &thread, "n", INFINITY);
	leave(2, 3000);
	assert_events("{\"pid\":1,\"tid\":1,\"ph\":\"C\",\"ts\":1.500,\"name\":\"he\\\"ap\","
		      "\"args\":{\"value\":2.5}},\n"
		      "{\"pid\":1,\"tid\":2,\"ph\":\"C\",\"ts\":2.000,\"name\":\"n\","
		      "\"args\":{\"thread 2\":-1}},\n"
		      "{\"pid\":1,\"tid\":2,\"ph\":\"C\",\"ts\":2.000,\"name\":\"n\","
		      "\"args\":{\"thread 2\":null}},\n"
		      "{\"pid\":1,\"tid\":2,\"ph\":\"X\",\"ts\":1.000,\"dur\":2.000,\"name\":"
		      "\"f\"}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_complete_events),
		cmocka_unit_test(calls_that_begin_together),
		cmocka_unit_test(unfinished_and_orphans),
		cmocka_unit_test(times_of_odd_clocks),
		cmocka_unit_test(times_from_the_origin_on),
		cmocka_unit_test(sums_that_doubles_miss),
		cmocka_unit_test(sums_that_miss_where_nothing_is),
		cmocka_unit_test(sums_that_miss_the_end_of_others),
		cmocka_unit_test(sums_where_errors_are_large),
		cmocka_unit_test(arguments_and_instants),
		cmocka_unit_test(counters_are_rows_of_their_process),
		cmocka_unit_test(numbers_of_each_kind),
		cmocka_unit_test(names),
		cmocka_unit_test(many_threads_are_valid_json),
		cmocka_unit_test(nothing_is_valid_json),
		cmocka_unit_test(unknown_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
