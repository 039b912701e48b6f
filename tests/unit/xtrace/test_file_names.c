/* SPDX-License-Identifier: Apache-2.0 */
/* File names (2.1): pairs, groups, partners beside a file, and files in whatever order. */
#include "bytes.h"
#include "../temp.h"

#include <errno.h>

#include "xtrace/format/file_name.h"
#include "xtrace/parts/select.h"

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

/*
 * "xtrace.{timestamp}.{tid/cpuid}.hint{9/13}.xinsndata.bin", compressed or not; else only the
 * suffix says something.
 */
TEST(names)
{
	enum {
		NO = TL_XTRACE_FILE_UNKNOWN,
		STREAM = TL_XTRACE_FILE_STREAM,
		RECORDS = TL_XTRACE_FILE_SNAPSHOTS
	};
	static const struct {
		const char *path;
		int kind;
		size_t stem;
		const char *compression;
		unsigned hint;
		uint64_t id;
		const char *timestamp;
	} cases[] = {
		{ "xtrace.12.7.hint9.xinsndata.bin", STREAM, 17, "", 9, 7, "12" },
		{ "a/b/xtrace.12.7.hint13.xsnapshot.bin.zst", RECORDS, 22, ".zst", 13, 7, "12" },
		{ "xtrace.1.18446744073709551609.hint9.xinsndata.bin.gz", STREAM, 35, ".gz", 9,
		  18446744073709551609u, "1" },
		{ "xtrace.x y.0.hint9.xinsndata.bin.xz", STREAM, 18, ".xz", 9, 0, "x y" },
		{ "xtrace..0.hint9.xinsndata.bin.lz4", STREAM, 15, ".lz4", 9, 0, "" },
		/* The number is none, or too large. */
		{ "xtrace.1.18446744073709551619.hint9.xinsndata.bin", STREAM, 35, "", 0, 0, "" },
		{ "xtrace.1.7a.hint9.xinsndata.bin", STREAM, 17, "", 0, 0, "" },
		{ "xtrace.1./.hint9.xinsndata.bin", STREAM, 16, "", 0, 0, "" },
		{ "xtrace.1..hint9.xinsndata.bin", STREAM, 15, "", 0, 0, "" },
		/* The hint is none of the two. */
		{ "xtrace.1.7.hint8.xinsndata.bin", STREAM, 16, "", 0, 0, "" },
		{ "xtrace.1.7.hint.xinsndata.bin", STREAM, 15, "", 0, 0, "" },
		{ "xtrace.1.7.hinx9.xinsndata.bin", STREAM, 16, "", 0, 0, "" },
		{ "xtrace.1.7.hint9x.xinsndata.bin", STREAM, 17, "", 0, 0, "" },
		{ "xtrace.1.7.xinsndata.bin", STREAM, 10, "", 0, 0, "" },
		{ "xtrace.17.xinsndata.bin", STREAM, 9, "", 0, 0, "" },
		{ "ytrace.1.7.hint9.xinsndata.bin", STREAM, 16, "", 0, 0, "" },
		{ "xtrace.xinsndata.bin", STREAM, 6, "", 0, 0, "" },
		{ ".xinsndata.bin", STREAM, 0, "", 0, 0, "" },
		{ "xtrace.1.7.hint9.xinsndata.bi", NO, 0, NULL, 0, 0, "" },
		{ "xtrace.1.7.hint9.xinsndata.bin.bz2", NO, 0, NULL, 0, 0, "" },
		{ "bin", NO, 0, NULL, 0, 0, "" },
		{ "", NO, 0, NULL, 0, 0, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_xtrace_file_name name;

		tl_xtrace_file_name_parse(cases[i].path, &name);
		assert_int_equal(name.kind, cases[i].kind);
		assert_int_equal(name.stem, cases[i].stem);
		assert_int_equal(name.hint, cases[i].hint);
		assert_int_equal(name.id, cases[i].id);
		assert_int_equal(name.timestamp_size, strlen(cases[i].timestamp));
		assert_memory_equal(name.timestamp, cases[i].timestamp, name.timestamp_size);
		if (cases[i].compression)
			assert_string_equal(name.compression, cases[i].compression);
		else
			assert_null(name.compression);
	}
}

/* The other file may be compressed in another way; "the same way" is looked for first. */
TEST(partners)
{
	static const char *const suffixes[] = { ".zst", ".gz", "", ".xz", ".lz4" };
	struct bytes stream = one_instruction(0x1000), snapshots = one_snapshot();
	struct tl_xtrace_file_name name;
	struct temp temp;
	bool no_memory = true;
	char *found, *path;

	temp_open(&temp);
	path = write_file(&temp, stem, ".xinsndata.bin.zst", &stream);
	tl_xtrace_file_name_parse(path, &name);
	assert_null(tl_xtrace_file_name_partner(path, &name, &no_memory));
	assert_false(no_memory);
	for (size_t i = 5; i-- > 0;) {
		char suffix[64];
		char *other;

		snprintf(suffix, sizeof(suffix), ".xsnapshot.bin%s", suffixes[i]);
		other = write_file(&temp, stem, suffix, &snapshots);
		found = tl_xtrace_file_name_partner(path, &name, &no_memory);
		/*
		 * With ".zst" among them that one; else the first of "", ".zst", ".gz", ".xz",
		 * ".lz4".
		 */
		if (i == 4 || i == 3 || i == 2 || i == 0)
			assert_string_equal(found, other);
		else
			assert_string_not_equal(found, other);
		free(found);
		free(other);
	}
	free(path);
	path = strdup("no-suffix");
	tl_xtrace_file_name_parse(path, &name);
	assert_null(tl_xtrace_file_name_partner(path, &name, &no_memory));
	free(path);
	temp_close(&temp);
	free_bytes(&stream);
	free_bytes(&snapshots);
}

/* A partner that cannot be read is damage; with `strict` it ends opening. */
TEST(partners_that_cannot_be_read)
{
	struct bytes stream = one_instruction(0x1000);
	struct tl_xtrace_options options = { .size = sizeof(options) };
	struct tl_xtrace_trace *trace;
	const struct tl_xtrace_fault *faults;
	const char *failed = NULL;
	struct tl_error err;
	struct temp temp;
	size_t listed;
	uint64_t count, bytes;
	char partner[512];

	temp_open(&temp);
	char *path = write_file(&temp, stem, ".xinsndata.bin", &stream);
	const struct tl_xtrace_file file = { path, NULL };

	snprintf(partner, sizeof(partner), "%s/%s.xsnapshot.bin", temp.directory, stem);
	assert_int_equal(mkdir(partner, 0700), 0);
	assert_int_equal(tl_xtrace_open(&trace, &file, 1, &options, &failed, &err), 0);
	assert_string_equal(tl_xtrace_stream(trace, 0)->snapshot_path, partner);
	assert_int_equal(tl_xtrace_stream(trace, 0)->snapshots, 0);
	faults = tl_xtrace_faults(trace, &listed, &count, &bytes);
	assert_int_equal(count, 1);
	assert_int_equal(faults[0].status, TL_IO);
	assert_string_equal(faults[0].path, partner);
	assert_int_equal(faults[0].length, 0);
	tl_xtrace_close(trace);
	options.strict = true;
	assert_int_equal(tl_xtrace_open(&trace, &file, 1, &options, &failed, &err), TL_IO);
	assert_int_equal(err.status, TL_IO);
	assert_null(trace);
	assert_ptr_equal(failed, path); /* one of the arguments */
	/* Nobody looks for it. */
	options.alone = true;
	assert_int_equal(tl_xtrace_open(&trace, &file, 1, &options, &failed, &err), 0);
	assert_null(tl_xtrace_stream(trace, 0)->snapshot_path);
	tl_xtrace_close(trace);
	assert_int_equal(rmdir(partner), 0);
	free(path);
	temp_close(&temp);
	free_bytes(&stream);
}

/* Snapshots without their instruction stream can be shown; with `strict` they are refused. */
TEST(snapshots_alone)
{
	struct bytes snapshots = one_snapshot();
	struct tl_xtrace_options options = { .size = sizeof(options), .alone = true };
	struct tl_xtrace_snapshot snapshot;
	struct trace t;

	assert_int_equal(try_open(&t, NULL, &snapshots, &options), 0);
	assert_fault(&t, TL_IO, TL_NOWHERE, 0);
	assert_int_equal(tl_xtrace_stream(t.trace, 0)->snapshots, 1);
	assert_null(tl_xtrace_stream(t.trace, 0)->path);
	assert_int_equal(tl_xtrace_snapshot_read(t.trace, 0, 0, &snapshot, sizeof(snapshot)), 0);
	assert_int_equal(tl_xtrace_snapshot_read(t.trace, 0, 1, &snapshot, sizeof(snapshot)),
			 TL_BAD_USAGE);
	assert_int_equal(tl_xtrace_snapshot_read(t.trace, 1, 0, &snapshot, sizeof(snapshot)),
			 TL_BAD_USAGE);
	close_trace(&t);
	options.strict = true;
	assert_int_equal(try_open(&t, NULL, &snapshots, &options), TL_IO);
	assert_int_equal(t.err.sys_errno, ENOENT);
	close_trace(&t);
	free_bytes(&snapshots);
}

/* One stream is chosen by its thread or core; of several one has to be. */
TEST(one_of_several)
{
	static const char *const paths[] = { "xtrace.10.4.hint9.xinsndata.bin",
					     "xtrace.9.5.hint9.xinsndata.bin",
					     "xtrace.9.5.hint13.xinsndata.bin" };
	const struct tl_xtrace_options options = { .size = sizeof(options), .alone = true };
	struct bytes b = one_instruction(0x1000);
	struct tl_xtrace_file files[3];
	struct tl_source *sources[3];
	struct tl_xtrace_trace *trace;
	struct tl_error err;
	uint32_t stream;

	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(tl_source_open_memory(&sources[i], b.data, b.size, paths[i], NULL),
				 0);
		files[i] = (struct tl_xtrace_file){ paths[i], sources[i] };
	}
	assert_int_equal(tl_xtrace_open(&trace, files, 3, &options, NULL, &err), 0);
	/* By the text of the time: "10" is before "9"; then by number and path. */
	assert_string_equal(tl_xtrace_stream(trace, 0)->path, paths[0]);
	assert_string_equal(tl_xtrace_stream(trace, 1)->path, paths[2]);
	assert_string_equal(tl_xtrace_stream(trace, 2)->path, paths[1]);
	assert_int_equal(tl_xtrace_one_stream(trace, 4, &stream, &err), 0);
	assert_int_equal(stream, 0);
	assert_int_equal(tl_xtrace_one_stream(trace, 5, &stream, &err), TL_BAD_USAGE);
	assert_int_equal(tl_xtrace_one_stream(trace, TL_NOWHERE, &stream, &err), TL_BAD_USAGE);
	assert_int_equal(tl_xtrace_one_stream(trace, 6, &stream, &err), TL_BAD_USAGE);
	tl_xtrace_close(trace);
	assert_int_equal(tl_xtrace_open(&trace, files, 1, &options, NULL, &err), 0);
	assert_int_equal(tl_xtrace_one_stream(trace, TL_NOWHERE, &stream, &err), 0);
	assert_int_equal(stream, 0);
	tl_xtrace_close(trace);
	for (unsigned i = 0; i < 3; i++)
		tl_source_close(sources[i]);
	free_bytes(&b);
}

