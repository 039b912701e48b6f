/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign/counters.h"

#include <tracelathe/core.h>

#include "core/arithmetic.h"

void tl_foreign_counters_free(struct tl_foreign_counters *c)
{
	free(c->list);
	free(c->values);
	tl_index_free(&c->index);
	*c = (struct tl_foreign_counters){ .count = 0 };
}

static bool same_counter(const void *context, const void *key, uint32_t number)
{
	const struct tl_foreign_counter *have =
		&((const struct tl_foreign_counter *)context)[number];
	const struct tl_foreign_counter *wanted = key;

	return have->process == wanted->process && have->thread == wanted->thread &&
	       have->name == wanted->name;
}

uint32_t tl_foreign_counter(struct tl_foreign_counters *c, int64_t process, int64_t thread,
			    uint32_t name)
{
	const struct tl_foreign_counter key = { .process = process,
						.thread = thread,
						.name = name };
	const uint64_t hash = tl_hash_pair(tl_hash_pair((uint64_t)process, (uint64_t)thread), name);
	uint32_t number = tl_index_find(&c->index, hash, same_counter, c->list, &key);

	if (number != TL_NONE)
		return number;
	number = (uint32_t)c->count;
	if (!tl_grow(&c->list, &c->capacity, c->count + 1, sizeof(key)) ||
	    !tl_index_add(&c->index, hash, number))
		return TL_NONE;
	c->list[c->count++] = key;
	return number;
}

bool tl_foreign_counters_add(struct tl_foreign_counters *c, uint32_t counter, int64_t ticks,
			     double value)
{
	if (c->value_count >= TL_NONE ||
	    !tl_grow(&c->values, &c->value_capacity, c->value_count + 1, sizeof(*c->values)))
		return false;
	c->values[c->value_count] = (struct tl_foreign_value){ .ticks = ticks,
							       .value = value,
							       .counter = counter,
							       .order = (uint32_t)c->value_count };
	c->value_count++;
	return true;
}

static int compare_values(const void *left, const void *right)
{
	const struct tl_foreign_value *a = left, *b = right;
	int order = tl_compare(a->counter, b->counter);

	if (!order)
		order = tl_compare(a->ticks, b->ticks);
	return order ? order : tl_compare(a->order, b->order);
}

void tl_foreign_counters_sort(struct tl_foreign_counters *c)
{
	if (c->value_count)
		qsort(c->values, c->value_count, sizeof(*c->values), compare_values);
}
