/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "helper.h"

static struct timeline_fixture on = { .process = 100 };

static void begin(uint64_t frequency)
{
	begin_timeline(&on, "perfetto", frequency);
}

static void enter(int64_t thread, uint64_t ticks, uint32_t key, const char *name, const char *file,
		  uint32_t line)
{
	enter_at(&on, thread, ticks, key, name, file, line);
}

static void leave(int64_t thread, uint64_t ticks)
{
	leave_at(&on, thread, ticks);
}

/* The trace through a command, as text; for free(). */
static char *finish_through(const char *command)
{
	const char *bytes;
	size_t size;
	char *text;

	assert_int_equal(tl_timeline_finish(on.timeline, NULL), 0);
	bytes = tl_output_bytes(on.out, &size);
	text = pipe_through(command, bytes, size);
	tl_output_discard(on.out);
	return text;
}

/* Decoded by protoc with the fields of perfetto.proto, blanks squeezed. */
static char *finish_decoded(void)
{
	char command[2048];

	snprintf(command, sizeof(command),
		 "protoc --decode=Trace -I'%s' perfetto.proto | tr -s ' \\n' ' ' | sed 's/packet "
		 "{/\\npacket {/g'",
		 here());
	return finish_through(command);
}

/* The number after `key` in a text; the test fails without. */
static unsigned long long number_after(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	assert_non_null(at);
	return strtoull(at + strlen(key), NULL, 10);
}

/*
 * "TrackDescriptor packets for processes and threads; SLICE_BEGIN/SLICE_END with interned names;
 * one sequence per thread, SEQ_INCREMENTAL_STATE_CLEARED (1) on the first,
 * SEQ_NEEDS_INCREMENTAL_STATE (2) where names are interned"
 */
TEST(packets)
{
	unsigned long long process, thread;
	char *text, expected[4096];

	need_program("protoc");
	begin(1000000000);
	tl_timeline_name(on.timeline, 100, -1, "prog");
	tl_timeline_name(on.timeline, 100, 200, "worker");
	enter(200, 1000, 4, "f", "f.c", 12);
	enter(200, 2000, 4, "f", "f.c", 12);
	leave(200, 3000);
	text = finish_decoded();
	process = number_after(text, "uuid: ");
	thread = number_after(strstr(text, "uuid: ") + 6, "{ uuid: ");
	assert_true(process && thread && process != thread);
	snprintf(expected, sizeof(expected),
		 "\npacket { trusted_packet_sequence_id: 1 sequence_flags: 1 track_descriptor { "
		 "uuid: %llu "
		 "process { pid: 100 process_name: \"prog\" } } } "
		 "\npacket { trusted_packet_sequence_id: 2 sequence_flags: 1 track_descriptor { "
		 "uuid: %llu "
		 "thread { pid: 100 tid: 200 thread_name: \"worker\" } parent_uuid: %llu } } "
		 "\npacket { timestamp: 1000 trusted_packet_sequence_id: 2 track_event { type: "
		 "SLICE_BEGIN name_iid: 5 "
		 "track_uuid: %llu source_location_iid: 5 } interned_data { event_names { iid: 5 "
		 "name: \"f\" } "
		 "source_locations { iid: 5 file_name: \"f.c\" function_name: \"f\" line_number: "
		 "12 } } "
		 "sequence_flags: 2 } "
		 "\npacket { timestamp: 2000 trusted_packet_sequence_id: 2 track_event { type: "
		 "SLICE_BEGIN name_iid: 5 "
		 "track_uuid: %llu source_location_iid: 5 } sequence_flags: 2 } "
		 "\npacket { timestamp: 3000 trusted_packet_sequence_id: 2 track_event { type: "
		 "SLICE_END "
		 "track_uuid: %llu } } ",
		 process, thread, process, thread, thread, thread);
	assert_string_equal(text, expected);
	free(text);
}

/*
 * "debug annotations for args (uint, string; bytes as lower-case hex string)"; an instant carries
 * its own name
 */
