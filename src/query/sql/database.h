/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_SQL_DATABASE_H
#define TL_QUERY_SQL_DATABASE_H
/* The connection to SQLite that a struct tl_query is. */
#include "query/sql/vtab.h"

struct tl_query {
	sqlite3 *database;
	struct tl_query_registry registry;
	sqlite3_stmt *statement; /* that runs, else NULL */
	bool has_row, done;
	atomic_bool stop; /* tl_query_interrupt() was called since the statement began */
	char *message;    /* of the last error */
};

#endif
