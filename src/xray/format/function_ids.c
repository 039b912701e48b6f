/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/format/function_ids.h"

#include <stdlib.h>
#include <string.h>

/*
 * Ids that index an array: those below SMALL_IDS, and larger ones as long as the array has at most
 * so many places for each id that there is.
 */
enum { SMALL_IDS = 1 << 16, PLACES = 16 };

static bool same_id(const void *context, const void *key, uint32_t number)
{
	return ((const struct tl_xray_ids *)context)->ids[number] == *(const uint32_t *)key;
}

uint32_t tl_xray_ids_find_large(const struct tl_xray_ids *ids, uint32_t id)
{
	return id < SMALL_IDS ? TL_NONE
			      : tl_index_find(&ids->large, tl_hash64(id), same_id, ids, &id);
}

/* Make the array longer. Ids that were hashed until now, as it was too short, get their places. */
static bool reserve_small(struct tl_xray_ids *ids, uint32_t id)
{
	size_t had = ids->small_count;

	if (id < had)
		return true;
	if (!tl_grow(&ids->small, &ids->small_capacity, (size_t)id + 1, sizeof(*ids->small)))
		return false;
	ids->small_count = ids->small_capacity;
	memset(ids->small + had, 0, (ids->small_count - had) * sizeof(*ids->small));
	for (size_t i = 0; ids->large.count && i < ids->count; i++)
		if (ids->ids[i] >= had && ids->ids[i] < ids->small_count)
			ids->small[ids->ids[i]] = (uint32_t)i + 1;
	return true;
}

uint32_t tl_xray_ids_add(struct tl_xray_ids *ids, uint32_t id)
{
	uint32_t number = (uint32_t)ids->count;
	bool small = id < SMALL_IDS || id / PLACES < ids->count || id < ids->small_count;

	if (!tl_grow(&ids->ids, &ids->capacity, ids->count + 1, sizeof(*ids->ids)))
		return TL_NONE;
	if (small ? !reserve_small(ids, id) : !tl_index_add(&ids->large, tl_hash64(id), number))
		return TL_NONE;
	if (small)
		ids->small[id] = number + 1;
	ids->ids[ids->count++] = id;
	return number;
}

void tl_xray_ids_free(struct tl_xray_ids *ids)
{
	free(ids->small);
	free(ids->ids);
	tl_index_free(&ids->large);
	*ids = (struct tl_xray_ids){ 0 };
}
