/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on a call stack, by the rules at the head of call_stack.h, on frames made by hand. */
#include "stacks.h"

enum { MAIN = 0x1000, F = 0x2000, G = 0x3000, H = 0x4000, VECTOR = 0x9000 };

/* MAIN called F, and F called G. */
static void three_frames(struct tl_xtrace_call_stack *s)
{
	begin_stack(s, false);
	push(s, called(0, MAIN, 0x504, 0x9000));
	push(s, called(0, F, MAIN + 8, 0x8f00));
	push(s, called(0, G, F + 8, 0x8e00));
}

static bool returns(struct tl_xtrace_call_stack *s, unsigned el, uint64_t to)
{
	const struct tl_xtrace_location location = place(el, to);

	return tl_xtrace_stack_return(s, &location);
}

static void call(struct tl_xtrace_call_stack *s, unsigned el, uint64_t to, uint64_t from)
{
	const struct tl_xtrace_location location = place(el, to);

	tl_xtrace_stack_call(s, &location, from, from + 4);
}

/* ---- calls and returns ---- */

/* "Pushes a frame of the callee, which will return behind the call with the SP that the caller has
 * now." Costs up to the call are the caller's. */
TEST(calls)
{
	struct tl_xtrace_call_stack s;
	const struct tl_xtrace_frame *frame;

	begin_stack(&s, false);
	push(&s, called(0, MAIN, 0x504, 0x9000));
	set_sp(&s, 0x8f00);
	s.sp.switched = TL_XTRACE_SWITCHED_STACK;
	s.unattributed.n[TL_XTRACE_IR] = 5;
	call(&s, 1, F, MAIN + 4);
	assert_stack(&s, STACK(MAIN, F));
	frame = &s.frames[1];
	assert_true(frame->called);
	assert_false(frame->found || frame->handler);
	assert_int_equal(frame->el, 1);
	assert_int_equal(frame->from, MAIN + 4);
	assert_int_equal(frame->back, MAIN + 8);
	assert_int_equal(frame->sp, 0x8f00);
	assert_int_equal(frame->sp_state, TL_XTRACE_SP_KNOWN);
	assert_int_equal(frame->start.n[TL_XTRACE_IR], 5);
	assert_int_equal(s.contexts.list[s.frames[0].node].self.n[TL_XTRACE_IR], 5);
	assert_int_equal(s.contexts.list[frame->node].self.n[TL_XTRACE_IR], 0);
	assert_int_equal(s.contexts.list[frame->node].parent, s.frames[0].node);
	assert_int_equal(s.unattributed.n[TL_XTRACE_IR], 0);
	assert_int_equal(s.sp.switched, TL_XTRACE_SAME_STACK);
	tl_xtrace_stack_free(&s);
}

/* A call site: caller, address and callee; recursion counts once in its inclusive cost. */
TEST(call_sites)
{
	struct tl_xtrace_call_stack s;
	const struct tl_xtrace_call_site *site;

	begin_stack(&s, false);
	push(&s, called(0, MAIN, 0x504, 0));
	call(&s, 0, F, MAIN + 4);
	for (unsigned i = 0; i < 3; i++) {
		s.unattributed.n[TL_XTRACE_IR] = 10;
		call(&s, 0, F, F + 4);
	}
	/* MAIN's own frame was called from 0x500, from no function. */
	assert_int_equal(s.sites.count, 2);
	site = &s.sites.list[1];
	assert_int_equal(site->from, F + 4);
	assert_int_equal(site->caller, F >> 12);
	assert_int_equal(site->callee, F >> 12);
	assert_int_equal(site->calls, 3);
	assert_int_equal(site->open, 3);
	s.unattributed.n[TL_XTRACE_IR] = 10;
	for (unsigned i = 0; i < 3; i++)
		assert_true(returns(&s, 0, F + 8));
	assert_int_equal(site->open, 0);
	/* The first of the three was entered behind 10 instructions of 40. */
	assert_int_equal(site->inclusive.n[TL_XTRACE_IR], 30);
	assert_true(returns(&s, 0, MAIN + 8));
	assert_int_equal(s.sites.list[0].inclusive.n[TL_XTRACE_IR], 40);
	assert_int_equal(s.losses.deduced_exits + s.losses.unfinished, 0);
	tl_xtrace_stack_free(&s);
}

