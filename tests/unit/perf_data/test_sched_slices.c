/* SPDX-License-Identifier: Apache-2.0 */
#include "trace.h"

#include "../temp.h"

/* ---- what the file says of the recording (6) ---- */

TEST(the_configuration)
{
	const struct tl_perf_pt_info *info;
	struct stream s = { .size = 0 };

	file_begin(&f, COMMON_TYPE);
	psb(&s, 1000);
	put_info(31, 0x80000000, 7, false);
	put_auxtrace(s.bytes, s.size, 0, 5, UINT32_MAX);
	trace_open();
	info = tl_perf_trace_info(trace);
	assert_int_equal(info->pmu_type, 8);
	assert_true(info->event_found);
	assert_int_equal(info->config, 0x2601);
	assert_int_equal(info->tsc_bit, 1 << 10);
	assert_int_equal(info->max_nonturbo_ratio, 32);
	assert_string_equal(info->filter, "");
	assert_int_equal(next_slice(), 1);
	assert_int_equal(slice.config->cpuid_15_ebx, 176);
	assert_int_equal(slice.config->cpuid_15_eax, 2);
	assert_int_equal(slice.config->nom_freq, 32);
	assert_int_equal(slice.config->mtc_freq, 0); /* bits 17:14 of 2601 */
	assert_int_equal(slice.thread, 5);
	assert_int_equal(slice.cpu, TL_NOWHERE);
	assert_int_equal(next_slice(), 0);
	trace_close();
}

/*
 * UAPI: "quot = cyc >> time_shift; rem = cyc & ((1 << time_shift) - 1); zero + quot * mult + ((rem
 * * mult) >> shift)"
 */
TEST(time_both_ways)
{
	struct stream s = { .size = 0 };
	uint64_t ns, ticks;

	file_begin(&f, COMMON_TYPE);
	psb(&s, 1000);
	put_info(4, 5, 1000, false);
	put_auxtrace(s.bytes, s.size, 0, 5, UINT32_MAX);
	trace_open();
	/* 100 = 6 * 16 + 4: 6 * 5 + (4 * 5 >> 4) = 30 + 1 */
	assert_true(tl_perf_trace_ns(trace, 100, &ns));
	assert_int_equal(ns, 1031);
	/* 31 = 6 * 5 + 1: (6 << 4) + (1 << 4) / 5 = 96 + 3 */
	assert_true(tl_perf_trace_tsc(trace, 1031, &ticks));
	assert_int_equal(ticks, 99);
	trace_close();
}

/* ---- pieces (7) ---- */

/*
 * "size is padded to 8": the next piece's offset says how long the one before it is; then the bytes
 * are one stretch.
 */
TEST(padding_is_cut_off)
{
	struct stream s = { .size = 0 };

	file_begin(&f, COMMON_TYPE);
	psb(&s, 1000);
	on(&s, 0x401000);
	off(&s);
	put_info(0, 1, 0, false);
	put_auxtrace(s.bytes, 21, 0, 5, UINT32_MAX);
	put_auxtrace(s.bytes + 21, s.size - 21, 21, 5, UINT32_MAX);
	trace_open();
	assert_int_equal(next_slice(), 1);
	assert_int_equal(slice.config->end - slice.config->begin, 21 + (s.size - 21 + 7) / 8 * 8);
	assert_memory_equal(slice.config->begin, s.bytes, s.size);
	assert_int_equal(slice.file_offset, TL_NOWHERE);
	assert_int_equal(next_slice(), 0);
	trace_close();
}

/* "gaps and overlaps occur" */
TEST(a_gap_ends_a_stretch)
{
	struct stream s = { .size = 0 };

	file_begin(&f, COMMON_TYPE);
	psb(&s, 1000);
	put_info(0, 1, 0, false);
	put_auxtrace(s.bytes, s.size, 0, 5, UINT32_MAX);
	put_auxtrace(s.bytes, s.size, 100, 5, UINT32_MAX);
	trace_open();
	assert_int_equal(next_slice(), 1);
	assert_false(slice.gap);
	assert_int_equal(slice.buffer_offset, 0);
	assert_int_equal(next_slice(), 1);
	assert_true(slice.gap);
	assert_false(slice.continues);
	assert_int_equal(slice.buffer_offset, 100);
	assert_int_equal(next_slice(), 0);
	trace_close();
}

