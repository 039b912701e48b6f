/* SPDX-License-Identifier: Apache-2.0 */
/* The perf.data file of programs in QEMU: events, threads, time, copies of code. */
#include "emulated.h"

TEST(a_program_is_what_the_kernel_would_have_written)
{
	const struct tl_emulation_thread thread = thread_of(5);
	struct folder folder = simple();
	struct perf_record record;
	struct perf_file file;
	struct recording r;

	recording_open(&r);
	put_place(&folder, TL_EMULATION_MAP, 0x400000, 0x2000, 0x1000, "/usr/bin/program");
	put(&folder, TL_EMULATION_NAME, 70, 7, 7, "0123456789abcdef");
	put(&folder, TL_EMULATION_END, 80, 7, 7, "");
	put(&folder, TL_EMULATION_FINISHED, 90, 7, 7, "");
	write_events(&r, &folder);
	write_thread(&r, "thread.7.7.0", &thread, "\x04\x06\x04\x06\x04\x08\x08\x08", 8);
	assert_int_equal(finish(&r), 0);
	assert_string_equal(r.told.lines, "");
	assert_string_equal(r.result.command, r.output);
	assert_false(is_there(&r, "out.parts"));
	file = open_perf(&r);
	/* the name of the program, of the folder without, and 15 letters of it; of a thread */
	record = find_record(&file, COMM, 0);
	assert_int_equal(record.misc, 1 << 13);
	assert_int_equal(field(&record, 0, 4), 7);
	assert_int_equal(field(&record, 4, 4), 7);
	assert_string_equal(record.body + 8, "a-very-long-pro");
	expect_trailer(&record, 7, 7, 40);
	record = find_record(&file, COMM, 1);
	assert_int_equal(record.misc, 0);
	assert_string_equal(record.body + 8, "0123456789abcde");
	expect_trailer(&record, 7, 7, 70);
	record = find_record(&file, ITRACE_START, 0);
	assert_int_equal(field(&record, 0, 4), 7);
	assert_int_equal(field(&record, 4, 4), 7);
	expect_trailer(&record, 7, 7, 50);
	record = find_record(&file, MMAP, 0);
	assert_int_equal(record.misc, 2);
	assert_int_equal(field(&record, 8, 8), 0x400000);
	assert_int_equal(field(&record, 16, 8), 0x2000);
	assert_int_equal(field(&record, 24, 8), 0x1000);
	assert_string_equal(record.body + 32, "/usr/bin/program");
	expect_trailer(&record, 7, 7, 60);
	/* five bytes of packets, which end when the thread does */
	record = find_record(&file, AUX, 0);
	assert_int_equal(field(&record, 0, 8), 0);
	assert_int_equal(field(&record, 8, 8), 5);
	assert_int_equal(field(&record, 16, 8), 0);
	expect_trailer(&record, 7, 7, 80);
	record = find_record(&file, AUXTRACE, 0);
	assert_int_equal(field(&record, 0, 8), 8);
	assert_int_equal(field(&record, 8, 8), 0);
	assert_true(field(&record, 16, 8) == AHEAD + 50);
	assert_int_equal(field(&record, 24, 4), 0);
	assert_int_equal(field(&record, 28, 4), 7);
	assert_int_equal(field(&record, 32, 4), UINT32_MAX);
	assert_memory_equal(record.packets, "\x04\x06\x04\x06\x04\0\0\0", 8);
	assert_int_equal(count_records(&file, FORK), 0);
	free(file.bytes);
	recording_close(&r);
}

