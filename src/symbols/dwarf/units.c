/* SPDX-License-Identifier: Apache-2.0 */
/* The units of .debug_info: their headers, what their root entries say, and which addresses are
 * theirs. */
#include <stdlib.h>

#include <tracelathe/core.h>

#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/line_table.h"
#include "symbols/dwarf/unit.h"

/* ---- headers ---- */

/* DWARF 7.4 "32-Bit and 64-Bit DWARF Formats". */
enum { WIDE = 0xffffffffu, RESERVED = 0xfffffff0u };

static bool known_address_size(uint8_t size)
{
	return size == 2 || size == 4 || size == 8;
}

/* What follows the version (DWARF 7.5.1 "Unit Headers"). */
static void read_kind(struct tl_dwarf_bytes *bytes, struct tl_dwarf_unit *unit)
{
	unit->type = DW_UT_compile;
	if (unit->version >= 5) {
		unit->type = (uint8_t)tl_dwarf_take_word(bytes, 1);
		unit->address_size = (uint8_t)tl_dwarf_take_word(bytes, 1);
	}
	unit->abbreviations = tl_dwarf_take_word(bytes, unit->offset_size);
	if (unit->version < 5)
		unit->address_size = (uint8_t)tl_dwarf_take_word(bytes, 1);
	if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile)
		unit->id = tl_dwarf_take_word(bytes, 8);
	else if (unit->type == DW_UT_type || unit->type == DW_UT_split_type)
		tl_dwarf_skip(bytes, 8 + (uint64_t)unit->offset_size);
}

static bool bad_unit(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit,
		     enum tl_status status, const char *text)
{
	return tl_dwarf_fault(&dwarf->sections, status, unit->offset, text);
}

/* Where a unit ends; false when that cannot be told, so that none can be found behind it. */
static bool read_length(struct tl_dwarf *dwarf, struct tl_dwarf_bytes *bytes,
			struct tl_dwarf_unit *unit)
{
	uint64_t length = tl_dwarf_take_word(bytes, 4);

	unit->offset_size = length == WIDE ? 8 : 4;
	if (length == WIDE)
		length = tl_dwarf_take_word(bytes, 8);
	else if (length >= RESERVED)
		return bad_unit(
			dwarf, unit, TL_BAD_RECORD,
			".debug_info: a unit of a reserved length; names and lines may be missing");
	if (bytes->bad || !tl_cursor_has(&bytes->cur, length)) {
		bad_unit(dwarf, unit, TL_TRUNCATED,
			 ".debug_info: a unit is cut short; names and lines may be missing");
		length = tl_cursor_left(&bytes->cur);
	}
	/* Less than a length is left: there is no unit, nor one behind it. */
	if (bytes->bad)
		return false;
	unit->end = tl_cursor_offset(&bytes->cur) + length;
	return true;
}

/* A header; *next is where the following one begins. False for a unit that cannot be read. */
static bool read_header(struct tl_dwarf *dwarf, uint64_t *next, struct tl_dwarf_unit *unit)
{
	struct tl_dwarf_bytes bytes = tl_dwarf_bytes(&dwarf->sections, TL_DWARF_INFO, *next);
	uint64_t version;

	*unit = (struct tl_dwarf_unit){ .offset = *next, .lines = TL_NOWHERE, .directory = "" };
	*next = TL_NOWHERE;
	if (!read_length(dwarf, &bytes, unit))
		return false;
	*next = unit->end;
	tl_cursor_limit(&bytes.cur, unit->end);
	version = tl_dwarf_take_word(&bytes, 2);
	unit->version = (uint8_t)version;
	if (version < 2 || version > 5)
		return bad_unit(dwarf, unit, TL_UNSUPPORTED,
				".debug_info: a unit of a version of DWARF that is not 2 to 5; "
				"names and lines may be missing");
	read_kind(&bytes, unit);
	unit->entries = tl_cursor_offset(&bytes.cur);
	if (bytes.bad)
		return bad_unit(dwarf, unit, TL_TRUNCATED,
				".debug_info: a unit is cut short; names and lines may be missing");
	return known_address_size(unit->address_size) ||
	       bad_unit(dwarf, unit, TL_UNSUPPORTED,
			".debug_info: addresses of a size that is not known here; names and lines "
			"may be missing");
}

void tl_dwarf_units_list(struct tl_dwarf *dwarf)
{
	size_t size = dwarf->sections.parts[TL_DWARF_INFO].size;
	struct tl_dwarf_unit unit;

	for (uint64_t next = 0; next < size;) {
		if (!read_header(dwarf, &next, &unit))
			continue;
		if (dwarf->unit_count >= TL_NONE - 1 ||
		    !tl_grow(&dwarf->units, &dwarf->unit_capacity, dwarf->unit_count + 1,
			     sizeof(*dwarf->units))) {
			tl_dwarf_no_memory(&dwarf->sections);
			return;
		}
		dwarf->units[dwarf->unit_count++] = unit;
	}
}

