/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SP along a call stack: "Where SP is lost it is pending: counted from there in frames and deltas,
 * until the address of an access tells it, and all of these become known" (head of call_stack.h).
 */
#include "stacks.h"

#include "xtrace/state/sp_change.h"

enum { MAIN = 0x1000, F = 0x2000, G = 0x3000 };

static void call(struct tl_xtrace_call_stack *s, uint64_t to, uint64_t back)
{
	const struct tl_xtrace_location location = place(0, to);

	tl_xtrace_stack_call(s, &location, back - 4, back);
}

static void assert_sp(const struct tl_xtrace_call_stack *s, enum tl_xtrace_sp_state state,
		      uint64_t value)
{
	assert_int_equal(s->sp.state, state);
	assert_int_equal(s->sp.value, value);
}

static void assert_frame_sp(const struct tl_xtrace_frame *frame, enum tl_xtrace_sp_state state,
			    uint64_t value)
{
	assert_int_equal(frame->sp_state, state);
	assert_int_equal(frame->sp, value);
}

/* The stack of a stream is told SP with each operation, and counts nothing. */
TEST(of_a_stream)
{
	struct tl_xtrace_call_stack s;

	/* Whether SP was switched before its beginning, the segment before has to say. */
	assert_true(tl_xtrace_stack_begin(&s, false, true));
	assert_int_equal(s.sp.switched, TL_XTRACE_INHERITED);
	assert_sp(&s, TL_XTRACE_SP_UNKNOWN, 0);
	tl_xtrace_sp_observed(&s, 0x9000);
	assert_sp(&s, TL_XTRACE_SP_KNOWN, 0x9000);
	assert_int_equal(s.sp.ignored, TL_XTRACE_SP_OBSERVED);
	tl_xtrace_sp_lost(&s);
	assert_sp(&s, TL_XTRACE_SP_UNKNOWN, 0);
	assert_int_equal(s.sp.ignored, TL_XTRACE_SP_KEPT);
	tl_xtrace_stack_free(&s);
}

/* Three frames while SP counts from 0: -16, -32, -64; then an access shows 0x8fc0 at -64. */
TEST(pending_values_become_known)
{
	struct tl_xtrace_call_stack s;

	begin_stack(&s, true);
	assert_sp(&s, TL_XTRACE_SP_PENDING, 0);
	s.sp.value -= 16;
	call(&s, F, MAIN + 8);
	s.sp.value -= 16;
	call(&s, G, F + 8);
	s.sp.value -= 32;
	assert_frame_sp(&s.frames[0], TL_XTRACE_SP_PENDING, (uint64_t)-16);
	tl_xtrace_sp_observed(&s, 0x8fc0);
	assert_sp(&s, TL_XTRACE_SP_KNOWN, 0x8fc0);
	assert_frame_sp(&s.frames[0], TL_XTRACE_SP_KNOWN, 0x8ff0);
	assert_frame_sp(&s.frames[1], TL_XTRACE_SP_KNOWN, 0x8fe0);
	/* A later observation changes none of them. */
	tl_xtrace_sp_observed(&s, 0x7000);
	assert_frame_sp(&s.frames[0], TL_XTRACE_SP_KNOWN, 0x8ff0);
	assert_frame_sp(&s.frames[1], TL_XTRACE_SP_KNOWN, 0x8fe0);
	tl_xtrace_stack_free(&s);
}

/* Frames from before SP was lost keep what they have. */
TEST(lost_values_stay_unknown)
{
	struct tl_xtrace_call_stack s;

	begin_stack(&s, true);
	call(&s, F, MAIN + 8);
	tl_xtrace_sp_lost(&s);
	assert_frame_sp(&s.frames[0], TL_XTRACE_SP_UNKNOWN, 0);
	s.sp.value -= 16;
	call(&s, G, F + 8);
	tl_xtrace_sp_observed(&s, 0x8000);
	assert_frame_sp(&s.frames[0], TL_XTRACE_SP_UNKNOWN, 0);
	assert_frame_sp(&s.frames[1], TL_XTRACE_SP_KNOWN, 0x8000);
	tl_xtrace_stack_free(&s);
}

/* "A snapshot tells SP, which holds until an access tells better." */
TEST(snapshots_tell_sp)
{
	struct tl_xtrace_call_stack s;

	begin_stack(&s, true);
	tl_xtrace_sp_guess(&s, 0x9000);
	assert_true(s.sp.guessed);
	assert_sp(&s, TL_XTRACE_SP_PENDING, 0x9000);
	call(&s, F, MAIN + 8);
	tl_xtrace_sp_observed(&s, 0x8000);
	assert_false(s.sp.guessed);
	assert_frame_sp(&s.frames[0], TL_XTRACE_SP_KNOWN, 0x8000);
	/* Nothing better comes before SP is lost: the snapshot's value holds. */
	tl_xtrace_sp_guess(&s, 0x7000);
	s.sp.value -= 16;
	call(&s, G, F + 8);
	tl_xtrace_sp_lost(&s);
	assert_false(s.sp.guessed);
	assert_frame_sp(&s.frames[1], TL_XTRACE_SP_KNOWN, 0x6ff0);
	assert_sp(&s, TL_XTRACE_SP_PENDING, 0);
	tl_xtrace_stack_free(&s);
}

