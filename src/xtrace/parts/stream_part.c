/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a stream that is asked for: which instructions they are, and where they stand. */
#include "xtrace/parts/stream_part.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "xtrace/format/walk.h"

bool tl_xtrace_part_chosen(const struct tl_xtrace_part *part)
{
	return part->first || part->end || part->first_snapshot || part->end_snapshot ||
	       part->first_time || part->end_time || part->levels;
}

/* A stream, and the part of it. */
struct parted {
	struct tl_xtrace_trace *trace;
	const struct tl_xtrace_stream *stream;
	const struct tl_xtrace_part *part;
	uint64_t first, end; /* instructions, as far as is known */
};

/* The instructions of a segment, which is walked for that. */
static int count_segment(const struct parted *p, size_t segment, uint64_t *count,
			 struct tl_error *err)
{
	struct tl_xtrace_walk w;
	enum tl_xtrace_kind kind;

	tl_xtrace_walk_begin(&w, p->trace, p->stream, &p->stream->segments[segment]);
	while ((kind = tl_xtrace_walk_next(&w)) != TL_XTRACE_NONE)
		*count += tl_xtrace_is_instruction(kind);
	return tl_xtrace_walk_end(&w, err);
}

/* Snapshots to numbers of instructions: what the walk will count, not what snapshots say. */
static int find_snapshots(struct parted *p, struct tl_error *err)
{
	const struct tl_xtrace_part *part = p->part;
	uint64_t at = 0, first = part->first_snapshot ? TL_NOWHERE : 0, end = TL_NOWHERE;
	int status = 0;

	for (size_t i = 0; status >= 0 && i < p->stream->segment_count && end == TL_NOWHERE; i++) {
		uint32_t snapshot = p->stream->segments[i].snapshot;

		if (snapshot != TL_NONE && snapshot >= part->first_snapshot && first == TL_NOWHERE)
			first = at;
		if (snapshot != TL_NONE && part->end_snapshot && snapshot >= part->end_snapshot)
			end = at;
		status = count_segment(p, i, &at, err);
	}
	if (status < 0)
		return status;
	if (first == TL_NOWHERE)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "there is no such snapshot");
	p->first = tl_max(p->first, first);
	p->end = tl_min(p->end, end);
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
static int find_times_of(const struct parted *p, size_t segment, struct window *window,
			 struct tl_error *err)
{
	const struct tl_xtrace_part *part = p->part;
	struct tl_xtrace_walk w;
	enum tl_xtrace_kind kind;

	tl_xtrace_walk_begin(&w, p->trace, p->stream, &p->stream->segments[segment]);
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

static int find_times(struct parted *p, struct tl_error *err)
{
	struct window window = { 0, p->part->first_time ? TL_NOWHERE : 0, TL_NOWHERE, false };
	int status = 0;

	for (size_t i = 0; status >= 0 && i < p->stream->segment_count; i++)
		status = find_times_of(p, i, &window, err);
	if (status < 0)
		return status;
	if (!window.any)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "--time is of TIME tokens, and a stream has none");
	p->first = tl_max(p->first, window.first);
	p->end = tl_min(p->end, window.end);
	return 0;
}

int tl_xtrace_part_range(struct tl_xtrace_trace *trace, const struct tl_xtrace_stream *stream,
			 const struct tl_xtrace_part *part, uint64_t *first, uint64_t *end,
			 struct tl_error *err)
{
	struct parted p = { .trace = trace, .stream = stream, .part = part, .first = part->first };
	int status = 0;

	p.end = part->end ? part->end : TL_NOWHERE;
	if (part->first_snapshot || part->end_snapshot)
		status = find_snapshots(&p, err);
	if (status == 0 && (part->first_time || part->end_time))
		status = find_times(&p, err);
	*first = p.first;
	*end = p.end;
	return status;
}

/* ---- where they stand ---- */

/* The next places that are looked for. */
struct search {
	uint64_t count; /* instructions so far */
	uint64_t next;  /* the number of the one at the next place; TL_NOWHERE: there is none */
	uint64_t end, interval;
	uint64_t number; /* of the interval there; 0: the end of the part */
};

static void go_on(struct search *search)
{
	uint64_t left = search->end - search->next;

	if (!search->number) {
		search->next = TL_NOWHERE;
	} else if (search->interval && search->interval < left) {
		search->next += search->interval;
		search->number++;
	} else {
		search->next = search->end;
		search->number = 0;
	}
}

static int add_place(struct tl_xtrace_places *places, struct search *search, uint64_t offset,
		     struct tl_error *err)
{
	if (!tl_grow(&places->list, &places->capacity, places->count + 1, sizeof(*places->list)))
		return tl_error_memory(err);
	places->list[places->count++] =
		(struct tl_xtrace_place){ offset, search->next, search->number };
	go_on(search);
	return 0;
}

/* SVCRET and ALLGPR belong to the instruction behind them (A21). */
static bool begins_instruction(enum tl_xtrace_kind kind)
{
	return tl_xtrace_is_instruction(kind) || kind == TL_XTRACE_SVCRET ||
	       kind == TL_XTRACE_ALLGPR;
}

static int search_segment(struct tl_xtrace_trace *trace, const struct tl_xtrace_stream *stream,
			  size_t segment, struct search *search, struct tl_xtrace_places *places,
			  struct tl_error *err)
{
	struct tl_xtrace_walk w;
	enum tl_xtrace_kind kind;
	uint64_t begin = TL_NOWHERE; /* of the instruction that comes */
	int status = 0;

	tl_xtrace_walk_begin(&w, trace, stream, &stream->segments[segment]);
	while (status == 0 && search->next != TL_NOWHERE &&
	       (kind = tl_xtrace_walk_next(&w)) != TL_XTRACE_NONE) {
		if (!begins_instruction(kind))
			continue;
		if (begin == TL_NOWHERE)
			begin = tl_xtrace_walk_offset(&w);
		if (!tl_xtrace_is_instruction(kind))
			continue;
		if (search->count++ == search->next)
			status = add_place(places, search, begin, err);
		begin = TL_NOWHERE;
	}
	return status < 0 ? status : tl_xtrace_walk_end(&w, err);
}

int tl_xtrace_part_places(struct tl_xtrace_trace *trace, const struct tl_xtrace_stream *stream,
			  const struct tl_xtrace_part *part, uint64_t interval,
			  struct tl_xtrace_places *places, struct tl_error *err)
{
	struct search search = { .interval = interval, .number = 1 };
	int status = tl_xtrace_part_range(trace, stream, part, &search.next, &search.end, err);

	if (search.next >= search.end)
		search.next = TL_NOWHERE;
	for (size_t i = 0; status == 0 && i < stream->segment_count; i++)
		status = search_segment(trace, stream, i, &search, places, err);
	return status;
}

void tl_xtrace_places_free(struct tl_xtrace_places *places)
{
	free(places->list);
	*places = (struct tl_xtrace_places){ 0 };
}
