/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Landings: returns and indirect branches to a frame other than the innermost, by longjmp, C++
 * exceptions or a switch of stacks. The head of call_stack.h has the order of the search.
 */
#include "core/arithmetic.h"
#include "xtrace/profile/frames.h"

/* Above this frame another exception level begins, whose SP is another. */
static bool is_border(const struct tl_xtrace_frames *frames, size_t at,
		      const struct tl_xtrace_stack_op *op)
{
	return frames->list[at - 1].handler && at > 1 && frames->list[at - 2].el != op->to.el;
}

size_t tl_xtrace_find_return(const struct tl_xtrace_frames *frames,
			     const struct tl_xtrace_stack_op *op, bool exactly)
{
	bool known = op->sp_state == TL_XTRACE_SP_KNOWN, interrupted = false;
	size_t reach = known ? TL_XTRACE_SEARCH_FRAMES_SP : TL_XTRACE_SEARCH_FRAMES, found = 0;
	size_t last = tl_excess(frames->depth, reach);

	for (size_t at = frames->depth; at > last; at--) {
		const struct tl_xtrace_frame *frame = &frames->list[at - 1];

		if (frame->handler) {
			interrupted = true;
			if (!known || is_border(frames, at, op))
				break;
		} else if (tl_xtrace_same_address(frame->back, op->to.pc, op->to.el)) {
			if (!tl_xtrace_sp_comparable(frame, op)) {
				if (!found && !interrupted && !exactly)
					found = at;
			} else if (frame->sp == op->sp) {
				return at;
			}
		}
	}
	return found;
}

/* Whether SP is in frame `at`'s part of the stack, as far as its ends are known. */
static bool is_in(const struct tl_xtrace_frames *frames, size_t at,
		  const struct tl_xtrace_stack_op *op)
{
	const struct tl_xtrace_frame *frame = &frames->list[at - 1], *above = frame + 1;
	bool upper = frame->sp_state == TL_XTRACE_SP_KNOWN && !frame->handler && !frame->found;
	bool lower = at < frames->depth && above->sp_state == TL_XTRACE_SP_KNOWN &&
		     above->el == frame->el;

	if (at == frames->depth)
		return frames->left && op->sp == frames->left;
	/* One that keeps nothing on the stack calls with the SP it was called with. */
	if (upper && lower && frame->sp == above->sp)
		return op->sp == frame->sp;
	if ((upper && op->sp >= frame->sp) || (lower && op->sp < above->sp))
		return false;
	return lower && (upper || op->sp - above->sp < TL_XTRACE_NEAR_BYTES);
}

size_t tl_xtrace_find_by_sp(const struct tl_xtrace_frames *frames,
			    const struct tl_xtrace_stack_op *op, bool same)
{
	for (size_t at = frames->depth; at; at--) {
		const struct tl_xtrace_frame *frame = &frames->list[at - 1];

		if (frame->el != op->to.el)
			break;
		if ((!same || frame->function == op->to.function) && is_in(frames, at, op))
			return at;
	}
	return 0;
}

/* ---- parked stacks ---- */

static size_t awaits_parked(const struct tl_xtrace_parked *parked,
			    const struct tl_xtrace_stack_op *op)
{
	const struct tl_xtrace_frames frames = { parked->frames, parked->depth, parked->left };

	return tl_xtrace_find_return(&frames, op, true);
}

static size_t holds_parked(const struct tl_xtrace_parked *parked,
			   const struct tl_xtrace_stack_op *op)
{
	const struct tl_xtrace_frames frames = { parked->frames, parked->depth, parked->left };

	return tl_xtrace_find_by_sp(&frames, op, true);
}

/* SP does not decide: a frame near the top with that return address. */
static size_t returns_parked(const struct tl_xtrace_parked *parked,
			     const struct tl_xtrace_stack_op *op)
{
	size_t last = parked->depth > TL_XTRACE_SEARCH_PARKED
			      ? parked->depth - TL_XTRACE_SEARCH_PARKED
			      : 0;

	for (size_t i = parked->depth; i > last && !parked->frames[i - 1].handler; i--)
		if (tl_xtrace_same_address(parked->frames[i - 1].back, op->to.pc, op->to.el) &&
		    !tl_xtrace_sp_comparable(&parked->frames[i - 1], op))
			return i;
	return 0;
}

static const struct tl_xtrace_park_match awaiting = { .fits = awaits_parked, .keep = true };
static const struct tl_xtrace_park_match holding = { holds_parked, 16 * TL_XTRACE_NEAR_BYTES,
						     true };
static const struct tl_xtrace_park_match returning = { returns_parked, UINT64_MAX, true };

/* ---- the frame that goes on ---- */

/* Frame `at` goes on; the frames above it are left. */
static bool land_in(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op,
		    size_t at)
{
	stack->losses.deduced_exits += stack->depth - at;
	while (stack->depth > at)
		tl_xtrace_frame_pop(stack, true);
	return tl_xtrace_continue_at(stack, op);
}

