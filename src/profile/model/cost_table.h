/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_COST_TABLE_H
#define TL_PROFILE_COST_TABLE_H
/*
 * The book-keeping of an array whose elements have a vector of costs each: the array itself stands
 * beside it (`elements` is its address, as tl_grow() takes it), so that its type is known.
 */
#include "core/memory.h"

struct tl_cost_table {
	size_t count, capacity, cost_capacity;
	int64_t *cost; /* count * event_count, NULL for elements without cost */
	struct tl_index index;
};

/* Append an element, with costs of zero if there are events. TL_NONE without memory. */
uint32_t tl_cost_table_add(struct tl_cost_table *table, void *elements, const void *element,
			   size_t size, uint32_t event_count);
/* The same, to be found by its hash. */
uint32_t tl_cost_table_append(struct tl_cost_table *table, void *elements, const void *element,
			      size_t size, uint32_t event_count, uint64_t hash);
/* Costs of zero for the element that the caller is about to append. False without memory. */
bool tl_cost_table_row(struct tl_cost_table *table, uint32_t event_count);
/* Each vector of `events` costs gets one more, 0. False without memory. */
bool tl_cost_table_widen(struct tl_cost_table *table, uint32_t events);
void tl_cost_table_free(struct tl_cost_table *table);

#endif
