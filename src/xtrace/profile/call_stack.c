/* SPDX-License-Identifier: Apache-2.0 */
/* The stack itself: contexts, calls by place, frames. */
#include "xtrace/profile/frames.h"

#include <stdlib.h>
#include "xtrace/state/sp_change.h"

bool tl_xtrace_stack_begin(struct tl_xtrace_call_stack *stack, bool local, bool sites_wanted)
{
	*stack = (struct tl_xtrace_call_stack){ .local = local,
						.sites.wanted = sites_wanted,
						.base = TL_NONE,
						.sp.ignored = TL_XTRACE_SP_KEPT };
	tl_xtrace_sp_lost(stack);
	stack->sp.switched = TL_XTRACE_INHERITED;
	if (!tl_grow(&stack->contexts.list, &stack->contexts.capacity, 16,
		     sizeof(*stack->contexts.list)) ||
	    !tl_grow(&stack->frames, &stack->frame_capacity, 16, sizeof(*stack->frames))) {
		tl_xtrace_stack_free(stack);
		return false;
	}
	stack->contexts.list[0] =
		(struct tl_xtrace_context){ .function = TL_NONE, .parent = TL_NONE };
	stack->contexts.count = 1;
	return true;
}

void tl_xtrace_stack_free(struct tl_xtrace_call_stack *stack)
{
	free(stack->contexts.list);
	free(stack->frames);
	free(stack->sites.list);
	tl_index_free(&stack->contexts.children);
	tl_index_free(&stack->sites.index);
	tl_xtrace_stack_deltas_free(stack->deltas.list, stack->deltas.count);
	tl_xtrace_parked_free(stack);
	free(stack->log.steps.list);
	free(stack->bins.touched);
	free(stack->bins.unfinished);
	*stack = (struct tl_xtrace_call_stack){ 0 };
}

void tl_xtrace_stack_end(struct tl_xtrace_call_stack *stack)
{
	tl_xtrace_attribute_cost(stack);
	stack->log.wanted = false; /* what is open stays so */
	tl_xtrace_frames_abandon(stack);
	tl_xtrace_abandon_parked(stack);
}

void tl_xtrace_stack_close_local(struct tl_xtrace_call_stack *stack)
{
	tl_xtrace_attribute_cost(stack);
	tl_xtrace_sp_lost(stack);
	tl_xtrace_leave_delta(stack, &(struct tl_xtrace_stack_op){ .kind = TL_XTRACE_OP_NONE });
}
