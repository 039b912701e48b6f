/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listings that are read line by line while they are written (query/trace/lines.h): the listings
 * are of this test, so that it knows each byte.
 */
#include "../unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/output.h"
#include "open/format.h"
#include "query/trace/lines.h"

#include "trace.h"

static struct temp temp;
static struct tl_query_trace *trace;

static int open_trace(void **state)
{
	const char *path = make_trace(&temp);

	(void)state;
	return tl_query_trace_open(&trace, &path, 1, NULL, NULL, NULL);
}

static int close_trace(void **state)
{
	(void)state;
	tl_query_trace_leave(trace);
	temp_close(&temp);
	return 0;
}

static const struct tl_query_part everything = { .thread = TL_NOWHERE };

static struct tl_query_lines *begin(tl_query_listing_fn *listing)
{
	struct tl_query_lines *lines;

	assert_int_equal(tl_query_lines_open(&lines, trace, listing, &everything, NULL), 0);
	return lines;
}

static void is_line(struct tl_query_lines *lines, const char *wanted)
{
	const char *line;
	size_t size;

	assert_int_equal(tl_query_lines_next(lines, &line, &size, NULL), 1);
	assert_int_equal(size, strlen(wanted));
	assert_string_equal(line, wanted);
}

static void is_end(struct tl_query_lines *lines)
{
	const char *line;
	size_t size;

	for (int i = 0; i < 2; i++)
		assert_int_equal(tl_query_lines_next(lines, &line, &size, NULL), 0);
}

/* ---- lines ---- */

static int list_some(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	(void)input;
	(void)err;
	tl_put_text(out, "one\n\n  two \nthree\r\n");
	return 0;
}

TEST(lines_come_without_their_ends)
{
	struct tl_query_lines *lines = begin(list_some);

	is_line(lines, "one");
	is_line(lines, "");
	is_line(lines, "  two ");
	is_line(lines, "three\r");
	is_end(lines);
	tl_query_lines_close(lines);
}

static int list_nothing(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	(void)input;
	(void)out;
	(void)err;
	return 0;
}

TEST(a_listing_may_be_empty)
{
	struct tl_query_lines *lines = begin(list_nothing);

	is_end(lines);
	tl_query_lines_close(lines);
	tl_query_lines_close(NULL);
}

/* Line i has the length and the letter that its number says: any length, 3 MB in all. */
enum { LINES = 2000 };

static size_t length_of(size_t number)
{
	return number % 400 ? number % 7 * 11 : number * 400;
}

static int list_long(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	(void)input;
	(void)err;
	for (size_t i = 0; i < LINES; i++) {
		for (size_t j = 0; j < length_of(i); j++)
			tl_put_char(out, (char)('a' + (i + j) % 26));
		tl_put_char(out, '\n');
	}
	return 0;
}

TEST(lines_longer_than_one_reading)
{
	struct tl_query_lines *lines = begin(list_long);
	const char *line;
	size_t size;

	for (size_t i = 0; i < LINES; i++) {
		assert_int_equal(tl_query_lines_next(lines, &line, &size, NULL), 1);
		assert_int_equal(size, length_of(i));
		assert_int_equal(line[size], '\0');
		for (size_t j = 0; j < size; j++)
			if (line[j] != (char)('a' + (i + j) % 26))
				fail_msg("line %zu, byte %zu", i, j);
	}
	is_end(lines);
	tl_query_lines_close(lines);
}

/* ---- the end ---- */

static int list_and_fail(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	(void)input;
	tl_put_text(out, "before\n");
	return tl_error_at(err, TL_BAD_RECORD, 77, "the rest is damaged");
}

/* Lines in front of an error are given; then it is told each time. */
TEST(an_error_comes_behind_the_lines)
{
	struct tl_query_lines *lines = begin(list_and_fail);
	struct tl_error err = { .status = 0 };
	const char *line;
	size_t size;

	is_line(lines, "before");
	for (int i = 0; i < 2; i++) {
		err.offset = 0;
		assert_int_equal(tl_query_lines_next(lines, &line, &size, &err), TL_BAD_RECORD);
		assert_int_equal(err.offset, 77);
		assert_string_equal(err.text, "the rest is damaged");
	}
	assert_int_equal(tl_query_lines_next(lines, &line, &size, NULL), TL_BAD_RECORD);
	tl_query_lines_close(lines);
}

/* A check that finds something says 1, which is an end and no error. */
static int list_and_find(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	return list_some(input, out, err) + 1;
}

TEST(a_status_that_is_no_error_is_the_end)
{
	struct tl_query_lines *lines = begin(list_and_find);

	is_line(lines, "one");
	is_line(lines, "");
	is_line(lines, "  two ");
	is_line(lines, "three\r");
	is_end(lines);
	tl_query_lines_close(lines);
}

