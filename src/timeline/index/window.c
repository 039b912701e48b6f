/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a window can be told apart at its width: from the tiles that are fine enough, and below
 * them from leaves that are decoded again.
 */
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/sized.h"
#include "timeline/index/index.h"

enum { MOST_ITEMS = 20000 };

/*
 * Leaves are decoded again only while a picture needs few of their calls: so many for each of its
 * items, which a leaf has where it is finer than its tile. More would take longer than somebody who
 * pans waits: the picture is coarse first, as with too many items. One leaf, which has half as many
 * calls as steps as a rule, is always decoded.
 */
enum { CALLS_OF_ITEM = 20, LEAST_CALLS = TL_LEAF_STEPS / 2 };

/* A pixel becomes at most so many bits wider at once. */
enum { MOST_BITS_WIDER = 3 };

/* In longer windows calls in rows from TL_FRAME_ROWS on are a summary. */
enum { DEEP_LEAVES = 16 };

struct window_walk {
	struct tl_call_cursor *cursor;
	const struct tl_call_track *track;
	uint64_t from, to;
	uint64_t pixel; /* ticks; shorter calls are summed up. 0: none is */
	uint32_t rows, effort;
	size_t most;
	bool deep;        /* rows from TL_FRAME_ROWS on are shown as they are */
	bool banded;      /* they have more items than fit, whatever the pixel */
	bool full;        /* there are more items than fit */
	size_t scanned;   /* leaf that is in cursor->scan as it was read; SIZE_MAX: none */
	uint32_t deepest; /* row of an item that did */
	uint64_t reached; /* ticks of the last item of a tile or leaf that did */
};

/* ---- items ---- */

static bool touches(const struct window_walk *w, uint64_t start, uint64_t end)
{
	return start < w->to && end >= w->from;
}

static void append(struct window_walk *w, const struct tl_call_item *item)
{
	struct tl_call_cursor *c = w->cursor;

	w->full |= c->item_count == w->most;
	if (w->full)
		return;
	if (!tl_grow(&c->items, &c->item_capacity, c->item_count + 1, sizeof(*item)))
		c->no_memory = true;
	else
		c->items[c->item_count++] = *item;
	w->deepest = tl_max(w->deepest, item->depth);
}

static struct tl_item_row *row_of(struct tl_call_cursor *c, uint32_t depth)
{
	size_t had = c->row_capacity;

	if (!tl_grow(&c->rows, &c->row_capacity, (size_t)depth + 1, sizeof(*c->rows))) {
		c->no_memory = true;
		return NULL;
	}
	for (size_t i = had; i < c->row_capacity; i++)
		c->rows[i] = (struct tl_item_row){ .stamp = 0 };
	return &c->rows[depth];
}

/* As in tile_items.c: the function that leads has most of the time if one has more than half. */
static void lead(struct tl_item_row *row, const struct tl_call_item *item)
{
	if (row->function == item->function) {
		row->weight += item->busy;
	} else if (row->weight >= item->busy) {
		row->weight -= item->busy;
	} else {
		row->weight = item->busy - row->weight;
		row->function = item->function;
	}
}

/* Add calls to the summary of their row and pixel. */
static void summarize(struct window_walk *w, const struct tl_call_item *item)
{
	struct tl_call_cursor *c = w->cursor;
	struct tl_item_row *row = row_of(c, item->depth);
	uint64_t bin = w->pixel ? item->start / w->pixel : item->start;
	struct tl_call_item *sum;

	if (!row)
		return;
	if (row->stamp != c->stamp || row->bin != bin) {
		struct tl_call_item first = *item;

		first.busy = first.count = 0;
		*row = (struct tl_item_row){ .bin = bin,
					     .item = c->item_count,
					     .function = item->function,
					     .stamp = c->stamp };
		append(w, &first);
	}
	if (w->full || c->no_memory)
		return;
	sum = &c->items[row->item];
	sum->busy += item->busy;
	sum->count += item->count ? item->count : 1;
	sum->end = tl_max(item->end, sum->end);
	lead(row, item);
	sum->function = row->function;
}

static void put(struct window_walk *w, const struct tl_call_item *item, uint64_t ticks)
{
	if (item->depth >= w->rows || !touches(w, item->start, item->end))
		return;
	if (!item->count && ticks >= w->pixel)
		append(w, item);
	else
		summarize(w, item);
}

