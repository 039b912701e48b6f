/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_SQL_TABLE_TEXT_H
#define TL_QUERY_SQL_TABLE_TEXT_H
#include <tracelathe/query.h>

/*
 * The rows of the statement that runs, as a table for people. Columns are as wide as the first rows
 * need; a later value that is wider shifts the rest of its row. 0 or negative.
 */
int tl_query_print_table(struct tl_query *query, struct tl_output *out, struct tl_error *err);

#endif
