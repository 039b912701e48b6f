/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/index/index.h"

#include <stdlib.h>

#include "core/error.h"
#include "core/sized.h"

int tl_call_index_begin(struct tl_call_index **index, const struct tl_call_source *source,
			struct tl_error *err)
{
	*index = calloc(1, sizeof(**index));
	if (!*index) {
		if (source->ops->close)
			source->ops->close(source->handle);
		return tl_error_memory(err);
	}
	pthread_mutex_init(&(*index)->names, NULL);
	tl_call_tracks_begin(&(*index)->tracks, source, &tl_tile_watch);
	return 0;
}

int tl_call_index_build(struct tl_call_index *index, struct tl_error *err)
{
	const struct tl_call_source *source = &index->tracks.source;

	return source->ops->build(source->handle, &index->tracks, err);
}

int tl_call_index_open(struct tl_call_index **index, const struct tl_call_source *source,
		       struct tl_error *err)
{
	int status = tl_call_index_begin(index, source, err);

	if (status == 0)
		status = tl_call_index_build(*index, err);
	if (status < 0) {
		tl_call_index_close(*index);
		*index = NULL;
	}
	return status;
}

void tl_call_index_close(struct tl_call_index *index)
{
	if (!index)
		return;
	for (size_t i = 0; i < TL_KEPT_COUNT; i++)
		if (index->kept[i].what)
			index->kept[i].free(index->kept[i].what);
	tl_call_tracks_free(&index->tracks);
	pthread_mutex_destroy(&index->names);
	free(index);
}

int tl_call_index_info(const struct tl_call_index *index, struct tl_calls_info *info, size_t size)
{
	const struct tl_call_source *source = &index->tracks.source;
	const struct tl_calls_info ours = { source->frequency, source->origin, source->clock,
					    source->numbered, source->profiled };

	return tl_give(info, size, TL_CALLS_INFO_FIRST, &ours, sizeof(ours));
}

int tl_call_index_function(struct tl_call_index *index, uint32_t number,
			   struct tl_call_function *function, size_t size, struct tl_error *err)
{
	struct tl_call_source *source = &index->tracks.source;
	struct tl_call_function ours = { .name = "" };
	int status;

	pthread_mutex_lock(&index->names);
	status = source->ops->function(source->handle, number, &ours, err);
	pthread_mutex_unlock(&index->names);
	if (status < 0)
		return status;
	return tl_give(function, size, sizeof(ours), &ours, sizeof(ours));
}

/* ---- tracks ---- */

const struct tl_call_track *tl_call_index_at(const struct tl_call_index *index, size_t number)
{
	return number < index->tracks.count ? index->tracks.list[number] : NULL;
}

static uint64_t memory_of(const struct tl_call_track *track)
{
	const struct tl_track_tiles *tiles = track->tiles;
	uint64_t bytes = sizeof(*track) + track->leaf_capacity * sizeof(*track->leaves) +
			 track->group_capacity * sizeof(*track->groups) +
			 track->frame_capacity * sizeof(*track->frames) +
			 track->gaps.capacity * sizeof(*track->gaps.list);

	if (!tiles)
		return bytes;
	bytes += sizeof(*tiles) + tiles->unfinished_capacity * sizeof(*tiles->unfinished);
	for (unsigned i = 0; i < tiles->level_count; i++)
		bytes += sizeof(*tiles->levels) +
			 tiles->levels[i].capacity * sizeof(struct tl_call_tile) +
			 tiles->levels[i].items.capacity +
			 tiles->levels[i].own_capacity * sizeof(*tiles->levels[i].own);
	return bytes;
}

int tl_call_index_track(const struct tl_call_index *index, size_t number,
			struct tl_call_track_info *info, size_t size)
{
	const struct tl_call_track *track = tl_call_index_at(index, number);
	struct tl_call_track_info ours = { 0 };
	int status;