/* "SP is about to be set, `moves` from what it is here": where the stack is left. */
TEST(switches_note_what_is_left)
{
	struct tl_xtrace_call_stack s;

	begin_stack(&s, true);
	s.sp.value = 64;
	tl_xtrace_sp_leave(&s, 16);
	assert_int_equal(s.sp.switched, TL_XTRACE_SWITCHED_STACK);
	assert_int_equal(s.sp.left, 0); /* not known */
	tl_xtrace_sp_observed(&s, 0x9000);
	tl_xtrace_sp_leave(&s, (uint64_t)-16);
	assert_int_equal(s.sp.left, 0x8ff0);
	tl_xtrace_sp_guess(&s, 0x7000);
	tl_xtrace_sp_leave(&s, 16);
	assert_int_equal(s.sp.left, 0x7010);
	/* Another operation: the switch is over. */
	call(&s, F, MAIN + 8);
	assert_int_equal(s.sp.switched, TL_XTRACE_SAME_STACK);
	tl_xtrace_stack_free(&s);
}

/* Deltas keep pending values, too: of their frames, and the two of their operation. */
TEST(deltas_become_known)
{
	struct tl_xtrace_call_stack s;
	struct tl_xtrace_stack_op op = operation(TL_XTRACE_OP_GAP, 0, MAIN + 0x40, 0);

	begin_stack(&s, true);
	s.sp.value = 32;
	call(&s, F, MAIN + 8);
	op.sp = 24;
	op.sp_before = 40;
	op.sp_state = op.sp_before_state = TL_XTRACE_SP_PENDING;
	apply(&s, op); /* a local stack cannot do it */
	assert_int_equal(s.depth, 0);
	assert_int_equal(s.deltas.count, 1);
	tl_xtrace_sp_observed(&s, 0x9020); /* the value 32 is 0x9020: all move by 0x9000 */
	assert_int_equal(s.deltas.list[0].op.sp, 0x9018);
	assert_int_equal(s.deltas.list[0].op.sp_state, TL_XTRACE_SP_KNOWN);
	assert_int_equal(s.deltas.list[0].op.sp_before, 0x9028);
	assert_int_equal(s.deltas.list[0].op.sp_before_state, TL_XTRACE_SP_KNOWN);
	assert_int_equal(s.deltas.list[0].frame_count, 1);
	assert_frame_sp(&s.deltas.list[0].frames[0], TL_XTRACE_SP_KNOWN, 0x9020);
	/* Those that are behind the place where SP was lost. */
	tl_xtrace_sp_lost(&s);
	assert_int_equal(s.deltas.open, 1);
	s.sp.value = 8;
	op.sp_before_state = TL_XTRACE_SP_UNKNOWN;
	apply(&s, op);
	tl_xtrace_sp_lost(&s);
	assert_int_equal(s.deltas.open, 2);
	assert_int_equal(s.deltas.list[0].op.sp, 0x9018);
	assert_int_equal(s.deltas.list[1].op.sp_state, TL_XTRACE_SP_UNKNOWN);
	assert_int_equal(s.deltas.list[1].op.sp_before, 40);
	tl_xtrace_stack_free(&s);
}

/* "The caller, or the interrupted function, goes on with the SP that it had." */
TEST(returns_regain_sp)
{
	const struct tl_xtrace_location back = place(0, MAIN + 8), other = place(0, F + 8);
	struct tl_xtrace_call_stack s;

	begin_stack(&s, true);
	s.base = place(0, MAIN).function;
	tl_xtrace_sp_observed(&s, 0x9000);
	call(&s, F, MAIN + 8);
	tl_xtrace_sp_lost(&s);
	assert_false(tl_xtrace_stack_return(&s, &other));
	assert_true(tl_xtrace_stack_return(&s, &back));
	assert_sp(&s, TL_XTRACE_SP_KNOWN, 0x9000);
	assert_int_equal(s.depth, 0);
	/* A branch to the return address is a return. */
	call(&s, F, MAIN + 8);
	tl_xtrace_sp_lost(&s);
	apply(&s, operation(TL_XTRACE_OP_BRANCH, 0, MAIN + 8, 0));
	assert_sp(&s, TL_XTRACE_SP_KNOWN, 0x9000);
	assert_int_equal(s.depth, 0);
	/* An SP that is known is kept, and has to be the caller's. */
	call(&s, F, MAIN + 8);
	tl_xtrace_sp_observed(&s, 0x8ff0);
	assert_false(tl_xtrace_stack_return(&s, &back));
	tl_xtrace_sp_observed(&s, 0x9000);
	assert_true(tl_xtrace_stack_return(&s, &back));
	assert_false(tl_xtrace_stack_return(&s, &back));
	tl_xtrace_stack_free(&s);
	/* The stack of a stream does not follow SP. */
	begin_stack(&s, false);
	push(&s, called(0, MAIN, 0x504, 0x9100));
	push(&s, called(0, F, MAIN + 8, 0x9000));
	assert_true(tl_xtrace_stack_return(&s, &back));
	assert_sp(&s, TL_XTRACE_SP_UNKNOWN, 0);
	tl_xtrace_stack_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_a_stream),
		cmocka_unit_test(pending_values_become_known),
		cmocka_unit_test(lost_values_stay_unknown),
		cmocka_unit_test(snapshots_tell_sp),
		cmocka_unit_test(switches_note_what_is_left),
		cmocka_unit_test(deltas_become_known),
		cmocka_unit_test(returns_regain_sp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
