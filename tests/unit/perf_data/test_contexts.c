/* SPDX-License-Identifier: Apache-2.0 */
/* Which thread a slice is of, which slices come first, and the clock (section 8). */
#include "trace.h"

enum { MODE_OF_KERNEL = 1, EXCLUDE_KERNEL_AT = 104 + 40 };

/* ---- records that say which thread runs ---- */

/* A trace of processor 0 whose only packets with an address are one TIP.PGE at each time. */
static void put_pges(const uint64_t *times, size_t count)
{
	struct stream s = { .size = 0 };

	psb(&s, times[0]);
	for (size_t i = 0; i < count; i++) {
		tsc(&s, times[i]);
		on(&s, 0x400000);
		off(&s);
	}
	put_auxtrace(s.bytes, s.size, 0, UINT32_MAX, 0);
}

/* The next slices are of these threads; TL_NOWHERE ends the list. */
static void want_threads(const uint64_t *threads)
{
	for (; *threads != TL_NOWHERE; threads++) {
		assert_int_equal(next_slice(), 1);
		assert_int_equal(slice.thread, *threads);
	}
	assert_int_equal(next_slice(), 0);
}

static void put_plain_switch(uint32_t tid, uint16_t misc, uint64_t time)
{
	put_header(&f, TL_PERF_SWITCH, misc, 8 + TRAILER);
	put_trailer(&f, tid, tid, time, 0);
}

/* SWITCH in: the thread of the trailer comes; out: a thread that is not traced. */
TEST(switches_of_one_thread)
{
	file_begin(&f, COMMON_TYPE);
	put_info(0, 1, 0, false);
	put_plain_switch(5, 0, 100);
	put_plain_switch(5, 1 << 13, 150);
	put_plain_switch(6, 0, 200);
	put_pges((const uint64_t[]){ 110, 210 }, 2);
	trace_open();
	want_threads((const uint64_t[]){ 5, 6, TL_NOWHERE });
	trace_close();
}

/* Before the first SWITCH_CPU_WIDE its other thread ran, in or out; ITRACE_START says so itself. */
TEST(who_ran_before_the_first_switch)
{
	const uint64_t wanted[] = { 5, 6, TL_NOWHERE };

	for (int out = 0; out < 2; out++) {
		file_begin(&f, COMMON_TYPE);
		put_info(0, 1, 0, false);
		put_header(&f, TL_PERF_SWITCH_CPU_WIDE, out ? 1 << 13 : 0, 8 + 8 + TRAILER);
		put32(&f, out ? 6 : 5);
		put32(&f, out ? 6 : 5);
		put_trailer(&f, out ? 5 : 6, out ? 5 : 6, 200, 0);
		put_pges((const uint64_t[]){ 110, 210 }, 2);
		trace_open();
		want_threads(wanted);
		trace_close();
	}
	file_begin(&f, COMMON_TYPE);
	put_info(0, 1, 0, false);
	put_header(&f, TL_PERF_ITRACE_START, 0, 8 + 8 + TRAILER);
	put32(&f, 5);
	put32(&f, 5);
	put_trailer(&f, 5, 5, 100, 0);
	put_switch(9, 6, 200);
	put_pges((const uint64_t[]){ 110, 210 }, 2);
	trace_open();
	want_threads(wanted);
	trace_close();
}

/* Without any switch the only process with maps ran; of two nobody knows. */
TEST(no_switches)
{
	for (int processes = 0; processes < 3; processes++) {
		file_begin(&f, COMMON_TYPE);
		put_info(0, 1, 0, false);
		for (int i = 0; i < processes; i++)
			put_map(&f, 7 + (uint32_t)i, 0x400000, 0x1000, "none/a", 0);
		put_comm(&f, 20, 20, "without maps", 0, 0);
		put_pges((const uint64_t[]){ 110 }, 1);
		trace_open();
		assert_int_equal(next_slice(), 1);
		assert_int_equal(slice.process, processes == 1 ? 7 : TL_NOWHERE);
		assert_int_equal(slice.cpu, 0);
		trace_close();
	}
}

