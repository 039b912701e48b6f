/* SPDX-License-Identifier: Apache-2.0 */
/* File names (2.1): pairs, groups, partners beside a file, and files in whatever order. */
#include "bytes.h"
#include "../temp.h"

static const char stem[] = "xtrace.20251120130000.17.hint13";

static struct bytes one_instruction(uint64_t pc)
{
	struct bytes b = { .data = NULL };

	put_pcinst(&b, 0, pc, A64_NOP);
	return b;
}

static struct bytes one_snapshot(void)
{
	struct bytes b = { .data = NULL };

	put_header(&b);
	put_record(&b, &(struct record){ .index = 0 });
	return b;
}

static char *write_file(struct temp *temp, const char *name, const char *suffix,
			const struct bytes *b)
{
	char whole[256];

	snprintf(whole, sizeof(whole), "%s%s", name, suffix);
	return strdup(temp_write(temp, whole, b->data, b->size));
}

/* "pair = same name up to the suffix"; "either file of the pair may be given". */
TEST(the_other_file_is_found)
{
	struct bytes stream = one_instruction(0x1000), snapshots = one_snapshot();
	struct temp temp;

	temp_open(&temp);
	char *first = write_file(&temp, stem, ".xinsndata.bin", &stream);
	char *second = write_file(&temp, stem, ".xsnapshot.bin", &snapshots);

	for (unsigned i = 0; i < 4; i++) {
		const struct tl_xtrace_file one[] = { { i & 1 ? second : first, NULL } };
		const struct tl_xtrace_file two[] = { { i & 1 ? second : first, NULL },
						      { i & 1 ? first : second, NULL } };
		const struct tl_xtrace_stream_info *info;
		struct tl_xtrace_trace *trace;
		struct tl_error err;

		assert_int_equal(
			tl_xtrace_open(&trace, i & 2 ? two : one, i & 2 ? 2 : 1, NULL, NULL, &err),
			0);
		assert_int_equal(tl_xtrace_stream_count(trace), 1);
		info = tl_xtrace_stream(trace, 0);
		assert_string_equal(info->path, first);
		assert_string_equal(info->snapshot_path, second);
		assert_string_equal(info->timestamp, "20251120130000");
		assert_int_equal(info->id, 17);
		assert_int_equal(info->hint, 13);
		assert_int_equal(info->snapshots, 1);
		tl_xtrace_close(trace);
	}
	free(first);
	free(second);
	temp_close(&temp);
	free_bytes(&stream);
	free_bytes(&snapshots);
}

/* "Tolerate: missing snapshot file". */
TEST(a_missing_snapshot_file_is_no_fault)
{
	struct bytes stream = one_instruction(0x1000);
	struct tl_xtrace_trace *trace;
	struct tl_error err;
	struct temp temp;
	size_t listed;
	uint64_t count, bytes;

	temp_open(&temp);
	char *path = write_file(&temp, stem, ".xinsndata.bin", &stream);
	const struct tl_xtrace_file file = { path, NULL };

	assert_int_equal(tl_xtrace_open(&trace, &file, 1, NULL, NULL, &err), 0);
	assert_null(tl_xtrace_stream(trace, 0)->snapshot_path);
	tl_xtrace_faults(trace, &listed, &count, &bytes);
	assert_int_equal(count, 0);
	tl_xtrace_close(trace);
	free(path);
	temp_close(&temp);
	free_bytes(&stream);
}

/* "group of threads or cores = same timestamp": in the order of their numbers, whatever that of the
 * arguments. */
TEST(groups_are_ordered)
{
	static const char *const names[] = { "xtrace.7.2.hint9", "xtrace.7.10.hint9",
					     "xtrace.8.1.hint9" };
	struct temp temp;
	char *paths[3];

	temp_open(&temp);
	for (unsigned i = 0; i < 3; i++) {
		struct bytes b = one_instruction(0x1000 * i);

		paths[i] = write_file(&temp, names[i], ".xinsndata.bin", &b);
		free_bytes(&b);
	}
	for (unsigned turn = 0; turn < 3; turn++) {
		struct tl_xtrace_file files[3];
		struct tl_xtrace_trace *trace;
		struct tl_error err;

		for (unsigned i = 0; i < 3; i++)
			files[i] = (struct tl_xtrace_file){ paths[(i + turn) % 3], NULL };
		assert_int_equal(tl_xtrace_open(&trace, files, 3, NULL, NULL, &err), 0);
		assert_int_equal(tl_xtrace_stream_count(trace), 3);
		for (unsigned i = 0; i < 3; i++)
			assert_string_equal(tl_xtrace_stream(trace, i)->path, paths[i]);
		assert_int_equal(tl_xtrace_stream(trace, 1)->id, 10);
		tl_xtrace_close(trace);
	}
	for (unsigned i = 0; i < 3; i++)
		free(paths[i]);
	temp_close(&temp);
}

TEST(twice_the_same_is_refused)
{
	struct bytes stream = one_instruction(0x1000);
	struct tl_xtrace_trace *trace;
	struct tl_error err;
	struct temp temp;
	const char *failed = NULL;

	temp_open(&temp);
	char *path = write_file(&temp, stem, ".xinsndata.bin", &stream);
	const struct tl_xtrace_file files[] = { { path, NULL }, { path, NULL } };

	assert_int_equal(tl_xtrace_open(&trace, files, 2, NULL, &failed, &err), TL_BAD_USAGE);
	assert_null(trace);
	assert_string_equal(failed, path);
	assert_string_equal(err.format, "xtrace");
	free(path);
	temp_close(&temp);
	free_bytes(&stream);
}

/* Names that say nothing: contents say what is what, and one of each is a pair. */
TEST(nameless_pairs)
{
	struct bytes stream = one_instruction(0x1000), snapshots = one_snapshot();
	struct temp temp;

	temp_open(&temp);
	char *first = write_file(&temp, "one", "", &stream),
	     *second = write_file(&temp, "another", "", &snapshots);
	const struct tl_xtrace_file files[] = { { second, NULL }, { first, NULL } };
	struct tl_xtrace_trace *trace;
	struct tl_error err;

	assert_int_equal(tl_xtrace_open(&trace, files, 2, NULL, NULL, &err), 0);
	assert_int_equal(tl_xtrace_stream_count(trace), 1);
	assert_string_equal(tl_xtrace_stream(trace, 0)->path, first);
	assert_string_equal(tl_xtrace_stream(trace, 0)->snapshot_path, second);
	assert_int_equal(tl_xtrace_stream(trace, 0)->snapshots, 1);
	assert_int_equal(tl_xtrace_stream(trace, 0)->id, 0);
	tl_xtrace_close(trace);
	free(first);
	free(second);
	temp_close(&temp);
	free_bytes(&stream);
	free_bytes(&snapshots);
}

TEST(a_missing_file_is_told)
{
	const struct tl_xtrace_file file = { "/nowhere/xtrace.1.1.hint9.xinsndata.bin", NULL };
	struct tl_xtrace_trace *trace;
	struct tl_error err;
	const char *failed = NULL;

	assert_int_equal(tl_xtrace_open(&trace, &file, 1, NULL, &failed, &err), TL_IO);
	assert_ptr_equal(failed, file.path);
	assert_int_equal(tl_xtrace_open(&trace, &file, 0, NULL, &failed, &err), TL_BAD_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_other_file_is_found),
		cmocka_unit_test(a_missing_snapshot_file_is_no_fault),
		cmocka_unit_test(groups_are_ordered),
		cmocka_unit_test(twice_the_same_is_refused),
		cmocka_unit_test(nameless_pairs),
		cmocka_unit_test(a_missing_file_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
