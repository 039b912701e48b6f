/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items to a packed profile (profile/model/pack.h): what fold.c makes with TL_CALLGRIND_LINES, for
 * who writes all of it again. Nothing is looked up but functions, and those by number.
 */
#include "callgrind/profile/fold.h"
#include "core/arithmetic.h"
#include "core/error.h"

/* The number of the name that a file has in the profile; mostly that of the item before. */
static uint32_t file_number(const struct tl_callgrind_folder *f, uint32_t name,
			    struct tl_callgrind_packing_file *last)
{
	if (name != last->name) {
		last->name = name;
		last->number =
			tl_callgrind_folded_text(f, name) == f->empty ? f->packing.empty : name;
	}
	return last->number;
}

uint32_t tl_callgrind_packing_file(struct tl_callgrind_folder *f, uint32_t name)
{
	return file_number(f, name, &f->packing.at);
}

/* The function of an item; mostly that of the item before. */
static uint32_t function_of(struct tl_callgrind_folder *f, const struct tl_callgrind_owner *owner)
{
	struct tl_callgrind_packing *p = &f->packing;

	if (p->function == TL_NONE || owner->function != p->owner.function ||
	    owner->file != p->owner.file || owner->object != p->owner.object) {
		p->owner = *owner;
		p->function = tl_callgrind_folded_function(f, owner);
	}
	return p->function;
}

/* A line number of the profile has 32 bits. The reader has reported lines that are larger. */
static struct tl_pack_place place_of(const struct tl_callgrind_folder *f,
				     const struct tl_callgrind_position *place, uint32_t file,
				     struct tl_callgrind_packing_file *last)
{
	return (struct tl_pack_place){
		.address = place->address,
		.block = place->block,
		.line = (uint32_t)tl_min(place->line, UINT32_MAX),
		.file = file_number(f, file, last),
	};
}

int tl_callgrind_packing_part(struct tl_callgrind_folder *f, struct tl_error *err)
{
	struct tl_profile *profile = f->profile;
	bool mapped = false;

	if (!profile->pack) {
		profile->pack = calloc(1, sizeof(*profile->pack));
		f->packing.empty = tl_names_add(&profile->names, "", 0);
		f->packing.at = f->packing.to =
			(struct tl_callgrind_packing_file){ TL_NONE, f->packing.empty };
		f->packing.function = TL_NONE;
		if (!profile->pack || f->packing.empty == TL_NONE)
			return tl_error_memory(err);
	}
	for (size_t i = 0; i < f->column_count; i++)
		mapped = mapped || f->columns[i] != i;
	free(f->packing.row);
	f->packing.row = mapped ? calloc(profile->event_count, sizeof(*f->packing.row)) : NULL;
	if ((mapped && !f->packing.row) ||
	    !tl_pack_part(profile->pack, f->part.number, profile->event_count))
		return tl_error_memory(err);
	return 0;
}

/* Costs in the order of the profile's events, as those of the part mostly are. */
static const int64_t *ordered_costs(struct tl_callgrind_folder *f,
				    const struct tl_callgrind_item *item, uint32_t *count)
{
	*count = item->cost_count;
	if (!f->packing.row)
		return item->costs;
	*count = f->profile->event_count;
	memset(f->packing.row, 0, *count * sizeof(*f->packing.row));
	for (uint32_t i = 0; i < item->cost_count; i++)
		tl_add_cost(&f->packing.row[f->columns[i]], item->costs[i],
			    &f->profile->losses.saturated);
	return f->packing.row;
}

static int pack_item(struct tl_callgrind_folder *f, const struct tl_callgrind_item *item,
		     struct tl_pack_item *packed, struct tl_error *err)
{
	uint32_t function = function_of(f, &item->owner);
	const int64_t *costs = NULL;

	if (function == TL_NONE)
		return tl_error_memory(err);
	packed->at = place_of(f, &item->at, item->file, &f->packing.at);
	if (packed->kind != TL_PACK_JUMP)
		costs = ordered_costs(f, item, &packed->cost_count);
	if (!tl_pack_add(f->profile->pack, function, f->part.number, packed, costs))
		return tl_error_memory(err);
	return 0;
}

int tl_callgrind_pack_line(struct tl_callgrind_folder *f, const struct tl_callgrind_item *item,
			   struct tl_error *err)
{
	struct tl_pack_item packed = { .kind = TL_PACK_LINE };

	return pack_item(f, item, &packed, err);
}

int tl_callgrind_pack_call(struct tl_callgrind_folder *f, const struct tl_callgrind_item *item,
			   struct tl_error *err)
{
	struct tl_pack_item packed = { .kind = TL_PACK_ARC, .count = item->count };

	/* Before the callee: functions are numbered in the order in which they are met. */
	if (function_of(f, &item->owner) == TL_NONE)
		return tl_error_memory(err);
	packed.target = tl_callgrind_folded_function(f, &item->target);
	if (packed.target == TL_NONE)
		return tl_error_memory(err);
	packed.to = place_of(f, &item->to, item->target.file, &f->packing.to);
	return pack_item(f, item, &packed, err);
}

int tl_callgrind_pack_jump(struct tl_callgrind_folder *f, const struct tl_callgrind_item *item,
			   struct tl_error *err)
{
	struct tl_pack_item packed = {
		.kind = TL_PACK_JUMP,
		.conditional = item->conditional,
		.count = item->count,
		.taken = item->taken,
	};

	packed.target = function_of(f, &item->owner);
	if (packed.target != TL_NONE && item->target.function != TL_NONE)
		packed.target = tl_callgrind_folded_function(f, &item->target);
	if (packed.target == TL_NONE)
		return tl_error_memory(err);
	packed.to = place_of(f, &item->to, item->target.file, &f->packing.to);
	return pack_item(f, item, &packed, err);
}
