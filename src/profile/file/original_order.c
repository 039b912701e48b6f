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

/* What a task reads of an order: some blocks of the file. */
struct order_slice {
	struct tl_pfile_reader reader;
	uint32_t *order; /* the whole one */
	size_t count;    /* of that */
	uint64_t *taken; /* a bit for each number that stands in the slice */
};

struct order_slices {
	const struct tl_pfile_reading *r;
	enum tl_pfile_section section;
	struct order_slice list[TL_PFILE_SHARES];
};

/*
 * A row is a byte that says whether the difference stands there, and that: it is a key. How many
 * bytes it has is hard to foresee, so that there is no branch on it. NULL: the byte, or a number of
 * more than seven bytes, is none of an order.
 */
static inline const uint8_t *take_step(const uint8_t *from, uint64_t *key)
{
	const uint64_t highest = UINT64_C(0x8080808080808080);
	uint64_t word = tl_get64s(from, TL_HOST_BIG_ENDIAN), value;
	const uint64_t there = word & 0xff;
	/* The highest bit of the byte that ends the row. */
	uint64_t end = ~word & highest;

	end &= end - there;
	end &= 0 - end;
	if (there > 1 || !end)
		return NULL;
	value = word >> 8 & ((end >> 7) - 1) & ~highest;
	value = (value & UINT64_C(0x007f007f007f007f)) |
		(value >> 1 & UINT64_C(0x3f803f803f803f80));
	value = (value & UINT64_C(0x00003fff00003fff)) |
		(value >> 2 & UINT64_C(0x0fffc0000fffc000));
	value = (value & UINT64_C(0x0fffffff)) | (value >> 4 & UINT64_C(0xfffffff0000000));
	*key += tl_unzigzag(value);
	return from + (unsigned)__builtin_ctzll(end) / 8 + 1;
}

static int put_order(void *arg, const struct tl_pfile_block *block, const uint8_t *content)
{
	const struct order_slice *s = arg;
	const uint8_t *pos = content, *end = content + block->raw_bytes;
	const uint64_t behind = block->first + block->rows;
	uint64_t key = 0;

	if (behind > s->count)
		return TL_BAD_RECORD;
	for (uint64_t number = block->first; number < behind; number++) {
		uint64_t before;

		pos = pos < end ? take_step(pos, &key) : NULL;
		before = number + key;
		if (!pos || before >= s->count)
			return TL_BAD_RECORD;
		s->order[number] = (uint32_t)before;
		s->taken[before / BITS] |= UINT64_C(1) << before % BITS;
	}
	return pos == end ? 0 : TL_BAD_RECORD;
}

static int read_slice(void *arg, size_t task)
{
	struct order_slices *s = arg;
	struct order_slice *slice = &s->list[task];
	struct tl_error ignored;
	int status;

	slice->taken = calloc(slice->count / BITS + 1, sizeof(*slice->taken));
	if (!slice->taken)
		return TL_NO_MEMORY;
	slice->reader = tl_pfile_section_share(s->r->reader, s->section, task, TL_PFILE_SHARES);
	status = tl_pfile_each_rows(&slice->reader, s->section, 0, put_order, slice, &ignored);
	if (slice->reader.fault_count)
		status = TL_BAD_RECORD;
	tl_pfile_share_end(&slice->reader);
	return status;
}

/* As many numbers as there are elements are an order if each of them stands there. */
static bool is_permutation(const struct order_slices *s, size_t count)
{
	for (size_t i = 0; i < count / BITS + 1; i++) {
		const uint64_t all =
			i < count / BITS ? UINT64_MAX : (UINT64_C(1) << count % BITS) - 1;
		uint64_t taken = 0;

		for (size_t k = 0; k < TL_PFILE_SHARES; k++)
			taken |= s->list[k].taken[i];
		if (taken != all)
			return false;
	}
	return true;
}

/* NULL: it is not as it should be, or there is no memory, which reading it row by row tells. */
static uint32_t *order_by_slices(struct tl_pfile_reading *r, enum tl_pfile_section section,
				 size_t count)
{
	struct order_slices *s = calloc(1, sizeof(*s));
	uint32_t *order = tl_zeroed(count, sizeof(*order));
	bool ok = s && order && tl_pfile_is_gapless(r->reader, section);

	for (size_t i = 0; ok && i < TL_PFILE_SHARES; i++)
		s->list[i] = (struct order_slice){ .order = order, .count = count };
	if (ok) {
		s->r = r;
		s->section = section;
		ok = tl_pool_run(r->options.jobs, TL_PFILE_SHARES, read_slice, s) == 0 &&
		     is_permutation(s, count);
		for (size_t i = 0; i < TL_PFILE_SHARES; i++)
			free(s->list[i].taken);
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
