/* SPDX-License-Identifier: Apache-2.0 */
/* The frames of a call stack. */
#include "xtrace/profile/frames.h"

struct tl_xtrace_frame *tl_xtrace_frame_new(struct tl_xtrace_call_stack *stack)
{
	if (!tl_grow(&stack->frames, &stack->frame_capacity, stack->depth + 1,
		     sizeof(*stack->frames))) {
		stack->no_memory = true;
		return NULL;
	}
	return &stack->frames[stack->depth++];
}

/* The frame on top, if it is a handler's. */
void tl_xtrace_frame_note_handler(struct tl_xtrace_call_stack *stack, struct tl_xtrace_frame *frame)
{
	if (!frame->handler)
		return;
	frame->outer_handler = stack->handler;
	stack->handler = (uint32_t)stack->depth;
}

void tl_xtrace_frame_push(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_frame *made)
{
	uint32_t caller = tl_xtrace_stack_top(stack), parent = tl_xtrace_top_context(stack);
	uint32_t node = tl_xtrace_context_child(stack, parent, made->function), site = TL_NONE;
	struct tl_xtrace_frame *frame;

	if (made->called && stack->sites.wanted && made->from != TL_NOWHERE &&
	    (parent || stack->local))
		site = tl_xtrace_call_site_at(stack, caller, made->from, made->function);
	frame = tl_xtrace_frame_new(stack);
	if (!frame)
		return;
	*frame = *made;
	tl_xtrace_frame_note_handler(stack, frame);
	frame->node = node;
	frame->site = site;
	frame->start = stack->total;
	stack->contexts.list[node].calls += frame->called;
	if (site == TL_NONE)
		return;
	stack->sites.list[site].calls++;
	tl_xtrace_call_site_enter(stack, frame);
}

void tl_xtrace_frame_pop(struct tl_xtrace_call_stack *stack, bool finished)
{
	const struct tl_xtrace_frame *frame = &stack->frames[--stack->depth];

	if (frame->handler)
		stack->handler = frame->outer_handler;
	if (frame->called && !finished) {
		stack->contexts.list[frame->node].unfinished++;
		stack->losses.unfinished++;
	}
	if (frame->site != TL_NONE)
		tl_xtrace_call_site_leave(stack, frame);
}

/* Leave the frames above `depth`, and the one there. */
void tl_xtrace_frame_pop_to(struct tl_xtrace_call_stack *stack, size_t depth)
{
	stack->losses.deduced_exits += stack->depth - depth - 1;
	while (stack->depth > depth)
		tl_xtrace_frame_pop(stack, true);
}

void tl_xtrace_frames_abandon(struct tl_xtrace_call_stack *stack)
{
	while (stack->depth)
		tl_xtrace_frame_pop(stack, false);
}

/* A frame that nobody called. */
void tl_xtrace_frame_push_found(struct tl_xtrace_call_stack *stack,
				const struct tl_xtrace_stack_op *op)
{
	tl_xtrace_frame_push(stack, &(struct tl_xtrace_frame){ .function = op->to.function,
							       .found = true,
							       .el = op->to.el,
							       .from = TL_NOWHERE,
							       .back = TL_NOWHERE,
							       .sp = op->sp,
							       .sp_state = op->sp_state });
}
