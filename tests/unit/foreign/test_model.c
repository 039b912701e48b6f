/* SPDX-License-Identifier: Apache-2.0 */
/* What profiles of other tools share: the tree of stacks, what `info` tells, numbers, faults. */
#include "text.h"

#include "chrome_trace/chrome_trace.h"
#include "folded/folded.h"
#include "foreign/json.h"
#include "perf_script/perf_script.h"
#include "speedscope/speedscope.h"

/* ---- stacks ---- */

enum { MANY = 3000 };

/* "A part is a process, a thread and a command": each that differs in one of them is another. */
TEST(parts_are_told_apart)
{
	struct tl_foreign_stacks s;
	uint32_t numbers[MANY];

	assert_true(tl_foreign_stacks_begin(&s));
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t i = 0; i < MANY; i++) {
			const struct tl_foreign_part part = { .process = i % 10,
							      .thread = i / 10 % 10,
							      .command = i / 100 };
			const uint32_t number = tl_foreign_stacks_part(&s, &part);

			if (!round)
				numbers[i] = number;
			assert_int_equal(number, i);
			assert_int_equal(number, numbers[i]);
		}
	assert_int_equal(s.part_count, MANY);
	tl_foreign_stacks_free(&s);
}

/* "A frame is a name, an object, a file and a line." */
TEST(frames_are_told_apart)
{
	struct tl_foreign_stacks s;

	assert_true(tl_foreign_stacks_begin(&s));
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t i = 0; i < MANY; i++) {
			const struct tl_foreign_frame frame = {
				i % 7,
				i / 7 % 7,
				i / 49 % 7,
				i / 343,
			};

			assert_int_equal(tl_foreign_stacks_frame(&s, &frame), i);
		}
	assert_int_equal(s.frame_count, MANY);
	tl_foreign_stacks_free(&s);
}

/* Nodes keep their numbers, parents and costs while the tree grows; what overflows is told. */
TEST(a_tree_of_many_nodes)
{
	struct tl_foreign_stacks s;
	uint32_t first, event;

	assert_true(tl_foreign_stacks_begin(&s));
	event = tl_foreign_stacks_event(&s, "e", 1, "u");
	first = tl_foreign_stacks_child(&s, 0, 0);
	for (unsigned round = 1; round <= 2; round++)
		for (uint32_t i = 0; i < 4 * MANY; i++) {
			const uint32_t parent = i ? first + 1 + (i - 1) / 3 : first;
			const uint32_t node = tl_foreign_stacks_child(&s, parent, i % 3);

			assert_int_equal(node, first + 1 + i);
			assert_int_equal(s.tree.nodes[node].parent, parent);
			assert_true(tl_foreign_stacks_count(&s, node, event, i));
			assert_int_equal(s.events[event].costs[node], round * i);
		}
	assert_int_equal(s.saturated, 0);
	assert_true(tl_foreign_stacks_count(&s, first, event, INT64_MIN));
	assert_true(tl_foreign_stacks_count(&s, first, event, -1));
	assert_int_equal(s.events[event].costs[first], INT64_MIN);
	assert_int_equal(s.saturated, 1);
	tl_foreign_stacks_free(&s);
}

/* 64 kinds of cost are kept apart; the last one is that of all others, which it says. */
TEST(events_beyond_the_most)
{
	struct tl_foreign_stacks s;
	char name[16];

	assert_true(tl_foreign_stacks_begin(&s));
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 100; i++) {
			snprintf(name, sizeof(name), "event %u", i);
			assert_int_equal(tl_foreign_stacks_event(&s, name, strlen(name), "u"),
					 i < 63 ? i : 63);
		}
	assert_int_equal(s.event_count, 64);
	assert_string_equal(s.names.names[s.events[62].name].text, "event 62");
	assert_string_equal(s.names.names[s.events[63].name].text, "other events");
	assert_string_equal(s.names.names[s.events[0].unit].text, "u");
	tl_foreign_stacks_free(&s);
}

