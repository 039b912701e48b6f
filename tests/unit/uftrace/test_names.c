/* SPDX-License-Identifier: Apache-2.0 */
/* Which program a thread ran when, and which function is at an address of it. */
#include "recording.h"

#define SESSION "SESS timestamp=0.000000000 pid=10 sid=0123456789abcdef exename=\"/bin/prog\"\n"
#define THREAD "TASK timestamp=0.000000100 tid=10 pid=10\n"
#define MAPPED(from, to, path) "000000" from "-000000" to " r-xp 00000000 00:00 0  " path "\n"

/* ---- task.txt ---- */

/* docs/formats/uftrace.md, section 1: "Lines that cannot be read are said." */
TEST(damaged_lines_are_said_and_left_out)
{
	static const char *const lines[] = {
		"SESS pid=10 sid=5 exename=\"/x\"",
		"SESS timestamp=5 pid=10 sid=5 exename=\"/x\"",
		"SESS timestamp=5. pid=10 sid=5 exename=\"/x\"",
		"SESS timestamp=.5 pid=10 sid=5 exename=\"/x\"",
		"SESS timestamp=5.1000000000 pid=10 sid=5 exename=\"/x\"",
		"SESS timestamp=18446744073.709551616 pid=10 sid=5 exename=\"/x\"",
		"SESS timestamp=99999999999999999999.0 pid=10 sid=5 exename=\"/x\"",
		"SESS timestamp=20000000000.0 pid=10 sid=5 exename=\"/x\"",
		"SESS timestamp=5.0 sid=5 exename=\"/x\"",
		"SESS timestamp=5.0 pid= sid=5 exename=\"/x\"",
		"SESS timestamp=5.0 pid=2147483647 sid=5 exename=\"/x\"",
		"SESS timestamp=5.0 pid=18446744073709551616 sid=5 exename=\"/x\"",
		"SESS timestamp=5.0 pid=10 exename=\"/x\"",
		"SESS timestamp=5.0 pid=10 sid=0123456789abcdef01234567 exename=\"/x\"",
		"SESS timestamp=5.0 pid=10 sid=../5 exename=\"/x\"",
		"SESS timestamp=5.0 pid=10 sid=5",
		"TASK timestamp=5.0 pid=10",
		"TASK timestamp=5.0 tid=11",
		"TASK timestamp=5.0 tid=11 pid",
		"TASK timestamp=5.0 tid=11 xpid=10",
		"FORK timestamp=5.0 pid=12",
		"FORK timestamp=5.0 ppid=10",
		"DLOP timestamp=5.0 tid=10 base=7f0000 libname=\"/lib/plug.so\"",
		"DLOP timestamp=5.0 tid=10 sid=0123456789abcdee base=7f0000 libname=\"/x.so\"",
		"DLOP timestamp=5.0 tid=10 sid=0123456789abcde base=7f0000 libname=\"/x.so\"",
		"DLOP timestamp=5.0 tid=10 sid=0123456789abcdef base=7f0000",
		"DLOP timestamp=5.0 tid=10 sid=0123456789abcdef libname=\"/x.so\"",
		"DLOP timestamp=5.0 tid=10 sid=0123456789abcdef base=x libname=\"/x.so\"",
		"task timestamp=5.0 tid=11 pid=10",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char tasks[512];

		snprintf(tasks, sizeof(tasks), SESSION THREAD "\n%s\n", lines[i]);
		begin(tasks);
		one_call("10.dat", 1000, BASE + MAIN, 7);
		one_call("11.dat", 1000, BASE + MAIN, 5);
		one_call("12.dat", 1000, BASE + MAIN, 3);
		expect("main 7\n");
		assert_int_equal(t.foreign.faults.count, 1);
		text_expect_fault(&t, 0, TL_BAD_RECORD, TL_NOWHERE, TL_NOWHERE,
				  "line 4 of task.txt is damaged: left out");
		text_close(&t);
	}
}

/* What is at the limit, in another order, or not in quotes is whole. */
TEST(unusual_lines_are_read)
{
	begin("SESS exename=/bin/prog sid=0123456789abcdef pid=10 timestamp=0.999999999\n"
	      "TASK pid=2147483646 tid=10\nFORK ppid=10 ppidx=9 pid=12\n"
	      "SESS timestamp=18446744073.709551615 pid=9 sid=0123456789abcdef0123456 "
	      "exename=\"/x\n");
	one_call("10.dat", 1000000000, BASE + MAIN, 7);
	one_call("12.dat", 1000000000, BASE + LEAF, 5);
	/* Process 2147483646 has no program. */
	expect("[0x551010] 7\na::leaf() 5\n");
	assert_int_equal(tl_profile_part(t.profile, 0)->process, 2147483646);
	assert_string_equal(tl_profile_part(t.profile, 0)->command, "");
	assert_string_equal(tl_profile_part(t.profile, 1)->command, "prog");
	assert_int_equal(t.foreign.faults.count, 1);
	text_close(&t);
}

