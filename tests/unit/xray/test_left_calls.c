/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames that an exception left, in calls one by one and in sums without contexts: the program's
 * code tells which frames cannot have made the next call, as in test_exceptions.c. What the
 * functions call stands in program.h.
 */
#include "bytes.h"

#include <elf.h>

#include <tracelathe/open.h>

#include "../temp_fixture.h"
#include "program.h"
#include "profile/model/unsized.h"

/* Records at 100, 110, 120, ... : positive ids are entered, negative ones exit. */
static void write_thread(const int *events)
{
	struct bytes b = { 0 };
	size_t start;

	put_header(&b, 5, FDR, 1000, 16384);
	start = begin_block(&b, 1, 2, 100);
	for (size_t i = 0; events[i]; i++)
		put_function(&b, events[i] > 0 ? ENTER : EXIT, (uint32_t)abs(events[i]),
			     i ? 10 : 0);
	end_block(&b, start);
	temp_write(&temp, "log", b.data, b.size);
	free_bytes(&b);
	make_fixed_program(&temp, "program", SLEDS);
}

static struct tl_input *opened(bool with_program, enum tl_input_detail detail)
{
	static char log[512], program[512];
	struct tl_binary_spec binary = { program, 0 };
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	const char *path = log;
	struct tl_input *input = NULL;

	strcpy(log, temp_path(&temp, "log"));
	strcpy(program, temp_path(&temp, "program"));
	options.detail = detail;
	if (with_program) {
		options.programs.binaries = &binary;
		options.programs.binary_count = 1;
	}
	assert_int_equal(tl_input_open(&input, &path, 1, &options, NULL, NULL), 0);
	return input;
}

/* "id depth start end flags", a call after the other. */
static void expect_calls(bool with_program, const char *wanted)
{
	struct tl_input *input = opened(with_program, TL_DETAIL_LINES);
	struct tl_calls *calls = NULL;
	const struct tl_call *call;
	char got[1024] = "";
	size_t at = 0;

	assert_int_equal(tl_input_calls(input, NULL, &calls, NULL), 0);
	while (tl_calls_next(calls, &call, NULL) == 1) {
		struct tl_call_function function;

		assert_int_equal(
			tl_calls_function(calls, call->function, &function, sizeof(function), NULL),
			0);
		at += (size_t)snprintf(got + at, sizeof(got) - at, "%d %u %d %d%s\n",
				       (int)function.id, call->depth, (int)call->start,
				       (int)call->end, call->flags & TL_CALL_CUT ? " cut" : "");
	}
	assert_string_equal(got, wanted);
	tl_calls_close(calls);
	tl_input_close(input);
}

static void expect_self(bool with_program, uint64_t id, int64_t self)
{
	struct tl_input *input = opened(with_program, TL_DETAIL_TABLE);
	struct tl_function_totals totals = { 0 };
	struct tl_profile *profile = NULL;

	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		if (tl_profile_function(profile, i)->id == id)
			tl_profile_totals_of(profile, i, TL_NONE, &totals);
	assert_non_null(totals.self);
	assert_int_equal(*totals.self, self);
	tl_profile_free(profile);
	tl_input_close(input);
}

/* THROWER has no call to LEAF: it was left before, and CATCHER called LEAF. */
TEST(a_frame_that_cannot_have_called_was_left)
{
	static const int events[] = { CATCHER, THROWER, LEAF, -LEAF, -CATCHER, 0 };

	write_thread(events);
	expect_calls(true, "8 0 100 140\n9 1 110 120 cut\n2 1 120 130\n");
	expect_self(true, CATCHER, 20);
	expect_self(true, THROWER, 10);
	/* Without the program it stays until CATCHER exits. */
	expect_calls(false, "8 0 100 140\n9 1 110 140 cut\n2 2 120 130\n");
	expect_self(false, CATCHER, 10);
	expect_self(false, THROWER, 20);
}

/* Several frames are left at once: CLEANER calls LEAF, but does not catch. */
TEST(several_frames_are_left)
{
	static const int events[] = { CATCHER, CLEANER, THROWER, LEAF, -LEAF, -CATCHER, 0 };

	write_thread(events);
	expect_calls(true, "8 0 100 150\n10 1 110 130 cut\n9 2 120 130 cut\n2 1 130 140\n");
	expect_self(true, CATCHER, 20);
	expect_self(true, CLEANER, 10);
}

/* Calls that each frame can have made, many times over: nothing was left. */
TEST(calls_that_can_be)
{
	int events[4 * 300 + 3] = { OUTER };
	size_t count = 1;

	for (unsigned i = 0; i < 300; i++) {
		events[count++] = CALLER;
		events[count++] = LEAF;
		events[count++] = -LEAF;
		events[count++] = -CALLER;
	}
	events[count] = -OUTER;
	write_thread(events);
	/* Between records are 10 ticks; of 1,201 such, each of 300 rounds has one in LEAF. */
	expect_self(true, LEAF, 300 * 10);
	expect_self(true, CALLER, 300 * 20);
	expect_self(true, OUTER, 301 * 10);
	expect_self(false, CALLER, 300 * 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_that_cannot_have_called_was_left),
		cmocka_unit_test(several_frames_are_left),
		cmocka_unit_test(calls_that_can_be),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
