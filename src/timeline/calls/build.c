/* SPDX-License-Identifier: Apache-2.0 */
#include "core/error.h"
#include "timeline/calls/tracks.h"

/* ---- tracks ---- */

void tl_call_tracks_begin(struct tl_call_tracks *tracks, const struct tl_call_source *source,
			  const struct tl_track_watch *watch)
{
	*tracks = (struct tl_call_tracks){ .source = *source, .watch = watch };
	tl_spool_begin(&tracks->spool);
}

static void free_track(struct tl_call_track *track)
{
	free(track->leaves);
	free(track->groups);
	free(track->frames);
	tl_call_gaps_free(&track->gaps);
	free(track);
}

void tl_call_tracks_clear(struct tl_call_tracks *tracks)
{
	for (size_t i = 0; i < tracks->count; i++) {
		if (tracks->watch)
			tracks->watch->free(tracks->list[i]);
		free_track(tracks->list[i]);
	}
	tracks->count = 0;
}

void tl_call_tracks_free(struct tl_call_tracks *tracks)
{
	tl_call_tracks_clear(tracks);
	free(tracks->list);
	tl_spool_free(&tracks->spool);
	if (tracks->source.ops->close)
		tracks->source.ops->close(tracks->source.handle);
}

struct tl_call_track *tl_call_tracks_add(struct tl_call_tracks *tracks, int64_t process,
					 int64_t thread)
{
	struct tl_call_track *track;

	if (tracks->count >= TL_NONE ||
	    !tl_grow(&tracks->list, &tracks->capacity, tracks->count + 1, sizeof(*tracks->list)))
		return NULL;
	track = calloc(1, sizeof(*track));
	if (!track)
		return NULL;
	track->process = process;
	track->thread = thread;
	track->number = (uint32_t)tracks->count;
	tracks->list[tracks->count++] = track;
	return track;
}

/* ---- leaves ---- */

void tl_leaf_builder_begin(struct tl_leaf_builder *builder, struct tl_call_tracks *tracks,
			   struct tl_call_track *track)
{
	*builder = (struct tl_leaf_builder){ .tracks = tracks, .track = track };
}

/* What the leaf tells of the calls from before it that have frames. */
static void settle_frames(struct tl_leaf_builder *builder)
{
	const struct tl_leaf_scan *scan = &builder->scan;
	struct tl_call_frame *frames = builder->track->frames;
	uint32_t lowest = tl_leaf_lowest(scan);

	for (size_t i = 0; i < scan->end_count; i++) {
		uint32_t depth = scan->depth - 1 - (uint32_t)i;

		if (depth >= TL_FRAME_ROWS)
			continue;
		frames[builder->open[depth]].end = scan->ends[i].ticks;
		frames[builder->open[depth]].self += scan->ends[i].self;
		frames[builder->open[depth]].flags |= scan->ends[i].flags;
	}
	if (lowest && lowest <= TL_FRAME_ROWS)
		frames[builder->open[lowest - 1]].self += scan->low_self;
}

/* The calls that began in the leaf and are still open get frames. */
static bool add_frames(struct tl_leaf_builder *builder)
{
	const struct tl_leaf_scan *scan = &builder->scan;
	struct tl_call_track *track = builder->track;

	for (size_t i = 0; i < scan->open_count; i++) {
		const struct tl_leaf_call *call = &scan->calls[scan->open[i]];

		if (call->depth >= TL_FRAME_ROWS)
			break;
		if (!tl_grow(&track->frames, &track->frame_capacity, track->frame_count + 1,
			     sizeof(*track->frames)))
			return false;
		builder->open[call->depth] = track->frame_count;
		track->frames[track->frame_count++] = (struct tl_call_frame){
			.start = call->start,
			.end = TL_NOWHERE,
			.self = call->self,
			.function = call->function,
			.depth = (uint8_t)call->depth,
			.flags = call->flags,
		};
	}
	return true;
}

