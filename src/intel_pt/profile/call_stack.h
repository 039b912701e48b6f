/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PROFILE_CALL_STACK_H
#define TL_INTEL_PT_PROFILE_CALL_STACK_H
/*
 * Calls and returns of one thread, from the addresses that it executes. The one place that says
 * which transfer is a call:
 *
 *   call            a near call, direct or indirect, but not of the next instruction; a far call
 *                   (SYSCALL, INT) whose handler is in the trace. The frame keeps the address
 *                   behind it: its return address.
 *   return          closes the innermost frame with that return address, and those above it: they
 *                   were left by other means. Without such a frame: a frame whose call was not seen
 *                   (the trace began inside) is closed, and its caller entered; else the return is
 *                   a jump (push and ret, retpoline).
 *   jump            inside a function: no change. To the entry of another one: a tail call, which
 *                   replaces the frame and keeps its return address. Into the middle of a function
 *                   on the stack: back to its innermost frame. Into the middle of any other: that
 *                   replaces the frame, but no call is counted. From code with a symbol into code
 *                   without: a tail call; inside code without symbols: no change.
 *   off and on      tracing goes on at the address expected: no change (system calls and interrupts
 *                   in a user-only trace). At another one: the return from a handler, if a frame of
 *                   a handler has that return address, or if the function below it is the one; else
 *                   a handler is entered (signals), if the address is the entry of a function or
 *                   has no symbol; else a jump.
 *   interrupt       an asynchronous branch enters a handler, which returns to the address that was
 *                   interrupted; after an aborted transaction it is a jump.
 *   switch          code that set the stack pointer (stack_moves.h) returns or jumps: to a frame of
 *                   this stack (longjmp, exceptions) or of a parked one (coroutines); if no frame
 *                   has that return address, a new stack begins. Stacks are told apart by their
 *                   return addresses (stack_switch.c). No call is counted, except of a function
 *                   whose entry the new stack begins at. Time on one stack is not part of the
 *                   others' calls. A call begins a stack, too, but not in a kernel, where handlers
 *                   have stacks of their own.
 *   loss            frames stay open. Where the trace goes on in the innermost function: no change;
 *                   in a function on the stack: back to it; in any other: it is entered by a call
 *                   that was not seen.
 *
 * A jump to a frame further out closes the frames above it. If the code set the stack pointer, they
 * are parked, as they may go on; if they never do, they are closed in the end, as of the time of
 * the jump.
 *
 * A frame deeper than TL_PT_STACK_MAX is not kept; its call counts as a gap.
 */
#include "intel_pt/profile/functions.h"
#include "profile/fold/fold.h"

enum { TL_PT_STACK_MAX = 1 << 20, TL_PT_RETURN_SEARCH = 4096 };

/* How an address is arrived at. */
enum tl_pt_arrival {
	TL_PT_BY_FLOW, /* from the instruction before it, or by a jump */
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
	TL_PT_FRAME_UNSEEN = 2,  /* no call to it was seen */
	TL_PT_FRAME_MOVED = 4,   /* its code has set the stack pointer */
	TL_PT_FRAME_FIRST = 8,   /* the first one of a stack that a call began */
};

/* What a call stack knows of a frame, beside the fold's frame of the same depth. */
struct tl_pt_frame {
	uint64_t back; /* return address, 0: unknown */
	uint32_t call; /* number of the call for the callbacks, TL_NONE: none */
	uint8_t flags; /* enum tl_pt_frame_flag */
};

/*
 * A return point: the address behind a call, in the frame of this depth, of a function that returns
 * twice.
 */
struct tl_pt_return_twice {
	uint64_t ip;
	size_t depth;
};

/* An address that is arrived at, and its function. */
struct tl_pt_arrival_addr {
	uint64_t ip;
	uint32_t function; /* TL_NONE: no symbol */
	uint32_t called; /* the function if the address was called, TL_NONE: not searched for yet */
	bool is_entry;
};

/* The return points of a stack, in the order of depth. */
struct tl_pt_return_points {
	struct tl_pt_return_twice *list;
	size_t count, capacity;
};

