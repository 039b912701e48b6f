/* SPDX-License-Identifier: Apache-2.0 */
/* The stack itself: contexts, calls by place, frames. */
#include "xtrace/frames.h"

#include <stdlib.h>
#include <string.h>

#include "xtrace/sp_change.h"

bool tl_xtrace_stack_begin(struct xtrace_stack *stack, bool local, bool sites_wanted)
{
	*stack = (struct xtrace_stack){
		.local = local, .sites_wanted = sites_wanted, .base = TL_NONE, .sp_quiet = SP_KEPT
	};
	tl_xtrace_sp_lost(stack);
	stack->switched = XTRACE_INHERITED;
	if (!tl_grow(&stack->nodes, &stack->node_capacity, 16, sizeof(*stack->nodes)) ||
	    !tl_grow(&stack->frames, &stack->frame_capacity, 16, sizeof(*stack->frames))) {
		tl_xtrace_stack_free(stack);
		return false;
	}
	stack->nodes[0] = (struct xtrace_node){ .function = TL_NONE, .parent = TL_NONE };
	stack->node_count = 1;
	return true;
}

void tl_xtrace_spans_free(struct xtrace_span *spans, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(spans[i].nodes);
		free(spans[i].frames);
		free(spans[i].sites);
	}
	free(spans);
}

void tl_xtrace_stack_free(struct xtrace_stack *stack)
{
	free(stack->nodes);
	free(stack->frames);
	free(stack->sites);
	tl_index_free(&stack->children);
	tl_index_free(&stack->site_index);
	tl_xtrace_spans_free(stack->spans, stack->span_count);
	tl_xtrace_free_aside(stack);
	*stack = (struct xtrace_stack){ 0 };
}

/* ---- contexts ---- */

static bool same_node(const void *context, const void *key, uint32_t number)
{
	const struct xtrace_node *a = &((const struct xtrace_stack *)context)->nodes[number],
				 *b = key;

	return a->function == b->function && a->parent == b->parent;
}

/* The context of a function called in another; 0 without memory, which is counted nowhere then. */
uint32_t tl_xtrace_child_of(struct xtrace_stack *stack, uint32_t parent, uint32_t function)
{
	const struct xtrace_node key = { .function = function, .parent = parent };
	uint64_t hash = tl_hash64((uint64_t)parent << 32 | function);
	uint32_t found = tl_index_find(&stack->children, hash, same_node, stack, &key);

	if (found != TL_NONE)
		return found;
	if (stack->node_count >= TL_NONE ||
	    !tl_grow(&stack->nodes, &stack->node_capacity, stack->node_count + 1,
		     sizeof(*stack->nodes)) ||
	    !tl_index_add(&stack->children, hash, (uint32_t)stack->node_count)) {
		stack->no_memory = true;
		return 0;
	}
	stack->nodes[stack->node_count] = key;
	return (uint32_t)stack->node_count++;
}

uint32_t tl_xtrace_top_node(const struct xtrace_stack *stack)
{
	return stack->depth ? stack->frames[stack->depth - 1].node : 0;
}

/* What ran since the last change of the stack is the cost of its top. */
void tl_xtrace_settle(struct xtrace_stack *stack)
{
	xtrace_cost_add(&stack->nodes[tl_xtrace_top_node(stack)].self, &stack->run);
	xtrace_cost_add(&stack->total, &stack->run);
	memset(&stack->run, 0, sizeof(stack->run));
}

/* ---- calls by place ---- */

static bool same_site(const void *context, const void *key, uint32_t number)
{
	const struct xtrace_site *a = &((const struct xtrace_stack *)context)->sites[number],
				 *b = key;

	return a->from == b->from && a->callee == b->callee && a->caller == b->caller;
}

uint32_t tl_xtrace_site_of(struct xtrace_stack *stack, uint32_t caller, uint64_t from,
			   uint32_t callee)
{
	const struct xtrace_site key = { .caller = caller, .from = from, .callee = callee };
	uint64_t hash = tl_hash_pair(from, (uint64_t)caller << 32 | callee);
	uint32_t found = tl_index_find(&stack->site_index, hash, same_site, stack, &key);

	if (found != TL_NONE)
		return found;
	if (stack->site_count >= TL_NONE ||
	    !tl_grow(&stack->sites, &stack->site_capacity, stack->site_count + 1,
		     sizeof(*stack->sites)) ||
	    !tl_index_add(&stack->site_index, hash, (uint32_t)stack->site_count)) {
		stack->no_memory = true;
		return TL_NONE;
	}
	stack->sites[stack->site_count] = key;
	return (uint32_t)stack->site_count++;
}

void tl_xtrace_enter_site(struct xtrace_stack *stack, struct xtrace_frame *frame)
{
	frame->outermost = stack->sites[frame->site].open++ == 0;
}

/* Inclusive cost counts the outermost frame, so that recursion is counted once. */
void tl_xtrace_leave_site(struct xtrace_stack *stack, const struct xtrace_frame *frame)
{
	struct xtrace_site *site = &stack->sites[frame->site];

	site->open--;
	if (!frame->outermost)
		return;
	for (unsigned i = 0; i < XTRACE_COSTS; i++)
		site->inclusive.n[i] += stack->total.n[i] - frame->start.n[i];
}

