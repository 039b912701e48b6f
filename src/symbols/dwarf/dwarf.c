/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/dwarf/dwarf.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/text/optional.h"
#include "symbols/dwarf/line_table.h"

bool tl_dwarf_present(const struct tl_elf *file)
{
	static const char *const names[] = { ".debug_line", ".zdebug_line" };
	struct tl_elf_section section;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (tl_elf_section(file, names[i], &section) && section.type != SHT_NOBITS &&
		    section.size)
			return true;
	return false;
}

/* ---- opening ---- */

static int by_start(const void *left, const void *right)
{
	const struct tl_interval *a = left, *b = right;

	return tl_compare(a->start, b->start);
}

/* Where the file has code, also a file of debug information, which has the headers of the code's
 * sections. */
static bool index_code(struct tl_dwarf *dwarf)
{
	struct tl_dwarf_ranges *ranges = &dwarf->ranges;
	struct tl_elf_section section;

	for (uint32_t i = 1; tl_elf_section_at(dwarf->file, i, &section); i++) {
		if (!(section.flags & SHF_ALLOC) || !(section.flags & SHF_EXECINSTR) ||
		    section.size > UINT64_MAX - section.address)
			continue;
		if (!tl_grow(&ranges->list, &ranges->capacity, ranges->count + 1,
			     sizeof(*ranges->list)))
			return false;
		ranges->list[ranges->count++] =
			(struct tl_interval){ section.address, section.address + section.size, i };
	}
	if (ranges->count)
		qsort(ranges->list, ranges->count, sizeof(*ranges->list), by_start);
	return tl_intervals_build(&dwarf->own_code, ranges->list, ranges->count);
}

void tl_dwarf_open(struct tl_dwarf *dwarf, const struct tl_elf *file, const char *path,
		   const struct tl_debug_places *places)
{
	*dwarf = (struct tl_dwarf){
		.file = file, .path = path, .places = places, .code = &dwarf->own_code
	};
	dwarf->sections.path = path;
	dwarf->sections.faults = &dwarf->own_faults;
	/* In a file that is not linked, relocations hold the addresses and offsets. */
	if (file->type == ET_REL) {
		tl_dwarf_fault(&dwarf->sections, TL_UNSUPPORTED, TL_NOWHERE,
			       "debug information of an object file that is not linked is not "
			       "read; names and lines may be missing");
		return;
	}
	tl_dwarf_sections_load(&dwarf->sections, file, false);
	tl_dwarf_budgets(dwarf);
	if (index_code(dwarf))
		tl_dwarf_units_read(dwarf);
	else
		tl_dwarf_no_memory(&dwarf->sections);
}

static void close_one(struct tl_dwarf *dwarf)
{
	for (size_t i = 0; i < dwarf->units.count; i++)
		tl_dwarf_functions_free(dwarf->units.list[i].functions);
	for (size_t i = 0; i < dwarf->line_tables.count; i++)
		tl_dwarf_lines_free(dwarf->line_tables.list[i]);
	tl_dwarf_tables_free(&dwarf->tables);
	free(dwarf->units.list);
	free(dwarf->line_tables.list);
	free(dwarf->program_rows.list);
	free(dwarf->ranges.list);
	tl_index_free(&dwarf->line_tables.by_offset);
	tl_intervals_free(&dwarf->units.by_address);
	tl_intervals_free(&dwarf->own_code);
	tl_arena_free(&dwarf->texts);
	tl_dwarf_sections_free(&dwarf->sections);
	tl_elf_close(&dwarf->owned);
}

/* Close one file's DWARF. A supplement or a .dwo file opens no files of its own. */
static void close_beside(struct tl_dwarf *dwarf)
{
	if (dwarf)
		close_one(dwarf);
	free(dwarf);
}

void tl_dwarf_close(struct tl_dwarf *dwarf)
{
	close_beside(dwarf->supplement);
	for (size_t i = 0; i < dwarf->units.count; i++)
		close_beside(dwarf->units.list[i].split);
	close_one(dwarf);
	*dwarf = (struct tl_dwarf){ .file = NULL };
}

const struct tl_dwarf_faults *tl_dwarf_faults(const struct tl_dwarf *dwarf)
{
	return &dwarf->own_faults;
}

/* ---- by address ---- */

const struct tl_dwarf_row *tl_dwarf_row(struct tl_dwarf *dwarf, uint64_t address, const char **path)
{
	struct tl_dwarf_unit *unit = tl_dwarf_unit_at(dwarf, address);
	struct tl_dwarf_line_table *lines = unit ? tl_dwarf_lines(dwarf, unit) : NULL;
	const struct tl_dwarf_row *row = lines ? tl_dwarf_row_at(lines, address) : NULL;

	if (row)
		*path = tl_dwarf_path(dwarf, lines, row->file);
	return row;
}

void tl_dwarf_line(struct tl_dwarf *dwarf, uint64_t address, struct tl_symbol *symbol)
{
	const char *path = NULL;
	const struct tl_dwarf_row *row = tl_dwarf_row(dwarf, address, &path);

	if (!row)
		return;
	if (path)
		symbol->file = path;
	symbol->line = row->line;
	symbol->column = row->column;
}

bool tl_dwarf_each_row(struct tl_dwarf *dwarf, bool (*each)(void *arg, uint64_t address), void *arg)
{
	for (size_t i = 0; i < dwarf->units.count; i++) {
		const struct tl_dwarf_line_table *lines =
			tl_dwarf_lines(dwarf, &dwarf->units.list[i]);

		for (size_t k = 0; lines && k < lines->count; k++)
			if (lines->rows[k].file != TL_NONE && !each(arg, lines->rows[k].address))
				return false;
	}
	return !dwarf->own_faults.no_memory;
}

struct tl_dwarf_found tl_dwarf_find(struct tl_dwarf *dwarf, uint64_t address)
{
	struct tl_dwarf_found found = { .unit = tl_dwarf_unit_at(dwarf, address) };

	if (!found.unit)
		return found;
	found.dwarf = tl_dwarf_body(dwarf, &found.unit);
	found.scopes = tl_dwarf_scopes_at(found.dwarf, found.unit, address);
	if (found.scopes)
		found.scope = tl_dwarf_scope_at(found.scopes, address);
	return found;
}

void tl_dwarf_outwards(struct tl_dwarf_found *found)
{
	uint32_t parent = found->scope->parent;

	found->scope = parent == TL_NONE ? NULL : &found->scopes->list[parent];
}

const char *tl_dwarf_call_file(const struct tl_dwarf_found *found)
{
	struct tl_dwarf_line_table *lines;
	const char *path = NULL;

	if (found->scope->parent == TL_NONE)
		return "";
	lines = tl_dwarf_lines(found->dwarf, found->unit);
	if (lines)
		path = tl_dwarf_path(found->dwarf, lines, found->scope->call_file);
	return tl_text_or_empty(path);
}
