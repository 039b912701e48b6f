/* SPDX-License-Identifier: Apache-2.0 */
/* One ELF file: its own symbols and sections, and its debug information wherever that is. */
#include "symbols/binary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/sized.h"
#include "core/text/optional.h"
#include "symbols/elf/debug_file.h"
#include "symbols/elf/elf_file.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/elf/linkage.h"
#include "symbols/elf/relocations.h"
#include "symbols/jitdump.h"
#include "symbols/name_list.h"
#include "symbols/elf/symtab.h"

struct tl_binary {
	char *path;
	uint64_t bias;
	bool demangle;
	struct tl_elf file, debug; /* debug.data NULL: nothing apart */
	char *debug_path, *debug_root;
	struct tl_debug_places places; /* of debug files */
	char build_id[TL_BUILD_ID_TEXT];
	struct tl_symtab symtab;
	struct tl_symtab linkage; /* read when an address is of no symbol */
	bool linkage_read;
	struct tl_name_list kernel; /* of a list of names, which is no ELF file */
	bool only_names;
	struct tl_jit_code jit;          /* of a jitdump file, which is no ELF file */
	const struct tl_elf *lines_file; /* the one with the line table, NULL: none */
	bool dwarf_open;
	struct tl_dwarf dwarf;
	bool relocations_read;
	struct tl_relocations relocations;
	struct tl_names names;
	bool no_memory; /* sticky: answers since then may lack names or lines */
};

/* ---- opening ---- */

static int find_debug_file(struct tl_binary *binary, const struct tl_debug_places *places,
			   struct tl_error *err)
{
	struct tl_elf_section section;
	bool lines = tl_dwarf_present(&binary->file);
	bool symbols = tl_elf_section_of(&binary->file, SHT_SYMTAB, &section);

	binary->debug_root = strdup(places->root);
	if (!binary->debug_root)
		return tl_error_memory(err);
	binary->places = (struct tl_debug_places){ binary->debug_root, places->debuginfod };
	if (!(lines && symbols) &&
	    tl_debug_file_open(&binary->debug, &binary->debug_path, &binary->file, binary->path,
			       &binary->places) < 0)
		return tl_error_memory(err);
	if (lines)
		binary->lines_file = &binary->file;
	else if (binary->debug.data && tl_dwarf_present(&binary->debug))
		binary->lines_file = &binary->debug;
	return 0;
}

static int read_symbols(struct tl_binary *binary, struct tl_error *err)
{
	const struct tl_elf *debug = binary->debug.data ? &binary->debug : NULL;
	struct tl_symtab *table = &binary->symtab;
	bool read = tl_symtab_add(table, &binary->file, SHT_SYMTAB);

	if (read && !table->count && debug)
		read = tl_symtab_add(table, debug, SHT_SYMTAB);
	if (read && !table->count)
		read = tl_symtab_add(table, &binary->file, SHT_DYNSYM);
	if (!(read && tl_symtab_finish(table)))
		return tl_error_memory(err);
	return 0;
}

/* A jitdump file has functions with lines, and nothing else of a binary. */
static int open_jit(struct tl_binary *binary, struct tl_error *err)
{
	int status = tl_jit_code_read(&binary->jit, binary->path, &binary->symtab, err);

	if (status < 0)
		return status;
	binary->file.machine = (uint16_t)binary->jit.dump.machine;
	binary->file.is_64bit = true;
	binary->file.is_big_endian = binary->jit.dump.swapped != TL_HOST_BIG_ENDIAN;
	if (!tl_symtab_finish(&binary->symtab))
		return tl_error_memory(err);
	return 0;
}

/*
 * A kernel's System.map or kallsyms has names and nothing else. What follows the last one is
 * unknown: it has a page.
 */
enum { LAST_BYTES = 4096 };