/* A snapshot repeats what the one before it ends with: those bytes are taken once. */
TEST(snapshots_overlap)
{
	struct stream s = { .size = 0 };

	file_begin(&f, COMMON_TYPE);
	psb(&s, 1000);
	on(&s, 0x401000);
	off(&s);
	psb(&s, 2000);
	on(&s, 0x402000);
	off(&s);
	packet(&s, "\0\0\0\0", 4);
	assert_int_equal(s.size % 8, 0);
	put_info(0, 1, 0, true);
	put_auxtrace(s.bytes, s.size, 0, 5, UINT32_MAX);
	psb(&s, 3000);
	packet(&s, "\0\0\0\0\0\0", 6);
	put_auxtrace(s.bytes + 16, s.size - 16, 0, 5, UINT32_MAX);
	trace_open();
	assert_int_equal(next_slice(), 1);
	assert_int_equal(slice.config->end - slice.config->begin, s.size);
	assert_memory_equal(slice.config->begin, s.bytes, s.size);
	assert_int_equal(next_slice(), 0);
	trace_close();
}

/*
 * "AUX data must be cut at AUX records with truncated" (7), unless tracing was off there, so that
 * no flow is torn.
 */
TEST(a_full_buffer)
{
	for (int torn = 0; torn < 2; torn++) {
		struct stream s = { .size = 0 };
		size_t at;

		file_begin(&f, COMMON_TYPE);
		psb(&s, 1000);
		on(&s, 0x401000);
		if (!torn)
			off(&s);
		at = s.size;
		on(&s, 0x402000);
		off(&s);
		put_info(0, 1, 0, false);
		put_aux(0, at, TL_PERF_AUX_TRUNCATED);
		put_auxtrace(s.bytes, s.size, 0, 5, 0);
		trace_open();
		assert_int_equal(next_slice(), 1);
		assert_int_equal(slice.to, torn ? at : (s.size + 7) / 8 * 8);
		if (torn) {
			assert_int_equal(next_slice(), 1);
			assert_true(slice.gap);
			assert_int_equal(slice.buffer_offset, at);
		}
		assert_int_equal(next_slice(), 0);
		trace_close();
	}
}

/* ---- who (8) ---- */

/*
 * "current thread from SWITCH_CPU_WIDE by time": a thread takes over where tracing is turned on at
 * or after its time
 */
TEST(threads_take_turns)
{
	struct stream s = { .size = 0 };
	size_t first, second;

	file_begin(&f, COMMON_TYPE);
	put_info(0, 1, 0, false);
	put_comm(&f, 11, 11, "one", 0, 0);
	put_comm(&f, 12, 12, "two", 0, 0);
	put_map(&f, 11, 0x400000, 0x1000, "none/one", 0);
	put_map(&f, 12, 0x400000, 0x1000, "none/two", 0);
	psb(&s, 1000);
	on(&s, 0x400100);
	off(&s);
	on(&s, 0x400200); /* a system call: it is still the first */
	off(&s);
	first = s.size;
	tsc(&s, 2100);
	on(&s, 0x400300);
	off(&s);
	second = s.size;
	tsc(&s, 3100);
	on(&s, 0x400400);
	off(&s);
	put_switch(0, 11, 900);
	put_switch(11, 12, 2000);
	put_switch(12, 11, 3000);
	put_auxtrace(s.bytes, s.size, 0, UINT32_MAX, 0);
	trace_open();
	assert_int_equal(next_slice(), 1);
	assert_int_equal(slice.process, 11);
	assert_int_equal(slice.cpu, 0);
	assert_string_equal(slice.command, "one");
	assert_int_equal(slice.from, 0);
	assert_int_equal(slice.to, first);
	assert_false(slice.continues);
	assert_int_equal(slice.space, 0);
	assert_int_equal(next_slice(), 1);
	assert_int_equal(slice.process, 12);
	assert_string_equal(slice.command, "two");
	assert_int_equal(slice.from, first);
	assert_int_equal(slice.to, second);
	assert_true(slice.continues);
	assert_int_equal(slice.space, 1);
	assert_int_equal(next_slice(), 1);
	assert_int_equal(slice.process, 11);
	assert_int_equal(slice.space, 0);
	assert_int_equal(slice.from, second);
	assert_int_equal(next_slice(), 0);
	trace_close();
}

