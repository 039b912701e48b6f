/* SPDX-License-Identifier: Apache-2.0 */
/* The operations on a call stack, by the rules at the head of call_stack.h. */
#include "xtrace/profile/frames.h"

/* False: the stack is full, and all frames were abandoned. */
static bool make_room(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_location *to)
{
	const struct tl_xtrace_stack_op found = { .kind = TL_XTRACE_OP_FOUND, .to = *to };

	if (stack->depth < TL_XTRACE_DEEPEST)
		return true;
	tl_xtrace_stack_apply(stack, &found);
	return false;
}

void tl_xtrace_stack_call(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_location *to,
			  uint64_t from, uint64_t back)
{
	const struct tl_xtrace_frame frame = { .function = to->function,
					       .called = true,
					       .el = to->el,
					       .from = from,
					       .back = back,
					       .sp = stack->sp.value,
					       .sp_state = stack->sp.state };

	tl_xtrace_attribute_cost(stack);
	stack->sp.switched = TL_XTRACE_SAME_STACK;
	if (make_room(stack, to))
		tl_xtrace_frame_push(stack, &frame);
}

/* The caller, or the interrupted function, goes on with the SP that it had. */
static void regain_sp(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_frame *frame)
{
	if (stack->local && frame->sp_state == TL_XTRACE_SP_KNOWN &&
	    stack->sp.state != TL_XTRACE_SP_KNOWN)
		tl_xtrace_sp_observed(stack, frame->sp);
}

bool tl_xtrace_stack_return(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_location *to)
{
	const struct tl_xtrace_frame *frame = stack->frames + stack->depth - !!stack->depth;

	if (!stack->depth || frame->handler ||
	    !tl_xtrace_same_address(frame->back, to->pc, to->el) ||
	    (frame->sp_state == stack->sp.state && frame->sp != stack->sp.value))
		return false;
	tl_xtrace_attribute_cost(stack);
	stack->sp.switched = TL_XTRACE_SAME_STACK;
	regain_sp(stack, frame);
	tl_xtrace_frame_pop(stack, true);
	/* A call that is the last instruction of its function returns to another one. */
	if (tl_xtrace_stack_top(stack) != to->function)
		tl_xtrace_continue_at(stack,
				      &(struct tl_xtrace_stack_op){ .to = *to,
								    .sp = stack->sp.value,
								    .sp_state = stack->sp.state });
	return true;
}

/* ---- operations; false: a local stack cannot do it ---- */

static bool op_found(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op)
{
	if (stack->local)
		return false;
	tl_xtrace_frames_abandon(stack);
	tl_xtrace_frame_push_found(stack, op);
	return true;
}

/* SP is the value with which the innermost frame was entered. */
static bool nothing_left(const struct tl_xtrace_call_stack *stack,
			 const struct tl_xtrace_stack_op *op)
{
	const struct tl_xtrace_frame *top = stack->frames + stack->depth - !!stack->depth;

	return stack->depth && !top->handler && tl_xtrace_sp_comparable(top, op) &&
	       top->sp == op->sp;
}

/*
 * The frame that is returned to may be one that a local stack does not know, or a parked one.
 */
static bool op_return(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op)
{
	const struct tl_xtrace_frames frames = { stack->frames, stack->depth, 0 };
	size_t at = tl_xtrace_find_return(&frames, op, false);

	if (!at)
		return !stack->local && tl_xtrace_land(stack, op);
	regain_sp(stack, &stack->frames[at - 1]);
	tl_xtrace_frame_pop_to(stack, at - 1);
	return tl_xtrace_continue_at(stack, op);
}

/*
 * Into another function: its frame replaces this one, unless a frame has this return address.
 * Behind a switch of stacks it is a landing.
 */
