/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of `check`, each broken once at a known byte; and traces that break none. The grammar
 * is that of docs/formats/xray.md, 1.6 and 2.5.
 */
#include "bytes.h"

struct broken {
	const char *rule;
	uint64_t offset, record;
	uint32_t function;
	int32_t thread;
};

struct found {
	struct tl_xray_violation list[64];
	size_t count, stop_after;
};

static int note(void *arg, const struct tl_xray_violation *v)
{
	struct found *found = arg;

	assert_true(found->count < 64);
	found->list[found->count++] = *v;
	return found->stop_after && found->count == found->stop_after;
}

static int64_t check(const struct bytes *b, struct found *found)
{
	struct trace t;
	int64_t result;

	open_trace(&t, b, NULL);
	result = tl_xray_check(t.reader, note, found, &t.err);
	/* The reader can be asked again, and the answer does not change. */
	assert_int_equal(tl_xray_check(t.reader, NULL, NULL, &t.err),
			 found->stop_after ? result + 1 : result);
	close_trace(&t);
	return result;
}

static void assert_broken(const struct bytes *b, const struct broken *want, size_t count)
{
	struct found found = { .count = 0 };

	assert_int_equal(check(b, &found), count);
	assert_int_equal(found.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(found.list[i].rule, want[i].rule);
		assert_int_equal(found.list[i].offset, want[i].offset);
		assert_int_equal(found.list[i].record, want[i].record);
		assert_int_equal(found.list[i].function, want[i].function);
		assert_int_equal(found.list[i].thread, want[i].thread);
		assert_non_null(found.list[i].text);
	}
}

static void assert_one(struct bytes *b, struct broken want)
{
	assert_broken(b, &want, 1);
	free_bytes(b);
}

/* ---- good traces ---- */

TEST(a_good_trace_breaks_no_rule)
{
	for (unsigned version = 1; version <= 5; version++) {
		struct bytes b = { .big = version == 3, .high = version == 3 };
		size_t start;

		put_header(&b, version, FDR, 1000, 0);
		start = begin_block(&b, 1, 2, 100);
		put_function(&b, ENTER_ARGS, 1, 0);
		put_argument(&b, 5);
		put_argument(&b, 6);
		put_function(&b, ENTER, 2, 1);
		put_custom(&b, version == 5 ? 1 : 102, 1, "x", 1);
		put_typed(&b, 1, 1, "y", 1);
		put_function(&b, TAIL_EXIT, 2, 5);
		put_new_cpu(&b, 2, 200);
		put_tsc_wrap(&b, 300);
		end_block(&b, start);
		/* A second block of the thread, where the call ends. */
		start = begin_block(&b, 1, 2, 400);
		put_function(&b, EXIT, 1, 0);
		end_block(&b, start);
		set_number(&b, 16, 0, 8);
		assert_broken(&b, NULL, 0);
		free_bytes(&b);
	}
}

TEST(a_good_basic_trace_breaks_no_rule)
{
	struct bytes b = { 0 };

	put_header(&b, 3, BASIC, 1000, 0);
	put_basic(&b, 1, ENTER_ARGS, 1, 100, 2, 3);
	put_basic_argument(&b, 1, 2, 3, 9);
	put_basic(&b, 1, EXIT, 1, 100, 2, 3);
	assert_broken(&b, NULL, 0);
	free_bytes(&b);
}

/* ---- the grammar of a buffer ---- */

/* A version 5 trace up to its first block's extents, at 32; the rest is each test's own. */
static void begin(struct bytes *b)
{
	put_header(b, 5, FDR, 1000, 16384);
	put_extents(b, 0);
}

static void end(struct bytes *b)
{
	set_number(b, 33, b->size - 48, 8);
}

/* "NewBuffer -> WallClock" */
TEST(wall_clock_follows_new_buffer)
{
	struct bytes b = { 0 };

	begin(&b);
	put_new_buffer(&b, 2);
	put_new_cpu(&b, 1, 100);
	put_function(&b, ENTER, 1, 0);
	end(&b);
	assert_one(&b, (struct broken){ "xray.grammar.wall-clock", 64, 2, TL_NONE, 2 });
}

