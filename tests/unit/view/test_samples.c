/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording of samples in the views: threads as they ran, with a mark for each sample. What is
 * put: thread 11 runs from 1,000 ns on, leaves at 4,000; its samples are at 1,500 (main called
 * leaf, the origin), 2,500 (main) and 3,500 (leaf); thread 12 has a sample at 5,500 and no switch.
 */
#include "../perf_data/sample_file.h"
#include "shown.h"
#include "web_files.h"

enum { OUT = 1 << 13, OTHER = 12, WIDTH = 14 + 41 };

static char path[512];

static void put_switch(uint16_t misc, uint64_t time)
{
	put_header(&f, TL_PERF_SWITCH, misc, 8 + 32);
	put_trailer(&f, PID, TID, time, 1);
}

static void put_at(uint32_t tid, uint64_t time, uint64_t ip)
{
	const uint64_t chain[] = { USER, ip, 0x1004 };
	struct at at = usual;

	at.tid = tid;
	at.time = time;
	put_sample(at, chain, ip == 0x1004 ? 2 : 3);
}

static void write_recording(bool switches)
{
	begin();
	write_names(PID, "1000 10 main\n1010 10 leaf\n");
	put_comm(&f, PID, TID, "prog", 0, 1);
	put_map(&f, PID, 0x1000, 0x1000, "//anon", 2);
	if (switches)
		put_switch(0, 1000);
	put_at(TID, 1500, 0x1014);
	put_at(TID, 2500, 0x1004);
	put_at(TID, 3500, 0x1014);
	if (switches)
		put_switch(OUT, 4000);
	put_at(OTHER, 5500, 0x1004);
	patch64(&f, 48, f.size - data_at);
	strcpy(path, temp_write(&temp, "perf.data", f.bytes, f.size));
}

static void look_at_recording(struct looked_at *l, bool switches)
{
	write_recording(switches);
	look_at(l, path, NULL);
	l->options.programs.sysroot = root;
	wait_for_index(l);
}

/* Times count from the first sample on, as `--time` does. */
TEST(threads_have_spans_and_samples_are_marks)
{
	struct looked_at l;

	look_at_recording(&l, true);
	WANT_PARTS(ASK(&l, "/api/state", NULL), "\"index\":\"ready\"", "\"frequency\":1000000000",
		   "\"origin\":1500", "\"tracks\":[{\"process\":10,\"thread\":11,", "\"last\":2500",
		   "\"calls\":1,", "}]");
	WANT_PARTS(ASK(&l, "/api/names", "functions", "2", NULL), "running on CPU 1");
	WANT_PARTS(ASK(&l, "/api/events", NULL), "\"thread\":11,\"events\":3,\"last\":2000,",
		   "\"marks\":[[0,0,1,1,{\"period\":7,\"function\":\"leaf\",\"cpu\":1}],"
		   "[1000,1000,1,1,{\"period\":7,\"function\":\"main\",\"cpu\":1}],"
		   "[2000,2000,1,1,{\"period\":7,\"function\":\"leaf\",\"cpu\":1}]]",
		   "\"thread\":12,\"events\":1,\"last\":4000,", "\"marks\":[[4000,4000,1,1,");
	look_away(&l);
}

TEST(a_recording_without_switches_has_its_marks)
{
	struct looked_at l;

	look_at_recording(&l, false);
	WANT_PARTS(ASK(&l, "/api/state", NULL), "\"index\":\"ready\"", "\"tracks\":[]");
	WANT_PARTS(ASK(&l, "/api/events", NULL), "\"thread\":11,\"events\":3",
		   "\"thread\":12,\"events\":1");
	look_away(&l);
}

