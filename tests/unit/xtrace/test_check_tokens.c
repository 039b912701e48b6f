/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which tokens an instruction has, and how often: what the published text says, and what it leaves
 * open, which is found out from the stream itself.
 */
#include "violations.h"

#define A64_CSEL 0x9a810002u /* CSEL X2, X0, X1, EQ */
#define A64_STXR 0xc8027c20u /* STXR W2, X0, [X1] */
#define A64_MRS 0xd53bd043u  /* MRS X3, TPIDR_EL0 */

/* An instruction and a token of it. */
static size_t put_with(struct bytes *b, uint32_t opcode, unsigned token, uint64_t value)
{
	put_inst(b, 0, opcode);
	return put_value(b, token, value);
}

/* How many notes a stream has; no violations. */
static void assert_notes(struct bytes *b, size_t notes)
{
	struct found found = { .count = 0 };
	struct trace t;

	open_trace(&t, b, NULL);
	assert_int_equal(tl_xtrace_check(t.trace, note, &found, &t.err), 0);
	assert_int_equal(found.count, 0);
	assert_int_equal(found.notes, notes);
	close_trace(&t);
	free_bytes(b);
}

TEST(tokens_that_are_there_twice)
{
	static const struct {
		uint32_t opcode;
		unsigned token;
	} cases[] = { { A64_CSEL, FLAGS },
		      { A64_MRS, MRS },
		      { A64_STXR, STXR },
		      { 0xd61f0060, TARGET_B },
		      { 0xd50b7423, DC } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = { .data = NULL };
		size_t at;

		put_pcinst(&b, 0, 0x1000, A64_NOP);
		put_with(&b, cases[i].opcode, cases[i].token, 0);
		at = put_value(&b, cases[i].token, 0);
		assert_one(&b, "xtrace.grammar.twice", at, 1);
	}
}

/* Behind three of four it is there, so it belongs behind all of them; an exception is a reason. */
TEST(tokens_that_this_collector_writes)
{
	static const struct {
		uint32_t opcode;
		unsigned token;
	} cases[] = { { A64_CSEL, FLAGS }, { A64_MRS, MRS }, { A64_STXR, STXR } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = { .data = NULL };
		size_t at;

		put_pcinst(&b, 0, 0x1000, A64_NOP);
		for (unsigned n = 0; n < 3; n++)
			put_with(&b, cases[i].opcode, cases[i].token, 0);
		at = put_inst(&b, 0, cases[i].opcode);
		put_inst(&b, 0, A64_NOP);
		assert_one(&b, "xtrace.grammar.missing", at, 4);
		put_pcinst(&b, 0, 0x1000, A64_NOP);
		for (unsigned n = 0; n < 3; n++)
			put_with(&b, cases[i].opcode, cases[i].token, 0);
		put_inst(&b, 0, cases[i].opcode);
		put_allgpr(&b, 0);
		put_pcinst(&b, 1, 0xffff800008010c00, A64_NOP);
		assert_notes(&b, 0);
		/* Behind none of them: that is how this collector does it. */
		put_pcinst(&b, 0, 0x1000, A64_NOP);
		for (unsigned n = 0; n < 4; n++)
			put_inst(&b, 0, cases[i].opcode);
		assert_notes(&b, 1);
	}
}

static void put_call(struct bytes *b, uint64_t number, unsigned args, bool returns)
{
	put_inst(b, 0, A64_SVC);
	for (unsigned i = 0; i < args; i++)
		put_value(b, SVCARG, i ? 0 : number);
	if (returns)
		put_value(b, SVCRET, 0);
}

/* "Usually followed by 7 arguments": a collector that writes six does it always. */
TEST(six_arguments)
{
	struct bytes b = { .data = NULL };
	size_t at;

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	for (unsigned i = 0; i < 4; i++)
		put_call(&b, 172, 6, true);
	assert_notes(&b, 1);
	put_pcinst(&b, 0, 0x1000, A64_NOP);
	for (unsigned i = 0; i < 4; i++)
		put_call(&b, 172, 6, true);
	at = b.size;
	put_call(&b, 172, 5, true);
	put_inst(&b, 0, A64_NOP);
	assert_one(&b, "xtrace.grammar.missing", at, 5);
}