/* "WallClock -> Pid, NewCPU": a Pid behind NewCPUId; a second WallClock; a second Pid */
TEST(records_of_the_head_stand_in_the_head)
{
	struct bytes b = { 0 };

	begin(&b);
	put_new_buffer(&b, 2);
	put_wall_clock(&b, 1, 1);
	put_new_cpu(&b, 1, 100);
	put_pid(&b, 0);
	put_function(&b, ENTER, 1, 0);
	end(&b);
	assert_one(&b, (struct broken){ "xray.grammar.head", 96, 4, TL_NONE, 2 });
	begin(&b);
	put_new_buffer(&b, 2);
	put_wall_clock(&b, 1, 1);
	put_wall_clock(&b, 1, 1);
	put_new_cpu(&b, 1, 100);
	put_function(&b, ENTER, 1, 0);
	end(&b);
	assert_one(&b, (struct broken){ "xray.grammar.head", 80, 3, TL_NONE, 2 });
	begin(&b);
	put_new_buffer(&b, 2);
	put_wall_clock(&b, 1, 1);
	put_pid(&b, 3);
	put_pid(&b, 3);
	put_new_cpu(&b, 1, 100);
	end(&b);
	assert_one(&b, (struct broken){ "xray.grammar.head", 96, 4, TL_NONE, 2 });
}

/* "before the first instrumented entry" (1.5): one missing NewCPUId is one violation */
TEST(new_cpu_stands_before_the_body)
{
	struct bytes b = { 0 };

	begin(&b);
	put_new_buffer(&b, 2);
	put_wall_clock(&b, 1, 1);
	put_pid(&b, 3);
	put_function(&b, ENTER, 9, 0);
	put_function(&b, EXIT, 9, 0);
	end(&b);
	assert_one(&b, (struct broken){ "xray.grammar.new-cpu", 96, 4, 9, 2 });
	begin(&b);
	put_new_buffer(&b, 2);
	put_wall_clock(&b, 1, 1);
	put_custom(&b, 0, 0, "", 0);
	end(&b);
	assert_one(&b, (struct broken){ "xray.grammar.new-cpu", 80, 3, TL_NONE, 2 });
}

/* "+ Pid after Wall" is version 3's */
TEST(versions_before_3_have_no_pid)
{
	struct bytes b = { 0 };
	size_t start;

	put_header(&b, 2, FDR, 1000, 16384);
	start = b.size;
	put_extents(&b, 0);
	put_new_buffer(&b, 2);
	put_wall_clock(&b, 1, 1);
	put_pid(&b, 2);
	put_new_cpu(&b, 1, 100);
	end_block(&b, start);
	assert_one(&b, (struct broken){ "xray.grammar.pid", 80, 3, TL_NONE, 2 });
}

/* "Function_Entry_Args CallArgument*" */
TEST(arguments_follow_their_entry)
{
	struct bytes b = { 0 };
	size_t start;

	put_header(&b, 5, FDR, 1000, 16384);
	start = begin_block(&b, 1, 2, 100);
	put_function(&b, ENTER, 1, 0);
	put_argument(&b, 1);
	end_block(&b, start);
	assert_one(&b, (struct broken){ "xray.grammar.call-argument", 32 + 88, 6, TL_NONE, 2 });
	put_header(&b, 5, FDR, 1000, 16384);
	start = begin_block(&b, 1, 2, 100);
	put_function(&b, ENTER_ARGS, 1, 0);
	put_argument(&b, 1);
	put_tsc_wrap(&b, 100);
	put_argument(&b, 1);
	end_block(&b, start);
	assert_one(&b, (struct broken){ "xray.grammar.call-argument", 32 + 120, 8, TL_NONE, 2 });
	/* The same in basic mode. */
	put_header(&b, 3, BASIC, 0, 0);
	put_basic(&b, 1, ENTER, 1, 100, 2, 3);
	put_basic_argument(&b, 1, 2, 3, 5);
	assert_one(&b, (struct broken){ "xray.grammar.call-argument", 64, 1, TL_NONE, 2 });
}

