/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of virtual machines in the host's file (docs/formats/perf-data.md section 13): an
 * ID_INDEX record tells of the ids of counters of which machine and of which of its processors they
 * are.
 */
#include "perf_data/container/reader.h"

enum { ENTRY_BYTES = 32, MACHINE_BYTES = 16 };

static bool same_id(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_guest_id *list = context;

	return list[number].id == *(const uint64_t *)key;
}

static uint32_t find(const struct tl_perf_guest_ids *ids, uint64_t id)
{
	return tl_index_find(&ids->by_id, tl_hash64(id), same_id, ids->list, &id);
}

const struct tl_perf_guest_id *tl_perf_guest_ids_find(const struct tl_perf_reader *r, uint64_t id)
{
	const uint32_t number = r->guest_ids.count ? find(&r->guest_ids, id) : TL_NONE;

	return number == TL_NONE ? NULL : &r->guest_ids.list[number];
}

/* What a later record says of an id counts. */
static bool add(struct tl_perf_guest_ids *ids, const struct tl_perf_guest_id *entry)
{
	const uint32_t number = find(ids, entry->id);

	if (number != TL_NONE) {
		ids->list[number] = *entry;
		return true;
	}
	if (!tl_grow(&ids->list, &ids->capacity, ids->count + 1, sizeof(*ids->list)) ||
	    !tl_index_add(&ids->by_id, tl_hash64(entry->id), (uint32_t)ids->count))
		return false;
	ids->list[ids->count++] = *entry;
	return true;
}

int tl_perf_guest_ids_load(struct tl_perf_reader *r, const struct tl_perf_record *rec,
			   struct tl_error *err)
{
	struct tl_perf_view entries = { rec->body + 8, rec->body + rec->body_size, rec->swapped };
	struct tl_perf_view machines = entries;

	/* The host's own ids alone: the second list is not there. */
	if (!tl_perf_view_has(&machines, rec->list.count * (ENTRY_BYTES + MACHINE_BYTES)))
		return 0;
	machines.pos += rec->list.count * ENTRY_BYTES;
	for (uint64_t i = 0; i < rec->list.count; i++) {
		struct tl_perf_guest_id entry;

		entry.id = tl_perf_take64(&entries);
		tl_perf_take64(&entries); /* idx */
		tl_perf_take64(&entries); /* cpu */
		entry.thread = (uint32_t)tl_perf_take64(&entries);
		entry.machine = (uint32_t)tl_perf_take64(&machines);
		entry.processor = (uint32_t)tl_perf_take64(&machines);
		if (entry.machine && !add(&r->guest_ids, &entry))
			return tl_error_memory(err);
	}
	return 0;
}

void tl_perf_guest_ids_forget(struct tl_perf_reader *r)
{
	r->guest_ids.count = 0;
	tl_index_free(&r->guest_ids.by_id);
}

void tl_perf_guest_ids_free(struct tl_perf_reader *r)
{
	tl_index_free(&r->guest_ids.by_id);
	free(r->guest_ids.list);
}
