/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_SQL_REGISTRY_H
#define TL_QUERY_SQL_REGISTRY_H
/* The inputs of one connection of SQLite, so that all tables of an input are of one handle. */
#include "query/trace/trace.h"

struct tl_query_entry {
	char *key; /* what the statement that made the table says of the input */
	struct tl_query_trace *trace;
};

/* What the arguments of a statement that makes a table choose. */
struct tl_query_choice {
	struct tl_query_trace *trace;
	int table;
	bool companions; /* the other tables are made, too */
};

struct tl_query_registry;
struct sqlite3;

/* Find or open the input that the arguments name. A code of SQLite; *message is its to free. */
typedef int tl_query_resolve_fn(struct tl_query_registry *registry, int count,
				const char *const *arguments, struct tl_query_choice *choice,
				char **message);
/* Make the other tables of an input; all arguments of the statement. A code of SQLite. */
typedef int tl_query_companions_fn(struct sqlite3 *database, const char *const *arguments,
				   int count);

struct tl_query_registry {
	struct tl_query_entry *list;
	size_t count, capacity;
	/* NULL: inputs are neither added nor closed by statements, which name them by key */
	tl_query_resolve_fn *resolve;
	tl_query_companions_fn *make_companions;
};

/* Add an input; its reference is then the registry's, also after a failure. 0 or negative. */
int tl_query_registry_add(struct tl_query_registry *registry, const char *key,
			  struct tl_query_trace *trace, struct tl_error *err);
/* NULL: there is none of that key. */
struct tl_query_trace *tl_query_registry_find(const struct tl_query_registry *registry,
					      const char *key);
/* A table that used an input is gone; so is the input if it was the last one. */
void tl_query_registry_leave(struct tl_query_registry *registry, struct tl_query_trace *trace);
void tl_query_registry_close(struct tl_query_registry *registry);

#endif
