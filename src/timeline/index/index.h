/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TIMELINE_INDEX_INDEX_H
#define TL_TIMELINE_INDEX_INDEX_H
/* Tracks with their tiles, and who asks them. */
#include "timeline/index/tiles.h"

/* What those who ask keep beside an index, of whom each has a place. */
enum { TL_KEPT_SUMS, TL_KEPT_FUNCTIONS, TL_KEPT_COUNT };

struct tl_kept {
	void *what; /* NULL: nothing yet */
	void (*free)(void *what);
};

struct tl_call_index {
	struct tl_call_tracks tracks;
	pthread_mutex_t names; /* functions are named one at a time; and for `kept` */
	struct tl_kept kept[TL_KEPT_COUNT];
};

/* One row of an answer: the summary of short calls that is still open. */
struct tl_item_row {
	uint64_t bin, weight;
	size_t item;
	uint32_t function, stamp;
};

struct tl_call_cursor {
	struct tl_call_index *index;
	struct tl_leaf_reader reader;
	struct tl_leaf_scan scan, other;
	struct tl_leaf_call *deep;
	size_t deep_capacity;
	struct tl_call_item *items;
	size_t item_count, item_capacity;
	struct tl_item_row *rows;
	size_t row_capacity;
	uint32_t stamp;
	bool no_memory;
};

/*
 * Build an index. The source is closed with it, and also when this fails. 0 or negative.
 */
int tl_call_index_open(struct tl_call_index **index, const struct tl_call_source *source,
		       struct tl_error *err);

/* The same in two steps: an index without tracks, which closes its source; and its tracks. */
int tl_call_index_begin(struct tl_call_index **index, const struct tl_call_source *source,
			struct tl_error *err);
int tl_call_index_build(struct tl_call_index *index, struct tl_error *err);

/* The track of a number. NULL: there is none. */
const struct tl_call_track *tl_call_index_at(const struct tl_call_index *index, size_t number);

/* The last leaf that begins at or before a time, the first one if none does. */
size_t tl_leaf_at(const struct tl_call_track *track, uint64_t ticks);

/* The first leaf in which a step may be at or behind a time; leaf_count: none is there. */
size_t tl_leaf_before(const struct tl_call_track *track, uint64_t ticks);

/* A call as it is told. */
struct tl_call_item tl_call_item_of(const struct tl_call_track *track,
				    const struct tl_leaf_call *call);

/*
 * Give calls that are open at the end of a leaf, in cursor->scan, their ends: calls[0 .. count) of
 * the scan's open ones from number `first` on. 0 or negative.
 */
int tl_cursor_end_calls(struct tl_call_cursor *cursor, const struct tl_call_track *track,
			size_t leaf, size_t first, struct tl_error *err);
/* The same for one call, by its number in the scan. 0 or negative. */
int tl_cursor_end_call(struct tl_call_cursor *cursor, const struct tl_call_track *track,
		       size_t leaf, size_t number, struct tl_error *err);

/* The calls that are open where a leaf begins, in cursor->deep, by depth. 0 or negative. */
int tl_cursor_open_calls(struct tl_call_cursor *cursor, const struct tl_call_track *track,
			 size_t leaf, struct tl_error *err);
/*
 * The same of their `function` and `flags` alone, for which leaves before it are hardly ever
 * decoded. 0 or negative.
 */
int tl_cursor_open_functions(struct tl_call_cursor *cursor, const struct tl_call_track *track,
			     size_t leaf, struct tl_error *err);

/* Calls that begin before `to` and do not end before `from`. */
struct tl_calls_wanted {
	uint64_t from, to;
	uint32_t function; /* TL_NONE: of all functions */
};

/*
 * Tell the calls of a window, whole, in the order of begin; `self` of all, `end` TL_NOWHERE of
 * unfinished ones. tell() is false without memory. 0 or negative.
 */
int tl_cursor_each_call(struct tl_call_cursor *cursor, const struct tl_call_track *track,
			const struct tl_calls_wanted *wanted,
			bool (*tell)(void *arg, const struct tl_leaf_call *call), void *arg,
			struct tl_error *err);

#endif
