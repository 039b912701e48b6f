/* SPDX-License-Identifier: Apache-2.0 */
/* speedscope's JSON (docs/formats/speedscope.md): the expected sums are counted by hand. */
#include "../foreign/text.h"

#include "speedscope/speedscope.h"

#define FRAMES                                                                                     \
	"\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\",\"file\":\"b.c\",\"line\":7}]}"

/* "A sampled profile: stacks, root first, and a weight for each." In any order of the members. */
TEST(samples_in_any_order_of_members)
{
	static const char *const texts[] = {
		"{" FRAMES ",\"profiles\":[{\"type\":\"sampled\",\"name\":\"T\",\"unit\":\"none\","
		"\"startValue\":0,\"endValue\":7,\"samples\":[[0],[0,1],[1,0],[0]],"
		"\"weights\":[1,2,4,8]}]}",
		"{\"x\":{\"y\":[1,{}]},\"profiles\":[{\"weights\":[1,2,4,8],\"samples\":[[0],[0,1],"
		"[1,0],[0]],\"unit\":\"none\",\"name\":\"T\",\"type\":\"sampled\"}]," FRAMES "}",
	};

	for (size_t i = 0; i < 2; i++) {
		struct text t;

		text_read(&t, &tl_speedscope_reader, texts[i]);
		text_expect_stacks(&t, 0, "a 9\na;b 2\nb;a 4\n");
		assert_int_equal(t.foreign.faults.count, 0);
		assert_string_equal(tl_profile_part(t.profile, 0)->command, "T");
		assert_int_equal(tl_profile_part(t.profile, 0)->thread, 0);
		assert_int_equal(tl_profile_function(t.profile, 1)->line, 7);
		assert_string_equal(tl_profile_function(t.profile, 1)->file, "b.c");
		text_close(&t);
	}
}

