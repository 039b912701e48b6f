/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_LINES_H
#define TL_SYMBOLS_LINES_H
/* Source lines and function names from DWARF, through libdw. */
#include <elfutils/libdw.h>

#include <tracelathe/symbols.h>

#include "symbols/elf_file.h"
#include "symbols/intervals.h"

/* Zero-filled is "no DWARF". */
struct tl_lines {
	Dwarf *dwarf;
	bool failed;		    /* without memory once: libdw's state is not to be trusted any more */
	struct tl_interval *ranges; /* of compilation units; number: of the unit */
	size_t range_count, range_capacity;
	Dwarf_Off *units; /* their DIEs */
	size_t unit_count, unit_capacity;
	struct tl_intervals intervals;
	size_t budget; /* ranges still allowed */
};

/* True when the file has a line table. */
bool tl_lines_present(const struct tl_elf *file);
/* Open the DWARF of a file, which must outlive `lines`; its units are indexed. Damage leaves fewer lines. */
void tl_lines_open(struct tl_lines *lines, const struct tl_elf *file);
/* Fill file, line and column; where `symbol->name` is NULL also the mangled name, start and size. */
void tl_lines_find(struct tl_lines *lines, uint64_t address, struct tl_symbol *symbol);
void tl_lines_close(struct tl_lines *lines);

#endif
