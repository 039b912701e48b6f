/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/profile/share/stack_state.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "xtrace/profile/frames.h"

/* ---- writing ---- */

struct saving {
	const struct tl_xtrace_call_stack *stack;
	const struct tl_xtrace_function_map *functions;
	struct tl_xtrace_words *words;
	uint32_t *numbers; /* by context, from 1; 0: no frame is in it or below it */
};

static void put(struct saving *s, uint64_t word)
{
	tl_xtrace_words_put(s->words, word);
}

static void put_function(struct saving *s, uint32_t number)
{
	const struct tl_xtrace_function *f = &s->functions->list[number];

	put(s, f->start);
	put(s, f->binary);
	put(s, (f->name ? 1u : 0u) | (f->kernel ? 2u : 0u));
}

static void mark_contexts(struct saving *s, const struct tl_xtrace_frame *frames, size_t depth)
{
	for (size_t i = 0; i < depth; i++)
		for (uint32_t node = frames[i].node; node && !s->numbers[node];
		     node = s->stack->contexts.list[node].parent)
			s->numbers[node] = 1;
}

/* Callers have lower numbers. */
static void put_contexts(struct saving *s)
{
	const struct tl_xtrace_contexts *contexts = &s->stack->contexts;
	uint32_t count = 0;

	mark_contexts(s, s->stack->frames, s->stack->depth);
	for (size_t i = 0; i < s->stack->parked.count; i++)
		mark_contexts(s, s->stack->parked.list[i].frames, s->stack->parked.list[i].depth);
	for (size_t i = 1; i < contexts->count; i++)
		if (s->numbers[i])
			s->numbers[i] = ++count;
	put(s, count);
	for (size_t i = 1; i < contexts->count; i++) {
		if (!s->numbers[i])
			continue;
		put(s, s->numbers[contexts->list[i].parent]);
		put_function(s, contexts->list[i].function);
	}
}

enum { CALLED = 1, COUNTED = 2, OUTERMOST = 4, HANDLER = 8, FOUND = 16, HAS_SITE = 32, ALL = 63 };

static void put_frame(struct saving *s, const struct tl_xtrace_frame *f)
{
	put(s, (f->called ? CALLED : 0u) | (f->counted ? COUNTED : 0u) |
		       (f->outermost ? OUTERMOST : 0u) | (f->handler ? HANDLER : 0u) |
		       (f->found ? FOUND : 0u) | (f->site != TL_NONE ? HAS_SITE : 0u));
	put_function(s, f->function);
	put(s, s->numbers[f->node]);
	put(s, f->handler ? f->outer_handler : 0);
	put(s, f->el);
	put(s, f->sp_state);
	put(s, f->back);
	put(s, f->from);
	put(s, f->sp);
	if (f->site == TL_NONE)
		return;
	put_function(s, s->stack->sites.list[f->site].caller);
	put_function(s, s->stack->sites.list[f->site].callee);
	put(s, s->stack->sites.list[f->site].from);
}

static void put_frames(struct saving *s, const struct tl_xtrace_frame *frames, size_t depth,
		       uint32_t handler)
{
	put(s, depth);
	put(s, handler);
	for (size_t i = 0; i < depth; i++)
		put_frame(s, &frames[i]);
}

static void put_parked(struct saving *s, const struct tl_xtrace_parked *p)
{
	put_frames(s, p->frames, p->depth, p->handler);
	put(s, p->since);
	put(s, p->left);
	put(s, p->lowest);
	put(s, p->highest);
	put(s, p->all_known);
}

void tl_xtrace_stack_save(const struct tl_xtrace_call_stack *stack,
			  const struct tl_xtrace_function_map *functions,
			  struct tl_xtrace_words *words)
{
	struct saving s = { stack, functions, words,
			    tl_zeroed(stack->contexts.count, sizeof(*s.numbers)) };

