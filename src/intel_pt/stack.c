/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/stack.h"

#include <string.h>

bool tl_pt_stack_begin(struct tl_pt_stack *stack, struct tl_pt_functions *functions,
		       uint32_t events, bool exact)
{
	*stack = (struct tl_pt_stack){ .functions = functions };
	if (!tl_fold_begin(&stack->fold, events, exact))
		return false;
	if (!tl_grow(&stack->frames, &stack->frame_capacity, 64, sizeof(*stack->frames))) {
		tl_pt_stack_end(stack);
		return false;
	}
	stack->frames[0] = (struct tl_pt_frame){ .call = TL_NONE };
	return true;
}

void tl_pt_stack_end(struct tl_pt_stack *stack)
{
	tl_fold_free(&stack->fold);
	free(stack->frames);
	stack->frames = NULL;
}

bool tl_pt_stack_room(struct tl_pt_stack *stack)
{
	size_t depth = tl_fold_depth(&stack->fold);

	if (depth >= TL_PT_STACK_MAX)
		return false;
	if (depth + 2 <= stack->frame_capacity)
		return true;
	if (tl_grow(&stack->frames, &stack->frame_capacity, depth + 2, sizeof(*stack->frames)))
		return true;
	stack->fold.no_memory = true;
	return false;
}

/* ---- frames ---- */

bool tl_pt_stack_know(struct tl_pt_stack *s, uint32_t function)
{
	if (function == TL_NONE)
		s->fold.no_memory = true;
	while (!s->fold.no_memory && s->fold.function_count <= function)
		tl_fold_add_function(&s->fold);
	return !s->fold.no_memory;
}

static void enter(struct tl_pt_stack *s, uint32_t function, struct tl_pt_frame frame)
{
	if (!tl_pt_stack_know(s, function))
		return;
	if (!tl_pt_stack_room(s)) {
		tl_fold_gap(&s->fold);
		return;
	}
	tl_fold_enter(&s->fold, function);
	if (s->fold.no_memory)
		return;
	*tl_pt_stack_top(s) = frame;
	s->handlers += frame.handler;
	if (s->opened)
		s->opened(s->arg, tl_pt_stack_top(s));
}

static void leave(struct tl_pt_stack *s)
{
	struct tl_pt_frame *frame = tl_pt_stack_top(s);

	if (s->closing)
		s->closing(s->arg, frame);
	s->handlers -= frame->handler;
	tl_fold_leave(&s->fold, tl_fold_top(&s->fold));
}

/* Close frames until `depth` are left; all but the last of them were skipped. */
static void leave_to(struct tl_pt_stack *s, size_t depth)
{
	while (tl_fold_depth(&s->fold) > depth) {
		s->fold.losses.deduced_exits += tl_fold_depth(&s->fold) > depth + 1;
		leave(s);
	}
}

static void unwind_to(struct tl_pt_stack *s, uint32_t function)
{
	while (tl_fold_top(&s->fold) != function) {
		s->fold.losses.deduced_exits++;
		leave(s);
	}
}

static bool is_open(struct tl_pt_stack *s, uint32_t function)
{
	return tl_pt_stack_know(s, function) && tl_fold_is_open(&s->fold, function);
}

/* The depth of the innermost frame that waits for an address; 0: none of those looked at. */
static size_t waiting(const struct tl_pt_stack *s, uint64_t ip, bool handlers)
{
	size_t depth = tl_fold_depth(&s->fold), looked = 0;

	for (; depth && looked < TL_PT_RETURN_SEARCH; depth--, looked++)
		if (s->frames[depth].back == ip && s->frames[depth].handler >= handlers)
			return depth;
	return 0;
}

static bool by_entry(const struct tl_pt_stack *s, uint32_t function)
{
	return function == TL_NONE || s->functions->list[function].by_entry;
}

/* ---- arrivals ---- */

uint32_t tl_pt_stack_called(struct tl_pt_stack *s, struct tl_pt_at *at)
{
	if (at->called == TL_NONE)
		at->called = at->function != TL_NONE ? at->function
						     : tl_pt_functions_called(s->functions, at->ip);
	return at->called;
}

