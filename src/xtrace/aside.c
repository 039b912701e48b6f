/* SPDX-License-Identifier: Apache-2.0 */
/* The stacks of threads that do not run. While it is aside, a stack costs nothing: its calls do not
 * go on. */
#include "xtrace/frames.h"

#include <stdlib.h>

static void note_sp(struct xtrace_aside *aside, const struct xtrace_frame *frame)
{
	if (frame->sp_state != XTRACE_SP_KNOWN)
		aside->all_known = false;
	else if (frame->sp < aside->lowest)
		aside->lowest = frame->sp;
	if (frame->sp_state == XTRACE_SP_KNOWN && frame->sp > aside->highest)
		aside->highest = frame->sp;
}

/* Change the frames for others; the sites of those that go stop counting. */
static void put_frames(struct xtrace_stack *stack, uint64_t left, struct xtrace_aside *made)
{
	*made = (struct xtrace_aside){ .frames = stack->frames,
				       .depth = stack->depth,
				       .handler = stack->handler,
				       .since = stack->aside_clock++,
				       .left = left,
				       .lowest = UINT64_MAX,
				       .all_known = true };
	for (size_t i = stack->depth; i-- > 0;) {
		note_sp(made, &stack->frames[i]);
		if (stack->frames[i].site != TL_NONE)
			tl_xtrace_leave_site(stack, &stack->frames[i]);
	}
	stack->frames = NULL;
	stack->depth = stack->frame_capacity = 0;
	stack->handler = 0;
}

static void take_frames(struct xtrace_stack *stack, const struct xtrace_aside *from)
{
	free(stack->frames);
	stack->frames = from->frames;
	stack->depth = stack->frame_capacity = from->depth;
	stack->handler = from->handler;
	for (size_t i = 0; i < stack->depth; i++) {
		stack->frames[i].start = stack->total;
		if (stack->frames[i].site != TL_NONE)
			tl_xtrace_enter_site(stack, &stack->frames[i]);
	}
}

static struct xtrace_aside remove_aside(struct xtrace_stack *stack, size_t number)
{
	struct xtrace_aside removed = stack->aside[number];

	stack->aside[number] = stack->aside[--stack->aside_count];
	stack->aside_frames -= removed.depth;
	return removed;
}

static void abandon_one(struct xtrace_stack *stack, size_t number)
{
	const struct xtrace_aside removed = remove_aside(stack, number);

	for (size_t i = 0; i < removed.depth; i++) {
		if (!removed.frames[i].called)
			continue;
		stack->nodes[removed.frames[i].node].unfinished++;
		stack->losses.unfinished++;
	}
	free(removed.frames);
}

static size_t oldest(const struct xtrace_stack *stack)
{
	size_t found = 0;

	for (size_t i = 1; i < stack->aside_count; i++)
		if (stack->aside[i].since < stack->aside[found].since)
			found = i;
	return found;
}

void tl_xtrace_set_aside(struct xtrace_stack *stack, uint64_t left)
{
	struct xtrace_aside made;

	if (stack->depth > XTRACE_ASIDE_DEEPEST)
		tl_xtrace_abandon(stack);
	if (!stack->depth)
		return;
	if (!tl_grow(&stack->aside, &stack->aside_capacity, stack->aside_count + 1,
		     sizeof(*stack->aside))) {
		stack->no_memory = true;
		tl_xtrace_abandon(stack);
		return;
	}
	while (stack->aside_count && (stack->aside_count >= XTRACE_ASIDE ||
				      stack->aside_frames + stack->depth > XTRACE_ASIDE_FRAMES))
		abandon_one(stack, oldest(stack));
	put_frames(stack, left, &made);
	stack->aside_frames += made.depth;
	stack->aside[stack->aside_count++] = made;
}

void tl_xtrace_forget_aside(struct xtrace_stack *stack, uint64_t sp)
{
	for (size_t i = stack->aside_count; i-- > 0;) {
		const struct xtrace_frame *root = stack->aside[i].frames;

		if (!root->found && root->back == TL_NOWHERE && root->sp == sp &&
		    root->sp_state == XTRACE_SP_KNOWN)
			abandon_one(stack, i);
	}
}

/* Where SP says that it is not this one no frame is looked at. */
static bool may_fit(const struct xtrace_aside *aside, const struct xtrace_step *step,
		    uint64_t margin)
{
	return step->sp_state != XTRACE_SP_KNOWN || !aside->all_known ||
	       (aside->lowest <= step->sp && step->sp <= aside->highest) ||
	       aside->lowest - step->sp <= margin || step->sp - aside->highest <= margin;
}

bool tl_xtrace_take_up(struct xtrace_stack *stack, const struct xtrace_step *step,
		       const struct xtrace_wanted *wanted, size_t *at)
{
	struct xtrace_aside taken;
	size_t best = stack->aside_count;

	for (size_t i = 0; i < stack->aside_count; i++) {
		const struct xtrace_aside *aside = &stack->aside[i];

		if ((best == stack->aside_count || aside->since > stack->aside[best].since) &&
		    may_fit(aside, step, wanted->margin) && wanted->fits(aside, step))
			best = i;
	}
	if (best == stack->aside_count)
		return false;
	taken = remove_aside(stack, best);
	*at = wanted->fits(&taken, step) - 1;
	if (wanted->keep)
		tl_xtrace_set_aside(stack, step->left);
	else
		tl_xtrace_abandon(stack);
	take_frames(stack, &taken);
	return true;
}

void tl_xtrace_abandon_aside(struct xtrace_stack *stack)
{
	while (stack->aside_count)
		abandon_one(stack, stack->aside_count - 1);
}

void tl_xtrace_free_aside(struct xtrace_stack *stack)
{
	for (size_t i = 0; i < stack->aside_count; i++)
		free(stack->aside[i].frames);
	free(stack->aside);
	stack->aside = NULL;
	stack->aside_count = stack->aside_capacity = 0;
}
