/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and returns out of addresses: each paragraph of the head of profile/call_stack.h. */
#include "stack_scene.h"

static void in_main_deep(struct fixture *f)
{
	go(f, TL_PT_BY_LOSS, MAIN, 0);
	go(f, TL_PT_BY_CALL, DEEP, MAIN + 0x10);
	want(f, "main deep");
}

/* "return: closes the innermost frame that waits for the address returned to, and those above it"
 */
static void calls_return(void **state)
{
	struct fixture *f = *state;

	in_main_deep(f);
	go(f, TL_PT_BY_CALL, DEEP, DEEP + 0x10);
	want(f, "main deep deep");
	go(f, TL_PT_BY_RETURN, DEEP + 0x10, 0);
	want(f, "main deep");
	go(f, TL_PT_BY_CALL, EVEN, DEEP + 0x14);
	go(f, TL_PT_BY_CALL, ODD, EVEN + 0x10);
	go(f, TL_PT_BY_RETURN, MAIN + 0x10, 0);
	want(f, "main");
	assert_int_equal(f->stack.fold.losses.deduced_exits, 2);
}

/* "a frame whose call was not seen (the trace began inside) is closed, and its caller entered" */
static void callers_that_were_not_seen(void **state)
{
	struct fixture *f = *state;

	go(f, TL_PT_BY_LOSS, ODD + 4, 0);
	want(f, "odd");
	go(f, TL_PT_BY_RETURN, EVEN + 0x20, 0);
	want(f, "even");
	go(f, TL_PT_BY_RETURN, MAIN + 0x20, 0);
	want(f, "main");
}

/* "else the return is a jump (push and ret, retpoline)"; "to the entry of another one: a tail call"
 */
static void returns_that_are_jumps(void **state)
{
	struct fixture *f = *state;

	in_main_deep(f);
	go(f, TL_PT_BY_RETURN, DEEP + 8, 0);
	want(f, "main deep");
	go(f, TL_PT_BY_RETURN, ODD, 0);
	want(f, "main odd");
	go(f, TL_PT_BY_RETURN, MAIN + 0x10, 0);
	want(f, "main");
}

/* "a tail call, which takes the place of the frame and returns where that would have"; inside a
 * function: nothing. */
static void tail_calls(void **state)
{
	struct fixture *f = *state;

	in_main_deep(f);
	go(f, TL_PT_BY_FLOW, DEEP + 4, 0);
	go(f, TL_PT_BY_FLOW, DEEP, 0);
	want(f, "main deep");
	go(f, TL_PT_BY_FLOW, EVEN, 0);
	want(f, "main even");
	go(f, TL_PT_BY_RETURN, MAIN + 0x10, 0);
	want(f, "main");
}

/* How often a function was called, of all calls, finished or not. */
static uint64_t calls(struct fixture *f, uint64_t entry)
{
	uint32_t function = tl_pt_functions_called(&f->functions, entry);
	struct tl_fold *fold = &f->stack.fold;
	uint64_t count = 0;

	tl_pt_stack_finish(&f->stack);
	for (size_t i = 1; i < fold->node_count; i++)
		if (fold->hot.nodes[i].function == function)
			count += fold->hot.nodes[i].calls +
				 (i < fold->capacity.untimed ? fold->untimed[i].unfinished : 0);
	return count;
}

/* "Into the middle of a function that is on the stack: back to its innermost frame." */
static void longjmp_goes_back(void **state)
{
	struct fixture *f = *state;

	in_main_deep(f);
	go(f, TL_PT_BY_CALL, EVEN, DEEP + 8);
	go(f, TL_PT_BY_CALL, UNKNOWN + 0x10, EVEN + 8);
	want(f, "main deep even [lib.so+0x10]");
	go(f, TL_PT_BY_FLOW, MAIN + 0x30, 0);
	want(f, "main");
	/* "Into the middle of any other: that takes the place of the frame, but was not called." */
	go(f, TL_PT_BY_FLOW, ODD + 8, 0);
	want(f, "odd");
	assert_int_equal(calls(f, ODD), 0);
}