/* "End := EndOfBuffer RemainingBufferSizeToSkip" */
TEST(version_1_ends_with_end_of_buffer)
{
	struct bytes b = { 0 };

	put_header(&b, 1, FDR, 1000, 0);
	begin_block(&b, 0, 2, 100);
	put_function(&b, ENTER, 1, 0);
	assert_one(&b, (struct broken){ "xray.grammar.end-of-buffer", 32 + 56, 4, TL_NONE, 2 });
}

/* "Ending at Extents/NewBuffer/WallClock/Pid is "Invalid terminal condition"" */
TEST(a_buffer_has_a_body)
{
	for (unsigned records = 1; records <= 3; records++) {
		struct bytes b = { 0 };

		begin(&b);
		put_new_buffer(&b, 2);
		if (records > 1)
			put_wall_clock(&b, 1, 1);
		if (records > 2)
			put_pid(&b, 1);
		end(&b);
		assert_one(&b, (struct broken){ "xray.grammar.terminal", 48 + 16 * records,
						1 + records, TL_NONE, 2 });
	}
}

/*
 * "Extents -> NewBuffer": a buffer whose extents are damaged begins with NewBuffer, and the damage
 * is told, too.
 */
TEST(a_buffer_begins_with_its_extents)
{
	static const struct broken want[] = {
		{ "xray.damage", 32, TL_NOWHERE, TL_NONE, 0 },
		{ "xray.grammar.buffer-extents", 48, 0, TL_NONE, 2 },
	};
	struct bytes b = { 0 };
	size_t start;

	put_header(&b, 5, FDR, 1000, 16384);
	start = begin_block(&b, 1, 2, 100);
	put_function(&b, ENTER, 1, 0);
	end_block(&b, start);
	b.data[32] = 0x55;
	assert_broken(&b, want, 2);
	free_bytes(&b);
}

/* ---- the order of function records ---- */

static size_t begin_order(struct bytes *b)
{
	put_header(b, 5, FDR, 1000, 16384);
	return begin_block(b, 1, 2, 100);
}

/* "An exit is expected to have a matching Entry or Entry_Args before it." */
TEST(an_exit_has_an_entry)
{
	struct bytes b = { 0 };
	size_t start = begin_order(&b);

	put_function(&b, ENTER, 1, 0);
	put_function(&b, EXIT, 1, 1);
	put_function(&b, EXIT, 1, 1);
	end_block(&b, start);
	assert_one(&b, (struct broken){ "xray.order.exit-without-entry", 112 + 16, 7, 1, 2 });
	start = begin_order(&b);
	put_function(&b, TAIL_EXIT, 7, 1);
	end_block(&b, start);
	assert_one(&b, (struct broken){ "xray.order.exit-without-entry", 112, 5, 7, 2 });
}

/* Entries of one thread do not match exits of another. */
TEST(threads_are_checked_apart)
{
	struct bytes b = { 0 };
	size_t start = begin_order(&b);

	put_function(&b, ENTER, 1, 0);
	end_block(&b, start);
	start = begin_block(&b, 1, 3, 200);
	put_function(&b, EXIT, 1, 0);
	end_block(&b, start);
	assert_one(&b, (struct broken){ "xray.order.exit-without-entry", 32 + 88 + 80, 5, 1, 3 });
}

TEST(an_exit_is_of_the_innermost)
{
	struct bytes b = { 0 };
	size_t start = begin_order(&b);

	put_function(&b, ENTER, 1, 0);
	put_function(&b, ENTER, 2, 1);
	put_function(&b, ENTER, 3, 1);
	put_function(&b, EXIT, 1, 1);
	end_block(&b, start);
	assert_one(&b, (struct broken){ "xray.order.exit-not-innermost", 112 + 24, 8, 1, 2 });
}