static int list_for_ever(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	(void)input;
	(void)err;
	while (!tl_output_failed(out))
		tl_put_text(out, "again\n");
	return TL_IO;
}

/*
 * "a statement that wants only the first lines costs no more than those": an endless listing ends
 * with its reader, and the signal of its pipe ends nothing.
 */
TEST(whoever_wants_no_more_closes)
{
	for (size_t wanted = 0; wanted < 3; wanted++) {
		struct tl_query_lines *lines = begin(list_for_ever);

		for (size_t i = 0; i < wanted; i++)
			is_line(lines, "again");
		tl_query_lines_close(lines);
	}
	/* in this thread the signal is as it was */
	{
		sigset_t blocked;

		pthread_sigmask(SIG_BLOCK, NULL, &blocked);
		assert_int_equal(sigismember(&blocked, SIGPIPE), 0);
	}
}

TEST(an_interrupt_ends_the_lines)
{
	struct tl_query_lines *lines = begin(list_for_ever);
	struct tl_error err;
	const char *line;
	size_t size;

	is_line(lines, "again");
	atomic_store(&trace->stop, true);
	assert_int_equal(tl_query_lines_next(lines, &line, &size, &err), TL_IO);
	assert_string_equal(err.text, "interrupted");
	atomic_store(&trace->stop, false);
	is_line(lines, "again");
	tl_query_lines_close(lines);
}

/* ---- the input ---- */

/* What the listing sees of the options; a handle of its own for each reader. */
static int list_options(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	(void)err;
	tl_put_format(out, "%p %u ", (void *)input, input->options.dump.flags);
	tl_put_u64(out, input->options.filter.thread);
	tl_put_char(out, '\n');
	return 0;
}

static void *handle_of(struct tl_query_lines *lines, unsigned *flags, unsigned long long *thread)
{
	const char *line;
	size_t size;
	void *input;

	assert_int_equal(tl_query_lines_next(lines, &line, &size, NULL), 1);
	assert_int_equal(sscanf(line, "%p %u %llu", &input, flags, thread), 3);
	return input;
}

static size_t busy_handles(void)
{
	size_t count = 0;

	for (size_t i = 0; i < trace->handle_count; i++)
		count += trace->handles[i].busy;
	return count;
}

TEST(a_listing_is_of_a_part)
{
	const struct tl_query_part part = { .dump.flags = TL_DUMP_NO_PAD, .thread = 7 };
	struct tl_query_lines *first, *second, *third;
	unsigned long long thread;
	unsigned flags;
	void *one, *two;

	assert_int_equal(tl_query_lines_open(&first, trace, list_options, &part, NULL), 0);
	one = handle_of(first, &flags, &thread);
	assert_int_equal(flags, TL_DUMP_NO_PAD);
	assert_int_equal(thread, 7);
	/* a second reader has another handle, and nothing of the first one's part */
	second = begin(list_options);
	two = handle_of(second, &flags, &thread);
	assert_ptr_not_equal(one, two);
	assert_int_equal(flags, 0);
	assert_true(thread == TL_NOWHERE);
	assert_int_equal(busy_handles(), 2);
	/* a third one, behind the first, sees nothing of its part either */
	tl_query_lines_close(first);
	third = begin(list_options);
	assert_ptr_not_equal(handle_of(third, &flags, &thread), two);
	assert_int_equal(flags, 0);
	assert_true(thread == TL_NOWHERE);
	tl_query_lines_close(second);
	tl_query_lines_close(third);
	assert_int_equal(busy_handles(), 0);
}

/* No descriptor stays behind: the next one that is opened is always the same. */
TEST(pipes_are_closed)
{
	int before = open("/dev/null", O_RDONLY | O_CLOEXEC), after;

	close(before);
	for (int i = 0; i < 20; i++) {
		struct tl_query_lines *lines = begin(i % 2 ? list_some : list_for_ever);

		is_line(lines, i % 2 ? "one" : "again");
		tl_query_lines_close(lines);
	}
	after = open("/dev/null", O_RDONLY | O_CLOEXEC);
	close(after);
	assert_int_equal(before, after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_without_their_ends),
		cmocka_unit_test(a_listing_may_be_empty),
		cmocka_unit_test(lines_longer_than_one_reading),
		cmocka_unit_test(an_error_comes_behind_the_lines),
		cmocka_unit_test(a_status_that_is_no_error_is_the_end),
		cmocka_unit_test(whoever_wants_no_more_closes),
		cmocka_unit_test(an_interrupt_ends_the_lines),
		cmocka_unit_test(a_listing_is_of_a_part),
		cmocka_unit_test(pipes_are_closed),
	};

	return cmocka_run_group_tests_name("query lines", tests, open_trace, close_trace);
}
