/* SPDX-License-Identifier: Apache-2.0 */
/* What is counted, of which function and of which address. */
#include "folded_trace.h"

/* ---- instructions ---- */

/* Two rounds: 1 + 4 instructions of the caller and 3 of the leaf each. */
TEST(instructions)
{
	SLICE(5, BEGIN(MAIN), RETURN, TIP(MAIN), RETURN, PGD_BARE);
	fold();
	assert_int_equal(tl_profile_event_count(profile), 1);
	want("Ir", LEAF, 2, 6, 6);
	want("Ir", MAIN, 0, 10, 16);
	assert_int_equal(total("Ir"), 16);
	assert_int_equal(tl_profile_part(profile, 0)->thread, 5);
	assert_int_equal(losses().unfinished, 1);
	assert_int_equal(faults.count, 0);
}

/* An indirect call and two levels: 1018 calls the leaf and returns to main, which goes on. */
TEST(calls_of_calls)
{
	SLICE(5, BEGIN(MAIN), RETURN, TIP(OUTER), TIP(LEAF), TNT1(1), PGD(0x1005));
	fold();
	/* From main's jump to 1018: code without symbols stays what was called. */
	want("Ir", LEAF, 2, 6, 6);
	want("Ir", MAIN, 0, 5 + 2, 13);
}

static uint64_t calls_between(uint64_t caller, uint64_t callee)
{
	uint64_t calls = 0;

	for (uint32_t i = 0; i < tl_profile_arc_count(profile); i++) {
		const struct tl_arc *arc = tl_profile_arc(profile, i);

		if (arc->caller == function_at(caller) && arc->callee == function_at(callee))
			calls += arc->calls;
	}
	return calls;
}

/*
 * outer calls main, which calls the leaf and then jumps to its entry: the leaf takes main's place,
 * and returns to outer. Twice, as a block is looked at when it runs first. A call of main is
 * its 5 instructions and the 3 of the leaf that it called. The first outer ends where it returns to
 * the second, the call of neither was seen.
 */
static void two_jumps(void)
{
	named = true;
	SLICE(5, BEGIN(OUTER), TIP(MAIN), RETURN, TIP(LEAF), RETURN, TIP(OUTER), TIP(MAIN), RETURN,
	      TIP(LEAF), RETURN, PGD_BARE);
	fold();
	want("Ir", LEAF, 4, 12, 12);
	want("Ir", MAIN, 2, 10, 16);
	want("Ir", OUTER, 1, 4, 26);
	assert_int_equal(losses().deduced_exits, 0);
}

TEST(a_jump_to_another_function)
{
	two_jumps();
	assert_int_equal(calls_between(MAIN, LEAF), 2);
	assert_int_equal(calls_between(OUTER, LEAF), 2);
	assert_int_equal(calls_between(OUTER, MAIN), 2);
}

/* The table of functions is the same, and nothing else is there. */
TEST(a_table)
{
	options.table = true;
	two_jumps();
	assert_int_equal(tl_profile_arc_count(profile), 0);
}

/*
 * From code with a name into code without: that is one more function in its place, and stays it
 * until it returns. The kernel's two blocks, without a name, are 2 + 2 instructions.
 */
TEST(a_jump_into_code_without_names)
{
	named = true;
	SLICE(5, BEGIN(OUTER), TIP(MAIN), RETURN, TIP(KERNEL), TIP(KERNEL), TIP(0x101a), PGD_BARE);
	fold();
	want("Ir", LEAF, 1, 3, 3);
	want("Ir", MAIN, 1, 5, 8);
	want("Ir", KERNEL, 1, 4, 4);
	want("Ir", OUTER, 0, 2, 14);
}

/*
 * The same while a function without a name runs: its last instruction is a call, which returns into
 * the function behind it. From there a jump into code without names is none to another function,
 * also where it was called before, so that the call of 1040 is one.
 */
TEST(a_jump_back_into_code_without_names)
{
	named = true;
	SLICE(5, BEGIN(OUTER), TIP(UNNAMED), RETURN, TIP(OUTER), TIP(LAST_CALL), RETURN,
	      TIP(UNNAMED), RETURN, PGD_BARE);
	fold();
	want("Ir", UNNAMED, 1, 1, 1);
	want("Ir", LEAF, 1, 3, 3);
	want("Ir", LAST_CALL, 1, 1 + 2 + 1, 7);
	want("Ir", BEHIND, 0, 0, 0);
	want("Ir", OUTER, 1, 4, 12);
}

