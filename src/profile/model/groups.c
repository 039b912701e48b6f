/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/model/groups.h"

#include <stdlib.h>

bool tl_groups_make(struct tl_groups *groups, uint32_t count, uint32_t keys, tl_group_key_fn *key,
		    const void *context)
{
	uint32_t *next;

	groups->start = calloc((size_t)keys + 2, sizeof(*groups->start));
	groups->order = malloc(((size_t)count + 1) * sizeof(*groups->order));
	if (!groups->start || !groups->order)
		return false;
	/*
	 * The keys are counted at start[k + 2], so that after summing start[k + 1] is where group k
	 * begins. Filling advances it to the end of group k, where group k + 1 begins.
	 */
	next = groups->start + 1;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t k = key(context, i);

		if (k < keys)
			groups->start[(size_t)k + 2]++;
	}
	for (size_t k = 2; k <= keys; k++)
		groups->start[k] += groups->start[k - 1];
	for (uint32_t i = 0; i < count; i++) {
		uint32_t k = key(context, i);

		if (k < keys)
			groups->order[next[k]++] = i;
	}
	return true;
}

void tl_groups_free(struct tl_groups *groups)
{
	free(groups->start);
	free(groups->order);
}