/* "Units of time are counted in nanoseconds", exactly. */
TEST(units)
{
	static const struct {
		const char *unit, *event, *expected;
	} cases[] = {
		{ "nanoseconds", "Ticks", "a 3\n" },
		{ "microseconds", "Ticks", "a 2500\n" },
		{ "milliseconds", "Ticks", "a 2500000\n" },
		{ "seconds", "Ticks", "a 2500000000\n" },
		{ "bytes", "bytes", "a 2500\n" },
		{ "none", "weight", "a 2500\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[512];
		struct text t;

		snprintf(text, sizeof(text),
			 "{" FRAMES ",\"profiles\":[{\"type\":\"sampled\",\"unit\":\"%s\","
			 "\"samples\":[[0]],\"weights\":[25e-1]}]}",
			 cases[i].unit);
		text_read(&t, &tl_speedscope_reader, text);
		assert_string_equal(tl_profile_event(t.profile, 0)->name, cases[i].event);
		text_expect_stacks(&t, 0, cases[i].expected);
		text_close(&t);
	}
}

#define EVENTS(list)                                                                               \
	"{" FRAMES ",\"profiles\":[{\"type\":\"evented\",\"unit\":\"microseconds\","               \
	"\"startValue\":0,\"endValue\":9,\"events\":[" list "]}]}"
#define OPEN(frame, at) "{\"type\":\"O\",\"frame\":" #frame ",\"at\":" #at "}"
#define CLOSE(frame, at) "{\"at\":" #at ",\"frame\":" #frame ",\"type\":\"C\"}"

/* "An evented profile: calls, with their durations." */
TEST(events_are_calls)
{
	struct tl_function_totals totals;
	struct tl_latency latency;
	struct text t;

	text_read(&t, &tl_speedscope_reader,
		  EVENTS(OPEN(0, 1) "," OPEN(1, 1.5) "," CLOSE(1, 4) "," OPEN(1, 4) "," CLOSE(
			  1, 5) "," CLOSE(0, 9)));
	text_expect_stacks(&t, 0, "a 4500\na;b 3500\n");
	assert_int_equal(t.foreign.faults.count, 0);
	assert_true(tl_profile_timed(t.profile));
	assert_int_equal(tl_profile_frequency(t.profile), 1000000000);
	tl_profile_function_totals(t.profile, 1, TL_NONE, &totals, sizeof(totals));
	assert_int_equal(totals.calls, 2);
	assert_true(tl_profile_latency(t.profile, 1, TL_NONE, &latency, sizeof(latency)));
	assert_int_equal(latency.min, 1000);
	assert_int_equal(latency.max, 2500);
	text_close(&t);
}

/* "Events that are not in order are sorted, and that is said"; ends without a begin, too. */
TEST(events_out_of_order)
{
	struct text t;

	text_read(
		&t, &tl_speedscope_reader,
		EVENTS(OPEN(0, 1) "," CLOSE(0, 9) "," OPEN(1, 2) "," CLOSE(1, 4) "," CLOSE(1, 4)));
	text_expect_stacks(&t, 0, "a 6000\na;b 2000\n");
	assert_int_equal(t.foreign.faults.count, 2);
	assert_non_null(strstr(t.foreign.faults.list[0].text, "sorted"));
	assert_non_null(strstr(t.foreign.faults.list[1].text, "1 ends of calls have no begin"));
	text_close(&t);
}

/* "A file with samples and events is one of stacks." */
TEST(samples_beside_events)
{
	struct text t;

	text_read(&t, &tl_speedscope_reader,
		  "{\"profiles\":[{\"type\":\"evented\",\"unit\":\"milliseconds\",\"events\":"
		  "[" OPEN(0, 1) "," OPEN(1, 2) "," CLOSE(1, 4) "," CLOSE(
			  0, 8) "]},"
				"{\"type\":\"sampled\",\"unit\":\"bytes\",\"samples\":[[1]],"
				"\"weights\":[5]},"
				"{\"type\":\"sampled\",\"unit\":\"seconds\",\"samples\":[[0]],"
				"\"weights\":[1]}]," FRAMES "}");
	assert_int_equal(tl_profile_event_count(t.profile), 2);
	text_expect_stacks(&t, 0, "b 5\n");
	text_expect_stacks(&t, 1, "a 1005000000\na;b 2000000\n");
	assert_int_equal(tl_profile_part_count(t.profile), 3);
	text_close(&t);
}

TEST(bad_elements_cost_themselves)
{
	static const char text[] = "{\"profiles\":[{\"type\":\"sampled\",\"unit\":\"none\","
				   "\"samples\":[[0],[x],[0,1],3,"
				   "[9]],\"weights\":[1,2,4,8,16]}]," FRAMES "}";
	struct text t;

	text_read(&t, &tl_speedscope_reader, text);
	text_expect_stacks(&t, 0, "??? 16\na 1\na;b 4\n");
	text_expect_fault(&t, 0, TL_BAD_RECORD, (uint64_t)(strstr(text, "x]") - text), 1,
			  "not a value of JSON");
	text_expect_fault(&t, 1, TL_BAD_RECORD, (uint64_t)(strstr(text, "3,[9]") - text), 3,
			  "no list of frames");
	assert_non_null(
		strstr(t.foreign.faults.list[2].text, "up to number 9 are used, the file has 2"));
	assert_int_equal(t.foreign.faults.count, 3);
	text_close(&t);
	text_read_sized(&t, &tl_speedscope_reader, text, strlen(text), true, text_options());
	assert_int_equal(t.status, TL_BAD_RECORD);
	assert_int_equal(t.error.offset, strstr(text, "x]") - text);
	text_close(&t);
}

/* "A sample without frames: its weight is in no function and in no total, and told." */
TEST(samples_without_frames)
{
	struct text t;

	text_read(&t, &tl_speedscope_reader,
		  "{" FRAMES ",\"profiles\":[{\"type\":\"sampled\",\"unit\":\"bytes\","
		  "\"samples\":[[0],[],[],[]],\"weights\":[1,2,0,4]}]}");
	text_expect_stacks(&t, 0, "a 1\n");
	assert_int_equal(tl_profile_total(t.profile)[0], 1);
	assert_int_equal(t.foreign.faults.count, 1);
	text_expect_fault(&t, 0, TL_OK, TL_NOWHERE, TL_NOWHERE, "2 samples have no frames");
	text_close(&t);
}

/* What is no frame keeps its number, so that those behind it keep theirs. */
TEST(frames_that_are_none)
{
	static const char text[] = "{\"shared\":{\"frames\":[{\"name\":\"a\"},7,[{}],"
				   "{\"name\":\"b\"}]},\"profiles\":[{\"type\":\"sampled\","
				   "\"unit\":\"none\",\"samples\":[[0],[1],[3]],"
				   "\"weights\":[1,2,4]}]}";
	struct text t;

	text_read(&t, &tl_speedscope_reader, text);
	text_expect_stacks(&t, 0, "??? 2\na 1\nb 4\n");
	assert_int_equal(t.foreign.faults.count, 2);
	text_expect_fault(&t, 0, TL_BAD_RECORD, (uint64_t)(strstr(text, "7,") - text), 1,
			  "no object");
	text_expect_fault(&t, 1, TL_BAD_RECORD, (uint64_t)(strstr(text, "[{}]") - text), 2,
			  "no object");
	text_close(&t);
}

/* A sample of a number that no frame can have is left out, and told. */
TEST(numbers_that_no_frame_has)
{
	static const char *const numbers[] = { "-1", "0.5", "4294967295", "18446744073709551616" };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		char text[256];
		struct text t;

		snprintf(text, sizeof(text),
			 "{\"profiles\":[{\"type\":\"sampled\",\"unit\":\"none\","
			 "\"samples\":[[0],[0,%s]],\"weights\":[1,2]}]," FRAMES "}",
			 numbers[i]);
		text_read(&t, &tl_speedscope_reader, text);
		text_expect_stacks(&t, 0, "a 1\n");
		assert_int_equal(t.foreign.faults.count, 1);
		assert_int_equal(t.foreign.faults.list[0].status, TL_BAD_RECORD);
		text_close(&t);
	}
}

