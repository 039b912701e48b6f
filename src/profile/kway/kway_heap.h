/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_KWAY_HEAP_H
#define TL_PROFILE_KWAY_HEAP_H
/* Which of many sorted lists goes on: a heap of their numbers. */
#include <stddef.h>
#include <stdint.h>

struct tl_kway_heap {
	uint32_t *list; /* numbers; the least one first; room for all, which the caller has */
	size_t count;
	/* Order of the present elements of two lists: below 0, 0, above 0. */
	int (*compare)(const void *context, uint32_t a, uint32_t b);
	const void *context;
};

void tl_kway_heap_push(struct tl_kway_heap *heap, uint32_t number);
/* Take the least one out. */
void tl_kway_heap_pop(struct tl_kway_heap *heap);
/* The least one has moved on to its next element. */
void tl_kway_heap_moved(struct tl_kway_heap *heap);

#endif
