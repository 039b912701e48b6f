/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_SQL_AGGREGATES_H
#define TL_QUERY_SQL_AGGREGATES_H
/*
 * Statements over all calls that want but counts, sums, least and greatest values. SQLite does not
 * tell a table what it makes of the rows, and takes 30 to 60 ns for each; so such a statement is
 * written again, over the table of sums (tables/tables.h), which has a row a group.
 */
#include "query/trace/aggregates.h"

/*
 * Write the first statement of a text again.
 * @param behind  what follows that statement
 * @return the other statement, to be freed; NULL: it is not of this kind, or there is no memory,
 *         and it has to be asked as it is
 */
char *tl_query_aggregates_rewrite(const char *sql, struct tl_query_aggregates *aggregates,
				  const char **behind);

#endif
