/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack that goes on where code that set the stack pointer returned or jumped to. A trace does
 * not hold the stack pointer, so the stack is found by its return addresses: one with a frame that
 * returns to this address, the present stack or a parked one. If there are several, the returns
 * that come next in the trace are compared with the return addresses of their frames. Stacks with
 * the same return addresses cannot be told apart until they return to different ones; if the choice
 * proves wrong then, the frames are exchanged (tl_pt_stack_mistaken()).
 */
#include "intel_pt/profile/parked_stacks.h"
#include "core/arithmetic.h"

enum {
	NEAR = 8,      /* innermost frames that the code of a switch itself may have */
	JUMPED = 3,    /* the same for a return point, whose call is one of the innermost frames */
	DEEPEST = 256, /* frames of a parked stack that are searched for a mistake */
	RUNNING = -1,
};

struct choice {
	int64_t stack; /* RUNNING, or the number of a parked stack */
	size_t depth;  /* frames that stay open */
	size_t gone;   /* frames that are closed */
	size_t known;  /* returns to come that match its return addresses */
	bool whole;    /* all returns to come match */
	bool any;
};

struct returns_ahead {
	uint64_t backs[TL_PT_RETURNS_AHEAD];
	size_t count;
	uint64_t ip; /* the address that is arrived at */
	struct choice best;
	unsigned parked; /* parked stacks that were candidates */
	bool told;       /* the returns to come decided */
};

static void look_ahead(const struct tl_pt_stack *s, struct returns_ahead *a)
{
	if (s->callbacks.ahead)
		a->count = s->callbacks.ahead(s->callbacks.arg, a->backs, TL_PT_RETURNS_AHEAD);
}

/* Count the returns to come that match the return addresses of the frames up to `depth`. */
static void compare(const struct returns_ahead *a, const struct tl_pt_frame *frames,
		    struct choice *c)
{
	size_t i = 0;

	for (; i < a->count && i < c->depth; i++) {
		const struct tl_pt_frame *frame = &frames[c->depth - i];

		/*
		 * The target of this frame's return is not known, so the rest cannot be compared.
		 */
		if (!frame->back || frame->flags & TL_PT_FRAME_HANDLER) {
			c->whole = true;
			break;
		}
		if (frame->back != a->backs[i])
			break;
	}
	c->known = i;
	c->whole |= i == a->count;
}

/* ---- comparing two candidates ---- */

/* Two candidates that the returns to come do not tell apart: the likelier one. */
static bool is_likelier(const struct tl_pt_stack *s, const struct choice *c,
			const struct choice *than)
{
	const struct tl_pt_parked_stack *a = &s->parked.list[c->stack],
					*b = &s->parked.list[than->stack];

	if (than->stack == RUNNING)
		return true;
	if (s->last_switch.resumer_score > 0 &&
	    (a->frames.id == s->frames.resumer || b->frames.id == s->frames.resumer))
		return a->frames.id == s->frames.resumer;
	return a->since < b->since;
}

static bool is_left(const struct tl_pt_stack *s, const struct choice *c)
{
	return c->stack != RUNNING && s->parked.list[c->stack].left;
}

static bool is_better(const struct tl_pt_stack *s, struct returns_ahead *a, const struct choice *c)
{
	const struct choice *best = &a->best;

	a->told = true;
	if (c->whole != best->whole)
		return c->whole;
	if (!c->whole && c->known != best->known)
		return c->known > best->known;
	a->told = false;
	if (is_left(s, c) != is_left(s, best))
		return is_left(s, best);
	if (c->gone != best->gone)
		return c->gone < best->gone;
	return is_likelier(s, c, best);
}

static void consider(const struct tl_pt_stack *s, struct returns_ahead *a,
		     const struct tl_pt_frame *frames, struct choice c)
{
	c.any = true;
	compare(a, frames, &c);
	a->parked += c.stack != RUNNING;
	if (!a->best.any || is_better(s, a, &c))
		a->best = c;
}

/* ---- switches ---- */

/*
 * The candidate of the present stack: any frame with this return address or return point; those
 * above it were left.
 */
static void consider_running(struct tl_pt_stack *s, struct returns_ahead *a,
			     const struct tl_pt_arrival_addr *at)
{
	size_t all = tl_fold_depth(&s->fold), depth = tl_pt_frame_waiting(s, at->ip, false);

	if (depth)
		depth--;
	else
		depth = tl_pt_parked_point_depth(&s->frames.points, all, at->ip);
	if (depth || (all && s->frames.list[1].back == at->ip))
		consider(s, a, s->frames.list,
			 (struct choice){ .stack = RUNNING, .depth = depth, .gone = all - depth });
}

