/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of `check`, each broken once at a known byte; and streams that break none, odd as they
 * look. Facts are those of docs/formats/xtrace.md, section 5.
 */
#include "violations.h"

/* ---- the PC ---- */

TEST(the_pc_breaks)
{
	struct bytes b = { .data = NULL };
	size_t at;

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	at = put_pcinst(&b, 0, 0x2000, A64_NOP);
	assert_one(&b, "xtrace.pc.continuity", at, 1);

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	at = put_pcinst(&b, 0, 0x1006, A64_NOP);
	assert_broken(&b,
		      (struct broken[]){ { "xtrace.pc.alignment", at, 1 },
					 { "xtrace.pc.continuity", at, 1 } },
		      2);
}

/* "PCINST also appears for straight-line code. Not an error." */
TEST(a_pc_where_none_was_needed)
{
	struct bytes b = { .data = NULL };

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	put_pcinst(&b, 0, 0x1004, A64_NOP);
	assert_good(&b);
}

/* "A faulting load/store is recorded as INST without MEM, then the handler, then the same PC again
 * (counted twice)". */
TEST(a_load_that_is_repeated)
{
	struct bytes b = { .data = NULL };
	size_t at;

	put_pcinst(&b, 0, 0x1000, A64_LDR);
	put_pcinst(&b, 0, 0x1000, A64_LDR);
	put_access(&b, LOAD, 3, 0x9000, 5);
	assert_good(&b);
	/* One that did load has no reason to. */
	put_pcinst(&b, 0, 0x1000, A64_LDR);
	put_access(&b, LOAD, 3, 0x9000, 5);
	at = put_pcinst(&b, 0, 0x1000, A64_LDR);
	assert_one(&b, "xtrace.pc.continuity", at, 1);
}

/* B, BL, B.EQ, CBZ, TBZ with an offset of 16: imm26 4; imm19 4 at bit 5; imm14 4 at bit 5. */
TEST(direct_branches)
{
	static const struct {
		uint32_t opcode;
		bool conditional;
		/* clang-format off */
	} branches[] = {
		{ 0x14000004, false }, { 0x94000004, false }, { 0x54000080, true },
		{ 0xb4000080, true },  { 0x36000080, true },
	};
	/* clang-format on */

	for (size_t i = 0; i < 5; i++) {
		struct bytes b = { .data = NULL };
		size_t at;

		put_pcinst(&b, 0, 0x1000, branches[i].opcode);
		put_pcinst(&b, 0, 0x1010, A64_NOP);
		assert_good(&b);
		put_pcinst(&b, 0, 0x1000, branches[i].opcode);
		at = put_inst(&b, 0, A64_NOP);
		if (branches[i].conditional)
			assert_good(&b);
		else
			assert_one(&b, "xtrace.pc.branch", at, 1);
		put_pcinst(&b, 0, 0x1000, branches[i].opcode);
		at = put_pcinst(&b, 0, 0x1014, A64_NOP);
		assert_one(&b, "xtrace.pc.branch", at, 1);
	}
}

/* "TARGET_B: for the unconditional jumps BR, BLR, RET, ERET, the register value (jump target)." */
TEST(indirect_branches)
{
	/* BR X3, BLR X3, RET, RETAA */
	static const uint32_t branches[] = { 0xd61f0060, 0xd63f0060, A64_RET, 0xd65f0bff };

	for (size_t i = 0; i < 4; i++) {
		struct bytes b = { .data = NULL };
		size_t at;

		put_pcinst(&b, 0, 0x1000, branches[i]);
		put_value(&b, TARGET_B, 0x2000);
		put_pcinst(&b, 0, 0x2000, A64_NOP);
		assert_good(&b);
		put_pcinst(&b, 0, 0x1000, branches[i]);
		put_value(&b, TARGET_B, 0x2000);
		at = put_pcinst(&b, 0, 0x2004, A64_NOP);
		assert_one(&b, "xtrace.pc.target", at, 1);
		put_pcinst(&b, 0, 0x1000, branches[i]);
		put_pcinst(&b, 0, 0x2004, A64_NOP);
		assert_one(&b, "xtrace.grammar.missing", 0, 0);
	}
}

/* ---- exception levels ---- */

