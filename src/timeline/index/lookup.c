/* SPDX-License-Identifier: Apache-2.0 */
/* The stack at a time; the calls of a function, one after the other. */
#include <stdlib.h>

#include "core/error.h"
#include "core/sized.h"
#include "timeline/index/index.h"

int tl_call_cursor_stack(struct tl_call_cursor *cursor, size_t track, uint64_t ticks,
			 struct tl_call_window *window, size_t size, struct tl_error *err)
{
	const struct tl_call_query query = { .size = sizeof(query),
					     .track = track,
					     .from = ticks,
					     .to = ticks < UINT64_MAX ? ticks + 1 : ticks,
					     .pixels = 1 };
	struct tl_call_window all = { .count = 0 };
	int status = tl_call_cursor_window(cursor, &query, &all, sizeof(all), err);
	size_t count = 0;

	if (status < 0)
		return status;
	/* A call that ends at a time is not open there; one of no duration never is. */
	for (size_t i = 0; i < all.count; i++)
		if (cursor->items[i].end > ticks)
			cursor->items[count++] = cursor->items[i];
	all.count = count;
	return tl_give(window, size, sizeof(all), &all, sizeof(all));
}

/* ---- calls of a function ---- */

/* Leaves from `leaf` on in which the function does not begin, by the largest tile that says so. */
static size_t skip_forward(const struct tl_call_track *track, size_t leaf, uint64_t bit)
{
	for (unsigned level = track->tiles->level_count; level-- > 0;) {
		size_t size = (size_t)1 << 4 * level;

		if (leaf % size == 0 &&
		    !(track->tiles->levels[level].tiles[leaf / size].functions & bit))
			return size;
	}
	return 0;
}

/* The same for the leaves up to `leaf`. */
static size_t skip_back(const struct tl_call_track *track, size_t leaf, uint64_t bit)
{
	for (unsigned level = track->tiles->level_count; level-- > 0;) {
		size_t size = (size_t)1 << 4 * level;

		if ((leaf + 1) % size == 0 &&
		    !(track->tiles->levels[level].tiles[leaf / size].functions & bit))
			return size;
	}
	return 0;
}

static int give_call(struct tl_call_cursor *c, const struct tl_call_track *track, size_t leaf,
		     size_t number, struct tl_call_item *item, size_t size, struct tl_error *err)
{
	struct tl_leaf_call *call = &c->scan.calls[number];
	struct tl_call_item ours;
	size_t open = 0;
	int status = 0;

	if (call->end == TL_NOWHERE && call->depth < TL_FRAME_ROWS) {
		uint64_t frame =
			track->leaves[leaf].first_frame + call->depth - tl_leaf_lowest(&c->scan);

		call->end = track->frames[frame].end;
		call->self = track->frames[frame].self;
		call->flags = track->frames[frame].flags;
	} else if (call->end == TL_NOWHERE) {
		open = call->depth - tl_leaf_lowest(&c->scan);
		status = tl_cursor_end_calls(c, track, leaf, open, err);
	}
	if (status < 0)
		return status;
	ours = (struct tl_call_item){
		.start = call->start,
		.end = call->end,
		.busy = (call->end == TL_NOWHERE ? track->ticks : call->end) - call->start,
		.self = call->self,
		.depth = call->depth,
		.function = call->function,
		.flags = call->flags,
	};
	status = tl_give(item, size, sizeof(ours), &ours, sizeof(ours));
	return status < 0 ? status : 1;
}

static int no_track(struct tl_error *err)
{
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "there is no such track");
}

int tl_call_cursor_next(struct tl_call_cursor *cursor, size_t track_number, uint32_t function,
			uint64_t ticks, struct tl_call_item *item, size_t size,
			struct tl_error *err)
{
	const struct tl_call_track *track = tl_call_index_at(cursor->index, track_number);
	uint64_t bit = tl_function_bit(function);
	size_t leaf, skip;

	if (!track)
		return no_track(err);
	leaf = track->leaf_count ? tl_leaf_at(track, ticks) : 0;
	while (leaf && track->leaves[leaf].ticks >= ticks)
		leaf--;
	for (; leaf < track->leaf_count; leaf += skip ? skip : 1) {
		int status;

		skip = skip_forward(track, leaf, bit);
		if (skip)
			continue;
		status = tl_leaf_read(&cursor->reader, track, leaf, &cursor->scan, err);
		if (status < 0)
			return status;
		for (size_t i = 0; i < cursor->scan.call_count; i++)
			if (cursor->scan.calls[i].function == function &&
			    cursor->scan.calls[i].start >= ticks)
				return give_call(cursor, track, leaf, i, item, size, err);
	}
	return 0;
}

int tl_call_cursor_previous(struct tl_call_cursor *cursor, size_t track_number, uint32_t function,
			    uint64_t ticks, struct tl_call_item *item, size_t size,
			    struct tl_error *err)
{
	const struct tl_call_track *track = tl_call_index_at(cursor->index, track_number);
	uint64_t bit = tl_function_bit(function);
	size_t end, skip;

	if (!track)
		return no_track(err);
	end = track->leaf_count ? tl_leaf_at(track, ticks) + 1 : 0;
	for (; end; end -= skip ? skip : 1) {
		int status;

		skip = skip_back(track, end - 1, bit);
		if (skip)
			continue;
		status = tl_leaf_read(&cursor->reader, track, end - 1, &cursor->scan, err);
		if (status < 0)
			return status;
		for (size_t i = cursor->scan.call_count; i-- > 0;)
			if (cursor->scan.calls[i].function == function &&
			    cursor->scan.calls[i].start < ticks)
				return give_call(cursor, track, end - 1, i, item, size, err);
	}
	return 0;
}
