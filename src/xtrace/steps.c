/* SPDX-License-Identifier: Apache-2.0 */
/* What instructions do to the stack; the head of stack.h says it in words. */
#include "xtrace/frames.h"

/* Nothing may be pushed any more: all is abandoned. */
static bool make_room(struct xtrace_stack *stack, const struct xtrace_place *to)
{
	const struct xtrace_step found = { .kind = XTRACE_STEP_FOUND, .to = *to };

	if (stack->depth < XTRACE_DEEPEST)
		return true;
	tl_xtrace_stack_step(stack, &found);
	return false;
}

void tl_xtrace_stack_call(struct xtrace_stack *stack, const struct xtrace_place *to, uint64_t from,
			  uint64_t back)
{
	const struct xtrace_frame frame = {
		.function = to->function, .called = true, .from = from, .back = back
	};

	tl_xtrace_settle(stack);
	if (make_room(stack, to))
		tl_xtrace_push(stack, &frame);
}

/* ---- steps; false: a local stack does not know ---- */

static bool step_jump(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	struct xtrace_frame frame;

	if (xtrace_stack_top(stack) == step->to.function && (stack->depth || stack->local))
		return true;
	if (!stack->depth && stack->local)
		return false;
	if (!stack->depth) {
		tl_xtrace_push_found(stack, &step->to);
		return true;
	}
	frame = stack->frames[stack->depth - 1];
	tl_xtrace_pop(stack, true);
	frame.function = step->to.function;
	frame.called = step->to.entry;
	tl_xtrace_push(stack, &frame);
	return true;
}

/* The function goes on there, or another one, as if the frame had jumped. */
static bool go_on(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	tl_xtrace_stack_step(stack,
			     &(struct xtrace_step){ .kind = XTRACE_STEP_JUMP, .to = step->to });
	return true;
}

static bool step_found(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	if (stack->local)
		return false;
	tl_xtrace_abandon(stack);
	tl_xtrace_push_found(stack, &step->to);
	return true;
}

/* A return above EL0 that no frame awaits: to another thread's frame, or into one that is not
 * known. */
static bool return_elsewhere(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	size_t at;

	if (tl_xtrace_take_up_return(stack, &step->to, &at)) {
		tl_xtrace_pop_to(stack, at);
		return go_on(stack, step);
	}
	if (stack->depth <= 1 && (!stack->depth || !stack->frames[0].called))
		return go_on(stack, step);
	stack->losses.gaps++;
	tl_xtrace_set_aside(stack);
	tl_xtrace_push_found(stack, &step->to);
	return true;
}

/* Frames below a handler are out of reach; on a local stack so are those that are not known. */
static bool step_return(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	size_t at = stack->depth, last = at > XTRACE_REACH ? at - XTRACE_REACH : 0;

	while (at > last && !stack->frames[at - 1].handler &&
	       !xtrace_same_place(stack->frames[at - 1].back, step->to.pc, step->to.el))
		at--;
	if (at > last && !stack->frames[at - 1].handler) {
		tl_xtrace_pop_to(stack, at - 1);
		/* A call that is the last instruction of its function returns to another one. */
		return go_on(stack, step);
	}
	if (stack->local && (!at || step->to.el))
		return false;
	return step->to.el ? return_elsewhere(stack, step) : go_on(stack, step);
}

static bool goes_back(const struct xtrace_stack *stack, size_t handler,
		      const struct xtrace_place *to)
{
	const struct xtrace_frame *frame = &stack->frames[handler - 1];
	uint32_t below = handler > 1 ? stack->frames[handler - 2].function : stack->base;

	return xtrace_same_place(frame->back, to->pc, to->el) ||
	       xtrace_same_place(frame->from, to->pc, to->el) || below == to->function;
}

static bool step_exception_return(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	size_t handler = stack->handler, at;

	if (handler && goes_back(stack, handler, &step->to)) {
		tl_xtrace_pop_to(stack, handler - 1);
		return go_on(stack, step);
	}
	if (stack->local)
		return false;
	/* Without a handler the frames were found above EL0, and are left now. */
	if (tl_xtrace_take_up_handler(stack, &step->to, handler != 0, &at)) {
		tl_xtrace_pop_to(stack, at);
		return go_on(stack, step);
	}
	stack->losses.gaps += stack->depth != 0;
	if (handler)
		tl_xtrace_set_aside(stack);
	return step_found(stack, step);
}

/* To another exception level an exception; to EL0 from there also the end of one: a signal's
 * handler returns so. */
static bool step_exception(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	const struct xtrace_frame made = {
		.function = step->to.function,
		.called = true,
		.handler = true,
		.from = step->from,
		.back = step->back,
	};
	size_t handler = step->to.el ? 0 : stack->handler;

	if (!step->to.el && !handler && stack->local)
		return false;
	if (handler && (stack->frames[handler - 1].back == step->to.pc ||
			stack->frames[handler - 1].from == step->to.pc)) {
		tl_xtrace_pop_to(stack, handler - 1);
		return go_on(stack, step);
	}
	if (make_room(stack, &step->to))
		tl_xtrace_push(stack, &made);
	return true;
}

/* "Frames stay open, since a later exit still closes them rightly", if the function has one. */
static bool step_gap(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	size_t at = stack->depth;

	if (stack->local)
		return false;
	stack->losses.gaps++;
	while (at && stack->frames[at - 1].function != step->to.function)
		at--;
	if (at) {
		stack->losses.deduced_exits += stack->depth - at;
		while (stack->depth > at)
			tl_xtrace_pop(stack, true);
		return true;
	}
	return step_found(stack, step);
}

static bool step_begin(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	(void)step;
	return !stack->local;
}

typedef bool step_fn(struct xtrace_stack *stack, const struct xtrace_step *step);

static step_fn *const steps[] = {
	[XTRACE_STEP_BEGIN] = step_begin,
	[XTRACE_STEP_RETURN] = step_return,
	[XTRACE_STEP_JUMP] = step_jump,
	[XTRACE_STEP_EXCEPTION] = step_exception,
	[XTRACE_STEP_EXCEPTION_RETURN] = step_exception_return,
	[XTRACE_STEP_FOUND] = step_found,
	[XTRACE_STEP_GAP] = step_gap,
};

void tl_xtrace_stack_step(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	tl_xtrace_settle(stack);
	if (steps[step->kind](stack, step))
		return;
	tl_xtrace_leave_span(stack, step);
	stack->base = step->to.function;
}

void tl_xtrace_stack_end(struct xtrace_stack *stack)
{
	tl_xtrace_settle(stack);
	tl_xtrace_abandon(stack);
	tl_xtrace_abandon_aside(stack);
}
