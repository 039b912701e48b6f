/* SPDX-License-Identifier: Apache-2.0 */
/* "A buffered output file that appears whole or not at all." */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include "../unit.h"

#include "core/output.h"
#include "../temp.h"

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct temp));
	temp_open(*state);
	return 0;
}

static int teardown(void **state)
{
	temp_close(*state);
	free(*state);
	return 0;
}

static void assert_file(const char *path, const char *wanted)
{
	size_t size;
	char *text = temp_read(path, &size);

	assert_non_null(text);
	assert_string_equal(text, wanted);
	free(text);
}

static struct tl_output *open_at(const char *path)
{
	struct tl_output *out;
	struct tl_error err;

	assert_int_equal(tl_output_open(&out, path, &err), 0);
	return out;
}

static void commit_fails(struct tl_output *out, int code)
{
	struct tl_error err = { 0 };

	assert_int_equal(tl_output_commit(out, &err), TL_IO);
	assert_int_equal(err.status, TL_IO);
	assert_int_equal(err.sys_errno, code);
	assert_true(err.offset == TL_NOWHERE);
	assert_non_null(err.text);
}

static void open_fails(const char *path, int code)
{
	struct tl_output *out = (struct tl_output *)1;
	struct tl_error err = { 0 };

	assert_int_equal(tl_output_open(&out, path, &err), TL_IO);
	assert_int_equal(err.sys_errno, code);
	assert_null(out);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode;
}

/* Until the commit the old file is what readers see; after it the new one; no other file stays. */
static void the_old_file_is_whole_until_the_commit(void **state)
{
	const char *path = temp_write(*state, "profile", "old", 3);
	struct tl_output *out = open_at(path);

	for (int i = 0; i < 50000; i++)
		tl_put_text(out, "new");
	assert_file(path, "old");
	assert_false(tl_output_failed(out));
	assert_int_equal(tl_output_commit(out, NULL), 0);
	size_t size;
	char *text = temp_read(path, &size);

	assert_int_equal(size, 150000);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(text[i], "new"[i % 3]);
	free(text);
	assert_int_equal(temp_count(*state), 1);
}

/* An error is filled in where there is one, and only there. */
static void a_finished_output_leaves_the_error_alone(void **state)
{
	struct tl_output *out = open_at(temp_path(*state, "finished"));
	struct tl_error err = { .status = TL_IO, .text = "before" };

	tl_put_text(out, "text");
	assert_int_equal(tl_output_finish(out, &err), 0);
	assert_string_equal(err.text, "before");
	assert_int_equal(tl_output_commit(out, &err), 0);
	assert_string_equal(err.text, "before");
	assert_file(temp_path(*state, "finished"), "text");
	unlink(temp_path(*state, "finished"));
}

static void a_discarded_output_leaves_no_trace(void **state)
{
	const char *path = temp_write(*state, "profile", "old", 3);
	struct tl_output *out = open_at(path);

	tl_put_text(out, "new");
	tl_output_discard(out);
	assert_file(path, "old");
	assert_int_equal(temp_count(*state), 1);
	out = open_at(temp_path(*state, "other"));
	tl_output_discard(out);
	assert_int_equal(temp_count(*state), 1);
	tl_output_discard(NULL);
}

/* "a failed run leaves the old file": the disk is full for files past 100000 bytes. */
static void a_failed_write_leaves_the_old_file(void **state)
{
	const char *path = temp_write(*state, "profile", "old", 3);
	struct rlimit limit, small;
	struct tl_output *out;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = limit;
	small.rlim_cur = 100000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	out = open_at(path);
	for (int i = 0; i < 100000; i++)
		tl_put_text(out, "new");
	bool failed = tl_output_failed(out);
	struct tl_error err = { 0 };
	int status = tl_output_commit(out, &err);

	setrlimit(RLIMIT_FSIZE, &limit);
	assert_true(failed);
	assert_int_equal(status, TL_IO);
	assert_int_equal(err.sys_errno, EFBIG);
	assert_file(path, "old");
	assert_int_equal(temp_count(*state), 1);
}

