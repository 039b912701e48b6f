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

/* What tells how coarse a tile has to be without the order of its items. */
struct survey {
	size_t by_bits[65];                      /* items by their bits */
	uint64_t rows[(TL_TILE_ROWS + 63) / 64]; /* a bit for each that there is */
};

/* Sets the items' bits, which is all that the loops over them ask of their kind and duration. */
static void survey_items(const struct tl_tile_items *in, struct survey *survey)
{
	*survey = (struct survey){ .rows = { 0 } };
	for (size_t i = 0; i < in->count; i++) {
		struct tl_tile_item *item = &in->list[i];
		unsigned bits = item->ticks ? 64 - (unsigned)__builtin_clzll(item->ticks) : 0;

		if (item->count || item->row >= TL_FRAME_ROWS)
			bits = 0;
		item->bits = (uint8_t)bits;
		survey->by_bits[bits]++;
		survey->rows[item->row / 64] |= UINT64_C(1) << item->row % 64;
	}
}

static size_t count_rows(const struct survey *survey)
{
	size_t rows = 0;

	for (size_t i = 0; i < sizeof(survey->rows) / sizeof(survey->rows[0]); i++)
		rows += (size_t)__builtin_popcountll(survey->rows[i]);
	return rows;
}

/* The least k with which calls that stay as they are do not already fill the tile. */
static int least_k(const struct survey *survey, int least, size_t most)
{
	size_t count = 0;
	int k = TL_TILE_NEVER;

	for (; k > least && count + survey->by_bits[k] <= most; k--)
		count += survey->by_bits[k];
	return k;
}

/*
 * Cells of 2^(k+2) ticks, which count from the begin of the tile, so that a short one has a single
 * cell in each row. No cell has the number TL_NO_CELL.
 */
struct cells {
	uint64_t from, mask;
	unsigned shift;
	unsigned k;
};

#define TL_NO_CELL UINT64_MAX

static struct cells cells_begin(struct tl_tile_scratch *s, int k)
{
	unsigned shift = (unsigned)k + TL_CELL_BITS;

	for (size_t i = 0; i < TL_TILE_ROWS; i++)
		s->rows[i].bin = TL_NO_CELL;
	return (struct cells){ s->from, shift < 64 ? UINT64_MAX : 0, tl_min(shift, 63u),
			       (unsigned)k };
}

static inline uint64_t bin_of(const struct cells *cells, const struct tl_tile_item *item)
{
	return ((item->start - cells->from) & cells->mask) >> cells->shift;
}

/* Whether there are more than `most` items with calls below 2^k ticks in cells. */
static bool is_too_fine(struct tl_tile_scratch *s, int k, size_t most)
{
	const struct cells cells = cells_begin(s, k);
	size_t count = 0;

	for (size_t i = 0; i < s->in.count; i++) {
		const struct tl_tile_item *item = &s->in.list[i];

		if (item->bits <= cells.k) {
			struct tl_cell_row *row = &s->rows[item->row];
			uint64_t bin = bin_of(&cells, item);

			if (row->bin == bin)
				continue;
			row->bin = bin;
		}
		if (++count > most)
			return true;
	}
	return false;
}

/*
 * The function with most of the time is found by one that leads: ticks of it add to its lead, those
 * of others take from it. It is the right one wherever one has more than half. What comes next
 * cannot be foreseen in many traces, so masks are in place of branches.
 */
static inline void add_weight(struct tl_cell_row *row, const struct tl_tile_item *item)
{
	const uint64_t lead = row->weight, ticks = item->ticks;
	const uint64_t same = -(uint64_t)(row->function == item->function);
	const uint64_t behind = -(uint64_t)(lead < ticks);
	const uint64_t apart = ((lead - ticks) ^ behind) - behind;

	row->weight = ((lead + ticks) & same) | (apart & ~same);
	row->function ^= (row->function ^ item->function) & (uint32_t)behind;
}

static inline void add_to_cell(struct tl_cell_row *row, const struct tl_tile_item *item)
{
	row->ticks += item->ticks;
	row->count += item->count ? item->count : 1;
	add_weight(row, item);
}

/* The open cell of a row is all there: its item was put where its first call begins. */
static void close_cell(struct tl_tile_scratch *s, const struct tl_cell_row *row)
{
	struct tl_tile_item *cell = &s->out.list[row->item];

	if (row->bin == TL_NO_CELL)
		return;
	cell->ticks = row->ticks;
	cell->count = row->count;
	cell->function = row->function;
}

/* Make scratch->out with calls below 2^k ticks in cells. */
static void thin_to(struct tl_tile_scratch *s, int k)
{
	const struct cells cells = cells_begin(s, k);

	s->out.count = 0;
	for (size_t i = 0; i < s->in.count; i++) {
		const struct tl_tile_item *item = &s->in.list[i];
		struct tl_cell_row *row = &s->rows[item->row];
		uint64_t bin = bin_of(&cells, item);

		if (item->bits > cells.k) {
			s->out.list[s->out.count++] = *item;
			continue;
		}
		if (row->bin != bin) {
			close_cell(s, row);
			*row = (struct tl_cell_row){ .bin = bin,
						     .item = s->out.count,
						     .function = item->function };
			s->out.list[s->out.count++] = *item;
		}
		add_to_cell(row, item);
	}
	for (size_t i = 0; i < TL_TILE_ROWS; i++)
		close_cell(s, &s->rows[i]);
}

/* Neighbours are alike: the k of the tile before is tried first. */
static int find_k(struct tl_tile_scratch *s, int low, int k, size_t most)
{
	k = tl_max(k, low);
	if (is_too_fine(s, k, most)) {
		while (k < TL_TILE_NEVER && is_too_fine(s, ++k, most))
			;
	} else {
		while (k > low && !is_too_fine(s, k - 1, most))
			k--;
	}
	return k;
}

int tl_tile_items_thin(struct tl_tile_scratch *scratch, unsigned level, int least, size_t most)
{
	struct survey survey;
	size_t rows;
	int k;

	if (!tl_grow(&scratch->out.list, &scratch->out.capacity, scratch->in.count + 1,
		     sizeof(*scratch->out.list)))
		return -1;
	survey_items(&scratch->in, &survey);
	/* At a large k a row has one cell; there is some room for calls as they are. */
	rows = count_rows(&survey);
	most = tl_max(most, rows + rows / 2);
	k = find_k(scratch, least_k(&survey, least, most), scratch->last_k[level], most);
	scratch->last_k[level] = k;
	thin_to(scratch, k);
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
