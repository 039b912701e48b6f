/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles of hand-made streams: what docs/design.md, "xtrace", and the head of call_stack.h say of
 * calls, returns, jumps and exceptions, one rule a test; costs are counted by hand. Code has no
 * symbols here: functions are what is called.
 */
#include "profiles.h"
#include "streams.h"

enum { MAIN = 0x1000, F = 0x2000, G = 0x3000, VECTOR = 0x9000 };

/* "return: to the innermost frame with that return address"; BL and BLR call, RET returns. */
TEST(calls_and_returns)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;

	nop(&s, MAIN);
	call(&s, MAIN + 4, F);
	nop(&s, F);
	ret(&s, F + 4, MAIN + 8);
	put_pcinst(&s, 0, MAIN + 8, A64_BLR);
	put_value(&s, TARGET_B, F);
	nop(&s, F);
	ret(&s, F + 4, MAIN + 12);
	nop(&s, MAIN + 12);
	profile = fold(&s);
	assert_string_equal(tl_profile_function(profile, find(profile, F))->name, "0x2000");
	assert_function(profile, MAIN, 0, 0, 4, 8);
	assert_function(profile, F, 2, 0, 4, 4);
	assert_arc(profile, MAIN, MAIN + 4, F, 1, 2);
	assert_arc(profile, MAIN, MAIN + 8, F, 1, 2);
	assert_int_equal(line_at(profile, F)[0], 2);
	tl_profile_free(profile);
}

/* "jump into another function: ... It is a call if it is the function's first address (a tail
 * call)". */
TEST(tail_calls)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;

	call(&s, MAIN, G); /* so that G is known for a function */
	ret(&s, G, MAIN + 4);
	call(&s, MAIN + 4, F);
	jump(&s, F, G);
	nop(&s, G);
	ret(&s, G + 4, MAIN + 8);
	nop(&s, MAIN + 8);
	profile = fold(&s);
	assert_function(profile, MAIN, 0, 0, 3, 7);
	assert_function(profile, F, 1, 0, 1, 1);
	assert_function(profile, G, 2, 0, 3, 3);
	assert_arc(profile, MAIN, MAIN + 4, G, 1, 2);
	tl_profile_free(profile);
}

/* "else the function goes on (a cold part jumps back), which is none". */
TEST(jumps_into_the_middle)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;

	call(&s, MAIN, G);
	ret(&s, G, MAIN + 4);
	call(&s, MAIN + 4, F);
	jump(&s, F, G);
	jump(&s, G, F + 8);
	ret(&s, F + 8, MAIN + 8);
	nop(&s, MAIN + 8);
	profile = fold(&s);
	assert_function(profile, F, 1, 0, 2, 2);
	assert_function(profile, G, 2, 0, 2, 2);
	tl_profile_free(profile);
}

/* "frames above it were left, too (longjmp)"; recursion is counted once. */
TEST(returns_over_frames)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;

	call(&s, MAIN, F);
	call(&s, F, F);
	call(&s, F, G);
	nop(&s, G);
	ret(&s, G + 4, MAIN + 4);
	nop(&s, MAIN + 4);
	profile = fold(&s);
	assert_function(profile, MAIN, 0, 0, 2, 6);
	assert_function(profile, F, 2, 0, 2, 4);
	assert_function(profile, G, 1, 0, 2, 2);
	assert_arc(profile, F, F, F, 1, 3);
	assert_int_equal(losses_of(profile).deduced_exits, 2);
	tl_profile_free(profile);
}

/* "None has it: a jump." The trace begins in F, whose caller is found when it is returned to. */
TEST(callers_are_found)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;

	nop(&s, F);
	ret(&s, F + 4, MAIN + 4);
	call(&s, MAIN + 4, MAIN);
	ret(&s, MAIN, MAIN + 8);
	nop(&s, MAIN + 8);
	profile = fold(&s);
	assert_function(profile, F, 0, 0, 2, 2);
	assert_function(profile, MAIN, 1, 0, 3, 3);
	tl_profile_free(profile);
}

