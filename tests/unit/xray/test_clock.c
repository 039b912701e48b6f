/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One clock for several logs: where TSC 0 was by the wall clocks of logs written by hand. Of a GHz,
 * so that a tick is a ns, unless the test says otherwise.
 */
#include "bytes.h"

#include "xray/listing/clock.h"

enum { LOGS = 2 };

/* A buffer: the wall clock, by which its first record came, and that record's TSC. */
struct buffer {
	double seconds;
	uint64_t tsc;
};

struct log {
	uint64_t frequency; /* 0: a GHz */
	struct buffer buffers[2];
	size_t count;
};

#define GHZ UINT64_C(1000000000)
#define EPOCH 1700000000 /* November 2023 */

static struct tl_xray_clock clocks[LOGS];
static uint64_t frequency;
static size_t which;
static struct tl_error err;

static void put_log(struct bytes *b, const struct log *log)
{
	put_header(b, 3, FDR, log->frequency ? log->frequency : GHZ, 4096);
	for (size_t i = 0; i < log->count; i++) {
		const struct buffer *buffer = &log->buffers[i];
		const uint64_t seconds = (uint64_t)buffer->seconds;
		const size_t start = b->size;

		put_extents(b, 0);
		put_new_buffer(b, 1);
		if (seconds)
			put_wall_clock(b, seconds,
				       (uint32_t)((buffer->seconds - (double)seconds) * 1e6 + 0.5));
		put_pid(b, 1);
		put_new_cpu(b, 1, buffer->tsc);
		put_function(b, ENTER, 1, 0);
		put_function(b, EXIT, 1, 50);
		end_block(b, start);
	}
}

static int find_clocks(const struct log *logs)
{
	struct tl_xray_reader *readers[LOGS];
	struct bytes bytes[LOGS] = { { .data = NULL } };
	struct trace traces[LOGS];
	int status;

	for (size_t i = 0; i < LOGS; i++) {
		put_log(&bytes[i], &logs[i]);
		open_trace(&traces[i], &bytes[i], NULL);
		readers[i] = traces[i].reader;
	}
	status = tl_xray_common_clock(readers, LOGS, clocks, &frequency, &which, &err);
	for (size_t i = 0; i < LOGS; i++) {
		close_trace(&traces[i]);
		free_bytes(&bytes[i]);
	}
	return status;
}

/* The first TSC of a log is `ticks` of the common clock, and each further tick `rate`. */
static void expect_clock(size_t number, uint64_t first, uint64_t ticks, uint64_t rate)
{
	assert_int_equal(tl_xray_clock_ticks(&clocks[number], first), ticks);
	assert_int_equal(tl_xray_clock_ticks(&clocks[number], first + 1000), ticks + 1000 * rate);
}

/* The second log begins 10 s later, and its TSC is 10 s further. */
TEST(logs_of_one_machine_keep_their_ticks)
{
	static const struct log logs[LOGS] = {
		{ 0, { { EPOCH, 5 * GHZ } }, 1 },
		{ 0, { { EPOCH + 10, 15 * GHZ } }, 1 },
	};

	assert_int_equal(find_clocks(logs), 0);
	assert_int_equal(frequency, GHZ);
	expect_clock(0, 5 * GHZ, 5 * GHZ, 1);
	expect_clock(1, 15 * GHZ, 15 * GHZ, 1);
}