/* ---- frames ---- */

struct xtrace_frame *tl_xtrace_new_frame(struct xtrace_stack *stack)
{
	if (!tl_grow(&stack->frames, &stack->frame_capacity, stack->depth + 1,
		     sizeof(*stack->frames))) {
		stack->no_memory = true;
		return NULL;
	}
	return &stack->frames[stack->depth++];
}

/* The frame on top, if it is a handler's. */
void tl_xtrace_note_handler(struct xtrace_stack *stack, struct xtrace_frame *frame)
{
	if (!frame->handler)
		return;
	frame->outer_handler = stack->handler;
	stack->handler = (uint32_t)stack->depth;
}

void tl_xtrace_push(struct xtrace_stack *stack, const struct xtrace_frame *made)
{
	uint32_t caller = xtrace_stack_top(stack), parent = tl_xtrace_top_node(stack);
	uint32_t node = tl_xtrace_child_of(stack, parent, made->function), site = TL_NONE;
	struct xtrace_frame *frame;

	if (made->called && stack->sites_wanted && made->from != TL_NOWHERE &&
	    (parent || stack->local))
		site = tl_xtrace_site_of(stack, caller, made->from, made->function);
	frame = tl_xtrace_new_frame(stack);
	if (!frame)
		return;
	*frame = *made;
	tl_xtrace_note_handler(stack, frame);
	frame->node = node;
	frame->site = site;
	frame->start = stack->total;
	stack->nodes[node].calls += frame->called;
	if (site == TL_NONE)
		return;
	stack->sites[site].calls++;
	tl_xtrace_enter_site(stack, frame);
}

void tl_xtrace_pop(struct xtrace_stack *stack, bool finished)
{
	const struct xtrace_frame *frame = &stack->frames[--stack->depth];

	if (frame->handler)
		stack->handler = frame->outer_handler;
	if (frame->called && !finished) {
		stack->nodes[frame->node].unfinished++;
		stack->losses.unfinished++;
	}
	if (frame->site != TL_NONE)
		tl_xtrace_leave_site(stack, frame);
}

/* Leave the frames above `depth`, and the one there. */
void tl_xtrace_pop_to(struct xtrace_stack *stack, size_t depth)
{
	stack->losses.deduced_exits += stack->depth - depth - 1;
	while (stack->depth > depth)
		tl_xtrace_pop(stack, true);
}

void tl_xtrace_abandon(struct xtrace_stack *stack)
{
	while (stack->depth)
		tl_xtrace_pop(stack, false);
}

/* A frame that nobody called. */
void tl_xtrace_push_found(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	tl_xtrace_push(stack, &(struct xtrace_frame){ .function = step->to.function,
						      .found = true,
						      .el = step->to.el,
						      .from = TL_NOWHERE,
						      .back = TL_NOWHERE,
						      .sp = step->sp,
						      .sp_state = step->sp_state });
}

/* ---- SP ---- */

/* What pends is moved to where it belongs, and is known or will never be. */
static void settle_pending(struct xtrace_stack *stack, uint64_t by, enum xtrace_sp_state state)
{
	for (size_t i = stack->depth; i && stack->frames[i - 1].sp_state == XTRACE_SP_PENDING;
	     i--) {
		stack->frames[i - 1].sp += by;
		stack->frames[i - 1].sp_state = (uint8_t)state;
	}
	tl_xtrace_spans_settle(stack, by, state);
}

static void end_pending(struct xtrace_stack *stack)
{
	if (stack->sp_state == XTRACE_SP_PENDING)
		settle_pending(stack, 0, stack->sp_guessed ? XTRACE_SP_KNOWN : XTRACE_SP_UNKNOWN);
	stack->sp_guessed = false;
}

void tl_xtrace_sp_lost(struct xtrace_stack *stack)
{
	end_pending(stack);
	stack->sp = 0;
	stack->sp_state = stack->local ? XTRACE_SP_PENDING : XTRACE_SP_UNKNOWN;
	stack->sp_quiet = SP_KEPT;
	stack->open_span = stack->span_count;
}

void tl_xtrace_sp_told(struct xtrace_stack *stack, uint64_t sp)
{
	if (stack->sp_state == XTRACE_SP_PENDING)
		settle_pending(stack, sp - stack->sp, XTRACE_SP_KNOWN);
	stack->sp = sp;
	stack->sp_state = XTRACE_SP_KNOWN;
	stack->sp_guessed = false;
	stack->sp_quiet = SP_TOLD;
}

void tl_xtrace_sp_leave(struct xtrace_stack *stack, uint64_t moves)
{
	bool known = stack->sp_state == XTRACE_SP_KNOWN || stack->sp_guessed;

	stack->switched = XTRACE_SWITCHED_STACK;
	stack->left = known ? stack->sp + moves : 0;
}

void tl_xtrace_sp_guess(struct xtrace_stack *stack, uint64_t sp)
{
	tl_xtrace_sp_lost(stack);
	stack->sp = sp;
	stack->sp_guessed = true;
}
