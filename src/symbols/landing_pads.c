/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/landing_pads.h"

#include <string.h>

#include "core/cursor.h"

/* How a pointer is written (LSB, "DWARF Exception Header Encoding"). */
enum {
	PTR = 0x00,
	ULEB128 = 0x01,
	UDATA2 = 0x02,
	UDATA4 = 0x03,
	UDATA8 = 0x04,
	SLEB128 = 0x09,
	SDATA2 = 0x0a,
	SDATA4 = 0x0b,
	SDATA8 = 0x0c,
	FORM = 0x0f,
	PCREL = 0x10,
	DATAREL = 0x30,
	BASE = 0x70,
	INDIRECT = 0x80,
	OMIT = 0xff,
};

/* A table's bytes from some place on. */
struct table {
	struct tl_cursor at;
	uint64_t address; /* of the section's first byte */
	bool bad;         /* it ended too early, or is written in a way that is not known */
};

static struct table table_of(const struct tl_section *section, uint64_t address)
{
	struct table t = { .at = tl_cursor_over(section->data, section->size),
			   .address = section->address };

	t.bad = !section->data || address < section->address ||
		address - section->address >= section->size;
	if (!t.bad)
		tl_cursor_seek(&t.at, address - section->address);
	return t;
}

static uint64_t here(const struct table *t)
{
	return t->address + tl_cursor_offset(&t->at);
}

static uint64_t take(struct table *t, unsigned size)
{
	const uint8_t *p = t->at.pos;

	if (t->bad || !tl_cursor_has(&t->at, size)) {
		t->bad = true;
		return 0;
	}
	t->at.pos += size;
	return size == 1 ? *p : size == 2 ? tl_get16(p) : size == 4 ? tl_get32(p) : tl_get64(p);
}

static uint64_t take_leb128(struct table *t, bool is_signed)
{
	uint64_t value = 0, byte = 0x80;

	for (unsigned shift = 0; byte & 0x80; shift += 7) {
		byte = take(t, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80) && is_signed && byte & 0x40 && shift + 7 < 64)
			value |= ~UINT64_C(0) << (shift + 7);
	}
	return value;
}

static uint64_t take_form(struct table *t, unsigned form)
{
	switch (form) {
	case ULEB128:
	case SLEB128:
		return take_leb128(t, form == SLEB128);
	case UDATA2:
		return take(t, 2);
	case SDATA2:
		return (uint64_t)(int16_t)take(t, 2);
	case UDATA4:
		return take(t, 4);
	case SDATA4:
		return (uint64_t)(int32_t)take(t, 4);
	case PTR:
	case UDATA8:
	case SDATA8:
		return take(t, 8);
	default:
		t->bad = true;
		return 0;
	}
}

/* A pointer; 0 is none. Those that lead to a pointer are not followed: the loader fills that. */
static uint64_t take_pointer(struct table *t, uint8_t encoding, uint64_t data)
{
	uint64_t at = here(t), value;

	if (encoding == OMIT)
		return 0;
	value = take_form(t, encoding & FORM);
	if (!value || encoding & INDIRECT)
		return 0;
	if ((encoding & BASE) == PCREL)
		return value + at;
	if ((encoding & BASE) == DATAREL)
		return value + data;
	t->bad |= (encoding & BASE) != 0;
	return value;
}

/* ---- the description of a function ---- */

/* What a CIE says of the descriptions that belong to it. */
struct common {
	uint8_t pointers,
		tables; /* encodings of addresses, and of those of language-specific data */
	bool is_augmented;
};

static struct common read_common(struct table *t)
{
	struct common c = { .pointers = PTR, .tables = OMIT };
	char letters[8] = "";
	uint64_t version;
	size_t count = 0;

	take(t, 4);
	t->bad |= take(t, 4) != 0;
	version = take(t, 1);
	for (uint8_t letter; (letter = (uint8_t)take(t, 1)) && !t->bad;)
		if (count + 1 < sizeof(letters))
			letters[count++] = (char)letter;
	take_leb128(t, false);
	take_leb128(t, true);
	if (version == 1)
		take(t, 1);
	else
		take_leb128(t, false);
	c.is_augmented = letters[0] == 'z';
	if (c.is_augmented)
		take_leb128(t, false);
	for (size_t i = 1; c.is_augmented && i < count; i++) {
		if (letters[i] == 'R')
			c.pointers = (uint8_t)take(t, 1);
		else if (letters[i] == 'L')
			c.tables = (uint8_t)take(t, 1);
		else if (letters[i] == 'P')
			take_pointer(t, (uint8_t)take(t, 1), 0);
	}
	return c;
}

