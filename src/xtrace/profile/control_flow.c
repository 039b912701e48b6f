/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/profile/control_flow.h"

#include "isa/a64/a64.h"

static void apply(struct tl_xtrace_call_stack *stack, enum tl_xtrace_stack_op_kind kind,
		  const struct tl_xtrace_location *to, uint64_t from, uint64_t back)
{
	tl_xtrace_stack_apply(stack,
			      &(struct tl_xtrace_stack_op){ .kind = kind,
							    .to = *to,
							    .from = from,
							    .back = back,
							    .sp = stack->sp.value,
							    .sp_state = stack->sp.state,
							    .left = stack->sp.left,
							    .switched = stack->sp.switched });
}

/* SP changes with the exception level. */
static void change_sp(struct tl_xtrace_call_stack *stack, struct tl_xtrace_observed_sp observed)
{
	tl_xtrace_sp_lost(stack);
	if (observed.known)
		tl_xtrace_sp_observed(stack, observed.sp);
}

/* The address to which the last instruction leads by itself. */
static uint64_t intended(const struct tl_xtrace_prev_insn *last,
			 const struct tl_xtrace_location *next)
{
	switch (last->flow) {
	case TL_A64_JUMP:
	case TL_A64_CALL:
		return last->target;
	case TL_A64_CONDITIONAL:
		if (tl_xtrace_same_address(next->pc, last->target, next->el))
			return last->target;
		return last->pc + 4;
	case TL_A64_JUMP_REGISTER:
	case TL_A64_CALL_REGISTER:
	case TL_A64_RETURN:
	case TL_A64_EXCEPTION_RETURN:
		return last->has_target ? last->target : next->pc;
	default:
		return last->pc + 4;
	}
}

/* A branch inside of a function, with the stack of another call of it. */
static bool is_moved(const struct tl_xtrace_call_stack *stack)
{
	enum { LARGEST_FRAME = 1 << 20 };
	const struct tl_xtrace_frame *top = stack->frames + stack->depth - !!stack->depth;

	return stack->sp.switched && stack->depth && !top->found && !top->handler &&
	       top->sp_state == stack->sp.state && top->sp - stack->sp.value > LARGEST_FRAME;
}

static void follow(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_prev_insn *last,
		   const struct tl_xtrace_location *to, bool arrives)
{
	switch (last->flow) {
	case TL_A64_CALL:
	case TL_A64_CALL_REGISTER:
		tl_xtrace_stack_call(stack, to, last->pc, last->pc + 4);
		break;
	case TL_A64_RETURN:
		if (!tl_xtrace_stack_return(stack, to))
			apply(stack, TL_XTRACE_OP_RETURN, to, last->pc, 0);
		break;
	case TL_A64_JUMP_REGISTER:
		if (tl_xtrace_stack_top(stack) != to->function || is_moved(stack))
			apply(stack, TL_XTRACE_OP_BRANCH, to, last->pc, 0);
		break;
	case TL_A64_EXCEPTION_CALL:
	case TL_A64_TRAP:
		/* Whether it comes back is not known yet. */
		if (!arrives)
			break;
		/* fall through */
	default:
		if (tl_xtrace_stack_top(stack) != to->function)
			apply(stack, TL_XTRACE_OP_JUMP, to, last->pc, 0);
	}
}

bool tl_xtrace_note_entry(struct tl_xtrace_function_map *functions,
			  struct tl_xtrace_entry_points *entries, uint64_t pc)
{
	size_t before = entries->count;

	if (!tl_xtrace_entry_point_add(entries, pc))
		return false;
	return entries->count == before || tl_xtrace_function_map_learn(functions, pc);
}

static bool is_call(const struct tl_xtrace_prev_insn *last)
{
	return last->flow == TL_A64_CALL || last->flow == TL_A64_CALL_REGISTER;
}

enum { SYS_RT_SIGRETURN = 139, SYS_EXECVE = 221, SYS_EXECVEAT = 281 };

static enum tl_xtrace_stack_op_kind kind_of_break(const struct tl_xtrace_prev_insn *last,
						  const struct tl_xtrace_location *next)
{
	bool call = last->flow == TL_A64_EXCEPTION_CALL && last->has_target && last->el == next->el;

	if (call && last->target == SYS_RT_SIGRETURN)
		return TL_XTRACE_OP_SIGNAL_RETURN;
	if (call && (last->target == SYS_EXECVE || last->target == SYS_EXECVEAT))
		return TL_XTRACE_OP_FOUND;
	return TL_XTRACE_OP_EXCEPTION;
}

/* At EL0; what follows an SVC of which the number is not known may be the end of one. */
static bool is_signal(const struct tl_xtrace_prev_insn *last, const struct tl_xtrace_location *next)
{
	bool known = last->flow != TL_A64_EXCEPTION_CALL || last->has_target;

	return !next->el && !last->el && known &&
	       kind_of_break(last, next) == TL_XTRACE_OP_EXCEPTION;
}