static size_t waiting_near(const struct tl_pt_parked_stack *a, uint64_t ip)
{
	size_t depth = a->fold.depth;

	for (size_t i = 0; depth && i < NEAR; depth--, i++)
		if (a->frames.list[depth].back == ip)
			return depth;
	return 0;
}

static void consider_parked(struct tl_pt_stack *s, struct returns_ahead *a,
			    const struct tl_pt_arrival_addr *at, size_t number)
{
	const struct tl_pt_parked_stack *parked = &s->parked.list[number];
	size_t all = parked->fold.depth, depth = waiting_near(parked, at->ip);
	bool same = all && parked->fold.frames[all].function == tl_fold_top(&s->fold);

	if (!depth && same) {
		depth = tl_pt_parked_point_depth(&parked->frames.points, all, at->ip);
		if (!depth || all - depth > JUMPED)
			return;
		depth++;
	}
	if (depth)
		consider(s, a, parked->frames.list,
			 (struct choice){ .stack = (int64_t)number,
					  .depth = depth - 1,
					  .gone = all - depth + 1 });
}

/* The depth of the innermost frame of a function, among the `most` innermost frames; 0: none. */
static size_t frame_of(const struct tl_fold_frame *frames, size_t depth, size_t most,
		       uint32_t function)
{
	for (size_t i = 0; depth && i < most; depth--, i++)
		if (frames[depth].function == function)
			return depth;
	return 0;
}

/* Exceptions: the innermost frame whose call has its landing pad at the address. */
static void consider_pads(struct tl_pt_stack *s, struct returns_ahead *a,
			  const struct tl_pt_arrival_addr *at)
{
	size_t all = tl_fold_depth(&s->fold), most = tl_min(all, TL_PT_RETURN_SEARCH);
	uint64_t before = 0, pad;

	for (size_t gone = 1; gone < most; gone++) {
		uint64_t back = s->frames.list[all - gone + 1].back;

		/*
		 * The frames of a recursion share one return address: search for its landing pad
		 * once.
		 */
		if (back != before && tl_pt_functions_pad(s->functions, back, &pad) &&
		    pad == at->ip) {
			consider(s, a, s->frames.list,
				 (struct choice){
					 .stack = RUNNING, .depth = all - gone, .gone = gone });
			return;
		}
		before = back;
	}
}

/*
 * No frame has this return address, but a frame of the function is open: it has a return point that
 * is not known by name, or a landing pad that is not in the tables. The returns to come tell its
 * frames apart.
 */
static void consider_open(struct tl_pt_stack *s, struct returns_ahead *a, uint32_t function)
{
	size_t all = tl_fold_depth(&s->fold);

	for (size_t depth = all, i = 0; depth && i < TL_PT_RETURN_SEARCH && !a->best.whole;
	     depth--, i++)
		if (s->fold.frames[depth].function == function)
			consider(s, a, s->frames.list,
				 (struct choice){
					 .stack = RUNNING, .depth = depth, .gone = all - depth });
	for (size_t i = 0; i < s->parked.count; i++) {
		const struct tl_fold_stack *fold = &s->parked.list[i].fold;
		size_t depth = frame_of(fold->frames, fold->depth, JUMPED, function);

		if (depth && !s->parked.list[i].left &&
		    fold->frames[fold->depth].function == tl_fold_top(&s->fold))
			consider(s, a, s->parked.list[i].frames.list,
				 (struct choice){ .stack = (int64_t)i,
						  .depth = depth,
						  .gone = fold->depth - depth });
	}
}

/*
 * The same in code without symbols: of the open functions, the one with the highest entry at or
 * below the address.
 */
static uint32_t nearest_open(const struct tl_pt_stack *s, uint64_t ip)
{
	uint32_t found = TL_NONE;
	uint64_t nearest = 0;

	for (size_t depth = tl_fold_depth(&s->fold), i = 0; depth && i < TL_PT_RETURN_SEARCH;
	     depth--, i++) {
		uint32_t function = s->fold.frames[depth].function;
		const struct tl_pt_function *f = &s->functions->list[function];

		if (f->by_entry && f->address <= ip && f->address > nearest) {
			nearest = f->address;
			found = function;
		}
	}
	return found;
}

