/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of uftrace's records. Real recordings are held against uftrace by
 * tests/differential/uftrace.py.
 */
#include <inttypes.h>

#include "recording.h"

/* Whatever is cut or changed, sums agree (tl_foreign_fold()) and nothing is touched outside. */
static void damage(void)
{
	const size_t size = all.size;

	for (size_t i = 0; i < size; i++) {
		const uint8_t was = all.bytes[i];

		read_all(i, false);
		assert_true(t.status <= 0 && t.status != TL_NO_MEMORY);
		text_close(&t);
		for (unsigned bit = 0; bit < 8; bit++) {
			all.bytes[i] = was ^ (uint8_t)(1 << bit);
			read_all(size, false);
			assert_true(t.status <= 0 && t.status != TL_NO_MEMORY);
			text_close(&t);
		}
		all.bytes[i] = was;
	}
}

/* ---- calls ---- */

static void put_calls(void)
{
	begin(one_task);
	begin_file("10.dat");
	call(1000, ENTRY, 0, MAIN);
	call(1100, ENTRY, 1, LEAF);
	call(1150, ENTRY, 2, PLT);
	call(1170, EXIT, 2, PLT);
	call(1200, EXIT, 1, LEAF);
	call(1200, ENTRY, 1, LEAF);
	call(1200, EXIT, 1, LEAF);
	call(1300, ENTRY, 1, FAR);
	call(1310, EXIT, 1, FAR);
	put_record(1400, EVENT, 0, 77);
	call(1500, EXIT, 0, MAIN);
	end_file();
}

TEST(calls_with_names)
{
	put_calls();
	expect("main 390\nmain;[prog+0x1100] 10\nmain;a::leaf() 80\nmain;a::leaf();puts 20\n");
	for (uint32_t i = 0; i < tl_profile_function_count(t.profile); i++) {
		const struct tl_function *f = tl_profile_function(t.profile, i);

		/* The event is an instant, of no object. */
		assert_string_equal(f->object, strcmp(f->name, "event 77") ? "/bin/prog" : "");
		if (!strcmp(f->name, "a::leaf()")) {
			assert_string_equal(f->file, "a.cc");
			assert_int_equal(f->line, 12);
		}
	}
	/* The address without a symbol is told. */
	assert_int_equal(t.foreign.faults.count, 1);
	text_expect_fault(&t, 0, TL_OK, TL_NOWHERE, TL_NOWHERE, "1 addresses of functions");
	text_close(&t);
	assert_true(refuse_each(fold_step, NULL) > 50);
	damage();
}

static void note_step(void *arg, int64_t ticks, uint32_t frame)
{
	(void)arg;
	(void)ticks;
	(void)frame;
}

static void note_end(void *arg, int64_t ticks, bool cut)
{
	(void)arg;
	(void)ticks;
	(void)cut;
}

static void note_instant(void *arg, int64_t ticks, uint32_t frame, uint32_t order)
{
	char *said = arg;

	(void)order;
	snprintf(said + strlen(said), 64, "%" PRId64 " %s\n", ticks,
		 tl_foreign_function(&t.foreign, frame).name);
}

/* Events in a row, before, inside and behind calls: each has its own name and time. */
TEST(events_have_names)
{
	char said[256] = "";
	const struct tl_foreign_visitor visitor = { note_step, note_end, NULL, note_instant, said };
	struct tl_foreign_walk met = { 0 };

	begin(one_task);
	begin_file("10.dat");
	put_record(900, EVENT, 0, 5);
	call(1000, ENTRY, 0, MAIN);
	put_record(1100, EVENT, 1, 77);
	put_record(1200, EVENT, 1, 78);
	call(1500, EXIT, 0, MAIN);
	put_record(1600, EVENT, 0, 77);
	end_file();
	read_all(all.size, false);
	assert_int_equal(t.status, 0);
	assert_true(tl_foreign_walk(&t.foreign.spans, 0, &visitor, &met));
	assert_string_equal(said, "900 event 5\n1100 event 77\n1200 event 78\n1600 event 77\n");
	text_close(&t);
}

