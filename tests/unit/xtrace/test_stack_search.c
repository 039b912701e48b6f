/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which frame goes on behind a return or an indirect branch: the rules "return" and "landing" at
 * the head of call_stack.h, on frames made by hand. Stacks grow downwards: a frame's part of the
 * stack is below the SP of its caller and not below the SP with which it called the next.
 */
#include "stacks.h"

enum { MAIN = 0x1000, F = 0x2000, G = 0x3000, H = 0x4000 };

static size_t find_return(const struct tl_xtrace_frame *list, size_t depth, uint64_t to,
			  uint64_t sp)
{
	const struct tl_xtrace_stack_op op = operation(TL_XTRACE_OP_RETURN, 0, to, sp);
	const struct tl_xtrace_frames frames = { list, depth, 0 };

	return tl_xtrace_find_return(&frames, &op, false);
}

static size_t find_exactly(const struct tl_xtrace_frame *list, size_t depth, uint64_t to,
			   uint64_t sp)
{
	const struct tl_xtrace_stack_op op = operation(TL_XTRACE_OP_RETURN, 0, to, sp);
	const struct tl_xtrace_frames frames = { list, depth, 0 };

	return tl_xtrace_find_return(&frames, &op, true);
}

/*
 * "Goes to the frame with that return address and SP ... Without a known SP it goes to the
 * innermost frame with that address".
 */
TEST(returns_by_address_and_sp)
{
	const struct tl_xtrace_frame list[] = {
		called(0, MAIN, 0x504, 0x9000),
		called(0, F, MAIN + 8, 0x8f00),
		called(0, F, F + 8, 0x8e00),
		called(0, F, F + 8, 0x8d00),
	};

	assert_int_equal(find_return(list, 4, F + 8, 0), 4);
	assert_int_equal(find_return(list, 4, F + 8, 0x8d00), 4);
	assert_int_equal(find_return(list, 4, F + 8, 0x8e00), 3);
	assert_int_equal(find_return(list, 4, MAIN + 8, 0x8f00), 2);
	assert_int_equal(find_return(list, 4, 0x504, 0), 1);
	assert_int_equal(find_return(list, 4, F + 8, 0x8c00), 0);
	assert_int_equal(find_return(list, 4, F + 12, 0), 0);
	assert_int_equal(find_return(list, 0, F + 8, 0), 0);
}

/* A frame whose SP is not known may be meant if none with that SP is there. */
TEST(unknown_sps_are_second_choice)
{
	struct tl_xtrace_frame list[] = {
		called(0, F, F + 8, 0x8e00),
		called(0, F, F + 8, 0),
		called(0, F, F + 8, 0),
	};

	assert_int_equal(find_return(list, 3, F + 8, 0x8e00), 1);
	assert_int_equal(find_return(list, 3, F + 8, 0x8d00), 3);
	assert_int_equal(find_exactly(list, 3, F + 8, 0x8e00), 1);
	assert_int_equal(find_exactly(list, 3, F + 8, 0x8d00), 0);
	/* SP of a frame that was found is one it had, not that of its caller. */
	list[0].found = true;
	assert_int_equal(find_exactly(list, 3, F + 8, 0x8e00), 0);
	/* Pending values are comparable with pending ones. */
	list[0] = called(0, F, F + 8, 64);
	list[0].sp_state = TL_XTRACE_SP_PENDING;
	{
		struct tl_xtrace_stack_op op = operation(TL_XTRACE_OP_RETURN, 0, F + 8, 64);
		const struct tl_xtrace_frames frames = { list, 1, 0 };

		op.sp_state = TL_XTRACE_SP_PENDING;
		assert_int_equal(tl_xtrace_find_return(&frames, &op, true), 1);
		op.sp = 72;
		assert_int_equal(tl_xtrace_find_return(&frames, &op, true), 0);
	}
}

/*
 * "and frames below an exception are out of reach" without SP; with it they have to have that SP.
 */
