/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/eh_frame.h"

#include "core/arithmetic.h"

/* ---- numbers ---- */

struct tl_eh_table tl_eh_table_at(const struct tl_section *section, uint64_t address, bool is_32bit)
{
	struct tl_eh_table table = { .cur = tl_cursor_over(section->data, section->size),
				     .address = section->address,
				     .is_32bit = is_32bit };

	table.bad = !section->data || address < section->address ||
		    address - section->address >= section->size;
	if (!table.bad)
		tl_cursor_seek(&table.cur, address - section->address);
	return table;
}

uint64_t tl_eh_take(struct tl_eh_table *table, unsigned size)
{
	const uint8_t *at = table->cur.pos;

	if (table->bad || !tl_cursor_has(&table->cur, size)) {
		table->bad = true;
		return 0;
	}
	table->cur.pos += size;
	switch (size) {
	case 1:
		return *at;
	case 2:
		return tl_get16s(at, TL_HOST_BIG_ENDIAN);
	case 4:
		return tl_get32s(at, TL_HOST_BIG_ENDIAN);
	default:
		return tl_get64s(at, TL_HOST_BIG_ENDIAN);
	}
}

/* Bits beyond the 64th are dropped. */
uint64_t tl_eh_take_leb(struct tl_eh_table *table, bool is_signed)
{
	uint64_t value = 0, byte;
	unsigned shift = 0;

	do {
		byte = tl_eh_take(table, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && shift < 64 && byte & 0x40)
		value |= UINT64_MAX << shift;
	return value;
}

uint64_t tl_eh_take_form(struct tl_eh_table *table, unsigned encoding)
{
	enum { PTR, ULEB128, UDATA2, UDATA4, UDATA8, SLEB128 = 9, SDATA2, SDATA4, SDATA8 };

	switch (encoding & TL_EH_FORM) {
	case PTR:
		return tl_eh_take(table, table->is_32bit ? 4 : 8);
	case UDATA8:
	case SDATA8:
		return tl_eh_take(table, 8);
	case ULEB128:
		return tl_eh_take_leb(table, false);
	case SLEB128:
		return tl_eh_take_leb(table, true);
	case UDATA2:
		return tl_eh_take(table, 2);
	case SDATA2:
		return (uint64_t)(int16_t)tl_eh_take(table, 2);
	case UDATA4:
		return tl_eh_take(table, 4);
	case SDATA4:
		return (uint64_t)(int32_t)tl_eh_take(table, 4);
	default:
		table->bad = true;
		return 0;
	}
}

static uint64_t address_of(const struct tl_eh_table *table, uint64_t value)
{
	return table->is_32bit ? (uint32_t)value : value;
}

uint64_t tl_eh_take_pointer(struct tl_eh_table *table, unsigned encoding, uint64_t data)
{
	uint64_t here = table->address + tl_cursor_offset(&table->cur), value;

	if (encoding == TL_EH_OMIT)
		return 0;
	value = tl_eh_take_form(table, encoding);
	if (!value || encoding & TL_EH_INDIRECT)
		return 0;
	switch (encoding & TL_EH_ORIGIN) {
	case 0:
		return address_of(table, value);
	case TL_EH_PCREL:
		return address_of(table, value + here);
	case TL_EH_DATAREL:
		table->bad |= !data;
		return address_of(table, value + data);
	default:
		table->bad = true;
		return 0;
	}
}

/* ---- .eh_frame_hdr ---- */

/* The header: `count` pairs of function and FDE follow it. */
static bool take_index_header(struct tl_eh_table *index, uint64_t *count)
{
	uint64_t version = tl_eh_take(index, 1), frames = tl_eh_take(index, 1),
		 counts = tl_eh_take(index, 1), pairs = tl_eh_take(index, 1);

	tl_eh_take_pointer(index, (unsigned)frames, index->address);
	*count = tl_eh_take_form(index, (unsigned)counts);
	return !index->bad && version == 1 && counts != TL_EH_OMIT &&
	       pairs == (TL_EH_DATAREL | TL_EH_SDATA4);
}

bool tl_eh_is_index(const struct tl_eh_table *index)
{
	struct tl_eh_table header = *index;
	uint64_t count;

	return take_index_header(&header, &count);
}

bool tl_eh_find(const struct tl_eh_table *index, uint64_t ip, uint64_t *found)
{
	const unsigned form = TL_EH_DATAREL | TL_EH_SDATA4;
	struct tl_eh_table t = *index;
	uint64_t count, low = 0, high, first;

	if (!take_index_header(&t, &count))
		return false;
	first = tl_cursor_offset(&t.cur);
	high = tl_cursor_left(&t.cur) / 8;
	high = tl_min(count, high);
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		tl_cursor_seek(&t.cur, first + middle * 8);
		if (tl_eh_take_pointer(&t, form, index->address) <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	tl_cursor_seek(&t.cur, first + (low - 1) * 8 + 4);
	*found = tl_eh_take_pointer(&t, form, index->address);
	return !t.bad;
}

/* ---- .eh_frame and .debug_frame ---- */

bool tl_eh_record_at(const struct tl_eh_table *frames, uint64_t offset, struct tl_eh_table *record)
{
	uint64_t size;

	*record = *frames;
	tl_cursor_seek(&record->cur, offset);
	size = tl_eh_take(record, 4);
	if (size == UINT32_MAX) {
		size = tl_eh_take(record, 8);
		record->is_wide = frames->debug_frame;
	}
	if (record->bad || !size || !tl_cursor_has(&record->cur, size))
		return false;
	record->cur.end = record->cur.pos + size;
	return true;
}

/* The mark of a CIE is 0 in .eh_frame and all ones in .debug_frame. */
static bool take_cie_mark(struct tl_eh_table *record, uint64_t *value)
{
	*value = tl_eh_take(record, record->is_wide ? 8 : 4);
	if (!record->debug_frame)
		return !*value;
	return *value == (record->is_wide ? UINT64_MAX : UINT32_MAX);
}

bool tl_eh_is_fde(struct tl_eh_table *record, uint64_t *cie)
{
	uint64_t here = tl_cursor_offset(&record->cur), value;

	if (take_cie_mark(record, &value) || record->bad)
		return false;
	/* .debug_frame: an offset; .eh_frame: the distance back to the CIE */
	*cie = record->debug_frame ? value : here - value;
	return record->debug_frame || value <= here;
}

/* The data of each letter of an augmentation string. False for a letter whose data is not known. */
static bool read_letters(struct tl_eh_table *record, const char *letters, struct tl_eh_cie *cie)
{
	for (; *letters; letters++) {
		if (*letters == 'L')
			cie->lsda = (uint8_t)tl_eh_take(record, 1);
		else if (*letters == 'R')
			cie->pointers = (uint8_t)tl_eh_take(record, 1);
		else if (*letters == 'P')
			tl_eh_take_form(record, (unsigned)tl_eh_take(record, 1));
		else if (*letters == 'S')
			cie->is_signal = true;
		else if (*letters != 'B' && *letters != 'G')
			return false;
	}
	return !record->bad;
}

/* What stands behind data of a size that comes first. */
static struct tl_eh_table behind_data(struct tl_eh_table *record)
{
	uint64_t size = tl_eh_take_leb(record, false);
	struct tl_eh_table behind = *record;

	behind.bad |= !tl_cursor_has(&behind.cur, size);
	if (!behind.bad)
		behind.cur.pos += size;
	return behind;
}

static bool read_augmentation(struct tl_eh_table *record, const char *letters,
			      struct tl_eh_cie *cie)
{
	if (*letters != 'z') {
		cie->instructions = *record;
		return !*letters && !record->bad;
	}
	cie->is_augmented = true;
	cie->instructions = behind_data(record);
	return !cie->instructions.bad && read_letters(record, letters + 1, cie);
}

/* DWARF 4 and later say how large addresses are, and segment selectors, which nobody has. */
static bool take_sizes(struct tl_eh_table *record)
{
	return tl_eh_take(record, 1) == (record->is_32bit ? 4 : 8) && !tl_eh_take(record, 1);
}

bool tl_eh_read_cie(const struct tl_eh_table *frames, uint64_t offset, struct tl_eh_cie *cie)
{
	struct tl_eh_table record;
	const uint8_t *letters;
	uint64_t version, mark;

	*cie = (struct tl_eh_cie){ .lsda = TL_EH_OMIT };
	if (!tl_eh_record_at(frames, offset, &record) || !take_cie_mark(&record, &mark))
		return false;
	version = tl_eh_take(&record, 1);
	letters = record.cur.pos;
	while (tl_eh_take(&record, 1))
		;
	if (record.bad || (version != 1 && version != 3 && version != 4))
		return false;
	if (version == 4 && !take_sizes(&record))
		return false;
	cie->code_align = tl_eh_take_leb(&record, false);
	cie->data_align = (int64_t)tl_eh_take_leb(&record, true);
	cie->return_register =
		version == 1 ? tl_eh_take(&record, 1) : tl_eh_take_leb(&record, false);
	return read_augmentation(&record, (const char *)letters, cie);
}

bool tl_eh_read_fde(struct tl_eh_table *record, const struct tl_eh_cie *cie, struct tl_eh_fde *fde)
{
	fde->start = tl_eh_take_pointer(record, cie->pointers, 0);
	fde->size = address_of(record, tl_eh_take_form(record, cie->pointers));
	fde->lsda = 0;
	fde->instructions = *record;
	if (cie->is_augmented) {
		fde->instructions = behind_data(record);
		fde->lsda = tl_eh_take_pointer(record, cie->lsda, 0);
	}
	return !record->bad && !fde->instructions.bad;
}

/* ---- .gcc_except_table ---- */

bool tl_eh_calls_begin(struct tl_eh_calls *calls, const struct tl_section *lsdas,
		       const struct tl_eh_fde *fde)
{
	struct tl_eh_table *table = &calls->table;
	uint64_t size;

	if (!fde->lsda)
		return false;
	/* The data has addresses as wide as the function's. */
	*table = tl_eh_table_at(lsdas, fde->lsda, fde->instructions.is_32bit);
	calls->encoding = (uint8_t)tl_eh_take(table, 1);
	calls->function = calls->pads = fde->start;
	if (calls->encoding != TL_EH_OMIT)
		calls->pads = tl_eh_take_pointer(table, calls->encoding, 0);
	/* The table of types stands behind the actions. */
	if (tl_eh_take(table, 1) != TL_EH_OMIT)
		tl_eh_take_leb(table, false);
	calls->encoding = (uint8_t)tl_eh_take(table, 1);
	size = tl_eh_take_leb(table, false);
	if (table->bad || !tl_cursor_has(&table->cur, size))
		return false;
	calls->actions = *table;
	calls->actions.cur =
		tl_cursor_over(table->cur.pos + size, tl_cursor_left(&table->cur) - (size_t)size);
	table->cur.end = table->cur.pos + size;
	return true;
}

bool tl_eh_calls_next(struct tl_eh_calls *calls, struct tl_eh_call *call)
{
	struct tl_eh_table *table = &calls->table;

	if (!tl_cursor_left(&table->cur))
		return false;
	call->start = calls->function + tl_eh_take_form(table, calls->encoding);
	call->size = tl_eh_take_form(table, calls->encoding);
	call->pad = tl_eh_take_form(table, calls->encoding);
	if (call->pad)
		call->pad += calls->pads;
	call->action = tl_eh_take_leb(table, false);
	return !table->bad;
}
