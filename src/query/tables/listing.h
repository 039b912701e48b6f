/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_TABLES_LISTING_H
#define TL_QUERY_TABLES_LISTING_H
/*
 * Tables whose rows are lines of JSON that the input is listed as: which lines are rows, and which
 * of them a statement needs. What a condition can say to the listing itself is not listed; the
 * other rows are left out here.
 */
#include "query/tables/tables.h"
#include "query/trace/lines.h"

/* Which of the keys of a line a column shows; the first that is there. */
enum { TL_QUERY_MOST_KEYS = 3 };

struct tl_query_listing_column {
	const char *keys[TL_QUERY_MOST_KEYS];
	/* what no key says; NULL: nothing */
	int (*special)(void *handle, struct tl_query_value *value, struct tl_error *err);
};

struct tl_query_listing {
	tl_query_listing_fn *write;
	unsigned flags; /* enum tl_dump_flag */
	const struct tl_query_listing_column *columns;
	/* Whether a line is a row: 1, 0 or negative; NULL: each is. */
	int (*is_row)(void *handle, struct tl_error *err);
	const char *lacking; /* with is_row(): what is said of a format without such lines */
	uint64_t folded;     /* bits of the columns that need the profile */
	bool ascending;      /* the first column never falls: a table may end before the lines */
	int thread;          /* the column of the thread that the lines name */
	/* Bits of the columns that number what all of the input has: no thread is listed alone. */
	uint64_t numbered;
	/* Which lines a statement needs, besides that. */
	void (*narrow)(const struct tl_query_trace *trace, const struct tl_query_wish *wish,
		       struct tl_query_part *part);
};

struct tl_query_ordinal {
	int64_t thread;
	uint64_t last; /* TL_NOWHERE: none yet */
};

struct tl_query_listing_stream {
	struct tl_query_trace *trace;
	const struct tl_query_listing *listing;
	struct tl_query_lines *lines;
	const char *line;
	size_t size;
	uint64_t number; /* of the row */
	/* The last instruction of each stream, by the thread that its lines name. */
	struct tl_query_ordinal *ordinals;
	size_t ordinal_count, ordinal_room, at; /* `at`: of the line */
	uint64_t before;                        /* instructions that the listing passes over */
	bool any;                               /* lines were read */
	bool fits;                              /* and one had an instruction */
	char *text;                             /* of the last value */
	size_t text_capacity;
	/* Texts are copies. SQLite tests each row that is given once more. */
	struct tl_query_condition conditions[TL_QUERY_CONDITIONS];
	size_t condition_count;
};

/* As struct tl_query_stream has them. */
int tl_query_listing_open(const struct tl_query_listing *listing, struct tl_query_trace *trace,
			  const struct tl_query_wish *wish, void **handle, struct tl_error *err);
int tl_query_listing_next(void *handle, struct tl_error *err);
int tl_query_listing_cell(void *handle, int column, struct tl_query_value *value,
			  struct tl_error *err);
void tl_query_listing_close(void *handle);

/* What a key of the line says; NULL where it is not there. 0 or negative. */
int tl_query_listing_value(struct tl_query_listing_stream *s, const char *key,
			   struct tl_query_value *value, struct tl_error *err);

#endif