/* auxtrace_info of Intel PT: type 1; PMU type, shift, mult, zero, ... of tools/perf intel-pt.h. */
static void expect_clock(uint64_t hz, uint64_t ticks, uint64_t shift, uint64_t mult, uint64_t ns)
{
	const struct tl_emulation_thread thread = thread_of(0);
	struct folder folder = begun();
	struct tl_emulation_event event = event_of(TL_EMULATION_PROGRAM, ticks, 7, 7);
	struct perf_record record;
	struct perf_file file;
	struct recording r;

	recording_open(&r);
	r.session.hz = hz;
	put_event(&folder, event, "/program");
	put(&folder, TL_EMULATION_THREAD, ticks, 7, 7, "thread.7.7.0");
	write_events(&r, &folder);
	write_thread(&r, "thread.7.7.0", &thread, "", 0);
	assert_int_equal(finish(&r), 0);
	file = open_perf(&r);
	record = find_record(&file, AUXTRACE_INFO, 0);
	assert_int_equal(field(&record, 0, 4), 1);
	assert_int_equal(field(&record, 8, 8), 8);
	assert_int_equal(field(&record, 16, 8), shift);
	assert_int_equal(field(&record, 24, 8), mult);
	record = find_record(&file, COMM, 0);
	expect_trailer(&record, 7, 7, ns);
	free(file.bytes);
	recording_close(&r);
}

/*
 * The words behind the clock, by their names in tools/perf/util/intel-pt.h: cap_user_time_zero,
 * tsc_bit, noretcomp_bit, have_sched_switch, snapshot_mode, per_cpu_mmaps, mtc_bit, mtc_freq_bits,
 * tsc_ctc_ratio_n, tsc_ctc_ratio_d, cyc_bit, max_nonturbo_ratio, filter_str_len.
 */
TEST(the_description_of_the_packets_has_the_bits_of_the_event)
{
	static const uint64_t words[] = { 1, 1 << 10, 1 << 11, 0,      0,  0, 1 << 9,
					  0, 0,       0,       1 << 1, 32, 0 };
	const struct tl_emulation_thread thread = thread_of(0);
	const struct folder folder = simple();
	struct perf_record record;
	struct perf_file file;
	struct recording r;

	recording_open(&r);
	write_events(&r, &folder);
	write_thread(&r, "thread.7.7.0", &thread, "", 0);
	assert_int_equal(finish(&r), 0);
	file = open_perf(&r);
	record = find_record(&file, AUXTRACE_INFO, 0);
	assert_int_equal(record.size, 8 + 8 + 17 * 8);
	for (size_t i = 0; i < 13; i++)
		assert_int_equal(field(&record, 40 + 8 * i, 8), words[i]);
	free(file.bytes);
	recording_close(&r);
}

/* ns = zero + ticks * mult >> shift, mult has 32 bits, and the clock's event is at 0 ns. */
TEST(ticks_become_nanoseconds_as_perf_computes_them)
{
	expect_clock(1000000000, 1000, 31, UINT64_C(1) << 31, 1000);
	expect_clock(2000000000, 1000, 31, UINT64_C(1) << 30, 500);
	expect_clock(500000000, 1000, 30, UINT64_C(1) << 31, 2000);
	expect_clock(1, 1, 2, UINT64_C(4000000000), 1000000000);
}

/* The event is Intel PT (PMU 8), of user space, with trailers; its one id is 1. */
TEST(the_event_says_what_the_records_have)
{
	const struct tl_emulation_thread thread = thread_of(0);
	const struct folder folder = simple();
	struct perf_file file;
	struct recording r;
	uint64_t attrs, ids;

	recording_open(&r);
	write_events(&r, &folder);
	write_thread(&r, "thread.7.7.0", &thread, "", 0);
	assert_int_equal(finish(&r), 0);
	file = open_perf(&r);
	attrs = number_at(file.bytes + 24, 8);
	assert_int_equal(number_at(file.bytes + 16, 8), 112 + 16);
	assert_int_equal(number_at(file.bytes + 32, 8), 112 + 16);
	assert_int_equal(number_at(file.bytes + attrs, 4), 8);
	assert_int_equal(number_at(file.bytes + attrs + 4, 4), 112);
	assert_int_equal(number_at(file.bytes + attrs + 8, 8), 1 | 1 << 10 | 1 << 13);
	/* PERF_SAMPLE_IP, TID, TIME, IDENTIFIER */
	assert_int_equal(number_at(file.bytes + attrs + 24, 8), 1 | 2 | 4 | 1 << 16);
	/* disabled, exclude_kernel, exclude_hv, sample_id_all */
	assert_int_equal(number_at(file.bytes + attrs + 40, 8), 1 | 1 << 5 | 1 << 6 | 1 << 18);
	ids = number_at(file.bytes + attrs + 112, 8);
	assert_int_equal(number_at(file.bytes + attrs + 120, 8), 8);
	assert_int_equal(number_at(file.bytes + ids, 8), 1);
	free(file.bytes);
	recording_close(&r);
}

