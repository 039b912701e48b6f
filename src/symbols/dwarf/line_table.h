/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_DWARF_LINE_TABLE_H
#define TL_SYMBOLS_DWARF_LINE_TABLE_H
/* .debug_line: which code comes from which line (DWARF 6.2 "Line Number Information"). */
#include "symbols/dwarf/unit.h"

struct dwarf_row {
	uint64_t address;
	uint32_t file; /* TL_NONE: a sequence ends here */
	uint32_t line, column;
	uint32_t order; /* in the program */
};

struct dwarf_source {
	const char *name; /* NULL: no such file */
	uint64_t directory;
	const char *path; /* NULL: not asked for yet */
};

struct dwarf_lines {
	uint64_t offset;
	struct dwarf_row *rows; /* by address; of one address only the last */
	size_t count, capacity;
	struct dwarf_source *files; /* by their numbers in the rows */
	size_t file_count, file_capacity;
	const char **directories;
	size_t directory_count, directory_capacity;
};

/* The line table of a unit, NULL: none, or no memory. */
struct dwarf_lines *tl_dwarf_lines(struct tl_dwarf *dwarf, struct dwarf_unit *unit);
/* The row of an address, NULL: none. */
const struct dwarf_row *tl_dwarf_row_at(const struct dwarf_lines *lines, uint64_t address);
/* The path of a file of the table, "" when it has none; NULL without memory. */
const char *tl_dwarf_path(struct tl_dwarf *dwarf, struct dwarf_lines *lines, uint32_t file);
void tl_dwarf_lines_free(struct dwarf_lines *lines);

#endif