/* Another place than the last instruction meant: an exception, or the end of one. */
static void break_off(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_prev_insn *last,
		      const struct tl_xtrace_location *meant_to,
		      const struct tl_xtrace_location *next, struct tl_xtrace_observed_sp observed)
{
	struct tl_xtrace_stack_op made = { .kind = kind_of_break(last, next),
					   .to = *next,
					   .from = last->pc,
					   .back = meant_to->pc,
					   .sp_before = stack->sp.value,
					   .sp_before_state = stack->sp.state };

	/* SP changes here, so a pending value of it cannot become known any more. */
	if (made.sp_before_state == TL_XTRACE_SP_PENDING)
		made.sp_before_state =
			stack->sp.guessed ? TL_XTRACE_SP_KNOWN : TL_XTRACE_SP_UNKNOWN;
	if (next->el != meant_to->el || !next->el)
		change_sp(stack, observed);
	made.sp = stack->sp.value;
	made.sp_state = stack->sp.state;
	tl_xtrace_stack_apply(stack, &made);
}

/* Down with ERET, or without one where the kernel is traced in part only. */
static void go_down(struct tl_xtrace_call_stack *stack, const struct tl_xtrace_prev_insn *last,
		    const struct tl_xtrace_location *to, struct tl_xtrace_observed_sp observed)
{
	if (to->el != last->el)
		change_sp(stack, observed);
	apply(stack, TL_XTRACE_OP_EXCEPTION_RETURN, to, last->pc, 0);
}

/* From one instruction to the next. */
struct step {
	uint64_t target; /* to which the first one leads by itself */
	bool returns;    /* from an exception */
	bool arrives;    /* the next one is there */
	bool down;       /* to a lower level, and no more than that */
};

static struct step step_between(const struct tl_xtrace_prev_insn *last,
				const struct tl_xtrace_location *next)
{
	struct step step = {
		.target = intended(last, next),
		.returns = last->flow == TL_A64_EXCEPTION_RETURN,
	};

	step.arrives = tl_xtrace_same_address(step.target, next->pc, next->el) &&
		       (step.returns ? next->el <= last->el : next->el == last->el);
	step.down = step.returns ? step.arrives : next->el < last->el;
	return step;
}

static size_t entries_of(const struct step *step, const struct tl_xtrace_prev_insn *last,
			 const struct tl_xtrace_location *next, uint64_t entries[2])
{
	size_t count = 0;

	if (step->down)
		return 0;
	if (is_call(last))
		entries[count++] = step->arrives ? next->pc : step->target;
	if (!step->arrives && (next->el > last->el || is_signal(last, next)))
		entries[count++] = next->pc;
	return count;
}

size_t tl_xtrace_entries_between(const struct tl_xtrace_prev_insn *last,
				 const struct tl_xtrace_location *next, uint64_t entries[2])
{
	const struct step step = step_between(last, next);

	return entries_of(&step, last, next, entries);
}

/* Before places are looked up that they may name. */
static void note_entries(struct tl_xtrace_call_stack *stack,
			 struct tl_xtrace_function_map *functions,
			 struct tl_xtrace_entry_points *entries, const struct step *step,
			 const struct tl_xtrace_prev_insn *last,
			 const struct tl_xtrace_location *next)
{
	uint64_t found[2];
	size_t count = entries_of(step, last, next, found);

	for (size_t i = 0; i < count; i++)
		if (!(next->known && found[i] == next->pc) &&
		    !tl_xtrace_note_entry(functions, entries, found[i]))
			stack->no_memory = true;
}

void tl_xtrace_follow_flow(struct tl_xtrace_call_stack *stack,
			   struct tl_xtrace_function_map *functions,
			   struct tl_xtrace_entry_points *entries,
			   const struct tl_xtrace_prev_insn *last,
			   const struct tl_xtrace_location *next,
			   struct tl_xtrace_observed_sp observed)
{
	const struct step step = step_between(last, next);
	uint64_t target = step.target;
	bool returns = step.returns, arrives = step.arrives;
	struct tl_xtrace_location to = *next;

	if (step.down) {
		go_down(stack, last, next, observed);
		return;
	}
	if (entries)
		note_entries(stack, functions, entries, &step, last, next);
	if (!arrives)
		to = tl_xtrace_locate(functions, target, returns && !(target >> 63) ? 0 : last->el);
	if (to.function == TL_NONE)
		stack->no_memory = true;
	if (returns) {
		/* An interrupt that comes at once finds the SP of its level as it was. */
		if (!observed.known && stack->sp.state == TL_XTRACE_SP_KNOWN)
			observed = (struct tl_xtrace_observed_sp){ .sp = stack->sp.value,
								   .known = true };
		go_down(stack, last, &to, (struct tl_xtrace_observed_sp){ .known = false });
	} else {
		follow(stack, last, &to, arrives);
	}
	if (arrives)
		return;
	break_off(stack, last, &to, next, observed);
}
