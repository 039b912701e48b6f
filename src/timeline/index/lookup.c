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

/* ---- the next and the previous call of a function ---- */

struct search {
	struct tl_call_cursor *cursor;
	const struct tl_call_track *track;
	uint32_t function;
	uint64_t ticks;
	bool back; /* calls that begin before `ticks`, the last one first */
};

/* Leaves from `leaf` on, or up to it, in which the function does not begin; 0: it may begin. */
static size_t leaves_without(const struct search *s, size_t leaf)
{
	const struct tl_track_tiles *tiles = s->track->tiles;
	uint64_t bit = tl_function_bit(s->function);

	for (unsigned level = tiles->level_count; level-- > 0;) {
		size_t size = (size_t)1 << 4 * level;

		if ((leaf + s->back) % size == 0 &&
		    !(tiles->levels[level].tiles[leaf / size].functions & bit))
			return size;
	}
	return 0;
}

/* The number of the call in the leaf that was read; TL_NOWHERE: it is not there. */
static size_t find_in_leaf(const struct search *s)
{
	const struct tl_leaf_scan *scan = &s->cursor->scan;

	for (size_t i = 0; i < scan->call_count; i++) {
		size_t number = s->back ? scan->call_count - 1 - i : i;
		const struct tl_leaf_call *call = &scan->calls[number];

		if (call->function == s->function && (call->start < s->ticks) == s->back)
			return number;
	}
	return SIZE_MAX;
}

static int give_call(const struct search *s, size_t leaf, size_t number, struct tl_call_item *item,
		     size_t size, struct tl_error *err)
{
	const struct tl_leaf_call *call = &s->cursor->scan.calls[number];
	struct tl_call_item ours;
	int status = 0;

	if (call->end == TL_NOWHERE)
		status = tl_cursor_end_call(s->cursor, s->track, leaf, number, err);
	if (status < 0)
		return status;
	ours = tl_call_item_of(s->track, call);
	status = tl_give(item, size, sizeof(ours), &ours, sizeof(ours));
	if (status < 0)
		return status;
	return 1;
}

/* From a leaf on, or back from it. */
static int find_call(const struct search *s, size_t leaf, struct tl_call_item *item, size_t size,
		     struct tl_error *err)
{
	while (leaf < s->track->leaf_count) {
		size_t passed = leaves_without(s, leaf), number;
		int status;

		if (!passed) {
			status = tl_leaf_read(&s->cursor->reader, s->track, leaf, &s->cursor->scan,
					      err);
			if (status < 0)
				return status;
			number = find_in_leaf(s);
			if (number != SIZE_MAX)
				return give_call(s, leaf, number, item, size, err);
			passed = 1;
		}
		/* Before the first leaf, this is behind the last one. */
		leaf = s->back ? leaf - passed : leaf + passed;
	}
	return 0;
}

static int no_track(struct tl_error *err)
{
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "there is no such track");
}

int tl_call_cursor_next(struct tl_call_cursor *cursor, size_t track, uint32_t function,
			uint64_t ticks, struct tl_call_item *item, size_t size,
			struct tl_error *err)
{
	const struct search s = { .cursor = cursor,
				  .track = tl_call_index_at(cursor->index, track),
				  .function = function,
				  .ticks = ticks };

	if (!s.track)
		return no_track(err);
	return find_call(&s, tl_leaf_before(s.track, ticks), item, size, err);
}

int tl_call_cursor_previous(struct tl_call_cursor *cursor, size_t track, uint32_t function,
			    uint64_t ticks, struct tl_call_item *item, size_t size,
			    struct tl_error *err)
{
	const struct search s = { .cursor = cursor,
				  .track = tl_call_index_at(cursor->index, track),
				  .function = function,
				  .ticks = ticks,
				  .back = true };

	if (!s.track)
		return no_track(err);
	return find_call(&s, tl_leaf_at(s.track, ticks), item, size, err);
}

/* ---- all calls of a window ---- */

struct each {
	struct tl_call_cursor *cursor;
	const struct tl_call_track *track;
	const struct tl_calls_wanted *wanted;
	void *arg;
	bool (*tell)(void *arg, const struct tl_leaf_call *call);
};

static bool tell_call(const struct each *e, const struct tl_leaf_call *call)
{
	const struct tl_calls_wanted *w = e->wanted;
	bool wanted = (w->function == TL_NONE || w->function == call->function) &&
		      call->start < w->to && call->end >= w->from &&
		      !(call->flags & TL_CALL_HIDDEN);

	return !wanted || e->tell(e->arg, call);
}

/* The calls that are open where the first leaf begins. */
static int tell_before(const struct each *e, size_t leaf, struct tl_error *err)
{
	struct tl_call_cursor *c = e->cursor;
	size_t count = e->track->leaves[leaf].depth;
	int status = count ? tl_cursor_open_calls(c, e->track, leaf, err) : 0;

	if (status == 0 && count)
		status = tl_find_ends(&c->reader, e->track, leaf - 1, 0, c->deep, count, &c->other,
				      err);
	for (size_t i = 0; status == 0 && i < count; i++)
		if (!tell_call(e, &c->deep[i]))
			return tl_error_memory(err);
	return status;
}

static int tell_leaf(const struct each *e, size_t leaf, struct tl_error *err)
{
	struct tl_leaf_scan *scan = &e->cursor->scan;
	int status = tl_leaf_read(&e->cursor->reader, e->track, leaf, scan, err);

	for (size_t i = 0; status == 0 && i < scan->open_count; i++) {
		const struct tl_leaf_call *call = &scan->calls[scan->open[i]];

		if (call->depth >= TL_FRAME_ROWS) {
			status = tl_cursor_end_calls(e->cursor, e->track, leaf, i, err);
			break;
		}
		status = tl_cursor_end_call(e->cursor, e->track, leaf, scan->open[i], err);
	}
	for (size_t i = 0; status == 0 && i < scan->call_count; i++)
		if (!tell_call(e, &scan->calls[i]))
			return tl_error_memory(err);
	return status;
}

int tl_cursor_each_call(struct tl_call_cursor *cursor, const struct tl_call_track *track,
			const struct tl_calls_wanted *wanted,
			bool (*tell)(void *arg, const struct tl_leaf_call *call), void *arg,
			struct tl_error *err)
{
	const struct each e = { cursor, track, wanted, arg, tell };
	const struct search s = { .cursor = cursor, .track = track, .function = wanted->function };
	size_t leaf = tl_leaf_before(track, wanted->from);
	int status = track->leaf_count ? tell_before(&e, leaf, err) : 0;

	while (status == 0 && leaf < track->leaf_count && track->leaves[leaf].ticks < wanted->to) {
		size_t passed = wanted->function == TL_NONE ? 0 : leaves_without(&s, leaf);

		if (!passed)
			status = tell_leaf(&e, leaf, err);
		leaf += passed ? passed : 1;
	}
	return status;
}