static bool op_branch(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op)
{
	const struct tl_xtrace_frames frames = { stack->frames, stack->depth, 0 };
	size_t at = op->to.entry ? 0 : tl_xtrace_find_return(&frames, op, false);

	if (at) {
		regain_sp(stack, &stack->frames[at - 1]);
		tl_xtrace_frame_pop_to(stack, at - 1);
		return tl_xtrace_continue_at(stack, op);
	}
	if (!op->switched || nothing_left(stack, op))
		return tl_xtrace_jump(stack, op);
	return !stack->local && tl_xtrace_land(stack, op);
}

static bool goes_back(const struct tl_xtrace_frame *frame, const struct tl_xtrace_stack_op *op)
{
	return (tl_xtrace_same_address(frame->back, op->to.pc, op->to.el) ||
		tl_xtrace_same_address(frame->from, op->to.pc, op->to.el)) &&
	       (!tl_xtrace_sp_comparable(frame, op) || frame->sp == op->sp);
}

/* Goes on elsewhere in the interrupted function. */
static bool goes_back_near(const struct tl_xtrace_call_stack *stack, size_t handler,
			   const struct tl_xtrace_stack_op *op)
{
	const struct tl_xtrace_frame *frame = &stack->frames[handler - 1];
	uint32_t below = handler > 1 ? stack->frames[handler - 2].function : stack->base;

	return below == op->to.function &&
	       (!tl_xtrace_sp_comparable(frame, op) || frame->sp == op->sp);
}

static bool leave_handler(struct tl_xtrace_call_stack *stack, size_t handler,
			  const struct tl_xtrace_stack_op *op)
{
	regain_sp(stack, &stack->frames[handler - 1]);
	tl_xtrace_frame_pop_to(stack, handler - 1);
	return tl_xtrace_continue_at(stack, op);
}

/* The handler that ends: the innermost one that interrupted this place; 0: none. Of those at EL0
 * that are below a system call (sigreturn) SP has to say so. */
static size_t ending_handler(const struct tl_xtrace_call_stack *stack,
			     const struct tl_xtrace_stack_op *op)
{
	enum { NESTED = 16 };
	size_t handler = stack->handler;

	if (handler &&
	    (goes_back(&stack->frames[handler - 1], op) || goes_back_near(stack, handler, op)))
		return handler;
	for (unsigned i = 0; handler && i < NESTED; i++) {
		handler = stack->frames[handler - 1].outer_handler;
		if (handler && tl_xtrace_sp_comparable(&stack->frames[handler - 1], op) &&
		    goes_back(&stack->frames[handler - 1], op))
			return handler;
	}
	return 0;
}

/* The handler's frame gives its place to another handler of what it interrupted. */
static bool next_handler(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op)
{
	struct tl_xtrace_frame frame = stack->frames[stack->handler - 1];

	tl_xtrace_frame_pop_to(stack, stack->handler - 1);
	frame.function = op->to.function;
	frame.called = true;
	frame.el = op->to.el;
	tl_xtrace_frame_push(stack, &frame);
	return true;
}

/* The kernel begins a signal handler of the program; the interrupted frames stay below it. */
static bool begins_signal(const struct tl_xtrace_call_stack *stack,
			  const struct tl_xtrace_stack_op *op)
{
	const struct tl_xtrace_frame *frame = stack->frames + stack->handler - !!stack->handler;

	return stack->handler && !op->to.el && op->to.entry && tl_xtrace_sp_comparable(frame, op) &&
	       op->sp < frame->sp;
}

static size_t with_handler(const struct tl_xtrace_parked *parked,
			   const struct tl_xtrace_stack_op *op)
{
	if (parked->handler && goes_back(&parked->frames[parked->handler - 1], op))
		return parked->handler;
	return 0;
}

/* A thread that began in the kernel, as the trace has seen, goes down for the first time. */
static bool is_new_thread(const struct tl_xtrace_call_stack *stack)
{
	return !stack->handler && stack->depth && !stack->frames[0].found &&
	       stack->frames[0].back == TL_NOWHERE;
}

