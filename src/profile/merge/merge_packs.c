/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed profiles into one, which is packed, too: identities are merged as those of any profiles,
 * then items are read out of one pack after the other and added to that of the result. Equal ones
 * are not summed: who writes the result does that.
 */
#include <string.h>

#include "core/error.h"
#include "profile/merge/merge.h"

struct pack_merge {
	struct tl_profile *to;
	const struct tl_profile *from;
	const struct tl_merge_map *map;
	uint32_t *names; /* by name of `from`: that of the result, TL_NONE: not met yet */
	int64_t *costs;  /* of an item, by event of `from` */
	int64_t *row;    /* the same, by event of the result */
};

static bool take_name(const struct pack_merge *p, uint32_t *name)
{
	const struct tl_name *from = &p->from->names.names[*name];

	if (p->names[*name] == TL_NONE)
		p->names[*name] = tl_names_add(&p->to->names, from->text, from->size);
	*name = p->names[*name];
	return *name != TL_NONE;
}

/* Costs in the order of the result's events; most profiles have the same ones. */
static void take_costs(const struct pack_merge *p, struct tl_pack_item *item)
{
	uint32_t count = 0;

	tl_pack_costs(item, p->costs);
	memset(p->row, 0, p->to->event_count * sizeof(*p->row));
	for (uint32_t e = 0; e < item->cost_count; e++) {
		uint32_t event = p->map->events[e];

		p->row[event] = p->costs[e];
		count = event >= count ? event + 1 : count;
	}
	item->cost_count = count;
}

static bool take_item(const struct pack_merge *p, uint32_t function, uint32_t part,
		      struct tl_pack_item *item)
{
	if (!take_name(p, &item->at.file))
		return false;
	if (item->kind == TL_PACK_LINE) {
		item->to = (struct tl_pack_place){ .file = 0 };
	} else {
		if (!take_name(p, &item->to.file))
			return false;
		item->target = p->map->functions[item->target];
	}
	take_costs(p, item);
	return tl_pack_add(p->to->pack, function, part, item, p->row);
}

static bool take_run(const struct pack_merge *p, const struct tl_pack_run *run)
{
	uint32_t function = p->map->functions[run->function], part = p->map->parts[run->part];
	struct tl_pack_cursor cursor = tl_pack_read(run);
	struct tl_pack_item item;
	bool ok = tl_pack_in_any_order(p->to->pack, function, part);

	while (ok && tl_pack_next(&cursor, &item))
		ok = take_item(p, function, part, &item);
	return ok;
}

static bool take_pack(struct pack_merge *p)
{
	size_t names = p->from->names.count + 1;
	bool ok;

	p->names = tl_alloc_many(names, sizeof(*p->names));
	p->costs = tl_alloc_many((size_t)p->from->event_count + 1, sizeof(*p->costs));
	p->row = tl_alloc_many((size_t)p->to->event_count + 1, sizeof(*p->row));
	ok = p->names && p->costs && p->row;
	if (ok)
		memset(p->names, 0xff, names * sizeof(*p->names));
	for (size_t i = 0; ok && i < p->from->pack->run_count; i++)
		ok = take_run(p, &p->from->pack->runs[i]);
	free(p->names);
	free(p->costs);
	free(p->row);
	return ok;
}

static bool begin_pack(struct tl_profile *to)
{
	bool ok;

	to->pack = calloc(1, sizeof(*to->pack));
	ok = to->pack;
	if (ok)
		to->pack->of_merge = true;
	for (uint32_t i = 0; ok && i < to->parts.count; i++)
		ok = tl_pack_part(to->pack, i, to->event_count);
	return ok;
}

int tl_merge_packs(struct tl_profile **merged, struct tl_profile *const *profiles, size_t count,
		   struct tl_error *err)
{
	struct tl_merge_map *maps;
	int status = tl_merge_identities(merged, (const struct tl_profile *const *)profiles, count,
					 &maps, err);
	bool ok = status == 0 && begin_pack(*merged);

	for (size_t i = 0; ok && i < count; i++) {
		struct pack_merge p = { .to = *merged, .from = profiles[i], .map = &maps[i] };

		ok = take_pack(&p);
		tl_pack_free(profiles[i]->pack);
		profiles[i]->pack = NULL;
	}
	tl_merge_maps_free(maps, count);
	if (status == 0 && !ok) {
		tl_profile_free(*merged);
		*merged = NULL;
		return tl_error_memory(err);
	}
	return status;
}
