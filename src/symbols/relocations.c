/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/relocations.h"

#include <stdlib.h>

#include "core/cursor.h"
#include "core/memory.h"
#include "symbols/intervals.h"

#ifndef SHT_RELR
#define SHT_RELR 19
#endif

/* The types that make an absolute address, from each machine's ELF supplement. */
static const struct machine {
	GElf_Half machine;
	GElf_Word relative, absolute;
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
	uint64_t budget; /* bytes of tables still allowed: sections that overlap must not multiply a file */
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
	size_t bytes = reading->file->is_64bit ? 8 : 4, size = 0;
	uint32_t number = tl_intervals_find(&reading->places, address);
	Elf_Scn *section = number == TL_NONE ? NULL : elf_getscn(reading->file->elf, number);
	const uint8_t *data = section ? tl_elf_bytes(section, &size) : NULL;
	GElf_Shdr header;

	if (!data || !gelf_getshdr(section, &header))
		return false;
	uint64_t at = address - header.sh_addr;

	if (at > size || bytes > size - at)
		return false;
	*word = bytes == 8 ? tl_get64s(data + at, reading->file->swap)
			   : tl_get32s(data + at, reading->file->swap);
	return true;
}

static int by_start(const void *left, const void *right)
{
	const struct tl_interval *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static bool index_places(struct reading *reading)
{
	struct tl_interval *items = NULL;
	size_t count = 0, capacity = 0;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	bool built = true;

	while (built && (section = elf_nextscn(reading->file->elf, section))) {
		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
		    header.sh_type == SHT_NOBITS || header.sh_size > UINT64_MAX - header.sh_addr)
			continue;
		built = tl_grow(&items, &capacity, count + 1, sizeof(*items));
		if (built)
			items[count++] =
				(struct tl_interval){ header.sh_addr, header.sh_addr + header.sh_size,
						      (uint32_t)elf_ndxscn(section) };
	}
	if (count)
		qsort(items, count, sizeof(*items), by_start);
	built = built && tl_intervals_build(&reading->places, items, count);
	free(items);
	return built;
}

static bool symbol_value(Elf_Data *symbols, const struct machine *machine, GElf_Xword info, uint64_t *value)
{
	GElf_Sym symbol;

	*value = 0;
	if (GELF_R_TYPE(info) == machine->relative)
		return true;
	if (GELF_R_TYPE(info) != machine->absolute || !symbols || GELF_R_SYM(info) > INT32_MAX ||
	    !gelf_getsym(symbols, (int)GELF_R_SYM(info), &symbol) || symbol.st_shndx == SHN_UNDEF)
		return false;
	*value = symbol.st_value;
	return true;
}

/* One entry of a RELA or REL table; REL keeps its addend at the place itself. */
static bool add_entry(struct reading *reading, Elf_Data *data, bool rela, int i, Elf_Data *symbols)
{
	uint64_t value, addend;
	GElf_Rela entry = { 0 };
	GElf_Rel short_entry;

	if (rela) {
		if (!gelf_getrela(data, i, &entry))
			return true;
		addend = (uint64_t)entry.r_addend;
	} else {
		if (!gelf_getrel(data, i, &short_entry) || !word_at(reading, short_entry.r_offset, &addend))
			return true;
		entry.r_offset = short_entry.r_offset;
		entry.r_info = short_entry.r_info;
	}
	if (!symbol_value(symbols, reading->machine, entry.r_info, &value))
		return true;
	value += addend;
	return add(reading->relocations, entry.r_offset, reading->file->is_64bit ? value : (uint32_t)value);
}

static bool read_entries(struct reading *reading, Elf_Scn *section, const GElf_Shdr *header)
{
	bool rela = header->sh_type == SHT_RELA;
	Elf_Scn *symbol_section = elf_getscn(reading->file->elf, header->sh_link);
	Elf_Data *symbols = symbol_section && header->sh_link ? elf_getdata(symbol_section, NULL) : NULL;
	Elf_Data *data = elf_getdata(section, NULL);
	size_t entry = gelf_fsize(reading->file->elf, rela ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);

	if (!data || !data->d_buf || !entry || !reading->machine)
		return true;
	size_t count = data->d_size / entry < INT32_MAX ? data->d_size / entry : INT32_MAX;

	for (size_t i = 0; i < count; i++)
		if (!add_entry(reading, data, rela, (int)i, symbols))
			return false;
	return true;
}

static bool add_place(struct reading *reading, uint64_t address)
{
	uint64_t value;

	return !word_at(reading, address, &value) || add(reading->relocations, address, value);
}

/*
 * RELR (gABI, "Relative Relocation Table"): an even word is an address that is relocated, an odd one a bitmap
 * of the words that follow.
 */
static bool read_packed(struct reading *reading, Elf_Scn *section)
{
	size_t size, bytes = reading->file->is_64bit ? 8 : 4;
	const uint8_t *data = tl_elf_bytes(section, &size);
	struct tl_cursor cur = tl_cursor_over(data, data ? size : 0);
	uint64_t address = 0;

	for (; tl_cursor_has(&cur, bytes); cur.pos += bytes) {
		uint64_t word = bytes == 8 ? tl_get64s(cur.pos, reading->file->swap)
					   : tl_get32s(cur.pos, reading->file->swap);

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

static bool read_section(struct reading *reading, Elf_Scn *section)
{
	GElf_Shdr header;

	/* Relocations that a loader sees lie in its memory; the rest is the linker's. */
	if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
	    header.sh_size > reading->budget)
		return true;
	reading->budget -= header.sh_size;
	if (header.sh_type == SHT_RELR)
		return read_packed(reading, section);
	if (header.sh_type == SHT_RELA || header.sh_type == SHT_REL)
		return read_entries(reading, section, &header);
	reading->budget += header.sh_size;
	return true;
}

static bool read_sections(struct reading *reading)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(reading->file->elf, section)))
		if (!read_section(reading, section))
			return false;
	return true;
}

static int by_address(const void *left, const void *right)
{
	const struct tl_relocation *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->value > b->value) - (a->value < b->value);
}

bool tl_relocations_read(struct tl_relocations *relocations, const struct tl_elf *file)
{
	struct reading reading = { .relocations = relocations, .file = file };
	size_t size = 0;
	bool read;

	if (file->header.e_type != ET_DYN && file->header.e_type != ET_EXEC)
		return true;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].machine == file->header.e_machine)
			reading.machine = &machines[i];
	elf_rawfile(file->elf, &size);
	reading.budget = size;
	read = index_places(&reading) && read_sections(&reading);
	tl_intervals_free(&reading.places);
	if (relocations->count)
		qsort(relocations->items, relocations->count, sizeof(*relocations->items), by_address);
	return read;
}

bool tl_relocations_find(const struct tl_relocations *relocations, uint64_t address, uint64_t *value)
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
