/* SPDX-License-Identifier: Apache-2.0 */
/* What is packed, as elements of the profile. */
#include "profile/model/model.h"

#include "core/error.h"
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

int tl_profile_unpack(struct tl_profile *profile, struct tl_error *err)
{
	struct tl_pack *pack = profile->pack;
	int64_t *costs = malloc(((size_t)profile->event_count + 1) * sizeof(*costs));
	int status = costs ? 0 : tl_error_memory(err);

	for (size_t i = 0; status == 0 && i < pack->run_count; i++) {
		struct tl_pack_cursor cursor = tl_pack_read(&pack->runs[i]);
		struct tl_pack_item item;

		while (status == 0 && tl_pack_next(&cursor, &item))
			status = unpack_item(profile, &pack->runs[i], &item, costs, err);
	}
	free(costs);
	tl_pack_free(pack);
	profile->pack = NULL;
	return status;
}