/* "Calls are counted when entered"; those that the end of the trace finds open are unfinished. */
TEST(what_is_open_is_unfinished)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;

	call(&s, MAIN, F);
	call(&s, F, G);
	nop(&s, G);
	profile = fold(&s);
	assert_function(profile, F, 1, 1, 1, 2);
	assert_function(profile, G, 1, 1, 1, 1);
	assert_arc(profile, MAIN, MAIN, F, 1, 2);
	tl_profile_free(profile);
}

/* "exception: a frame of the handler on the interrupted one"; IrKernel are the instructions above
 * EL0. */
TEST(exceptions_nest)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;

	call(&s, MAIN, F);
	put_pcinst(&s, 0, F, A64_SVC);
	put_allgpr(&s, 1);
	put_pcinst(&s, 1, VECTOR, A64_NOP);
	put_inst(&s, 1, A64_NOP);
	put_inst(&s, 1, A64_ERET);
	put_value(&s, TARGET_B, F + 4);
	put_value(&s, SVCRET, 0);
	put_allgpr(&s, 1);
	ret(&s, F + 4, MAIN + 4);
	nop(&s, MAIN + 4);
	profile = fold(&s);
	assert_function(profile, F, 1, 0, 2, 5);
	assert_function(profile, VECTOR, 1, 0, 3, 3);
	assert_string_equal(tl_profile_function(profile, find(profile, VECTOR))->object, "kernel");
	assert_arc(profile, F, F, VECTOR, 1, 3);
	assert_string_equal(tl_profile_event(profile, 5)->name, "IrKernel");
	assert_int_equal(tl_profile_total(profile)[5], 3);
	assert_int_equal(line_at(profile, VECTOR)[5], 1);
	assert_int_equal(line_at(profile, F)[5], 0);
	tl_profile_free(profile);
}

/* "ERET's TARGET_B (an EL0 address) followed by an EL1 vector instruction: an IRQ taken at once"
 * (section 5). */
TEST(an_exception_right_behind_a_return)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;

	nop(&s, MAIN);
	put_pcinst(&s, 1, VECTOR, A64_ERET);
	put_value(&s, TARGET_B, MAIN + 4);
	put_pcinst(&s, 1, VECTOR, A64_ERET);
	put_value(&s, TARGET_B, MAIN + 4);
	nop(&s, MAIN + 4);
	profile = fold(&s);
	assert_function(profile, MAIN, 0, 0, 2, 4);
	assert_function(profile, VECTOR, 2, 0, 2, 2);
	tl_profile_free(profile);
}

/* "Where another place goes on than the interrupted one, in another function, some other thread
 * does". */
TEST(another_thread_goes_on)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;

	call(&s, MAIN, G);
	ret(&s, G, MAIN + 4);
	call(&s, MAIN + 4, F);
	nop(&s, F);
	put_pcinst(&s, 1, VECTOR, A64_ERET);
	put_value(&s, TARGET_B, G + 4);
	nop(&s, G + 4);
	profile = fold(&s);
	assert_function(profile, F, 1, 1, 1, 2);
	assert_function(profile, G, 1, 0, 2, 2);
	assert_int_equal(losses_of(profile).gaps, 1);
	tl_profile_free(profile);
}

enum { SWITCH = 0xa000, SLEEP = 0xb000, FORK = 0xc000 };

/* A thread sleeps: main() calls the kernel, there SLEEP calls SWITCH. */
static void goes_to_sleep(struct bytes *s, uint64_t pc)
{
	put_pcinst(s, 0, pc, A64_SVC);
	kernel_call(s, VECTOR, SLEEP);
	kernel_call(s, SLEEP, SWITCH);
}

/*
 * "The stack is then set aside, and one that was set aside before is taken up again if it has that
 * return address": MAIN sleeps, a new thread runs to G and sleeps elsewhere, MAIN wakes and returns
 * to where it called.
 */
