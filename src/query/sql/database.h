/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_SQL_DATABASE_H
#define TL_QUERY_SQL_DATABASE_H
/* The connection to SQLite that a struct tl_query is. */
#include "query/sql/vtab.h"
#include "query/trace/aggregates.h"

struct tl_query {
	sqlite3 *database;
	struct tl_query_registry registry;
	sqlite3_stmt *statement; /* that runs, else NULL */
	bool has_row, done;
	atomic_bool stop; /* tl_query_interrupt() was called since the statement began */
	char *message;    /* of the last error */
	char *asked;      /* the statement, if another one was written for it (aggregates.h) */
	struct tl_query_aggregates aggregates; /* of that */
};

/* Before something else than a statement of the caller's runs: nothing runs, nothing failed. */
void tl_query_begin(struct tl_query *query);
/*
 * Run a text of our own, which the authorizer does not see, and free it. A code of SQLite; NULL is
 * no memory.
 */
int tl_query_execute(struct tl_query *query, char *sql);
/* A code of SQLite as a status; what SQLite says is the message. */
int tl_query_failed(struct tl_query *query, int code, struct tl_error *err);

#endif
