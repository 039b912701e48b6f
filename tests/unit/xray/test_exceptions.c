/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames that an exception left write no exit record. The program's code tells which frames cannot
 * have made the next call (profile/caller_check.h). Traces and sums are written by hand; what the
 * functions call stands in program.h.
 */
#include "bytes.h"

#include <elf.h>

#include "../temp_fixture.h"
#include "program.h"
#include "profile/model/unsized.h"

/* Fold one thread's records, with the program or without. */
static struct tl_profile *fold(const struct bytes *b, bool with_program)
{
	struct tl_xray_map *map = NULL;
	struct tl_profile *profile;
	struct trace t;

	make_program(&temp, "program", EM_X86_64);
	if (with_program)
		assert_int_equal(tl_xray_map_open(&map, temp_path(&temp, "program"), 0, true, NULL),
				 0);
	open_trace(&t, b, NULL);
	assert_int_equal(tl_xray_fold(t.reader, map, NULL, &profile, &t.err), 0);
	close_trace(&t);
	tl_xray_map_close(map);
	return profile;
}

static int64_t self(const struct tl_profile *profile, uint64_t id)
{
	struct tl_function_totals totals = { 0 };

	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		if (tl_profile_function(profile, i)->id == id)
			tl_profile_totals_of(profile, i, TL_NONE, &totals);
	return totals.self ? *totals.self : -1;
}

static uint64_t calls(const struct tl_profile *profile, uint64_t id)
{
	struct tl_function_totals totals = { 0 };

	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		if (tl_profile_function(profile, i)->id == id)
			tl_profile_totals_of(profile, i, TL_NONE, &totals);
	return totals.calls;
}

/* Records at 0, 10, 20, ... : positive ids are entered, negative ones exit. */
static struct bytes thread_of(const int *events, size_t count)
{
	struct bytes b = { 0 };
	size_t start;

	put_header(&b, 5, FDR, 1000, 16384);
	start = begin_block(&b, 1, 2, 100);
	for (size_t i = 0; i < count; i++)
		put_function(&b, events[i] > 0 ? ENTER : EXIT, (uint32_t)abs(events[i]),
			     i ? 10 : 0);
	end_block(&b, start);
	return b;
}

#define THREAD(...)                                                                                \
	thread_of((const int[]){ __VA_ARGS__ }, sizeof((int[]){ __VA_ARGS__ }) / sizeof(int))

/* THROWER has no call to LEAF: it was left before, and CATCHER called LEAF. */
TEST(a_frame_that_cannot_have_called_was_left)
{
	struct bytes b = THREAD(CATCHER, THROWER, LEAF, -LEAF, -CATCHER);
	struct tl_profile *profile = fold(&b, true);

	assert_int_equal(self(profile, CATCHER), 10 + 10);
	assert_int_equal(self(profile, THROWER), 10);
	assert_int_equal(self(profile, LEAF), 10);
	assert_int_equal(tl_profile_losses_of(profile).left_calls, 1);
	assert_int_equal(tl_profile_losses_of(profile).orphan_exits, 0);
	tl_profile_free(profile);
	/* Without the program the frame stays until CATCHER exits. */
	profile = fold(&b, false);
	assert_int_equal(self(profile, CATCHER), 10);
	assert_int_equal(self(profile, THROWER), 10 + 10);
	assert_int_equal(tl_profile_losses_of(profile).left_calls, 0);
	tl_profile_free(profile);
	free_bytes(&b);
}

/* "a frame that exits later was not left, and can make such calls": a signal handler, say. */
TEST(a_frame_that_exits_later_was_not_left)
{
	struct bytes b = THREAD(CATCHER, THROWER, LEAF, -LEAF, -THROWER, -CATCHER);
	struct tl_profile *profile = fold(&b, true);

	assert_int_equal(self(profile, CATCHER), 10 + 10);
	assert_int_equal(self(profile, THROWER), 10 + 10);
	assert_int_equal(calls(profile, THROWER), 1);
	assert_int_equal(tl_profile_losses_of(profile).left_calls, 0);
	tl_profile_free(profile);
	free_bytes(&b);
}

/* "closed down to the nearest one that can have made it and can continue after a callee was left"
 */
TEST(frames_are_closed_down_to_one_that_catches)
{
	struct bytes b = THREAD(CATCHER, CLEANER, THROWER, LEAF, -LEAF, -CATCHER);
	struct tl_profile *profile = fold(&b, true);

	/* CLEANER calls LEAF too, but does not catch. */
	assert_int_equal(self(profile, CATCHER), 10 + 10);
	assert_int_equal(self(profile, CLEANER), 10);
	assert_int_equal(self(profile, THROWER), 10);
	assert_int_equal(tl_profile_losses_of(profile).left_calls, 2);
	tl_profile_free(profile);
	free_bytes(&b);
}

/* "if there is none, down to the nearest one that can have made it": CLEANER, not BOTH */
TEST(frames_are_closed_down_to_one_that_calls)
{
	struct bytes b = THREAD(BOTH, CLEANER, THROWER, LEAF, -LEAF, -CLEANER, -BOTH);
	struct tl_profile *profile = fold(&b, true);

	assert_int_equal(self(profile, BOTH), 10 + 10);
	assert_int_equal(self(profile, CLEANER), 10 + 10);
	assert_int_equal(self(profile, THROWER), 10);
	assert_int_equal(calls(profile, CLEANER), 1);
	assert_int_equal(tl_profile_losses_of(profile).left_calls, 1);
	tl_profile_free(profile);
	free_bytes(&b);
}

/* "if there is none either, all of them, since the call came from outside" */
TEST(a_call_from_outside_has_no_caller)
{
	struct bytes b = THREAD(OUTER, CALLER, QUIET, -QUIET);
	struct tl_profile *profile = fold(&b, true);

	assert_int_equal(tl_profile_losses_of(profile).left_calls, 2);
	assert_int_equal(self(profile, QUIET), 10);
	assert_int_equal(self(profile, OUTER), 10);
	assert_int_equal(self(profile, CALLER), 10);
	assert_int_equal(tl_profile_arc_count(profile), 1); /* OUTER to CALLER */
	tl_profile_free(profile);
	free_bytes(&b);
}

/* The answer is remembered by caller and callee: the same holds for every later call. */
TEST(pairs_are_remembered)
{
	struct bytes b = THREAD(CATCHER, THROWER, LEAF, -LEAF, THROWER, LEAF, -LEAF, -CATCHER,
				CATCHER, THROWER, LEAF, -LEAF, -CATCHER);
	struct tl_profile *profile = fold(&b, true);

	assert_int_equal(tl_profile_losses_of(profile).left_calls, 3);
	assert_int_equal(self(profile, THROWER), 3 * 10);
	assert_int_equal(self(profile, LEAF), 3 * 10);
	assert_int_equal(self(profile, CATCHER), 3 * 10 + 2 * 10);
	tl_profile_free(profile);
	free_bytes(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_that_cannot_have_called_was_left),
		cmocka_unit_test(a_frame_that_exits_later_was_not_left),
		cmocka_unit_test(frames_are_closed_down_to_one_that_catches),
		cmocka_unit_test(frames_are_closed_down_to_one_that_calls),
		cmocka_unit_test(a_call_from_outside_has_no_caller),
		cmocka_unit_test(pairs_are_remembered),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
