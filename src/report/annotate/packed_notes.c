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

const int64_t *tl_packed_notes_costs(const struct tl_annotation *a, const struct tl_pack_item *item)
{
	uint32_t events = tl_profile_event_count(a->view.profile);

	tl_pack_costs(item, a->packed.costs);
	memset(a->packed.costs + item->cost_count, 0,
	       (events - item->cost_count) * sizeof(*a->packed.costs));
	return a->packed.costs;
}

struct tl_jump tl_packed_notes_jump(const struct tl_annotation *a, uint32_t number)
{
	const struct tl_pack_item *item = &a->packed.items[number];

	return (struct tl_jump){
		.target = item->target,
		.to = { .file = file_of(a, item->to.file),
			.address = item->to.address,
			.block = item->to.block,
			.line = item->to.line },
		.executed = item->count,
		.taken = item->taken,
		.conditional = item->conditional,
	};
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
	p->segments[p->segment_count] = (struct tl_packed_segment){ .from = *from, .group = group };
	return &p->segments[p->segment_count++];
}

static bool is_note(const struct tl_annotation *a, const struct tl_pack_item *item)
{
	return item->kind != TL_PACK_LINE ||
	       tl_note_any_cost(&a->view, tl_packed_notes_costs(a, item));
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
		tl_note_group_cost(a, group, a->packed.costs);
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

bool tl_packed_notes_collect(struct tl_annotation *a)
{
	const struct tl_pack *pack = a->view.profile->pack;
	struct tl_packed_notes *p = &a->packed;
	bool ok;

	p->costs =
		malloc(((size_t)tl_profile_event_count(a->view.profile) + 1) * sizeof(*p->costs));
	ok = p->costs != NULL;
	for (size_t i = 0; ok && i < pack->run_count; i++)
		if (tl_profile_chosen(a->view.profile, pack->runs[i].function))
			ok = collect_run(a, &pack->runs[i]);
	ok = ok && tl_groups_make(&p->by_group, (uint32_t)p->segment_count,
				  (uint32_t)a->group_count, group_of_segment, p);
	drop_empty_groups(a);
	return ok;
}

/* ---- the notes of one group ---- */

static bool load_item(struct tl_annotation *a, const struct tl_note_owner *owner,
		      const struct tl_pack_item *item)
{
	static const enum tl_note_kind kinds[] = {
		[TL_PACK_LINE] = TL_NOTE_SELF,
		[TL_PACK_ARC] = TL_NOTE_CALL,
		[TL_PACK_JUMP] = TL_NOTE_JUMP,
	};
	const struct tl_note note = {
		.owner = *owner,
		.at = tl_note_place(a, item->at.address, item->at.line),
		.kind = kinds[item->kind],
		.number = (uint32_t)a->count,
	};

	if (!is_note(a, item))
		return true;
	if (a->count >= TL_NONE || !tl_grow(&a->packed.items, &a->packed.item_capacity,
					    a->count + 1, sizeof(*a->packed.items)))
		return false;
	a->packed.items[a->count] = *item;
	return tl_note_add(a, &note);
}

bool tl_packed_notes_load(struct tl_annotation *a, const struct tl_note_group *group)
{
	const struct tl_packed_notes *p = &a->packed;
	bool ok = true;

	for (uint32_t i = p->by_group.start[group->cost]; i < p->by_group.start[group->cost + 1];
	     i++) {
		const struct tl_packed_segment *segment = &p->segments[p->by_group.order[i]];
		struct tl_pack_cursor cursor = segment->from;
		struct tl_pack_item item;

		for (uint32_t n = 0; ok && n < segment->count && tl_pack_next(&cursor, &item); n++)
			ok = load_item(a, &group->owner, &item);
	}
	return ok;
}

void tl_packed_notes_free(struct tl_packed_notes *packed)
{
	free(packed->segments);
	tl_groups_free(&packed->by_group);
	tl_index_free(&packed->by_owner);
	free(packed->items);
	free(packed->costs);
}
