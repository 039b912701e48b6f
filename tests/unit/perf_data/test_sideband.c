/* SPDX-License-Identifier: Apache-2.0 */
/* Sideband of a raw trace: streams of kernel records, merged by time, and their text. */
#include "sideband.h"

#include "core/output.h"
#include "perf_data/listing/sideband_text.h"

/* Each stream has its clock: times of 2 nanoseconds a tick are half as many ticks. */
TEST(merged_by_time)
{
	put_start(&first, 1, 10);
	put_start(&first, 2, 30);
	put_start(&second, 3, 40);
	put_start(&second, 4, 62);
	add(&first, "first", 1);
	add(&second, "second", 2);
	assert_int_equal(next_until(9), 0);
	assert_next(10, "first", 1);
	assert_int_equal(next_until(19), 0);
	assert_next(100, "second", 3);
	assert_next(100, "first", 2);
	assert_int_equal(next_until(30), 0);
	assert_next(31, "second", 4);
	assert_int_equal(next_until(UINT64_MAX), 0);
}

/* Records of one stream stay in their order, whatever their times; so do equal times. */
TEST(the_order_of_a_stream)
{
	put_start(&first, 1, 50);
	put_start(&first, 2, 10);
	put_start(&second, 3, 50);
	add(&first, "first", 1);
	add(&second, "second", 1);
	assert_int_equal(next_until(49), 0);
	assert_next(50, "first", 1);
	assert_next(50, "first", 2);
	assert_next(50, "second", 3);
}

TEST(too_many_streams)
{
	for (int i = 0; i < 16; i++)
		add(&first, "first", 1);
	assert_int_equal(tl_perf_sideband_add(
				 sideband, &(struct tl_perf_sideband_stream){ .name = "" }, &err),
			 TL_TOO_LARGE);
}

/* ---- text ---- */

