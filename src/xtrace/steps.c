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
	const struct xtrace_frame frame = { .function = to->function,
					    .called = true,
					    .el = to->el,
					    .from = from,
					    .back = back,
					    .sp = stack->sp,
					    .sp_state = stack->sp_state };

	tl_xtrace_settle(stack);
	stack->switched = XTRACE_SAME_STACK;
	if (make_room(stack, to))
		tl_xtrace_push(stack, &frame);
}

/* Who called or was interrupted goes on with the SP it had. */
static void regain_sp(struct xtrace_stack *stack, const struct xtrace_frame *frame)
{
	if (stack->local && frame->sp_state == XTRACE_SP_KNOWN &&
	    stack->sp_state != XTRACE_SP_KNOWN)
		tl_xtrace_sp_told(stack, frame->sp);
}

bool tl_xtrace_stack_return(struct xtrace_stack *stack, const struct xtrace_place *to)
{
	const struct xtrace_frame *frame = stack->frames + stack->depth - !!stack->depth;

	if (!stack->depth || frame->handler || !xtrace_same_place(frame->back, to->pc, to->el) ||
	    (frame->sp_state == stack->sp_state && frame->sp != stack->sp))
		return false;
	tl_xtrace_settle(stack);
	stack->switched = XTRACE_SAME_STACK;
	regain_sp(stack, frame);
	tl_xtrace_pop(stack, true);
	/* A call that is the last instruction of its function returns to another one. */
	if (xtrace_stack_top(stack) != to->function)
		tl_xtrace_go_on(stack, &(struct xtrace_step){ .to = *to,
							      .sp = stack->sp,
							      .sp_state = stack->sp_state });
	return true;
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
		tl_xtrace_push_found(stack, step);
		return true;
	}
	frame = stack->frames[stack->depth - 1];
	tl_xtrace_pop(stack, true);
	frame.function = step->to.function;
	frame.called = step->to.entry;
	tl_xtrace_push(stack, &frame);
	return true;
}

bool tl_xtrace_go_on(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	struct xtrace_step jump = *step;

	jump.kind = XTRACE_STEP_JUMP;
	tl_xtrace_stack_step(stack, &jump);
	return true;
}

static bool step_found(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	if (stack->local)
		return false;
	tl_xtrace_abandon(stack);
	tl_xtrace_push_found(stack, step);
	return true;
}

/* Of the innermost frame: SP is what it was when it was entered. */
static bool nothing_left(const struct xtrace_stack *stack, const struct xtrace_step *step)
{
	const struct xtrace_frame *top = stack->frames + stack->depth - !!stack->depth;

	return stack->depth && !top->handler && xtrace_sp_comparable(top, step) &&
	       top->sp == step->sp;
}

/*
 * On a local stack frames that are not known are out of reach, and so is who awaits it elsewhere.
 */
static bool step_return(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	const struct xtrace_frames frames = { stack->frames, stack->depth, 0 };
	size_t at = tl_xtrace_awaits(&frames, step, false);

	if (!at)
		return !stack->local && tl_xtrace_land(stack, step);
	regain_sp(stack, &stack->frames[at - 1]);
	tl_xtrace_pop_to(stack, at - 1);
	return tl_xtrace_go_on(stack, step);
}

/* Into another function: its frame takes the place of this one, unless somebody awaits this. Not so
 * behind a switch of stacks. */
static bool step_branch(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	const struct xtrace_frames frames = { stack->frames, stack->depth, 0 };
	size_t at = step->to.entry ? 0 : tl_xtrace_awaits(&frames, step, false);

	if (at) {
		regain_sp(stack, &stack->frames[at - 1]);
		tl_xtrace_pop_to(stack, at - 1);
		return tl_xtrace_go_on(stack, step);
	}
	if (!step->switched || nothing_left(stack, step))
		return step_jump(stack, step);
	return !stack->local && tl_xtrace_land(stack, step);
}

static bool goes_back(const struct xtrace_frame *frame, const struct xtrace_step *step)
{
	return (xtrace_same_place(frame->back, step->to.pc, step->to.el) ||
		xtrace_same_place(frame->from, step->to.pc, step->to.el)) &&
	       (!xtrace_sp_comparable(frame, step) || frame->sp == step->sp);
}

/* Another place of the function that was interrupted. */
static bool goes_back_near(const struct xtrace_stack *stack, size_t handler,
			   const struct xtrace_step *step)
{
	const struct xtrace_frame *frame = &stack->frames[handler - 1];
	uint32_t below = handler > 1 ? stack->frames[handler - 2].function : stack->base;

	return below == step->to.function &&
	       (!xtrace_sp_comparable(frame, step) || frame->sp == step->sp);
}

static bool leave_handler(struct xtrace_stack *stack, size_t handler,
			  const struct xtrace_step *step)
{
	regain_sp(stack, &stack->frames[handler - 1]);
	tl_xtrace_pop_to(stack, handler - 1);
	return tl_xtrace_go_on(stack, step);
}

