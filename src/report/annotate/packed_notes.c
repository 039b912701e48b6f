/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes of a packed profile (profile/model/pack.h). A first pass sums up the groups and notes where
 * the items of each begin in the pack; then the items of a group are read when it is shown.
 */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "profile/model/model.h"
#include "report/annotate/annotation.h"

/* ---- items ---- */

static const char *file_of(const struct tl_annotation *a, uint32_t file)
{
	return a->view.profile->names.names[file].text;
}

static void add_item_costs(const struct tl_annotation *a, const struct tl_pack_item *item,
			   int64_t *costs)
{
	/* What is packed has sums that fit, and no negative costs. */
	tl_pack_add_costs(item, a->packed.events, (uint64_t *)costs);
}

void tl_packed_notes_add_costs(const struct tl_annotation *a, uint32_t number, int64_t *costs)
{
	const struct tl_packed_notes *p = &a->packed;
	const uint32_t events = tl_profile_event_count(a->view.profile);
	const int64_t *sums;

	if (number >= p->summed.count || p->summed.of[number] == TL_NONE) {
		add_item_costs(a, &p->items[number], costs);
		return;
	}
	sums = p->summed.costs + (size_t)p->summed.of[number] * events;
	for (uint32_t e = 0; e < events; e++)
		costs[e] += sums[e];
}

/* ---- groups ---- */

static bool same_owner(const void *context, const void *key, uint32_t number)
{
	const struct tl_note_owner *have =
		&((const struct tl_annotation *)context)->groups[number].owner;
	const struct tl_note_owner *wanted = key;

	/* Interned strings: equal when their addresses are. */
	return have->file == wanted->file && have->function == wanted->function;
}

/* The number of the group of an owner, added if new; TL_NONE without memory. */
static uint32_t group_of(struct tl_annotation *a, const struct tl_note_owner *owner)
{
	uint64_t hash = tl_hash_pair(owner->function == TL_NONE ? (uintptr_t)owner->file : 0,
				     owner->function);
	uint32_t found = tl_index_find(&a->packed.by_owner, hash, same_owner, a, owner);

	if (found != TL_NONE)
		return found;
	if (a->group_count >= TL_NONE || !tl_note_group_add(a, owner))
		return TL_NONE;
	found = (uint32_t)a->group_count - 1;
	return tl_index_add(&a->packed.by_owner, hash, found) ? found : TL_NONE;
}

/* Where a segment begins. False without memory. */
static bool keep_cursor(struct tl_packed_notes *p, struct tl_packed_segment *segment,
			const struct tl_pack_cursor *from)
{
	segment->cursor = TL_NONE;
	segment->chunk = from->chunk;
	segment->previous = from->previous;
	segment->at = from->at;
	segment->next = from->next;
	if (!from->rows)
		return true;
	if (!tl_grow(&p->cursors, &p->cursor_capacity, p->cursor_count + 1, sizeof(*p->cursors)))
		return false;
	segment->cursor = (uint32_t)p->cursor_count;
	p->cursors[p->cursor_count++] = *from;
	return true;
}

static struct tl_pack_cursor cursor_of(const struct tl_packed_notes *p,
				       const struct tl_packed_segment *segment)
{
	if (segment->cursor != TL_NONE)
		return p->cursors[segment->cursor];
	return (struct tl_pack_cursor){ .chunk = segment->chunk,
					.at = segment->at,
					.previous = segment->previous,
					.next = segment->next };
}

static struct tl_packed_segment *add_segment(struct tl_annotation *a, uint32_t function,
					     const char *file, const struct tl_pack_cursor *from)
{
	struct tl_packed_notes *p = &a->packed;
	const struct tl_note_owner owner = tl_note_owner_of(a, function, file);
	uint32_t group = group_of(a, &owner);

	if (group == TL_NONE || p->segment_count >= TL_NONE ||
	    !tl_grow(&p->segments, &p->segment_capacity, p->segment_count + 1,
		     sizeof(*p->segments)))
		return NULL;
	p->segments[p->segment_count] = (struct tl_packed_segment){ .group = group };
	if (!keep_cursor(p, &p->segments[p->segment_count], from))
		return NULL;
	return &p->segments[p->segment_count++];
}

/* An item has no costs behind the last one that is not 0. */
static bool is_note(const struct tl_annotation *a, const struct tl_pack_item *item)
{
	uint32_t events = tl_profile_event_count(a->view.profile);

	if (item->kind != TL_PACK_LINE)
		return true;
	if (a->packed.all_chosen || !item->cost_count)
		return item->cost_count;
	memset(a->packed.costs, 0, events * sizeof(*a->packed.costs));
	add_item_costs(a, item, a->packed.costs);
	return tl_note_any_cost(&a->view, a->packed.costs);
}

