/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_TABLES_CALL_COLUMNS_H
#define TL_QUERY_TABLES_CALL_COLUMNS_H
/*
 * The rows of the table of calls, some thousand at once: the columns that a statement needs, and of
 * the rows only those for which its comparisons hold.
 */
#include "query/trace/call_functions.h"
#include "query/trace/table.h"

enum tl_query_call_column {
	TL_QUERY_CALL_ID,
	TL_QUERY_CALL_PARENT,
	TL_QUERY_CALL_PROCESS,
	TL_QUERY_CALL_THREAD,
	TL_QUERY_CALL_DEPTH,
	TL_QUERY_CALL_FUNCTION,
	TL_QUERY_CALL_NAME,
	TL_QUERY_CALL_START,
	TL_QUERY_CALL_END,
	TL_QUERY_CALL_DURATION,
	TL_QUERY_CALL_SELF,
	TL_QUERY_CALL_CUT,
	TL_QUERY_CALL_LATE,
	TL_QUERY_CALL_COLUMNS,
};

/* How the words of a column are values (enum tl_query_word). */
extern const uint8_t tl_query_call_words[TL_QUERY_CALL_COLUMNS];

/* What is added to words of a column, so that they are numbers without a sign of the same order. */
static inline uint64_t tl_query_call_moved_up(int column)
{
	return tl_query_call_words[column] == TL_QUERY_SIGNED ? (uint64_t)1 << 63 : 0;
}

/*
 * What a column has to be: at least the first and at most the last, both in the order of numbers
 * (integers moved up by 2^63, so that all are without a sign). None if the last is below the first.
 */
struct tl_query_call_range {
	uint64_t first, last;
};

/* Zero-filled with `reader` set is all columns of no call. */
struct tl_query_call_columns {
	struct tl_query_calls_reader *reader;
	uint64_t wanted;  /* columns, as bits */
	uint64_t limited; /* columns that have a range, as bits */
	struct tl_query_call_range ranges[TL_QUERY_CALL_COLUMNS];
	char *name;   /* that a function has to have; NULL: any */
	size_t count; /* of the present rows */
	const uint64_t *words[TL_QUERY_CALL_COLUMNS];
	uint64_t
		*own[TL_QUERY_CALL_COLUMNS]; /* of columns that the stream does not have as words */
	size_t capacities[TL_QUERY_CALL_COLUMNS];
	uint32_t *picked;
	size_t picked_capacity;
};

/* Give only rows for which a comparison holds. False without memory. */
bool tl_query_call_columns_limit(struct tl_query_call_columns *columns,
				 const struct tl_query_condition *condition);
/* The next rows. 1: at least one; 0: there is none; or negative. */
int tl_query_call_columns_next(struct tl_query_call_columns *columns, struct tl_error *err);
void tl_query_call_columns_free(struct tl_query_call_columns *columns);

#endif
