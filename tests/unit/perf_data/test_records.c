/* SPDX-License-Identifier: Apache-2.0 */
#include "file.h"

#include "perf_data/container/branch.h"

static struct file f;

static void one_record(void)
{
	file_end(&f);
	reader_open(&f, NULL);
	assert_int_equal(next(&f), 1);
}

static void no_more(void)
{
	assert_int_equal(next(&f), 0);
	assert_no_fault(&f);
	reader_close(&f);
}

/* UAPI: "u32 pid, tid; u64 addr; u64 len; u64 pgoff; char filename[]; struct sample_id" */
TEST(mmap)
{
	file_begin(&f, COMMON_TYPE);
	put_header(&f, TL_PERF_MMAP, 2, 8 + 32 + 16 + TRAILER);
	put32(&f, 11);
	put32(&f, 12);
	put64(&f, 0x400000);
	put64(&f, 0x1000);
	put64(&f, 0x2000);
	put_name(&f, "/bin/true");
	put_trailer(&f, 13, 14, 99, 3);
	one_record();
	assert_int_equal(f.rec.type, TL_PERF_MMAP);
	assert_int_equal(f.rec.offset, DATA_AT);
	assert_int_equal(f.rec.mmap.pid, 11);
	assert_int_equal(f.rec.mmap.tid, 12);
	assert_int_equal(f.rec.mmap.address, 0x400000);
	assert_int_equal(f.rec.mmap.length, 0x1000);
	assert_int_equal(f.rec.mmap.page_offset, 0x2000);
	assert_text(f.rec.mmap.path, "/bin/true");
	assert_int_equal(f.rec.id.process, 13);
	assert_int_equal(f.rec.id.thread, 14);
	assert_int_equal(f.rec.id.time_ns, 99);
	assert_int_equal(f.rec.id.cpu, 3);
	assert_int_equal(f.rec.id.id, 77);
	assert_int_equal(f.rec.id.stream, TL_NOWHERE);
	no_more();
}

/*
 * UAPI, PERF_RECORD_MISC_MMAP_BUILD_ID: "u8 build_id_size; u8, u16 reserved; u8 build_id[20]" in
 * place of the inode
 */
TEST(mmap2_with_a_build_id)
{
	static const uint8_t id[20] = { 1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
					11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };

	file_begin(&f, COMMON_TYPE);
	put_header(&f, TL_PERF_MMAP2, 2 | 1 << 14, 8 + 64 + 8 + TRAILER);
	put32(&f, 11);
	put32(&f, 11);
	put64(&f, 0x400000);
	put64(&f, 0x1000);
	put64(&f, 0);
	put32(&f, 20);
	put_bytes(&f, id, 20);
	put32(&f, 5);
	put32(&f, 2);
	put_name(&f, "a.out");
	put_trailer(&f, 11, 11, 99, 3);
	one_record();
	assert_int_equal(f.rec.mmap.build_id.size, 20);
	assert_memory_equal(f.rec.mmap.build_id.bytes, id, 20);
	assert_int_equal(f.rec.mmap.protection, 5);
	assert_int_equal(f.rec.mmap.flags, 2);
	assert_text(f.rec.mmap.path, "a.out");
	no_more();
}

TEST(mmap2_with_an_inode)
{
	file_begin(&f, COMMON_TYPE);
	put_header(&f, TL_PERF_MMAP2, 2, 8 + 64 + 8 + TRAILER);
	put32(&f, 11);
	put32(&f, 11);
	put_zeros(&f, 24);
	put32(&f, 254);
	put32(&f, 1);
	put64(&f, 4711);
	put64(&f, 3);
	put32(&f, 5);
	put32(&f, 2);
	put_name(&f, "a.out");
	put_trailer(&f, 11, 11, 99, 3);
	one_record();
	assert_int_equal(f.rec.mmap.build_id.size, 0);
	assert_int_equal(f.rec.mmap.dev_major, 254);
	assert_int_equal(f.rec.mmap.dev_minor, 1);
	assert_int_equal(f.rec.mmap.inode, 4711);
	assert_int_equal(f.rec.mmap.generation, 3);
	no_more();
}

