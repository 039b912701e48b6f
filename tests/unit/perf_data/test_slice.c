/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slices of a file (docs/formats/perf-data.md section 12): the expected file is put together by
 * hand, record by record, as the file it is cut from.
 */
#include "file.h"

#include "core/output.h"
#include "perf_data/listing/describe.h"

static struct file f, wanted;
static struct tl_perf_trace *trace;

/* PSB, TSC, PSBEND. */
enum { SEGMENT = 16 + 8 + 2 };

static void put_segment(struct file *to, uint64_t tsc)
{
	for (int i = 0; i < 8; i++)
		put_bytes(to, "\x02\x82", 2);
	put_bytes(to, "\x19", 1);
	for (int i = 0; i < 7; i++)
		put_bytes(to, &(uint8_t){ (uint8_t)(tsc >> 8 * i) }, 1);
	put_bytes(to, "\x02\x23", 2);
}

static void put_info(struct file *to, bool snapshots)
{
	const uint64_t words[17] = { 8, 0, 1, 0, 1, 1 << 10, 1 << 11, 3, snapshots, 1 };

	put_header(to, TL_PERF_AUXTRACE_INFO, 0, 8 + 8 + sizeof(words));
	put32(to, 1);
	put32(to, 0);
	for (int i = 0; i < 17; i++)
		put64(to, words[i]);
}

/* Segments of these times, the first one at `offset` of the buffer. */
static void put_auxtrace(struct file *to, uint32_t idx, uint32_t tid, uint32_t cpu, uint64_t offset,
			 const uint64_t *times, size_t count)
{
	const size_t size = SEGMENT * count, fill = (8 - size % 8) % 8;

	put_header(to, TL_PERF_AUXTRACE, 0, 48);
	put64(to, size + fill);
	put64(to, offset);
	put64(to, 12345); /* reference: as it is */
	put32(to, idx);
	put32(to, tid);
	put32(to, cpu);
	put32(to, 0);
	for (size_t i = 0; i < count; i++)
		put_segment(to, times[i]);
	put_zeros(to, fill);
}

/* A host name, and where AUXTRACE records are (feature 18), which a slice does not say. */
static void put_features(struct file *to, bool auxtrace)
{
	size_t table;

	file_end(to);
	patch64(to, 72, 1 << 3 | (auxtrace ? 1 << 18 : 0));
	table = to->size;
	put_zeros(to, auxtrace ? 32 : 16);
	patch64(to, table, to->size);
	patch64(to, table + 8, 12);
	if (auxtrace) {
		patch64(to, table + 16, to->size);
		patch64(to, table + 24, 0);
	}
	put32(to, 8);
	put_bytes(to, "host\0\0\0\0", 8);
}

static void trace_open(void)
{
	assert_int_equal(tl_source_open_memory(&f.source, f.bytes, f.size, "test", &f.err), 0);
	assert_int_equal(tl_perf_trace_open(&trace, f.source, NULL, &f.err), 0);
}

static void assert_slice(uint64_t from, uint64_t to)
{
	struct tl_output *out;
	const char *data;
	size_t size;

	trace_open();
	assert_int_equal(tl_output_open_memory(&out, &f.err), 0);
	assert_int_equal(tl_perf_slice(trace, from, to, out, &f.err), 0);
	data = tl_output_bytes(out, &size);
	assert_int_equal(size, wanted.size);
	assert_memory_equal(data, wanted.bytes, size);
	tl_output_discard(out);
	tl_perf_trace_close(trace);
	tl_source_close(f.source);
}

static const uint64_t times[] = { 100, 200, 300, 400 };

static void both_begin(bool big)
{
	f.big = wanted.big = big;
	file_begin(&f, COMMON_TYPE);
	file_begin(&wanted, COMMON_TYPE);
	put_info(&f, false);
	put_info(&wanted, false);
}

/* From the PSB before the window to the first one behind it; every other record stays. */
TEST(a_window)
{
	for (int big = 0; big < 2; big++) {
		both_begin(big);
		put_comm(&f, 1, 2, "before", 0, 5);
		put_auxtrace(&f, 0, 7, 0, 0, times, 4);
		put_comm(&f, 1, 2, "behind", 0, 5);
		put_features(&f, true);
		put_comm(&wanted, 1, 2, "before", 0, 5);
		put_auxtrace(&wanted, 0, 7, 0, SEGMENT, times + 1, 2);
		put_comm(&wanted, 1, 2, "behind", 0, 5);
		put_features(&wanted, false);
		assert_slice(250, 350);
	}
}

