/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls that fail, are interrupted, or do less than they were asked for. The linker sends
 * those of the library here (--wrap); a test says which of the next ones fail, and how.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>

#include "../temp_fixture.h"

#include "core/file.h"
#include "core/output.h"
#include <tracelathe/core.h>

enum call {
	OPEN_UNNAMED,   /* O_TMPFILE */
	OPEN_NEW,       /* O_EXCL */
	OPEN_DIRECTORY, /* O_DIRECTORY */
	OPEN_FOUND,     /* what a descriptor of O_PATH found */
	OPEN,
	READ,
	PREAD,
	WRITE,
	POLL,
	FSYNC,
	CLOSE,
	LINKAT,
	GETRANDOM,
	ACCESS,
	MMAP,
	SIGACTION,
	CALLS
};

/* The first `passed` calls to come go through, the next `count` fail with `error`. */
struct refusal {
	int passed, count, error;
};

static struct refusal refusals[CALLS];
static size_t most_read; /* bytes that one pread(2) gives at most; 0: as many as asked for */

static bool refused(enum call call)
{
	struct refusal *refusal = &refusals[call];

	if (refusal->passed > 0) {
		refusal->passed--;
		return false;
	}
	if (!refusal->count)
		return false;
	refusal->count--;
	errno = refusal->error;
	return true;
}

/* `count` calls fail, those behind `passed` ones. */
static void refuse(enum call call, int passed, int count, int error)
{
	refusals[call] = (struct refusal){ passed, count, error };
}

/* All that was to fail has failed; nothing fails from here on. */
static void assert_all_refused(void)
{
	for (int i = 0; i < CALLS; i++)
		assert_int_equal(refusals[i].count, 0);
}

static int forget(void **state __attribute__((unused)))
{
	memset(refusals, 0, sizeof(refusals));
	most_read = 0;
	return 0;
}

static enum call kind_of_open(const char *path, int flags)
{
	if ((flags & O_TMPFILE) == O_TMPFILE)
		return OPEN_UNNAMED;
	if (flags & O_EXCL)
		return OPEN_NEW;
	if (flags & O_DIRECTORY)
		return OPEN_DIRECTORY;
	return strncmp(path, "/proc/self/fd/", 14) ? OPEN : OPEN_FOUND;
}

/* ---- the linker's names: __wrap_X is what callers of X reach, __real_X is X ---- */

#define WRAP(type, name, call, parameters, arguments)                                              \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		return refused(call) ? -1 : __real_##name arguments;                               \
	}

WRAP(ssize_t, read, READ, (int fd, void *data, size_t size), (fd, data, size))
WRAP(ssize_t, write, WRITE, (int fd, const void *data, size_t size), (fd, data, size))
WRAP(int, poll, POLL, (struct pollfd * list, nfds_t count, int timeout), (list, count, timeout))
WRAP(int, fsync, FSYNC, (int fd), (fd))
WRAP(int, linkat, LINKAT, (int from, const char *old, int to, const char *new, int flags),
     (from, old, to, new, flags))
WRAP(ssize_t, getrandom, GETRANDOM, (void *data, size_t size, unsigned flags), (data, size, flags))
WRAP(int, access, ACCESS, (const char *path, int mode), (path, mode))
WRAP(int, sigaction, SIGACTION, (int number, const struct sigaction *action, struct sigaction *old),
     (number, action, old))

int __real_open64(const char *path, int flags, mode_t mode);
int __wrap_open64(const char *path, int flags, mode_t mode);
int __wrap_open64(const char *path, int flags, mode_t mode)
{
	return refused(kind_of_open(path, flags)) ? -1 : __real_open64(path, flags, mode);
}

ssize_t __real_pread64(int fd, void *data, size_t size, off_t offset);
ssize_t __wrap_pread64(int fd, void *data, size_t size, off_t offset);
ssize_t __wrap_pread64(int fd, void *data, size_t size, off_t offset)
{
	if (refused(PREAD))
		return -1;
	return __real_pread64(fd, data, most_read && size > most_read ? most_read : size, offset);
}

void *__real_mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return refused(MMAP) ? MAP_FAILED : __real_mmap64(at, size, protection, flags, fd, offset);
}

/* "Linux closes the file also where a signal interrupts that." */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
	int status = __real_close(fd);

	return refused(CLOSE) ? -1 : status;
}

/* ---- outputs ---- */

static struct tl_output *open_with(const char *path, const char *text)
{
	struct tl_output *out;

