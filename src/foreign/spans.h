/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_FOREIGN_SPANS_H
#define TL_FOREIGN_SPANS_H
/*
 * Calls over time, thread by thread, as an input has them: some as a begin and an end, some whole
 * with a duration, in any order. They are kept (24 bytes each), put into order, and gone through as
 * steps of a call stack.
 */
#include "core/memory.h"

/* In place of a duration. */
#define TL_FOREIGN_BEGIN UINT64_MAX
#define TL_FOREIGN_END (UINT64_MAX - 1)
#define TL_FOREIGN_INSTANT (UINT64_MAX - 2)

/* In place of a thread: what is said of the process; it has no spans. */
#define TL_FOREIGN_PROCESS INT64_MIN

struct tl_foreign_span {
	int64_t ticks;
	uint64_t duration; /* ticks, or one of the above */
	uint32_t frame;    /* TL_NONE: an end that does not say of what */
	uint32_t order;    /* among those of its thread */
};

/* A named value that an instant has. */
struct tl_foreign_argument {
	uint32_t name; /* of the stacks' names, as is */
	uint32_t text; /* where it is no number */
	enum tl_foreign_argument_kind { TL_FOREIGN_TEXT, TL_FOREIGN_WHOLE, TL_FOREIGN_REAL } kind;
	int64_t whole;
	double real;
};

/* The arguments of one instant: a range of those of all. */
struct tl_foreign_payload {
	uint32_t order; /* of its span */
	uint32_t count;
	size_t first;
};

struct tl_foreign_thread {
	int64_t process, thread;
	uint32_t command; /* a name of the stacks, 0: none */
	struct tl_foreign_span *spans;
	size_t count, capacity;
	struct tl_foreign_payload *payloads; /* of instants, in the order of their spans */
	size_t payload_count, payload_capacity;
	bool unordered;
};

struct tl_foreign_spans {
	struct tl_foreign_thread *threads;
	size_t count, capacity;
	struct tl_index index;
	uint32_t last;                         /* the thread that was looked up last */
	struct tl_foreign_argument *arguments; /* of all instants */
	size_t argument_count, argument_capacity;
	uint32_t *open_count; /* by frame: begins that are open in the present walk */
	size_t open_capacity;
};

void tl_foreign_spans_free(struct tl_foreign_spans *spans);

/* The number of a thread, added if it is new; TL_NONE without memory. */
uint32_t tl_foreign_spans_thread(struct tl_foreign_spans *spans, int64_t process, int64_t thread);
/* The same of one that is there; TL_NONE: it is not. */
uint32_t tl_foreign_spans_find(const struct tl_foreign_spans *spans, int64_t process,
			       int64_t thread);
/* Add a span to a thread. False without memory. */
bool tl_foreign_spans_add(struct tl_foreign_thread *thread, int64_t ticks, uint64_t duration,
			  uint32_t frame);

/* The arguments of the span that was added to a thread last (payloads.c). False without memory. */
bool tl_foreign_payload_add(struct tl_foreign_spans *spans, struct tl_foreign_thread *thread,
			    const struct tl_foreign_argument *arguments, uint32_t count);
/* The arguments of the span of this order, `count` of them, which may be 0. */
const struct tl_foreign_argument *tl_foreign_payload_of(const struct tl_foreign_spans *spans,
							const struct tl_foreign_thread *thread,
							uint32_t order, uint32_t *count);

/* What the steps of a thread are told to; times are ticks. */
struct tl_foreign_visitor {
	void (*enter)(void *arg, int64_t ticks, uint32_t frame);
	/* The innermost call ends; `cut`: the end of an outer one ends it. */
	void (*leave)(void *arg, int64_t ticks, bool cut);
	void (*orphan)(void *arg, int64_t ticks); /* an end without its begin; NULL: nothing */
	/* `order`: of its span; NULL: nothing */
	void (*instant)(void *arg, int64_t ticks, uint32_t frame, uint32_t order);
	void *arg;
};

/* What was met on the way. */
struct tl_foreign_walk {
	uint64_t orphans;  /* ends without their begins */
	uint64_t overlaps; /* whole calls that end more than a tick behind the one around them */
	uint64_t cut;      /* begins without an end, left by the end of an outer call */
	uint64_t open;     /* begins without an end */
};

/*
 * Go through the steps of a thread, which is put into order: by time; at the same time first
 * begins, ends and calls without duration in the order of the input, then whole calls, the longer
 * first. An end without a frame ends the innermost begin, any other one the innermost begin of its
 * frame; of ends at the same time that of the innermost begin is the first. False without memory.
 */
bool tl_foreign_walk(struct tl_foreign_spans *spans, uint32_t thread,
		     const struct tl_foreign_visitor *visitor, struct tl_foreign_walk *met);

#endif
