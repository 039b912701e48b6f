/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles of hand-made streams in which stacks are left otherwise than by returns: longjmp,
 * exceptions, coroutines, signals ("landing" at the head of call_stack.h). The streams tell SP as
 * compiled code does: by the addresses of what functions save. Expected numbers are counted by
 * hand.
 */
#include "profiles.h"
#include "streams.h"

enum {
	MAIN = 0x1000,
	F = 0x2000,
	G = 0x3000,
	SETJMP = 0x4000,
	LONGJMP = 0x5000,
	WORK = 0x6000,
	SWITCH = 0x7000,
	CO = 0x8000,
	TRAMPOLINE = 0xa000,
};

enum { OUTSIDE = 0x500 };
enum { STACK = 0x800000 };

/* ---- snapshots ---- */

/* Places of a stream at which SP is known, for snapshots. */
struct marks {
	struct {
		size_t at;
		uint64_t sp;
	} list[64];
	size_t count;
};

static void mark(struct marks *m, const struct bytes *s, uint64_t sp)
{
	assert_true(m->count < 64);
	m->list[m->count].at = s->size;
	m->list[m->count++].sp = sp;
}

/* Folded in one, and with every choice of a few snapshots: the profile is the same. */
static struct tl_profile *fold_marked(struct bytes *stream, const struct marks *m)
{
	struct tl_profile *whole = fold_pair(stream, NULL, 1);

	for (size_t first = 0; first < m->count; first++)
		for (size_t step = 1; step <= 3; step++) {
			struct bytes records = { 0 };
			struct tl_profile *cut;

			put_header(&records);
			for (size_t i = first; i < m->count; i += step)
				put_record(&records,
					   &(struct record){ .index = m->list[i].at,
							     .user = i,
							     .total = i,
							     .first = m->list[i].sp - 31 });
			cut = fold_pair(stream, &records, step == 2 ? 3 : 1);
			assert_same_profile(whole, cut);
			tl_profile_free(cut);
			free_bytes(&records);
		}
	free_bytes(stream);
	return whole;
}

/* The trace begins in who calls main(). */
static uint64_t begin(struct bytes *s)
{
	call(s, OUTSIDE, MAIN);
	enter(s, MAIN, STACK);
	return STACK - FRAME;
}

/* ---- longjmp ---- */

/* "A BR to an open frame's return place is a return." */
TEST(a_branch_may_return)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;

	begin(&s);
	call(&s, MAIN + 4, F);
	put_pcinst(&s, 0, F, A64_BR_X30);
	put_value(&s, TARGET_B, MAIN + 8);
	leaf(&s, MAIN + 8, G);
	profile = fold_whole(&s);
	assert_calls(profile, F, 1, 0);
	assert_path(profile, 1, PATH(OUTSIDE, MAIN, G));
	tl_profile_free(profile);
}

/* setjmp has returned long before; longjmp leaves four frames, and its own. */
TEST(longjmp_leaves_frames)
{
	struct bytes s = { 0 };
	struct marks m = { .count = 0 };
	struct tl_profile *profile;
	uint64_t sp;

	sp = begin(&s);
	leaf(&s, MAIN + 4, SETJMP);
	for (unsigned round = 0; round < 3; round++) {
		uint64_t deep = sp;

		jump(&s, MAIN + 8, MAIN + 12);
		call(&s, MAIN + 12, F);
		for (unsigned i = 0; i < 4; i++, deep -= FRAME) {
			mark(&m, &s, deep);
			enter(&s, F, deep);
			call(&s, F + 4, i < 3 ? F : LONGJMP);
		}
		mark(&m, &s, deep);
		set_sp_and_go(&s, LONGJMP, sp, A64_BR_X30, MAIN + 8);
	}
	jump(&s, MAIN + 8, MAIN + 16);
	leaf(&s, MAIN + 16, G);
	leave(&s, MAIN + 20, STACK, OUTSIDE + 4);
	profile = fold_marked(&s, &m);
	assert_calls(profile, F, 12, 0);
	assert_calls(profile, LONGJMP, 3, 0);
	assert_path(profile, 3, PATH(OUTSIDE, MAIN, F));
	tl_profile_free(profile);
}

