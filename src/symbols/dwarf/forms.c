/* SPDX-License-Identifier: Apache-2.0 */
/* The values of attributes (DWARF 7.5.5 "Classes and Forms"). */
#include <tracelathe/core.h>

#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/unit.h"

/* How a form's bytes are laid out. Values up to 17 are one more than a size that never changes. */
enum layout {
	UNKNOWN,
#define SIZE(n) ((n) + 1)
	MOST_SIZE = SIZE(16),
	ADDRESS,
	OFFSET,
	REF_ADDR, /* an offset, in version 2 an address (DWARF 2, 7.5.4) */
	ULEB,
	SLEB,
	TEXT,
	BLOCK1, /* a block, its size in 1, 2 or 4 bytes, or a ULEB */
	BLOCK2,
	BLOCK4,
	BLOCK,
	INDIRECT,
};

static const uint8_t layouts[DW_FORM_standard_end] = {
	[DW_FORM_addr] = ADDRESS,      [DW_FORM_block2] = BLOCK2,
	[DW_FORM_block4] = BLOCK4,     [DW_FORM_data2] = SIZE(2),
	[DW_FORM_data4] = SIZE(4),     [DW_FORM_data8] = SIZE(8),
	[DW_FORM_string] = TEXT,       [DW_FORM_block] = BLOCK,
	[DW_FORM_block1] = BLOCK1,     [DW_FORM_data1] = SIZE(1),
	[DW_FORM_flag] = SIZE(1),      [DW_FORM_sdata] = SLEB,
	[DW_FORM_strp] = OFFSET,       [DW_FORM_udata] = ULEB,
	[DW_FORM_ref_addr] = REF_ADDR, [DW_FORM_ref1] = SIZE(1),
	[DW_FORM_ref2] = SIZE(2),      [DW_FORM_ref4] = SIZE(4),
	[DW_FORM_ref8] = SIZE(8),      [DW_FORM_ref_udata] = ULEB,
	[DW_FORM_indirect] = INDIRECT, [DW_FORM_sec_offset] = OFFSET,
	[DW_FORM_exprloc] = BLOCK,     [DW_FORM_flag_present] = SIZE(0),
	[DW_FORM_strx] = ULEB,         [DW_FORM_addrx] = ULEB,
	[DW_FORM_ref_sup4] = SIZE(4),  [DW_FORM_strp_sup] = OFFSET,
	[DW_FORM_data16] = SIZE(16),   [DW_FORM_line_strp] = OFFSET,
	[DW_FORM_ref_sig8] = SIZE(8),  [DW_FORM_implicit_const] = SIZE(0),
	[DW_FORM_loclistx] = ULEB,     [DW_FORM_rnglistx] = ULEB,
	[DW_FORM_ref_sup8] = SIZE(8),  [DW_FORM_strx1] = SIZE(1),
	[DW_FORM_strx2] = SIZE(2),     [DW_FORM_strx3] = SIZE(3),
	[DW_FORM_strx4] = SIZE(4),     [DW_FORM_addrx1] = SIZE(1),
	[DW_FORM_addrx2] = SIZE(2),    [DW_FORM_addrx3] = SIZE(3),
	[DW_FORM_addrx4] = SIZE(4),
};

static enum layout layout_of(uint16_t form)
{
	if (form < DW_FORM_standard_end)
		return layouts[form];
	if (form == DW_FORM_GNU_addr_index || form == DW_FORM_GNU_str_index)
		return ULEB;
	if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt)
		return OFFSET;
	return UNKNOWN;
}

/* -1: not a layout of one size. */
static int fixed_size(const struct tl_dwarf_unit *unit, enum layout layout)
{
	if (layout != UNKNOWN && layout <= MOST_SIZE)
		return (int)layout - SIZE(0);
	if (layout == ADDRESS || (layout == REF_ADDR && unit->version <= 2))
		return unit->address_size;
	return layout == OFFSET || layout == REF_ADDR ? unit->offset_size : -1;
}

int tl_dwarf_form_size(const struct tl_dwarf_unit *unit, uint16_t form)
{
	return layout_of(form) == UNKNOWN ? -2 : fixed_size(unit, layout_of(form));
}

static struct tl_dwarf_value block_of(struct tl_dwarf_bytes *bytes, uint16_t form, uint64_t size)
{
	struct tl_dwarf_value value = { form, size, bytes->cur.pos };

	tl_dwarf_skip(bytes, size);
	return value;
}

static struct tl_dwarf_value read_varying(struct tl_dwarf_bytes *bytes, uint16_t form,
					  enum layout layout)
{
	const uint8_t *data = bytes->cur.pos;

	switch (layout) {
	case ULEB:
		return (struct tl_dwarf_value){ form, tl_dwarf_take_uleb(bytes), data };
	case SLEB:
		return (struct tl_dwarf_value){ form, (uint64_t)tl_dwarf_take_sleb(bytes), data };
	case TEXT:
		return (struct tl_dwarf_value){ tl_dwarf_take_text(bytes) ? form : 0, 0, data };
	case BLOCK1:
		return block_of(bytes, form, tl_dwarf_take_word(bytes, 1));
	case BLOCK2:
		return block_of(bytes, form, tl_dwarf_take_word(bytes, 2));
	case BLOCK4:
		return block_of(bytes, form, tl_dwarf_take_word(bytes, 4));
	case BLOCK:
		return block_of(bytes, form, tl_dwarf_take_uleb(bytes));
	default:
		tl_dwarf_fail(bytes);
		return (struct tl_dwarf_value){ 0, 0, NULL };
	}
}

struct tl_dwarf_value tl_dwarf_form_read(const struct tl_dwarf_unit *unit,
					 struct tl_dwarf_bytes *bytes, uint16_t form)
{
	enum layout layout = layout_of(form);
	int size;