/* The quick return is that of the innermost frame, if address and SP are its. */
TEST(quick_returns)
{
	struct tl_xtrace_call_stack s;

	three_frames(&s);
	set_sp(&s, 0x8e00);
	assert_false(returns(&s, 0, F + 4));
	assert_false(returns(&s, 0, MAIN + 8));
	set_sp(&s, 0x8e08);
	assert_false(returns(&s, 0, F + 8));
	set_sp(&s, 0);
	s.sp.switched = TL_XTRACE_SWITCHED_STACK;
	assert_true(returns(&s, 0, F + 8));
	assert_int_equal(s.sp.switched, TL_XTRACE_SAME_STACK);
	assert_stack(&s, STACK(MAIN, F));
	push(&s, handler_of(0, G, F + 4, 0x8d00));
	assert_false(returns(&s, 0, F + 8));
	tl_xtrace_stack_free(&s);
	/* No frame at all. */
	begin_stack(&s, false);
	assert_false(returns(&s, 0, F + 8));
	tl_xtrace_stack_free(&s);
}

/* "A call that is the last instruction of its function returns to another one." */
TEST(returns_to_the_next_function)
{
	struct tl_xtrace_call_stack s;

	three_frames(&s);
	s.frames[2].back = H; /* F ends where H begins */
	assert_true(returns(&s, 0, H));
	assert_stack(&s, STACK(MAIN, H));
	assert_int_equal(s.frames[1].back, MAIN + 8);
	tl_xtrace_stack_free(&s);
}

/* "the frames above it are left, too": by the rule, not by an exit that was seen. */
TEST(returns_over_frames)
{
	struct tl_xtrace_call_stack s;

	three_frames(&s);
	apply(&s, operation(TL_XTRACE_OP_RETURN, 0, MAIN + 8, 0x8f00));
	assert_stack(&s, STACK(MAIN));
	assert_int_equal(s.losses.deduced_exits, 1);
	assert_int_equal(s.losses.unfinished, 0);
	tl_xtrace_stack_free(&s);
	/* Nobody called that: control goes on in another function, as if by a jump. */
	three_frames(&s);
	apply(&s, operation(TL_XTRACE_OP_RETURN, 0, H + 8, 0x8e00));
	assert_stack(&s, STACK(MAIN, F, H));
	assert_false(s.frames[2].called);
	assert_int_equal(s.frames[2].back, F + 8);
	tl_xtrace_stack_free(&s);
}

/* ---- jumps ---- */

/* "a frame of that function replaces the innermost frame and keeps its return address and SP. It
 * counts as a call if it goes to the first address of the function". */
TEST(jumps)
{
	struct tl_xtrace_call_stack s;

	three_frames(&s);
	apply(&s, operation(TL_XTRACE_OP_JUMP, 0, H, 0));
	assert_stack(&s, STACK(MAIN, F, H));
	assert_true(s.frames[2].called);
	assert_int_equal(s.frames[2].back, F + 8);
	assert_int_equal(s.frames[2].sp, 0x8e00);
	assert_int_equal(calls_of(&s, H), 1);
	apply(&s, operation(TL_XTRACE_OP_JUMP, 0, G + 4, 0));
	assert_stack(&s, STACK(MAIN, F, G));
	assert_false(s.frames[2].called);
	assert_int_equal(calls_of(&s, G), 1);
	/* Inside of the function. */
	apply(&s, operation(TL_XTRACE_OP_JUMP, 0, G + 0x40, 0));
	assert_stack(&s, STACK(MAIN, F, G));
	assert_int_equal(s.losses.unfinished + s.losses.deduced_exits, 0);
	tl_xtrace_stack_free(&s);
	/* Nothing is there: found. */
	begin_stack(&s, false);
	apply(&s, operation(TL_XTRACE_OP_JUMP, 0, H, 0));
	assert_stack(&s, STACK(H));
	assert_true(s.frames[0].found);
	tl_xtrace_stack_free(&s);
}

