/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_FRAMES_H
#define TL_XTRACE_FRAMES_H
/* The parts of a call stack, for the files that change it. */
#include "xtrace/profile/call_stack.h"

/*
 * Limits, so that memory and time stay linear in the length of a stream.
 *
 * DEEPEST: frames of a stack; calls that never return would fill the memory. All are abandoned
 * then. SEARCH_FRAMES, SEARCH_FRAMES_SP: frames that a search looks at, without and with a known
 * SP. MOST_PARKED, PARKED_FRAMES: parked stacks, and frames on all of them; the oldest is abandoned
 * for one more. PARKED_DEEPEST: a deeper stack is abandoned instead of parked. SEARCH_PARKED:
 * frames from the top of a parked stack that identify it without a known SP. NEAR_BYTES: the caller
 * of a found frame may have an SP so far above it.
 */
enum {
	TL_XTRACE_DEEPEST = 1 << 18,
	TL_XTRACE_SEARCH_FRAMES = 1024,
	TL_XTRACE_SEARCH_FRAMES_SP = 1 << 16,
	TL_XTRACE_MOST_PARKED = 4096,
	TL_XTRACE_PARKED_FRAMES = 1 << 18,
	TL_XTRACE_PARKED_DEEPEST = 4096,
	TL_XTRACE_SEARCH_PARKED = 64,
	TL_XTRACE_NEAR_BYTES = 1 << 16,
};

/* The context of a function called in another; 0 without memory. */
uint32_t tl_xtrace_context_child(struct tl_xtrace_call_stack *stack, uint32_t parent,
				 uint32_t function);
/* The context has something for the present bin. */
void tl_xtrace_context_touch(struct tl_xtrace_call_stack *stack, uint32_t node);
/* The call of a frame never ends. */
void tl_xtrace_call_unfinished(struct tl_xtrace_call_stack *stack,
			       const struct tl_xtrace_frame *frame);
uint32_t tl_xtrace_top_context(const struct tl_xtrace_call_stack *stack);
/* TL_NONE without memory. */
uint32_t tl_xtrace_call_site_at(struct tl_xtrace_call_stack *stack, uint32_t caller, uint64_t from,
				uint32_t callee);
/* Add the cost since the last change of the stack to the innermost context. To be called before
 * each change. */
void tl_xtrace_attribute_cost(struct tl_xtrace_call_stack *stack);

/* Room for one more frame; NULL without memory. */
struct tl_xtrace_frame *tl_xtrace_frame_new(struct tl_xtrace_call_stack *stack);
void tl_xtrace_frame_push(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_frame *made);
void tl_xtrace_frame_note_handler(struct tl_xtrace_call_stack *stack,
				  struct tl_xtrace_frame *frame);
/* Push a frame without a call. */
void tl_xtrace_frame_push_found(struct tl_xtrace_call_stack *stack,
				const struct tl_xtrace_stack_op *op);
void tl_xtrace_frame_pop(struct tl_xtrace_call_stack *stack, bool finished);
/* Leave the innermost frame, whose end is not in the trace although it has ended. */
void tl_xtrace_frame_drop(struct tl_xtrace_call_stack *stack);
/* Note that calls begin, from the frame at `depth` on, or that the innermost `count` end. */
void tl_xtrace_log_begins(struct tl_xtrace_call_stack *stack, size_t depth, uint8_t flags);
void tl_xtrace_log_ends(struct tl_xtrace_call_stack *stack, size_t count, uint8_t flags);
/* Leave the frames above `depth`, and the one there. */
void tl_xtrace_frame_pop_to(struct tl_xtrace_call_stack *stack, size_t depth);
/* Close all frames; their calls are unfinished. */
void tl_xtrace_frames_abandon(struct tl_xtrace_call_stack *stack);
/* A frame starts, or stops, to collect inclusive cost for its call site. */
void tl_xtrace_call_site_enter(struct tl_xtrace_call_stack *stack, struct tl_xtrace_frame *frame);
void tl_xtrace_call_site_leave(struct tl_xtrace_call_stack *stack,
			       const struct tl_xtrace_frame *frame);

/* Pending values of SP in deltas, from deltas.open on, move by `by` and get that state. */
void tl_xtrace_stack_deltas_resolve(struct tl_xtrace_call_stack *stack, uint64_t by,
				    enum tl_xtrace_sp_state state);

/*
 * A local stack turns its contexts, frames and sites into a delta, with the operation that it
 * cannot do, and begins anew.
 */
void tl_xtrace_leave_delta(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op);

/* Whether SP is known of both, and whether it is the same then. */
static inline bool tl_xtrace_sp_comparable(const struct tl_xtrace_frame *frame,
					   const struct tl_xtrace_stack_op *op)
{
	return frame->sp_state == op->sp_state && op->sp_state != TL_XTRACE_SP_UNKNOWN &&
	       !frame->found;
}

/* Frames of one stack, where they are. */
struct tl_xtrace_frames {
	const struct tl_xtrace_frame *list;
	size_t depth;
	uint64_t left; /* SP when they were left; 0: unknown, or they were not */
};

/*
 * landing.c. Both give a frame by number from 1, or 0.
 *
 * find_return: the frame that returns to the address and SP of the operation; unless `exactly`, and
 * if SP is unknown, the innermost one that returns to the address. find_by_sp: the frame in whose
 * part of the stack SP is; if `same`, only a frame of the function of the operation.
 */
size_t tl_xtrace_find_return(const struct tl_xtrace_frames *frames,
			     const struct tl_xtrace_stack_op *op, bool exactly);
size_t tl_xtrace_find_by_sp(const struct tl_xtrace_frames *frames,
			    const struct tl_xtrace_stack_op *op, bool same);
/* A return or branch that is none of the present frame's. */
bool tl_xtrace_land(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op);
/* The function goes on there, or another one, as if the frame had jumped. True. */
bool tl_xtrace_jump(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op);
bool tl_xtrace_continue_at(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op);

/* Park the frames: they become a parked stack (parked.c). `left`: SP at this point, 0: unknown. */
void tl_xtrace_park(struct tl_xtrace_call_stack *stack, uint64_t left);
/* A stack begins at this SP: a parked one that began there has ended. */
void tl_xtrace_abandon_parked_at(struct tl_xtrace_call_stack *stack, uint64_t sp);
/* The condition that a parked stack has to fulfil. */
struct tl_xtrace_park_match {
	/* The number of its frame that goes on, 0: it does not fit. */
	size_t (*fits)(const struct tl_xtrace_parked *parked, const struct tl_xtrace_stack_op *op);
	uint64_t margin; /* so far outside of the SPs of its frames SP may be */
	bool keep;       /* the present frames are parked, else abandoned */
};
/* Continue on the stack that was parked last among those that fit; *at: the number of its frame,
 * less 1. False: none fits. */
bool tl_xtrace_unpark(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op,
		      const struct tl_xtrace_park_match *wanted, size_t *at);
/* Abandon all parked stacks. */
void tl_xtrace_abandon_parked(struct tl_xtrace_call_stack *stack);
void tl_xtrace_parked_free(struct tl_xtrace_call_stack *stack);

#endif