static void count_item(const struct tl_annotation *a, struct tl_note_group *group,
		       const struct tl_pack_item *item)
{
	uint64_t at = tl_note_place(a, item->at.address, item->at.line);

	if (!is_note(a, item))
		return;
	group->end++;
	if (at > group->last)
		group->last = at;
	if (item->kind == TL_PACK_LINE)
		add_item_costs(a, item, tl_group_cost(a, group));
}

static bool collect_run(struct tl_annotation *a, const struct tl_pack_run *run)
{
	struct tl_pack_cursor cursor = tl_pack_read(run), from = cursor;
	struct tl_packed_segment *segment = NULL;
	struct tl_pack_item item;
	uint32_t file = TL_NONE;

	for (; tl_pack_next(&cursor, &item); from = cursor) {
		if (!segment || (item.at.file != file && !a->what.assembly)) {
			file = item.at.file;
			segment = add_segment(a, run->function, file_of(a, file), &from);
			if (!segment)
				return false;
		}
		segment->count++;
		count_item(a, &a->groups[segment->group], &item);
	}
	return true;
}

static uint32_t group_of_segment(const void *context, uint32_t segment)
{
	return ((const struct tl_packed_notes *)context)->segments[segment].group;
}

/* Items of no cost alone make no group. */
static void drop_empty_groups(struct tl_annotation *a)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->group_count; i++)
		if (a->groups[i].end)
			a->groups[kept++] = a->groups[i];
	a->group_count = kept;
}

static bool is_chosen(const struct tl_view *view, uint32_t event)
{
	for (uint32_t i = 0; i < view->event_count; i++)
		if (view->events[i] == event)
			return true;
	return false;
}

static bool make_room_for_costs(struct tl_annotation *a)
{
	uint32_t events = tl_profile_event_count(a->view.profile);
	struct tl_packed_notes *p = &a->packed;

	p->costs = malloc(((size_t)events + 1) * sizeof(*p->costs));
	p->events = malloc(((size_t)events + 1) * sizeof(*p->events));
	p->all_chosen = true;
	for (uint32_t e = 0; e < events && p->events; e++) {
		p->events[e] = e;
		p->all_chosen = p->all_chosen && is_chosen(&a->view, e);
	}
	return p->costs && p->events;
}

bool tl_packed_notes_collect(struct tl_annotation *a)
{
	const struct tl_pack *pack = a->view.profile->pack;
	struct tl_packed_notes *p = &a->packed;
	bool ok = make_room_for_costs(a);

	for (size_t i = 0; ok && i < pack->run_count; i++)
		if (tl_profile_chosen(a->view.profile, pack->runs[i].function))
			ok = collect_run(a, &pack->runs[i]);
	ok = ok && tl_groups_make(&p->by_group, (uint32_t)p->segment_count,
				  (uint32_t)a->group_count, group_of_segment, p);
	drop_empty_groups(a);
	return ok;
}

/* ---- the notes of one group ---- */

static bool load_segment(struct tl_annotation *a, const struct tl_packed_segment *segment)
{
	struct tl_packed_notes *p = &a->packed;
	struct tl_pack_cursor cursor = cursor_of(p, segment);

	if (p->item_count > p->summed.count &&
	    p->item_count + (uint64_t)segment->count > p->summed.enough && !tl_packed_notes_sum(a))
		return false;
	if (segment->count >= TL_NONE - p->item_count ||
	    !tl_grow(&p->items, &p->item_capacity, p->item_count + segment->count,
		     sizeof(*p->items)))
		return false;
	for (uint32_t n = 0; n < segment->count; n++) {
		struct tl_pack_item *item = &p->items[p->item_count];

		if (!tl_pack_next(&cursor, item))
			break;
		p->item_count += is_note(a, item);
		p->has_jumps |= item->kind == TL_PACK_JUMP;
	}
	return true;
}

/* ---- sums of items ---- */

/* From so many on the items of a group are summed. */
enum { FIRST_SUMMED = 1 << 14 };

/* Its costs in the sums, which are 0 but for what was summed before. NULL without memory. */
static int64_t *sums_of(struct tl_annotation *a, uint32_t *sum, const struct tl_pack_item *item)
{
	struct tl_packed_notes *p = &a->packed;
	const uint32_t events = tl_profile_event_count(a->view.profile);
	int64_t *costs;

	if (*sum != TL_NONE)
		return p->summed.costs + (size_t)*sum * events;
	if (!tl_grow(&p->summed.costs, &p->summed.cost_capacity,
		     (p->summed.cost_count + 1) * events, sizeof(*p->summed.costs)))
		return NULL;
	*sum = (uint32_t)p->summed.cost_count++;
	costs = p->summed.costs + (size_t)*sum * events;
	memset(costs, 0, events * sizeof(*costs));
	add_item_costs(a, item, costs);
	return costs;
}