/* ---- processes and threads ---- */

TEST(forks_and_threads_have_their_parents)
{
	const struct tl_emulation_thread thread = thread_of(0);
	struct folder folder = simple();
	struct tl_emulation_event fork = event_of(TL_EMULATION_FORK, 60, 9, 9);
	struct perf_record record;
	struct perf_file file;
	struct recording r;

	recording_open(&r);
	fork.address = 7;
	fork.length = 8;
	put_event(&folder, fork, "");
	put(&folder, TL_EMULATION_THREAD, 65, 7, 8, "thread.7.8.0");
	put(&folder, TL_EMULATION_END, 75, 7, 8, "");
	put(&folder, TL_EMULATION_FINISHED, 80, 9, 9, "");
	put(&folder, TL_EMULATION_FINISHED, 95, 7, 7, "");
	write_events(&r, &folder);
	write_thread(&r, "thread.7.7.0", &thread, "", 0);
	write_thread(&r, "thread.7.8.0", &thread, "", 0);
	assert_int_equal(finish(&r), 0);
	assert_string_equal(r.told.lines, "");
	file = open_perf(&r);
	/* pid, ppid, tid, ptid, time */
	record = find_record(&file, FORK, 0);
	assert_int_equal(field(&record, 0, 4), 9);
	assert_int_equal(field(&record, 4, 4), 7);
	assert_int_equal(field(&record, 8, 4), 9);
	assert_int_equal(field(&record, 12, 4), 8);
	assert_int_equal(field(&record, 16, 8), 60);
	expect_trailer(&record, 9, 9, 60);
	record = find_record(&file, FORK, 1);
	assert_int_equal(field(&record, 0, 4), 7);
	assert_int_equal(field(&record, 4, 4), 7);
	assert_int_equal(field(&record, 8, 4), 8);
	assert_int_equal(field(&record, 12, 4), 7);
	assert_int_equal(count_records(&file, FORK), 2);
	/* A thread whose end is not told ends with the last event. */
	record = find_record(&file, AUX, 0);
	expect_trailer(&record, 7, 7, 95);
	record = find_record(&file, AUX, 1);
	expect_trailer(&record, 7, 8, 75);
	record = find_record(&file, AUXTRACE, 1);
	assert_int_equal(field(&record, 24, 4), 1);
	assert_int_equal(field(&record, 28, 4), 8);
	free(file.bytes);
	recording_close(&r);
}

/* Two programs that a thread executed one behind the other have a file each. */
TEST(an_end_is_that_of_the_last_file_of_its_thread)
{
	const struct tl_emulation_thread thread = thread_of(0);
	struct folder folder = simple();
	struct perf_record record;
	struct perf_file file;
	struct recording r;

	recording_open(&r);
	put(&folder, TL_EMULATION_END, 60, 7, 7, "");
	put(&folder, TL_EMULATION_PROGRAM, 61, 7, 7, "/second");
	put(&folder, TL_EMULATION_THREAD, 62, 7, 7, "thread.7.7.1");
	put(&folder, TL_EMULATION_END, 70, 7, 7, "");
	put(&folder, TL_EMULATION_FINISHED, 71, 7, 7, "");
	write_events(&r, &folder);
	write_thread(&r, "thread.7.7.0", &thread, "", 0);
	write_thread(&r, "thread.7.7.1", &thread, "", 0);
	assert_int_equal(finish(&r), 0);
	assert_string_equal(r.told.lines, "");
	file = open_perf(&r);
	record = find_record(&file, AUX, 0);
	expect_trailer(&record, 7, 7, 60);
	record = find_record(&file, AUX, 1);
	expect_trailer(&record, 7, 7, 70);
	free(file.bytes);
	recording_close(&r);
}