/* "SESS ... a program from then on", also of a thread that was told to be another process's. */
TEST(a_process_executes_another_program)
{
	begin(SESSION "SESS timestamp=0.000002000 pid=10 sid=b exename=\"/bin/next\"\n" THREAD
		      "TASK timestamp=0.0 tid=11 pid=99\nTASK timestamp=0.0 tid=11 pid=10\n");
	file("sid-b.map", MAPPED("550000", "552000", "/bin/next"));
	file("next.sym", "0000000000001000 T start\n");
	begin_file("10.dat");
	call(1000, ENTRY, 0, MAIN);
	call(1007, EXIT, 0, MAIN);
	call(1999, ENTRY, 0, MAIN);
	call(2000, EXIT, 0, MAIN);
	call(2000, ENTRY, 0, MAIN);
	call(2030, EXIT, 0, MAIN);
	end_file();
	one_call("11.dat", 5000, BASE + LEAF, 100);
	expect("main 8\nstart 130\n");
	assert_int_equal(t.foreign.faults.count, 0);
	assert_int_equal(tl_profile_part_count(t.profile), 2);
	assert_int_equal(tl_profile_part(t.profile, 1)->process, 10);
	/* Its name is that of the last program. */
	assert_string_equal(tl_profile_part(t.profile, 0)->command, "next");
	/* "u64 time in ns" */
	assert_int_equal(tl_profile_frequency(t.profile), 1000000000);
	text_close(&t);
	assert_true(refuse_each(fold_step, NULL) > 50);
}

/* "FORK ... a process, which runs its parent's program up to its own SESS" */
TEST(children_run_the_program_of_their_parents)
{
	begin(SESSION THREAD
	      "FORK timestamp=0.000001000 pid=12 ppid=10\n"
	      "FORK timestamp=0.000001000 pid=13 ppid=12\n"
	      "SESS timestamp=0.000003000 pid=13 sid=b exename=\"/bin/next\"\n"
	      "FORK timestamp=0.0 pid=14 ppid=15\nFORK timestamp=0.0 pid=15 ppid=14\n");
	file("sid-b.map", MAPPED("550000", "552000", "/bin/next"));
	file("next.sym", "0000000000001000 T start\n");
	begin_file("13.dat");
	call(2000, ENTRY, 0, MAIN);
	call(2009, EXIT, 0, MAIN);
	call(3000, ENTRY, 0, MAIN);
	call(3040, EXIT, 0, MAIN);
	end_file();
	/* Who is made by whom goes round in a circle. */
	one_call("14.dat", 2000, BASE + MAIN, 3);
	expect("[0x551010] 3\nmain 9\nstart 40\n");
	text_close(&t);
}

/* A thread that called nothing has no file, and is no part. */
TEST(threads_without_calls)
{
	begin(SESSION THREAD "TASK timestamp=0.0 tid=11 pid=10\n");
	one_call("11.dat", 1000, BASE + MAIN, 4);
	expect("main 4\n");
	assert_int_equal(tl_profile_part_count(t.profile), 1);
	assert_int_equal(tl_profile_part(t.profile, 0)->thread, 11);
	assert_int_equal(t.foreign.faults.count, 0);
	text_close(&t);
}

/* ---- mappings ---- */

/* "DLOP ... a library that was opened by dlopen()": of those, the nearest below an address. */
TEST(libraries_of_dlopen)
{
	static const char *const orders[] = {
		"DLOP timestamp=0.0 tid=10 sid=0123456789abcdef base=7f0000 libname=\"/l/a.so\"\n"
		"DLOP timestamp=0.0 tid=10 sid=0123456789abcdef base=7f1000 libname=\"/l/b.so\"\n",
		"DLOP timestamp=0.0 tid=10 sid=0123456789abcdef base=7f1000 libname=\"/l/b.so\"\n"
		"DLOP timestamp=0.0 tid=10 sid=0123456789abcdef base=7f0000 libname=\"/l/a.so\"\n",
	};

	for (size_t i = 0; i < 2; i++) {
		char tasks[512];

		snprintf(tasks, sizeof(tasks), SESSION THREAD "%s", orders[i]);
		begin(tasks);
		file("a.so.sym", "0000000000000ff0 T in_a\n");
		file("b.so.sym", "0000000000000000 T in_b\n");
		begin_file("10.dat");
		put_record(1000, ENTRY, 0, 0x7f0fff);
		put_record(1003, EXIT, 0, 0x7f0fff);
		put_record(1010, ENTRY, 0, 0x7f1000);
		put_record(1015, EXIT, 0, 0x7f1000);
		put_record(1020, ENTRY, 0, 0x7effff);
		put_record(1029, EXIT, 0, 0x7effff);
		call(1030, ENTRY, 0, MAIN);
		call(1047, EXIT, 0, MAIN);
		end_file();
		expect("[0x7effff] 9\nin_a 3\nin_b 5\nmain 17\n");
		for (uint32_t f = 0; f < tl_profile_function_count(t.profile); f++) {
			const struct tl_function *function = tl_profile_function(t.profile, f);

			/* What is in no file has no object. */
			assert_int_equal(!*function->object, function->name[0] == '[');
		}
		text_close(&t);
		assert_true(refuse_each(fold_step, NULL) > 50);
	}
}

