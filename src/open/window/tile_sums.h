/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_WINDOW_TILE_SUMS_H
#define TL_OPEN_WINDOW_TILE_SUMS_H
/*
 * Sums of functions over whole tiles of a track, kept beside an index once a window has had them:
 * a table of a long window is a few of these and the leaves at its edges, which are decoded again.
 *
 * A call that lies inside of a tile counts alike in each window that has the tile in it. A call
 * that crosses a border of the tile may be cut by the window; so of these only the steps are kept,
 * and the ticks in calls that lie inside right below them, which are not their own.
 */
#include "open/window/sums.h"

/* A call from before the tile ends in it. */
struct tl_tile_end {
	uint64_t ticks, callees; /* when; ticks of the tile in calls right below it */
	uint8_t flags;           /* of the step */
};

/* A call begins that the tile does not end. */
struct tl_tile_begin {
	uint64_t ticks, callees;
	uint32_t function; /* of the index */
	bool late;
};

struct tl_tile_sums {
	struct tl_packed rows; /* functions with calls inside of the tile (tile_rows.c) */
	struct tl_tile_end *ends;
	struct tl_tile_begin *begins;
	size_t end_count, end_capacity, begin_count, begin_capacity;
	uint64_t callees; /* right below the innermost call that is open all along */
	uint64_t to;      /* ticks of the last step */
	uint64_t records, orphan_exits;
	uint32_t open; /* calls from before the tile that have not ended yet, while it is made */
};

/* ---- rows (tile_rows.c) ---- */

/* Pack what the fold has counted. False without memory. */
bool tl_tile_rows_pack(const struct tl_sums *s, struct tl_packed *rows);
/*
 * Count rows that were packed by `from` in other sums, whose `no_memory`, `refused` or `status`
 * tells what failed.
 */
void tl_tile_rows_add(const struct tl_packed *rows, const struct tl_sums *from, struct tl_sums *to);

/* ---- the cache ---- */

struct tl_sum_cache;

/* The cache of an index, made when it is first asked for. 0 or negative. */
int tl_sum_cache_of(struct tl_call_index *index, struct tl_sum_cache **cache, struct tl_error *err);
/*
 * Pass a tile that begins with a leaf and lies in the window: *passed are its leaves, 0 if there is
 * none, or if its leaves are as quickly decoded. `s` is that of a table. 0 or negative.
 */
int tl_sum_cache_pass(struct tl_sum_cache *cache, struct tl_sums *s, const struct tl_input *input,
		      const struct tl_call_track *track, size_t leaf, size_t *passed,
		      struct tl_error *err);

#endif
