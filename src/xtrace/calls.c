/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/calls.h"

#include "isa/a64/a64.h"

/* ---- entries ---- */

static bool same(const void *context, const void *key, uint32_t number)
{
	const struct xtrace_entries *entries = context;
	const uint64_t *pc = key;

	return entries->list[number] == *pc;
}

bool tl_xtrace_entries_add(struct xtrace_entries *entries, uint64_t pc)
{
	uint64_t hash = tl_hash64(pc);

	if (tl_index_find(&entries->index, hash, same, entries, &pc) != TL_NONE)
		return true;
	if (entries->count >= TL_NONE ||
	    !tl_grow(&entries->list, &entries->capacity, entries->count + 1,
		     sizeof(*entries->list)) ||
	    !tl_index_add(&entries->index, hash, (uint32_t)entries->count))
		return false;
	entries->list[entries->count++] = pc;
	return true;
}

void tl_xtrace_entries_free(struct xtrace_entries *entries)
{
	free(entries->list);
	tl_index_free(&entries->index);
	*entries = (struct xtrace_entries){ 0 };
}

/* ---- steps ---- */

static void step(struct xtrace_stack *stack, enum xtrace_step_kind kind,
		 const struct xtrace_place *to, uint64_t from, uint64_t back)
{
	tl_xtrace_stack_step(stack, &(struct xtrace_step){ .kind = kind,
							   .to = *to,
							   .from = from,
							   .back = back,
							   .sp = stack->sp,
							   .sp_state = stack->sp_state,
							   .left = stack->left,
							   .switched = stack->switched });
}

/* SP is another one from here on. */
static void change_sp(struct xtrace_stack *stack, struct xtrace_told_sp told)
{
	tl_xtrace_sp_lost(stack);
	if (told.known)
		tl_xtrace_sp_told(stack, told.sp);
}