/* The window is [1000, 2500) behind the origin: main's sample, and leaf's at 2000. */
TEST(a_window_is_the_profile_of_its_samples)
{
	struct looked_at l;

	look_at_recording(&l, true);
	WANT_PARTS(ASK(&l, "/api/profile", "since", "0.000001", "until", "0.0000025", "from",
		       "1000", "to", "2500", NULL),
		   "\"name\":[\"main\",\"leaf\"]", "\"self\":[[7,7],[1,1]]",
		   "\"inclusive\":[[14,7],[2,1]]");
	look_away(&l);
}

/* ---- in the terminal ---- */

struct browsed {
	struct shown s;
	struct tl_input *input;
};

static void browse(struct browsed *b)
{
	static const char *const paths[] = { path };
	struct tl_input_options with_root = {
		.size = sizeof(with_root),
		.filter = { .process = TL_NOWHERE, .thread = TL_NOWHERE, .cpu = TL_NOWHERE },
		.programs = { .sysroot = root },
	};
	struct tl_browser_options how = { .title = "perf.data" };
	struct tl_error err;

	*b = (struct browsed){ .input = NULL };
	assert_int_equal(tl_input_open(&b->input, paths, 1, &with_root, NULL, &err), 0);
	assert_int_equal(tl_input_fold(b->input, &b->s.profile, &err), 0);
	how.input = b->input;
	assert_int_equal(tl_browser_open(&b->s.browser, b->s.profile, &how, &err), 0);
}

static void push(struct browsed *b, int key, unsigned times)
{
	while (times--)
		assert_true(tl_browser_key(b->s.browser, key));
	draw(&b->s, ROWS, WIDTH);
}

static void leave(struct browsed *b)
{
	end(&b->s);
	tl_input_close(b->input);
}

/* 4,001 ns in 41 columns: a column is 97.6 ns, so that samples are in columns 0, 10, 20 and 40. */
TEST(lanes_of_the_terminal_have_spans_and_marks)
{
	struct browsed b;

	write_recording(true);
	browse(&b);
	push(&b, '6', 1);
	assert_string_equal(row_of(&b.s, 1), "from 0, 4.001 us wide, threads at depth 0");
	assert_string_equal(row_of(&b.s, 2), ">11           |running on CPU 1");
	assert_string_equal(row_of(&b.s, 3),
			    " 12                                                   .");
	assert_string_equal(row_of(&b.s, 5), " events       .         .         .");
	assert_string_equal(row_of(&b.s, 6), "            0 |running on CPU 1");
	/* what is at the cursor: the span, and the sample */
	push(&b, TL_KEY_RIGHT, 10);
	assert_string_equal(row_of(&b.s, 4),
			    "at 975.0 ns  running on CPU 1  pmu8:2601 {\"period\":7,\"f");
	/* the thread that has samples alone */
	push(&b, TL_KEY_DOWN, 1);
	assert_string_equal(row_of(&b.s, 5),
			    " events                                               .");
	leave(&b);
}

/* Half of the trace from its begin on: [0, 2000] behind the origin, so all of thread 11. */
TEST(a_window_of_the_terminal_has_the_samples_in_it)
{
	struct browsed b;

	write_recording(true);
	browse(&b);
	push(&b, '6', 1);
	push(&b, '+', 1);
	push(&b, TL_KEY_ENTER, 1);
	assert_string_equal(row_of(&b.s, 2), "  66.67%  66.67%            0 leaf");
	assert_string_equal(row_of(&b.s, 3), "  33.33% 100.00%            0 main");
	leave(&b);
}

static int set_up(void **state)
{
	return temp_setup(state) || make_root(state) ? -1 : 0;
}

static int tear_down(void **state)
{
	return temp_teardown(state) || remove_root(state) ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_have_spans_and_samples_are_marks),
		cmocka_unit_test(a_recording_without_switches_has_its_marks),
		cmocka_unit_test(a_window_is_the_profile_of_its_samples),
		cmocka_unit_test(lanes_of_the_terminal_have_spans_and_marks),
		cmocka_unit_test(a_window_of_the_terminal_has_the_samples_in_it),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
