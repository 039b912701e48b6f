/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_CALL_STACK_H
#define TL_XTRACE_CALL_STACK_H
/* clang-format off */
/*
 * The call stack of an instruction stream: frames with return address and SP, calling contexts with
 * their costs, and calls by call site. control_flow.h finds the operation of each instruction. It
 * is not the fold of the profile room, since a stream has no record of leaving a function: the
 * frame that goes on is found by the address that is returned to, and by SP.
 *
 *    call        Pushes a frame of the callee, which will return behind the call with the SP that
 *                the caller has now.
 *    return      Goes to the frame with that return address and SP; the frames above it are left,
 *                too. Without a known SP it goes to the innermost frame with that address, and
 *                frames below an exception are out of reach.
 *    jump        Into another function: a frame of that function replaces the innermost frame and
 *                keeps its return address and SP. It counts as a call if it goes to the first
 *                address of the function (a tail call). Else the function goes on elsewhere (a cold
 *                part jumps back), which is no call.
 *    landing     A return or an indirect branch that is none of these, behind an instruction that
 *                set SP: longjmp, the landing pad of a C++ exception, a switch of stacks. The first
 *                that is found goes on:
 *                  1. a frame of this stack or of a parked one with that return address and SP;
 *                  2. the frame of that function in whose part of the stack SP is;
 *                  3. the frame in whose part of the stack SP is.
 *                Frames above it are left. If none is found, a new stack begins, and the present
 *                one is parked.
 *    exception   Pushes a frame of the handler on the interrupted one.
 *    exception   Leaves all frames down to the handler's, and goes on in the function below it, or
 *    return      at the interrupted address. If neither fits, another thread goes on.
 *    other       The stream of a core goes from thread to thread inside the kernel, shown by a
 *    threads     landing above EL0, or as an exception return to another address. Coroutines do so
 *                at EL0. The stack is parked, and a parked one goes on.
 *    found       A function in whose middle the trace begins, or goes on behind a gap: a frame
 *                without a call.
 *
 * A stack may be *local*: that of one segment of the stream, whose frames from before the segment
 * are not known yet. An operation that needs them is not done: it is kept as a *delta*, together
 * with all that was counted since the one before, for the stack of the stream
 * (tl_xtrace_stack_splice()). So segments are folded by several threads, with the same result.
 *
 * A local stack follows SP. Where SP is lost (MOV SP, X29) it is *pending*: counted from there in
 * frames and deltas, until the address of an access shows it, and all of these become known.
 */
/* clang-format on */
#include <stdbool.h>
#include <stdint.h>

#include <tracelathe/profile.h>

#include "core/memory.h"
#include "timeline/calls/steps.h"
#include "xtrace/profile/cost.h"
#include "xtrace/state/function_map.h"

/* INHERITED: as it was at the end of the segment before. */
enum tl_xtrace_stack_switch { TL_XTRACE_SAME_STACK, TL_XTRACE_SWITCHED_STACK, TL_XTRACE_INHERITED };

enum tl_xtrace_sp_state { TL_XTRACE_SP_UNKNOWN, TL_XTRACE_SP_PENDING, TL_XTRACE_SP_KNOWN };

struct tl_xtrace_frame {
	uint32_t function, node;
	uint32_t site;          /* TL_NONE: nobody called */
	uint32_t outer_handler; /* of a handler: number of the one below it, from 1; 0: none */
	bool called;
	bool counted;   /* the call counts */
	bool outermost; /* of its site */
	bool handler;   /* of an exception: `from` was interrupted, `back` would have been next */
	bool found;     /* nobody called it: its `sp` is one it had, not that of its caller */
	uint8_t el;
	uint8_t sp_state;            /* enum tl_xtrace_sp_state */
	uint32_t bin;                /* in which it was entered, of a stack with bins */
	uint64_t back;               /* return address, TL_NOWHERE: unknown */
	uint64_t from;               /* place of the call */
	uint64_t sp;                 /* of the caller or the interrupted function, there */
	struct tl_xtrace_cost start; /* total cost when it was entered */
};

struct tl_xtrace_context {
	uint32_t function, parent;
	uint64_t calls;      /* entered */
	uint64_t unfinished; /* of these, never left */
	struct tl_xtrace_cost self;
	bool touched; /* on the list of those, of a stack with bins */
};