/* EL0 goes to an entry of the vector table for lower levels and comes back. */
static struct bytes exception(uint64_t vector, bool registers, uint32_t back)
{
	struct bytes b = { .data = NULL };

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	if (registers)
		put_allgpr(&b, 0);
	put_pcinst(&b, 1, vector, back);
	if (back == A64_ERET)
		put_value(&b, TARGET_B, 0x1004);
	put_allgpr(&b, 0);
	put_pcinst(&b, 0, 0x1004, A64_NOP);
	return b;
}

TEST(levels_go_up_and_down)
{
	struct bytes b = exception(0xffff800008010c00, true, A64_ERET);

	assert_good(&b);
	/* Entry 4 is one for exceptions of the same level. */
	b = exception(0xffff800008010a00, true, A64_ERET);
	assert_one(&b, "xtrace.el.vector", 13 + 257, 1);
	b = exception(0xffff800008010c04, true, A64_ERET);
	assert_one(&b, "xtrace.el.vector", 13 + 257, 1);
	b = exception(0xffff800008010c00, true, A64_NOP);
	assert_one(&b, "xtrace.el.return", 13 + 257 + 13 + 257, 2);
	/* "ALLGPR: the full general registers at an exception level switch." */
	b = exception(0xffff800008010c00, false, A64_ERET);
	assert_one(&b, "xtrace.el.registers", 13, 1);
}

/* "ERET's TARGET_B (an EL0 address) followed by an EL1 vector instruction: an IRQ taken at once.
 * Allowed." */
TEST(an_interrupt_at_once)
{
	struct bytes b = { .data = NULL };
	size_t at;

	put_pcinst(&b, 1, 0xffff800008001000, A64_ERET);
	put_value(&b, TARGET_B, 0x1004);
	put_pcinst(&b, 1, 0xffff800008010c80, A64_NOP);
	assert_good(&b);
	/* An interrupt of the same level. */
	put_pcinst(&b, 1, 0xffff800008001000, A64_NOP);
	put_pcinst(&b, 1, 0xffff800008010a80, A64_NOP);
	assert_good(&b);
	put_pcinst(&b, 1, 0xffff800008001000, A64_NOP);
	put_allgpr(&b, 0);
	at = put_inst(&b, 1, A64_NOP);
	assert_one(&b, "xtrace.el.registers", at, 1);
	/* A return that leads elsewhere. */
	b = exception(0xffff800008010c00, true, A64_ERET);
	b.data[13 + 257 + 13 + 1] = 8; /* TARGET_B 0x1008 */
	assert_one(&b, "xtrace.pc.target", 13 + 257 + 13 + 9 + 257, 2);
}

/* "EL1 runs at LOW addresses too (kernel identity map)": the same page offset in the other half is
 * the same place. */
TEST(code_that_is_mapped_twice)
{
	struct bytes b = { .data = NULL };
	size_t at;

	put_pcinst(&b, 1, 0xffff800008001000, 0x14000004);
	put_pcinst(&b, 1, 0x40d01010, A64_NOP);
	assert_good(&b);
	put_pcinst(&b, 1, 0xffff800008001000, 0x14000004);
	at = put_pcinst(&b, 1, 0xffff800009001010, A64_NOP);
	assert_one(&b, "xtrace.pc.branch", at, 1);
	put_pcinst(&b, 0, 0x1000, 0x14000004);
	at = put_pcinst(&b, 0, 0xffff800008001010, A64_NOP);
	assert_one(&b, "xtrace.pc.branch", at, 1);
}

/* ---- grammar ---- */

TEST(tokens_without_an_owner)
{
	static const uint8_t tokens[] = { STXR, MRS, SVCARG, DC, TARGET_B, TIME };
	struct bytes b = { .data = NULL };

	for (size_t i = 0; i < sizeof(tokens); i++) {
		size_t at;

		put_pcinst(&b, 0, 0x1000, A64_NOP);
		at = put_value(&b, tokens[i], 1);
		put_inst(&b, 0, A64_NOP);
		if (tokens[i] == TIME)
			assert_broken(&b,
				      (struct broken[]){ { "xtrace.grammar.owner", at, 0 },
							 { "xtrace.grammar.time", 0, 0 } },
				      2);
		else
			assert_one(&b, "xtrace.grammar.owner", at, 0);
	}
	put_pcinst(&b, 0, 0x1000, A64_NOP);
	assert_one(&b, "xtrace.grammar.owner", put_access(&b, LOAD, 3, 8, 8), 0);
	/* "Accept MISC_FLAGS anywhere" (A17). */
	put_pcinst(&b, 0, 0x1000, A64_NOP);
	put_value(&b, FLAGS, 0x60000000);
	assert_good(&b);
	/* Nothing to belong to. */
	put_value(&b, MRS, 1);
	assert_one(&b, "xtrace.grammar.owner", 0, TL_NOWHERE);
}

