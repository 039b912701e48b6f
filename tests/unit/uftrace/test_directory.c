/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a recording, its records as text, and its directory on a disk. */
#include "../temp_fixture.h"
#include "recording.h"

#include "core/output.h"

static void put_calls(const struct recording *r)
{
	begin_with(r);
	begin_file("10.dat");
	call(1000, ENTRY, 0, MAIN);
	call(1100, ENTRY, 1, LEAF);
	call(1180, EXIT, 1, LEAF);
	put_record(1250, LOST, 0, 3);
	put_record(1400, EVENT, 0, 77);
	call(1500, EXIT, 0, MAIN);
	end_file();
}

/* ---- the header ---- */

/* docs/formats/uftrace.md, section 1: all numbers are in the byte order that the header says. */
TEST(big_endian)
{
	struct recording r = usual(one_task);

	r.byte_order = BIG_ENDIAN_FILE;
	put_calls(&r);
	expect("main 420\nmain;a::leaf() 80\n");
	text_close(&t);
}

TEST(a_header_that_is_cut_short)
{
	for (size_t size = 0; size <= 40; size++) {
		struct tl_source *info = NULL;
		struct tl_foreign_file none = { .records = 0 };
		struct tl_error error = { 0 };
		struct tl_cursor empty = tl_cursor_over(all.bytes, 0);
		const struct tl_uftrace_folder folder = { uftrace_folder_open, &empty };
		int status;

		begin(one_task);
		assert_int_equal(tl_source_open_memory(&info, all.bytes + 7, size, "info", &error),
				 0);
		status = tl_uftrace_read(&none, info, &folder, &error);
		/* Behind a whole one task.txt is missed. */
		assert_int_equal(status, size < 8 || size == 40 ? TL_BAD_FORMAT : TL_TRUNCATED);
		assert_int_equal(error.offset, size < 8 ? 0 : size < 40 ? size : TL_NOWHERE);
		tl_source_close(info);
	}
}

/* Section 3: nothing is "later than the first session with the elapsed time and a second". */
TEST(the_latest_time)
{
	static const struct {
		const char *info;
		uint64_t time;
		bool is_read;
	} rows[] = {
		{ "elapsed_time:2.000000000 sec\n", 3000000000, true },
		{ "elapsed_time:2.000000000 sec\n", 3000000001, false },
		{ "elapsed_time:0.000000000 sec\n", 3000000001, true },
		{ "elapsed_time:unknown\n", 3000000001, true },
		{ "elapsed_time:9999999999.9 sec\n", 3000000001, true },
		{ "", INT64_MAX, true },
		{ "", (uint64_t)INT64_MAX + 1, false },
	};
	struct recording r = usual(one_task);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		r.info = rows[i].info;
		begin_with(&r);
		begin_file("10.dat");
		call(1000, ENTRY, 0, MAIN);
		call(1001, EXIT, 0, MAIN);
		call(rows[i].time, ENTRY, 0, LEAF);
		call(rows[i].time, EXIT, 0, LEAF);
		end_file();
		assert_int_equal(read_all(all.size, false), 0);
		assert_int_equal(t.foreign.records, rows[i].is_read ? 4 : 2);
		assert_int_equal(t.foreign.faults.skipped_bytes, rows[i].is_read ? 0 : 32);
		text_close(&t);
	}
}

/* Sessions come in any order, and those of children later: it is the earliest one that counts. */
TEST(the_latest_time_of_several_sessions)
{
	static const unsigned orders[][3] = { { 5, 3, 4 }, { 3, 4, 5 }, { 4, 5, 3 } };

	for (size_t i = 0; i < 2 * sizeof(orders) / sizeof(orders[0]); i++) {
		const unsigned *seconds = orders[i / 2];
		char tasks[512] = "";
		struct recording r;

		for (unsigned n = 0; n < 3; n++)
			snprintf(tasks + strlen(tasks), sizeof(tasks) - strlen(tasks),
				 "SESS timestamp=%u.000000000 pid=10 sid=0123456789abcdef "
				 "exename=\"/bin/prog\"\n",
				 seconds[n]);
		strcat(tasks, "TASK timestamp=3.000000100 tid=10 pid=10\n");
		r = usual(tasks);
		/* from 3 s on, two seconds and one more */
		begin_with(&r);
		begin_file("10.dat");
		call(5999999999, ENTRY, 0, MAIN);
		call(6000000000 + i % 2, EXIT, 0, MAIN);
		end_file();
		assert_int_equal(read_all(all.size, false), 0);
		assert_int_equal(t.foreign.records, i % 2 ? 1 : 2);
		assert_int_equal(t.foreign.faults.skipped_bytes, i % 2 ? 16 : 0);
		text_close(&t);
	}
}