/* Of a recursive function the activation that SP says, not the innermost one. */
TEST(longjmp_goes_to_one_activation)
{
	struct bytes s = { 0 };
	struct marks m = { .count = 0 };
	struct tl_profile *profile;
	uint64_t sp;

	sp = begin(&s);
	call(&s, MAIN + 4, F);
	for (unsigned i = 0; i < 4; i++) {
		mark(&m, &s, sp - i * FRAME);
		enter(&s, F, sp - i * FRAME);
		leaf(&s, F + 4, SETJMP);
		call(&s, F + 8, i < 3 ? F : LONGJMP);
	}
	mark(&m, &s, sp - 4 * FRAME);
	set_sp_and_go(&s, LONGJMP, sp - 2 * FRAME, A64_BR_X30, F + 8); /* in the second F */
	leaf(&s, F + 8, G);
	mark(&m, &s, sp - 2 * FRAME);
	leave(&s, F + 12, sp - FRAME, F + 12);
	mark(&m, &s, sp - FRAME);
	leave(&s, F + 12, sp, MAIN + 8);
	leaf(&s, MAIN + 8, WORK);
	profile = fold_marked(&s, &m);
	assert_calls(profile, F, 4, 0);
	assert_path(profile, 1, PATH(OUTSIDE, MAIN, F, F, G));
	assert_path(profile, 1, PATH(OUTSIDE, MAIN, WORK));
	tl_profile_free(profile);
}

/* ---- exceptions ---- */

/*
 * The unwinder returns with ADD SP, SP, X4 to a landing pad, which is behind no call. SP is not
 * known then; what the landing pad calls tells it, and that the second F of four has the handler.
 */
TEST(exceptions_are_caught_where_sp_says)
{
	struct bytes s = { 0 };
	struct marks m = { .count = 0 };
	struct tl_profile *profile;
	uint64_t sp;

	sp = begin(&s);
	call(&s, MAIN + 4, F);
	for (unsigned i = 0; i < 4; i++) {
		mark(&m, &s, sp - i * FRAME);
		enter(&s, F, sp - i * FRAME);
		call(&s, F + 4, i < 3 ? F : LONGJMP);
	}
	mark(&m, &s, sp - 4 * FRAME);
	enter(&s, LONGJMP, sp - 4 * FRAME);
	mark(&m, &s, sp - 5 * FRAME);
	put_pcinst(&s, 0, LONGJMP + 4, A64_LDP);
	put_pair(&s, LOAD, sp - 5 * FRAME);
	put_inst(&s, 0, A64_ADD_SP);
	put_inst(&s, 0, A64_RET);
	put_value(&s, TARGET_B, F + 0x40);
	nop(&s, F + 0x40);
	call(&s, F + 0x44, G);
	enter(&s, G, sp - 2 * FRAME);
	mark(&m, &s, sp - 3 * FRAME);
	leave(&s, G + 4, sp - 2 * FRAME, F + 0x48);
	leave(&s, F + 0x48, sp - FRAME, F + 8);
	mark(&m, &s, sp - FRAME);
	leave(&s, F + 8, sp, MAIN + 8);
	leaf(&s, MAIN + 8, WORK);
	nop(&s, MAIN + 12);
	profile = fold_marked(&s, &m);
	assert_calls(profile, F, 4, 0);
	assert_calls(profile, LONGJMP, 1, 0);
	assert_path(profile, 1, PATH(OUTSIDE, MAIN, F, F, G));
	assert_path(profile, 1, PATH(OUTSIDE, MAIN, WORK));
	assert_int_equal(losses_of(profile).unfinished, 1);
	tl_profile_free(profile);
}

/* ---- coroutines ---- */

enum { COROUTINES = 3, SIZE = 0x1000, STACKS = 0x20000 };

static uint64_t stack_of(unsigned coroutine)
{
	return STACKS + (coroutine + 1) * SIZE;
}

/* One that was not begun yet begins at its function's first instruction; others go on behind their
 * call of SWITCH. */
static void switch_to(struct bytes *s, uint64_t sp, uint64_t pc)
{
	set_sp_and_go(s, SWITCH, sp, A64_RET, pc);
}

/* Coroutines of the same code, each on its own stack, which SP tells apart. */
TEST(coroutines_have_stacks_of_their_own)
{
	struct bytes s = { 0 };
	struct marks m = { .count = 0 };
	struct tl_profile *profile;
	uint64_t sp;

	sp = begin(&s);
	leaf(&s, MAIN + 4, CO); /* so that it is known for a function */
	jump(&s, MAIN + 8, MAIN + 0x40);
	for (unsigned round = 0; round < 4; round++)
		for (unsigned c = 0; c < COROUTINES; c++) {
			uint64_t own = stack_of(c) - FRAME;

			mark(&m, &s, sp);
			leaf(&s, MAIN + 0x40, G);
			call(&s, MAIN + 0x44, SWITCH);
			if (round) {
				switch_to(&s, own - FRAME, F + 12);
				jump(&s, F + 12, F + 4);
			} else {
				switch_to(&s, own + FRAME, CO);
				enter(&s, CO, own + FRAME);
				call(&s, CO + 4, F);
				enter(&s, F, own);
			}
			mark(&m, &s, own - FRAME);
			leaf(&s, F + 4, WORK);
			mark(&m, &s, own - FRAME);
			call(&s, F + 8, SWITCH);
			switch_to(&s, sp, MAIN + 0x48);
			jump(&s, MAIN + 0x48, MAIN + 0x40);
		}
	leave(&s, MAIN + 0x40, STACK, OUTSIDE + 4);
	profile = fold_marked(&s, &m);
	assert_calls(profile, G, 12, 0);
	assert_calls(profile, WORK, 12, 0);
	/* Each coroutine waits for ever: CO, F, and SWITCH once more. */
	assert_calls(profile, CO, 1 + 3, 3);
	assert_calls(profile, F, 3, 3);
	assert_calls(profile, SWITCH, 24, 3);
	assert_path(profile, 12, PATH(CO, F, WORK));
	assert_int_equal(losses_of(profile).gaps, 0);
	tl_profile_free(profile);
}