/* Between two packets of time the address decides, if only one of both has it. */
TEST(an_address_tells_whose_it_is)
{
	struct stream s = { .size = 0 };
	size_t second;

	file_begin(&f, COMMON_TYPE);
	put_info(0, 1, 0, false);
	put_map(&f, 11, 0x400000, 0x1000, "none/one", 0);
	put_map(&f, 12, 0x500000, 0x1000, "none/two", 0);
	psb(&s, 1000);
	on(&s, 0x400100);
	off(&s);
	on(&s, 0x400200);
	off(&s);
	second = s.size;
	on(&s, 0x500300);
	off(&s);
	tsc(&s, 3000);
	put_switch(0, 11, 900);
	put_switch(11, 12, 2000);
	put_auxtrace(s.bytes, s.size, 0, UINT32_MAX, 0);
	trace_open();
	assert_int_equal(next_slice(), 1);
	assert_int_equal(slice.process, 11);
	assert_int_equal(slice.to, second);
	assert_int_equal(next_slice(), 1);
	assert_int_equal(slice.process, 12);
	trace_close();
}

/*
 * Samples of sched:sched_switch: TRACING_DATA has the tracepoint's number and where prev_pid and
 * next_pid are; threads are those of the processes that COMM names (8).
 */
TEST(switches_by_tracepoint)
{
	static const char tracing[] = "name: sched_switch\nID: 314\nformat:\n\tfield:pid_t "
				      "prev_pid;\toffset:4;\tsize:4;\n"
				      "\tfield:pid_t next_pid;\toffset:8;\tsize:4;\n";
	struct stream s = { .size = 0 };
	size_t first;

	file_begin(&f, COMMON_TYPE);
	put_info(0, 1, 0, false);
	put_header(&f, TL_PERF_HEADER_ATTR, 0, 8 + 64 + 8);
	put_attr(&f, 2, COMMON_TYPE | 1024, 1 << 18);
	patch64(&f, f.size - 64 + 8, 314);
	put64(&f, 78);
	put_header(&f, TL_PERF_HEADER_TRACING_DATA, 0, 12);
	put32(&f, (sizeof(tracing) + 7) / 8 * 8);
	put_bytes(&f, tracing, sizeof(tracing));
	put_zeros(&f, (8 - sizeof(tracing) % 8) % 8);
	put_comm(&f, 11, 21, "one", 0, 0);
	put_comm(&f, 12, 22, "two", 0, 0);
	put_header(&f, TL_PERF_SAMPLE, 0, 8 + 32 + 4 + 12);
	put64(&f, 78);
	put32(&f, 11);
	put32(&f, 21);
	put64(&f, 2000);
	put32(&f, 0);
	put32(&f, 0);
	put32(&f, 12); /* raw data */
	put32(&f, 0);
	put32(&f, 21);
	put32(&f, 22);
	psb(&s, 1000);
	on(&s, 0x400100);
	off(&s);
	first = s.size;
	tsc(&s, 2100);
	on(&s, 0x400300);
	off(&s);
	put_auxtrace(s.bytes, s.size, 0, UINT32_MAX, 0);
	trace_open();
	assert_int_equal(next_slice(), 1);
	assert_int_equal(slice.process, 11);
	assert_int_equal(slice.thread, 21);
	assert_int_equal(slice.to, first);
	assert_int_equal(next_slice(), 1);
	assert_int_equal(slice.process, 12);
	assert_int_equal(slice.thread, 22);
	assert_int_equal(next_slice(), 0);
	trace_close();
}

static bool place(uint64_t ip, const char *path)
{
	struct tl_perf_mapping found;

	return tl_perf_trace_find_mapping(trace, slice.space, ip, &found, sizeof(found)) == 1 &&
	       !strcmp(found.path, path);
}