/* UAPI: FORK is "u32 pid, ppid; u32 tid, ptid; u64 time" */
TEST(fork_and_aux_and_switch)
{
	file_begin(&f, COMMON_TYPE);
	put_header(&f, TL_PERF_FORK, 0, 8 + 24 + TRAILER);
	put32(&f, 2);
	put32(&f, 1);
	put32(&f, 4);
	put32(&f, 3);
	put64(&f, 5);
	put_trailer(&f, 1, 3, 5, 0);
	put_header(&f, TL_PERF_AUX, 0, 8 + 24 + TRAILER);
	put64(&f, 0x100);
	put64(&f, 0x80);
	put64(&f, 3);
	put_trailer(&f, 1, 3, 6, 0);
	put_header(&f, TL_PERF_SWITCH_CPU_WIDE, 1 << 13, 8 + 8 + TRAILER);
	put32(&f, 8);
	put32(&f, 9);
	put_trailer(&f, 1, 3, 7, 2);
	one_record();
	assert_int_equal(f.rec.task.pid, 2);
	assert_int_equal(f.rec.task.ppid, 1);
	assert_int_equal(f.rec.task.tid, 4);
	assert_int_equal(f.rec.task.ptid, 3);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.aux.offset, 0x100);
	assert_int_equal(f.rec.aux.size, 0x80);
	assert_int_equal(f.rec.aux.flags, TL_PERF_AUX_TRUNCATED | TL_PERF_AUX_OVERWRITE);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.thread.pid, 8);
	assert_int_equal(f.rec.thread.tid, 9);
	assert_int_equal(f.rec.id.thread, 3);
	assert_int_equal(f.rec.id.cpu, 2);
	assert_true(f.rec.misc & TL_PERF_MISC_OUT);
	no_more();
}

/* "then `size` raw bytes that the header size does not count" (4, AUXTRACE) */
TEST(aux_data_follow_their_record)
{
	file_begin(&f, COMMON_TYPE);
	put_header(&f, TL_PERF_AUXTRACE, 0, 48);
	put64(&f, 16);
	put64(&f, 0x1000);
	put64(&f, 5);
	put32(&f, 1);
	put32(&f, 2);
	put32(&f, 3);
	put32(&f, 0);
	put_bytes(&f, "0123456789abcdef", 16);
	put_comm(&f, 1, 2, "ab", 0, 5);
	one_record();
	assert_int_equal(f.rec.auxtrace.offset, 0x1000);
	assert_int_equal(f.rec.auxtrace.idx, 1);
	assert_int_equal(f.rec.auxtrace.tid, 2);
	assert_int_equal(f.rec.auxtrace.cpu, 3);
	assert_int_equal(f.rec.data_size, 16);
	assert_memory_equal(f.rec.data, "0123456789abcdef", 16);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.type, TL_PERF_COMM);
	no_more();
}

/* UAPI, PERF_RECORD_SAMPLE: fields in their order; AUX is the last */
TEST(sample)
{
	const uint64_t type = 1 | 2 | 4 | 8 | 32 | 256 | 1024 | 65536 | 1 << 20;

	file_begin(&f, type);
	put_header(&f, TL_PERF_SAMPLE, 1, 8 + 8 + 8 + 8 + 8 + 8 + 8 + 24 + 8 + 16);
	put64(&f, 77);
	put64(&f, 0x401000);
	put32(&f, 11);
	put32(&f, 12);
	put64(&f, 99);
	put64(&f, 0xdead);
	put64(&f, 250000);
	put64(&f, 2); /* callchain */
	put64(&f, 0x1);
	put64(&f, 0x2);
	put32(&f, 4); /* raw */
	put_bytes(&f, "rawd", 4);
	put64(&f, 8); /* aux */
	put_bytes(&f, "auxdata!", 8);
	one_record();
	assert_int_equal(f.rec.id.id, 77);
	assert_int_equal(f.rec.sample.ip, 0x401000);
	assert_int_equal(f.rec.id.thread, 12);
	assert_int_equal(f.rec.id.time_ns, 99);
	assert_int_equal(f.rec.sample.address, 0xdead);
	assert_int_equal(f.rec.sample.period, 250000);
	assert_int_equal(f.rec.sample.callchain_count, 2);
	assert_int_equal(f.rec.sample.raw_size, 4);
	assert_memory_equal(f.rec.sample.raw, "rawd", 4);
	assert_int_equal(f.rec.sample.aux_size, 8);
	assert_memory_equal(f.rec.sample.aux, "auxdata!", 8);
	no_more();
}