static void put_tile_item(struct window_walk *w, const struct tl_tile_item *item)
{
	const struct tl_call_item shown = {
		.start = item->start,
		.end = item->start + item->ticks,
		.busy = item->ticks,
		.depth = item->row,
		.function = item->function,
		.count = item->count,
	};

	put(w, &shown, item->ticks);
}

static void put_call(struct window_walk *w, const struct tl_leaf_call *call)
{
	struct tl_call_item shown;

	if (call->depth >= w->rows || !touches(w, call->start, call->end))
		return;
	shown = tl_call_item_of(w->track, call);
	put(w, &shown, shown.busy);
}

static void put_frame(struct window_walk *w, uint32_t number)
{
	const struct tl_call_frame *frame = &w->track->frames[number];

	put_call(w, &(struct tl_leaf_call){ frame->start, frame->end, frame->self, frame->function,
					    frame->depth, frame->flags });
}

/* ---- leaves ---- */

/* Deep calls where they are not shown: their summary, as that of a tile (tiles.c). */
static void put_deep_summary(struct window_walk *w, uint64_t start, uint64_t end,
			     const struct tl_leaf_call *call)
{
	const struct tl_call_item shown = {
		.start = start,
		.end = end,
		.busy = call && call->depth > TL_FRAME_ROWS ? 0 : end - start,
		.depth = TL_FRAME_ROWS,
		.function = call ? call->function : TL_NONE,
		.count = 1,
	};

	put(w, &shown, 0);
}

static void summarize_deep(struct window_walk *w, size_t leaf)
{
	const struct tl_leaf_scan *scan = &w->cursor->scan;
	uint64_t end = scan->ticks;

	if (scan->depth > TL_FRAME_ROWS) {
		if (tl_leaf_lowest(scan) <= TL_FRAME_ROWS)
			end = scan->ends[scan->depth - 1 - TL_FRAME_ROWS].ticks;
		put_deep_summary(w, w->track->leaves[leaf].ticks, end, NULL);
	}
	for (size_t i = 0; !w->full && i < scan->call_count; i++) {
		const struct tl_leaf_call *call = &scan->calls[i];

		if (call->depth >= TL_FRAME_ROWS)
			put_deep_summary(w, call->start,
					 call->end == TL_NOWHERE ? scan->ticks : call->end, call);
	}
}

/* Those that begin in the leaf; of the ones that cross its end only deep ones have no frame. */
static int put_leaf(struct window_walk *w, size_t leaf, struct tl_error *err)
{
	struct tl_call_cursor *c = w->cursor;
	const struct tl_leaf_scan *scan = &c->scan;
	uint32_t lowest = 0;
	size_t first;
	int status =
		w->scanned == leaf ? 0 : tl_leaf_read(&c->reader, w->track, leaf, &c->scan, err);

	if (status < 0)
		return status;
	/* Deep calls get their ends below. */
	w->scanned = w->deep ? SIZE_MAX : leaf;
	lowest = tl_leaf_lowest(scan);
	first = lowest < TL_FRAME_ROWS ? TL_FRAME_ROWS - lowest : 0;
	if (w->deep && first < scan->open_count)
		status = tl_cursor_end_calls(c, w->track, leaf, first, err);
	for (size_t i = 0; status == 0 && !w->full && i < scan->call_count; i++) {
		const struct tl_leaf_call *call = &scan->calls[i];

		w->reached = tl_max(w->reached, call->start);
		if (call->depth < TL_FRAME_ROWS ? call->end != TL_NOWHERE : w->deep)
			put_call(w, call);
	}
	if (!w->deep)
		summarize_deep(w, leaf);
	return status;
}

/* Deep calls that began before the first leaf of the window. */
static int put_deep_before(struct window_walk *w, size_t leaf, struct tl_error *err)
{
	struct tl_call_cursor *c = w->cursor;
	uint32_t depth = w->track->leaves[leaf].depth;
	size_t count = tl_excess(depth, TL_FRAME_ROWS);
	int status;

	if (!count || !leaf)
		return 0;
	if (!tl_grow(&c->deep, &c->deep_capacity, count, sizeof(*c->deep)))
		return tl_error_memory(err);
	status = tl_find_begins(&c->reader, w->track, leaf, TL_FRAME_ROWS, c->deep, count,
				&c->other, err);
	if (status == 0)
		status = tl_find_ends(&c->reader, w->track, leaf - 1, TL_FRAME_ROWS, c->deep, count,
				      &c->other, err);
	for (size_t i = 0; status == 0 && i < count; i++)
		put_call(w, &c->deep[i]);
	return status;
}

