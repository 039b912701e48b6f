/* SPDX-License-Identifier: Apache-2.0 */
/* A jump into another function, and going on in another function behind a return or a switch. */
#include "xtrace/profile/frames.h"

bool tl_xtrace_jump(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op)
{
	struct tl_xtrace_frame frame;

	if (tl_xtrace_stack_top(stack) == op->to.function && (stack->depth || stack->local))
		return true;
	if (!stack->depth && stack->local)
		return false;
	if (!stack->depth) {
		tl_xtrace_frame_push_found(stack, op);
		return true;
	}
	frame = stack->frames[stack->depth - 1];
	tl_xtrace_frame_pop(stack, true);
	frame.function = op->to.function;
	frame.called = op->to.entry;
	tl_xtrace_frame_push(stack, &frame);
	return true;
}

bool tl_xtrace_continue_at(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op)
{
	struct tl_xtrace_stack_op jump = *op;

	jump.kind = TL_XTRACE_OP_JUMP;
	stack->sp.switched = TL_XTRACE_SAME_STACK;
	if (!tl_xtrace_jump(stack, &jump))
		tl_xtrace_leave_delta(stack, &jump);
	return true;
}