/* "COMM: misc 0x2000 = exec (drops the old maps)"; "FORK: a child has its parent's maps" */
TEST(maps_over_time)
{
	struct stream s = { .size = 0 };

	file_begin(&f, COMMON_TYPE);
	put_info(0, 1, 0, false);
	put_comm(&f, 11, 11, "shell", 0, 0);
	put_map(&f, 11, 0x400000, 0x1000, "none/shell", 0);
	put_map(&f, 11, 0x600000, 0x1000, "none/library", 0);
	put_header(&f, TL_PERF_FORK, 0, 8 + 24 + TRAILER);
	put32(&f, 12);
	put32(&f, 11);
	put32(&f, 12);
	put32(&f, 11);
	put64(&f, 500);
	put_trailer(&f, 11, 11, 500, 0);
	put_comm(&f, 12, 12, "program", 0x2000, 2000);
	put_map(&f, 12, 0x400000, 0x1000, "none/program", 2001);
	/* Something else where the library had been. */
	put_map(&f, 12, 0x600000, 0x1000, "none/other", 4000);
	put_switch(0, 12, 900);
	psb(&s, 1000);
	on(&s, 0x400100);
	off(&s);
	tsc(&s, 3000);
	on(&s, 0x400100);
	off(&s);
	put_auxtrace(s.bytes, s.size, 0, UINT32_MAX, 0);
	trace_open();
	assert_int_equal(next_slice(), 1);
	assert_string_equal(slice.command, "shell");
	assert_true(place(0x400100, "none/shell"));
	assert_true(place(0x600fff, "none/library"));
	assert_false(place(0x601000, "none/library"));
	assert_int_equal(next_slice(), 1);
	assert_string_equal(slice.command, "program");
	assert_true(place(0x400100, "none/program"));
	/* No exec since: what is mapped later is in the same image, as it contradicts nothing. */
	assert_true(place(0x600000, "none/other"));
	assert_int_equal(next_slice(), 0);
	trace_close();
}

/* "Missing images are told once each" */
TEST(missing_files_are_told_once)
{
	struct stream s = { .size = 0 };
	const struct tl_perf_missing_code *missing;
	size_t count;

	file_begin(&f, COMMON_TYPE);
	put_info(0, 1, 0, false);
	put_map(&f, 11, 0x400000, 0x1000, "none/one", 0);
	put_map(&f, 11, 0x401000, 0x1000, "none/one", 0);
	put_map(&f, 11, 0x500000, 0x1000, "//anon", 0);
	put_switch(0, 11, 900);
	psb(&s, 1000);
	put_auxtrace(s.bytes, s.size, 0, UINT32_MAX, 0);
	trace_open();
	assert_int_equal(next_slice(), 1);
	missing = tl_perf_trace_missing(trace, &count);
	assert_int_equal(count, 2);
	assert_string_equal(missing[0].path, "none/one");
	assert_string_equal(missing[1].path, "//anon");
	assert_int_equal(missing[0].process, 11);
	assert_int_equal(missing[0].address, 0x400000);
	trace_close();
}

/* Below --sysroot first: a file found there is the one, and its load address gives the bias. */
TEST(files_below_a_sysroot)
{
	/* ELF64, EXEC, x86-64: one PT_LOAD R+X of bytes 0x0 .. 0x1000 at 0x400000 */
	uint8_t elf[0x1000] = { 0x7f,
				'E',
				'L',
				'F',
				2,
				1,
				1,
				0,
				[16] = 2,
				[18] = 62,
				[20] = 1,
				[32] = 64,
				[52] = 64,
				[54] = 56,
				[56] = 1,
				[64] = 1,
				[68] = 5,
				[64 + 18] = 0x40,
				[64 + 26] = 0x40,
				[64 + 33] = 0x10,
				[64 + 41] = 0x10 };
	struct tl_perf_trace_options options = { .size = sizeof(options),
						 .process = TL_NOWHERE,
						 .thread = TL_NOWHERE,
						 .cpu = TL_NOWHERE };
	struct stream s = { .size = 0 };
	struct tl_perf_mapping found;
	struct temp temp;
	uint8_t byte;

	temp_open(&temp);
	temp_write(&temp, "prog", elf, sizeof(elf));
	options.sysroot = temp.directory;
	file_begin(&f, COMMON_TYPE);
	put_info(0, 1, 0, false);
	put_map(&f, 11, 0x555555400000, 0x1000, "/prog", 0);
	put_switch(0, 11, 900);
	psb(&s, 1000);
	put_auxtrace(s.bytes, s.size, 0, UINT32_MAX, 0);
	file_end(&f);
	assert_int_equal(tl_source_open_memory(&f.source, f.bytes, f.size, "test", &f.err), 0);
	assert_int_equal(tl_perf_trace_open(&trace, f.source, &options, &f.err), 0);
	assert_int_equal(next_slice(), 1);
	assert_true(tl_perf_trace_find_mapping(trace, slice.space, 0x555555400040, &found,
					       sizeof(found)) == 1);
	assert_non_null(found.file);
	assert_null(found.reason);
	assert_int_equal(found.bias, 0x555555000000);
	assert_int_equal(tl_pt_image_read(slice.image, NULL, &byte, 1, &slice.asid, 0x555555400001),
			 1);
	assert_int_equal(byte, 'E');
	trace_close();
	temp_close(&temp);
}

