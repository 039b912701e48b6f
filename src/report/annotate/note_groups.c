/* SPDX-License-Identifier: Apache-2.0 */
/* Notes and groups, one by one: what both collections are made of (notes.c, packed_notes.c). */
#include <string.h>

#include "core/arithmetic.h"
#include "core/memory.h"
#include "report/annotate/annotation.h"

struct tl_note_owner tl_note_owner_of(const struct tl_annotation *a, uint32_t function,
				      const char *file)
{
	if (a->what.assembly)
		return (struct tl_note_owner){ "", function };
	if (!*file)
		file = tl_profile_function(a->view.profile, function)->file;
	return (struct tl_note_owner){ file, TL_NONE };
}

int tl_note_compare_jumps(const struct tl_jump *x, const struct tl_jump *y)
{
	int order = tl_compare(x->target, y->target);

	if (!order)
		order = strcmp(x->to.file, y->to.file);
	if (!order)
		order = tl_compare(x->to.line, y->to.line);
	if (!order)
		order = tl_compare(x->to.address, y->to.address);
	if (!order)
		order = tl_compare(x->conditional, y->conditional);
	return order;
}

bool tl_note_add(struct tl_annotation *a, const struct tl_note *note)
{
	if (!tl_grow(&a->notes, &a->capacity, a->count + 1, sizeof(*note)))
		return false;
	a->notes[a->count++] = *note;
	return true;
}

bool tl_note_any_cost(const struct tl_view *view, const int64_t *cost)
{
	for (uint32_t i = 0; i < view->event_count; i++)
		if (cost[view->events[i]])
			return true;
	return false;
}

struct tl_note_group *tl_note_group_add(struct tl_annotation *a, const struct tl_note_owner *owner)
{
	uint32_t events = tl_profile_event_count(a->view.profile);
	struct tl_note_group *group;

	if (!tl_grow(&a->groups, &a->group_capacity, a->group_count + 1, sizeof(*group)) ||
	    !tl_grow(&a->costs, &a->cost_capacity, (a->group_count + 1) * events,
		     sizeof(*a->costs)))
		return NULL;
	group = &a->groups[a->group_count];
	*group = (struct tl_note_group){ .owner = *owner, .cost = a->group_count++ };
	memset(tl_group_cost(a, group), 0, events * sizeof(*a->costs));
	return group;
}

void tl_note_group_cost(const struct tl_annotation *a, const struct tl_note_group *group,
			const int64_t *cost)
{
	int64_t *sum = tl_group_cost(a, group);

	for (uint32_t e = 0; e < tl_profile_event_count(a->view.profile); e++)
		sum[e] = tl_sum_saturating(sum[e], cost[e]);
}