/* "From code with a symbol into code without: as a tail call; between two places without: nothing."
 */
static void code_without_symbols(void **state)
{
	struct fixture *f = *state;

	in_main_deep(f);
	go(f, TL_PT_BY_FLOW, UNKNOWN, 0);
	want(f, "main [lib.so+0x0]");
	go(f, TL_PT_BY_FLOW, UNKNOWN + 0x100, 0);
	want(f, "main [lib.so+0x0]");
	go(f, TL_PT_BY_CALL, UNKNOWN + 0x200, UNKNOWN + 0x108);
	want(f, "main [lib.so+0x0] [lib.so+0x200]");
	go(f, TL_PT_BY_RETURN, UNKNOWN + 0x108, 0);
	go(f, TL_PT_BY_RETURN, MAIN + 0x10, 0);
	want(f, "main");
}

/* "off and on: tracing that goes on where it was expected to: nothing. Elsewhere: ... a handler was
 * entered (signals)" */
static void signals(void **state)
{
	struct fixture *f = *state;

	in_main_deep(f);
	go(f, TL_PT_BY_ENABLE, DEEP + 8, DEEP + 8);
	want(f, "main deep");
	go(f, TL_PT_BY_ENABLE, ODD, DEEP + 8);
	want(f, "main deep odd");
	assert_int_equal(f->stack.frames.handlers, 1);
	/* The handler returns into the code that calls sigreturn, which has no symbol. */
	go(f, TL_PT_BY_RETURN, UNKNOWN, 0);
	want(f, "main deep [lib.so+0x0]");
	go(f, TL_PT_BY_ENABLE, DEEP + 8, UNKNOWN + 9);
	want(f, "main deep");
	assert_int_equal(f->stack.frames.handlers, 0);
	/* "or the function below it is the one": it goes on behind the instruction at fault. */
	go(f, TL_PT_BY_ENABLE, ODD, DEEP + 8);
	go(f, TL_PT_BY_ENABLE, DEEP + 11, ODD + 4);
	want(f, "main deep");
	/* "else a jump": siglongjmp() out of a handler. */
	go(f, TL_PT_BY_ENABLE, ODD, DEEP + 11);
	go(f, TL_PT_BY_FLOW, MAIN + 0x30, 0);
	want(f, "main");
	assert_int_equal(f->stack.frames.handlers, 0);
}

/* A handler is interrupted by another signal, and left for no function below it. */
static void signals_within_handlers(void **state)
{
	struct fixture *f = *state;

	in_main_deep(f);
	go(f, TL_PT_BY_ENABLE, ODD, DEEP + 8);
	go(f, TL_PT_BY_ENABLE, EVEN, ODD + 4);
	want(f, "main deep odd even");
	assert_int_equal(f->stack.frames.handlers, 2);
	go(f, TL_PT_BY_ENABLE, ODD + 4, EVEN + 8);
	want(f, "main deep odd");
	/* "else a jump": siglongjmp(), where tracing was off. */
	go(f, TL_PT_BY_ENABLE, MAIN + 0x30, ODD + 8);
	want(f, "main");
	assert_int_equal(f->stack.frames.handlers, 0);
}

/* "interrupt: an asynchronous branch enters a handler, which waits for the address interrupted" */
static void interrupts(void **state)
{
	struct fixture *f = *state;

	in_main_deep(f);
	go(f, TL_PT_BY_INTERRUPT, UNKNOWN, DEEP + 3);
	want(f, "main deep [lib.so+0x0]");
	go(f, TL_PT_BY_FAR_RETURN, DEEP + 3, 0);
	want(f, "main deep");
}

/* "loss: frames stay open. Where the trace goes on: in the innermost function: nothing; in one on
 * the stack: back to it; elsewhere: entered, by a call that was not seen." */
