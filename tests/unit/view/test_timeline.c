/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls over time in the terminal: the trace of web_files.h, at a width at which a column is one
 * microsecond. The window is one tick longer than the trace, so that what begins at column n
 * exactly is drawn from n - 1 on; what is shorter than a column is drawn as dots.
 */
#include "shown.h"
#include "web_files.h"

enum { NAMES = 14, HEIGHT = 16, WIDTH = NAMES + 100 };

static struct tl_input *input;

static void begin_file(struct shown *s, const char *path, const char *index_path)
{
	const char *const paths[] = { path };
	struct tl_browser_options options = { .title = "spans", .index_path = index_path };
	struct tl_error err;

	*s = (struct shown){ .profile = NULL };
	assert_int_equal(tl_input_open(&input, paths, 1, NULL, NULL, &err), 0);
	assert_int_equal(tl_input_fold(input, &s->profile, &err), 0);
	options.input = input;
	assert_int_equal(tl_browser_open(&s->browser, s->profile, &options, &err), 0);
	draw(s, HEIGHT, WIDTH);
}

static void begin_of(struct shown *s, const char *trace)
{
	static char path[512];

	strcpy(path, temp_write(&temp, "spans.json", trace, strlen(trace)));
	begin_file(s, path, NULL);
}

static void begin(struct shown *s)
{
	begin_of(s, spans);
}

static void finish(struct shown *s)
{
	end(s);
	tl_input_close(input);
}

static void push(struct shown *s, int key, unsigned times)
{
	while (times--)
		assert_true(tl_browser_key(s->browser, key));
	draw(s, HEIGHT, WIDTH);
}

/* A text begins at this column of a row. */
static void want_text(struct shown *s, int row, size_t column, const char *text)
{
	const char *line = row_of(s, row);

	if (strlen(line) < column || strncmp(line + column, text, strlen(text)) != 0)
		fail_msg("row %d: no \"%s\" at column %zu of \"%s\"", row, text, column, line);
}

TEST(threads_and_depths_have_lines_of_blocks)
{
	struct shown s;

	begin(&s);
	push(&s, '6', 1);
	assert_string_equal(row_of(&s, 1), "from 0, 100.0 us wide, threads at depth 0");
	want_text(&s, 2, 0, ">7            |main");
	want_text(&s, 3, 0, " 9                |main          ...");
	assert_string_equal(row_of(&s, 4), "at 0  main");
	want_text(&s, 5, 0, "            0 |main");
	want_text(&s, 6, 0, "            1          |work                         |work");
	want_text(&s, 7, 0, "            2            |leaf                            |leaf");
	assert_string_equal(row_of(&s, 8), "            3");
	/* the other thread */
	push(&s, TL_KEY_DOWN, 3);
	want_text(&s, 2, 0, " 7  ");
	want_text(&s, 3, 0, ">9  ");
	want_text(&s, 5, 0, "            0     |main          ...");
	assert_string_equal(row_of(&s, 6), "            1");
	assert_string_equal(row_of(&s, 4), "at 0");
	push(&s, TL_KEY_UP, 3);
	want_text(&s, 2, 0, ">7  ");
	/* lines of threads show another depth */
	push(&s, ']', 1);
	assert_string_equal(row_of(&s, 1), "from 0, 100.0 us wide, threads at depth 1");
	want_text(&s, 2, 0, ">7                     |work");
	assert_string_equal(row_of(&s, 3), " 9");
	push(&s, '[', 3);
	want_text(&s, 3, 0, " 9                |main");
	push(&s, ']', 200);
	assert_string_equal(row_of(&s, 1), "from 0, 100.0 us wide, threads at depth 127");
	finish(&s);
}

/* The innermost call at the cursor, and the time there. */
TEST(the_cursor_says_where_it_is)
{
	static const struct {
		unsigned steps;
		const char *said;
	} rows[] = {
		{ 8, "at 8.000 us  main" }, { 1, "at 9.000 us  work" }, { 2, "at 11.00 us  leaf" },
		{ 7, "at 18.00 us  leaf" }, { 1, "at 19.00 us  work" }, { 10, "at 29.00 us  main" },
		{ 70, "at 99.00 us" },      { 1, "at 99.00 us" },
	};
	struct shown s;

	begin(&s);
	push(&s, '6', 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		push(&s, TL_KEY_RIGHT, rows[i].steps);
		assert_string_equal(row_of(&s, 4), rows[i].said);
	}
	push(&s, TL_KEY_LEFT, 99);
	assert_string_equal(row_of(&s, 4), "at 0  main");
	/* at the edge the window would move, were there more */
	push(&s, TL_KEY_LEFT, 1);
	assert_string_equal(row_of(&s, 4), "at 0  main");
	finish(&s);
}