TEST(threads_take_turns)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;

	/* FORK and G are functions: each is called once before. */
	kernel_call(&s, VECTOR, FORK);
	kernel_ret(&s, FORK, VECTOR + 4);
	put_pcinst(&s, 1, VECTOR + 4, A64_ERET);
	put_value(&s, TARGET_B, MAIN - 4);
	call(&s, MAIN - 4, G);
	ret(&s, G, MAIN);
	call(&s, MAIN, F);
	goes_to_sleep(&s, F);
	kernel_ret(&s, SWITCH, FORK); /* nobody called there */
	put_pcinst(&s, 1, FORK, A64_ERET);
	put_value(&s, TARGET_B, G);
	nop(&s, G);
	put_pcinst(&s, 0, G + 4, A64_SVC);
	kernel_call(&s, VECTOR + 8, SLEEP + 16);
	kernel_call(&s, SLEEP + 16, SWITCH);
	kernel_ret(&s, SWITCH, SLEEP + 4); /* MAIN's */
	kernel_ret(&s, SLEEP + 4, VECTOR + 4);
	put_pcinst(&s, 1, VECTOR + 4, A64_ERET);
	put_value(&s, TARGET_B, F + 4);
	ret(&s, F + 4, MAIN + 4);
	nop(&s, MAIN + 4);
	profile = fold(&s);
	/* Without the first: two in MAIN, two in F, five in the kernel: what runs before a switch
	 * is the one, behind it the other thread. */
	assert_function(profile, 0, 0, 0, 3, 11); /* nobody called it: "[unknown]" */
	assert_function(profile, F, 1, 0, 2, 7);
	assert_arc(profile, 0, MAIN, F, 1, 7);
	assert_function(profile, G, 1, 0, 3, 6);
	/* The second thread sleeps for ever. */
	assert_function(profile, SWITCH, 2, 1, 2, 2);
	tl_profile_free(profile);
}

/* "The same place above EL0: a kernel's image has low addresses, too, those of its identity map."
 */
TEST(a_kernel_has_two_addresses)
{
	const uint64_t high = 0xffff800008000000, low = 0x40000000;
	struct bytes s = { 0 };
	struct tl_profile *profile;

	kernel_call(&s, high, high + 0x1000);
	put_pcinst(&s, 1, low + 0x1000, 0x54000040); /* B.EQ +8 */
	put_pcinst(&s, 1, high + 0x1004, A64_NOP);
	kernel_ret(&s, low + 0x1008, high + 4);
	put_pcinst(&s, 1, high + 4, A64_NOP);
	profile = fold(&s);
	assert_int_equal(losses_of(profile).gaps, 0);
	assert_int_equal(losses_of(profile).unfinished, 0);
	assert_function(profile, high, 0, 0, 3, 5);
	tl_profile_free(profile);
}

/* "in a thread's stream, where the kernel is not traced, a signal": its end is that the interrupted
 * place goes on. */
TEST(signals_come_and_go)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;

	call(&s, MAIN, G);
	ret(&s, G, MAIN + 4);
	call(&s, MAIN + 4, F);
	nop(&s, F);
	nop(&s, G);
	put_inst(&s, 0, A64_SVC); /* rt_sigreturn */
	ret(&s, F + 4, MAIN + 8);
	nop(&s, MAIN + 8);
	profile = fold(&s);
	assert_function(profile, F, 1, 0, 2, 4);
	assert_function(profile, G, 2, 0, 3, 3);
	assert_arc(profile, F, F, G, 1, 2);
	tl_profile_free(profile);
}

