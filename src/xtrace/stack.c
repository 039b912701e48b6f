/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/stack.h"

#include <stdlib.h>
#include <string.h>

/* Calls that never return would fill the memory: beyond this depth all frames are abandoned. */
enum { DEEPEST = 1 << 18 };

bool tl_xtrace_stack_begin(struct xtrace_stack *stack, bool local, bool sites_wanted)
{
	*stack = (struct xtrace_stack){ .local = local, .sites_wanted = sites_wanted, .base = TL_NONE };
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
	*stack = (struct xtrace_stack){ 0 };
}

/* ---- contexts ---- */

static bool same_node(const void *context, const void *key, uint32_t number)
{
	const struct xtrace_node *a = &((const struct xtrace_stack *)context)->nodes[number], *b = key;

	return a->function == b->function && a->parent == b->parent;
}

/* The context of a function called in another; 0 without memory, which is counted nowhere then. */
static uint32_t child_of(struct xtrace_stack *stack, uint32_t parent, uint32_t function)
{
	const struct xtrace_node key = { .function = function, .parent = parent };
	uint64_t hash = tl_hash64((uint64_t)parent << 32 | function);
	uint32_t found = tl_index_find(&stack->children, hash, same_node, stack, &key);

	if (found != TL_NONE)
		return found;
	if (stack->node_count >= TL_NONE ||
	    !tl_grow(&stack->nodes, &stack->node_capacity, stack->node_count + 1, sizeof(*stack->nodes)) ||
	    !tl_index_add(&stack->children, hash, (uint32_t)stack->node_count)) {
		stack->no_memory = true;
		return 0;
	}
	stack->nodes[stack->node_count] = key;
	return (uint32_t)stack->node_count++;
}

static uint32_t top_node(const struct xtrace_stack *stack)
{
	return stack->depth ? stack->frames[stack->depth - 1].node : 0;
}

/* What ran since the last change of the stack is the cost of its top. */
static void settle(struct xtrace_stack *stack)
{
	xtrace_cost_add(&stack->nodes[top_node(stack)].self, &stack->run);
	xtrace_cost_add(&stack->total, &stack->run);
	memset(&stack->run, 0, sizeof(stack->run));
}

/* ---- calls by place ---- */

static bool same_site(const void *context, const void *key, uint32_t number)
{
	const struct xtrace_site *a = &((const struct xtrace_stack *)context)->sites[number], *b = key;

	return a->from == b->from && a->callee == b->callee && a->caller == b->caller;
}

static uint32_t site_of(struct xtrace_stack *stack, uint32_t caller, uint64_t from, uint32_t callee)
{
	const struct xtrace_site key = { .caller = caller, .from = from, .callee = callee };
	uint64_t hash = tl_hash_pair(from, (uint64_t)caller << 32 | callee);
	uint32_t found = tl_index_find(&stack->site_index, hash, same_site, stack, &key);

	if (found != TL_NONE)
		return found;
	if (stack->site_count >= TL_NONE ||
	    !tl_grow(&stack->sites, &stack->site_capacity, stack->site_count + 1, sizeof(*stack->sites)) ||
	    !tl_index_add(&stack->site_index, hash, (uint32_t)stack->site_count)) {
		stack->no_memory = true;
		return TL_NONE;
	}
	stack->sites[stack->site_count] = key;
	return (uint32_t)stack->site_count++;
}

/* ---- frames ---- */

static struct xtrace_frame *new_frame(struct xtrace_stack *stack)
{
	if (!tl_grow(&stack->frames, &stack->frame_capacity, stack->depth + 1, sizeof(*stack->frames))) {
		stack->no_memory = true;
		return NULL;
	}
	return &stack->frames[stack->depth++];
}

static void push(struct xtrace_stack *stack, const struct xtrace_frame *made)
{
	uint32_t caller = xtrace_stack_top(stack), parent = top_node(stack);
	uint32_t node = child_of(stack, parent, made->function), site = TL_NONE;
	struct xtrace_frame *frame;

	if (made->called && stack->sites_wanted && made->from != TL_NOWHERE && (parent || stack->local))
		site = site_of(stack, caller, made->from, made->function);
	frame = new_frame(stack);
	if (!frame)
		return;
	*frame = *made;
	frame->node = node;
	frame->site = site;
	frame->start = stack->total;
	if (site != TL_NONE)
		frame->outermost = stack->sites[site].open++ == 0;
}

static void leave_site(struct xtrace_stack *stack, const struct xtrace_frame *frame, bool finished)
{
	struct xtrace_site *site = &stack->sites[frame->site];

	site->open--;
	site->calls += finished;
	if (!frame->outermost)
		return;
	for (unsigned i = 0; i < XTRACE_COSTS; i++)
		site->inclusive.n[i] += stack->total.n[i] - frame->start.n[i];
}

