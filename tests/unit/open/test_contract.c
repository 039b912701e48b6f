/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of formats, and structs of callers whose header is older or newer (docs/abi.md). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/open.h>

#include "open/format.h"

#include "../temp.h"
#include "../unit.h"

static const char *golden(const char *name)
{
	static char path[512];
	const char *root = getenv("TL_SOURCE_ROOT");

	snprintf(path, sizeof(path), "%s/tests/golden/%s", root ? root : ".", name);
	return path;
}

/* ---- rows ---- */

TEST(formats_by_number_and_name)
{
	static const char *const names[] = { "xray", "callgrind", "intel-pt",
					     "perf", "xtrace",    "profile" };
	size_t count = 0;

	while (tl_format_info(count))
		count++;
	for (size_t i = 0; i < 6; i++) {
		const struct tl_format_info *format = tl_format_info(i);

		assert_string_equal(format->name, names[i]);
		assert_true(tl_format_find(names[i]) == format);
		assert_true(*format->help);
		/* A text has lines. */
		assert_string_equal(format->record_word, i == 1   ? "line"
							 : i == 5 ? "block"
								  : "record");
		assert_int_equal(format->joins_processes, i == 0);
		assert_int_equal(format->partner_suffix != NULL, i == 4);
		assert_int_equal(format->written, tl_format_at(i)->reencode != NULL);
	}
	for (size_t i = 6; i < count; i++)
		assert_true(tl_format_find(tl_format_info(i)->name) == tl_format_info(i));
	assert_null(tl_format_info(count + 1));
	assert_null(tl_format_info(SIZE_MAX));
	assert_null(tl_format_find(""));
	assert_null(tl_format_find("xra"));
	assert_null(tl_format_find("xrays"));
	assert_string_equal(tl_format_find("xtrace")->suffix, ".xinsndata.bin");
	assert_string_equal(tl_format_find("xtrace")->partner_suffix, ".xsnapshot.bin");
}

TEST(targets_by_number)
{
	static const char *const names[] = { "yaml", "tarmac", "champsim", "bbv",  "jsonl",
					     "lcov", "drcov",  "edges",    "bolt", "llvm-profile" };
	const size_t count = sizeof(names) / sizeof(names[0]);

	for (size_t i = 0; i < count; i++) {
		assert_string_equal(tl_trace_target(i)->name, names[i]);
		assert_true(*tl_trace_target(i)->help);
	}
	assert_null(tl_trace_target(count));
	assert_null(tl_trace_target(SIZE_MAX));
}

/* ---- sizes ---- */

/* A caller that knows more members than the library, or fewer than the first release had. */
TEST(sizes_of_options)
{
	struct {
		struct tl_input_options options;
		unsigned char unknown[64];
	} newer = { .options = TL_INPUT_OPTIONS_DEFAULT };
	const char *path = golden("xray/fib-fdr.xray");
	struct tl_input *input;
	struct tl_error err;

	memset(newer.unknown, 0xff, sizeof(newer.unknown));
	newer.options.size = sizeof(newer);
	assert_int_equal(tl_input_open(&input, &path, 1, &newer.options, NULL, &err), 0);
	tl_input_close(input);
	newer.options.size = sizeof(newer.options) - 1;
	assert_int_equal(tl_input_open(&input, &path, 1, &newer.options, NULL, &err), TL_BAD_USAGE);
	assert_null(input);
	newer.options.size = 0;
	assert_int_equal(tl_input_open(&input, &path, 1, &newer.options, NULL, &err), TL_BAD_USAGE);
}

static struct tl_input *open_golden(const char *name)
{
	const char *path = golden(name);
	struct tl_input *input;

	assert_int_equal(tl_input_open(&input, &path, 1, NULL, NULL, NULL), 0);
	return input;
}

TEST(sizes_of_slices_and_analyses)
{
	struct tl_slice slice = { .size = sizeof(slice) - 1 };
	struct tl_analysis analysis = { .size = sizeof(analysis) - 1 };
	struct tl_input *input = open_golden("xray/fib-fdr.xray");
	const char *failed = "untouched";
	struct tl_output *out;
	struct tl_error err;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_input_slice(input, &slice, out, &err), TL_BAD_USAGE);
	assert_int_equal(tl_input_analyze(input, &analysis, out, &failed, &err), TL_BAD_USAGE);
	assert_null(failed);
	/* Of the right size, they are what XRay does not do: it has no snapshots, from 0 to 0. */
	slice.size = sizeof(slice);
	analysis.size = sizeof(analysis);
	assert_int_equal(tl_input_slice(input, &slice, out, &err), TL_BAD_USAGE);
	assert_string_equal(err.format, "xray");
	assert_int_equal(tl_input_analyze(input, &analysis, out, NULL, &err), TL_UNSUPPORTED);
	assert_string_equal(err.format, "xray");
	tl_output_discard(out);
	tl_input_close(input);
}

