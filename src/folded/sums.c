/* SPDX-License-Identifier: Apache-2.0 */
#include "folded/sums.h"

#include <string.h>

void tl_folded_sums_free(struct tl_folded_sums *s)
{
	free(s->levels);
	free(s->active);
}

bool tl_folded_sums_leave(struct tl_folded_sums *s, const struct tl_folded_path *path, size_t count)
{
	while (s->count > count) {
		struct tl_folded_level *level = &s->levels[--s->count];
		const uint32_t frame = (uint32_t)path->steps[s->count].key;

		s->active[frame]--;
		for (uint32_t i = 0; i < s->stacks->event_count; i++) {
			if (s->count)
				tl_add_cost(&level[-1].cost[i], level->cost[i],
					    &s->stacks->saturated);
			if (level->outermost && level->cost[i] &&
			    !tl_foreign_stacks_count(s->stacks, tl_foreign_flat_inclusive(frame), i,
						     level->cost[i]))
				return false;
		}
	}
	return true;
}

static bool room_for_frames(struct tl_folded_sums *s)
{
	const size_t had = s->active_capacity;

	if (!tl_grow(&s->active, &s->active_capacity, s->stacks->frame_count, sizeof(*s->active)))
		return false;
	memset(s->active + had, 0, (s->active_capacity - had) * sizeof(*s->active));
	return true;
}

bool tl_folded_sums_enter(struct tl_folded_sums *s, const struct tl_folded_path *path)
{
	if (s->stacks->frame_count > s->active_capacity && !room_for_frames(s))
		return false;
	if (path->count > s->capacity &&
	    !tl_grow(&s->levels, &s->capacity, path->count, sizeof(*s->levels)))
		return false;
	for (; s->count < path->count; s->count++) {
		uint32_t *active = &s->active[path->steps[s->count].key];

		s->levels[s->count] = (struct tl_folded_level){ .outermost = !*active };
		(*active)++;
	}
	return true;
}

bool tl_folded_sums_count(struct tl_folded_sums *s, const struct tl_folded_path *path,
			  uint32_t event, int64_t cost)
{
	const uint32_t frame = (uint32_t)path->steps[path->count - 1].key;

	tl_add_cost(&s->levels[s->count - 1].cost[event], cost, &s->stacks->saturated);
	return tl_foreign_stacks_count(s->stacks, tl_foreign_flat_self(frame), event, cost);
}
