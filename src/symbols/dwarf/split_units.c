/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units that were compiled with -gsplit-dwarf: the program has a skeleton unit, and a .dwo file the
 * other half. Packages of .dwo files (.dwp) are not read.
 */
#include <stdio.h>
#include <stdlib.h>

#include <tracelathe/core.h>

#include "symbols/elf/debug_file.h"
#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/unit.h"

/* The unit of a .dwo file that has the dwo_id of the skeleton; NULL: none. */
static struct tl_dwarf_unit *find_half(struct tl_dwarf *split, const struct tl_dwarf_unit *unit)
{
	for (size_t i = 0; i < split->units.count; i++) {
		struct tl_dwarf_unit *half = &split->units.list[i];
		struct tl_dwarf_entry root;

		if (half->version < 5 && !half->root_read)
			tl_dwarf_root_read(split, half, &root);
		if (half->type != DW_UT_split_type && half->id == unit->id)
			return half;
	}
	return NULL;
}

/* Where the .dwo file lacks a section, its units use that of the linked file. */
static void lend(const struct tl_dwarf *dwarf, struct tl_dwarf *split, enum tl_dwarf_section part)
{
	if (split->sections.parts[part].size)
		return;
	split->sections.parts[part].data = dwarf->sections.parts[part].data;
	split->sections.parts[part].size = dwarf->sections.parts[part].size;
}

/*
 * Tables of addresses stay in the linked file; so do the ranges of versions before 5, and the names
 * of source files unless the .dwo file has a table of them, which is then its only one (DWARF 5,
 * 7.3.2.2).
 */
static void join_halves(const struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit,
			struct tl_dwarf *split, struct tl_dwarf_unit *half)
{
	bool has_files = split->sections.parts[TL_DWARF_LINE].size;
	struct tl_dwarf_entry root;

	lend(dwarf, split, TL_DWARF_ADDR);
	lend(dwarf, split, TL_DWARF_RANGES);
	lend(dwarf, split, TL_DWARF_LINE);
	lend(dwarf, split, TL_DWARF_LINE_STR);
	tl_dwarf_budgets(split);
	half->bases.addr = unit->bases.addr;
	half->bases.ranges = unit->bases.ranges;
	tl_dwarf_root_read(split, half, &root);
	half->low = unit->low;
	half->dwo_name = NULL;
	if (!*half->directory)
		half->directory = unit->directory;
	if (half->lines == TL_NOWHERE)
		half->lines = has_files ? 0 : unit->lines;
}

static void find_body(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit)
{
	struct tl_elf file;
	char *path = NULL;
	bool absolute = *unit->dwo_name == '/';
	int status = TL_NO_MEMORY;

	if (asprintf(&path, "%s%s%s", absolute ? "" : unit->directory, absolute ? "" : "/",
		     unit->dwo_name) >= 0)
		status = tl_elf_open_named(&file, path, NULL);
	else
		path = NULL;
	if (status) {
		free(path);
		if (status == TL_NO_MEMORY)
			tl_dwarf_no_memory(&dwarf->sections);
		return;
	}
	unit->split = tl_dwarf_open_further(dwarf, &file, path, true);
	if (unit->split)
		unit->body = find_half(unit->split, unit);
	if (unit->body)
		join_halves(dwarf, unit, unit->split, unit->body);
}

struct tl_dwarf *tl_dwarf_body(struct tl_dwarf *dwarf, struct tl_dwarf_unit **unit)
{
	struct tl_dwarf_unit *whole = *unit;

	if (!whole->dwo_name || !dwarf->path)
		return dwarf;
	if (!whole->split_sought) {
		whole->split_sought = true;
		find_body(dwarf, whole);
		if (!whole->body && !dwarf->sections.faults->no_memory)
			tl_dwarf_fault(&dwarf->sections, TL_IO, whole->offset,
				       ".debug_info: the .dwo file of a unit was not found or "
				       "belongs to another unit; names may be missing");
	}
	if (!whole->body)
		return dwarf;
	*unit = whole->body;
	return whole->split;
}