static void begin(struct tl_pt_stack *s, struct tl_pt_arrival_addr *at, bool inside)
{
	uint32_t function = tl_pt_stack_called(s, at);
	struct tl_pt_frame frame = { .call = TL_NONE };

	if (!tl_pt_parked_begin(s))
		return;
	if (inside || (at->function != TL_NONE && !at->is_entry))
		frame.flags = TL_PT_FRAME_UNSEEN;
	tl_pt_frame_enter(s, function, frame);
}

/*
 * Where the trace decided, score the guess that is used where it does not: the resumer, or else the
 * stack that was parked first.
 */
static void learn(struct tl_pt_stack *s, const struct returns_ahead *a, const struct choice *c)
{
	if (!a->told || a->parked < 2 || c->stack == RUNNING)
		return;
	if (s->parked.list[c->stack].frames.id == s->frames.resumer &&
	    s->last_switch.resumer_score < 8)
		s->last_switch.resumer_score++;
	else if (s->parked.list[c->stack].frames.id != s->frames.resumer &&
		 s->last_switch.resumer_score > -8)
		s->last_switch.resumer_score--;
}

void tl_pt_stack_switch(struct tl_pt_stack *s, struct tl_pt_arrival_addr *at)
{
	struct returns_ahead a = { .ip = at->ip };
	const struct choice *c = &a.best;
	bool inside;

	look_ahead(s, &a);
	consider_running(s, &a, at);
	for (size_t i = 0; i < s->parked.count; i++)
		consider_parked(s, &a, at, i);
	if (!c->any)
		consider_pads(s, &a, at);
	if (!c->any && at->function != TL_NONE && !at->is_entry)
		consider_open(s, &a, at->function);
	inside = !c->any && at->function == TL_NONE && s->callbacks.behind_call &&
		 s->callbacks.behind_call(s->callbacks.arg, at->ip);
	if (inside)
		consider_open(s, &a, nearest_open(s, at->ip));
	if (!c->any) {
		begin(s, at, inside);
		return;
	}
	learn(s, &a, c);
	s->last_switch.depth = c->depth;
	s->last_switch.gone = c->gone;
	if (c->stack == RUNNING && c->gone > 1)
		tl_pt_parked_split(s, c->depth);
	else if (c->stack != RUNNING)
		tl_pt_parked_resume(s, (size_t)c->stack);
	tl_pt_frame_leave_to(s, c->depth);
	if (tl_fold_depth(&s->fold))
		tl_pt_stack_top(s)->flags &= (uint8_t)~TL_PT_FRAME_MOVED;
}

/* ---- mistakes ---- */

/*
 * The depth on a parked stack at which the frames of the present stack would be, had that one been
 * chosen.
 */
static size_t same_place(const struct tl_pt_stack *s, const struct tl_pt_parked_stack *parked)
{
	size_t depth = tl_fold_depth(&s->fold);
	size_t above = s->last_switch.gone + tl_excess(s->last_switch.depth, depth);

	return parked->fold.depth > above ? parked->fold.depth - above : 0;
}

static void consider_mistake(struct tl_pt_stack *s, struct returns_ahead *a, size_t number,
			     bool handlers)
{
	const struct tl_pt_parked_stack *parked = &s->parked.list[number];
	size_t depth = parked->left ? 0 : parked->fold.depth, same = same_place(s, parked);

	for (size_t searched = 0; depth && searched < DEEPEST; depth--, searched++) {
		const struct tl_pt_frame *frame = &parked->frames.list[depth];

		if (frame->back == a->ip && (frame->flags & TL_PT_FRAME_HANDLER) >= handlers)
			consider(s, a, parked->frames.list,
				 (struct choice){ .stack = (int64_t)number,
						  .depth = depth - 1,
						  .gone = depth == same ? 0 : searched + 1 });
	}
}

bool tl_pt_stack_mistaken(struct tl_pt_stack *s, uint64_t ip, bool handlers)
{
	struct returns_ahead a = { .ip = ip };

	if (!s->parked.count)
		return false;
	look_ahead(s, &a);
	for (size_t i = 0; i < s->parked.count; i++)
		consider_mistake(s, &a, i, handlers);
	if (!a.best.any)
		return false;
	tl_pt_parked_exchange(s, (size_t)a.best.stack, a.best.depth + 1);
	tl_pt_frame_leave(s);
	return true;
}
