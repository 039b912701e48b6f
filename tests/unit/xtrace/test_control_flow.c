/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operation on the call stack between two instructions: the head of control_flow.h, on single
 * steps. Functions are the entries MAIN, F, G, ..., which are called addresses of no binary.
 */
#include "stacks.h"

#include "isa/a64/a64.h"
#include "xtrace/profile/control_flow.h"

enum { MAIN = 0x1000, F = 0x2000, G = 0x3000, H = 0x4000, VECTOR = 0x9000 };
enum { SIGRETURN = 139, EXECVE = 221, EXECVEAT = 281, WRITE = 64 };

struct walk {
	struct tl_xtrace_call_stack stack;
	struct tl_xtrace_function_map functions;
	struct tl_xtrace_entry_points entries;
	struct tl_xtrace_observed_sp observed;
};

static struct tl_xtrace_location locate(struct walk *w, unsigned el, uint64_t pc)
{
	return tl_xtrace_locate(&w->functions, pc, el);
}

/* A stack of MAIN, which called F, at 0x8f00. */
static void begin(struct walk *w, bool local)
{
	static const uint64_t starts[] = { MAIN, F, G, H, VECTOR };
	uint64_t *list = malloc(sizeof(starts));

	assert_non_null(list);
	memcpy(list, starts, sizeof(starts));
	*w = (struct walk){ .observed = { .known = false } };
	tl_xtrace_function_map_begin(&w->functions, NULL, 0);
	tl_xtrace_function_map_entries(&w->functions, list, 5);
	begin_stack(&w->stack, local);
	w->stack.base = locate(w, 0, MAIN).function;
	if (!local)
		push(&w->stack, called(0, MAIN, 0x504, 0x9000));
	push(&w->stack, called(0, F, MAIN + 8, 0x8f00));
	for (size_t i = 0; i < w->stack.depth; i++)
		w->stack.frames[i].function = locate(w, 0, (i + local) ? F : MAIN).function;
}

static void end(struct walk *w)
{
	tl_xtrace_stack_free(&w->stack);
	tl_xtrace_function_map_free(&w->functions);
	tl_xtrace_entry_points_free(&w->entries);
}

static void follow(struct walk *w, struct tl_xtrace_prev_insn last, unsigned el, uint64_t to)
{
	const struct tl_xtrace_location next = locate(w, el, to);

	last.valid = true;
	tl_xtrace_follow_flow(&w->stack, &w->functions, &w->entries, &last, &next, w->observed);
	assert_false(w->stack.no_memory);
}

/* The functions of the frames by their first addresses. */
static void assert_starts(const struct walk *w, const uint64_t *starts)
{
	size_t depth = 0;

	for (; starts[depth] != END; depth++) {
		assert_true(depth < w->stack.depth);
		assert_int_equal(w->functions.list[w->stack.frames[depth].function].start,
				 starts[depth]);
	}
	assert_int_equal(w->stack.depth, depth);
}

static void assert_entries(const struct walk *w, const uint64_t *entries)
{
	size_t count = 0;

	for (; entries[count] != END; count++) {
		assert_true(count < w->entries.count);
		assert_int_equal(w->entries.list[count], entries[count]);
	}
	assert_int_equal(w->entries.count, count);
}

static const struct tl_xtrace_frame *top(const struct walk *w)
{
	return &w->stack.frames[w->stack.depth - 1];
}

/* ---- where the instruction itself leads ---- */

/* "BL and BLR call ...; TARGET_B says where BLR, BR, RET and ERET go." The callee is an entry. */
TEST(calls)
{
	for (unsigned i = 0; i < 3; i++) {
		struct walk w;
		struct tl_xtrace_prev_insn last = { .pc = F + 4, .flow = TL_A64_CALL, .target = G };

		last.has_target = i < 2;
		if (i)
			last.flow = TL_A64_CALL_REGISTER;
		begin(&w, false);
		set_sp(&w.stack, 0x8e00);
		follow(&w, last, 0, G);
		assert_starts(&w, STACK(MAIN, F, G));
		assert_int_equal(top(&w)->from, F + 4);
		assert_int_equal(top(&w)->back, F + 8);
		assert_int_equal(top(&w)->sp, 0x8e00);
		assert_false(top(&w)->handler);
		assert_entries(&w, STACK(G));
		end(&w);
	}
}