/* "INST, [...], [TIME], MEM*, [STXR, MRS or MISC_FLAGS]" (A21); "TIME: one per memory instruction"
 * (A12). */
TEST(tokens_in_the_wrong_order)
{
	struct bytes b = { .data = NULL };
	size_t at;

	put_pcinst(&b, 0, 0x1000, 0xc8027c20); /* STXR W2, X0, [X1] */
	put_value(&b, STXR, 0);
	at = put_access(&b, STORE, 3, 0x9000, 1);
	assert_one(&b, "xtrace.grammar.place", at, 0);
	put_pcinst(&b, 0, 0x1000, A64_LDR);
	put_access(&b, LOAD, 3, 0x9000, 1);
	at = put_value(&b, TIME, 1);
	assert_one(&b, "xtrace.grammar.place", at, 0);
	put_pcinst(&b, 0, 0x1000, A64_LDR);
	put_value(&b, TIME, 1);
	at = put_value(&b, TIME, 2);
	put_access(&b, LOAD, 3, 0x9000, 1);
	assert_one(&b, "xtrace.grammar.time", at, 0);
	put_pcinst(&b, 0, 0x1000, A64_LDR);
	put_value(&b, TIME, 1);
	put_inst(&b, 0, A64_NOP);
	assert_broken(&b,
		      (struct broken[]){ { "xtrace.grammar.time", 0, 0 },
					 { "xtrace.access.missing", 0, 0 } },
		      2);
}

static void put_call(struct bytes *b, uint64_t pc, const uint64_t *args, unsigned count)
{
	put_pcinst(b, 0, pc, A64_SVC);
	for (unsigned i = 0; i < count; i++)
		put_value(b, SVCARG, args[i]);
}

/* "A system call is usually followed by 7 arguments". */
TEST(arguments_of_calls)
{
	static const uint64_t args[8] = { 64, 1, 2, 3, 4, 5, 6, 7 };

	for (unsigned count = 0; count <= 8; count++) {
		struct bytes b = { .data = NULL };

		put_call(&b, 0x1000, args, count);
		put_value(&b, SVCRET, 0);
		put_inst(&b, 0, A64_NOP);
		if (count == 7)
			assert_good(&b);
		else if (count == 8)
			assert_one(&b, "xtrace.grammar.twice", 13 + 7 * 9, 0);
		else
			assert_one(&b, "xtrace.grammar.missing", 0, 0);
	}
}

/* What is cut off at the end is no fault of what is there. */
TEST(the_end_is_no_fault)
{
	struct bytes b = { .data = NULL };

	put_pcinst(&b, 0, 0x1000, A64_RET);
	assert_good(&b);
	put_pcinst(&b, 0, 0x1000, A64_SVC);
	put_value(&b, SVCARG, 64);
	assert_good(&b);
}

TEST(bytes_that_are_no_tokens)
{
	struct bytes b = { .data = NULL };

	put_pcinst(&b, 0, 0x1000, A64_NOP);
	put_byte(&b, 0xff);
	assert_one(&b, "xtrace.token", 13, 1);
}

/* ---- TIME ---- */