/* Accesses are counted as recorded, whether or not an instruction always makes them. */
TEST(accesses_that_vary)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;
	const int64_t *cost;

	for (unsigned i = 0; i < 20; i++) {
		put_pcinst(&s, 0, MAIN, A64_LDR);
		/* None, one, two, ... of 1, 2, 4, 8 bytes: more ways than are remembered. */
		for (unsigned n = 0; n < i % 7; n++)
			put_access(&s, LOAD, n % 4, 0x5000, 0);
		put_inst(&s, 0, A64_STR);
		put_access(&s, STORE, 3, 0x6000, i);
		put_inst(&s, 0, b(MAIN + 8, MAIN));
	}
	profile = fold(&s);
	cost = line_at(profile, MAIN);
	assert_int_equal(cost[0], 20);
	/* i % 7 is 0 .. 6 twice and 0 .. 5 once. */
	assert_int_equal(cost[1], 21 + 21 + 15);
	/* 0, 1, 3, 7, 15, 16, 18 bytes. */
	assert_int_equal(cost[3], 60 + 60 + 42);
	cost = line_at(profile, MAIN + 4);
	assert_int_equal(cost[2], 20);
	assert_int_equal(cost[4], 160);
	assert_int_equal(line_at(profile, MAIN + 8)[0], 20);
	assert_int_equal(tl_profile_jump_count(profile), 1);
	assert_int_equal(tl_profile_jump(profile, 0)->executed, 20);
	tl_profile_free(profile);
}

/*
 * DC ZVA is a store of a block (64 bytes), as in `analyze`: DC has its address, and no STORE comes.
 */
TEST(zeroed_blocks_are_stores)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;
	const int64_t *cost;

	for (unsigned i = 0; i < 3; i++) {
		put_pcinst(&s, 0, MAIN, 0xd50b7420); /* DC ZVA, X0 */
		put_value(&s, DC, 0x5000 + 64 * i);
		put_inst(&s, 0, b(MAIN + 4, MAIN));
	}
	profile = fold(&s);
	cost = line_at(profile, MAIN);
	assert_int_equal(cost[0], 3);
	assert_int_equal(cost[2], 3);
	assert_int_equal(cost[4], 192);
	tl_profile_free(profile);
}

/* Branches: executed as often as they were, taken as often as they went to their target. */
TEST(branches)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;
	const struct tl_jump *jump_found;

	for (unsigned i = 0; i < 5; i++) {
		nop(&s, MAIN);
		put_inst(&s, 0, 0x54ffffe1); /* B.NE MAIN */
	}
	put_inst(&s, 0, A64_NOP);
	profile = fold(&s);
	assert_int_equal(tl_profile_jump_count(profile), 1);
	jump_found = tl_profile_jump(profile, 0);
	assert_true(jump_found->conditional);
	assert_int_equal(jump_found->executed, 5);
	assert_int_equal(jump_found->taken, 4);
	assert_int_equal(jump_found->from.address, MAIN + 4);
	assert_int_equal(jump_found->to.address, MAIN);
	tl_profile_free(profile);
}

/* Rounds of a loop, each in a segment of its own: snapshots do not change what is counted. */
static const struct {
	uint32_t opcode; /* back to MAIN */
	bool target_token, conditional;
	int64_t executed, taken;
} loops[] = {
	{ 0x54ffffe1, false, true, 5, 4 },  /* B.NE MAIN */
	{ 0x17ffffff, false, false, 4, 4 }, /* B MAIN */
	{ 0xd61f0060, true, false, 4, 4 },  /* BR X3 */
};

static struct bytes rounds(size_t loop, struct bytes *records)
{
	struct bytes s = { 0 };
	unsigned count = loops[loop].conditional ? 5 : 4;

	put_header(records);
	for (unsigned i = 0; i < count; i++) {
		const struct record record = { .index = s.size, .user = 2 * i, .total = 2 * i };

		put_record(records, &record);
		nop(&s, MAIN);
		put_inst(&s, 0, loops[loop].opcode);
		if (loops[loop].target_token)
			put_value(&s, TARGET_B, MAIN);
	}
	if (loops[loop].conditional)
		put_inst(&s, 0, A64_NOP);
	else
		nop(&s, MAIN);
	return s;
}