/* A whole group of leaves is summed up when its last one is there. */
bool tl_call_track_group(struct tl_call_track *track)
{
	struct tl_leaf_group group = { .lowest = UINT32_MAX };

	if (track->leaf_count % TL_LEAF_GROUP)
		return true;
	if (!tl_grow(&track->groups, &track->group_capacity, track->group_count + 1, sizeof(group)))
		return false;
	for (size_t i = track->leaf_count - TL_LEAF_GROUP; i < track->leaf_count; i++) {
		const struct tl_call_leaf *leaf = &track->leaves[i];

		if (leaf->lowest < group.lowest)
			group = (struct tl_leaf_group){ 0, leaf->lowest };
		if (leaf->lowest == group.lowest)
			group.low_self += leaf->low_self;
	}
	track->groups[track->group_count++] = group;
	return true;
}

static int store(struct tl_leaf_builder *builder, const struct tl_steps *steps,
		 struct tl_call_leaf *leaf, struct tl_error *err)
{
	builder->packed.size = 0;
	if (!tl_steps_pack(steps, leaf->ticks, &builder->packed))
		return tl_error_memory(err);
	if (builder->packed.size > UINT32_MAX)
		return tl_error_at(err, TL_BAD_SIZE, TL_NOWHERE, "too many calls end at once");
	leaf->block = TL_LEAF_STORED;
	leaf->size = (uint32_t)builder->packed.size;
	return tl_spool_add(&builder->tracks->spool, builder->packed.bytes, builder->packed.size,
			    &leaf->offset, err);
}

static bool append_leaf(struct tl_leaf_builder *builder, struct tl_call_leaf *leaf)
{
	struct tl_call_track *track = builder->track;
	const struct tl_leaf_scan *scan = &builder->scan;

	if (!tl_grow(&track->leaves, &track->leaf_capacity, track->leaf_count + 1, sizeof(*leaf)))
		return false;
	leaf->low_self = scan->low_self;
	leaf->first_call = track->calls;
	leaf->first_frame = track->frame_count;
	leaf->depth = scan->depth;
	leaf->lowest = tl_leaf_lowest(scan);
	settle_frames(builder);
	track->leaves[track->leaf_count++] = *leaf;
	track->calls += scan->call_count;
	track->ticks = track->end = scan->ticks;
	track->depth = tl_leaf_depth_after(scan);
	return add_frames(builder) && tl_call_track_group(track);
}

int tl_leaf_builder_add(struct tl_leaf_builder *builder, const struct tl_steps *steps,
			const struct tl_call_leaf *where, struct tl_error *err)
{
	struct tl_call_leaf leaf =
		where ? *where : (struct tl_call_leaf){ .block = TL_LEAF_STORED };
	struct tl_call_track *track = builder->track;
	int status = 0;

	if (!steps->count)
		return 0;
	leaf.ticks = track->leaf_count ? track->ticks : steps->list[0].ticks;
	if (!tl_leaf_scan(&builder->scan, steps, leaf.ticks, track->depth))
		return tl_error_memory(err);
	if (leaf.block == TL_LEAF_STORED)
		status = store(builder, steps, &leaf, err);
	if (status < 0)
		return status;
	if (!append_leaf(builder, &leaf) ||
	    (builder->tracks->watch && !builder->tracks->watch->leaf(track, &builder->scan)))
		return tl_error_memory(err);
	return 0;
}

void tl_leaf_builder_pass(struct tl_leaf_builder *builder, uint64_t ticks)
{
	struct tl_call_track *track = builder->track;

	if (!track->leaf_count || ticks <= track->end)
		return;
	if (track->depth && track->depth <= TL_FRAME_ROWS)
		track->frames[builder->open[track->depth - 1]].self += ticks - track->end;
	track->end = ticks;
}

int tl_leaf_builder_end(struct tl_leaf_builder *builder, struct tl_error *err)
{
	const struct tl_track_watch *watch = builder->tracks->watch;
	struct tl_call_track *track = builder->track;

	tl_shrink(&track->leaves, &track->leaf_capacity, track->leaf_count, sizeof(*track->leaves));
	tl_shrink(&track->groups, &track->group_capacity, track->group_count,
		  sizeof(*track->groups));
	tl_shrink(&track->frames, &track->frame_capacity, track->frame_count,
		  sizeof(*track->frames));
	if (watch && !watch->end(builder->track))
		return tl_error_memory(err);
	return 0;
}

void tl_leaf_builder_free(struct tl_leaf_builder *builder)
{
	tl_leaf_scan_free(&builder->scan);
	free(builder->packed.bytes);
	*builder = (struct tl_leaf_builder){ 0 };
}
