/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/dwarf/sections.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"

static const char *const names[TL_DWARF_SECTIONS] = {
	[TL_DWARF_ABBREV] = "abbrev",
	[TL_DWARF_ADDR] = "addr",
	[TL_DWARF_INFO] = "info",
	[TL_DWARF_LINE] = "line",
	[TL_DWARF_LINE_STR] = "line_str",
	[TL_DWARF_RANGES] = "ranges",
	[TL_DWARF_RNGLISTS] = "rnglists",
	[TL_DWARF_STR] = "str",
	[TL_DWARF_STR_OFFSETS] = "str_offsets",
};

bool tl_dwarf_fault(struct tl_dwarf_sections *sections, enum tl_status status, uint64_t offset,
		    const char *text)
{
	struct tl_dwarf_faults *faults = sections->faults;

	/* A section that was not expanded for lack of memory looks cut, and is not damaged. */
	if (faults->no_memory)
		return false;
	if (!faults->count++) {
		tl_error_format(&faults->first, "dwarf",
				tl_error_at(&faults->first, status, offset, text));
		faults->path = sections->path;
	}
	return false;
}

bool tl_dwarf_no_memory(struct tl_dwarf_sections *sections)
{
	sections->faults->no_memory = true;
	return false;
}

/*
 * Which section has this name; TL_DWARF_SECTIONS: none of them. `old`: compressed the way of GNU
 * tools before the gABI had one (".zdebug_...").
 */
static enum tl_dwarf_section part_of(const char *name, bool split, bool *old)
{
	size_t length;

	*old = !strncmp(name, ".zdebug_", 8);
	if (!*old && strncmp(name, ".debug_", 7) != 0)
		return TL_DWARF_SECTIONS;
	name += *old ? 8 : 7;
	length = strlen(name);
	if (split) {
		if (length < 4 || strcmp(name + length - 4, ".dwo") != 0)
			return TL_DWARF_SECTIONS;
		length -= 4;
	}
	for (enum tl_dwarf_section part = 0; part < TL_DWARF_SECTIONS; part++)
		if (strlen(names[part]) == length && !memcmp(names[part], name, length))
			return part;
	return TL_DWARF_SECTIONS;
}

static void load_one(struct tl_dwarf_sections *sections, const struct tl_elf *file,
		     const struct tl_elf_section *section, enum tl_dwarf_section part, bool old)
{
	const char *text;
	size_t size;
	const uint8_t *bytes = tl_elf_bytes(file, section, &size);
	int status;

	if (!bytes) {
		if (section->type != SHT_NOBITS && section->size)
			tl_dwarf_fault(sections, TL_TRUNCATED, 0,
				       "a debug section reaches past the end of the file");
		return;
	}
	sections->parts[part].data = bytes;
	sections->parts[part].size = size;
	if (!old && !(section->flags & SHF_COMPRESSED))
		return;
	status = tl_dwarf_inflate(file, bytes, size, old, &sections->parts[part].owned,
				  &sections->parts[part].size, &text);
	sections->parts[part].data = status ? NULL : sections->parts[part].owned;
	if (!status)
		return;
	sections->parts[part].owned = NULL;
	sections->parts[part].size = 0;
	if (status == TL_NO_MEMORY)
		tl_dwarf_no_memory(sections);
	else
		tl_dwarf_fault(sections, (enum tl_status)status, 0, text);
}

void tl_dwarf_sections_load(struct tl_dwarf_sections *sections, const struct tl_elf *file,
			    bool split)
{
	struct tl_elf_section section;

	sections->swap = file->swap;
	for (uint32_t i = 1; tl_elf_section_at(file, i, &section); i++) {
		const char *name = tl_elf_text(file, file->section_names, section.name);
		bool old = false;
		enum tl_dwarf_section part = name ? part_of(name, split, &old) : TL_DWARF_SECTIONS;

		if (part != TL_DWARF_SECTIONS && !sections->parts[part].data)
			load_one(sections, file, &section, part, old);
	}
}

void tl_dwarf_sections_free(struct tl_dwarf_sections *sections)
{
	for (enum tl_dwarf_section part = 0; part < TL_DWARF_SECTIONS; part++)
		free(sections->parts[part].owned);
	*sections = (struct tl_dwarf_sections){ .swap = false };
}

struct tl_dwarf_bytes tl_dwarf_bytes(const struct tl_dwarf_sections *sections,
				     enum tl_dwarf_section part, uint64_t offset)
{
	static const uint8_t nothing;
	const uint8_t *data = sections->parts[part].data;
	struct tl_dwarf_bytes bytes = {
		.cur = tl_cursor_over(data ? data : &nothing, sections->parts[part].size),
		.swap = sections->swap,
	};

	tl_cursor_seek(&bytes.cur, offset);
	return bytes;
}

const char *tl_dwarf_string(const struct tl_dwarf_sections *sections, enum tl_dwarf_section part,
			    uint64_t offset)
{
	struct tl_dwarf_bytes bytes = tl_dwarf_bytes(sections, part, offset);

	return tl_dwarf_take_text(&bytes);
}