/* They are of the program that the process runs then. */
TEST(libraries_of_another_program)
{
	begin(SESSION "SESS timestamp=0.000002000 pid=10 sid=b exename=\"/bin/next\"\n"
		      "DLOP timestamp=0.0 tid=10 sid=b base=7f0000 libname=\"/l/a.so\"\n" THREAD);
	file("sid-b.map", MAPPED("550000", "552000", "/bin/next"));
	file("a.so.sym", "0000000000000ff0 T in_a\n");
	begin_file("10.dat");
	for (uint64_t time = 1000; time < 4000; time += 2000) {
		put_record(time, ENTRY, 0, 0x7f0fff);
		put_record(time + time / 500, EXIT, 0, 0x7f0fff);
	}
	end_file();
	expect("[0x7f0fff] 2\nin_a 6\n");
	text_close(&t);
}

/* Pieces of one file that stand together are one; its symbols count from the first of them. */
TEST(pieces_of_a_file_are_one_module)
{
	static const char *const maps[] = {
		MAPPED("550000", "551000", "/bin/prog") MAPPED("551000", "552000", "/bin/prog"),
		MAPPED("551000", "552000", "/bin/prog") MAPPED("550000", "551000", "/bin/prog"),
		"no line\n550000 552000 /x\n550000-/x\n000000400000-000000700000 r-xp "
		"[heap]\n" MAPPED("550000", "552000", "/bin/prog build-id:")
			MAPPED("552000", "553000", "/bin/prog"),
	};
	struct recording r = usual(one_task);

	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		r.map = maps[i];
		begin_with(&r);
		one_call("10.dat", 1000, BASE + MAIN, 7);
		expect_clean("main 7\n");
	}
}

/* A mapping holds its first address, and not its last one. */
TEST(ends_of_mappings)
{
	struct recording r = usual(one_task);

	r.symbols = "0000000000000000 T first\n";
	begin_with(&r);
	begin_file("10.dat");
	call(1000, ENTRY, 0, 0);
	call(1001, EXIT, 0, 0);
	call(1010, ENTRY, 0, 0x1fff);
	call(1012, EXIT, 0, 0x1fff);
	call(1020, ENTRY, 0, 0x2000);
	call(1024, EXIT, 0, 0x2000);
	end_file();
	expect("[0x552000] 4\nfirst 3\n");
	text_expect_fault(&t, 0, TL_OK, TL_NOWHERE, TL_NOWHERE, "1 addresses of functions");
	text_close(&t);
}

TEST(without_a_map_functions_have_no_names)
{
	struct recording r = usual(one_task);

	r.map = NULL;
	begin_with(&r);
	one_call("10.dat", 1000, BASE + MAIN, 7);
	expect("[0x551010] 7\n");
	text_expect_fault(&t, 0, TL_BAD_RECORD, TL_NOWHERE, TL_NOWHERE,
			  "no sid-0123456789abcdef.map: its functions have no names");
	text_close(&t);
}

/* ---- symbols ---- */

/* Features, bit 5: "symbols count from the begin of their file's mapping", else from 0. */
TEST(symbols_by_address)
{
	struct recording r = usual(one_task);

	r.features = 0;
	r.symbols = "0000000000551010 T by_address\n";
	begin_with(&r);
	one_call("10.dat", 1000, BASE + MAIN, 7);
	expect_clean("by_address 7\n");
}

/* "the last symbol at or before it; `?` says where they end"; lines of another form are none. */
TEST(symbols_in_any_order)
{
	struct recording r = usual(one_task);

	r.symbols = "0000000000001030 T last\n0000000000001040 ? __sym_end\n"
		    "000000000000102f T\n000000000000102f T \n000000000000102eT "
		    "none\n000000000000102d TT none\n"
		    "xyz T none\n0000000000001010 T main\n0000000000001020 T middle\n";
	begin_with(&r);
	begin_file("10.dat");
	for (unsigned i = 0; i < 6; i++) {
		static const unsigned at[] = { 0x100f, 0x1010, 0x101f, 0x102f, 0x103f, 0x1040 };

		call(1000 + 100 * i, ENTRY, 0, at[i]);
		call(1000 + 100 * i + (1 << i), EXIT, 0, at[i]);
	}
	end_file();
	expect("[prog+0x100f] 1\n[prog+0x1040] 32\nlast 16\nmain 6\nmiddle 8\n");
	text_expect_fault(&t, 0, TL_OK, TL_NOWHERE, TL_NOWHERE, "2 addresses of functions");
	text_close(&t);
}