/*
 * The items of one remark, from `begin` to `end` in their order, as one, which stands in the place
 * of the first. Only that one may be a sum already. False without memory.
 */
static bool sum_items(struct tl_annotation *a, uint32_t begin, uint32_t end, uint32_t *sum)
{
	struct tl_packed_notes *p = &a->packed;
	const uint32_t number = p->order[begin];
	struct tl_pack_item *first = &p->items[number];
	int64_t *costs = NULL;

	*sum = number < p->summed.count ? p->summed.of[number] : TL_NONE;
	if (end - begin > 1 && first->kind != TL_PACK_JUMP) {
		costs = sums_of(a, sum, first);
		if (!costs)
			return false;
	}
	for (uint32_t i = begin + 1; i < end; i++) {
		const struct tl_pack_item *item = &p->items[p->order[i]];

		first->count += item->count;
		first->taken += item->taken;
		if (costs)
			add_item_costs(a, item, costs);
	}
	return true;
}

/* The first items of remarks, which `order` has from its beginning on, alone; as they came. */
static bool keep_firsts(struct tl_packed_notes *p, uint32_t count)
{
	const uint32_t none = TL_NONE - 1;
	uint32_t kept = 0;

	if (!tl_grow(&p->summed.of, &p->summed.of_capacity, p->item_count, sizeof(*p->summed.of)))
		return false;
	/* `room`, which the order has made, has the sums of those that are kept. */
	for (uint32_t i = 0; i < p->item_count; i++)
		p->summed.of[i] = none;
	for (uint32_t i = 0; i < count; i++)
		p->summed.of[p->order[i]] = p->room[i];
	for (uint32_t i = 0; i < p->item_count; i++) {
		if (p->summed.of[i] == none)
			continue;
		p->items[kept] = p->items[i];
		p->summed.of[kept++] = p->summed.of[i];
	}
	p->item_count = p->summed.count = count;
	return true;
}

bool tl_packed_notes_sum(struct tl_annotation *a)
{
	struct tl_packed_notes *p = &a->packed;
	uint32_t count = 0;

	if (!tl_packed_notes_sort(a))
		return false;
	for (uint32_t i = 0, end; i < p->item_count; i = end) {
		for (end = i + 1;
		     end < p->item_count && !tl_packed_notes_compare(a, p->order[i], p->order[end]);
		     end++)
			;
		if (!sum_items(a, i, end, &p->room[count]))
			return false;
		p->order[count++] = p->order[i];
	}
	if (!keep_firsts(p, count))
		return false;
	/* Where little is the same, it is not looked for often. */
	p->summed.enough =
		count > FIRST_SUMMED / 2 ? count > TL_NONE / 2 ? TL_NONE : 2 * count : FIRST_SUMMED;
	return true;
}

/* ---- the notes of one group, sorted ---- */

/* The items that were loaded as notes, sorted. */
static bool make_notes(struct tl_annotation *a, const struct tl_note_owner *owner)
{
	struct tl_packed_notes *p = &a->packed;

	if (!tl_packed_notes_sort(a) ||
	    !tl_grow(&a->notes, &a->capacity, p->item_count, sizeof(*a->notes)))
		return false;
	for (uint32_t i = 0; i < p->item_count; i++) {
		const struct tl_pack_item *item = &p->items[p->order[i]];

		a->notes[i] = (struct tl_note){
			.owner = *owner,
			.at = tl_note_place(a, item->at.address, item->at.line),
			.kind = tl_packed_note_kind(item),
			.number = p->order[i],
		};
	}
	a->count = p->item_count;
	return true;
}

bool tl_packed_notes_load(struct tl_annotation *a, const struct tl_note_group *group)
{
	struct tl_packed_notes *p = &a->packed;
	bool ok = true;

	p->item_count = 0;
	p->summed.count = 0;
	p->summed.cost_count = 0;
	p->summed.enough = FIRST_SUMMED;
	p->has_jumps = false;
	for (uint32_t i = p->by_group.start[group->cost];
	     ok && i < p->by_group.start[group->cost + 1]; i++)
		ok = load_segment(a, &p->segments[p->by_group.order[i]]);
	return ok && make_notes(a, &group->owner);
}

void tl_packed_notes_free(struct tl_packed_notes *packed)
{
	free(packed->segments);
	free(packed->cursors);
	free(packed->summed.of);
	free(packed->summed.costs);
	tl_groups_free(&packed->by_group);
	tl_index_free(&packed->by_owner);
	free(packed->items);
	free(packed->order);
	free(packed->room);
	tl_pfile_sorter_free(&packed->sorter);
	free(packed->costs);
	free(packed->events);
}
