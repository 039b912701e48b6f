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
enum { MOST_QUEUED = 1 << 20 };

static bool before(const struct tl_path_candidate *a, const struct tl_path_candidate *b)
{
	return a->score != b->score ? a->score > b->score : a->number < b->number;
}

static void sift_up(struct tl_path_candidate *heap, size_t at)
{
	struct tl_path_candidate moved = heap[at];

	for (; at && before(&moved, &heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = moved;
}

bool tl_path_queue_full(const struct tl_path_queue *queue)
{
	return queue->count >= MOST_QUEUED;
}

int tl_path_queue_put(struct tl_path_queue *queue, struct tl_path_candidate candidate,
		      const int64_t *amount, uint32_t events)
{
	if (tl_path_queue_full(queue))
		return 0;
	candidate.amount = malloc(events * sizeof(*amount));
	if (!candidate.amount ||
	    !tl_grow(&queue->heap, &queue->capacity, queue->count + 1, sizeof(*queue->heap))) {
		free(candidate.amount);
		return TL_NO_MEMORY;
	}
	memcpy(candidate.amount, amount, events * sizeof(*amount));
	candidate.number = queue->arrived++;
	queue->heap[queue->count++] = candidate;
	sift_up(queue->heap, queue->count - 1);
	return 1;
}

struct tl_path_candidate tl_path_queue_take(struct tl_path_queue *queue)
{
	struct tl_path_candidate *heap = queue->heap;
	struct tl_path_candidate first = heap[0], moved = heap[--queue->count];
	size_t at = 0;

	for (;;) {
		size_t child = at * 2 + 1;

		if (child + 1 < queue->count && before(&heap[child + 1], &heap[child]))
			child++;
		if (child >= queue->count || !before(&heap[child], &moved))
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
	for (size_t i = 0; i < queue->count; i++)
		free(queue->heap[i].amount);
	free(queue->heap);
}