static bool take_names(struct tl_symtab *table, const struct tl_name_list *names)
{
	for (size_t i = 0; i < names->count; i++) {
		const struct tl_named_range *range = &names->list[i];
		uint64_t end = range->end == UINT64_MAX ? range->start + LAST_BYTES : range->end;

		if (!tl_grow(&table->symbols, &table->capacity, table->count + 1,
			     sizeof(*table->symbols)))
			return false;
		table->symbols[table->count++] = (struct tl_elf_symbol){
			.start = range->start,
			.end = end < range->start ? UINT64_MAX : end,
			.size = end - range->start,
			.name = range->name,
			.shown = range->name,
		};
	}
	return tl_symtab_finish(table);
}

static int open_names(struct tl_binary *binary, struct tl_error *err)
{
	int status = tl_name_list_read_kallsyms(&binary->kernel, binary->path, err);

	if (status < 0)
		return status;
	if (binary->kernel.hidden)
		return tl_error_at(err, TL_BAD_FORMAT, TL_NOWHERE,
				   "all addresses are 0: the kernel hides them (kptr_restrict)");
	binary->only_names = true;
	binary->file.is_64bit = true;
	return tl_error_unless_made(take_names(&binary->symtab, &binary->kernel), err);
}

static int open_parts(struct tl_binary *binary, const char *path,
		      const struct tl_debug_places *places, struct tl_error *err)
{
	int status;

	binary->path = strdup(path);
	if (!binary->path)
		return tl_error_memory(err);
	status = tl_elf_open(&binary->file, path, err);
	if (status == TL_BAD_FORMAT && tl_jitdump_is(path))
		return open_jit(binary, err);
	if (status == TL_BAD_FORMAT && tl_name_list_is_kallsyms(path))
		return open_names(binary, err);
	if (status)
		return status;
	tl_build_id(&binary->file, binary->build_id);
	status = find_debug_file(binary, places, err);
	if (status)
		return status;
	return read_symbols(binary, err);
}

int tl_binary_open_with_places(struct tl_binary **binary, const char *path, uint64_t bias,
			       bool demangle, const struct tl_debug_places *places,
			       struct tl_error *err)
{
	struct tl_binary *opened = calloc(1, sizeof(*opened));
	int status;

	*binary = NULL;
	if (!opened)
		return tl_error_memory(err);
	opened->bias = bias;
	opened->demangle = demangle;
	status = tl_error_format(err, "elf", open_parts(opened, path, places, err));
	if (status)
		tl_binary_close(opened);
	else
		*binary = opened;
	return status;
}

uint64_t tl_binary_bias(const struct tl_binary *binary)
{
	return binary->bias;
}

int tl_binary_open(struct tl_binary **binary, const char *path, uint64_t bias, bool demangle,
		   struct tl_error *err)
{
	return tl_binary_open_asking(binary, path, bias, demangle, NULL, err);
}

int tl_binary_open_asking(struct tl_binary **binary, const char *path, uint64_t bias, bool demangle,
			  const struct tl_debuginfod *debuginfod, struct tl_error *err)
{
	const struct tl_debug_places places = { TL_DEBUG_ROOT, debuginfod };

	return tl_binary_open_with_places(binary, path, bias, demangle, &places, err);
}

void tl_binary_close(struct tl_binary *binary)
{
	if (!binary)
		return;
	tl_dwarf_close(&binary->dwarf);
	tl_symtab_free(&binary->symtab);
	tl_symtab_free(&binary->linkage);
	tl_relocations_free(&binary->relocations);
	tl_jit_code_free(&binary->jit);
	tl_name_list_free(&binary->kernel);
	tl_names_free(&binary->names);
	tl_elf_close(&binary->debug);
	tl_elf_close(&binary->file);
	free(binary->debug_path);
	free(binary->debug_root);
	free(binary->path);
	free(binary);
}

/* ---- facts ---- */

uint64_t tl_binary_linked_address(const struct tl_binary *binary, uint64_t offset)
{
	for (uint32_t i = 0; i < binary->file.segment_count; i++) {
		const struct tl_elf_segment s = tl_elf_segment_at(&binary->file, i);

		if (s.type == PT_LOAD && offset >= s.offset && offset - s.offset < s.file_size)
			return offset - s.offset + s.address;
	}
	return offset;
}