TEST(nothing_is_known_behind_damage)
{
	struct bytes b = { .data = NULL }, n = { .data = NULL };
	struct trace t;
	size_t damage, second;

	put_pcinst(&b, 0, 0x1000, 0xd2800020); /* MOV X0, #1 */
	put_inst(&b, 0, A64_STR);
	put_access(&b, STORE, 3, 0x9000, 1);
	put_inst(&b, 0, A64_NOP);
	damage = b.size;
	put_byte(&b, 0xff);
	put_repeat(&b, 0, 40);
	/* The PC, X0 and the memory may have changed in what is lost. */
	second = b.size;
	put_pcinst(&b, 0, 0x5000, 0xf9000820); /* STR X0, [X1, #16] */
	put_access(&b, STORE, 3, 0x9010, 0x8fff);
	for (unsigned i = 0; i < 40; i++)
		put_inst(&b, 0, A64_NOP);
	put_inst(&b, 0, A64_LDR);
	put_access(&b, LOAD, 3, 0x9000, 2);
	put_header(&n);
	put_record(&n, &(struct record){ .index = 0, .first = 0x8fff });
	put_record(&n, &(struct record){ .index = second, .user = 9, .total = 9, .first = 0x8fff });
	open_trace(&t, &b, &n);
	assert_found(&t, &(struct broken){ "xtrace.token", damage, 3 }, 1);
	close_trace(&t);
	free_bytes(&b);
	free_bytes(&n);
}

TEST(time_increases)
{
	struct bytes b = { .data = NULL };
	size_t at;

	for (unsigned i = 0; i < 2; i++) {
		put_pcinst(&b, 0, 0x1000, A64_LDR);
		put_value(&b, TIME, 7);
		put_access(&b, LOAD, 3, 0x9000, 1);
		put_inst(&b, 0, A64_LDR);
		at = put_value(&b, TIME, 7 + i);
		put_access(&b, LOAD, 3, 0x9000, 1);
		if (i)
			assert_good(&b);
		else
			assert_one(&b, "xtrace.time.order", at, 1);
	}
}

/* ---- memory ---- */

TEST(loads_find_what_was_stored)
{
	struct bytes b = { .data = NULL };
	size_t at;

	put_pcinst(&b, 0, 0x1000, A64_STR);
	put_access(&b, STORE, 3, 0x9ffc, 0x8877665544332211); /* over the end of a page */
	put_inst(&b, 0, 0xb9400020);                          /* LDR W0, [X1] */
	put_access(&b, LOAD, 2, 0xa000, 0x88776655);
	put_inst(&b, 0, 0x39400020); /* LDRB W0, [X1] */
	at = put_access(&b, LOAD, 0, 0x9fff, 0x45);
	/* What was found is known from here on. */
	put_inst(&b, 0, 0x39400020);
	put_access(&b, LOAD, 0, 0x9fff, 0x45);
	assert_one(&b, "xtrace.memory.value", at, 2);
}

/* "EXCEPT bytes the kernel wrote (pipe() descriptors)": pipe2 is 59, read is 63. */
TEST(the_kernel_writes)
{
	static const uint64_t pipe2[7] = { 59, 0x9000, 0, 0, 0, 0, 0 },
			      read[7] = { 63, 3, 0x9000, 100, 0, 0, 0 };
	struct bytes b = { .data = NULL };
	size_t at;

	for (unsigned i = 0; i < 2; i++) {
		put_pcinst(&b, 0, 0x0ff8, 0xb900012a); /* STR W10, [X9] */
		put_access(&b, STORE, 2, 0x9004, 0);
		put_inst(&b, 0, 0xb900012a);
		put_access(&b, STORE, 2, 0x9008, 0);
		put_call(&b, 0x1000, i ? read : pipe2, 7);
		put_value(&b, SVCRET, i ? 8 : 0);
		put_inst(&b, 0, 0xb940012a);
		put_access(&b, LOAD, 2, 0x9004, 4);
		put_inst(&b, 0, 0xb940012a);
		at = put_access(&b, LOAD, 2, 0x9008, 4);
		assert_one(&b, "xtrace.memory.value", at, 4);
	}
}

/* "DC ZVA zeroes a block with no STORE token (4 << DCZID.BS bytes, 64 in QEMU)". */
TEST(a_block_is_zeroed)
{
	struct bytes b = { .data = NULL };
	size_t at;

	put_pcinst(&b, 0, 0x1000, A64_STR);
	put_access(&b, STORE, 3, 0x903f, 0x1111111111111111);
	put_inst(&b, 0, 0xd50b7423); /* DC ZVA, X3 */
	put_value(&b, DC, 0x9010);
	put_inst(&b, 0, 0xf9400020);
	put_access(&b, LOAD, 3, 0x9000, 0);
	put_inst(&b, 0, 0xf9400020);
	at = put_access(&b, LOAD, 3, 0x9038, 0x1100000000000000);
	put_inst(&b, 0, 0xf9400020);
	put_access(&b, LOAD, 1, 0x9040, 0x1111);
	assert_one(&b, "xtrace.memory.value", at, 3);
}