/* A count inside a record exceeds its size: the record is lost, the next one is read. */
TEST(a_callchain_longer_than_its_record)
{
	file_begin(&f, 1 | 32 | 65536);
	put_header(&f, TL_PERF_SAMPLE, 1, 8 + 8 + 8 + 8 + 8);
	put64(&f, 77);
	put64(&f, 0x401000);
	put64(&f, UINT64_C(1) << 61);
	put64(&f, 0x1);
	put_header(&f, TL_PERF_FINISHED_ROUND, 0, 8);
	file_end(&f);
	reader_open(&f, NULL);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.type, TL_PERF_FINISHED_ROUND);
	assert_int_equal(next(&f), 0);
	assert_fault(&f, TL_BAD_RECORD, DATA_AT, 40);
	reader_close(&f);
}

/* Too short for its fields: 8 bytes of body less the trailer. */
TEST(a_record_too_short)
{
	file_begin(&f, COMMON_TYPE);
	put_header(&f, TL_PERF_MMAP, 2, 8 + 16);
	put_zeros(&f, 16);
	put_comm(&f, 1, 2, "ab", 0, 5);
	file_end(&f);
	reader_open(&f, NULL);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.type, TL_PERF_COMM);
	assert_fault(&f, TL_BAD_SIZE, DATA_AT, 24);
	reader_close(&f);
}

/* A size below 8 cannot be: reading goes on at the next place that can only be a record. */
TEST(a_size_that_lies)
{
	file_begin(&f, COMMON_TYPE);
	put_header(&f, TL_PERF_COMM, 0, 4);
	put_bytes(&f, "gibberish that is none..", 24);
	put_comm(&f, 1, 2, "ab", 0, 5);
	put_comm(&f, 3, 4, "cd", 0, 6);
	file_end(&f);
	reader_open(&f, NULL);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.comm.pid, 1);
	assert_int_equal(f.rec.offset, DATA_AT + 32);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.comm.pid, 3);
	assert_int_equal(next(&f), 0);
	assert_fault(&f, TL_BAD_SIZE, DATA_AT, 32);
	reader_close(&f);
}

/*
 * A record is believed if four in a row fit: data behind a record are stepped over. A place where
 * only some of them fit is none.
 */
TEST(where_reading_goes_on)
{
	file_begin(&f, COMMON_TYPE);
	put_header(&f, TL_PERF_COMM, 0, 4);
	/* Looks like an empty FINISHED_ROUND, but what follows is no record. */
	put_header(&f, TL_PERF_FINISHED_ROUND, 0, 8);
	put_bytes(&f, "gibberish", 8);
	put_header(&f, TL_PERF_AUXTRACE, 0, 48);
	put64(&f, 16);
	put_zeros(&f, 32);
	put_bytes(&f, "sixteen bytes of", 16);
	put_comm(&f, 1, 2, "ab", 0, 5);
	put_header(&f, 0, 0, 0); /* of no size: it breaks the chain */
	file_end(&f);
	reader_open(&f, NULL);
	assert_int_equal(next(&f), 0);
	assert_fault(&f, TL_BAD_SIZE, DATA_AT, 24 + 64 + 56 + 8);
	reader_close(&f);
	f.size -= 8;
	file_end(&f);
	reader_open(&f, NULL);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.type, TL_PERF_AUXTRACE);
	assert_int_equal(f.rec.offset, DATA_AT + 24);
	assert_int_equal(f.rec.data_size, 16);
	assert_int_equal(next(&f), 1);
	assert_text(f.rec.comm.name, "ab");
	assert_int_equal(next(&f), 0);
	assert_fault(&f, TL_BAD_SIZE, DATA_AT, 24);
	reader_close(&f);
}

