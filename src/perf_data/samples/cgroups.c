/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_data/samples/cgroups.h"

#include <inttypes.h>
#include <stdio.h>

static bool same_id(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_cgroup *list = context;

	return list[number].id == *(const uint64_t *)key;
}

static uint32_t find(const struct tl_perf_cgroups *c, uint64_t id)
{
	return tl_index_find(&c->by_id, tl_hash64(id), same_id, c->list, &id);
}

static bool put(struct tl_perf_cgroups *c, uint64_t id, uint32_t path)
{
	if (c->count >= TL_NONE ||
	    !tl_grow(&c->list, &c->capacity, c->count + 1, sizeof(*c->list)) ||
	    !tl_index_add(&c->by_id, tl_hash64(id), (uint32_t)c->count))
		return false;
	c->list[c->count++] = (struct tl_perf_cgroup){ id, path };
	return true;
}

bool tl_perf_cgroups_add(struct tl_perf_cgroups *c, struct tl_perf_system *sys,
			 const struct tl_perf_record *rec)
{
	const struct tl_perf_text *text = &rec->cgroup.path;
	uint32_t path, number;

	/* That of the root is "/": a damaged record tells nothing. */
	if (!text->size)
		return true;
	path = tl_names_add(&sys->names, text->data, text->size);
	if (path == TL_NONE)
		return false;
	number = find(c, rec->cgroup.id);
	if (number == TL_NONE)
		return put(c, rec->cgroup.id, path);
	/* The kernel gives the id of a group that was removed to another one. */
	c->list[number].path = path;
	return true;
}

uint32_t tl_perf_cgroups_of(struct tl_perf_cgroups *c, struct tl_perf_system *sys,
			    const struct tl_perf_record *rec)
{
	char text[32];
	uint32_t number;
	int size;

	if (!(rec->attr->sample_type & TL_PERF_SAMPLE_CGROUP))
		return 0;
	number = find(c, rec->sample.cgroup);
	if (number != TL_NONE)
		return c->list[number].path;
	size = snprintf(text, sizeof(text), "cgroup %" PRIu64, rec->sample.cgroup);
	number = tl_names_add(&sys->names, text, (size_t)size);
	if (number == TL_NONE || !put(c, rec->sample.cgroup, number))
		return TL_NONE;
	return number;
}

void tl_perf_cgroups_free(struct tl_perf_cgroups *c)
{
	tl_index_free(&c->by_id);
	free(c->list);
}
