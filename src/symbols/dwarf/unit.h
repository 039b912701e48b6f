/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_DWARF_UNIT_H
#define TL_SYMBOLS_DWARF_UNIT_H
/* One file's DWARF as its readers share it: units, abbreviations, and what was decoded so far. */
#include "core/memory.h"
#include "symbols/dwarf/sections.h"
#include "symbols/elf/intervals.h"

/* The attributes that are read here, under whichever of their names. */
enum tl_dwarf_slot {
	TL_DWARF_SLOT_SIBLING,
	TL_DWARF_SLOT_NAME,
	TL_DWARF_SLOT_LINKAGE_NAME,
	TL_DWARF_SLOT_LOW,
	TL_DWARF_SLOT_HIGH,
	TL_DWARF_SLOT_RANGES,
	TL_DWARF_SLOT_ORIGIN, /* DW_AT_abstract_origin */
	TL_DWARF_SLOT_SPECIFICATION,
	TL_DWARF_SLOT_CALL_FILE,
	TL_DWARF_SLOT_CALL_LINE,
	TL_DWARF_SLOT_CALL_COLUMN,
	TL_DWARF_SLOT_DECL_LINE,
	TL_DWARF_SLOT_DISCRIMINATOR, /* DW_AT_GNU_discriminator, of an inlined call */
	TL_DWARF_SLOT_STMT_LIST,
	TL_DWARF_SLOT_COMP_DIR,
	TL_DWARF_SLOT_STR_OFFSETS_BASE,
	TL_DWARF_SLOT_ADDR_BASE,
	TL_DWARF_SLOT_RNGLISTS_BASE,
	TL_DWARF_SLOT_GNU_RANGES_BASE,
	TL_DWARF_SLOT_DWO_NAME,
	TL_DWARF_SLOT_DWO_ID,
	TL_DWARF_SLOTS, /* their number; as a slot: the attribute is skipped */
};

struct tl_dwarf_attribute {
	uint16_t form;
	uint8_t slot;
	uint32_t constant; /* DW_FORM_implicit_const: offset of the value in .debug_abbrev */
};

struct tl_dwarf_abbreviation {
	uint64_t code;
	uint16_t tag;
	bool has_children;
	bool has_code;      /* attributes say which */
	int32_t size;       /* bytes of an entry behind its code, -1: they vary */
	int32_t sibling_at; /* where DW_FORM_ref4 says what follows the children; -1: elsewhere */
	uint32_t first, count; /* attributes */
};

/* A table of abbreviations, its sizes computed for one kind of unit. Zero-filled is empty. */
struct tl_dwarf_abbreviations {
	bool dense; /* codes are 1, 2, 3, ... */
	uint64_t offset;
	uint8_t version, address_size, offset_size;
	struct tl_dwarf_abbreviation *list; /* by code */
	struct tl_dwarf_attribute *attributes;
	size_t count, capacity, attribute_count, attribute_capacity;
};

/* Tables that were read, within a limit of memory. */
struct tl_dwarf_tables {
	struct tl_dwarf_abbreviations *list;
	size_t count, capacity;
	struct tl_index by_offset;
	size_t bytes;
};

/* A value as stored; its meaning may need the bases of its unit. */
struct tl_dwarf_value {
	uint16_t form;       /* 0: the entry does not have the attribute */
	uint64_t number;     /* of a block: its size in bytes */
	const uint8_t *data; /* of a text or block: its first byte */
};

/* The attributes of one entry. */
struct tl_dwarf_entry {
	const struct tl_dwarf_abbreviation *abbreviation;
	struct tl_dwarf_value values[TL_DWARF_SLOTS];
};

/* Offsets in their sections, behind which the tables of a unit stand. */
struct tl_dwarf_bases {
	uint64_t str_offsets, addr, rnglists, ranges;
};

