/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "timeline/index/tiles.h"
#include "core/arithmetic.h"

bool tl_tile_items_put(struct tl_tile_items *items, struct tl_tile_item item)
{
	if (!tl_grow(&items->list, &items->capacity, items->count + 1, sizeof(item)))
		return false;
	items->list[items->count++] = item;
	return true;
}

/* ---- cells ---- */

static bool is_exact(const struct tl_tile_item *item, int k)
{
	return !item->count && item->ticks >> k && item->row < TL_FRAME_ROWS;
}

/* Cells count from the begin of the tile: so a short one has a single cell in each row. */
static uint64_t bin_of(const struct tl_tile_scratch *s, const struct tl_tile_item *item, int k)
{
	return k + TL_CELL_BITS < 64 ? (item->start - s->from) >> (k + TL_CELL_BITS) : 0;
}

/* How many items there are with calls below 2^k ticks in cells; stops behind `most`. */
static size_t count_items(struct tl_tile_scratch *s, int k, size_t most)
{
	size_t count = 0;

	s->stamp++;
	for (size_t i = 0; i < s->in.count && count <= most; i++) {
		const struct tl_tile_item *item = &s->in.list[i];
		struct tl_cell_row *row = &s->rows[item->row];
		uint64_t bin = bin_of(s, item, k);

		if (is_exact(item, k)) {
			count++;
		} else if (row->stamp != s->stamp || row->bin != bin) {
			row->stamp = s->stamp;
			row->bin = bin;
			count++;
		}
	}
	return count;
}

/*
 * The function with most of the time is found by one that leads: ticks of it add to its lead, those
 * of others take from it. It is the right one wherever one has more than half.
 */
static void add_weight(struct tl_cell_row *row, const struct tl_tile_item *item)
{
	if (row->function == item->function) {
		row->weight += item->ticks;
	} else if (row->weight >= item->ticks) {
		row->weight -= item->ticks;
	} else {
		row->weight = item->ticks - row->weight;
		row->function = item->function;
	}
}

static void add_to_cell(struct tl_tile_scratch *s, const struct tl_tile_item *item, int k)
{
	struct tl_cell_row *row = &s->rows[item->row];
	uint64_t bin = bin_of(s, item, k);
	struct tl_tile_item *cell;

	if (row->stamp != s->stamp || row->bin != bin) {
		*row = (struct tl_cell_row){ .bin = bin,
					     .item = s->out.count,
					     .function = item->function,
					     .stamp = s->stamp };
		s->out.list[s->out.count] = *item;
		s->out.list[s->out.count].ticks = 0;
		s->out.list[s->out.count++].count = 0;
	}
	cell = &s->out.list[row->item];
	cell->ticks += item->ticks;
	cell->count += item->count ? item->count : 1;
	add_weight(row, item);
	cell->function = row->function;
}

/* The least k with which calls that stay as they are do not already fill the tile. */
static int least_k(const struct tl_tile_items *in, int least, size_t most)
{
	size_t by_bits[64] = { 0 }, count = 0;
	int k = TL_TILE_NEVER;

	for (size_t i = 0; i < in->count; i++)
		if (!in->list[i].count && in->list[i].ticks && in->list[i].row < TL_FRAME_ROWS)
			by_bits[63 - __builtin_clzll(in->list[i].ticks)]++;
	for (; k > least && count + by_bits[k - 1] <= most; k--)
		count += by_bits[k - 1];
	return k;
}

static int find_k(struct tl_tile_scratch *s, unsigned level, int least, size_t most)
{
	int low = least_k(&s->in, least, most), k = tl_max(s->last_k[level], low);

	if (count_items(s, k, most) > most) {
		while (k < TL_TILE_NEVER && count_items(s, ++k, most) > most)
			;
	} else {
		while (k > low && count_items(s, k - 1, most) <= most)
			k--;
	}
	s->last_k[level] = k;
	return k;
}

