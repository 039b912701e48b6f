/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/model/part_lists.h"

#include <stdlib.h>

#include "profile/model/groups.h"
#include "profile/model/model.h"

struct part_sorting {
	const struct tl_part_function *list;
	const uint32_t *by_function; /* numbers in the list in the order of their functions */
};

static uint32_t function_of(const void *context, uint32_t number)
{
	const struct part_sorting *s = context;

	return s->list[number].function;
}

static uint32_t part_of(const void *context, uint32_t place)
{
	const struct part_sorting *s = context;

	return s->list[s->by_function[place]].part;
}

bool tl_part_lists_make(struct tl_part_lists *lists, const struct tl_profile *profile)
{
	const uint32_t count = (uint32_t)profile->part_functions.table.count,
		       functions = (uint32_t)profile->functions.table.count,
		       parts = (uint32_t)profile->parts.count;
	struct part_sorting s = { .list = profile->part_functions.list };
	struct tl_groups by_function, by_part = { NULL, NULL };
	bool ok = tl_groups_make(&by_function, count, functions, function_of, &s);

	s.by_function = by_function.order;
	ok = ok && tl_groups_make(&by_part, count, parts, part_of, &s);
	for (uint32_t i = 0; ok && i < by_part.start[parts]; i++)
		by_part.order[i] = s.list[s.by_function[by_part.order[i]]].function;
	tl_groups_free(&by_function);
	*lists = (struct tl_part_lists){ by_part.start, by_part.order };
	return ok;
}

void tl_part_lists_free(struct tl_part_lists *lists)
{
	free(lists->start);
	free(lists->functions);
}
