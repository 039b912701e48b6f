/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log and its .map of what the run-time left (core/recording.h; docs/formats/xray.md, 2.1, 2.3
 * and 10). Records are letters here: what is in a buffer is copied as it is.
 */
#include "session.h"

#include <errno.h>

#include "core/recording.h"
#include "record/parts.h"

enum { HEADER = 32, EXTENTS = 16 };

static struct tl_recording_state state_of(uint32_t process)
{
	return (struct tl_recording_state){
		.magic = TL_RECORDING_MAGIC,
		.process = process,
		.ids = TL_RECORDING_ADDRESSES,
		.hz = 0x1122334455667788,
		.ended = 1,
	};
}

static void put_image(struct recording *r, const char *image, const struct tl_recording_state *left,
		      const char *objects)
{
	char name[128];

	snprintf(name, sizeof(name), "out.parts/%s", image);
	assert_int_equal(mkdir(temp_path(&r->temp, name), 0700), 0);
	snprintf(name, sizeof(name), "out.parts/%s/state", image);
	temp_write(&r->temp, name, left, sizeof(*left));
	snprintf(name, sizeof(name), "out.parts/%s/objects", image);
	temp_write(&r->temp, name, objects, strlen(objects));
}

/* A log of a thread while it is made. */
struct log {
	uint8_t bytes[16384];
	size_t size;
};

static struct log log_of(char mark)
{
	struct log log = { .size = HEADER };

	memset(log.bytes, mark, HEADER);
	return log;
}

/* BufferExtents that say `said`, and `letters` behind it. */
static void put_buffer(struct log *log, uint64_t said, const char *letters)
{
	memset(log->bytes + log->size, 0, EXTENTS);
	log->bytes[log->size] = 0x0f;
	memcpy(log->bytes + log->size + 1, &said, sizeof(said));
	log->size += EXTENTS;
	memcpy(log->bytes + log->size, letters, strlen(letters));
	log->size += strlen(letters);
}

static void put_log(struct recording *r, const char *name, const struct log *log)
{
	char path[128];

	snprintf(path, sizeof(path), "out.parts/%s", name);
	temp_write(&r->temp, path, log->bytes, log->size);
}

static void put_simple(struct recording *r, const char *name, const char *letters)
{
	struct log log = log_of('h');

	put_buffer(&log, strlen(letters), letters);
	put_log(r, name, &log);
}

static int join(struct recording *r)
{
	struct tl_error err;

	return tl_record_parts_join(&r->session, &err);
}

/* The letters of a log's buffers; the sizes in their extents are true. */
static void expect_log(struct recording *r, const char *name, const char *expected)
{
	size_t size, at = HEADER, used = 0;
	char *log = recording_read(r, name, &size), letters[256] = "";

	assert_true(size > HEADER);
	for (uint64_t bytes; at < size; at += bytes) {
		assert_int_equal(log[at], 0x0f);
		memcpy(&bytes, log + at + 1, sizeof(bytes));
		at += EXTENTS;
		assert_true(bytes <= size - at && used + bytes < sizeof(letters));
		memcpy(letters + used, log + at, bytes);
		used += bytes;
	}
	assert_string_equal(letters, expected);
	free(log);
}

/* "each thread a file of its own while the program runs, joined into one log a process" */
TEST(threads_are_joined_in_the_order_of_their_numbers_under_one_head)
{
	const struct tl_recording_state left = state_of(7);
	struct recording r;
	struct log log = log_of('9');
	size_t size;
	char *joined;

	recording_open(&r);
	put_image(&r, "7-0", &left, "");
	put_buffer(&log, 3, "abc");
	put_buffer(&log, 2, "de");
	put_log(&r, "7-0/9-0", &log);
	put_simple(&r, "7-0/10-0", "f");
	assert_int_equal(join(&r), 0);
	expect_log(&r, "out", "abcdef");
	/* the head of the first, with the rate of the state */
	joined = recording_read(&r, "out", &size);
	assert_int_equal(size, HEADER + 3 * EXTENTS + 6);
	assert_memory_equal(joined, "99999999\x88\x77\x66\x55\x44\x33\x22\x11", 16);
	assert_memory_equal(joined + 16, "9999999999999999", 16);
	free(joined);
	assert_true(r.result.recorded && !r.result.incomplete);
	assert_string_equal(r.result.command, r.output);
	assert_string_equal(r.told.lines, "");
	assert_false(is_there(&r, "out.parts"));
	recording_close(&r);
}

