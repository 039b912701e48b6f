/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a profile file in a pack, read as items. */
#include <tracelathe/core.h>

#include "core/arithmetic.h"
#include "profile/model/pack.h"
#include "profile/model/pack_numbers.h"

enum {
	GROUP_BITS = (1 << TL_PACK_GROUP) - 1,
	MORE = 1 << TL_PACK_GROUP, /* another group follows */
};

struct tl_pack_cursor tl_pack_read_rows(const struct tl_pack_rows *rows)
{
	struct tl_pack_cursor cursor = { .rows = rows };

	if (rows)
		cursor.keys = rows->before;
	return cursor;
}

static inline const uint8_t *take_u32(const uint8_t *p, uint32_t *number)
{
	uint64_t difference;

	p = tl_pack_take_number(p, &difference);
	*number += (uint32_t)tl_unzigzag(difference);
	return p;
}

static inline const uint8_t *take_u64(const uint8_t *p, uint64_t *number)
{
	return tl_pack_take_difference(p, number, *number);
}

/* Of a place, of which `bits` say what differs. */
static const uint8_t *take_place(const uint8_t *p, unsigned bits, struct tl_pack_place *place)
{
	if (bits & 1)
		p = take_u32(p, &place->file);
	if (bits & 2)
		p = take_u32(p, &place->line);
	if (bits & 4)
		p = take_u64(p, &place->address);
	if (bits & 8)
		p = take_u64(p, &place->block);
	return p;
}

/* The function and the part of all rows are those of the run. */
static const uint8_t *pass_first(const uint8_t *p, unsigned bits)
{
	uint64_t ignored;

	for (; bits; bits &= bits - 1)
		p = tl_pack_take_number(p, &ignored);
	return p;
}

/* Up to the costs, of which *left fields are in the group that *bits are of. */
static const uint8_t *take_line(const uint8_t *p, struct tl_pack_keys *keys, unsigned *bits,
				unsigned *left)
{
	const unsigned head = *p++;

	p = pass_first(p, head & 3);
	p = take_place(p, head >> 2, &keys->at);
	*left = 1;
	*bits = head >> 6;
	return p;
}

static const uint8_t *take_arc(const uint8_t *p, struct tl_pack_keys *keys, uint64_t *calls,
			       unsigned *bits, unsigned *left)
{
	unsigned head = *p++;

	p = pass_first(p, head & 1);
	if (head & 2)
		p = take_u32(p, &keys->target);
	p = pass_first(p, head & 4);
	p = take_place(p, head >> 3 & 0xf, &keys->at);
	*calls = *left = *bits = 0;
	if (!(head & MORE))
		return p;
	head = *p++;
	p = take_place(p, head & 0xf, &keys->to);
	if (head & 0x10) {
		p = tl_pack_take_number(p, calls);
		*calls = tl_unzigzag(*calls);
	}
	*left = 2;
	*bits = head >> 5;
	return p;
}

/* Move behind the costs, whose number is that up to the last one that stands there. */
static const uint8_t *pass_costs(const uint8_t *p, const uint8_t *end, unsigned bits, unsigned left,
				 uint32_t *count)
{
	uint32_t at = 0;

	*count = 0;
	for (;;) {
		const unsigned here = bits & ((1u << left) - 1);

		if (here)
			*count = at + 32 - (unsigned)__builtin_clz(here);
		p = tl_pack_skip_numbers(p, end, (uint32_t)__builtin_popcount(here));
		at += left;
		if (!(bits >> left & 1))
			return p;
		bits = *p++;
		left = TL_PACK_GROUP;
	}
}

static void take_row(struct tl_pack_cursor *cursor, struct tl_pack_item *item)
{
	const struct tl_pack_rows *rows = cursor->rows;
	const struct tl_pack_origin *origin = rows->origin;
	const uint8_t *p = rows->data + cursor->row_at;
	const uint32_t row = rows->row + cursor->row;
	unsigned bits, left;

	*item = (struct tl_pack_item){ .kind = rows->kind, .target = TL_NONE, .grouped = true };
	if (rows->kind == TL_PACK_LINE)
		p = take_line(p, &cursor->keys, &bits, &left);
	else
		p = take_arc(p, &cursor->keys, &item->count, &bits, &left);
	item->at = cursor->keys.at;
	if (rows->kind == TL_PACK_ARC) {
		item->to = cursor->keys.to;
		item->target = origin->functions ? origin->functions[cursor->keys.target]
						 : cursor->keys.target;
	}
	item->number = origin->first + (origin->order ? origin->order[row] : row);
	item->costs = p;
	item->bits = (uint8_t)(bits & GROUP_BITS);
	item->bit_count = (uint8_t)left;
	p = pass_costs(p, rows->data + rows->bytes, bits, left, &item->cost_count);
	cursor->row_at = (uint32_t)(p - rows->data);
	cursor->row++;
}

bool tl_pack_next_row(struct tl_pack_cursor *cursor, enum tl_pack_kind kind,
		      struct tl_pack_item *item)
{
	const struct tl_pack_rows *rows = cursor->rows;

	while (rows &&
	       (cursor->row == rows->count || (kind != TL_PACK_KINDS && rows->kind != kind))) {
		rows = rows->next;
		cursor->rows = rows;
		cursor->row = cursor->row_at = 0;
		if (rows)
			cursor->keys = rows->before;
	}
	if (!rows)
		return false;
	take_row(cursor, item);
	return true;
}
