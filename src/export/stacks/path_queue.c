/* SPDX-License-Identifier: Apache-2.0 */
#include "export/stacks/path_queue.h"

#include <stdlib.h>
#include <string.h>

#include <tracelathe/core.h>

#include "core/memory.h"

/*
 * Candidates in the queue at most. In a dense call graph each path continues to nearly every
 * function, and most candidates would never be taken.
 */
enum { MOST_QUEUED = 1 << 20, CHUNK = 1 << 10 };
/* So many more than will be taken wait until it is looked which of them never are. */
enum { LEAST_SPARE = 1 << 12 };

struct tl_path_queue tl_path_queue_begin(uint32_t events, uint32_t base, uint32_t wanted)
{
	return (struct tl_path_queue){ .events = events,
				       .wanted = wanted,
				       .sums = { .events = events, .base = base } };
}

static void sift_up(struct tl_path_place *heap, size_t at)
{
	struct tl_path_place moved = heap[at];

	for (; at && tl_path_before(&moved, &heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = moved;
}

bool tl_path_queue_full(const struct tl_path_queue *queue)
{
	return queue->count + queue->left >= MOST_QUEUED;
}

/* ---- slots ---- */

/* One slot more, and its amounts. False without memory. */
static bool add_slot(struct tl_path_queue *queue)
{
	const size_t slot = queue->slot_count;
	struct tl_path_candidate *added;

	if (!tl_grow(&queue->list, &queue->slot_capacity, slot + 1, sizeof(*queue->list)))
		return false;
	if (slot == queue->chunk_count * CHUNK) {
		int64_t *chunk = malloc(CHUNK * (queue->events + (size_t)1) * sizeof(*chunk));

		if (!chunk || !tl_grow(&queue->chunks, &queue->chunk_capacity,
				       queue->chunk_count + 1, sizeof(*queue->chunks))) {
			free(chunk);
			return false;
		}
		queue->chunks[queue->chunk_count++] = chunk;
	}
	added = &queue->list[slot];
	added->function = queue->first_free;
	added->amount = queue->chunks[slot / CHUNK] + slot % CHUNK * queue->events;
	queue->first_free = (uint32_t)slot;
	queue->free_count++;
	queue->slot_count++;
	return true;
}

static uint32_t take_slot(struct tl_path_queue *queue)
{
	const uint32_t slot = queue->first_free;

	queue->first_free = queue->list[slot].function;
	queue->free_count--;
	return slot;
}

void tl_path_queue_release(struct tl_path_queue *queue, const struct tl_path_place *place)
{
	queue->list[place->slot].function = queue->first_free;
	queue->first_free = place->slot;
	queue->free_count++;
}

const struct tl_path_candidate *tl_path_queue_at(const struct tl_path_queue *queue,
						 const struct tl_path_place *place)
{
	return &queue->list[place->slot];
}

/* ---- what will not be taken ---- */

/* The places of the heap from `keep` on. */
static bool let_go_from(struct tl_path_queue *queue, size_t keep)
{
	while (queue->count > keep) {
		const struct tl_path_place *place = &queue->heap[queue->count - 1];
		const struct tl_path_candidate *c = tl_path_queue_at(queue, place);

		if (!tl_path_sums_add(&queue->sums, c->parent, place, c->amount))
			return false;
		tl_path_queue_release(queue, place);
		queue->count--;
		queue->left++;
	}
	return true;
}

bool tl_path_queue_let_go(struct tl_path_queue *queue)
{
	return let_go_from(queue, 0);
}

/* Places that are sorted are a heap, too. False without memory. */
static bool keep_wanted(struct tl_path_queue *queue)
{
	qsort(queue->heap, queue->count, sizeof(*queue->heap), tl_path_compare);
	queue->bounded = queue->wanted > 0;
	if (queue->bounded)
		queue->last = queue->heap[queue->wanted - 1];
	return let_go_from(queue, queue->wanted);
}

static bool is_too_late(const struct tl_path_queue *queue, const struct tl_path_place *place)
{
	return queue->bounded && !tl_path_before(place, &queue->last);
}

/* ---- the heap ---- */

/* False without memory. */
static bool put(struct tl_path_queue *queue, struct tl_path_candidate candidate,
		struct tl_path_place place, const int64_t *amount)
{
	struct tl_path_candidate *kept;

	if (!tl_grow(&queue->heap, &queue->capacity, queue->count + 1, sizeof(*queue->heap)) ||
	    (!queue->free_count && !add_slot(queue)))
		return false;
	place.slot = take_slot(queue);
	kept = &queue->list[place.slot];
	candidate.amount = kept->amount;
	*kept = candidate;
	memcpy(kept->amount, amount, queue->events * sizeof(*amount));
	queue->heap[queue->count++] = place;
	sift_up(queue->heap, queue->count - 1);
	return queue->count <= queue->wanted + queue->wanted / 2 + LEAST_SPARE ||
	       keep_wanted(queue);
}

int tl_path_queue_put(struct tl_path_queue *queue, struct tl_path_candidate candidate,
		      const int64_t *amount)
{
	const struct tl_path_place place = { candidate.score, queue->arrived, 0 };
	bool ok;

	if (tl_path_queue_full(queue))
		return 0;
	candidate.number = queue->arrived++;
	if (is_too_late(queue, &place)) {
		queue->left++;
		ok = tl_path_sums_add(&queue->sums, candidate.parent, &place, amount);
	} else {
		ok = put(queue, candidate, place, amount);
	}
	return ok ? 1 : TL_NO_MEMORY;
}

struct tl_path_place tl_path_queue_take(struct tl_path_queue *queue)
{
	struct tl_path_place *heap = queue->heap;
	struct tl_path_place first = heap[0], moved = heap[--queue->count];
	size_t at = 0;

	for (;;) {
		size_t child = at * 2 + 1;

		if (child + 1 < queue->count && tl_path_before(&heap[child + 1], &heap[child]))
			child++;
		if (child >= queue->count || !tl_path_before(&heap[child], &moved))
			break;
		heap[at] = heap[child];
		at = child;
	}
	if (queue->count)
		heap[at] = moved;
	if (queue->wanted)
		queue->wanted--;
	return first;
}

void tl_path_queue_free(struct tl_path_queue *queue)
{
	for (size_t i = 0; i < queue->chunk_count; i++)
		free(queue->chunks[i]);
	free(queue->chunks);
	free(queue->list);
	free(queue->heap);
	tl_path_sums_free(&queue->sums);
}
