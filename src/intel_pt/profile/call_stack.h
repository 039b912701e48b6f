/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PROFILE_CALL_STACK_H
#define TL_INTEL_PT_PROFILE_CALL_STACK_H
/*
 * Calls and returns of one thread out of the addresses it came by. The one place that says what is
 * a call:
 *
 *   call            a near call, direct or not, but not of the next instruction; a far call
 *                   (SYSCALL, INT) whose handler is in the trace. The frame remembers the address
 *                   after it.
 *   return          closes the innermost frame that waits for the address returned to, and those
 *                   above it: they were left by other means. When there is none: a frame whose call
 *                   was not seen (the trace began inside) is closed, and its caller entered; else
 *                   the return is a jump (push and ret, retpoline).
 *   jump            inside a function: nothing. To the entry of another one: a tail call, which
 *                   takes the place of the frame and returns where that would have. Into the middle
 *                   of a function that is on the stack: back to its innermost frame. Into the
 *                   middle of any other: that takes the place of the frame, but was not called.
 *                   From code with a symbol into code without: as a tail call; between two places
 *                   without: nothing.
 *   off and on      tracing that goes on where it was expected to: nothing (system calls and
 *                   interrupts in a user-only trace). Elsewhere: the return from a handler, when a
 *                   frame of one waits for that address, or the function below it is the one; else
 *                   a handler was entered (signals), if it is the entry of a function or code
 *                   without symbols; else a jump.
 *   interrupt       an asynchronous branch enters a handler, which waits for the address
 *                   interrupted; after an aborted transaction it is a jump.
 *   switch          code that set the stack pointer (moves.h) returns or jumps: to a frame of this
 *                   stack (longjmp, exceptions), of another one that was put aside (coroutines),
 *                   or, if nobody waits there, a stack of its own begins. Stacks are known by the
 *                   addresses that they return to (switches.c). No call is counted, but of a
 *                   function that begins there. What runs on a stack is no time of the others. A
 *                   call begins a stack, too, but in a kernel, where handlers have one of their
 *                   own.
 *   loss            frames stay open. Where the trace goes on: in the innermost function: nothing;
 *                   in one on the stack: back to it; elsewhere: entered, by a call that was not
 *                   seen.
 *
 * Frames above one that was jumped to are closed then, unless it was code that set the stack
 * pointer:
 * then they are put aside, since perhaps they are gone on with, and are closed as of that time in
 * the end.
 *
 * A frame deeper than TL_PT_STACK_MAX is not kept; its call counts as a gap.
 */
#include "intel_pt/profile/functions.h"
#include "profile/fold/fold.h"

enum { TL_PT_STACK_MAX = 1 << 20, TL_PT_RETURN_SEARCH = 4096 };

/* How a place is come to. */
enum tl_pt_arrival {
	TL_PT_BY_FLOW, /* the instruction before, or a jump */
	TL_PT_BY_CALL,
	TL_PT_BY_RETURN,
	TL_PT_BY_FAR_RETURN,
	TL_PT_BY_ENABLE,
	TL_PT_BY_INTERRUPT,
	TL_PT_BY_LOSS,
	TL_PT_BY_SWITCH, /* the stack pointer was set, then a return or an indirect jump */
	TL_PT_BY_MOVE,   /* as BY_FLOW, and the stack pointer was set */
	TL_PT_BY_START,  /* as BY_CALL, and the stack pointer was set */
};

enum tl_pt_frame_flag {
	TL_PT_FRAME_HANDLER = 1, /* of a signal or an interrupt */
	TL_PT_FRAME_UNSEEN = 2,  /* no call led to it */
	TL_PT_FRAME_MOVED = 4,   /* its code has set the stack pointer */
	TL_PT_FRAME_FIRST = 8,   /* of a stack that began by a call */
};

/* What a frame of the fold waits for: the one of the same depth. */
struct tl_pt_frame {
	uint64_t back; /* address it returns to, 0: unknown */
	uint32_t call; /* the caller's number for the call, TL_NONE: none */
	uint8_t flags; /* enum tl_pt_frame_flag */
};

/* A place that the frame of this depth may be come back to: behind a call that returns twice. */
struct tl_pt_return_twice {
	uint64_t ip;
	size_t depth;
};

/* A place that is come to, and what is known of it. */
struct tl_pt_arrival_addr {
	uint64_t ip;
	uint32_t function; /* TL_NONE: no symbol */
	uint32_t called;   /* the function if it is called here, TL_NONE: not looked for yet */
	bool is_entry;
};

struct tl_pt_stack {
	struct tl_fold fold;
	struct tl_pt_functions *functions;
	struct tl_pt_frame *frames; /* [0] is the outside */
	size_t frame_capacity;
	size_t handlers; /* frames that are one */
	struct tl_pt_return_twice *points;
	size_t point_count, point_capacity;
	/* The other stacks of the thread (stacks.c), and what is known of the one that runs. */
	struct tl_pt_parked_stack *parked;
	size_t parked_count, parked_capacity;
	uint32_t id, resumer, last_id; /* resumer: who put itself aside for it */
	uint64_t switches;
	/* at the last switch: frames of the stack chosen, and those closed */
	size_t resumed_depth, resumed_gone;
	int resumers; /* how much better resumers were for a guess than who waits longest */
	/* Called before a frame is closed, and after one was opened; those of a stack that is put
	 * aside are closed, and reopened. NULL: nobody asks. */
	void (*closing)(void *arg, struct tl_pt_frame *frame);
	void (*opened)(void *arg, struct tl_pt_frame *frame);
	void (*reopened)(void *arg, struct tl_pt_frame *frame);
	/*
	 * Where the next returns lead to that are not of calls made from here on: how many are
	 * known.
	 */
	size_t (*ahead)(void *arg, uint64_t *backs, size_t most);
	/* Whether an address is behind a call; NULL: not known. */
	bool (*behind_call)(void *arg, uint64_t ip);
	void *arg;
};

/* `events`: beside that of the fold's clock. False without memory. */
bool tl_pt_stack_begin(struct tl_pt_stack *stack, struct tl_pt_functions *functions,
		       uint32_t events, bool exact);
void tl_pt_stack_end(struct tl_pt_stack *stack);
/* The trace is over: what is open on any stack is unfinished. */
void tl_pt_stack_finish(struct tl_pt_stack *stack);
/* The stacks that do not run; tl_pt_stack_end() does it, too. */
void tl_pt_parked_free(struct tl_pt_stack *stack);

/*
 * The thread is there now. `back`: of calls, the address after; of enabling and interrupts, the
 * address expected or interrupted, 0: unknown. Uses stack->fold.hot.
 */
void tl_pt_stack_arrive(struct tl_pt_stack *stack, enum tl_pt_arrival how,
			struct tl_pt_arrival_addr *at, uint64_t back);

/* The function a place has when it is called. */
uint32_t tl_pt_stack_called(struct tl_pt_stack *stack, struct tl_pt_arrival_addr *at);

/* Whoever enters a function by himself makes it known first. False: no memory, or TL_NONE. */
bool tl_pt_stack_know(struct tl_pt_stack *stack, uint32_t function);

/* The rare half of entering: room for one more frame. False: no memory, or too deep. */
bool tl_pt_stack_room(struct tl_pt_stack *stack);

static inline struct tl_pt_frame *tl_pt_stack_top(const struct tl_pt_stack *stack)
{
	return &stack->frames[tl_fold_depth(&stack->fold)];
}

#endif
