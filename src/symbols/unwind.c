/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/unwind.h"

#include <stdlib.h>

#include "core/cursor.h"
#include "core/memory.h"

/* A section, and a cursor over a part of it. */
struct bytes {
	struct tl_cursor cur;
	uint64_t address; /* of the section's first byte */
	bool failed;      /* something did not fit, which is then 0 */
};

/* ---- numbers ---- */

static const uint8_t *take(struct bytes *b, uint64_t count)
{
	const uint8_t *at = b->cur.pos;

	if (!tl_cursor_has(&b->cur, count)) {
		b->failed = true;
		return NULL;
	}
	b->cur.pos += count;
	return at;
}

static uint8_t take_byte(struct bytes *b)
{
	const uint8_t *at = take(b, 1);

	return at ? *at : 0;
}

static uint64_t take_number(struct bytes *b, unsigned size)
{
	const uint8_t *at = take(b, size);

	if (!at)
		return 0;
	return size == 8   ? tl_get64s(at, TL_HOST_BIG_ENDIAN)
	       : size == 4 ? tl_get32s(at, TL_HOST_BIG_ENDIAN)
			   : tl_get16s(at, TL_HOST_BIG_ENDIAN);
}

/* LEB128; bits beyond 64 are lost. */
static uint64_t take_leb(struct bytes *b, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = take_byte(b);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && shift < 64 && (byte & 0x40))
		value |= UINT64_MAX << shift;
	return value;
}

/*
 * "DWARF Exception Header Encoding": a form, what it is relative to, and whether it is where the
 * value stands.
 */
enum { ABSENT = 0xff, RELATIVE_TO_ITSELF = 0x10, RELATIVE = 0x70, INDIRECT = 0x80 };

static uint64_t take_form(struct bytes *b, unsigned encoding)
{
	switch (encoding & 0xf) {
	case 0x0:
	case 0x4:
	case 0xc:
		return take_number(b, 8);
	case 0x1:
		return take_leb(b, false);
	case 0x9:
		return take_leb(b, true);
	case 0x2:
		return take_number(b, 2);
	case 0xa:
		return (uint64_t)(int64_t)(int16_t)take_number(b, 2);
	case 0x3:
		return take_number(b, 4);
	case 0xb:
		return (uint64_t)(int64_t)(int32_t)take_number(b, 4);
	default:
		b->failed = true;
		return 0;
	}
}

/* 0 stays 0: there is nothing. */
static uint64_t take_pointer(struct bytes *b, unsigned encoding)
{
	uint64_t place = b->address + tl_cursor_offset(&b->cur);
	uint64_t value = take_form(b, encoding);

	if ((encoding & RELATIVE) != RELATIVE_TO_ITSELF && (encoding & RELATIVE))
		b->failed = true;
	if (encoding & INDIRECT)
		b->failed = true;
	return value && (encoding & RELATIVE) == RELATIVE_TO_ITSELF ? value + place : value;
}

/* ---- landing pads ---- */

/*
 * Whether an action catches, or one of those behind it: 0 is cleaning up, all else a type or a list
 * of types.
 */
static bool action_catches(struct bytes actions, uint64_t action)
{
	/* Each record has two bytes at least; more of them than fit are a circle. */
	for (size_t left = tl_cursor_left(&actions.cur) / 2 + 1; action && left; left--) {
		uint64_t at = action - 1, next;

		tl_cursor_seek(&actions.cur, at);
		if (take_leb(&actions, true))
			return !actions.failed;
		at = tl_cursor_offset(&actions.cur);
		next = take_leb(&actions, true);
		action = next ? at + next + 1 : 0;
		if (actions.failed)
			return false;
	}
	return false;
}

static bool area_catches(struct bytes area)
{
	uint8_t encoding = take_byte(&area);
	struct bytes actions;
	uint64_t size;

	if (encoding != ABSENT)
		take_form(&area, encoding);
	if (take_byte(&area) != ABSENT)
		take_leb(&area, false);
	encoding = take_byte(&area);
	size = take_leb(&area, false);
	if (area.failed || !tl_cursor_has(&area.cur, size))
		return false;
	actions = area;
	actions.cur = tl_cursor_over(area.cur.pos + size, tl_cursor_left(&area.cur) - size);
	area.cur.end = area.cur.pos + size;
	while (tl_cursor_left(&area.cur) && !area.failed) {
		uint64_t pad, action;

		take_form(&area, encoding);
		take_form(&area, encoding);
		pad = take_form(&area, encoding);
		action = take_leb(&area, false);
		if (pad && action && !area.failed && action_catches(actions, action))
			return true;
	}
	return false;
}

static bool catches(const struct tl_section *areas, uint64_t address)
{
	struct bytes area = { .address = areas->address };

	if (!areas->data || address < areas->address || address - areas->address >= areas->size)
		return false;
	area.cur = tl_cursor_over(areas->data, areas->size);
	tl_cursor_seek(&area.cur, address - areas->address);
	return area_catches(area);
}