/* "within 10 ms, and 100 us for each second between the logs": 11 ms here, of which both sides. */
TEST(clocks_are_the_same_within_what_they_are_off)
{
	static const struct {
		double later;
		uint64_t ticks;
	} rows[] = {
		{ 0.0105, 15 * GHZ },
		{ -0.0105, 15 * GHZ },
		{ 0.012, 15 * GHZ + 12000000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct log logs[LOGS] = {
			{ 0, { { EPOCH, 5 * GHZ } }, 1 },
			{ 0, { { EPOCH + 10 + rows[i].later, 15 * GHZ } }, 1 },
		};

		assert_int_equal(find_clocks(logs), 0);
		expect_clock(0, 5 * GHZ, 5 * GHZ, 1);
		expect_clock(1, 15 * GHZ, rows[i].ticks, 1);
	}
}

/*
 * TSC 0 was at EPOCH - 5 and at EPOCH + 8: the log whose TSC 0 is the earliest keeps its ticks, in
 * which the other one began at 15 s; its own may be of another length.
 */
TEST(logs_of_two_machines_are_moved)
{
	for (size_t first = 0; first < 2; first++)
		for (uint64_t rate = 1; rate <= 2; rate++) {
			struct log logs[LOGS];

			logs[first] = (struct log){ 0, { { EPOCH, 5 * GHZ } }, 1 };
			logs[!first] =
				(struct log){ GHZ / rate, { { EPOCH + 10, 2 * GHZ / rate } }, 1 };
			assert_int_equal(find_clocks(logs), 0);
			assert_int_equal(frequency, GHZ);
			expect_clock(first, 5 * GHZ, 5 * GHZ, 1);
			expect_clock(!first, 2 * GHZ / rate, 15 * GHZ, rate);
		}
}

/*
 * "The runtime reads the wall clock first and the TSC a little later": half a second in the first
 * buffer here, by which TSC 0 seems to be earlier than the second one says.
 */
TEST(the_latest_answer_of_all_buffers_counts)
{
	static const struct log logs[LOGS] = {
		{ 0, { { EPOCH, 11 * GHZ / 2 }, { EPOCH + 1, 6 * GHZ } }, 2 },
		{ 0, { { EPOCH + 10, 2 * GHZ } }, 1 },
	};

	assert_int_equal(find_clocks(logs), 0);
	expect_clock(1, 2 * GHZ, 15 * GHZ, 1);
}

static void expect_refused(const struct log *logs, size_t number, uint64_t offset,
			   const char *words)
{
	assert_int_equal(find_clocks(logs), TL_UNSUPPORTED);
	assert_int_equal(which, number);
	assert_int_equal(err.offset, offset);
	assert_non_null(strstr(err.text, words));
}

TEST(logs_without_a_wall_clock_are_refused)
{
	static const struct log logs[LOGS] = {
		{ 0, { { EPOCH, 5 * GHZ } }, 1 },
		{ 0, { { 0, 5 * GHZ } }, 1 },
	};

	expect_refused(logs, 1, TL_NOWHERE, "no wall clock");
}

/* LLVM's runtime: the wall clock counts from the machine's start, which others do not share. */
TEST(clocks_that_begin_with_a_machine)
{
	static const struct log one_machine[LOGS] = {
		{ 0, { { 100, 5 * GHZ } }, 1 },
		{ 0, { { 110, 15 * GHZ } }, 1 },
	}, second_is[LOGS] = {
		{ 0, { { EPOCH, 5 * GHZ } }, 1 },
		{ 0, { { 100, 5 * GHZ } }, 1 },
	}, first_is[LOGS] = {
		{ 0, { { 100, 5 * GHZ } }, 1 },
		{ 0, { { EPOCH, 5 * GHZ } }, 1 },
	};

	assert_int_equal(find_clocks(one_machine), 0);
	expect_clock(0, 5 * GHZ, 5 * GHZ, 1);
	expect_clock(1, 15 * GHZ, 15 * GHZ, 1);
	expect_refused(second_is, 1, TL_NOWHERE, "start of a machine");
	expect_refused(first_is, 0, TL_NOWHERE, "start of a machine");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logs_of_one_machine_keep_their_ticks),
		cmocka_unit_test(clocks_are_the_same_within_what_they_are_off),
		cmocka_unit_test(logs_of_two_machines_are_moved),
		cmocka_unit_test(the_latest_answer_of_all_buffers_counts),
		cmocka_unit_test(logs_without_a_wall_clock_are_refused),
		cmocka_unit_test(clocks_that_begin_with_a_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
