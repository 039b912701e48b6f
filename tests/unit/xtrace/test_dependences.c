/* SPDX-License-Identifier: Apache-2.0 */
/* How far what is read is from what made it: docs/analyze.md, "--dependences"; counted by hand. */
#include <stdlib.h>

#include "../unit.h"

#include "xtrace/share/dependences.h"

/* Encodings of the A64 instruction set (Arm ARM, C6.2). */
#define ADD(d, n, m) (0x8b000000u | (m) << 16 | (n) << 5 | (d))
#define ADDS(d, n, m) (0xab000000u | (m) << 16 | (n) << 5 | (d))
#define MOVZ(d) (0xd2800000u | (d))
#define B_EQ 0x54000020u
#define LDR(d, n) (0xf9400000u | (n) << 5 | (d))
#define STR(d, n) (0xf9000000u | (n) << 5 | (d))

static void step(struct tl_xtrace_dependences *d, uint32_t opcode)
{
	assert_true(tl_xtrace_dependences_step(d, opcode));
}

static void touch(struct tl_xtrace_dependences *d, bool store, uint64_t address, uint64_t size)
{
	assert_true(tl_xtrace_dependences_access(d, store, address, size));
}

static void begin(struct tl_xtrace_dependences *d)
{
	*d = (struct tl_xtrace_dependences){ .instructions = 0 };
	assert_true(tl_xtrace_dependences_begin(d));
}

static void want_chains(struct tl_xtrace_dependences *d, const uint64_t *chains)
{
	assert_true(tl_xtrace_dependences_end(d));
	for (unsigned i = 0; i < TL_XTRACE_WINDOWS; i++)
		assert_int_equal(d->chains[i], chains[i]);
	tl_xtrace_dependences_free(d);
}

#define WANT_CHAINS(d, ...) want_chains(d, (const uint64_t[TL_XTRACE_WINDOWS]){ __VA_ARGS__ })

/* Through registers and memory, five instructions are one chain. */
TEST(a_chain_goes_through_memory)
{
	struct tl_xtrace_dependences d;

	begin(&d);
	step(&d, MOVZ(1));
	step(&d, ADD(2, 1, 1)); /* X1 is one read, of distance 1 */
	step(&d, STR(2, 3));    /* X2 of distance 1; X3 was made before the part */
	touch(&d, true, 0x100, 8);
	step(&d, LDR(4, 3));
	touch(&d, false, 0x100, 8);
	step(&d, ADD(5, 4, 1)); /* X4 of distance 1, X1 of 4 */
	WANT_CHAINS(&d, 5, 5, 5, 5, 5, 5, 5);
	assert_int_equal(d.registers.reads, 6);
	assert_int_equal(d.registers.unknown, 2);
	assert_int_equal(d.registers.buckets[0], 3);
	assert_int_equal(d.registers.buckets[2], 1);
	assert_int_equal(d.memory.reads, 1);
	assert_int_equal(d.memory.unknown, 0);
	assert_int_equal(d.memory.buckets[0], 1);
}

/* Flags are a register that ADDS writes and B.EQ reads; XZR is none. */
TEST(flags_are_a_register)
{
	struct tl_xtrace_dependences d;

	begin(&d);
	step(&d, ADDS(31, 31, 31));
	step(&d, MOVZ(1));
	step(&d, MOVZ(31));
	step(&d, B_EQ);
	WANT_CHAINS(&d, 2, 2, 2, 2, 2, 2, 2);
	assert_int_equal(d.registers.reads, 1);
	assert_int_equal(d.registers.buckets[1], 1); /* 3 */
}

/* Instructions that need nothing of each other run at once; each window begins anew. */
TEST(windows_begin_anew)
{
	struct tl_xtrace_dependences d;

	begin(&d);
	for (uint32_t i = 0; i < 40; i++)
		step(&d, MOVZ(i % 30));
	WANT_CHAINS(&d, 3, 2, 1, 1, 1, 1, 1);
	begin(&d);
	for (uint32_t i = 0; i < 40; i++)
		step(&d, ADD(1, 1, 1));
	/* 16 + 16 + 8, 32 + 8, and 40 */
	WANT_CHAINS(&d, 40, 40, 40, 40, 40, 40, 40);
	begin(&d);
	for (uint32_t i = 0; i < 16; i++)
		step(&d, i % 2 ? ADD(1, 1, 1) : ADD(2, 2, 2));
	WANT_CHAINS(&d, 8, 8, 8, 8, 8, 8, 8);
}

/* Memory is 8 bytes at a time: the last one of those that an access has counts. */
TEST(an_access_over_a_border_has_two_makers)
{
	struct tl_xtrace_dependences d;

	begin(&d);
	step(&d, STR(1, 3));
	touch(&d, true, 0x100, 8);
	step(&d, STR(2, 3));
	touch(&d, true, 0x108, 8);
	step(&d, MOVZ(9));
	step(&d, LDR(4, 3));
	touch(&d, false, 0x104, 8); /* of 2 and 3 instructions before: 2 */
	step(&d, LDR(5, 3));
	touch(&d, false, 0x10c, 8); /* of 3, and of none */
	step(&d, LDR(6, 3));
	touch(&d, false, 0x200, 4);
	assert_true(tl_xtrace_dependences_end(&d));
	/* Each access is one read: what is known of them and what is not are all. */
	assert_int_equal(d.memory.unknown + d.memory.buckets[0] + d.memory.buckets[1] +
				 d.memory.buckets[2],
			 d.memory.reads);
	assert_int_equal(d.memory.reads, 3);
	assert_int_equal(d.memory.unknown, 1);
	assert_int_equal(d.memory.buckets[1], 2);
	tl_xtrace_dependences_free(&d);
}

/* What an instruction stores is there for the next one, not for itself. */
TEST(a_store_is_seen_by_the_next_instruction)
{
	struct tl_xtrace_dependences d;

	begin(&d);
	step(&d, STR(1, 3));
	touch(&d, true, 0x100, 8);
	touch(&d, false, 0x100, 8);
	assert_true(tl_xtrace_dependences_end(&d));
	assert_int_equal(d.memory.unknown, 1);
	tl_xtrace_dependences_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_goes_through_memory),
		cmocka_unit_test(flags_are_a_register),
		cmocka_unit_test(windows_begin_anew),
		cmocka_unit_test(an_access_over_a_border_has_two_makers),
		cmocka_unit_test(a_store_is_seen_by_the_next_instruction),
	};

	return cmocka_run_group_tests_name("xtrace dependences", tests, NULL, NULL);
}