TEST(returns)
{
	struct tl_xtrace_prev_insn last = { .pc = F + 8,
					    .flow = TL_A64_RETURN,
					    .target = MAIN + 8 };

	for (unsigned i = 0; i < 2; i++) {
		struct walk w;

		last.has_target = i;
		begin(&w, false);
		follow(&w, last, 0, MAIN + 8);
		assert_starts(&w, STACK(MAIN));
		assert_int_equal(w.stack.losses.deduced_exits, 0);
		assert_int_equal(w.entries.count, 0);
		end(&w);
	}
	/* Over a frame: an operation that carries what is known of SP, and where SP was left. */
	{
		struct walk w;

		begin(&w, true);
		set_sp(&w.stack, 0x8f00);
		w.stack.sp.switched = TL_XTRACE_SWITCHED_STACK;
		w.stack.sp.left = 0x8d00;
		last.target = 0x504;
		follow(&w, last, 0, 0x504);
		assert_int_equal(w.stack.deltas.count, 1);
		assert_int_equal(w.stack.deltas.list[0].op.kind, TL_XTRACE_OP_RETURN);
		assert_int_equal(w.stack.deltas.list[0].op.to.pc, 0x504);
		assert_int_equal(w.stack.deltas.list[0].op.from, F + 8);
		assert_int_equal(w.stack.deltas.list[0].op.sp, 0x8f00);
		assert_int_equal(w.stack.deltas.list[0].op.sp_state, TL_XTRACE_SP_KNOWN);
		assert_int_equal(w.stack.deltas.list[0].op.switched, TL_XTRACE_SWITCHED_STACK);
		assert_int_equal(w.stack.deltas.list[0].op.left, 0x8d00);
		end(&w);
	}
}