/* Threads with their processes are parts. */
TEST(threads)
{
	static const char tasks[] =
		"SESS timestamp=1.000000000 pid=10 sid=0123456789abcdef exename=\"/bin/prog\"\n"
		"TASK timestamp=1.000000100 tid=10 pid=10\n"
		"TASK timestamp=1.000000200 tid=11 pid=10\n";

	begin(tasks);
	begin_file("10.dat");
	call(1000000000, ENTRY, 0, MAIN);
	call(1000000500, EXIT, 0, MAIN);
	end_file();
	begin_file("11.dat");
	call(1000000100, ENTRY, 0, LEAF);
	call(1000000150, EXIT, 0, LEAF);
	end_file();
	expect("a::leaf() 50\nmain 500\n");
	assert_int_equal(tl_profile_part_count(t.profile), 2);
	assert_int_equal(tl_profile_part(t.profile, 1)->process, 10);
	assert_int_equal(tl_profile_part(t.profile, 1)->thread, 11);
	assert_string_equal(tl_profile_part(t.profile, 1)->command, "prog");
	text_close(&t);
}

/* A child ends calls that its parent began: they are no calls of its own, and no fault. */
TEST(forked_child)
{
	static const char tasks[] =
		"SESS timestamp=0.000000000 pid=10 sid=0123456789abcdef exename=\"/bin/prog\"\n"
		"TASK timestamp=0.000000100 tid=10 pid=10\n"
		"FORK timestamp=0.000000200 pid=12 ppid=10\n";

	begin(tasks);
	begin_file("12.dat");
	call(1000, EXIT, 1, PLT);
	call(1010, ENTRY, 1, LEAF);
	call(1040, EXIT, 1, LEAF);
	call(1060, EXIT, 0, MAIN);
	end_file();
	expect("a::leaf() 30\n");
	assert_int_equal(t.foreign.faults.count, 0);
	assert_int_equal(tl_profile_part(t.profile, 0)->process, 12);
	text_close(&t);
	/* The same of a thread that was not forked is told. */
	begin(one_task);
	begin_file("10.dat");
	call(1000, EXIT, 1, PLT);
	call(1010, ENTRY, 0, LEAF);
	call(1040, EXIT, 0, LEAF);
	end_file();
	expect("a::leaf() 30\n");
	text_expect_fault(&t, 0, TL_BAD_RECORD, TL_NOWHERE, TL_NOWHERE, "1 ends of calls");
	text_close(&t);
}

/* An exit at a depth leaves the calls inside of it: longjmp() and exceptions. */
TEST(calls_that_are_left_together)
{
	begin(one_task);
	begin_file("10.dat");
	call(1000, ENTRY, 0, MAIN);
	call(1100, ENTRY, 1, LEAF);
	call(1200, ENTRY, 2, LEAF);
	call(1300, EXIT, 0, MAIN);
	call(1400, ENTRY, 0, MAIN);
	call(1450, ENTRY, 1, LEAF);
	call(1500, ENTRY, 0, LEAF); /* another program, or a recorder that lost exits */
	call(1510, EXIT, 0, LEAF);
	end_file();
	expect("a::leaf() 10\nmain 150\nmain;a::leaf() 150\nmain;a::leaf();a::leaf() 100\n");
	text_close(&t);
}

/*
 * Arguments stand behind their record. These look like times of later records, and the second one
 * like a record's word, but no record can follow them.
 */
TEST(arguments_are_passed_over)
{
	begin(one_task);
	begin_file("10.dat");
	call(1000, ENTRY, 0, MAIN);
	call(1100, ENTRY | MORE, 1, LEAF);
	put(0x7ffe00001000, 8);
	put((uint64_t)0x7ffe << 16 | 5 << 3, 8);
	put(1, 8);
	call(1200, EXIT | MORE, 1, LEAF);
	put(42, 8);
	/* A text whose letters are an event's word: later than the recording can be. */
	call(1210, ENTRY | MORE, 1, LEAF);
	put_bytes("\x14\0/tmp/f/older/a\0\0\0\0\0\0\0", 24);
	call(1220, EXIT | MORE, 1, LEAF);
	call(1300, EXIT, 0, MAIN);
	end_file();
	expect("main 190\nmain;a::leaf() 110\n");
	assert_int_equal(t.foreign.faults.count, 0);
	text_close(&t);
}

