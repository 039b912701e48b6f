/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/model/part_lists.h"

#include <stdlib.h>

#include "profile/model/model.h"

/* Counts by key, one place on, become the first place of each key. */
static void add_up(uint32_t *start, size_t keys)
{
	for (size_t k = 0; k < keys; k++)
		start[k + 1] += start[k];
}

/* The numbers of all functions in parts, in the order of their functions. */
static uint32_t *by_function(const struct tl_profile *profile)
{
	size_t count = profile->part_functions.table.count,
	       functions = profile->functions.table.count;
	const struct tl_part_function *list = profile->part_functions.list;
	uint32_t *next = calloc(functions + 2, sizeof(*next));
	uint32_t *order = malloc((count + 1) * sizeof(*order));

	for (size_t i = 0; next && i < count; i++)
		next[list[i].function + 1]++;
	if (next)
		add_up(next, functions);
	for (size_t i = 0; next && order && i < count; i++)
		order[next[list[i].function]++] = (uint32_t)i;
	if (!next) {
		free(order);
		order = NULL;
	}
	free(next);
	return order;
}

/* `next` has the next free place of each part. */
static void fill(struct tl_part_lists *lists, const struct tl_profile *profile,
		 const uint32_t *order, uint32_t *next)
{
	size_t parts = profile->parts.count;

	for (size_t i = 0; i < profile->part_functions.table.count; i++) {
		const struct tl_part_function *local = &profile->part_functions.list[order[i]];

		if (local->part < parts)
			lists->functions[next[local->part]++] = local->function;
	}
}

bool tl_part_lists_make(struct tl_part_lists *lists, const struct tl_profile *profile)
{
	size_t count = profile->part_functions.table.count, parts = profile->parts.count;
	uint32_t *order = by_function(profile), *next = malloc((parts + 1) * sizeof(*next));
	bool ok;

	lists->start = calloc(parts + 2, sizeof(*lists->start));
	lists->functions = malloc((count + 1) * sizeof(*lists->functions));
	ok = order && next && lists->start && lists->functions;
	for (size_t i = 0; ok && i < count; i++)
		if (profile->part_functions.list[i].part < parts)
			lists->start[profile->part_functions.list[i].part + 1]++;
	if (ok) {
		add_up(lists->start, parts);
		for (size_t p = 0; p < parts; p++)
			next[p] = lists->start[p];
		fill(lists, profile, order, next);
	}
	free(order);
	free(next);
	return ok;
}

void tl_part_lists_free(struct tl_part_lists *lists)
{
	free(lists->start);
	free(lists->functions);
}