/* "BufferExtents are written with every record, so that the file is valid at every instant" */
TEST(an_extent_of_nothing_ends_a_thread_and_one_too_large_has_what_is_there)
{
	const struct tl_recording_state left = state_of(7);
	struct recording r;
	struct log log = log_of('h');

	recording_open(&r);
	put_image(&r, "7-0", &left, "");
	put_buffer(&log, 2, "ab");
	put_buffer(&log, 0, "");
	put_buffer(&log, 2, "xx");
	put_log(&r, "7-0/1-0", &log);
	/* nothing behind the head; the head alone */
	log.size = HEADER + EXTENTS - 1;
	put_log(&r, "7-0/2-0", &log);
	/* what begins with no digit from 1 on is no thread */
	put_simple(&r, "7-0/0-0", "zero");
	put_simple(&r, "7-0/more", "more");
	assert_int_equal(join(&r), 0);
	expect_log(&r, "out", "ab");
	recording_close(&r);
}

TEST(the_last_buffer_is_cut_where_the_file_ends)
{
	const struct tl_recording_state left = state_of(7);
	struct recording r;
	struct log log = log_of('h');
	size_t size;
	char *joined;

	recording_open(&r);
	put_image(&r, "7-0", &left, "");
	put_buffer(&log, 1000, "abcd");
	put_log(&r, "7-0/1-0", &log);
	assert_int_equal(join(&r), 0);
	joined = recording_read(&r, "out", &size);
	assert_int_equal(size, HEADER + EXTENTS + 4);
	assert_memory_equal(joined + HEADER + EXTENTS, "abcd", 4);
	free(joined);
	recording_close(&r);
}

/* A ring overwrites whole windows: the buffers of the others begin where their windows do. */
TEST(a_ring_has_buffers_at_the_beginnings_of_its_windows)
{
	struct tl_recording_state left = state_of(7);
	struct recording r;
	struct log log = log_of('h');

	recording_open(&r);
	left.window_bytes = 4096;
	left.ring = 1;
	left.overwritten_bytes = 12288;
	put_image(&r, "7-0", &left, "");
	/* The first window is empty but for the head, the third overwritten up to now. */
	log.size = 4096;
	put_buffer(&log, 4096 - EXTENTS, "second");
	log.size = 3 * 4096;
	put_buffer(&log, 6, "fourth");
	put_log(&r, "7-0/1-0", &log);
	assert_int_equal(join(&r), 0);
	{
		size_t size;
		char *joined = recording_read(&r, "out", &size);

		assert_int_equal(size, HEADER + 4096 + EXTENTS + 6);
		assert_memory_equal(joined + HEADER + EXTENTS, "second", 7);
		assert_memory_equal(joined + HEADER + 4096 + EXTENTS, "fourth", 6);
		free(joined);
	}
	expect_text(&r, "out.map", "tracelathe-map 1\noverwritten 12288\n");
	assert_non_null(strstr(r.told.lines, "the ring kept the last records only"));
	assert_false(r.result.incomplete);
	recording_close(&r);
}

TEST(the_map_has_the_objects_and_what_the_log_lacks)
{
	struct tl_recording_state left = state_of(7);
	struct recording r;

	recording_open(&r);
	left.ended = 0;
	left.lost_records = 5;
	left.lost_errno = ENOSPC;
	left.refused = 3;
	put_image(&r, "7-0", &left,
		  "2 4096 16384 /no/such/file with blanks\nnonsense\n1 2 3\n4098 16 0 /none\n");
	put_simple(&r, "7-0/1-0", "a");
	assert_int_equal(join(&r), 0);
	expect_text(&r, "out.map",
		    "tracelathe-map 1\n"
		    "object 2 4096 0x4000 - /no/such/file with blanks\n"
		    "object 4098 16 0x0 - /none\n"
		    "lost 5 No space left on device\n"
		    "cut\n");
	assert_true(r.result.incomplete);
	assert_non_null(strstr(r.told.lines,
			       "out: 5 records could not be written: No space left on device\n"));
	assert_non_null(strstr(r.told.lines, "out: 3 functions were not recorded"));
	recording_close(&r);
}

