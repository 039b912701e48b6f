/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file with debug information, asked for all that it has. */
#include <string.h>

#include "fuzz.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/dwarf/line_table.h"
#include "symbols/elf/linkage.h"
#include "symbols/elf/relocations.h"
#include "symbols/elf/symtab.h"

/* What `address` belongs to; chains end, and texts do. */
static void look(struct tl_dwarf *dwarf, uint64_t address)
{
	struct tl_symbol symbol = { .file = "" };
	struct tl_dwarf_found found = tl_dwarf_find(dwarf, address);
	uint32_t before = TL_NONE;

	tl_dwarf_line(dwarf, address, &symbol);
	FUZZ_MUST(strlen(symbol.file) < 1 << 17);
	for (; found.scope; tl_dwarf_outwards(&found)) {
		uint32_t number = (uint32_t)(found.scope - found.scopes->list);

		FUZZ_MUST(number < before && number < found.scopes->count);
		FUZZ_MUST(found.scope->parent == TL_NONE || found.scope->parent < number);
		FUZZ_MUST(strlen(tl_dwarf_call_file(&found)) < 1 << 17);
		tl_dwarf_scope_name(found.dwarf, found.unit, found.scope);
		before = number;
	}
}

/* An address of a function, and where calls inlined into it begin and end. */
static void look_in_function(struct tl_dwarf *dwarf, uint64_t address)
{
	const struct tl_dwarf_scopes *scopes = tl_dwarf_find(dwarf, address).scopes;

	look(dwarf, address);
	for (size_t n = 0; scopes && n < scopes->inlined.count; n += 1 + scopes->count / 16)
		look(dwarf, scopes->inlined.segments[n].start);
}

static void look_everywhere(struct tl_dwarf *dwarf)
{
	for (size_t i = 0; i < dwarf->units.by_address.count; i++)
		look(dwarf, dwarf->units.by_address.segments[i].start);
	for (size_t i = 0; i < dwarf->units.count; i++) {
		struct tl_dwarf_unit *unit = &dwarf->units.list[i];
		const struct tl_dwarf_line_table *lines = tl_dwarf_lines(dwarf, unit);
		struct tl_dwarf_unit *body = unit;
		struct tl_dwarf *of = tl_dwarf_body(dwarf, &body);
		const struct tl_dwarf_functions *functions = tl_dwarf_functions(of, body);

		for (size_t n = 0; lines && n < lines->count; n += 1 + lines->count / 256) {
			FUZZ_MUST(!n || lines->rows[n - 1].address < lines->rows[n].address);
			look(dwarf, lines->rows[n].address);
		}
		for (size_t n = 0; functions && n < functions->by_address.count;
		     n += 1 + functions->count / 256)
			look_in_function(dwarf, functions->by_address.segments[n].start);
	}
}

/* Entries of linkage tables are found at each of their bytes, and have names that end. */
static void look_at_linkage(const struct tl_elf *file, struct tl_symtab *symbols)
{
	struct tl_symtab entries = { .count = 0 };

	FUZZ_MUST(tl_linkage_read(&entries, file, symbols));
	FUZZ_MUST(entries.count <= file->size);
	for (size_t i = 0; i < entries.count; i++) {
		const struct tl_elf_symbol *entry = &entries.symbols[i];

		FUZZ_MUST(entry->size && entry->end - entry->start == entry->size);
		FUZZ_MUST(*entry->name && strlen(entry->name) < file->size);
		FUZZ_MUST(tl_symtab_find(&entries, entry->end - 1));
	}
	tl_symtab_free(&entries);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_elf file;
	struct tl_symtab symbols = { .count = 0 };
	struct tl_relocations relocations = { .count = 0 };
	struct tl_dwarf dwarf;

	if (tl_elf_open_memory(&file, data, size, NULL))
		return 0;
	if (tl_symtab_add(&symbols, &file, SHT_SYMTAB) && tl_symtab_finish(&symbols))
		for (size_t i = 0; i < symbols.count; i++)
			tl_symtab_find(&symbols, symbols.symbols[i].start);
	look_at_linkage(&file, &symbols);
	FUZZ_MUST(tl_relocations_read(&relocations, &file));
	tl_dwarf_open(&dwarf, &file, NULL, NULL);
	look_everywhere(&dwarf);
	tl_dwarf_close(&dwarf);
	tl_relocations_free(&relocations);
	tl_symtab_free(&symbols);
	return 0;
}
