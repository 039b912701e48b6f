/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Line number programs that are drawn, of every version and byte order: each address has the row
 * that a plain machine made for it, whose registers are moved as DWARF 6.2.5 says, and whose rows
 * are looked through one by one.
 */
#include <stdlib.h>

#include "../chance.h"
#include "make_lines.h"

enum { SLOT = 64, SLOTS = TEXT_SIZE / SLOT, ROWS = 600, ROUNDS = 40, MINIMUM = 2 };

struct row {
	uint64_t address;
	int64_t line;
	uint64_t column;
	unsigned file, sequence;
	bool end;
};

struct machine {
	uint64_t address, operation, column;
	int64_t line;
	unsigned file, operations, sequence;
	struct row rows[ROWS];
	unsigned count;
	uint32_t seed;
};

static unsigned draw(struct machine *m, unsigned below)
{
	return chance(&m->seed, below);
}

/* "6.2.5.1": an advance counts operations, several of which are one instruction. */
static void advance(struct machine *m, uint64_t by)
{
	m->address += MINIMUM * ((m->operation + by) / m->operations);
	m->operation = (m->operation + by) % m->operations;
}

static void add_row(struct machine *m, bool end)
{
	assert_true(m->count < ROWS);
	m->rows[m->count++] = (struct row){ .address = m->address,
					    .line = m->line,
					    .column = m->column,
					    .file = m->file,
					    .sequence = m->sequence,
					    .end = end };
}

static void opcode(unsigned number)
{
	put(&parts.line, number, 1);
}

/* Bytes that are left in the slot of the sequence, in operations that are sure to fit. */
static uint64_t room(const struct machine *m, uint64_t stop)
{
	return (stop - m->address) / MINIMUM;
}

static void put_special(struct machine *m, uint64_t stop)
{
	const uint64_t most = room(m, stop) < 19 ? room(m, stop) : 19;
	const unsigned steps = draw(m, (unsigned)most + 1), lines = draw(m, LINE_RANGE);
	const unsigned number = OPCODE_BASE + steps * LINE_RANGE + lines;

	opcode(number);
	advance(m, steps);
	m->line += LINE_BASE + (int)lines;
	add_row(m, false);
}

/* Opcodes that move a register, or none; numbers are as long as they need, or longer. */
static void put_standard(struct machine *m, uint64_t stop)
{
	const uint64_t steps = draw(m, (unsigned)room(m, stop) + 1);
	int64_t lines;

	switch (draw(m, 12)) {
	case 0:
		opcode(1);
		add_row(m, false);
		break;
	case 1:
		opcode(2);
		put_uleb(&parts.line, steps);
		advance(m, steps);
		break;
	case 2:
		lines = (int64_t)draw(m, 200) - 100;
		opcode(3);
		put_sleb(&parts.line, lines, draw(m, 2));
		m->line += lines;
		break;
	case 3:
		m->file = 1 + draw(m, 2);
		opcode(4);
		put_uleb(&parts.line, m->file);
		break;
	case 4:
		m->column = draw(m, 4) ? draw(m, 300) : UINT64_C(1) << 40;
		opcode(5);
		put_uleb(&parts.line, m->column);
		break;
	case 5:
		opcode(6);
		break;
	case 6:
		opcode(7);
		break;
	case 7: /* what the opcode 255 would advance by */
		if (room(m, stop) < (255 - OPCODE_BASE) / LINE_RANGE)
			break;
		opcode(8);
		advance(m, (255 - OPCODE_BASE) / LINE_RANGE);
		break;
	case 8: /* it counts bytes, and an operation is the first of its instruction then */
		opcode(9);
		put(&parts.line, steps, 2);
		m->address += steps;
		m->operation = 0;
		break;
	case 9:
		opcode(10 + draw(m, 2));
		break;
	case 10: /* an instruction set, and an opcode of a later version, with their operands */
		opcode(12);
		put_uleb(&parts.line, draw(m, 1000));
		opcode(13);
		put_uleb(&parts.line, 3);
		put_uleb(&parts.line, 70000);
		break;
	default:
		opcode(14);
	}
}

/* Extended opcodes that say nothing of lines, of any length. */
static void put_extended(struct machine *m)
{
	const unsigned size = draw(m, 6);

	opcode(0);
	if (draw(m, 2)) {
		put_uleb(&parts.line, 2);
		opcode(DW_LNE_set_discriminator);
		put_uleb(&parts.line, draw(m, 100));
		return;
	}
	put_uleb(&parts.line, 1 + size);
	opcode(0x80 + draw(m, 10));
	for (unsigned i = 0; i < size; i++)
		opcode(draw(m, 256));
}

