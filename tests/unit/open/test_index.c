/* SPDX-License-Identifier: Apache-2.0 */
/* Indexes kept in a file, and what they were made of. Quotes are from <tracelathe/open.h>. */
#include "../xray/bytes.h"

#include <tracelathe/open.h>
#include <tracelathe/timeline.h>

#include "../temp_fixture.h"

#include "core/error.h"
#include "open/calls.h"
#include "open/index/index_key.h"

static char trace_path[512], index_path[512];

/* Two calls from tick 100 to 140, or by `length` later; `lost`: behind a record that is damaged. */
static void write_trace(bool lost, unsigned length)
{
	struct bytes b = { 0 };
	size_t start;

	put_header(&b, 5, FDR, 1000000, 16384);
	start = begin_block(&b, 1, 2, 100);
	if (lost) {
		put_byte(&b, 0x7f); /* a kind that metadata records do not have */
		put_repeat(&b, 0, 15);
	}
	put_function(&b, ENTER, 1, 0);
	put_function(&b, ENTER, 2, 10);
	put_function(&b, EXIT, 2, length);
	put_function(&b, EXIT, 1, 10);
	end_block(&b, start);
	temp_write(&temp, "trace", b.data, b.size);
	free_bytes(&b);
}

static int setup(void **state)
{
	temp_setup(state);
	strcpy(trace_path, temp_path(&temp, "trace"));
	strcpy(index_path, temp_path(&temp, "index"));
	return 0;
}

static struct tl_input *open_log(const struct tl_input_options *options)
{
	const char *paths[] = { trace_path };
	struct tl_input *input = NULL;

	assert_int_equal(tl_input_open(&input, paths, 1, options, NULL, NULL), 0);
	return input;
}

static uint64_t inode(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (uint64_t)st.st_ino;
}

/* "1: it was read from the file; 0: it was made"; the last tick is told in either way. */
static int kept(const struct tl_input_options *options, uint64_t *last)
{
	struct tl_input *input = open_log(options);
	struct tl_call_index *index = NULL;
	struct tl_call_track_info info;
	struct tl_error unkept = { .status = TL_IO };
	int status = tl_input_index_kept(input, index_path, &index, &unkept, NULL);

	assert_int_equal(tl_call_index_track(index, 0, &info, sizeof(info)), 1);
	*last = info.last;
	assert_int_equal(unkept.status, TL_OK);
	tl_call_index_close(index);
	tl_input_close(input);
	return status;
}

/* "it is made, and the file is written anew", once for each trace and set of options */
TEST(an_index_is_read_where_nothing_changed)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	uint64_t last, first_file;

	write_trace(false, 20);
	assert_int_equal(kept(&options, &last), 0);
	assert_int_equal(last, 140);
	first_file = inode(index_path);
	assert_true(first_file != 0);
	assert_int_equal(kept(&options, &last), 1);
	assert_int_equal(last, 140);
	assert_int_equal(inode(index_path), first_file);
	options.strict = true;
	assert_int_equal(kept(&options, &last), 0);
	assert_int_equal(kept(&options, &last), 1);
	/* As many bytes as before, and other ones. */
	write_trace(false, 30);
	assert_int_equal(kept(&options, &last), 0);
	assert_int_equal(last, 150);
	assert_int_equal(kept(&options, &last), 1);
	assert_int_equal(last, 150);
}

/* A file that is no index of ours is not believed. */
TEST(another_file_is_written_anew)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	uint64_t last;

	write_trace(false, 20);
	temp_write(&temp, "index", "nothing", 7);
	assert_int_equal(kept(&options, &last), 0);
	assert_int_equal(last, 140);
	assert_int_equal(kept(&options, &last), 1);
}

/* "Not kept are indexes of traces with damage or gaps" */
TEST(damage_is_told_each_time)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_input *input;
	struct tl_call_index *index;

	unlink(index_path);
	write_trace(true, 20);
	for (int i = 0; i < 2; i++) {
		input = open_log(&options);
		assert_int_equal(tl_input_index_kept(input, index_path, &index, NULL, NULL), 0);
		assert_true(tl_input_damage_count(input, NULL) > 0);
		tl_call_index_close(index);
		tl_input_close(input);
		assert_int_equal(inode(index_path), 0);
	}
}

