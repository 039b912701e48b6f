/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PROFILE_PARKED_STACKS_H
#define TL_INTEL_PT_PROFILE_PARKED_STACKS_H
/* The inside of struct tl_pt_stack: frames, and the stacks of the thread that do not run. */
#include "intel_pt/profile/call_stack.h"

enum {
	TL_PT_PARKED_MAX = 1024,  /* for one more, the one that was put aside first ends */
	TL_PT_RETURNS_AHEAD = 64, /* returns that a choice is judged by */
};

/* A stack that does not run. */
struct tl_pt_parked_stack {
	struct tl_fold_stack fold;
	struct tl_pt_frame *frames;
	size_t frame_capacity, handlers;
	struct tl_pt_return_twice *points;
	size_t point_count, point_capacity;
	uint64_t since; /* the larger, the later it was put aside */
	uint32_t id, resumer;
	bool left; /* frames that were jumped out of: perhaps nobody comes back */
};

/* stack.c */
void tl_pt_frame_enter(struct tl_pt_stack *stack, uint32_t function, struct tl_pt_frame frame);
void tl_pt_frame_leave(struct tl_pt_stack *stack);
/* The innermost frame, for the fold alone. */
void tl_pt_frame_close(struct tl_pt_stack *stack, const struct tl_pt_frame *top);
/* Close frames until `depth` are left; all but the last of them were skipped. */
void tl_pt_frame_leave_to(struct tl_pt_stack *stack, size_t depth);
/* The depth of the innermost frame that waits for an address; 0: none of those looked at. */
size_t tl_pt_frame_waiting(const struct tl_pt_stack *stack, uint64_t ip, bool handlers);

/* stacks.c: put the stack that runs aside, and begin another one. */
bool tl_pt_parked_begin(struct tl_pt_stack *stack);
/* Another one runs instead. */
void tl_pt_parked_resume(struct tl_pt_stack *stack, size_t aside);
/* The stack that runs is over: who put itself aside for it goes on. */
void tl_pt_parked_go_back(struct tl_pt_stack *stack);
/* Frames above `depth` are put aside: they were jumped out of. */
void tl_pt_parked_split(struct tl_pt_stack *stack, size_t depth);
/* The frames that run were those of a stack aside below its frame `depth`, and the other way round.
 */
void tl_pt_parked_exchange(struct tl_pt_stack *stack, size_t aside, size_t depth);
/* A call that returns twice is made from the innermost frame. */
void tl_pt_parked_point(struct tl_pt_stack *stack, uint64_t ip);
/* The depth of the innermost frame that called so; 0: none. */
size_t tl_pt_parked_point_depth(const struct tl_pt_return_twice *points, size_t count, size_t depth,
				uint64_t ip);

/* switches.c: code that set the stack pointer returns, or jumps, to a place. */
void tl_pt_stack_switch(struct tl_pt_stack *stack, struct tl_pt_arrival_addr *at);
/* A return to where no frame waits: the frames below were another stack's. False: of none. */
bool tl_pt_stack_mistaken(struct tl_pt_stack *stack, uint64_t ip, bool handlers);

#endif