/* Each reason alone makes the recording incomplete, or does not. */
TEST(what_is_lost_refused_or_overwritten_is_told_by_itself)
{
	static const struct {
		uint64_t lost, overwritten;
		uint32_t lost_errno, refused;
		bool incomplete;
	} rows[] = { { 1, 0, 0, 0, true },
		     { 0, 0, EIO, 0, true },
		     { 0, 0, 0, 1, true },
		     { 0, 4096, 0, 0, false },
		     { 0, 0, 0, 0, false } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tl_recording_state left = state_of(7);
		struct recording r;

		recording_open(&r);
		left.lost_records = rows[i].lost;
		left.lost_errno = rows[i].lost_errno;
		left.refused = rows[i].refused;
		left.overwritten_bytes = rows[i].overwritten;
		put_image(&r, "7-0", &left, "");
		put_simple(&r, "7-0/1-0", "a");
		assert_int_equal(join(&r), 0);
		assert_int_equal(r.result.incomplete, rows[i].incomplete);
		assert_int_equal(r.told.lines[0] != '\0', i < 4);
		recording_close(&r);
	}
}

TEST(ids_of_sleds_are_those_of_the_program)
{
	struct tl_recording_state left = state_of(7);
	struct recording r;

	recording_open(&r);
	left.ids = TL_RECORDING_SLEDS;
	put_image(&r, "7-0", &left, "1 2 3 /the/program\n4 5 6 /a/library\n");
	put_simple(&r, "7-0/1-0", "a");
	assert_int_equal(join(&r), 0);
	expect_text(&r, "out.map", "tracelathe-map 1\nbinary - /the/program\n");
	recording_close(&r);
}

/* The file is this test itself. */
TEST(an_object_that_is_there_has_its_build_id)
{
	const struct tl_recording_state left = state_of(7);
	char self[TL_RECORD_PATH] = "", objects[TL_RECORD_PATH + 16], id[128] = "", path[256] = "";
	struct recording r;
	size_t size;
	char *map;

	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	snprintf(objects, sizeof(objects), "1 2 3 %s\n", self);
	recording_open(&r);
	put_image(&r, "7-0", &left, objects);
	put_simple(&r, "7-0/1-0", "a");
	assert_int_equal(join(&r), 0);
	map = recording_read(&r, "out.map", &size);
	assert_int_equal(sscanf(map, "tracelathe-map 1\nobject 1 2 0x3 %127s %255s", id, path), 2);
	assert_true(!strcmp(id, "-") || strspn(id, "0123456789abcdef") == strlen(id));
	assert_memory_equal(path, self, strlen(path));
	free(map);
	recording_close(&r);
}

/* ---- processes ---- */

/* Images of three processes, one of which executed twice; the first has nothing but its state. */
static void put_processes(struct recording *r)
{
	static const char *const images[] = { "5-0", "11-0", "9-0", "9-1" };

	for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++) {
		const struct tl_recording_state left = state_of((uint32_t)atoi(images[i]));
		char name[64];

		put_image(r, images[i], &left, "");
		snprintf(name, sizeof(name), "%s/1-0", images[i]);
		if (i)
			put_simple(r, name, images[i]);
	}
}