/*
 * The trace has 100001 ticks. Twice as fine at 12000: 6000 before it stay, and 44001 of 88001
 * behind it. An eighth of 50001 is 6250, and one more.
 */
TEST(the_window_is_zoomed_around_the_cursor_and_moves_inside_the_trace)
{
	struct shown s;

	begin(&s);
	push(&s, '6', 1);
	push(&s, TL_KEY_RIGHT, 12);
	push(&s, '+', 1);
	assert_string_equal(row_of(&s, 1), "from 6.000 us, 50.00 us wide, threads at depth 0");
	assert_string_equal(row_of(&s, 4), "at 12.00 us  leaf");
	/* 4 eighths are 25004 */
	push(&s, '>', 1);
	want_text(&s, 1, 0, "from 31.00 us, 50.00 us wide");
	push(&s, '>', 1);
	want_text(&s, 1, 0, "from 50.00 us, 50.00 us wide");
	push(&s, '<', 1);
	want_text(&s, 1, 0, "from 25.00 us, 50.00 us wide");
	push(&s, '<', 1);
	want_text(&s, 1, 0, "from 0, 50.00 us wide");
	/* one column beyond the edge: an eighth */
	push(&s, TL_KEY_RIGHT, 88);
	want_text(&s, 1, 0, "from 6.251 us, 50.00 us wide");
	push(&s, '0', 1);
	want_text(&s, 1, 0, "from 0, 100.0 us wide");
	push(&s, '+', 1);
	push(&s, '-', 1);
	want_text(&s, 1, 0, "from 0, 100.0 us wide");
	push(&s, '-', 1);
	want_text(&s, 1, 0, "from 0, 100.0 us wide");
	finish(&s);
}

/* Around 12000, with room on both sides: 3000 before it and 22001 behind it are doubled. */
TEST(zooming_out_keeps_the_cursor)
{
	struct shown s;

	begin(&s);
	push(&s, '6', 1);
	push(&s, TL_KEY_RIGHT, 12);
	push(&s, '+', 2);
	want_text(&s, 1, 0, "from 9.000 us, 25.00 us wide");
	push(&s, '-', 1);
	want_text(&s, 1, 0, "from 6.000 us, 50.00 us wide");
	assert_string_equal(row_of(&s, 4), "at 12.00 us  leaf");
	finish(&s);
}

TEST(zooming_ends_at_two_ticks)
{
	struct shown s;

	begin(&s);
	push(&s, '6', 1);
	push(&s, '+', 40);
	want_text(&s, 1, 0, "from 0, 2.000 ns wide");
	push(&s, '-', 40);
	want_text(&s, 1, 0, "from 0, 100.0 us wide");
	finish(&s);
}

/*
 * Of the window from 6000 to 56001: main 50001 - 20000 - 16001 there and 9000 in the other thread,
 * work 12000 + 11001, leaf 8000 + 5000.
 */
TEST(a_window_has_a_profile_of_its_own)
{
	struct shown s;

	begin(&s);
	push(&s, '6', 1);
	push(&s, TL_KEY_RIGHT, 12);
	push(&s, '+', 1);
	push(&s, TL_KEY_ENTER, 1);
	want_text(&s, 2, 0, "  38.98%    23.00 us  61.02%    36.00 us");
	assert_non_null(strstr(row_of(&s, 2), " work"));
	want_text(&s, 3, 0, "  38.98%    23.00 us 100.00%    59.00 us");
	assert_non_null(strstr(row_of(&s, 3), " main"));
	want_text(&s, 4, 0, "  22.03%    13.00 us  22.03%    13.00 us");
	assert_non_null(strstr(row_of(&s, 4), " leaf"));
	want_text(&s, HEIGHT - 1, 0, "[window");
	/* The function at the cursor is the chosen one: its callers stand above it. */
	push(&s, '4', 1);
	assert_non_null(strstr(row_of(&s, 2), "< work"));
	assert_non_null(strstr(row_of(&s, 3), "* leaf"));
	push(&s, '1', 1);
	/* `w` shows the whole profile again */
	push(&s, 'w', 1);
	want_text(&s, 2, 0, "  54.55%    60.00 us 100.00%    110.0 us");
	finish(&s);
}

