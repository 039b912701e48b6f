/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_DWARF_LINE_HEADER_H
#define TL_SYMBOLS_DWARF_LINE_HEADER_H
/* The header of a line number program (DWARF 6.2.4). */
#include "symbols/dwarf/line_table.h"

struct tl_dwarf_line_header {
	struct tl_dwarf_unit form; /* sizes and version of the table, bases of the unit */
	uint8_t instruction_bytes, operations, line_range, opcode_base;
	int8_t line_base;
	const uint8_t *operands; /* of standard opcodes, by opcode - 1 */
	struct tl_dwarf_bytes program;
};

/* Read the header at a unit's DW_AT_stmt_list; files and directories go into `lines`. False: no
 * program. */
bool tl_dwarf_line_header(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit,
			  struct tl_dwarf_line_header *header, struct tl_dwarf_line_table *lines);
/* One file, of which the program may name more. False without memory. */
bool tl_dwarf_add_source(struct tl_dwarf *dwarf, struct tl_dwarf_line_table *lines,
			 const char *name, uint64_t directory);

#endif
