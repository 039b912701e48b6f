/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a file that has changed since it was opened. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "../temp_fixture.h"

#include "view/files/stamps.h"

static void write_again(const char *path, const char *text)
{
	FILE *file = fopen(path, "r+");

	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), 0), 0);
	fputs(text, file);
	fclose(file);
}

static void set_time(const char *path, long seconds, long nanoseconds)
{
	const struct timespec times[2] = { { 1, 0 }, { seconds, nanoseconds } };

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void want_change(const struct tl_view_stamps *stamps, const char *said)
{
	const char *change = tl_view_stamps_change(stamps, 1);

	if (said)
		assert_string_equal(change, said);
	else
		assert_null(change);
	/* The other file is as it was. */
	assert_null(tl_view_stamps_change(stamps, 0));
}

TEST(what_has_happened_to_a_file)
{
	char other[512], path[512], new[512];
	const char *const paths[] = { other, path };
	struct tl_view_stamps stamps;

	snprintf(other, sizeof(other), "%s", temp_write(&temp, "other", "abc", 3));
	snprintf(new, sizeof(new), "%s", temp_write(&temp, "new", "abc", 3));
	snprintf(path, sizeof(path), "%s", temp_write(&temp, "file", "abc", 3));
	set_time(path, 1000, 5);
	assert_int_equal(tl_view_stamps_take(&stamps, paths, 2, NULL), 0);
	want_change(&stamps, NULL);
	write_again(path, "abcd");
	want_change(&stamps, "has grown");
	write_again(path, "ab");
	want_change(&stamps, "has become shorter");
	write_again(path, "cba");
	want_change(&stamps, "was written to");
	set_time(path, 1000, 6);
	want_change(&stamps, "was written to");
	set_time(path, 1001, 5);
	want_change(&stamps, "was written to");
	set_time(path, 1000, 5);
	want_change(&stamps, NULL);
	set_time(new, 1000, 5);
	assert_int_equal(rename(new, path), 0);
	want_change(&stamps, "was replaced by another file");
	assert_int_equal(unlink(path), 0);
	want_change(&stamps, "is no longer there");
	tl_view_stamps_free(&stamps);
	assert_int_equal(stamps.count, 0);
}

/* "it is no regular file, and never seen to change" */
TEST(what_is_no_regular_file)
{
	char path[512];
	const char *const paths[] = { path, "/dev/null" };
	struct tl_view_stamps stamps;

	snprintf(path, sizeof(path), "%s", temp_path(&temp, "late"));
	assert_int_equal(tl_view_stamps_take(&stamps, paths, 2, NULL), 0);
	temp_write(&temp, "late", "abc", 3);
	assert_null(tl_view_stamps_change(&stamps, 0));
	assert_null(tl_view_stamps_change(&stamps, 1));
	tl_view_stamps_free(&stamps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_has_happened_to_a_file),
		cmocka_unit_test(what_is_no_regular_file),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
