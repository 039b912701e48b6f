/* SPDX-License-Identifier: Apache-2.0 */
/* SP along a call stack: observed, counted from where it was lost, or unknown. */
#include "xtrace/profile/frames.h"
#include "xtrace/state/sp_change.h"

/* Pending values of SP move by the difference that is now known, and get a final state. */
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
	if (stack->sp.state == TL_XTRACE_SP_PENDING)
		settle_pending(stack, 0,
			       stack->sp.guessed ? TL_XTRACE_SP_KNOWN : TL_XTRACE_SP_UNKNOWN);
	stack->sp.guessed = false;
}

void tl_xtrace_sp_lost(struct tl_xtrace_call_stack *stack)
{
	end_pending(stack);
	stack->sp.value = 0;
	stack->sp.state = stack->local ? TL_XTRACE_SP_PENDING : TL_XTRACE_SP_UNKNOWN;
	stack->sp.ignored = TL_XTRACE_SP_KEPT;
	stack->deltas.open = stack->deltas.count;
}

void tl_xtrace_sp_observed(struct tl_xtrace_call_stack *stack, uint64_t sp)
{
	if (stack->sp.state == TL_XTRACE_SP_PENDING)
		settle_pending(stack, sp - stack->sp.value, TL_XTRACE_SP_KNOWN);
	stack->sp.value = sp;
	stack->sp.state = TL_XTRACE_SP_KNOWN;
	stack->sp.guessed = false;
	stack->sp.ignored = TL_XTRACE_SP_OBSERVED;
}

void tl_xtrace_sp_leave(struct tl_xtrace_call_stack *stack, uint64_t moves)
{
	bool known = stack->sp.state == TL_XTRACE_SP_KNOWN || stack->sp.guessed;

	stack->sp.switched = TL_XTRACE_SWITCHED_STACK;
	stack->sp.left = known ? stack->sp.value + moves : 0;
}

void tl_xtrace_sp_guess(struct tl_xtrace_call_stack *stack, uint64_t sp)
{
	tl_xtrace_sp_lost(stack);
	stack->sp.value = sp;
	stack->sp.guessed = true;
}