/*
 * Rounds of main, which calls deep: that loops, and at the end branches to odd, which takes its
 * place and returns to main. Without the list of nodes, which one job needs not, and with it.
 */
TEST(a_branch_to_another_function)
{
	enum { ROUNDS = 2000 };
	static const uint8_t start[] = { START(REC_MAIN) },
			     round[] = { 0x80 | 26 << 1, RETURN, TIP(REC_MAIN) },
			     loops[] = { TNT3(0, 1, 0), TNT2(1, 0), PGD_BARE };
	static uint8_t trace[sizeof(start) + ROUNDS * sizeof(round) + sizeof(loops)];
	const char *root = getenv("TL_SOURCE_ROOT");

	assert_non_null(root);
	snprintf(symbols, sizeof(symbols), "%s/tests/golden/intel_pt/bin/rec", root);
	memcpy(trace, start, sizeof(start));
	/* Outcomes: no, yes, no, yes, yes (to odd), no, as bits 26. */
	for (size_t i = 0; i < ROUNDS; i++)
		memcpy(trace + sizeof(start) + i * sizeof(round), round, sizeof(round));
	memcpy(trace + sizeof(start) + ROUNDS * sizeof(round), loops, sizeof(loops));
	add_slice(trace, sizeof(trace), 5);
	for (options.jobs = 1; options.jobs < 3; options.jobs++) {
		tl_profile_free(profile);
		fold();
		/* A block ends at the call, too. At last deep loops until tracing goes off. */
		want("Ir", DEEP, ROUNDS, 7 * ROUNDS + 9, 7 * ROUNDS + 9);
		want("Ir", ODD, ROUNDS, 3 * ROUNDS, 3 * ROUNDS);
		want("Ir", REC_MAIN, 0, 2 * ROUNDS + 1, 12 * ROUNDS + 10);
		assert_int_equal(tl_profile_part(profile, 0)->records, 9 * ROUNDS + 7);
	}
}

/* Threads have parts of their own, and one that is not wanted costs nothing. */
TEST(threads)
{
	SLICE(5, BEGIN(MAIN), RETURN, TIP(MAIN), RETURN, PGD_BARE);
	SLICE(6, BEGIN(MAIN), RETURN, PGD_BARE);
	fold();
	assert_int_equal(tl_profile_part_count(profile), 2);
	want("Ir", LEAF, 3, 9, 9);
	want("Ir", MAIN, 0, 15, 24);
	tl_profile_free(profile);
	options.thread = 6;
	fold();
	assert_int_equal(tl_profile_part_count(profile), 1);
	want("Ir", LEAF, 1, 3, 3);
	want("Ir", MAIN, 0, 5, 8);
}

/*
 * A thread that is met again goes on where it was: behind a call that was not traced it is in the
 * function that called, which is no new one.
 */
TEST(a_thread_goes_on)
{
	static const uint8_t first[] = { BEGIN(MAIN), RETURN, TIP(OUTER), PGD(LEAF) };
	static const uint8_t then[] = { PSB, MODE_64, PSBEND, PGE(0x101a), PGD_BARE };

	add_slice(first, sizeof(first), 5);
	SLICE(6, BEGIN(MAIN), RETURN, PGD_BARE);
	add_slice(then, sizeof(then), 5);
	fold();
	assert_int_equal(tl_profile_part_count(profile), 2);
	assert_int_equal(tl_profile_function_count(profile), 2);
	want("Ir", LEAF, 2, 6, 6);
	want("Ir", MAIN, 0, 5 + 2 + 5, 18);
}

/* ---- signals ---- */

/* A signal at an address: the handler runs, and its last system call goes back there. */
#define SIGNAL(at) FUP(at), PGD_BARE, PGE(HANDLER), PGD_BARE, PGE(at)

/*
 * A signal between a call and the first instruction of what is called: that is called once, and
 * waits for the handler's two instructions. So it is with an indirect call, whose target the signal
 * tells as well.
 */
