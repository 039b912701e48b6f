/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of one stack: entered, left, and searched for the address that they return to. */
#include "intel_pt/profile/parked_stacks.h"

bool tl_pt_stack_room(struct tl_pt_stack *stack)
{
	size_t depth = tl_fold_depth(&stack->fold);

	if (depth >= TL_PT_STACK_MAX)
		return false;
	if (depth + 2 <= stack->frames.capacity)
		return true;
	if (tl_grow(&stack->frames.list, &stack->frames.capacity, depth + 2,
		    sizeof(*stack->frames.list)))
		return true;
	stack->fold.no_memory = true;
	return false;
}

static void add_function(struct tl_pt_stack *s)
{
	const uint32_t number = tl_fold_add_function(&s->fold);

	if (number != TL_NONE && s->fold.hot.sums)
		tl_fold_same_function(&s->fold, number, s->functions->list[number].first);
}

bool tl_pt_stack_know(struct tl_pt_stack *s, uint32_t function)
{
	if (function == TL_NONE)
		s->fold.no_memory = true;
	while (!s->fold.no_memory && s->fold.function_count <= function)
		add_function(s);
	return !s->fold.no_memory;
}

void tl_pt_frame_enter(struct tl_pt_stack *s, uint32_t function, struct tl_pt_frame frame)
{
	if (!tl_pt_stack_know(s, function))
		return;
	if (!tl_pt_stack_room(s)) {
		tl_fold_gap(&s->fold);
		return;
	}
	if (frame.flags & TL_PT_FRAME_UNSEEN)
		tl_fold_enter_late(&s->fold, function);
	else
		tl_fold_enter(&s->fold, function);
	if (s->fold.no_memory)
		return;
	*tl_pt_stack_top(s) = frame;
	s->frames.handlers += frame.flags & TL_PT_FRAME_HANDLER;
	if (s->callbacks.opened)
		s->callbacks.opened(s->callbacks.arg, tl_pt_stack_top(s));
}

void tl_pt_frame_close(struct tl_pt_stack *s, const struct tl_pt_frame *top)
{
	if (top->flags & TL_PT_FRAME_UNSEEN)
		tl_fold_cut(&s->fold, false);
	else
		tl_fold_leave(&s->fold, tl_fold_top(&s->fold));
}

void tl_pt_frame_leave(struct tl_pt_stack *s)
{
	struct tl_pt_frame *frame = tl_pt_stack_top(s);

	if (s->callbacks.closing)
		s->callbacks.closing(s->callbacks.arg, frame);
	s->frames.handlers -= frame->flags & TL_PT_FRAME_HANDLER;
	tl_pt_frame_close(s, frame);
}

void tl_pt_frame_leave_to(struct tl_pt_stack *s, size_t depth)
{
	while (tl_fold_depth(&s->fold) > depth) {
		s->fold.losses.deduced_exits += tl_fold_depth(&s->fold) > depth + 1;
		tl_pt_frame_leave(s);
	}
}

size_t tl_pt_frame_waiting(const struct tl_pt_stack *s, uint64_t ip, bool handlers)
{
	size_t depth = tl_fold_depth(&s->fold), searched = 0;

	for (; depth && searched < TL_PT_RETURN_SEARCH; depth--, searched++)
		if (s->frames.list[depth].back == ip &&
		    (s->frames.list[depth].flags & TL_PT_FRAME_HANDLER) >= handlers)
			return depth;
	return 0;
}

uint32_t tl_pt_stack_called(struct tl_pt_stack *s, struct tl_pt_arrival_addr *at)
{
	if (at->called == TL_NONE)
		at->called = at->function;
	if (at->called == TL_NONE)
		at->called = tl_pt_functions_called(s->functions, at->ip);
	return at->called;
}