/* ---- frame descriptions ---- */

/* What a common information entry says of those that name it. */
struct common {
	uint8_t function, area; /* encodings */
	bool augmented;
};

static bool read_augmentation(struct bytes *b, const char *letters, struct common *common)
{
	if (*letters != 'z')
		return !*letters;
	common->augmented = true;
	take_leb(b, false);
	for (letters++; *letters; letters++) {
		if (*letters == 'L')
			common->area = take_byte(b);
		else if (*letters == 'R')
			common->function = take_byte(b);
		else if (*letters == 'P')
			take_form(b, take_byte(b));
		else if (*letters != 'S' && *letters != 'B' && *letters != 'G')
			return false;
	}
	return !b->failed;
}

/* `b` stands behind the identifier of a common entry. */
static bool read_common(struct bytes b, struct common *common)
{
	uint8_t version = take_byte(&b);
	const uint8_t *letters = b.cur.pos;

	*common = (struct common){ .area = ABSENT };
	while (take_byte(&b) && !b.failed)
		;
	if (b.failed || (version != 1 && version != 3))
		return false;
	take_leb(&b, false);
	take_leb(&b, true);
	if (version == 1)
		take_byte(&b);
	else
		take_leb(&b, false);
	return read_augmentation(&b, (const char *)letters, common);
}

/* The entry at an offset, without its length; false: it is the last one, or does not fit. */
static bool entry_at(const struct bytes *frames, uint64_t offset, struct bytes *entry)
{
	uint64_t size;

	*entry = *frames;
	tl_cursor_seek(&entry->cur, offset);
	size = take_number(entry, 4);
	if (size == UINT32_MAX)
		size = take_number(entry, 8);
	if (entry->failed || !size || !tl_cursor_has(&entry->cur, size))
		return false;
	entry->cur.end = entry->cur.pos + size;
	return true;
}

/* False without memory. */
static bool add_function(struct tl_unwind *unwind, struct bytes *b, const struct common *common,
			 const struct tl_section *areas)
{
	struct tl_unwind_function function = { .start = take_pointer(b, common->function) };
	uint64_t size = take_form(b, common->function), area = 0;

	if (common->augmented) {
		take_leb(b, false);
		if (common->area != ABSENT)
			area = take_pointer(b, common->area);
	}
	function.end = function.start + size;
	/* A function that the linker dropped begins at 0. */
	if (b->failed || !function.start || !size || function.end < function.start)
		return true;
	function.catches = area && catches(areas, area);
	if (!tl_grow(&unwind->functions, &unwind->capacity, unwind->count + 1, sizeof(function)))
		return false;
	unwind->functions[unwind->count++] = function;
	return true;
}

static bool read_frames(struct tl_unwind *unwind, const struct bytes *frames,
			const struct tl_section *areas)
{
	uint64_t offset = 0, common_at = UINT64_MAX;
	struct common common = { 0 };
	bool known = false;
	struct bytes entry;

	for (; entry_at(frames, offset, &entry);
	     offset = (uint64_t)(entry.cur.end - entry.cur.base)) {
		uint64_t at = tl_cursor_offset(&entry.cur), distance = take_number(&entry, 4);
		struct bytes named;

		if (entry.failed || !distance || distance > at)
			continue; /* common entries are read when they are named */
		if (at - distance != common_at) {
			common_at = at - distance;
			known = entry_at(frames, common_at, &named) && !take_number(&named, 4) &&
				read_common(named, &common);
		}
		if (known && !add_function(unwind, &entry, &common, areas))
			return false;
	}
	return true;
}

static int by_start(const void *left, const void *right)
{
	const struct tl_unwind_function *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

bool tl_unwind_read(struct tl_unwind *unwind, struct tl_binary *binary)
{
	struct tl_section frames, areas = { 0 };
	struct bytes b = { 0 };

	*unwind = (struct tl_unwind){ 0 };
	if (!tl_binary_is_64bit(binary) || tl_binary_is_big_endian(binary) ||
	    !tl_binary_section(binary, ".eh_frame", &frames) || !frames.data)
		return true;
	tl_binary_section(binary, ".gcc_except_table", &areas);
	b.cur = tl_cursor_over(frames.data, frames.size);
	b.address = frames.address;
	if (!read_frames(unwind, &b, &areas)) {
		tl_unwind_free(unwind);
		return false;
	}
	if (unwind->count)
		qsort(unwind->functions, unwind->count, sizeof(*unwind->functions), by_start);
	return true;
}

void tl_unwind_free(struct tl_unwind *unwind)
{
	free(unwind->functions);
	*unwind = (struct tl_unwind){ 0 };
}

uint32_t tl_unwind_find(const struct tl_unwind *unwind, uint64_t address)
{
	size_t low = 0, high = unwind->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (unwind->functions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < unwind->functions[low - 1].end ? (uint32_t)(low - 1) : TL_NONE;
}
