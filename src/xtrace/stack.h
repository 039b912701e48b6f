/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_STACK_H
#define TL_XTRACE_STACK_H
/*
 * The call stack of an instruction stream: frames with return addresses, calling contexts with
 *their costs, and calls by place. What instructions do to it is in calls.h; why it is not the fold
 *of the profile room: there is no record of leaving a function, frames are found by the address
 *that is returned to.
 *
 *	call        a frame of the callee; it will return behind the call
 *	return      to the innermost frame with that return address; frames above it were left, too
 *(longjmp). Frames below an exception are out of reach. None has it: a jump. jump        into
 *another function: the frame is left, and one of the other function takes its place, return address
 *and all. It is a call if it is the function's first address (a tail call); else the function goes
 *on (a cold part jumps back), which is none exception   a frame of the handler on the interrupted
 *one exception   leaves all frames down to the handler's, and goes on in the function below it, or
 *in the place that return      was interrupted. Where it does not, some other thread goes on other
 *A core's stream goes from thread to thread inside the kernel, which shows as a return above EL0 to
 *no threads     frame, or as an exception return to another place. The stack is then set aside, and
 *one that was set aside before is taken up again if it has that return address, or was interrupted
 *at that place found       a function in whose middle the trace begins, or goes on after a gap: a
 *frame that nobody called
 *
 * A stack may be *local*: that of a segment of the stream, of which what lies below is not known
 *yet. What can be done without knowing is done; the rest is left, together with all that was
 *counted since, as a *span* for the stack that knows (tl_xtrace_stack_graft()). So segments are
 *folded by several threads, with the same result.
 */
#include <stdbool.h>
#include <stdint.h>

#include <tracelathe/profile.h>

#include "core/memory.h"
#include "xtrace/functions.h"

enum {
	XTRACE_IR,
	XTRACE_LOADS,
	XTRACE_STORES,
	XTRACE_LOAD_BYTES,
	XTRACE_STORE_BYTES,
	XTRACE_IR_KERNEL, /* instructions above EL0 */
	XTRACE_COSTS
};

struct xtrace_cost {
	int64_t n[XTRACE_COSTS];
};

static inline void xtrace_cost_add(struct xtrace_cost *to, const struct xtrace_cost *cost)
{
	for (unsigned i = 0; i < XTRACE_COSTS; i++)
		to->n[i] += cost->n[i];
}

struct xtrace_frame {
	uint32_t function, node;
	uint32_t site; /* TL_NONE: nobody called */
	bool called;
	bool outermost; /* of its site */
	uint32_t outer_handler; /* of a handler: number of the one below it, from 1; 0: none */
	bool handler;	/* of an exception: `from` was interrupted, `back` would have been next */
	uint64_t back;	/* return address, TL_NOWHERE: unknown */
	uint64_t from;	/* place of the call */
	struct xtrace_cost start; /* total cost when it was entered */
};

struct xtrace_node {
	uint32_t function, parent;
	uint64_t calls, unfinished;
	struct xtrace_cost self;
};

/* Calls of one place to one function. */
struct xtrace_site {
	uint32_t caller, callee;
	uint64_t from;
	uint64_t calls;
	uint32_t open; /* frames on the stack */
	struct xtrace_cost inclusive;
};

/* What cannot be done on a local stack. */
struct xtrace_step {
	enum xtrace_step_kind {
		XTRACE_STEP_NONE,
		XTRACE_STEP_BEGIN, /* of a segment: what comes before is the other stack's */
		XTRACE_STEP_RETURN,
		XTRACE_STEP_JUMP,
		XTRACE_STEP_EXCEPTION,
		XTRACE_STEP_EXCEPTION_RETURN,
		XTRACE_STEP_FOUND,
		XTRACE_STEP_GAP,
	} kind;
	struct xtrace_place to;
	uint64_t from, back;
};

/* What was counted between two such steps. */
struct xtrace_span {
	struct xtrace_step step;   /* after it */
	struct xtrace_node *nodes; /* 0: the function that was at the top before */
	struct xtrace_frame *frames;
	struct xtrace_site *sites;
	size_t node_count, frame_count, site_count;
	struct xtrace_cost total;
	struct tl_losses losses;
};

/* Frames of a thread that does not run. */
struct xtrace_aside {
	struct xtrace_frame *frames;
	size_t depth;
	uint32_t handler;
	uint64_t since; /* the larger, the later */
};

enum { XTRACE_ASIDE = 64 }; /* the one that was set aside first is abandoned for one more */

struct xtrace_stack {
	bool local;
	bool sites_wanted;
	bool no_memory; /* sticky; the results are then worth nothing */
	uint32_t base;	/* local: function at the bottom */
	struct xtrace_frame *frames;
	size_t depth, frame_capacity;
	uint32_t handler; /* number of the innermost handler's frame, from 1; 0: none */
	struct xtrace_node *nodes; /* 0: the outside, or the bottom */
	size_t node_count, node_capacity;
	struct tl_index children;
	struct xtrace_site *sites;
	size_t site_count, site_capacity;
	struct tl_index site_index;
	struct xtrace_cost run;	  /* of the function at the top, not added yet */
	struct xtrace_cost total; /* without `run` */
	struct tl_losses losses;
	struct xtrace_span *spans;
	size_t span_count, span_capacity;
	struct xtrace_aside aside[XTRACE_ASIDE];
	size_t aside_count;
	uint64_t aside_clock;
};

/* False without memory. `base`: function at the bottom of a local stack. */
bool tl_xtrace_stack_begin(struct xtrace_stack *stack, bool local, bool sites_wanted);
void tl_xtrace_stack_free(struct xtrace_stack *stack);

static inline uint32_t xtrace_stack_top(const struct xtrace_stack *stack)
{
	return stack->depth ? stack->frames[stack->depth - 1].function : stack->base;
}

void tl_xtrace_stack_call(struct xtrace_stack *stack, const struct xtrace_place *to, uint64_t from,
			  uint64_t back);
/* Do what is not a call. A local stack that cannot leaves a span. */
void tl_xtrace_stack_step(struct xtrace_stack *stack, const struct xtrace_step *step);
/* No more instructions: what is open is unfinished. */
void tl_xtrace_stack_end(struct xtrace_stack *stack);

/* What is left of a local stack becomes its last span. */
void tl_xtrace_stack_close_local(struct xtrace_stack *stack);
/* Add a span of a local stack, and do its step unless it is BEGIN or NONE. */
void tl_xtrace_stack_graft(struct xtrace_stack *stack, const struct xtrace_span *span);
void tl_xtrace_spans_free(struct xtrace_span *spans, size_t count);

#endif
