/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracks: a thread's, a process's, or one with a name alone. A descriptor may follow the events, so
 * events are gathered by track, and threads get their ids in the end.
 */
#include <stdio.h>

#include "core/error.h"
#include "perfetto/state.h"

/* Tracks that are no thread get numbers that no thread has. */
#define FIRST_OTHER ((int64_t)1 << 31)

enum { PARENTS_MOST = 64 };

static bool same_track(const void *context, const void *key, uint32_t number)
{
	return ((const struct tl_perfetto_state *)context)->tracks[number].uuid ==
	       *(const uint64_t *)key;
}

struct tl_perfetto_track *tl_perfetto_track(struct tl_perfetto_state *s, uint64_t uuid)
{
	uint64_t hash = tl_hash64(uuid);
	uint32_t number = tl_index_find(&s->track_index, hash, same_track, s, &uuid);

	if (number != TL_NONE)
		return &s->tracks[number];
	number = (uint32_t)s->track_count;
	if (!tl_grow(&s->tracks, &s->track_capacity, s->track_count + 1, sizeof(*s->tracks)) ||
	    !tl_index_add(&s->track_index, hash, number))
		return NULL;
	s->tracks[number] = (struct tl_perfetto_track){ .uuid = uuid, .spans = TL_NONE };
	s->track_count++;
	return &s->tracks[number];
}

/* The track of a process or thread: itself, or the nearest one around it; NULL: there is none. */
static const struct tl_perfetto_track *around_of(const struct tl_perfetto_state *s,
						 const struct tl_perfetto_track *track)
{
	for (int i = 0; i < PARENTS_MOST; i++) {
		uint32_t number;

		if (track->has_process || track->has_thread)
			return track;
		if (!track->has_parent)
			return NULL;
		number = tl_index_find(&s->track_index, tl_hash64(track->parent), same_track, s,
				       &track->parent);
		if (number == TL_NONE)
			return NULL;
		track = &s->tracks[number];
	}
	return NULL;
}

static int64_t process_of(const struct tl_perfetto_state *s, const struct tl_perfetto_track *track)
{
	const struct tl_perfetto_track *around = around_of(s, track);

	return around ? around->process : 0;
}

/* Move the spans of a thread behind those of another one. */
static bool join(struct tl_foreign_thread *to, struct tl_foreign_thread *from)
{
	for (size_t i = 0; i < from->count; i++)
		if (!tl_foreign_spans_add(to, from->spans[i].ticks, from->spans[i].duration,
					  from->spans[i].frame))
			return false;
	from->count = 0;
	return true;
}

static void settle(struct tl_perfetto_state *s, size_t number)
{
	const struct tl_perfetto_track *track = &s->tracks[number];
	struct tl_foreign_thread *thread;

	if (track->spans == TL_NONE)
		return;
	thread = &s->foreign->spans.threads[track->spans];
	thread->process = process_of(s, track);
	thread->thread = track->has_thread ? track->thread : FIRST_OTHER + (int64_t)number;
	thread->command = track->thread_name ? track->thread_name : track->name;
	if (!tl_foreign_wants(s->foreign, (uint64_t)thread->process, (uint64_t)thread->thread))
		thread->count = 0;
}

/* A counter is of the thread or process that is around its track. */
static int settle_counter(struct tl_perfetto_state *s, struct tl_foreign_counter *counter)
{
	const struct tl_perfetto_track *track = &s->tracks[counter->process];
	struct tl_names *names = &s->foreign->stacks.names;
	const struct tl_perfetto_track *around = around_of(s, track);

	counter->process = around ? around->process : 0;
	counter->thread = around && around->has_thread ? around->thread : TL_FOREIGN_PROCESS;
	counter->name = track->name ? track->name : tl_names_add(names, "[unnamed]", 9);
	return counter->name == TL_NONE ? TL_NO_MEMORY : 0;
}

static bool same_thread(const void *context, const void *key, uint32_t number)
{
	const struct tl_foreign_thread *have =
		&((const struct tl_foreign_spans *)context)->threads[number];
	const struct tl_foreign_thread *wanted = key;

	return have->process == wanted->process && have->thread == wanted->thread;
}

/* Several writers may have described one thread, each by a uuid of its own. */
static bool join_same(struct tl_foreign_spans *spans, struct tl_index *index)
{
	for (size_t i = 0; i < spans->count; i++) {
		struct tl_foreign_thread *thread = &spans->threads[i];
		uint64_t hash = tl_hash_pair((uint64_t)thread->process, (uint64_t)thread->thread);
		uint32_t other = tl_index_find(index, hash, same_thread, spans, thread);

		if (other == TL_NONE ? !tl_index_add(index, hash, (uint32_t)i)
				     : !join(&spans->threads[other], thread))
			return false;
	}
	return true;
}

/* Threads without a span are taken out. */
static void drop_empty(struct tl_foreign_spans *spans)
{
	size_t kept = 0;

	for (size_t i = 0; i < spans->count; i++) {
		if (!spans->threads[i].count)
			free(spans->threads[i].spans);
		else
			spans->threads[kept++] = spans->threads[i];
	}
	spans->count = kept;
	spans->last = 0;
}

int tl_perfetto_settle_tracks(struct tl_perfetto_state *s, struct tl_error *err)
{
	struct tl_index index = { .count = 0 };
	struct tl_foreign_counters *counters = &s->foreign->counters;
	bool joined;

	for (size_t i = 0; i < s->track_count; i++)
		settle(s, i);
	for (size_t i = 0; i < counters->count; i++)
		if (settle_counter(s, &counters->list[i]) < 0)
			return tl_error_memory(err);
	joined = join_same(&s->foreign->spans, &index);
	tl_index_free(&index);
	drop_empty(&s->foreign->spans);
	if (!joined)
		return tl_error_memory(err);
	return 0;
}
