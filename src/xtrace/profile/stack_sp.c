/* SPDX-License-Identifier: Apache-2.0 */
/* SP along a call stack: observed, counted from where it was lost, or unknown. */
#include "xtrace/profile/frames.h"
#include "xtrace/state/sp_change.h"

/* What pends is moved to where it belongs, and is known or will never be. */
static void settle_pending(struct tl_xtrace_call_stack *stack, uint64_t by,
			   enum tl_xtrace_sp_state state)
{
	for (size_t i = stack->depth; i && stack->frames[i - 1].sp_state == TL_XTRACE_SP_PENDING;
	     i--) {
		stack->frames[i - 1].sp += by;
		stack->frames[i - 1].sp_state = (uint8_t)state;
	}
	tl_xtrace_stack_deltas_resolve(stack, by, state);
}

static void end_pending(struct tl_xtrace_call_stack *stack)
{
	if (stack->sp_state == TL_XTRACE_SP_PENDING)
		settle_pending(stack, 0,
			       stack->sp_guessed ? TL_XTRACE_SP_KNOWN : TL_XTRACE_SP_UNKNOWN);
	stack->sp_guessed = false;
}

void tl_xtrace_sp_lost(struct tl_xtrace_call_stack *stack)
{
	end_pending(stack);
	stack->sp = 0;
	stack->sp_state = stack->local ? TL_XTRACE_SP_PENDING : TL_XTRACE_SP_UNKNOWN;
	stack->sp_ignored = TL_XTRACE_SP_KEPT;
	stack->open_delta = stack->delta_count;
}

void tl_xtrace_sp_observed(struct tl_xtrace_call_stack *stack, uint64_t sp)
{
	if (stack->sp_state == TL_XTRACE_SP_PENDING)
		settle_pending(stack, sp - stack->sp, TL_XTRACE_SP_KNOWN);
	stack->sp = sp;
	stack->sp_state = TL_XTRACE_SP_KNOWN;
	stack->sp_guessed = false;
	stack->sp_ignored = TL_XTRACE_SP_OBSERVED;
}

void tl_xtrace_sp_leave(struct tl_xtrace_call_stack *stack, uint64_t moves)
{
	bool known = stack->sp_state == TL_XTRACE_SP_KNOWN || stack->sp_guessed;

	stack->switched = TL_XTRACE_SWITCHED_STACK;
	stack->left = known ? stack->sp + moves : 0;
}

void tl_xtrace_sp_guess(struct tl_xtrace_call_stack *stack, uint64_t sp)
{
	tl_xtrace_sp_lost(stack);
	stack->sp = sp;
	stack->sp_guessed = true;
}
