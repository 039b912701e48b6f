/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes that the kernel made to its own code: TEXT_POKE records (docs/formats/perf-data.md
 * section 8).
 */
#include "perf_data/processes/guests.h"

int tl_perf_add_poke(struct tl_perf_system *sys, const struct tl_perf_record *rec, uint64_t time_ns,
		     struct tl_error *err)
{
	struct tl_perf_poke_table *t = &sys->pokes;
	const size_t size = (size_t)rec->poke.old_size + rec->poke.new_size;
	uint32_t machine;
	uint8_t *bytes;

	if (!size)
		return 0;
	if (!tl_perf_machine_of(sys, rec, &machine))
		return tl_error_memory(err);
	if (machine != TL_NONE)
		t = &tl_perf_guest_of(sys, machine)->pokes;
	/* A record without a time may come late: changes stay in the order of records. */
	if (t->count && t->list[t->count - 1].time_ns > time_ns)
		time_ns = t->list[t->count - 1].time_ns;
	bytes = tl_arena_alloc(&t->bytes, size);
	if (!bytes || !tl_grow(&t->list, &t->capacity, t->count + 1, sizeof(*t->list)))
		return tl_error_memory(err);
	memcpy(bytes, rec->poke.bytes, size);
	t->list[t->count++] = (struct tl_perf_poke){
		.time_ns = time_ns,
		.address = rec->poke.address,
		.old_size = rec->poke.old_size,
		.new_size = rec->poke.new_size,
		.bytes = bytes,
	};
	return 0;
}

size_t tl_perf_poke_table_at(const struct tl_perf_poke_table *table, uint64_t time_ns)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (table->list[middle].time_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool tl_perf_poke_table_next(const struct tl_perf_poke_table *table, size_t *pokes,
			     uint64_t *time_ns)
{
	if (*pokes >= table->count)
		return false;
	*time_ns = table->list[*pokes].time_ns;
	*pokes = tl_perf_poke_table_at(table, *time_ns);
	return true;
}

size_t tl_perf_pokes_at(const struct tl_perf_system *sys, uint64_t time_ns)
{
	return tl_perf_poke_table_at(&sys->pokes, time_ns);
}

bool tl_perf_pokes_next(const struct tl_perf_system *sys, size_t *pokes, uint64_t *time_ns)
{
	return tl_perf_poke_table_next(&sys->pokes, pokes, time_ns);
}