	assert_int_equal(tl_output_open(&out, path, NULL), 0);
	tl_put_text(out, text);
	return out;
}

static void assert_file(const char *wanted)
{
	size_t size;
	char *text = temp_read(temp_path(&temp, "profile"), &size);

	assert_non_null(text);
	assert_string_equal(text, wanted);
	free(text);
	/* No temporary file stays beside it. */
	assert_int_equal(temp_count(&temp), 1);
	assert_all_refused();
}

/* "new" takes the place of "old". */
static void assert_replaced(void)
{
	const char *path = temp_write(&temp, "profile", "old", 3);

	assert_int_equal(tl_output_commit(open_with(path, "new"), NULL), 0);
	assert_file("new");
}

/* The commit fails, and the file holds `left` behind it. */
static void assert_fails(int error, const char *text, const char *left)
{
	const char *path = temp_write(&temp, "profile", "old", 3);
	struct tl_error err = { 0 };

	assert_int_equal(tl_output_commit(open_with(path, "new"), &err), TL_IO);
	assert_int_equal(err.sys_errno, error);
	assert_string_equal(err.text, text);
	assert_file(left);
}

/* A signal, or a file system that has no need of the call, is not a failure. */
TEST(interrupted_calls_are_made_again)
{
	refuse(FSYNC, 0, 2, EINTR); /* the file */
	assert_replaced();
	refuse(FSYNC, 1, 2, EINTR); /* its directory */
	assert_replaced();
	refuse(OPEN_UNNAMED, 0, 3, EINTR);
	assert_replaced();
	refuse(WRITE, 0, 3, EINTR);
	assert_replaced();
	refuse(WRITE, 0, 2, EAGAIN);
	assert_replaced();
	refuse(WRITE, 0, 1, EAGAIN);
	refuse(POLL, 0, 1, EINTR);
	assert_replaced();
	refuse(CLOSE, 1, 1, EINTR);
	assert_replaced();
	refuse(FSYNC, 0, 1, EINVAL);
	assert_replaced();
	refuse(FSYNC, 1, 1, EINVAL);
	assert_replaced();
	refuse(FSYNC, 1, 1, EROFS);
	assert_replaced();
	refuse(OPEN_DIRECTORY, 0, 1, EACCES);
	assert_replaced();
}

/* "A failed run leaves the old file": whichever call it is that fails. */
TEST(the_old_file_outlives_any_failure)
{
	refuse(WRITE, 0, 1, EIO);
	assert_fails(EIO, "cannot write", "old");
	refuse(WRITE, 0, 1, EAGAIN);
	refuse(POLL, 0, 1, EBADF);
	assert_fails(EBADF, "cannot write", "old");
	refuse(FSYNC, 0, 1, EIO);
	assert_fails(EIO, "cannot write", "old");
	refuse(LINKAT, 0, 1, EPERM);
	assert_fails(EPERM, "cannot name the finished file", "old");
	refuse(LINKAT, 0, 100, EEXIST);
	assert_fails(EEXIST, "cannot name the finished file", "old");
	refuse(CLOSE, 0, 1, EDQUOT);
	assert_fails(EDQUOT, "cannot write", "old");
}

/* Only the entry in the directory is in doubt then: the new file is there. */
TEST(a_directory_that_is_not_synchronised_is_said)
{
	static const char text[] = "the file is complete, but its directory cannot be synchronised";

	refuse(FSYNC, 1, 1, EIO);
	assert_fails(EIO, text, "new");
	refuse(OPEN_DIRECTORY, 0, 1, EMFILE);
	assert_fails(EMFILE, text, "new");
}

/* ".NAME.XXXXXX", six small letters in place of the X, in the directory of the target. */
static void assert_temporary_name(void)
{
	DIR *directory = opendir(temp.directory);
	struct dirent *entry;
	int found = 0;

	assert_non_null(directory);
	while ((entry = readdir(directory))) {
		if (strncmp(entry->d_name, ".profile.", 9))
			continue;
		found++;
		assert_int_equal(strlen(entry->d_name), 15);
		assert_int_equal(strspn(entry->d_name + 9, "abcdefghijklmnopqrstuvwxyz"), 6);
	}
	closedir(directory);
	assert_int_equal(found, 1);
}