/* A trace with one slice of process 11, which has /prog mapped. */
static void open_one_slice(void)
{
	struct stream s = { .size = 0 };

	file_begin(&f, COMMON_TYPE);
	put_info(0, 1, 0, true);
	put_map(&f, 11, 0x555555400000, 0x1000, "/prog", 0);
	put_switch(0, 11, 900);
	psb(&s, 1000);
	put_auxtrace(s.bytes, s.size, 0, UINT32_MAX, 0);
	trace_open();
}

/*
 * "Nothing is written behind the size that the caller gives ... members that the library does not
 * know become zero. A size below that of the first release is TL_BAD_USAGE, and nothing is written"
 * (docs/abi.md).
 */
TEST(structs_of_another_size)
{
	struct {
		struct tl_perf_sched_slice slice;
		uint8_t newer[8], behind[8];
	} got;
	struct {
		struct tl_perf_mapping mapping;
		uint8_t newer[8], behind[8];
	} map;
	const uint8_t untouched[8] = { 165, 165, 165, 165, 165, 165, 165, 165 }, zeros[8] = { 0 };

	open_one_slice();
	memset(&got, 165, sizeof(got));
	assert_int_equal(tl_perf_trace_next(trace, &got.slice, sizeof(got.slice) - 1, &f.err),
			 TL_BAD_USAGE);
	assert_memory_equal(&got, untouched, 8);
	assert_int_equal(tl_perf_trace_next(trace, &got.slice, sizeof(got.slice) + 8, &f.err), 1);
	assert_int_equal(got.slice.process, 11);
	assert_memory_equal(got.newer, zeros, 8);
	assert_memory_equal(got.behind, untouched, 8);
	memset(&map, 165, sizeof(map));
	assert_int_equal(tl_perf_trace_find_mapping(trace, got.slice.space, 0x555555400000,
						    &map.mapping, sizeof(map.mapping) - 1),
			 TL_BAD_USAGE);
	assert_memory_equal(&map, untouched, 8);
	assert_int_equal(tl_perf_trace_find_mapping(trace, got.slice.space + 1, 0x555555400000,
						    &map.mapping, sizeof(map.mapping)),
			 TL_BAD_USAGE);
	assert_int_equal(tl_perf_trace_find_mapping(trace, got.slice.space, 0x555555400000,
						    &map.mapping, sizeof(map.mapping) + 8),
			 1);
	assert_int_equal(map.mapping.end, 0x555555401000);
	assert_memory_equal(map.newer, zeros, 8);
	assert_memory_equal(map.behind, untouched, 8);
	trace_close();
}

/* Records, but no Intel PT. */
TEST(nothing_to_decode)
{
	file_begin(&f, COMMON_TYPE);
	put_comm(&f, 1, 2, "ab", 0, 5);
	file_end(&f);
	assert_int_equal(tl_source_open_memory(&f.source, f.bytes, f.size, "test", &f.err), 0);
	assert_int_equal(tl_perf_trace_open(&trace, f.source, NULL, &f.err), TL_UNSUPPORTED);
	assert_null(trace);
	tl_source_close(f.source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_configuration),
		cmocka_unit_test(time_both_ways),
		cmocka_unit_test(padding_is_cut_off),
		cmocka_unit_test(a_gap_ends_a_stretch),
		cmocka_unit_test(snapshots_overlap),
		cmocka_unit_test(a_full_buffer),
		cmocka_unit_test(threads_take_turns),
		cmocka_unit_test(an_address_tells_whose_it_is),
		cmocka_unit_test(switches_by_tracepoint),
		cmocka_unit_test(maps_over_time),
		cmocka_unit_test(missing_files_are_told_once),
		cmocka_unit_test(files_below_a_sysroot),
		cmocka_unit_test(structs_of_another_size),
		cmocka_unit_test(nothing_to_decode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
