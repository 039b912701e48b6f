/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_TRACE_KEY_INDEX_H
#define TL_QUERY_TRACE_KEY_INDEX_H
/* The rows of a table of sums by the value of one column. */
#include "query/trace/table.h"

struct tl_query_keyed_row {
	int64_t key;
	uint64_t row;
};

struct tl_query_key_index {
	struct tl_query_keyed_row *rows; /* by key, then by row; NULL: not made yet */
	size_t count;
	int column;
};

/* Make the index of a column, unless it is there. False without memory. */
bool tl_query_key_index_make(struct tl_query_key_index *index, const struct tl_query_table *table,
			     const struct tl_query_trace *trace, int column);
/* The first entry with a key; *end is behind the last one. */
size_t tl_query_key_index_find(const struct tl_query_key_index *index, int64_t key, size_t *end);
void tl_query_key_index_free(struct tl_query_key_index *index);

#endif