TEST(the_first_that_recorded_has_the_name_and_others_their_numbers)
{
	struct recording r;
	char command[3 * TL_RECORD_PATH + 16];

	recording_open(&r);
	put_processes(&r);
	/* neither is an image */
	temp_write(&r.temp, "out.parts/functions", "1\n", 2);
	temp_write(&r.temp, "out.parts/12-0x", "", 0);
	assert_int_equal(join(&r), 0);
	expect_log(&r, "out", "9-0");
	expect_log(&r, "out.9-1", "9-1");
	expect_log(&r, "out.11", "11-0");
	assert_false(is_there(&r, "out.5"));
	snprintf(command, sizeof(command), "%s %s.9-1 %s.11", r.output, r.output, r.output);
	assert_string_equal(r.result.command, command);
	recording_close(&r);
}

static uint64_t rate_in(struct recording *r, const char *name)
{
	size_t size;
	char *log = recording_read(r, name, &size);
	uint64_t rate;

	memcpy(&rate, log + 8, sizeof(rate));
	free(log);
	return rate;
}

/* Costs of different clocks have no sum: what was forked has the rate of the process it is from. */
TEST(logs_of_one_tsc_have_one_rate)
{
	struct tl_recording_state left = state_of(1);
	struct recording r;

	recording_open(&r);
	/* all ticks since the machine's boot, or since a tenth of a second after it */
	left.hz = 77;
	left.is_tsc = 1;
	left.start_ticks = 1;
	left.start_ns = 1;
	put_image(&r, "1-0", &left, "");
	put_simple(&r, "1-0/1-0", "a");
	left.start_ns = 100000001;
	put_image(&r, "2-0", &left, "");
	put_simple(&r, "2-0/2-0", "b");
	/* another clock */
	left.is_tsc = 0;
	left.hz = 1000000000;
	put_image(&r, "3-0", &left, "");
	put_simple(&r, "3-0/3-0", "c");
	assert_int_equal(join(&r), 0);
#if defined(__x86_64__)
	assert_true(rate_in(&r, "out") != 77);
#endif
	assert_int_equal(rate_in(&r, "out.2"), rate_in(&r, "out"));
	assert_int_equal(rate_in(&r, "out.3"), 1000000000);
	recording_close(&r);
}

TEST(the_process_that_was_started_comes_first)
{
	struct recording r;

	recording_open(&r);
	put_processes(&r);
	r.session.child = 11;
	assert_int_equal(join(&r), 0);
	expect_log(&r, "out", "11-0");
	expect_log(&r, "out.9", "9-0");
	expect_log(&r, "out.9-1", "9-1");
	recording_close(&r);
}

TEST(a_state_that_is_none_is_a_process_that_recorded_nothing)
{
	struct tl_recording_state left = state_of(7);
	struct recording r;

	recording_open(&r);
	put_image(&r, "7-0", &left, "");
	temp_write(&r.temp, "out.parts/7-0/state", &left, sizeof(left) - 1);
	put_simple(&r, "7-0/1-0", "short");
	left.magic++;
	put_image(&r, "8-0", &left, "");
	put_simple(&r, "8-0/1-0", "other");
	assert_int_equal(join(&r), 0);
	assert_false(r.result.recorded);
	assert_false(is_there(&r, "out"));
	assert_int_equal(temp_count(&r.temp), 0);
	recording_close(&r);
}

TEST(a_folder_that_is_not_there_is_an_error)
{
	struct recording r;
	struct tl_error err;

	recording_open(&r);
	assert_int_equal(rmdir(r.parts), 0);
	assert_int_equal(tl_record_parts_join(&r.session, &err), TL_IO);
	assert_int_equal(err.sys_errno, ENOENT);
	assert_int_equal(tl_record_parts_take_llvm(&r.session, &err), TL_IO);
	recording_close(&r);
}

/* What cannot be written leaves the parts, of which `--finish` can make the recording later. */
TEST(a_log_that_cannot_be_written_leaves_the_parts)
{
	const struct tl_recording_state left = state_of(7);
	struct recording r;

	recording_open(&r);
	put_image(&r, "7-0", &left, "");
	put_simple(&r, "7-0/1-0", "a");
	strcat(r.output, "/not/there");
	assert_true(join(&r) < 0);
	assert_true(is_there(&r, "out.parts/7-0/1-0"));
	recording_close(&r);
}

/* ---- logs of LLVM's run-time ---- */