TEST(time_does_not_go_back)
{
	struct bytes b = { 0 };
	size_t start = begin_order(&b);

	put_function(&b, ENTER, 1, 50);
	put_tsc_wrap(&b, 149);
	put_function(&b, EXIT, 1, 0);
	end_block(&b, start);
	assert_one(&b, (struct broken){ "xray.time.backwards", 112 + 24, 7, 1, 2 });
	/* A wrapped ring is no step back: blocks are taken in the order of time. */
	start = begin_order(&b);
	put_function(&b, ENTER, 1, 1000);
	end_block(&b, start);
	start = begin_block(&b, 1, 2, 50);
	put_function(&b, ENTER, 2, 0);
	end_block(&b, start);
	assert_broken(&b, NULL, 0);
	free_bytes(&b);
}

/* ---- damage ---- */

TEST(damage_is_a_violation)
{
	static const struct broken want[] = {
		{ "xray.damage", 32 + 96, TL_NOWHERE, TL_NONE, 0 }, /* junk between buffers */
		/* a record of unknown action */
		{ "xray.damage", 32 + 88, 6, TL_NONE, 2 },
	};
	struct bytes b = { 0 };
	size_t start = begin_order(&b);

	put_function(&b, ENTER, 1, 0);
	put_function(&b, 5, 1, 0);
	end_block(&b, start);
	put_repeat(&b, 0x77, 9);
	start = begin_block(&b, 1, 2, 200);
	put_function(&b, EXIT, 1, 0);
	end_block(&b, start);
	assert_broken(&b, want, 2);
	free_bytes(&b);
}

/* "@return 0 to go on, anything else to stop" */
TEST(a_check_can_be_stopped)
{
	struct found found = { .stop_after = 2 };
	struct bytes b = { 0 };
	size_t start = begin_order(&b);

	for (int i = 0; i < 3; i++)
		put_function(&b, EXIT, 1, 1);
	end_block(&b, start);
	assert_int_equal(check(&b, &found), 2);
	assert_int_equal(found.count, 2);
	free_bytes(&b);
}

/* Profiling mode: ticks are signed, and a path has those of the paths below it (2.9). */
TEST(paths_without_a_known_time)
{
	static const int32_t one[] = { 1, 0 }, two[] = { 2, 1, 0 }, three[] = { 3, 2, 1, 0 };
	struct bytes b = { 0 };
	size_t start;

	put_profiling_header(&b, 0, 1);
	start = begin_samples(&b, 0, 12);
	put_sample(&b, one, 1, 10);         /* 48 */
	put_sample(&b, two, 1, UINT64_MAX); /* 72 */
	put_sample(&b, three, 1, 20);       /* 100 */
	end_samples(&b, start);
	assert_broken(
		&b,
		(const struct broken[]){ { "xray.time.unknown", 48, TL_NOWHERE, TL_NONE, 12 },
					 { "xray.time.unknown", 72, TL_NOWHERE, TL_NONE, 12 } },
		2);
	free_bytes(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_without_a_known_time),
		cmocka_unit_test(a_good_trace_breaks_no_rule),
		cmocka_unit_test(a_good_basic_trace_breaks_no_rule),
		cmocka_unit_test(wall_clock_follows_new_buffer),
		cmocka_unit_test(records_of_the_head_stand_in_the_head),
		cmocka_unit_test(new_cpu_stands_before_the_body),
		cmocka_unit_test(versions_before_3_have_no_pid),
		cmocka_unit_test(arguments_follow_their_entry),
		cmocka_unit_test(version_1_ends_with_end_of_buffer),
		cmocka_unit_test(a_buffer_has_a_body),
		cmocka_unit_test(a_buffer_begins_with_its_extents),
		cmocka_unit_test(an_exit_has_an_entry),
		cmocka_unit_test(threads_are_checked_apart),
		cmocka_unit_test(an_exit_is_of_the_innermost),
		cmocka_unit_test(time_does_not_go_back),
		cmocka_unit_test(damage_is_a_violation),
		cmocka_unit_test(a_check_can_be_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