static bool op_exception_return(struct tl_xtrace_call_stack *stack,
				const struct tl_xtrace_stack_op *op)
{
	const struct tl_xtrace_park_match wanted = { with_handler, UINT64_MAX,
						     stack->handler != 0 };
	size_t handler = ending_handler(stack, op), at;

	if (handler)
		return leave_handler(stack, handler, op);
	if (stack->local)
		return false;
	if (begins_signal(stack, op))
		return next_handler(stack, op);
	if (is_new_thread(stack)) {
		tl_xtrace_frame_pop_to(stack, 0);
		return op_found(stack, op);
	}
	/* Without a handler the frames were found above EL0, and are left now. */
	if (tl_xtrace_unpark(stack, op, &wanted, &at)) {
		tl_xtrace_frame_pop_to(stack, at);
		return tl_xtrace_continue_at(stack, op);
	}
	stack->losses.gaps += stack->depth != 0;
	if (stack->handler)
		tl_xtrace_park(stack, 0);
	return op_found(stack, op);
}

/* A signal's handler has ended: what it interrupted goes on, or where the handler has said. */
static bool op_signal_return(struct tl_xtrace_call_stack *stack,
			     const struct tl_xtrace_stack_op *op)
{
	const struct tl_xtrace_frame *frame = stack->frames + stack->handler - !!stack->handler;

	if (stack->handler && goes_back(frame, op))
		return leave_handler(stack, stack->handler, op);
	if (stack->local)
		return false;
	if (stack->handler && !frame->el && op->to.entry)
		return next_handler(stack, op);
	if (stack->handler && !frame->el)
		tl_xtrace_frame_pop_to(stack, stack->handler - 1);
	return tl_xtrace_land(stack, op);
}

/* To another exception level an exception; to EL0 from there also the end of one: a signal's
 * handler returns so. */
static bool op_exception(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op)
{
	const struct tl_xtrace_frame made = {
		.function = op->to.function,
		.called = true,
		.handler = true,
		.el = op->to.el,
		.from = op->from,
		.back = op->back,
		.sp = op->sp_before,
		.sp_state = op->sp_before_state,
	};
	size_t handler = op->to.el ? 0 : stack->handler;

	if (!op->to.el && !handler && stack->local)
		return false;
	if (handler && goes_back(&stack->frames[handler - 1], op))
		return leave_handler(stack, handler, op);
	if (make_room(stack, &op->to))
		tl_xtrace_frame_push(stack, &made);
	return true;
}

/* "Frames stay open, since a later exit still closes them rightly", if the function has one. */
static bool op_gap(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op)
{
	size_t at = stack->depth;

	if (stack->local)
		return false;
	stack->losses.gaps++;
	while (at && stack->frames[at - 1].function != op->to.function)
		at--;
	if (at) {
		stack->losses.deduced_exits += stack->depth - at;
		while (stack->depth > at)
			tl_xtrace_frame_drop(stack);
		return true;
	}
	return op_found(stack, op);
}

static bool op_begin(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op)
{
	(void)op;
	return !stack->local;
}

typedef bool op_fn(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op);

static op_fn *const ops[] = {
	[TL_XTRACE_OP_BEGIN] = op_begin,
	[TL_XTRACE_OP_RETURN] = op_return,
	[TL_XTRACE_OP_JUMP] = tl_xtrace_jump,
	[TL_XTRACE_OP_BRANCH] = op_branch,
	[TL_XTRACE_OP_EXCEPTION] = op_exception,
	[TL_XTRACE_OP_EXCEPTION_RETURN] = op_exception_return,
	[TL_XTRACE_OP_SIGNAL_RETURN] = op_signal_return,
	[TL_XTRACE_OP_FOUND] = op_found,
	[TL_XTRACE_OP_GAP] = op_gap,
};

void tl_xtrace_stack_apply(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op)
{
	tl_xtrace_attribute_cost(stack);
	if (op->kind != TL_XTRACE_OP_BEGIN)
		stack->sp.switched = TL_XTRACE_SAME_STACK;
	if (ops[op->kind](stack, op))
		return;
	tl_xtrace_leave_delta(stack, op);
}