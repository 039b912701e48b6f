/* SPDX-License-Identifier: Apache-2.0 */
/* The items of a block out of a pack, in the order of the file. */
#include "export/profile/callgrind.h"

#include "core/output.h"
#include "core/text/digits.h"
#include "profile/model/near_order.h"

/* Of a line that is written as it is read. */
enum { MOST_COSTS = 100 };

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
	return u->costs && tl_grow(&u->items, &u->capacity, (size_t)count + 1, sizeof(*u->items)) &&
	       tl_grow(&u->order, &u->order_capacity, count, sizeof(*u->order)) &&
	       tl_grow(&u->room, &u->room_capacity, count, sizeof(*u->room));
}

static void read_run(struct tl_callgrind_writer_unpacking *u)
{
	tl_pack_read_run(u->run, u->items);
	for (uint32_t i = 0, count = tl_pack_run_items(u->run); i < count; i++)
		u->order[i] = i;
}

static void make_item(const struct tl_callgrind_writer *c, uint32_t number,
		      struct tl_callgrind_writer_room *room)
{
	const struct tl_pack_run *run = c->unpacking.run;
	const struct tl_pack_item *packed = &c->unpacking.items[number];
	bool line = packed->kind == TL_PACK_LINE;

	room->at = position_of(c, &packed->at);
	if (!line)
		room->to = position_of(c, &packed->to);
	room->item = (struct tl_callgrind_writer_item){
		.kind = kinds[packed->kind],
		.number = number,
		.function = run->function,
		.part = run->part,
		.target = packed->target,
		.at = &room->at,
		.to = line ? NULL : &room->to,
		.conditional = packed->conditional,
		.packed = packed,
	};
}

const struct tl_callgrind_writer_item *
tl_callgrind_writer_unpacked(const struct tl_callgrind_writer *c, uint32_t at,
			     struct tl_callgrind_writer_room *room)
{
	make_item(c, c->unpacking.order[at], room);
	return &room->item;
}

/* ---- lines of a place of their own ---- */

/* Whether the item at `at` is a line that nothing else is printed with, of the file of `like`. */
static inline bool is_lone_line(const struct tl_callgrind_writer *c, uint32_t at, uint32_t end,
				const struct tl_pack_item *like)
{
	const struct tl_callgrind_writer_unpacking *u = &c->unpacking;
	const struct tl_pack_item *item = &u->items[u->order[at]], *next;

	if (item->kind != TL_PACK_LINE || item->at.file != like->at.file ||
	    item->cost_count > MOST_COSTS)
		return false;
	if (at + 1 == end)
		return true;
	next = &u->items[u->order[at + 1]];
	return next->at.file == item->at.file && tl_callgrind_writer_packed_order(c, item, next);
}

static inline void put_lone_line(struct tl_callgrind_writer *c, const struct tl_pack_item *item)
{
	char *p = tl_output_room(c->out, TL_PACK_COST_TEXT * (MOST_COSTS + 4));

	if (c->layout.addresses) {
		p = tl_format_hex(p, item->at.address);
		*p++ = ' ';
	}
	if (c->layout.blocks) {
		p = tl_format_hex(p, item->at.block);
		*p++ = ' ';
	}
	p = tl_pack_format_costs(item, tl_format_number(p, item->at.line));
	if (!item->cost_count) {
		*p++ = ' ';
		*p++ = '0';
	}
	*p++ = '\n';
	tl_output_advance(c->out, p);
}

uint32_t tl_callgrind_writer_put_lone_lines(struct tl_callgrind_writer *c, uint32_t at,
					    uint32_t end)
{
	const struct tl_callgrind_writer_unpacking *u = &c->unpacking;
	const struct tl_pack_item *first = &u->items[u->order[at]];

	if (!u->plain)
		return at;
	for (; at < end && is_lone_line(c, at, end, first); at++)
		put_lone_line(c, &u->items[u->order[at]]);
	return at;
}

/* ---- order ---- */

/* What places alone do not say. */
static int order_of_items(const struct tl_callgrind_writer *c, uint32_t first, uint32_t second)
{
	struct tl_callgrind_writer_room x, y;

	make_item(c, first, &x);
	make_item(c, second, &y);
	return tl_callgrind_writer_order_of(c, &x.item, &y.item);
}

static inline bool in_order(const void *context, uint32_t first, uint32_t second)
{
	const struct tl_callgrind_writer *c = context;
	const struct tl_pack_item *items = c->unpacking.items;
	int order = tl_callgrind_writer_packed_order(c, &items[first], &items[second]);

	return (order ? order : order_of_items(c, first, second)) <= 0;
}

bool tl_callgrind_writer_unpack(struct tl_callgrind_writer *c, uint32_t run)
{
	const struct tl_pack_run *read = &c->profile->pack->runs[run];

	if (!make_room(&c->unpacking, tl_pack_run_items(read), c->profile->event_count))
		return false;
	c->unpacking.run = read;
	c->unpacking.plain = c->options.compression != TL_COMPRESS_ALL &&
			     c->event_count == c->profile->event_count;
	read_run(&c->unpacking);
	tl_near_order(&c->unpacking.order, &c->unpacking.room, tl_pack_run_items(read), in_order,
		      c);
	return true;
}
