/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_MAKE_DWARF_H
#define TESTS_MAKE_DWARF_H
/* Debug information made byte by byte, and read (DWARF version 5, section 7). */
#include "make_elf.h"
#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/elf/debug_file.h"

enum { TEXT_AT = 0x1000, TEXT_SIZE = 0x400 };

struct shape {
	bool is_64bit, big, wide; /* wide: 64-bit DWARF */
	uint8_t version;
};

/* clang-format off */
static const struct shape shapes[] = {
	{ true, false, false, 5 }, { true, true, true, 5 },   { false, false, false, 5 }, { false,
	  true, true, 4 },
	{ true, false, true, 4 },  { true, false, false, 3 }, { true, true, false, 2 },   { false,
	  false, false, 2 },
};
/* clang-format on */

struct parts {
	struct shape shape;
	struct made abbrev, info, line, str, line_str, ranges, rnglists, addr, str_offsets;
	struct made altlink, note; /* .gnu_debugaltlink; notes, of which one has the build id */
	uint64_t info_flags;       /* of .debug_info */
	const char *info_name;     /* another name for it, NULL: its own */
	struct made file;
	struct tl_elf elf;
	struct tl_debug_places places;
	struct tl_dwarf dwarf;
};

static inline void put_uleb(struct made *made, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put(made, 0x80 | (value & 0x7f), 1);
	put(made, value, 1);
}

/* A number with a sign, as SLEB128; one byte more than it needs every now and then. */
static inline void put_sleb(struct made *made, int64_t value, bool padded)
{
	for (unsigned i = 0; i < 9; i++) {
		const unsigned byte = (unsigned)value & 0x7f;

		value >>= 7;
		if ((value == 0 && !(byte & 0x40)) || (value == -1 && byte & 0x40)) {
			put(made, byte | (padded ? 0x80 : 0), 1);
			if (padded)
				put(made, value & 0x7f, 1);
			return;
		}
		put(made, byte | 0x80, 1);
	}
	put(made, value & 0x7f, 1);
}

static inline void put_text(struct made *made, const char *text)
{
	put_bytes(made, text, strlen(text) + 1);
}

static inline void put_offset(const struct parts *parts, struct made *made, uint64_t offset)
{
	put(made, offset, parts->shape.wide ? 8 : 4);
}

/* A length that end_length() fills in. */
static inline size_t begin_length(const struct parts *parts, struct made *made)
{
	if (parts->shape.wide)
		put(made, 0xffffffff, 4);
	put_offset(parts, made, 0);
	return made->size;
}

static inline void end_length(const struct parts *parts, struct made *made, size_t begun)
{
	size_t bytes = parts->shape.wide ? 8 : 4;

	put_at(made, begun - bytes, made->size - begun, (unsigned)bytes);
}

static inline void begin_parts(struct parts *parts, struct shape shape)
{
	struct made *all[] = {
		&parts->abbrev,      &parts->info,    &parts->line,     &parts->str,
		&parts->line_str,    &parts->ranges,  &parts->rnglists, &parts->addr,
		&parts->str_offsets, &parts->altlink, &parts->note,     &parts->file
	};

	memset(parts, 0, sizeof(*parts));
	parts->shape = shape;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		*all[i] = (struct made){ .is_64bit = shape.is_64bit, .big = shape.big };
}

/* An abbreviation: pairs of attribute and form, up to 0. */
static inline void put_abbreviation(struct parts *parts, unsigned code, unsigned tag, bool children,
				    const unsigned *pairs)
{
	put_uleb(&parts->abbrev, code);
	put_uleb(&parts->abbrev, tag);
	put(&parts->abbrev, children, 1);
	for (; *pairs; pairs += 2) {
		put_uleb(&parts->abbrev, pairs[0]);
		put_uleb(&parts->abbrev, pairs[1]);
		if (pairs[1] == DW_FORM_implicit_const)
			put(&parts->abbrev, 0x10, 1);
	}
	put(&parts->abbrev, 0, 2);
}

/* The header of a unit whose entries follow; end_length() ends it. */
static inline size_t begin_unit(struct parts *parts)
{
	size_t begun = begin_length(parts, &parts->info);

	put(&parts->info, parts->shape.version, 2);
	if (parts->shape.version >= 5) {
		put(&parts->info, DW_UT_compile, 1);
		put(&parts->info, parts->shape.is_64bit ? 8 : 4, 1);
	}
	put_offset(parts, &parts->info, 0);
	if (parts->shape.version < 5)
		put(&parts->info, parts->shape.is_64bit ? 8 : 4, 1);
	return begun;
}

/* The ELF file of the parts. */
static inline void make_file_of(struct parts *parts)
{
	static const uint8_t text[TEXT_SIZE];
	const struct {
		const char *name;
		const struct made *made;
		/* clang-format off */
	} all[] = {
		{ ".debug_abbrev", &parts->abbrev },	 { ".debug_info", &parts->info },
		{ ".debug_line", &parts->line },	 { ".debug_str", &parts->str },
		{ ".debug_line_str", &parts->line_str }, { ".debug_ranges", &parts->ranges },
		{ ".debug_rnglists", &parts->rnglists }, { ".debug_addr", &parts->addr },
		{ ".debug_str_offsets", &parts->str_offsets },
		{ ".gnu_debugaltlink", &parts->altlink }, { ".note.gnu.build-id", &parts->note },
	};
	/* clang-format on */
	enum { PARTS = sizeof(all) / sizeof(all[0]), INFO = 2 };
	struct made_section sections[PARTS + 1] = {
		{ ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT_AT, text, sizeof(text), 0,
		  0 },
	};

	for (size_t i = 0; i < PARTS; i++)
		sections[i + 1] =
			(struct made_section){ .name = all[i].name,
					       .type = i == PARTS - 1 ? SHT_NOTE : SHT_PROGBITS,
					       .data = all[i].made->bytes,
					       .size = all[i].made->size };
	sections[INFO].flags = parts->info_flags;
	if (parts->info_name)
		sections[INFO].name = parts->info_name;
	make_elf(&parts->file, ET_EXEC, EM_X86_64, sections, PARTS + 1);
}

/* Read them as those of the file at a path, NULL: nothing is looked for beside it. */
static inline void read_parts_at(struct parts *parts, const char *path,
				 struct tl_debug_places places)
{
	parts->places = places;
	make_file_of(parts);
	if (tl_elf_open_memory(&parts->elf, parts->file.bytes, parts->file.size, NULL))
		abort();
	tl_dwarf_open(&parts->dwarf, &parts->elf, path, &parts->places);
}

static inline void read_parts(struct parts *parts)
{
	read_parts_at(parts, NULL, (struct tl_debug_places){ NULL, NULL });
}

/* The chain at an address: "inner<outer"; "" when there is none. */
static inline const char *chain_at(struct parts *parts, uint64_t address)
{
	static char text[256];
	struct tl_dwarf_found found = tl_dwarf_find(&parts->dwarf, address);

	*text = '\0';
	for (; found.scope; tl_dwarf_outwards(&found)) {
		const char *name = tl_dwarf_scope_name(found.dwarf, found.unit, found.scope);

		if (*text)
			strcat(text, "<");
		strncat(text, name ? name : "?", 32);
	}
	return text;
}

#endif