/* Features, bit 2: functions of the kernel, which are not read, and that is said. */
TEST(functions_of_the_kernel_are_said)
{
	struct recording r = usual(one_task);

	r.features |= KERNEL;
	begin_with(&r);
	one_call("10.dat", 1000, BASE + MAIN, 7);
	expect("main 7\n");
	assert_int_equal(t.foreign.faults.count, 1);
	text_expect_fault(&t, 0, TL_OK, TL_NOWHERE, TL_NOWHERE, "functions of the kernel");
	text_close(&t);
}

static uint64_t fact(const char *name)
{
	for (unsigned i = 0; i < t.foreign.fact_count; i++)
		if (!strcmp(t.foreign.facts[i].name, name))
			return t.foreign.facts[i].value;
	fail_msg("no fact %s", name);
	return 0;
}

TEST(what_is_counted)
{
	struct recording r = usual("SESS timestamp=0.0 pid=10 sid=0123456789abcdef exename=\"/p\"\n"
				   "TASK timestamp=0.0 tid=10 pid=10\n"
				   "FORK timestamp=0.0 pid=12 ppid=10\n");

	put_calls(&r);
	begin_file("12.dat");
	call(1600, EXIT, 1, MAIN);
	call(1700, EXIT, 0, MAIN);
	end_file();
	assert_int_equal(read_all(all.size, false), 0);
	assert_int_equal(fact("entries"), 2);
	assert_int_equal(fact("exits"), 4);
	assert_int_equal(fact("events"), 1);
	assert_int_equal(fact("inherited_calls"), 2);
	assert_int_equal(t.foreign.records, 8);
	text_close(&t);
}

/* ---- calls that are deep, or out of order ---- */

/* Depths have ten bits. What is around a call is not in the file: it is no call. */
TEST(the_deepest_call)
{
	begin(one_task);
	begin_file("10.dat");
	call(1000, ENTRY, 1023, LEAF);
	call(1005, EXIT, 1023, LEAF);
	call(1010, ENTRY, 1022, MAIN);
	call(1020, ENTRY, 1023, LEAF);
	call(1050, EXIT, 5, MAIN);
	end_file();
	expect("a::leaf() 5\nmain 10\nmain;a::leaf() 30\n");
	text_expect_fault(&t, 0, TL_BAD_RECORD, TL_NOWHERE, TL_NOWHERE, "1 ends of calls");
	text_close(&t);
}

/* Section 2: "A time that is less than the one before is taken as that one." */
TEST(time_does_not_go_back)
{
	begin(one_task);
	begin_file("10.dat");
	call(1000, ENTRY, 0, MAIN);
	call(1100, ENTRY, 1, LEAF);
	call(1050, EXIT, 1, LEAF);
	call(1130, EXIT, 0, MAIN);
	end_file();
	expect_clean("main 130\n");
}

/*
 * Section 3: where a record can stand behind data. Each row has a record that looks whole behind an
 * entry at depth 1, but cannot stand there; the data goes on to the exit.
 */