TEST(a_signal_before_the_first_instruction)
{
	SLICE(5, BEGIN(MAIN), SIGNAL(LEAF), RETURN, TIP(OUTER), TIP(LEAF), SIGNAL(LEAF), TNT1(1),
	      PGD(0x1005));
	fold();
	want("Ir", LEAF, 2, 6, 6 + 2 * 2);
	want("Ir", HANDLER, 2, 4, 4);
	want("Ir", MAIN, 0, 5 + 2, 13 + 2 * 2);
	assert_int_equal(losses().unfinished, 1);
	assert_int_equal(faults.count, 0);
}

/* The next one comes as the handler of the first is done, before anything has run. */
TEST(signals_before_the_first_instruction)
{
	SLICE(5, BEGIN(MAIN), SIGNAL(LEAF), SIGNAL(LEAF), SIGNAL(LEAF), RETURN, PGD(MAIN));
	fold();
	want("Ir", LEAF, 1, 3, 3 + 3 * 2);
	want("Ir", HANDLER, 3, 6, 6);
	want("Ir", MAIN, 0, 5, 8 + 3 * 2);
	assert_int_equal(faults.count, 0);
}

/* One before the first instruction of a handler: that waits for the other, as the leaf for it. */
TEST(a_signal_before_the_first_instruction_of_a_handler)
{
	SLICE(5, BEGIN(MAIN), FUP(LEAF), PGD_BARE, PGE(HANDLER), FUP(HANDLER), PGD_BARE,
	      PGE(CALLER), RETURN, PGD_BARE, PGE(HANDLER), PGD_BARE, PGE(LEAF), RETURN, PGD(MAIN));
	fold();
	want("Ir", CALLER, 1, 2, 5);
	want("Ir", HANDLER, 1, 2, 2 + 5);
	want("Ir", LEAF, 2, 6, 3 + 2 + 5);
	want("Ir", MAIN, 0, 5, 8 + 2 + 5);
	assert_int_equal(faults.count, 0);
}

/* The handler calls, too, what was called just then. */
TEST(a_signal_whose_handler_makes_the_same_call)
{
	SLICE(5, BEGIN(MAIN), FUP(LEAF), PGD_BARE, PGE(CALLER), RETURN, PGD_BARE, PGE(LEAF), RETURN,
	      PGD(MAIN));
	fold();
	want("Ir", LEAF, 2, 6, 3 + 2 + 3);
	want("Ir", CALLER, 1, 2, 5);
	want("Ir", MAIN, 0, 5, 8 + 5);
	assert_int_equal(faults.count, 0);
}

/* With the kernel in the trace: an interrupt before the first instruction of another's handler. */
TEST(an_interrupt_before_the_first_instruction)
{
	SLICE(5, BEGIN(MAIN), FUP(LEAF), TIP(KERNEL), FUP(KERNEL), TIP(KERNEL), TIP(KERNEL),
	      TIP(LEAF), RETURN, PGD(MAIN));
	fold();
	want("Ir", KERNEL, 2, 4, 4);
	want("Ir", LEAF, 1, 3, 3 + 4);
	want("Ir", MAIN, 0, 5, 8 + 4);
	assert_int_equal(faults.count, 0);
}

/* Time that the kernel takes then is nobody's: the call goes on, and is no second one. */
TEST(the_kernel_before_the_first_instruction)
{
	SLICE(5, BEGIN(MAIN), FUP(LEAF), PGD_BARE, PGE(LEAF), RETURN, TIP(MAIN), RETURN, PGD_BARE);
	fold();
	want("Ir", LEAF, 2, 6, 6);
	want("Ir", MAIN, 0, 10, 16);
}

/* ---- time ---- */

/*
 * Time is spread over the instructions that ran between two times: 80 ticks over call and leaf (20
 * each), then 80 over eight (10 each). The four behind the last time take none.
 */
TEST(ticks)
{
	struct tl_latency latency;

	timed = true;
	SLICE(5, TWO_ROUNDS);
	fold();
	want("Ticks", LEAF, 2, 60 + 30, 90);
	want("Ticks", MAIN, 0, 20 + 50, 160);
	want("Ir", LEAF, 2, 9, 9);
	want("Ir", MAIN, 0, 11, 20);
	assert_true(tl_profile_timed(profile));
	assert_true(
		tl_profile_latency(profile, function_at(LEAF), TL_NONE, &latency, sizeof(latency)));
	assert_int_equal(latency.calls, 2);
	assert_int_equal(latency.min, 30);
	assert_int_equal(latency.max, 60);
	assert_int_equal(latency.sum, 90);
	assert_int_equal(tl_profile_part(profile, 0)->first_ticks, 100);
	assert_int_equal(tl_profile_part(profile, 0)->last_ticks, 260);
}