/* A unit of .debug_info. Offsets are in the section. */
struct tl_dwarf_unit {
	uint64_t offset, end, entries, abbreviations;
	uint64_t id; /* dwo_id: the same in a skeleton unit and its other half */
	uint8_t version, type, address_size, offset_size;
	bool root_read, split_sought;
	/* Of the root entry. */
	uint64_t low, lines; /* lines: TL_NOWHERE: none */
	struct tl_dwarf_bases bases;
	const char *directory;      /* "": none */
	const char *dwo_name;       /* file of the other half; NULL: the unit is not split */
	struct tl_dwarf *split;     /* the file of the other half, NULL: none, or not found */
	struct tl_dwarf_unit *body; /* the other half */
	struct tl_dwarf_functions *functions; /* NULL: not read yet */
};

struct tl_dwarf_units {
	struct tl_dwarf_unit *list; /* by offset */
	size_t count, capacity;
	struct tl_intervals by_address;
};

struct tl_dwarf_ranges {
	struct tl_interval *list; /* numbers are the caller's */
	size_t count, capacity;
};

/* The line tables that were read so far. */
struct tl_dwarf_line_tables {
	struct tl_dwarf_line_table **list;
	size_t count, capacity;
	struct tl_index by_offset;
};

/* The rows of a line number program while it runs; the memory is that of all programs in turn. */
struct tl_dwarf_program_rows {
	struct tl_dwarf_row *list;
	size_t count, capacity;
};

/*
 * How many bytes and ranges may still be read: tables that overlap in a hostile file must not
 * multiply the work.
 */
struct tl_dwarf_budget {
	uint64_t abbreviations, lines, ranges;
};

struct tl_debug_places;
struct tl_dwarf_row;

/* Zero-filled is "no DWARF". */
struct tl_dwarf {
	struct tl_dwarf_sections sections;
	const struct tl_elf *file;
	const char *path; /* of the file; NULL: no further files are looked for */
	const struct tl_debug_places *places; /* of debug files */
	/* Addresses of executable sections: functions elsewhere were dropped by the linker. */
	const struct tl_intervals *code;
	struct tl_intervals own_code;
	struct tl_dwarf_faults own_faults;
	struct tl_dwarf_units units;
	struct tl_dwarf_tables tables;
	struct tl_dwarf_ranges ranges; /* of the unit that is being read */
	struct tl_dwarf_budget budget;
	struct tl_dwarf_line_tables line_tables;
	struct tl_dwarf_program_rows program_rows;
	struct tl_arena texts;       /* paths of source files */
	struct tl_elf owned;         /* the file, where it was opened for this struct alone */
	struct tl_dwarf *supplement; /* the file that dwz put shared entries into */
	bool supplement_sought;
};

/* ---- unit_headers.c ---- */

/* Set the budgets by the sizes of the sections, which must have been loaded. */
void tl_dwarf_budgets(struct tl_dwarf *dwarf);
/* List the units by their headers; root entries are read when they are needed. */
void tl_dwarf_units_list(struct tl_dwarf *dwarf);
/* The unit that holds an offset of .debug_info, NULL: none. */
struct tl_dwarf_unit *tl_dwarf_unit_of(struct tl_dwarf *dwarf, uint64_t offset);
/* Note a fault at a unit's header; false, for callers to return. */
bool tl_dwarf_bad_unit(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit,
		       enum tl_status status, const char *text);

/* ---- supplement.c ---- */

/*
 * Open the DWARF of a further file, for a main one that is `dwarf`; `split`: its sections are named
 * ".dwo". Takes the file and its path over, also when it fails. NULL without memory.
 */
struct tl_dwarf *tl_dwarf_open_further(struct tl_dwarf *dwarf, struct tl_elf *file, char *path,
				       bool split);
/*
 * The file that several files share parts in (.gnu_debugaltlink), NULL: none, or not found.
 */
struct tl_dwarf *tl_dwarf_supplement(struct tl_dwarf *dwarf);

