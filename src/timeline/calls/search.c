/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where calls begin and end that cross borders of leaves: in the nearest leaf in which fewer calls
 * are open. Leaves nest as calls do, so all searches of a pass over a track decode each leaf twice
 * at most on average.
 */
#include "core/error.h"
#include "timeline/calls/tracks.h"

/*
 * The next leaf from `leaf` on in which fewer than `depth` calls remain, the number of leaves if
 * there is none. `self` gets the ticks of the innermost of the `depth` calls in the leaves before.
 */
static size_t next_lower(const struct tl_call_track *track, size_t leaf, uint32_t depth,
			 uint64_t *self)
{
	while (leaf < track->leaf_count) {
		size_t group = leaf / TL_LEAF_GROUP;

		if (leaf % TL_LEAF_GROUP == 0 && group < track->group_count &&
		    track->groups[group].lowest >= depth) {
			if (track->groups[group].lowest == depth)
				*self += track->groups[group].low_self;
			leaf += TL_LEAF_GROUP;
			continue;
		}
		if (track->leaves[leaf].lowest < depth)
			break;
		if (track->leaves[leaf].lowest == depth)
			*self += track->leaves[leaf].low_self;
		leaf++;
	}
	return leaf;
}

/* What a leaf tells of calls[0 .. count), of which the innermost end in it. */
static size_t take_ends(const struct tl_leaf_scan *scan, uint32_t from, struct tl_leaf_call *calls,
			size_t count)
{
	uint32_t lowest = tl_leaf_lowest(scan);

	while (count && from + count > lowest) {
		const struct tl_leaf_end *end = &scan->ends[scan->depth - (from + count)];

		count--;
		calls[count].end = end->ticks;
		calls[count].self += end->self;
		calls[count].flags |= end->flags;
	}
	if (count)
		calls[count - 1].self += scan->low_self;
	return count;
}

static int damaged(struct tl_error *err)
{
	return tl_error_at(err, TL_BAD_RECORD, TL_NOWHERE,
			   "the trace has changed while it was read");
}

/* The innermost call that is open at the end of the trace was so up to there. */
static void take_rest(const struct tl_call_track *track, uint32_t from, struct tl_leaf_call *calls,
		      size_t count)
{
	if (from + count == track->depth)
		calls[count - 1].self += track->end - track->ticks;
}

int tl_find_ends(struct tl_leaf_reader *reader, const struct tl_call_track *track, size_t leaf,
		 uint32_t from, struct tl_leaf_call *calls, size_t count, struct tl_leaf_scan *scan,
		 struct tl_error *err)
{
	while (count) {
		int status;

		leaf = next_lower(track, leaf + 1, from + (uint32_t)count, &calls[count - 1].self);
		if (leaf == track->leaf_count) {
			take_rest(track, from, calls, count);
			break;
		}
		status = tl_leaf_read(reader, track, leaf, scan, err);
		if (status < 0)
			return status;
		if (scan->depth < from + count || tl_leaf_lowest(scan) >= from + count)
			return damaged(err);
		count = take_ends(scan, from, calls, count);
	}
	return 0;
}

/*
 * The last leaf before `leaf` in which fewer than `depth` calls remain: there the innermost of them
 * begins. `self` as in next_lower().
 */
static size_t last_lower(const struct tl_call_track *track, size_t leaf, uint32_t depth,
			 uint64_t *self)
{
	while (leaf--) {
		size_t group = leaf / TL_LEAF_GROUP;

		if (leaf % TL_LEAF_GROUP == TL_LEAF_GROUP - 1 &&
		    track->groups[group].lowest >= depth) {
			if (track->groups[group].lowest == depth)
				*self += track->groups[group].low_self;
			leaf -= TL_LEAF_GROUP - 1;
			continue;
		}
		if (track->leaves[leaf].lowest < depth)
			return leaf;
		if (track->leaves[leaf].lowest == depth)
			*self += track->leaves[leaf].low_self;
	}
	return track->leaf_count;
}

/* The calls that begin in a leaf; `self` is what the innermost one cost behind it. */
static size_t take_begins(const struct tl_leaf_scan *scan, uint32_t from,
			  struct tl_leaf_call *calls, size_t count, uint64_t self)
{
	uint32_t lowest = tl_leaf_lowest(scan);

	for (; count && from + count > lowest; count--) {
		calls[count - 1] = scan->calls[scan->open[from + count - 1 - lowest]];
		calls[count - 1].self += self;
		self = 0;
	}
	return count;
}

int tl_find_begins(struct tl_leaf_reader *reader, const struct tl_call_track *track, size_t leaf,
		   uint32_t from, struct tl_leaf_call *calls, size_t count,
		   struct tl_leaf_scan *scan, struct tl_error *err)
{
	uint64_t self = 0;

	while (count) {
		int status;

		leaf = last_lower(track, leaf, from + (uint32_t)count, &self);
		if (leaf == track->leaf_count)
			return damaged(err);
		status = tl_leaf_read(reader, track, leaf, scan, err);
		if (status < 0)
			return status;
		if (tl_leaf_depth_after(scan) < from + count ||
		    tl_leaf_lowest(scan) >= from + count)
			return damaged(err);
		count = take_begins(scan, from, calls, count, self);
		self = scan->low_self;
	}
	return 0;
}
