/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TIMELINE_INDEX_TILES_H
#define TL_TIMELINE_INDEX_TILES_H
/*
 * The levels of detail of a track: a tree over its leaves, each node a tile of at most
 * TL_TILE_ITEMS items, and fewer where there are few steps, so that an index is a small share of
 * short threads, too. A tile has the calls inside of its leaves that last at least 2^k ticks as
 * they are; shorter ones are cells: those of a row that begin in the same 2^(k+2) ticks, as one
 * item. k is the least one with which the items are few enough, so that a tile is as fine as its
 * part of the trace allows. A tile with k = TL_TILE_NEVER answers nothing.
 *
 * Rows are depths; all from TL_FRAME_ROWS on are one row, whose cells tell how busy they are.
 */
#include "timeline/calls/tracks.h"

enum {
	TL_TILE_ITEMS = 256,
	TL_TILE_STEPS = 40,   /* of a leaf have one item at most */
	TL_TILE_FRAME = 4,    /* a frame takes the room of so many items */
	TL_TILE_SHARE = 8,    /* items of its children, of which a tile has one at most */
	TL_TILE_CALLS = 2048, /* a track of no more has no items */
	TL_TILE_NEVER = 63,
	TL_TILE_FAN = 16,                 /* children of a tile */
	TL_TILE_ROWS = TL_FRAME_ROWS + 1, /* the last one is that of all deeper calls */
	TL_TILE_LEVELS = 9,               /* enough for 16^8 leaves */
	TL_CELL_BITS = 2,                 /* a cell is 2^(k + 2) ticks wide */
	TL_BUSY_BITS = 4,                 /* busy times of cells are kept in 2^(k - 4) ticks */
};

struct tl_tile_item {
	uint64_t start;
	uint64_t ticks;    /* duration of the call; of a cell, that of all its calls, rounded */
	uint32_t function; /* of a cell, the one with most of the time */
	uint32_t count;    /* calls of a cell; 0: a call as it is */
	uint32_t row;
	uint8_t bits; /* while a tile is made: bits of `ticks`; 0: what is a cell at any k */
};

struct tl_tile_items {
	struct tl_tile_item *list;
	size_t count, capacity;
};

struct tl_call_tile {
	uint64_t from, to;  /* ticks of its leaves */
	uint64_t items;     /* its items as bytes, up to those of the next tile */
	uint64_t first_own; /* its own frames, up to those of the next tile */
	uint64_t functions; /* bits of a Bloom filter, of the functions that begin in it */
	uint8_t k;
	bool deep; /* there are calls in rows from TL_FRAME_ROWS on */
};

struct tl_tile_level {
	struct tl_call_tile *tiles;
	size_t count, capacity;
	struct tl_packed items;
	/*
	 * Numbers of frames: calls in one tile that cross the borders of its children. Those of
	 * level 1 are not here, as most frames of its leaves are: tl_tile_frames() and their level
	 * tell them.
	 */
	uint32_t *own;
	size_t own_count, own_capacity;
};

/* Merges items of a row into cells, one tile at a time. */
struct tl_cell_row {
	uint64_t bin; /* of the cell that is open */
	uint64_t ticks, weight;
	size_t item;
	uint32_t function; /* leads by `weight` ticks, as far as that is known */
	uint32_t count;
};

struct tl_tile_scratch {
	struct tl_tile_items in, out, own;
	uint64_t from; /* ticks of the tile */
	struct tl_cell_row rows[TL_TILE_ROWS];
	int last_k[TL_TILE_LEVELS]; /* of the tile before: neighbours are alike */
};

struct tl_track_tiles {
	struct tl_tile_level *levels;
	unsigned level_count;
	uint32_t *unfinished; /* frames of the track whose calls do not end */
	size_t unfinished_count, unfinished_capacity;
	struct tl_tile_scratch *scratch; /* while it is built */
};

/* The bit of a function. */
static inline uint64_t tl_function_bit(uint32_t function)
{
	return UINT64_C(1) << (function * UINT32_C(0x9e3779b1) >> 26);
}

/* Makes the tiles of tracks when they are built: for tl_call_tracks_begin(). */
extern const struct tl_track_watch tl_tile_watch;

/* Tiles of a track, with one more level each time; without any scratch. NULL without memory. */
struct tl_track_tiles *tl_tiles_begin(struct tl_call_track *track);
struct tl_tile_level *tl_tiles_grow(struct tl_track_tiles *tiles);
/* Leaves of a tile: [*first, *end). */
void tl_tile_leaves(const struct tl_call_track *track, unsigned level, size_t tile, size_t *first,
		    size_t *end);
/* The frames that begin in a tile: [*first, *end). */
void tl_tile_frames(const struct tl_call_track *track, unsigned level, size_t tile, size_t *first,
		    size_t *end);
/* Note which frames of the track do not end. False without memory. */
bool tl_tiles_note_unfinished(struct tl_call_track *track);

/* ---- items (tile_items.c) ---- */

/* Append an item. False without memory. */
bool tl_tile_items_put(struct tl_tile_items *items, struct tl_tile_item item);
/*
 * Make scratch->out of scratch->in, sorted by start, as fine as `most` items or a few in each row
 * allow, but not finer than `least`. Returns k, negative without memory.
 */
int tl_tile_items_thin(struct tl_tile_scratch *scratch, unsigned level, int least, size_t most);
/* Pack the items of a tile that begins at `from`. False without memory. */
bool tl_tile_items_pack(const struct tl_tile_items *items, uint64_t from, int k,
			struct tl_packed *packed);

/* Unpacks the items of a tile, one after the other. */
struct tl_tile_reader {
	struct tl_cursor cur;
	uint64_t start;
	int busy_shift;
};

void tl_tile_read(struct tl_tile_reader *reader, const struct tl_tile_level *level, size_t tile);
/* False: there is no further item. */
bool tl_tile_read_next(struct tl_tile_reader *reader, struct tl_tile_item *item);

#endif
