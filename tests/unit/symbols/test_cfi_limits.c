/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call frame information at its limits: stacks that are full, numbers of 32 bits, every kind of
 * rule. Values follow from DWARF 5, sections 2.5.1 and 6.4.1.
 */
#include "cfi_machine.h"

struct expression {
	uint8_t code[16];
	size_t size;
	uint64_t value;
};

static void expect_values(const struct expression *cases, size_t count, bool is_32bit)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value = 0;

		begin();
		row.is_32bit = is_32bit;
		if (is_32bit)
			row.machine = EM_386;
		assert_int_equal(evaluate(cases[i].code, cases[i].size, &value), TL_CFI_CALLER);
		assert_true(value == cases[i].value);
	}
}

/* The whole of a stack, as nibbles: lit4, shl, plus adds the entry below the top 16 times. */
TEST(entries_in_their_order)
{
#define WEIGH 0x34, 0x24, 0x22, 0x16, 0x38, 0x24, 0x22
	static const struct expression cases[] = {
		/* rot: 1 2 3 becomes 3 1 2, then swapped: 3 2 1 */
		{ { 0x31, 0x32, 0x33, 0x17, 0x16, WEIGH }, 12, 0x312 },
		/* over: 1 2 becomes 1 2 1 */
		{ { 0x31, 0x32, 0x14, WEIGH }, 10, 0x112 },
		/* pick 2: 5 6 7 becomes 5 6 7 5 */
		{ { 0x35, 0x36, 0x37, 0x15, 2, WEIGH }, 12, 0x657 },
		/* dup: 5 6 becomes 5 6 6 */
		{ { 0x35, 0x36, 0x12, WEIGH }, 10, 0x566 },
	};
#undef WEIGH

	expect_values(cases, sizeof(cases) / sizeof(cases[0]), false);
}

TEST(numbers_of_64_bits)
{
	static const struct expression cases[] = {
		{ { 0x33, 0x19 }, 2, 3 },                                 /* abs */
		{ { 0x08, 63, 0x31, 0x16, 0x24 }, 5, UINT64_C(1) << 63 }, /* 1 << 63 */
		{ { 0x08, 64, 0x31, 0x16, 0x24 }, 5, 0 },                 /* 1 << 64 */
		{ { 0x09, 0xff, 0x08, 63, 0x25 }, 5, 1 },                 /* shr */
		{ { 0x09, 0xff, 0x08, 64, 0x25 }, 5, 0 },
		{ { 0x09, 0xf0, 0x08, 64, 0x26 }, 5, UINT64_MAX }, /* shra */
		{ { 0x3f, 0x08, 200, 0x26 }, 4, 0 },
		{ { 0x37, 0x09, 0xff, 0x1b }, 4, (uint64_t)-7 }, /* 7 / -1 */
		{ { 0x0e, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x09, 0xff, 0x1b },
		  12,
		  UINT64_C(1) << 63 },                             /* the least number / -1 */
		{ { 0x09, 0xff, 0x33, 0x1d }, 4, UINT64_MAX % 3 }, /* mod has no sign */
		{ { 0x31, 0x31, 0x29 }, 3, 1 },                    /* eq */
		{ { 0x09, 0xff, 0x31, 0x2a }, 4, 0 },              /* -1 >= 1 */
		{ { 0x31, 0x31, 0x2a }, 3, 1 },
		{ { 0x31, 0x09, 0xff, 0x2b }, 4, 1 }, /* 1 > -1 */
		{ { 0x31, 0x09, 0xff, 0x2c }, 4, 0 }, /* 1 <= -1 */
		{ { 0x09, 0xff, 0x31, 0x2d }, 4, 1 }, /* -1 < 1 */
		{ { 0x31, 0x31, 0x2d }, 3, 0 },
		{ { 0x31, 0x31, 0x2e }, 3, 0 },    /* ne */
		{ { 0x77, 8, 0x94, 1 }, 4, 0x09 }, /* deref_size */
		{ { 0x77, 8, 0x94, 4 }, 4, 0x0c0b0a09 },
		{ { 0x77, 8, 0x94, 8 }, 4, 0x100f0e0d0c0b0a09 },
		{ { 0x77, 0x38, 0x06 }, 3, 0x403f3e3d3c3b3a39 }, /* the last word */
		/* lit3; lit1, minus, dup, bra to the lit1: down to 0 */
		{ { 0x33, 0x31, 0x1c, 0x12, 0x28, 0xfa, 0xff }, 7, 0 },
		{ { 0x2f, 0, 0 }, 3, 0x7040 },       /* skip nothing */
		{ { 0x2f, 1, 0, 0x13 }, 4, 0x7040 }, /* skip all the rest */
	};

	expect_values(cases, sizeof(cases) / sizeof(cases[0]), false);
}