/* Row `row` of the calls: duration, self, begin, thread, depth. */
TEST(the_longest_calls_of_a_function_come_first)
{
	struct shown s;

	begin(&s);
	/* The cursor goes to the middle of the timeline as it was drawn last. */
	push(&s, '6', 1);
	push(&s, '1', 1);
	push(&s, '/', 1);
	push(&s, 'w', 1);
	push(&s, 'o', 1);
	push(&s, TL_KEY_ENTER, 1);
	push(&s, '5', 1);
	want_text(&s, 1, 0, "work  2 calls, median 30.00 us, p99 30.00 us");
	assert_string_equal(row_of(&s, 3),
			    "      30.00 us      25.00 us        40.00 us           7       1");
	assert_string_equal(row_of(&s, 4),
			    "      20.00 us      12.00 us        10.00 us           7       1");
	assert_string_equal(row_of(&s, 5), "");
	/* In the timeline with a quarter of it and a tick on each side: 32499 to 77501. */
	push(&s, TL_KEY_ENTER, 1);
	want_text(&s, 1, 0, "from 32.50 us, 45.00 us wide");
	assert_string_equal(row_of(&s, 4), "at 55.00 us  work");
	finish(&s);
}

/* ---- events and counters ---- */

#define MARK(name, thread, at, args)                                                               \
	"{\"ph\":\"i\",\"name\":\"" name "\",\"pid\":1,\"tid\":" #thread ",\"ts\":" #at            \
	",\"s\":\"t\"" args "},\n"
#define TWO(at) MARK("t", 7, at, "") MARK("t", 7, at, "")
#define SPAN_WITHOUT_COMMA                                                                         \
	"{\"ph\":\"X\",\"name\":\"end\",\"pid\":1,\"tid\":7,\"ts\":99,\"dur\":1}]"
#define COUNT(name, at, value)                                                                     \
	"{\"ph\":\"C\",\"name\":\"" name "\",\"pid\":1,\"ts\":" #at ",\"args\":{\"n\":" #value     \
	"}},\n"

/*
 * A column has what begins in it: one event is a dot, more are two, ten are a sign for many. Of a
 * counter it has the value at its end, as a tenth of the range from the least, or 0, to the most:
 * 45 of 90 are 4, 0 between -30 and 0 is 9.
 */
TEST(events_and_counters)
{
	static const char trace[] = "[" COUNT("heap", 0, 0) COUNT("heap", 50, 90)
		COUNT("heap", 75, 45) COUNT("load", 10, -30) COUNT("load", 40, 0)
			SPAN("main", 7, 0, 100) MARK("tick", 7, 5, ",\"args\":{\"a\":1}") TWO(61)
				TWO(61) TWO(61) TWO(61) TWO(61) MARK("tock", 7, 71.1, "")
					MARK("tick", 7, 71.2, "") MARK("tick", 8, 30, "")
						SPAN_WITHOUT_COMMA;
	struct shown s;

	begin_of(&s, trace);
	push(&s, '6', 1);
	assert_string_equal(row_of(&s, 4), "at 0  main");
	push(&s, 'e', 1);
	want_text(&s, 2, 0, ">7            |main");
	/* A process, of which the counters are, has no calls. */
	assert_string_equal(row_of(&s, 3), " 8");
	assert_string_equal(row_of(&s, 4), " process 1");
	assert_string_equal(row_of(&s, 6),
			    " events            .                                     "
			    "                  #         :");
	want_text(&s, 7, 0, "            0 |main");
	push(&s, TL_KEY_RIGHT, 5);
	assert_string_equal(row_of(&s, 5), "at 5.000 us  main  tick {\"a\":1}");
	push(&s, TL_KEY_RIGHT, 66);
	assert_string_equal(row_of(&s, 5), "at 71.00 us  main  tock {}");
	push(&s, TL_KEY_DOWN, 1);
	assert_string_equal(row_of(&s, 6), " events                                     .");
	push(&s, TL_KEY_DOWN, 2);
	want_text(&s, 4, 0, ">process 1");
	assert_string_equal(row_of(&s, 6), " heap n       "
					   "00000000000000000000000000000000000000000000000000"
					   "99999999999999999999999994444444444444444444444444");
	assert_string_equal(row_of(&s, 7), " load n                 "
					   "000000000000000000000000000000999999999999999999999"
					   "999999999999999999999999999999999999999");
	finish(&s);
}

/* A trace of samples alone begins with its first event, and shows them without being asked. */
TEST(events_without_calls)
{
	static const char trace[] = "[" MARK("tick", 7, 40, "") MARK(
		"tick", 7, 50,
		"") "{\"ph\":\"i\",\"name\":\"tock\",\"pid\":1,\"tid\":7,\"ts\":60,\"s\":\"t\"}]";
	struct shown s;

	begin_of(&s, trace);
	push(&s, '6', 1);
	assert_string_equal(row_of(&s, 1), "from 0, 20.00 us wide, threads at depth 0");
	assert_string_equal(row_of(&s, 3), "at 0  tick {}");
	assert_string_equal(row_of(&s, 4), " events       .                                     "
					   "            .                                      "
					   "          .");
	finish(&s);
}