const char *tl_binary_path(const struct tl_binary *binary)
{
	return binary->path;
}

const char *tl_binary_build_id(const struct tl_binary *binary)
{
	return binary->build_id;
}

bool tl_binary_is_64bit(const struct tl_binary *binary)
{
	return binary->file.is_64bit;
}

bool tl_binary_is_big_endian(const struct tl_binary *binary)
{
	return binary->file.is_big_endian;
}

bool tl_binary_is_pie(const struct tl_binary *binary)
{
	return binary->file.type == ET_DYN;
}

bool tl_binary_is_relocatable(const struct tl_binary *binary)
{
	return binary->file.type == ET_REL;
}

bool tl_binary_has_lines(const struct tl_binary *binary)
{
	return binary->lines_file != NULL;
}

bool tl_binary_section(struct tl_binary *binary, const char *name, struct tl_section *section)
{
	struct tl_elf_section found;

	if (!tl_elf_section(&binary->file, name, &found))
		return false;
	section->address = found.address;
	section->data = tl_elf_bytes(&binary->file, &found, &section->size);
	if (found.type == SHT_NOBITS)
		section->size = (size_t)tl_min(found.size, SIZE_MAX);
	return true;
}

size_t tl_binary_symbol_count(const struct tl_binary *binary)
{
	return binary->symtab.count;
}

unsigned tl_binary_machine(const struct tl_binary *binary)
{
	return binary->file.machine;
}

const uint8_t *tl_binary_code(const struct tl_binary *binary, uint64_t address, size_t *size)
{
	uint64_t at = address - binary->bias;

	struct tl_elf_section section;

	for (uint32_t i = 1; tl_elf_section_at(&binary->file, i, &section); i++) {
		const uint8_t *bytes;

		if (!(section.flags & SHF_EXECINSTR) || at < section.address)
			continue;
		bytes = tl_elf_bytes(&binary->file, &section, size);
		if (!bytes || at - section.address >= *size)
			continue;
		*size -= (size_t)(at - section.address);
		return bytes + (at - section.address);
	}
	return NULL;
}

bool tl_binary_relocation(struct tl_binary *binary, uint64_t address, uint64_t *value)
{
	if (!binary->relocations_read) {
		if (!tl_relocations_read(&binary->relocations, &binary->file)) {
			tl_relocations_free(&binary->relocations);
			binary->no_memory = true;
		}
		binary->relocations_read = true;
	}
	return tl_relocations_find(&binary->relocations, address, value);
}

/* ---- lookup ---- */

/* Symbol versions ("name@@VERSION") are the linker's, not the name's. */
static const char *plain_name(struct tl_binary *binary, const char *name)
{
	uint32_t number = tl_names_add(&binary->names, name, strcspn(name, "@"));
	const char *text = number == TL_NONE ? NULL : binary->names.names[number].text;
	char *plain = text && binary->demangle ? tl_demangle(text) : NULL;

	if (plain)
		text = tl_names_text(&binary->names, plain);
	binary->no_memory |= !text || (binary->demangle && !plain);
	free(plain);
	return text;
}

/* The entry of a linkage table that holds an address, without the bias; NULL: none. */
static struct tl_elf_symbol *linkage_at(struct tl_binary *binary, uint64_t address)
{
	if (!binary->linkage_read &&
	    !tl_linkage_read(&binary->linkage, &binary->file, &binary->symtab)) {
		tl_symtab_free(&binary->linkage);
		binary->no_memory = true;
	}
	binary->linkage_read = true;
	return tl_symtab_find(&binary->linkage, address);
}

/* As objdump and perf call an entry: the name of the function that it jumps to, and "@plt". */
static const char *linkage_name(struct tl_binary *binary, const char *name)
{
	const char *plain = plain_name(binary, name), *text = NULL;
	char *made;

	if (plain && asprintf(&made, "%s@plt", plain) >= 0) {
		text = tl_names_text(&binary->names, made);
		free(made);
	}
	binary->no_memory |= !text;
	return text;
}

