/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of code that processes made, from the files that stand beside a recording and in /tmp:
 * jitdump files by tools/perf/Documentation/jitdump-specification.txt, lists by jit-interface.txt.
 */
#include "../refuse.h"
#include "../temp.h"

#include "perf_data/processes/compiled.h"

enum { PID = 10 };

static struct temp temp;
static struct tl_perf_system sys;
static char input[300];

/* ---- the files ---- */

static uint8_t dump[4096];
static size_t dump_size;

static void put(uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		dump[dump_size++] = (uint8_t)(value >> 8 * i);
}

/* magic, version, size of the header, EM_X86_64, padding, pid, time, flags */
static void begin_dump(void)
{
	dump_size = 0;
	put(0x4a695444, 4);
	put(1, 4);
	put(40, 4);
	put(62, 4);
	put(0, 4);
	put(PID, 4);
	put(0, 8);
	put(0, 8);
}

/* JIT_CODE_LOAD: 16 bytes of head, 40 of fields, the name, the code. */
static void put_code(const char *name, uint64_t time, uint64_t address, uint64_t size)
{
	static uint64_t index;

	put(0, 4);
	put(16 + 40 + strlen(name) + 1 + size, 4);
	put(time, 8);
	put(PID, 4);
	put(PID, 4);
	put(address, 8);
	put(address, 8);
	put(size, 8);
	put(++index, 8);
	memcpy(dump + dump_size, name, strlen(name) + 1);
	dump_size += strlen(name) + 1;
	for (uint64_t i = 0; i < size; i++)
		put(0xc3, 1);
}

static void write_dump(void)
{
	temp_write(&temp, "in.jit-10.dump", dump, dump_size);
}

static void write_list(const char *name, const char *text)
{
	temp_write(&temp, name, text, strlen(text));
}

/* ---- the system ---- */

static void begin(void)
{
	sys = (struct tl_perf_system){ .search = { .input = input } };
	assert_int_equal(tl_perf_process_add(&sys, PID), 0);
}

static int open_temp(void **state)
{
	(void)state;
	temp_open(&temp);
	assert_int_equal(mkdir(temp_path(&temp, "tmp"), 0700), 0);
	snprintf(input, sizeof(input), "%s/in", temp.directory);
	begin();
	return 0;
}

static int close_temp(void **state)
{
	(void)state;
	tl_perf_system_free(&sys);
	temp_close(&temp);
	return 0;
}

static void expect_name(uint64_t ip, uint64_t time, const char *text, uint64_t start)
{
	struct tl_perf_compiled_name name;
	struct tl_error err;

	assert_int_equal(tl_perf_compiled_find(&sys, 0, ip, time, &name, &err), 1);
	assert_string_equal(name.name, text);
	assert_int_equal(name.start, start);
}

static void expect_none(uint64_t ip)
{
	struct tl_perf_compiled_name name;
	struct tl_error err;

	assert_int_equal(tl_perf_compiled_find(&sys, 0, ip, 0, &name, &err), 0);
}

static void expect_why(const char *file, const char *text)
{
	char expected[600];

	snprintf(expected, sizeof(expected), "%s: %s", temp_path(&temp, file), text);
	assert_string_equal(tl_perf_compiled_why(&sys, 0), expected);
}

/* ---- names ---- */

/* "whole" is written over in part, then as a whole; before its first code an address has that. */
TEST(an_address_has_the_code_of_its_time)
{
	begin_dump();
	put_code("whole", 100, 0x1000, 64);
	put_code("part", 200, 0x1010, 16);
	put_code("again", 300, 0x1000, 64);
	put_code("far", 400, 0x3000, 16);
	write_dump();
	expect_name(0x1000, 100, "whole", 0x1000);
	expect_name(0x1010, 100, "whole", 0x1000);
	expect_name(0x1010, 199, "whole", 0x1000);
	expect_name(0x1010, 200, "part", 0x1010);
	expect_name(0x101f, 299, "part", 0x1010);
	expect_name(0x1020, 299, "whole", 0x1000);
	expect_name(0x1010, 300, "again", 0x1000);
	expect_name(0x1010, UINT64_MAX, "again", 0x1000);
	expect_name(0x1010, 0, "whole", 0x1000);
	expect_name(0x3000, 0, "far", 0x3000);
	expect_none(0xfff);
	expect_none(0x1040);
	expect_none(0x3010);
	assert_null(tl_perf_compiled_why(&sys, 0));
}