/* TIME_CONV is the clock where AUXTRACE_INFO has none; its values come first. */
TEST(a_clock_of_its_own)
{
	uint64_t ns;

	for (int known = 0; known < 2; known++) {
		file_begin(&f, COMMON_TYPE);
		put_info(known ? 1 : 0, known ? 2 : 0, known ? 5 : 0, false);
		put_header(&f, TL_PERF_TIME_CONV, 0, 32);
		put64(&f, 1);
		put64(&f, 6);
		put64(&f, 1000);
		put_pges((const uint64_t[]){ 110 }, 1);
		trace_open();
		assert_true(tl_perf_trace_ns(trace, 10, &ns));
		assert_int_equal(ns, known ? 10 + 5 : 30 + 1000);
		trace_close();
	}
}

/* Without a multiplier, or with a shift that no word has, there is no conversion. */
TEST(no_clock)
{
	static const uint64_t rows[][2] = { { 0, 0 }, { 64, 1 } };
	uint64_t to = 7;

	for (size_t i = 0; i < 2; i++) {
		file_begin(&f, COMMON_TYPE);
		put_info(rows[i][0], rows[i][1], 5, false);
		put_pges((const uint64_t[]){ 110 }, 1);
		trace_open();
		assert_false(tl_perf_trace_ns(trace, 10, &to));
		assert_false(tl_perf_trace_tsc(trace, 10, &to));
		assert_int_equal(to, 7);
		trace_close();
	}
}

/* The options choose slices by process, thread and processor; the others are only marked. */
TEST(chosen_slices)
{
	static const struct {
		uint64_t process, thread, cpu;
		bool first, second;
	} rows[] = {
		{ TL_NOWHERE, TL_NOWHERE, TL_NOWHERE, true, true },
		{ 5, TL_NOWHERE, TL_NOWHERE, true, false },
		{ TL_NOWHERE, 6, TL_NOWHERE, false, true },
		{ 5, 6, TL_NOWHERE, false, false },
		{ TL_NOWHERE, TL_NOWHERE, 0, true, true },
		{ TL_NOWHERE, TL_NOWHERE, 1, false, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct tl_perf_trace_options options = {
			.size = sizeof(options),
			.process = rows[i].process,
			.thread = rows[i].thread,
			.cpu = rows[i].cpu,
		};

		file_begin(&f, COMMON_TYPE);
		put_info(0, 1, 0, false);
		put_switch(5, 6, 200);
		put_pges((const uint64_t[]){ 110, 210 }, 2);
		file_end(&f);
		assert_int_equal(tl_source_open_memory(&f.source, f.bytes, f.size, "test", &f.err),
				 0);
		assert_int_equal(tl_perf_trace_open(&trace, f.source, &options, &f.err), 0);
		assert_int_equal(next_slice(), 1);
		assert_int_equal(slice.chosen, rows[i].first);
		assert_int_equal(slice.start_tsc, 110);
		assert_int_equal(next_slice(), 1);
		assert_int_equal(slice.chosen, rows[i].second);
		assert_int_equal(slice.start_tsc, 200);
		assert_true(slice.continues);
		trace_close();
	}
}

/* Slices of several buffers come by their beginnings; of equal ones the first buffer's. */
TEST(slices_of_two_buffers)
{
	static const uint64_t wanted[][2] = { /* cpu, from ticks */
					      { 1, 50 },
					      { 0, 100 },
					      { 2, 100 }
	};

	file_begin(&f, COMMON_TYPE);
	put_info(0, 1, 0, false);
	for (uint32_t cpu = 0; cpu < 3; cpu++) {
		struct stream s = { .size = 0 };

		psb(&s, cpu == 1 ? 50 : 100);
		on(&s, 0x400000);
		off(&s);
		put_auxtrace(s.bytes, s.size, 0, UINT32_MAX, cpu);
	}
	trace_open();
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < 3; i++) {
			assert_int_equal(next_slice(), 1);
			assert_int_equal(slice.cpu, wanted[i][0]);
			assert_int_equal(slice.stream, wanted[i][0]);
			assert_int_equal(slice.start_tsc, wanted[i][1]);
		}
		assert_int_equal(next_slice(), 0);
		tl_perf_trace_rewind(trace);
	}
	trace_close();
}