/* Decimals raise an event to thousandths and on; what then does not fit is told. */
TEST(costs_with_decimals)
{
	static const struct {
		int exponent;
		unsigned places;
		int64_t cost; /* of 5 and then 7 * 10^exponent */
	} cases[] = {
		{ 0, 0, 12 },          { 1, 0, 75 },          { -1, 3, 5700 },
		{ -3, 3, 5007 },       { -4, 6, 5000700 },    { -6, 6, 5000007 },
		{ -7, 9, 5000000700 }, { -9, 9, 5000000007 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tl_decimal five = { .digits = 5 };
		const struct tl_decimal seven = { .digits = 7, .exponent = cases[i].exponent };
		struct tl_foreign_stacks s;

		assert_true(tl_foreign_stacks_begin(&s));
		tl_foreign_stacks_event(&s, "e", 1, "u");
		assert_true(tl_foreign_stacks_count_decimal(&s, 1, 0, &five));
		assert_true(tl_foreign_stacks_count_decimal(&s, 2, 0, &five));
		assert_true(tl_foreign_stacks_count_decimal(&s, 1, 0, &seven));
		assert_int_equal(s.events[0].places, cases[i].places);
		assert_int_equal(s.events[0].costs[1], cases[i].cost);
		assert_int_equal(s.saturated + s.rounded, 0);
		tl_foreign_stacks_free(&s);
	}
}

TEST(costs_that_do_not_fit_when_they_are_raised)
{
	const struct tl_decimal tenth = { .digits = 1, .exponent = -1 };
	const struct tl_decimal small = { .digits = 1, .exponent = -10 };
	struct tl_foreign_stacks s;

	assert_true(tl_foreign_stacks_begin(&s));
	tl_foreign_stacks_event(&s, "e", 1, "u");
	assert_true(tl_foreign_stacks_count(&s, 1, 0, INT64_MAX / 100));
	assert_true(tl_foreign_stacks_count(&s, 2, 0, INT64_MIN / 100));
	assert_true(tl_foreign_stacks_count(&s, 3, 0, INT64_MAX / 1000));
	assert_true(tl_foreign_stacks_count_decimal(&s, 4, 0, &tenth));
	assert_int_equal(s.events[0].costs[1], INT64_MAX);
	assert_int_equal(s.events[0].costs[2], INT64_MIN);
	assert_int_equal(s.events[0].costs[3], INT64_MAX / 1000 * 1000);
	assert_int_equal(s.events[0].costs[4], 100);
	assert_int_equal(s.saturated, 2);
	assert_int_equal(s.rounded, 0);
	assert_true(tl_foreign_stacks_count_decimal(&s, 5, 0, &small));
	assert_int_equal(s.rounded, 1);
	assert_int_equal(s.events[0].places, 9);
	tl_foreign_stacks_free(&s);
}

/* ---- numbers of JSON ---- */

TEST(decimals_are_written_with_the_same_value)
{
	static const struct {
		struct tl_decimal number;
		const char *text;
	} cases[] = {
		{ { .digits = 0 }, "0" },
		{ { .digits = 15 }, "15" },
		{ { .digits = 15, .exponent = -1 }, "1.5" },
		{ { .digits = 15, .exponent = -2 }, "0.15" },
		{ { .digits = 15, .exponent = -4 }, "0.0015" },
		{ { .digits = 15, .exponent = -4, .negative = true }, "-0.0015" },
		{ { .digits = 5, .exponent = -7 }, "0.0000005" },
		{ { .digits = 5, .exponent = -8 }, "5e-8" },
		{ { .digits = 12345, .exponent = -2 }, "123.45" },
		{ { .digits = 5, .exponent = 2 }, "5e2" },
		{ { .digits = UINT64_MAX, .exponent = -19 }, "1.8446744073709551615" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_output *out;
		size_t size;

		assert_int_equal(tl_output_open_memory(&out, NULL), 0);
		tl_foreign_put_decimal(out, &cases[i].number);
		tl_output_write(out, "", 1);
		assert_string_equal(tl_output_bytes(out, &size), cases[i].text);
		tl_output_discard(out);
	}
}

/* ---- info ---- */

static void expect_info(const struct tl_foreign_reader *reader, const char *text, bool json,
			const char *wanted)
{
	struct tl_output *out;
	struct text t;
	size_t size;

	text_read(&t, reader, text);
	assert_int_equal(t.status, 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	tl_foreign_describe(&t.foreign, json, out);
	tl_output_write(out, "", 1);
	assert_string_equal(tl_output_bytes(out, &size), wanted);
	tl_output_discard(out);
	text_close(&t);
}

TEST(info_of_stacks)
{
	static const char folded[] = "a;b 1.5\na 2.0001\nzz\n";

	expect_info(&tl_folded_reader, folded, false,
		    "format: folded\nlines: 3\nstacks: 2\nfunctions: 2\nparts: 1\nevents:\n  -\n"
		    "    name: samples\n    unit: samples\ndamaged: 2\nskipped bytes: 3\n");
	expect_info(&tl_folded_reader, folded, true,
		    "{\"format\":\"folded\",\"lines\":3,\"stacks\":2,\"functions\":2,\"parts\":1,"
		    "\"events\":[{\"name\":\"samples\",\"unit\":\"samples\"}],\"damaged\":2,"
		    "\"skipped_bytes\":3}\n");
	expect_info(
		&tl_perf_script_reader,
		"p 1 1.0: 5 cycles: \n\t 1 f (x)\n\t 2 g (x)\n\nq 2 1.0: faults: \n\t 1 f (x)\n\n",
		true,
		"{\"format\":\"perf-script\",\"lines\":7,\"samples\":2,\"call_chains\":1,"
		"\"functions\":2,"
		"\"parts\":2,\"events\":[{\"name\":\"cycles\",\"unit\":\"\"},"
		"{\"name\":\"cycles.samples\",\"unit\":\"samples\"},"
		"{\"name\":\"faults\",\"unit\":\"\"},"
		"{\"name\":\"faults.samples\",\"unit\":\"samples\"}],\"damaged\":0,"
		"\"skipped_bytes\":0}\n");
}

#define X(name, ts, dur)                                                                           \
	"{\"ph\":\"X\",\"name\":\"" name "\",\"ts\":" ts ",\"dur\":" dur ",\"pid\":1,\"tid\":2}"

/* From the first begin to the last end: 5 s to 9.5 s, and from -1 s to 2 s. */
TEST(info_of_calls)
{
	expect_info(&tl_chrome_reader,
		    "[" X("a", "5e6", "45e5") "," X("b", "6e6", "1") ",{\"ph\":\"C\",\"ts\":1}]",
		    true,
		    "{\"format\":\"chrome-trace\",\"complete_events\":2,\"begin_events\":0,"
		    "\"end_events\":0,\"instants\":0,\"metadata\":0,\"counters\":1,"
		    "\"asynchronous_events\":0,\"flow_events\":0,\"other_events\":0,"
		    "\"functions\":2,\"threads\":1,\"seconds\":4.5,\"damaged\":1,"
		    "\"skipped_bytes\":0}\n");
	expect_info(&tl_chrome_reader,
		    "[" X("a", "-1e6", "1") ",{\"ph\":\"B\",\"name\":\"b\",\"ts\":2e6,\"pid\":1,"
					    "\"tid\":3}]",
		    true,
		    "{\"format\":\"chrome-trace\",\"complete_events\":1,\"begin_events\":1,"
		    "\"end_events\":0,\"instants\":0,\"metadata\":0,\"counters\":0,"
		    "\"asynchronous_events\":0,\"flow_events\":0,\"other_events\":0,"
		    "\"functions\":2,\"threads\":2,\"seconds\":3,\"damaged\":0,"
		    "\"skipped_bytes\":0}\n");
}

/* "All are counted in 1/1000000 of it": as many as the most decimals need. */
TEST(decimals_are_told)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "a 1.5\n", "in 1/1000 of it" },
		{ "a 1.5\nb 0.0005\n", "in 1/1000000 of it" },
		{ "a 0.0000001\n", "in 1/1000000000 of it" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text t;

		text_read(&t, &tl_folded_reader, cases[i].text);
		assert_int_equal(t.foreign.faults.count, 1);
		text_expect_fault(&t, 0, TL_OK, TL_NOWHERE, TL_NOWHERE, cases[i].words);
		text_close(&t);
	}
}

/* ---- strict ---- */

/* A JSON text that is cut is none: with faults that are errors, each prefix of an object is one. */
TEST(each_prefix_of_an_object_is_an_error_where_faults_are)
{
	static const struct {
		const struct tl_foreign_reader *reader;
		const char *text;
	} cases[] = {
		{ &tl_chrome_reader,
		  "{\"a\":{\"b\":[1]},\"traceEvents\":[" X("a", "1", "2") "],\"x\":[1,\"y\"]}" },
		{ &tl_speedscope_reader,
		  "{\"profiles\":[{\"unit\":\"none\",\"type\":\"sampled\",\"samples\":[[0]],"
		  "\"weights\":[5]},{\"type\":\"evented\",\"events\":[{\"type\":\"O\",\"frame\":0,"
		  "\"at\":1},{\"type\":\"C\",\"frame\":0,\"at\":2}]}],\"shared\":{\"frames\":"
		  "[{\"name\":\"f\",\"line\":3}]},\"x\":{\"y\":[]}}" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const size_t size = strlen(cases[i].text);
		struct text t;

		for (size_t n = 1; n <= size; n++) {
			text_read_sized(&t, cases[i].reader, cases[i].text, n, true,
					text_options());
			assert_int_equal(t.status < 0, n < size);
			if (n < size)
				assert_true(t.error.offset <= n);
			text_close(&t);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_told_apart),
		cmocka_unit_test(frames_are_told_apart),
		cmocka_unit_test(a_tree_of_many_nodes),
		cmocka_unit_test(events_beyond_the_most),
		cmocka_unit_test(costs_with_decimals),
		cmocka_unit_test(costs_that_do_not_fit_when_they_are_raised),
		cmocka_unit_test(decimals_are_written_with_the_same_value),
		cmocka_unit_test(info_of_stacks),
		cmocka_unit_test(info_of_calls),
		cmocka_unit_test(decimals_are_told),
		cmocka_unit_test(each_prefix_of_an_object_is_an_error_where_faults_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
