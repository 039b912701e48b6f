/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_SYMBOLS_MAKE_LINES_H
#define TESTS_UNIT_SYMBOLS_MAKE_LINES_H
/* Line number programs opcode by opcode, and what is read of them (DWARF 5, section 6.2). */
#include "../unit.h"

#include "make_dwarf.h"

enum {
	SHAPES = sizeof(shapes) / sizeof(shapes[0]),
	LINE_BASE = -3,
	LINE_RANGE = 12,
	OPCODE_BASE = 15
};

static struct parts parts;

/* A unit without addresses, compiled in "/home": those of its line table are its own. */
static inline void put_unit(void)
{
	static const unsigned root[] = { DW_AT_stmt_list, DW_FORM_data4, DW_AT_comp_dir,
					 DW_FORM_string, 0 };
	size_t begun = begin_unit(&parts);

	put_abbreviation(&parts, 1, 0x11, false, root);
	put(&parts.abbrev, 0, 1);
	put(&parts.info, 1, 1);
	put(&parts.info, 0, 4);
	put_text(&parts.info, "/home");
	end_length(&parts, &parts.info, begun);
}

/* Version 5: what is told of directories and files, in forms of all sizes. */
static inline void put_tables(void)
{
	struct made *line = &parts.line;

	put_bytes(&parts.line_str, "/home\0main.c", 13);
	put(line, 1, 1);
	put_uleb(line, DW_LNCT_path);
	put_uleb(line, DW_FORM_line_strp);
	put_uleb(line, 2);
	put_offset(&parts, line, 0);
	put_offset(&parts, line, 5); /* "" */
	put(line, 4, 1);
	put_uleb(line, DW_LNCT_path);
	put_uleb(line, DW_FORM_string);
	put_uleb(line, 5); /* MD5 */
	put_uleb(line, DW_FORM_data16);
	put_uleb(line, DW_LNCT_directory_index);
	put_uleb(line, DW_FORM_udata);
	put_uleb(line, 0x2001); /* a producer's own */
	put_uleb(line, DW_FORM_block);
	put_uleb(line, 3);
	for (size_t i = 0; i < 3; i++) {
		put_text(line, i == 2 ? "/usr/system.h" : "main.c");
		put_bytes(line, "0123456789abcdef", 16);
		put_uleb(line, 0);
		put_bytes(line, "\2zz", 3);
	}
}

static inline void put_old_tables(void)
{
	struct made *line = &parts.line;

	put_text(line, "dir");
	put(line, 0, 1);
	put_text(line, "main.c");
	put_bytes(line, "\0\0\0", 3);
	put_text(line, "/usr/system.h");
	put_bytes(line, "\1\2\3", 3);
	put(line, 0, 1);
}

static inline size_t begin_program(uint8_t operations)
{
	static const uint8_t operands[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 2, 0 };
	struct made *line = &parts.line;
	size_t begun = begin_length(&parts, line), header;

	put(line, parts.shape.version, 2);
	if (parts.shape.version >= 5) {
		put(line, parts.shape.is_64bit ? 8 : 4, 1);
		put(line, 0, 1);
	}
	put_offset(&parts, line, 0);
	header = line->size;
	put(line, 2, 1); /* bytes of an instruction */
	if (parts.shape.version >= 4)
		put(line, operations, 1);
	put(line, 1, 1);
	put(line, (uint8_t)LINE_BASE, 1);
	put(line, LINE_RANGE, 1);
	put(line, OPCODE_BASE, 1);
	put_bytes(line, operands, sizeof(operands));
	if (parts.shape.version >= 5)
		put_tables();
	else
		put_old_tables();
	put_at(line, header - (parts.shape.wide ? 8 : 4), line->size - header,
	       parts.shape.wide ? 8 : 4);
	return begun;
}

static inline void put_address(uint64_t address)
{
	put(&parts.line, 0, 1);
	put_uleb(&parts.line, 1 + (parts.shape.is_64bit ? 8 : 4));
	put(&parts.line, DW_LNE_set_address, 1);
	put_word(&parts.line, address);
}

static inline void put_end(void)
{
	put_bytes(&parts.line, "\0\1\1", 3);
}

static inline void expect_line(uint64_t address, const char *file, uint32_t number, uint32_t column)
{
	struct tl_symbol symbol = { .file = "" };

	tl_dwarf_line(&parts.dwarf, address, &symbol);
	assert_string_equal(symbol.file, file);
	assert_int_equal(symbol.line, number);
	assert_int_equal(symbol.column, column);
}

#endif
