/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles are made while a track is built: those of leaves one by one, those above at its end. */
#include "timeline/index/tiles.h"

#include <stdlib.h>

#include "core/arithmetic.h"

/* ---- the tile of a leaf ---- */

/*
 * Calls deeper than rows are kept: those of the first such depth tell how long, the others only how
 * many. What of them crosses a border of leaves is shown in each leaf by its share.
 */
static bool put_deep(struct tl_tile_items *in, const struct tl_leaf_call *call, uint64_t end)
{
	uint64_t ticks = call->depth > TL_FRAME_ROWS ? 0
			 : call->end == TL_NOWHERE   ? end - call->start
						     : call->end - call->start;

	return tl_tile_items_put(in, (struct tl_tile_item){ .start = call->start,
							    .ticks = ticks,
							    .function = call->function,
							    .count = 1,
							    .row = TL_FRAME_ROWS });
}

/* The share in the leaf of a deep call that began before it; its function is not known here. */
static bool put_deep_outer(struct tl_tile_items *in, const struct tl_leaf_scan *scan, uint64_t from,
			   uint64_t to)
{
	uint64_t end = to;

	if (scan->depth <= TL_FRAME_ROWS)
		return true;
	if (tl_leaf_lowest(scan) <= TL_FRAME_ROWS)
		end = scan->ends[scan->depth - 1 - TL_FRAME_ROWS].ticks;
	return tl_tile_items_put(in, (struct tl_tile_item){ .start = from,
							    .ticks = end - from,
							    .function = TL_NONE,
							    .count = 1,
							    .row = TL_FRAME_ROWS });
}

static bool put_calls(struct tl_tile_items *in, const struct tl_leaf_scan *scan,
		      struct tl_call_tile *tile)
{
	in->count = 0;
	tile->deep = scan->depth > TL_FRAME_ROWS;
	if (!tl_grow(&in->list, &in->capacity, scan->call_count + 1, sizeof(*in->list)) ||
	    !put_deep_outer(in, scan, tile->from, tile->to))
		return false;
	for (size_t i = 0; i < scan->call_count; i++) {
		const struct tl_leaf_call *call = &scan->calls[i];

		tile->functions |= tl_function_bit(call->function);
		if (__builtin_expect(call->depth >= TL_FRAME_ROWS, 0)) {
			tile->deep = true;
			if (!put_deep(in, call, tile->to))
				return false;
		} else if (call->end != TL_NOWHERE) {
			in->list[in->count++] = (struct tl_tile_item){
				.start = call->start,
				.ticks = call->end - call->start,
				.function = call->function,
				.row = call->depth,
			};
		}
	}
	return true;
}

/* The items of scratch->in become those of a tile, which is appended to its level. */
static bool append_tile(struct tl_track_tiles *tiles, unsigned level, struct tl_call_tile *tile,
			int least, size_t most)
{
	struct tl_tile_level *to = &tiles->levels[level];
	int k;

	tiles->scratch->from = tile->from;
	k = tl_tile_items_thin(tiles->scratch, level, least, most);
	if (k < 0 || !tl_grow(&to->tiles, &to->capacity, to->count + 1, sizeof(*tile)))
		return false;
	tile->k = (uint8_t)k;
	tile->items = to->items.size;
	if (!tl_tile_items_pack(&tiles->scratch->out, tile->from, k, &to->items))
		return false;
	to->tiles[to->count++] = *tile;
	return true;
}

struct tl_tile_level *tl_tiles_grow(struct tl_track_tiles *tiles)
{
	struct tl_tile_level *levels =
		realloc(tiles->levels, (tiles->level_count + 1) * sizeof(*levels));

	if (!levels)
		return NULL;
	tiles->levels = levels;
	levels += tiles->level_count++;
	*levels = (struct tl_tile_level){ .count = 0 };
	return levels;
}

struct tl_track_tiles *tl_tiles_begin(struct tl_call_track *track)
{
	track->tiles = calloc(1, sizeof(*track->tiles));
	return track->tiles;
}

static bool begin_tiles(struct tl_call_track *track)
{
	if (!tl_tiles_begin(track))
		return false;
	track->tiles->scratch = calloc(1, sizeof(*track->tiles->scratch));
	return track->tiles->scratch && tl_tiles_grow(track->tiles);
}

static size_t steps_of(const struct tl_leaf_scan *scan)
{
	return 2 * scan->call_count - scan->open_count + scan->end_count;
}

