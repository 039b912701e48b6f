/* SPDX-License-Identifier: Apache-2.0 */
#include "query/trace/key_index.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/memory.h"

static int compare(const void *left, const void *right)
{
	const struct tl_query_keyed_row *a = left, *b = right;

	if (a->key != b->key)
		return tl_compare(a->key, b->key);
	return tl_compare(a->row, b->row);
}

bool tl_query_key_index_make(struct tl_query_key_index *index, const struct tl_query_table *table,
			     const struct tl_query_trace *trace, int column)
{
	uint64_t count = table->rows(trace);

	if (index->rows)
		return true;
	if (count > SIZE_MAX / sizeof(*index->rows) - 1)
		return false;
	index->rows = tl_zeroed((size_t)count, sizeof(*index->rows));
	if (!index->rows)
		return false;
	index->column = column;
	for (uint64_t row = 0; row < count; row++) {
		struct tl_query_value value = { .type = TL_QUERY_NULL };

		/* What is no integer is equal to none. */
		table->cell(trace, row, column, &value);
		if (value.type == TL_QUERY_INTEGER)
			index->rows[index->count++] =
				(struct tl_query_keyed_row){ value.integer, row };
	}
	qsort(index->rows, index->count, sizeof(*index->rows), compare);
	return true;
}

/* The first entry whose key is not below `key`, or not at or below it. */
static size_t bound(const struct tl_query_key_index *index, int64_t key, bool behind)
{
	size_t from = 0, to = index->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int64_t at = index->rows[middle].key;

		if (at < key || (behind && at == key))
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

size_t tl_query_key_index_find(const struct tl_query_key_index *index, int64_t key, size_t *end)
{
	*end = bound(index, key, true);
	return bound(index, key, false);
}

void tl_query_key_index_free(struct tl_query_key_index *index)
{
	free(index->rows);
}
