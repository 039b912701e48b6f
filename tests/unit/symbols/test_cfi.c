/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call frame information: instructions, expressions and steps, each as bytes after DWARF 5,
 * sections 6.4.2 and 2.5.1, with what these say of it. Whole files are held against libdw by
 * tests/differential/unwinding.py.
 */
#include "cfi_machine.h"
#include "make_elf.h"

#include "symbols/cfi/tables.h"

enum { START = 0x1000, SIZE = 0x100 };

static struct tl_eh_table code_of(const uint8_t *bytes, size_t size)
{
	return (struct tl_eh_table){ .cur = tl_cursor_over(bytes, size) };
}

/* The CFA is RSP + 8, the return address at CFA - 8: as on entry of each function of x86-64. */
static const uint8_t on_entry[] = { 0x0c, SP, 8, 0x80 | RA, 1 };

static bool run_at(uint64_t address, const uint8_t *bytes, size_t size)
{
	const struct tl_eh_cie cie = {
		.code_align = 1,
		.data_align = -8,
		.return_register = RA,
		.instructions = code_of(on_entry, sizeof(on_entry)),
	};
	const struct tl_eh_fde fde = { .start = START,
				       .size = SIZE,
				       .instructions = code_of(bytes, size) };
	const bool known = tl_cfi_run(&cie, &fde, address, &row);

	row.machine = EM_X86_64;
	return known;
}

