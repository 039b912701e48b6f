/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings that are directories: `data`, and `data.N` of the threads (core/source.h). */
#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/source.h"

#include "../refuse.h"
#include "../temp.h"

static struct temp recording;

static int begin(void **state __attribute__((unused)))
{
	temp_open(&recording);
	return 0;
}

static int end(void **state __attribute__((unused)))
{
	temp_close(&recording);
	return 0;
}

static void write_part(const char *name, uint8_t filler, size_t size)
{
	uint8_t *bytes = malloc(size + 1);

	assert_non_null(bytes);
	memset(bytes, filler, size);
	temp_write(&recording, name, bytes, size);
	free(bytes);
}

static struct tl_source *opened(void)
{
	struct tl_source *source;

	assert_int_equal(tl_source_open(&source, recording.directory, NULL, NULL), 0);
	return source;
}

static void expect_bytes(const uint8_t *at, uint8_t filler, size_t size)
{
	for (size_t i = 0; i < size; i++)
		assert_int_equal(at[i], filler);
}

/* Each file begins at a page of its own, and the rest of its last page is zero. */
TEST(files_stand_behind_each_other_by_number)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct tl_source *source;
	const uint8_t *data;
	size_t size;

	write_part("data.10", 'e', 1);
	write_part("data.9", 'd', 0);
	write_part("data.2", 'c', page + 1);
	write_part("data.0", 'b', page);
	write_part("data", 'a', 5);
	/* Not as the recorder writes numbers, or none. */
	write_part("data.01", 'x', 7);
	write_part("data.1x", 'x', 7);
	write_part("data.", 'x', 7);
	write_part("data.-1", 'x', 7);
	write_part("xdata.1", 'x', 7);
	source = opened();
	assert_true(
		!strncmp(tl_source_name(source), recording.directory, strlen(recording.directory)));
	assert_string_equal(tl_source_name(source) + strlen(recording.directory), "/data");
	assert_int_equal(tl_source_map(source, &data, &size, NULL), 0);
	assert_int_equal(size, 5 * page);
	assert_int_equal(source->parts.count, 4);
	assert_int_equal(source->parts.missing, 7);
	assert_int_equal(source->parts.list[0].begin, page);
	assert_int_equal(source->parts.list[1].begin, 2 * page);
	assert_int_equal(source->parts.list[2].begin, 4 * page);
	assert_int_equal(source->parts.list[2].number, 9);
	assert_int_equal(source->parts.list[2].size, 0);
	assert_int_equal(source->parts.list[3].begin, 4 * page);
	expect_bytes(data, 'a', 5);
	expect_bytes(data + 5, 0, page - 5);
	expect_bytes(data + page, 'b', page);
	expect_bytes(data + 2 * page, 'c', page + 1);
	expect_bytes(data + 3 * page + 1, 0, page - 1);
	expect_bytes(data + 4 * page, 'e', 1);
	tl_source_close(source);
}

/* A directory with nothing but `data` is that file, read as any other. */
TEST(the_first_file_alone)
{
	struct tl_source *source;
	const uint8_t *data;
	size_t size;

	write_part("data", 'a', 5);
	source = opened();
	assert_int_equal(tl_source_map(source, &data, &size, NULL), 0);
	assert_int_equal(size, 5);
	assert_int_equal(source->parts.count, 0);
	assert_int_equal(source->parts.missing, 0);
	tl_source_close(source);
}

TEST(an_empty_first_file_has_no_page)
{
	struct tl_source *source;
	const uint8_t *data;
	size_t size;

	write_part("data", 'a', 0);
	write_part("data.0", 'b', 3);
	source = opened();
	assert_int_equal(tl_source_map(source, &data, &size, NULL), 0);
	assert_int_equal(source->parts.list[0].begin, 0);
	expect_bytes(data, 'b', 3);
	tl_source_close(source);
}

/* The largest number there is: all below it are missing. */
TEST(missing_numbers_are_counted)
{
	struct tl_source *source;

	write_part("data", 'a', 1);
	write_part("data.4294967295", 'b', 1);
	write_part("data.4294967296", 'c', 1); /* no number that a thread can have */
	source = opened();
	assert_int_equal(source->parts.count, 1);
	assert_int_equal(source->parts.missing, UINT64_C(4294967295));
	tl_source_close(source);
}

static void refused(enum tl_status status, const char *text)
{
	struct tl_error err = { .status = TL_OK };
	struct tl_source *source;
	const uint8_t *data;
	size_t size;
	int got = tl_source_open(&source, recording.directory, NULL, &err);

	if (got == 0)
		got = tl_source_map(source, &data, &size, &err);
	assert_int_equal(got, status);
	assert_string_equal(err.text, text);
	tl_source_close(source);
}