TEST(logs_of_llvm_are_moved_and_readable_by_all)
{
	struct recording r;
	struct stat status;

	recording_open(&r);
	strcpy(r.program.path, "/the/program");
	temp_write(&r.temp, "out.parts/llvm-program.aaa", "first", 5);
	temp_write(&r.temp, "out.parts/llvm-program.bbb", "second", 6);
	temp_write(&r.temp, "out.parts/other", "x", 1);
	assert_int_equal(chmod(temp_path(&r.temp, "out.parts/llvm-program.aaa"), 0600), 0);
	assert_int_equal(tl_record_parts_take_llvm(&r.session, NULL), 0);
	expect_text(&r, "out", "first");
	expect_text(&r, "out.1", "second");
	expect_text(&r, "out.map", "tracelathe-map 1\nbinary - /the/program\n");
	expect_text(&r, "out.1.map", "tracelathe-map 1\nbinary - /the/program\n");
	assert_int_equal(stat(temp_path(&r.temp, "out"), &status), 0);
	assert_int_equal(status.st_mode & 0777, 0644);
	assert_int_equal(temp_count(&r.temp), 4);
	recording_close(&r);
}

TEST(a_log_of_llvm_that_cannot_be_moved_is_told)
{
	struct recording r;
	struct tl_error err;

	recording_open(&r);
	temp_write(&r.temp, "out.parts/llvm-program.aaa", "first", 5);
	assert_int_equal(mkdir(r.output, 0700), 0);
	assert_int_equal(tl_record_parts_take_llvm(&r.session, &err), TL_IO);
	assert_string_equal(err.text, "cannot move the log to its place");
	expect_text(&r, "out.parts/llvm-program.aaa", "first");
	recording_close(&r);
}

/* ---- names ---- */

TEST(parts_are_beside_the_output_by_an_absolute_name)
{
	char parts[TL_RECORD_PATH], expected[TL_RECORD_PATH], here[TL_RECORD_PATH / 2];
	char longest[TL_RECORD_PATH];
	struct tl_error err;

	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(tl_record_parts_name("name", parts, &err), 0);
	snprintf(expected, sizeof(expected), "%s/name.parts", here);
	assert_string_equal(parts, expected);
	assert_int_equal(tl_record_parts_name("/name", parts, &err), 0);
	assert_string_equal(parts, "/name.parts");
	assert_int_equal(tl_record_parts_name("/usr/../usr/name.x", parts, &err), 0);
	assert_string_equal(parts, "/usr/name.x.parts");
	assert_int_equal(tl_record_parts_name("/not/there/name", parts, &err), TL_TOO_LARGE);
	/* 64 bytes are kept for names in the folder. */
	memset(longest, 'a', sizeof(longest));
	longest[0] = '/';
	longest[TL_RECORD_PATH - 64 - 7] = '\0';
	assert_int_equal(tl_record_parts_name(longest, parts, &err), 0);
	assert_int_equal(strlen(parts), TL_RECORD_PATH - 65);
	longest[TL_RECORD_PATH - 64 - 7] = 'a';
	longest[TL_RECORD_PATH - 64 - 6] = '\0';
	assert_int_equal(tl_record_parts_name(longest, parts, &err), TL_TOO_LARGE);
}

TEST(a_folder_of_parts_is_made_anew)
{
	struct recording r;

	recording_open(&r);
	temp_write(&r.temp, "out.parts/old", "x", 1);
	assert_int_equal(tl_record_parts_make(r.parts, NULL), 0);
	assert_false(is_there(&r, "out.parts/old"));
	assert_int_equal(tl_record_parts_write(r.parts, "functions", "1\n2\n", 4, NULL), 0);
	expect_text(&r, "out.parts/functions", "1\n2\n");
	tl_record_parts_remove(r.parts);
	assert_int_equal(tl_record_parts_write(r.parts, "functions", "", 0, NULL), TL_IO);
	assert_int_equal(temp_count(&r.temp), 0);
	strcat(r.parts, "/below");
	assert_int_equal(tl_record_parts_make(r.parts, NULL), TL_IO);
	recording_close(&r);
}

