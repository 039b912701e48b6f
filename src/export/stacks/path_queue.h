/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_STACKS_PATH_QUEUE_H
#define TL_EXPORT_STACKS_PATH_QUEUE_H
/* Estimated call paths that are not made yet, the one with the largest share first. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A call path that is not made yet. */
struct tl_path_candidate {
	double score;                     /* its largest share of the total of any event */
	uint32_t parent, function, depth; /* parent: context, TL_NONE: a root */
	uint64_t calls;
	uint64_t number; /* in the order of arrival: the first of equal scores is taken first */
	int64_t *amount; /* inclusive cost of the path, by event */
};

/* A binary heap. Zero-filled is empty. */
struct tl_path_queue {
	struct tl_path_candidate *heap;
	size_t count, capacity;
	uint64_t arrived; /* candidates so far */
};

/* No candidate is queued until one is taken. */
bool tl_path_queue_full(const struct tl_path_queue *queue);
/*
 * Queue a candidate with its own copy of `amount`, of `events` numbers. @return 1; 0: the queue is
 * full; TL_NO_MEMORY
 */
int tl_path_queue_put(struct tl_path_queue *queue, struct tl_path_candidate candidate,
		      const int64_t *amount, uint32_t events);
/* Remove the first candidate of a queue that is not empty; the caller frees `amount`. */
struct tl_path_candidate tl_path_queue_take(struct tl_path_queue *queue);
void tl_path_queue_free(struct tl_path_queue *queue);

#endif
