/* SPDX-License-Identifier: Apache-2.0 */
/* What is packed, as elements of the profile. */
#include "profile/model/model.h"

#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "profile/model/unsized.h"

static struct tl_position position_of(const struct tl_profile *profile,
				      const struct tl_pack_place *place)
{
	return (struct tl_position){
		.file = profile->names.names[place->file].text,
		.address = place->address,
		.block = place->block,
		.line = place->line,
	};
}

static int unpack_jump(struct tl_profile *profile, const struct tl_pack_run *run,
		       const struct tl_pack_item *item, struct tl_error *err)
{
	const struct tl_jump jump = {
		.function = run->function,
		.target = item->target,
		.part = run->part,
		.from = position_of(profile, &item->at),
		.to = position_of(profile, &item->to),
		.executed = item->count,
		.taken = item->taken,
		.conditional = item->conditional,
	};

	return tl_profile_put_jump(profile, &jump, err);
}

static int64_t *line_row(struct tl_profile *profile, const struct tl_pack_run *run,
			 const struct tl_pack_item *item)
{
	const struct tl_cost_line line = {
		.function = run->function,
		.part = run->part,
		.at = position_of(profile, &item->at),
	};

	return tl_profile_line_row(profile, &line);
}

static int64_t *arc_row(struct tl_profile *profile, const struct tl_pack_run *run,
			const struct tl_pack_item *item)
{
	const struct tl_arc arc = {
		.caller = run->function,
		.callee = item->target,
		.part = run->part,
		.from = position_of(profile, &item->at),
		.to = position_of(profile, &item->to),
		.calls = item->count,
	};

	return tl_profile_arc_row(profile, &arc);
}

static int unpack_item(struct tl_profile *profile, const struct tl_pack_run *run,
		       const struct tl_pack_item *item, int64_t *costs, struct tl_error *err)
{
	int64_t *row;

	if (item->kind == TL_PACK_JUMP)
		return unpack_jump(profile, run, item, err);
	row = item->kind == TL_PACK_LINE ? line_row(profile, run, item)
					 : arc_row(profile, run, item);
	if (!row)
		return tl_error_memory(err);
	tl_pack_costs(item, costs);
	for (uint32_t e = 0; e < item->cost_count; e++)
		tl_add_cost(&row[e], costs[e], &profile->losses.saturated);
	return 0;
}

/* Which run has the item of each number; TL_NONE: none. NULL without memory. */
static uint32_t *runs_by_number(const struct tl_pack *pack)
{
	uint32_t *runs = tl_alloc_many((size_t)pack->end + 1, sizeof(*runs));

	if (!runs)
		return NULL;
	memset(runs, 0xff, ((size_t)pack->end + 1) * sizeof(*runs));
	for (size_t i = 0; i < pack->run_count; i++) {
		struct tl_pack_cursor cursor = tl_pack_read(&pack->runs[i]);
		struct tl_pack_item item;

		while (tl_pack_next(&cursor, &item))
			runs[item.number] = (uint32_t)i;
	}
	return runs;
}

/* In the order of the numbers, in which the elements would have been added. */
static int unpack_all(struct tl_profile *profile, const uint32_t *runs,
		      struct tl_pack_cursor *cursors, int64_t *costs, struct tl_error *err)
{
	const struct tl_pack *pack = profile->pack;
	int status = 0;

	for (size_t i = 0; i < pack->run_count; i++)
		cursors[i] = tl_pack_read(&pack->runs[i]);
	for (uint32_t i = 0; status == 0 && i < pack->end; i++) {
		struct tl_pack_item item;

		if (runs[i] != TL_NONE && tl_pack_next(&cursors[runs[i]], &item))
			status = unpack_item(profile, &pack->runs[runs[i]], &item, costs, err);
	}
	return status;
}

int tl_profile_unpack(struct tl_profile *profile, struct tl_error *err)
{
	struct tl_pack *pack = profile->pack;
	int64_t *costs = tl_alloc_many((size_t)profile->event_count + 1, sizeof(*costs));
	struct tl_pack_cursor *cursors = tl_alloc_many(pack->run_count + 1, sizeof(*cursors));
	uint32_t *runs = runs_by_number(pack);
	int status;

	if (costs && cursors && runs)
		status = unpack_all(profile, runs, cursors, costs, err);
	else
		status = tl_error_memory(err);
	free(costs);
	free(cursors);
	free(runs);
	tl_pack_free(pack);
	profile->pack = NULL;
	return status;
}
