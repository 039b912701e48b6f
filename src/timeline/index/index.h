/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TIMELINE_INDEX_INDEX_H
#define TL_TIMELINE_INDEX_INDEX_H
/* Tracks with their tiles, and who asks them. */
#include "timeline/index/tiles.h"

struct tl_call_index {
	struct tl_call_tracks tracks;
	pthread_mutex_t names; /* functions are named one at a time */
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

/* The track of a number. NULL: there is none. */
const struct tl_call_track *tl_call_index_at(const struct tl_call_index *index, size_t number);

/* The last leaf that begins at or before a time, the first one if none does. */
size_t tl_leaf_at(const struct tl_call_track *track, uint64_t ticks);

/*
 * Give calls that are open at the end of a leaf, in cursor->scan, their ends: calls[0 .. count) of
 * the scan's open ones from number `first` on. 0 or negative.
 */
int tl_cursor_end_calls(struct tl_call_cursor *cursor, const struct tl_call_track *track,
			size_t leaf, size_t first, struct tl_error *err);

#endif
