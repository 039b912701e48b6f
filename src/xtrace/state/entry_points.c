/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/state/entry_points.h"

static bool same(const void *context, const void *key, uint32_t number)
{
	const struct tl_xtrace_entry_points *entries = context;
	const uint64_t *pc = key;

	return entries->list[number] == *pc;
}

bool tl_xtrace_entry_point_add(struct tl_xtrace_entry_points *entries, uint64_t pc)
{
	uint64_t hash = tl_hash64(pc);

	if (tl_index_find(&entries->index, hash, same, entries, &pc) != TL_NONE)
		return true;
	if (entries->count >= TL_NONE ||
	    !tl_grow(&entries->list, &entries->capacity, entries->count + 1,
		     sizeof(*entries->list)) ||
	    !tl_index_add(&entries->index, hash, (uint32_t)entries->count))
		return false;
	entries->list[entries->count++] = pc;
	return true;
}

void tl_xtrace_entry_points_free(struct tl_xtrace_entry_points *entries)
{
	free(entries->list);
	tl_index_free(&entries->index);
	*entries = (struct tl_xtrace_entry_points){ 0 };
}