/* "SVCRET: recorded after the system call ended"; once, and behind no other instruction. */
TEST(results_of_calls)
{
	struct bytes b = { .data = NULL };
	size_t at;

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	put_call(&b, 172, 7, true);
	put_call(&b, 172, 7, true);
	put_call(&b, 172, 7, false);
	at = put_inst(&b, 0, A64_NOP);
	assert_one(&b, "xtrace.grammar.missing", at, 4);
	put_pcinst(&b, 0, 0x1000, A64_NOP);
	put_call(&b, 172, 7, true);
	at = put_value(&b, SVCRET, 0);
	put_inst(&b, 0, A64_NOP);
	assert_one(&b, "xtrace.grammar.owner", at, 2);
	/* rt_sigreturn, 139, comes back with registers of its own. */
	put_pcinst(&b, 0, 0x1000, A64_NOP);
	put_call(&b, 172, 7, true);
	put_inst(&b, 0, 0xd2801168); /* MOV X8, #139 */
	put_call(&b, 139, 7, false);
	put_inst(&b, 0, A64_NOP);
	assert_notes(&b, 0);
}

/* readv, 65, of two buffers. */
TEST(vectors_of_calls)
{
	for (unsigned good = 0; good < 2; good++) {
		struct bytes b = { .data = NULL };
		size_t at = 0;

		put_pcinst(&b, 0, 0x1000, A64_NOP);
		for (unsigned i = 0; i < 3; i++) {
			at = put_inst(&b, 0, A64_SVC);
			put_value(&b, SVCARG, 65);
			for (unsigned n = 0; n < 6; n++)
				put_value(&b, SVCARG, n == 2 ? 1 : 0);
			if (i < 2 || good) {
				put_value(&b, SYSCALL_VEC, 1);
				put_repeat(&b, 0, 16);
			}
			put_value(&b, SVCRET, 0);
		}
		put_inst(&b, 0, A64_NOP);
		if (good)
			assert_notes(&b, 0);
		else
			assert_one(&b, "xtrace.grammar.missing", at, 3);
	}
}

/* TIME behind its access, or before each of two: found out, and then the rule. */
TEST(places_of_time)
{
	for (unsigned how = 0; how < 3; how++) {
		struct bytes b = { .data = NULL };
		size_t at = 0;

		put_pcinst(&b, 0, 0x1000, A64_NOP);
		for (unsigned i = 0; i < 4; i++) {
			put_inst(&b, 0, 0xa9400c22); /* LDP X2, X3, [X1] */
			if (how < 2)
				put_value(&b, TIME, 10 * i);
			put_access(&b, LOAD, 3, 0x9000, 1);
			if (how == 1)
				put_value(&b, TIME, 10 * i + 1);
			put_access(&b, LOAD, 3, 0x9008, 2);
			if (how == 2)
				put_value(&b, TIME, 10 * i);
		}
		if (how == 0) {
			at = put_inst(&b, 0, 0xa9400c22);
			put_access(&b, LOAD, 3, 0x9000, 1);
			put_access(&b, LOAD, 3, 0x9008, 2);
			put_inst(&b, 0, A64_NOP);
			assert_one(&b, "xtrace.grammar.missing", at, 5);
		} else {
			assert_notes(&b, 1);
		}
	}
}

/* DC tokens behind DC CVAC, too. */
TEST(any_instruction_on_caches)
{
	struct bytes b = { .data = NULL };
	size_t at;

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	at = put_with(&b, 0xd50b7a23, DC, 0x9000); /* DC CVAC, X3 */
	assert_one(&b, "xtrace.grammar.owner", at, 1);
	put_pcinst(&b, 0, 0x1000, A64_NOP);
	for (unsigned i = 0; i < 4; i++)
		put_with(&b, 0xd50b7a23, DC, 0x9000);
	assert_notes(&b, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens_that_are_there_twice),
		cmocka_unit_test(tokens_that_this_collector_writes),
		cmocka_unit_test(six_arguments),
		cmocka_unit_test(results_of_calls),
		cmocka_unit_test(vectors_of_calls),
		cmocka_unit_test(places_of_time),
		cmocka_unit_test(any_instruction_on_caches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