/* One byte is enough: it fails at the commit, more fail before. */
TEST(a_full_device_is_an_error)
{
	struct tl_output *out = open_at("/dev/full");

	tl_put_char(out, 'x');
	commit_fails(out, ENOSPC);
	out = open_at("/dev/full");
	for (int i = 0; i < 30000; i++)
		tl_put_text(out, "text");
	assert_true(tl_output_failed(out));
	for (int i = 0; i < 300; i++)
		tl_output_write(out, "more", 4);
	commit_fails(out, ENOSPC);
}

TEST(a_closed_pipe_is_an_error)
{
	int ends[2];
	char name[64];

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", ends[1]);
	struct tl_output *out = open_at(name);

	close(ends[0]);
	close(ends[1]);
	tl_put_text(out, "text");
	commit_fails(out, EPIPE);
}

static void *drain(void *arg)
{
	int fd = *(int *)arg;
	size_t *total = calloc(1, sizeof(*total));
	char buffer[3000];

	for (ssize_t got; total && (got = read(fd, buffer, sizeof(buffer))) > 0;) {
		*total += (size_t)got;
		usleep(200);
	}
	return total;
}

/* Short writes and EAGAIN lose nothing: a slow reader at a pipe of 4 KiB that does not block. */
TEST(standard_output_may_be_a_slow_pipe)
{
	int ends[2], stdout_copy = dup(STDOUT_FILENO);
	pthread_t reader;
	void *total;

	fflush(stdout);
	assert_int_equal(pipe(ends), 0);
	fcntl(ends[1], F_SETPIPE_SZ, 4096);
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	dup2(ends[1], STDOUT_FILENO);
	close(ends[1]);
	assert_int_equal(pthread_create(&reader, NULL, drain, &ends[0]), 0);
	struct tl_output *out = open_at("-");

	for (int i = 0; i < 20000; i++)
		tl_put_text(out, "0123456789");
	int status = tl_output_commit(out, NULL);

	dup2(stdout_copy, STDOUT_FILENO);
	close(stdout_copy);
	pthread_join(reader, &total);
	close(ends[0]);
	assert_int_equal(status, 0);
	assert_int_equal(*(size_t *)total, 200000);
	free(total);
}

/* The pieces of any size come out in order, through a file and through memory. */
static void bytes_are_kept_across_buffers(void **state)
{
	const char *path = temp_path(*state, "bytes");
	struct tl_output *outs[2] = { open_at(path) };
	static uint8_t pattern[300000];
	size_t total = 0, size;

	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = (uint8_t)(i * 7 + i / 251);
	assert_int_equal(tl_output_open_memory(&outs[1], NULL), 0);
	for (size_t piece = 0; total + piece < sizeof(pattern);
	     total += piece, piece = (piece * 5 + 1) % 140001)
		for (int i = 0; i < 2; i++)
			tl_put_bytes(outs[i], pattern + total, piece);
	assert_true(total > 150000);
	const char *bytes = tl_output_bytes(outs[1], &size);

	assert_int_equal(size, total);
	assert_memory_equal(bytes, pattern, total);
	assert_int_equal(tl_output_commit(outs[1], NULL), 0);
	assert_int_equal(tl_output_commit(outs[0], NULL), 0);
	char *text = temp_read(path, &size);

	assert_int_equal(size, total);
	assert_memory_equal(text, pattern, total);
	free(text);
}

static void what_cannot_be_opened_is_an_error(void **state)
{
	char path[1024];

	open_fails(((struct temp *)*state)->directory, EISDIR);
	open_fails(temp_path(*state, "missing/file"), ENOENT);
	snprintf(path, sizeof(path), "%s/below", temp_write(*state, "file", "x", 1));
	open_fails(path, ENOTDIR);
	assert_file(temp_path(*state, "file"), "x");
	open_fails("", ENOENT);
	assert_int_equal(temp_count(*state), 1);
}

static void a_protected_file_is_not_replaced(void **state)
{
	const char *path = temp_write(*state, "file", "x", 1);

	if (!geteuid())
		skip();
	chmod(path, 0444);
	open_fails(path, EACCES);
	chmod(((struct temp *)*state)->directory, 0555);
	open_fails(temp_path(*state, "new"), EACCES);
	chmod(((struct temp *)*state)->directory, 0755);
}