/* "The size of an address": each entry has 32 bits, and its sign is the highest of them. */
TEST(numbers_of_32_bits)
{
	static const struct expression cases[] = {
		{ { 0x09, 0xff }, 2, UINT32_MAX },
		{ { 0x03, 1, 2, 0, 0 }, 5, 0x10201 },
		{ { 0x77, 8, 0x06 }, 3, 0x0c0b0a09 },
		{ { 0x09, 0xff, 0x19 }, 3, 1 },
		{ { 0x09, 0xff, 0x31, 0x2d }, 4, 1 },
		{ { 0x09, 0xff, 0x31, 0x22 }, 4, 0 },    /* -1 + 1 */
		{ { 0x31, 0x4f, 0x24 }, 3, 0x80000000 }, /* 1 << 31 */
		{ { 0x31, 0x08, 32, 0x24 }, 4, 0 },
		{ { 0x09, 0xff, 0x08, 32, 0x25 }, 5, 0 },
		{ { 0x09, 0xff, 0x4f, 0x25 }, 4, 1 },
		{ { 0x09, 0xff, 0x08, 99, 0x26 }, 5, UINT32_MAX },
		{ { 0x0c, 0, 0, 0, 0x80, 0x09, 0xff, 0x1b }, 8, 0x80000000 },
		{ { 0x09, 0xf9, 0x32, 0x1b }, 4, (uint32_t)-3 },
		{ { 0x78, 1 }, 2, 0x401235 }, /* register 8 is the address */
	};

	expect_values(cases, sizeof(cases) / sizeof(cases[0]), true);
}

static enum tl_cfi_result evaluate_many(uint8_t operation, size_t count)
{
	uint8_t code[300];
	uint64_t value;

	begin();
	memset(code, operation, sizeof(code));
	return evaluate(code, count, &value);
}

/* A stack of 64 entries, of which the first is the CFA; 256 operations. */
TEST(expressions_are_bounded)
{
	uint64_t value;

	assert_int_equal(evaluate_many(0x12, 63), TL_CFI_CALLER);
	assert_int_equal(evaluate_many(0x12, 64), TL_CFI_BAD);
	assert_int_equal(evaluate_many(0x96, 256), TL_CFI_CALLER);
	assert_int_equal(evaluate_many(0x96, 257), TL_CFI_BAD);
	begin();
	assert_int_equal(evaluate((const uint8_t[]){ 0x15, 0 }, 2, &value), TL_CFI_CALLER);
	assert_int_equal(evaluate((const uint8_t[]){ 0x15, 1 }, 2, &value), TL_CFI_BAD);
	assert_int_equal(evaluate((const uint8_t[]){ 0x2f, 2, 0, 0x13 }, 4, &value), TL_CFI_BAD);
	assert_int_equal(evaluate((const uint8_t[]){ 0x77, 0x39, 0x06 }, 3, &value), TL_CFI_CUT);
	assert_int_equal(evaluate((const uint8_t[]){ 0x77, 0x7f, 0x06 }, 3, &value), TL_CFI_BAD);
	assert_int_equal(evaluate((const uint8_t[]){ 0x92, 15, 0 }, 3, &value), TL_CFI_CALLER);
	assert_int_equal(evaluate((const uint8_t[]){ 0x92, 40, 0 }, 3, &value), TL_CFI_UNKNOWN);
}

/* ---- steps ---- */

/* The CFA is 0x7000 + 0x20, the return address in RBX. */
static void begin_step(void)
{
	begin();
	row.cfa = (struct tl_cfi_rule){ .kind = TL_CFI_REGISTER, .value = 0x20 };
	row.cfa_register = SP;
	row.rules[RA] = (struct tl_cfi_rule){ .kind = TL_CFI_REGISTER, .value = BX };
}

static enum tl_cfi_result step_with(unsigned number, struct tl_cfi_rule rule)
{
	begin_step();
	row.rules[number] = rule;
	return tl_cfi_step(&row, &memory, 0x10000, &frame);
}

static void expect_register(unsigned number, struct tl_cfi_rule rule, uint64_t value)
{
	assert_int_equal(step_with(number, rule), TL_CFI_CALLER);
	assert_true(frame.known >> number & 1);
	assert_true(frame.registers[number] == value);
	assert_int_equal(frame.pc, 0x300);
}

