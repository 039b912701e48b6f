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

bool tl_path_before(const struct tl_path_place *a, const struct tl_path_place *b)
{
	return a->score != b->score ? a->score > b->score : a->number < b->number;
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
	return queue->count >= MOST_QUEUED;
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
	added->depth = 0;
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
	queue->list[place->slot].depth = 0;
	queue->list[place->slot].function = queue->first_free;
	queue->first_free = place->slot;
	queue->free_count++;
}

const struct tl_path_candidate *tl_path_queue_at(const struct tl_path_queue *queue,
						 const struct tl_path_place *place)
{
	return &queue->list[place->slot];
}

/* ---- the heap ---- */

int tl_path_queue_put(struct tl_path_queue *queue, struct tl_path_candidate candidate,
		      const int64_t *amount)
{
	struct tl_path_candidate *kept;
	uint32_t slot;

	if (tl_path_queue_full(queue))
		return 0;
	if (!tl_grow(&queue->heap, &queue->capacity, queue->count + 1, sizeof(*queue->heap)) ||
	    (!queue->free_count && !add_slot(queue)))
		return TL_NO_MEMORY;
	slot = take_slot(queue);
	kept = &queue->list[slot];
	candidate.amount = kept->amount;
	candidate.number = queue->arrived++;
	*kept = candidate;
	memcpy(kept->amount, amount, queue->events * sizeof(*amount));
	queue->heap[queue->count++] =
		(struct tl_path_place){ candidate.score, candidate.number, slot };
	sift_up(queue->heap, queue->count - 1);
	return 1;
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
	return first;
}

void tl_path_queue_free(struct tl_path_queue *queue)
{
	for (size_t i = 0; i < queue->chunk_count; i++)
		free(queue->chunks[i]);
	free(queue->chunks);
	free(queue->list);
	free(queue->heap);
}
