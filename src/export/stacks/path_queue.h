/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_STACKS_PATH_QUEUE_H
#define TL_EXPORT_STACKS_PATH_QUEUE_H
/*
 * Estimated call paths that are not made yet, the one with the largest share first. It is known how
 * many will be taken at most, and a path that has so many before it never is: such paths are let
 * go, summed by the context that they would be below. They count as queued all the same.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/stacks/path_sums.h"

/* A call path that is not made yet. */
struct tl_path_candidate {
	double score;                     /* its largest share of the total of any event */
	uint32_t parent, function, depth; /* parent: context, TL_NONE: a root */
	uint64_t calls;
	uint64_t number; /* in the order of arrival: the first of equal scores is taken first */
	int64_t *amount; /* inclusive cost of the path, by event; the queue's own */
};

/* A binary heap. */
struct tl_path_queue {
	uint32_t events;
	size_t wanted; /* how many will be taken at most */
	struct tl_path_place *heap;
	size_t count, capacity;
	uint64_t arrived;               /* candidates so far */
	struct tl_path_candidate *list; /* by slot; of a free one `function` is the next free one */
	size_t slot_count, slot_capacity;
	uint32_t first_free; /* if there is one */
	size_t free_count;
	int64_t **chunks; /* amounts of many slots each, which stay where they are */
	size_t chunk_count, chunk_capacity;
	/* Nothing behind it is taken any more, where there is such a place. */
	struct tl_path_place last;
	bool bounded;
	size_t left; /* candidates that were let go */
	struct tl_path_sums sums;
};

/* An empty queue: contexts from `base` on are parents, `wanted` paths are taken at most. */
struct tl_path_queue tl_path_queue_begin(uint32_t events, uint32_t base, uint32_t wanted);
/* No candidate is queued until one is taken. */
bool tl_path_queue_full(const struct tl_path_queue *queue);
/*
 * Queue a candidate with its own copy of `amount`. @return 1; 0: the queue is full; TL_NO_MEMORY
 */
int tl_path_queue_put(struct tl_path_queue *queue, struct tl_path_candidate candidate,
		      const int64_t *amount);
/*
 * Take the first place of a queue that is not empty. Its candidate is read through
 * tl_path_queue_at() until tl_path_queue_release().
 */
struct tl_path_place tl_path_queue_take(struct tl_path_queue *queue);
const struct tl_path_candidate *tl_path_queue_at(const struct tl_path_queue *queue,
						 const struct tl_path_place *place);
void tl_path_queue_release(struct tl_path_queue *queue, const struct tl_path_place *place);
/* Let all go that wait: `sums` has them, and the queue is empty. False without memory. */
bool tl_path_queue_let_go(struct tl_path_queue *queue);
void tl_path_queue_free(struct tl_path_queue *queue);

#endif