/* Items and frames of a leaf share their room: where many calls cross its end it has less items. */
static size_t most_of_leaf(const struct tl_call_track *track, const struct tl_leaf_scan *scan)
{
	const uint64_t first = track->leaves[track->leaf_count - 1].first_frame;
	size_t frames = (size_t)(track->frame_count - first);
	size_t most = tl_min(steps_of(scan) / TL_TILE_STEPS, TL_TILE_ITEMS);

	return most - tl_min(most, TL_TILE_FRAME * frames);
}

static bool add_leaf(struct tl_call_track *track, const struct tl_leaf_scan *scan)
{
	struct tl_call_tile tile = { .from = track->leaves[track->leaf_count - 1].ticks,
				     .to = scan->ticks };

	return (track->tiles || begin_tiles(track)) &&
	       put_calls(&track->tiles->scratch->in, scan, &tile) &&
	       append_tile(track->tiles, 0, &tile, 0, most_of_leaf(track, scan));
}

/* A track of one leaf with few calls is decoded again as quickly as its items are read. */
static void drop_short(struct tl_call_track *track)
{
	struct tl_tile_level *level = &track->tiles->levels[0];

	if (level->count != 1 || track->calls > TL_TILE_CALLS)
		return;
	level->tiles[0].k = TL_TILE_NEVER;
	level->items.size = 0;
}

/* ---- the tiles above ---- */

void tl_tile_leaves(const struct tl_call_track *track, unsigned level, size_t tile, size_t *first,
		    size_t *end)
{
	size_t size = (size_t)1 << 4 * level;

	*first = tile * size;
	*end = track->leaf_count - *first < size ? track->leaf_count : *first + size;
}

void tl_tile_frames(const struct tl_call_track *track, unsigned level, size_t tile, size_t *first,
		    size_t *end)
{
	size_t first_leaf, end_leaf;

	tl_tile_leaves(track, level, tile, &first_leaf, &end_leaf);
	*first = (size_t)track->leaves[first_leaf].first_frame;
	*end = end_leaf < track->leaf_count ? (size_t)track->leaves[end_leaf].first_frame
					    : track->frame_count;
}

/* Own frames among the items of children, both in the order of their begin. */
static bool merge_own(struct tl_tile_scratch *s)
{
	struct tl_tile_items *in = &s->in;
	size_t left = in->count, own = s->own.count;

	if (!tl_grow(&in->list, &in->capacity, left + own + 1, sizeof(*in->list)))
		return false;
	in->count += own;
	while (own) {
		bool is_own = !left || in->list[left - 1].start <= s->own.list[own - 1].start;

		in->list[left + own - 1] = is_own ? s->own.list[own - 1] : in->list[left - 1];
		own -= is_own;
		left -= !is_own;
	}
	return true;
}

static bool note_own(struct tl_tile_level *to, size_t frame)
{
	if (!tl_grow(&to->own, &to->own_capacity, to->own_count + 1, sizeof(*to->own)))
		return false;
	to->own[to->own_count++] = (uint32_t)frame;
	return true;
}

/* The frames that begin in a tile and end in it, but not in a child: it is the lowest such tile. */
static bool put_own(struct tl_call_track *track, unsigned level, size_t number,
		    struct tl_call_tile *tile)
{
	struct tl_tile_level *to = &track->tiles->levels[level];
	struct tl_tile_items *own = &track->tiles->scratch->own;
	size_t first, end;

	tl_tile_frames(track, level, number, &first, &end);
	tile->first_own = to->own_count;
	for (size_t i = first; i < end; i++) {
		struct tl_call_frame *frame = &track->frames[i];

		if (frame->level || frame->end > tile->to)
			continue;
		frame->level = (uint8_t)level;
		if (!tl_tile_items_put(own,
				       (struct tl_tile_item){ .start = frame->start,
							      .ticks = frame->end - frame->start,
							      .function = frame->function,
							      .row = frame->depth }))
			return false;
		if (level > 1 && !note_own(to, i))
			return false;
	}
	return true;
}

static bool put_children(struct tl_track_tiles *tiles, unsigned level, size_t first, size_t end,
			 struct tl_call_tile *tile, int *least)
{
	const struct tl_tile_level *below = &tiles->levels[level - 1];
	struct tl_tile_reader reader;
	struct tl_tile_item item;

