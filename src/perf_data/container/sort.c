/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records by time. perf writes the buffers of all processors one after the other, then
 * FINISHED_ROUND. A record that is older than the latest one of the round before the last cannot be
 * preceded by later input any more, and leaves (docs/formats/perf-data.md section 5).
 * Records without a time, and those of perf itself, are returned at once.
 */
#include "perf_data/container/reader.h"

/* Limits of what waits: beyond them the oldest leave early, as in a file without rounds. */
enum { QUEUED_MAX = 1 << 20 };
#define COPIED_MAX (UINT64_C(64) << 20)

static bool before(const struct tl_perf_queued_record *a, const struct tl_perf_queued_record *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->raw.number < b->raw.number;
}

static void sift_up(struct tl_perf_sorter *o, size_t at)
{
	const struct tl_perf_queued_record w = o->heap[at];

	for (; at && before(&w, &o->heap[(at - 1) / 2]); at = (at - 1) / 2)
		o->heap[at] = o->heap[(at - 1) / 2];
	o->heap[at] = w;
}

static void sift_down(struct tl_perf_sorter *o)
{
	const struct tl_perf_queued_record w = o->heap[o->count];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < o->count && before(&o->heap[child + 1], &o->heap[child]))
			child++;
		if (child >= o->count || !before(&o->heap[child], &w))
			break;
		o->heap[at] = o->heap[child];
		at = child;
	}
	o->heap[at] = w;
}

/* ---- what waits ---- */

static size_t waiting(const struct tl_perf_sorter *o)
{
	return o->count + (o->run.end - o->run.first);
}

/* The oldest one of those that wait; there is one. */
static const struct tl_perf_queued_record *oldest(const struct tl_perf_sorter *o)
{
	const struct tl_perf_queued_record *first;

	if (o->run.first == o->run.end)
		return o->heap;
	first = &o->run.list[o->run.first];
	return o->count && before(o->heap, first) ? o->heap : first;
}

/* Room for one more at the end. False without memory. */
static bool room_in_run(struct tl_perf_sorted_run *run)
{
	if (run->end < run->capacity)
		return true;
	/* More than half of the places are free, so that few records move for each of these. */
	if (run->first > run->capacity / 2) {
		memmove(run->list, run->list + run->first,
			(run->end - run->first) * sizeof(*run->list));
		run->end -= run->first;
		run->first = 0;
		return true;
	}
	return tl_grow(&run->list, &run->capacity, run->end + 1, sizeof(*run->list));
}

/*
 * A record behind all others, as the records of a processor are, is put at the end of the run at no
 * cost; others go through the heap.
 */
static bool put(struct tl_perf_sorter *o, const struct tl_perf_queued_record *w)
{
	struct tl_perf_sorted_run *run = &o->run;

	if (run->first == run->end)
		run->first = run->end = 0;
	if (run->first == run->end || !before(w, &run->list[run->end - 1])) {
		if (!room_in_run(run))
			return false;
		run->list[run->end++] = *w;
		return true;
	}
	if (!tl_grow(&o->heap, &o->capacity, o->count + 1, sizeof(*o->heap)))
		return false;
	o->heap[o->count] = *w;
	sift_up(o, o->count++);
	return true;
}

static struct tl_perf_queued_record take_oldest(struct tl_perf_sorter *o)
{
	const struct tl_perf_queued_record *first = oldest(o), w = *first;

	if (first == o->heap) {
		o->count--;
		sift_down(o);
	} else {
		o->run.first++;
	}
	return w;
}

static int enqueue(struct tl_perf_sorter *o, const struct tl_perf_raw_record *raw, uint64_t time_ns,
		   struct tl_error *err)
{
	struct tl_perf_queued_record w = { *raw, time_ns, NULL };