static void pop(struct xtrace_stack *stack, bool finished)
{
	const struct xtrace_frame *frame = &stack->frames[--stack->depth];
	struct xtrace_node *node = &stack->nodes[frame->node];

	if (frame->called && finished)
		node->calls++;
	else if (frame->called)
		node->unfinished++, stack->losses.unfinished++;
	if (frame->site != TL_NONE)
		leave_site(stack, frame, finished);
}

/* Leave the frames above `depth`, and the one there. */
static void pop_to(struct xtrace_stack *stack, size_t depth)
{
	stack->losses.deduced_exits += stack->depth - depth - 1;
	while (stack->depth > depth)
		pop(stack, true);
}

static void abandon(struct xtrace_stack *stack)
{
	while (stack->depth)
		pop(stack, false);
}

/* The same, but the innermost function goes on. */
static void abandon_but_top(struct xtrace_stack *stack)
{
	struct xtrace_frame frame = { .from = TL_NOWHERE, .back = TL_NOWHERE };

	if (!stack->depth)
		return;
	frame.function = xtrace_stack_top(stack);
	abandon(stack);
	push(stack, &frame);
}

/* A frame that nobody called. */
static void push_found(struct xtrace_stack *stack, const struct xtrace_place *to)
{
	push(stack, &(struct xtrace_frame){ .function = to->function, .from = TL_NOWHERE, .back = TL_NOWHERE });
}

/* Nothing may be pushed any more: all is abandoned. False: what is below is not known. */
static bool make_room(struct xtrace_stack *stack, const struct xtrace_place *to)
{
	const struct xtrace_step found = { .kind = XTRACE_STEP_FOUND, .to = *to };

	if (stack->depth < DEEPEST)
		return true;
	tl_xtrace_stack_step(stack, &found);
	return false;
}

void tl_xtrace_stack_call(struct xtrace_stack *stack, const struct xtrace_place *to, uint64_t from, uint64_t back)
{
	const struct xtrace_frame frame = { .function = to->function, .called = true, .from = from, .back = back };

	settle(stack);
	if (make_room(stack, to))
		push(stack, &frame);
}

/* ---- steps; false: a local stack does not know ---- */

/* The innermost handler's frame, counted from 1; 0: none. */
static size_t innermost_handler(const struct xtrace_stack *stack)
{
	for (size_t i = stack->depth; i > 0; i--)
		if (stack->frames[i - 1].handler)
			return i;
	return 0;
}

static bool step_jump(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	struct xtrace_frame frame;

	if (xtrace_stack_top(stack) == step->to.function && (stack->depth || stack->local))
		return true;
	if (!stack->depth && stack->local)
		return false;
	if (!stack->depth) {
		push_found(stack, &step->to);
		return true;
	}
	frame = stack->frames[stack->depth - 1];
	pop(stack, true);
	frame.function = step->to.function;
	frame.called = step->to.entry;
	push(stack, &frame);
	return true;
}

static bool step_found(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	if (stack->local)
		return false;
	abandon(stack);
	push_found(stack, &step->to);
	return true;
}

/* Frames below a handler are out of reach; on a local stack so are those that are not known. */
static bool step_return(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	size_t at = stack->depth;

	while (at && !stack->frames[at - 1].handler && stack->frames[at - 1].back != step->to.pc)
		at--;
	if (!at && stack->local)
		return false;
	if (at && !stack->frames[at - 1].handler)
		pop_to(stack, at - 1);
	/* A call that is the last instruction of its function returns to another one. */
	tl_xtrace_stack_step(stack, &(struct xtrace_step){ .kind = XTRACE_STEP_JUMP, .to = step->to });
	return true;
}

/* Where an exception was taken, its own function goes on; else the frames are another thread's. */
static void go_on_at(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	if (xtrace_stack_top(stack) == step->to.function)
		return;
	if (stack->depth || stack->local)
		stack->losses.gaps++;
	tl_xtrace_stack_step(stack, &(struct xtrace_step){ .kind = XTRACE_STEP_FOUND, .to = step->to });
}

static bool step_exception_return(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	size_t handler = innermost_handler(stack);

	if (!handler && stack->local)
		return false;
	if (handler)
		pop_to(stack, handler - 1);
	else
		abandon(stack);
	go_on_at(stack, step);
	return true;
}