/* The first 1,000 bytes of a log: one place is damaged, its end. */
static struct tl_input *open_cut(struct temp *temp)
{
	size_t size;
	char *data = temp_read(golden("xray/fib-fdr.xray"), &size);
	const char *path;
	struct tl_input *input;
	struct tl_profile *profile;

	assert_non_null(data);
	assert_true(size > 1000);
	temp_open(temp);
	path = temp_write(temp, "cut.xray", data, 1000);
	assert_int_equal(tl_input_open(&input, &path, 1, NULL, NULL, NULL), 0);
	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	tl_profile_free(profile);
	free(data);
	return input;
}

TEST(sizes_of_damage)
{
	struct {
		struct tl_damage damage;
		unsigned char behind[16];
	} room;
	struct temp temp;
	struct tl_input *input = open_cut(&temp);
	uint64_t skipped;

	assert_int_equal(tl_input_damage_count(input, &skipped), 1);
	memset(&room, 0x55, sizeof(room));
	/* Too small: nothing is written. */
	assert_int_equal(tl_input_damage(input, 0, &room.damage, sizeof(room.damage) - 1),
			 TL_BAD_USAGE);
	for (size_t i = 0; i < sizeof(room); i++)
		assert_int_equal(((unsigned char *)&room)[i], 0x55);
	/* Ours: nothing behind it is. */
	assert_int_equal(tl_input_damage(input, 0, &room.damage, sizeof(room.damage)), 1);
	assert_non_null(room.damage.text);
	assert_null(room.damage.path);
	for (size_t i = 0; i < sizeof(room.behind); i++)
		assert_int_equal(room.behind[i], 0x55);
	/* A newer caller: what the library does not know is zero. */
	assert_int_equal(tl_input_damage(input, 0, &room.damage, sizeof(room)), 1);
	for (size_t i = 0; i < sizeof(room.behind); i++)
		assert_int_equal(room.behind[i], 0);
	assert_int_equal(tl_input_damage(input, 1, &room.damage, sizeof(room.damage)), 0);
	tl_input_close(input);
	temp_close(&temp);
}

/* Before the count nothing is listed. */
TEST(damage_is_counted_first)
{
	struct temp temp;
	struct tl_input *input = open_cut(&temp);
	struct tl_damage damage;

	assert_int_equal(tl_input_damage(input, 0, &damage, sizeof(damage)), 0);
	assert_int_equal(tl_input_damage_count(input, NULL), 1);
	assert_int_equal(tl_input_damage(input, 0, &damage, sizeof(damage)), 1);
	tl_input_close(input);
	temp_close(&temp);
}

/* ---- several files ---- */

/* "The same file is given twice", whatever its names; of two copies the later one is named. */
TEST(files_given_twice)
{
	struct temp temp;
	char one[512], two[512], link[512];
	const char *paths[2], *failed;
	struct tl_input *input;
	size_t size;
	char *data = temp_read(golden("callgrind/threads.out-01"), &size);

	assert_non_null(data);
	temp_open(&temp);
	strcpy(one, temp_write(&temp, "one", data, size));
	strcpy(two, temp_write(&temp, "two", data, size));
	strcpy(link, temp_path(&temp, "link"));
	assert_int_equal(symlink(one, link), 0);
	for (int i = 0; i < 2; i++) {
		paths[0] = i ? two : one;
		paths[1] = i ? one : two;
		assert_int_equal(tl_input_open(&input, paths, 2, NULL, &failed, NULL),
				 TL_BAD_USAGE);
		assert_string_equal(failed, paths[1]);
	}
	paths[0] = one;
	paths[1] = link;
	assert_int_equal(tl_input_open(&input, paths, 2, NULL, &failed, NULL), TL_BAD_USAGE);
	free(data);
	temp_close(&temp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_by_number_and_name),
		cmocka_unit_test(targets_by_number),
		cmocka_unit_test(sizes_of_options),
		cmocka_unit_test(sizes_of_slices_and_analyses),
		cmocka_unit_test(sizes_of_damage),
		cmocka_unit_test(damage_is_counted_first),
		cmocka_unit_test(files_given_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