TEST(files_that_a_shell_would_read_otherwise_are_quoted)
{
	struct tl_record_result result = { .status = 0 };
	struct tl_record_session session = { .result = &result };
	char name[sizeof(result.command)];

	tl_record_add_file(&session, "/a/b_c-d.e,f:g=h@i%j+k");
	assert_true(result.recorded);
	tl_record_add_file(&session, "two words");
	assert_string_equal(result.command, "/a/b_c-d.e,f:g=h@i%j+k 'two words'");
	/* What has no room is left out whole. */
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - strlen(result.command) - 1] = '\0';
	tl_record_add_file(&session, name);
	assert_string_equal(result.command, "/a/b_c-d.e,f:g=h@i%j+k 'two words'");
	name[strlen(name) - 1] = '\0';
	tl_record_add_file(&session, name);
	assert_int_equal(strlen(result.command), sizeof(result.command) - 1);
}

/* ---- --finish ---- */

TEST(an_interrupted_recording_is_finished)
{
	struct tl_recording_state left = state_of(7);
	struct tl_record_result result;
	struct tl_error err;
	struct recording r;

	recording_open(&r);
	left.ended = 0;
	put_image(&r, "7-0", &left, "");
	put_simple(&r, "7-0/1-0", "abc");
	assert_int_equal(
		tl_record_finish(r.output, take_line, &r.told, &result, sizeof(result), &err), 0);
	assert_int_equal(result.status, 0);
	assert_true(result.recorded && !result.incomplete);
	assert_string_equal(result.command, r.output);
	expect_log(&r, "out", "abc");
	expect_text(&r, "out.map", "tracelathe-map 1\ncut\n");
	assert_int_equal(tl_record_finish(r.output, NULL, NULL, &result, sizeof(result), &err),
			 TL_IO);
	assert_int_equal(
		tl_record_finish("/not/there/out", NULL, NULL, &result, sizeof(result), &err),
		TL_TOO_LARGE);
	recording_close(&r);
}

/* The first release has all of it. */
TEST(a_result_of_an_older_size_is_refused)
{
	struct tl_record_result result;
	struct tl_error err;
	struct recording r;

	recording_open(&r);
	assert_int_equal(tl_record_finish(r.output, NULL, NULL, &result, sizeof(result) - 8, &err),
			 TL_BAD_USAGE);
	recording_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_are_joined_in_the_order_of_their_numbers_under_one_head),
		cmocka_unit_test(
			an_extent_of_nothing_ends_a_thread_and_one_too_large_has_what_is_there),
		cmocka_unit_test(the_last_buffer_is_cut_where_the_file_ends),
		cmocka_unit_test(a_ring_has_buffers_at_the_beginnings_of_its_windows),
		cmocka_unit_test(the_map_has_the_objects_and_what_the_log_lacks),
		cmocka_unit_test(what_is_lost_refused_or_overwritten_is_told_by_itself),
		cmocka_unit_test(ids_of_sleds_are_those_of_the_program),
		cmocka_unit_test(an_object_that_is_there_has_its_build_id),
		cmocka_unit_test(the_first_that_recorded_has_the_name_and_others_their_numbers),
		cmocka_unit_test(logs_of_one_tsc_have_one_rate),
		cmocka_unit_test(the_process_that_was_started_comes_first),
		cmocka_unit_test(a_state_that_is_none_is_a_process_that_recorded_nothing),
		cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
		cmocka_unit_test(a_log_that_cannot_be_written_leaves_the_parts),
		cmocka_unit_test(logs_of_llvm_are_moved_and_readable_by_all),
		cmocka_unit_test(a_log_of_llvm_that_cannot_be_moved_is_told),
		cmocka_unit_test(parts_are_beside_the_output_by_an_absolute_name),
		cmocka_unit_test(a_folder_of_parts_is_made_anew),
		cmocka_unit_test(files_that_a_shell_would_read_otherwise_are_quoted),
		cmocka_unit_test(an_interrupted_recording_is_finished),
		cmocka_unit_test(a_result_of_an_older_size_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