/* Without files that have no name the temporary one has a name, and readers see the old file. */
TEST(a_file_system_without_unnamed_files)
{
	struct tl_output *out;

	for (int way = 0; way < 2; way++) {
		const char *path = temp_write(&temp, "profile", "old", 3);

		if (way)
			refuse(ACCESS, 0, 1, ENOENT); /* no /proc to name one by */
		else
			refuse(OPEN_UNNAMED, 0, 1, EOPNOTSUPP);
		out = open_with(path, "new");
		assert_int_equal(temp_count(&temp), 2);
		assert_temporary_name();
		assert_int_equal(tl_output_commit(out, NULL), 0);
		assert_file("new");
	}
	refuse(OPEN_UNNAMED, 0, 1, EOPNOTSUPP);
	out = open_with(temp_path(&temp, "profile"), "never");
	assert_temporary_name();
	tl_output_discard(out);
	assert_file("new");
}

/* Another file may have the name: other letters are tried, up to a hundred times. */
TEST(a_name_that_is_taken_is_not_used)
{
	struct tl_output *out;
	struct tl_error err = { 0 };

	refuse(LINKAT, 0, 99, EEXIST);
	assert_replaced();
	refuse(GETRANDOM, 0, 1, ENOSYS);
	assert_replaced();
	refuse(OPEN_UNNAMED, 0, 1, EOPNOTSUPP);
	refuse(OPEN_NEW, 0, 99, EEXIST);
	assert_replaced();
	for (int way = 0; way < 2; way++) {
		refuse(OPEN_UNNAMED, 0, 1, EOPNOTSUPP);
		refuse(OPEN_NEW, 0, way ? 1 : 100, way ? ENOSPC : EEXIST);
		assert_int_equal(tl_output_open(&out, temp_path(&temp, "profile"), &err), TL_IO);
		assert_int_equal(err.sys_errno, way ? ENOSPC : EEXIST);
		assert_string_equal(err.text, "cannot open for writing");
		assert_null(out);
		assert_file("new");
	}
}

/* ---- sources ---- */

static void assert_reads(const char *path, bool mapped)
{
	struct tl_source *source;
	const uint8_t *data;
	uint8_t text[16];
	size_t size;

	assert_int_equal(tl_source_open(&source, path, NULL, NULL), 0);
	if (mapped) {
		assert_int_equal(tl_source_map(source, &data, &size, NULL), 0);
		assert_int_equal(size, 5);
		assert_memory_equal(data, "bytes", 5);
	} else {
		assert_int_equal(tl_source_read(source, text, sizeof(text), NULL), 5);
		assert_memory_equal(text, "bytes", 5);
		assert_int_equal(tl_source_read(source, text, sizeof(text), NULL), 0);
	}
	tl_source_close(source);
	assert_all_refused();
}

/* A pipe that holds five bytes and ends; its reading end. */
static const char *five_bytes(char path[32], int *fd)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "bytes", 5), 5);
	close(ends[1]);
	*fd = ends[0];
	snprintf(path, 32, "/dev/fd/%d", ends[0]);
	return path;
}

TEST(interrupted_reads_are_made_again)
{
	const char *path = temp_write(&temp, "profile", "bytes", 5);

	refuse(READ, 0, 2, EINTR);
	assert_reads(path, false);
	refuse(READ, 1, 1, EAGAIN);
	assert_reads(path, false);
}

/* A pipe is mapped by way of a temporary file, which has no name, or loses it at once. */
TEST(pipes_are_spooled_without_a_name)
{
	char path[32];
	int fd;

	assert_int_equal(unlink(temp_path(&temp, "profile")), 0);
	assert_int_equal(setenv("TMPDIR", temp.directory, 1), 0);
	for (int way = 0; way < 3; way++) {
		five_bytes(path, &fd);
		if (way == 1)
			refuse(WRITE, 0, 2, EINTR);
		if (way == 2)
			refuse(OPEN_UNNAMED, 0, 1, EOPNOTSUPP);
		assert_reads(path, true);
		close(fd);
		assert_int_equal(temp_count(&temp), 0);
	}
	unsetenv("TMPDIR");
}

TEST(what_cannot_be_mapped_is_an_error)
{
	const char *path = temp_write(&temp, "profile", "bytes", 5);
	static const struct {
		int error, status;
	} rows[] = { { ENOMEM, TL_NO_MEMORY }, { ENODEV, TL_IO } };

	for (size_t i = 0; i < 2; i++) {
		struct tl_source *source;
		const uint8_t *data;
		struct tl_error err = { 0 };
		size_t size;

		assert_int_equal(tl_source_open(&source, path, NULL, NULL), 0);
		refuse(MMAP, 0, 1, rows[i].error);
		assert_int_equal(tl_source_map(source, &data, &size, &err), rows[i].status);
		assert_int_equal(err.status, rows[i].status);
		/* It is no more than one refusal: the next try succeeds. */
		assert_int_equal(tl_source_map(source, &data, &size, &err), 0);
		assert_int_equal(size, 5);
		tl_source_close(source);
	}
	assert_all_refused();
}