struct tl_dwarf_unit *tl_dwarf_unit_of(struct tl_dwarf *dwarf, uint64_t offset)
{
	size_t low = 0, high = dwarf->unit_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (dwarf->units[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low && offset < dwarf->units[low - 1].end ? &dwarf->units[low - 1] : NULL;
}

/* ---- root entries ---- */

static uint64_t number_or(const struct tl_dwarf_value *value, uint64_t other)
{
	return value->form ? value->number : other;
}

static void take_root(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit,
		      const struct tl_dwarf_entry *root)
{
	const struct tl_dwarf_value *values = root->values;
	/* Behind the header of a table: what units of a split file use, which do not say it. */
	uint64_t header = unit->version < 5 ? 0 : unit->offset_size == 8 ? 16 : 8;
	const char *text;

	if (unit->version < 5 && root->abbreviation->tag == DW_TAG_partial_unit)
		unit->type = DW_UT_partial;
	/* First the bases: names and addresses may be numbers in their tables. */
	unit->str_offsets_base = number_or(&values[TL_DWARF_SLOT_STR_OFFSETS_BASE], header);
	unit->addr_base = number_or(&values[TL_DWARF_SLOT_ADDR_BASE],
				    unit->addr_base ? unit->addr_base : header);
	unit->rnglists_base =
		number_or(&values[TL_DWARF_SLOT_RNGLISTS_BASE], unit->offset_size == 8 ? 20 : 12);
	unit->ranges_base = number_or(&values[TL_DWARF_SLOT_GNU_RANGES_BASE], unit->ranges_base);
	unit->lines = number_or(&values[TL_DWARF_SLOT_STMT_LIST], TL_NOWHERE);
	unit->id = number_or(&values[TL_DWARF_SLOT_DWO_ID], unit->id);
	tl_dwarf_value_address(dwarf, unit, &values[TL_DWARF_SLOT_LOW], &unit->low);
	text = tl_dwarf_value_text(dwarf, unit, &values[TL_DWARF_SLOT_COMP_DIR]);
	unit->directory = text ? text : "";
	unit->dwo_name = tl_dwarf_value_text(dwarf, unit, &values[TL_DWARF_SLOT_DWO_NAME]);
}

void tl_dwarf_root_read(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit,
			struct tl_dwarf_entry *root)
{
	struct tl_dwarf_bytes bytes =
		tl_dwarf_bytes(&dwarf->sections, TL_DWARF_INFO, unit->entries);
	struct tl_dwarf_abbreviations table = { .filled = false };
	uint64_t code;

	*root = (struct tl_dwarf_entry){ .abbreviation = NULL };
	unit->root_read = true;
	tl_cursor_limit(&bytes.cur, unit->end);
	code = tl_dwarf_take_uleb(&bytes);
	/* A unit without entries says nothing. */
	if (!code)
		return;
	if (tl_dwarf_abbreviation_alone(dwarf, unit, code, &table)) {
		tl_dwarf_entry_read(dwarf, unit, &bytes, &table, &table.list[0], root);
		take_root(dwarf, unit, root);
	} else if (!dwarf->sections.faults->no_memory) {
		bytes.bad = true;
	}
	if (bytes.bad)
		bad_unit(dwarf, unit, TL_BAD_RECORD,
			 ".debug_info: the first entry of a unit makes no sense; names and lines "
			 "may be missing");
	tl_dwarf_abbreviations_free(&table);
}

/* ---- by address ---- */

/* A unit that does not say its addresses: those of its line table's sequences. */
static bool add_sequences(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit, uint32_t number)
{
	const struct tl_dwarf_line_table *lines = tl_dwarf_lines(dwarf, unit);
	const struct tl_dwarf_row *row = lines ? lines->rows : NULL,
				  *end = row ? row + lines->count : NULL;

	while (row && row < end) {
		uint64_t start = row->address;

		while (row < end && row->file != TL_NONE)
			row++;
		if (row < end && !tl_dwarf_range_add(dwarf, start, row++->address, number))
			return false;
	}
	return true;
}

static bool add_unit(struct tl_dwarf *dwarf, uint32_t number)
{
	struct tl_dwarf_unit *unit = &dwarf->units[number];
	size_t before = dwarf->ranges.count;
	struct tl_dwarf_entry root;

	/* Types and what several units share have no code of their own. */
	if (unit->type != DW_UT_compile && unit->type != DW_UT_skeleton)
		return true;
	tl_dwarf_root_read(dwarf, unit, &root);
	if (!root.abbreviation || unit->type == DW_UT_partial)
		return true;
	if (!tl_dwarf_ranges_add(dwarf, unit, &root, number))
		return false;
	return dwarf->ranges.count > before || add_sequences(dwarf, unit, number);
}

static int by_start(const void *left, const void *right)
{
	const struct tl_interval *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	/* The wider first, so that the narrower is the innermost. */
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

void tl_dwarf_units_read(struct tl_dwarf *dwarf)
{
	tl_dwarf_units_list(dwarf);
	dwarf->ranges.count = 0;
	for (uint32_t i = 0; i < dwarf->unit_count && add_unit(dwarf, i);)
		i++;
	if (dwarf->ranges.count)
		qsort(dwarf->ranges.list, dwarf->ranges.count, sizeof(*dwarf->ranges.list),
		      by_start);
	if (!tl_intervals_build(&dwarf->by_address, dwarf->ranges.list, dwarf->ranges.count))
		tl_dwarf_no_memory(&dwarf->sections);
}

struct tl_dwarf_unit *tl_dwarf_unit_at(struct tl_dwarf *dwarf, uint64_t address)
{
	uint32_t number = tl_intervals_find(&dwarf->by_address, address);

	return number == TL_NONE ? NULL : &dwarf->units[number];
}
