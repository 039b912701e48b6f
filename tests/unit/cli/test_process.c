/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process of a command: signals that end it take unfinished files with them, those that were
 * ignored stay so, and standard streams that are closed keep their descriptors. Each in a process
 * of its own. /
 */
#include "cli_test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../temp_fixture.h"

#include "cli/terminal/process.h"

/* The exit status of a child that runs this, 128 and more: the signal that ended it. */
static int in_a_child(int (*run)(int), int argument)
{
	int status = 0;
	pid_t child;

	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(run(argument));
	assert_true(waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* An output of the folder with something in it that is not finished; 0: it could not be opened. */
static struct tl_output *begin_output(const char *name)
{
	struct tl_output *out;

	if (output_open(&out, temp_path(&temp, name), NULL))
		return NULL;
	tl_output_write(out, "half", 4);
	return out;
}

/* ---- signals ---- */

static int ends_with_two_outputs(int number)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	process_begin();
	if (!begin_output("one") || !begin_output("two"))
		return 1;
	raise(number);
	return 2;
}

static int ends_behind_its_outputs(int number)
{
	struct tl_output *first, *second, *third;

	process_begin();
	first = begin_output("kept");
	second = begin_output("discarded");
	if (!first || !second || output_commit(first, NULL))
		return 1;
	output_discard(second);
	output_discard(NULL);
	/* in the place of the one that was finished */
	third = begin_output("third");
	if (!third)
		return 1;
	raise(number);
	return 2;
}

/* "unfinished files are removed when a signal ends it", and the parent sees which one it was */
TEST(signals_take_unfinished_files_with_them)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		char *text;
		size_t size;

		assert_int_equal(in_a_child(ends_with_two_outputs, numbers[i]), 128 + numbers[i]);
		assert_int_equal(temp_count(&temp), 0);
		assert_int_equal(in_a_child(ends_behind_its_outputs, numbers[i]), 128 + numbers[i]);
		assert_int_equal(temp_count(&temp), 1);
		text = temp_read(temp_path(&temp, "kept"), &size);
		assert_string_equal(text, "half");
		free(text);
		unlink(temp_path(&temp, "kept"));
	}
}

static int goes_on(int number)
{
	signal(number, SIG_IGN);
	process_begin();
	raise(number);
	return 3;
}

static int asked_twice(int number)
{
	struct sigaction now;

	process_begin();
	if (sigaction(number, NULL, &now) || now.sa_handler == SIG_DFL)
		return 1;
	/* the handler is gone with the first one: the second ends whatever it does */
	return now.sa_flags & (int)SA_RESETHAND ? 4 : 2;
}

/* nohup: "a signal that was ignored at the start stays ignored" */
TEST(ignored_signals_stay_ignored)
{
	assert_int_equal(in_a_child(goes_on, SIGHUP), 3);
	assert_int_equal(in_a_child(goes_on, SIGINT), 3);
	assert_int_equal(in_a_child(goes_on, SIGTERM), 3);
	assert_int_equal(in_a_child(asked_twice, SIGINT), 4);
}

/* A signal that comes while a file is opened or given up waits until it is listed, or is not. */
static int blocked_around(int number)
{
	sigset_t before, now;
	struct tl_output *out;

	process_begin();
	sigemptyset(&before);
	sigaddset(&before, SIGUSR1);
	sigprocmask(SIG_SETMASK, &before, NULL);
	out = begin_output("out");
	sigprocmask(SIG_SETMASK, NULL, &now);
	if (!out || sigismember(&now, number) || !sigismember(&now, SIGUSR1))
		return 1;
	output_discard(out);
	sigprocmask(SIG_SETMASK, NULL, &now);
	return sigismember(&now, number) || !sigismember(&now, SIGUSR1) ? 2 : 5;
}

TEST(the_mask_of_signals_is_as_it_was)
{
	assert_int_equal(in_a_child(blocked_around, SIGTERM), 5);
	assert_int_equal(temp_count(&temp), 0);
}

/* ---- what write() reports instead ---- */

static int writes_to_nobody(int unused)
{
	int ends[2];

	(void)unused;
	process_begin();
	if (pipe(ends))
		return 1;
	close(ends[0]);
	return write(ends[1], "x", 1) < 0 && errno == EPIPE ? 6 : 2;
}

static int writes_too_much(int unused)
{
	const struct rlimit limit = { 4, 4 };
	int fd = open(temp_path(&temp, "large"), O_RDWR | O_CREAT, 0600);

	(void)unused;
	process_begin();
	if (fd < 0 || setrlimit(RLIMIT_FSIZE, &limit) || write(fd, "1234", 4) != 4)
		return 1;
	return write(fd, "5", 1) < 0 && errno == EFBIG ? 7 : 2;
}

TEST(readers_that_end_and_files_that_are_too_large)
{
	assert_int_equal(in_a_child(writes_to_nobody, 0), 6);
	assert_int_equal(in_a_child(writes_too_much, 0), 7);
	unlink(temp_path(&temp, "large"));
}

/* ---- standard streams ---- */

static int without_stream(int closed)
{
	char byte;
	int fd;

	close(closed);
	process_begin();
	/* it is there, and no file gets its number */
	fd = open("/dev/null", O_RDWR);
	if (fcntl(closed, F_GETFD) < 0 || fd <= STDERR_FILENO)
		return 1;
	errno = 0;
	/* and fails as one that is closed */
	if (closed == STDIN_FILENO ? read(closed, &byte, 1) >= 0 : write(closed, "x", 1) >= 0)
		return 2;
	return errno == EBADF ? 8 : 3;
}

static int without_streams(int unused)
{
	(void)unused;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		close(fd);
	process_begin();
	return open("/dev/null", O_RDWR) == STDERR_FILENO + 1 ? 9 : 1;
}

static int with_streams(int unused)
{
	struct stat before[3], now;

	(void)unused;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		fstat(fd, &before[fd]);
	process_begin();
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fstat(fd, &now) || now.st_dev != before[fd].st_dev ||
		    now.st_ino != before[fd].st_ino)
			return 1;
	return 10;
}

TEST(streams_that_are_closed_at_the_start)
{
	assert_int_equal(in_a_child(without_stream, STDIN_FILENO), 8);
	assert_int_equal(in_a_child(without_stream, STDOUT_FILENO), 8);
	assert_int_equal(in_a_child(without_stream, STDERR_FILENO), 8);
	assert_int_equal(in_a_child(without_streams, 0), 9);
	assert_int_equal(in_a_child(with_streams, 0), 10);
}

/* ---- outputs that cannot be opened ---- */

TEST(an_output_that_cannot_be_opened_is_not_listed)
{
	struct tl_output *out;
	struct tl_error err;

	assert_int_equal(output_open(&out, temp_path(&temp, "none/out"), &err), TL_IO);
	/* both places are free all the same */
	struct tl_output *first = begin_output("a"), *second = begin_output("b");

	assert_non_null(first);
	assert_non_null(second);
	output_discard(second);
	assert_int_equal(output_commit(first, &err), 0);
	assert_int_equal(temp_count(&temp), 1);
	unlink(temp_path(&temp, "a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_take_unfinished_files_with_them),
		cmocka_unit_test(ignored_signals_stay_ignored),
		cmocka_unit_test(the_mask_of_signals_is_as_it_was),
		cmocka_unit_test(readers_that_end_and_files_that_are_too_large),
		cmocka_unit_test(streams_that_are_closed_at_the_start),
		cmocka_unit_test(an_output_that_cannot_be_opened_is_not_listed),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