	if (!s.numbers) {
		words->no_memory = true;
		return;
	}
	put_contexts(&s);
	put_frames(&s, stack->frames, stack->depth, stack->handler);
	put(&s, stack->parked.clock);
	put(&s, stack->parked.count);
	for (size_t i = 0; i < stack->parked.count; i++)
		put_parked(&s, &stack->parked.list[i]);
	put(&s, stack->sp.value);
	put(&s, stack->sp.state);
	put(&s, stack->sp.switched);
	put(&s, stack->sp.left);
	put(&s, stack->uncounted);
	free(s.numbers);
}

/* ---- reading ---- */

struct restoring {
	struct tl_xtrace_call_stack *stack;
	struct tl_xtrace_function_map *functions;
	struct tl_xtrace_words_read *words;
	uint32_t *contexts; /* by number */
	uint64_t context_count;
};

static uint64_t get(struct restoring *r, uint64_t most)
{
	return tl_xtrace_words_get(r->words, most);
}

static bool is_good(const struct restoring *r)
{
	return !r->words->bad && !r->stack->no_memory;
}

static uint32_t get_function(struct restoring *r)
{
	struct tl_xtrace_function f = { .start = get(r, UINT64_MAX) };
	uint64_t flags;
	uint32_t number;

	f.binary = (uint32_t)get(r, TL_NONE);
	flags = get(r, 3);
	f.kernel = flags & 2;
	number = tl_xtrace_function_put(r->functions, &f, flags & 1);
	r->words->bad |= number == TL_NONE;
	return r->words->bad ? 0 : number;
}

static void get_contexts(struct restoring *r)
{
	r->context_count = get(r, r->words->count);
	r->contexts = tl_zeroed((size_t)r->context_count + 1, sizeof(*r->contexts));
	if (!r->contexts) {
		r->stack->no_memory = true;
		return;
	}
	for (uint64_t i = 1; i <= r->context_count && is_good(r); i++) {
		uint64_t parent = get(r, i - 1);
		uint32_t function = get_function(r);

		if (is_good(r))
			r->contexts[i] =
				tl_xtrace_context_child(r->stack, r->contexts[parent], function);
	}
}

/* A number that follows from what was read already. */
static void expect(struct restoring *r, uint64_t wanted)
{
	r->words->bad |= get(r, UINT64_MAX) != wanted;
}

/* `handler`: the number of the handler's frame below it, from 1; 0: there is none. */
static void get_frame(struct restoring *r, struct tl_xtrace_frame *f, uint32_t handler)
{
	uint64_t flags = get(r, ALL);

	*f = (struct tl_xtrace_frame){
		.site = TL_NONE,
		.called = flags & CALLED,
		.counted = flags & COUNTED,
		.outermost = flags & OUTERMOST,
		.handler = flags & HANDLER,
		.found = flags & FOUND,
	};
	f->function = get_function(r);
	f->node = r->contexts[get(r, r->context_count)];
	/* The outside of all contexts is none of a frame. */
	r->words->bad |= !f->node;
	f->outer_handler = f->handler ? handler : 0;
	expect(r, f->outer_handler);
	f->el = (uint8_t)get(r, 3);
	f->sp_state = (uint8_t)get(r, TL_XTRACE_SP_KNOWN);
	f->back = get(r, UINT64_MAX);
	f->from = get(r, UINT64_MAX);
	f->sp = get(r, UINT64_MAX);
	r->words->bad |= flags & HAS_SITE && !r->stack->sites.wanted;
	if (flags & HAS_SITE) {
		uint32_t caller = get_function(r), callee = get_function(r);
		uint64_t from = get(r, UINT64_MAX);

		if (is_good(r))
			f->site = tl_xtrace_call_site_at(r->stack, caller, from, callee);
	}
}

/* Words of a frame without a call site. */
enum { FRAME_WORDS = 11 };