/* At a k that is large enough a row has one cell; there is some room for calls as they are. */
static size_t least_items(struct tl_tile_scratch *s)
{
	size_t rows = 0;

	s->stamp++;
	for (size_t i = 0; i < s->in.count; i++) {
		struct tl_cell_row *row = &s->rows[s->in.list[i].row];

		rows += row->stamp != s->stamp;
		row->stamp = s->stamp;
	}
	return rows + rows / 2;
}

int tl_tile_items_thin(struct tl_tile_scratch *scratch, unsigned level, int least, size_t most)
{
	size_t rows = least_items(scratch);
	int k = find_k(scratch, level, least, tl_max(most, rows));

	scratch->out.count = 0;
	if (!tl_grow(&scratch->out.list, &scratch->out.capacity, scratch->in.count + 1,
		     sizeof(*scratch->out.list)))
		return -1;
	scratch->stamp++;
	for (size_t i = 0; i < scratch->in.count; i++) {
		if (is_exact(&scratch->in.list[i], k))
			scratch->out.list[scratch->out.count++] = scratch->in.list[i];
		else
			add_to_cell(scratch, &scratch->in.list[i], k);
	}
	return k;
}

/* ---- bytes ---- */

static int busy_shift(int k)
{
	return k > TL_BUSY_BITS ? k - TL_BUSY_BITS : 0;
}

/*
 * Row and whether it is a cell; the time since the item before; function; count; ticks. Times of
 * cells are in units that are a small part of the cell: where it begins is rounded down.
 */
bool tl_tile_items_pack(const struct tl_tile_items *items, uint64_t from, int k,
			struct tl_packed *packed)
{
	size_t most = items->count * (5 * TL_VARINT_BYTES);
	uint8_t *p;

	if (!tl_grow(&packed->bytes, &packed->capacity, packed->size + most + 1, 1))
		return false;
	p = packed->bytes + packed->size;
	for (size_t i = 0; i < items->count; i++) {
		const struct tl_tile_item *item = &items->list[i];
		int shift = item->count ? busy_shift(k) : 0;
		uint64_t since = (item->start - from) >> shift;

		p = tl_put_varint(p, (uint64_t)item->row << 1 | (item->count != 0));
		p = tl_put_varint(p, since);
		from += since << shift;
		p = tl_put_varint(p, item->function);
		if (item->count)
			p = tl_put_varint(p, item->count);
		p = tl_put_varint(p, item->ticks >> shift);
	}
	packed->size = (size_t)(p - packed->bytes);
	return true;
}

void tl_tile_read(struct tl_tile_reader *reader, const struct tl_tile_level *level, size_t tile)
{
	uint64_t begin = level->tiles[tile].items;
	uint64_t end = tile + 1 < level->count ? level->tiles[tile + 1].items : level->items.size;

	*reader = (struct tl_tile_reader){
		.cur = tl_cursor_over(level->items.bytes + begin, (size_t)(end - begin)),
		.start = level->tiles[tile].from,
		.busy_shift = busy_shift(level->tiles[tile].k),
	};
}

bool tl_tile_read_next(struct tl_tile_reader *reader, struct tl_tile_item *item)
{
	uint64_t head, since, function, count = 0, ticks;
	int shift;

	if (!tl_get_varint(&reader->cur, &head) || !tl_get_varint(&reader->cur, &since) ||
	    !tl_get_varint(&reader->cur, &function) ||
	    (head & 1 && !tl_get_varint(&reader->cur, &count)) ||
	    !tl_get_varint(&reader->cur, &ticks) || head >> 1 >= TL_TILE_ROWS)
		return false;
	shift = head & 1 ? reader->busy_shift : 0;
	reader->start += since << shift;
	*item = (struct tl_tile_item){
		.start = reader->start,
		.ticks = ticks << shift,
		.function = (uint32_t)function,
		.count = (uint32_t)count,
		.row = (uint32_t)(head >> 1),
	};
	return true;
}