	/* An indirect form stands before its value, and may again be indirect. */
	while (layout == INDIRECT && !bytes->bad) {
		uint64_t next = tl_dwarf_take_uleb(bytes);

		form = next < UINT16_MAX ? (uint16_t)next : UINT16_MAX;
		layout = form == DW_FORM_implicit_const ? UNKNOWN : layout_of(form);
	}
	size = fixed_size(unit, layout);
	if (size < 0)
		return read_varying(bytes, form, layout);
	if (size == 16)
		return block_of(bytes, form, 16);
	return (struct tl_dwarf_value){ form, size ? tl_dwarf_take_word(bytes, (size_t)size) : 1,
					bytes->cur.pos };
}

void tl_dwarf_form_skip(const struct tl_dwarf_unit *unit, struct tl_dwarf_bytes *bytes,
			uint16_t form)
{
	int size = fixed_size(unit, layout_of(form));

	if (size >= 0)
		tl_dwarf_skip(bytes, (uint64_t)size);
	else
		tl_dwarf_form_read(unit, bytes, form);
}

void tl_dwarf_entry_read(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit,
			 struct tl_dwarf_bytes *bytes, const struct tl_dwarf_abbreviations *table,
			 const struct tl_dwarf_abbreviation *abbreviation,
			 struct tl_dwarf_entry *entry)
{
	const struct tl_dwarf_attribute *attribute = tl_dwarf_attributes(table, abbreviation);

	memset(entry, 0, sizeof(*entry));
	entry->abbreviation = abbreviation;
	for (uint32_t i = 0; i < abbreviation->count && !bytes->bad; i++, attribute++) {
		struct tl_dwarf_value *value = &entry->values[attribute->slot];

		if (attribute->slot == TL_DWARF_SLOTS) {
			tl_dwarf_form_skip(unit, bytes, attribute->form);
		} else if (attribute->form == DW_FORM_implicit_const) {
			struct tl_dwarf_bytes constant = tl_dwarf_bytes(
				&dwarf->sections, TL_DWARF_ABBREV, attribute->constant);

			*value = (struct tl_dwarf_value){ DW_FORM_sdata,
							  (uint64_t)tl_dwarf_take_sleb(&constant),
							  NULL };
		} else {
			*value = tl_dwarf_form_read(unit, bytes, attribute->form);
		}
	}
}

/* ---- meaning ---- */

/* A text by its number in the unit's part of .debug_str_offsets. */
static const char *numbered_text(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit,
				 uint64_t index)
{
	struct tl_dwarf_bytes bytes =
		tl_dwarf_bytes(&dwarf->sections, TL_DWARF_STR_OFFSETS, unit->bases.str_offsets);

	if (index > UINT64_MAX / 8)
		return NULL;
	tl_dwarf_skip(&bytes, index * unit->offset_size);
	uint64_t offset = tl_dwarf_take_word(&bytes, unit->offset_size);

	return bytes.bad ? NULL : tl_dwarf_string(&dwarf->sections, TL_DWARF_STR, offset);
}

const char *tl_dwarf_value_text(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit,
				const struct tl_dwarf_value *value)
{
	struct tl_dwarf *supplement;
	const char *text = NULL;

	switch (value->form) {
	case DW_FORM_string:
		return (const char *)value->data;
	case DW_FORM_strp:
		text = tl_dwarf_string(&dwarf->sections, TL_DWARF_STR, value->number);
		break;
	case DW_FORM_line_strp:
		text = tl_dwarf_string(&dwarf->sections, TL_DWARF_LINE_STR, value->number);
		break;
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		supplement = tl_dwarf_supplement(dwarf);
		/* A supplement that is missing was counted as a fault when it was looked for. */
		if (!supplement)
			return NULL;
		text = tl_dwarf_string(&supplement->sections, TL_DWARF_STR, value->number);
		break;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		text = numbered_text(dwarf, unit, value->number);
		break;
	default:
		return NULL;
	}
	if (!text)
		tl_dwarf_fault(&dwarf->sections, TL_BAD_SIZE, value->number,
			       ".debug_str: a name reaches past the end; names may be missing");
	return text;
}

uint64_t tl_dwarf_reference(const struct tl_dwarf_unit *unit, const struct tl_dwarf_value *value)
{
	switch (value->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		return unit->offset + value->number;
	case DW_FORM_ref_addr:
		return value->number;
	default:
		return 0;
	}
}

bool tl_dwarf_is_address(const struct tl_dwarf_value *value)
{
	switch (value->form) {
	case DW_FORM_addr:
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return true;
	default:
		return false;
	}
}

bool tl_dwarf_address_at(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit, uint64_t index,
			 uint64_t *address)
{
	struct tl_dwarf_bytes bytes =
		tl_dwarf_bytes(&dwarf->sections, TL_DWARF_ADDR, unit->bases.addr);

	if (index < UINT64_MAX / 8) {
		tl_dwarf_skip(&bytes, index * unit->address_size);
		*address = tl_dwarf_take_word(&bytes, unit->address_size);
		if (!bytes.bad)
			return true;
	}
	return tl_dwarf_fault(
		&dwarf->sections, TL_BAD_SIZE, unit->bases.addr,
		".debug_addr: an address reaches past the end; names and lines may be missing");
}

bool tl_dwarf_value_address(struct tl_dwarf *dwarf, const struct tl_dwarf_unit *unit,
			    const struct tl_dwarf_value *value, uint64_t *address)
{
	if (!tl_dwarf_is_address(value))
		return false;
	if (value->form != DW_FORM_addr)
		return tl_dwarf_address_at(dwarf, unit, value->number, address);
	*address = value->number;
	return true;
}
