/* SPDX-License-Identifier: Apache-2.0 */
/* Elements back in the order that they had before they were sorted into a file. */
#include <string.h>

#include "core/error.h"
#include "core/pool.h"
#include "profile/file/reading.h"
#include "profile/file/rows.h"

enum { BITS = 64 }; /* of a word that has one for each element */

struct reading_order {
	uint32_t *order;
	bool *taken;
	size_t count, filled;
};

static int take_order(void *arg, uint64_t number, const uint64_t *row)
{
	struct reading_order *o = arg;
	uint64_t before = number + row[0];

	if (number != o->filled || number >= o->count || before >= o->count || o->taken[before])
		return TL_BAD_RECORD;
	o->taken[before] = true;
	o->order[o->filled++] = (uint32_t)before;
	return 0;
}

/* ---- of many elements: block by block, by several threads ---- */

struct order_slices {
	const struct tl_pfile_reading *r;
	enum tl_pfile_section section;
	uint32_t *order;
	size_t count;
	size_t blocks; /* of the file, a part of which is a task */
	struct tl_pfile_reader shares[TL_PFILE_SHARES];
};

/* A row is a byte that says whether the difference stands there, and that: it is a key. */
static int put_order(void *arg, const struct tl_pfile_block *block, const uint8_t *content)
{
	const struct order_slices *s = arg;
	const uint8_t *pos = content, *end = content + block->raw_bytes;
	const uint64_t behind = block->first + block->rows;
	uint64_t key = 0, step = 0, high;

	if (behind > s->count)
		return TL_BAD_RECORD;
	for (uint64_t number = block->first; number < behind; number++) {
		const uint8_t bits = pos < end ? *pos : TL_PFILE_GROUP;

		pos++;
		if (bits > 1)
			return TL_BAD_RECORD;
		if (bits) {
			pos = tl_pfile_take_few(pos, &step, &high);
			if (!pos)
				return TL_BAD_RECORD;
			key += tl_unzigzag(step);
		}
		if (number + key >= s->count)
			return TL_BAD_RECORD;
		s->order[number] = (uint32_t)(number + key);
	}
	return pos == end ? 0 : TL_BAD_RECORD;
}

static int read_slice(void *arg, size_t task)
{
	struct order_slices *s = arg;
	struct tl_pfile_reader *share = &s->shares[task];
	struct tl_error ignored;
	int status;

	*share = tl_pfile_share(s->r->reader, s->blocks * task / TL_PFILE_SHARES,
				s->blocks * (task + 1) / TL_PFILE_SHARES);
	status = tl_pfile_each_rows(share, s->section, 0, put_order, s, &ignored);
	return share->fault_count ? TL_BAD_RECORD : status;
}

static bool is_permutation(const uint32_t *order, size_t count)
{
	uint64_t *taken = calloc(count / BITS + 1, sizeof(*taken));
	bool once = taken;

	for (size_t i = 0; once && i < count; i++) {
		uint64_t bit = UINT64_C(1) << order[i] % BITS;

		once = !(taken[order[i] / BITS] & bit);
		taken[order[i] / BITS] |= bit;
	}
	free(taken);
	return once;
}

/* NULL: it is not as it should be, or there is no memory, which reading it row by row tells. */
static uint32_t *order_by_slices(struct tl_pfile_reading *r, enum tl_pfile_section section,
				 size_t count)
{
	struct order_slices *s = calloc(1, sizeof(*s));
	uint32_t *order = malloc((count + 1) * sizeof(*order));
	bool ok = s && order && tl_pfile_is_gapless(r->reader, section);

	if (ok) {
		*s = (struct order_slices){ r, section, order, count, r->reader->count, { { 0 } } };
		ok = tl_pool_run(r->options.jobs, TL_PFILE_SHARES, read_slice, s) == 0 &&
		     is_permutation(order, count);
		for (size_t i = 0; i < TL_PFILE_SHARES; i++)
			tl_pfile_share_end(&s->shares[i]);
	}
	free(s);
	if (ok) {
		r->reader->read[section] = true;
		return order;
	}
	free(order);
	return NULL;
}

/* Where elements are lost, those that are left stay in the order of the file. */
uint32_t *tl_pfile_read_order(struct tl_pfile_reading *r, enum tl_pfile_section section,
			      size_t count, int *failed)
{
	struct reading_order o = { .count = count };

	/* Blocks say how many rows there are: what is said of both must be the same. */
	if (r->reader->fault_count || !count || tl_pfile_row_count(r->reader, section) != count)
		return NULL;
	if (count >= TL_PFILE_WORTH_SHARES)
		o.order = order_by_slices(r, section, count);
	if (o.order)
		return o.order;
	o.order = malloc((count + 1) * sizeof(*o.order));
	o.taken = calloc(count + 1, sizeof(*o.taken));
	*failed = o.order && o.taken
			  ? tl_pfile_each_row(r->reader, section, 0, take_order, &o, r->err)
			  : tl_error_memory(r->err);
	free(o.taken);
	if (*failed == 0 && o.filled == count)
		return o.order;
	free(o.order);
	return NULL;
}

/*
 * Each element to its place, which that of the element there leads on from, until the first place
 * is met again: a second array would cost more time, for the system to make its pages, than this.
 * `room` is for two elements.
 */
static void follow_order(char *elements, size_t count, size_t size, const uint32_t *order,
			 uint64_t *moved, char *room)
{
	char *held = room, *other = room + size;

	for (size_t i = 0; i < count; i++) {
		size_t at = i;

		if (moved[i / BITS] >> i % BITS & 1 || order[i] == i)
			continue;
		memcpy(held, elements + i * size, size);
		do {
			char *swap = held;

			at = order[at];
			memcpy(other, elements + at * size, size);
			memcpy(elements + at * size, held, size);
			moved[at / BITS] |= UINT64_C(1) << at % BITS;
			held = other;
			other = swap;
		} while (at != i);
	}
}

static bool reorder(void *elements, size_t count, size_t size, const uint32_t *order)
{
	uint64_t *moved = calloc(count / BITS + 1, sizeof(*moved));
	char *list, *room = malloc(2 * size);
	bool ok = moved && room;

	memcpy(&list, elements, sizeof(list));
	if (ok)
		follow_order(list, count, size, order, moved, room);
	free(moved);
	free(room);
	return ok;
}

bool tl_pfile_reorder(void *elements, const struct tl_cost_table *table, size_t size,
		      uint32_t events, const uint32_t *order)
{
	return reorder(elements, table->count, size, order) &&
	       (!table->cost ||
		reorder((void *)&table->cost, table->count, events * sizeof(*table->cost), order));
}

static bool gather(void *elements, size_t count, size_t size, const uint32_t *order)
{
	char *from, *to = malloc((count + 1) * size);

	if (!to)
		return false;
	memcpy(&from, elements, sizeof(from));
	for (size_t i = 0; i < count; i++)
		memcpy(to + i * size, from + order[i] * size, size);
	free(from);
	memcpy(elements, &to, sizeof(to));
	return true;
}

bool tl_pfile_undo_order(void *elements, struct tl_cost_table *table, size_t size, uint32_t events,
			 const uint32_t *order)
{
	if (!gather(elements, table->count, size, order))
		return false;
	table->capacity = table->count;
	if (!events)
		return true;
	table->cost_capacity = table->count * events;
	return gather(&table->cost, table->count, events * sizeof(*table->cost), order);
}
