/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_TRACE_TRACE_H
#define TL_QUERY_TRACE_TRACE_H
/* One input that is asked: its handles, its profile, and how the tables number functions. */
#include <pthread.h>
#include <stdatomic.h>

#include <tracelathe/open.h>

#include "core/memory.h"
#include "query/trace/key_index.h"
#include "query/trace/table.h"

enum { TL_QUERY_TABLE_COUNT = 21 };

/* A handle of the input that one reader uses, alone. */
struct tl_query_handle {
	struct tl_input *input;
	bool busy, used;
	bool elsewhere; /* another thread reads it */
};

struct tl_query_aggregates;

/* The reader of calls that no statement uses at present (calls_table.c). */
struct tl_query_calls_reader;

/* The parts of one thread together; TL_NOWHERE: unknown. */
struct tl_query_thread {
	uint64_t process, thread;
	const char *name;
	uint64_t first, last, records;
	uint32_t parts;
};

/* What `losses` says of a part: row by row what was lost. */
struct tl_query_losses {
	uint32_t part; /* TL_NONE: of no part */
	const char *what;
	uint64_t count;
};

/* A context at which samples are. */
struct tl_query_stack {
	uint32_t context;
	uint64_t end; /* of its rows in `stacks`, a function each */
};

/* What the tables of sums need beside the profile (folded.c). */
struct tl_query_folded {
	int64_t *ids;                    /* by function of the profile: as the tables number it */
	bool own_numbers;                /* that is, as the trace does */
	uint32_t *shown;                 /* functions that have a row */
	uint32_t *depths;                /* by context */
	struct tl_query_losses *lost;    /* the rows of `losses` */
	struct tl_query_thread *threads; /* the rows of `threads` */
	struct tl_query_stack *stacks;   /* where the profile is of samples */
	size_t shown_count, lost_count, lost_capacity, thread_count, stack_count;
	struct tl_query_key_index keys[TL_QUERY_TABLE_COUNT][2]; /* made when they are needed */
	struct tl_query_key_index by_address;                    /* cost lines */
};

struct tl_query_trace {
	unsigned references; /* tables of SQLite, and the registry */
	char **paths;
	size_t path_count;
	struct tl_input_options options;
	struct tl_query_handle *handles; /* the first one is there from the beginning */
	size_t handle_count, handle_capacity;
	struct tl_profile *profile; /* NULL: the input is not folded yet */
	struct tl_query_folded folded;
	struct tl_query_calls_reader *calls;
	const struct tl_query_aggregates
		*aggregates; /* of the statement; NULL: it has rows of calls */
	/* A statement was interrupted: reading stops. */
	atomic_bool stop;
	pthread_t owner;          /* the thread that asks */
	tl_progress_fn *progress; /* the caller's, called in that thread */
	void *progress_arg;
	char *message;         /* of the last error, with file and place */
	enum tl_status failed; /* its status */
	struct tl_arena texts; /* of the options, where nobody else has them */
};

/*
 * Open an input; with one reference. Pointers of the options have to live as long as the trace.
 * 0 or negative.
 */
int tl_query_trace_open(struct tl_query_trace **trace, const char *const *paths, size_t path_count,
			const struct tl_input_options *options, const char **failed,
			struct tl_error *err);
/* One reference less; the last one closes it. NULL is allowed. */
void tl_query_trace_leave(struct tl_query_trace *trace);
/* Fold the input, if it has not been. 0 or negative. */
int tl_query_trace_fold(struct tl_query_trace *trace, struct tl_error *err);
/* Once folded: make what the tables need besides (folded.c). False without memory. */
bool tl_query_trace_prepare(struct tl_query_trace *trace);
/* Free what has been made, all or a part of it. */
void tl_query_folded_free(struct tl_query_folded *folded);
/* Whether it is standard input, which only one reader at a time can have. */
bool tl_query_trace_read_once(const struct tl_query_trace *trace);
/* Whether its listings number instructions, and can be limited by these numbers. */
bool tl_query_trace_numbers(const struct tl_query_trace *trace);
/*
 * A handle for one reader, which gives it back at the end. A second reader gets one of its own, as
 * a handle counts its damage each time it is read; only standard input is the same for all. 0 or
 * negative.
 */
int tl_query_trace_borrow(struct tl_query_trace *trace, struct tl_input **input,
			  struct tl_error *err);
/* Another thread reads the handle until it is given back. */
void tl_query_trace_lend(struct tl_query_trace *trace, const struct tl_input *input);
void tl_query_trace_return(struct tl_query_trace *trace, const struct tl_input *input);
/* The text of an error, "FILE: offset 0x.., record N: ..."; "" without memory. */
const char *tl_query_trace_explain(struct tl_query_trace *trace, const struct tl_error *err);
/* The handle that has met the most damage; NULL: all are read by other threads. */
struct tl_input *tl_query_trace_worst(const struct tl_query_trace *trace);

#endif