TEST(what_the_dump_does_not_name_the_list_does)
{
	begin_dump();
	put_code("dumped", 100, 0x1000, 16);
	write_dump();
	write_list("in.perf-10.map", "1000 20 listed\n2000 10 stub with blanks\n");
	expect_name(0x1000, 100, "dumped", 0x1000);
	expect_name(0x1010, 100, "listed", 0x1000);
	expect_name(0x2000, 100, "stub with blanks", 0x2000);
}

/* The numbers of processes come again: in /tmp there may be another one's list. */
TEST(lists_in_tmp_are_read_where_that_is_asked_for)
{
	write_list("tmp/perf-10.map", "1000 10 shared\n");
	sys.search.sysroot = temp.directory;
	expect_none(0x1000);
	tl_perf_system_free(&sys);
	begin();
	sys.search.sysroot = temp.directory;
	sys.search.shared_names = true;
	expect_name(0x1000, 0, "shared", 0x1000);
	tl_perf_system_free(&sys);
	begin();
	sys.search.sysroot = temp.directory;
	sys.search.shared_names = true;
	write_list("in.perf-10.map", "1000 10 own\n");
	expect_name(0x1000, 0, "own", 0x1000);
}

TEST(without_files_nothing_is_wrong)
{
	expect_none(0x1000);
	assert_null(tl_perf_compiled_why(&sys, 0));
	write_list("in.perf-10.map", "1000 10 own\n");
	tl_perf_system_free(&sys);
	begin();
	sys.search.no_files = true;
	expect_none(0x1000);
	assert_null(tl_perf_compiled_why(&sys, 0));
}

TEST(files_that_cannot_be_read_are_told)
{
	begin_dump();
	put_code("kept", 100, 0x1000, 16);
	put_code("cut", 200, 0x2000, 16);
	dump_size--;
	write_dump();
	expect_name(0x1000, 0, "kept", 0x1000);
	expect_none(0x2000);
	expect_why("in.jit-10.dump", "a damaged record; names behind it are missing");
	tl_perf_system_free(&sys);
	begin();
	write_list("in.jit-10.dump", "no dump");
	expect_none(0x1000);
	expect_why("in.jit-10.dump", "not a jitdump file");
	tl_perf_system_free(&sys);
	begin();
	assert_int_equal(unlink(temp_path(&temp, "in.jit-10.dump")), 0);
	assert_int_equal(mkdir(temp_path(&temp, "in.perf-10.map"), 0700), 0);
	expect_none(0x1000);
	expect_why("in.perf-10.map", "the list of names is another user's, or no regular file: "
				     "those of root and of yours are read");
	assert_int_equal(rmdir(temp_path(&temp, "in.perf-10.map")), 0);
}

/* ---- memory ---- */

static int find_both(const void *arg, uint64_t *digest)
{
	struct tl_perf_compiled_name name;
	struct tl_error err;
	int status;

	(void)arg;
	sys = (struct tl_perf_system){ .search = { .input = input } };
	if (tl_perf_process_add(&sys, PID) == TL_NONE) {
		tl_perf_system_free(&sys);
		return TL_NO_MEMORY;
	}
	status = tl_perf_compiled_find(&sys, 0, 0x1000, 0, &name, &err);
	if (status == 1)
		refuse_note_text(digest, name.name);
	if (status >= 0)
		status = tl_perf_compiled_find(&sys, 0, 0x2000, 0, &name, &err);
	if (status == 1)
		refuse_note_text(digest, name.name);
	if (status >= 0)
		refuse_note_text(digest, tl_perf_compiled_why(&sys, 0));
	tl_perf_system_free(&sys);
	return status < 0 ? status : 0;
}

TEST(names_without_memory)
{
	begin_dump();
	put_code("dumped", 100, 0x1000, 16);
	dump_size += 3;
	write_dump();
	write_list("in.perf-10.map", "2000 20 listed\n");
	tl_perf_system_free(&sys);
	assert_true(refuse_each(find_both, NULL) > 5);
	begin();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_address_has_the_code_of_its_time, open_temp,
						close_temp),
		cmocka_unit_test_setup_teardown(what_the_dump_does_not_name_the_list_does,
						open_temp, close_temp),
		cmocka_unit_test_setup_teardown(lists_in_tmp_are_read_where_that_is_asked_for,
						open_temp, close_temp),
		cmocka_unit_test_setup_teardown(without_files_nothing_is_wrong, open_temp,
						close_temp),
		cmocka_unit_test_setup_teardown(files_that_cannot_be_read_are_told, open_temp,
						close_temp),
		cmocka_unit_test_setup_teardown(names_without_memory, open_temp, close_temp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