/* "Input changed while it was read": the file ends before the size that it had at first. */
TEST(a_file_that_shrinks_is_an_error)
{
	enum { SIZE = 1 << 20 };
	char *bytes = calloc(1, SIZE);
	const char *path = temp_write(&temp, "profile", bytes, SIZE);
	struct tl_source *source;
	struct tl_error err = { 0 };
	int64_t got, total = 0;

	assert_int_equal(tl_source_open(&source, path, NULL, NULL), 0);
	assert_int_equal(truncate(path, SIZE - 1), 0);
	while ((got = tl_source_read(source, bytes, SIZE, &err)) > 0)
		total += got;
	assert_int_equal(got, TL_IO);
	assert_string_equal(err.text, "input changed while it was read");
	assert_true(total < SIZE);
	tl_source_close(source);
	free(bytes);
}

TEST(the_guard_of_mapped_files)
{
	struct tl_error err = { 0 };

	refuse(SIGACTION, 0, 1, EINVAL);
	assert_int_equal(tl_guard_mapped_files(&err), TL_IO);
	assert_string_equal(err.text, "cannot handle SIGBUS");
	assert_int_equal(tl_guard_mapped_files(&err), 0);
	signal(SIGBUS, SIG_DFL);
}

/* ---- descriptors ---- */

/* "All `size` bytes unless the file ends before: no signal and no short read shows." */
TEST(positioned_reads_are_whole)
{
	int fd = tl_file_open(temp_write(&temp, "profile", "0123456789", 10), O_RDONLY, 0);
	char text[16] = "";

	refuse(PREAD, 1, 2, EINTR);
	most_read = 3;
	assert_int_equal(tl_file_read_at(fd, text, 8, 1), 8);
	assert_string_equal(text, "12345678");
	assert_int_equal(tl_file_read_at(fd, text, 8, 7), 3);
	assert_int_equal(tl_file_read_at(fd, text, 8, 10), 0);
	refuse(PREAD, 1, 1, EIO);
	assert_int_equal(tl_file_read_at(fd, text, 8, 1), -1);
	assert_int_equal(errno, EIO);
	close(fd);
	assert_all_refused();
}

/* Without /proc "open the path again, and check that it is the same file". */
TEST(files_are_opened_without_proc)
{
	const char *path = temp_write(&temp, "profile", "bytes", 5);
	char byte;
	int fd;

	refuse(OPEN_FOUND, 0, 1, ENOENT);
	fd = tl_file_open_regular(path);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, &byte, 1), 1);
	close(fd);
	refuse(OPEN_FOUND, 0, 1, EACCES);
	assert_int_equal(tl_file_open_regular(path), -1);
	assert_int_equal(errno, EACCES);
	refuse(OPEN_FOUND, 0, 1, ENOENT);
	refuse(OPEN, 1, 1, ENFILE);
	assert_int_equal(tl_file_open_named(path), -1);
	assert_int_equal(errno, ENFILE);
	assert_all_refused();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(interrupted_calls_are_made_again, forget),
		cmocka_unit_test_setup(the_old_file_outlives_any_failure, forget),
		cmocka_unit_test_setup(a_directory_that_is_not_synchronised_is_said, forget),
		cmocka_unit_test_setup(a_file_system_without_unnamed_files, forget),
		cmocka_unit_test_setup(a_name_that_is_taken_is_not_used, forget),
		cmocka_unit_test_setup(interrupted_reads_are_made_again, forget),
		cmocka_unit_test_setup(pipes_are_spooled_without_a_name, forget),
		cmocka_unit_test_setup(what_cannot_be_mapped_is_an_error, forget),
		cmocka_unit_test_setup(a_file_that_shrinks_is_an_error, forget),
		cmocka_unit_test_setup(the_guard_of_mapped_files, forget),
		cmocka_unit_test_setup(positioned_reads_are_whole, forget),
		cmocka_unit_test_setup(files_are_opened_without_proc, forget),
	};

	return cmocka_run_group_tests_name("core system", tests, temp_setup, temp_teardown);
}