/* To another exception level an exception; to the same one also the end of one: a signal's handler returns so. */
static bool step_exception(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	const struct xtrace_frame made = {
		.function = step->to.function, .called = true, .handler = true, .from = step->from, .back = step->back,
	};
	size_t handler = step->to.el ? 0 : innermost_handler(stack);

	if (!step->to.el && !handler && stack->local)
		return false;
	if (handler && (stack->frames[handler - 1].back == step->to.pc || stack->frames[handler - 1].from == step->to.pc)) {
		pop_to(stack, handler - 1);
		go_on_at(stack, step);
	} else if (make_room(stack, &step->to)) {
		push(stack, &made);
	}
	return true;
}

/* "Frames stay open, since a later exit still closes them rightly", if the function has one. */
static bool step_gap(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	size_t at = stack->depth;

	if (stack->local)
		return false;
	stack->losses.gaps++;
	while (at && stack->frames[at - 1].function != step->to.function)
		at--;
	if (at) {
		stack->losses.deduced_exits += stack->depth - at;
		while (stack->depth > at)
			pop(stack, true);
		return true;
	}
	return step_found(stack, step);
}

static bool step_begin(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	(void)step;
	return !stack->local;
}

/* ---- spans ---- */

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
	stack->node_count = 1;
	stack->nodes[0] = (struct xtrace_node){ .function = TL_NONE, .parent = TL_NONE };
	stack->total = (struct xtrace_cost){ { 0 } };
	stack->losses = (struct tl_losses){ 0 };
}

static void leave_span(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	struct xtrace_span *span;

	if (!tl_grow(&stack->spans, &stack->span_capacity, stack->span_count + 1, sizeof(*stack->spans))) {
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

typedef bool step_fn(struct xtrace_stack *stack, const struct xtrace_step *step);

static step_fn *const steps[] = {
	[XTRACE_STEP_BEGIN] = step_begin,
	[XTRACE_STEP_RETURN] = step_return,
	[XTRACE_STEP_JUMP] = step_jump,
	[XTRACE_STEP_EXCEPTION] = step_exception,
	[XTRACE_STEP_EXCEPTION_RETURN] = step_exception_return,
	[XTRACE_STEP_FOUND] = step_found,
	[XTRACE_STEP_GAP] = step_gap,
};

void tl_xtrace_stack_step(struct xtrace_stack *stack, const struct xtrace_step *step)
{
	settle(stack);
	if (steps[step->kind](stack, step))
		return;
	leave_span(stack, step);
	stack->base = step->to.function;
}

void tl_xtrace_stack_close_local(struct xtrace_stack *stack)
{
	settle(stack);
	leave_span(stack, &(struct xtrace_step){ .kind = XTRACE_STEP_NONE });
}

void tl_xtrace_stack_end(struct xtrace_stack *stack)
{
	settle(stack);
	abandon(stack);
}

/* ---- grafting ---- */

/* `map` gives the number here of each node there. */
static void graft_nodes(struct xtrace_stack *stack, const struct xtrace_span *span, uint32_t *map)
{
	map[0] = top_node(stack);
	for (size_t i = 0; i < span->node_count; i++) {
		const struct xtrace_node *from = &span->nodes[i];
		struct xtrace_node *to;

		if (i)
			map[i] = child_of(stack, map[from->parent], from->function);
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
		uint32_t number = site_of(stack, from->caller, from->from, from->callee);

		map[i] = number;
		if (number == TL_NONE)
			continue;
		stack->sites[number].calls += from->calls;
		if (!stack->sites[number].open)
			xtrace_cost_add(&stack->sites[number].inclusive, &from->inclusive);
	}
}

static void graft_frames(struct xtrace_stack *stack, const struct xtrace_span *span, const uint32_t *nodes,
			 const uint32_t *sites)
{
	for (size_t i = 0; i < span->frame_count; i++) {
		struct xtrace_frame *frame = new_frame(stack);

		if (!frame)
			return;
		*frame = span->frames[i];
		frame->node = nodes[frame->node];
		xtrace_cost_add(&frame->start, &stack->total);
		if (frame->site == TL_NONE)
			continue;
		frame->site = sites[frame->site];
		if (frame->site != TL_NONE)
			frame->outermost = stack->sites[frame->site].open++ == 0;
	}
}

void tl_xtrace_stack_graft(struct xtrace_stack *stack, const struct xtrace_span *span)
{
	uint32_t *nodes = calloc(span->node_count + 1, sizeof(*nodes));
	uint32_t *sites = calloc(span->site_count + 1, sizeof(*sites));

	settle(stack);
	if (stack->depth + span->frame_count > DEEPEST)
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
	if (!stack->no_memory && span->step.kind != XTRACE_STEP_NONE && span->step.kind != XTRACE_STEP_BEGIN)
		tl_xtrace_stack_step(stack, &span->step);
}
