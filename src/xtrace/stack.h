/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_STACK_H
#define TL_XTRACE_STACK_H
/*
 * The call stack of an instruction stream: frames with return addresses and SP, calling contexts
 * with their costs, and calls by place. What instructions do to it is in calls.h; why it is not the
 * fold of the profile room: there is no record of leaving a function, frames are found by the
 * address that is returned to, and by SP.
 *
 * call         A frame of the callee; it will return behind the call, with the SP of now.
 * return       To the frame with that return address and SP; frames above it were left, too. Where
 *              SP is not known, to the innermost frame with that address; those below an exception
 *              are out of reach then.
 * jump         Into another function: the frame is left, and one of the other function takes its
 *              place, return address and all. It is a call if it is the function's first address (a
 *              tail call); else the function goes on (a cold part jumps back), which is none.
 * landing      A return or an indirect branch that is neither, behind an instruction that set SP:
 *              longjmp, an exception's handler, a switch of stacks. In this order: a frame, of this
 *              stack or of one aside, that awaits just this; the frame of that function in whose
 *              part of the stack SP is; the frame in whose part SP is. The frames above it were
 *              left. Else a stack begins that was not seen before, and the present one is set
 *              aside.
 * exception    A frame of the handler on the interrupted one.
 * exception    Leaves all frames down to the handler's, and goes on in the function below it, or in
 *   return     the place that was interrupted. Where it does not, some other thread goes on.
 * other        A core's stream goes from thread to thread inside the kernel, which shows as a
 *   threads    landing above EL0, or as an exception return to another place. Coroutines do so at
 *              EL0. The stack is set aside, and one that was set aside before is taken up again.
 * found        A function in whose middle the trace begins, or goes on after a gap: a frame that
 *              nobody called.
 *
 * A stack may be *local*: that of a segment of the stream, of which what lies below is not known
 * yet. What can be done without knowing is done; the rest is left, together with all that was
 * counted since, as a *span* for the stack that knows (tl_xtrace_stack_graft()). So segments are
 * folded by several threads, with the same result.
 *
 * A local stack follows SP. Where it is not known (behind MOV SP, X29) it is counted from there,
 * *pending*, until an access tells it; then all that was noted since becomes known.
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

/* INHERITED: as it was at the end of the segment before. */
enum xtrace_switched { XTRACE_SAME_STACK, XTRACE_SWITCHED_STACK, XTRACE_INHERITED };

enum xtrace_sp_state { XTRACE_SP_UNKNOWN, XTRACE_SP_PENDING, XTRACE_SP_KNOWN };

struct xtrace_frame {
	uint32_t function, node;
	uint32_t site;          /* TL_NONE: nobody called */
	uint32_t outer_handler; /* of a handler: number of the one below it, from 1; 0: none */
	bool called;
	bool outermost; /* of its site */
	bool handler;   /* of an exception: `from` was interrupted, `back` would have been next */
	bool found;     /* nobody called it: its `sp` is one it had, not that of its caller */
	uint8_t el;
	uint8_t sp_state;         /* enum xtrace_sp_state */
	uint64_t back;            /* return address, TL_NOWHERE: unknown */
	uint64_t from;            /* place of the call */
	uint64_t sp;              /* of who called or was interrupted, there */
	struct xtrace_cost start; /* total cost when it was entered */
};

struct xtrace_node {
	uint32_t function, parent;
	uint64_t calls;      /* entered */
	uint64_t unfinished; /* of these, never left */
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
		XTRACE_STEP_BRANCH, /* indirect */
		XTRACE_STEP_EXCEPTION,
		XTRACE_STEP_EXCEPTION_RETURN,
		XTRACE_STEP_SIGNAL_RETURN,
		XTRACE_STEP_FOUND,
		XTRACE_STEP_GAP,
	} kind;
	struct xtrace_place to;
	uint64_t from, back;
	uint64_t sp, sp_before; /* with which `to` goes on; with which `from` was left */
	uint8_t sp_state, sp_before_state;
	uint64_t left; /* SP where that was; 0: unknown */
	/* enum xtrace_switched: SP was set in between to what does not follow from what it was */
	uint8_t switched;
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

/* Frames of a thread or a coroutine that does not run. */
struct xtrace_aside {
	struct xtrace_frame *frames;
	size_t depth;
	uint32_t handler;
	uint64_t since;           /* the larger, the later */
	uint64_t left;            /* SP when it was left; 0: unknown */
	uint64_t lowest, highest; /* SP of its frames, as far as it is known */
	bool all_known;
};

struct xtrace_stack {
	bool local;
	bool sites_wanted;
	bool no_memory; /* sticky; the results are then worth nothing */
	uint32_t base;  /* local: function at the bottom */
	struct xtrace_frame *frames;
	size_t depth, frame_capacity;
	uint32_t handler;          /* number of the innermost handler's frame, from 1; 0: none */
	struct xtrace_node *nodes; /* 0: the outside, or the bottom */
	size_t node_count, node_capacity;
	struct tl_index children;
	struct xtrace_site *sites;
	size_t site_count, site_capacity;
	struct tl_index site_index;
	struct xtrace_cost run;   /* of the function at the top, not added yet */
	struct xtrace_cost total; /* without `run` */
	struct tl_losses losses;
	struct xtrace_span *spans;
	size_t span_count, span_capacity;
	struct xtrace_aside *aside;
	size_t aside_count, aside_capacity, aside_frames;
	uint64_t aside_clock;

	/* Local: SP at the present instruction; PENDING: counted from where it was lost. */
	uint64_t sp;
	uint8_t sp_state;
	bool sp_guessed;  /* pending, but a snapshot said what it is */
	uint8_t switched; /* since the last step or call it was set, to whatever */
	uint64_t left;    /* what it was then; 0: unknown */
	uint8_t sp_quiet; /* changes of SP up to this kind need not be looked at */
	size_t open_span; /* steps of spans from this one on pend, too */
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
/* Return from the innermost frame, if that is what this is. */
bool tl_xtrace_stack_return(struct xtrace_stack *stack, const struct xtrace_place *to);
/* Do what is not a call. A local stack that cannot leaves a span. */
void tl_xtrace_stack_step(struct xtrace_stack *stack, const struct xtrace_step *step);
/* SP is lost: what pends stays unknown, and it is counted from here. */
void tl_xtrace_sp_lost(struct xtrace_stack *stack);
/* SP is told: what pends becomes known. */
void tl_xtrace_sp_told(struct xtrace_stack *stack, uint64_t sp);
/* SP is about to be set, `moves` from what it is here: to an outer frame, or another stack. */
void tl_xtrace_sp_leave(struct xtrace_stack *stack, uint64_t moves);
/* A snapshot tells SP, which holds until an access tells better. */
void tl_xtrace_sp_guess(struct xtrace_stack *stack, uint64_t sp);

/* No more instructions: what is open is unfinished. */
void tl_xtrace_stack_end(struct xtrace_stack *stack);

/* What is left of a local stack becomes its last span. */
void tl_xtrace_stack_close_local(struct xtrace_stack *stack);
/* Add a span of a local stack, and do its step unless it is BEGIN or NONE. */
void tl_xtrace_stack_graft(struct xtrace_stack *stack, const struct xtrace_span *span);
void tl_xtrace_spans_free(struct xtrace_span *spans, size_t count);

#endif
