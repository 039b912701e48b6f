/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_TRACE_AGGREGATES_H
#define TL_QUERY_TRACE_AGGREGATES_H
/*
 * What a statement wants to know of all calls, or of those that have the same keys: numbers that
 * the table adds up, so that SQLite gets a row a group instead of a row a call.
 */
#include <stddef.h>

#include "query/trace/table.h"

enum tl_query_aggregate_kind {
	TL_QUERY_COUNT_ROWS, /* count(*) */
	TL_QUERY_COUNT,      /* of the values that are known */
	TL_QUERY_SUM,
	TL_QUERY_MIN,
	TL_QUERY_MAX,
};

struct tl_query_aggregate {
	enum tl_query_aggregate_kind kind;
	int column; /* of the table of calls, one of numbers; -1: TL_QUERY_COUNT_ROWS needs none */
};

enum { TL_QUERY_AGGREGATES = 16 }; /* of one statement */

struct tl_query_aggregates {
	int keys[TL_QUERY_GROUP_COLUMNS]; /* columns of GROUP BY */
	size_t key_count;
	struct tl_query_aggregate list[TL_QUERY_AGGREGATES];
	size_t count;
};

#endif
