/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parked stacks: those of threads and coroutines that do not run. The calls on a parked stack
 * collect no cost.
 */
#include "xtrace/profile/frames.h"

#include <stdlib.h>

static void note_sp(struct tl_xtrace_parked *parked, const struct tl_xtrace_frame *frame)
{
	if (frame->sp_state != TL_XTRACE_SP_KNOWN)
		parked->all_known = false;
	else if (frame->sp < parked->lowest)
		parked->lowest = frame->sp;
	if (frame->sp_state == TL_XTRACE_SP_KNOWN && frame->sp > parked->highest)
		parked->highest = frame->sp;
}

/* Take the frames off the stack; their call sites no longer collect inclusive cost. */
static void put_frames(struct tl_xtrace_call_stack *stack, uint64_t left,
		       struct tl_xtrace_parked *made)
{
	*made = (struct tl_xtrace_parked){ .frames = stack->frames,
					   .depth = stack->depth,
					   .handler = stack->handler,
					   .since = stack->parked.clock++,
					   .left = left,
					   .lowest = UINT64_MAX,
					   .all_known = true };
	tl_xtrace_log_ends(stack, stack->depth, TL_CALL_CUT);
	for (size_t i = stack->depth; i-- > 0;) {
		note_sp(made, &stack->frames[i]);
		if (stack->frames[i].site != TL_NONE)
			tl_xtrace_call_site_leave(stack, &stack->frames[i]);
	}
	stack->frames = NULL;
	stack->depth = stack->frame_capacity = 0;
	stack->handler = 0;
}

static void take_frames(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_parked *from)
{
	free(stack->frames);
	stack->frames = from->frames;
	stack->depth = stack->frame_capacity = from->depth;
	stack->handler = from->handler;
	for (size_t i = 0; i < stack->depth; i++) {
		stack->frames[i].start = stack->total;
		if (stack->frames[i].site != TL_NONE)
			tl_xtrace_call_site_enter(stack, &stack->frames[i]);
	}
	tl_xtrace_log_begins(stack, 0, TL_CALL_LATE);
}

static struct tl_xtrace_parked remove_parked(struct tl_xtrace_call_stack *stack, size_t number)
{
	struct tl_xtrace_parked removed = stack->parked.list[number];

	stack->parked.list[number] = stack->parked.list[--stack->parked.count];
	stack->parked.frames -= removed.depth;
	return removed;
}

static void abandon_one(struct tl_xtrace_call_stack *stack, size_t number)
{
	const struct tl_xtrace_parked removed = remove_parked(stack, number);

	for (size_t i = 0; i < removed.depth; i++)
		tl_xtrace_call_unfinished(stack, &removed.frames[i]);
	free(removed.frames);
}

static size_t oldest(const struct tl_xtrace_call_stack *stack)
{
	size_t found = 0;

	for (size_t i = 1; i < stack->parked.count; i++)
		if (stack->parked.list[i].since < stack->parked.list[found].since)
			found = i;
	return found;
}

void tl_xtrace_park(struct tl_xtrace_call_stack *stack, uint64_t left)
{
	struct tl_xtrace_parked made;

	if (stack->depth > TL_XTRACE_PARKED_DEEPEST)
		tl_xtrace_frames_abandon(stack);
	if (!stack->depth)
		return;
	if (!tl_grow(&stack->parked.list, &stack->parked.capacity, stack->parked.count + 1,
		     sizeof(*stack->parked.list))) {
		stack->no_memory = true;
		tl_xtrace_frames_abandon(stack);
		return;
	}
	while (stack->parked.count &&
	       (stack->parked.count >= TL_XTRACE_MOST_PARKED ||
		stack->parked.frames + stack->depth > TL_XTRACE_PARKED_FRAMES))
		abandon_one(stack, oldest(stack));
	put_frames(stack, left, &made);
	stack->parked.frames += made.depth;
	stack->parked.list[stack->parked.count++] = made;
}

void tl_xtrace_abandon_parked_at(struct tl_xtrace_call_stack *stack, uint64_t sp)
{
	for (size_t i = stack->parked.count; i-- > 0;) {
		const struct tl_xtrace_frame *root = stack->parked.list[i].frames;

		if (!root->found && root->back == TL_NOWHERE && root->sp == sp &&
		    root->sp_state == TL_XTRACE_SP_KNOWN)
			abandon_one(stack, i);
	}
}

/* A stack whose range of SP is elsewhere is skipped without a look at its frames. */
static bool may_fit(const struct tl_xtrace_parked *parked, const struct tl_xtrace_stack_op *op,
		    uint64_t margin)
{
	return op->sp_state != TL_XTRACE_SP_KNOWN || !parked->all_known ||
	       (parked->lowest <= op->sp && op->sp <= parked->highest) ||
	       parked->lowest - op->sp <= margin || op->sp - parked->highest <= margin;
}

bool tl_xtrace_unpark(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op,
		      const struct tl_xtrace_park_match *wanted, size_t *at)
{
	struct tl_xtrace_parked taken;
	size_t best = stack->parked.count;

	for (size_t i = 0; i < stack->parked.count; i++) {
		const struct tl_xtrace_parked *parked = &stack->parked.list[i];

		if ((best == stack->parked.count ||
		     parked->since > stack->parked.list[best].since) &&
		    may_fit(parked, op, wanted->margin) && wanted->fits(parked, op))
			best = i;
	}
	if (best == stack->parked.count)
		return false;
	taken = remove_parked(stack, best);
	*at = wanted->fits(&taken, op) - 1;
	if (wanted->keep)
		tl_xtrace_park(stack, op->left);
	else
		tl_xtrace_frames_abandon(stack);
	take_frames(stack, &taken);
	return true;
}

void tl_xtrace_abandon_parked(struct tl_xtrace_call_stack *stack)
{
	while (stack->parked.count)
		abandon_one(stack, stack->parked.count - 1);
}

void tl_xtrace_parked_free(struct tl_xtrace_call_stack *stack)
{
	for (size_t i = 0; i < stack->parked.count; i++)
		free(stack->parked.list[i].frames);
	free(stack->parked.list);
	stack->parked.list = NULL;
	stack->parked.count = stack->parked.capacity = 0;
}
