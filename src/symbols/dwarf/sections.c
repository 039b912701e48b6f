/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/dwarf/sections.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"

static const char *const names[DWARF_PARTS] = {
	[DWARF_ABBREV] = "abbrev",
	[DWARF_ADDR] = "addr",
	[DWARF_INFO] = "info",
	[DWARF_LINE] = "line",
	[DWARF_LINE_STR] = "line_str",
	[DWARF_RANGES] = "ranges",
	[DWARF_RNGLISTS] = "rnglists",
	[DWARF_STR] = "str",
	[DWARF_STR_OFFSETS] = "str_offsets",
};

bool tl_dwarf_fault(struct dwarf_sections *sections, enum tl_status status, uint64_t offset,
		    const char *text)
{
	struct dwarf_faults *faults = sections->faults;

	/* What is not there for want of memory is not damaged. */
	if (faults->no_memory)
		return false;
	if (!faults->count++) {
		tl_error_format(&faults->first, "dwarf",
				tl_error_at(&faults->first, status, offset, text));
		faults->path = sections->path;
	}
	return false;
}

bool tl_dwarf_no_memory(struct dwarf_sections *sections)
{
	sections->faults->no_memory = true;
	return false;
}

/* Which section has this name; DWARF_PARTS: another one. `old`: of the GNU way to compress. */
static enum dwarf_part part_of(const char *name, bool split, bool *old)
{
	size_t length;

	*old = !strncmp(name, ".zdebug_", 8);
	if (!*old && strncmp(name, ".debug_", 7) != 0)
		return DWARF_PARTS;
	name += *old ? 8 : 7;
	length = strlen(name);
	if (split) {
		if (length < 4 || strcmp(name + length - 4, ".dwo") != 0)
			return DWARF_PARTS;
		length -= 4;
	}
	for (enum dwarf_part part = 0; part < DWARF_PARTS; part++)
		if (strlen(names[part]) == length && !memcmp(names[part], name, length))
			return part;
	return DWARF_PARTS;
}

static void load_one(struct dwarf_sections *sections, const struct tl_elf *file,
		     const struct tl_elf_section *section, enum dwarf_part part, bool old)
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

void tl_dwarf_sections_load(struct dwarf_sections *sections, const struct tl_elf *file, bool split)
{
	struct tl_elf_section section;

	sections->swap = file->swap;
	for (uint32_t i = 1; tl_elf_section_at(file, i, &section); i++) {
		const char *name = tl_elf_text(file, file->section_names, section.name);
		bool old = false;
		enum dwarf_part part = name ? part_of(name, split, &old) : DWARF_PARTS;

		if (part != DWARF_PARTS && !sections->parts[part].data)
			load_one(sections, file, &section, part, old);
	}
}

void tl_dwarf_sections_free(struct dwarf_sections *sections)
{
	for (enum dwarf_part part = 0; part < DWARF_PARTS; part++)
		free(sections->parts[part].owned);
	*sections = (struct dwarf_sections){ .swap = false };
}

struct dwarf_bytes tl_dwarf_bytes(const struct dwarf_sections *sections, enum dwarf_part part,
				  uint64_t offset)
{
	static const uint8_t nothing;
	const uint8_t *data = sections->parts[part].data;
	struct dwarf_bytes bytes = {
		.cur = tl_cursor_over(data ? data : &nothing, sections->parts[part].size),
		.swap = sections->swap,
	};

	tl_cursor_seek(&bytes.cur, offset);
	return bytes;
}

const char *tl_dwarf_string(const struct dwarf_sections *sections, enum dwarf_part part,
			    uint64_t offset)
{
	struct dwarf_bytes bytes = tl_dwarf_bytes(sections, part, offset);

	return dwarf_text(&bytes);
}