TEST(events_are_put_in_the_order_of_time)
{
	const struct tl_emulation_thread thread = thread_of(0);
	struct folder folder = begun();
	struct perf_record record;
	struct perf_file file;
	struct recording r;

	recording_open(&r);
	put(&folder, TL_EMULATION_NAME, 90, 7, 7, "third");
	put(&folder, TL_EMULATION_NAME, 80, 7, 7, "first");
	put(&folder, TL_EMULATION_NAME, 80, 7, 7, "second");
	put(&folder, TL_EMULATION_THREAD, 50, 7, 7, "thread.7.7.0");
	write_events(&r, &folder);
	write_thread(&r, "thread.7.7.0", &thread, "", 0);
	assert_int_equal(finish(&r), 0);
	file = open_perf(&r);
	record = find_record(&file, COMM, 0);
	assert_string_equal(record.body + 8, "first");
	record = find_record(&file, COMM, 1);
	assert_string_equal(record.body + 8, "second");
	record = find_record(&file, COMM, 2);
	assert_string_equal(record.body + 8, "third");
	free(file.bytes);
	recording_close(&r);
}

TEST(processes_that_did_not_exit_or_were_not_recorded_are_told)
{
	const struct tl_emulation_thread thread = thread_of(0);
	struct folder folder = simple();
	struct recording r;

	recording_open(&r);
	put(&folder, TL_EMULATION_FORK, 60, 8, 8, "");
	put(&folder, TL_EMULATION_FORK, 61, 9, 9, "");
	put(&folder, TL_EMULATION_LEFT, 70, 8, 8, "/bin/su");
	/* nothing between the two */
	put(&folder, TL_EMULATION_FORK, 71, 10, 10, "");
	put(&folder, TL_EMULATION_FINISHED, 72, 10, 10, "");
	put(&folder, TL_EMULATION_FINISHED, 80, 7, 7, "");
	write_events(&r, &folder);
	write_thread(&r, "thread.7.7.0", &thread, "", 0);
	assert_int_equal(finish(&r), 0);
	assert_string_equal(r.told.lines,
			    "process 8: /bin/su is not recorded: no x86-64 program, or one that "
			    "runs with other rights\n"
			    "process 9 did not end by exit(): what it did since its last branch "
			    "is missing\n");
	assert_true(r.result.incomplete);
	recording_close(&r);
}

TEST(without_threads_there_is_no_recording)
{
	struct folder folder = begun();
	struct recording r;

	recording_open(&r);
	put(&folder, TL_EMULATION_PROGRAM, 40, 7, 7, "/program");
	write_events(&r, &folder);
	assert_int_equal(finish(&r), 0);
	assert_false(r.result.recorded);
	assert_int_equal(temp_count(&r.temp), 0);
	recording_close(&r);
	recording_open(&r);
	assert_int_equal(finish(&r), 0);
	assert_false(r.result.recorded);
	recording_close(&r);
}

/* ---- copies of code ---- */