/* The frames, to be freed; NULL: there are none of them, or the words are bad. */
static struct tl_xtrace_frame *get_frames(struct restoring *r, uint64_t most, size_t *depth,
					  uint32_t *handler)
{
	const size_t left = (r->words->count - r->words->next) / FRAME_WORDS;
	struct tl_xtrace_frame *frames;
	uint64_t innermost;

	*depth = (size_t)get(r, tl_min(most, left));
	*handler = 0;
	innermost = get(r, *depth);
	frames = tl_zeroed(*depth, sizeof(*frames));
	r->stack->no_memory |= !frames;
	for (size_t i = 0; i < *depth && is_good(r); i++) {
		get_frame(r, &frames[i], *handler);
		if (frames[i].handler)
			*handler = (uint32_t)i + 1;
	}
	r->words->bad |= innermost != *handler;
	if (is_good(r) && *depth)
		return frames;
	free(frames);
	*depth = *handler = 0;
	return NULL;
}

static void get_stack(struct restoring *r)
{
	struct tl_xtrace_call_stack *stack = r->stack;
	size_t depth;
	uint32_t handler;
	struct tl_xtrace_frame *frames = get_frames(r, TL_XTRACE_DEEPEST, &depth, &handler);

	if (!frames)
		return;
	free(stack->frames);
	stack->frames = frames;
	stack->depth = stack->frame_capacity = depth;
	stack->handler = handler;
	/* How often a call site is open; which frame of it is the outermost was told. */
	for (size_t i = 0; i < depth; i++)
		if (frames[i].site != TL_NONE)
			stack->sites.list[frames[i].site].open++;
}

static void get_parked(struct restoring *r)
{
	struct tl_xtrace_parked_stacks *parked = &r->stack->parked;
	struct tl_xtrace_parked p = { .frames = NULL };

	p.frames = get_frames(r, TL_XTRACE_PARKED_DEEPEST, &p.depth, &p.handler);
	p.since = get(r, UINT64_MAX);
	r->words->bad |= p.since >= parked->clock;
	p.left = get(r, UINT64_MAX);
	p.lowest = get(r, UINT64_MAX);
	p.highest = get(r, UINT64_MAX);
	p.all_known = get(r, 1);
	/* Nobody parks a stack without frames. */
	r->words->bad |= !p.frames && !r->stack->no_memory;
	if (is_good(r) &&
	    !tl_grow(&parked->list, &parked->capacity, parked->count + 1, sizeof(*parked->list)))
		r->stack->no_memory = true;
	if (!is_good(r)) {
		free(p.frames);
		return;
	}
	parked->frames += p.depth;
	parked->list[parked->count++] = p;
}

bool tl_xtrace_stack_restore(struct tl_xtrace_call_stack *stack,
			     struct tl_xtrace_function_map *functions,
			     struct tl_xtrace_words_read *words)
{
	struct restoring r = { .stack = stack, .functions = functions, .words = words };
	uint64_t parked;

	get_contexts(&r);
	if (is_good(&r))
		get_stack(&r);
	stack->parked.clock = get(&r, UINT64_MAX);
	parked = get(&r, TL_XTRACE_MOST_PARKED);
	for (uint64_t i = 0; i < parked && is_good(&r); i++)
		get_parked(&r);
	stack->sp.value = get(&r, UINT64_MAX);
	stack->sp.state = (uint8_t)get(&r, TL_XTRACE_SP_KNOWN);
	stack->sp.switched = (uint8_t)get(&r, TL_XTRACE_INHERITED);
	stack->sp.left = get(&r, UINT64_MAX);
	stack->uncounted = get(&r, 1);
	words->bad |= words->next != words->count;
	free(r.contexts);
	return is_good(&r);
}

void tl_xtrace_stack_suspend(struct tl_xtrace_call_stack *stack)
{
	tl_xtrace_attribute_cost(stack);
	for (size_t i = stack->depth; i-- > 0;)
		if (stack->frames[i].site != TL_NONE)
			tl_xtrace_call_site_leave(stack, &stack->frames[i]);
}
