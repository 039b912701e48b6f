/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/format/function_ids.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL_IDS = 1 << 16 };

static bool same_id(const void *context, const void *key, uint32_t number)
{
	return ((const struct tl_xray_ids *)context)->ids[number] == *(const uint32_t *)key;
}

uint32_t tl_xray_ids_find_large(const struct tl_xray_ids *ids, uint32_t id)
{
	return id < SMALL_IDS ? TL_NONE
			      : tl_index_find(&ids->large, tl_hash64(id), same_id, ids, &id);
}

static bool reserve_small(struct tl_xray_ids *ids, uint32_t id)
{
	size_t want = (size_t)id + 1;

	if (want <= ids->small_count)
		return true;
	if (!tl_grow(&ids->small, &ids->small_capacity, want, sizeof(*ids->small)))
		return false;
	memset(ids->small + ids->small_count, 0, (want - ids->small_count) * sizeof(*ids->small));
	ids->small_count = want;
	return true;
}

uint32_t tl_xray_ids_add(struct tl_xray_ids *ids, uint32_t id)
{
	uint32_t number = (uint32_t)ids->count;

	if (!tl_grow(&ids->ids, &ids->capacity, ids->count + 1, sizeof(*ids->ids)))
		return TL_NONE;
	if (id < SMALL_IDS ? !reserve_small(ids, id)
			   : !tl_index_add(&ids->large, tl_hash64(id), number))
		return TL_NONE;
	if (id < SMALL_IDS)
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
