/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace on a timeline (src/timeline/), of which the test is the consumer: each call of the
 * timeline is a line of text. Expected times are added up by hand from the records below.
 */
#include "drawn_threads.h"

#include <tracelathe/export.h>

#include "../told_timeline.h"

#include <stdio.h>

#include "xray/listing/timeline.h"

/* ---- traces ---- */

/* clang-format off */
static const struct tl_xray_fold_options all = {
	.size = sizeof(all), .thread = TL_NOWHERE, .process = TL_NOWHERE, .cpu = TL_NOWHERE,
};
/* clang-format on */

/* Two threads of process 1; the second one is at thread 3. */
static void put_trace(struct bytes *b)
{
	size_t start;

	put_header(b, 5, FDR, 1000, 16384);
	start = begin_block(b, 1, 2, 100);
	put_function(b, ENTER, 5, 0);       /* 100 */
	put_function(b, ENTER_ARGS, 6, 10); /* 110 */
	put_argument(b, 255);
	put_custom(b, 5, 0, "text", 4);   /* 115 */
	put_typed(b, 5, 77, "plain", 5);  /* 120 */
	put_new_cpu(b, 3, 130);           /* 130 */
	put_new_cpu(b, 3, 131);           /* the same processor: no migration */
	put_function(b, EXIT, 6, 4);      /* 135 */
	put_function(b, EXIT, 9, 1);      /* 136: was never entered */
	put_function(b, ENTER, 7, 1);     /* 137 */
	put_function(b, TAIL_EXIT, 5, 3); /* 140: ends 7, too */
	end_block(b, start);
	start = begin_block(b, 1, 3, 200);
	put_function(b, ENTER, 5, 0); /* 200: does not end */
	end_block(b, start);
}

static void expect_decoded(const struct tl_xray_fold_options *limits, const char *function,
			   struct tl_xray_decoders *decoders, int status, const char *expected)
{
	struct tl_xray_select select = { .limits = *limits, .decoders = decoders };
	struct tl_timeline *timeline;
	struct bytes b = { 0 };
	struct tl_output *out;
	struct trace t;

