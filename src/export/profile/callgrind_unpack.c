/* SPDX-License-Identifier: Apache-2.0 */
/* The items of a block out of a pack, in the order of the file. */
#include "export/profile/callgrind.h"

#include <string.h>

static const enum tl_callgrind_writer_item_kind kinds[] = {
	[TL_PACK_LINE] = TL_WRITER_ITEM_LINE,
	[TL_PACK_ARC] = TL_WRITER_ITEM_CALL,
	[TL_PACK_JUMP] = TL_WRITER_ITEM_JUMP,
};

static struct tl_position position_of(const struct tl_callgrind_writer *c,
				      const struct tl_pack_place *place)
{
	return (struct tl_position){
		.file = c->profile->names.names[place->file].text,
		.address = place->address,
		.block = place->block,
		.line = place->line,
	};
}

static bool make_room(struct tl_callgrind_writer_unpacking *u, uint32_t count, uint32_t events)
{
	if (!u->costs)
		u->costs = malloc(((size_t)events + 1) * sizeof(*u->costs));
	return u->costs && tl_grow(&u->items, &u->capacity, count, sizeof(*u->items)) &&
	       tl_grow(&u->order, &u->order_capacity, count, sizeof(*u->order)) &&
	       tl_grow(&u->room, &u->room_capacity, count, sizeof(*u->room));
}

static void read_run(struct tl_callgrind_writer *c, const struct tl_pack_run *run)
{
	struct tl_pack_cursor cursor = tl_pack_read(run);
	struct tl_callgrind_writer_packed *made = c->unpacking.items;

	for (uint32_t i = 0; tl_pack_next(&cursor, &made->packed); i++, made++) {
		const struct tl_pack_item *packed = &made->packed;

		made->at = position_of(c, &packed->at);
		if (packed->kind != TL_PACK_LINE)
			made->to = position_of(c, &packed->to);
		made->item = (struct tl_callgrind_writer_item){
			.kind = kinds[packed->kind],
			.number = i,
			.function = run->function,
			.part = run->part,
			.target = packed->target,
			.at = &made->at,
			.to = packed->kind == TL_PACK_LINE ? NULL : &made->to,
			.conditional = packed->conditional,
			.packed = packed,
		};
		c->unpacking.order[i] = i;
	}
}

/* ---- order ---- */

static bool in_order(const struct tl_callgrind_writer *c, uint32_t first, uint32_t second)
{
	const struct tl_callgrind_writer_packed *items = c->unpacking.items;

	return tl_callgrind_writer_order_of(c, &items[first].item, &items[second].item) <= 0;
}

/* The end of the items from `at` on that are in order. */
static uint32_t end_of_run(const struct tl_callgrind_writer *c, const uint32_t *order, uint32_t at,
			   uint32_t count)
{
	for (at++; at < count && in_order(c, order[at - 1], order[at]);)
		at++;
	return at;
}

/* Two runs that follow each other in `from`, into one. */
static void merge_runs(const struct tl_callgrind_writer *c, const uint32_t *from, uint32_t *to,
		       uint32_t second, uint32_t end)
{
	uint32_t a = 0, b = second;

	while (a < second && b < end)
		*to++ = in_order(c, from[a], from[b]) ? from[a++] : from[b++];
	memcpy(to, from + a, (second - a) * sizeof(*to));
	memcpy(to + (second - a), from + b, (end - b) * sizeof(*to));
}

/*
 * A merge sort that begins with the runs there are: writers mostly have the items of a function in
 * order, once for each time that they write it.
 */
static void sort_items(struct tl_callgrind_writer *c, uint32_t count)
{
	struct tl_callgrind_writer_unpacking *u = &c->unpacking;

	while (count && end_of_run(c, u->order, 0, count) < count) {
		uint32_t *sorted = u->room;

		for (uint32_t at = 0, second, end; at < count; at = end) {
			second = end_of_run(c, u->order, at, count);
			end = second < count ? end_of_run(c, u->order, second, count) : second;
			merge_runs(c, u->order + at, sorted + at, second - at, end - at);
		}
		u->room = u->order;
		u->order = sorted;
	}
}

bool tl_callgrind_writer_unpack(struct tl_callgrind_writer *c, uint32_t run)
{
	const struct tl_pack_run *read = &c->profile->pack->runs[run];

	if (!make_room(&c->unpacking, read->count, c->profile->event_count))
		return false;
	read_run(c, read);
	sort_items(c, read->count);
	return true;
}
