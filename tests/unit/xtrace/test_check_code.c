/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "An address has the same opcode each time, as long as nothing changes the code" (docs/formats/
 * xtrace.md, section 5): a loop whose first instruction is another one in its second round.
 */
#include "violations.h"

enum {
	BEGIN = 0x1000,
	FIRST = 0xd2800021,  /* MOV X1, #1 */
	OTHER = 0xd2800041,  /* MOV X1, #2 */
	STORE_W = 0xb900012a /* STR W10, [X9] */
};

/* Of a loop of four instructions: a round, in which `last` is before the jump to the beginning.
 * Returns where its first instruction stands. */
static size_t put_round(struct bytes *b, uint32_t first, uint32_t second, uint32_t last)
{
	size_t at = put_pcinst(b, 0, BEGIN, first);

	put_inst(b, 0, second);
	put_inst(b, 0, last);
	if (last == A64_SVC) {
		put_value(b, SVCARG, 226); /* mprotect */
		for (unsigned i = 0; i < 6; i++)
			put_value(b, SVCARG, i == 1 ? first >> 5 & 15 : 0);
		put_value(b, SVCRET, 0);
	} else if (last >> 20 == 0xd51) {
		put_value(b, MRS, 5); /* of MSR */
	} else if (last == STORE_W) {
		put_access(b, STORE, 2, BEGIN, OTHER);
	}
	put_inst(b, 0, 0x17fffffd); /* B BEGIN */
	return at;
}

/* Some more, as code that is replaced is told by what is behind it. */
static void put_rounds(struct bytes *b, uint32_t first)
{
	for (unsigned i = 0; i < 8; i++)
		put_round(b, first, A64_NOP, A64_NOP);
}

TEST(one_that_differs)
{
	struct bytes b = { .data = NULL };
	size_t at;

	put_round(&b, FIRST, A64_NOP, A64_NOP);
	at = put_round(&b, OTHER, A64_NOP, A64_NOP);
	put_rounds(&b, FIRST);
	assert_one(&b, "xtrace.opcode.changed", at, 4);
}

/* It is told once, whether it was an error or stays. */
TEST(it_is_told_once)
{
	for (unsigned stays = 0; stays < 2; stays++) {
		struct bytes b = { .data = NULL };
		size_t at;

		put_round(&b, FIRST, A64_NOP, A64_NOP);
		at = put_round(&b, OTHER, A64_NOP, A64_NOP);
		put_rounds(&b, stays ? OTHER : FIRST);
		assert_one(&b, "xtrace.opcode.changed", at, 4);
	}
}

/* Each error by itself; rounds between, of which blocks are made. */
TEST(two_errors)
{
	struct bytes b = { .data = NULL };
	size_t at[2];

	for (unsigned n = 0; n < 2; n++) {
		put_rounds(&b, FIRST);
		at[n] = put_round(&b, OTHER, A64_NOP, A64_NOP);
	}
	put_rounds(&b, FIRST);
	assert_broken(&b,
		      (struct broken[]){ { "xtrace.opcode.changed", at[0], 32 },
					 { "xtrace.opcode.changed", at[1], 68 } },
		      2);
}

/* Other code, which has something in common; behind it nothing is known of. */
TEST(more_of_it_differs)
{
	struct bytes b = { .data = NULL };

	put_rounds(&b, FIRST);
	put_round(&b, OTHER, OTHER, A64_NOP);
	put_rounds(&b, FIRST);
	assert_good(&b);
	put_rounds(&b, FIRST);
	put_round(&b, OTHER, A64_NOP, OTHER);
	put_rounds(&b, FIRST);
	assert_good(&b);
	put_rounds(&b, FIRST);
	put_pcinst(&b, 0, BEGIN, 0x14000400); /* B BEGIN + 0x1000 */
	put_pcinst(&b, 0, BEGIN + 0x1000, A64_NOP);
	for (unsigned i = 0; i < 16; i++)
		put_inst(&b, 0, A64_NOP);
	assert_good(&b);
}

/* ISB, IC IVAU, IC IALLUIS, TLBI VMALLE1IS, MSR TTBR0_EL1; mprotect; a store of that opcode. */
TEST(code_that_is_changed)
{
	static const uint32_t causes[] = { 0xd5033fdf, 0xd50b7520, 0xd508711f, 0xd508831f,
					   0xd5182000, A64_SVC,    STORE_W };

	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		struct bytes b = { .data = NULL };

		put_round(&b, FIRST, A64_NOP, causes[i]);
		for (unsigned n = 0; n < 8; n++)
			put_round(&b, OTHER, A64_NOP, causes[i]);
		assert_good(&b);
	}
}

/* DSB, DC CVAU, MSR TPIDR_EL0 are no reason: nor is a store of something else. */
TEST(what_changes_no_code)
{
	static const uint32_t others[] = { 0xd5033b9f, 0xd50b7b20, 0xd51bd040 };
	struct bytes b = { .data = NULL };
	size_t at;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		put_round(&b, FIRST, A64_NOP, others[i]);
		at = put_round(&b, OTHER, A64_NOP, others[i]);
		for (unsigned n = 0; n < 8; n++)
			put_round(&b, OTHER, A64_NOP, others[i]);
		assert_one(&b, "xtrace.opcode.changed", at, 4);
	}
	put_round(&b, FIRST, A64_NOP, STORE_W);
	at = put_round(&b, 0xd2800061, A64_NOP, STORE_W); /* MOV X1, #3 */
	for (unsigned n = 0; n < 8; n++)
		put_round(&b, OTHER, A64_NOP, STORE_W);
	assert_one(&b, "xtrace.opcode.changed", at, 4);
}

/* "B, BL, BRK, HVC, ISB, NOP, SMC, SVC" may be put in place of each other. */
TEST(instructions_that_replace_each_other)
{
	static const uint32_t pairs[][2] = {
		{ A64_NOP, 0x14000001 }, /* B to the next one */
		{ A64_NOP, 0x94000001 }, /* BL to the next one */
		{ 0x14000001, A64_NOP },
		{ A64_NOP, 0xd503203f }, /* YIELD, which is none of them */
		{ 0xd503203f, 0x14000001 },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct bytes b = { .data = NULL };
		size_t at;

		put_round(&b, FIRST, pairs[i][0], A64_NOP);
		at = put_round(&b, FIRST, pairs[i][1], A64_NOP) + 13;
		for (unsigned n = 0; n < 8; n++)
			put_round(&b, FIRST, pairs[i][1], A64_NOP);
		if (i < 3)
			assert_good(&b);
		else
			assert_one(&b, "xtrace.opcode.changed", at, 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_differs),
		cmocka_unit_test(it_is_told_once),
		cmocka_unit_test(two_errors),
		cmocka_unit_test(more_of_it_differs),
		cmocka_unit_test(code_that_is_changed),
		cmocka_unit_test(what_changes_no_code),
		cmocka_unit_test(instructions_that_replace_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
