/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Landings and the stacks of threads and coroutines that do not run: "The first that is found goes
 * on ... If none is found, a new stack begins, and the present one is parked" (head of
 * call_stack.h). The frames are made by hand.
 */
#include "stacks.h"

enum { MAIN = 0x1000, F = 0x2000, G = 0x3000, H = 0x4000, CO = 0x5000, VECTOR = 0x9000 };

/* A stack at 0x9000: MAIN called F, and F called G. */
static void three_frames(struct tl_xtrace_call_stack *s)
{
	begin_stack(s, false);
	push(s, called(0, MAIN, 0x504, 0x9000));
	push(s, called(0, F, MAIN + 8, 0x8f00));
	push(s, called(0, G, F + 8, 0x8e00));
}

/* These frames are parked, having been left at 0x8d00, and CO runs on a stack at 0x50000. */
static void coroutine(struct tl_xtrace_call_stack *s)
{
	struct tl_xtrace_stack_op op = operation(TL_XTRACE_OP_BRANCH, 0, CO, 0x50000);

	three_frames(s);
	op.left = 0x8d00;
	land(s, op);
	assert_stack(s, STACK(CO));
}

static struct tl_xtrace_stack_op returning(uint64_t to, uint64_t sp)
{
	return operation(TL_XTRACE_OP_RETURN, 0, to, sp);
}

/* ---- where a landing goes on ---- */

/* "1. a frame of this stack or of a parked one with that return address and SP". */
TEST(by_address_and_sp)
{
	struct tl_xtrace_call_stack s;

	coroutine(&s);
	land(&s, returning(F + 8, 0x8e00));
	assert_stack(&s, STACK(MAIN, F));
	assert_int_equal(s.losses.deduced_exits, 0);
	assert_int_equal(s.parked.count, 1); /* CO's */
	land(&s, operation(TL_XTRACE_OP_BRANCH, 0, CO + 8, 0x4ff00));
	assert_int_equal(s.losses.gaps, 1); /* CO awaits nothing, and has no SP below its own */
	tl_xtrace_stack_free(&s);
	coroutine(&s);
	land(&s, returning(MAIN + 8, 0x8f00));
	assert_stack(&s, STACK(MAIN));
	assert_int_equal(s.losses.deduced_exits, 1);
	tl_xtrace_stack_free(&s);
}

/* "2. the frame of that function in whose part of the stack SP is", first of this stack. */
TEST(by_function_and_sp)
{
	struct tl_xtrace_call_stack s;

	three_frames(&s);
	land(&s, returning(F + 0x40, 0x8e80));
	assert_stack(&s, STACK(MAIN, F));
	assert_int_equal(s.losses.deduced_exits, 1);
	assert_int_equal(s.parked.count, 0);
	tl_xtrace_stack_free(&s);
	coroutine(&s);
	land(&s, returning(F + 0x40, 0x8e80));
	assert_stack(&s, STACK(MAIN, F));
	assert_int_equal(s.losses.deduced_exits, 1);
	assert_int_equal(s.parked.count, 1);
	assert_int_equal(s.losses.gaps, 0);
	tl_xtrace_stack_free(&s);
	/* The innermost frame goes on with the SP with which the stack was left. */
	coroutine(&s);
	land(&s, returning(G + 0x40, 0x8d00));
	assert_stack(&s, STACK(MAIN, F, G));
	assert_int_equal(s.losses.gaps, 0);
	tl_xtrace_stack_free(&s);
	coroutine(&s);
	land(&s, returning(G + 0x40, 0x8d08));
	assert_stack(&s, STACK(G));
	assert_int_equal(s.losses.gaps, 1);
	tl_xtrace_stack_free(&s);
}

/* "3. the frame in whose part of the stack SP is": code that is rarely run stands elsewhere. */
TEST(by_sp)
{
	struct tl_xtrace_call_stack s;

	three_frames(&s);
	land(&s, returning(H + 0x40, 0x8e80));
	assert_stack(&s, STACK(MAIN, H));
	assert_int_equal(s.frames[1].back, MAIN + 8);
	assert_int_equal(s.losses.deduced_exits, 1);
	tl_xtrace_stack_free(&s);
	/* "The first instruction of a function is no landing inside a frame." */
	three_frames(&s);
	land(&s, returning(H, 0x8e80));
	assert_stack(&s, STACK(H));
	assert_int_equal(s.parked.count, 1);
	tl_xtrace_stack_free(&s);
}