TEST(returns_below_a_handler)
{
	struct tl_xtrace_frame list[] = {
		called(0, MAIN, 0x504, 0x9000),
		called(0, F, MAIN + 8, 0x8f00),
		handler_of(0, G, F + 4, 0x8e00),
		called(0, H, G + 8, 0x8000),
	};

	assert_int_equal(find_return(list, 4, G + 8, 0), 4);
	assert_int_equal(find_return(list, 4, MAIN + 8, 0), 0);
	assert_int_equal(find_return(list, 4, MAIN + 8, 0x8f00), 2);
	assert_int_equal(find_return(list, 4, MAIN + 8, 0x8f08), 0);
	/* A handler's frame is not returned from, whatever its address. */
	assert_int_equal(find_return(list, 4, F + 8, 0x8e00), 0);
	list[1].sp_state = TL_XTRACE_SP_UNKNOWN;
	assert_int_equal(find_return(list, 4, MAIN + 8, 0x8f00), 0);
	/* A handler above code of another level: that has another SP. */
	list[1] = called(0, F, MAIN + 8, 0x8f00);
	list[1].el = 1;
	assert_int_equal(find_return(list, 4, MAIN + 8, 0x8f00), 0);
	assert_int_equal(find_return(list, 4, 0x504, 0x9000), 0);
	/* Nothing stands below a handler at the bottom. */
	assert_int_equal(find_return(list + 2, 2, G + 8, 0x8000), 2);
	assert_int_equal(find_return(list + 2, 1, G + 8, 0x8000), 0);
}

/* SEARCH_FRAMES, SEARCH_FRAMES_SP: "frames that a search looks at". */
TEST(searches_end)
{
	enum { DEPTH = TL_XTRACE_SEARCH_FRAMES_SP + 1 };
	struct tl_xtrace_frame *list = calloc(DEPTH, sizeof(*list));

	assert_non_null(list);
	for (size_t i = 0; i < DEPTH; i++)
		list[i] = called(0, F, F + 8, 0x10000000 - 16 * i);
	list[0].back = MAIN;
	list[1].back = MAIN + 4;
	assert_int_equal(find_return(list, DEPTH, MAIN + 4, list[1].sp), 2);
	assert_int_equal(find_return(list, DEPTH, MAIN, list[0].sp), 0);
	assert_int_equal(find_return(list, TL_XTRACE_SEARCH_FRAMES + 1, MAIN + 4, 0), 2);
	assert_int_equal(find_return(list, TL_XTRACE_SEARCH_FRAMES + 1, MAIN, 0), 0);
	assert_int_equal(find_return(list, TL_XTRACE_SEARCH_FRAMES, MAIN, 0), 1);
	free(list);
}

/* ---- by SP ---- */

static size_t find_by_sp(const struct tl_xtrace_frame *list, size_t depth, uint64_t left,
			 uint64_t to, uint64_t sp, bool same)
{
	const struct tl_xtrace_stack_op op = operation(TL_XTRACE_OP_RETURN, 0, to, sp);
	const struct tl_xtrace_frames frames = { list, depth, left };

	return tl_xtrace_find_by_sp(&frames, &op, same);
}

/*
 * "the frame of that function in whose part of the stack SP is", and "the frame in whose part ...".
 */
TEST(parts_of_the_stack)
{
	const struct tl_xtrace_frame list[] = {
		called(0, MAIN, 0x504, 0x9000),
		called(0, F, MAIN + 8, 0x8f00),
		called(0, G, F + 8, 0x8e00),
	};

	assert_int_equal(find_by_sp(list, 3, 0, F + 0x40, 0x8e00, true), 2);
	assert_int_equal(find_by_sp(list, 3, 0, F + 0x40, 0x8ef8, true), 2);
	assert_int_equal(find_by_sp(list, 3, 0, F + 0x40, 0x8f00, true), 0);
	assert_int_equal(find_by_sp(list, 3, 0, F + 0x40, 0x8df8, true), 0);
	assert_int_equal(find_by_sp(list, 3, 0, MAIN + 0x40, 0x8f00, true), 1);
	assert_int_equal(find_by_sp(list, 3, 0, MAIN + 0x40, 0x8ff8, true), 1);
	assert_int_equal(find_by_sp(list, 3, 0, MAIN + 0x40, 0x9000, true), 0);
	/* Of another function: only if any will do. */
	assert_int_equal(find_by_sp(list, 3, 0, H, 0x8e80, true), 0);
	assert_int_equal(find_by_sp(list, 3, 0, H, 0x8e80, false), 2);
	assert_int_equal(find_by_sp(list, 3, 0, H, 0x8f80, false), 1);
	/* The part of the innermost has no lower end but the SP with which it was left. */
	assert_int_equal(find_by_sp(list, 3, 0, G + 4, 0x8d00, true), 0);
	assert_int_equal(find_by_sp(list, 3, 0x8d00, G + 4, 0x8d00, true), 3);
	assert_int_equal(find_by_sp(list, 3, 0x8d00, G + 4, 0x8d08, true), 0);
	assert_int_equal(find_by_sp(list, 0, 0, G + 4, 0x8d00, false), 0);
}