/* A new file has 0666 less the umask, an old one keeps its bits. */
static void permissions_are_those_of_any_file(void **state)
{
	mode_t mask = umask(027);
	struct tl_output *out = open_at(temp_path(*state, "new"));

	tl_output_commit(out, NULL);
	chmod(temp_write(*state, "old", "x", 1), 0604);
	out = open_at(temp_path(*state, "old"));
	tl_output_commit(out, NULL);
	umask(mask);
	assert_int_equal(mode_of(temp_path(*state, "new")) & 07777, 0640);
	assert_int_equal(mode_of(temp_path(*state, "old")) & 07777, 0604);
}

static void commit_text(const char *path, const char *text)
{
	struct tl_output *out = open_at(path);

	tl_put_text(out, text);
	assert_int_equal(tl_output_commit(out, NULL), 0);
}

/* A link stays a link: relative, absolute, a chain, and one that leads to no file yet. */
static void links_are_followed(void **state)
{
	char target[600];

	mkdir(temp_path(*state, "d"), 0777);
	snprintf(target, sizeof(target), "%s", temp_write(*state, "d/file", "old", 3));
	assert_int_equal(symlink("d/file", temp_path(*state, "relative")), 0);
	assert_int_equal(symlink(target, temp_path(*state, "absolute")), 0);
	assert_int_equal(symlink("relative", temp_path(*state, "chain")), 0);
	assert_int_equal(symlink("d/made", temp_path(*state, "dangling")), 0);
	static const char *const names[] = { "relative", "absolute", "chain" };

	for (int i = 0; i < 3; i++) {
		commit_text(temp_path(*state, names[i]), names[i]);
		assert_true(S_ISLNK(mode_of(temp_path(*state, names[i]))));
		assert_file(temp_path(*state, "d/file"), names[i]);
	}
	commit_text(temp_path(*state, "dangling"), "made");
	assert_true(S_ISLNK(mode_of(temp_path(*state, "dangling"))));
	assert_file(temp_path(*state, "d/made"), "made");
	assert_int_equal(symlink("loop", temp_path(*state, "loop")), 0);
	open_fails(temp_path(*state, "loop"), ELOOP);
}

/* "special files (/dev/full, a named pipe) are written directly" */
static void a_named_pipe_stays_one(void **state)
{
	const char *path = temp_path(*state, "pipe");
	char got[16] = { 0 };

	assert_int_equal(mkfifo(path, 0600), 0);
	int reader = open(path, O_RDONLY | O_NONBLOCK);

	commit_text(path, "through");
	assert_int_equal(read(reader, got, sizeof(got)), 7);
	assert_string_equal(got, "through");
	assert_true(S_ISFIFO(mode_of(path)));
	assert_int_equal(temp_count(*state), 1);
	close(reader);
}

/* A name may have 255 bytes; the temporary one beside it too. */
/*
 * "Without a name where the file system has such files": nothing is left behind, however the
 * process ends.
 */
static void an_unfinished_file_has_no_name(void **state)
{
	struct temp *temp = *state;
	char *path = strdup(temp_path(temp, "out"));
	int probe = open(temp->directory, O_TMPFILE | O_WRONLY, 0600);
	struct tl_output *out = open_at(path);

	tl_output_write(out, "x", 1);
	assert_int_equal(temp_count(temp), probe < 0 ? 1 : 0);
	tl_output_abandon(out);
	assert_int_equal(temp_count(temp), 0);
	tl_output_discard(out);
	assert_int_equal(temp_count(temp), 0);
	if (probe >= 0)
		close(probe);
	free(path);
}

/* "What is left is tl_output_discard(), which then drops nothing." */
static void a_finished_file_stays(void **state)
{
	struct temp *temp = *state;
	char *path = strdup(temp_path(temp, "out"));
	struct tl_output *out = open_at(path);
	struct tl_error err;

	tl_output_write(out, "new", 3);
	assert_int_equal(tl_output_finish(out, &err), 0);
	tl_output_abandon(out);
	assert_file(path, "new");
	tl_output_discard(out);
	assert_file(path, "new");
	assert_int_equal(temp_count(temp), 1);
	free(path);
}

