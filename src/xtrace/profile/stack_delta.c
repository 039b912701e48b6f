/* SPDX-License-Identifier: Apache-2.0 */
/* Deltas: the effect of a part of a segment on the call stack, kept until it can be spliced. */
#include "xtrace/profile/frames.h"

#include <stdlib.h>
#include <string.h>

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

/* A local stack begins anew, on frames that are not known. */
static void empty(struct tl_xtrace_call_stack *stack)
{
	if (stack->contexts.count > 1)
		empty_index(&stack->contexts.children);
	if (stack->sites.count)
		empty_index(&stack->sites.index);
	stack->depth = stack->sites.count = 0;
	stack->handler = 0;
	stack->contexts.count = 1;
	stack->contexts.list[0] =
		(struct tl_xtrace_context){ .function = TL_NONE, .parent = TL_NONE };
	stack->total = (struct tl_xtrace_cost){ { 0 } };
	stack->losses = (struct tl_losses){ 0 };
}

/* A delta without all of its arrays: nothing may read it. */
static void drop_last(struct tl_xtrace_call_stack *stack)
{
	const struct tl_xtrace_stack_delta *delta = &stack->deltas.list[--stack->deltas.count];

	free(delta->nodes);
	free(delta->frames);
	free(delta->sites);
	free(delta->steps.list);
	stack->no_memory = true;
}

static struct tl_steps take_steps(struct tl_xtrace_call_stack *stack)
{
	const struct tl_steps taken = stack->log.steps;

	stack->log.kept += taken.count;
	stack->log.steps = (struct tl_steps){ .list = NULL };
	return taken;
}

void tl_xtrace_stack_shed_steps(struct tl_xtrace_call_stack *stack)
{
	bool settled = stack->deltas.open == stack->deltas.count;

	if (!tl_grow(&stack->deltas.list, &stack->deltas.capacity, stack->deltas.count + 1,
		     sizeof(*stack->deltas.list))) {
		stack->no_memory = true;
		return;
	}
	stack->deltas.list[stack->deltas.count++] = (struct tl_xtrace_stack_delta){
		.op = { .kind = TL_XTRACE_OP_NONE },
		.steps = take_steps(stack),
		.uncounted = stack->uncounted,
	};
	if (settled)
		stack->deltas.open = stack->deltas.count;
}

void tl_xtrace_leave_delta(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_stack_op *op)
{
	struct tl_xtrace_stack_delta *delta;

	stack->base = op->to.function;
	if (!tl_grow(&stack->deltas.list, &stack->deltas.capacity, stack->deltas.count + 1,
		     sizeof(*stack->deltas.list))) {
		stack->no_memory = true;
		empty(stack);
		return;
	}
	delta = &stack->deltas.list[stack->deltas.count++];
	*delta = (struct tl_xtrace_stack_delta){
		.op = *op,
		.node_count = stack->contexts.count,
		.frame_count = stack->depth,
		.site_count = stack->sites.count,
		.total = stack->total,
		.losses = stack->losses,
		.steps = take_steps(stack),
		.uncounted = stack->uncounted,
	};
	if (!copy_array(&delta->nodes, stack->contexts.list, stack->contexts.count,
			sizeof(*delta->nodes)) ||
	    !copy_array(&delta->frames, stack->frames, stack->depth, sizeof(*delta->frames)) ||
	    !copy_array(&delta->sites, stack->sites.list, stack->sites.count,
			sizeof(*delta->sites)))
		drop_last(stack);
	empty(stack);
}

void tl_xtrace_stack_mark(struct tl_xtrace_call_stack *stack, struct tl_xtrace_stack_mark mark)
{
	struct tl_xtrace_stack_op here = { .kind = TL_XTRACE_OP_NONE };
	bool settled = stack->deltas.open == stack->deltas.count;

	here.to.function = tl_xtrace_stack_top(stack);
	tl_xtrace_attribute_cost(stack);
	/* Frames go with the delta: those whose SP is pending wait for it there. */
	for (size_t i = 0; i < stack->depth; i++)
		settled = settled && stack->frames[i].sp_state != TL_XTRACE_SP_PENDING;
	tl_xtrace_leave_delta(stack, &here);
	if (stack->no_memory)
		return;
	stack->deltas.list[stack->deltas.count - 1].mark = mark;
	if (settled)
		stack->deltas.open = stack->deltas.count;
}

static void settle(uint8_t *state, uint64_t *sp, uint64_t by, enum tl_xtrace_sp_state to)
{
	if (*state != TL_XTRACE_SP_PENDING)
		return;
	*sp += by;
	*state = (uint8_t)to;
}

void tl_xtrace_stack_deltas_resolve(struct tl_xtrace_call_stack *stack, uint64_t by,
				    enum tl_xtrace_sp_state state)
{
	for (size_t i = stack->deltas.open; i < stack->deltas.count; i++) {
		struct tl_xtrace_stack_delta *delta = &stack->deltas.list[i];

		settle(&delta->op.sp_state, &delta->op.sp, by, state);
		settle(&delta->op.sp_before_state, &delta->op.sp_before, by, state);
		for (size_t k = 0; k < delta->frame_count; k++)
			settle(&delta->frames[k].sp_state, &delta->frames[k].sp, by, state);
	}
	stack->deltas.open = stack->deltas.count;
}

void tl_xtrace_stack_deltas_free(struct tl_xtrace_stack_delta *deltas, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(deltas[i].nodes);
		free(deltas[i].frames);
		free(deltas[i].sites);
		free(deltas[i].steps.list);
	}
	free(deltas);
}
