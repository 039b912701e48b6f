/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/lines.h"

#include <dwarf.h>
#include <setjmp.h>
#include <stdlib.h>

#include "core/memory.h"

/*
 * libdw ends the process when it has no memory, unless a handler without arguments leaves it. The jump's
 * target is all the state this library keeps outside its handles: per thread, and only while libdw works. (A
 * few allocations of libdw 0.188, those of its table of abbreviations, are not checked by libdw at all.)
 */
static _Thread_local jmp_buf *out_of_memory;

__attribute__((noreturn)) static void leave(void)
{
	longjmp(*out_of_memory, 1);
}

struct query {
	struct tl_lines *lines;
	const struct tl_elf *file;
	uint64_t address;
	struct tl_symbol *symbol;
};

typedef void work_fn(struct query *query);

static void guarded(work_fn *work, struct query *query)
{
	jmp_buf here;

	out_of_memory = &here;
	if (!setjmp(here))
		work(query);
	else
		query->lines->failed = true;
	out_of_memory = NULL;
}

/* ---- index of compilation units ---- */

static bool add_range(struct tl_lines *lines, uint64_t start, uint64_t end)
{
	/* Linkers leave the ranges of dropped functions at 0 or at the top: those hold nothing. */
	if (end <= start)
		return true;
	if (!lines->budget ||
	    !tl_grow(&lines->ranges, &lines->range_capacity, lines->range_count + 1, sizeof(*lines->ranges)))
		return false;
	lines->budget--;
	lines->ranges[lines->range_count++] =
		(struct tl_interval){ start, end, (uint32_t)lines->unit_count - 1 };
	return true;
}

/* A unit that does not say its addresses: those of its line table's sequences. */
static bool add_sequences(struct tl_lines *lines, Dwarf_Die *unit)
{
	Dwarf_Addr start = 0, address;
	Dwarf_Lines *table;
	bool open = false, last;
	size_t count;

	if (dwarf_getsrclines(unit, &table, &count))
		return true;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(table, i);

		if (dwarf_lineaddr(line, &address) || dwarf_lineendsequence(line, &last))
			continue;
		if (!open)
			start = address;
		open = !last;
		if (last && !add_range(lines, start, address))
			return false;
	}
	return true;
}

static bool add_unit(struct tl_lines *lines, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;
	size_t before = lines->range_count;

	if (lines->unit_count >= TL_NONE - 1 ||
	    !tl_grow(&lines->units, &lines->unit_capacity, lines->unit_count + 1, sizeof(*lines->units)))
		return false;
	lines->units[lines->unit_count++] = dwarf_dieoffset(unit);
	while ((offset = dwarf_ranges(unit, offset, &base, &start, &end)) > 0)
		if (!add_range(lines, start, end))
			return false;
	return lines->range_count > before || add_sequences(lines, unit);
}

static int by_start(const void *left, const void *right)
{
	const struct tl_interval *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	/* The wider first, so that the narrower is the innermost. */
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static void index_units(struct query *query)
{
	struct tl_lines *lines = query->lines;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, split;
	Dwarf_Half version;
	uint8_t type;

	while (!dwarf_get_units(lines->dwarf, cu, &cu, &version, &type, &unit, &split))
		if ((type == DW_UT_compile || type == DW_UT_skeleton) && !add_unit(lines, &unit))
			break;
	if (lines->range_count)
		qsort(lines->ranges, lines->range_count, sizeof(*lines->ranges), by_start);
	if (!tl_intervals_build(&lines->intervals, lines->ranges, lines->range_count))
		lines->failed = true;
}

bool tl_lines_present(const struct tl_elf *file)
{
	GElf_Shdr header;
	const char *const names[] = { ".debug_line", ".zdebug_line" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (tl_elf_section(file, names[i], &header) && header.sh_type != SHT_NOBITS && header.sh_size)
			return true;
	return false;
}

void tl_lines_open(struct tl_lines *lines, const struct tl_elf *file)
{
	struct query query = { .lines = lines, .file = file };

	lines->dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	if (!lines->dwarf)
		return;
	dwarf_new_oom_handler(lines->dwarf, leave);
	/* No range is stored in less than a byte; units that share one list must not multiply it. */
	elf_rawfile(file->elf, &lines->budget);
	guarded(index_units, &query);
}

/* ---- lookup ---- */

static void find_line(Dwarf_Die *unit, struct query *query)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, query->address);
	const char *file;
	bool last = true;
	int number;

	if (!line || dwarf_lineendsequence(line, &last) || last)
		return;
	file = dwarf_linesrc(line, NULL, NULL);
	if (file)
		query->symbol->file = file;
	if (!dwarf_lineno(line, &number) && number > 0)
		query->symbol->line = (uint32_t)number;
	if (!dwarf_linecol(line, &number) && number > 0)
		query->symbol->column = (uint32_t)number;
}

static const char *function_name(Dwarf_Die *function)
{
	static const unsigned int names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		Dwarf_Attribute attribute;
		const char *name = dwarf_formstring(dwarf_attr_integrate(function, names[i], &attribute));

		if (name)
			return name;
	}
	return NULL;
}

static int visit_function(Dwarf_Die *function, void *arg)
{
	struct query *query = arg;
	Dwarf_Addr start, end;

	if (dwarf_haspc(function, query->address) <= 0)
		return DWARF_CB_OK;
	query->symbol->name = function_name(function);
	if (!dwarf_lowpc(function, &start) && !dwarf_highpc(function, &end) && end > start) {
		query->symbol->start = start;
		query->symbol->size = end - start;
	}
	return DWARF_CB_ABORT;
}

static void find(struct query *query)
{
	uint32_t number = tl_intervals_find(&query->lines->intervals, query->address);
	Dwarf_Die unit;

	if (number == TL_NONE || !dwarf_offdie(query->lines->dwarf, query->lines->units[number], &unit))
		return;
	find_line(&unit, query);
	if (!query->symbol->name)
		dwarf_getfuncs(&unit, visit_function, query, 0);
}

void tl_lines_find(struct tl_lines *lines, uint64_t address, struct tl_symbol *symbol)
{
	struct query query = { .lines = lines, .address = address, .symbol = symbol };

	if (lines->dwarf && !lines->failed)
		guarded(find, &query);
}

void tl_lines_close(struct tl_lines *lines)
{
	dwarf_end(lines->dwarf);
	free(lines->ranges);
	free(lines->units);
	tl_intervals_free(&lines->intervals);
	*lines = (struct tl_lines){ 0 };
}