TEST(arguments_and_instants)
{
	const struct tl_timeline_arg args[] = {
		{ .name = "n", .kind = TL_ARG_NUMBER, .number = UINT64_MAX },
		{ .name = "t",
		  .kind = TL_ARG_TEXT,
		  .data = "a\"\xff"
			  "b",
		  .size = 4 },
		{ .name = "b", .kind = TL_ARG_BYTES, .data = "\x00\xAB", .size = 2 },
	};
	struct tl_timeline_point at = { 100, 200, 7 };
	char *text;

	need_program("protoc");
	begin(0);
	tl_timeline_enter(on.timeline, &at, 0, "f", "", 0, args, 3);
	tl_timeline_instant(on.timeline, &at, "mark", args, 1);
	text = finish_decoded();
	/* protoc escapes bytes over 0x7f: U+FFFD is 357 277 275 */
	assert_contains(text,
			"\npacket { timestamp: 7 trusted_packet_sequence_id: 1 track_event { "
			"debug_annotations { uint_value: 18446744073709551615 name: \"n\" } "
			"debug_annotations { string_value: \"a\\\"\\357\\277\\275b\" name: \"t\" } "
			"debug_annotations { string_value: \"00ab\" name: \"b\" } type: "
			"SLICE_BEGIN name_iid: 1 ");
	assert_contains(text, "\npacket { timestamp: 7 trusted_packet_sequence_id: 1 track_event { "
			      "debug_annotations { uint_value: 18446744073709551615 name: \"n\" } "
			      "type: INSTANT ");
	assert_contains(text, " name: \"mark\" } } ");
	assert_lacks(text, "source_location");
	free(text);
}

/* DebugAnnotation of Perfetto: int_value, double_value, pointer_value (shown in hexadecimal). */
TEST(numbers_of_each_kind)
{
	const struct tl_timeline_arg args[] = {
		{ .name = "s", .kind = TL_ARG_SIGNED, .number = (uint64_t)INT64_MIN },
		{ .name = "h", .kind = TL_ARG_HEX, .number = 0xfedcba9876543210 },
		{ .name = "r", .kind = TL_ARG_REAL, .real = -0.375 },
	};
	struct tl_timeline_point at = { 100, 200, 7 };
	char *text;

	need_program("protoc");
	begin(0);
	tl_timeline_instant(on.timeline, &at, "mark", args, 3);
	text = finish_decoded();
	assert_contains(text, "debug_annotations { int_value: -9223372036854775808 name: \"s\" } "
			      "debug_annotations { pointer_value: 18364758544493064720 name: "
			      "\"h\" } debug_annotations { double_value: -0.375 name: \"r\" } ");
	free(text);
}

/*
 * "timestamps in ns, converted exactly: ticks * 10^9 / frequency"; what does not fit is the end of
 * the range
 */
TEST(timestamps)
{
	char *text;

	need_program("protoc");
	begin(2596134000);
	/* 2^63 ticks: 9223372036854775808 * 10^9 / 2596134000 = 3552733424721056697.38, by bc */
	enter(1, UINT64_C(1) << 63, 0, "f", "", 0);
	text = finish_decoded();
	assert_contains(text, "timestamp: 3552733424721056697 ");
	free(text);
	begin(UINT64_C(30000000000));
	/* 30 GHz: 100 ticks are 3.33 ns */
	enter(1, UINT64_C(30000000100), 0, "f", "", 0);
	text = finish_decoded();
	assert_contains(text, "timestamp: 1000000003 ");
	free(text);
	begin(1);
	enter(1, UINT64_MAX, 0, "f", "", 0);
	text = finish_decoded();
	assert_contains(text, "timestamp: 18446744073709551615 ");
	free(text);
}

/*
 * Each thread is a track and a sequence of its own that interns its own names; process -1 is no
 * obstacle.
 */
TEST(threads_are_apart)
{
	struct tl_timeline_point at = { -1, 5, 1 };
	char *text;

	need_program("protoc");
	begin(0);
	for (int64_t i = 0; i < 300; i++)
		enter(i, 1, 70, "f", "", 0);
	for (int64_t i = 0; i < 300; i++)
		leave(i, 2);
	tl_timeline_enter(on.timeline, &at, 70, "f", "", 0, NULL, 0);
	tl_timeline_leave(on.timeline, &at);
	tl_timeline_leave(on.timeline, &at); /* no open call: nothing */
	text = finish_through("protoc --decode_raw >/dev/null && cat /dev/null");
	assert_string_equal(text, "");
	free(text);
}