/* The handler that ends: the innermost one that interrupted this place; 0: none. Of those at EL0
 * that are below a system call (sigreturn) SP has to say so. */
static size_t ending_handler(const struct xtrace_stack *stack, const struct xtrace_step *step)
{
	enum { NESTED = 16 };
	size_t handler = stack->handler;

	if (handler &&
	    (goes_back(&stack->frames[handler - 1], step) || goes_back_near(stack, handler, step)))
		return handler;
	for (unsigned i = 0; handler && i < NESTED; i++) {
		handler = stack->frames[handler - 1].outer_handler;
		if (handler && xtrace_sp_comparable(&stack->frames[handler - 1], step) &&
		    goes_back(&stack->frames[handler - 1], step))
			return handler;
	}
	return 0;
}

/* The handler's frame gives its place to another handler of what it interrupted. */
static bool next_handler(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	struct xtrace_frame frame = stack->frames[stack->handler - 1];

	tl_xtrace_pop_to(stack, stack->handler - 1);
	frame.function = step->to.function;
	frame.called = true;
	frame.el = step->to.el;
	tl_xtrace_push(stack, &frame);
	return true;
}

/* The kernel goes back to a program's signal handler: what it interrupted waits below. */
static bool begins_signal(const struct xtrace_stack *stack, const struct xtrace_step *step)
{
	const struct xtrace_frame *frame = stack->frames + stack->handler - !!stack->handler;

	return stack->handler && !step->to.el && step->to.entry &&
	       xtrace_sp_comparable(frame, step) && step->sp < frame->sp;
}

static size_t with_handler(const struct xtrace_aside *aside, const struct xtrace_step *step)
{
	return aside->handler && goes_back(&aside->frames[aside->handler - 1], step)
		       ? aside->handler
		       : 0;
}

/* A thread that began in the kernel, as the trace has seen, goes down for the first time. */
static bool is_new_thread(const struct xtrace_stack *stack)
{
	return !stack->handler && stack->depth && !stack->frames[0].found &&
	       stack->frames[0].back == TL_NOWHERE;
}

static bool step_exception_return(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	const struct xtrace_wanted wanted = { with_handler, UINT64_MAX, stack->handler != 0 };
	size_t handler = ending_handler(stack, step), at;

	if (handler)
		return leave_handler(stack, handler, step);
	if (stack->local)
		return false;
	if (begins_signal(stack, step))
		return next_handler(stack, step);
	if (is_new_thread(stack)) {
		tl_xtrace_pop_to(stack, 0);
		return step_found(stack, step);
	}
	/* Without a handler the frames were found above EL0, and are left now. */
	if (tl_xtrace_take_up(stack, step, &wanted, &at)) {
		tl_xtrace_pop_to(stack, at);
		return tl_xtrace_go_on(stack, step);
	}
	stack->losses.gaps += stack->depth != 0;
	if (stack->handler)
		tl_xtrace_set_aside(stack, 0);
	return step_found(stack, step);
}

/* A signal's handler has ended: what it interrupted goes on, or where the handler has said. */
static bool step_signal_return(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	const struct xtrace_frame *frame = stack->frames + stack->handler - !!stack->handler;

	if (stack->handler && goes_back(frame, step))
		return leave_handler(stack, stack->handler, step);
	if (stack->local)
		return false;
	if (stack->handler && !frame->el && step->to.entry)
		return next_handler(stack, step);
	if (stack->handler && !frame->el)
		tl_xtrace_pop_to(stack, stack->handler - 1);
	return tl_xtrace_land(stack, step);
}

/* To another exception level an exception; to EL0 from there also the end of one: a signal's
 * handler returns so. */
static bool step_exception(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	const struct xtrace_frame made = {
		.function = step->to.function,
		.called = true,
		.handler = true,
		.el = step->to.el,
		.from = step->from,
		.back = step->back,
		.sp = step->sp_before,
		.sp_state = step->sp_before_state,
	};
	size_t handler = step->to.el ? 0 : stack->handler;

	if (!step->to.el && !handler && stack->local)
		return false;
	if (handler && goes_back(&stack->frames[handler - 1], step))
		return leave_handler(stack, handler, step);
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
	[XTRACE_STEP_BRANCH] = step_branch,
	[XTRACE_STEP_EXCEPTION] = step_exception,
	[XTRACE_STEP_EXCEPTION_RETURN] = step_exception_return,
	[XTRACE_STEP_SIGNAL_RETURN] = step_signal_return,
	[XTRACE_STEP_FOUND] = step_found,
	[XTRACE_STEP_GAP] = step_gap,
};

void tl_xtrace_stack_step(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	tl_xtrace_settle(stack);
	if (step->kind != XTRACE_STEP_BEGIN)
		stack->switched = XTRACE_SAME_STACK;
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