	if (!track)
		return 0;
	ours.process = track->process;
	ours.thread = track->thread;
	ours.first = track->leaf_count ? track->leaves[0].ticks : 0;
	ours.last = track->end;
	ours.calls = track->calls;
	ours.index_bytes = memory_of(track);
	ours.gaps = track->gaps.count;
	status = tl_give(info, size, TL_SIZE_UP_TO(struct tl_call_track_info, index_bytes), &ours,
			 sizeof(ours));
	if (status < 0)
		return status;
	return 1;
}

int tl_call_index_gap(const struct tl_call_index *index, size_t track, size_t number,
		      struct tl_call_gap *gap, size_t size)
{
	const struct tl_call_track *t = tl_call_index_at(index, track);
	int status;

	if (!t || number >= t->gaps.count)
		return 0;
	status = tl_give(gap, size, sizeof(*gap), &t->gaps.list[number], sizeof(*gap));
	if (status < 0)
		return status;
	return 1;
}

size_t tl_leaf_at(const struct tl_call_track *track, uint64_t ticks)
{
	size_t low = 0, high = track->leaf_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (track->leaves[middle].ticks <= ticks)
			low = middle;
		else
			high = middle;
	}
	return low;
}

size_t tl_leaf_before(const struct tl_call_track *track, uint64_t ticks)
{
	size_t leaf = track->leaf_count ? tl_leaf_at(track, ticks) : 0;

	/* A leaf that ends at this time has steps of this time. */
	while (leaf && track->leaves[leaf].ticks >= ticks)
		leaf--;
	return leaf;
}

/* ---- cursors ---- */

int tl_call_cursor_open(struct tl_call_cursor **cursor, struct tl_call_index *index,
			struct tl_error *err)
{
	*cursor = calloc(1, sizeof(**cursor));
	if (!*cursor)
		return tl_error_memory(err);
	(*cursor)->index = index;
	(*cursor)->reader.tracks = &index->tracks;
	return 0;
}

void tl_call_cursor_close(struct tl_call_cursor *cursor)
{
	if (!cursor)
		return;
	tl_leaf_reader_free(&cursor->reader);
	tl_leaf_scan_free(&cursor->scan);
	tl_leaf_scan_free(&cursor->other);
	free(cursor->deep);
	free(cursor->items);
	free(cursor->rows);
	free(cursor);
}

int tl_cursor_end_calls(struct tl_call_cursor *cursor, const struct tl_call_track *track,
			size_t leaf, size_t first, struct tl_error *err)
{
	const struct tl_leaf_scan *scan = &cursor->scan;
	size_t count = scan->open_count - first;
	int status;

	if (!count)
		return 0;
	if (!tl_grow(&cursor->deep, &cursor->deep_capacity, count, sizeof(*cursor->deep)))
		return tl_error_memory(err);
	for (size_t i = 0; i < count; i++)
		cursor->deep[i] = scan->calls[scan->open[first + i]];
	status = tl_find_ends(&cursor->reader, track, leaf, cursor->deep[0].depth, cursor->deep,
			      count, &cursor->other, err);
	for (size_t i = 0; status == 0 && i < count; i++)
		scan->calls[scan->open[first + i]] = cursor->deep[i];
	return status;
}

int tl_cursor_end_call(struct tl_call_cursor *cursor, const struct tl_call_track *track,
		       size_t leaf, size_t number, struct tl_error *err)
{
	struct tl_leaf_call *call = &cursor->scan.calls[number];
	uint32_t open = call->depth - tl_leaf_lowest(&cursor->scan);
	const struct tl_call_frame *frame;

	if (call->depth >= TL_FRAME_ROWS)
		return tl_cursor_end_calls(cursor, track, leaf, open, err);
	frame = &track->frames[track->leaves[leaf].first_frame + open];
	call->end = frame->end;
	call->self = frame->self;
	call->flags = frame->flags;
	return 0;
}

struct tl_call_item tl_call_item_of(const struct tl_call_track *track,
				    const struct tl_leaf_call *call)
{
	return (struct tl_call_item){
		.start = call->start,
		.end = call->end,
		.busy = (call->end == TL_NOWHERE ? track->end : call->end) - call->start,
		.self = call->self,
		.depth = call->depth,
		.function = call->function,
		.flags = call->flags,
	};
}
