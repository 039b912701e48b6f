/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/elf/relocations.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/cursor.h"
#include "core/memory.h"
#include "symbols/elf/intervals.h"

#ifndef SHT_RELR
#define SHT_RELR 19
#endif

/* What <elf.h> of musl has not. */
#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif
#ifndef R_LARCH_RELATIVE
#define R_LARCH_64 2
#define R_LARCH_RELATIVE 3
#endif

/* The types that make an absolute address, from each machine's ELF supplement. */
static const struct machine {
	uint16_t machine;
	uint32_t relative, absolute;
} machines[] = {
	{ EM_X86_64, R_X86_64_RELATIVE, R_X86_64_64 },
	{ EM_386, R_386_RELATIVE, R_386_32 },
	{ EM_AARCH64, R_AARCH64_RELATIVE, R_AARCH64_ABS64 },
	{ EM_ARM, R_ARM_RELATIVE, R_ARM_ABS32 },
	{ EM_PPC64, R_PPC64_RELATIVE, R_PPC64_ADDR64 },
	{ EM_PPC, R_PPC_RELATIVE, R_PPC_ADDR32 },
	{ EM_S390, R_390_RELATIVE, R_390_64 },
	{ EM_RISCV, R_RISCV_RELATIVE, R_RISCV_64 },
	{ EM_LOONGARCH, R_LARCH_RELATIVE, R_LARCH_64 },
};

struct reading {
	struct tl_relocations *relocations;
	const struct tl_elf *file;
	const struct machine *machine;
	struct tl_intervals places; /* sections of the loaded file by address */
	/* bytes of tables still allowed: sections that overlap must not multiply a file */
	uint64_t budget;
};

static bool add(struct tl_relocations *relocations, uint64_t address, uint64_t value)
{
	if (!tl_grow(&relocations->items, &relocations->capacity, relocations->count + 1,
		     sizeof(*relocations->items)))
		return false;
	relocations->items[relocations->count++] = (struct tl_relocation){ address, value };
	return true;
}

/* A word of the file's class at a virtual address; false where the file has no bytes for it. */
static bool word_at(const struct reading *reading, uint64_t address, uint64_t *word)
{
	size_t bytes = tl_elf_word_size(reading->file), size;
	uint32_t number = tl_intervals_find(&reading->places, address);
	struct tl_elf_section section;
	const uint8_t *data;

	if (number == TL_NONE || !tl_elf_section_at(reading->file, number, &section))
		return false;
	data = tl_elf_bytes(reading->file, &section, &size);
	uint64_t at = address - section.address;

	if (!data || at > size || bytes > size - at)
		return false;
	*word = tl_elf_word(reading->file, data + at);
	return true;
}

static int by_start(const void *left, const void *right)
{
	const struct tl_interval *a = left, *b = right;

	if (a->start != b->start)
		return tl_compare(a->start, b->start);
	return tl_compare(a->number, b->number);
}

static bool index_places(struct reading *reading)
{
	struct tl_interval *items = NULL;
	struct tl_elf_section section;
	size_t count = 0, capacity = 0;
	bool built = true;

	for (uint32_t i = 1; built && tl_elf_section_at(reading->file, i, &section); i++) {
		if (!(section.flags & SHF_ALLOC) || section.type == SHT_NOBITS ||
		    section.size > UINT64_MAX - section.address)
			continue;
		built = tl_grow(&items, &capacity, count + 1, sizeof(*items));
		if (built)
			items[count++] = (struct tl_interval){ section.address,
							       section.address + section.size, i };
	}
	if (count)
		qsort(items, count, sizeof(*items), by_start);
	built = built && tl_intervals_build(&reading->places, items, count);
	free(items);
	return built;
}

/* A table of symbols; count 0: none. */
struct symbols {
	const uint8_t *data;
	size_t count;
};

static struct symbols symbols_of(const struct tl_elf *file, uint32_t number)
{
	struct symbols symbols = { NULL, 0 };
	struct tl_elf_section section;
	size_t size;

	if (!tl_elf_section_at(file, number, &section))
		return symbols;
	symbols.data = tl_elf_bytes(file, &section, &size);
	symbols.count = size / tl_elf_entry_size(file);
	return symbols;
}

static bool symbol_value(const struct reading *reading, const struct symbols *symbols,
			 uint64_t info, uint64_t *value)
{
	const struct tl_elf *file = reading->file;
	uint64_t type = file->is_64bit ? ELF64_R_TYPE(info) : ELF32_R_TYPE(info);
	uint64_t number = file->is_64bit ? ELF64_R_SYM(info) : ELF32_R_SYM(info);
	struct tl_elf_entry symbol;

	*value = 0;
	if (type == reading->machine->relative)
		return true;
	if (type != reading->machine->absolute || number >= symbols->count)
		return false;
	symbol = tl_elf_entry_at(file, symbols->data + number * tl_elf_entry_size(file));
	*value = symbol.value;
	return symbol.section != SHN_UNDEF;
}

