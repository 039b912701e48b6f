/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/elf/symtab.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/memory.h"

/* Which of several symbols at one address names it: functions, then sized ones, then by binding. */
enum { RANK_NOT_FUNCTION = 8, RANK_NO_SIZE = 4, RANK_LOCAL = 1, RANK_WEAK = 2 };

static uint8_t rank_of(const struct tl_elf_entry *symbol)
{
	int type = ELF64_ST_TYPE(symbol->info), binding = ELF64_ST_BIND(symbol->info);
	int rank = type == STT_FUNC || type == STT_GNU_IFUNC ? 0 : RANK_NOT_FUNCTION;

	if (!symbol->size)
		rank += RANK_NO_SIZE;
	if (binding == STB_LOCAL)
		rank += RANK_LOCAL;
	if (binding == STB_WEAK)
		rank += RANK_WEAK;
	return (uint8_t)rank;
}

/*
 * Mapping symbols ("$x", "$d.1"; ELF for the Arm and RISC-V architectures) and local labels name no
 * code.
 */
static bool is_label(const char *name)
{
	return !*name || (name[0] == '$' && name[1] && (!name[2] || name[2] == '.')) ||
	       (name[0] == '.' && name[1] == 'L');
}

static bool names_an_address(const struct tl_elf_entry *symbol)
{
	switch (ELF64_ST_TYPE(symbol->info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_OBJECT:
	case STT_NOTYPE:
		break;
	default:
		return false;
	}
	/* An absolute symbol without size is a number, not a place. */
	return symbol->section != SHN_UNDEF && symbol->section != SHN_COMMON &&
	       (symbol->section != SHN_ABS || symbol->size);
}

static uint64_t end_of(uint64_t start, uint64_t size)
{
	return size > UINT64_MAX - start ? UINT64_MAX : start + size;
}

/* A symbol without size ends with its section, or at the next symbol: see interval_of(). */
static uint64_t section_end(const struct tl_elf *file, const struct tl_elf_entry *symbol,
			    uint64_t start)
{
	struct tl_elf_section section;

	if (symbol->section >= SHN_LORESERVE ||
	    !tl_elf_section_at(file, symbol->section, &section) || start < section.address ||
	    start - section.address >= section.size)
		return start;
	return end_of(section.address, section.size);
}

static bool add_symbol(struct tl_symtab *table, const struct tl_elf *file,
		       const struct tl_elf_entry *symbol, const char *name)
{
	uint64_t start = symbol->value;

	/*
	 * Bit 0 of an Arm function's value says Thumb (ELF for the Arm Architecture, "Symbol
	 * Values").
	 */
	if (file->machine == EM_ARM && ELF64_ST_TYPE(symbol->info) == STT_FUNC)
		start &= ~(uint64_t)1;
	if (!tl_grow(&table->symbols, &table->capacity, table->count + 1, sizeof(*table->symbols)))
		return false;
	table->symbols[table->count++] = (struct tl_elf_symbol){
		.start = start,
		.end = symbol->size ? end_of(start, symbol->size)
				    : section_end(file, symbol, start),
		.size = symbol->size,
		.name = name,
		.rank = rank_of(symbol),
	};
	return true;
}

bool tl_symtab_add(struct tl_symtab *table, const struct tl_elf *file, uint32_t type)
{
	struct tl_elf_section section;
	size_t size, entry = tl_elf_entry_size(file);
	/*
	 * A file has one table of a type (gABI, "Sections"); more would let a small file fill the
	 * memory.
	 */
	const uint8_t *bytes = NULL;

	if (tl_elf_section_of(file, type, &section))
		bytes = tl_elf_bytes(file, &section, &size);
	/* Entry 0 of a symbol table is reserved. */
	for (size_t i = 1; bytes && i < size / entry; i++) {
		const struct tl_elf_entry symbol = tl_elf_entry_at(file, bytes + i * entry);
		const char *name = NULL;

		if (names_an_address(&symbol))
			name = tl_elf_text(file, section.link, symbol.name);
		if (name && !is_label(name) && !add_symbol(table, file, &symbol, name))
			return false;
	}
	return true;
}

/* Names compared no further than this, so that hostile tables cannot hold the sort up. */
enum { COMPARED = 4096 };

static int by_name(const struct tl_elf_symbol *a, const struct tl_elf_symbol *b)
{
	int order = strncmp(a->name, b->name, COMPARED);

	if (order)
		return order;
	return tl_compare(a->size, b->size);
}

static int by_address(const void *left, const void *right)
{
	const struct tl_elf_symbol *a = left, *b = right;

	if (a->start != b->start)
		return tl_compare(a->start, b->start);
	if (a->rank != b->rank)
		return a->rank - b->rank;
	return by_name(a, b);
}

/*
 * Of the symbols at one address the first is kept. One without size inside a sized one is a label
 * of hand-written code and is dropped.
 */
static void drop_aliases(struct tl_symtab *table)
{
	uint64_t sized_end = 0;
	size_t kept = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct tl_elf_symbol *symbol = &table->symbols[i];

		if (kept && table->symbols[kept - 1].start == symbol->start)
			continue;
		if (!symbol->size && symbol->start < sized_end)
			continue;
		if (symbol->size && symbol->end > sized_end)
			sized_end = symbol->end;
		table->symbols[kept++] = *symbol;
	}
	table->count = kept;
}

static struct tl_interval interval_of(const struct tl_symtab *table, size_t i)
{
	const struct tl_elf_symbol *symbol = &table->symbols[i];
	uint64_t end = symbol->end;

	if (!symbol->size && i + 1 < table->count && table->symbols[i + 1].start < end)
		end = table->symbols[i + 1].start;
	return (struct tl_interval){ symbol->start, end, (uint32_t)i };
}

bool tl_symtab_finish(struct tl_symtab *table)
{
	struct tl_interval *items;
	bool built;

	if (!table->count)
		return true;
	qsort(table->symbols, table->count, sizeof(*table->symbols), by_address);
	drop_aliases(table);
	if (table->count >= TL_NONE)
		return false;
	items = malloc(table->count * sizeof(*items));
	if (!items)
		return false;
	for (size_t i = 0; i < table->count; i++)
		items[i] = interval_of(table, i);
	built = tl_intervals_build(&table->intervals, items, table->count);
	free(items);
	return built;
}

struct tl_elf_symbol *tl_symtab_find(struct tl_symtab *table, uint64_t address)
{
	uint32_t found = tl_intervals_find_near(&table->intervals, address, &table->last);

	return found == TL_NONE ? NULL : &table->symbols[found];
}

void tl_symtab_free(struct tl_symtab *table)
{
	free(table->symbols);
	tl_intervals_free(&table->intervals);
	*table = (struct tl_symtab){ 0 };
}