/* ---- registers ---- */

TEST(registers_are_remembered)
{
	struct bytes b = { .data = NULL };
	size_t at;

	/* MOV X3, #0x2000; BR X3 */
	put_pcinst(&b, 0, 0x1000, 0xd2840003);
	put_inst(&b, 0, 0xd61f0060);
	at = put_value(&b, TARGET_B, 0x3000);
	put_pcinst(&b, 0, 0x3000, A64_NOP);
	assert_one(&b, "xtrace.register.value", at, 1);
	/* BL +8; RET */
	put_pcinst(&b, 0, 0x1000, 0x94000002);
	put_pcinst(&b, 0, 0x1008, A64_RET);
	at = put_value(&b, TARGET_B, 0x1008);
	put_pcinst(&b, 0, 0x1008, A64_NOP);
	assert_one(&b, "xtrace.register.value", at, 1);
	/* LDR X0, [X1]; MSR TPIDR_EL0, X0 */
	put_pcinst(&b, 0, 0x1000, A64_LDR);
	put_access(&b, LOAD, 3, 0x9000, 77);
	put_inst(&b, 0, 0xd51bd040);
	at = put_value(&b, MRS, 78);
	assert_one(&b, "xtrace.register.value", at, 1);
	/* MRS X0, TPIDR_EL0; MSR TPIDR_EL0, X0 */
	put_pcinst(&b, 0, 0x1000, 0xd53bd040);
	put_value(&b, MRS, 77);
	put_inst(&b, 0, 0xd51bd040);
	put_value(&b, MRS, 77);
	assert_good(&b);
}

TEST(system_calls_use_registers)
{
	static const uint64_t args[7] = { 93, 5, 6, 7, 8, 9, 10 };
	struct bytes b = { .data = NULL };

	/* MOV X8, #94; then exit has number 93. */
	put_pcinst(&b, 0, 0x0ffc, 0xd2800bc8);
	put_call(&b, 0x1000, args, 7);
	assert_one(&b, "xtrace.register.value", 13 + 13, 1);
	/* MOV X2, #7 */
	put_pcinst(&b, 0, 0x0ffc, 0xd28000e2);
	put_call(&b, 0x1000, args, 7);
	assert_good(&b);
}

TEST(all_registers_are_compared)
{
	struct bytes b = { .data = NULL };
	size_t at;

	put_pcinst(&b, 0, 0x1000, 0xd2840003);
	at = put_allgpr(&b, 100); /* X3 = 103 */
	put_pcinst(&b, 1, 0xffff800008010c00, A64_NOP);
	assert_one(&b, "xtrace.register.value", at, 1);
}

/* ---- snapshots ---- */

/* Twenty instructions, MOV X3, #0x2000 the twelfth; snapshots at 0 and 10 as given. */
static void assert_snapshots(const struct record *second, bool add, const char *rule)
{
	struct bytes b = { .data = NULL }, s = { .data = NULL };
	struct trace t;

	for (unsigned i = 0; i < 20; i++)
		if (i % 10)
			put_inst(&b, 0, i == 5 ? 0xd2840003 : A64_NOP);
		else
			put_pcinst(&b, 0, 0x1000 + 4 * i, A64_NOP);
	put_header(&s);
	put_record(&s, &(struct record){ .index = 0, .first = 0x2000 - 3 });
	put_record(&s, second);
	if (add)
		put_record(&s, second);
	open_trace(&t, &b, &s);
	if (rule)
		assert_found(&t, &(struct broken){ rule, 24 + (add ? 2 : 1) * 1424, add ? 2 : 1 },
			     1);
	else
		assert_found(&t, NULL, 0);
	close_trace(&t);
	free_bytes(&b);
	free_bytes(&s);
}

