/* SPDX-License-Identifier: Apache-2.0 */
/* Line number programs made by hand: every opcode, the headers of every version, damage. */
#include "make_lines.h"

/* "6.2.5 The Line Number Program": each opcode moves the registers that its text names. */
TEST(opcodes_move_the_registers)
{
	for (size_t s = 0; s < SHAPES; s++) {
		begin_parts(&parts, shapes[s]);
		put_unit();
		size_t begun = begin_program(1);
		struct made *line = &parts.line;

		put_address(TEXT_AT);
		put(line, DW_LNS_copy, 1); /* 0x1000: line 1 */
		put(line, DW_LNS_advance_line, 1);
		put(line, 0x7f, 1); /* -1 */
		put(line, DW_LNS_advance_line, 1);
		put(line, 9, 1);
		put(line, DW_LNS_set_column, 1);
		put_uleb(line, 200);
		/* 8 bytes on, 2 lines on: 0x1008, line 11 */
		put(line, OPCODE_BASE + 3 + 4 * LINE_RANGE + 2, 1);
		put(line, DW_LNS_advance_pc, 1);
		put(line, 4, 1); /* 0x1010 */
		put(line, DW_LNS_set_file, 1);
		put(line, 2, 1);
		put(line, DW_LNS_negate_stmt, 1);
		put(line, DW_LNS_set_basic_block, 1);
		put(line, DW_LNS_set_prologue_end, 1);
		put(line, DW_LNS_set_epilogue_begin, 1);
		put(line, DW_LNS_set_isa, 1);
		put_uleb(line, 300);
		put(line, 13, 1); /* an opcode of a later version, with two operands */
		put_uleb(line, 1000);
		put_uleb(line, 1000);
		put(line, 14, 1);                  /* and one without */
		put_bytes(line, "\0\3\x80zz", 5);  /* a producer's own */
		put_bytes(line, "\0\2\4\7", 4);    /* a discriminator */
		put(line, DW_LNS_copy, 1);         /* 0x1010: line 11 of the second file */
		put(line, DW_LNS_const_add_pc, 1); /* (255 - 15) / 12 = 20 instructions: 0x1038 */
		put(line, DW_LNS_set_file, 1);
		put(line, 1, 1);
		put(line, OPCODE_BASE + 3, 1); /* nothing on: line 11 */
		put(line, DW_LNS_fixed_advance_pc, 1);
		put(line, 0x102, 2);           /* 0x113a */
		put(line, OPCODE_BASE, 1);     /* 3 lines back */
		put(line, OPCODE_BASE + 5, 1); /* at the same address: only the last row has code */
		put(line, DW_LNS_advance_pc, 1);
		put(line, 3, 1);
		put_end(); /* 0x1140 */
		put_address(TEXT_AT + 0x200);
		put(line, DW_LNS_copy, 1); /* the registers are new */
		put(line, DW_LNS_advance_pc, 1);
		put(line, 8, 1);
		put_end();
		put_address(0); /* dropped by the linker */
		put(line, DW_LNS_copy, 1);
		put(line, DW_LNS_advance_pc, 1);
		put_uleb(line, 0x4000);
		put_end();
		end_length(&parts, line, begun);
		read_parts(&parts);
		expect_line(TEXT_AT - 1, "", 0, 0);
		expect_line(TEXT_AT, "/home/main.c", 1, 0);
		expect_line(TEXT_AT + 7, "/home/main.c", 1, 0);
		expect_line(TEXT_AT + 8, "/home/main.c", 11, 200);
		expect_line(TEXT_AT + 0x10, "/usr/system.h", 11, 200);
		expect_line(TEXT_AT + 0x37, "/usr/system.h", 11, 200);
		expect_line(TEXT_AT + 0x38, "/home/main.c", 11, 200);
		expect_line(TEXT_AT + 0x139, "/home/main.c", 11, 200);
		expect_line(TEXT_AT + 0x13a, "/home/main.c", 10, 200);
		expect_line(TEXT_AT + 0x13f, "/home/main.c", 10, 200);
		expect_line(TEXT_AT + 0x140, "", 0, 0);
		expect_line(TEXT_AT + 0x20f, "/home/main.c", 1, 0);
		expect_line(TEXT_AT + 0x210, "", 0, 0);
		assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
		tl_dwarf_close(&parts.dwarf);
	}
}