static const struct {
	uint32_t type;
	uint16_t misc;
	uint64_t words[5];
	size_t count;
	const char *line, *fields;
} rows[] = {
	{ TL_PERF_MMAP,
	  2,
	  { 0x200000001, 0x1000, 0x20, 0x30, 0x612f },
	  5,
	  "PERF_RECORD_MMAP 1/2, 1000, 20, 30, /a  { 11/22 5 }\n",
	  "PERF_RECORD_MMAP\n pid: 1\n tid: 2\n addr: 1000\n len: 20\n pgoff: 30\n filename: /a\n"
	  " pid: 11\n tid: 22\n time: 5\n" },
	{ TL_PERF_LOST,
	  0,
	  { 0x1a, 3 },
	  2,
	  "PERF_RECORD_LOST 1a, 3  { 11/22 5 }\n",
	  "PERF_RECORD_LOST\n id: 1a\n lost: 3\n pid: 11\n tid: 22\n time: 5\n" },
	{ TL_PERF_COMM,
	  1 << 13,
	  { 0x200000001, 0x62 },
	  2,
	  "PERF_RECORD_COMM.EXEC 1/2, b  { 11/22 5 }\n",
	  "PERF_RECORD_COMM.EXEC\n pid: 1\n tid: 2\n comm: b\n pid: 11\n tid: 22\n time: 5\n" },
	{ TL_PERF_COMM,
	  0,
	  { 0x200000001, 0x62 },
	  2,
	  "PERF_RECORD_COMM 1/2, b  { 11/22 5 }\n",
	  "PERF_RECORD_COMM\n pid: 1\n tid: 2\n comm: b\n pid: 11\n tid: 22\n time: 5\n" },
	{ TL_PERF_FORK,
	  0,
	  { 0x200000001, 0x400000003, 7 },
	  3,
	  "PERF_RECORD_FORK 1/3, 2/4, 7  { 11/22 5 }\n",
	  "PERF_RECORD_FORK\n pid: 1\n ppid: 2\n tid: 3\n ptid: 4\n time: 7\n pid: 11\n tid: 22\n"
	  " time: 5\n" },
	{ TL_PERF_EXIT,
	  0,
	  { 0x200000001, 0x400000003, 7 },
	  3,
	  "PERF_RECORD_EXIT 1/3, 2/4, 7  { 11/22 5 }\n",
	  "PERF_RECORD_EXIT\n pid: 1\n ppid: 2\n tid: 3\n ptid: 4\n time: 7\n pid: 11\n tid: 22\n"
	  " time: 5\n" },
	{ TL_PERF_AUX,
	  0,
	  { 0x10, 0x20, 1 },
	  3,
	  "PERF_RECORD_AUX.TRUNCATED 10, 20, 1  { 11/22 5 }\n",
	  "PERF_RECORD_AUX.TRUNCATED\n aux offset: 10\n aux size: 20\n flags: 1\n pid: 11\n"
	  " tid: 22\n time: 5\n" },
	{ TL_PERF_AUX,
	  0,
	  { 0x10, 0x20, 2 },
	  3,
	  "PERF_RECORD_AUX 10, 20, 2  { 11/22 5 }\n",
	  "PERF_RECORD_AUX\n aux offset: 10\n aux size: 20\n flags: 2\n pid: 11\n tid: 22\n"
	  " time: 5\n" },
	{ TL_PERF_ITRACE_START,
	  0,
	  { 0x200000001 },
	  1,
	  "PERF_RECORD_ITRACE_START 1/2  { 11/22 5 }\n",
	  "PERF_RECORD_ITRACE_START\n pid: 1\n tid: 2\n pid: 11\n tid: 22\n time: 5\n" },
	{ TL_PERF_LOST_SAMPLES,
	  0,
	  { 6 },
	  1,
	  "PERF_RECORD_LOST_SAMPLES 6  { 11/22 5 }\n",
	  "PERF_RECORD_LOST_SAMPLES\n lost: 6\n pid: 11\n tid: 22\n time: 5\n" },
	{ TL_PERF_SWITCH,
	  0,
	  { 0 },
	  0,
	  "PERF_RECORD_SWITCH.IN  { 11/22 5 }\n",
	  "PERF_RECORD_SWITCH.IN\n pid: 11\n tid: 22\n time: 5\n" },
	{ TL_PERF_SWITCH,
	  1 << 13,
	  { 0 },
	  0,
	  "PERF_RECORD_SWITCH.OUT  { 11/22 5 }\n",
	  "PERF_RECORD_SWITCH.OUT\n pid: 11\n tid: 22\n time: 5\n" },
	{ TL_PERF_SWITCH_CPU_WIDE,
	  1 << 13,
	  { 0x200000001 },
	  1,
	  "PERF_RECORD_SWITCH_CPU_WIDE.OUT 1/2  { 11/22 5 }\n",
	  "PERF_RECORD_SWITCH_CPU_WIDE.OUT\n next pid: 1\n next tid: 2\n pid: 11\n tid: 22\n"
	  " time: 5\n" },
	{ TL_PERF_SWITCH_CPU_WIDE,
	  0,
	  { 0x200000001 },
	  1,
	  "PERF_RECORD_SWITCH_CPU_WIDE.IN 1/2  { 11/22 5 }\n",
	  "PERF_RECORD_SWITCH_CPU_WIDE.IN\n prev pid: 1\n prev tid: 2\n pid: 11\n tid: 22\n"
	  " time: 5\n" },
	{ 99, 0, { 0 }, 0, "PERF_RECORD_63  { }\n", "PERF_RECORD_63\n" },
};

static void assert_text_of(bool verbose, const char *wanted)
{
	struct tl_output *out;
	const char *text;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, &err), 0);
	tl_perf_put_record_name(out, &rec);
	tl_perf_put_record(out, &rec, verbose);
	text = tl_output_bytes(out, &size);
	if (size != strlen(wanted) || memcmp(text, wanted, size))
		fail_msg("%.*s", (int)size, text);
	tl_output_discard(out);
}

/* "numbers are hexadecimal": on a line, and a line for each field. */
TEST(records_as_text)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		put_record(&first, rows[i].type, rows[i].misc, rows[i].words, rows[i].count, 5);
	add(&first, "first", 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(next_until(UINT64_MAX), 1);
		assert_text_of(false, rows[i].line);
		assert_text_of(true, rows[i].fields);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(merged_by_time),
		CASE(the_order_of_a_stream),
		CASE(too_many_streams),
		CASE(records_as_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