TEST(snapshots_are_compared)
{
	const struct record good = { .index = 58, .user = 10, .total = 10, .first = 0x2000 - 3 };
	struct record r = good;

	assert_snapshots(&good, false, NULL);
	r.index = 13; /* an INST */
	assert_snapshots(&r, false, "xtrace.snapshot.offset");
	r.index = 57; /* in a token */
	assert_snapshots(&r, false, "xtrace.snapshot.offset");
	r.index = 116; /* behind the end */
	assert_snapshots(&r, false, "xtrace.snapshot.offset");
	r = good;
	r.total = 11;
	assert_snapshots(&r, false, "xtrace.snapshot.count");
	r = good;
	r.user = 9;
	assert_snapshots(&r, false, "xtrace.snapshot.count");
	r = good;
	r.first++;
	assert_snapshots(&r, false, "xtrace.snapshot.registers");
	assert_snapshots(&good, true, "xtrace.snapshot.order");
}

/* "Snapshot 0 at the start (0 instructions)"; a wrong one is told once, and others are held against
 * it. */
TEST(the_first_counts_too)
{
	struct bytes b = { .data = NULL }, s = { .data = NULL };
	struct trace t;

	for (unsigned i = 0; i < 3; i++)
		put_pcinst(&b, 0, 0x1000 + 4 * i, A64_NOP);
	put_header(&s);
	for (unsigned i = 0; i < 3; i++)
		put_record(&s, &(struct record){ .index = 13 * i, .user = 5 + i, .total = 5 + i });
	open_trace(&t, &b, &s);
	assert_found(&t, &(struct broken){ "xtrace.snapshot.count", 24, 0 }, 1);
	close_trace(&t);
	free_bytes(&b);
	free_bytes(&s);
}

/* MRS and MSR of a register that a snapshot has, too: TPIDR_EL0 is 0x1003 in every record. */
TEST(system_registers_are_compared)
{
	struct bytes b = { .data = NULL }, s = { .data = NULL };
	struct trace t;
	size_t second;

	put_pcinst(&b, 0, 0x1000, 0xd53bd040); /* MRS X0, TPIDR_EL0 */
	put_value(&b, MRS, 0x1003);
	put_inst(&b, 0, 0xd53bd040);
	second = put_value(&b, MRS, 0x1004);
	put_inst(&b, 0, 0xd51bd041); /* MSR TPIDR_EL0, X1 */
	put_value(&b, MRS, 1);
	put_header(&s);
	put_record(&s, &(struct record){ .index = 0 });
	put_record(&s, &(struct record){ .index = b.size, .user = 3, .total = 3 });
	/* Registers as these three leave them: X0 is 0x1004, X1 is 1. */
	s.data[24 + 1424 + 32] = 0x04;
	s.data[24 + 1424 + 33] = 0x10;
	put_pcinst(&b, 0, 0x100c, A64_NOP);
	open_trace(&t, &b, &s);
	assert_found(&t,
		     (struct broken[]){ { "xtrace.register.value", second, 1 },
					{ "xtrace.snapshot.registers", 24 + 1424, 1 } },
		     2);
	close_trace(&t);
	free_bytes(&b);
	free_bytes(&s);
}

/* brk is 214: what was above the new end of the heap is gone. */
TEST(the_heap_shrinks)
{
	static const uint64_t grow[7] = { 214, 0xa000, 0, 0, 0, 0, 0 },
			      shrink[7] = { 214, 0x9800, 0, 0, 0, 0, 0 };
	struct bytes b = { .data = NULL };
	size_t at;

	put_call(&b, 0x0ff0, grow, 7);
	put_value(&b, SVCRET, 0xa000);
	put_inst(&b, 0, A64_STR_FREE);
	put_access(&b, STORE, 3, 0x9900, 1);
	put_inst(&b, 0, A64_STR_FREE);
	put_access(&b, STORE, 3, 0x9700, 1);
	put_pcinst(&b, 0, 0x0ffc, 0x9e660000); /* FMOV X0, D0 */
	put_call(&b, 0x1000, shrink, 7);
	put_value(&b, SVCRET, 0x9800);
	put_inst(&b, 0, A64_LDR_FREE);
	put_access(&b, LOAD, 3, 0x9900, 0);
	put_inst(&b, 0, A64_LDR_FREE);
	at = put_access(&b, LOAD, 3, 0x9700, 0);
	assert_one(&b, "xtrace.memory.value", at, 6);
}

TEST(a_caller_may_stop)
{
	struct found found = { .stop_after = 1 };
	struct bytes b = { .data = NULL };
	struct trace t;

	for (unsigned i = 0; i < 9; i++)
		put_pcinst(&b, 0, 0x1000, A64_NOP);
	open_trace(&t, &b, NULL);
	assert_int_equal(tl_xtrace_check(t.trace, note, &found, &t.err), 1);
	assert_int_equal(found.count, 1);
	close_trace(&t);
	free_bytes(&b);
}

