/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "No result stands on bytes that went away": files of every format that become shorter while they
 * are read.
 */
#include "../unit.h"

#include <tracelathe/open.h>

#include "../temp_fixture.h"

/* A recording of tests/golden, copied into the test's directory. */
static char *copy(const char *golden)
{
	const char *slash = strrchr(golden, '/');
	char from[1024], *data, *path;
	size_t size;

	snprintf(from, sizeof(from), "%s/tests/golden/%s", getenv("TL_SOURCE_ROOT"), golden);
	data = temp_read(from, &size);
	assert_non_null(data);
	path = strdup(temp_write(&temp, slash + 1, data, size));
	free(data);
	return path;
}

static off_t size_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

static struct tl_input *open_files(char *const *paths, size_t count)
{
	const char *names[2] = { paths[0], paths[1] };
	struct tl_input *input;
	struct tl_error err;

	assert_int_equal(tl_input_open(&input, names, count, NULL, NULL, &err), 0);
	return input;
}

static void assert_changed(struct tl_input *input, const char *path)
{
	struct tl_profile *profile;
	struct tl_output *out;
	struct tl_error err;

	assert_int_equal(tl_input_fold(input, &profile, &err), TL_IO);
	assert_null(profile);
	assert_string_equal(err.text, "input changed while it was read");
	assert_string_equal(tl_input_failed(input), path);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_input_info(input, TL_REPORT_TEXT, out, &err), TL_IO);
	tl_output_discard(out);
	tl_input_close(input);
}

/* Pages that are gone (SIGBUS without the guard), and a last page that is only emptied in part. */
TEST(a_mapped_file_that_shrinks)
{
	static const char *const files[] = { "xray/mt8-fdr.xray", "intel_pt/timed.pt",
					     "perf/threads.perf.data" };
	static const off_t left[] = { 0, 100, -1 };

	/* cmocka has a handler of its own for each test. */
	assert_int_equal(tl_guard_mapped_files(NULL), 0);
	for (size_t i = 0; i < 9; i++) {
		char *paths[2] = { copy(files[i / 3]), NULL };
		struct tl_input *input = open_files(paths, 1);
		off_t keep = left[i % 3];

		assert_int_equal(truncate(paths[0], keep < 0 ? size_of(paths[0]) - 1 : keep), 0);
		assert_changed(input, paths[0]);
		free(paths[0]);
	}
}

/* The second file of a pair counts as the first does. */
TEST(a_second_file_that_shrinks)
{
	char *paths[] = { copy("xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin"),
			  copy("xtrace/xtrace.20260101000000.0.hint9.xsnapshot.bin") };

	for (size_t i = 0; i < 2; i++) {
		struct tl_input *input = open_files(paths, 2);
		off_t size = size_of(paths[i]);

		assert_int_equal(truncate(paths[i], size - 1), 0);
		assert_changed(input, paths[i]);
		assert_int_equal(truncate(paths[i], size), 0);
	}
	free(paths[0]);
	free(paths[1]);
}

/* And so does one that was found beside the given one. */
TEST(a_partner_that_shrinks)
{
	char *paths[] = { copy("xtrace/xtrace.20260101000000.0.hint9.xinsndata.bin"),
			  copy("xtrace/xtrace.20260101000000.0.hint9.xsnapshot.bin") };
	struct tl_input *input = open_files(paths, 1);

	assert_int_equal(truncate(paths[1], size_of(paths[1]) - 1), 0);
	assert_changed(input, paths[1]);
	free(paths[0]);
	free(paths[1]);
}

/* Text goes by once: what has been read does not help. */
TEST(a_stream_that_shrinks)
{
	char *paths[] = { copy("callgrind/threads.out-01"), NULL };
	struct tl_input *input;
	FILE *file = fopen(paths[0], "a");

	/* More than one buffer of it. */
	for (int i = 0; i < 100000; i++)
		fprintf(file, "# comment\n");
	fclose(file);
	input = open_files(paths, 1);
	assert_int_equal(truncate(paths[0], 300000), 0);
	assert_changed(input, paths[0]);
	free(paths[0]);
}

/* "A file that has grown is not changed: what is read is its beginning." */
TEST(a_file_that_grows)
{
	char *paths[] = { copy("xray/mt8-fdr.xray"), NULL };
	struct tl_input *input = open_files(paths, 1);
	struct tl_profile *profile;

	assert_int_equal(truncate(paths[0], size_of(paths[0]) + 100000), 0);
	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	tl_profile_free(profile);
	tl_input_close(input);
	free(paths[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mapped_file_that_shrinks),
		cmocka_unit_test(a_second_file_that_shrinks),
		cmocka_unit_test(a_partner_that_shrinks),
		cmocka_unit_test(a_stream_that_shrinks),
		cmocka_unit_test(a_file_that_grows),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