TEST(jumps_over_snapshots)
{
	for (size_t loop = 0; loop < 3; loop++) {
		for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
			struct bytes records = { 0 }, s = rounds(loop, &records);
			struct tl_profile *profile = fold_pair(&s, &records, jobs);
			const struct tl_jump *jump_found = tl_profile_jump(profile, 0);

			assert_int_equal(tl_profile_jump_count(profile), 1);
			assert_int_equal(jump_found->conditional, loops[loop].conditional);
			assert_int_equal(jump_found->executed, loops[loop].executed);
			assert_int_equal(jump_found->taken, loops[loop].taken);
			assert_int_equal(jump_found->from.address, MAIN + 4);
			assert_int_equal(jump_found->to.address, MAIN);
			tl_profile_free(profile);
			free_bytes(&s);
			free_bytes(&records);
		}
	}
}

/* Code that changes: the same address with another opcode is counted by what it is now. */
TEST(code_that_changes)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;

	call(&s, MAIN, F);
	ret(&s, F, MAIN + 4);
	nop(&s, MAIN + 4);
	nop(&s, MAIN); /* no call any more */
	put_inst(&s, 0, A64_NOP);
	profile = fold(&s);
	assert_function(profile, F, 1, 0, 1, 1);
	assert_int_equal(line_at(profile, MAIN)[0], 2);
	tl_profile_free(profile);
}

/* "Resume from the next snapshot's byte offset": a gap leaves the frames that go on. */
TEST(gaps_keep_frames)
{
	struct bytes s = { 0 }, n = { 0 };
	struct tl_profile *profile;
	size_t second;

	for (unsigned i = 0; i < 40; i++)
		nop(&s, MAIN + 4 * i);
	call(&s, MAIN + 160, F);
	put_byte(&s, 0xff); /* no token */
	second = s.size;
	for (unsigned i = 0; i < 40; i++)
		nop(&s, MAIN + 164 + 4 * i);
	put_header(&n);
	put_record(&n, &(struct record){ .index = 0 });
	put_record(&n, &(struct record){ .index = second, .user = 41, .total = 41 });
	profile = fold_pair(&s, &n, 1);
	/* F is lost, and the call with it, since no instruction is seen there; who called goes on.
	 */
	assert_function(profile, MAIN, 0, 0, 81, 81);
	assert_int_equal(losses_of(profile).gaps, 1);
	tl_profile_free(profile);
	free_bytes(&s);
	free_bytes(&n);
}

/*
 * A segment in which control goes to and fro between functions of a caller that it does not know:
 * each jump is left to the stack of the stream, in parts, whether or not SP is known.
 */
TEST(many_jumps_in_a_segment)
{
	enum { TIMES = 2100 };

	for (unsigned told = 0; told < 2; told++) {
		struct bytes s = { 0 };
		struct tl_profile *profile;

		leaf(&s, MAIN, F);
		leaf(&s, MAIN + 4, G);
		call(&s, MAIN + 8, F);
		for (unsigned i = 0; i < TIMES; i++) {
			if (told) {
				put_pcinst(&s, 0, i % 2 ? G : F, A64_STP_KEPT);
				put_pair(&s, STORE, 0x8000);
				put_inst(&s, 0, i % 2 ? b(G + 4, F) : b(F + 4, G));
			} else {
				jump(&s, i % 2 ? G : F, i % 2 ? F : G);
			}
		}
		ret(&s, F, MAIN + 12);
		nop(&s, MAIN + 12);
		profile = fold(&s);
		/* Instructions of a round: one, or two. */
		assert_function(profile, F, 2 + TIMES / 2, 0, 2 + (1 + told) * TIMES / 2,
				2 + (1 + told) * TIMES / 2);
		assert_function(profile, G, 1 + TIMES / 2, 0, 1 + (1 + told) * TIMES / 2,
				1 + (1 + told) * TIMES / 2);
		assert_path(profile, 2 + TIMES / 2, PATH(MAIN, F));
		assert_path(profile, 1 + TIMES / 2, PATH(MAIN, G));
		tl_profile_free(profile);
	}
}

