/* SPDX-License-Identifier: Apache-2.0 */
/* The part of each stream that an analysis is of. */
#include "core/arithmetic.h"
#include "core/error.h"
#include "xtrace/analyze/stream_analysis.h"

enum { ALL_LEVELS = 15 };

bool tl_xtrace_part_chosen(const struct tl_xtrace_part *part)
{
	return part->first || part->end || part->first_snapshot || part->end_snapshot ||
	       part->first_time || part->end_time || part->levels;
}

/* The instructions of a segment, which is walked for that. */
static int count_segment(struct tl_xtrace_analysis *a, const struct tl_xtrace_stream *stream,
			 size_t segment, uint64_t *count, struct tl_error *err)
{
	struct tl_xtrace_walk w;
	enum tl_xtrace_kind kind;

	tl_xtrace_walk_begin(&w, a->trace, stream, &stream->segments[segment]);
	while ((kind = tl_xtrace_walk_next(&w)) != TL_XTRACE_NONE)
		*count += tl_xtrace_is_instruction(kind);
	return tl_xtrace_walk_end(&w, err);
}

/* Snapshots to numbers of instructions: what the walk will count, not what snapshots say. */
static int find_snapshots(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
			  struct tl_error *err)
{
	const struct tl_xtrace_part *part = &a->options.part;
	uint64_t at = 0, first = part->first_snapshot ? TL_NOWHERE : 0, end = TL_NOWHERE;
	int status = 0;

	for (size_t i = 0; status >= 0 && i < s->stream->segment_count && end == TL_NOWHERE; i++) {
		uint32_t snapshot = s->stream->segments[i].snapshot;

		if (snapshot != TL_NONE && snapshot >= part->first_snapshot && first == TL_NOWHERE)
			first = at;
		if (snapshot != TL_NONE && part->end_snapshot && snapshot >= part->end_snapshot)
			end = at;
		status = count_segment(a, s->stream, i, &at, err);
	}
	if (status < 0)
		return status;
	if (first == TL_NOWHERE)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "there is no such snapshot");
	s->first = tl_max(s->first, first);
	s->end = tl_min(s->end, end);
	return 0;
}

/* A window of TIME as numbers of instructions, found so far. */
struct window {
	uint64_t count; /* instructions */
	uint64_t first, end;
	bool any; /* there is TIME */
};

/*
 * An instruction is as late as its first access; those without are as late as the one before them.
 * TIME grows along a stream, so that a window is the instructions between two.
 */
static int find_times_of(struct tl_xtrace_analysis *a, const struct tl_xtrace_stream *stream,
			 size_t segment, struct window *window, struct tl_error *err)
{
	const struct tl_xtrace_part *part = &a->options.part;
	struct tl_xtrace_walk w;
	enum tl_xtrace_kind kind;

	tl_xtrace_walk_begin(&w, a->trace, stream, &stream->segments[segment]);
	while ((kind = tl_xtrace_walk_next(&w)) != TL_XTRACE_NONE) {
		uint64_t time;

		window->count += tl_xtrace_is_instruction(kind);
		if (kind != TL_XTRACE_TIME || !window->count)
			continue;
		time = tl_xtrace_walk_time(&w);
		window->any = true;
		if (time >= part->first_time && window->first == TL_NOWHERE)
			window->first = window->count - 1;
		if (part->end_time && time >= part->end_time && window->end == TL_NOWHERE)
			window->end = window->count - 1;
	}
	return tl_xtrace_walk_end(&w, err);
}

static int find_times(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
		      struct tl_error *err)
{
	struct window window = { 0, a->options.part.first_time ? TL_NOWHERE : 0, TL_NOWHERE,
				 false };
	int status = 0;

	for (size_t i = 0; status >= 0 && i < s->stream->segment_count; i++)
		status = find_times_of(a, s->stream, i, &window, err);
	if (status < 0)
		return status;
	if (!window.any)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "--time is of TIME tokens, and a stream has none");
	s->first = tl_max(s->first, window.first);
	s->end = tl_min(s->end, window.end);
	return 0;
}

int tl_xtrace_part_begin(struct tl_xtrace_analysis *a, struct tl_error *err)
{
	const struct tl_xtrace_part *part = &a->options.part;
	int status = 0;

	a->levels = part->levels ? part->levels : ALL_LEVELS;
	for (size_t i = 0; status == 0 && i < a->stream_count; i++) {
		struct tl_xtrace_stream_analysis *s = &a->streams[i];

		s->first = part->first;
		s->end = part->end ? part->end : TL_NOWHERE;
		if (part->first_snapshot || part->end_snapshot)
			status = find_snapshots(a, s, err);
		if (status == 0 && (part->first_time || part->end_time))
			status = find_times(a, s, err);
		s->warm = s->first > part->warmup ? s->first - part->warmup : 0;
	}
	/* The pass itself meets the same damage. */
	tl_xtrace_rewind(a->trace);
	if (status == 0 && tl_xtrace_part_chosen(part) &&
	    a->options.analyses & TL_XTRACE_ANALYZE_BBV)
		status = tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				     "basic-block vectors are of all that a thread executed");
	return status;
}