/* Pages lie behind the head, from a whole page on; their maps name the recording itself. */
TEST(copies_of_code_are_in_the_recording)
{
	const struct tl_emulation_thread thread = thread_of(0);
	struct folder folder = simple();
	struct perf_record record;
	struct perf_file file;
	struct recording r;
	uint64_t first, second;

	put_place(&folder, TL_EMULATION_CODE, 0x1000, 0x100, 0x10, "code.7.0");
	put_place(&folder, TL_EMULATION_CODE, 0x2000, 0x20, 0, "code.7.1");
	put_place(&folder, TL_EMULATION_CODE, 0x3000, 0x10, 0, "code.7.0");
	/* An end that wraps is none. */
	put_place(&folder, TL_EMULATION_CODE, 0x4000, UINT64_MAX, 0x10, "code.7.1");
	recording_open(&r);
	write_events(&r, &folder);
	write_thread(&r, "thread.7.7.0", &thread, "", 0);
	/* more than is named, and less than is named */
	{
		char page[0x200];

		memset(page, 'A', sizeof(page));
		temp_write(&r.temp, "out.parts/code.7.0", page, sizeof(page));
		temp_write(&r.temp, "out.parts/code.7.1", "BBBB", 4);
	}
	assert_int_equal(finish(&r), 0);
	file = open_perf(&r);
	record = find_record(&file, MMAP, 0);
	assert_string_equal(record.body + 32, r.output);
	first = field(&record, 24, 8) - 0x10;
	assert_int_equal(first % 4096, 0);
	assert_true(first >= 104 + 8 + 112 + 16);
	record = find_record(&file, MMAP, 1);
	second = field(&record, 24, 8);
	assert_int_equal(second, first + 0x110);
	record = find_record(&file, MMAP, 2);
	assert_int_equal(field(&record, 24, 8), first);
	assert_int_equal(file.bytes[first], 'A');
	assert_int_equal(file.bytes[first + 0x10f], 'A');
	assert_memory_equal(file.bytes + second, "BBBB\0\0\0\0", 8);
	assert_int_equal(file.at, second + 0x20);
	free(file.bytes);
	recording_close(&r);
}

TEST(copies_that_are_gone_are_zeros)
{
	const struct tl_emulation_thread thread = thread_of(0);
	struct folder folder = simple();
	struct perf_record record;
	struct perf_file file;
	struct recording r;
	uint64_t at;

	put_place(&folder, TL_EMULATION_CODE, 0x1000, 0x2800, 0, "code.7.0");
	recording_open(&r);
	write_events(&r, &folder);
	write_thread(&r, "thread.7.7.0", &thread, "", 0);
	assert_int_equal(finish(&r), 0);
	file = open_perf(&r);
	record = find_record(&file, MMAP, 0);
	at = field(&record, 24, 8);
	assert_int_equal(file.at, at + 0x2800);
	for (size_t i = 0; i < 0x2800; i++)
		assert_int_equal(file.bytes[at + i], 0);
	free(file.bytes);
	recording_close(&r);
}

static void put_names(struct folder *folder, struct recording *r, const char *name)
{
	temp_write(&r->temp, name, "names", 5);
	put(folder, TL_EMULATION_NAMES, 70, 7, 7, temp_path(&r->temp, name));
}

static struct timespec clock_now(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now;
}

/* The clock of the recording says that it began so many seconds ago. */
static struct folder begun_before(struct recording *r, int seconds)
{
	const struct timespec now = clock_now(CLOCK_MONOTONIC);
	const struct tl_emulation_thread thread = thread_of(0);
	struct tl_emulation_event clock = event_of(TL_EMULATION_CLOCK, 0, 7, 7);
	struct folder folder = { .size = 0 };

	clock.address = (uint64_t)(now.tv_sec - seconds) * 1000000000 + (uint64_t)now.tv_nsec;
	put_event(&folder, clock, "");
	put(&folder, TL_EMULATION_PROGRAM, 40, 7, 7, "/program");
	put(&folder, TL_EMULATION_THREAD, 50, 7, 7, "thread.7.7.0");
	write_thread(r, "thread.7.7.0", &thread, "", 0);
	return folder;
}