/* Its first address, and where its language-specific data is. */
struct described {
	uint64_t start, table;
};

static bool read_description(const struct tl_section *frames, uint64_t at, uint64_t ip,
			     struct described *d)
{
	struct table fde = table_of(frames, at), cie;
	uint64_t place, size;
	struct common common;

	take(&fde, 4);
	place = here(&fde);
	cie = table_of(frames, place - take(&fde, 4));
	common = read_common(&cie);
	if (fde.bad || cie.bad)
		return false;
	d->start = take_pointer(&fde, common.pointers, 0);
	size = take_form(&fde, common.pointers & FORM);
	if (!common.is_augmented || common.tables == OMIT)
		return false;
	take_leb128(&fde, false);
	d->table = take_pointer(&fde, common.tables, 0);
	return !fde.bad && d->table && ip - d->start < size;
}

/* The description of the last function that begins at an address or before it, of those in the
 * table of .eh_frame_hdr: pairs of address and description, in order. */
static bool find_description(const struct tl_section *index, uint64_t ip, uint64_t *found)
{
	struct table t = table_of(index, index->address);
	uint64_t version = take(&t, 1), frames = take(&t, 1), counts = take(&t, 1),
		 pairs = take(&t, 1);
	uint64_t count, low = 0, high, first;

	take_pointer(&t, (uint8_t)frames, index->address);
	count = take_form(&t, (unsigned)counts & FORM);
	if (t.bad || version != 1 || counts == OMIT || pairs != (DATAREL | SDATA4))
		return false;
	first = tl_cursor_offset(&t.at);
	high = tl_cursor_left(&t.at) / 8;
	high = count < high ? count : high;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		tl_cursor_seek(&t.at, first + middle * 8);
		if (take_pointer(&t, (uint8_t)pairs, index->address) <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	tl_cursor_seek(&t.at, first + (low - 1) * 8 + 4);
	*found = take_pointer(&t, (uint8_t)pairs, index->address);
	return !t.bad;
}

/* ---- its table of calls ---- */

/* Calls are in the order of their addresses: start, length, landing pad, what is done there. */
static bool find_call(const struct tl_section *tables, const struct described *d, uint64_t ip,
		      uint64_t *pad)
{
	struct table t = table_of(tables, d->table);
	uint8_t encoding = (uint8_t)take(&t, 1);
	uint64_t base = encoding == OMIT ? d->start : take_pointer(&t, encoding, 0), end;

	if (take(&t, 1) != OMIT)
		take_leb128(&t, false);
	encoding = (uint8_t)take(&t, 1);
	end = take_leb128(&t, false);
	if (t.bad || end > tl_cursor_left(&t.at))
		return false;
	end += tl_cursor_offset(&t.at);
	while (!t.bad && tl_cursor_offset(&t.at) < end) {
		uint64_t start = take_form(&t, encoding & FORM),
			 size = take_form(&t, encoding & FORM);
		uint64_t landing = take_form(&t, encoding & FORM);

		take_leb128(&t, false);
		if (t.bad || ip - (d->start + start) >= size)
			continue;
		*pad = base + landing;
		return landing != 0;
	}
	return false;
}

bool tl_landing_pad(struct tl_binary *binary, uint64_t bias, uint64_t back, uint64_t *pad)
{
	struct tl_section index, frames, tables;
	/* The call's last byte: what stands behind it may be another one's. */
	uint64_t ip = back - bias - 1, at;
	struct described d;

	if (!tl_binary_section(binary, ".eh_frame_hdr", &index) ||
	    !tl_binary_section(binary, ".eh_frame", &frames) ||
	    !tl_binary_section(binary, ".gcc_except_table", &tables))
		return false;
	if (!index.data || !find_description(&index, ip, &at) ||
	    !read_description(&frames, at, ip, &d) || !find_call(&tables, &d, ip, pad))
		return false;
	*pad += bias;
	return true;
}