TEST(counts_of_threads)
{
	char *text, command[2048];

	need_program("protoc");
	begin(0);
	for (int64_t i = 0; i < 300; i++)
		enter(i, 1, 70, "f", "", 0);
	for (int64_t i = 0; i < 300; i++)
		leave(i, 2);
	snprintf(command, sizeof(command),
		 "protoc --decode=Trace -I'%s' perfetto.proto | sort | uniq -c | sort | sed 's/^ "
		 "*//' | "
		 "grep -E 'type|iid: 71|flags|pid'",
		 here());
	text = finish_through(command);
	/* 300 threads and their process; 300 names interned, 300 begun and ended */
	assert_contains(text, "300     type: SLICE_BEGIN\n");
	assert_contains(text, "300     type: SLICE_END\n");
	assert_contains(text, "300       iid: 71\n");
	assert_contains(text, "300   sequence_flags: 2\n");
	assert_contains(text, "301   sequence_flags: 1\n");
	assert_contains(text, "301       pid: 100\n");
	free(text);
	begin(0);
	for (int64_t i = 0; i < 300; i++)
		enter(i, 1, 70, "f", "", 0);
	snprintf(command, sizeof(command),
		 "protoc --decode=Trace -I'%s' perfetto.proto | grep ' uuid:' | sort -u | wc -l",
		 here());
	text = finish_through(command);
	assert_string_equal(text, "301\n");
	free(text);
}

/*
 * Of a counter: a TrackDescriptor with a CounterDescriptor below its thread's or process's track,
 * once; then events of TYPE_COUNTER with double_counter_value.
 */
TEST(counters_are_tracks_of_their_own)
{
	const struct tl_timeline_point thread = { 100, 2, 10 }, process = { 100, -1, 30 };
	unsigned long long uuid, parent;
	const char *at;
	char *text;

	need_program("protoc");
	begin(1000000000);
	tl_timeline_counter(on.timeline, &thread, "heap", 1.5);
	tl_timeline_counter(on.timeline, &(struct tl_timeline_point){ 100, 2, 20 }, "heap", -2);
	tl_timeline_counter(on.timeline, &process, "heap", 3);
	text = finish_decoded();
	/* the process, the thread, the counter, two values; the other counter, its value */
	at = strstr(text, "tid: 2");
	assert_non_null(at);
	parent = number_after(text, "track_descriptor { uuid: ");
	at = strstr(at, "name: \"heap\" parent_uuid: ");
	assert_non_null(at);
	assert_true(number_after(at, "parent_uuid: ") != parent);
	at = strstr(at, "counter { }");
	assert_non_null(at);
	at = strstr(at, "timestamp: 10 ");
	assert_non_null(at);
	uuid = number_after(at, "track_uuid: ");
	assert_true(number_after(at, "double_counter_value: 1.") == 5);
	at = strstr(at, "timestamp: 20 ");
	assert_non_null(at);
	assert_int_equal(number_after(at, "type: COUNTER track_uuid: "), uuid);
	assert_non_null(strstr(at, "double_counter_value: -2 "));
	at = strstr(at, "name: \"heap\" parent_uuid: ");
	assert_non_null(at);
	assert_int_equal(number_after(at, "parent_uuid: "), parent);
	assert_true(number_after(at, "track_uuid: ") != uuid);
	assert_non_null(strstr(at, "double_counter_value: 3 "));
	free(text);
}

/* A track is announced before the first of its events, whatever that is, and once. */
TEST(instants_announce_their_tracks_once)
{
	char *text, command[2048];

	need_program("protoc");
	begin(0);
	for (uint64_t i = 0; i < 20; i++)
		tl_timeline_instant(on.timeline,
				    &(struct tl_timeline_point){ 100, (int64_t)i % 2, i }, "mark",
				    NULL, 0);
	snprintf(command, sizeof(command),
		 "protoc --decode=Trace -I'%s' perfetto.proto | grep -E 'type: INSTANT|  pid:' | "
		 "sort | uniq -c | tr -s ' \\n' ' '",
		 here());
	text = finish_through(command);
	assert_string_equal(text, " 3 pid: 100 20 type: INSTANT ");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets),
		cmocka_unit_test(arguments_and_instants),
		cmocka_unit_test(counters_are_tracks_of_their_own),
		cmocka_unit_test(numbers_of_each_kind),
		cmocka_unit_test(timestamps),
		cmocka_unit_test(threads_are_apart),
		cmocka_unit_test(counts_of_threads),
		cmocka_unit_test(instants_announce_their_tracks_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
