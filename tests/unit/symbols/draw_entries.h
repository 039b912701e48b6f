/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_SYMBOLS_DRAW_ENTRIES_H
#define TESTS_UNIT_SYMBOLS_DRAW_ENTRIES_H
/*
 * Entries of .debug_info written with an abbreviation each, attribute by attribute, in forms that
 * are drawn (DWARF version 5, 7.5). Each unit has its own version, size of offsets and table of
 * abbreviations, whose codes are 1, 2, 3 and so on, or have gaps, or go down.
 */
#include "../unit.h"

#include "../chance.h"
#include "make_dwarf.h"

struct entries {
	struct parts parts;
	uint32_t seed;
	size_t unit;  /* offset of the unit that is written */
	size_t begun; /* for end_length() */
	unsigned code, codes;
};

enum { CODES_DENSE, CODES_WITH_GAPS, CODES_DOWN, CODE_ORDERS };

static inline void begin_entries(struct entries *e, struct shape shape, uint32_t seed)
{
	begin_parts(&e->parts, shape);
	e->seed = seed;
	/* Offset 0 of the texts is nobody's. */
	put_bytes(&e->parts.str, "no name", 8);
}

/* The header of a unit; versions before 3 have no offsets of 8 bytes. */
static inline void begin_drawn_unit(struct entries *e, unsigned version)
{
	struct parts *parts = &e->parts;
	const unsigned address = parts->shape.is_64bit ? 8 : 4;

	parts->shape.version = (uint8_t)version;
	parts->shape.wide = version > 2 && chance(&e->seed, 2);
	e->unit = parts->info.size;
	e->codes = chance(&e->seed, CODE_ORDERS);
	e->code = e->codes == CODES_DOWN ? 300 : 0;
	e->begun = begin_length(parts, &parts->info);
	put(&parts->info, version, 2);
	if (version >= 5) {
		put(&parts->info, DW_UT_compile, 1);
		put(&parts->info, address, 1);
	}
	put_offset(parts, &parts->info, parts->abbrev.size);
	if (version < 5)
		put(&parts->info, address, 1);
}

static inline void end_drawn_unit(struct entries *e)
{
	put(&e->parts.info, 0, 1);
	put(&e->parts.abbrev, 0, 1);
	end_length(&e->parts, &e->parts.info, e->begun);
}

/* The offset of the entry, whose attributes follow. */
static inline size_t begin_entry(struct entries *e, unsigned tag, bool children)
{
	const size_t at = e->parts.info.size;

	e->code += e->codes == CODES_DOWN        ? -1u
		   : e->codes == CODES_WITH_GAPS ? 1 + chance(&e->seed, 3)
						 : 1;
	put_uleb(&e->parts.abbrev, e->code);
	put_uleb(&e->parts.abbrev, tag);
	put(&e->parts.abbrev, children, 1);
	put_uleb(&e->parts.info, e->code);
	return at;
}

static inline void end_entry(struct entries *e)
{
	put(&e->parts.abbrev, 0, 2);
}

/* The name and form of an attribute, whose value follows; the form may stand before the value. */
static inline void put_attribute(struct entries *e, unsigned name, unsigned form)
{
	const bool indirect = form != DW_FORM_implicit_const && !chance(&e->seed, 8);

	put_uleb(&e->parts.abbrev, name);
	put_uleb(&e->parts.abbrev, indirect ? DW_FORM_indirect : form);
	if (indirect)
		put_uleb(&e->parts.info, form);
}

/* A constant that is less than 2^15, as of its size or larger ones. */
static inline void put_constant(struct entries *e, unsigned name, unsigned value)
{
	switch (chance(&e->seed, e->parts.shape.version >= 5 ? 6 : 5)) {
	case 0:
		put_attribute(e, name, DW_FORM_data4);
		put(&e->parts.info, value, 4);
		break;
	case 1:
		put_attribute(e, name, DW_FORM_udata);
		put_uleb(&e->parts.info, value);
		break;
	case 2:
		put_attribute(e, name, DW_FORM_sdata);
		put_sleb(&e->parts.info, value, chance(&e->seed, 2));
		break;
	case 3:
		put_attribute(e, name, value < 256 ? DW_FORM_data1 : DW_FORM_data2);
		put(&e->parts.info, value, value < 256 ? 1 : 2);
		break;
	case 4:
		put_attribute(e, name, DW_FORM_data2);
		put(&e->parts.info, value, 2);
		break;
	default:
		put_attribute(e, name, DW_FORM_implicit_const);
		put_sleb(&e->parts.abbrev, value, false);
		break;
	}
}

static inline void put_address(struct entries *e, unsigned name, uint64_t address)
{
	put_attribute(e, name, DW_FORM_addr);
	put_word(&e->parts.info, address);
}

static inline void put_string(struct entries *e, unsigned name, const char *text)
{
	if (chance(&e->seed, 2)) {
		put_attribute(e, name, DW_FORM_string);
		put_text(&e->parts.info, text);
		return;
	}
	put_attribute(e, name, DW_FORM_strp);
	put_offset(&e->parts, &e->parts.info, e->parts.str.size);
	put_text(&e->parts.str, text);
}

/* To an entry at an offset of the section, of this unit where it lies in it. */
static inline void put_link(struct entries *e, unsigned name, size_t entry)
{
	struct parts *parts = &e->parts;
	const size_t far = entry - e->unit;

	if (entry < e->unit || !chance(&e->seed, 4)) {
		put_attribute(e, name, DW_FORM_ref_addr);
		/* version 2: as an address */
		if (parts->shape.version == 2)
			put_word(&parts->info, entry);
		else
			put_offset(parts, &parts->info, entry);
	} else if (far < 256 && chance(&e->seed, 2)) {
		put_attribute(e, name, DW_FORM_ref1);
		put(&parts->info, far, 1);
	} else if (chance(&e->seed, 2)) {
		put_attribute(e, name, DW_FORM_ref2);
		put(&parts->info, far, 2);
	} else if (chance(&e->seed, 2)) {
		put_attribute(e, name, DW_FORM_ref8);
		put(&parts->info, far, 8);
	} else {
		put_attribute(e, name, DW_FORM_ref_udata);
		put_uleb(&parts->info, far);
	}
}

/* Attributes that tell nothing of names and addresses: they are passed over. */
static inline void put_others(struct entries *e)
{
	enum { DECL_FILE = 0x3a, EXTERNAL = 0x3f, TYPE = 0x49, FRAME_BASE = 0x40, VENDOR = 0x2fff };

	if (!chance(&e->seed, 3)) {
		put_attribute(e, DECL_FILE, DW_FORM_data1);
		put(&e->parts.info, 1, 1);
	}
	if (!chance(&e->seed, 3)) {
		put_attribute(e, TYPE, DW_FORM_ref4);
		put(&e->parts.info, 0x11, 4);
	}
	if (!chance(&e->seed, 4)) {
		put_attribute(e, FRAME_BASE, DW_FORM_block1);
		put(&e->parts.info, 1, 1);
		put(&e->parts.info, 0x9c, 1);
	}
	if (!chance(&e->seed, 4)) {
		put_attribute(e, VENDOR, DW_FORM_block2);
		put(&e->parts.info, 2, 2);
		put_fill(&e->parts.info, 2);
	}
	if (!chance(&e->seed, 3)) {
		put_attribute(e, EXTERNAL, DW_FORM_flag);
		put(&e->parts.info, 1, 1);
	}
}

#endif