/* ---- tiles ---- */

static void put_tile(struct window_walk *w, const struct tl_tile_level *level, size_t tile)
{
	struct tl_tile_reader reader;
	struct tl_tile_item item;

	tl_tile_read(&reader, level, tile);
	while (!w->full && tl_tile_read_next(&reader, &item) && item.start < w->to) {
		w->reached = tl_max(w->reached, item.start);
		put_tile_item(w, &item);
	}
}

/* The frames of a tile that cross borders of its children. */
static void put_own(struct window_walk *w, unsigned level, size_t number)
{
	const struct tl_tile_level *l = &w->track->tiles->levels[level];
	uint64_t own_end = number + 1 < l->count ? l->tiles[number + 1].first_own : l->own_count;
	size_t first, end;

	for (uint64_t i = l->tiles[number].first_own; i < own_end; i++)
		put_frame(w, l->own[i]);
	if (level > 1)
		return;
	tl_tile_frames(w->track, level, number, &first, &end);
	for (size_t i = first; i < end; i++)
		if (w->track->frames[i].level == level)
			put_frame(w, (uint32_t)i);
}

/* Calls of the last tile may be open behind its last step. */
static bool touches_tile(const struct window_walk *w, const struct tl_tile_level *l, size_t number)
{
	const struct tl_call_tile *tile = &l->tiles[number];

	return touches(w, tile->from, number + 1 < l->count ? tile->to : w->track->end);
}

static int walk_tile(struct window_walk *w, unsigned level, size_t number, struct tl_error *err)
{
	const struct tl_tile_level *l = &w->track->tiles->levels[level];
	const struct tl_call_tile *tile = &l->tiles[number];
	int status = 0;

	if (!touches_tile(w, l, number) || w->full)
		return 0;
	if (w->pixel >> tile->k && !(w->deep && tile->deep)) {
		put_tile(w, l, number);
		return 0;
	}
	if (!level)
		return put_leaf(w, number, err);
	put_own(w, level, number);
	for (size_t i = 0; status == 0 && i < TL_TILE_FAN; i++) {
		size_t child = number * TL_TILE_FAN + i;

		if (child < w->track->tiles->levels[level - 1].count)
			status = walk_tile(w, level - 1, child, err);
	}
	return status;
}

static int walk_track(struct window_walk *w, struct tl_error *err)
{
	const struct tl_track_tiles *tiles = w->track->tiles;
	struct tl_call_cursor *c = w->cursor;
	size_t first = tl_leaf_before(w->track, w->from), last = tl_leaf_at(w->track, w->to);
	int status;

	c->item_count = 0;
	c->stamp++;
	w->full = false;
	w->reached = 0;
	w->deepest = 0;
	w->deep = !w->banded && w->rows > TL_FRAME_ROWS && last - first < DEEP_LEAVES;
	for (size_t i = 0; i < tiles->unfinished_count; i++)
		put_frame(w, tiles->unfinished[i]);
	status = w->deep ? put_deep_before(w, first, err) : 0;
	if (status == 0)
		status = walk_tile(w, tiles->level_count - 1, 0, err);
	if (status == 0 && c->no_memory)
		return tl_error_memory(err);
	return status;
}

/* ---- what a picture costs ---- */

static bool is_fine(const struct window_walk *w, const struct tl_call_tile *tile)
{
	return w->pixel >> tile->k || tile->k == TL_TILE_NEVER;
}

static uint64_t calls_of_leaf(const struct tl_call_track *track, size_t leaf)
{
	uint64_t end =
		leaf + 1 < track->leaf_count ? track->leaves[leaf + 1].first_call : track->calls;

	return end - track->leaves[leaf].first_call;
}