	for (size_t i = first; i < end; i++) {
		const struct tl_call_tile *child = &below->tiles[i];

		tile->functions |= child->functions;
		tile->deep |= child->deep;
		*least = tl_max(child->k, *least);
		tl_tile_read(&reader, below, i);
		while (tl_tile_read_next(&reader, &item))
			if (!tl_tile_items_put(&tiles->scratch->in, item))
				return false;
	}
	return true;
}

/* How many items a tile may have that is made of scratch->in. */
static size_t most_items(const struct tl_tile_scratch *scratch)
{
	size_t share = scratch->in.count / TL_TILE_SHARE;

	return tl_min(share, TL_TILE_ITEMS);
}

static bool add_level(struct tl_call_track *track)
{
	struct tl_track_tiles *tiles = track->tiles;
	unsigned level = tiles->level_count;
	const struct tl_tile_level *below;

	if (!tl_tiles_grow(tiles))
		return false;
	below = &tiles->levels[level - 1];
	for (size_t first = 0; first < below->count; first += TL_TILE_FAN) {
		size_t end =
			below->count - first < TL_TILE_FAN ? below->count : first + TL_TILE_FAN;
		struct tl_call_tile tile = { .from = below->tiles[first].from,
					     .to = below->tiles[end - 1].to };
		int least = 0;

		tiles->scratch->in.count = tiles->scratch->own.count = 0;
		if (!put_children(tiles, level, first, end, &tile, &least) ||
		    !put_own(track, level, first / TL_TILE_FAN, &tile))
			return false;
		if (!merge_own(tiles->scratch) ||
		    !append_tile(tiles, level, &tile, least, most_items(tiles->scratch)))
			return false;
	}
	return true;
}

bool tl_tiles_note_unfinished(struct tl_call_track *track)
{
	struct tl_track_tiles *tiles = track->tiles;

	for (size_t i = 0; i < track->frame_count; i++) {
		if (track->frames[i].end != TL_NOWHERE)
			continue;
		if (!tl_grow(&tiles->unfinished, &tiles->unfinished_capacity,
			     tiles->unfinished_count + 1, sizeof(*tiles->unfinished)))
			return false;
		tiles->unfinished[tiles->unfinished_count++] = (uint32_t)i;
	}
	return true;
}

static void free_scratch(struct tl_track_tiles *tiles)
{
	if (!tiles->scratch)
		return;
	free(tiles->scratch->in.list);
	free(tiles->scratch->out.list);
	free(tiles->scratch->own.list);
	free(tiles->scratch);
	tiles->scratch = NULL;
}

/* Arrays have grown by half: of many short tracks, that is more than what they hold. */
static void shrink_tiles(struct tl_track_tiles *tiles)
{
	for (unsigned i = 0; i < tiles->level_count; i++) {
		struct tl_tile_level *level = &tiles->levels[i];

		tl_shrink(&level->tiles, &level->capacity, level->count, sizeof(*level->tiles));
		tl_shrink(&level->items.bytes, &level->items.capacity, level->items.size, 1);
		tl_shrink(&level->own, &level->own_capacity, level->own_count, sizeof(*level->own));
	}
	tl_shrink(&tiles->unfinished, &tiles->unfinished_capacity, tiles->unfinished_count,
		  sizeof(*tiles->unfinished));
}

static bool end_track(struct tl_call_track *track)
{
	struct tl_track_tiles *tiles = track->tiles;
	bool built = true;

	if (!tiles)
		return true;
	drop_short(track);
	while (built && tiles->levels[tiles->level_count - 1].count > 1 &&
	       tiles->level_count < TL_TILE_LEVELS)
		built = add_level(track);
	free_scratch(tiles);
	built = built && tl_tiles_note_unfinished(track);
	shrink_tiles(tiles);
	return built;
}

static void free_tiles(struct tl_call_track *track)
{
	struct tl_track_tiles *tiles = track->tiles;

	if (!tiles)
		return;
	for (unsigned i = 0; i < tiles->level_count; i++) {
		free(tiles->levels[i].tiles);
		free(tiles->levels[i].items.bytes);
		free(tiles->levels[i].own);
	}
	free_scratch(tiles);
	free(tiles->levels);
	free(tiles->unfinished);
	free(tiles);
	track->tiles = NULL;
}

const struct tl_track_watch tl_tile_watch = { add_leaf, end_track, free_tiles };