/* Without an end: up to the end of the buffer, padding and all. */
TEST(an_open_window)
{
	both_begin(false);
	put_auxtrace(&f, 0, 7, 0, 0, times, 4);
	put_features(&f, false);
	put_auxtrace(&wanted, 0, 7, 0, 2 * SEGMENT, times + 2, 2);
	/* The buffer ends with its padding of 0 bytes: 104 is a whole number of words. */
	put_features(&wanted, false);
	assert_slice(300, 0);
}

/* A window that spans two records of a buffer: a part of each; a buffer outside of it is gone. */
TEST(several_records)
{
	both_begin(false);
	put_auxtrace(&f, 0, 7, 0, 0, times, 2);
	put_auxtrace(&f, 1, 8, 1, 0, (const uint64_t[]){ 900, 1000 }, 2);
	put_auxtrace(&f, 0, 7, 0, 2 * SEGMENT, times + 2, 2);
	put_features(&f, false);
	put_auxtrace(&wanted, 0, 7, 0, SEGMENT, times + 1, 1);
	put_auxtrace(&wanted, 0, 7, 0, 2 * SEGMENT, times + 2, 1);
	put_features(&wanted, false);
	assert_slice(200, 400);
}

/* Buffers of threads are told apart by the thread. */
TEST(buffers_of_threads)
{
	both_begin(false);
	put_auxtrace(&f, 0, 7, UINT32_MAX, 0, times, 4);
	put_auxtrace(&f, 0, 8, UINT32_MAX, 0, (const uint64_t[]){ 900, 1000, 1100 }, 3);
	put_features(&f, false);
	/* The first buffer is before the window: its last segment may go on into it. */
	put_auxtrace(&wanted, 0, 7, UINT32_MAX, 3 * SEGMENT, times + 3, 1);
	put_auxtrace(&wanted, 0, 8, UINT32_MAX, SEGMENT, (const uint64_t[]){ 1000 }, 1);
	put_features(&wanted, false);
	assert_slice(1000, 1100);
}

/* A file that was not finished has no features, and gets none. */
TEST(without_features)
{
	both_begin(false);
	put_auxtrace(&f, 0, 7, 0, 0, times, 4);
	patch64(&f, 72, 1 << 3);
	put_auxtrace(&wanted, 0, 7, 0, SEGMENT, times + 1, 1);
	file_end(&wanted);
	assert_slice(200, 300);
}

/* A pipe has its header alone in front. */
TEST(a_pipe)
{
	f.big = wanted.big = false;
	for (int i = 0; i < 2; i++) {
		struct file *to = i ? &wanted : &f;

		to->size = 0;
		put_bytes(to, "PERFILE2", 8);
		put64(to, 16);
		put_header(to, TL_PERF_HEADER_ATTR, 0, 8 + 64 + 8);
		put_attr(to, 8, COMMON_TYPE, 1 << 18);
		put64(to, 77);
		put_info(to, false);
	}
	put_auxtrace(&f, 0, 7, 0, 0, times, 4);
	put_auxtrace(&wanted, 0, 7, 0, SEGMENT, times + 1, 1);
	assert_slice(200, 300);
}

/* Snapshots are not cut. */
TEST(snapshots)
{
	struct tl_output *out;

	file_begin(&f, COMMON_TYPE);
	put_info(&f, true);
	put_auxtrace(&f, 0, 7, 0, 0, times, 4);
	file_end(&f);
	trace_open();
	assert_int_equal(tl_output_open_memory(&out, &f.err), 0);
	assert_int_equal(tl_perf_slice(trace, 200, 300, out, &f.err), TL_UNSUPPORTED);
	tl_output_discard(out);
	tl_perf_trace_close(trace);
	tl_source_close(f.source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window),         cmocka_unit_test(an_open_window),
		cmocka_unit_test(several_records),  cmocka_unit_test(buffers_of_threads),
		cmocka_unit_test(without_features), cmocka_unit_test(a_pipe),
		cmocka_unit_test(snapshots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
