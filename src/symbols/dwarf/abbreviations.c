/* SPDX-License-Identifier: Apache-2.0 */
/* .debug_abbrev: which attributes the entries have, and in which forms (DWARF 7.5.3). */
#include <stdlib.h>

#include <tracelathe/core.h>

#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/unit.h"
#include "core/arithmetic.h"

/* Attributes below this number are looked up in a table. */
enum { SLOT_TABLE = 0x80 };

static const uint8_t slots[SLOT_TABLE] = {
	[DW_AT_sibling] = TL_DWARF_SLOT_SIBLING + 1,
	[DW_AT_name] = TL_DWARF_SLOT_NAME + 1,
	[DW_AT_stmt_list] = TL_DWARF_SLOT_STMT_LIST + 1,
	[DW_AT_low_pc] = TL_DWARF_SLOT_LOW + 1,
	[DW_AT_high_pc] = TL_DWARF_SLOT_HIGH + 1,
	[DW_AT_comp_dir] = TL_DWARF_SLOT_COMP_DIR + 1,
	[DW_AT_abstract_origin] = TL_DWARF_SLOT_ORIGIN + 1,
	[DW_AT_decl_line] = TL_DWARF_SLOT_DECL_LINE + 1,
	[DW_AT_specification] = TL_DWARF_SLOT_SPECIFICATION + 1,
	[DW_AT_ranges] = TL_DWARF_SLOT_RANGES + 1,
	[DW_AT_call_column] = TL_DWARF_SLOT_CALL_COLUMN + 1,
	[DW_AT_call_file] = TL_DWARF_SLOT_CALL_FILE + 1,
	[DW_AT_call_line] = TL_DWARF_SLOT_CALL_LINE + 1,
	[DW_AT_linkage_name] = TL_DWARF_SLOT_LINKAGE_NAME + 1,
	[DW_AT_str_offsets_base] = TL_DWARF_SLOT_STR_OFFSETS_BASE + 1,
	[DW_AT_addr_base] = TL_DWARF_SLOT_ADDR_BASE + 1,
	[DW_AT_rnglists_base] = TL_DWARF_SLOT_RNGLISTS_BASE + 1,
	[DW_AT_dwo_name] = TL_DWARF_SLOT_DWO_NAME + 1,
};

static uint8_t slot_of(uint64_t name)
{
	if (name < SLOT_TABLE)
		return slots[name] ? slots[name] - 1 : TL_DWARF_SLOTS;
	switch (name) {
	case DW_AT_MIPS_linkage_name:
		return TL_DWARF_SLOT_LINKAGE_NAME;
	case DW_AT_GNU_dwo_name:
		return TL_DWARF_SLOT_DWO_NAME;
	case DW_AT_GNU_dwo_id:
		return TL_DWARF_SLOT_DWO_ID;
	case DW_AT_GNU_ranges_base:
		return TL_DWARF_SLOT_GNU_RANGES_BASE;
	case DW_AT_GNU_addr_base:
		return TL_DWARF_SLOT_ADDR_BASE;
	case DW_AT_GNU_discriminator:
		return TL_DWARF_SLOT_DISCRIMINATOR;
	default:
		return TL_DWARF_SLOTS;
	}
}

static bool add_attribute(struct tl_dwarf_abbreviations *table, uint64_t name, uint64_t form,
			  uint64_t constant)
{
	if (!tl_grow(&table->attributes, &table->attribute_capacity, table->attribute_count + 1,
		     sizeof(*table->attributes)))
		return false;
	table->attributes[table->attribute_count++] = (struct tl_dwarf_attribute){
		.form = form > UINT16_MAX ? UINT16_MAX : (uint16_t)form,
		.slot = slot_of(name),
		.constant = (uint32_t)constant,
	};
	return true;
}

/* The sizes of fixed-size forms are added up, so that most entries are skipped in one step. */
static void add_size(const struct tl_dwarf_unit *unit, struct tl_dwarf_abbreviation *abbreviation,
		     uint16_t form)
{
	int size = tl_dwarf_form_size(unit, form);

	if (size < 0 || abbreviation->size < 0 || abbreviation->size > INT32_MAX - size)
		abbreviation->size = -1;
	else
		abbreviation->size += size;
}

