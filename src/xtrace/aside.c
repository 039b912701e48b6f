/* SPDX-License-Identifier: Apache-2.0 */
/* The stacks of threads that do not run. While it is aside, a stack costs nothing: its calls do not
 * go on. */
#include "xtrace/frames.h"

#include <stdlib.h>

/* Change the frames for others; the sites of those that go stop counting. */
static void put_frames(struct xtrace_stack *stack, struct xtrace_aside *made)
{
	for (size_t i = stack->depth; i-- > 0;)
		if (stack->frames[i].site != TL_NONE)
			tl_xtrace_leave_site(stack, &stack->frames[i]);
	*made = (struct xtrace_aside){ stack->frames, stack->depth, stack->handler,
				       stack->aside_clock++ };
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

void tl_xtrace_set_aside(struct xtrace_stack *stack)
{
	struct xtrace_aside made;

	if (stack->depth > XTRACE_ASIDE_DEEPEST)
		tl_xtrace_abandon(stack);
	if (!stack->depth)
		return;
	if (stack->aside_count == XTRACE_ASIDE)
		abandon_one(stack, oldest(stack));
	put_frames(stack, &made);
	stack->aside[stack->aside_count++] = made;
}

/* The frame that returns to an address, counted from 1, or 0. Those below a handler are out of
 * reach. */
static size_t with_return(const struct xtrace_aside *aside, const struct xtrace_place *to)
{
	size_t last = aside->depth > XTRACE_SWITCHED ? aside->depth - XTRACE_SWITCHED : 0;

	for (size_t i = aside->depth; i > last && !aside->frames[i - 1].handler; i--)
		if (xtrace_same_place(aside->frames[i - 1].back, to->pc, to->el))
			return i;
	return 0;
}

/* The innermost handler's frame if it goes back to a place. */
static size_t with_handler(const struct xtrace_aside *aside, const struct xtrace_place *to)
{
	const struct xtrace_frame *frame = aside->frames + aside->handler - !!aside->handler;

	if (aside->handler && (xtrace_same_place(frame->back, to->pc, to->el) ||
			       xtrace_same_place(frame->from, to->pc, to->el)))
		return aside->handler;
	return 0;
}

static bool take_up(struct xtrace_stack *stack, const struct xtrace_place *to, bool keep,
		    size_t *at,
		    size_t (*fits)(const struct xtrace_aside *, const struct xtrace_place *))
{
	struct xtrace_aside taken;
	size_t best = stack->aside_count;

	for (size_t i = 0; i < stack->aside_count; i++)
		if (fits(&stack->aside[i], to) &&
		    (best == stack->aside_count ||
		     stack->aside[i].since > stack->aside[best].since))
			best = i;
	if (best == stack->aside_count)
		return false;
	taken = remove_aside(stack, best);
	*at = fits(&taken, to) - 1;
	if (keep)
		tl_xtrace_set_aside(stack);
	else
		tl_xtrace_abandon(stack);
	take_frames(stack, &taken);
	return true;
}

bool tl_xtrace_take_up_return(struct xtrace_stack *stack, const struct xtrace_place *to, size_t *at)
{
	return take_up(stack, to, true, at, with_return);
}

bool tl_xtrace_take_up_handler(struct xtrace_stack *stack, const struct xtrace_place *to, bool keep,
			       size_t *at)
{
	return take_up(stack, to, keep, at, with_handler);
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
	stack->aside_count = 0;
}