/* One entry of a RELA or REL table; REL keeps its addend at the place itself. */
static bool add_entry(struct reading *reading, const uint8_t *entry, bool rela,
		      const struct symbols *symbols)
{
	const struct tl_elf *file = reading->file;
	size_t word = tl_elf_word_size(file);
	uint64_t address = tl_elf_word(file, entry), value, addend;

	if (rela)
		addend = tl_elf_word(file, entry + 2 * word);
	else if (!word_at(reading, address, &addend))
		return true;
	if (!symbol_value(reading, symbols, tl_elf_word(file, entry + word), &value))
		return true;
	value += addend;
	return add(reading->relocations, address, file->is_64bit ? value : (uint32_t)value);
}

static bool read_entries(struct reading *reading, const struct tl_elf_section *section)
{
	bool rela = section->type == SHT_RELA;
	size_t size, entry = tl_elf_word_size(reading->file) * (rela ? 3 : 2);
	const uint8_t *data = tl_elf_bytes(reading->file, section, &size);
	struct symbols symbols = symbols_of(reading->file, section->link);
	struct tl_cursor cur = tl_cursor_over(data, size);

	for (; reading->machine && tl_cursor_has(&cur, entry); cur.pos += entry)
		if (!add_entry(reading, cur.pos, rela, &symbols))
			return false;
	return true;
}

static bool add_place(struct reading *reading, uint64_t address)
{
	uint64_t value;

	return !word_at(reading, address, &value) || add(reading->relocations, address, value);
}

/*
 * RELR (gABI, "Relative Relocation Table"): an even word is an address that is relocated, an odd
 * one a bitmap of the words that follow.
 */
static bool read_packed(struct reading *reading, const struct tl_elf_section *section)
{
	size_t size, bytes = tl_elf_word_size(reading->file);
	const uint8_t *data = tl_elf_bytes(reading->file, section, &size);
	struct tl_cursor cur = tl_cursor_over(data, size);
	uint64_t address = 0;

	for (; tl_cursor_has(&cur, bytes); cur.pos += bytes) {
		uint64_t word = tl_elf_word(reading->file, cur.pos);

		if (!(word & 1)) {
			if (!add_place(reading, word))
				return false;
			address = word + bytes;
			continue;
		}
		for (uint64_t at = address; word >>= 1; at += bytes)
			if ((word & 1) && !add_place(reading, at))
				return false;
		address += (bytes * 8 - 1) * bytes;
	}
	return true;
}

static bool read_section(struct reading *reading, const struct tl_elf_section *section)
{
	bool packed = section->type == SHT_RELR;

	/* Relocations that a loader sees lie in its memory; the rest is the linker's. */
	if (!(section->flags & SHF_ALLOC) || section->size > reading->budget ||
	    !(packed || section->type == SHT_RELA || section->type == SHT_REL))
		return true;
	reading->budget -= section->size;
	return packed ? read_packed(reading, section) : read_entries(reading, section);
}

static bool read_sections(struct reading *reading)
{
	struct tl_elf_section section;

	for (uint32_t i = 1; tl_elf_section_at(reading->file, i, &section); i++)
		if (!read_section(reading, &section))
			return false;
	return true;
}

static int by_address(const void *left, const void *right)
{
	const struct tl_relocation *a = left, *b = right;

	if (a->address != b->address)
		return tl_compare(a->address, b->address);
	return tl_compare(a->value, b->value);
}

bool tl_relocations_read(struct tl_relocations *relocations, const struct tl_elf *file)
{
	struct reading reading = { .relocations = relocations, .file = file, .budget = file->size };
	bool read;

	if (file->type != ET_DYN && file->type != ET_EXEC)
		return true;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].machine == file->machine)
			reading.machine = &machines[i];
	read = index_places(&reading) && read_sections(&reading);
	tl_intervals_free(&reading.places);
	if (relocations->count)
		qsort(relocations->items, relocations->count, sizeof(*relocations->items),
		      by_address);
	return read;
}

bool tl_relocations_find(const struct tl_relocations *relocations, uint64_t address,
			 uint64_t *value)
{
	size_t low = 0, high = relocations->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (relocations->items[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == relocations->count || relocations->items[low].address != address)
		return false;
	*value = relocations->items[low].value;
	return true;
}

void tl_relocations_free(struct tl_relocations *relocations)
{
	free(relocations->items);
	*relocations = (struct tl_relocations){ 0 };
}