/* Calls of one place to one function. */
struct tl_xtrace_call_site {
	uint32_t caller, callee;
	uint64_t from;
	uint64_t calls;
	uint32_t open; /* frames on the stack */
	struct tl_xtrace_cost inclusive;
};

/* An operation on a call stack. A local stack keeps those that it cannot do. */
struct tl_xtrace_stack_op {
	enum tl_xtrace_stack_op_kind {
		TL_XTRACE_OP_NONE,
		TL_XTRACE_OP_BEGIN, /* of a segment: what comes before is the other stack's */
		TL_XTRACE_OP_RETURN,
		TL_XTRACE_OP_JUMP,
		TL_XTRACE_OP_BRANCH, /* indirect */
		TL_XTRACE_OP_EXCEPTION,
		TL_XTRACE_OP_EXCEPTION_RETURN,
		TL_XTRACE_OP_SIGNAL_RETURN,
		TL_XTRACE_OP_FOUND,
		TL_XTRACE_OP_GAP,
	} kind;
	struct tl_xtrace_location to;
	uint64_t from, back;
	uint64_t sp, sp_before; /* with which `to` goes on; with which `from` was left */
	uint8_t sp_state, sp_before_state;
	uint64_t left; /* SP where that was; 0: unknown */
	/* enum tl_xtrace_stack_switch: SP was set in between to an unrelated value */
	uint8_t switched;
};

/* Where another bin begins: another interval, or another level or task. */
struct tl_xtrace_stack_mark {
	enum tl_xtrace_mark_kind {
		TL_XTRACE_MARK_NONE,
		TL_XTRACE_MARK_INTERVAL,
		TL_XTRACE_MARK_KEY
	} kind;
	uint64_t value; /* number of the interval, 0: none; the level, or the task */
};

/* What a local stack counted up to an operation that it cannot do. */
struct tl_xtrace_stack_delta {
	struct tl_xtrace_stack_op op;    /* after it */
	struct tl_xtrace_context *nodes; /* 0: the function that was at the top before */
	struct tl_xtrace_frame *frames;
	struct tl_xtrace_call_site *sites;
	size_t node_count, frame_count, site_count;
	struct tl_xtrace_cost total;
	struct tl_losses losses;
	struct tl_steps steps;            /* their times count from its begin */
	struct tl_xtrace_stack_mark mark; /* after all of it */
	bool uncounted;                   /* as in the stack, at the operation */
};

/* Frames of a thread or a coroutine that does not run. */
struct tl_xtrace_parked {
	struct tl_xtrace_frame *frames;
	size_t depth;
	uint32_t handler;
	uint64_t since;           /* the larger, the later */
	uint64_t left;            /* SP when it was left; 0: unknown */
	uint64_t lowest, highest; /* SP of its frames, as far as it is known */
	bool all_known;
};

/* The calling contexts that were entered. */
struct tl_xtrace_contexts {
	struct tl_xtrace_context *list; /* 0: the outside, or the bottom of a local stack */
	size_t count, capacity;
	struct tl_index children; /* by parent and function */
};

/* Calls by call site. */
struct tl_xtrace_call_sites {
	bool wanted; /* else none is kept */
	struct tl_xtrace_call_site *list;
	size_t count, capacity;
	struct tl_index index; /* by caller, address and callee */
};

/* The deltas of a local stack. */
struct tl_xtrace_stack_deltas {
	struct tl_xtrace_stack_delta *list;
	size_t count, capacity;
	size_t open; /* from this one on, values of SP may be pending */
};

/* The stacks of threads and coroutines that do not run. */
struct tl_xtrace_parked_stacks {
	struct tl_xtrace_parked *list;
	size_t count, capacity;
	size_t frames;  /* on all of them */
	uint64_t clock; /* counts up with each that is parked */
};

/*
 * The calls one after the other, in instructions of the stack so far: of a local stack, since the
 * delta before. What is parked ends as cut, and begins again late when it goes on.
 */
struct tl_xtrace_call_log {
	bool wanted; /* else none is kept */
	struct tl_steps steps;
	size_t kept; /* of a local stack: steps in its deltas */
};

/* A call that never ended. */
struct tl_xtrace_unfinished {
	uint32_t node, bin;
};

/*
 * What a stack counts goes to bins, one after the other, several times each. The contexts of which
 * there is something for the present bin are on a list.
 */
