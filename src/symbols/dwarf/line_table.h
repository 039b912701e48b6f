/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_DWARF_LINE_TABLE_H
#define TL_SYMBOLS_DWARF_LINE_TABLE_H
/* .debug_line: which code comes from which line (DWARF 6.2 "Line Number Information"). */
#include "symbols/dwarf/unit.h"

struct tl_dwarf_row {
	uint64_t address;
	uint32_t file; /* number of the source file; TL_NONE: a sequence ends at this address */
	uint32_t line, column;
	uint32_t discriminator; /* of several blocks of one line */
};

struct tl_dwarf_source_file {
	const char *name; /* NULL: the table has no file of this number */
	uint64_t directory;
	const char *path; /* name with its directory; NULL: not built yet */
};

struct tl_dwarf_line_table {
	uint64_t offset;
	struct tl_dwarf_row *rows; /* by address; of one address only the last */
	size_t count;
	struct tl_dwarf_source_file *files; /* by their numbers in the rows */
	size_t file_count, file_capacity;
	const char **directories;
	size_t directory_count, directory_capacity;
};

/* The line table of a unit, NULL: none, or no memory. */
struct tl_dwarf_line_table *tl_dwarf_lines(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit);
/* The row of an address, NULL: none. */
const struct tl_dwarf_row *tl_dwarf_row_at(const struct tl_dwarf_line_table *lines,
					   uint64_t address);
/* The path of a file of the table, "" when it has none; NULL without memory. */
const char *tl_dwarf_path(struct tl_dwarf *dwarf, struct tl_dwarf_line_table *lines, uint32_t file);
void tl_dwarf_lines_free(struct tl_dwarf_line_table *lines);

#endif
