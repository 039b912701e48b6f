/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of <tracelathe/timeline.h>, handed to the format with the track they are on.
 */
#include "timeline/timeline.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/error.h"

/* ---- tracks ---- */

static bool same_track(const void *context, const void *key, uint32_t number)
{
	const struct tl_tracks *tracks = context;
	const struct tl_track *wanted = key, *have = tracks->all[number];

	return have->thread == wanted->thread && have->process == wanted->process;
}

static struct tl_track *add_track(struct tl_tracks *tracks, uint64_t hash,
				  const struct tl_track *key)
{
	struct tl_track *track;

	if (tracks->count >= TL_NONE ||
	    !tl_grow(&tracks->all, &tracks->capacity, tracks->count + 1, sizeof(*tracks->all)))
		return NULL;
	track = calloc(1, tracks->track_size);
	if (!track || !tl_index_add(&tracks->index, hash, (uint32_t)tracks->count)) {
		free(track);
		return NULL;
	}
	*track = *key;
	track->number = (uint32_t)tracks->count;
	tracks->all[tracks->count++] = track;
	return track;
}

static struct tl_track *find_track(struct tl_tracks *tracks, int64_t process, int64_t thread)
{
	struct tl_track key = { .process = process, .thread = thread };
	uint64_t hash = tl_hash_pair((uint64_t)process, (uint64_t)thread);
	uint32_t number = tl_index_find(&tracks->index, hash, same_track, tracks, &key);

	return number != TL_NONE ? tracks->all[number] : add_track(tracks, hash, &key);
}

struct tl_track *tl_timeline_track(struct tl_timeline *timeline, int64_t process, int64_t thread)
{
	/* Threads of a process have neighbouring numbers: the low bits tell them apart. */
	size_t slot = ((uint64_t)thread ^ (uint64_t)process * 5) % TL_TRACK_CACHE;
	struct tl_track *track = timeline->tracks.cache[slot];

	if (track && track->thread == thread && track->process == process)
		return track;
	track = find_track(&timeline->tracks, process, thread < 0 ? -1 : thread);
	if (track)
		timeline->tracks.cache[slot] = track;
	else
		timeline->no_memory = true;
	return track;
}

static struct tl_track *track_at(struct tl_timeline *timeline, const struct tl_timeline_point *at)
{
	return timeline->no_memory ? NULL : tl_timeline_track(timeline, at->process, at->thread);
}

/* ---- the public calls ---- */

static void free_timeline(struct tl_timeline *timeline)
{
	/* First, as it may have threads that read tracks. */
	timeline->ops->free(timeline);
	for (size_t i = 0; i < timeline->tracks.count; i++) {
		timeline->ops->free_track(timeline->tracks.all[i]);
		free(timeline->tracks.all[i]);
	}
	free(timeline->tracks.all);
	tl_index_free(&timeline->tracks.index);
	free(timeline);
}

struct tl_timeline *tl_timeline_new(const struct tl_timeline_ops *ops, struct tl_output *out)
{
	struct tl_timeline *timeline = calloc(1, ops->size);

	if (!timeline)
		return NULL;
	timeline->ops = ops;
	timeline->out = out;
	timeline->tracks.track_size = ops->track_size;
	return timeline;
}

int tl_timeline_begin(struct tl_timeline *timeline, uint64_t frequency, struct tl_error *err)
{
	timeline->frequency = frequency ? frequency : 1000000000;
	timeline->clock_known = frequency != 0;
	timeline->begun = true;
	if (timeline->ops->begin(timeline))
		return 0;
	timeline->no_memory = true;
	return tl_error_memory(err);
}

void tl_timeline_origin(struct tl_timeline *timeline, uint64_t ticks)
{
	timeline->origin = ticks;
}

void tl_timeline_name(struct tl_timeline *timeline, int64_t process, int64_t thread,
		      const char *name)
{
	struct tl_timeline_point at = { .process = process, .thread = thread };
	struct tl_track *track = track_at(timeline, &at);

	if (track)
		timeline->ops->name(timeline, track, name);
}