/* The same clock told twice is no time; one that goes back neither, and is counted. */
TEST(a_clock_that_goes_back)
{
	timed = true;
	SLICE(5, BEGIN_AT(MAIN, 100), RETURN, TSC(180), TSC(180), TIP(MAIN), RETURN, TSC(140),
	      TIP(MAIN), PGD_BARE);
	fold();
	want("Ticks", LEAF, 2, 60, 60);
	want("Ticks", MAIN, 0, 20, 80);
	assert_int_equal(losses().time_reversals, 1);
}

/* ---- cycles ---- */

/*
 * "It precedes the packet it times": the first count is from a packet that is not there. Then 16
 * cycles until main's jump, which main takes; 14 for leaf and main behind it, 2 for each of the 7
 * instructions; 20 until tracing ends, which the innermost function takes.
 */
TEST(cycles)
{
	timed = true;
	SLICE(5, BEGIN_AT(MAIN, 100), CYC(8), RETURN, CYC(16), TIP(MAIN), CYC(14), RETURN, CYC(20),
	      PGD_BARE);
	fold();
	want("Cycles", LEAF, 2, 6, 6);
	want("Cycles", MAIN, 0, 16 + 8 + 20, 50);
	assert_int_equal(total("Cycles"), 50);
	want("Ir", MAIN, 0, 10, 16);
	/* The ratio of cycles to ticks is not known: time stands. */
	assert_int_equal(total("Ticks"), 0);
}

/* Without CYC there is no such event. */
TEST(no_cycles)
{
	timed = true;
	SLICE(5, TWO_ROUNDS);
	fold();
	assert_int_equal(tl_profile_event_count(profile), 2);
	assert_string_equal(tl_profile_event(profile, 0)->name, "Ticks");
	assert_string_equal(tl_profile_event(profile, 1)->name, "Ir");
}

/* ---- losses ---- */

/*
 * Frames stay open over an overflow. Nothing ran behind the leaf's second return before it: where
 * the trace goes on in the leaf, that is the same call. It returns to a function that is open.
 */
TEST(an_overflow)
{
	SLICE(5, BEGIN(MAIN), RETURN, TIP(OUTER), TIP(LEAF), TIP(0x101a), OVF, FUP(LEAF),
	      TIP(0x101a), PGD_BARE);
	fold();
	assert_int_equal(losses().gaps, 1);
	assert_int_equal(tl_profile_function_count(profile), 2);
	want("Ir", LEAF, 2, 9, 9);
	want("Ir", MAIN, 0, 5 + 1 + 1, 16);
}

/* Code that is not there: the rest up to the next PSB is lost, and said once with its bytes. */
TEST(code_that_is_missing)
{
	enum { AWAY = 0x3000 };

	SLICE(5, BEGIN(MAIN), RETURN, TIP(AWAY), RETURN, RETURN, BEGIN(MAIN), RETURN, PGD_BARE);
	fold();
	assert_int_equal(faults.count, 1);
	assert_int_equal(faults.list[0].why, TL_PT_NOMAP);
	assert_int_equal(faults.list[0].ip, AWAY);
	assert_int_equal(losses().gaps, 1);
	assert_int_equal(losses().skipped_bytes, faults.list[0].to - faults.list[0].from);
	want("Ir", LEAF, 2, 6, 6);
	want("Ir", MAIN, 0, 10, 16);
}

/* With `strict` it ends the fold. */
TEST(strict)
{
	const struct tl_pt_feed feed = { .next = feed_next,
					 .rewind = feed_rewind,
					 .mapping = feed_place };
	struct tl_error err;

	options.strict = true;
	SLICE(5, BEGIN(MAIN), RETURN, TIP(0x3000), RETURN);
	assert_true(tl_pt_fold(&feed, &options, &faults, &profile, &err) < 0);
	assert_null(profile);
}

/* ---- costs of addresses ---- */

static int64_t cost_at(uint64_t address, const char *event)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < tl_profile_line_count(profile); i++)
		if (tl_profile_line(profile, i)->at.address == address)
			sum += tl_profile_line_cost(profile, i)[event_of(event)];
	return sum;
}

