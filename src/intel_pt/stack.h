/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_STACK_H
#define TL_INTEL_PT_STACK_H
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
 *                   of a function that is on the stack: back to its innermost frame (longjmp,
 *                   exceptions). Into the middle of any other: as a tail call. From code with a
 *                   symbol into code without: as a tail call; between two places without: nothing.
 *   off and on      tracing that goes on where it was expected to: nothing (system calls and
 *                   interrupts in a user-only trace). Elsewhere: the return from a handler, when a
 *                   frame of one waits for that address, or the function below it is the one; else
 *                   a handler was entered (signals), if it is the entry of a function or code
 *                   without symbols; else a jump.
 *   interrupt       an asynchronous branch enters a handler, which waits for the address
 *                   interrupted; after an aborted transaction it is a jump.
 *   loss            frames stay open. Where the trace goes on: in the innermost function: nothing;
 *                   in one on the stack: back to it; elsewhere: entered, by a call that was not
 *                   seen.
 *
 * A frame deeper than TL_PT_STACK_MAX is not kept; its call counts as a gap.
 */
#include "intel_pt/functions.h"
#include "profile/fold.h"

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
};

/* What a frame of the fold waits for: the one of the same depth. */
struct tl_pt_frame {
	uint64_t back; /* address it returns to, 0: unknown */
	uint32_t call; /* the caller's number for the call, TL_NONE: none */
	bool handler;  /* of a signal or an interrupt */
};

/* A place that is come to, and what is known of it. */
struct tl_pt_at {
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
	/* Called before a frame is closed, and after one was opened; NULL: nobody asks. */
	void (*closing)(void *arg, struct tl_pt_frame *frame);
	void (*opened)(void *arg, struct tl_pt_frame *frame);
	void *arg;
};

/* `events`: beside that of the fold's clock. False without memory. */
bool tl_pt_stack_begin(struct tl_pt_stack *stack, struct tl_pt_functions *functions, uint32_t events, bool exact);
void tl_pt_stack_end(struct tl_pt_stack *stack);

/*
 * The thread is there now. `back`: of calls, the address after; of enabling and interrupts, the address expected or
 * interrupted, 0: unknown. Uses stack->fold.hot.
 */
void tl_pt_stack_arrive(struct tl_pt_stack *stack, enum tl_pt_arrival how, struct tl_pt_at *at, uint64_t back);

/* The function a place has when it is called. */
uint32_t tl_pt_stack_called(struct tl_pt_stack *stack, struct tl_pt_at *at);

/* Whoever enters a function by himself makes it known first. False: no memory, or TL_NONE. */
bool tl_pt_stack_know(struct tl_pt_stack *stack, uint32_t function);

/* The rare half of entering: room for one more frame. False: no memory, or too deep. */
bool tl_pt_stack_room(struct tl_pt_stack *stack);

static inline struct tl_pt_frame *tl_pt_stack_top(const struct tl_pt_stack *stack)
{
	return &stack->frames[tl_fold_depth(&stack->fold)];
}

#endif