TEST(records_that_cannot_stand_behind_data)
{
	static const struct {
		uint64_t time;
		unsigned kind, depth;
	} rows[] = {
		{ 1099, EXIT, 1 },       /* earlier */
		{ 3000000001, EXIT, 1 }, /* later than the end */
		{ 1110, ENTRY, 3 },
		{ 1110, EXIT, 2 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin(one_task);
		begin_file("10.dat");
		call(1000, ENTRY, 0, MAIN);
		call(1100, ENTRY | MORE, 1, LEAF);
		call(rows[i].time, rows[i].kind, rows[i].depth, PLT);
		call(1200, EXIT | MORE, 1, LEAF);
		/* Behind an exit at depth 1: an entry at 2 or an exit at 1 cannot be. */
		call(1210, i & 1 ? ENTRY : EXIT, i & 1 ? 2 : 1, PLT);
		call(1300, EXIT, 0, MAIN);
		end_file();
		expect_clean("main 200\nmain;a::leaf() 100\n");
	}
}

/* ---- records as text ---- */

static char *dumped(bool json)
{
	struct tl_foreign_options options = text_options();
	const char *bytes;
	char *text;
	size_t size;

	options.json = json;
	assert_int_equal(tl_output_open_memory(&options.dump, NULL), 0);
	read_with(all.size, false, &options);
	bytes = tl_output_bytes(options.dump, &size);
	text = strndup(bytes, size);
	tl_output_discard(options.dump);
	return text;
}

TEST(records_as_lines)
{
	const struct recording r = usual(one_task);
	char *text;

	put_calls(&r);
	text = dumped(false);
	assert_int_equal(t.status, 0);
	assert_string_equal(text, "0x00000000 entry thread 10 time 1000 depth 0 main\n"
				  "0x00000010 entry thread 10 time 1100 depth 1 a::leaf()\n"
				  "0x00000020 exit thread 10 time 1180 depth 1 a::leaf()\n"
				  "0x00000030 lost thread 10 time 1250 depth 0 3\n"
				  "0x00000040 event thread 10 time 1400 depth 0 77\n"
				  "0x00000050 exit thread 10 time 1500 depth 0 main\n");
	free(text);
	text_close(&t);
}

TEST(records_as_json)
{
	char *text;

	begin("SESS timestamp=0.0 pid=10 sid=0123456789abcdef exename=\"/bin/prog\"\n"
	      "TASK timestamp=0.0 tid=11 pid=10\n");
	begin_file("11.dat");
	call(1000, ENTRY, 0, MAIN);
	put_record(1400, EVENT, 2, 77);
	end_file();
	text = dumped(true);
	assert_int_equal(t.status, 0);
	assert_string_equal(text,
			    "{\"offset\":0,\"record\":\"entry\",\"process\":10,\"thread\":11,"
			    "\"time\":1000,\"depth\":0,\"address\":\"0x551010\","
			    "\"name\":\"main\"}\n"
			    "{\"offset\":16,\"record\":\"event\",\"process\":10,\"thread\":11,"
			    "\"time\":1400,\"depth\":2,\"address\":\"0x4d\"}\n");
	free(text);
	text_close(&t);
}

/* ---- on a disk ---- */

/* The files in memory as files of the directory. */
static void put_on_disk(void)
{
	for (size_t at = 0; at < all.size;) {
		const size_t length = all.bytes[at];
		const size_t size =
			(size_t)(all.bytes[at + 1 + length] | all.bytes[at + 2 + length] << 8);
		char name[64] = "";

		memcpy(name, all.bytes + at + 1, length);
		at += length + 3;
		temp_write(&temp, name, all.bytes + at, size);
		at += size;
	}
}

static int read_path(const char *path)
{
	const struct tl_foreign_options options = text_options();
	struct tl_source *source = NULL;

	t = (struct text){ .profile = NULL };
	assert_true(tl_foreign_begin(&t.foreign, &tl_uftrace_reader, &options));
	t.status = tl_source_open(&source, path, NULL, &t.error);
	if (t.status == 0)
		t.status = tl_uftrace_reader.read(&t.foreign, source, &t.error);
	if (t.status == 0)
		t.status = tl_foreign_fold(&t.foreign, &t.profile, &t.error);
	tl_source_close(source);
	return t.status;
}

/* The other files are beside `info`, whether its path has a folder or not. */
TEST(a_directory_on_a_disk)
{
	const struct recording r = usual(one_task);

	put_calls(&r);
	put_on_disk();
	assert_int_equal(read_path(temp_path(&temp, "info")), 0);
	text_expect_stacks(&t, 0, "main 420\nmain;a::leaf() 80\n");
	text_close(&t);
	assert_int_equal(chdir(temp.directory), 0);
	assert_int_equal(read_path("info"), 0);
	text_expect_stacks(&t, 0, "main 420\nmain;a::leaf() 80\n");
	text_close(&t);
	assert_int_equal(unlink("task.txt"), 0);
	assert_int_equal(read_path("info"), TL_BAD_FORMAT);
	assert_non_null(strstr(t.error.text, "no file task.txt"));
	text_close(&t);
	assert_int_equal(chdir("/"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(big_endian),
		cmocka_unit_test(a_header_that_is_cut_short),
		cmocka_unit_test(the_latest_time),
		cmocka_unit_test(the_latest_time_of_several_sessions),
		cmocka_unit_test(functions_of_the_kernel_are_said),
		cmocka_unit_test(what_is_counted),
		cmocka_unit_test(the_deepest_call),
		cmocka_unit_test(time_does_not_go_back),
		cmocka_unit_test(records_that_cannot_stand_behind_data),
		cmocka_unit_test(records_as_lines),
		cmocka_unit_test(records_as_json),
		cmocka_unit_test(a_directory_on_a_disk),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