TEST(a_trace_without_events)
{
	struct shown s;

	begin(&s);
	push(&s, '6', 1);
	push(&s, 'e', 1);
	assert_string_equal(row_of(&s, HEIGHT - 1), "there are no events and no counters");
	push(&s, 'e', 1);
	assert_string_equal(row_of(&s, HEIGHT - 1), "there are no events and no counters");
	finish(&s);
}

/* ---- calls ---- */

/* Its begin is known, and that it lasts until the end of the trace. */
TEST(a_call_without_an_end)
{
	struct shown s;

	begin(&s);
	push(&s, '6', 1);
	push(&s, '1', 1);
	push(&s, '/', 1);
	push(&s, 'o', 1);
	push(&s, 'p', 1);
	push(&s, TL_KEY_ENTER, 1);
	push(&s, '5', 1);
	want_text(&s, 1, 0, "open  1 calls");
	assert_string_equal(row_of(&s, 3),
			    "             0             0        20.00 us           9"
			    "       0  unfinished");
	/* There is no second one to be shown in the timeline. */
	push(&s, TL_KEY_DOWN, 1);
	push(&s, TL_KEY_ENTER, 1);
	assert_string_equal(row_of(&s, 1), "from 20.00 us, 2.000 ns wide, threads at depth 0");
	finish(&s);
}

/* What begins in a window that ends at 30000: one call of two. */
TEST(the_longest_calls_of_a_window)
{
	struct shown s;

	begin(&s);
	push(&s, '6', 1);
	push(&s, TL_KEY_RIGHT, 12);
	push(&s, '+', 2);
	want_text(&s, 1, 0, "from 9.000 us, 25.00 us wide");
	push(&s, TL_KEY_ENTER, 1);
	push(&s, '5', 1);
	want_text(&s, 1, 0, "leaf  1 calls, median 8.000 us");
	assert_string_equal(row_of(&s, 3),
			    "      8.000 us      8.000 us        12.00 us           7       2");
	assert_string_equal(row_of(&s, 4), "");
	/* Of the whole trace there are two of main again, of which one is in the other thread. */
	push(&s, 'w', 1);
	push(&s, '5', 1);
	want_text(&s, 1, 0, "main  2 calls");
	finish(&s);
}

/* The index is kept where that is said, and read there the next time. */
TEST(an_index_that_is_kept)
{
	char trace[512], path[512];
	struct stat written, after;
	struct shown s;

	snprintf(trace, sizeof(trace), "%s/tests/golden/xray/fib-fdr.xray",
		 getenv("TL_SOURCE_ROOT"));
	for (unsigned time = 0; time < 3; time++) {
		strcpy(path, temp_path(&temp, time < 2 ? "kept.index" : "none/kept.index"));
		assert_int_equal(stat(path, &written), time == 1 ? 0 : -1);
		begin_file(&s, trace, path);
		push(&s, '6', 1);
		want_text(&s, 2, 0, ">19786        |#5");
		if (time == 2)
			assert_string_equal(row_of(&s, HEIGHT - 1),
					    "the index is not kept: cannot open for writing");
		/* The two costs are those of `report`. */
		push(&s, '5', 1);
		assert_string_equal(row_of(&s, 3), "      61.68 us      33.33 us               0  "
						   "     19786       0");
		finish(&s);
		/* It was not written anew. */
		if (time == 1) {
			assert_int_equal(stat(path, &after), 0);
			assert_int_equal(after.st_ino, written.st_ino);
		}
	}
}

/* Any size is drawn, with what there is room for. */
TEST(small_screens_have_the_chosen_thread)
{
	struct shown s;

	begin(&s);
	push(&s, '6', 1);
	push(&s, TL_KEY_DOWN, 1);
	for (int rows = 1; rows < 14; rows++)
		for (int columns = 1; columns < 40; columns += 3)
			draw(&s, rows, columns);
	draw(&s, 8, WIDTH);
	want_text(&s, 2, 0, ">9  ");
	finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_and_depths_have_lines_of_blocks),
		cmocka_unit_test(the_cursor_says_where_it_is),
		cmocka_unit_test(the_window_is_zoomed_around_the_cursor_and_moves_inside_the_trace),
		cmocka_unit_test(zooming_out_keeps_the_cursor),
		cmocka_unit_test(zooming_ends_at_two_ticks),
		cmocka_unit_test(a_window_has_a_profile_of_its_own),
		cmocka_unit_test(the_longest_calls_of_a_function_come_first),
		cmocka_unit_test(events_and_counters),
		cmocka_unit_test(events_without_calls),
		cmocka_unit_test(a_trace_without_events),
		cmocka_unit_test(a_call_without_an_end),
		cmocka_unit_test(the_longest_calls_of_a_window),
		cmocka_unit_test(an_index_that_is_kept),
		cmocka_unit_test(small_screens_have_the_chosen_thread),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
