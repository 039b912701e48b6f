/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_FRAMES_H
#define TL_XTRACE_FRAMES_H
/* The stack's insides: what steps, spans and stacks set aside are made of. */
#include "xtrace/stack.h"

/*
 * Limits, so that no stream takes memory without end, or time that is more than linear. DEEPEST: calls that never return
 * would fill the memory, all frames are abandoned then. REACH: returns skip at most so many frames. ASIDE: deeper stacks
 * are not set aside but abandoned. SWITCHED: so far from the top is what the frames of a thread are known again by.
 */
enum {
	XTRACE_DEEPEST = 1 << 18,
	XTRACE_REACH = 1024,
	XTRACE_ASIDE_DEEPEST = 1024,
	XTRACE_SWITCHED = 64,
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
void tl_xtrace_push_found(struct xtrace_stack *stack, const struct xtrace_place *to);
void tl_xtrace_pop(struct xtrace_stack *stack, bool finished);
/* Leave the frames above `depth`, and the one there. */
void tl_xtrace_pop_to(struct xtrace_stack *stack, size_t depth);
/* Nothing is left open; what was is unfinished. */
void tl_xtrace_abandon(struct xtrace_stack *stack);
/* A frame begins, or ends, to count for its site. */
void tl_xtrace_enter_site(struct xtrace_stack *stack, struct xtrace_frame *frame);
void tl_xtrace_leave_site(struct xtrace_stack *stack, const struct xtrace_frame *frame);

/* A local stack leaves what it has, and a step it cannot do. */
void tl_xtrace_leave_span(struct xtrace_stack *stack, const struct xtrace_step *step);

/* Set the frames aside (aside.c). */
void tl_xtrace_set_aside(struct xtrace_stack *stack);
/*
 * Take up the frames that were set aside last of those with this return address in reach, or whose
 * handler interrupted, or would go on at, this place; the others are set aside if `keep`, else
 * abandoned. *at is the frame's number. False: none.
 */
bool tl_xtrace_take_up_return(struct xtrace_stack *stack, const struct xtrace_place *to,
			      size_t *at);
bool tl_xtrace_take_up_handler(struct xtrace_stack *stack, const struct xtrace_place *to, bool keep,
			       size_t *at);
/* All that is aside is abandoned. */
void tl_xtrace_abandon_aside(struct xtrace_stack *stack);
void tl_xtrace_free_aside(struct xtrace_stack *stack);

#endif