/* "a new stack begins": a call by nobody, if it begins with a function. */
TEST(stacks_begin)
{
	struct tl_xtrace_call_stack s;

	coroutine(&s);
	assert_true(s.frames[0].called);
	assert_false(s.frames[0].found);
	assert_int_equal(s.frames[0].back, TL_NOWHERE);
	assert_int_equal(s.frames[0].from, TL_NOWHERE);
	assert_int_equal(s.frames[0].sp, 0x50000);
	assert_int_equal(s.losses.gaps, 0);
	assert_int_equal(calls_of(&s, CO), 1);
	assert_int_equal(s.parked.count, 1);
	assert_int_equal(s.parked.frames, 3);
	assert_int_equal(s.parked.list[0].left, 0x8d00);
	assert_int_equal(s.parked.list[0].lowest, 0x8e00);
	assert_int_equal(s.parked.list[0].highest, 0x9000);
	assert_true(s.parked.list[0].all_known);
	/* In the middle of one: it was not seen how. */
	land(&s, returning(H + 8, 0x70000));
	assert_stack(&s, STACK(H));
	assert_true(s.frames[0].found);
	assert_int_equal(s.losses.gaps, 1);
	assert_int_equal(s.parked.count, 2);
	tl_xtrace_stack_end(&s);
	assert_int_equal(s.losses.unfinished, 4);
	assert_int_equal(s.parked.count, 0);
	tl_xtrace_stack_free(&s);
}

/* "A stack begins at this SP: one that is parked and began there is over." */
TEST(stacks_are_used_again)
{
	static const uint64_t again[] = { 0x50000, 0x50010 };

	for (unsigned i = 0; i < 2; i++) {
		struct tl_xtrace_call_stack s;

		coroutine(&s);
		land(&s, returning(F + 8, 0x8e00));
		assert_int_equal(s.parked.count, 1);
		land(&s, operation(TL_XTRACE_OP_BRANCH, 0, CO, again[i]));
		assert_stack(&s, STACK(CO));
		assert_int_equal(s.parked.count, i + 1);
		assert_int_equal(s.losses.unfinished, 1 - i);
		tl_xtrace_stack_free(&s);
	}
}

