/* SPDX-License-Identifier: Apache-2.0 */
#include "export/stacks/path_sums.h"

#include <stdlib.h>
#include <string.h>

#include <tracelathe/core.h>

#include "core/arithmetic.h"
#include "core/memory.h"

int tl_path_compare(const void *a, const void *b)
{
	return tl_path_before(b, a) - tl_path_before(a, b);
}

/* Where the number of the sum below a parent is kept. NULL without memory. */
static uint32_t *sum_of(struct tl_path_sums *sums, uint32_t parent)
{
	const size_t at = parent == TL_NONE ? 0 : (size_t)(parent - sums->base) + 1;

	if (at >= sums->known) {
		if (!tl_grow(&sums->sum_of, &sums->known_capacity, at + 1, sizeof(*sums->sum_of)))
			return NULL;
		memset(sums->sum_of + sums->known, 0,
		       (at + 1 - sums->known) * sizeof(*sums->sum_of));
		sums->known = at + 1;
	}
	return &sums->sum_of[at];
}

static bool add_sum(struct tl_path_sums *sums, uint32_t parent, const struct tl_path_place *place)
{
	const size_t number = sums->count;

	if (!tl_grow(&sums->list, &sums->capacity, number + 1, sizeof(*sums->list)) ||
	    !tl_grow(&sums->costs, &sums->cost_capacity, (number + 1) * sums->events,
		     sizeof(*sums->costs)))
		return false;
	memset(sums->costs + number * sums->events, 0, sums->events * sizeof(*sums->costs));
	sums->list[number].first = *place;
	sums->list[number].first.slot = (uint32_t)number;
	sums->list[number].parent = parent;
	sums->count++;
	return true;
}

bool tl_path_sums_add(struct tl_path_sums *sums, uint32_t parent, const struct tl_path_place *place,
		      const int64_t *amount)
{
	uint32_t *known = sum_of(sums, parent);
	struct tl_path_sum *sum;
	int64_t *costs;

	if (!known || (!*known && !add_sum(sums, parent, place)))
		return false;
	if (!*known)
		*known = (uint32_t)sums->count;
	sum = &sums->list[*known - 1];
	if (tl_path_before(place, &sum->first)) {
		sum->first.score = place->score;
		sum->first.number = place->number;
	}
	costs = sums->costs + ((size_t)*known - 1) * sums->events;
	for (uint32_t i = 0; i < sums->events; i++)
		costs[i] = tl_sum_saturating(costs[i], amount[i]);
	return true;
}

void tl_path_sums_free(struct tl_path_sums *sums)
{
	free(sums->sum_of);
	free(sums->list);
	free(sums->costs);
	*sums = (struct tl_path_sums){ 0 };
}
