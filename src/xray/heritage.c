/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/heritage.h"

#include "core/memory.h"

void tl_xray_heritage_begin(struct xray_heritage *heritage, const struct tl_fold *fold)
{
	heritage->inside = true;
	heritage->losses = fold->losses;
	heritage->records = fold->records;
}

bool tl_xray_heritage_end(struct xray_heritage *heritage, struct tl_fold *fold, uint64_t tsc)
{
	size_t depth = tl_fold_depth(fold);

	heritage->inside = false;
	fold->losses = heritage->losses;
	/* A thread that had records of its own before has a time already. */
	if (!heritage->records)
		fold->first_ticks = tsc;
	fold->records = heritage->records;
	/* The gate is closed yet: what passed up to here is the time of who forked. */
	tl_fold_time(fold, tsc);
	if (!tl_grow(&heritage->nodes, &heritage->capacity, heritage->count + depth + 1,
		     sizeof(*heritage->nodes)))
		return false;
	for (size_t i = 1; i <= depth; i++)
		heritage->nodes[heritage->count++] = fold->frames[i].node;
	return true;
}

void tl_xray_heritage_settle(const struct xray_heritage *heritage, struct tl_fold *fold)
{
	for (size_t i = 0; i < heritage->count; i++) {
		uint32_t node = heritage->nodes[i];

		if (node >= fold->untimed_capacity || !fold->untimed[node].unfinished)
			continue;
		fold->untimed[node].unfinished--;
		fold->losses.unfinished--;
	}
}