/* "6.2.5.1": with three operations an instruction, an operation advance counts in them. */
TEST(operations_share_an_instruction)
{
	begin_parts(&parts, shapes[4]);
	put_unit();
	size_t begun = begin_program(3);

	put_address(TEXT_AT);
	put(&parts.line, DW_LNS_copy, 1);
	put(&parts.line, DW_LNS_advance_pc, 1);
	put(&parts.line, 4, 1); /* one instruction of 2 bytes, and operation 1 of the next */
	put(&parts.line, OPCODE_BASE + 3 + 1, 1);
	/* 1 + 5: two instructions more */
	put(&parts.line, OPCODE_BASE + 3 + 5 * LINE_RANGE + 1, 1);
	put(&parts.line, DW_LNS_advance_pc, 1);
	put(&parts.line, 3, 1);
	put_end();
	end_length(&parts, &parts.line, begun);
	read_parts(&parts);
	expect_line(TEXT_AT + 1, "/home/main.c", 1, 0);
	expect_line(TEXT_AT + 2, "/home/main.c", 2, 0);
	expect_line(TEXT_AT + 5, "/home/main.c", 2, 0);
	expect_line(TEXT_AT + 6, "/home/main.c", 3, 0);
	expect_line(TEXT_AT + 8, "", 0, 0);
	tl_dwarf_close(&parts.dwarf);
}

/* A program that goes back: rows are found by address, whatever their order. */
TEST(sequences_come_in_any_order)
{
	begin_parts(&parts, shapes[0]);
	put_unit();
	size_t begun = begin_program(1);

	for (uint64_t i = 4; i--;) {
		put_address(TEXT_AT + i * 16);
		put(&parts.line, DW_LNS_advance_line, 1);
		put(&parts.line, i, 1);
		put(&parts.line, DW_LNS_copy, 1);
		put(&parts.line, DW_LNS_advance_pc, 1);
		put(&parts.line, 8, 1);
		put_end();
	}
	end_length(&parts, &parts.line, begun);
	read_parts(&parts);
	for (uint32_t i = 0; i < 4; i++)
		expect_line(TEXT_AT + i * 16 + 15, "/home/main.c", i + 1, 0);
	expect_line(TEXT_AT + 64, "", 0, 0);
	tl_dwarf_close(&parts.dwarf);
}

/* A sequence of rows of so many bytes each, from an offset in the code and a line on. */
static void put_sequence(uint64_t offset, uint64_t rows, uint64_t bytes, uint64_t line)
{
	put_address(TEXT_AT + offset);
	put(&parts.line, DW_LNS_advance_line, 1);
	put(&parts.line, line - 1, 1);
	for (; rows; rows--) {
		put(&parts.line, DW_LNS_copy, 1);
		put(&parts.line, DW_LNS_advance_line, 1);
		put(&parts.line, 1, 1);
		put(&parts.line, DW_LNS_advance_pc, 1);
		put(&parts.line, bytes / 2, 1); /* in instructions */
	}
	put_end();
}

/* Where one sequence ends another begins; the later one stands first. */
TEST(sequences_touch)
{
	begin_parts(&parts, shapes[0]);
	put_unit();
	size_t begun = begin_program(1);

	put_sequence(32, 2, 8, 30);
	put_sequence(16, 2, 8, 20);
	put_sequence(0, 2, 8, 10);
	end_length(&parts, &parts.line, begun);
	read_parts(&parts);
	for (uint32_t i = 0; i < 6; i++)
		expect_line(TEXT_AT + i * 8, "/home/main.c", 10 * (1 + i / 2) + i % 2, 0);
	expect_line(TEXT_AT + 48, "", 0, 0);
	tl_dwarf_close(&parts.dwarf);
}

/* One sequence within another: a row holds up to the next one of either, an end ends both. */
TEST(sequences_overlap)
{
	for (int turn = 0; turn < 2; turn++) {
		begin_parts(&parts, shapes[0]);
		put_unit();
		size_t begun = begin_program(1);

		if (turn)
			put_sequence(8, 1, 4, 50);
		put_sequence(0, 2, 16, 10);
		if (!turn)
			put_sequence(8, 1, 4, 50);
		end_length(&parts, &parts.line, begun);
		read_parts(&parts);
		expect_line(TEXT_AT + 7, "/home/main.c", 10, 0);
		expect_line(TEXT_AT + 8, "/home/main.c", 50, 0);
		expect_line(TEXT_AT + 12, "", 0, 0);
		expect_line(TEXT_AT + 16, "/home/main.c", 11, 0);
		expect_line(TEXT_AT + 32, "", 0, 0);
		tl_dwarf_close(&parts.dwarf);
	}
}