/* BR goes from one place to several: each is a jump of its own, as often as it came. */
TEST(indirect_jumps)
{
	static const uint64_t targets[] = { MAIN + 0x40, MAIN + 0x80, MAIN + 0x40, MAIN + 0xc0 };
	struct bytes s = { 0 };
	struct tl_profile *profile;

	for (unsigned i = 0; i < 12; i++) {
		go(&s, 0, MAIN, A64_BR, targets[i % 4]);
		put_pcinst(&s, 0, targets[i % 4], b(targets[i % 4], MAIN));
	}
	nop(&s, MAIN);
	profile = fold(&s);
	assert_int_equal(tl_profile_jump_count(profile), 6);
	for (uint32_t i = 0; i < 6; i++) {
		const struct tl_jump *found = tl_profile_jump(profile, i);
		uint64_t other =
			found->from.address == MAIN ? found->to.address : found->from.address;

		assert_false(found->conditional);
		assert_int_equal(found->executed, other == MAIN + 0x40 ? 6 : 3);
		assert_int_equal(found->taken, found->executed);
	}
	tl_profile_free(profile);
}

/* A branch to the next instruction is none that is taken. */
TEST(branches_to_the_next_instruction)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;

	for (unsigned i = 0; i < 3; i++) {
		put_pcinst(&s, 0, MAIN, 0x54000021); /* B.NE to what comes next */
		put_pcinst(&s, 0, MAIN + 4, b(MAIN + 4, MAIN));
	}
	nop(&s, MAIN);
	profile = fold(&s);
	assert_int_equal(tl_profile_jump_count(profile), 2);
	assert_int_equal(tl_profile_jump(profile, 0)->from.address, MAIN);
	assert_int_equal(tl_profile_jump(profile, 0)->executed, 3);
	assert_int_equal(tl_profile_jump(profile, 0)->taken, 0);
	tl_profile_free(profile);
}

/* The same address at both levels is two functions, each with its instructions. */
TEST(levels_have_functions_of_their_own)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;

	nop(&s, MAIN);
	put_pcinst(&s, 0, MAIN + 4, A64_SVC);
	put_pcinst(&s, 1, MAIN, A64_NOP);
	put_inst(&s, 1, 0x54ffffe1); /* B.NE MAIN */
	put_pcinst(&s, 1, MAIN, A64_NOP);
	put_inst(&s, 1, 0x54ffffe1);
	put_inst(&s, 1, A64_ERET);
	put_value(&s, TARGET_B, MAIN + 8);
	put_pcinst(&s, 0, MAIN + 8, b(MAIN + 8, MAIN));
	nop(&s, MAIN);
	profile = fold(&s);
	assert_int_equal(tl_profile_function_count(profile), 2);
	assert_int_equal(tl_profile_total(profile)[0], 9);
	assert_int_equal(tl_profile_total(profile)[5], 5);
	/* B of the program, B.NE of the kernel: each has its function. */
	assert_int_equal(tl_profile_jump_count(profile), 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct tl_jump *found = tl_profile_jump(profile, i);
		bool kernel = found->conditional;

		assert_string_equal(tl_profile_function(profile, found->function)->object,
				    kernel ? "kernel" : "");
		assert_int_equal(found->from.address, kernel ? MAIN + 4 : MAIN + 8);
		assert_int_equal(found->executed, 1 + kernel);
		assert_int_equal(found->taken, 1);
	}
	/* MAIN of the program twice; of the kernel twice. */
	assert_int_equal(tl_profile_line_count(profile), 6);
	tl_profile_free(profile);
}

