/* SPDX-License-Identifier: Apache-2.0 */
/* What goes to the terminal: messages, colors, the progress bar, and words that look alike. */
#include "cli_test.h"

#include "cli/terminal/messages.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/similar.h"

/* ---- messages ---- */

static char *complaint(const char *file, const struct tl_error *err)
{
	struct capture capture = capture_begin(stderr);

	complain_error(file, err);
	return capture_end(&capture);
}

static void is_complaint(const struct tl_error *err, const char *expected)
{
	char *text = complaint("f", err);

	assert_string_equal(text, expected);
	free(text);
}

/* "tracelathe: FILE: offset 0x.., record N: what was wrong; what was kept" (CLI contract) */
static void errors(void **state)
{
	struct tl_error err = { .status = TL_BAD_RECORD,
				.format = "xray",
				.text = "no such kind; skipped it",
				.offset = 0xAb0,
				.record = 7 };

	(void)state;
	is_complaint(&err, "tracelathe: f: offset 0xab0, record 7: no such kind; skipped it\n");
	err.offset = TL_NOWHERE;
	is_complaint(&err, "tracelathe: f: record 7: no such kind; skipped it\n");
	err.format = "callgrind";
	is_complaint(&err, "tracelathe: f: line 7: no such kind; skipped it\n");
	err.format = "no such format";
	is_complaint(&err, "tracelathe: f: record 7: no such kind; skipped it\n");
	err.format = NULL;
	err.record = TL_NOWHERE;
	is_complaint(&err, "tracelathe: f: no such kind; skipped it\n");
	err.offset = 0;
	is_complaint(&err, "tracelathe: f: offset 0x0: no such kind; skipped it\n");
	err.text = NULL;
	is_complaint(&err, "tracelathe: f: offset 0x0: bad record\n");
}

/* The system's reason stands behind ours, but not twice. */
static void errors_of_the_system(void **state)
{
	struct tl_error err = { .status = TL_IO,
				.text = "cannot open",
				.offset = TL_NOWHERE,
				.record = TL_NOWHERE,
				.sys_errno = 2 };

	(void)state;
	is_complaint(&err, "tracelathe: f: cannot open: No such file or directory\n");
	err.sys_errno = 21;
	err.text = "is a directory";
	is_complaint(&err, "tracelathe: f: is a directory\n");
	err.sys_errno = 0;
	err.text = "cannot open";
	is_complaint(&err, "tracelathe: f: cannot open\n");
	err.status = TL_BAD_FORMAT;
	err.sys_errno = 2;
	is_complaint(&err, "tracelathe: f: cannot open\n");
}

/* A name may hold control characters: they must not reach the terminal. */
static void hostile_names(void **state)
{
	struct tl_error err = {
		.status = TL_IO, .text = "cannot open", .offset = TL_NOWHERE, .record = TL_NOWHERE
	};
	char name[700], *text = complaint("a\033[31mb\n", &err);

	(void)state;
	assert_null(strchr(text, '\033'));
	assert_non_null(strchr(text, '\n'));
	assert_string_equal(strchr(text, '\n'), "\n");
	free(text);
	/* Longer than what is formatted without memory of its own. */
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	text = complaint(name, &err);
	assert_int_equal(strlen(text), strlen("tracelathe: : cannot open\n") + sizeof(name) - 1);
	free(text);
}

static void complaints_of_commands(void **state)
{
	struct capture capture = capture_begin(stderr);
	char *text;

	(void)state;
	complain("report", "%s %d", "x", 1);
	complain(NULL, "y");
	show_error("%s;", "z");
	text = capture_end(&capture);
	assert_string_equal(text, "tracelathe report: x 1\ntracelathe: y\nz;");
	free(text);
}

/* ---- colors ---- */

static void colors(void **state)
{
	(void)state;
	assert_true(use_color(WHEN_ALWAYS, "file"));
	assert_false(use_color(WHEN_NEVER, NULL));
	/* Files get none by themselves; neither does what is no terminal. */
	assert_false(use_color(WHEN_AUTO, "file"));
	assert_true(is_file("file"));
	assert_false(is_file("-"));
	assert_false(is_file(NULL));
}

static void no_terminal(void **state)
{
	FILE *file = tmpfile();

	(void)state;
	assert_int_equal(terminal_width(fileno(file)), 0);
	fclose(file);
}

/* ---- progress ---- */

