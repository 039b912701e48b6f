/* SPDX-License-Identifier: Apache-2.0 */
#include "file.h"

#include <stdio.h>

#include "perf_data/listing/describe.h"

static struct file f;

static void put_info(uint64_t pmu, uint64_t snapshot)
{
	put_header(&f, TL_PERF_AUXTRACE_INFO, 0, 8 + 8 + 9 * 8);
	put32(&f, 1);
	put32(&f, 0);
	put64(&f, pmu);
	put_zeros(&f, 7 * 8);
	put64(&f, snapshot);
}

static void put_aux(uint64_t offset, uint64_t size, uint64_t flags)
{
	put_header(&f, TL_PERF_AUX, 0, 8 + 24 + TRAILER);
	put64(&f, offset);
	put64(&f, size);
	put64(&f, flags);
	put_trailer(&f, 1, 1, 1, 0);
}

static void put_auxtrace(uint64_t offset)
{
	put_header(&f, TL_PERF_AUXTRACE, 0, 48);
	put64(&f, 16);
	put64(&f, offset);
	put_zeros(&f, 8 + 16);
	put_zeros(&f, 16);
}

static bool json;

/* The file is checked: these lines come out. */
static void assert_lines(const char *wanted)
{
	struct tl_output *out;
	const char *text;
	size_t size;
	int64_t lines = 0;

	for (const char *p = wanted; *p; p++)
		lines += *p == '\n';
	file_end(&f);
	reader_open(&f, NULL);
	assert_int_equal(tl_output_open_memory(&out, &f.err), 0);
	assert_int_equal(tl_perf_check(f.reader, json, out, &f.err), lines);
	text = tl_output_bytes(out, &size);
	assert_int_equal(size, strlen(wanted));
	assert_memory_equal(text, wanted, size);
	tl_output_discard(out);
	reader_close(&f);
}

TEST(nothing_is_wrong)
{
	file_begin(&f, COMMON_TYPE);
	put_info(8, 0);
	put_aux(0, 12, 0);
	put_aux(12, 16, 0);
	put_auxtrace(0);
	/* The last word of the piece before was filled: this one begins inside it (7). */
	put_auxtrace(12);
	assert_lines("");
}

/* "Where they do not meet, trace is missing" (7); in snapshots there are no offsets */
TEST(a_gap)
{
	for (uint64_t snapshot = 0; snapshot < 2; snapshot++) {
		file_begin(&f, COMMON_TYPE);
		put_info(8, snapshot);
		put_auxtrace(0);
		put_auxtrace(100);
		assert_lines(snapshot ? ""
				      : "aux-gap offset 0x158 record 2: AUX data do not begin "
					"where those before end: trace is missing between them\n");
	}
}

/* DATA_AT is 0xc0; AUXTRACE_INFO has 0x58 bytes. */
TEST(aux_records)
{
	file_begin(&f, COMMON_TYPE);
	put_info(8, 0);
	put_aux(0, 16, TL_PERF_AUX_TRUNCATED);
	put_aux(16, 16, TL_PERF_AUX_PARTIAL);
	put_auxtrace(0);
	assert_lines("aux-truncated offset 0x118 record 1: the AUX buffer was full: trace is "
		     "missing after this\n"
		     "aux-partial offset 0x158 record 2: the trace has gaps inside\n"
		     "aux-missing offset 0x158 record 2: an AUX record announces data that the "
		     "file does not hold\n");
}

TEST(whose_trace)
{
	file_begin(&f, COMMON_TYPE);
	put_auxtrace(0);
	put_info(9, 0);
	assert_lines("auxtrace-info offset 0xc0 record 0: AUX data without an AUXTRACE_INFO record "
		     "before them: their format is unknown\n"
		     "no-event offset 0x100 record 1: AUXTRACE_INFO names a PMU that no event of "
		     "the file has\n");
}

TEST(lost_records)
{
	file_begin(&f, COMMON_TYPE);
	put_header(&f, TL_PERF_LOST, 0, 8 + 16 + TRAILER);
	put64(&f, 77);
	put64(&f, 5);
	put_trailer(&f, 1, 1, 1, 0);
	put_header(&f, 999, 0, 8);
	assert_lines("lost offset 0xc0 record 0: the kernel lost records: processes and maps may "
		     "be wrong from here on\n"
		     "record-unknown offset 0xf8 record 1: a record of a type that is not known; "
		     "skipped\n");
}

/* What the header breaks was found when the file was opened; it comes first. */
TEST(a_damaged_header)
{
	file_begin(&f, COMMON_TYPE);
	patch64(&f, 16, 0);
	put_header(&f, 999, 0, 8);
	assert_lines("attr-size offset 0x18 record 0: the attribute section holds no whole "
		     "attribute; its events are unknown\n"
		     "record-unknown offset 0xc0 record 0: a record of a type that is not known; "
		     "skipped\n");
}

TEST(as_json)
{
	json = true;
	file_begin(&f, COMMON_TYPE);
	put_header(&f, 999, 0, 8);
	assert_lines("{\"rule\":\"record-unknown\",\"offset\":192,\"record\":0,\"text\":\"a record "
		     "of a type that is not known; skipped\"}\n");
	json = false;
}

/* Buffers of processors and of threads each have their own offsets. */
TEST(gaps_of_each_buffer)
{
	file_begin(&f, COMMON_TYPE);
	put_info(8, 0);
	for (uint32_t i = 0; i < 4; i++) {
		/* 0 and 1: threads 5 and 6; 2 and 3: processors 0 and 1, whatever the thread */
		put_header(&f, TL_PERF_AUXTRACE, 0, 48);
		put64(&f, 16);
		put64(&f, i == 3 ? 8 : 0);
		put_zeros(&f, 8 + 4);
		put32(&f, i < 2 ? 5 + i : 5);
		put32(&f, i < 2 ? UINT32_MAX : i - 2);
		put32(&f, 0);
		put_zeros(&f, 16);
	}
	assert_lines("aux-gap offset 0x1d8 record 4: AUX data do not begin where those before end: "
		     "trace is missing between them\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_wrong), cmocka_unit_test(a_gap),
		cmocka_unit_test(aux_records),      cmocka_unit_test(whose_trace),
		cmocka_unit_test(lost_records),     cmocka_unit_test(a_damaged_header),
		cmocka_unit_test(as_json),          cmocka_unit_test(gaps_of_each_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
