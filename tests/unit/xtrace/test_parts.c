/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a stream that is asked for, as numbers of instructions. "TIME from one to before
 * another. An instruction is as late as its first access, one without accesses as the one before
 * it": the instructions from the first that is late enough to before the first that is too late.
 */
#include <inttypes.h>

#include "bytes.h"

#include "xtrace/parts/stream_part.h"

/* Instruction i has TIME times[i], 0: none. A TIME in front of all is that of no instruction. */
static struct bytes stream_of(const uint64_t *times, size_t count)
{
	struct bytes s = { .data = NULL };

	put_value(&s, TIME, 50);
	for (size_t i = 0; i < count; i++) {
		put_pcinst(&s, 0, 0x1000 + 4 * i, A64_NOP);
		if (times[i])
			put_value(&s, TIME, times[i]);
	}
	return s;
}

TEST(time_to_instructions)
{
	static const uint64_t times[] = { 0, 100, 0, 200, 0, 200, 300, 0 };
	static const struct {
		struct tl_xtrace_part part;
		uint64_t first, end;
	} rows[] = {
		{ { .first_time = 1 }, 1, TL_NOWHERE },
		{ { .first_time = 100 }, 1, TL_NOWHERE },
		{ { .first_time = 101 }, 3, TL_NOWHERE },
		{ { .first_time = 200 }, 3, TL_NOWHERE },
		{ { .first_time = 201 }, 6, TL_NOWHERE },
		{ { .first_time = 300 }, 6, TL_NOWHERE },
		{ { .first_time = 301 }, TL_NOWHERE, TL_NOWHERE },
		{ { .end_time = 100 }, 0, 1 },
		{ { .end_time = 101 }, 0, 3 },
		{ { .end_time = 200 }, 0, 3 },
		{ { .end_time = 201 }, 0, 6 },
		{ { .end_time = 301 }, 0, TL_NOWHERE },
		{ { .first_time = 100, .end_time = 200 }, 1, 3 },
		{ { .first_time = 200, .end_time = 201 }, 3, 6 },
		/* Both are asked for: what is in both. */
		{ { .first = 2, .end = 5, .first_time = 100, .end_time = 300 }, 2, 5 },
		{ { .first = 2, .end = 7, .first_time = 200, .end_time = 300 }, 3, 6 },
		{ { .first = 4, .first_time = 200 }, 4, TL_NOWHERE },
		{ { .end = 2, .end_time = 300 }, 0, 2 },
	};
	struct bytes s = stream_of(times, sizeof(times) / sizeof(times[0]));
	struct trace t;

	open_trace(&t, &s, NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t first, end;

		assert_true(tl_xtrace_part_chosen(&rows[i].part));
		assert_int_equal(tl_xtrace_part_range(t.trace, &t.trace->streams[0], &rows[i].part,
						      &first, &end, &t.err),
				 0);
		if (first != rows[i].first || end != rows[i].end)
			fail_msg("row %zu: from %" PRIu64 " to %" PRIu64, i, first, end);
	}
	close_trace(&t);
	free_bytes(&s);
}

TEST(a_stream_without_time)
{
	const struct tl_xtrace_part parts[] = { { .first_time = 1 }, { .end_time = 1 } };
	const uint64_t none[3] = { 0 };
	struct bytes s = stream_of(none, 3);

	for (size_t i = 0; i < 2; i++) {
		uint64_t first, end;
		struct trace t;

		open_trace(&t, &s, NULL);
		assert_int_equal(tl_xtrace_part_range(t.trace, &t.trace->streams[0], &parts[i],
						      &first, &end, &t.err),
				 TL_BAD_USAGE);
		assert_string_equal(t.err.text, "--time is of TIME tokens, and a stream has none");
		close_trace(&t);
	}
	free_bytes(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_to_instructions),
		cmocka_unit_test(a_stream_without_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