/* The hook of progress may cancel: it is called each 4 MB and at the end of a segment. */
static int cancel_at(void *arg, uint64_t done, uint64_t total)
{
	uint64_t *seen = arg;

	assert_true(done <= total);
	seen[1] = done;
	return done >= seen[0];
}

TEST(cancelled)
{
	enum { MB = 1 << 20 };
	uint64_t seen[2] = { 4 * MB - 1024, 0 };
	const struct tl_source_options hooked = { .size = sizeof(hooked),
						  .progress = cancel_at,
						  .progress_arg = seen };
	const struct tl_xtrace_options options = { .size = sizeof(options), .alone = true };
	struct bytes b = { .data = NULL };
	struct tl_xtrace_trace *trace;
	struct tl_source *source;
	struct tl_error err;
	struct temp temp;

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	while (b.size < 13 * MB)
		put_inst(&b, 0, A64_NOP);
	temp_open(&temp);
	char *path = write_file(&temp, stem, ".xinsndata.bin", &b);
	assert_int_equal(tl_source_open(&source, path, &hooked, &err), 0);
	const struct tl_xtrace_file file = { path, source };

	assert_int_equal(tl_xtrace_open(&trace, &file, 1, &options, NULL, &err), 0);
	assert_int_equal(tl_xtrace_check(trace, NULL, NULL, &err), TL_IO);
	assert_true(seen[1] >= 4 * MB - 1024 && seen[1] <= 4 * MB);
	seen[0] = UINT64_MAX;
	assert_int_equal(tl_xtrace_check(trace, NULL, NULL, &err), 0);
	assert_int_equal(seen[1], b.size);
	tl_xtrace_close(trace);
	tl_source_close(source);
	free(path);
	temp_close(&temp);
	free_bytes(&b);
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
		cmocka_unit_test(names),
		cmocka_unit_test(partners),
		cmocka_unit_test(partners_that_cannot_be_read),
		cmocka_unit_test(snapshots_alone),
		cmocka_unit_test(one_of_several),
		cmocka_unit_test(cancelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