/* An indirect branch: a return if a frame has that address; else a jump, unless SP was set. */
TEST(branches)
{
	struct tl_xtrace_call_stack s;

	three_frames(&s);
	apply(&s, operation(TL_XTRACE_OP_BRANCH, 0, MAIN + 8, 0x8f00));
	assert_stack(&s, STACK(MAIN));
	assert_int_equal(s.losses.deduced_exits, 1);
	tl_xtrace_stack_free(&s);
	/* A function's first address is no return. */
	three_frames(&s);
	s.frames[2].back = H;
	apply(&s, operation(TL_XTRACE_OP_BRANCH, 0, H, 0));
	assert_stack(&s, STACK(MAIN, F, H));
	assert_true(s.frames[2].called);
	tl_xtrace_stack_free(&s);
	/* SP was set, but to the value with which the frame was entered: a tail call. */
	three_frames(&s);
	land(&s, operation(TL_XTRACE_OP_BRANCH, 0, H, 0x8e00));
	assert_stack(&s, STACK(MAIN, F, H));
	assert_int_equal(s.parked.count, 0);
	/* To another one: another stack begins. */
	land(&s, operation(TL_XTRACE_OP_BRANCH, 0, G, 0x4000));
	assert_stack(&s, STACK(G));
	assert_int_equal(s.parked.count, 1);
	tl_xtrace_stack_free(&s);
	/* A handler has nothing that it was entered with, nor a found frame. */
	begin_stack(&s, false);
	push(&s, found_at(0, F, 0x8e00));
	land(&s, operation(TL_XTRACE_OP_BRANCH, 0, H, 0x8e00));
	assert_int_equal(s.parked.count, 1);
	tl_xtrace_stack_free(&s);
	begin_stack(&s, false);
	push(&s, called(0, MAIN, 0x504, 0x9000));
	push(&s, handler_of(0, F, MAIN + 4, 0x8e00));
	land(&s, operation(TL_XTRACE_OP_BRANCH, 0, H, 0x8e00));
	assert_int_equal(s.parked.count, 1);
	tl_xtrace_stack_free(&s);
}

/* ---- exceptions ---- */

static struct tl_xtrace_stack_op interrupt(unsigned el, uint64_t to, uint64_t from, uint64_t sp)
{
	struct tl_xtrace_stack_op op = operation(TL_XTRACE_OP_EXCEPTION, el, to, 0);

	op.from = from;
	op.back = from + 4;
	op.sp_before = sp;
	op.sp_before_state = known_if(sp);
	return op;
}

/* "Pushes a frame of the handler on the interrupted one." "Leaves all frames down to the handler's,
 * and goes on in the function below it". */
TEST(exceptions)
{
	struct tl_xtrace_call_stack s;

	three_frames(&s);
	apply(&s, interrupt(1, VECTOR, G + 4, 0x8d00));
	assert_stack(&s, STACK(MAIN, F, G, VECTOR));
	assert_true(s.frames[3].handler && s.frames[3].called);
	assert_int_equal(s.frames[3].from, G + 4);
	assert_int_equal(s.frames[3].back, G + 8);
	assert_int_equal(s.frames[3].sp, 0x8d00);
	assert_int_equal(s.frames[3].sp_state, TL_XTRACE_SP_KNOWN);
	assert_int_equal(s.frames[3].el, 1);
	assert_int_equal(s.handler, 4);
	call(&s, 1, H, VECTOR + 4);
	/* A second one interrupts the first. */
	apply(&s, interrupt(1, VECTOR, H, 0));
	assert_int_equal(s.handler, 6);
	apply(&s, operation(TL_XTRACE_OP_EXCEPTION_RETURN, 1, H, 0));
	assert_int_equal(s.handler, 4);
	assert_stack(&s, STACK(MAIN, F, G, VECTOR, H));
	apply(&s, operation(TL_XTRACE_OP_EXCEPTION_RETURN, 0, G + 8, 0));
	assert_stack(&s, STACK(MAIN, F, G));
	assert_int_equal(s.handler, 0);
	assert_int_equal(s.losses.deduced_exits, 1);
	assert_int_equal(s.losses.gaps, 0);
	assert_int_equal(calls_of(&s, VECTOR), 2);
	tl_xtrace_stack_free(&s);
}

