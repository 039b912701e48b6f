/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_TABLES_CALL_SUMS_H
#define TL_QUERY_TABLES_CALL_SUMS_H
/*
 * Counts, sums, least and greatest values of calls by group, as SQLite's count(), sum(), min() and
 * max() have them of the same rows in the same order: the sum of integers is one, a sum with a
 * number of 2^63 or more is real, and a sum of integers that does not fit is an error.
 */
#include "query/tables/call_columns.h"
#include "query/tables/call_groups.h"
#include "query/trace/aggregates.h"

/* What one aggregate has of one group. */
struct tl_query_sum {
	uint64_t count : 62;       /* of the values so far that are known */
	uint64_t approximate : 1;  /* sum: some number was no integer, or the sum did not fit */
	uint64_t does_not_fit : 1; /* sum: of integers */
	union {
		int64_t integer; /* of sums, as long as it is one */
		uint64_t extreme;
	};
	double real; /* the same sum */
};

/* What the sums of all groups may take; more groups are put together row by row. */
enum { TL_QUERY_SUMS_BYTES = 128 << 20 };

/* Zero-filled with `wanted` set is no call. */
struct tl_query_sums {
	const struct tl_query_aggregates *wanted;
	struct tl_query_groups groups; /* without words; none where there are no keys */
	struct tl_query_sum *list;     /* `wanted->count` of each group */
	size_t count, capacity;        /* groups */
	uint32_t *numbers;             /* the group of each row that is added */
	size_t number_room;
	size_t next; /* group to be told */
};

/* Columns of calls that have to be read, as bits. */
uint64_t tl_query_sums_columns(const struct tl_query_aggregates *wanted);
/* Add `count` rows, by column. 0, TL_NO_MEMORY, or TL_TOO_LARGE: there are too many groups. */
int tl_query_sums_add(struct tl_query_sums *sums, const uint64_t *const *columns, size_t count);
/* Go to the next group; without keys there is one. False: there is none. */
bool tl_query_sums_next(struct tl_query_sums *sums);
/* Key number `key` of the present group, a word of its column. */
uint64_t tl_query_sums_key(const struct tl_query_sums *sums, size_t key);
/* An aggregate of the present group. 0, or TL_TOO_LARGE: the sum does not fit. */
int tl_query_sums_value(const struct tl_query_sums *sums, size_t number,
			struct tl_query_value *value);
void tl_query_sums_free(struct tl_query_sums *sums);

#endif