	if (raw->inside != TL_NOWHERE) {
		w.copy = malloc(raw->size);
		if (!w.copy)
			return tl_error_memory(err);
		memcpy(w.copy, raw->at, raw->size);
		w.raw.at = w.copy;
	}
	if (!put(o, &w)) {
		free(w.copy);
		return tl_error_memory(err);
	}
	if (w.copy)
		o->copied += raw->size;
	if (time_ns > o->round)
		o->round = time_ns;
	return 0;
}

/*
 * The record that comes next was passed over long ago, and is fetched while this one is counted:
 * its head, and what a sample has at its end.
 */
static void fetch_next(const struct tl_perf_sorter *o)
{
	enum { LINE = 64, HEAD_LINES = 4 };

	if (o->run.first < o->run.end) {
		const struct tl_perf_raw_record *next = &o->run.list[o->run.first].raw;
		const uintptr_t at = (uintptr_t)next->at;

		for (unsigned line = 0; line < HEAD_LINES; line++)
			__builtin_prefetch((const void *)(at + line * LINE));
		__builtin_prefetch((const void *)(at + next->size - 1));
	}
}

static int dequeue(struct tl_perf_reader *r, struct tl_perf_record *rec, struct tl_error *err)
{
	struct tl_perf_sorter *o = &r->sorter;
	const struct tl_perf_queued_record w = take_oldest(o);

	fetch_next(o);
	if (w.copy)
		o->copied -= w.raw.size;
	o->given = w.copy;
	return tl_perf_decode(r, &w.raw, rec, false, err);
}

static bool may_dequeue(const struct tl_perf_sorter *o)
{
	if (!waiting(o))
		return false;
	return o->ended || oldest(o)->time_ns <= o->limit || waiting(o) >= QUEUED_MAX ||
	       o->copied >= COPIED_MAX;
}

static bool has_time(const struct tl_perf_record *rec)
{
	return tl_perf_is_kernel_record(rec->type) && rec->id.time_ns &&
	       rec->id.time_ns != TL_NOWHERE;
}

/* Read one record. 1: it is to be returned at once; 0: it was queued, or the end; negative. */
static int read_one(struct tl_perf_reader *r, struct tl_perf_record *rec, struct tl_error *err)
{
	struct tl_perf_sorter *o = &r->sorter;
	struct tl_perf_raw_record raw;
	int status;

	tl_perf_oldest_part(r);
	status = tl_perf_raw_next(r, &raw, err);
	if (status <= 0) {
		o->ended = true;
		return status;
	}
	status = tl_perf_decode(r, &raw, rec, true, err);
	if (status <= 0)
		return status;
	if (rec->type == TL_PERF_FINISHED_ROUND && r->parts.count)
		return 1;
	if (rec->type == TL_PERF_FINISHED_ROUND) {
		o->limit = o->next;
		o->next = o->round;
		return 1;
	}
	if (!has_time(rec))
		return 1;
	tl_perf_part_time(r, rec->id.time_ns);
	if (rec->id.time_ns < o->limit) {
		status = tl_perf_rule_broken(r, TL_PERF_RULE_ORDER, raw.offset, 0, err);
		if (status < 0)
			return status;
	}
	return enqueue(o, &raw, rec->id.time_ns, err);
}

int tl_perf_sort_next(struct tl_perf_reader *r, struct tl_perf_record *rec, struct tl_error *err)
{
	struct tl_perf_sorter *o = &r->sorter;

	free(o->given);
	o->given = NULL;
	for (;;) {
		int status;

		if (may_dequeue(o))
			return dequeue(r, rec, err);
		if (o->ended)
			return 0;
		status = read_one(r, rec, err);
		if (status)
			return status;
	}
}

void tl_perf_sort_reset(struct tl_perf_reader *r)
{
	struct tl_perf_sorter *o = &r->sorter;

	for (size_t i = 0; i < o->count; i++)
		free(o->heap[i].copy);
	for (size_t i = o->run.first; i < o->run.end; i++)
		free(o->run.list[i].copy);
	free(o->given);
	o->given = NULL;
	o->count = o->run.first = o->run.end = 0;
	o->copied = o->round = o->next = o->limit = 0;
	o->ended = false;
}
