/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes that the kernel made to its own code: TEXT_POKE records (docs/formats/perf-data.md
 * section 8).
 */
#include "perf_data/processes/system.h"

int tl_perf_add_poke(struct tl_perf_system *sys, const struct tl_perf_record *rec, uint64_t time_ns,
		     struct tl_error *err)
{
	struct tl_perf_poke_table *t = &sys->pokes;
	const size_t size = (size_t)rec->poke.old_size + rec->poke.new_size;
	uint8_t *bytes;

	if (!size)
		return 0;
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

size_t tl_perf_pokes_at(const struct tl_perf_system *sys, uint64_t time_ns)
{
	size_t low = 0, high = sys->pokes.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (sys->pokes.list[middle].time_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool tl_perf_pokes_next(const struct tl_perf_system *sys, size_t *pokes, uint64_t *time_ns)
{
	if (*pokes >= sys->pokes.count)
		return false;
	*time_ns = sys->pokes.list[*pokes].time_ns;
	*pokes = tl_perf_pokes_at(sys, *time_ns);
	return true;
}
