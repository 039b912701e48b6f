/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_STACKS_PATH_SUMS_H
#define TL_EXPORT_STACKS_PATH_SUMS_H
/* Estimated call paths that will not be made, summed by the context that they would be below. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The place of a path in the order in which paths are made: small, as a heap looks at many. */
struct tl_path_place {
	double score;    /* the largest comes first */
	uint64_t number; /* of equal scores the one that arrived first */
	uint32_t slot;   /* where the path itself is */
};

static inline bool tl_path_before(const struct tl_path_place *a, const struct tl_path_place *b)
{
	return a->score != b->score ? a->score > b->score : a->number < b->number;
}

/* Sort places, the first one first, by a comparison as of qsort(). */
int tl_path_compare(const void *a, const void *b);

struct tl_path_sum {
	struct tl_path_place first; /* of its paths, with the number of the sum as its slot */
	uint32_t parent;            /* TL_NONE: roots */
};

/* Zero-filled is empty; the caller sets `events` and `base`, the least number of a parent. */
struct tl_path_sums {
	uint32_t events, base;
	uint32_t *sum_of; /* by parent, behind that of roots: from 1 on, 0: none */
	size_t known, known_capacity;
	struct tl_path_sum *list;
	size_t count, capacity;
	int64_t *costs; /* by sum and event */
	size_t cost_capacity;
};

/* Add a path below a parent. False without memory. */
bool tl_path_sums_add(struct tl_path_sums *sums, uint32_t parent, const struct tl_path_place *place,
		      const int64_t *amount);
/* The costs of a sum, by event. */
static inline const int64_t *tl_path_sums_costs(const struct tl_path_sums *sums, size_t sum)
{
	return sums->costs + sum * sums->events;
}
void tl_path_sums_free(struct tl_path_sums *sums);

#endif
