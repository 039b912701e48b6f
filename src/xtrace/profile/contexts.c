/* SPDX-License-Identifier: Apache-2.0 */
/* Calling contexts with their costs, and calls by place. */
#include <string.h>

#include "xtrace/profile/frames.h"

static bool same_node(const void *context, const void *key, uint32_t number)
{
	const struct tl_xtrace_context *a = &((const struct tl_xtrace_call_stack *)context)
						     ->contexts.list[number],
				       *b = key;

	return a->function == b->function && a->parent == b->parent;
}

/* The context of a function called in another; 0 without memory, which is counted nowhere then. */
uint32_t tl_xtrace_context_child(struct tl_xtrace_call_stack *stack, uint32_t parent,
				 uint32_t function)
{
	const struct tl_xtrace_context key = { .function = function, .parent = parent };
	uint64_t hash = tl_hash64((uint64_t)parent << 32 | function);
	uint32_t found = tl_index_find(&stack->contexts.children, hash, same_node, stack, &key);

	if (found != TL_NONE)
		return found;
	if (stack->contexts.count >= TL_NONE ||
	    !tl_grow(&stack->contexts.list, &stack->contexts.capacity, stack->contexts.count + 1,
		     sizeof(*stack->contexts.list)) ||
	    !tl_index_add(&stack->contexts.children, hash, (uint32_t)stack->contexts.count)) {
		stack->no_memory = true;
		return 0;
	}
	stack->contexts.list[stack->contexts.count] = key;
	return (uint32_t)stack->contexts.count++;
}

void tl_xtrace_context_touch(struct tl_xtrace_call_stack *stack, uint32_t node)
{
	struct tl_xtrace_stack_bins *bins = &stack->bins;

	if (!bins->wanted || stack->contexts.list[node].touched)
		return;
	if (!tl_grow(&bins->touched, &bins->touched_capacity, bins->touched_count + 1,
		     sizeof(*bins->touched))) {
		stack->no_memory = true;
		return;
	}
	stack->contexts.list[node].touched = true;
	bins->touched[bins->touched_count++] = node;
}

void tl_xtrace_call_unfinished(struct tl_xtrace_call_stack *stack,
			       const struct tl_xtrace_frame *frame)
{
	struct tl_xtrace_stack_bins *bins = &stack->bins;

	if (!frame->called)
		return;
	stack->losses.unfinished++;
	if (!frame->counted)
		return;
	if (!bins->wanted) {
		stack->contexts.list[frame->node].unfinished++;
		return;
	}
	if (!tl_grow(&bins->unfinished, &bins->unfinished_capacity, bins->unfinished_count + 1,
		     sizeof(*bins->unfinished))) {
		stack->no_memory = true;
		return;
	}
	bins->unfinished[bins->unfinished_count++] =
		(struct tl_xtrace_unfinished){ frame->node, frame->bin };
}

uint32_t tl_xtrace_top_context(const struct tl_xtrace_call_stack *stack)
{
	return stack->depth ? stack->frames[stack->depth - 1].node : 0;
}

/* Cost since the last change of the stack belongs to the innermost context. */
void tl_xtrace_attribute_cost(struct tl_xtrace_call_stack *stack)
{
	tl_xtrace_cost_add(&stack->contexts.list[tl_xtrace_top_context(stack)].self,
			   &stack->unattributed);
	tl_xtrace_cost_add(&stack->total, &stack->unattributed);
	memset(&stack->unattributed, 0, sizeof(stack->unattributed));
}

/* ---- calls by place ---- */

static bool same_site(const void *context, const void *key, uint32_t number)
{
	const struct tl_xtrace_call_site *a = &((const struct tl_xtrace_call_stack *)context)
						       ->sites.list[number],
					 *b = key;

	return a->from == b->from && a->callee == b->callee && a->caller == b->caller;
}

uint32_t tl_xtrace_call_site_at(struct tl_xtrace_call_stack *stack, uint32_t caller, uint64_t from,
				uint32_t callee)
{
	const struct tl_xtrace_call_site key = { .caller = caller, .from = from, .callee = callee };
	uint64_t hash = tl_hash_pair(from, (uint64_t)caller << 32 | callee);
	uint32_t found = tl_index_find(&stack->sites.index, hash, same_site, stack, &key);

	if (found != TL_NONE)
		return found;
	if (stack->sites.count >= TL_NONE ||
	    !tl_grow(&stack->sites.list, &stack->sites.capacity, stack->sites.count + 1,
		     sizeof(*stack->sites.list)) ||
	    !tl_index_add(&stack->sites.index, hash, (uint32_t)stack->sites.count)) {
		stack->no_memory = true;
		return TL_NONE;
	}
	stack->sites.list[stack->sites.count] = key;
	return (uint32_t)stack->sites.count++;
}

void tl_xtrace_call_site_enter(struct tl_xtrace_call_stack *stack, struct tl_xtrace_frame *frame)
{
	frame->outermost = stack->sites.list[frame->site].open++ == 0;
}

/* Inclusive cost counts the outermost frame, so that recursion is counted once. */
void tl_xtrace_call_site_leave(struct tl_xtrace_call_stack *stack,
			       const struct tl_xtrace_frame *frame)
{
	struct tl_xtrace_call_site *site = &stack->sites.list[frame->site];

	site->open--;
	if (!frame->outermost)
		return;
	for (unsigned i = 0; i < TL_XTRACE_COSTS; i++)
		site->inclusive.n[i] += stack->total.n[i] - frame->start.n[i];
}