static void fill_from_table(struct tl_binary *binary, uint64_t address, struct tl_symbol *symbol)
{
	struct tl_elf_symbol *found = tl_symtab_find(&binary->symtab, address);
	const bool linkage = !found;

	if (linkage)
		found = linkage_at(binary, address);
	if (!found)
		return;
	if (!found->shown)
		found->shown = linkage ? linkage_name(binary, found->name)
				       : plain_name(binary, found->name);
	symbol->name = found->shown ? found->shown : found->name;
	symbol->start = found->start;
	symbol->size = found->size;
}

bool tl_binary_is_linkage(struct tl_binary *binary, uint64_t address)
{
	address -= binary->bias;
	return !tl_symtab_find(&binary->symtab, address) && linkage_at(binary, address);
}

bool tl_binary_holds(struct tl_binary *binary, uint64_t address)
{
	size_t size;

	if (binary->only_names)
		return tl_symtab_find(&binary->symtab, address - binary->bias);
	return tl_binary_code(binary, address, &size);
}

/* The DWARF, read when it is first asked for; NULL: there is none. */
static struct tl_dwarf *dwarf_of(struct tl_binary *binary)
{
	bool apart = binary->lines_file == &binary->debug;

	if (!binary->lines_file)
		return NULL;
	if (!binary->dwarf_open)
		tl_dwarf_open(&binary->dwarf, binary->lines_file,
			      apart ? binary->debug_path : binary->path, &binary->places);
	binary->dwarf_open = true;
	return &binary->dwarf;
}

struct tl_dwarf *tl_binary_dwarf(struct tl_binary *binary, uint64_t *address)
{
	*address -= binary->bias;
	return dwarf_of(binary);
}

static const char *name_of(struct tl_binary *binary, const struct tl_dwarf_found *found)
{
	const char *name;
	char *qualified = NULL;

	if (found->scope->shown)
		return found->scope->shown;
	if (binary->demangle)
		qualified = tl_dwarf_scope_qualified(found->dwarf, found->unit, found->scope);
	if (qualified) {
		found->scope->shown = tl_names_text(&binary->names, qualified);
		binary->no_memory |= !found->scope->shown;
		free(qualified);
		return found->scope->shown;
	}
	name = tl_dwarf_scope_name(found->dwarf, found->unit, found->scope);
	found->scope->shown = name ? plain_name(binary, name) : NULL;
	return found->scope->shown;
}

/*
 * A symbol without a size is only the nearest one before the address: a DWARF function that holds
 * the address is better.
 */
static void improve_name(struct tl_binary *binary, uint64_t address, struct tl_symbol *symbol)
{
	struct tl_dwarf_found found;
	struct tl_dwarf *dwarf;
	const char *name;

	if (symbol->name && symbol->size)
		return;
	dwarf = dwarf_of(binary);
	if (!dwarf)
		return;
	found = tl_dwarf_find(dwarf, address);
	while (found.scope && found.scope->parent != TL_NONE)
		tl_dwarf_outwards(&found);
	name = found.scope ? name_of(binary, &found) : NULL;
	if (!name)
		return;
	symbol->name = name;
	symbol->start = found.scope->start;
	symbol->size = found.scope->size;
}

static struct tl_dwarf_found innermost_at(struct tl_binary *binary, uint64_t address)
{
	struct tl_dwarf *dwarf = dwarf_of(binary);

	return dwarf ? tl_dwarf_find(dwarf, address - binary->bias)
		     : (struct tl_dwarf_found){ .scope = NULL };
}

size_t tl_binary_scopes_at(struct tl_binary *binary, uint64_t address, struct tl_code_scope *scopes,
			   size_t room)
{
	struct tl_dwarf_found found = innermost_at(binary, address);
	size_t count = 0;

	for (; found.scope; tl_dwarf_outwards(&found))
		if (count++ < room)
			scopes[count - 1] = (struct tl_code_scope){
				found.scope->origin ? found.scope->origin : found.scope->entry,
				found.dwarf,
				found.unit,
				found.scope,
				tl_dwarf_call_file(&found),
			};
	return count;
}