/* "four in a row": what stands behind the fourth does not matter. */
TEST(four_records_are_enough)
{
	for (int count = 3; count <= 4; count++) {
		file_begin(&f, COMMON_TYPE);
		put_header(&f, TL_PERF_COMM, 0, 4);
		for (int i = 0; i < count; i++)
			put_comm(&f, 1, 2, "ab", 0, 5);
		put_header(&f, 0, 0, 0); /* of no size */
		file_end(&f);
		reader_open(&f, NULL);
		assert_int_equal(next(&f), count == 4);
		if (count == 4)
			assert_int_equal(f.rec.offset, DATA_AT + 8);
		reader_close(&f);
	}
}

/* "truncated files keep what is whole" */
TEST(a_record_cut_by_the_end)
{
	struct tl_perf_options strict = { .size = sizeof(strict), .strict = true };

	file_begin(&f, COMMON_TYPE);
	put_comm(&f, 1, 2, "ab", 0, 5);
	put_header(&f, TL_PERF_COMM, 0, 56);
	put_zeros(&f, 20);
	file_end(&f);
	reader_open(&f, NULL);
	assert_int_equal(next(&f), 1);
	assert_int_equal(next(&f), 0);
	assert_fault(&f, TL_TRUNCATED, DATA_AT + 56, 28);
	reader_close(&f);
	reader_open(&f, &strict);
	assert_int_equal(next(&f), 1);
	assert_int_equal(next(&f), TL_TRUNCATED);
	assert_int_equal(f.err.offset, DATA_AT + 56);
	assert_int_equal(f.err.record, 1);
	reader_close(&f);
}

TEST(aux_data_cut_by_the_end)
{
	file_begin(&f, COMMON_TYPE);
	put_header(&f, TL_PERF_AUXTRACE, 0, 48);
	put64(&f, 1 << 20);
	put_zeros(&f, 32);
	put_bytes(&f, "012345", 6);
	file_end(&f);
	reader_open(&f, NULL);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.data_size, 6);
	assert_int_equal(next(&f), 0);
	assert_fault(&f, TL_TRUNCATED, DATA_AT, 0);
	reader_close(&f);
}

/* Types that are not known are given as they are: their size says how to get over them. */
TEST(an_unknown_type)
{
	file_begin(&f, COMMON_TYPE);
	put_header(&f, 1000, 0, 16);
	put64(&f, 5);
	put_comm(&f, 1, 2, "ab", 0, 5);
	one_record();
	assert_int_equal(f.rec.type, 1000);
	assert_null(tl_perf_type_name(1000));
	assert_int_equal(next(&f), 1);
	no_more();
}

/* ---- order ---- */

/*
 * "What is older than the end of the round before the last can no longer be overtaken" (5): with
 * in_order, records come by time; those without a time at once.
 */
TEST(by_time)
{
	static const uint64_t times[] = { 0, 5, 7, 6, 9, 8, 12, 11 };
	static const uint64_t wanted[] = { 0, 5, 6, 7, 8, 9, 11, 12 };
	struct tl_perf_options options = { .size = sizeof(options), .in_order = true };
	size_t at = 0;

	file_begin(&f, COMMON_TYPE);
	for (size_t i = 0; i < 8; i++) {
		put_comm(&f, 1, 1, "a", 0, times[i]);
		if (i % 2)
			put_header(&f, TL_PERF_FINISHED_ROUND, 0, 8);
	}
	file_end(&f);
	reader_open(&f, &options);
	while (next(&f) == 1)
		if (f.rec.type == TL_PERF_COMM)
			assert_int_equal(f.rec.id.time_ns, wanted[at++]);
	assert_int_equal(at, 8);
	assert_no_fault(&f);
	reader_close(&f);
}