static void losses(void **state)
{
	struct fixture *f = *state;

	in_main_deep(f);
	go(f, TL_PT_BY_LOSS, DEEP + 9, 0);
	want(f, "main deep");
	go(f, TL_PT_BY_LOSS, EVEN + 9, 0);
	want(f, "main deep even");
	go(f, TL_PT_BY_LOSS, MAIN + 9, 0);
	want(f, "main");
}

/* main calls even, which switches: to a stack that begins at odd. */
static void in_two_stacks(struct fixture *f)
{
	go(f, TL_PT_BY_LOSS, MAIN, 0);
	go(f, TL_PT_BY_CALL, EVEN, MAIN + 0x10);
	go(f, TL_PT_BY_SWITCH, ODD, 0);
	want(f, "odd");
	assert_int_equal(f->stack.parked.count, 1);
}

/* "switch: ... if nobody waits there, a stack of its own begins"; "of another one that was put
 * aside (coroutines)"; "No call is counted, but of a function that begins there." */
static void stacks_take_turns(void **state)
{
	struct fixture *f = *state;

	in_two_stacks(f);
	for (unsigned i = 0; i < 3; i++) {
		go(f, TL_PT_BY_CALL, EVEN, ODD + 0x10);
		want(f, "odd even");
		go(f, TL_PT_BY_SWITCH, MAIN + 0x10, 0);
		want(f, "main");
		go(f, TL_PT_BY_CALL, EVEN, MAIN + 0x18);
		go(f, TL_PT_BY_SWITCH, ODD + 0x10, 0);
		want(f, "odd");
		go(f, TL_PT_BY_CALL, EVEN, ODD + 0x10);
		go(f, TL_PT_BY_SWITCH, MAIN + 0x18, 0);
		want(f, "main");
		go(f, TL_PT_BY_CALL, EVEN, MAIN + 0x10);
		go(f, TL_PT_BY_SWITCH, ODD + 0x10, 0);
	}
	want(f, "odd");
	assert_int_equal(calls(f, EVEN), 1 + 3 * 4);
	assert_int_equal(calls(f, ODD), 1);
	assert_int_equal(calls(f, MAIN), 1);
}

/* "What runs on a stack is no time of the others." */
static void time_is_of_the_stack_that_runs(void **state)
{
	struct fixture *f = *state;
	uint32_t even = tl_pt_functions_called(&f->functions, EVEN);
	struct tl_fold *fold = &f->stack.fold;

	go(f, TL_PT_BY_LOSS, MAIN, 0);
	go(f, TL_PT_BY_CALL, EVEN, MAIN + 0x10);
	fold->hot.clock += 5;
	go(f, TL_PT_BY_SWITCH, ODD, 0);
	fold->hot.clock += 100;
	go(f, TL_PT_BY_CALL, EVEN, ODD + 0x10);
	fold->hot.clock += 7;
	go(f, TL_PT_BY_SWITCH, MAIN + 0x10, 0);
	for (size_t i = 1; i < fold->node_count; i++)
		if (fold->hot.nodes[i].function == even && fold->hot.nodes[i].calls)
			assert_int_equal(fold->hot.nodes[i].ticks, 5);
}

/* Two stacks wait at one place, which the trace does not tell apart: the one that waits longest is
 * taken. That it was the wrong one is seen where it returns: "the frames below were another
 * stack's, and change places". */
