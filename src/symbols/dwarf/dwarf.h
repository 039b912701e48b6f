/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_DWARF_DWARF_H
#define TL_SYMBOLS_DWARF_DWARF_H
/*
 * The debug information of one file: lines, functions and inlined calls, by address. Every read is
 * bounded; damage costs names and lines, and is counted (tl_dwarf_faults()).
 */
#include <tracelathe/symbols.h>

#include "symbols/dwarf/scopes.h"
#include "symbols/dwarf/unit.h"

struct tl_dwarf_row;

/* True when a file has a line table. */
bool tl_dwarf_present(const struct tl_elf *file);
/* Read the DWARF of a file, which must outlive it, as its path and the places must. */
void tl_dwarf_open(struct tl_dwarf *dwarf, const struct tl_elf *file, const char *path,
		   const struct tl_debug_places *places);
void tl_dwarf_close(struct tl_dwarf *dwarf);
/* The faults found so far. */
const struct tl_dwarf_faults *tl_dwarf_faults(const struct tl_dwarf *dwarf);

/* Fill file, line and column of an address. */
void tl_dwarf_line(struct tl_dwarf *dwarf, uint64_t address, struct tl_symbol *symbol);

/* The row of an address; NULL: none. `path`: of its file. */
const struct tl_dwarf_row *tl_dwarf_row(struct tl_dwarf *dwarf, uint64_t address,
					const char **path);
/* Call `each` with the rows of all line tables, until it returns false: then false. */
bool tl_dwarf_each_row(struct tl_dwarf *dwarf, bool (*each)(void *arg, uint64_t address),
		       void *arg);

/* The innermost function at an address; scope NULL: none. */
struct tl_dwarf_found {
	struct tl_dwarf *dwarf; /* of the file whose .debug_info has the scope */
	struct tl_dwarf_unit *unit;
	struct tl_dwarf_scopes *scopes;
	struct tl_dwarf_scope *scope;
};
struct tl_dwarf_found tl_dwarf_find(struct tl_dwarf *dwarf, uint64_t address);
/* Go on to the function that the found one was inlined into. */
void tl_dwarf_outwards(struct tl_dwarf_found *found);
/* Where it was inlined: "" and 0 when it was not. */
const char *tl_dwarf_call_file(const struct tl_dwarf_found *found);

#endif