void tl_timeline_enter(struct tl_timeline *timeline, const struct tl_timeline_point *at,
		       uint32_t name_key, const char *name, const char *file, uint32_t line,
		       const struct tl_timeline_arg *args, size_t arg_count)
{
	struct tl_track *track = track_at(timeline, at);

	if (!track)
		return;
	timeline->used = true;
	timeline->ops->enter(timeline, track, at->ticks, name_key, name, file, line, args,
			     arg_count);
}

void tl_timeline_leave(struct tl_timeline *timeline, const struct tl_timeline_point *at)
{
	struct tl_track *track = track_at(timeline, at);

	if (track)
		timeline->ops->leave(timeline, track, at->ticks);
}

void tl_timeline_instant(struct tl_timeline *timeline, const struct tl_timeline_point *at,
			 const char *name, const struct tl_timeline_arg *args, size_t arg_count)
{
	struct tl_track *track = track_at(timeline, at);

	if (!track)
		return;
	timeline->used = true;
	timeline->ops->instant(timeline, track, at->ticks, name, args, arg_count);
}

void tl_timeline_counter(struct tl_timeline *timeline, const struct tl_timeline_point *at,
			 const char *name, double value)
{
	struct tl_track *track = track_at(timeline, at);

	if (!track)
		return;
	timeline->used = true;
	timeline->ops->counter(timeline, track, at->ticks, name, value);
}

bool tl_timeline_put_number(struct tl_output *out, const struct tl_timeline_arg *arg)
{
	switch (arg->kind) {
	case TL_ARG_NUMBER:
		tl_put_u64(out, arg->number);
		return true;
	case TL_ARG_SIGNED:
		tl_put_i64(out, (int64_t)arg->number);
		return true;
	case TL_ARG_HEX:
		tl_put_char(out, '"');
		tl_put_hex(out, arg->number);
		tl_put_char(out, '"');
		return true;
	case TL_ARG_REAL:
		tl_put_double(out, arg->real);
		return true;
	case TL_ARG_TEXT:
	case TL_ARG_BYTES:
		break;
	}
	return false;
}

static void put_text(struct tl_output *out, const char *text, size_t size, size_t most)
{
	char note[48], *cut;
	int length;

	if (size <= most) {
		tl_put_json(out, text, size);
		return;
	}
	length = snprintf(note, sizeof(note), " ... (%zu bytes)", size);
	cut = malloc(most + sizeof(note));
	if (cut) {
		memcpy(cut, text, most);
		memcpy(cut + most, note, (size_t)length);
		tl_put_json(out, cut, most + (size_t)length);
	} else {
		tl_put_json(out, note, (size_t)length);
	}
	free(cut);
}

void tl_timeline_put_args(struct tl_output *out, const struct tl_timeline_arg *args,
			  size_t arg_count, size_t most)
{
	tl_put_char(out, '{');
	for (size_t i = 0; i < arg_count; i++) {
		if (i)
			tl_put_char(out, ',');
		tl_put_json(out, args[i].name, strlen(args[i].name));
		tl_put_char(out, ':');
		if (!tl_timeline_put_number(out, &args[i]))
			put_text(out, args[i].data, args[i].size, most);
	}
	tl_put_char(out, '}');
}

bool tl_timeline_failed(const struct tl_timeline *timeline)
{
	if (timeline->no_memory)
		return true;
	if (timeline->ops->failed)
		return timeline->ops->failed(timeline);
	return timeline->out && tl_output_failed(timeline->out);
}

int tl_timeline_finish(struct tl_timeline *timeline, struct tl_error *err)
{
	bool no_memory, used = timeline->used;

	if (timeline->begun && !timeline->no_memory)
		timeline->ops->end(timeline);
	no_memory = timeline->no_memory;
	free_timeline(timeline);
	if (no_memory)
		return tl_error_memory(err);
	return !used;
}
