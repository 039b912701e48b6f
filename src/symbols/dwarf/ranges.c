/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses of an entry: a range, a list in .debug_ranges (versions 2 to 4) or .debug_rnglists
 * (version 5). */
#include <tracelathe/core.h>

#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/unit.h"

struct range_reader {
	struct tl_dwarf *dwarf;
	const struct tl_dwarf_unit *unit;
	struct tl_dwarf_bytes bytes;
	uint64_t base; /* of offset pairs */
	uint32_t number;
};

/*
 * Linkers move dropped functions to address 0, 1 or the highest one, where the file has no code.
 * Their ranges are left out, since they would hide the code of other functions.
 */
bool tl_dwarf_range_add(struct tl_dwarf *dwarf, uint64_t start, uint64_t end, uint32_t number)
{
	struct tl_dwarf_ranges *ranges = &dwarf->ranges;

	if (end <= start || tl_intervals_find(dwarf->code, start) == TL_NONE)
		return true;
	if (!dwarf->budget.ranges)
		return tl_dwarf_fault(
			&dwarf->sections, TL_TOO_LARGE, TL_NOWHERE,
			"entries share lists of ranges too often; names and lines may be missing");
	if (!tl_grow(&ranges->list, &ranges->capacity, ranges->count + 1, sizeof(*ranges->list)))
		return tl_dwarf_no_memory(&dwarf->sections);
	dwarf->budget.ranges--;
	ranges->list[ranges->count++] = (struct tl_interval){ start, end, number };
	return true;
}

static bool add(struct range_reader *reader, uint64_t start, uint64_t end)
{
	return tl_dwarf_range_add(reader->dwarf, start, end, reader->number);
}

/* ---- .debug_ranges (DWARF 4, 2.17.3 "Non-Contiguous Address Ranges") ---- */

static bool read_pairs(struct range_reader *reader)
{
	size_t size = reader->unit->address_size;
	uint64_t top = size == 8 ? UINT64_MAX : ((uint64_t)1 << size * 8) - 1;

	for (;;) {
		uint64_t start = tl_dwarf_take_word(&reader->bytes, size),
			 end = tl_dwarf_take_word(&reader->bytes, size);

		if (reader->bytes.bad)
			return tl_dwarf_fault(
				&reader->dwarf->sections, TL_TRUNCATED,
				tl_cursor_offset(&reader->bytes.cur),
				".debug_ranges: a list has no end; names and lines may be missing");
		if (!start && !end)
			return true;
		if (start == top)
			reader->base = end;
		else if (!add(reader, (reader->base + start) & top, (reader->base + end) & top))
			return false;
	}
}

/* ---- .debug_rnglists (DWARF 5, 2.17.3) ---- */

static uint64_t numbered(struct range_reader *reader)
{
	uint64_t address = 0;

	/*
	 * Address 0 stands for a bad index: the file has no code there, so that this range is left
	 * out.
	 */
	tl_dwarf_address_at(reader->dwarf, reader->unit, tl_dwarf_take_uleb(&reader->bytes),
			    &address);
	return address;
}

static uint64_t word(struct range_reader *reader)
{
	return tl_dwarf_take_word(&reader->bytes, reader->unit->address_size);
}

/* One entry; false behind the last. */
static bool read_entry(struct range_reader *reader, uint64_t *start, uint64_t *end)
{
	*start = *end = 0;
	switch (tl_dwarf_take_word(&reader->bytes, 1)) {
	case DW_RLE_base_addressx:
		reader->base = numbered(reader);
		return true;
	case DW_RLE_startx_endx:
		*start = numbered(reader);
		*end = numbered(reader);
		return true;
	case DW_RLE_startx_length:
		*start = numbered(reader);
		*end = *start + tl_dwarf_take_uleb(&reader->bytes);
		return true;
	case DW_RLE_offset_pair:
		*start = reader->base + tl_dwarf_take_uleb(&reader->bytes);
		*end = reader->base + tl_dwarf_take_uleb(&reader->bytes);
		return true;
	case DW_RLE_base_address:
		reader->base = word(reader);
		return true;
	case DW_RLE_start_end:
		*start = word(reader);
		*end = word(reader);
		return true;
	case DW_RLE_start_length:
		*start = word(reader);
		*end = *start + tl_dwarf_take_uleb(&reader->bytes);
		return true;
	case DW_RLE_end_of_list:
		return false;
	default:
		return tl_dwarf_fail(&reader->bytes);
	}
}

static bool read_entries(struct range_reader *reader)
{
	uint64_t start, end;

	while (read_entry(reader, &start, &end) && !reader->bytes.bad)
		if (!add(reader, start, end))
			return false;
	return !reader->bytes.bad ||
	       tl_dwarf_fault(&reader->dwarf->sections, TL_BAD_RECORD,
			      tl_cursor_offset(&reader->bytes.cur),
			      ".debug_rnglists: a list has no end or an unknown entry; names and "
			      "lines may be missing");
}

/* ---- the list or range of an entry ---- */

/* The offset of a list: given, or looked up by index in the table at the unit's base. */
static uint64_t list_offset(const struct range_reader *reader, const struct tl_dwarf_value *value)
{
	const struct tl_dwarf_unit *unit = reader->unit;
	struct tl_dwarf_bytes bytes;

	/* In a skeleton unit the base is meant for lists of the .dwo file. */
	if (unit->version < 5)
		return value->number + (unit->dwo_name ? 0 : unit->bases.ranges);
	if (value->form != DW_FORM_rnglistx)
		return value->number;
	bytes = tl_dwarf_bytes(&reader->dwarf->sections, TL_DWARF_RNGLISTS, unit->bases.rnglists);
	if (value->number > UINT64_MAX / 8)
		return TL_NOWHERE;
	tl_dwarf_skip(&bytes, value->number * unit->offset_size);
	uint64_t offset = tl_dwarf_take_word(&bytes, unit->offset_size);

	return bytes.bad ? TL_NOWHERE : unit->bases.rnglists + offset;
}

/* A damaged list keeps the ranges before the damage. False without memory or budget. */
static bool add_list(struct range_reader *reader, const struct tl_dwarf_value *value)
{
	enum tl_dwarf_section part =
		reader->unit->version < 5 ? TL_DWARF_RANGES : TL_DWARF_RNGLISTS;

	reader->bytes = tl_dwarf_bytes(&reader->dwarf->sections, part, list_offset(reader, value));
	return (part == TL_DWARF_RANGES ? read_pairs : read_entries)(reader) ||
	       (!reader->dwarf->sections.faults->no_memory && reader->dwarf->budget.ranges);
}

bool tl_dwarf_ranges_add(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit,
			 const struct tl_dwarf_entry *entry, uint32_t number)
{
	const struct tl_dwarf_value *high = &entry->values[TL_DWARF_SLOT_HIGH],
				    *list = &entry->values[TL_DWARF_SLOT_RANGES];
	struct range_reader reader = {
		.dwarf = dwarf, .unit = unit, .base = unit->low, .number = number
	};
	uint64_t start, end;

	if (list->form)
		return add_list(&reader, list);
	if (!high->form ||
	    !tl_dwarf_value_address(dwarf, unit, &entry->values[TL_DWARF_SLOT_LOW], &start))
		return true;
	/* "If the value is a constant it is the offset from the low_pc" (DWARF 4, 2.17.2). */
	if (!tl_dwarf_is_address(high))
		end = start + high->number;
	else if (!tl_dwarf_value_address(dwarf, unit, high, &end))
		return true;
	return tl_dwarf_range_add(dwarf, start, end, number);
}
