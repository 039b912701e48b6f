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

/* ---- the calls one after the other ---- */

static void put_step(struct tl_xtrace_call_stack *stack, uint32_t function, bool end, uint8_t flags)
{
	tl_steps_put(&stack->log.steps,
		     (struct tl_step){ .ticks = (uint64_t)stack->total.n[TL_XTRACE_IR],
				       .function = function,
				       .end = end,
				       .flags = flags });
	stack->no_memory |= stack->log.steps.no_memory;
}

void tl_xtrace_log_begins(struct tl_xtrace_call_stack *stack, size_t depth, uint8_t flags)
{
	for (size_t i = depth; stack->log.wanted && i < stack->depth; i++)
		put_step(stack, stack->frames[i].function, false, flags);
}

void tl_xtrace_log_ends(struct tl_xtrace_call_stack *stack, size_t count, uint8_t flags)
{
	for (size_t i = 0; stack->log.wanted && i < count; i++)
		put_step(stack, 0, true, flags);
}

/* ---- frames ---- */

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
	frame->bin = stack->bins.now;
	frame->counted = frame->called && !stack->uncounted;
	stack->contexts.list[node].calls += frame->counted;
	tl_xtrace_context_touch(stack, node);
	tl_xtrace_log_begins(stack, stack->depth - 1, frame->called ? 0 : TL_CALL_LATE);
	if (site == TL_NONE)
		return;
	stack->sites.list[site].calls += frame->counted;
	tl_xtrace_call_site_enter(stack, frame);
}

static void pop(struct tl_xtrace_call_stack *stack, bool finished, uint8_t flags)
{
	const struct tl_xtrace_frame *frame = &stack->frames[--stack->depth];

	tl_xtrace_log_ends(stack, 1, flags);
	if (frame->handler)
		stack->handler = frame->outer_handler;
	if (!finished)
		tl_xtrace_call_unfinished(stack, frame);
	if (frame->site != TL_NONE)
		tl_xtrace_call_site_leave(stack, frame);
}

void tl_xtrace_frame_pop(struct tl_xtrace_call_stack *stack, bool finished)
{
	pop(stack, finished, finished ? 0 : TL_CALL_CUT);
}

void tl_xtrace_frame_drop(struct tl_xtrace_call_stack *stack)
{
	pop(stack, true, TL_CALL_CUT);
}

/* Leave the frames above `depth`, and the one there. */
void tl_xtrace_frame_pop_to(struct tl_xtrace_call_stack *stack, size_t depth)
{
	stack->losses.deduced_exits += stack->depth - depth - 1;
	while (stack->depth > depth + 1)
		tl_xtrace_frame_drop(stack);
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
