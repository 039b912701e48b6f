/* SPDX-License-Identifier: Apache-2.0 */
#include "pprof/reader/ids.h"

#include "core/error.h"

static uint64_t id_at(const struct tl_pprof_ids *ids, size_t number)
{
	return *(const uint64_t *)((const char *)ids->first + number * ids->stride);
}

static bool same_id(const void *context, const void *key, uint32_t number)
{
	return id_at(context, number) == *(const uint64_t *)key;
}

uint32_t tl_pprof_find_sparse(const struct tl_pprof_ids *ids, uint64_t id)
{
	return tl_index_find(&ids->index, tl_hash64(id), same_id, ids, &id);
}

static bool put(struct tl_pprof_ids *ids, uint64_t id, uint32_t number)
{
	if (!ids->dense)
		return tl_index_add(&ids->index, tl_hash64(id), number);
	ids->dense[id] = number;
	return true;
}

/* Writers number from 1 on: an array of at most four places for each id is then enough. */
static bool make_room(struct tl_pprof_ids *ids, size_t count)
{
	uint64_t last = 0;

	for (size_t i = 0; i < count; i++)
		last = id_at(ids, i) > last ? id_at(ids, i) : last;
	if (last > 4 * (uint64_t)count + 16)
		return true;
	ids->dense_count = (size_t)last + 1;
	ids->dense = malloc(ids->dense_count * sizeof(*ids->dense));
	if (!ids->dense)
		return false;
	memset(ids->dense, 0xff, ids->dense_count * sizeof(*ids->dense));
	return true;
}

int tl_pprof_ids_make(struct tl_pprof_ids *ids, const uint64_t *first, size_t stride, size_t count,
		      int (*duplicate)(void *arg, size_t number, struct tl_error *err), void *arg,
		      struct tl_error *err)
{
	int status = 0;

	ids->first = first;
	ids->stride = stride;
	if (!make_room(ids, count))
		return tl_error_memory(err);
	for (size_t i = 0; status == 0 && i < count; i++) {
		uint64_t id = id_at(ids, i);

		if (!id || tl_pprof_find(ids, id) != TL_NONE)
			status = duplicate(arg, i, err);
		else if (!put(ids, id, (uint32_t)i))
			status = tl_error_memory(err);
	}
	return status;
}

void tl_pprof_ids_free(struct tl_pprof_ids *ids)
{
	free(ids->dense);
	tl_index_free(&ids->index);
	*ids = (struct tl_pprof_ids){ .dense = NULL };
}
