/* SPDX-License-Identifier: Apache-2.0 */
/* Elements back in the order that they had before they were sorted into a file. */
#include <string.h>

#include "core/error.h"
#include "profile/file/reading.h"

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

/* Where elements are lost, those that are left stay in the order of the file. */
uint32_t *tl_pfile_read_order(struct tl_pfile_reading *r, enum tl_pfile_section section,
			      size_t count, int *failed)
{
	struct reading_order o = { .count = count };

	/* Blocks say how many rows there are: what is said of both must be the same. */
	if (r->reader->fault_count || !count || tl_pfile_row_count(r->reader, section) != count ||
	    count > r->reader->raw_left)
		return NULL;
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

static bool reorder(void *elements, size_t count, size_t size, const uint32_t *order)
{
	char *from, *to = malloc((count + 1) * size);

	if (!to)
		return false;
	memcpy(&from, elements, sizeof(from));
	for (size_t i = 0; i < count; i++)
		memcpy(to + order[i] * size, from + i * size, size);
	free(from);
	memcpy(elements, &to, sizeof(to));
	return true;
}

bool tl_pfile_reorder(void *elements, struct tl_cost_table *table, size_t size, uint32_t events,
		      const uint32_t *order)
{
	if (!reorder(elements, table->count, size, order))
		return false;
	table->capacity = table->count;
	if (!table->cost)
		return true;
	table->cost_capacity = table->count * events;
	return reorder(&table->cost, table->count, events * sizeof(*table->cost), order);
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
