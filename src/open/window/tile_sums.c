/* SPDX-License-Identifier: Apache-2.0 */
#include "open/window/tile_sums.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "open/input.h"

enum {
	LEVEL = 1,            /* of the tiles whose sums are kept */
	LEAST_LEAVES = 4,     /* of a tile at the end of a track: fewer are decoded in no time */
	MOST_CROSSING = 4096, /* calls that cross the borders of a tile: more are many to pass */
	MOST_BYTES = 64 << 20,
	WIDE_BYTES = 3, /* of rows, for each step: to add them up takes as long as to decode */
};

struct tl_sum_cache {
	struct tl_call_index *index;
	pthread_mutex_t lock; /* of all below */
	struct tl_sums *maker;
	struct tile_list {
		struct tl_tile_sums **tiles; /* NULL: not made; `none`: of no use */
		size_t count;
		bool wide; /* a tile had about as many functions as calls: no more are made */
	} *tracks;
	size_t bytes;
};

/* In place of sums that are not kept. */
static struct tl_tile_sums none;

static void free_tile(struct tl_tile_sums *tile)
{
	if (!tile || tile == &none)
		return;
	free(tile->rows.bytes);
	free(tile->ends);
	free(tile->begins);
	free(tile);
}

static void free_cache(void *arg)
{
	struct tl_sum_cache *cache = arg;

	for (size_t i = 0; cache->tracks && i < cache->index->tracks.count; i++) {
		for (size_t k = 0; k < cache->tracks[i].count; k++)
			free_tile(cache->tracks[i].tiles[k]);
		free(cache->tracks[i].tiles);
	}
	free(cache->tracks);
	tl_sums_free(cache->maker);
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

static struct tl_sum_cache *make_cache(struct tl_call_index *index,
				       struct tl_known_functions *known)
{
	struct tl_sum_cache *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	pthread_mutex_init(&c->lock, NULL);
	c->index = index;
	c->maker = tl_sums_begin(known, false, false);
	c->tracks = calloc(index->tracks.count + 1, sizeof(*c->tracks));
	if (c->maker && c->tracks)
		return c;
	free_cache(c);
	return NULL;
}

int tl_sum_cache_of(struct tl_call_index *index, struct tl_sum_cache **cache, struct tl_error *err)
{
	struct tl_kept *kept = &index->kept[TL_KEPT_SUMS];
	struct tl_known_functions *known;
	int status = tl_known_functions_of(index, &known, err);

	if (status < 0)
		return status;
	pthread_mutex_lock(&index->names);
	if (!kept->what)
		*kept = (struct tl_kept){ make_cache(index, known), free_cache };
	*cache = kept->what;
	pthread_mutex_unlock(&index->names);
	return tl_error_unless_made(*cache != NULL, err);
}

/* ---- making the sums of a tile ---- */

/* The fold counts from nothing on; it keeps its functions. */
static void restart(struct tl_sums *s)
{
	struct tl_flat *flat = &s->flat;

	for (size_t i = 0; i < flat->function_count; i++) {
		flat->hot.rows[i] = (struct tl_flat_row){ 0 };
		tl_latency_free(&flat->hot.latencies[i]);
	}
	flat->frames[0].callees = 0;
	flat->hot.top = flat->frames;
	flat->hot.clock = flat->last = flat->records = 0;
	flat->losses = (struct tl_losses){ 0 };
	flat->started = flat->refused = flat->no_memory = false;
	flat->gate = 0;
	s->status = 0;
}

/* The calls that the tile does not end, from the outermost. False without memory. */
static bool note_begins(struct tl_sums *s, uint64_t begin)
{
	const struct tl_flat_frame *frame = s->flat.frames + s->tile->open;
	struct tl_tile_sums *tile = s->tile;
	size_t count = (size_t)(s->flat.hot.top - frame);

	tile->callees = frame->callees;
	if (!tl_grow(&tile->begins, &tile->begin_capacity, count, sizeof(*tile->begins)))
		return false;
	while (frame++ < s->flat.hot.top)
		tile->begins[tile->begin_count++] = (struct tl_tile_begin){
			.ticks = begin + frame->start,
			.callees = frame->callees,
			.function = s->indexed[frame->function],
			.late = frame->gate == TL_FOLD_NO_ENTRY,
		};
	return true;
}

/* What the maker has counted. 1; 0: it is of no use; or negative. */
static int take_sums(struct tl_sums *s, uint64_t begin, struct tl_error *err)
{
	struct tl_tile_sums *tile = s->tile;
	int status = tl_sums_fault(s, err);

	if (status < 0)
		return status;
	if (s->flat.refused || s->flat.losses.time_reversals)
		return 0;
	tile->to = s->now;
	tile->records = s->flat.records;
	tile->orphan_exits = s->flat.losses.orphan_exits;
	if (!note_begins(s, begin) || !tl_tile_rows_pack(s, &tile->rows))
		return tl_error_memory(err);
	tl_shrink(&tile->rows.bytes, &tile->rows.capacity, tile->rows.size, 1);
	return 1;
}

static int fold_tile(struct tl_sums *s, const struct tl_input *input,
		     const struct tl_call_track *track, size_t first, size_t end,
		     struct tl_error *err)
{
	int status;

	restart(s);
	s->tile->open = track->leaves[first].depth;
	status = tl_sums_open_calls(s, track, first, err);
	for (size_t leaf = first; status == 0 && leaf < end && tl_sums_can_go_on(s); leaf++) {
		status = tl_sums_fold_leaf(s, track, leaf, err);
		if (status == 0)
			status = tl_call_span_progress(input, leaf, track->leaf_count, err);
	}
	return status < 0 ? status : take_sums(s, track->leaves[first].ticks, err);
}

/* Whether few calls cross the borders of the tile. */
static bool is_light(const struct tl_call_track *track, size_t first, size_t end)
{
	uint32_t before = track->leaves[first].depth, lowest = before;
	uint32_t behind = tl_leaf_end_depth(track, end - 1);

	for (size_t leaf = first; leaf < end; leaf++)
		lowest = tl_min(lowest, track->leaves[leaf].lowest);
	return before - lowest < MOST_CROSSING && behind - lowest < MOST_CROSSING;
}

static size_t bytes_of(const struct tl_tile_sums *tile)
{
	return sizeof(*tile) + tile->rows.capacity + tile->end_capacity * sizeof(*tile->ends) +
	       tile->begin_capacity * sizeof(*tile->begins);
}

/* *made is `none` where sums are of no use, or where there is no room for more. 0 or negative. */
static int make_tile(struct tl_sum_cache *cache, struct tl_call_cursor *cursor,
		     const struct tl_input *input, const struct tl_call_track *track, size_t first,
		     size_t end, struct tl_tile_sums **made, struct tl_error *err)
{
	struct tl_tile_sums *tile;
	int status;

	*made = &none;
	if (cache->bytes > MOST_BYTES || cache->tracks[track->number].wide ||
	    !is_light(track, first, end))
		return 0;
	tile = calloc(1, sizeof(*tile));
	if (!tile)
		return tl_error_memory(err);
	cache->maker->cursor = cursor;
	cache->maker->tile = tile;
	status = fold_tile(cache->maker, input, track, first, end, err);
	cache->tracks[track->number].wide |= tile->rows.size > WIDE_BYTES * tile->records;
	if (status == 1 && !cache->tracks[track->number].wide) {
		cache->bytes += bytes_of(tile);
		*made = tile;
	} else {
		free_tile(tile);
	}
	return tl_error_or_end(status);
}

static int find_tile(struct tl_sum_cache *cache, const struct tl_sums *s,
		     const struct tl_input *input, const struct tl_call_track *track, size_t first,
		     size_t end, struct tl_tile_sums **tile, struct tl_error *err)
{
	struct tile_list *list = &cache->tracks[track->number];
	struct tl_tile_sums **place;
	int status = 0;

	if (!list->tiles) {
		list->count = (track->leaf_count + TL_TILE_FAN - 1) / TL_TILE_FAN;
		list->tiles = calloc(list->count, sizeof(*list->tiles));
	}
	if (!list->tiles)
		return tl_error_memory(err);
	place = &list->tiles[first / TL_TILE_FAN];
	if (!*place)
		status = make_tile(cache, s->cursor, input, track, first, end, place, err);
	if (status < 0)
		*place = NULL;
	*tile = *place;
	return status;
}

/* ---- passing one ---- */

static void pass_crossing(struct tl_sums *s, const struct tl_tile_sums *tile)
{
	struct tl_flat_hot *h = &s->flat.hot;

	for (size_t i = 0; i < tile->end_count; i++) {
		tl_sums_pass_time(s, tile->ends[i].ticks);
		h->top->callees += tile->ends[i].callees;
		tl_flat_end_call(&s->flat, tile->ends[i].flags & TL_CALL_CUT);
	}
	h->top->callees += tile->callees;
	for (size_t i = 0; i < tile->begin_count && tl_sums_can_go_on(s); i++) {
		const struct tl_tile_begin *begin = &tile->begins[i];

		tl_sums_pass_time(s, begin->ticks);
		tl_sums_begin_call(s, begin->function, begin->late ? TL_CALL_LATE : 0);
		h->top->callees += begin->callees;
	}
	tl_sums_pass_time(s, tile->to);
}

static void pass_tile(const struct tl_sum_cache *cache, struct tl_sums *s,
		      const struct tl_tile_sums *tile)
{
	pass_crossing(s, tile);
	tl_tile_rows_add(&tile->rows, cache->maker, s);
	s->flat.records += tile->records;
	s->flat.losses.orphan_exits += tile->orphan_exits;
}

int tl_sum_cache_pass(struct tl_sum_cache *cache, struct tl_sums *s, const struct tl_input *input,
		      const struct tl_call_track *track, size_t leaf, size_t *passed,
		      struct tl_error *err)
{
	struct tl_tile_sums *tile = &none;
	size_t first, end;
	int status;

	*passed = 0;
	if (leaf % TL_TILE_FAN || s->now < s->span.from || !s->flat.started)
		return 0;
	tl_tile_leaves(track, LEVEL, leaf / TL_TILE_FAN, &first, &end);
	if (end - first < LEAST_LEAVES || tl_leaf_end_ticks(track, end - 1) >= s->span.to)
		return 0;
	pthread_mutex_lock(&cache->lock);
	status = find_tile(cache, s, input, track, first, end, &tile, err);
	if (status == 0 && tile != &none) {
		pass_tile(cache, s, tile);
		*passed = end - first;
	}
	pthread_mutex_unlock(&cache->lock);
	return status;
}
