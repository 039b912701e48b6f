/* SPDX-License-Identifier: Apache-2.0 */
/* The effect of one segment on the call stack, spliced onto the stack of the stream. */
#include <stdlib.h>

#include "xtrace/profile/frames.h"

/* All frames are abandoned, but the innermost function goes on. */
static void abandon_but_top(struct tl_xtrace_call_stack *stack)
{
	struct tl_xtrace_frame frame = { .from = TL_NOWHERE, .back = TL_NOWHERE };

	if (!stack->depth)
		return;
	frame.function = tl_xtrace_stack_top(stack);
	tl_xtrace_frames_abandon(stack);
	tl_xtrace_frame_push(stack, &frame);
}

/* `map`: the context of `stack` for each context of the delta. */
static void splice_nodes(struct tl_xtrace_call_stack *stack,
			 const struct tl_xtrace_stack_delta *delta, uint32_t *map)
{
	map[0] = tl_xtrace_top_context(stack);
	for (size_t i = 0; i < delta->node_count; i++) {
		const struct tl_xtrace_context *from = &delta->nodes[i];
		struct tl_xtrace_context *to;

		if (i)
			map[i] = tl_xtrace_context_child(stack, map[from->parent], from->function);
		to = &stack->contexts.list[map[i]];
		to->calls += from->calls;
		to->unfinished += from->unfinished;
		tl_xtrace_cost_add(&to->self, &from->self);
		tl_xtrace_context_touch(stack, map[i]);
	}
}

/* Inclusive cost counts the outermost frame of a call site: none of the delta if one is open. */
static void splice_sites(struct tl_xtrace_call_stack *stack,
			 const struct tl_xtrace_stack_delta *delta, uint32_t *map)
{
	for (size_t i = 0; i < delta->site_count; i++) {
		const struct tl_xtrace_call_site *from = &delta->sites[i];
		uint32_t number =
			tl_xtrace_call_site_at(stack, from->caller, from->from, from->callee);

		map[i] = number;
		if (number == TL_NONE)
			continue;
		stack->sites.list[number].calls += from->calls;
		if (!stack->sites.list[number].open)
			tl_xtrace_cost_add(&stack->sites.list[number].inclusive, &from->inclusive);
	}
}

static void splice_frames(struct tl_xtrace_call_stack *stack,
			  const struct tl_xtrace_stack_delta *delta, const uint32_t *nodes,
			  const uint32_t *sites)
{
	for (size_t i = 0; i < delta->frame_count; i++) {
		struct tl_xtrace_frame *frame = tl_xtrace_frame_new(stack);

		if (!frame)
			return;
		*frame = delta->frames[i];
		frame->bin = stack->bins.now;
		tl_xtrace_frame_note_handler(stack, frame);
		frame->node = nodes[frame->node];
		tl_xtrace_cost_add(&frame->start, &stack->total);
		if (frame->site == TL_NONE)
			continue;
		frame->site = sites[frame->site];
		if (frame->site != TL_NONE)
			tl_xtrace_call_site_enter(stack, frame);
	}
}

/* The calls of the delta, behind what the stack has executed. */
static void splice_steps(struct tl_xtrace_call_stack *stack,
			 const struct tl_xtrace_stack_delta *delta)
{
	for (size_t i = 0; stack->log.wanted && i < delta->steps.count; i++) {
		struct tl_step step = delta->steps.list[i];

		step.ticks += (uint64_t)stack->total.n[TL_XTRACE_IR];
		tl_steps_put(&stack->log.steps, step);
	}
	stack->no_memory |= stack->log.steps.no_memory;
}

void tl_xtrace_stack_splice(struct tl_xtrace_call_stack *stack,
			    const struct tl_xtrace_stack_delta *delta)
{
	uint32_t *nodes = calloc(delta->node_count + 1, sizeof(*nodes));
	uint32_t *sites = calloc(delta->site_count + 1, sizeof(*sites));

	tl_xtrace_attribute_cost(stack);
	if (stack->depth + delta->frame_count > TL_XTRACE_DEEPEST)
		abandon_but_top(stack);
	if (!nodes || !sites) {
		stack->no_memory = true;
	} else {
		splice_nodes(stack, delta, nodes);
		splice_sites(stack, delta, sites);
		splice_steps(stack, delta);
		splice_frames(stack, delta, nodes, sites);
		tl_xtrace_cost_add(&stack->total, &delta->total);
	}
	free(nodes);
	free(sites);
	stack->losses.deduced_exits += delta->losses.deduced_exits;
	stack->losses.gaps += delta->losses.gaps;
	stack->losses.unfinished += delta->losses.unfinished;
	stack->uncounted = delta->uncounted;
	if (!stack->no_memory && delta->op.kind != TL_XTRACE_OP_NONE &&
	    delta->op.kind != TL_XTRACE_OP_BEGIN)
		tl_xtrace_stack_apply(stack, &delta->op);
}