static void the_longest_name(void **state)
{
	char name[256];

	memset(name, 'n', 255);
	name[255] = '\0';
	commit_text(temp_path(*state, name), "long");
	assert_file(temp_path(*state, name), "long");
	assert_int_equal(temp_count(*state), 1);
}

/* What the name has become in the meantime stays as it is. */
static void a_rename_that_fails_is_an_error(void **state)
{
	const char *path = temp_path(*state, "profile");
	struct tl_output *out = open_at(path);

	tl_put_text(out, "new");
	assert_int_equal(mkdir(path, 0777), 0);
	commit_fails(out, EISDIR);
	assert_true(S_ISDIR(mode_of(path)));
	assert_int_equal(temp_count(*state), 1);
}

/* Other outputs have no bytes in memory to show. */
static void bytes_of_a_file_output_are_none(void **state)
{
	struct tl_output *out = open_at(temp_path(*state, "file"));
	size_t size = 1;

	tl_put_text(out, "text");
	assert_string_equal(tl_output_bytes(out, &size), "");
	assert_int_equal(size, 0);
	tl_output_discard(out);
}

/* A size that no machine has is refused, and what is written later goes nowhere. */
static void no_room_is_an_error(void **state __attribute__((unused)))
{
	static const size_t sizes[] = { SIZE_MAX, SIZE_MAX - 64 * 1024, PTRDIFF_MAX };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct tl_output *out;
		struct tl_error err = { 0 };
		size_t size = 1;

		assert_int_equal(tl_output_open_memory(&out, &err), 0);
		tl_put_text(out, "text");
		tl_output_make_room(out, sizes[i]);
		assert_true(tl_output_failed(out));
		tl_put_text(out, "more");
		assert_string_equal(tl_output_bytes(out, &size), "");
		assert_int_equal(size, 0);
		assert_int_equal(tl_output_commit(out, &err), TL_NO_MEMORY);
		assert_string_equal(err.text, "out of memory");
	}
}

/* Standard input may be closed: a file that is then opened has the number 0. */
static void a_file_may_be_descriptor_zero(void **state)
{
	const char *path = temp_path(*state, "file");
	int copy = dup(STDIN_FILENO), status;
	struct tl_output *out = NULL;

	close(STDIN_FILENO);
	status = tl_output_open(&out, path, NULL);
	if (status == 0) {
		tl_put_text(out, "text");
		status = tl_output_commit(out, NULL);
	}
	assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), -1);
	dup2(copy, STDIN_FILENO);
	close(copy);
	assert_int_equal(status, 0);
	assert_file(path, "text");
}

#define WITH_FIXTURE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(the_old_file_is_whole_until_the_commit),
		WITH_FIXTURE(a_finished_output_leaves_the_error_alone),
		WITH_FIXTURE(a_discarded_output_leaves_no_trace),
		WITH_FIXTURE(a_failed_write_leaves_the_old_file),
		WITH_FIXTURE(a_full_device_is_an_error),
		WITH_FIXTURE(a_closed_pipe_is_an_error),
		WITH_FIXTURE(standard_output_may_be_a_slow_pipe),
		WITH_FIXTURE(bytes_are_kept_across_buffers),
		WITH_FIXTURE(what_cannot_be_opened_is_an_error),
		WITH_FIXTURE(a_protected_file_is_not_replaced),
		WITH_FIXTURE(permissions_are_those_of_any_file),
		WITH_FIXTURE(links_are_followed),
		WITH_FIXTURE(a_named_pipe_stays_one),
		WITH_FIXTURE(an_unfinished_file_has_no_name),
		WITH_FIXTURE(a_finished_file_stays),
		WITH_FIXTURE(the_longest_name),
		WITH_FIXTURE(a_rename_that_fails_is_an_error),
		WITH_FIXTURE(bytes_of_a_file_output_are_none),
		WITH_FIXTURE(no_room_is_an_error),
		WITH_FIXTURE(a_file_may_be_descriptor_zero),
	};

	return cmocka_run_group_tests_name("core output", tests, NULL, NULL);
}