struct tl_xtrace_stack_bins {
	bool wanted;
	uint32_t now; /* number of the present one */
	uint32_t *touched;
	size_t touched_count, touched_capacity;
	struct tl_xtrace_unfinished *unfinished;
	size_t unfinished_count, unfinished_capacity;
};

/* SP at the present instruction. Of a local stack; PENDING: counted from where SP was lost. */
struct tl_xtrace_tracked_sp {
	uint64_t value;
	uint8_t state;    /* enum tl_xtrace_sp_state */
	bool guessed;     /* pending, but a snapshot has a value for it */
	uint8_t switched; /* enum tl_xtrace_stack_switch: since the last operation or call */
	uint64_t left;    /* the value before that switch; 0: unknown */
	uint8_t ignored;  /* changes of SP up to this enum tl_xtrace_sp_change_kind do not matter */
};

struct tl_xtrace_call_stack {
	bool local;
	bool no_memory; /* sticky; the results are then worth nothing */
	uint32_t base;  /* of a local stack: the function at the bottom */
	struct tl_xtrace_frame *frames;
	size_t depth, frame_capacity;
	uint32_t handler; /* number of the innermost handler's frame, from 1; 0: none */
	struct tl_xtrace_contexts contexts;
	struct tl_xtrace_call_sites sites;
	struct tl_xtrace_cost unattributed; /* of the innermost function, since the last change */
	struct tl_xtrace_cost total;        /* without `unattributed` */
	struct tl_losses losses;
	struct tl_xtrace_stack_deltas deltas;
	struct tl_xtrace_parked_stacks parked;
	struct tl_xtrace_tracked_sp sp;
	struct tl_xtrace_call_log log;
	bool uncounted; /* calls do not count here */
	struct tl_xtrace_stack_bins bins;
};

/* False without memory. `base`: function at the bottom of a local stack. */
bool tl_xtrace_stack_begin(struct tl_xtrace_call_stack *stack, bool local, bool sites_wanted);
void tl_xtrace_stack_free(struct tl_xtrace_call_stack *stack);

static inline uint32_t tl_xtrace_stack_top(const struct tl_xtrace_call_stack *stack)
{
	return stack->depth ? stack->frames[stack->depth - 1].function : stack->base;
}

void tl_xtrace_stack_call(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_location *to,
			  uint64_t from, uint64_t back);
/* Return from the innermost frame, if that is what this is. */
bool tl_xtrace_stack_return(struct tl_xtrace_call_stack *stack,
			    const struct tl_xtrace_location *to);
/* Do an operation. A local stack that cannot do it leaves a delta. */
void tl_xtrace_stack_apply(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op);
/* SP is lost: pending values stay unknown, and SP is counted from here. */
void tl_xtrace_sp_lost(struct tl_xtrace_call_stack *stack);
/* SP is observed: pending values become known. */
void tl_xtrace_sp_observed(struct tl_xtrace_call_stack *stack, uint64_t sp);
/* SP is about to be set, `moves` from what it is here: to an outer frame, or another stack. */
void tl_xtrace_sp_leave(struct tl_xtrace_call_stack *stack, uint64_t moves);
/* SP from a snapshot, which is used until the address of an access shows the exact value. */
void tl_xtrace_sp_guess(struct tl_xtrace_call_stack *stack, uint64_t sp);

/* No more instructions: open calls are unfinished. */
void tl_xtrace_stack_end(struct tl_xtrace_call_stack *stack);

/*
 * Steps of a local stack become a delta of their own where they are many, so that memory does not
 * grow with a segment: deltas are handed over when it is its turn. Nothing else changes.
 */
void tl_xtrace_stack_shed_steps(struct tl_xtrace_call_stack *stack);
/* What a local stack counted up to here becomes a delta with a mark. */
void tl_xtrace_stack_mark(struct tl_xtrace_call_stack *stack, struct tl_xtrace_stack_mark mark);
/* The rest of a local stack becomes its last delta. */
void tl_xtrace_stack_close_local(struct tl_xtrace_call_stack *stack);
/* Add a delta of a local stack, and do its operation unless it is BEGIN or NONE. */
void tl_xtrace_stack_splice(struct tl_xtrace_call_stack *stack,
			    const struct tl_xtrace_stack_delta *delta);
void tl_xtrace_stack_deltas_free(struct tl_xtrace_stack_delta *deltas, size_t count);

#endif
