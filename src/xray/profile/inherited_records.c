/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/profile/inherited_records.h"

#include "core/memory.h"

void tl_xray_inherited_begin(struct tl_xray_inherited *inherited, const struct tl_fold *fold)
{
	inherited->inside = true;
	inherited->losses = fold->losses;
	inherited->records = fold->records;
}

bool tl_xray_inherited_end(struct tl_xray_inherited *inherited, struct tl_fold *fold, uint64_t tsc)
{
	size_t depth = tl_fold_depth(fold);

	inherited->inside = false;
	fold->losses = inherited->losses;
	/* A thread with own records before the inherited ones has its first time already. */
	if (!inherited->records)
		fold->first_ticks = tsc;
	fold->records = inherited->records;
	/* The gate is still closed: time up to here belongs to the forking process. */
	tl_fold_time(fold, tsc);
	if (!tl_grow(&inherited->nodes, &inherited->capacity, inherited->count + depth + 1,
		     sizeof(*inherited->nodes)))
		return false;
	for (size_t i = 1; i <= depth; i++)
		inherited->nodes[inherited->count++] = fold->frames[i].node;
	return true;
}

void tl_xray_inherited_settle(const struct tl_xray_inherited *inherited, struct tl_fold *fold)
{
	for (size_t i = 0; i < inherited->count; i++) {
		uint32_t node = inherited->nodes[i];

		if (node >= fold->capacity.untimed || !fold->untimed[node].unfinished)
			continue;
		fold->untimed[node].unfinished--;
		fold->losses.unfinished--;
	}
}