/* Calls of the leaves that walk_tile() would decode as their tiles are too coarse, up to `most`. */
static uint64_t count_decoded(const struct window_walk *w, unsigned level, size_t number,
			      uint64_t most)
{
	const struct tl_tile_level *l = &w->track->tiles->levels[level];
	const struct tl_call_tile *tile = &l->tiles[number];
	size_t end = (number + 1) * TL_TILE_FAN;
	uint64_t count = 0;

	if (!touches_tile(w, l, number) || is_fine(w, tile))
		return 0;
	if (!level)
		return calls_of_leaf(w->track, number);
	end = tl_min(end, w->track->tiles->levels[level - 1].count);
	for (size_t child = number * TL_TILE_FAN; child < end && count < most; child++)
		count += count_decoded(w, level - 1, child, most - count);
	return count;
}

/* Make the pixel so wide that few calls are decoded. Whether it was. */
static bool spare_leaves(struct window_walk *w)
{
	const unsigned top = w->track->tiles->level_count - 1;
	const uint64_t share = (uint64_t)w->most * w->effort, asked = w->pixel;
	const uint64_t most = tl_max(share, (uint64_t)LEAST_CALLS);

	if (tl_leaf_before(w->track, w->from) == tl_leaf_at(w->track, w->to))
		return false;
	while (w->pixel < UINT64_C(1) << 62 && count_decoded(w, top, 0, most + 1) > most)
		w->pixel = w->pixel ? w->pixel * 2 : 2;
	return w->pixel != asked;
}

/*
 * A wider pixel where there were too many items: as these come in the order of time but for frames,
 * the share of the window that they are of tells how many times as wide it has to be, as a rule.
 */
static void widen(struct window_walk *w)
{
	uint64_t from = tl_max(w->from, w->track->leaves[0].ticks);
	uint64_t all = tl_excess(tl_min(w->to, w->track->ticks), from);
	uint64_t passed = w->reached > from ? w->reached - from : all;
	unsigned bits = 1;

	while (bits < MOST_BITS_WIDER && passed <= all >> (bits + 1))
		bits++;
	w->pixel = tl_max(w->pixel, 1) << bits;
}

/* ---- the answer ---- */

static int compare_items(const void *a, const void *b)
{
	const struct tl_call_item *x = a, *y = b;

	if (x->depth != y->depth)
		return tl_compare(x->depth, y->depth);
	if (x->start != y->start)
		return tl_compare(x->start, y->start);
	if (x->end != y->end)
		return tl_compare(x->end, y->end);
	return tl_compare(x->function, y->function);
}

static int check_query(const struct tl_call_query *query, struct tl_error *err)
{
	if (query->from >= query->to || !query->pixels)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "a window has a width in time and in pixels");
	return 0;
}

int tl_call_cursor_window(struct tl_call_cursor *cursor, const struct tl_call_query *query,
			  struct tl_call_window *window, size_t size, struct tl_error *err)
{
	struct tl_call_query q = { .rows = 0 };
	struct tl_call_window ours = { .coarse = false };
	struct window_walk w = { .cursor = cursor, .scanned = SIZE_MAX };
	int status = tl_take_options(&q, sizeof(q), sizeof(q), query, query->size, err);

	if (status == 0)
		status = check_query(&q, err);
	if (status < 0)
		return status;
	w.track = tl_call_index_at(cursor->index, q.track);
	if (!w.track)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "there is no such track");
	w.from = q.from;
	w.to = q.to;
	w.rows = q.rows ? q.rows : UINT32_MAX;
	w.effort = q.effort ? q.effort : CALLS_OF_ITEM;
	w.most = q.items && q.items < MOST_ITEMS ? q.items : MOST_ITEMS;
	w.pixel = (q.to - q.from) / q.pixels;
	w.pixel = w.pixel > 1 ? w.pixel : 0;
	cursor->item_count = 0;
	ours.coarse = w.track->leaf_count && spare_leaves(&w);
	while (w.track->leaf_count && (status = walk_track(&w, err)) == 0 && w.full &&
	       w.pixel < (UINT64_C(1) << 61)) {
		/* Each row has an item, however wide a pixel is. */
		if (w.deep && w.deepest > w.most / 2)
			w.banded = true;
		else
			widen(&w);
		ours.coarse = true;
	}
	if (status < 0)
		return status;
	if (cursor->item_count)
		qsort(cursor->items, cursor->item_count, sizeof(*cursor->items), compare_items);
	ours.items = cursor->items;
	ours.count = cursor->item_count;
	ours.pixel = w.pixel;
	return tl_give(window, size, sizeof(ours), &ours, sizeof(ours));
}
