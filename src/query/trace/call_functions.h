/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_TRACE_CALL_FUNCTIONS_H
#define TL_QUERY_TRACE_CALL_FUNCTIONS_H
/* The functions of a stream of calls, as the tables of sums number and name them. */
#include "core/memory.h"
#include "query/trace/trace.h"

struct tl_query_call_function {
	const char *name;
	uint32_t number; /* in the stream */
	uint32_t same;   /* the first function of that name, in this list */
	uint64_t id;     /* in the table `functions`; TL_NOWHERE: it has no row there */
};

/* Zero-filled is empty. */
struct tl_query_call_functions {
	struct tl_query_call_function *list;
	struct tl_query_name *texts; /* the names, as long */
	size_t count, capacity, text_capacity;
	uint32_t *small; /* number + 1 in the list, by the number in the stream */
	size_t small_capacity;
	struct tl_index numbers; /* of larger numbers */
	struct tl_index names;   /* the first of each name in the list */
	/* Functions of the profile, by name, file and object, and by the trace's own number. */
	struct tl_index known, own;
	const struct tl_query_trace *trace; /* whose profile it is; NULL: ids are not known */
	bool numbered; /* the numbers of the trace are the ids, so that no profile is needed */
};

/* The function of a call, by tl_call.function. NULL: *err says why. */
const struct tl_query_call_function *
tl_query_call_functions_find(struct tl_query_call_functions *functions, struct tl_calls *calls,
			     uint32_t number, struct tl_error *err);
/* The place in the list of the first function of a name, TL_NONE: none was met. */
uint32_t tl_query_call_functions_named(const struct tl_query_call_functions *functions,
				       const char *name);
/* Find the ids of functions in the folded profile, from now on. False without memory. */
bool tl_query_call_functions_match(struct tl_query_call_functions *functions,
				   const struct tl_query_trace *trace);
void tl_query_call_functions_free(struct tl_query_call_functions *functions);

/* Kept by the trace between statements, so that the file is read for a first time only once. */
struct tl_query_calls_reader {
	struct tl_input *input; /* borrowed */
	struct tl_calls *calls;
	struct tl_query_call_functions functions;
};

/* Its input is to be returned before. NULL is allowed. */
void tl_query_calls_reader_close(struct tl_query_calls_reader *reader);

#endif