/* In place of the present frame, and to return where that would have. */
static void tail(struct tl_pt_stack *s, uint32_t function)
{
	struct tl_pt_frame frame = { .call = TL_NONE };

	if (tl_fold_depth(&s->fold)) {
		frame = *tl_pt_stack_top(s);
		leave(s);
	}
	frame.call = TL_NONE;
	enter(s, function, frame);
}

static void jump(struct tl_pt_stack *s, struct tl_pt_at *at)
{
	uint32_t top = tl_fold_top(&s->fold);

	if (at->function == TL_NONE) {
		if (!by_entry(s, top))
			tail(s, tl_pt_stack_called(s, at));
	} else if (at->function == top) {
		return;
	} else if (!at->is_entry && is_open(s, at->function)) {
		unwind_to(s, at->function);
	} else {
		tail(s, at->function);
	}
}

/* A call that was not seen led here. */
static void found(struct tl_pt_stack *s, struct tl_pt_at *at)
{
	uint32_t function = tl_pt_stack_called(s, at), top = tl_fold_top(&s->fold);

	if (function == TL_NONE || top == function)
		return;
	if (is_open(s, function))
		unwind_to(s, function);
	else if (!tl_fold_depth(&s->fold) || !by_entry(s, function) || !by_entry(s, top))
		enter(s, function, (struct tl_pt_frame){ .call = TL_NONE });
}

static void returned(struct tl_pt_stack *s, struct tl_pt_at *at)
{
	size_t depth = waiting(s, at->ip, false);

	if (depth) {
		leave_to(s, depth - 1);
	} else if (tl_pt_stack_top(s)->back) {
		jump(s, at);
	} else {
		leave(s);
		found(s, at);
	}
}

static size_t innermost_handler(const struct tl_pt_stack *s)
{
	size_t depth = tl_fold_depth(&s->fold);

	while (depth && !s->frames[depth].handler)
		depth--;
	return depth;
}

static void enter_handler(struct tl_pt_stack *s, struct tl_pt_at *at, uint64_t back)
{
	enter(s, tl_pt_stack_called(s, at),
	      (struct tl_pt_frame){ .back = back, .call = TL_NONE, .handler = true });
}

/* Not where it was expected: into a handler, back from one, or anywhere. */
static void elsewhere(struct tl_pt_stack *s, struct tl_pt_at *at, uint64_t expected)
{
	size_t handler = s->handlers ? waiting(s, at->ip, true) : 0;

	if (handler) {
		leave_to(s, handler - 1);
		return;
	}
	handler = s->handlers ? innermost_handler(s) : 0;
	if (handler > 1 && at->function != TL_NONE && !at->is_entry &&
	    s->fold.frames[handler - 1].function == at->function)
		leave_to(s, handler - 1);
	else if (expected && (at->is_entry || at->function == TL_NONE))
		enter_handler(s, at, expected);
	else
		jump(s, at);
}

static void far_returned(struct tl_pt_stack *s, struct tl_pt_at *at)
{
	size_t depth = waiting(s, at->ip, false);

	if (depth)
		leave_to(s, depth - 1);
	else
		elsewhere(s, at, 0);
}

void tl_pt_stack_arrive(struct tl_pt_stack *stack, enum tl_pt_arrival how, struct tl_pt_at *at,
			uint64_t back)
{
	struct tl_pt_frame called = { .back = back, .call = TL_NONE };

	if (how == TL_PT_BY_CALL)
		enter(stack, tl_pt_stack_called(stack, at), called);
	else if (how == TL_PT_BY_LOSS || !tl_fold_depth(&stack->fold))
		found(stack, at);
	else if (how == TL_PT_BY_FLOW)
		jump(stack, at);
	else if (how == TL_PT_BY_RETURN)
		returned(stack, at);
	else if (how == TL_PT_BY_FAR_RETURN)
		far_returned(stack, at);
	else if (how == TL_PT_BY_INTERRUPT)
		enter_handler(stack, at, back);
	else if (at->ip != back)
		elsewhere(stack, at, back);
}