TEST(instructions_by_address)
{
	static const struct {
		uint64_t address;
		int64_t executed;
	} rows[] = {
		{ 0x1000, 2 }, { 0x1005, 2 }, { 0x1006, 2 }, { 0x1007, 2 }, { 0x1008, 2 },
		{ 0x1010, 2 }, { 0x1011, 2 }, { 0x1012, 2 }, { 0x1018, 0 },
	};

	options.lines = true;
	SLICE(5, BEGIN(MAIN), RETURN, TIP(MAIN), RETURN, PGD_BARE);
	fold();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(cost_at(rows[i].address, "Ir"), rows[i].executed);
	want("Ir", LEAF, 2, 6, 6);
	want("Ir", MAIN, 0, 10, 16);
}

/* Calls are those of their instruction, with all that ran inside. */
TEST(calls_by_address)
{
	bool found = false;

	options.lines = true;
	SLICE(5, BEGIN(MAIN), RETURN, TIP(MAIN), RETURN, PGD_BARE);
	fold();
	for (uint32_t i = 0; i < tl_profile_arc_count(profile); i++) {
		const struct tl_arc *arc = tl_profile_arc(profile, i);

		if (arc->caller == TL_NONE || arc->callee != function_at(LEAF))
			continue;
		assert_false(found);
		found = true;
		assert_int_equal(arc->caller, function_at(MAIN));
		assert_int_equal(arc->from.address, 0x1000);
		assert_int_equal(arc->to.address, LEAF);
		assert_int_equal(arc->calls, 2);
		assert_int_equal(tl_profile_arc_cost(profile, i)[0], 6);
	}
	assert_true(found);
}

/* Two places that call one function are two arcs, each with its own calls. */
TEST(calls_of_two_places)
{
	unsigned found = 0;

	options.lines = true;
	SLICE(5, BEGIN(MAIN), RETURN, TIP(OUTER), TIP(LEAF), RETURN, TIP(MAIN), RETURN, TIP(OUTER),
	      TIP(LEAF), RETURN, TIP(MAIN), RETURN, PGD_BARE);
	fold();
	for (uint32_t i = 0; i < tl_profile_arc_count(profile); i++) {
		const struct tl_arc *arc = tl_profile_arc(profile, i);

		if (arc->callee != function_at(LEAF))
			continue;
		assert_int_equal(arc->calls, arc->from.address == 0x1000 ? 3 : 2);
		assert_int_equal(tl_profile_arc_cost(profile, i)[0], 3 * (int64_t)arc->calls);
		found += arc->from.address == 0x1000 ? 1 : arc->from.address == 0x1018 ? 10 : 100;
	}
	assert_int_equal(found, 11);
}

/* Ticks of a block are its last instruction's; sums are those of the functions. */
TEST(ticks_by_address)
{
	timed = true;
	options.lines = true;
	SLICE(5, TWO_ROUNDS);
	fold();
	assert_int_equal(cost_at(0x1000, "Ticks") + cost_at(0x1005, "Ticks") +
				 cost_at(0x1006, "Ticks") + cost_at(0x1007, "Ticks") +
				 cost_at(0x1008, "Ticks"),
			 70);
	assert_int_equal(
		cost_at(0x1010, "Ticks") + cost_at(0x1011, "Ticks") + cost_at(0x1012, "Ticks"), 90);
	want("Ticks", LEAF, 2, 90, 90);
	want("Ticks", MAIN, 0, 70, 160);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(instructions),
		CASE(calls_of_calls),
		CASE(a_jump_to_another_function),
		CASE(a_table),
		CASE(a_jump_into_code_without_names),
		CASE(a_jump_back_into_code_without_names),
		CASE(a_branch_to_another_function),
		CASE(threads),
		CASE(a_thread_goes_on),
		CASE(a_signal_before_the_first_instruction),
		CASE(signals_before_the_first_instruction),
		CASE(a_signal_before_the_first_instruction_of_a_handler),
		CASE(a_signal_whose_handler_makes_the_same_call),
		CASE(an_interrupt_before_the_first_instruction),
		CASE(the_kernel_before_the_first_instruction),
		CASE(ticks),
		CASE(a_clock_that_goes_back),
		CASE(cycles),
		CASE(no_cycles),
		CASE(an_overflow),
		CASE(code_that_is_missing),
		CASE(strict),
		CASE(instructions_by_address),
		CASE(calls_by_address),
		CASE(calls_of_two_places),
		CASE(ticks_by_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
