/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELF-64: Elf64_Rela and Elf64_Sym are 24 bytes each (System V ABI, "Relocation", "Symbol Table").
 */
#include "symbols/imports.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/cursor.h"
#include "core/memory.h"

enum { ENTRY_BYTES = 24, UNDEFINED = 0, FIRST_RESERVED = 0xff00 };

struct tables {
	struct tl_section symbols, strings;
};

static const char *name_of(const struct tables *t, uint32_t offset)
{
	if (offset >= t->strings.size ||
	    !memchr(t->strings.data + offset, 0, t->strings.size - offset))
		return "";
	return (const char *)t->strings.data + offset;
}

static bool add_import(struct tl_imports *imports, const struct tables *t, const uint8_t *entry)
{
	uint64_t number = tl_get64s(entry + 8, TL_HOST_BIG_ENDIAN) >> 32;
	struct tl_import import = {
		.slot = tl_get64s(entry, TL_HOST_BIG_ENDIAN),
		.value = tl_get64s(entry + 16, TL_HOST_BIG_ENDIAN),
	};

	if (number) {
		const uint8_t *symbol = t->symbols.data + number * ENTRY_BYTES;

		if (number >= t->symbols.size / ENTRY_BYTES)
			return true;
		import.value += tl_get64s(symbol + 8, TL_HOST_BIG_ENDIAN);
		if (tl_get16s(symbol + 6, TL_HOST_BIG_ENDIAN) == UNDEFINED)
			import.name = name_of(t, tl_get32s(symbol, TL_HOST_BIG_ENDIAN));
	}
	if (!tl_grow(&imports->list, &imports->capacity, imports->count + 1, sizeof(import)))
		return false;
	imports->list[imports->count++] = import;
	return true;
}

static bool read_relocations(struct tl_imports *imports, const struct tables *t,
			     struct tl_binary *binary, const char *name)
{
	struct tl_section section;

	if (!tl_binary_section(binary, name, &section) || !section.data)
		return true;
	for (size_t at = 0; section.size - at >= ENTRY_BYTES; at += ENTRY_BYTES)
		if (!add_import(imports, t, section.data + at))
			return false;
	return true;
}

static bool read_exports(struct tl_imports *imports, const struct tables *t)
{
	for (size_t at = ENTRY_BYTES; at < t->symbols.size && t->symbols.size - at >= ENTRY_BYTES;
	     at += ENTRY_BYTES) {
		const uint8_t *symbol = t->symbols.data + at;
		uint16_t section = tl_get16s(symbol + 6, TL_HOST_BIG_ENDIAN);

		if (section == UNDEFINED || section >= FIRST_RESERVED)
			continue;
		if (!tl_grow(&imports->exported, &imports->exported_capacity,
			     imports->exported_count + 1, sizeof(*imports->exported)))
			return false;
		imports->exported[imports->exported_count++] =
			tl_get64s(symbol + 8, TL_HOST_BIG_ENDIAN);
	}
	return true;
}

static int by_slot(const void *left, const void *right)
{
	const struct tl_import *a = left, *b = right;

	return tl_compare(a->slot, b->slot);
}

bool tl_imports_read(struct tl_imports *imports, struct tl_binary *binary)
{
	struct tables t = { 0 };

	*imports = (struct tl_imports){ 0 };
	if (!tl_binary_is_64bit(binary) || tl_binary_is_big_endian(binary))
		return true;
	tl_binary_section(binary, ".dynsym", &t.symbols);
	tl_binary_section(binary, ".dynstr", &t.strings);
	t.symbols.size = t.symbols.data ? t.symbols.size : 0;
	t.strings.size = t.strings.data ? t.strings.size : 0;
	if (!read_relocations(imports, &t, binary, ".rela.dyn") ||
	    !read_relocations(imports, &t, binary, ".rela.plt") || !read_exports(imports, &t)) {
		tl_imports_free(imports);
		return false;
	}
	if (imports->count)
		qsort(imports->list, imports->count, sizeof(*imports->list), by_slot);
	return true;
}

void tl_imports_free(struct tl_imports *imports)
{
	free(imports->list);
	free(imports->exported);
	*imports = (struct tl_imports){ 0 };
}

const struct tl_import *tl_imports_find(const struct tl_imports *imports, uint64_t slot)
{
	size_t low = 0, high = imports->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (imports->list[middle].slot < slot)
			low = middle + 1;
		else
			high = middle;
	}
	return low < imports->count && imports->list[low].slot == slot ? &imports->list[low] : NULL;
}