/* What a bar shows of `done` of `total` after some seconds. */
static void is_bar(double seconds, uint64_t done, uint64_t total, const char *expected)
{
	struct progress progress;
	struct capture capture;
	const char *end;
	char *text;

	progress_begin(&progress, WHEN_ALWAYS);
	progress.started -= seconds;
	progress.last = progress.started;
	capture = capture_begin(stderr);
	assert_int_equal(progress_tick(&progress, done, total), 0);
	progress_end(&progress);
	text = capture_end(&capture);
	assert_int_equal(text[0], '\r');
	end = strstr(text, "\033[K");
	assert_non_null(end);
	assert_int_equal(strlen(expected), (size_t)(end - text) - 1);
	assert_memory_equal(text + 1, expected, strlen(expected));
	/* Then it is erased. */
	assert_string_equal(end, "\033[K\r\033[K");
	free(text);
}

static void bars(void **state)
{
	(void)state;
	/* The time is long, so that it matters little how long the call itself takes. */
	is_bar(2000, 50000000000, 100000000000,
	       " 50% [############............] 50 GB of 100 GB, 25 MB/s, 33:20 left");
	is_bar(1000, 100000, 100000,
	       "100% [########################] 100 kB of 100 kB, 100 B/s, 0:00 left");
	is_bar(100, 1500, 1000, "100% [########################] 1.50 kB of 1.00 kB, 15 B/s");
	is_bar(400, 0, 1000, "  0% [........................] 0 B of 1.00 kB");
	is_bar(400, 999000000, 0, "999 MB, 2.50 MB/s");
	is_bar(10000, 500000000000, 1000000000000,
	       " 50% [############............] 500 GB of 1.00 TB, 50 MB/s, 2:46:40 left");
	is_bar(1000, 1000, 1000000000,
	       "  0% [........................] 1.00 kB of 1.00 GB, 1 B/s, 100:00:00 left");
}

static void no_bar(void **state)
{
	struct progress progress;
	struct capture capture = capture_begin(stderr);
	char *text;

	(void)state;
	progress_begin(&progress, WHEN_NEVER);
	progress.last -= 10;
	progress_tick(&progress, 1, 2);
	progress_end(&progress);
	/* Standard error is no terminal here. */
	progress_begin(&progress, WHEN_AUTO);
	progress.last -= 10;
	progress_tick(&progress, 1, 2);
	progress_end(&progress);
	/* Not more often than ten times a second. */
	progress_begin(&progress, WHEN_ALWAYS);
	progress.last = progress.started + 1000;
	progress_tick(&progress, 1, 2);
	progress_end(&progress);
	text = capture_end(&capture);
	assert_string_equal(text, "");
	free(text);
}

/* ---- words ---- */

static void distances(void **state)
{
	static const struct {
		const char *a, *b;
		size_t distance;
	} cases[] = {
		{ "", "", 0 },
		{ "abc", "abc", 0 },
		{ "abc", "", 3 },
		{ "", "ab", 2 },
		{ "abc", "abd", 1 },
		{ "abc", "abcd", 1 },
		{ "abc", "bc", 1 },
		{ "sort", "sotr", 1 },
		{ "kitten", "sitting", 3 },
		{ "threads", "theads", 1 },
		{ "abcd", "badc", 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(word_distance(cases[i].a, cases[i].b), cases[i].distance);
		assert_int_equal(word_distance(cases[i].b, cases[i].a), cases[i].distance);
	}
	/* Words of more than 32 letters are not compared. */
	assert_int_equal(word_distance("abcdefghijklmnopqrstuvwxyz0123456", "a"), 34);
	assert_int_equal(word_distance("abcdefghijklmnopqrstuvwxyz012345", "a"), 31);
	assert_true(word_is_near("sort", 1));
	assert_false(word_is_near("sort", 2));
	assert_true(word_is_near("threshold", 2));
	assert_false(word_is_near("threshold", 3));
	assert_false(word_is_near("1234567", 2));
	assert_true(word_is_near("12345678", 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors),        cmocka_unit_test(errors_of_the_system),
		cmocka_unit_test(hostile_names), cmocka_unit_test(complaints_of_commands),
		cmocka_unit_test(colors),        cmocka_unit_test(no_terminal),
		cmocka_unit_test(bars),          cmocka_unit_test(no_bar),
		cmocka_unit_test(distances),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