/* ---- what is missing or damaged ---- */

TEST(damaged_records)
{
	begin(one_task);
	begin_file("10.dat");
	call(1000, ENTRY, 0, MAIN);
	put(1050, 8);
	put(7, 8); /* no magic */
	call(1100, ENTRY, 1, LEAF);
	call(1200, EXIT, 1, LEAF);
	put_record(1250, LOST, 0, 3);
	call(1300, EXIT, 0, MAIN);
	put(0, 5);
	end_file();
	expect("main 200\nmain;a::leaf() 100\n");
	assert_int_equal(t.foreign.faults.count, 3);
	text_expect_fault(&t, 0, TL_BAD_RECORD, 16, 1, "10.dat: no record; left out");
	text_expect_fault(&t, 1, TL_BAD_RECORD, TL_NOWHERE, TL_NOWHERE, "uftrace lost 3 records");
	text_expect_fault(&t, 2, TL_TRUNCATED, 96, 5, "kept those before");
	assert_int_equal(t.foreign.faults.skipped_bytes, 16 + 5);
	text_close(&t);
	assert_int_equal(read_all(all.size, true), TL_BAD_RECORD);
	text_close(&t);
}

TEST(files_that_are_missing)
{
	begin("SESS timestamp=1.0 pid=10 sid=0123456789abcdef exename=\"/bin/prog\"\n"
	      "SESS timestamp=1.0 pid=x\nTASK tid=10 pid=10\nODD\n");
	begin_file("10.dat");
	put_record(1000000000, ENTRY, 0, 0x560008);
	put_record(1000000007, EXIT, 0, 0x560008);
	end_file();
	expect("[other+0x8] 7\n");
	assert_int_equal(t.foreign.faults.count, 4);
	text_expect_fault(&t, 0, TL_BAD_RECORD, TL_NOWHERE, TL_NOWHERE, "line 2 of task.txt");
	text_expect_fault(&t, 1, TL_BAD_RECORD, TL_NOWHERE, TL_NOWHERE, "line 4 of task.txt");
	text_expect_fault(&t, 2, TL_BAD_RECORD, TL_NOWHERE, TL_NOWHERE, "symbols of /lib/other");
	text_close(&t);
	/* Without task.txt there are no threads. */
	memcpy(memmem(all.bytes, all.size, "task.txt", 8), "gone.txt", 8);
	assert_int_equal(read_all(all.size, false), TL_BAD_FORMAT);
	assert_non_null(strstr(t.error.text, "no file task.txt"));
	text_close(&t);
}

TEST(headers)
{
	static const struct {
		size_t at;
		uint8_t value;
		int status;
	} rows[] = { { 0, 'f', TL_BAD_FORMAT },
		     { 8, 5, TL_UNSUPPORTED },
		     { 15, 1, TL_UNSUPPORTED },
		     { 8, 3, 0 } };
	const size_t at = 1 + 4 + 2; /* behind the name and the size of `info` */

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_calls();
		all.bytes[at + rows[i].at] = rows[i].value;
		assert_int_equal(read_all(all.size, false), rows[i].status);
		text_close(&t);
	}
	assert_int_equal(tl_uftrace_probe((const uint8_t *)"Ftrace!", 8), 95);
	assert_int_equal(tl_uftrace_probe((const uint8_t *)"Ftrace!", 7), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_with_names),
		cmocka_unit_test(events_have_names),
		cmocka_unit_test(threads),
		cmocka_unit_test(forked_child),
		cmocka_unit_test(calls_that_are_left_together),
		cmocka_unit_test(arguments_are_passed_over),
		cmocka_unit_test(damaged_records),
		cmocka_unit_test(files_that_are_missing),
		cmocka_unit_test(headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