/* What is no file is not waited for. */
TEST(only_files_are_parts)
{
	assert_int_equal(mkfifo(temp_path(&recording, "data"), 0600), 0);
	refused(TL_IO, "cannot open the first file of the directory");
	unlink(temp_path(&recording, "data"));
	write_part("data", 'a', 1);
	assert_int_equal(mkdir(temp_path(&recording, "data.0"), 0700), 0);
	refused(TL_IO, "cannot open a file data.N of the directory");
}

/* As many descriptors as are free below a limit that grows: what could not be opened is told. */
TEST(descriptors_that_run_out_are_errors)
{
	static const char *const texts[] = { "cannot open",
					     "cannot open the first file of the directory",
					     "cannot open a file data.N of the directory" };
	struct rlimit limit;
	size_t at = 0;
	int status = TL_IO;

	write_part("data", 'a', 1);
	write_part("data.0", 'b', 1);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	for (rlim_t i = 0; status == TL_IO; i++) {
		int next = dup(STDIN_FILENO);
		struct rlimit few = { (rlim_t)next + i, limit.rlim_max };
		struct tl_error err = { .status = TL_OK };
		struct tl_source *source;

		close(next);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		status = tl_source_open(&source, recording.directory, NULL, &err);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		tl_source_close(source);
		if (status == 0)
			break;
		assert_int_equal(err.sys_errno, EMFILE);
		at += at + 1 < sizeof(texts) / sizeof(texts[0]) && !strcmp(err.text, texts[at + 1]);
		assert_string_equal(err.text, texts[at]);
	}
	assert_int_equal(status, 0);
	assert_int_equal(at, 2);
}

/* Offsets in the others are of the stored bytes. */
TEST(a_compressed_first_file_is_refused)
{
	static const uint8_t gzip[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3,
					3,    0,    0, 0, 0, 0, 0, 0, 0, 0 };

	temp_write(&recording, "data", gzip, sizeof(gzip));
	write_part("data.0", 'b', 1);
	refused(TL_UNSUPPORTED, "the first file of a directory is compressed");
}

static int step(const void *input __attribute__((unused)), uint64_t *digest)
{
	struct tl_source *source;
	const uint8_t *data;
	size_t size;
	int status = tl_source_open(&source, recording.directory, NULL, NULL);

	if (status)
		return status;
	status = tl_source_map(source, &data, &size, NULL);
	if (status == 0)
		refuse_note(digest, data, size);
	tl_source_close(source);
	return status;
}

/* `data` is the first file where there is one, else `info`; the name says which it is. */
TEST(the_name_is_that_of_the_first_file)
{
	const size_t length = strlen(recording.directory);
	struct tl_source *source;
	const uint8_t *data;
	size_t size;

	write_part("info", 'i', 3);
	source = opened();
	assert_string_equal(tl_source_name(source) + length, "/info");
	assert_int_equal(tl_source_map(source, &data, &size, NULL), 0);
	assert_int_equal(size, 3);
	expect_bytes(data, 'i', 3);
	tl_source_close(source);
	write_part("data", 'd', 2);
	source = opened();
	assert_string_equal(tl_source_name(source) + length, "/data");
	assert_int_equal(tl_source_map(source, &data, &size, NULL), 0);
	assert_int_equal(size, 2);
	expect_bytes(data, 'd', 2);
	tl_source_close(source);
}

TEST(without_memory)
{
	write_part("data", 'a', 5);
	for (int i = 0; i < 20; i++) {
		char name[32];

		snprintf(name, sizeof(name), "data.%d", i);
		write_part(name, (uint8_t)i, 3);
	}
	assert_true(refuse_each(step, NULL) >= 24);
}

int main(void)
{
#define IN_A_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, begin, end)
	const struct CMUnitTest tests[] = {
		IN_A_DIRECTORY(files_stand_behind_each_other_by_number),
		IN_A_DIRECTORY(the_first_file_alone),
		IN_A_DIRECTORY(an_empty_first_file_has_no_page),
		IN_A_DIRECTORY(missing_numbers_are_counted),
		IN_A_DIRECTORY(only_files_are_parts),
		IN_A_DIRECTORY(descriptors_that_run_out_are_errors),
		IN_A_DIRECTORY(a_compressed_first_file_is_refused),
		IN_A_DIRECTORY(the_name_is_that_of_the_first_file),
		IN_A_DIRECTORY(without_memory),
	};

	return cmocka_run_group_tests_name("core source_parts", tests, NULL, NULL);
}
