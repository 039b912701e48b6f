/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/profile/parked_stacks.h"

#include <string.h>

bool tl_pt_stack_begin(struct tl_pt_stack *stack, struct tl_pt_functions *functions,
		       uint32_t events, bool exact)
{
	*stack = (struct tl_pt_stack){ .functions = functions };
	if (!tl_fold_begin(&stack->fold, events, exact))
		return false;
	if (!tl_grow(&stack->frames.list, &stack->frames.capacity, 64,
		     sizeof(*stack->frames.list))) {
		tl_pt_stack_end(stack);
		return false;
	}
	stack->frames.list[0] = (struct tl_pt_frame){ .call = TL_NONE };
	return true;
}

void tl_pt_stack_end(struct tl_pt_stack *stack)
{
	tl_pt_parked_free(stack);
	tl_fold_free(&stack->fold);
	free(stack->frames.list);
	stack->frames.list = NULL;
}

/* ---- frames ---- */

static void unwind_to(struct tl_pt_stack *s, uint32_t function)
{
	while (tl_fold_top(&s->fold) != function) {
		s->fold.losses.deduced_exits++;
		tl_pt_frame_leave(s);
	}
}

static bool is_open(struct tl_pt_stack *s, uint32_t function)
{
	return tl_pt_stack_know(s, function) && tl_fold_is_open(&s->fold, function);
}

static bool by_entry(const struct tl_pt_stack *s, uint32_t function)
{
	return function == TL_NONE || s->functions->list[function].by_entry;
}

/* ---- arrivals ---- */

/* A call of a function that returns twice (known by name) notes the return point. */
static void note_point(struct tl_pt_stack *s, uint32_t function, uint64_t back)
{
	if (function != TL_NONE && s->functions->list[function].twice)
		tl_pt_parked_point(s, back);
}

/* Replace the innermost frame, keeping its return address; `seen`: by a call that counts. */
static void tail(struct tl_pt_stack *s, uint32_t function, bool seen)
{
	struct tl_pt_frame frame = { .call = TL_NONE };

	if (tl_fold_depth(&s->fold)) {
		frame = *tl_pt_stack_top(s);
		tl_pt_frame_leave(s);
		note_point(s, function, frame.back);
	}
	frame.call = TL_NONE;
	frame.flags &= TL_PT_FRAME_HANDLER | TL_PT_FRAME_MOVED | TL_PT_FRAME_FIRST;
	frame.flags |= seen ? 0 : TL_PT_FRAME_UNSEEN;
	tl_pt_frame_enter(s, function, frame);
}

static void jump(struct tl_pt_stack *s, struct tl_pt_arrival_addr *at)
{
	uint32_t top = tl_fold_top(&s->fold);

	if (at->function == TL_NONE) {
		if (!by_entry(s, top))
			tail(s, tl_pt_stack_called(s, at), true);
	} else if (at->function == top) {
		return;
	} else if (!at->is_entry && is_open(s, at->function)) {
		unwind_to(s, at->function);
	} else {
		tail(s, at->function, at->is_entry);
	}
}

/* Enter the function of an address to which an unseen call led, unless it is on the stack. */
static void found(struct tl_pt_stack *s, struct tl_pt_arrival_addr *at)
{
	uint32_t function = tl_pt_stack_called(s, at), top = tl_fold_top(&s->fold);

	if (function == TL_NONE || top == function)
		return;
	if (is_open(s, function))
		unwind_to(s, function);
	else if (!tl_fold_depth(&s->fold) || !by_entry(s, function) || !by_entry(s, top))
		tl_pt_frame_enter(s, function, (struct tl_pt_frame){ .call = TL_NONE });
}

static void returned(struct tl_pt_stack *s, struct tl_pt_arrival_addr *at)
{
	size_t depth;

	if (tl_pt_stack_top(s)->flags & TL_PT_FRAME_MOVED) {
		tl_pt_stack_switch(s, at);
		return;
	}
	if (tl_pt_stack_top(s)->flags & TL_PT_FRAME_FIRST && tl_pt_stack_top(s)->back == at->ip) {
		tl_pt_frame_leave_to(s, 0);
		tl_pt_parked_go_back(s);
		return;
	}
	if (tl_pt_stack_top(s)->back != at->ip && tl_pt_stack_mistaken(s, at->ip, false))
		return;
	depth = tl_pt_frame_waiting(s, at->ip, false);
	if (depth) {
		tl_pt_frame_leave_to(s, depth - 1);
	} else if (tl_pt_stack_top(s)->back) {
		jump(s, at);
	} else {
		tl_pt_frame_leave(s);
		found(s, at);
	}
}