/* What is known of an entry by its abbreviation; the size is that of the attributes before. */
static void note_attribute(struct tl_dwarf_abbreviation *abbreviation,
			   const struct tl_dwarf_attribute *attribute)
{
	abbreviation->has_code |=
		attribute->slot == TL_DWARF_SLOT_HIGH || attribute->slot == TL_DWARF_SLOT_RANGES;
	if (attribute->slot == TL_DWARF_SLOT_SIBLING)
		abbreviation->sibling_at =
			attribute->form == DW_FORM_ref4 ? abbreviation->size : -1;
}

/* The attributes of one abbreviation; kept in the table if asked for. False without memory. */
static bool read_attributes(const struct tl_dwarf_unit *unit, struct tl_dwarf_bytes *bytes,
			    bool keep, struct tl_dwarf_abbreviations *table,
			    struct tl_dwarf_abbreviation *abbreviation)
{
	for (;;) {
		uint64_t name = tl_dwarf_take_uleb(bytes), form = tl_dwarf_take_uleb(bytes);
		uint64_t constant = tl_cursor_offset(&bytes->cur);

		if (form == DW_FORM_implicit_const)
			tl_dwarf_take_sleb(bytes);
		if (bytes->bad || (!name && !form))
			return true;
		if (!keep)
			continue;
		if (!add_attribute(table, name, form, constant))
			return false;
		note_attribute(abbreviation, &table->attributes[table->attribute_count - 1]);
		add_size(unit, abbreviation, table->attributes[table->attribute_count - 1].form);
	}
}

static int by_code(const void *left, const void *right)
{
	const struct tl_dwarf_abbreviation *a = left, *b = right;

	if (a->code != b->code)
		return tl_compare(a->code, b->code);
	return tl_compare(a->first, b->first);
}

static void settle(struct tl_dwarf_abbreviations *table)
{
	table->dense = true;
	for (size_t i = 0; i < table->count && table->dense; i++)
		table->dense = table->list[i].code == i + 1;
	if (!table->dense)
		qsort(table->list, table->count, sizeof(*table->list), by_code);
	tl_shrink(&table->list, &table->capacity, table->count, sizeof(*table->list));
	tl_shrink(&table->attributes, &table->attribute_capacity, table->attribute_count,
		  sizeof(*table->attributes));
}

/*
 * Read a table, or only the abbreviation with code `only` (0: all). Those before damage are kept.
 */
static bool parse(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit, uint64_t only,
		  struct tl_dwarf_abbreviations *table)
{
	struct tl_dwarf_bytes bytes =
		tl_dwarf_bytes(&dwarf->sections, TL_DWARF_ABBREV, unit->abbreviations);
	uint64_t code;

	table->count = table->attribute_count = 0;
	while ((code = tl_dwarf_take_uleb(&bytes))) {
		struct tl_dwarf_abbreviation next = { .code = code,
						      .tag = (uint16_t)tl_dwarf_take_uleb(&bytes),
						      .sibling_at = -1 };
		bool keep = !only || code == only;

		next.has_children = tl_dwarf_take_word(&bytes, 1);
		next.first = (uint32_t)table->attribute_count;
		if (!read_attributes(unit, &bytes, keep, table, &next))
			return tl_dwarf_no_memory(&dwarf->sections);
		next.count = (uint32_t)table->attribute_count - next.first;
		if (bytes.bad || !keep)
			continue;
		if (!tl_grow(&table->list, &table->capacity, table->count + 1,
			     sizeof(*table->list)))
			return tl_dwarf_no_memory(&dwarf->sections);
		table->list[table->count++] = next;
		if (only)
			break;
	}
	uint64_t read = tl_cursor_offset(&bytes.cur) - unit->abbreviations;

	dwarf->budget.abbreviations -= tl_min(read, dwarf->budget.abbreviations);
	if (bytes.bad)
		tl_dwarf_fault(&dwarf->sections, TL_TRUNCATED, tl_cursor_offset(&bytes.cur),
			       ".debug_abbrev: a table of abbreviations is cut short; names and "
			       "lines may be missing");
	return true;
}