TEST(names_of_compiled_code_are_kept_with_the_number_of_the_process)
{
	struct folder folder;
	struct recording r;

	recording_open(&r);
	folder = begun_before(&r, 100);
	put_names(&folder, &r, "jit-7.dump");
	write_events(&r, &folder);
	assert_int_equal(finish(&r), 0);
	expect_text(&r, "out.jit-7.dump", "names");
	assert_false(r.result.incomplete);
	recording_close(&r);
}

/* What was written before the recording began; the copy of an earlier recording goes. */
TEST(older_names_are_of_another_process)
{
	struct folder folder;
	struct recording r;

	recording_open(&r);
	folder = begun_before(&r, -100);
	put_names(&folder, &r, "jit-7.dump");
	temp_write(&r.temp, "out.jit-7.dump", "old", 3);
	temp_write(&r.temp, "out.perf-7.map", "old", 3);
	write_events(&r, &folder);
	assert_int_equal(finish(&r), 0);
	assert_false(is_there(&r, "out.jit-7.dump"));
	assert_false(is_there(&r, "out.perf-7.map"));
	assert_false(r.result.incomplete);
	recording_close(&r);
}

TEST(names_that_cannot_be_kept_are_told)
{
	struct folder folder;
	struct recording r;

	recording_open(&r);
	folder = begun_before(&r, 100);
	assert_int_equal(mkdir(temp_path(&r.temp, "jit-7.dump"), 0700), 0);
	put(&folder, TL_EMULATION_NAMES, 70, 7, 7, temp_path(&r.temp, "jit-7.dump"));
	write_events(&r, &folder);
	assert_int_equal(finish(&r), 0);
	assert_true(r.result.recorded && r.result.incomplete);
	assert_non_null(strstr(r.told.lines, "names of code made at run time are missing: "));
	assert_non_null(
		strstr(r.told.lines, "/jit-7.dump: it is another user's, or no regular file\n"));
	recording_close(&r);
}

/* `--finish` sees which recorder it was. */
TEST(an_interrupted_emulation_is_finished)
{
	const struct tl_emulation_thread thread = thread_of(0);
	const struct folder folder = simple();
	struct tl_record_result result;
	struct tl_error err;
	struct recording r;

	recording_open(&r);
	assert_false(tl_emulation_is_in(r.parts));
	write_events(&r, &folder);
	write_thread(&r, "thread.7.7.0", &thread, "", 0);
	assert_true(tl_emulation_is_in(r.parts));
	assert_int_equal(
		tl_record_finish(r.output, take_line, &r.told, &result, sizeof(result), &err), 0);
	assert_true(result.recorded);
	assert_string_equal(result.command, r.output);
	assert_non_null(strstr(r.told.lines, "process 7 did not end by exit()"));
	recording_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_is_what_the_kernel_would_have_written),
		cmocka_unit_test(the_description_of_the_packets_has_the_bits_of_the_event),
		cmocka_unit_test(ticks_become_nanoseconds_as_perf_computes_them),
		cmocka_unit_test(the_event_says_what_the_records_have),
		cmocka_unit_test(forks_and_threads_have_their_parents),
		cmocka_unit_test(an_end_is_that_of_the_last_file_of_its_thread),
		cmocka_unit_test(events_are_put_in_the_order_of_time),
		cmocka_unit_test(processes_that_did_not_exit_or_were_not_recorded_are_told),
		cmocka_unit_test(without_threads_there_is_no_recording),
		cmocka_unit_test(copies_of_code_are_in_the_recording),
		cmocka_unit_test(copies_that_are_gone_are_zeros),
		cmocka_unit_test(names_of_compiled_code_are_kept_with_the_number_of_the_process),
		cmocka_unit_test(older_names_are_of_another_process),
		cmocka_unit_test(names_that_cannot_be_kept_are_told),
		cmocka_unit_test(an_interrupted_emulation_is_finished),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
