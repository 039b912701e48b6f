/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_SQL_VTAB_H
#define TL_QUERY_SQL_VTAB_H
/* The tables as virtual tables of SQLite. */
#include "query/sql/registry.h"
#include "query/sql/sqlite.h"

/*
 * The module of the tables. Its arguments: the key of an input in the registry, which is the
 * module's data, and 'table=NAME'.
 */
extern const sqlite3_module tl_query_module;
/* The module of the sums of calls of the first input: its table needs no CREATE. */
extern const sqlite3_module tl_query_sums_module;

struct tl_query_vtab {
	sqlite3_vtab base; /* must be first */
	struct tl_query_registry *registry;
	struct tl_query_trace *trace;
	const struct tl_query_table *table;
	int number; /* of the table */
};

/* plan.c: xBestIndex, and what it decided, read back by xFilter. */
int tl_query_plan(sqlite3_vtab *base, sqlite3_index_info *info);
void tl_query_read_plan(const char *text, sqlite3_value *const *values, int count,
			struct tl_query_wish *wish);

#endif