/* ---- abbreviations.c ---- */

/* The abbreviation of a code, NULL: there is none, or no memory. It lives until another unit's is
 * asked for. */
const struct tl_dwarf_abbreviations *tl_dwarf_abbreviations(struct tl_dwarf *dwarf,
							    const struct tl_dwarf_unit *unit);
const struct tl_dwarf_abbreviation *
tl_dwarf_abbreviation(const struct tl_dwarf_abbreviations *table, uint64_t code);
/* Read the abbreviation of `code` alone into a table that is reused. False: there is none. */
bool tl_dwarf_abbreviation_alone(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit,
				 uint64_t code, struct tl_dwarf_abbreviations *table);
void tl_dwarf_abbreviations_free(struct tl_dwarf_abbreviations *table);
void tl_dwarf_tables_free(struct tl_dwarf_tables *tables);

static inline const struct tl_dwarf_attribute *
tl_dwarf_attributes(const struct tl_dwarf_abbreviations *table,
		    const struct tl_dwarf_abbreviation *abbreviation)
{
	return abbreviation->count ? table->attributes + abbreviation->first : NULL;
}

/* ---- forms.c ---- */

/* Bytes of a form in a unit; -1: not always the same; -2: a form that is not known. */
int tl_dwarf_form_size(const struct tl_dwarf_unit *unit, uint16_t form);
void tl_dwarf_form_skip(const struct tl_dwarf_unit *unit, struct tl_dwarf_bytes *bytes,
			uint16_t form);
/* An unknown form makes the bytes bad. */
struct tl_dwarf_value tl_dwarf_form_read(const struct tl_dwarf_unit *unit,
					 struct tl_dwarf_bytes *bytes, uint16_t form);
/* The attributes of the entry whose code was just read. */
void tl_dwarf_entry_read(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit,
			 struct tl_dwarf_bytes *bytes, const struct tl_dwarf_abbreviations *table,
			 const struct tl_dwarf_abbreviation *abbreviation,
			 struct tl_dwarf_entry *entry);
/* The meaning of a value: its text, NULL: none; or its address, false: none. */
const char *tl_dwarf_value_text(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit,
				const struct tl_dwarf_value *value);
bool tl_dwarf_value_address(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit,
			    const struct tl_dwarf_value *value, uint64_t *address);
bool tl_dwarf_is_address(const struct tl_dwarf_value *value);
/* The entry of the same .debug_info that a value refers to; 0: it refers to none there. */
uint64_t tl_dwarf_reference(const struct tl_dwarf_unit *unit, const struct tl_dwarf_value *value);
/* A number of the unit's table of addresses. */
bool tl_dwarf_address_at(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit, uint64_t index,
			 uint64_t *address);

/* ---- units.c ---- */

/* List the units with the addresses of their code. */
void tl_dwarf_units_read(struct tl_dwarf *dwarf);
/* Read the root entry of a unit. */
void tl_dwarf_root_read(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit,
			struct tl_dwarf_entry *root);
/* The unit with the code at an address, NULL: none. */
struct tl_dwarf_unit *tl_dwarf_unit_at(struct tl_dwarf *dwarf, uint64_t address);

/* ---- ranges.c ---- */

/* Append the code of an entry to dwarf->ranges; false without memory, or beyond the budget. */
bool tl_dwarf_ranges_add(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit,
			 const struct tl_dwarf_entry *entry, uint32_t number);
/* Append one range, unless it holds no code of the file. */
bool tl_dwarf_range_add(struct tl_dwarf *dwarf, uint64_t start, uint64_t end, uint32_t number);

/* ---- split_units.c ---- */

/*
 * The DWARF that has the functions of a unit, which becomes that of its other half, if it is split
 * in two.
 */
struct tl_dwarf *tl_dwarf_body(struct tl_dwarf *dwarf, struct tl_dwarf_unit **unit);

#endif