static size_t innermost_handler(const struct tl_pt_stack *s)
{
	size_t depth = tl_fold_depth(&s->fold);

	while (depth && !(s->frames.list[depth].flags & TL_PT_FRAME_HANDLER))
		depth--;
	return depth;
}

static void enter_handler(struct tl_pt_stack *s, struct tl_pt_arrival_addr *at, uint64_t back)
{
	struct tl_pt_frame frame = { .back = back, .call = TL_NONE, .flags = TL_PT_FRAME_HANDLER };

	tl_pt_frame_enter(s, tl_pt_stack_called(s, at), frame);
}

/*
 * Tracing goes on at another address than expected: entry of a handler, return from one, or a jump.
 */
static void elsewhere(struct tl_pt_stack *s, struct tl_pt_arrival_addr *at, uint64_t expected)
{
	size_t handler = s->frames.handlers ? tl_pt_frame_waiting(s, at->ip, true) : 0;

	if (handler) {
		tl_pt_frame_leave_to(s, handler - 1);
		return;
	}
	if (!at->is_entry && tl_pt_stack_mistaken(s, at->ip, true))
		return;
	handler = s->frames.handlers ? innermost_handler(s) : 0;
	if (handler > 1 && at->function != TL_NONE && !at->is_entry &&
	    s->fold.frames[handler - 1].function == at->function)
		tl_pt_frame_leave_to(s, handler - 1);
	else if (expected && (at->is_entry || at->function == TL_NONE))
		enter_handler(s, at, expected);
	else
		jump(s, at);
}

static void far_returned(struct tl_pt_stack *s, struct tl_pt_arrival_addr *at)
{
	size_t depth = tl_pt_frame_waiting(s, at->ip, false);

	if (depth)
		tl_pt_frame_leave_to(s, depth - 1);
	else
		elsewhere(s, at, 0);
}

static void called(struct tl_pt_stack *s, struct tl_pt_arrival_addr *at, uint64_t back,
		   unsigned flags)
{
	uint32_t function = tl_pt_stack_called(s, at);
	struct tl_pt_frame frame = { .back = back, .call = TL_NONE, .flags = (uint8_t)flags };

	note_point(s, function, back);
	tl_pt_frame_enter(s, function, frame);
}

/* A call that begins a stack of its own. */
static void started(struct tl_pt_stack *s, struct tl_pt_arrival_addr *at, uint64_t back)
{
	if (tl_fold_depth(&s->fold) && tl_pt_parked_begin(s))
		called(s, at, back, TL_PT_FRAME_FIRST);
	else
		called(s, at, back, 0);
}

void tl_pt_stack_arrive(struct tl_pt_stack *stack, enum tl_pt_arrival how,
			struct tl_pt_arrival_addr *at, uint64_t back)
{
	if (how == TL_PT_BY_MOVE) {
		tl_pt_stack_top(stack)->flags |= TL_PT_FRAME_MOVED;
		how = TL_PT_BY_FLOW;
	}
	if (how == TL_PT_BY_CALL)
		called(stack, at, back, 0);
	else if (how == TL_PT_BY_START)
		started(stack, at, back);
	else if (how == TL_PT_BY_LOSS || !tl_fold_depth(&stack->fold))
		found(stack, at);
	else if (how == TL_PT_BY_FLOW)
		jump(stack, at);
	else if (how == TL_PT_BY_RETURN)
		returned(stack, at);
	else if (how == TL_PT_BY_SWITCH)
		tl_pt_stack_switch(stack, at);
	else if (how == TL_PT_BY_FAR_RETURN)
		far_returned(stack, at);
	else if (how == TL_PT_BY_INTERRUPT)
		enter_handler(stack, at, back);
	else if (at->ip != back)
		elsewhere(stack, at, back);
}

void tl_pt_stack_rename(struct tl_pt_stack *s, const struct tl_pt_arrival_addr *at)
{
	struct tl_pt_frame frame;

	if (!tl_fold_depth(&s->fold) || !at->is_entry || at->function == TL_NONE ||
	    at->function == tl_fold_top(&s->fold))
		return;
	frame = *tl_pt_stack_top(s);
	/* As if its call had not been seen, it is not counted. */
	tl_pt_stack_top(s)->flags |= TL_PT_FRAME_UNSEEN;
	s->fold.hot.top->gate = TL_FOLD_NO_ENTRY;
	tl_pt_frame_leave(s);
	frame.call = TL_NONE;
	tl_pt_frame_enter(s, at->function, frame);
}
