/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/model/cost_table.h"

#include <string.h>

#include <tracelathe/core.h>

bool tl_cost_table_row(struct tl_cost_table *table, uint32_t event_count)
{
	size_t want = (table->count + 1) * event_count;

	if (!tl_grow(&table->cost, &table->cost_capacity, want, sizeof(*table->cost)))
		return false;
	memset(table->cost + table->count * event_count, 0, event_count * sizeof(*table->cost));
	return true;
}

uint32_t tl_cost_table_add(struct tl_cost_table *table, void *elements, const void *element,
			   size_t size, uint32_t event_count)
{
	char *base;

	if (table->count >= TL_NONE || !tl_grow(elements, &table->capacity, table->count + 1, size))
		return TL_NONE;
	if (event_count && !tl_cost_table_row(table, event_count))
		return TL_NONE;
	memcpy(&base, elements, sizeof(base));
	memcpy(base + table->count * size, element, size);
	return (uint32_t)table->count++;
}

uint32_t tl_cost_table_append(struct tl_cost_table *table, void *elements, const void *element,
			      size_t size, uint32_t event_count, uint64_t hash)
{
	uint32_t number = tl_cost_table_add(table, elements, element, size, event_count);

	if (number == TL_NONE || tl_index_add(&table->index, hash, number))
		return number;
	table->count--;
	return TL_NONE;
}

bool tl_cost_table_widen(struct tl_cost_table *table, uint32_t events)
{
	size_t old = events, new = events + 1u;

	if (!table->count)
		return true;
	if (!tl_grow(&table->cost, &table->cost_capacity, table->count * new, sizeof(*table->cost)))
		return false;
	for (size_t i = table->count; i-- > 0;) {
		memmove(table->cost + i * new, table->cost + i * old, old * sizeof(*table->cost));
		table->cost[i * new + old] = 0;
	}
	return true;
}

void tl_cost_table_free(struct tl_cost_table *table)
{
	free(table->cost);
	tl_index_free(&table->index);
}
