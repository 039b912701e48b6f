/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/calls.h"

#include "isa/a64.h"

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
	tl_xtrace_stack_step(stack, &(struct xtrace_step){
					    .kind = kind, .to = *to, .from = from, .back = back });
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

static void follow(struct xtrace_stack *stack, const struct xtrace_last *last,
		   const struct xtrace_place *to, bool arrives)
{
	switch (last->flow) {
	case TL_A64_CALL:
	case TL_A64_CALL_REGISTER:
		tl_xtrace_stack_call(stack, to, last->pc, last->pc + 4);
		break;
	case TL_A64_RETURN:
		step(stack, XTRACE_STEP_RETURN, to, last->pc, 0);
		break;
	case TL_A64_EXCEPTION_RETURN:
		step(stack, XTRACE_STEP_EXCEPTION_RETURN, to, last->pc, 0);
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

void tl_xtrace_step_to(struct xtrace_stack *stack, struct xtrace_functions *functions,
		       struct xtrace_entries *entries, const struct xtrace_last *last,
		       const struct xtrace_place *next)
{
	uint64_t target = meant(last, next);
	bool returns = last->flow == TL_A64_EXCEPTION_RETURN;
	bool arrives = xtrace_same_place(target, next->pc, next->el) &&
		       (returns ? next->el <= last->el : next->el == last->el);
	struct xtrace_place to = *next;

	/* Down without ERET: the kernel is traced in part only. */
	if (!returns && next->el < last->el) {
		step(stack, XTRACE_STEP_EXCEPTION_RETURN, next, last->pc, 0);
		return;
	}
	if (!arrives)
		to = tl_xtrace_place(functions, target, returns && !(target >> 63) ? 0 : last->el);
	if (to.function == TL_NONE)
		stack->no_memory = true;
	if (is_call(last))
		note(stack, entries, &to);
	follow(stack, last, &to, arrives);
	if (arrives)
		return;
	if (next->el > last->el)
		note(stack, entries, next);
	step(stack, XTRACE_STEP_EXCEPTION, next, last->pc, target);
}
