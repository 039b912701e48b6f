/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of one function in a window: the longest ones, and how durations are distributed. */
#include <stdlib.h>

#include "core/error.h"
#include "core/sized.h"
#include "open/input.h"
#include "open/window/window.h"
#include "profile/model/latency.h"

struct searching {
	const struct tl_call_track *track;
	struct tl_call_found *list; /* a heap: the shortest one is the first */
	size_t count, capacity, most;
	struct tl_latencies latencies;
	struct tl_call_search *search;
	uint64_t finished, sum;
};

/* ---- the longest ones ---- */

/* Whether `a` comes later in the list than `b`. */
static bool is_shorter(const struct tl_call_found *a, const struct tl_call_found *b)
{
	if (a->item.busy != b->item.busy)
		return a->item.busy < b->item.busy;
	if (a->track != b->track)
		return a->track > b->track;
	if (a->item.start != b->item.start)
		return a->item.start > b->item.start;
	return a->item.depth > b->item.depth;
}

static int compare_found(const void *a, const void *b)
{
	return is_shorter(a, b) - is_shorter(b, a);
}

static void swap(struct tl_call_found *a, struct tl_call_found *b)
{
	struct tl_call_found held = *a;

	*a = *b;
	*b = held;
}

static void sift_up(struct searching *s, size_t at)
{
	for (; at && is_shorter(&s->list[at], &s->list[(at - 1) / 2]); at = (at - 1) / 2)
		swap(&s->list[at], &s->list[(at - 1) / 2]);
}

static void sift_down(struct searching *s)
{
	size_t at = 0, child;

	while ((child = 2 * at + 1) < s->count) {
		child += child + 1 < s->count && is_shorter(&s->list[child + 1], &s->list[child]);
		if (!is_shorter(&s->list[child], &s->list[at]))
			break;
		swap(&s->list[at], &s->list[child]);
		at = child;
	}
}

static bool keep(struct searching *s, const struct tl_call_found *found)
{
	if (!s->most)
		return true;
	if (s->count < s->most) {
		if (!tl_grow(&s->list, &s->capacity, s->count + 1, sizeof(*s->list)))
			return false;
		s->list[s->count] = *found;
		sift_up(s, s->count++);
	} else if (is_shorter(&s->list[0], found)) {
		s->list[0] = *found;
		sift_down(s);
	}
	return true;
}

/* ---- the search ---- */

static bool take_call(void *arg, const struct tl_leaf_call *call)
{
	struct searching *s = arg;
	const struct tl_call_found found = { s->track->number, tl_call_item_of(s->track, call) };
	uint64_t ticks = found.item.busy;

	s->search->calls++;
	if (call->end != TL_NOWHERE && !(call->flags & (TL_CALL_CUT | TL_CALL_LATE))) {
		s->finished++;
		s->sum += ticks;
		s->search->octaves[ticks ? 63 - __builtin_clzll(ticks) : 0]++;
		if (!tl_latency_note(&s->latencies, ticks, false))
			return false;
	}
	return keep(s, &found);
}

static int search_tracks(struct searching *s, struct tl_input *input, struct tl_call_index *index,
			 const struct tl_call_span *span, uint32_t function, struct tl_error *err)
{
	const struct tl_calls_wanted wanted = { span->from, span->to, function };
	struct tl_call_cursor *cursor;
	int status = tl_call_cursor_open(&cursor, index, err);

	for (size_t i = 0; status == 0 && i < index->tracks.count; i++) {
		s->track = index->tracks.list[i];
		if (span->one_track && span->track != i)
			continue;
		status = tl_cursor_each_call(cursor, s->track, &wanted, take_call, s, err);
		if (status == 0)
			status = tl_call_span_progress(input, i, index->tracks.count, err);
	}
	tl_call_cursor_close(cursor);
	return status;
}

int tl_input_search(struct tl_input *input, struct tl_call_index *index,
		    const struct tl_call_span *span, uint32_t function, size_t most,
		    struct tl_call_search *search, size_t size, struct tl_error *err)
{
	struct tl_call_search ours = { .count = 0 };
	struct searching s = { .most = most, .latencies = TL_LATENCIES_NONE, .search = &ours };
	struct tl_call_span taken;
	int status = tl_call_span_take(index, span, &taken, err);

	if (status == 0)
		status = search_tracks(&s, input, index, &taken, function, err);
	status = (int)tl_input_unchanged(input, status, err);
	if (status == 0 && s.finished) {
		tl_latency_total(&s.latencies, s.finished, s.sum);
		tl_latency_settle(&s.latencies);
		tl_latency_figures(&s.latencies, &ours.durations);
	}
	tl_latency_free(&s.latencies);
	if (s.count)
		qsort(s.list, s.count, sizeof(*s.list), compare_found);
	ours.longest = s.list;
	ours.count = s.count;
	if (status == 0)
		status = tl_give(search, size, sizeof(ours), &ours, sizeof(ours));
	if (status < 0)
		free(s.list);
	return status;
}

void tl_call_search_end(struct tl_call_search *search)
{
	free((void *)search->longest);
	search->longest = NULL;
}