/* "Whether SP is on this stack, in the unknown part above the frame found at its bottom." */
TEST(callers_above_a_found_frame)
{
	static const struct {
		uint64_t bottom, top, to, sp;
		bool here;
	} cases[] = {
		{ 0x100000, 0xf0000, H + 4, 0x100010, true },
		{ 0x100000, 0xf0000, H + 4, 0x10fff8, true },
		{ 0x100000, 0xf0000, H + 4, 0x110000, false },
		{ 0x100000, 0xf0000, H, 0x100010, false },
		{ 0, 0xf0000, H + 4, 0x100000, true },
		{ 0x100000, 0xf8000, H + 4, 0xf7ff8, false },
		{ 0x100000, 0, H + 4, 0xf0000, true },
		{ 0x100000, 0, H + 4, 0xefff8, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_xtrace_call_stack s;

		begin_stack(&s, false);
		push(&s, found_at(0, F, cases[i].bottom));
		push(&s, called(0, G, F + 8, cases[i].top));
		land(&s, returning(cases[i].to, cases[i].sp));
		assert_stack(&s, STACK(H));
		assert_int_equal(s.parked.count, !cases[i].here);
		assert_int_equal(s.losses.deduced_exits, cases[i].here);
		assert_int_equal(s.losses.gaps, !cases[i].here && cases[i].to != H);
		tl_xtrace_stack_free(&s);
	}
	/*
	 * A frame that was called tells where its caller's part begins; the kernel has other
	 * stacks.
	 */
	for (unsigned i = 0; i < 3; i++) {
		struct tl_xtrace_call_stack s;

		begin_stack(&s, false);
		push(&s, i ? found_at(i == 1, F, 0x8e00) : called(0, F, 0x504, 0x8e00));
		land(&s, operation(TL_XTRACE_OP_RETURN, i == 2, H + 4, 0x8f00));
		assert_int_equal(s.parked.count, 1);
		tl_xtrace_stack_free(&s);
	}
}

/* "A handler returns to code that ends it." */
TEST(handlers_return)
{
	struct tl_xtrace_call_stack s;

	three_frames(&s);
	push(&s, handler_of(0, H, G + 4, 0x8d00));
	land(&s, returning(CO, 0x7b00));
	assert_stack(&s, STACK(MAIN, F, G, CO));
	assert_true(s.frames[3].handler);
	assert_int_equal(s.handler, 4);
	tl_xtrace_stack_free(&s);
	for (unsigned i = 0; i < 2; i++) {
		three_frames(&s);
		push(&s, handler_of(i, H, G + 4, 0x8d00));
		land(&s, operation(i ? TL_XTRACE_OP_RETURN : TL_XTRACE_OP_BRANCH, i, CO, 0x7b00));
		assert_stack(&s, STACK(CO));
		tl_xtrace_stack_free(&s);
	}
}

/* No frame is there: nothing is parked. */
TEST(landings_on_an_empty_stack)
{
	struct tl_xtrace_call_stack s;

	begin_stack(&s, false);
	land(&s, returning(H + 4, 0x8000));
	assert_stack(&s, STACK(H));
	assert_int_equal(s.parked.count, 0);
	assert_int_equal(s.losses.gaps, 0);
	tl_xtrace_stack_free(&s);
}

/* ---- without SP ---- */

/* SP was not set: the function goes on elsewhere, whatever SP is. */
TEST(same_stack)
{
	struct tl_xtrace_call_stack s;

	three_frames(&s);
	apply(&s, returning(H + 4, 0x50000));
	assert_stack(&s, STACK(MAIN, F, H));
	assert_int_equal(s.parked.count, 0);
	tl_xtrace_stack_free(&s);
}

/* "Without SP: the innermost frame of the function", of the same level. */
TEST(by_function)
{
	struct tl_xtrace_call_stack s;

	three_frames(&s);
	apply(&s, returning(MAIN + 0x40, 0));
	assert_stack(&s, STACK(MAIN));
	assert_int_equal(s.losses.deduced_exits, 2);
	tl_xtrace_stack_free(&s);
	three_frames(&s);
	apply(&s, returning(MAIN, 0)); /* its first address: another run of it */
	assert_stack(&s, STACK(MAIN, F, MAIN));
	tl_xtrace_stack_free(&s);
	three_frames(&s);
	s.frames[1].el = 1;
	apply(&s, returning(MAIN + 0x40, 0));
	assert_stack(&s, STACK(MAIN, F, MAIN));
	tl_xtrace_stack_free(&s);
	for (size_t above = TL_XTRACE_SEARCH_FRAMES - 1; above <= TL_XTRACE_SEARCH_FRAMES;
	     above++) {
		begin_stack(&s, false);
		push(&s, called(0, MAIN, 0x504, 0));
		for (size_t i = 0; i < above; i++)
			push(&s, called(0, F, F + 8, 0));
		apply(&s, returning(MAIN + 0x40, 0));
		assert_int_equal(s.depth, above < TL_XTRACE_SEARCH_FRAMES ? 1 : above + 1);
		tl_xtrace_stack_free(&s);
	}
}

/* Without SP a parked stack is known by its return addresses near the top. */
TEST(parked_by_address)
{
	struct tl_xtrace_call_stack s;

	coroutine(&s);
	apply(&s, returning(F + 8, 0));
	assert_stack(&s, STACK(MAIN, F));
	assert_int_equal(s.parked.count, 1);
	tl_xtrace_stack_free(&s);
	/* Not by those below a handler. */
	three_frames(&s);
	push(&s, handler_of(0, H, G + 4, 0x8d00));
	push(&s, called(0, H, H + 8, 0x8000));
	land(&s, operation(TL_XTRACE_OP_BRANCH, 0, CO, 0x50000));
	apply(&s, returning(F + 8, 0));
	assert_stack(&s, STACK(F));
	assert_int_equal(s.parked.count, 1);
	apply(&s, returning(H + 8, 0));
	assert_stack(&s, STACK(MAIN, F, G, H));
	tl_xtrace_stack_free(&s);
	/* A branch to a function's first address is none of these. */
	three_frames(&s);
	land(&s, operation(TL_XTRACE_OP_BRANCH, 0, H, 0));
	assert_stack(&s, STACK(MAIN, F, H));
	assert_int_equal(s.parked.count, 0);
	tl_xtrace_stack_free(&s);
	coroutine(&s);
	apply(&s, operation(TL_XTRACE_OP_SIGNAL_RETURN, 0, F + 8, 0));
	assert_stack(&s, STACK(MAIN, F));
	tl_xtrace_stack_free(&s);
}

/* "SEARCH_PARKED: frames from the top of a parked stack that identify it without a known SP." */
TEST(parked_by_address_near_the_top)
{
	for (size_t above = TL_XTRACE_SEARCH_PARKED - 1; above <= TL_XTRACE_SEARCH_PARKED;
	     above++) {
		struct tl_xtrace_call_stack s;

		begin_stack(&s, false);
		push(&s, called(0, MAIN, 0x504, 0x9000));
		for (size_t i = 0; i < above; i++)
			push(&s, called(0, F, F + 8, 0x8f00 - 16 * i));
		land(&s, operation(TL_XTRACE_OP_BRANCH, 0, CO, 0x50000));
		apply(&s, returning(0x504, 0));
		assert_int_equal(s.parked.count, 1);
		/* Found: MAIN has returned to code outside. */
		assert_int_equal(s.losses.deduced_exits,
				 above < TL_XTRACE_SEARCH_PARKED ? above : 0);
		tl_xtrace_stack_free(&s);
	}
}

/* "The stream of a core goes from thread to thread inside the kernel". */
TEST(kernel_threads)
{
	struct tl_xtrace_call_stack s;

	begin_stack(&s, false);
	push(&s, found_at(1, F, 0));
	apply(&s, operation(TL_XTRACE_OP_RETURN, 1, G + 4, 0));
	assert_stack(&s, STACK(G)); /* a caller of the function in which the trace begins */
	assert_int_equal(s.parked.count, 0);
	push(&s, called(1, H, G + 8, 0));
	apply(&s, operation(TL_XTRACE_OP_RETURN, 1, F + 4, 0));
	assert_stack(&s, STACK(F));
	assert_true(s.frames[0].found);
	assert_int_equal(s.parked.count, 1);
	assert_int_equal(s.losses.gaps, 1);
	apply(&s, operation(TL_XTRACE_OP_RETURN, 1, G + 8, 0));
	assert_stack(&s, STACK(G));
	assert_int_equal(s.losses.gaps, 1);
	tl_xtrace_stack_free(&s);
	/* A frame that was called stays, even alone. */
	begin_stack(&s, false);
	push(&s, called(1, F, 0x504, 0));
	apply(&s, operation(TL_XTRACE_OP_RETURN, 1, G + 4, 0));
	assert_int_equal(s.parked.count, 1);
	tl_xtrace_stack_free(&s);
	begin_stack(&s, false);
	apply(&s, operation(TL_XTRACE_OP_RETURN, 1, G + 4, 0));
	assert_stack(&s, STACK(G));
	assert_int_equal(s.losses.gaps, 0);
	tl_xtrace_stack_free(&s);
}

/* ---- parked stacks ---- */

static size_t asked;

static size_t fits_all(const struct tl_xtrace_parked *parked, const struct tl_xtrace_stack_op *op)
{
	(void)op;
	asked++;
	return parked->depth;
}

/* One frame of each function, each parked. */
static void park_each(struct tl_xtrace_call_stack *s, const uint64_t *functions, uint64_t sp)
{
	for (; *functions != END; functions++, sp += 0x1000) {
		push(s, called(0, *functions, 0x504, sp));
		tl_xtrace_park(s, 0);
		assert_int_equal(s->depth, 0);
	}
}

/* "Take up the frames that were parked last of those that fit"; the present ones are parked or
 * abandoned. */
TEST(the_last_that_fits)
{
	const struct tl_xtrace_stack_op op = returning(MAIN, 0);

	for (unsigned keep = 0; keep < 2; keep++) {
		const struct tl_xtrace_park_match wanted = { fits_all, 0, keep };
		struct tl_xtrace_call_stack s;
		size_t at = 99;

		begin_stack(&s, false);
		park_each(&s, STACK(F, G, H), 0x8000);
		push(&s, called(0, MAIN, 0x504, 0x9000));
		assert_true(tl_xtrace_unpark(&s, &op, &wanted, &at));
		assert_int_equal(at, 0);
		assert_stack(&s, STACK(H));
		assert_int_equal(s.parked.count, 2 + keep);
		assert_int_equal(s.parked.frames, 2 + keep);
		assert_int_equal(s.losses.unfinished, 1 - keep);
		assert_true(tl_xtrace_unpark(&s, &op, &wanted, &at));
		assert_stack(&s, keep ? STACK(MAIN) : STACK(G));
		tl_xtrace_stack_free(&s);
	}
}

/* "A stack whose range of SP is elsewhere is skipped without a look at its frames." */
TEST(ranges_of_sp)
{
	static const struct {
		uint64_t sp, margin;
		unsigned looks;
	} cases[] = {
		{ 0x9000, 0, 1 }, { 0x8e00, 0, 1 }, { 0x8f00, 0, 1 },     { 0x9008, 0, 0 },
		{ 0x8df8, 0, 0 }, { 0x9008, 8, 1 }, { 0x9010, 8, 0 },     { 0x8df8, 8, 1 },
		{ 0x8df0, 8, 0 }, { 0, 0, 1 },      { 1, UINT64_MAX, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tl_xtrace_stack_op op = returning(MAIN, cases[i].sp);
		const struct tl_xtrace_park_match wanted = { fits_all, cases[i].margin, true };
		struct tl_xtrace_call_stack s;
		size_t at;

		three_frames(&s);
		tl_xtrace_park(&s, 0);
		asked = 0;
		/* Once to choose it, once more to take it. */
		assert_int_equal(tl_xtrace_unpark(&s, &op, &wanted, &at), cases[i].looks);
		assert_int_equal(asked, 2 * cases[i].looks);
		tl_xtrace_stack_free(&s);
	}
}

/* One SP that is not known may be anywhere. */
TEST(ranges_that_are_not_known)
{
	const struct tl_xtrace_stack_op op = returning(MAIN, 0x50000);
	const struct tl_xtrace_park_match wanted = { fits_all, 0, true };
	struct tl_xtrace_call_stack s;
	size_t at;

	begin_stack(&s, false);
	push(&s, called(0, MAIN, 0x504, 0x9000));
	push(&s, called(0, F, MAIN + 8, 0));
	tl_xtrace_park(&s, 0);
	assert_false(s.parked.list[0].all_known);
	assert_int_equal(s.parked.list[0].lowest, 0x9000);
	assert_int_equal(s.parked.list[0].highest, 0x9000);
	assert_true(tl_xtrace_unpark(&s, &op, &wanted, &at));
	tl_xtrace_stack_free(&s);
}

/* "The calls on a parked stack collect no cost." */
TEST(parked_calls_cost_nothing)
{
	const struct tl_xtrace_stack_op op = returning(MAIN, 0);
	const struct tl_xtrace_park_match wanted = { fits_all, 0, true };
	const struct tl_xtrace_location back = place(0, MAIN + 8), callee = place(0, F);
	struct tl_xtrace_call_stack s;
	size_t at;

	begin_stack(&s, false);
	push(&s, called(0, MAIN, 0x504, 0));
	tl_xtrace_stack_call(&s, &callee, MAIN + 4, MAIN + 8);
	s.unattributed.n[TL_XTRACE_IR] = 10;
	tl_xtrace_attribute_cost(&s);
	tl_xtrace_park(&s, 0);
	push(&s, called(0, CO, 0x504, 0));
	s.unattributed.n[TL_XTRACE_IR] = 100;
	tl_xtrace_attribute_cost(&s);
	assert_true(tl_xtrace_unpark(&s, &op, &wanted, &at));
	s.unattributed.n[TL_XTRACE_IR] = 1;
	tl_xtrace_attribute_cost(&s);
	assert_true(tl_xtrace_stack_return(&s, &back));
	assert_int_equal(s.sites.count, 1);
	assert_int_equal(s.sites.list[0].inclusive.n[TL_XTRACE_IR], 11);
	assert_int_equal(s.sites.list[0].open, 0);
	tl_xtrace_stack_free(&s);
}

/* "MOST_PARKED, PARKED_FRAMES: ... the oldest is abandoned for one more." */
TEST(too_many_are_parked)
{
	struct tl_xtrace_call_stack s;

	begin_stack(&s, false);
	for (unsigned i = 0; i < TL_XTRACE_MOST_PARKED; i++) {
		push(&s, called(0, F, 0x504, 0x8000 + 16 * i));
		tl_xtrace_park(&s, 0);
	}
	assert_int_equal(s.losses.unfinished, 0);
	push(&s, called(0, G, 0x504, 0));
	tl_xtrace_park(&s, 0);
	assert_int_equal(s.parked.count, TL_XTRACE_MOST_PARKED);
	assert_int_equal(s.losses.unfinished, 1);
	for (size_t i = 0; i < s.parked.count; i++)
		assert_int_not_equal(s.parked.list[i].frames[0].sp, 0x8000);
	tl_xtrace_stack_free(&s);
}

TEST(too_many_frames_are_parked)
{
	enum { STACKS = TL_XTRACE_PARKED_FRAMES / TL_XTRACE_PARKED_DEEPEST };
	struct tl_xtrace_call_stack s;

	begin_stack(&s, false);
	for (unsigned i = 0; i <= STACKS; i++) {
		assert_int_equal(s.parked.count, i);
		while (s.depth < TL_XTRACE_PARKED_DEEPEST)
			push(&s, called(0, F, 0x504, 0));
		tl_xtrace_park(&s, i);
	}
	assert_int_equal(s.parked.count, STACKS);
	assert_int_equal(s.parked.frames, TL_XTRACE_PARKED_FRAMES);
	assert_int_equal(s.losses.unfinished, TL_XTRACE_PARKED_DEEPEST);
	/* "PARKED_DEEPEST: a deeper stack is abandoned instead of parked." */
	while (s.depth <= TL_XTRACE_PARKED_DEEPEST)
		push(&s, called(0, F, 0x504, 0));
	tl_xtrace_park(&s, 0);
	assert_int_equal(s.depth, 0);
	assert_int_equal(s.parked.count, STACKS);
	assert_int_equal(s.losses.unfinished, 2 * TL_XTRACE_PARKED_DEEPEST + 1);
	tl_xtrace_stack_free(&s);
}

/* A handler's frame keeps its number on its stack. */
TEST(handlers_are_parked)
{
	const struct tl_xtrace_stack_op op = returning(MAIN, 0);
	const struct tl_xtrace_park_match wanted = { fits_all, 0, true };
	struct tl_xtrace_call_stack s;
	size_t at;

	three_frames(&s);
	push(&s, handler_of(1, VECTOR, G + 4, 0));
	tl_xtrace_park(&s, 0);
	assert_int_equal(s.handler, 0);
	assert_true(tl_xtrace_unpark(&s, &op, &wanted, &at));
	assert_int_equal(s.handler, 4);
	tl_xtrace_frame_pop(&s, true);
	assert_int_equal(s.handler, 0);
	tl_xtrace_stack_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_address_and_sp),
		cmocka_unit_test(by_function_and_sp),
		cmocka_unit_test(by_sp),
		cmocka_unit_test(stacks_begin),
		cmocka_unit_test(stacks_are_used_again),
		cmocka_unit_test(callers_above_a_found_frame),
		cmocka_unit_test(handlers_return),
		cmocka_unit_test(landings_on_an_empty_stack),
		cmocka_unit_test(same_stack),
		cmocka_unit_test(by_function),
		cmocka_unit_test(parked_by_address),
		cmocka_unit_test(parked_by_address_near_the_top),
		cmocka_unit_test(kernel_threads),
		cmocka_unit_test(the_last_that_fits),
		cmocka_unit_test(ranges_of_sp),
		cmocka_unit_test(ranges_that_are_not_known),
		cmocka_unit_test(parked_calls_cost_nothing),
		cmocka_unit_test(too_many_are_parked),
		cmocka_unit_test(too_many_frames_are_parked),
		cmocka_unit_test(handlers_are_parked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