/* "why it could not be written" */
TEST(an_index_that_cannot_be_kept_is_an_index)
{
	struct tl_input *input;
	struct tl_call_index *index;
	struct tl_error unkept;

	write_trace(false, 20);
	input = open_log(NULL);
	assert_int_equal(tl_input_index_kept(input, "/no/such/folder/index", &index, &unkept, NULL),
			 0);
	assert_int_equal(unkept.status, TL_IO);
	assert_non_null(index);
	tl_call_index_close(index);
	/* Nobody has to hear it. */
	assert_int_equal(tl_input_index_kept(input, "/no/such/folder/index", &index, NULL, NULL),
			 0);
	tl_call_index_close(index);
	tl_input_close(input);
}

/* ---- the key ---- */

static int make_key(const struct tl_input_options *options, struct tl_packed *key)
{
	struct tl_calls_options all = { .size = sizeof(all) };
	struct tl_input *input = open_log(NULL);
	struct tl_call_source source;
	int status;

	assert_int_equal(tl_input_call_source(input, &source, &all, NULL), 0);
	input->options = *options;
	*key = (struct tl_packed){ .size = 0 };
	status = tl_index_key_make(input, &source, key, NULL);
	if (source.ops->close)
		source.ops->close(source.handle);
	tl_input_close(input);
	return status;
}

static bool same_key(const struct tl_input_options *a, const struct tl_input_options *b)
{
	struct tl_packed one, other;
	bool same;

	assert_int_equal(make_key(a, &one), 1);
	assert_int_equal(make_key(b, &other), 1);
	same = one.size == other.size && !memcmp(one.bytes, other.bytes, one.size);
	free(one.bytes);
	free(other.bytes);
	return same;
}

/* "made of this input by the same options and programs": each of them is in the key by itself. */
TEST(each_option_is_in_the_key)
{
	static const struct tl_binary_spec binaries[] = { { .path = "/no/a" },
							  { .path = "/no/a", .address = 7 },
							  { .path = "/no/b" } };
	static const struct tl_raw_spec raws[] = { { .path = "/no/a" },
						   { .path = "/no/a", .offset = 1 },
						   { .path = "/no/a", .end = 1 },
						   { .path = "/no/a", .address = 1 } };
	struct tl_input_options rows[40];
	size_t count = 0;

#define ROW(member, value)                                                                         \
	do {                                                                                       \
		rows[count] = (struct tl_input_options)TL_INPUT_OPTIONS_DEFAULT;                   \
		rows[count].member = (value);                                                      \
		count++;                                                                           \
	} while (0)
#define LIST(member, list, number)                                                                 \
	do {                                                                                       \
		ROW(programs.member, list);                                                        \
		rows[count - 1].programs.number = 1;                                               \
	} while (0)
	ROW(strict, false);
	ROW(strict, true);
	ROW(raw_names, true);
	ROW(filter.function, "f");
	ROW(filter.object, "f");
	ROW(filter.thread, 1);
	ROW(filter.process, 1);
	ROW(filter.cpu, 1);
	ROW(filter.part, 1);
	ROW(intel_pt.cpu_model, "f");
	ROW(intel_pt.mtc_freq, 1);
	ROW(intel_pt.nom_freq, 1);
	ROW(intel_pt.cpuid_15_eax, 1);
	ROW(intel_pt.cpuid_15_ebx, 1);
	ROW(intel_pt.cpuid_15_ecx, 1);
	ROW(intel_pt.tsc_hz, 1);
	ROW(xray.tid16, true);
	ROW(xray.bit_order, TL_BITS_HIGH);
	ROW(xtrace.layout, "f");
	ROW(xtrace.skip_unknown, "f");
	ROW(address_filter, "f");
	ROW(programs.map, "/no/f");
	ROW(programs.sysroot, "/no/f");
	ROW(programs.build_id_dir, "/no/f");
	LIST(binaries, &binaries[0], binary_count);
	LIST(binaries, &binaries[1], binary_count);
	LIST(binaries, &binaries[2], binary_count);
	LIST(raws, &raws[0], raw_count);
	LIST(raws, &raws[1], raw_count);
	LIST(raws, &raws[2], raw_count);
	LIST(raws, &raws[3], raw_count);
	write_trace(false, 20);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k <= i; k++)
			if (same_key(&rows[i], &rows[k]) != (i == k))
				fail_msg("the keys of rows %d and %d", (int)i, (int)k);
}

/* "Input and programs are told by size and time": one that comes, and one that changes. */
TEST(a_program_that_comes_changes_the_key)
{
	char path[512];
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	const struct timespec times[] = { { 1, 0 }, { 1, 1 } };
	struct tl_packed keys[4];

	strcpy(path, temp_path(&temp, "program"));
	options.programs.map = path;
	write_trace(false, 20);
	for (int i = 0; i < 4; i++) {
		if (i)
			temp_write(&temp, "program", "ab", i < 2 ? 1 : 2);
		if (i == 3)
			assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
		assert_int_equal(make_key(&options, &keys[i]), 1);
		for (int k = 0; k < i; k++)
			assert_true(keys[i].size != keys[k].size ||
				    memcmp(keys[i].bytes, keys[k].bytes, keys[i].size));
	}
	for (int i = 0; i < 4; i++)
		free(keys[i].bytes);
}