/* A stack that was not seen before. */
static bool begin_stack(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op)
{
	struct tl_xtrace_frame root = { .function = op->to.function,
					.called = true,
					.el = op->to.el,
					.from = TL_NOWHERE,
					.back = TL_NOWHERE,
					.sp = op->sp,
					.sp_state = op->sp_state };

	stack->losses.gaps += !op->to.entry;
	tl_xtrace_park(stack, op->left);
	if (!op->to.entry) {
		tl_xtrace_frame_push_found(stack, op);
		return true;
	}
	tl_xtrace_abandon_parked_at(stack, op->sp);
	tl_xtrace_frame_push(stack, &root);
	return true;
}

/* Whether SP is on this stack, in the unknown part above the frame found at its bottom. */
static bool is_above(const struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op)
{
	const struct tl_xtrace_frame *bottom = stack->frames, *top = bottom + stack->depth - 1;

	if (!bottom->found || bottom->el || op->to.el)
		return false;
	if (bottom->sp_state != TL_XTRACE_SP_KNOWN)
		return true;
	return op->sp - bottom->sp + TL_XTRACE_NEAR_BYTES < 2 * TL_XTRACE_NEAR_BYTES &&
	       (top->found || top->sp_state != TL_XTRACE_SP_KNOWN || op->sp >= top->sp);
}

/* SP is known, but in the part of no frame. */
static bool land_elsewhere(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op)
{
	const struct tl_xtrace_frame *top = stack->frames + stack->depth - !!stack->depth;

	if (!stack->depth)
		return tl_xtrace_continue_at(stack, op);
	/* A handler returns to code that ends it. */
	if (top->handler && !top->el && op->kind == TL_XTRACE_OP_RETURN)
		return tl_xtrace_continue_at(stack, op);
	if (op->to.entry || !is_above(stack, op))
		return begin_stack(stack, op);
	/* In a caller of the frame that was found first. */
	return land_in(stack, op, 1);
}

static bool land_known(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op)
{
	const struct tl_xtrace_frames frames = { stack->frames, stack->depth, 0 };
	size_t at;

	if (tl_xtrace_unpark(stack, op, &awaiting, &at)) {
		tl_xtrace_frame_pop_to(stack, at);
		return tl_xtrace_continue_at(stack, op);
	}
	/* The first instruction of a function is no landing inside a frame. */
	if (op->to.entry)
		return land_elsewhere(stack, op);
	at = tl_xtrace_find_by_sp(&frames, op, true);
	if (at)
		return land_in(stack, op, at);
	if (tl_xtrace_unpark(stack, op, &holding, &at))
		return land_in(stack, op, at + 1);
	/* Another part of it: the compiler puts code that is rarely run elsewhere. */
	at = tl_xtrace_find_by_sp(&frames, op, false);
	return at ? land_in(stack, op, at) : land_elsewhere(stack, op);
}

/* Without SP: the innermost frame of the function. */
static bool land_by_function(struct tl_xtrace_call_stack *stack,
			     const struct tl_xtrace_stack_op *op)
{
	size_t at = stack->depth, last = tl_excess(at, TL_XTRACE_SEARCH_FRAMES);

	while (at > last && stack->frames[at - 1].el == op->to.el &&
	       stack->frames[at - 1].function != op->to.function)
		at--;
	if (at > last && stack->frames[at - 1].el == op->to.el)
		return land_in(stack, op, at);
	return tl_xtrace_continue_at(stack, op);
}

/* Without SP, above EL0: to another thread's frame, or into one that is not known. */
static bool land_in_kernel(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op)
{
	if (stack->depth <= 1 && (!stack->depth || !stack->frames[0].called))
		return tl_xtrace_continue_at(stack, op);
	stack->losses.gaps++;
	tl_xtrace_park(stack, op->left);
	tl_xtrace_frame_push_found(stack, op);
	return true;
}

bool tl_xtrace_land(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op)
{
	const struct tl_xtrace_frames frames = { stack->frames, stack->depth, 0 };
	size_t at = op->kind == TL_XTRACE_OP_RETURN ? 0 : tl_xtrace_find_return(&frames, op, false);

	if (at) {
		tl_xtrace_frame_pop_to(stack, at - 1);
		return tl_xtrace_continue_at(stack, op);
	}
	if (op->sp_state == TL_XTRACE_SP_KNOWN)
		return op->switched ? land_known(stack, op) : tl_xtrace_continue_at(stack, op);
	if (op->kind == TL_XTRACE_OP_BRANCH && op->to.entry)
		return tl_xtrace_continue_at(stack, op);
	if (tl_xtrace_unpark(stack, op, &returning, &at)) {
		tl_xtrace_frame_pop_to(stack, at);
		return tl_xtrace_continue_at(stack, op);
	}
	if (op->to.el && op->kind == TL_XTRACE_OP_RETURN)
		return land_in_kernel(stack, op);
	return op->to.entry ? tl_xtrace_continue_at(stack, op) : land_by_function(stack, op);
}