	put_trace(&b);
	open_trace(&t, &b, NULL);
	assert_int_equal(tl_xray_names_begin(&select.names, NULL, function, NULL, NULL), 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	timeline = tl_timeline_new(&told_ops, out);
	assert_non_null(timeline);
	assert_int_equal(tl_xray_timeline(t.reader, &select, timeline, &t.err), 0);
	assert_false(tl_timeline_failed(timeline));
	assert_int_equal(tl_timeline_finish(timeline, &t.err), status);
	assert_string_equal(told_text(out), expected);
	tl_output_discard(out);
	tl_xray_names_end(&select.names);
	close_trace(&t);
	free_bytes(&b);
}

static void expect(const struct tl_xray_fold_options *limits, const char *function, int status,
		   const char *expected)
{
	expect_decoded(limits, function, NULL, status, expected);
}

/* "exits without an entry are left out, and a call that ... ends where the fold ends it" */
TEST(calls_events_and_migrations)
{
	expect(&all, NULL, 0,
	       "begin 1000\n"
	       "name 1/-1 process 1\n"
	       "name 1/2 thread 2\n"
	       "enter 2 100 #5\n"
	       "enter 2 110 #6 arg0=255\n"
	       "instant 2 115 custom event data=text\n"
	       "instant 2 120 typed event data=plain type=77\n"
	       "instant 2 130 cpu migration cpu=3\n"
	       "leave 2 135\n"
	       "enter 2 137 #7\n"
	       "leave 2 140\n"
	       "leave 2 140\n"
	       "name 1/-1 process 1\n"
	       "name 1/3 thread 3\n"
	       "enter 3 200 #5\n"
	       "end, origin 100\n");
}

/* "A call that was not shown when it began is not shown when it ends." [110, 130) */
TEST(a_window_shows_what_begins_in_it)
{
	struct tl_xray_fold_options window = all;

	window.from_ticks = 110;
	window.to_ticks = 130;
	window.thread = 2;
	expect(&window, NULL, 0,
	       "begin 1000\n"
	       "name 1/-1 process 1\n"
	       "name 1/2 thread 2\n"
	       "enter 2 110 #6 arg0=255\n"
	       "instant 2 115 custom event data=text\n"
	       "instant 2 120 typed event data=plain type=77\n"
	       "leave 2 135\n"
	       "end, origin 100\n");
	/* Processor 3 has what comes behind its NewCPUId, the migration included. */
	window = all;
	window.cpu = 3;
	window.thread = 2;
	expect(&window, "^#7$", 0,
	       "begin 1000\n"
	       "name 1/-1 process 1\n"
	       "name 1/2 thread 2\n"
	       "instant 2 130 cpu migration cpu=3\n"
	       "enter 2 137 #7\n"
	       "leave 2 140\n"
	       "end, origin 100\n");
}

/* The name and the values of a decoder; what is not of its form has its bytes, and is counted. */
TEST(events_have_the_meaning_that_is_told)
{
	static const char *const texts[] = { "custom:step=struct:s2 head,x16 tail", "77:tag=hex" };
	struct tl_xray_fold_options window = all;
	struct tl_xray_decoders decoders;

	window.from_ticks = 115;
	window.to_ticks = 130;
	window.thread = 2;
	assert_int_equal(tl_xray_decoders_open(&decoders, texts, 2, false, NULL), 0);
	expect_decoded(&window, NULL, &decoders, 0,
		       "begin 1000\n"
		       "name 1/-1 process 1\n"
		       "name 1/2 thread 2\n"
		       "instant 2 115 step head=te tail=0x7478\n"
		       "instant 2 120 tag data=plain type=77\n"
		       "end, origin 100\n");
	assert_int_equal(decoders.misfits, 1);
	tl_xray_decoders_free(&decoders);
}

/* "@return 0, 1 if there was no call and no instant" */
TEST(threads_that_are_not_there)
{
	struct tl_xray_fold_options none = all;

	none.thread = 4;
	expect(&none, NULL, 1, "begin 1000\nend, origin 100\n");
}

/* ---- many calls ---- */

/* The timeline of a trace in a format of ours; for tl_output_discard(). */
static struct tl_output *timeline_of(const struct bytes *b, const char *format,
				     const struct tl_xray_fold_options *limits, unsigned jobs)
{
	struct tl_xray_select select = { .limits = *limits };
	struct tl_timeline *timeline;
	struct tl_output *out;
	struct trace t;

	open_trace(&t, b, NULL);
	assert_int_equal(tl_xray_names_begin(&select.names, NULL, NULL, NULL, NULL), 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_timeline_open(&timeline, format, out, NULL), 0);
	timeline->jobs = jobs;
	assert_int_equal(tl_xray_timeline(t.reader, &select, timeline, &t.err), 0);
	assert_false(tl_timeline_failed(timeline));
	assert_int_equal(tl_timeline_finish(timeline, &t.err), 0);
	tl_xray_names_end(&select.names);
	close_trace(&t);
	return out;
}

/* Runs of calls are fast where nothing is chosen; a window that lets all pass takes each record. */
TEST(many_calls_are_those_of_each_record)
{
	static const char *const formats[] = { "chrome", "perfetto" };
	static const int threads[] = { 1, 3, 40 };
	struct tl_xray_fold_options passes = all;

	passes.to_ticks = UINT64_MAX;
	for (size_t i = 0; i < 6; i++) {
		const char *const format = formats[i % 2];
		struct bytes b = { .big = i == 2 };
		struct tl_output *expected;
		const char *text;
		size_t size, got;

		put_drawn_threads(&b, threads[i / 2], 3 + (uint32_t)i);
		expected = timeline_of(&b, format, &passes, 1);
		text = tl_output_bytes(expected, &size);
		assert_true(size > 500000);
		for (unsigned jobs = 0; jobs < 4; jobs++) {
			struct tl_output *out = timeline_of(&b, format, &all, jobs);
			const char *bytes = tl_output_bytes(out, &got);

			assert_int_equal(got, size);
			assert_memory_equal(bytes, text, size);
			tl_output_discard(out);
		}
		tl_output_discard(expected);
		free_bytes(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_events_and_migrations),
		cmocka_unit_test(a_window_shows_what_begins_in_it),
		cmocka_unit_test(events_have_the_meaning_that_is_told),
		cmocka_unit_test(threads_that_are_not_there),
		cmocka_unit_test(many_calls_are_those_of_each_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
