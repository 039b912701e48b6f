/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The units of .debug_info: the attributes of their root entries, and which addresses are theirs.
 */
#include <stdlib.h>

#include <tracelathe/core.h>

#include "core/arithmetic.h"
#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/line_table.h"
#include "symbols/dwarf/unit.h"

/* ---- root entries ---- */

static uint64_t number_or(const struct tl_dwarf_value *value, uint64_t other)
{
	return value->form ? value->number : other;
}

/*
 * Units of a split file have no bases of their own: their tables begin behind the header of the
 * section, which versions before 5 do not have. The base of addresses is that of the other half.
 */
static struct tl_dwarf_bases default_bases(const struct tl_dwarf_unit *unit)
{
	bool wide = unit->offset_size == 8;
	struct tl_dwarf_bases bases = { .addr = unit->bases.addr, .ranges = unit->bases.ranges };

	if (unit->version >= 5)
		bases.str_offsets = wide ? 16 : 8;
	if (!bases.addr)
		bases.addr = bases.str_offsets;
	bases.rnglists = wide ? 20 : 12;
	return bases;
}

static void take_root(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit,
		      const struct tl_dwarf_entry *root)
{
	const struct tl_dwarf_value *values = root->values;
	const struct tl_dwarf_bases bases = default_bases(unit);
	const char *text;

	if (unit->version < 5 && root->abbreviation->tag == DW_TAG_partial_unit)
		unit->type = DW_UT_partial;
	/* The bases come first: names and addresses may be indices into the tables behind them. */
	unit->bases.str_offsets =
		number_or(&values[TL_DWARF_SLOT_STR_OFFSETS_BASE], bases.str_offsets);
	unit->bases.addr = number_or(&values[TL_DWARF_SLOT_ADDR_BASE], bases.addr);
	unit->bases.rnglists = number_or(&values[TL_DWARF_SLOT_RNGLISTS_BASE], bases.rnglists);
	unit->bases.ranges = number_or(&values[TL_DWARF_SLOT_GNU_RANGES_BASE], bases.ranges);
	unit->lines = number_or(&values[TL_DWARF_SLOT_STMT_LIST], TL_NOWHERE);
	unit->id = number_or(&values[TL_DWARF_SLOT_DWO_ID], unit->id);
	tl_dwarf_value_address(dwarf, unit, &values[TL_DWARF_SLOT_LOW], &unit->low);
	text = tl_dwarf_value_text(dwarf, unit, &values[TL_DWARF_SLOT_COMP_DIR]);
	if (text)
		unit->directory = text;
	unit->dwo_name = tl_dwarf_value_text(dwarf, unit, &values[TL_DWARF_SLOT_DWO_NAME]);
}

void tl_dwarf_root_read(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit,
			struct tl_dwarf_entry *root)
{
	struct tl_dwarf_bytes bytes =
		tl_dwarf_bytes(&dwarf->sections, TL_DWARF_INFO, unit->entries);
	struct tl_dwarf_abbreviations table = { .list = NULL };
	uint64_t code;

	*root = (struct tl_dwarf_entry){ .abbreviation = NULL };
	unit->root_read = true;
	tl_cursor_limit(&bytes.cur, unit->end);
	code = tl_dwarf_take_uleb(&bytes);
	/* The unit has no entries. */
	if (!code)
		return;
	if (tl_dwarf_abbreviation_alone(dwarf, unit, code, &table)) {
		tl_dwarf_entry_read(dwarf, unit, &bytes, &table, &table.list[0], root);
		take_root(dwarf, unit, root);
	} else if (!dwarf->sections.faults->no_memory) {
		bytes.bad = true;
	}
	if (bytes.bad)
		tl_dwarf_bad_unit(dwarf, unit, TL_BAD_RECORD,
				  ".debug_info: the first entry of a unit is invalid; names and "
				  "lines may be missing");
	tl_dwarf_abbreviations_free(&table);
}

/* ---- by address ---- */

/* For a unit whose root has no addresses: those of the sequences of its line table. */
static bool add_sequences(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit, uint32_t number)
{
	const struct tl_dwarf_line_table *lines = tl_dwarf_lines(dwarf, unit);
	const struct tl_dwarf_row *row, *end;

	if (!lines)
		return true;
	row = lines->rows;
	end = row + lines->count;
	while (row < end) {
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
	struct tl_dwarf_unit *unit = &dwarf->units.list[number];
	size_t before = dwarf->ranges.count;
	struct tl_dwarf_entry root;

	/* Type units and partial units have no code of their own. */
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

	int order = tl_compare(a->start, b->start);

	/* The wider first, so that the narrower is the innermost. */
	if (!order)
		order = (a->end < b->end) - (a->end > b->end);
	if (!order)
		order = tl_compare(a->number, b->number);
	return order;
}

void tl_dwarf_units_read(struct tl_dwarf *dwarf)
{
	tl_dwarf_units_list(dwarf);
	dwarf->ranges.count = 0;
	for (uint32_t i = 0; i < dwarf->units.count && add_unit(dwarf, i);)
		i++;
	if (dwarf->ranges.count)
		qsort(dwarf->ranges.list, dwarf->ranges.count, sizeof(*dwarf->ranges.list),
		      by_start);
	if (!tl_intervals_build(&dwarf->units.by_address, dwarf->ranges.list, dwarf->ranges.count))
		tl_dwarf_no_memory(&dwarf->sections);
}

struct tl_dwarf_unit *tl_dwarf_unit_at(struct tl_dwarf *dwarf, uint64_t address)
{
	uint32_t number = tl_intervals_find(&dwarf->units.by_address, address);

	return number == TL_NONE ? NULL : &dwarf->units.list[number];
}