/* One that is not there is as one without bytes and time. */
TEST(a_program_that_is_absent_is_as_an_empty_one)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	const struct timespec times[] = { { 0, 0 }, { 0, 0 } };
	struct tl_packed absent, empty;
	char path[512];

	strcpy(path, temp_path(&temp, "other"));
	options.programs.map = path;
	write_trace(false, 20);
	assert_int_equal(make_key(&options, &absent), 1);
	temp_write(&temp, "other", "", 0);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_int_equal(make_key(&options, &empty), 1);
	assert_int_equal(absent.size, empty.size);
	assert_memory_equal(absent.bytes, empty.bytes, empty.size);
	free(absent.bytes);
	free(empty.bytes);
}

/* "the input also by a sample of its bytes": of the same size and time */
TEST(a_byte_of_the_input_is_in_the_key)
{
	const struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	const struct timespec times[] = { { 1, 2 }, { 1, 2 } };
	struct tl_packed keys[3];

	for (unsigned i = 0; i < 3; i++) {
		write_trace(false, i ? 20 : 21);
		assert_int_equal(utimensat(AT_FDCWD, trace_path, times, 0), 0);
		assert_int_equal(make_key(&options, &keys[i]), 1);
	}
	assert_int_equal(keys[1].size, keys[2].size);
	assert_memory_equal(keys[1].bytes, keys[2].bytes, keys[1].size);
	assert_true(keys[0].size != keys[1].size ||
		    memcmp(keys[0].bytes, keys[1].bytes, keys[0].size));
	for (unsigned i = 0; i < 3; i++)
		free(keys[i].bytes);
}

/* "Not kept are indexes ... of pipes" */
TEST(a_pipe_has_no_key)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_calls_options all = { .size = sizeof(all) };
	struct tl_call_source source;
	struct tl_packed key = { .size = 0 };
	struct tl_input *input;

	write_trace(false, 20);
	input = open_log(&options);
	assert_int_equal(tl_input_call_source(input, &source, &all, NULL), 0);
	unlink(trace_path);
	assert_int_equal(mkfifo(trace_path, 0600), 0);
	assert_int_equal(tl_index_key_make(input, &source, &key, NULL), 0);
	free(key.bytes);
	if (source.ops->close)
		source.ops->close(source.handle);
	tl_input_close(input);
	unlink(trace_path);
}

/* "XRay logs in buffers"; "TL_UNSUPPORTED also for other formats" */
TEST(only_xray_is_sampled)
{
	static const char chrome[] = "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,"
				     "\"tid\":1,\"ts\":1,\"dur\":2}]}";
	struct tl_error err = { .status = TL_OK };
	struct tl_call_index *index;
	struct tl_call_track_info info;
	struct tl_input *input;

	write_trace(false, 20);
	input = open_log(NULL);
	assert_int_equal(tl_input_index_sample(input, &index, NULL), 0);
	assert_int_equal(tl_call_index_track(index, 0, &info, sizeof(info)), 1);
	assert_int_equal(info.first, 100);
	assert_int_equal(info.last, 140);
	assert_int_equal(info.thread, 2);
	tl_call_index_close(index);
	tl_input_close(input);
	temp_write(&temp, "trace", chrome, sizeof(chrome) - 1);
	input = open_log(NULL);
	assert_int_equal(tl_input_index_sample(input, &index, &err), TL_UNSUPPORTED);
	assert_null(index);
	assert_string_equal(err.text, "calls of this format are not sampled");
	tl_input_close(input);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_index_is_read_where_nothing_changed),
		cmocka_unit_test(another_file_is_written_anew),
		cmocka_unit_test(damage_is_told_each_time),
		cmocka_unit_test(an_index_that_cannot_be_kept_is_an_index),
		cmocka_unit_test(each_option_is_in_the_key),
		cmocka_unit_test(a_program_that_comes_changes_the_key),
		cmocka_unit_test(a_program_that_is_absent_is_as_an_empty_one),
		cmocka_unit_test(a_byte_of_the_input_is_in_the_key),
		cmocka_unit_test(a_pipe_has_no_key),
		cmocka_unit_test(only_xray_is_sampled),
	};

	return cmocka_run_group_tests_name("open index", tests, setup, temp_teardown);
}
