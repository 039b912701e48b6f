/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that are open where a leaf begins: by the leaves in which they begin, or by frames. */
#include "core/arithmetic.h"
#include "core/error.h"
#include "timeline/index/index.h"

int tl_cursor_open_calls(struct tl_call_cursor *c, const struct tl_call_track *track, size_t leaf,
			 struct tl_error *err)
{
	size_t count = track->leaves[leaf].depth;

	if (!tl_grow(&c->deep, &c->deep_capacity, count, sizeof(*c->deep)))
		return tl_error_memory(err);
	return tl_find_begins(&c->reader, track, leaf, 0, c->deep, count, &c->other, err);
}

/* By depth, the last frame that begins before a leaf. */
struct frames_before {
	const struct tl_call_track *track;
	uint64_t end; /* frames from this number on begin in the leaf or behind it */
	uint32_t last[TL_FRAME_ROWS];
};

static void note_frame(struct frames_before *f, uint32_t number)
{
	uint32_t *last = &f->last[f->track->frames[number].depth];

	if (number < f->end && (*last == TL_NONE || *last < number))
		*last = number;
}

/* An open call crosses a border of children of a tile around the leaf, whose own frame it is. */
static void note_frames(struct frames_before *f, size_t leaf)
{
	const struct tl_track_tiles *tiles = f->track->tiles;
	size_t first, end;

	for (size_t i = 0; i < tiles->unfinished_count; i++)
		note_frame(f, tiles->unfinished[i]);
	for (unsigned level = tiles->level_count; --level > 1;) {
		const struct tl_tile_level *l = &tiles->levels[level];
		size_t tile = leaf >> 4 * level;
		uint64_t own_end =
			tile + 1 < l->count ? l->tiles[tile + 1].first_own : l->own_count;

		for (uint64_t i = l->tiles[tile].first_own; i < own_end; i++)
			note_frame(f, l->own[i]);
	}
	tl_tile_frames(f->track, 1, leaf / TL_TILE_FAN, &first, &end);
	for (size_t i = first; i < end; i++)
		if (f->track->frames[i].level == 1)
			note_frame(f, (uint32_t)i);
}

/*
 * False: not all of them are known for certain, as a call that ends at the very time at which the
 * leaf begins can be the own frame of a tile before it.
 */
static bool take_frames(const struct tl_call_track *track, size_t leaf, struct tl_leaf_call *calls,
			size_t count)
{
	struct frames_before f = { .track = track, .end = track->leaves[leaf].first_frame };

	for (size_t depth = 0; depth < count; depth++)
		f.last[depth] = TL_NONE;
	note_frames(&f, leaf);
	for (size_t depth = 0; depth < count; depth++) {
		const struct tl_call_frame *frame;

		if (f.last[depth] == TL_NONE)
			return false;
		frame = &track->frames[f.last[depth]];
		if (frame->end <= track->leaves[leaf].ticks)
			return false;
		calls[depth] =
			(struct tl_leaf_call){ .function = frame->function, .flags = frame->flags };
	}
	return true;
}

int tl_cursor_open_functions(struct tl_call_cursor *c, const struct tl_call_track *track,
			     size_t leaf, struct tl_error *err)
{
	size_t count = track->leaves[leaf].depth, near = tl_min(count, (size_t)TL_FRAME_ROWS);

	if (!tl_grow(&c->deep, &c->deep_capacity, count, sizeof(*c->deep)))
		return tl_error_memory(err);
	if (!count)
		return 0;
	if (!take_frames(track, leaf, c->deep, near))
		return tl_cursor_open_calls(c, track, leaf, err);
	return tl_find_begins(&c->reader, track, leaf, TL_FRAME_ROWS, c->deep + near, count - near,
			      &c->other, err);
}
