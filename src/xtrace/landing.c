/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where returns and branches land that are none of the present frame's: longjmp, exceptions,
 * switches of stacks.
 */
#include "xtrace/frames.h"

/* Above this frame another exception level begins, whose SP is another. */
static bool is_border(const struct xtrace_frames *frames, size_t at, const struct xtrace_step *step)
{
	return frames->list[at - 1].handler && at > 1 && frames->list[at - 2].el != step->to.el;
}

size_t tl_xtrace_awaits(const struct xtrace_frames *frames, const struct xtrace_step *step,
			bool exactly)
{
	bool known = step->sp_state == XTRACE_SP_KNOWN, interrupted = false;
	size_t reach = known ? XTRACE_REACH_SP : XTRACE_REACH, found = 0;
	size_t last = frames->depth > reach ? frames->depth - reach : 0;

	for (size_t at = frames->depth; at > last; at--) {
		const struct xtrace_frame *frame = &frames->list[at - 1];

		if (frame->handler) {
			interrupted = true;
			if (!known || is_border(frames, at, step))
				break;
		} else if (xtrace_same_place(frame->back, step->to.pc, step->to.el)) {
			if (!xtrace_sp_comparable(frame, step))
				found = found || interrupted || exactly ? found : at;
			else if (frame->sp == step->sp)
				return at;
		}
	}
	return found;
}

/* Whether SP is in frame `at`'s part of the stack, as far as its ends are known. */
static bool is_in(const struct xtrace_frames *frames, size_t at, const struct xtrace_step *step)
{
	const struct xtrace_frame *frame = &frames->list[at - 1], *above = frame + 1;
	bool upper = frame->sp_state == XTRACE_SP_KNOWN && !frame->handler && !frame->found;
	bool lower =
		at < frames->depth && above->sp_state == XTRACE_SP_KNOWN && above->el == frame->el;

	if (at == frames->depth)
		return frames->left && step->sp == frames->left;
	/* One that keeps nothing on the stack calls with the SP it was called with. */
	if (upper && lower && frame->sp == above->sp)
		return step->sp == frame->sp;
	if ((upper && step->sp >= frame->sp) || (lower && step->sp < above->sp))
		return false;
	return lower && (upper || step->sp - above->sp < XTRACE_NEAR);
}

size_t tl_xtrace_holds(const struct xtrace_frames *frames, const struct xtrace_step *step,
		       bool same)
{
	for (size_t at = frames->depth; at; at--) {
		const struct xtrace_frame *frame = &frames->list[at - 1];

		if (frame->el != step->to.el)
			break;
		if ((!same || frame->function == step->to.function) && is_in(frames, at, step))
			return at;
	}
	return 0;
}

/* ---- stacks aside ---- */

static size_t awaits_aside(const struct xtrace_aside *aside, const struct xtrace_step *step)
{
	const struct xtrace_frames frames = { aside->frames, aside->depth, aside->left };

	return tl_xtrace_awaits(&frames, step, true);
}

static size_t holds_aside(const struct xtrace_aside *aside, const struct xtrace_step *step)
{
	const struct xtrace_frames frames = { aside->frames, aside->depth, aside->left };

	return tl_xtrace_holds(&frames, step, true);
}

/* Where SP does not say which: near the top. */
static size_t returns_aside(const struct xtrace_aside *aside, const struct xtrace_step *step)
{
	size_t last = aside->depth > XTRACE_SWITCHED ? aside->depth - XTRACE_SWITCHED : 0;

	for (size_t i = aside->depth; i > last && !aside->frames[i - 1].handler; i--)
		if (xtrace_same_place(aside->frames[i - 1].back, step->to.pc, step->to.el) &&
		    !xtrace_sp_comparable(&aside->frames[i - 1], step))
			return i;
	return 0;
}

static const struct xtrace_wanted awaiting = { .fits = awaits_aside, .keep = true };
static const struct xtrace_wanted holding = { holds_aside, 16 * XTRACE_NEAR, true };
static const struct xtrace_wanted returning = { returns_aside, UINT64_MAX, true };

/* ---- what goes on ---- */

/* In this frame, whatever was above it. */
static bool land_in(struct xtrace_stack *stack, const struct xtrace_step *step, size_t at)
{
	stack->losses.deduced_exits += stack->depth - at;
	while (stack->depth > at)
		tl_xtrace_pop(stack, true);
	return tl_xtrace_go_on(stack, step);
}