/*
 * "Nothing is written behind the size that the caller gives ... members that the library does not
 * know become zero. A size below that of the first release is TL_BAD_USAGE, and nothing is written"
 * (docs/abi.md).
 */
TEST(a_record_of_another_size)
{
	struct {
		struct tl_perf_record rec;
		uint8_t newer[8], behind[8];
	} got;
	const uint8_t untouched[8] = { 165, 165, 165, 165, 165, 165, 165, 165 }, zeros[8] = { 0 };

	file_begin(&f, COMMON_TYPE);
	put_comm(&f, 1, 2, "ab", 0, 5);
	file_end(&f);
	reader_open(&f, NULL);
	memset(&got, 165, sizeof(got));
	assert_int_equal(tl_perf_next(f.reader, &got.rec, sizeof(got.rec) - 1, &f.err),
			 TL_BAD_USAGE);
	assert_memory_equal(&got, untouched, 8);
	assert_int_equal(tl_perf_next(f.reader, &got.rec, sizeof(got.rec) + 8, &f.err), 1);
	assert_int_equal(got.rec.comm.tid, 2);
	assert_memory_equal(got.newer, zeros, 8);
	assert_memory_equal(got.behind, untouched, 8);
	assert_int_equal(tl_perf_next(f.reader, &got.rec, sizeof(got.rec), &f.err), 0);
	reader_close(&f);
}

/*
 * UAPI, struct perf_branch_entry: mispred, predicted, in_tx, abort are a bit each, then 16 bits of
 * cycles; on a big-endian machine they begin at the highest bit.
 */
TEST(branches_of_both_byte_orders)
{
	for (int big = 0; big < 2; big++) {
		struct tl_perf_record rec = { .swapped = big != TL_HOST_BIG_ENDIAN };
		struct tl_perf_branch branch;

		f.big = big;
		f.size = 0;
		put_zeros(&f, 24);
		put64(&f, 0x1234);
		put64(&f, 0x5678);
		put64(&f, big ? UINT64_C(1) << 63 | UINT64_C(0xabcd) << 44 : 1 | 0xabcd << 4);
		put64(&f, 0x9abc);
		put64(&f, 0xdef0);
		put64(&f, big ? UINT64_C(1) << 62 : 2);
		rec.sample.branches = f.bytes;
		branch = tl_perf_branch_at(&rec, 1);
		assert_int_equal(branch.from, 0x1234);
		assert_int_equal(branch.to, 0x5678);
		assert_true(branch.mispredicted);
		assert_false(branch.predicted);
		assert_int_equal(branch.cycles, 0xabcd);
		branch = tl_perf_branch_at(&rec, 2);
		assert_int_equal(branch.from, 0x9abc);
		assert_false(branch.mispredicted);
		assert_true(branch.predicted);
		assert_int_equal(branch.cycles, 0);
	}
	f.big = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches_of_both_byte_orders),
		cmocka_unit_test(mmap),
		cmocka_unit_test(mmap2_with_a_build_id),
		cmocka_unit_test(mmap2_with_an_inode),
		cmocka_unit_test(fork_and_aux_and_switch),
		cmocka_unit_test(aux_data_follow_their_record),
		cmocka_unit_test(sample),
		cmocka_unit_test(a_callchain_longer_than_its_record),
		cmocka_unit_test(a_record_too_short),
		cmocka_unit_test(a_size_that_lies),
		cmocka_unit_test(where_reading_goes_on),
		cmocka_unit_test(a_record_cut_by_the_end),
		cmocka_unit_test(aux_data_cut_by_the_end),
		cmocka_unit_test(an_unknown_type),
		cmocka_unit_test(four_records_are_enough),
		cmocka_unit_test(by_time),
		cmocka_unit_test(a_record_of_another_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