/* False: the table has no bytes, or the budget for abbreviations is used up. */
static bool allowed(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit)
{
	size_t size = dwarf->sections.parts[TL_DWARF_ABBREV].size;

	if (unit->abbreviations >= size || size > UINT32_MAX)
		return tl_dwarf_fault(
			&dwarf->sections, TL_BAD_SIZE, unit->offset,
			".debug_info: the abbreviations of a unit are not in .debug_abbrev; "
			"its names and lines may be missing");
	if (!dwarf->budget.abbreviations)
		return tl_dwarf_fault(&dwarf->sections, TL_TOO_LARGE, unit->offset,
				      ".debug_info: units share abbreviations too often; names and "
				      "lines may be missing");
	return true;
}

/* ---- tables that are kept ---- */

/*
 * Tables are asked for again and again where addresses are in no order, and reading one takes
 * longer than all else. One is some ten kilobytes, and programs have thousands.
 */
enum { MOST_BYTES = 32 << 20 };

void tl_dwarf_tables_free(struct tl_dwarf_tables *tables)
{
	for (size_t i = 0; i < tables->count; i++)
		tl_dwarf_abbreviations_free(&tables->list[i]);
	free(tables->list);
	tl_index_free(&tables->by_offset);
	*tables = (struct tl_dwarf_tables){ .list = NULL };
}

static bool same_table(const void *context, const void *key, uint32_t number)
{
	const struct tl_dwarf_abbreviations *list = context, *table = &list[number];
	const struct tl_dwarf_unit *unit = key;

	return table->offset == unit->abbreviations && table->version == unit->version &&
	       table->address_size == unit->address_size && table->offset_size == unit->offset_size;
}

static size_t bytes_of(const struct tl_dwarf_abbreviations *table)
{
	return table->capacity * sizeof(*table->list) +
	       table->attribute_capacity * sizeof(*table->attributes);
}

static struct tl_dwarf_abbreviations *add_table(struct tl_dwarf *dwarf,
						const struct tl_dwarf_unit *unit, uint64_t hash)
{
	struct tl_dwarf_tables *t = &dwarf->tables;
	struct tl_dwarf_abbreviations made = { .offset = unit->abbreviations,
					       .version = unit->version,
					       .address_size = unit->address_size,
					       .offset_size = unit->offset_size };

	if (t->bytes > MOST_BYTES)
		tl_dwarf_tables_free(t);
	if (!allowed(dwarf, unit))
		return NULL;
	if (parse(dwarf, unit, 0, &made) &&
	    tl_grow(&t->list, &t->capacity, t->count + 1, sizeof(*t->list)) &&
	    tl_index_add(&t->by_offset, hash, (uint32_t)t->count)) {
		settle(&made);
		t->bytes += bytes_of(&made);
		t->list[t->count] = made;
		return &t->list[t->count++];
	}
	tl_dwarf_abbreviations_free(&made);
	tl_dwarf_no_memory(&dwarf->sections);
	return NULL;
}

const struct tl_dwarf_abbreviations *tl_dwarf_abbreviations(struct tl_dwarf *dwarf,
							    const struct tl_dwarf_unit *unit)
{
	const uint64_t hash = tl_hash_pair(unit->abbreviations, unit->version);
	const uint32_t known =
		tl_index_find(&dwarf->tables.by_offset, hash, same_table, dwarf->tables.list, unit);

	return known == TL_NONE ? add_table(dwarf, unit, hash) : &dwarf->tables.list[known];
}

bool tl_dwarf_abbreviation_alone(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit,
				 uint64_t code, struct tl_dwarf_abbreviations *table)
{
	table->dense = false;
	return allowed(dwarf, unit) && parse(dwarf, unit, code, table) && table->count;
}

const struct tl_dwarf_abbreviation *
tl_dwarf_abbreviation(const struct tl_dwarf_abbreviations *table, uint64_t code)
{
	size_t low = 0, high = table->count;

	if (table->dense)
		return code && code <= table->count ? &table->list[code - 1] : NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->list[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low < table->count && table->list[low].code == code ? &table->list[low] : NULL;
}

void tl_dwarf_abbreviations_free(struct tl_dwarf_abbreviations *table)
{
	free(table->list);
	free(table->attributes);
	*table = (struct tl_dwarf_abbreviations){ .list = NULL };
}