/* Jumps and instructions in a row change the stack only where another function begins. */
TEST(jumps)
{
	static const struct {
		uint8_t flow;
		uint64_t target, to;
		bool other;
	} cases[] = {
		{ TL_A64_NEXT, 0, F + 8, false },
		{ TL_A64_JUMP, F + 0x40, F + 0x40, false },
		{ TL_A64_JUMP, G, G, true },
		{ TL_A64_CONDITIONAL, F + 0x40, F + 0x40, false },
		{ TL_A64_CONDITIONAL, F + 0x40, F + 8, false },
		{ TL_A64_CONDITIONAL, G, G, true },
		{ TL_A64_JUMP_REGISTER, F + 0x40, F + 0x40, false },
		{ TL_A64_JUMP_REGISTER, G, G, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct walk w;

		begin(&w, false);
		follow(&w,
		       (struct tl_xtrace_prev_insn){ .pc = F + 4,
						     .flow = cases[i].flow,
						     .target = cases[i].target,
						     .has_target = true },
		       0, cases[i].to);
		assert_starts(&w, cases[i].other ? STACK(MAIN, G) : STACK(MAIN, F));
		assert_int_equal(w.entries.count, 0);
		assert_int_equal(w.stack.losses.gaps, 0);
		end(&w);
	}
	/* BR without its token: where it went is where it led. */
	{
		struct walk w;

		begin(&w, false);
		follow(&w, (struct tl_xtrace_prev_insn){ .pc = F, .flow = TL_A64_JUMP_REGISTER }, 0,
		       F + 0x80);
		assert_starts(&w, STACK(MAIN, F));
		end(&w);
	}
}

/* A branch inside of a function, but to the stack of another activation far away. */
TEST(moved_branches)
{
	enum { LARGEST = 1 << 20 };
	const struct tl_xtrace_prev_insn last = {
		.pc = F + 4, .flow = TL_A64_JUMP_REGISTER, .target = F + 0x40, .has_target = true
	};
	static const struct {
		uint64_t sp;
		bool switched, found, handler, moved;
	} cases[] = {
		{ 0x208f00 - LARGEST - 8, true, false, false, true },
		{ 0x208f00 - LARGEST, true, false, false, false },
		{ 0x208f00 + 16, true, false, false, true }, /* above: another stack */
		{ 0x208f00 - LARGEST - 8, false, false, false, false },
		{ 0x208f00 - LARGEST - 8, true, true, false, false },
		{ 0x208f00 - LARGEST - 8, true, false, true, false },
		{ 0, true, false, false, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct walk w;

		begin(&w, false);
		w.stack.frames[1].sp = 0x208f00;
		w.stack.frames[1].found = cases[i].found;
		w.stack.frames[1].handler = cases[i].handler;
		set_sp(&w.stack, cases[i].sp);
		w.stack.sp.switched = cases[i].switched;
		follow(&w, last, 0, F + 0x40);
		assert_int_equal(w.stack.parked.count, cases[i].moved);
		end(&w);
	}
}

/* "The same place above EL0" has two addresses. */
TEST(two_addresses)
{
	const uint64_t high = UINT64_C(0xffff800000002040);
	struct walk w;

	begin(&w, false);
	w.stack.frames[1].el = 1;
	w.stack.frames[1].function = locate(&w, 1, high).function;
	follow(&w,
	       (struct tl_xtrace_prev_insn){
		       .pc = high - 4, .flow = TL_A64_CONDITIONAL, .target = F + 0x40, .el = 1 },
	       1, high);
	assert_int_equal(w.stack.depth, 2);
	assert_int_equal(w.stack.losses.gaps, 0);
	assert_false(top(&w)->handler);
	end(&w);
}

/* ---- elsewhere than the instruction leads ---- */

/* "another exception level, is an exception taken right there": of the address that was meant. */
TEST(exceptions)
{
	static const struct {
		uint8_t flow;
		uint64_t target, back;
	} cases[] = {
		{ TL_A64_NEXT, 0, F + 8 },
		{ TL_A64_JUMP, F + 0x40, F + 0x40 },
		{ TL_A64_CONDITIONAL, F + 0x40, F + 8 },
		{ TL_A64_EXCEPTION_CALL, WRITE, F + 8 },
		{ TL_A64_TRAP, 0, F + 8 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct walk w;

		begin(&w, false);
		set_sp(&w.stack, 0x8e00);
		w.observed = (struct tl_xtrace_observed_sp){ .sp = 0x7770000, .known = true };
		follow(&w,
		       (struct tl_xtrace_prev_insn){ .pc = F + 4,
						     .flow = cases[i].flow,
						     .target = cases[i].target,
						     .has_target = cases[i].target != 0 },
		       1, VECTOR + 0x400);
		assert_starts(&w, STACK(MAIN, F, VECTOR));
		assert_true(top(&w)->handler);
		assert_int_equal(top(&w)->el, 1);
		assert_int_equal(top(&w)->from, F + 4);
		assert_int_equal(top(&w)->back, cases[i].back);
		assert_int_equal(top(&w)->sp, 0x8e00);
		assert_int_equal(top(&w)->sp_state, TL_XTRACE_SP_KNOWN);
		assert_int_equal(w.stack.sp.value, 0x7770000);
		assert_int_equal(w.stack.sp.state, TL_XTRACE_SP_KNOWN);
		/* The vector is an entry, since nothing else tells where the handler begins. */
		assert_entries(&w, STACK(VECTOR + 0x400));
		end(&w);
	}
}

/* A call, jump or return of which the first instruction is interrupted was done. */
TEST(interrupted_calls)
{
	struct walk w;

	begin(&w, false);
	follow(&w, (struct tl_xtrace_prev_insn){ .pc = F + 4, .flow = TL_A64_CALL, .target = G }, 1,
	       VECTOR);
	assert_starts(&w, STACK(MAIN, F, G, VECTOR));
	assert_int_equal(top(&w)->from, F + 4);
	assert_int_equal(top(&w)->back, G);
	assert_entries(&w, STACK(G, VECTOR));
	end(&w);
	begin(&w, false);
	follow(&w,
	       (struct tl_xtrace_prev_insn){
		       .pc = F + 4, .flow = TL_A64_RETURN, .target = MAIN + 8, .has_target = true },
	       1, VECTOR);
	assert_starts(&w, STACK(MAIN, VECTOR));
	end(&w);
	/* Of a system call it is not known whether it comes back to this function. */
	begin(&w, false);
	follow(&w, (struct tl_xtrace_prev_insn){ .pc = G - 4, .flow = TL_A64_EXCEPTION_CALL }, 1,
	       VECTOR);
	assert_starts(&w, STACK(MAIN, F, VECTOR));
	end(&w);
	begin(&w, false);
	follow(&w, (struct tl_xtrace_prev_insn){ .pc = G - 4, .flow = TL_A64_EXCEPTION_CALL }, 0,
	       G);
	assert_starts(&w, STACK(MAIN, G));
	end(&w);
}

/* A pending SP cannot become known behind an exception: the snapshot's value, or none. */
TEST(pending_sp_at_exceptions)
{
	for (unsigned guessed = 0; guessed < 2; guessed++) {
		struct walk w;

		begin(&w, true);
		if (guessed)
			tl_xtrace_sp_guess(&w.stack, 0x8e00);
		assert_int_equal(w.stack.sp.state, TL_XTRACE_SP_PENDING);
		follow(&w, (struct tl_xtrace_prev_insn){ .pc = F + 4, .flow = TL_A64_NEXT }, 1,
		       VECTOR);
		assert_int_equal(top(&w)->sp_state,
				 guessed ? TL_XTRACE_SP_KNOWN : TL_XTRACE_SP_UNKNOWN);
		assert_int_equal(top(&w)->sp, guessed ? 0x8e00 : 0);
		assert_int_equal(w.stack.sp.state, TL_XTRACE_SP_PENDING);
		end(&w);
	}
}

/* "in a thread's stream, where the kernel is not traced, a signal, or the end of one behind
 * rt_sigreturn. Behind execve another program begins." */
TEST(signals_and_programs)
{
	static const struct {
		uint64_t number;
		bool known;
		uint64_t stack[5];
		uint64_t entries[2];
	} cases[] = {
		{ WRITE, true, { MAIN, F, G, H, END }, { H, END } },
		{ WRITE, false, { MAIN, F, G, H, END }, { END } }, /* may be the end of one */
		{ SIGRETURN, true, { MAIN, F, H, END }, { END } },
		{ EXECVE, true, { H, END }, { END } },
		{ EXECVEAT, true, { H, END }, { END } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct walk w;

		begin(&w, false);
		push(&w.stack, handler_of(0, G, F + 4, 0));
		w.stack.frames[2].function = locate(&w, 0, G).function;
		follow(&w,
		       (struct tl_xtrace_prev_insn){ .pc = G + 4,
						     .flow = TL_A64_EXCEPTION_CALL,
						     .target = cases[i].number,
						     .has_target = cases[i].known },
		       0, H);
		assert_starts(&w, cases[i].stack);
		assert_entries(&w, cases[i].entries);
		end(&w);
	}
	/* An instruction that is no system call: a signal, whose handler is an entry. */
	{
		struct walk w;

		begin(&w, false);
		set_sp(&w.stack, 0x8e00);
		follow(&w, (struct tl_xtrace_prev_insn){ .pc = F + 4, .flow = TL_A64_NEXT }, 0,
		       H + 0x10);
		assert_starts(&w, STACK(MAIN, F, H));
		assert_true(top(&w)->handler);
		assert_int_equal(w.stack.sp.state, TL_XTRACE_SP_UNKNOWN);
		assert_entries(&w, STACK(H + 0x10));
		end(&w);
	}
	/* In the kernel, at the same level: an exception, which keeps SP; no signal. */
	{
		struct walk w;

		begin(&w, true);
		tl_xtrace_sp_observed(&w.stack, 0x8e00);
		follow(&w,
		       (struct tl_xtrace_prev_insn){ .pc = F + 4, .flow = TL_A64_NEXT, .el = 1 }, 1,
		       VECTOR);
		assert_true(top(&w)->handler);
		assert_int_equal(w.stack.sp.value, 0x8e00);
		assert_int_equal(w.stack.sp.state, TL_XTRACE_SP_KNOWN);
		assert_int_equal(w.entries.count, 0);
		end(&w);
	}
}

/* A system call number of the kernel's own SVC, or that leads to another level, means nothing. */
TEST(system_calls_that_are_exceptions)
{
	struct walk w;

	begin(&w, false);
	follow(&w,
	       (struct tl_xtrace_prev_insn){ .pc = F + 4,
					     .flow = TL_A64_EXCEPTION_CALL,
					     .target = SIGRETURN,
					     .has_target = true },
	       1, VECTOR);
	assert_starts(&w, STACK(MAIN, F, VECTOR));
	end(&w);
}

/* ---- back to a lower level ---- */

/* Leaves the handler; SP of the program is what ALLGPR says. */
TEST(exception_returns)
{
	static const struct {
		uint8_t flow;
		bool has_target;
	} cases[] = { { TL_A64_EXCEPTION_RETURN, true },
		      { TL_A64_EXCEPTION_RETURN, false },
		      { TL_A64_NEXT,
			false } }; /* "without one where the kernel is traced in part" */

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct walk w;

		begin(&w, true);
		push(&w.stack, handler_of(1, VECTOR, F + 4, 0));
		tl_xtrace_sp_observed(&w.stack, 0x7770000);
		w.observed = (struct tl_xtrace_observed_sp){ .sp = 0x8e00, .known = true };
		follow(&w,
		       (struct tl_xtrace_prev_insn){ .pc = VECTOR + 8,
						     .flow = cases[i].flow,
						     .target = F + 8,
						     .has_target = cases[i].has_target,
						     .el = 1 },
		       0, F + 8);
		assert_starts(&w, STACK(F));
		assert_int_equal(w.stack.sp.value, 0x8e00);
		assert_int_equal(w.stack.sp.state, TL_XTRACE_SP_KNOWN);
		assert_int_equal(w.entries.count, 0);
		end(&w);
	}
}

/* "ERET's TARGET_B (an EL0 address) followed by an EL1 vector instruction: an IRQ taken at once":
 * the level's SP is as it was. */
TEST(interrupts_at_once)
{
	for (unsigned told = 0; told < 2; told++) {
		struct walk w;

		begin(&w, true);
		push(&w.stack, handler_of(1, VECTOR, F + 4, 0));
		w.stack.frames[1].function = locate(&w, 1, VECTOR).function;
		tl_xtrace_sp_observed(&w.stack, 0x7770000);
		if (told)
			w.observed =
				(struct tl_xtrace_observed_sp){ .sp = 0x6660000, .known = true };
		follow(&w,
		       (struct tl_xtrace_prev_insn){ .pc = VECTOR + 8,
						     .flow = TL_A64_EXCEPTION_RETURN,
						     .target = F + 8,
						     .has_target = true,
						     .el = 1 },
		       1, VECTOR + 0x80);
		assert_starts(&w, STACK(F, VECTOR));
		assert_true(top(&w)->handler);
		assert_int_equal(top(&w)->from, VECTOR + 8);
		assert_int_equal(top(&w)->back, F + 8);
		assert_int_equal(top(&w)->el, 1);
		assert_int_equal(w.stack.sp.value, told ? 0x6660000 : 0x7770000);
		assert_int_equal(w.stack.sp.state, TL_XTRACE_SP_KNOWN);
		end(&w);
	}
}

/* ERET inside of the kernel: a target in the upper half is no program's. */
TEST(returns_inside_of_the_kernel)
{
	const uint64_t kernel = UINT64_C(0xffff800008001000);
	struct walk w;

	begin(&w, false);
	w.stack.frames[1].el = 1;
	push(&w.stack, handler_of(1, VECTOR, kernel, 0));
	follow(&w,
	       (struct tl_xtrace_prev_insn){ .pc = VECTOR + 8,
					     .flow = TL_A64_EXCEPTION_RETURN,
					     .target = kernel + 4,
					     .has_target = true,
					     .el = 1 },
	       1, kernel + 4);
	assert_starts(&w, STACK(MAIN, 0));
	assert_int_equal(w.stack.losses.gaps, 0);
	end(&w);
	/* Interrupted at once: the kernel's place is the interrupted one, at its level. */
	begin(&w, false);
	push(&w.stack, handler_of(1, VECTOR, kernel, 0));
	follow(&w,
	       (struct tl_xtrace_prev_insn){ .pc = VECTOR + 8,
					     .flow = TL_A64_EXCEPTION_RETURN,
					     .target = kernel + 4,
					     .has_target = true,
					     .el = 1 },
	       1, VECTOR);
	assert_starts(&w, STACK(MAIN, 0, VECTOR));
	assert_int_equal(top(&w)->back, kernel + 4);
	end(&w);
}

/* Entries of code that has symbols are not gathered; nor are any where nobody asks. */
TEST(gathering)
{
	const struct tl_xtrace_prev_insn last = { .pc = F + 4, .flow = TL_A64_CALL, .target = G };
	struct tl_xtrace_location next;
	struct walk w;

	begin(&w, false);
	next = locate(&w, 0, G);
	tl_xtrace_follow_flow(&w.stack, &w.functions, NULL, &last, &next, w.observed);
	assert_int_equal(w.entries.count, 0);
	next = locate(&w, 0, G);
	next.known = true;
	tl_xtrace_follow_flow(&w.stack, &w.functions, &w.entries, &last, &next, w.observed);
	assert_int_equal(w.entries.count, 0);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls),
		cmocka_unit_test(returns),
		cmocka_unit_test(jumps),
		cmocka_unit_test(moved_branches),
		cmocka_unit_test(two_addresses),
		cmocka_unit_test(exceptions),
		cmocka_unit_test(interrupted_calls),
		cmocka_unit_test(pending_sp_at_exceptions),
		cmocka_unit_test(signals_and_programs),
		cmocka_unit_test(system_calls_that_are_exceptions),
		cmocka_unit_test(exception_returns),
		cmocka_unit_test(interrupts_at_once),
		cmocka_unit_test(returns_inside_of_the_kernel),
		cmocka_unit_test(gathering),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
