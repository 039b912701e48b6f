/* SPDX-License-Identifier: Apache-2.0 */
/* The units of .debug_info by their headers: where each is, and in which form it is written. */
#include <tracelathe/core.h>

#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/unit.h"

/* DWARF 7.4 "32-Bit and 64-Bit DWARF Formats". */
enum { WIDE = 0xffffffffu, RESERVED = 0xfffffff0u };

/*
 * How often the bytes of .debug_abbrev may be read: a table is read once for each unit that uses
 * it, and again when another table has taken its place.
 */
enum { ABBREVIATIONS_AGAIN = 256 };

/* ---- limits ---- */

void tl_dwarf_budgets(struct tl_dwarf *dwarf)
{
	const struct tl_dwarf_sections *sections = &dwarf->sections;

	dwarf->budget.abbreviations =
		(uint64_t)sections->parts[TL_DWARF_ABBREV].size * ABBREVIATIONS_AGAIN;
	dwarf->budget.lines = sections->parts[TL_DWARF_LINE].size;
	/*
	 * A range takes at least one byte. Many units that name one list must not multiply the
	 * work.
	 */
	dwarf->budget.ranges = (uint64_t)sections->parts[TL_DWARF_INFO].size +
			       sections->parts[TL_DWARF_RANGES].size +
			       sections->parts[TL_DWARF_RNGLISTS].size + dwarf->budget.lines;
}

/* ---- headers ---- */

static bool known_address_size(uint8_t size)
{
	return size == 2 || size == 4 || size == 8;
}

/* The fields behind the version (DWARF 7.5.1 "Unit Headers"). */
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

bool tl_dwarf_bad_unit(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit,
		       enum tl_status status, const char *text)
{
	return tl_dwarf_fault(&dwarf->sections, status, unit->offset, text);
}

/* Read the length of a unit. False: its end is unknown, so that no later unit can be found. */
static bool read_length(struct tl_dwarf *dwarf, struct tl_dwarf_bytes *bytes,
			struct tl_dwarf_unit *unit)
{
	uint64_t length = tl_dwarf_take_word(bytes, 4);

	unit->offset_size = length == WIDE ? 8 : 4;
	if (length == WIDE)
		length = tl_dwarf_take_word(bytes, 8);
	else if (length >= RESERVED)
		return tl_dwarf_bad_unit(
			dwarf, unit, TL_BAD_RECORD,
			".debug_info: a unit of a reserved length; names and lines may be missing");
	if (bytes->bad || !tl_cursor_has(&bytes->cur, length)) {
		tl_dwarf_bad_unit(
			dwarf, unit, TL_TRUNCATED,
			".debug_info: a unit is cut short; names and lines may be missing");
		length = tl_cursor_left(&bytes->cur);
	}
	/* Fewer bytes are left than a length has: this is no unit, and none follows. */
	if (bytes->bad)
		return false;
	unit->end = tl_cursor_offset(&bytes->cur) + length;
	return true;
}

/* Read a header; *next becomes the offset of the next one. False: the unit cannot be read. */
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
		return tl_dwarf_bad_unit(
			dwarf, unit, TL_UNSUPPORTED,
			".debug_info: a unit of a version of DWARF that is not 2 to 5; "
			"names and lines may be missing");
	read_kind(&bytes, unit);
	unit->entries = tl_cursor_offset(&bytes.cur);
	if (bytes.bad)
		return tl_dwarf_bad_unit(
			dwarf, unit, TL_TRUNCATED,
			".debug_info: a unit is cut short; names and lines may be missing");
	return known_address_size(unit->address_size) ||
	       tl_dwarf_bad_unit(dwarf, unit, TL_UNSUPPORTED,
				 ".debug_info: addresses of an unsupported size; names and lines "
				 "may be missing");
}

void tl_dwarf_units_list(struct tl_dwarf *dwarf)
{
	size_t size = dwarf->sections.parts[TL_DWARF_INFO].size;
	struct tl_dwarf_unit unit;

	for (uint64_t next = 0; next < size;) {
		if (!read_header(dwarf, &next, &unit))
			continue;
		if (dwarf->units.count >= TL_NONE - 1 ||
		    !tl_grow(&dwarf->units.list, &dwarf->units.capacity, dwarf->units.count + 1,
			     sizeof(*dwarf->units.list))) {
			tl_dwarf_no_memory(&dwarf->sections);
			return;
		}
		dwarf->units.list[dwarf->units.count++] = unit;
	}
}

struct tl_dwarf_unit *tl_dwarf_unit_of(struct tl_dwarf *dwarf, uint64_t offset)
{
	size_t low = 0, high = dwarf->units.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (dwarf->units.list[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low && offset < dwarf->units.list[low - 1].end ? &dwarf->units.list[low - 1] : NULL;
}