static void put_sequence(struct machine *m, uint64_t start)
{
	const unsigned steps = draw(m, 30);

	m->address = start;
	m->operation = m->column = 0;
	m->line = m->file = 1;
	m->sequence++;
	put_address(start);
	for (unsigned i = 0; i < steps; i++) {
		const unsigned kind = draw(m, 8);

		if (kind < 4)
			put_special(m, start + SLOT);
		else if (kind < 7)
			put_standard(m, start + SLOT);
		else
			put_extended(m);
	}
	put_end();
	add_row(m, true);
}

static void draw_program(struct machine *m, unsigned operations)
{
	unsigned order[SLOTS];
	const unsigned count = draw(m, SLOTS + 1);
	size_t begun;

	m->operations = parts.shape.version >= 4 ? operations : 1;
	chance_order(&m->seed, order, SLOTS);
	put_unit();
	begun = begin_program((uint8_t)operations);
	for (unsigned i = 0; i < count; i++) {
		/* of functions that the linker dropped, too */
		if (draw(m, 6) == 0)
			put_sequence(m, draw(m, 2) ? 0 : TEXT_AT + TEXT_SIZE + 0x100);
		put_sequence(m, TEXT_AT + SLOT * (uint64_t)order[i]);
	}
	end_length(&parts, &parts.line, begun);
}

/* ---- the model's answer ---- */

/* The row of an address: the last one of its sequence at or before it; NULL: there is none. */
static const struct row *row_at(const struct machine *m, uint64_t address)
{
	const struct row *found = NULL;

	for (unsigned i = 0; i < m->count; i++) {
		unsigned last = i;

		/* a sequence from its first row on */
		while (!m->rows[last].end)
			last++;
		if (address >= m->rows[i].address && address < m->rows[last].address)
			for (unsigned n = i; n < last; n++)
				if (m->rows[n].address <= address &&
				    (!found || m->rows[n].address >= found->address))
					found = &m->rows[n];
		if (found)
			return found;
		i = last;
	}
	return NULL;
}

static void assert_address(const struct machine *m, uint64_t address)
{
	const struct row *row = row_at(m, address);

	if (!row) {
		expect_line(address, "", 0, 0);
		return;
	}
	/* numbers that do not fit are none */
	expect_line(address, row->file == 2 ? "/usr/system.h" : "/home/main.c",
		    row->line >= 0 ? (uint32_t)row->line : 0,
		    row->column < UINT32_MAX ? (uint32_t)row->column : 0);
}

TEST(drawn_programs_have_the_rows_of_a_plain_machine)
{
	for (unsigned shape = 0; shape < SHAPES; shape++)
		for (uint32_t round = 0; round < ROUNDS; round++) {
			static struct machine m;

			m = (struct machine){ .seed = 100 * shape + round };
			begin_parts(&parts, shapes[shape]);
			draw_program(&m, round % 3 == 0 ? 3 : 1);
			read_parts(&parts);
			for (uint64_t at = TEXT_AT - 2; at < TEXT_AT + TEXT_SIZE + 2; at++)
				assert_address(&m, at);
			/* what the linker dropped is at 0 */
			expect_line(0, "", 0, 0);
			expect_line(MINIMUM, "", 0, 0);
			assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
			tl_dwarf_close(&parts.dwarf);
		}
}

/* A program that is cut: what is told of an address is what the whole tells, or nothing. */
TEST(cut_programs_tell_no_other_lines)
{
	for (uint32_t round = 0; round < 12; round++) {
		static struct machine m;
		size_t whole, program;

		m = (struct machine){ .seed = 7000 + round };
		begin_parts(&parts, shapes[0]);
		draw_program(&m, 1);
		whole = parts.line.size;
		program = whole > 400 ? whole - 400 : whole / 2;
		for (size_t size = program; size < whole; size += 3) {
			struct parts copy = parts;
			unsigned told = 0;

			parts.line.size = size;
			put_at(&parts.line, 0, size - 4, 4);
			read_parts(&parts);
			for (uint64_t at = TEXT_AT; at < TEXT_AT + TEXT_SIZE; at += 2) {
				struct tl_symbol symbol = { .file = "" };
				const struct row *row = row_at(&m, at);

				tl_dwarf_line(&parts.dwarf, at, &symbol);
				if (!*symbol.file)
					continue;
				told++;
				assert_non_null(row);
				/* of the sequence that is cut the last row covers nothing */
				assert_int_equal(symbol.line, row->line >= 0 ? row->line : 0);
				assert_string_equal(symbol.file, row->file == 2 ? "/usr/system.h"
										: "/home/main.c");
			}
			assert_true(told <= TEXT_SIZE / 2);
			tl_dwarf_close(&parts.dwarf);
			parts = copy;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_programs_have_the_rows_of_a_plain_machine),
		cmocka_unit_test(cut_programs_tell_no_other_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