static void mistakes_are_mended(void **state)
{
	struct fixture *f = *state;

	/*
	 * Stacks of main, odd, and deep, each of which waits in even for main + 10; below, for a
	 * place of its own.
	 */
	go(f, TL_PT_BY_LOSS, MAIN, 0);
	go(f, TL_PT_BY_CALL, DEEP, MAIN + 0x20);
	go(f, TL_PT_BY_CALL, EVEN, DEEP + 0x10);
	go(f, TL_PT_BY_SWITCH, ODD, 0);
	go(f, TL_PT_BY_CALL, DEEP, ODD + 0x20);
	go(f, TL_PT_BY_CALL, EVEN, DEEP + 0x10);
	go(f, TL_PT_BY_SWITCH, UNKNOWN, 0);
	assert_int_equal(f->stack.parked.count, 2);
	go(f, TL_PT_BY_SWITCH, DEEP + 0x10, 0);
	want(f, "main deep");
	go(f, TL_PT_BY_RETURN, ODD + 0x20, 0);
	want(f, "odd");
	go(f, TL_PT_BY_CALL, EVEN, ODD + 0x10);
	go(f, TL_PT_BY_SWITCH, DEEP + 0x10, 0);
	want(f, "main deep");
	go(f, TL_PT_BY_RETURN, MAIN + 0x20, 0);
	want(f, "main");
}

/* "A call begins a stack, too": that is over when it returns. */
static void a_call_begins_a_stack(void **state)
{
	struct fixture *f = *state;

	in_main_deep(f);
	go(f, TL_PT_BY_START, ODD, DEEP + 0x10);
	want(f, "odd");
	go(f, TL_PT_BY_RETURN, DEEP + 0x10, 0);
	want(f, "main deep");
	assert_int_equal(f->stack.parked.count, 0);
}

/* "to a frame of this stack (longjmp, exceptions)"; "then they are put aside, ... and are closed as
 * of that time in the end." */
static void frames_that_were_left(void **state)
{
	struct fixture *f = *state;

	in_main_deep(f);
	tl_pt_parked_point(&f->stack, DEEP + 0x30);
	go(f, TL_PT_BY_CALL, DEEP, DEEP + 0x10);
	go(f, TL_PT_BY_CALL, EVEN, DEEP + 0x10);
	go(f, TL_PT_BY_CALL, ODD, EVEN + 0x10);
	want(f, "main deep deep even odd");
	/* Of two frames of deep, the one that may be come back to. */
	go(f, TL_PT_BY_SWITCH, DEEP + 0x30, 0);
	want(f, "main deep");
	assert_int_equal(f->stack.parked.count, 1);
	assert_int_equal(calls(f, EVEN), 1);
	assert_int_equal(f->stack.fold.losses.deduced_exits, 3);
}

/* "A frame deeper than STACK_MAX is not kept; its call counts as a gap." */
static void depth_is_bounded(void **state)
{
	struct fixture *f = *state;

	for (unsigned i = 0; i < TL_PT_STACK_MAX + 5u; i++) {
		struct tl_pt_arrival_addr at = { DEEP, TL_NONE, TL_NONE, true };

		at.function = tl_pt_functions_called(&f->functions, DEEP);
		tl_pt_stack_arrive(&f->stack, TL_PT_BY_CALL, &at, DEEP + 8);
	}
	assert_int_equal(tl_fold_depth(&f->stack.fold), TL_PT_STACK_MAX);
	assert_int_equal(f->stack.fold.losses.gaps, 5);
	go(f, TL_PT_BY_RETURN, DEEP + 8, 0);
	assert_int_equal(tl_fold_depth(&f->stack.fold), TL_PT_STACK_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(calls_return),
		WITH_FIXTURE(callers_that_were_not_seen),
		WITH_FIXTURE(returns_that_are_jumps),
		WITH_FIXTURE(tail_calls),
		WITH_FIXTURE(longjmp_goes_back),
		WITH_FIXTURE(code_without_symbols),
		WITH_FIXTURE(signals),
		WITH_FIXTURE(signals_within_handlers),
		WITH_FIXTURE(interrupts),
		WITH_FIXTURE(losses),
		WITH_FIXTURE(stacks_take_turns),
		WITH_FIXTURE(time_is_of_the_stack_that_runs),
		WITH_FIXTURE(mistakes_are_mended),
		WITH_FIXTURE(a_call_begins_a_stack),
		WITH_FIXTURE(frames_that_were_left),
		WITH_FIXTURE(depth_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