/* "offset(N), val_offset(N), register(R), expression(E), val_expression(E)". */
TEST(rules_of_every_kind)
{
	/* plus_uconst 8: of an expression, its stack begins with the CFA. */
	static const uint8_t more[] = { 0x23, 8 }, deref[] = { 0x06 },
			     bias[] = { 0x03, 1, 0, 0, 0, 0, 0, 0, 0 };
	const unsigned r12 = 12;

	expect_register(r12, (struct tl_cfi_rule){ .kind = TL_CFI_SAME }, 0xc00);
	expect_register(r12, (struct tl_cfi_rule){ .kind = TL_CFI_OFFSET, .value = -8 },
			0x201f1e1d1c1b1a19);
	expect_register(r12, (struct tl_cfi_rule){ .kind = TL_CFI_VAL_OFFSET, .value = -8 },
			0x7018);
	expect_register(r12, (struct tl_cfi_rule){ .kind = TL_CFI_REGISTER, .value = 13 }, 0xd00);
	expect_register(r12, (struct tl_cfi_rule){ TL_CFI_EXPRESSION, 2, more },
			0x302f2e2d2c2b2a29);
	expect_register(r12, (struct tl_cfi_rule){ TL_CFI_VAL_EXPRESSION, 2, more }, 0x7028);
	expect_register(r12, (struct tl_cfi_rule){ TL_CFI_VAL_EXPRESSION, 1, deref },
			0x2827262524232221);
	expect_register(r12, (struct tl_cfi_rule){ TL_CFI_VAL_EXPRESSION, 9, bias }, 0x10001);
	/* The stack pointer is the CFA unless a rule says otherwise. */
	expect_register(SP, (struct tl_cfi_rule){ .kind = TL_CFI_SAME }, 0x7020);
	expect_register(SP, (struct tl_cfi_rule){ .kind = TL_CFI_VAL_OFFSET, .value = 8 }, 0x7028);
}

/* A register that cannot be found is unknown; one that the step needs ends it. */
TEST(rules_without_a_value)
{
	static const uint8_t drop[] = { 0x13 };
	const struct tl_cfi_rule lost[] = {
		{ .kind = TL_CFI_UNDEFINED },
		{ .kind = TL_CFI_OFFSET, .value = 0x20 }, /* behind the copy */
		{ .kind = TL_CFI_REGISTER, .value = 17 }, /* not known itself */
		{ .kind = TL_CFI_REGISTER, .value = 64 },
		{ TL_CFI_EXPRESSION, 1, drop },
		{ TL_CFI_VAL_EXPRESSION, 1, drop },
	};
	static const enum tl_cfi_result results[] = { TL_CFI_OUTERMOST, TL_CFI_CUT, TL_CFI_UNKNOWN,
						      TL_CFI_UNKNOWN,   TL_CFI_BAD, TL_CFI_BAD };

	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
		assert_int_equal(step_with(12, lost[i]), TL_CFI_CALLER);
		assert_false(frame.known >> 12 & 1);
		assert_int_equal(step_with(RA, lost[i]), results[i]);
		assert_int_equal(frame.pc, 0x401234);
	}
}

TEST(the_cfa_of_an_expression)
{
	/* breg7 0x18: nothing stands on its stack before. */
	static const uint8_t code[] = { 0x77, 0x18 }, deref[] = { 0x06 };

	begin_step();
	row.cfa = (struct tl_cfi_rule){ TL_CFI_VAL_EXPRESSION, 2, code };
	assert_int_equal(tl_cfi_step(&row, &memory, 0, &frame), TL_CFI_CALLER);
	assert_int_equal(frame.registers[SP], 0x7018);
	begin_step();
	row.cfa = (struct tl_cfi_rule){ TL_CFI_VAL_EXPRESSION, 1, deref };
	assert_int_equal(tl_cfi_step(&row, &memory, 0, &frame), TL_CFI_BAD);
}