/* Two sequences of one address: of rows at one address the last one counts. */
TEST(sequences_begin_at_one_address)
{
	begin_parts(&parts, shapes[0]);
	put_unit();
	size_t begun = begin_program(1);

	put_sequence(32, 1, 8, 30);
	put_sequence(0, 1, 16, 10);
	put_sequence(0, 1, 8, 20);
	end_length(&parts, &parts.line, begun);
	read_parts(&parts);
	expect_line(TEXT_AT, "/home/main.c", 20, 0);
	expect_line(TEXT_AT + 8, "", 0, 0);
	expect_line(TEXT_AT + 32, "/home/main.c", 30, 0);
	tl_dwarf_close(&parts.dwarf);
}

/* Linkers leave the rows of functions that they drop at 0, where a section of data may be. */
TEST(sequences_of_data_are_left_out)
{
	begin_parts(&parts, shapes[0]);
	parts.info_flags = SHF_ALLOC;
	put_unit();
	size_t begun = begin_program(1);

	for (uint64_t address = 0; address <= TEXT_AT; address += TEXT_AT) {
		put_address(address);
		put(&parts.line, DW_LNS_copy, 1);
		put(&parts.line, DW_LNS_advance_pc, 1);
		put(&parts.line, 4, 1);
		put_end();
	}
	end_length(&parts, &parts.line, begun);
	read_parts(&parts);
	expect_line(0, "", 0, 0);
	expect_line(TEXT_AT, "/home/main.c", 1, 0);
	tl_dwarf_close(&parts.dwarf);
}

static void expect_fault(enum tl_status status, uint64_t offset, const char *words)
{
	const struct tl_dwarf_faults *faults = tl_dwarf_faults(&parts.dwarf);

	assert_true(faults->count);
	assert_int_equal(faults->first.status, status);
	assert_int_equal(faults->first.offset, offset);
	assert_non_null(strstr(faults->first.text, words));
	tl_dwarf_close(&parts.dwarf);
}

static void make_sound(void)
{
	size_t begun;

	begin_parts(&parts, shapes[0]);
	put_unit();
	begun = begin_program(1);
	put_address(TEXT_AT);
	put(&parts.line, DW_LNS_copy, 1);
	put(&parts.line, DW_LNS_advance_pc, 1);
	put(&parts.line, 8, 1);
	put_end();
	end_length(&parts, &parts.line, begun);
}

TEST(damage_is_told_at_its_byte)
{
	make_sound();
	put_at(&parts.line, 4, 9, 2);
	read_parts(&parts);
	expect_fault(TL_UNSUPPORTED, 0, "version");
	make_sound();
	put_at(&parts.line, 0, 0x1000, 4);
	read_parts(&parts);
	expect_line(TEXT_AT, "/home/main.c", 1, 0);
	expect_fault(TL_TRUNCATED, 0, "cut short");
	make_sound();
	put_at(&parts.line, 8, 0x1000, 4);
	read_parts(&parts);
	expect_fault(TL_TRUNCATED, 0, "past its table");
	make_sound();
	put_at(&parts.line, 16, 0, 1); /* line_range, which is divided by */
	read_parts(&parts);
	expect_fault(TL_BAD_RECORD, 0, "invalid header");
	/* A sequence without an end: its last row lasts to nowhere. */
	make_sound();
	parts.line.size -= 3;
	put_at(&parts.line, 0, parts.line.size - 4, 4);
	put(&parts.line, DW_LNS_copy, 1);
	put_at(&parts.line, 0, parts.line.size - 4, 4);
	read_parts(&parts);
	expect_line(TEXT_AT, "/home/main.c", 1, 0);
	expect_line(TEXT_AT + 16, "", 0, 0);
	expect_fault(TL_TRUNCATED, parts.line.size, "within a sequence");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opcodes_move_the_registers),
		cmocka_unit_test(operations_share_an_instruction),
		cmocka_unit_test(sequences_come_in_any_order),
		cmocka_unit_test(sequences_touch),
		cmocka_unit_test(sequences_overlap),
		cmocka_unit_test(sequences_begin_at_one_address),
		cmocka_unit_test(sequences_of_data_are_left_out),
		cmocka_unit_test(damage_is_told_at_its_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