#define RUN(offset, ...)                                                                           \
	run_at(START + (offset), (const uint8_t[]){ __VA_ARGS__ },                                 \
	       sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void assert_cfa(uint64_t number, int64_t offset)
{
	assert_int_equal(row.cfa.kind, TL_CFI_REGISTER);
	assert_int_equal(row.cfa_register, number);
	assert_int_equal(row.cfa.value, offset);
}

static void assert_rule(unsigned number, enum tl_cfi_rule_kind kind, int64_t value)
{
	assert_int_equal(row.rules[number].kind, kind);
	assert_int_equal(row.rules[number].value, value);
}

/* ---- instructions ---- */

/* A row holds up to the next location: "push rbp" of one byte, "mov rbp, rsp" of three. */
TEST(rows_begin_at_their_locations)
{
	static const uint8_t prologue[] = { 0x41, 0x0e, 16, 0x80 | BP, 2, 0x43, 0x0d, BP };

	assert_true(run_at(START, prologue, sizeof(prologue)));
	assert_cfa(SP, 8);
	assert_rule(RA, TL_CFI_OFFSET, -8);
	assert_rule(BP, TL_CFI_SAME, 0);
	assert_true(run_at(START + 1, prologue, sizeof(prologue)));
	assert_cfa(SP, 16);
	assert_rule(BP, TL_CFI_OFFSET, -16);
	assert_true(run_at(START + 3, prologue, sizeof(prologue)));
	assert_cfa(SP, 16);
	assert_true(run_at(START + 4, prologue, sizeof(prologue)));
	assert_cfa(BP, 16);
}

TEST(locations_advance_by_one_two_four_and_eight_bytes)
{
	assert_true(RUN(0x20, 0x02, 0x20, 0x0e, 24));
	assert_cfa(SP, 24);
	assert_true(RUN(0x1f, 0x02, 0x20, 0x0e, 24));
	assert_cfa(SP, 8);
	assert_true(RUN(0x80, 0x03, 0x80, 0x00, 0x0e, 24));
	assert_cfa(SP, 24);
	assert_true(RUN(0x80, 0x04, 0x80, 0, 0, 0, 0x0e, 24));
	assert_cfa(SP, 24);
	assert_true(RUN(0x80, 0x1d, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x0e, 24));
	assert_cfa(SP, 24);
	/* set_loc has an address */
	assert_true(RUN(0x80, 0x01, 0x80, 0x10, 0, 0, 0, 0, 0, 0, 0x0e, 24));
	assert_cfa(SP, 24);
}

/* Nothing behind an advance that goes round is of this function. */
TEST(locations_that_overflow_end_the_program)
{
	assert_true(RUN(0x80, 0x1d, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0e, 24));
	assert_cfa(SP, 8);
}

TEST(rules_of_registers)
{
	static const struct {
		uint8_t code[4];
		size_t size;
		enum tl_cfi_rule_kind kind;
		int64_t value;
	} cases[] = {
		{ { 0x80 | BX, 3 }, 2, TL_CFI_OFFSET, -24 },
		{ { 0x05, BX, 3 }, 3, TL_CFI_OFFSET, -24 },
		{ { 0x07, BX }, 2, TL_CFI_UNDEFINED, 0 },
		{ { 0x08, BX }, 2, TL_CFI_SAME, 0 },
		{ { 0x09, BX, 12 }, 3, TL_CFI_REGISTER, 12 },
		{ { 0x11, BX, 0x7e }, 3, TL_CFI_OFFSET, 16 },
		{ { 0x14, BX, 2 }, 3, TL_CFI_VAL_OFFSET, -16 },
		{ { 0x15, BX, 0x7e }, 3, TL_CFI_VAL_OFFSET, 16 },
		{ { 0x2f, BX, 2 }, 3, TL_CFI_OFFSET, 16 },
		{ { 0x10, BX, 1, 0x50 }, 4, TL_CFI_EXPRESSION, 1 },
		{ { 0x16, BX, 1, 0x50 }, 4, TL_CFI_VAL_EXPRESSION, 1 },
		{ { 0x2e, 16, 0x80 | BX, 1 }, 4, TL_CFI_OFFSET, -8 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(run_at(START, cases[i].code, cases[i].size));
		assert_rule(BX, cases[i].kind, cases[i].value);
	}
}

TEST(rules_of_the_cfa)
{
	assert_true(RUN(0, 0x0c, BP, 32));
	assert_cfa(BP, 32);
	assert_true(RUN(0, 0x12, BP, 0x7e));
	assert_cfa(BP, 16);
	assert_true(RUN(0, 0x13, 0x7c));
	assert_cfa(SP, 32);
	assert_true(RUN(0, 0x0f, 1, 0x50));
	assert_int_equal(row.cfa.kind, TL_CFI_VAL_EXPRESSION);
	/* "valid only if the current CFA rule is defined to use a register and offset" */
	assert_false(RUN(0, 0x0f, 1, 0x50, 0x0e, 8));
}

/* "the rule ... assigned it by the initial_instructions in the CIE" */
TEST(rules_are_restored)
{
	assert_true(RUN(0, 0x80 | RA, 4, 0xc0 | RA));
	assert_rule(RA, TL_CFI_OFFSET, -8);
	assert_true(RUN(0, 0x80 | RA, 4, 0x06, RA));
	assert_rule(RA, TL_CFI_OFFSET, -8);
	assert_true(RUN(0, 0x0a, 0x0e, 64, 0x80 | BX, 2, 0x0b));
	assert_cfa(SP, 8);
	assert_rule(BX, TL_CFI_SAME, 0);
}

TEST(damaged_programs_are_refused)
{
	uint8_t deep[64];

	assert_false(RUN(0, 0x0b));           /* nothing was remembered */
	assert_false(RUN(0, 0x3e));           /* no such instruction */
	assert_false(RUN(0, 0x80 | BX));      /* an operand is missing */
	assert_false(RUN(0, 0x04, 1, 2));     /* and here, with bytes left */
	assert_false(RUN(0, 0x10, BX, 9, 0)); /* a block that is longer than the program */
	assert_false(RUN(0, 0x0c, 0x7f, 8));  /* a CFA by a register that there is not */
	memset(deep, 0x0a, sizeof(deep));
	assert_false(run_at(START, deep, sizeof(deep)));
	/* registers of other numbers hold no addresses, and are passed over */
	assert_true(RUN(0, 0x05, 0x7f, 1, 0x0e, 16));
	assert_cfa(SP, 16);
}

/* DWARF for the Arm 64-bit Architecture: "toggles bit[0] of RA_SIGN_STATE" */
TEST(signed_return_addresses)
{
	assert_true(RUN(0, 0x2d));
	assert_true(row.is_signed);
	assert_true(RUN(0, 0x2d, 0x2d));
	assert_false(row.is_signed);
}

/* ---- expressions ---- */

/* What is left of an expression whose stack begins with the CFA, 0x7040. */
TEST(operations)
{
	static const struct {
		uint8_t code[16];
		size_t size;
		uint64_t value;
	} cases[] = {
		{ { 0x03, 1, 2, 0, 0, 0, 0, 0, 0 }, 9, 0x10201 }, /* addr: with the bias */
		{ { 0x77, 8, 0x06 }, 3, 0x100f0e0d0c0b0a09 },     /* breg7 8, deref */
		{ { 0x77, 8, 0x94, 2 }, 4, 0x0a09 },              /* deref_size */
		{ { 0x08, 0xff }, 2, 0xff },
		{ { 0x09, 0xff }, 2, UINT64_MAX },
		{ { 0x0a, 0xfe, 0xff }, 3, 0xfffe },
		{ { 0x0b, 0xfe, 0xff }, 3, (uint64_t)-2 },
		{ { 0x0c, 0xfe, 0xff, 0xff, 0xff }, 5, 0xfffffffe },
		{ { 0x0d, 0xfe, 0xff, 0xff, 0xff }, 5, (uint64_t)-2 },
		{ { 0x0e, 1, 0, 0, 0, 0, 0, 0, 0x80 }, 9, 0x8000000000000001 },
		{ { 0x0f, 1, 0, 0, 0, 0, 0, 0, 0x80 }, 9, 0x8000000000000001 },
		{ { 0x10, 0x80, 0x01 }, 3, 128 },
		{ { 0x11, 0x7f }, 2, UINT64_MAX },
		{ { 0x12, 0x22 }, 2, 0xe080 },          /* dup, plus */
		{ { 0x31, 0x13 }, 2, 0x7040 },          /* lit1, drop */
		{ { 0x31, 0x14 }, 2, 0x7040 },          /* over */
		{ { 0x31, 0x32, 0x15, 2 }, 4, 0x7040 }, /* pick */
		{ { 0x31, 0x16 }, 2, 0x7040 },          /* swap */
		{ { 0x31, 0x32, 0x17 }, 3, 1 },         /* rot */
		{ { 0x09, 0xfd, 0x19 }, 3, 3 },         /* abs */
		{ { 0x09, 0xf0, 0x1a }, 3, 0x7040 & ~UINT64_C(15) },
		{ { 0x09, 0xf9, 0x32, 0x1b }, 4, (uint64_t)-3 }, /* -7 / 2 */
		{ { 0x38, 0x1c }, 2, 0x7038 },
		{ { 0x38, 0x33, 0x1d }, 3, 2 }, /* 8 % 3 */
		{ { 0x38, 0x33, 0x1e }, 3, 24 },
		{ { 0x38, 0x1f }, 2, (uint64_t)-8 },
		{ { 0x38, 0x20 }, 2, ~UINT64_C(8) },
		{ { 0x31, 0x21 }, 2, 0x7041 },
		{ { 0x23, 0x10 }, 2, 0x7050 },
		{ { 0x34, 0x24 }, 2, 0x70400 },
		{ { 0x34, 0x25 }, 2, 0x704 },
		{ { 0x09, 0xf0, 0x34, 0x26 }, 4, UINT64_MAX },
		{ { 0x08, 0x40, 0x27 }, 3, 0x7000 },
		{ { 0x08, 64, 0x24 }, 3, 0 }, /* all bits are shifted out */
		{ { 0x31, 0x32, 0x29 }, 3, 0 },
		{ { 0x31, 0x09, 0xff, 0x2a }, 4, 1 }, /* 1 >= -1 */
		{ { 0x31, 0x31, 0x2b }, 3, 0 },
		{ { 0x31, 0x31, 0x2c }, 3, 1 },
		{ { 0x31, 0x32, 0x2d }, 3, 1 },
		{ { 0x31, 0x32, 0x2e }, 3, 1 },
		{ { 0x31, 0x28, 1, 0, 0x32, 0x33 }, 6, 3 }, /* bra over lit2 */
		{ { 0x30, 0x28, 1, 0, 0x32 }, 5, 2 },       /* not taken */
		{ { 0x2f, 1, 0, 0x32, 0x33 }, 5, 3 },       /* skip */
		{ { 0x4f }, 1, 31 },
		{ { 0x7f, 0x7f }, 2, 0xeff }, /* breg15 -1 */
		{ { 0x92, 3, 4 }, 3, 0x304 }, /* bregx */
		{ { 0x80, 0 }, 2, 0x401234 }, /* breg16: the address */
		{ { 0x96 }, 1, 0x7040 },
		/* The linkage table: breg7 8, breg16 0, lit15, and, lit11, ge, lit3, shl, plus. */
		{ { 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22 }, 11, 0x7008 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value = 0;

		begin();
		assert_int_equal(evaluate(cases[i].code, cases[i].size, &value), TL_CFI_CALLER);
		assert_int_equal(value, cases[i].value);
	}
}

TEST(expressions_without_a_value)
{
	static const struct {
		uint8_t code[8];
		size_t size;
		enum tl_cfi_result result;
	} cases[] = {
		{ { 0x13 }, 1, TL_CFI_BAD },       /* nothing is left */
		{ { 0x13, 0x13 }, 2, TL_CFI_BAD }, /* nothing to drop */
		{ { 0x08 }, 1, TL_CFI_BAD },       /* an operand is missing */
		{ { 0x30, 0x1b }, 2, TL_CFI_BAD }, /* divided by zero */
		{ { 0x30, 0x1d }, 2, TL_CFI_BAD },
		{ { 0x2f, 0xfd, 0xff }, 3, TL_CFI_BAD }, /* goes round for ever */
		{ { 0x2f, 0xfc, 0xff }, 3, TL_CFI_BAD }, /* before the beginning */
		{ { 0x2f, 9, 0 }, 3, TL_CFI_BAD },
		{ { 0x12, 0x2f, 0xfc, 0xff }, 4, TL_CFI_BAD }, /* dup for ever */
		{ { 0x9c }, 1, TL_CFI_BAD }, /* call_frame_cfa has no place here */
		{ { 0x94, 3 }, 2, TL_CFI_BAD },
		{ { 0x92, 0x7f, 0 }, 3, TL_CFI_UNKNOWN }, /* no such register */
		{ { 0x92, 17, 0 }, 3, TL_CFI_UNKNOWN },   /* one that is not known */
		{ { 0x06 }, 1, TL_CFI_CUT },              /* 0x7040 is behind the copy */
		{ { 0x31, 0x06 }, 2, TL_CFI_BAD },        /* and 1 is before it */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value;

		begin();
		assert_int_equal(evaluate(cases[i].code, cases[i].size, &value), cases[i].result);
	}
}

/* ---- steps ---- */

static void put_word_at(uint64_t address, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		stack[address - memory.start + i] = (uint8_t)(value >> 8 * i);
}

static enum tl_cfi_result step_once(void)
{
	return tl_cfi_step(&row, &memory, 0, &frame);
}

/* The CFA is 0x7020, rbp and the return address stand below it. */
static void begin_frame(void)
{
	assert_true(RUN(0, 0x0c, SP, 0x20, 0x80 | BP, 2));
	begin();
	assert_true(RUN(0, 0x0c, SP, 0x20, 0x80 | BP, 2));
	put_word_at(0x7018, 0x405678);
	put_word_at(0x7010, 0xbbbb);
}

TEST(a_step_leads_to_the_caller)
{
	begin_frame();
	assert_int_equal(step_once(), TL_CFI_CALLER);
	assert_int_equal(frame.pc, 0x405678);
	assert_int_equal(frame.registers[SP], 0x7020);
	assert_int_equal(frame.registers[BP], 0xbbbb);
	assert_int_equal(frame.registers[BX], 0x300);
	assert_int_equal(frame.known, 0x1ffff); /* with that of the return address */
}

TEST(outermost_frames)
{
	begin_frame();
	put_word_at(0x7018, 0);
	assert_int_equal(step_once(), TL_CFI_OUTERMOST);
	begin_frame();
	row.rules[RA].kind = TL_CFI_UNDEFINED;
	assert_int_equal(step_once(), TL_CFI_OUTERMOST);
	assert_int_equal(frame.pc, 0x401234);
}

TEST(a_copy_that_ends_is_cut)
{
	begin_frame();
	frame.registers[SP] = 0x7020;
	assert_int_equal(step_once(), TL_CFI_CALLER);
	begin_frame();
	frame.registers[SP] = 0x7021;
	assert_int_equal(step_once(), TL_CFI_CUT);
	assert_int_equal(frame.pc, 0x401234);
}

/* Behind "pop rbp" the rule of rbp may still be that of the row before. */
TEST(what_is_below_the_stack_pointer_is_in_its_register)
{
	begin_frame();
	row.rules[BP].value = -0x28;
	assert_int_equal(step_once(), TL_CFI_CALLER);
	assert_int_equal(frame.registers[BP], 0x600);
}

TEST(registers_that_are_lost)
{
	begin_frame();
	row.rules[BX].kind = TL_CFI_UNDEFINED;
	assert_int_equal(step_once(), TL_CFI_CALLER);
	assert_int_equal(frame.known, 0x1ffff & ~(1 << BX));
	begin_frame();
	row.cfa_register = BX;
	frame.known &= ~(UINT64_C(1) << BX);
	assert_int_equal(step_once(), TL_CFI_UNKNOWN);
}

/* AArch64: a leaf has its return address in x30; bits above the address are the signature. */
TEST(aarch64)
{
	begin();
	row = (struct tl_cfi_row){ .cfa = { .kind = TL_CFI_REGISTER },
				   .cfa_register = 31,
				   .return_register = 30,
				   .machine = EM_AARCH64 };
	frame.known = (UINT64_C(1) << 32) - 1;
	frame.registers[31] = 0x7000;
	frame.registers[30] = 0x002a000000405678;
	row.is_signed = true;
	assert_int_equal(step_once(), TL_CFI_CALLER);
	assert_int_equal(frame.pc, 0x405678);
	assert_int_equal(frame.registers[31], 0x7000);
}

TEST(words_of_32_bits)
{
	begin_frame();
	row.is_32bit = true;
	row.machine = EM_386;
	row.cfa_register = 4;
	frame.registers[4] = 0x7000;
	put_word_at(0x7018, 0xffffffff00405678);
	assert_int_equal(step_once(), TL_CFI_CALLER);
	assert_int_equal(frame.pc, 0x405678);
}

/* ---- files ---- */

/* A CIE of version 4 and an FDE of [0x2000, 0x2080) in .debug_frame, which nothing sorts. */
static const uint8_t
	debug_frame
		[] = {
			0x14, 0,    0,  0,    0xff, 0xff, 0xff,      0xff, 4, 0, 8,
			0, /* addresses of 8 bytes, no segments */
			1,    0x78, RA, 0x0c, SP,   8,    0x80 | RA, 1,    0, 0, 0,
			0,    0x1c, 0,  0,    0,    0,    0,         0,    0, 0, 0x20,
			0,    0,    0,  0,    0,    0,    0x80,      0,    0, 0, 0,
			0,    0,    0,  0x48, 0x0e, 0x40, 0,         0,    0, 0, 0,
		};

static struct tl_cfi *open_made(struct made *made, const struct made_section *sections,
				size_t count)
{
	struct tl_cfi *cfi;
	struct tl_error err;

	make_elf(made, ET_DYN, EM_X86_64, sections, count);
	assert_int_equal(tl_cfi_open_memory(&cfi, made->bytes, made->size, &err), 0);
	return cfi;
}

TEST(debug_frame_is_read)
{
	static struct made made = { .is_64bit = true };
	const struct made_section section = { ".debug_frame", SHT_PROGBITS,        0, 0,
					      debug_frame,    sizeof(debug_frame), 0, 0 };
	struct tl_cfi *cfi = open_made(&made, &section, 1);

	assert_int_equal(tl_cfi_machine(cfi), EM_X86_64);
	assert_int_equal(tl_cfi_find(cfi, 0x1fff, &row), 0);
	assert_int_equal(tl_cfi_find(cfi, 0x2000, &row), 1);
	assert_cfa(SP, 8);
	assert_int_equal(tl_cfi_find(cfi, 0x207f, &row), 1);
	assert_cfa(SP, 0x40);
	assert_int_equal(tl_cfi_find(cfi, 0x2080, &row), 0);
	tl_cfi_close(cfi);
}

TEST(files_without_tables_know_no_rows)
{
	static struct made made = { .is_64bit = true };
	struct tl_cfi *cfi = open_made(&made, NULL, 0);
	struct tl_error err;

	assert_int_equal(tl_cfi_find(cfi, 0x2000, &row), 0);
	assert_false(tl_cfi_is_entry(cfi, 0x2000));
	put_at(&made, 24, 0x2000, 8);
	assert_true(tl_cfi_is_entry(cfi, 0x2000));
	tl_cfi_close(cfi);
	assert_int_equal(tl_cfi_open_memory(&cfi, (const uint8_t *)"none", 4, &err), TL_BAD_FORMAT);
	assert_null(cfi);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_begin_at_their_locations),
		cmocka_unit_test(locations_advance_by_one_two_four_and_eight_bytes),
		cmocka_unit_test(locations_that_overflow_end_the_program),
		cmocka_unit_test(rules_of_registers),
		cmocka_unit_test(rules_of_the_cfa),
		cmocka_unit_test(rules_are_restored),
		cmocka_unit_test(damaged_programs_are_refused),
		cmocka_unit_test(signed_return_addresses),
		cmocka_unit_test(operations),
		cmocka_unit_test(expressions_without_a_value),
		cmocka_unit_test(a_step_leads_to_the_caller),
		cmocka_unit_test(outermost_frames),
		cmocka_unit_test(a_copy_that_ends_is_cut),
		cmocka_unit_test(what_is_below_the_stack_pointer_is_in_its_register),
		cmocka_unit_test(registers_that_are_lost),
		cmocka_unit_test(aarch64),
		cmocka_unit_test(words_of_32_bits),
		cmocka_unit_test(debug_frame_is_read),
		cmocka_unit_test(files_without_tables_know_no_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
