/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PROFILE_PARKED_STACKS_H
#define TL_INTEL_PT_PROFILE_PARKED_STACKS_H
/* The inside of struct tl_pt_stack: frames, and the stacks of the thread that do not run. */
#include "intel_pt/profile/call_stack.h"

enum {
	TL_PT_PARKED_MAX = 1024,  /* to park one more, the stack that was parked first is ended */
	TL_PT_RETURNS_AHEAD = 64, /* returns to come that stacks are compared by */
};

/* A stack that does not run. */
struct tl_pt_parked_stack {
	struct tl_fold_stack fold;
	struct tl_pt_frames frames;
	uint64_t since; /* number of the switch that parked it */
	uint32_t gate;  /* of the fold when it was parked: the window was open or closed then */
	bool left;      /* its frames were jumped out of: perhaps they never go on */
};

/* frames.c */
void tl_pt_frame_enter(struct tl_pt_stack *stack, uint32_t function, struct tl_pt_frame frame);
void tl_pt_frame_leave(struct tl_pt_stack *stack);
/* Close the innermost frame of the fold; callbacks are not called. */
void tl_pt_frame_close(struct tl_pt_stack *stack, const struct tl_pt_frame *top);
/* Close frames until `depth` are left; all of them but the last count as deduced exits. */
void tl_pt_frame_leave_to(struct tl_pt_stack *stack, size_t depth);
/*
 * The depth of the innermost frame that returns to an address; `handlers`: only frames of handlers.
 * 0: none of the TL_PT_RETURN_SEARCH innermost ones.
 */
size_t tl_pt_frame_waiting(const struct tl_pt_stack *stack, uint64_t ip, bool handlers);

/* parked_stacks.c: park the stack that runs, and begin another one. False: no memory. */
bool tl_pt_parked_begin(struct tl_pt_stack *stack);
/* Park the stack that runs; the parked stack of this number goes on. */
void tl_pt_parked_resume(struct tl_pt_stack *stack, size_t number);
/* The stack that runs is over: its resumer goes on. */
void tl_pt_parked_go_back(struct tl_pt_stack *stack);
/* Park the frames above `depth` as a stack of their own: they were jumped out of. */
void tl_pt_parked_split(struct tl_pt_stack *stack, size_t depth);
/*
 * The frames that run belong below frame `depth` of a parked stack, and the frames there belong
 * here: exchange them; the parked stack goes on.
 */
void tl_pt_parked_exchange(struct tl_pt_stack *stack, size_t number, size_t depth);
/* The innermost frame calls a function that returns twice, to `ip`. */
void tl_pt_parked_point(struct tl_pt_stack *stack, uint64_t ip);
/* The depth of the innermost frame, up to `depth`, with a return point at `ip`; 0: none. */
size_t tl_pt_parked_point_depth(const struct tl_pt_return_points *points, size_t depth,
				uint64_t ip);

/* stack_switch.c: code that set the stack pointer returns, or jumps, to an address. */
void tl_pt_stack_switch(struct tl_pt_stack *stack, struct tl_pt_arrival_addr *at);
/*
 * A return to an address that no frame of the present stack waits for. If a frame of a parked stack
 * does, an earlier switch chose the wrong one of two stacks: correct that, and return. False: none
 * does.
 */
bool tl_pt_stack_mistaken(struct tl_pt_stack *stack, uint64_t ip, bool handlers);

#endif