/* ---- code that the kernel changes ---- */

enum { KERNEL_AT = 0x91000000 }; /* and all higher bits set */

/* An AUX buffer in the kernel: one TIP.PGE at each of the times. */
static void put_kernel_pges(const uint64_t *times, size_t count)
{
	struct stream s = { .size = 0 };

	psb(&s, times[0]);
	for (size_t i = 0; i < count; i++) {
		tsc(&s, times[i]);
		on(&s, UINT64_C(0xffffffff00000000) | KERNEL_AT);
		off(&s);
	}
	put_auxtrace(s.bytes, s.size, 0, UINT32_MAX, 0);
}

static void put_poke(uint64_t time, const char *before, const char *after)
{
	put_header(&f, TL_PERF_TEXT_POKE, MODE_OF_KERNEL, 8 + 16 + TRAILER);
	put64(&f, UINT64_C(0xffffffff00000000) | KERNEL_AT);
	put16(&f, 2);
	put16(&f, 2);
	put_bytes(&f, before, 2);
	put_bytes(&f, after, 2);
	put_trailer(&f, 0, 0, time, 0);
}

/* Code of the slice: what ran then, whatever ran later. */
static void want_code(uint64_t start, const char *code)
{
	uint8_t bytes[2];

	assert_int_equal(next_slice(), 1);
	assert_int_equal(slice.start_tsc, start);
	assert_int_equal(tl_pt_image_read(slice.image, NULL, bytes, 2, &slice.asid,
					  UINT64_C(0xffffffff00000000) | KERNEL_AT),
			 2);
	assert_memory_equal(bytes, code, 2);
}

/* A thread's slices end where the kernel's code changes, and where another thread comes. */
TEST(changed_code)
{
	file_begin(&f, COMMON_TYPE);
	put_info(0, 1, 0, false);
	put_switch(5, 6, 200);
	put_poke(150, "ab", "cd");
	put_poke(250, "cd", "ef");
	put_kernel_pges((const uint64_t[]){ 110, 160, 210, 260 }, 4);
	trace_open();
	for (int pass = 0; pass < 2; pass++) {
		want_code(110, "ab");
		assert_int_equal(slice.thread, 5);
		want_code(150, "cd");
		assert_int_equal(slice.thread, 5);
		assert_true(slice.continues);
		want_code(200, "cd");
		assert_int_equal(slice.thread, 6);
		want_code(250, "ef");
		assert_int_equal(slice.thread, 6);
		assert_int_equal(next_slice(), 0);
		tl_perf_trace_rewind(trace);
	}
	trace_close();
}

/* Where the kernel is not traced, its changes cut nothing. */
TEST(changed_code_that_is_not_traced)
{
	file_begin(&f, COMMON_TYPE);
	f.bytes[EXCLUDE_KERNEL_AT] |= 1 << 5;
	put_info(0, 1, 0, false);
	put_poke(150, "ab", "cd");
	put_pges((const uint64_t[]){ 110, 160 }, 2);
	trace_open();
	assert_int_equal(next_slice(), 1);
	assert_int_equal(next_slice(), 0);
	trace_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(switches_of_one_thread),
		cmocka_unit_test(who_ran_before_the_first_switch),
		cmocka_unit_test(no_switches),
		cmocka_unit_test(a_clock_of_its_own),
		cmocka_unit_test(no_clock),
		cmocka_unit_test(chosen_slices),
		cmocka_unit_test(slices_of_two_buffers),
		cmocka_unit_test(changed_code),
		cmocka_unit_test(changed_code_that_is_not_traced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