/* The frames of one stack, and all that changes with them when another stack runs. */
struct tl_pt_frames {
	struct tl_pt_frame *list; /* [0] is the outside */
	size_t capacity;
	size_t handlers; /* frames with TL_PT_FRAME_HANDLER */
	struct tl_pt_return_points points;
	uint32_t id;
	uint32_t resumer; /* id of the stack that was parked when this one went on */
};

/* The stacks of the thread that do not run (parked_stacks.c). */
struct tl_pt_parked_list {
	struct tl_pt_parked_stack *list;
	size_t count, capacity;
	uint32_t last_id;
	uint64_t switches;
	bool parking; /* while `closing` is called for frames of a stack that is parked */
};

/* The last switch of stacks, and how often the guess would have been right (stack_switch.c). */
struct tl_pt_last_switch {
	size_t depth, gone; /* of the stack chosen: frames that stayed open, and that were closed */
	/* how often the resumer was the right choice, less how often it was not; within +-8 */
	int resumer_score;
};

/* Functions of the owner of a stack. */
struct tl_pt_stack_callbacks {
	/*
	 * Called before a frame is closed, and after one was opened; the frames of a stack that is
	 * parked are closed, and reopened when it goes on. NULL: not called.
	 */
	void (*closing)(void *arg, struct tl_pt_frame *frame);
	void (*opened)(void *arg, struct tl_pt_frame *frame);
	void (*reopened)(void *arg, struct tl_pt_frame *frame);
	/*
	 * The targets of the returns that come next in the trace, without those of calls that come
	 * before them. Returns how many are known, at most `most`. NULL: none.
	 */
	size_t (*ahead)(void *arg, uint64_t *backs, size_t most);
	/* Whether the instruction before an address is a call; NULL: not known. */
	bool (*behind_call)(void *arg, uint64_t ip);
	void *arg;
};

struct tl_pt_stack {
	struct tl_fold fold;
	struct tl_pt_functions *functions;
	struct tl_pt_frames frames; /* of the stack that runs */
	struct tl_pt_parked_list parked;
	struct tl_pt_last_switch last_switch;
	struct tl_pt_stack_callbacks callbacks;
};

/* `events`: costs beside the fold's clock. False: no memory. */
bool tl_pt_stack_begin(struct tl_pt_stack *stack, struct tl_pt_functions *functions,
		       uint32_t events, bool exact);
void tl_pt_stack_end(struct tl_pt_stack *stack);
/* The trace is over: frames open on any stack are unfinished calls. */
void tl_pt_stack_finish(struct tl_pt_stack *stack);
/* Free the parked stacks; tl_pt_stack_end() does so, too. */
void tl_pt_parked_free(struct tl_pt_stack *stack);

/*
 * The thread arrives at an address. `back`: for calls, the return address; for enabling and
 * interrupts, the address expected or interrupted, 0: unknown. Uses stack->fold.hot.
 */
void tl_pt_stack_arrive(struct tl_pt_stack *stack, enum tl_pt_arrival how,
			struct tl_pt_arrival_addr *at, uint64_t back);

/*
 * The thread is where its last call led, and nothing was executed there meanwhile: if that is
 * another function by now, as code was written over, it is the one that was called.
 */
void tl_pt_stack_rename(struct tl_pt_stack *stack, const struct tl_pt_arrival_addr *at);

/* The function that a call of this address enters. */
uint32_t tl_pt_stack_called(struct tl_pt_stack *stack, struct tl_pt_arrival_addr *at);

/*
 * Add a function to the fold; needed before it is entered by tl_fold_hot_enter(). False: no memory,
 * or it is TL_NONE.
 */
bool tl_pt_stack_know(struct tl_pt_stack *stack, uint32_t function);

/* The rare part of entering: make room for one more frame. False: no memory, or too deep. */
bool tl_pt_stack_room(struct tl_pt_stack *stack);

static inline struct tl_pt_frame *tl_pt_stack_top(const struct tl_pt_stack *stack)
{
	return &stack->frames.list[tl_fold_depth(&stack->fold)];
}

#endif
