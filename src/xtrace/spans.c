/* SPDX-License-Identifier: Apache-2.0 */
/* Spans: what a local stack leaves, and how the stack that knows takes it over. */
#include "xtrace/frames.h"

#include <stdlib.h>
#include <string.h>

/* ---- leaving ---- */

static bool copy_array(void *to, const void *from, size_t count, size_t size)
{
	void *copy = count ? malloc(count * size) : NULL;

	if (count && !copy)
		return false;
	if (count)
		memcpy(copy, from, count * size);
	memcpy(to, &copy, sizeof(copy));
	return true;
}

static void empty_index(struct tl_index *index)
{
	tl_index_free(index);
	*index = (struct tl_index){ 0 };
}

/* A local stack begins anew on what it does not know. */
static void empty(struct xtrace_stack *stack)
{
	if (stack->node_count > 1)
		empty_index(&stack->children);
	if (stack->site_count)
		empty_index(&stack->site_index);
	stack->depth = stack->site_count = 0;
	stack->handler = 0;
	stack->node_count = 1;
	stack->nodes[0] = (struct xtrace_node){ .function = TL_NONE, .parent = TL_NONE };
	stack->total = (struct xtrace_cost){ { 0 } };
	stack->losses = (struct tl_losses){ 0 };
}

void tl_xtrace_leave_span(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	struct xtrace_span *span;

	if (!tl_grow(&stack->spans, &stack->span_capacity, stack->span_count + 1,
		     sizeof(*stack->spans))) {
		stack->no_memory = true;
		empty(stack);
		return;
	}
	span = &stack->spans[stack->span_count++];
	*span = (struct xtrace_span){
		.step = *step,
		.node_count = stack->node_count,
		.frame_count = stack->depth,
		.site_count = stack->site_count,
		.total = stack->total,
		.losses = stack->losses,
	};
	if (!copy_array(&span->nodes, stack->nodes, stack->node_count, sizeof(*span->nodes)) ||
	    !copy_array(&span->frames, stack->frames, stack->depth, sizeof(*span->frames)) ||
	    !copy_array(&span->sites, stack->sites, stack->site_count, sizeof(*span->sites)))
		stack->no_memory = true;
	empty(stack);
}

static void settle(uint8_t *state, uint64_t *sp, uint64_t by, enum xtrace_sp_state to)
{
	if (*state != XTRACE_SP_PENDING)
		return;
	*sp += by;
	*state = (uint8_t)to;
}

void tl_xtrace_spans_settle(struct xtrace_stack *stack, uint64_t by, enum xtrace_sp_state state)
{
	for (size_t i = stack->open_span; i < stack->span_count; i++) {
		struct xtrace_span *span = &stack->spans[i];

		settle(&span->step.sp_state, &span->step.sp, by, state);
		settle(&span->step.sp_before_state, &span->step.sp_before, by, state);
		for (size_t k = 0; k < span->frame_count; k++)
			settle(&span->frames[k].sp_state, &span->frames[k].sp, by, state);
	}
	stack->open_span = stack->span_count;
}

void tl_xtrace_stack_close_local(struct xtrace_stack *stack)
{
	tl_xtrace_settle(stack);
	tl_xtrace_sp_lost(stack);
	tl_xtrace_leave_span(stack, &(struct xtrace_step){ .kind = XTRACE_STEP_NONE });
}

/* ---- grafting ---- */

/* All is abandoned, but the innermost function goes on. */
static void abandon_but_top(struct xtrace_stack *stack)
{
	struct xtrace_frame frame = { .from = TL_NOWHERE, .back = TL_NOWHERE };

	if (!stack->depth)
		return;
	frame.function = xtrace_stack_top(stack);
	tl_xtrace_abandon(stack);
	tl_xtrace_push(stack, &frame);
}

/* `map` gives the number here of each node there. */
static void graft_nodes(struct xtrace_stack *stack, const struct xtrace_span *span, uint32_t *map)
{
	map[0] = tl_xtrace_top_node(stack);
	for (size_t i = 0; i < span->node_count; i++) {
		const struct xtrace_node *from = &span->nodes[i];
		struct xtrace_node *to;

		if (i)
			map[i] = tl_xtrace_child_of(stack, map[from->parent], from->function);
		to = &stack->nodes[map[i]];
		to->calls += from->calls;
		to->unfinished += from->unfinished;
		xtrace_cost_add(&to->self, &from->self);
	}
}

/* Inclusive cost counts the outermost frame of a site: not if one is open here. */
static void graft_sites(struct xtrace_stack *stack, const struct xtrace_span *span, uint32_t *map)
{
	for (size_t i = 0; i < span->site_count; i++) {
		const struct xtrace_site *from = &span->sites[i];
		uint32_t number = tl_xtrace_site_of(stack, from->caller, from->from, from->callee);

		map[i] = number;
		if (number == TL_NONE)
			continue;
		stack->sites[number].calls += from->calls;
		if (!stack->sites[number].open)
			xtrace_cost_add(&stack->sites[number].inclusive, &from->inclusive);
	}
}

static void graft_frames(struct xtrace_stack *stack, const struct xtrace_span *span,
			 const uint32_t *nodes, const uint32_t *sites)
{
	for (size_t i = 0; i < span->frame_count; i++) {
		struct xtrace_frame *frame = tl_xtrace_new_frame(stack);

		if (!frame)
			return;
		*frame = span->frames[i];
		tl_xtrace_note_handler(stack, frame);
		frame->node = nodes[frame->node];
		xtrace_cost_add(&frame->start, &stack->total);
		if (frame->site == TL_NONE)
			continue;
		frame->site = sites[frame->site];
		if (frame->site != TL_NONE)
			tl_xtrace_enter_site(stack, frame);
	}
}

void tl_xtrace_stack_graft(struct xtrace_stack *stack, const struct xtrace_span *span)
{
	uint32_t *nodes = calloc(span->node_count + 1, sizeof(*nodes));
	uint32_t *sites = calloc(span->site_count + 1, sizeof(*sites));

	tl_xtrace_settle(stack);
	if (stack->depth + span->frame_count > XTRACE_DEEPEST)
		abandon_but_top(stack);
	if (!nodes || !sites) {
		stack->no_memory = true;
	} else {
		graft_nodes(stack, span, nodes);
		graft_sites(stack, span, sites);
		graft_frames(stack, span, nodes, sites);
		xtrace_cost_add(&stack->total, &span->total);
	}
	free(nodes);
	free(sites);
	stack->losses.deduced_exits += span->losses.deduced_exits;
	stack->losses.gaps += span->losses.gaps;
	stack->losses.unfinished += span->losses.unfinished;
	if (!stack->no_memory && span->step.kind != XTRACE_STEP_NONE &&
	    span->step.kind != XTRACE_STEP_BEGIN)
		tl_xtrace_stack_step(stack, &span->step);
}
