/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_FRAMES_H
#define TL_XTRACE_FRAMES_H
/* The stack's insides: what steps, spans and stacks set aside are made of. */
#include "xtrace/stack.h"

/*
 * Limits, so that no stream takes memory without end, or time that is more than linear. DEEPEST:
 * calls that never return would fill the memory, all frames are abandoned then. REACH: so many
 * frames are looked at, fewer where SP does not say which.
 * ASIDE: deeper stacks are not set aside but abandoned; of more stacks, or more frames on them, the
 * one that was set aside first is. SWITCHED: so far from the top is what the frames of a thread are
 * known again by where SP is not known. NEAR: so far above a frame that was found its caller's may
 * be.
 */
enum {
	XTRACE_DEEPEST = 1 << 18,
	XTRACE_REACH = 1024,
	XTRACE_REACH_SP = 1 << 16,
	XTRACE_ASIDE = 4096,
	XTRACE_ASIDE_FRAMES = 1 << 18,
	XTRACE_ASIDE_DEEPEST = 4096,
	XTRACE_SWITCHED = 64,
	XTRACE_NEAR = 1 << 16,
};

/* The context of a function called in another; 0 without memory. */
uint32_t tl_xtrace_child_of(struct xtrace_stack *stack, uint32_t parent, uint32_t function);
uint32_t tl_xtrace_top_node(const struct xtrace_stack *stack);
/* TL_NONE without memory. */
uint32_t tl_xtrace_site_of(struct xtrace_stack *stack, uint32_t caller, uint64_t from,
			   uint32_t callee);
/* What ran since the last change of the stack is the cost of its top: to be said before any change.
 */
void tl_xtrace_settle(struct xtrace_stack *stack);

/* Room for one more frame; NULL without memory. */
struct xtrace_frame *tl_xtrace_new_frame(struct xtrace_stack *stack);
void tl_xtrace_push(struct xtrace_stack *stack, const struct xtrace_frame *made);
void tl_xtrace_note_handler(struct xtrace_stack *stack, struct xtrace_frame *frame);
/* A frame that nobody called. */
void tl_xtrace_push_found(struct xtrace_stack *stack, const struct xtrace_step *step);
void tl_xtrace_pop(struct xtrace_stack *stack, bool finished);
/* Leave the frames above `depth`, and the one there. */
void tl_xtrace_pop_to(struct xtrace_stack *stack, size_t depth);
/* Nothing is left open; what was is unfinished. */
void tl_xtrace_abandon(struct xtrace_stack *stack);
/* A frame begins, or ends, to count for its site. */
void tl_xtrace_enter_site(struct xtrace_stack *stack, struct xtrace_frame *frame);
void tl_xtrace_leave_site(struct xtrace_stack *stack, const struct xtrace_frame *frame);

/* Steps and frames of spans that pend, from open_span on: moved, and in that state. */
void tl_xtrace_spans_settle(struct xtrace_stack *stack, uint64_t by, enum xtrace_sp_state state);

/* A local stack leaves what it has, and a step it cannot do. */
void tl_xtrace_leave_span(struct xtrace_stack *stack, const struct xtrace_step *step);

/* Whether SP is known of both, and whether it is the same then. */
static inline bool xtrace_sp_comparable(const struct xtrace_frame *frame,
					const struct xtrace_step *step)
{
	return frame->sp_state == step->sp_state && step->sp_state != XTRACE_SP_UNKNOWN &&
	       !frame->found;
}

/* Frames of one stack, where they are. */
struct xtrace_frames {
	const struct xtrace_frame *list;
	size_t depth;
	uint64_t left; /* SP when they were left; 0: unknown, or they were not */
};

/*
 * landing.c. Each gives a frame, counted from 1, or 0. Who awaits a step: the frame that returns to
 * that place, with that SP; without `exactly` and SP the innermost one that returns there. Who
 * holds it: the frame in whose part of the stack SP is, whose function it is if `same`.
 */
size_t tl_xtrace_awaits(const struct xtrace_frames *frames, const struct xtrace_step *step,
			bool exactly);
size_t tl_xtrace_holds(const struct xtrace_frames *frames, const struct xtrace_step *step,
		       bool same);
/* A return or branch that is none of the present frame's. */
bool tl_xtrace_land(struct xtrace_stack *stack, const struct xtrace_step *step);
/* The function goes on there, or another one, as if the frame had jumped. True. */
bool tl_xtrace_go_on(struct xtrace_stack *stack, const struct xtrace_step *step);

/* Set the frames aside (aside.c). */
void tl_xtrace_set_aside(struct xtrace_stack *stack, uint64_t left);
/* A stack begins at this SP: one that is aside and began there is over. */
void tl_xtrace_forget_aside(struct xtrace_stack *stack, uint64_t sp);
/* Which stack is wanted of those aside. */
struct xtrace_wanted {
	/* The number of its frame that goes on, 0: it does not fit. */
	size_t (*fits)(const struct xtrace_aside *aside, const struct xtrace_step *step);
	uint64_t margin; /* so far outside of the SPs of its frames SP may be */
	bool keep;       /* the present frames are set aside, else abandoned */
};
/* Take up the frames that were set aside last of those that fit; *at: the frame's number less 1.
 * False: none. */
bool tl_xtrace_take_up(struct xtrace_stack *stack, const struct xtrace_step *step,
		       const struct xtrace_wanted *wanted, size_t *at);
/* All that is aside is abandoned. */
void tl_xtrace_abandon_aside(struct xtrace_stack *stack);
void tl_xtrace_free_aside(struct xtrace_stack *stack);

#endif
