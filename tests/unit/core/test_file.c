/* SPDX-License-Identifier: Apache-2.0 */
/* What files are opened, and as which descriptors. Quotes are from core/file.h. */
#include <errno.h>
#include <sys/types.h>
#include "../unit.h"

#include "core/file.h"
#include "../temp.h"

/* "The descriptor is never 0, 1 or 2." */
TEST(standard_descriptors_are_not_taken)
{
	int kept = dup(STDIN_FILENO), fd;
	struct temp temp;
	char *pattern;

	temp_open(&temp);
	close(STDIN_FILENO);
	fd = tl_file_open("/dev/null", O_RDONLY, 0);
	assert_true(fd > STDERR_FILENO);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), -1);
	close(fd);
	pattern = strdup(temp_path(&temp, "x.XXXXXX"));
	fd = tl_file_make_temporary(pattern);
	assert_true(fd > STDERR_FILENO);
	assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), -1);
	close(fd);
	free(pattern);
	assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
	close(kept);
	temp_close(&temp);
}

static void refused(int fd, int error)
{
	assert_int_equal(fd, -1);
	assert_int_equal(errno, error);
}

/*
 * "Open a regular file for reading; others fail with EPERM." A pipe nobody writes would block
 * open(2).
 */
TEST(only_regular_files_are_opened)
{
	struct temp temp;
	int fd;

	temp_open(&temp);
	fd = tl_file_open_regular(temp_write(&temp, "file", "x", 1));
	assert_true(fd > STDERR_FILENO);
	close(fd);
	assert_int_equal(mkfifo(temp_path(&temp, "pipe"), 0600), 0);
	refused(tl_file_open_regular(temp.path), EPERM);
	refused(tl_file_open_regular(temp.directory), EPERM);
	refused(tl_file_open_regular("/dev/null"), EPERM);
	refused(tl_file_open_named("/dev/null"), EPERM);
	refused(tl_file_open_regular(temp_path(&temp, "none")), ENOENT);
	temp_close(&temp);
}

/* "It must belong to root or to the user of the process." */
TEST(named_files_belong_to_root_or_us)
{
	struct temp temp;
	int fd;

	temp_open(&temp);
	fd = tl_file_open_named(temp_write(&temp, "ours", "x", 1));
	assert_true(fd > STDERR_FILENO);
	close(fd);
	assert_true(tl_file_may_be_named(temp.path));
	assert_true(tl_file_may_be_named("/etc/passwd"));
	/* Only root can give a file away. */
	if (geteuid() == 0) {
		assert_int_equal(chown(temp_write(&temp, "theirs", "x", 1), 12345, 12345), 0);
		refused(tl_file_open_named(temp.path), EPERM);
		assert_false(tl_file_may_be_named(temp.path));
		fd = tl_file_open_regular(temp.path);
		assert_true(fd > STDERR_FILENO);
		close(fd);
	}
	temp_close(&temp);
}

/* "All `size` bytes unless the file ends before." */
TEST(reading_goes_to_the_end)
{
	struct temp temp;
	char data[16];
	int fd;

	temp_open(&temp);
	fd = tl_file_open_regular(temp_write(&temp, "file", "0123456789", 10));
	assert_int_equal(tl_file_read_at(fd, data, 4, 3), 4);
	assert_memory_equal(data, "3456", 4);
	assert_int_equal(tl_file_read_at(fd, data, 16, 3), 7);
	assert_memory_equal(data, "3456789", 7);
	assert_int_equal(tl_file_read_at(fd, data, 16, 10), 0);
	close(fd);
	refused((int)tl_file_read_at(fd, data, 16, 10), EBADF);
	temp_close(&temp);
}

/* "Bytes of a path up to its last component"; "False: errno says why." */
TEST(directories)
{
	struct temp temp;

	temp_open(&temp);
	assert_int_equal(tl_file_directory_length("a/b"), 2);
	assert_int_equal(tl_file_directory_length("b"), 0);
	assert_int_equal(tl_file_directory_length("/b"), 1);
	assert_true(tl_file_sync_directory(temp_path(&temp, "any")));
	assert_true(tl_file_sync_directory("any"));
	assert_false(tl_file_sync_directory(temp_path(&temp, "none/any")));
	assert_int_equal(errno, ENOENT);
	temp_close(&temp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(standard_descriptors_are_not_taken),
		cmocka_unit_test(only_regular_files_are_opened),
		cmocka_unit_test(named_files_belong_to_root_or_us),
		cmocka_unit_test(reading_goes_to_the_end),
		cmocka_unit_test(directories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