/* ---- several streams ---- */

/* Two streams of one group: the second stores 2 at TIME `stored`, the first loads 1, then `found`
 * at TIME 5. */
static int64_t check_two(uint64_t stored, uint64_t found, struct found *broken)
{
	struct bytes one = { .data = NULL }, two = { .data = NULL };
	struct trace t = { .trace = NULL };
	struct tl_xtrace_file files[2] = { { "xtrace.1.0.hint9.xinsndata.bin", NULL },
					   { "xtrace.1.1.hint9.xinsndata.bin", NULL } };
	const struct tl_xtrace_options options = { .size = sizeof(options), .alone = true };
	int64_t result;

	put_pcinst(&one, 0, 0x1000, A64_LDR);
	put_value(&one, TIME, 1);
	put_access(&one, LOAD, 3, 0x9000, 1);
	put_inst(&one, 0, A64_LDR);
	put_value(&one, TIME, 5);
	put_access(&one, LOAD, 3, 0x9000, found);
	put_pcinst(&two, 0, 0x1000, A64_STR);
	put_value(&two, TIME, stored);
	put_access(&two, STORE, 3, 0x9000, 2);
	assert_int_equal(tl_source_open_memory(&t.sources[0], one.data, one.size, "a", NULL), 0);
	assert_int_equal(tl_source_open_memory(&t.sources[1], two.data, two.size, "b", NULL), 0);
	files[0].source = t.sources[0];
	files[1].source = t.sources[1];
	assert_int_equal(tl_xtrace_open(&t.trace, files, 2, &options, NULL, &t.err), 0);
	result = tl_xtrace_check(t.trace, note, broken, &t.err);
	close_trace(&t);
	free_bytes(&one);
	free_bytes(&two);
	return result;
}

/* "Another thread wrote: in TIME-merged order 0 of 1,668 inconsistent". */
TEST(streams_share_a_memory)
{
	struct found broken = { .count = 0 };

	assert_int_equal(check_two(3, 2, &broken), 0);
	assert_int_equal(check_two(7, 1, &broken), 0);
	assert_int_equal(check_two(3, 1, &broken), 1);
	assert_string_equal(broken.list[0].rule, "xtrace.memory.value");
	assert_int_equal(broken.list[0].id, 0);
	assert_int_equal(broken.list[0].record, 1);
	broken.count = 0;
	assert_int_equal(check_two(7, 2, &broken), 1);
	broken.count = 0;
	assert_int_equal(check_two(5, 1, &broken), 1);
	assert_string_equal(broken.list[0].rule, "xtrace.time.unique");
	assert_int_equal(broken.list[0].id, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_pc_breaks),
		cmocka_unit_test(a_pc_where_none_was_needed),
		cmocka_unit_test(a_load_that_is_repeated),
		cmocka_unit_test(direct_branches),
		cmocka_unit_test(indirect_branches),
		cmocka_unit_test(levels_go_up_and_down),
		cmocka_unit_test(an_interrupt_at_once),
		cmocka_unit_test(code_that_is_mapped_twice),
		cmocka_unit_test(tokens_without_an_owner),
		cmocka_unit_test(tokens_in_the_wrong_order),
		cmocka_unit_test(arguments_of_calls),
		cmocka_unit_test(the_end_is_no_fault),
		cmocka_unit_test(bytes_that_are_no_tokens),
		cmocka_unit_test(nothing_is_known_behind_damage),
		cmocka_unit_test(time_increases),
		cmocka_unit_test(loads_find_what_was_stored),
		cmocka_unit_test(the_kernel_writes),
		cmocka_unit_test(a_block_is_zeroed),
		cmocka_unit_test(registers_are_remembered),
		cmocka_unit_test(system_calls_use_registers),
		cmocka_unit_test(all_registers_are_compared),
		cmocka_unit_test(snapshots_are_compared),
		cmocka_unit_test(the_first_counts_too),
		cmocka_unit_test(system_registers_are_compared),
		cmocka_unit_test(the_heap_shrinks),
		cmocka_unit_test(a_caller_may_stop),
		cmocka_unit_test(streams_share_a_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
