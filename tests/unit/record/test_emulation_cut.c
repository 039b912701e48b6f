/* SPDX-License-Identifier: Apache-2.0 */
/* The same of emulations that were killed, or had no room for all that they did. */
#include "emulated.h"

#include <errno.h>

/* ---- packets that were cut ---- */

/* The packets of a thread's file; `size` of them. */
static void expect_packets(const struct tl_emulation_thread *thread, const void *packets,
			   const void *expected, size_t size)
{
	const struct folder folder = simple();
	struct perf_record record;
	struct perf_file file;
	struct recording r;

	recording_open(&r);
	write_events(&r, &folder);
	write_thread(&r, "thread.7.7.0", thread, packets, 16);
	assert_int_equal(finish(&r), 0);
	file = open_perf(&r);
	record = find_record(&file, AUX, 0);
	assert_int_equal(field(&record, 8, 8), size);
	record = find_record(&file, AUXTRACE, 0);
	assert_int_equal(field(&record, 0, 8), (size + 7) / 8 * 8);
	assert_memory_equal(record.packets, expected, size);
	free(file.bytes);
	recording_close(&r);
}

/* Outcomes that wait are a long TNT packet: 02 a3, and six bytes with the stop bit on top. */
TEST(outcomes_that_were_not_written_are_a_packet_behind_the_others)
{
	struct tl_emulation_thread thread = thread_of(2);

	thread.ended = 0;
	thread.outcomes = 0x5; /* taken is 1: not taken, taken behind the stop bit */
	expect_packets(&thread, "\x04\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
		       "\x04\x06\x02\xa3\x05\0\0\0\0\0", 10);
	thread.outcomes = UINT64_C(0xffffffffffff);
	expect_packets(&thread, "\x04\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
		       "\x04\x06\x02\xa3\xff\xff\xff\xff\xff\xff", 10);
	/* none wait; more than a packet has */
	thread.outcomes = 1;
	expect_packets(&thread, "\x04\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "\x04\x06", 2);
	thread.outcomes = UINT64_C(1) << 48;
	expect_packets(&thread, "\x04\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "\x04\x06", 2);
	/* a thread that ended has written them */
	thread.outcomes = 5;
	thread.ended = 1;
	expect_packets(&thread, "\x04\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "\x04\x06", 2);
}

TEST(a_packet_that_was_written_and_not_counted_counts)
{
	struct tl_emulation_thread thread = thread_of(1);

	thread.ended = 0;
	/* a long one, a short one, none (PAD), another packet (02 82: PSB), a TIP (odd) */
	expect_packets(&thread, "\x04\x02\xa3\x05\0\0\0\0\0\0\0\0\0\0\0\0",
		       "\x04\x02\xa3\x05\0\0\0\0\0", 9);
	expect_packets(&thread, "\x04\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "\x04\x06", 2);
	expect_packets(&thread, "\x04\0\x06\0\0\0\0\0\0\0\0\0\0\0\0\0", "\x04", 1);
	expect_packets(&thread, "\x04\x02\x82\x02\x82\0\0\0\0\0\0\0\0\0\0\0", "\x04", 1);
	expect_packets(&thread, "\x04\x4d\x06\0\0\0\0\0\0\0\0\0\0\0\0\0", "\x04", 1);
	/* Outcomes that wait have not been written: what is there is old. */
	thread.outcomes = 2;
	expect_packets(&thread, "\x04\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
		       "\x04\x02\xa3\x02\0\0\0\0\0", 9);
	thread.outcomes = 1;
	thread.ended = 1;
	expect_packets(&thread, "\x04\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "\x04", 1);
}

TEST(a_full_disk_ends_the_packets_where_it_says)
{
	struct tl_emulation_thread thread = thread_of(16);
	const struct folder folder = simple();
	struct recording r;

	thread.lost_errno = ENOSPC;
	thread.lost_offset = TL_EMULATION_PAGE + 3;
	thread.ended = 0;
	thread.outcomes = 5;
	expect_packets(&thread, "\x04\x06\x08\x06\0\0\0\0\0\0\0\0\0\0\0\0", "\x04\x06\x08", 3);
	recording_open(&r);
	write_events(&r, &folder);
	write_thread(&r, "thread.7.7.0", &thread, "", 0);
	assert_int_equal(finish(&r), 0);
	assert_true(r.result.incomplete);
	assert_non_null(strstr(r.told.lines, "thread 7: the recording could not be written to its "
					     "end: No space left on device\n"));
	recording_close(&r);
}

TEST(events_that_were_lost_and_jumps_that_are_not_explained_are_told)
{
	struct tl_emulation_thread thread = thread_of(0);
	const struct folder folder = simple();
	struct recording r;

	thread.event_errno = EIO;
	thread.unexplained = 12;
	recording_open(&r);
	write_events(&r, &folder);
	write_thread(&r, "thread.7.7.0", &thread, "", 0);
	assert_int_equal(finish(&r), 0);
	assert_true(r.result.incomplete);
	assert_non_null(strstr(r.told.lines, "to its end: Input/output error\n"));
	assert_non_null(strstr(r.told.lines, "thread 7: 12 jumps that no instruction explains are "
					     "recorded as interrupts\n"));
	recording_close(&r);
}

/* An end that no file can have is that of the file. */
TEST(a_file_of_a_thread_that_is_none_has_no_packets)
{
	struct tl_emulation_thread thread = thread_of(100000);
	struct folder folder = simple();
	struct perf_record record;
	struct perf_file file;
	struct recording r;

	put(&folder, TL_EMULATION_THREAD, 51, 7, 8, "thread.7.8.0");
	put(&folder, TL_EMULATION_THREAD, 52, 7, 9, "thread.7.9.0");
	recording_open(&r);
	write_events(&r, &folder);
	thread.magic++;
	write_thread(&r, "thread.7.7.0", &thread, "\x04", 1);
	temp_write(&r.temp, "out.parts/thread.7.8.0", "short", 5);
	assert_int_equal(finish(&r), 0);
	file = open_perf(&r);
	for (unsigned i = 0; i < 3; i++) {
		record = find_record(&file, AUX, i);
		assert_int_equal(field(&record, 8, 8), 0);
	}
	free(file.bytes);
	recording_close(&r);
}

/* ---- events that were cut ---- */

TEST(events_end_where_one_is_none)
{
	const struct tl_emulation_thread thread = thread_of(0);
	static const uint32_t sizes[] = { 0, sizeof(struct tl_emulation_event), 60,
					  sizeof(struct tl_emulation_event) + 4104, 72 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct folder folder = simple();
		const size_t at = folder.size;
		struct perf_file file;
		struct recording r;

		put(&folder, TL_EMULATION_NAME, 70, 7, 7, "cut");
		memcpy(folder.bytes + at, &sizes[i], sizeof(sizes[i]));
		/* the last one is right but for its text, which has no end */
		if (i == 4) {
			folder.size = at + 72;
			memset(folder.bytes + at + sizeof(struct tl_emulation_event), 'x',
			       72 - sizeof(struct tl_emulation_event));
		}
		recording_open(&r);
		write_events(&r, &folder);
		write_thread(&r, "thread.7.7.0", &thread, "", 0);
		assert_int_equal(finish(&r), 0);
		file = open_perf(&r);
		assert_int_equal(count_records(&file, COMM), 1);
		free(file.bytes);
		recording_close(&r);
	}
}

TEST(the_longest_text_is_read_and_a_cut_event_is_not)
{
	const struct tl_emulation_thread thread = thread_of(0);
	struct folder folder = simple();
	char name[TL_EMULATION_TEXT];
	struct perf_file file;
	struct recording r;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	put(&folder, TL_EMULATION_NAME, 70, 7, 7, name);
	put(&folder, TL_EMULATION_NAME, 71, 7, 7, "cut");
	folder.size--;
	recording_open(&r);
	write_events(&r, &folder);
	write_thread(&r, "thread.7.7.0", &thread, "", 0);
	assert_int_equal(finish(&r), 0);
	file = open_perf(&r);
	assert_int_equal(count_records(&file, COMM), 2);
	free(file.bytes);
	recording_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outcomes_that_were_not_written_are_a_packet_behind_the_others),
		cmocka_unit_test(a_packet_that_was_written_and_not_counted_counts),
		cmocka_unit_test(a_full_disk_ends_the_packets_where_it_says),
		cmocka_unit_test(events_that_were_lost_and_jumps_that_are_not_explained_are_told),
		cmocka_unit_test(a_file_of_a_thread_that_is_none_has_no_packets),
		cmocka_unit_test(events_end_where_one_is_none),
		cmocka_unit_test(the_longest_text_is_read_and_a_cut_event_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