/* Where the last instruction meant to go. */
static uint64_t meant(const struct xtrace_last *last, const struct xtrace_place *next)
{
	switch (last->flow) {
	case TL_A64_JUMP:
	case TL_A64_CALL:
		return last->target;
	case TL_A64_CONDITIONAL:
		return xtrace_same_place(next->pc, last->target, next->el) ? last->target
									   : last->pc + 4;
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
static bool is_moved(const struct xtrace_stack *stack)
{
	enum { LARGEST_FRAME = 1 << 20 };
	const struct xtrace_frame *top = stack->frames + stack->depth - !!stack->depth;

	return stack->switched && stack->depth && !top->found && !top->handler &&
	       top->sp_state == stack->sp_state && top->sp - stack->sp > LARGEST_FRAME;
}

static void follow(struct xtrace_stack *stack, const struct xtrace_last *last,
		   const struct xtrace_place *to, bool arrives)
{
	switch (last->flow) {
	case TL_A64_CALL:
	case TL_A64_CALL_REGISTER:
		tl_xtrace_stack_call(stack, to, last->pc, last->pc + 4);
		break;
	case TL_A64_RETURN:
		if (!tl_xtrace_stack_return(stack, to))
			step(stack, XTRACE_STEP_RETURN, to, last->pc, 0);
		break;
	case TL_A64_JUMP_REGISTER:
		if (xtrace_stack_top(stack) != to->function || is_moved(stack))
			step(stack, XTRACE_STEP_BRANCH, to, last->pc, 0);
		break;
	case TL_A64_EXCEPTION_CALL:
	case TL_A64_TRAP:
		/* Whether it comes back is not known yet. */
		if (!arrives)
			break;
		/* fall through */
	default:
		if (xtrace_stack_top(stack) != to->function)
			step(stack, XTRACE_STEP_JUMP, to, last->pc, 0);
	}
}

static void note(struct xtrace_stack *stack, struct xtrace_entries *entries,
		 const struct xtrace_place *place)
{
	if (entries && !place->known && !tl_xtrace_entries_add(entries, place->pc))
		stack->no_memory = true;
}

static bool is_call(const struct xtrace_last *last)
{
	return last->flow == TL_A64_CALL || last->flow == TL_A64_CALL_REGISTER;
}

enum { SYS_RT_SIGRETURN = 139, SYS_EXECVE = 221, SYS_EXECVEAT = 281 };

static enum xtrace_step_kind kind_of_break(const struct xtrace_last *last,
					   const struct xtrace_place *next)
{
	bool call = last->flow == TL_A64_EXCEPTION_CALL && last->has_target && last->el == next->el;

	if (call && last->target == SYS_RT_SIGRETURN)
		return XTRACE_STEP_SIGNAL_RETURN;
	return call && (last->target == SYS_EXECVE || last->target == SYS_EXECVEAT)
		       ? XTRACE_STEP_FOUND
		       : XTRACE_STEP_EXCEPTION;
}

/* At EL0; what follows an SVC of which the number is not known may be the end of one. */
static bool is_signal(const struct xtrace_last *last, const struct xtrace_place *next)
{
	bool known = last->flow != TL_A64_EXCEPTION_CALL || last->has_target;

	return !next->el && !last->el && known &&
	       kind_of_break(last, next) == XTRACE_STEP_EXCEPTION;
}

/* Another place than the last instruction meant: an exception, or the end of one. */
static void break_off(struct xtrace_stack *stack, const struct xtrace_last *last,
		      const struct xtrace_place *meant_to, const struct xtrace_place *next,
		      struct xtrace_told_sp told)
{
	struct xtrace_step made = { .kind = kind_of_break(last, next),
				    .to = *next,
				    .from = last->pc,
				    .back = meant_to->pc,
				    .sp_before = stack->sp,
				    .sp_before_state = stack->sp_state };

	/* What pends is not waited for: SP is another one behind this. */
	if (made.sp_before_state == XTRACE_SP_PENDING)
		made.sp_before_state = stack->sp_guessed ? XTRACE_SP_KNOWN : XTRACE_SP_UNKNOWN;
	if (next->el != meant_to->el || !next->el)
		change_sp(stack, told);
	made.sp = stack->sp;
	made.sp_state = stack->sp_state;
	tl_xtrace_stack_step(stack, &made);
}

/* Down with ERET, or without one where the kernel is traced in part only. */
static void go_down(struct xtrace_stack *stack, const struct xtrace_last *last,
		    const struct xtrace_place *to, struct xtrace_told_sp told)
{
	if (to->el != last->el)
		change_sp(stack, told);
	step(stack, XTRACE_STEP_EXCEPTION_RETURN, to, last->pc, 0);
}

void tl_xtrace_step_to(struct xtrace_stack *stack, struct xtrace_functions *functions,
		       struct xtrace_entries *entries, const struct xtrace_last *last,
		       const struct xtrace_place *next, struct xtrace_told_sp told)
{
	uint64_t target = meant(last, next);
	bool returns = last->flow == TL_A64_EXCEPTION_RETURN;
	bool arrives = xtrace_same_place(target, next->pc, next->el) &&
		       (returns ? next->el <= last->el : next->el == last->el);
	struct xtrace_place to = *next;

	if ((returns && arrives) || (!returns && next->el < last->el)) {
		go_down(stack, last, next, told);
		return;
	}
	if (!arrives)
		to = tl_xtrace_place(functions, target, returns && !(target >> 63) ? 0 : last->el);
	if (to.function == TL_NONE)
		stack->no_memory = true;
	if (is_call(last))
		note(stack, entries, &to);
	if (returns) {
		/* An interrupt that comes at once finds the SP of its level as it was. */
		if (!told.known && stack->sp_state == XTRACE_SP_KNOWN)
			told = (struct xtrace_told_sp){ .sp = stack->sp, .known = true };
		go_down(stack, last, &to, (struct xtrace_told_sp){ .known = false });
	} else {
		follow(stack, last, &to, arrives);
	}
	if (arrives)
		return;
	if (next->el > last->el || is_signal(last, next))
		note(stack, entries, next);
	break_off(stack, last, &to, next, told);
}