/* A signature stands above 48 bits of the address; without one the address is whole. */
TEST(addresses_are_plain)
{
	static const struct {
		bool is_signed, is_32bit;
		uint64_t address, pc;
	} cases[] = {
		{ false, false, 0xffff800000001234, 0xffff800000001234 },
		{ true, false, 0x123a800000001234, 0x0000800000001234 },
		{ false, true, 0x500001234, 0x1234 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin_step();
		row.is_signed = cases[i].is_signed;
		row.is_32bit = cases[i].is_32bit;
		frame.registers[BX] = cases[i].address;
		assert_int_equal(tl_cfi_step(&row, &memory, 0, &frame), TL_CFI_CALLER);
		assert_true(frame.pc == cases[i].pc);
	}
}

/* System V ABI for AMD64, figure 3.36, and for i386, table 2.14; DWARF for the Arm 64-bit. */
TEST(registers_of_machines)
{
	assert_int_equal(tl_cfi_stack_register(EM_X86_64), 7);
	assert_int_equal(tl_cfi_frame_register(EM_X86_64), 6);
	assert_int_equal(tl_cfi_stack_register(EM_386), 4);
	assert_int_equal(tl_cfi_frame_register(EM_386), 5);
	assert_int_equal(tl_cfi_stack_register(EM_AARCH64), 31);
	assert_int_equal(tl_cfi_frame_register(EM_AARCH64), 29);
}

/* ---- instructions ---- */

static bool run_code(const uint8_t *bytes, size_t size, uint64_t factor, uint64_t return_register)
{
	static const uint8_t on_entry[] = { 0x0c, SP, 8 };
	const struct tl_eh_cie cie = {
		.code_align = factor,
		.data_align = -4,
		.return_register = return_register,
		.is_signal = true,
		.instructions = { .cur = tl_cursor_over(on_entry, sizeof(on_entry)) },
	};
	const struct tl_eh_fde fde = {
		.start = 0x1000,
		.size = 0x100,
		.instructions = { .cur = tl_cursor_over(bytes, size) },
	};

	return tl_cfi_run(&cie, &fde, 0x1010, &row);
}

#define RUN(factor, ...)                                                                           \
	run_code((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }),       \
		 factor, RA)

/* "delta * code_alignment_factor", "offset * data_alignment_factor". */
TEST(alignment_factors)
{
	assert_true(RUN(4, 0x44, 0x0e, 24)); /* 4 * 4 = 0x10 */
	assert_int_equal(row.cfa.value, 24);
	assert_true(RUN(4, 0x45, 0x0e, 24)); /* 0x14 is behind it */
	assert_int_equal(row.cfa.value, 8);
	assert_true(RUN(4, 0x02, 4, 0x0e, 24));
	assert_int_equal(row.cfa.value, 24);
	assert_true(RUN(1, 0x80 | BX, 3, 0x14, BP, 3));
	assert_int_equal(row.rules[BX].value, -12);
	assert_int_equal(row.rules[BP].value, -12);
	assert_true(row.is_signal);
	assert_int_equal(row.return_register, RA);
}

TEST(states_are_remembered_eight_deep)
{
	uint8_t code[32];

	for (size_t depth = 8; depth <= 9; depth++) {
		size_t size = 0;

		/* Each CFA is remembered before the next one; the first comes back. */
		for (size_t i = 0; i < depth; i++) {
			code[size++] = 0x0a;
			code[size++] = 0x0e;
			code[size++] = (uint8_t)(16 + i);
		}
		for (size_t i = 0; i < 8 && size < sizeof(code); i++)
			code[size++] = 0x0b;
		assert_int_equal(run_code(code, size, 1, RA), depth == 8);
		if (depth == 8)
			assert_int_equal(row.cfa.value, 8);
	}
}

TEST(registers_without_addresses)
{
	static const uint8_t nop[] = { 0 };

	assert_true(run_code(nop, 1, 1, TL_CFI_REGISTERS - 1));
	assert_false(run_code(nop, 1, 1, TL_CFI_REGISTERS));
	assert_true(RUN(1, 0x05, TL_CFI_REGISTERS - 1, 1));
	assert_int_equal(row.rules[TL_CFI_REGISTERS - 1].kind, TL_CFI_OFFSET);
	assert_true(RUN(1, 0x05, TL_CFI_REGISTERS, 1, 0x06, TL_CFI_REGISTERS));
	assert_true(RUN(1, 0x10, TL_CFI_REGISTERS, 1, 0x50));
	assert_true(RUN(1, 0x0d, TL_CFI_REGISTERS - 1));
	assert_false(RUN(1, 0x0d, TL_CFI_REGISTERS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_in_their_order),
		cmocka_unit_test(numbers_of_64_bits),
		cmocka_unit_test(numbers_of_32_bits),
		cmocka_unit_test(expressions_are_bounded),
		cmocka_unit_test(rules_of_every_kind),
		cmocka_unit_test(rules_without_a_value),
		cmocka_unit_test(the_cfa_of_an_expression),
		cmocka_unit_test(addresses_are_plain),
		cmocka_unit_test(registers_of_machines),
		cmocka_unit_test(alignment_factors),
		cmocka_unit_test(states_are_remembered_eight_deep),
		cmocka_unit_test(registers_without_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