/* "NEAR_BYTES: the caller of a found frame may have an SP so far above it." */
TEST(parts_with_one_end)
{
	struct tl_xtrace_frame list[] = {
		called(0, MAIN, 0x504, 0),
		called(0, F, MAIN + 8, 0x8f00),
		called(0, G, F + 8, 0x8e00),
	};
	const struct tl_xtrace_frame plain = called(0, MAIN, 0x504, 0x9000);
	const uint64_t farthest = 0x8f00 + TL_XTRACE_NEAR_BYTES - 1;

	assert_int_equal(find_by_sp(list, 3, 0, MAIN + 4, 0x8f00, true), 1);
	assert_int_equal(find_by_sp(list, 3, 0, MAIN + 4, farthest, true), 1);
	assert_int_equal(find_by_sp(list, 3, 0, MAIN + 4, farthest + 1, true), 0);
	assert_int_equal(find_by_sp(list, 3, 0, MAIN + 4, 0x8ef8, true), 0);
	/* SP of a handler or of a found frame is no upper end. */
	list[0] = plain;
	assert_int_equal(find_by_sp(list, 3, 0, MAIN + 4, farthest, true), 0);
	list[0].found = true;
	assert_int_equal(find_by_sp(list, 3, 0, MAIN + 4, farthest, true), 1);
	list[0] = plain;
	list[0].handler = true;
	assert_int_equal(find_by_sp(list, 3, 0, MAIN + 4, farthest, true), 1);
	/* Without a lower end nothing is in it. */
	list[0] = plain;
	list[1].sp_state = TL_XTRACE_SP_UNKNOWN;
	assert_int_equal(find_by_sp(list, 3, 0, MAIN + 4, 0x8f80, true), 0);
	/* SP of a callee at another level is another SP. */
	list[1] = called(1, F, MAIN + 8, 0x8f00);
	assert_int_equal(find_by_sp(list, 2, 0, MAIN + 4, 0x8f80, true), 0);
}

/* "One that keeps nothing on the stack calls with the SP it was called with." */
TEST(parts_of_no_bytes)
{
	const struct tl_xtrace_frame list[] = {
		called(0, MAIN, 0x504, 0x9000),
		called(0, F, MAIN + 8, 0x8f00),
		called(0, G, F + 8, 0x8f00),
	};

	assert_int_equal(find_by_sp(list, 3, 0, F + 8, 0x8f00, true), 2);
	assert_int_equal(find_by_sp(list, 3, 0, F + 8, 0x8f08, true), 0);
	assert_int_equal(find_by_sp(list, 3, 0, F + 8, 0x8ef8, true), 0);
	assert_int_equal(find_by_sp(list, 3, 0, MAIN + 8, 0x8f08, true), 1);
}

/* Frames of another exception level end the search. */
TEST(parts_at_other_levels)
{
	struct tl_xtrace_frame list[] = {
		called(0, MAIN, 0x504, 0x9000),
		called(0, F, MAIN + 8, 0x8f00),
		called(0, G, F + 8, 0x8e00),
	};

	list[1].el = 1;
	assert_int_equal(find_by_sp(list, 3, 0, MAIN + 4, 0x8f80, true), 0);
	assert_int_equal(find_by_sp(list, 3, 0, F + 4, 0x8e80, false), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns_by_address_and_sp),
		cmocka_unit_test(unknown_sps_are_second_choice),
		cmocka_unit_test(returns_below_a_handler),
		cmocka_unit_test(searches_end),
		cmocka_unit_test(parts_of_the_stack),
		cmocka_unit_test(parts_with_one_end),
		cmocka_unit_test(parts_of_no_bytes),
		cmocka_unit_test(parts_at_other_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