/* A stack that was not seen before. */
static bool begin_stack(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	struct xtrace_frame root = { .function = step->to.function,
				     .called = true,
				     .el = step->to.el,
				     .from = TL_NOWHERE,
				     .back = TL_NOWHERE,
				     .sp = step->sp,
				     .sp_state = step->sp_state };

	stack->losses.gaps += !step->to.entry;
	tl_xtrace_set_aside(stack, step->left);
	if (!step->to.entry) {
		tl_xtrace_push_found(stack, step);
		return true;
	}
	tl_xtrace_forget_aside(stack, step->sp);
	tl_xtrace_push(stack, &root);
	return true;
}

/* On this stack, behind who was found at its bottom. */
static bool is_above(const struct xtrace_stack *stack, const struct xtrace_step *step)
{
	const struct xtrace_frame *bottom = stack->frames, *top = bottom + stack->depth - 1;

	if (!bottom->found || bottom->el || step->to.el)
		return false;
	if (bottom->sp_state != XTRACE_SP_KNOWN)
		return true;
	return step->sp - bottom->sp + XTRACE_NEAR < 2 * XTRACE_NEAR &&
	       (top->found || top->sp_state != XTRACE_SP_KNOWN || step->sp >= top->sp);
}

/* SP is known, and no frame is. */
static bool land_elsewhere(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	const struct xtrace_frame *top = stack->frames + stack->depth - !!stack->depth;

	if (!stack->depth)
		return tl_xtrace_go_on(stack, step);
	/* A handler returns to code that ends it. */
	if (top->handler && !top->el && step->kind == XTRACE_STEP_RETURN)
		return tl_xtrace_go_on(stack, step);
	if (step->to.entry || !is_above(stack, step))
		return begin_stack(stack, step);
	/* Behind who was found first: its caller. */
	return land_in(stack, step, 1);
}

static bool land_known(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	const struct xtrace_frames frames = { stack->frames, stack->depth, 0 };
	size_t at;

	if (tl_xtrace_take_up(stack, step, &awaiting, &at)) {
		tl_xtrace_pop_to(stack, at);
		return tl_xtrace_go_on(stack, step);
	}
	/* Nobody lands on a function's first instruction. */
	if (step->to.entry)
		return land_elsewhere(stack, step);
	at = tl_xtrace_holds(&frames, step, true);
	if (at)
		return land_in(stack, step, at);
	if (tl_xtrace_take_up(stack, step, &holding, &at))
		return land_in(stack, step, at + 1);
	/* Another part of it: the compiler puts code that is rarely run elsewhere. */
	at = tl_xtrace_holds(&frames, step, false);
	return at ? land_in(stack, step, at) : land_elsewhere(stack, step);
}

/* Without SP: the innermost frame of the function. */
static bool land_by_function(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	size_t at = stack->depth, last = at > XTRACE_REACH ? at - XTRACE_REACH : 0;

	while (at > last && stack->frames[at - 1].el == step->to.el &&
	       stack->frames[at - 1].function != step->to.function)
		at--;
	if (at > last && stack->frames[at - 1].el == step->to.el)
		return land_in(stack, step, at);
	return tl_xtrace_go_on(stack, step);
}

/* Without SP, above EL0: to another thread's frame, or into one that is not known. */
static bool land_in_kernel(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	if (stack->depth <= 1 && (!stack->depth || !stack->frames[0].called))
		return tl_xtrace_go_on(stack, step);
	stack->losses.gaps++;
	tl_xtrace_set_aside(stack, step->left);
	tl_xtrace_push_found(stack, step);
	return true;
}

bool tl_xtrace_land(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	const struct xtrace_frames frames = { stack->frames, stack->depth, 0 };
	size_t at = step->kind == XTRACE_STEP_RETURN ? 0 : tl_xtrace_awaits(&frames, step, false);

	if (at) {
		tl_xtrace_pop_to(stack, at - 1);
		return tl_xtrace_go_on(stack, step);
	}
	if (step->sp_state == XTRACE_SP_KNOWN)
		return step->switched ? land_known(stack, step) : tl_xtrace_go_on(stack, step);
	if (step->kind == XTRACE_STEP_BRANCH && step->to.entry)
		return tl_xtrace_go_on(stack, step);
	if (tl_xtrace_take_up(stack, step, &returning, &at)) {
		tl_xtrace_pop_to(stack, at);
		return tl_xtrace_go_on(stack, step);
	}
	if (step->to.el && step->kind == XTRACE_STEP_RETURN)
		return land_in_kernel(stack, step);
	return step->to.entry ? tl_xtrace_go_on(stack, step) : land_by_function(stack, step);
}