/* Goes back to the instruction, behind it, or elsewhere in the function below, with its SP. */
TEST(exception_returns)
{
	static const struct {
		uint64_t to, sp;
		bool ends;
	} cases[] = {
		{ G + 4, 0, true },          { G + 8, 0, true },       { G + 0x40, 0, true },
		{ G + 4, 0x8d00, true },     { G + 4, 0x8d08, false }, { G + 0x40, 0x8d00, true },
		{ G + 0x40, 0x8d08, false }, { F + 4, 0, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_xtrace_call_stack s;

		three_frames(&s);
		apply(&s, interrupt(1, VECTOR, G + 4, 0x8d00));
		apply(&s, operation(TL_XTRACE_OP_EXCEPTION_RETURN, 0, cases[i].to, cases[i].sp));
		if (cases[i].ends) {
			assert_stack(&s, STACK(MAIN, F, G));
			assert_int_equal(s.losses.gaps, 0);
		} else {
			/* "If neither fits, another thread goes on." */
			assert_int_equal(s.depth, 1);
			assert_true(s.frames[0].found);
			assert_int_equal(s.parked.count, 1);
			assert_int_equal(s.losses.gaps, 1);
		}
		tl_xtrace_stack_free(&s);
	}
}

/* Of handlers below the innermost one, SP has to say which ends. */
TEST(nested_handlers)
{
	struct tl_xtrace_call_stack s;

	three_frames(&s);
	apply(&s, interrupt(0, H, G + 4, 0x8d00));
	apply(&s, interrupt(1, VECTOR, H + 4, 0x8000));
	apply(&s, operation(TL_XTRACE_OP_EXCEPTION_RETURN, 0, G + 4, 0x8d00));
	assert_stack(&s, STACK(MAIN, F, G));
	assert_int_equal(s.losses.gaps, 0);
	apply(&s, interrupt(0, H, G + 4, 0x8d00));
	apply(&s, interrupt(1, VECTOR, H + 4, 0x8000));
	apply(&s, operation(TL_XTRACE_OP_EXCEPTION_RETURN, 0, G + 4, 0));
	assert_stack(&s, STACK(G));
	assert_int_equal(s.losses.gaps, 1);
	tl_xtrace_stack_free(&s);
	/* Sixteen below the innermost are looked at. */
	for (unsigned more = 15; more <= 16; more++) {
		begin_stack(&s, false);
		push(&s, called(0, MAIN, 0x504, 0x9000));
		apply(&s, interrupt(0, H, MAIN + 4, 0x8d00));
		for (unsigned i = 0; i < more; i++)
			apply(&s, interrupt(0, H, G + 16 * i, 0x8000 - 16 * i));
		apply(&s, interrupt(1, VECTOR, H + 4, 0x7000));
		apply(&s, operation(TL_XTRACE_OP_EXCEPTION_RETURN, 0, MAIN + 4, 0x8d00));
		assert_int_equal(s.losses.gaps, more == 16);
		tl_xtrace_stack_free(&s);
	}
}

/* The kernel begins a handler of the program, below the interrupted frame's SP. */
TEST(kernels_begin_signals)
{
	struct tl_xtrace_call_stack s;

	three_frames(&s);
	apply(&s, interrupt(1, VECTOR, G + 4, 0x8d00));
	apply(&s, operation(TL_XTRACE_OP_EXCEPTION_RETURN, 0, H, 0x7b00));
	assert_stack(&s, STACK(MAIN, F, G, H));
	assert_true(s.frames[3].handler && s.frames[3].called);
	assert_int_equal(s.frames[3].el, 0);
	assert_int_equal(s.frames[3].from, G + 4);
	assert_int_equal(s.handler, 4);
	assert_int_equal(s.losses.gaps, 0);
	assert_int_equal(calls_of(&s, VECTOR), 1);
	assert_int_equal(calls_of(&s, H), 1);
	tl_xtrace_stack_free(&s);
	/* Not below it, or not at a function's first address: another thread. */
	for (unsigned i = 0; i < 3; i++) {
		static const uint64_t tos[] = { H, H, H + 4 }, sps[] = { 0x8d00, 0, 0x7b00 };

		three_frames(&s);
		apply(&s, interrupt(1, VECTOR, G + 4, 0x8d00));
		apply(&s, operation(TL_XTRACE_OP_EXCEPTION_RETURN, 0, tos[i], sps[i]));
		assert_stack(&s, STACK(H));
		tl_xtrace_stack_free(&s);
	}
}

/* A thread that began in the kernel goes down for the first time: nothing is missing. */
TEST(new_threads)
{
	struct tl_xtrace_call_stack s;
	struct tl_xtrace_frame root = called(1, VECTOR, 0, 0x9000);

	root.back = root.from = TL_NOWHERE;
	begin_stack(&s, false);
	push(&s, root);
	push(&s, called(1, H, VECTOR + 8, 0x8f00));
	apply(&s, operation(TL_XTRACE_OP_EXCEPTION_RETURN, 0, F, 0));
	assert_stack(&s, STACK(F));
	assert_true(s.frames[0].found);
	assert_int_equal(s.losses.gaps, 0);
	assert_int_equal(s.losses.unfinished, 0);
	assert_int_equal(s.losses.deduced_exits, 1);
	assert_int_equal(s.parked.count, 0);
	tl_xtrace_stack_free(&s);
	/* Frames that were found above EL0 are left, and something is missing. */
	begin_stack(&s, false);
	push(&s, found_at(1, VECTOR, 0x9000));
	push(&s, called(1, H, VECTOR + 8, 0x8f00));
	apply(&s, operation(TL_XTRACE_OP_EXCEPTION_RETURN, 0, F, 0));
	assert_stack(&s, STACK(F));
	assert_int_equal(s.losses.gaps, 1);
	assert_int_equal(s.losses.unfinished, 1);
	assert_int_equal(s.parked.count, 0);
	tl_xtrace_stack_free(&s);
	/* The first instruction of all: nothing is missing before it. */
	begin_stack(&s, false);
	apply(&s, operation(TL_XTRACE_OP_EXCEPTION_RETURN, 0, F, 0));
	assert_int_equal(s.losses.gaps, 0);
	tl_xtrace_stack_free(&s);
}

/* A parked thread goes on where it was interrupted. */
TEST(threads_go_on)
{
	struct tl_xtrace_call_stack s;

	three_frames(&s);
	apply(&s, interrupt(1, VECTOR, G + 4, 0x8d00));
	apply(&s, operation(TL_XTRACE_OP_EXCEPTION_RETURN, 0, H + 4, 0x4000));
	assert_stack(&s, STACK(H));
	assert_int_equal(s.parked.count, 1);
	apply(&s, interrupt(1, VECTOR, H + 8, 0x4000));
	apply(&s, operation(TL_XTRACE_OP_EXCEPTION_RETURN, 0, G + 4, 0x8d00));
	assert_stack(&s, STACK(MAIN, F, G));
	assert_int_equal(s.parked.count, 1);
	assert_int_equal(s.losses.gaps, 1);
	tl_xtrace_stack_end(&s);
	/* MAIN, F, G; and VECTOR on H, which nobody called. */
	assert_int_equal(s.losses.unfinished, 4);
	tl_xtrace_stack_free(&s);
}

/* ---- signals ---- */

/* An exception at EL0 where the kernel is not traced; back at the interrupted place is its end. */
TEST(signals)
{
	struct tl_xtrace_call_stack s;

	three_frames(&s);
	apply(&s, interrupt(0, H, G + 4, 0));
	assert_stack(&s, STACK(MAIN, F, G, H));
	apply(&s, interrupt(0, G + 4, H + 8, 0));
	assert_stack(&s, STACK(MAIN, F, G));
	apply(&s, interrupt(0, H, G + 4, 0));
	apply(&s, operation(TL_XTRACE_OP_SIGNAL_RETURN, 0, G + 8, 0));
	assert_stack(&s, STACK(MAIN, F, G));
	/* "goes back" needs the SP, where both are known. */
	apply(&s, interrupt(0, H, G + 4, 0x8d00));
	apply(&s, operation(TL_XTRACE_OP_SIGNAL_RETURN, 0, G + 4, 0x8d00));
	assert_stack(&s, STACK(MAIN, F, G));
	/* Another handler of what the first one interrupted. */
	apply(&s, interrupt(0, H, G + 4, 0));
	apply(&s, operation(TL_XTRACE_OP_SIGNAL_RETURN, 0, VECTOR, 0));
	assert_stack(&s, STACK(MAIN, F, G, VECTOR));
	assert_true(s.frames[3].handler);
	/* Or the handler has changed where it returns to: elsewhere in G. */
	apply(&s, operation(TL_XTRACE_OP_SIGNAL_RETURN, 0, G + 0x80, 0));
	assert_stack(&s, STACK(MAIN, F, G));
	assert_int_equal(s.handler, 0);
	/* No handler is known: the trace began in it. */
	apply(&s, operation(TL_XTRACE_OP_SIGNAL_RETURN, 0, F + 0x80, 0));
	assert_stack(&s, STACK(MAIN, F));
	tl_xtrace_stack_free(&s);
}

/* ---- gaps and limits ---- */

/* "Frames stay open, since a later exit still closes them rightly", if the function has one. */
TEST(gaps)
{
	struct tl_xtrace_call_stack s;

	three_frames(&s);
	apply(&s, operation(TL_XTRACE_OP_GAP, 0, F + 0x20, 0));
	assert_stack(&s, STACK(MAIN, F));
	assert_int_equal(s.losses.deduced_exits, 1);
	assert_int_equal(s.losses.unfinished, 0);
	assert_int_equal(s.losses.gaps, 1);
	apply(&s, operation(TL_XTRACE_OP_GAP, 0, H + 0x20, 0x8000));
	assert_stack(&s, STACK(H));
	assert_true(s.frames[0].found);
	assert_false(s.frames[0].called);
	assert_int_equal(s.frames[0].back, TL_NOWHERE);
	assert_int_equal(s.frames[0].sp, 0x8000);
	assert_int_equal(s.losses.unfinished, 2);
	assert_int_equal(s.losses.gaps, 2);
	tl_xtrace_stack_free(&s);
}

/* "Behind execve another program begins": what is open is unfinished. */
TEST(programs_end)
{
	struct tl_xtrace_call_stack s;

	three_frames(&s);
	apply(&s, operation(TL_XTRACE_OP_FOUND, 0, H, 0));
	assert_stack(&s, STACK(H));
	assert_int_equal(s.losses.unfinished, 3);
	assert_int_equal(calls_of(&s, H), 0);
	tl_xtrace_stack_free(&s);
}

/* DEEPEST: "calls that never return would fill the memory. All are abandoned then." */
TEST(endless_calls)
{
	struct tl_xtrace_call_stack s;

	begin_stack(&s, false);
	push(&s, called(0, MAIN, 0x504, 0));
	while (s.depth < TL_XTRACE_DEEPEST)
		push(&s, called(0, F, F + 8, 0));
	call(&s, 0, F, F + 4);
	assert_stack(&s, STACK(F));
	assert_true(s.frames[0].found);
	assert_int_equal(s.losses.unfinished, TL_XTRACE_DEEPEST);
	while (s.depth < TL_XTRACE_DEEPEST - 1)
		push(&s, called(0, F, F + 8, 0));
	call(&s, 0, F, F + 4);
	assert_int_equal(s.depth, TL_XTRACE_DEEPEST);
	apply(&s, interrupt(1, VECTOR, F + 4, 0));
	assert_stack(&s, STACK(VECTOR));
	assert_int_equal(s.handler, 0);
	tl_xtrace_stack_free(&s);
}

/* ---- local stacks ---- */

/* "An operation that needs them is not done: it is kept as a delta, together with all that was
 * counted since the one before". */
TEST(local_stacks_leave_deltas)
{
	static const enum tl_xtrace_stack_op_kind kinds[] = {
		TL_XTRACE_OP_BEGIN,         TL_XTRACE_OP_RETURN,    TL_XTRACE_OP_JUMP,
		TL_XTRACE_OP_BRANCH,        TL_XTRACE_OP_EXCEPTION, TL_XTRACE_OP_EXCEPTION_RETURN,
		TL_XTRACE_OP_SIGNAL_RETURN, TL_XTRACE_OP_FOUND,     TL_XTRACE_OP_GAP,
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct tl_xtrace_call_stack s;
		const struct tl_xtrace_stack_delta *delta;

		begin_stack(&s, true);
		s.base = G >> 12;
		s.unattributed.n[TL_XTRACE_IR] = 7;
		s.losses.gaps = 3;
		land(&s, operation(kinds[i], 0, MAIN + 0x40, 0x5000));
		assert_int_equal(s.deltas.count, 1);
		delta = &s.deltas.list[0];
		assert_int_equal(delta->op.kind, kinds[i]);
		assert_int_equal(delta->node_count, 1);
		assert_int_equal(delta->nodes[0].self.n[TL_XTRACE_IR], 7);
		assert_int_equal(delta->total.n[TL_XTRACE_IR], 7);
		assert_int_equal(delta->losses.gaps, 3);
		assert_int_equal(delta->frame_count + delta->site_count, 0);
		/* The local stack begins anew, in the function that goes on. */
		assert_int_equal(tl_xtrace_stack_top(&s), MAIN >> 12);
		assert_int_equal(s.total.n[TL_XTRACE_IR], 0);
		assert_int_equal(s.losses.gaps, 0);
		assert_int_equal(s.contexts.list[0].self.n[TL_XTRACE_IR], 0);
		tl_xtrace_stack_free(&s);
	}
}

/* Frames that a local stack has itself need no other. */
TEST(local_stacks_know_their_frames)
{
	struct tl_xtrace_call_stack s;

	begin_stack(&s, true);
	s.base = MAIN >> 12;
	call(&s, 0, F, MAIN + 4);
	apply(&s, interrupt(1, VECTOR, F + 4, 0x8d00));
	apply(&s, operation(TL_XTRACE_OP_EXCEPTION_RETURN, 0, F + 8, 0));
	assert_stack(&s, STACK(F));
	assert_int_equal(s.sp.value, 0x8d00); /* as it was when F was interrupted */
	assert_int_equal(s.sp.state, TL_XTRACE_SP_KNOWN);
	apply(&s, interrupt(0, H, F + 4, 0x8d00));
	assert_int_equal(s.deltas.count, 1); /* it may be the end of one that is not known */
	tl_xtrace_stack_free(&s);
	begin_stack(&s, true);
	s.base = MAIN >> 12;
	call(&s, 0, F, MAIN + 4);
	call(&s, 0, G, F + 4);
	apply(&s, operation(TL_XTRACE_OP_RETURN, 0, MAIN + 8, 0));
	assert_int_equal(s.depth, 0);
	apply(&s, operation(TL_XTRACE_OP_JUMP, 0, MAIN + 0x40, 0));
	assert_int_equal(s.deltas.count, 0);
	/*
	 * An exception that a kernel's handler took in between, with the bottom function's address.
	 */
	apply(&s, interrupt(1, VECTOR, MAIN + 0x40, 0));
	apply(&s, operation(TL_XTRACE_OP_EXCEPTION_RETURN, 0, MAIN + 0x80, 0));
	assert_int_equal(s.depth, 0);
	assert_int_equal(s.deltas.count, 0);
	tl_xtrace_stack_free(&s);
}

/* ---- splicing ---- */

/*
 * The same calls on the stack of a stream, and on local stacks that are spliced onto it: contexts,
 * sites and costs are the same. The test keeps the true return addresses itself.
 */
struct caller {
	uint64_t functions[64], backs[64];
	size_t depth;
};

static void call_next(struct tl_xtrace_call_stack *s, struct caller *true_stack, uint64_t to)
{
	uint64_t from = true_stack->functions[true_stack->depth] + 4;

	call(s, 0, to, from);
	true_stack->backs[true_stack->depth++] = from + 4;
	true_stack->functions[true_stack->depth] = to;
}

static void return_over(struct tl_xtrace_call_stack *s, struct caller *true_stack, size_t frames)
{
	uint64_t to;

	if (frames > true_stack->depth)
		return;
	true_stack->depth -= frames;
	to = true_stack->backs[true_stack->depth];
	if (!returns(s, 0, to))
		apply(s, operation(TL_XTRACE_OP_RETURN, 0, to, 0));
}

static void splice_all(struct tl_xtrace_call_stack *local, struct tl_xtrace_call_stack *whole)
{
	tl_xtrace_stack_close_local(local);
	for (size_t i = 0; i < local->deltas.count; i++)
		tl_xtrace_stack_splice(whole, &local->deltas.list[i]);
	tl_xtrace_stack_free(local);
}

/* `length`: instructions of a segment; 0: the stack is that of the stream. */
static void do_calls(struct tl_xtrace_call_stack *whole, unsigned length)
{
	static const uint64_t functions[] = { F, G, H, F, F };
	struct caller true_stack = { .functions = { F } };
	struct tl_xtrace_call_stack local, *s = length ? &local : whole;

	if (length)
		begin_stack(&local, true);
	for (unsigned i = 0; i < 60; i++) {
		if (length && i && i % length == 0) {
			splice_all(&local, whole);
			begin_stack(&local, true);
		}
		if (length && i % length == 0)
			local.base = tl_xtrace_stack_top(whole);
		s->unattributed.n[TL_XTRACE_IR] += 1 + i;
		s->unattributed.n[TL_XTRACE_LOADS] += 2 * i;
		if (i % 9 < 5)
			call_next(s, &true_stack, functions[i % 9]);
		else
			return_over(s, &true_stack, 1 + (i % 27 == 8));
	}
	if (length)
		splice_all(&local, whole);
}

static void assert_same_stack(const struct tl_xtrace_call_stack *one,
			      const struct tl_xtrace_call_stack *many)
{
	assert_int_equal(one->contexts.count, many->contexts.count);
	assert_int_equal(one->sites.count, many->sites.count);
	for (size_t i = 0; i < one->contexts.count; i++) {
		const struct tl_xtrace_context *a = &one->contexts.list[i];
		const struct tl_xtrace_context *b = &many->contexts.list[i];

		assert_int_equal(a->function, b->function);
		assert_int_equal(a->parent, b->parent);
		assert_int_equal(a->calls, b->calls);
		assert_int_equal(a->unfinished, b->unfinished);
		assert_memory_equal(&a->self, &b->self, sizeof(a->self));
	}
	for (size_t i = 0; i < one->sites.count; i++) {
		const struct tl_xtrace_call_site *a = &one->sites.list[i];
		const struct tl_xtrace_call_site *b = &many->sites.list[i];

		assert_int_equal(a->from, b->from);
		assert_int_equal(a->calls, b->calls);
		assert_memory_equal(&a->inclusive, &b->inclusive, sizeof(a->inclusive));
	}
	assert_memory_equal(&one->total, &many->total, sizeof(one->total));
	assert_memory_equal(&one->losses, &many->losses, sizeof(one->losses));
}

TEST(segments_change_nothing)
{
	struct tl_xtrace_call_stack one, many;

	begin_stack(&one, false);
	push(&one, found_at(0, F, 0));
	do_calls(&one, 0);
	tl_xtrace_stack_end(&one);
	/* 1 + 2 + ... + 60 instructions. */
	assert_int_equal(one.total.n[TL_XTRACE_IR], 1830);
	for (unsigned length = 1; length <= 60; length++) {
		begin_stack(&many, false);
		push(&many, found_at(0, F, 0));
		do_calls(&many, length);
		tl_xtrace_stack_end(&many);
		assert_same_stack(&one, &many);
		tl_xtrace_stack_free(&many);
	}
	tl_xtrace_stack_free(&one);
}

/* A splice that would make the stack too deep abandons it, but the innermost function goes on. */
TEST(splices_too_deep)
{
	struct tl_xtrace_call_stack s, local;

	begin_stack(&local, true);
	call(&local, 0, G, F + 4);
	call(&local, 0, H, G + 4);
	tl_xtrace_stack_close_local(&local);
	begin_stack(&s, false);
	while (s.depth < TL_XTRACE_DEEPEST - 2)
		push(&s, called(0, F, F + 8, 0));
	tl_xtrace_stack_splice(&s, &local.deltas.list[0]);
	assert_int_equal(s.depth, TL_XTRACE_DEEPEST);
	assert_int_equal(s.losses.unfinished, 0);
	tl_xtrace_stack_splice(&s, &local.deltas.list[0]);
	assert_stack(&s, STACK(H, G, H));
	assert_false(s.frames[0].called);
	assert_int_equal(s.losses.unfinished, TL_XTRACE_DEEPEST);
	tl_xtrace_stack_free(&s);
	tl_xtrace_stack_free(&local);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls),
		cmocka_unit_test(call_sites),
		cmocka_unit_test(quick_returns),
		cmocka_unit_test(returns_to_the_next_function),
		cmocka_unit_test(returns_over_frames),
		cmocka_unit_test(jumps),
		cmocka_unit_test(branches),
		cmocka_unit_test(exceptions),
		cmocka_unit_test(exception_returns),
		cmocka_unit_test(nested_handlers),
		cmocka_unit_test(kernels_begin_signals),
		cmocka_unit_test(new_threads),
		cmocka_unit_test(threads_go_on),
		cmocka_unit_test(signals),
		cmocka_unit_test(gaps),
		cmocka_unit_test(programs_end),
		cmocka_unit_test(endless_calls),
		cmocka_unit_test(local_stacks_leave_deltas),
		cmocka_unit_test(local_stacks_know_their_frames),
		cmocka_unit_test(segments_change_nothing),
		cmocka_unit_test(splices_too_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