/* Of several streams one may be asked for, and each has a part. */
TEST(streams_have_parts)
{
	struct tl_xtrace_fold_options options = { .size = sizeof(options), .id = TL_NOWHERE };
	struct tl_source *sources[2];
	struct tl_xtrace_file files[2] = { { "xtrace.1.7.hint9.xinsndata.bin", NULL },
					   { "xtrace.1.8.hint9.xinsndata.bin", NULL } };
	const struct tl_xtrace_options alone = { .size = sizeof(alone), .alone = true };
	struct tl_xtrace_trace *trace;
	struct tl_profile *profile;
	const char *failed;
	struct bytes s = { 0 };

	nop(&s, MAIN);
	call(&s, MAIN + 4, F);
	nop(&s, F);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(tl_source_open_memory(&sources[i], s.data, s.size, "a", NULL), 0);
		files[i].source = sources[i];
	}
	assert_int_equal(tl_xtrace_open(&trace, files, 2, &alone, &failed, NULL), 0);
	assert_int_equal(tl_xtrace_fold(trace, &options, &profile, NULL), 0);
	assert_int_equal(tl_profile_part_count(profile), 2);
	assert_int_equal(tl_profile_part(profile, 1)->thread, 8);
	assert_int_equal(tl_profile_part(profile, 1)->records, 3);
	assert_int_equal(tl_profile_total(profile)[0], 6);
	/* Lines were not asked for; those of contexts have no address of an instruction. */
	assert_int_equal(tl_profile_jump_count(profile), 0);
	tl_profile_free(profile);
	options.id = 8;
	assert_int_equal(tl_xtrace_fold(trace, &options, &profile, NULL), 0);
	assert_int_equal(tl_profile_part_count(profile), 1);
	assert_int_equal(tl_profile_part(profile, 0)->thread, 8);
	assert_int_equal(tl_profile_total(profile)[0], 3);
	tl_profile_free(profile);
	/* Without options: all of them. */
	assert_int_equal(tl_xtrace_fold(trace, NULL, &profile, NULL), 0);
	assert_int_equal(tl_profile_part_count(profile), 2);
	tl_profile_free(profile);
	tl_xtrace_close(trace);
	for (unsigned i = 0; i < 2; i++)
		tl_source_close(sources[i]);
	free_bytes(&s);
}

/* An INST before any PCINST: "decode opcodes, mark the PC unknown". */
TEST(nobody_knows_the_pc)
{
	struct bytes s = { 0 };
	struct tl_profile *profile;

	put_inst(&s, 0, A64_NOP);
	put_inst(&s, 0, A64_NOP);
	nop(&s, MAIN);
	profile = fold(&s);
	assert_int_equal(tl_profile_total(profile)[0], 3);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_and_returns),
		cmocka_unit_test(tail_calls),
		cmocka_unit_test(jumps_into_the_middle),
		cmocka_unit_test(returns_over_frames),
		cmocka_unit_test(callers_are_found),
		cmocka_unit_test(what_is_open_is_unfinished),
		cmocka_unit_test(exceptions_nest),
		cmocka_unit_test(an_exception_right_behind_a_return),
		cmocka_unit_test(another_thread_goes_on),
		cmocka_unit_test(threads_take_turns),
		cmocka_unit_test(a_kernel_has_two_addresses),
		cmocka_unit_test(signals_come_and_go),
		cmocka_unit_test(accesses_that_vary),
		cmocka_unit_test(zeroed_blocks_are_stores),
		cmocka_unit_test(branches),
		cmocka_unit_test(jumps_over_snapshots),
		cmocka_unit_test(code_that_changes),
		cmocka_unit_test(gaps_keep_frames),
		cmocka_unit_test(many_jumps_in_a_segment),
		cmocka_unit_test(indirect_jumps),
		cmocka_unit_test(branches_to_the_next_instruction),
		cmocka_unit_test(levels_have_functions_of_their_own),
		cmocka_unit_test(streams_have_parts),
		cmocka_unit_test(nobody_knows_the_pc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
