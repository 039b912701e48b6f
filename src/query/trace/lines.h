/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_TRACE_LINES_H
#define TL_QUERY_TRACE_LINES_H
/*
 * A listing of an input, line by line, while it is made: the listing is written by a thread into a
 * pipe, so that a statement that wants only the first lines costs no more than those, and memory
 * does not grow.
 */
#include "query/trace/trace.h"

struct tl_query_lines;

/* Writes the listing. 0 or negative. */
typedef int tl_query_listing_fn(struct tl_input *input, struct tl_output *out,
				struct tl_error *err);

/* Which lines are wanted; a listing may have others, too. */
struct tl_query_part {
	struct tl_dump_options dump; /* for listings by tl_input_dump() */
	uint64_t thread;             /* TL_NOWHERE: as the options of the input have it */
};

/* Begin a listing. */
int tl_query_lines_open(struct tl_query_lines **lines, struct tl_query_trace *trace,
			tl_query_listing_fn *listing, const struct tl_query_part *part,
			struct tl_error *err);
/* 1: the next line, terminated, without its end, until the next call; 0: there is none; negative */
int tl_query_lines_next(struct tl_query_lines *lines, const char **line, size_t *size,
			struct tl_error *err);
/* NULL is allowed. */
void tl_query_lines_close(struct tl_query_lines *lines);

#endif