/* "Two files of one name have the first four digits of the build id in the names" */
TEST(files_of_one_name_are_told_apart_by_build_id)
{
	struct recording r = usual(one_task);
	static const struct {
		const char *head, *expected;
	} rows[] = {
		{ "# path name: /other/prog\n", "by_id 7\n" },
		{ "# path name: /bin/prog2\n", "by_id 7\n" },
		{ "# a word\n# path name: /bin/prog\n", "by_name 7\n" },
		{ "# a word\n", "by_name 7\n" },
		{ "", "by_name 7\n" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char symbols[128];

		snprintf(symbols, sizeof(symbols), "%s0000000000001010 T by_name\n", rows[i].head);
		r.symbols = symbols;
		begin_with(&r);
		file("prog-beef.sym", "# path name: /bin/prog\n0000000000001010 T by_id\n");
		one_call("10.dat", 1000, BASE + MAIN, 7);
		expect_clean(rows[i].expected);
	}
}

/* More addresses than tables have room for at first, each with a cost of its own. */
TEST(many_functions)
{
	enum { FUNCTIONS = 70 };
	char symbols[FUNCTIONS * 32], *at = symbols;
	struct recording r = usual(one_task);
	int64_t total = 0;

	for (unsigned i = 0; i < FUNCTIONS; i++)
		at += sprintf(at, "%016x T f%u\n", 0x1000 + 16 * i, i);
	r.symbols = symbols;
	r.features = RELATIVE;
	begin_with(&r);
	begin_file("10.dat");
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		call(1000 * (i + 1), ENTRY, 0, 0x1000 + 16 * i);
		call(1000 * (i + 1) + i + 1, EXIT, 0, 0x1000 + 16 * i);
		total += i + 1;
	}
	end_file();
	assert_int_equal(read_all(all.size, false), 0);
	assert_int_equal(tl_profile_function_count(t.profile), FUNCTIONS);
	assert_int_equal(*tl_profile_total(t.profile), total);
	text_close(&t);
	assert_true(refuse_each(fold_step, NULL) > 50);
}

/* "`F: ADDRESS NAME`, then `L: LINE FILE`" */
TEST(lines_of_functions)
{
	static const struct {
		const char *text, *file;
		unsigned line;
	} rows[] = {
		{ "F: 1010 main\nL: 4294967295 dir/a b.c\n", "dir/a b.c", UINT32_MAX },
		{ "F: 1010 main\nL: 4294967296 a.c\n", "", 0 },
		{ "F: 1010 main\nL: x a.c\n", "", 0 },
		{ "F: 1010 main\nL: 12\n", "", 0 },
		{ "L: 12 a.c\nF: 1010 main\n", "", 0 },
		{ "F: 1010 main\nF: x\nL: 12 a.c\n", "", 0 },
		{ "F: 0001 none\nL: 12 a.c\n", "", 0 },
		{ "F: 1010 main\nL: 12 a.c\nL: 13 b.c\n", "a.c", 12 },
		{ "F: 1010 main\nodd\nL: 12 a.c\n", "a.c", 12 },
	};
	struct recording r = usual(one_task);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct tl_function *f;

		r.lines = rows[i].text;
		begin_with(&r);
		one_call("10.dat", 1000, BASE + MAIN, 7);
		expect("main 7\n");
		f = tl_profile_function(t.profile, 0);
		assert_string_equal(f->file, rows[i].file);
		assert_int_equal(f->line, rows[i].line);
		text_close(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_lines_are_said_and_left_out),
		cmocka_unit_test(unusual_lines_are_read),
		cmocka_unit_test(a_process_executes_another_program),
		cmocka_unit_test(children_run_the_program_of_their_parents),
		cmocka_unit_test(threads_without_calls),
		cmocka_unit_test(libraries_of_dlopen),
		cmocka_unit_test(libraries_of_another_program),
		cmocka_unit_test(pieces_of_a_file_are_one_module),
		cmocka_unit_test(ends_of_mappings),
		cmocka_unit_test(without_a_map_functions_have_no_names),
		cmocka_unit_test(symbols_by_address),
		cmocka_unit_test(symbols_in_any_order),
		cmocka_unit_test(files_of_one_name_are_told_apart_by_build_id),
		cmocka_unit_test(many_functions),
		cmocka_unit_test(lines_of_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