/* A file that is cut keeps what is before the cut. */
TEST(a_cut_file)
{
	static const char text[] =
		"{" FRAMES ",\"profiles\":[{\"type\":\"sampled\",\"unit\":\"none\","
		"\"weights\":[1,2,4],\"samples\":[[0],[0,1],[0";
	struct text t;

	text_read(&t, &tl_speedscope_reader, text);
	text_expect_stacks(&t, 0, "a 1\na;b 2\n");
	text_expect_fault(&t, 0, TL_TRUNCATED, strlen(text), 2, "ends inside");
	text_close(&t);
}

TEST(probing)
{
	static const char schema[] = "{\"$schema\":\"https://www.speedscope.app/"
				     "file-format-schema.json\"";
	static const char plain[] = " {\"version\":1,\"shared\":{\"frames\":[]},\"profiles\":[]}";

	assert_int_equal(tl_speedscope_probe((const uint8_t *)schema, sizeof(schema) - 1), 100);
	assert_int_equal(tl_speedscope_probe((const uint8_t *)plain, sizeof(plain) - 1), 70);
	assert_int_equal(tl_speedscope_probe((const uint8_t *)"[]", 2), 0);
	assert_int_equal(tl_speedscope_probe((const uint8_t *)"", 0), 0);
}

TEST(damage)
{
	text_damage(
		&tl_speedscope_reader,
		"{\"profiles\":[{\"type\":\"evented\",\"unit\":\"seconds\",\"events\":[" OPEN(
			0,
			1) "," CLOSE(0,
				     8) "]},{\"samples\":[[1],[0,1]],\"weights\":[5,1.5]}]," FRAMES
					"}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_without_frames),
		cmocka_unit_test(samples_in_any_order_of_members),
		cmocka_unit_test(units),
		cmocka_unit_test(events_are_calls),
		cmocka_unit_test(events_out_of_order),
		cmocka_unit_test(samples_beside_events),
		cmocka_unit_test(bad_elements_cost_themselves),
		cmocka_unit_test(frames_that_are_none),
		cmocka_unit_test(numbers_that_no_frame_has),
		cmocka_unit_test(a_cut_file),
		cmocka_unit_test(probing),
		cmocka_unit_test(damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