/* ---- signals ---- */

/* A handler G interrupts F, on the same stack, and longjmps to MAIN: it does not return. */
TEST(handlers_may_longjmp)
{
	struct bytes s = { 0 };
	struct marks m = { .count = 0 };
	struct tl_profile *profile;
	uint64_t sp;

	sp = begin(&s);
	leaf(&s, MAIN + 4, G); /* so that it is known for a function */
	leaf(&s, MAIN + 8, SETJMP);
	call(&s, MAIN + 12, F);
	enter(&s, F, sp);
	mark(&m, &s, sp - FRAME);
	nop(&s, F + 4);
	enter(&s, G, sp - FRAME - 0x1250); /* the kernel's frame of a signal is in between */
	mark(&m, &s, sp - FRAME - 0x1250 - FRAME);
	call(&s, G + 4, LONGJMP);
	mark(&m, &s, sp - FRAME - 0x1250 - FRAME);
	set_sp_and_go(&s, LONGJMP, sp, A64_BR_X30, MAIN + 12);
	leaf(&s, MAIN + 12, WORK);
	profile = fold_marked(&s, &m);
	assert_calls(profile, F, 1, 0);
	assert_calls(profile, G, 2, 0);
	assert_calls(profile, LONGJMP, 1, 0);
	assert_path(profile, 1, PATH(OUTSIDE, MAIN, WORK));
	tl_profile_free(profile);
}

/* rt_sigreturn goes to another handler, of a signal that came at the same time; its own
 * rt_sigreturn ends both. */
TEST(two_signals_at_once)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;
	uint64_t sp;

	sp = begin(&s);
	leaf(&s, MAIN + 4, G);
	leaf(&s, MAIN + 8, WORK);
	call(&s, MAIN + 12, F);
	enter(&s, F, sp);
	nop(&s, F + 4);
	put_pcinst(&s, 0, G, A64_RET);
	put_value(&s, TARGET_B, TRAMPOLINE);
	svc(&s, TRAMPOLINE, 139);
	put_pcinst(&s, 0, WORK, A64_RET);
	put_value(&s, TARGET_B, TRAMPOLINE);
	svc(&s, TRAMPOLINE, 139);
	nop(&s, F + 8);
	leave(&s, F + 12, sp, MAIN + 16);
	leaf(&s, MAIN + 16, SETJMP);
	profile = fold_whole(&s);
	assert_calls(profile, G, 2, 0);
	assert_calls(profile, WORK, 2, 0);
	assert_path(profile, 1, PATH(OUTSIDE, MAIN, F, WORK));
	assert_path(profile, 1, PATH(OUTSIDE, MAIN, SETJMP));
	tl_profile_free(profile);
}

/* "Behind execve another program begins": its frames are nobody's callees. */
TEST(execve_ends_a_program)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;

	begin(&s);
	leaf(&s, MAIN + 4, G);
	call(&s, MAIN + 8, F);
	svc(&s, F, 221);
	leaf(&s, WORK, G);
	profile = fold_whole(&s);
	assert_calls(profile, F, 1, 1);
	assert_calls(profile, MAIN, 1, 1);
	assert_path(profile, 1, PATH(G, G)); /* WORK is not known for a function: the one below */
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_branch_may_return),
		cmocka_unit_test(longjmp_leaves_frames),
		cmocka_unit_test(longjmp_goes_to_one_activation),
		cmocka_unit_test(exceptions_are_caught_where_sp_says),
		cmocka_unit_test(coroutines_have_stacks_of_their_own),
		cmocka_unit_test(handlers_may_longjmp),
		cmocka_unit_test(two_signals_at_once),
		cmocka_unit_test(execve_ends_a_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