const char *tl_binary_scope_name(struct tl_binary *binary, const struct tl_code_scope *scope)
{
	const struct tl_dwarf_found found = { scope->dwarf, scope->unit, NULL, scope->scope };

	return tl_text_or_empty(name_of(binary, &found));
}

uint32_t tl_binary_scope_declared(const struct tl_code_scope *scope)
{
	return tl_dwarf_scope_lines(scope->dwarf, scope->unit, scope->scope).declared;
}

size_t tl_binary_inlined_at(struct tl_binary *binary, uint64_t address, struct tl_inlined *chain,
			    size_t room)
{
	struct tl_dwarf_found found = innermost_at(binary, address);
	size_t count = 0;

	for (; found.scope; tl_dwarf_outwards(&found)) {
		bool inlined = found.scope->parent != TL_NONE;

		if (count++ >= room)
			continue;
		chain[count - 1] = (struct tl_inlined){
			.name = tl_text_or_empty(name_of(binary, &found)),
			.call_file = tl_dwarf_call_file(&found),
			.call_line = inlined ? found.scope->call_line : 0,
			.call_column = inlined ? found.scope->call_column : 0,
		};
	}
	return count;
}

bool tl_binary_short_of_memory(const struct tl_binary *binary)
{
	return binary->no_memory || tl_dwarf_faults(&binary->dwarf)->no_memory;
}

uint64_t tl_binary_faults(const struct tl_binary *binary, struct tl_error *first, const char **path)
{
	const struct tl_dwarf_faults *faults = tl_dwarf_faults(&binary->dwarf);

	if (!faults->count)
		return 0;
	*first = faults->first;
	if (path)
		*path = faults->path;
	return faults->count;
}

bool tl_binary_name_at(struct tl_binary *binary, uint64_t address, struct tl_symbol *symbol)
{
	*symbol = (struct tl_symbol){ .file = "" };
	fill_from_table(binary, address - binary->bias, symbol);
	improve_name(binary, address - binary->bias, symbol);
	if (symbol->name)
		symbol->start += binary->bias;
	else
		symbol->name = "";
	return *symbol->name;
}

bool tl_binary_symbol_at(struct tl_binary *binary, uint64_t address, struct tl_symbol *symbol)
{
	struct tl_dwarf *dwarf = dwarf_of(binary);

	tl_binary_name_at(binary, address, symbol);
	if (dwarf)
		tl_dwarf_line(dwarf, address - binary->bias, symbol);
	tl_jit_code_line(&binary->jit, address - binary->bias, symbol);
	return *symbol->name || *symbol->file;
}

/* ---- with the sizes of the caller's structs (docs/abi.md) ---- */

bool tl_binary_symbol(struct tl_binary *binary, uint64_t address, struct tl_symbol *symbol,
		      size_t size)
{
	struct tl_symbol ours;
	bool known = tl_binary_symbol_at(binary, address, &ours);

	return tl_give(symbol, size, sizeof(ours), &ours, sizeof(ours)) == 0 && known;
}

size_t tl_binary_inlined(struct tl_binary *binary, uint64_t address, struct tl_inlined *chain,
			 size_t size, size_t room)
{
	size_t count = tl_binary_inlined_at(binary, address, NULL, 0);
	size_t put = tl_min(count, room);
	struct tl_inlined *ours = tl_zeroed(put, sizeof(*ours));

	if (!ours || size < sizeof(*ours)) {
		binary->no_memory |= !ours;
		free(ours);
		return 0;
	}
	tl_binary_inlined_at(binary, address, ours, put);
	for (size_t i = 0; i < put; i++)
		tl_give((char *)chain + i * size, size, sizeof(*ours), &ours[i], sizeof(*ours));
	free(ours);
	return count;
}
