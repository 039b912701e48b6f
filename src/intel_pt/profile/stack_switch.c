/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which stack goes on where code that set the stack pointer returned or jumped to. A trace does not
 * have the stack pointer, so it is the one that waits there: a frame of the present stack, or of
 * one that was put parked. Where several wait, the returns that come next tell them apart: the
 * addresses that their frames wait for. Stacks of the same addresses are the same as far as the
 * trace can tell, until they return to another place; then the frames below were another stack's,
 * and change places (tl_pt_stack_mistaken()).
 */
#include "intel_pt/profile/parked_stacks.h"

enum {
	NEAR = 8,      /* frames on which the code that switches stands */
	JUMPED = 3,    /* the same, of those that a call that returns twice is made beside */
	DEEPEST = 256, /* frames of a stack parked that a mistake is looked for in */
	RUNNING = -1,
};

struct choice {
	int64_t stack; /* RUNNING, or the number of one that is parked */
	size_t depth;  /* frames that are left of it */
	size_t gone;   /* and those that are not */
	size_t known;  /* returns to come that are its frames' */
	bool whole;    /* all of them */
	bool any;
};

struct returns_ahead {
	uint64_t backs[TL_PT_RETURNS_AHEAD];
	size_t count;
	uint64_t ip; /* where it goes on */
	struct choice best;
	unsigned parked; /* that were considered */
	bool told;       /* apart, by the returns to come */
};

static void look_ahead(const struct tl_pt_stack *s, struct returns_ahead *a)
{
	if (s->ahead)
		a->count = s->ahead(s->arg, a->backs, TL_PT_RETURNS_AHEAD);
}

/* How many of the returns to come are those of the frames up to `depth`. */
static void compare(const struct returns_ahead *a, const struct tl_pt_frame *frames,
		    struct choice *c)
{
	size_t i = 0;

	for (; i < a->count && i < c->depth; i++) {
		const struct tl_pt_frame *frame = &frames[c->depth - i];

		/* Where these go to is not known, or nothing that a return tells. */
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

/* ---- the better one ---- */

/* Of two that the trace does not tell apart. */
static bool is_likelier(const struct tl_pt_stack *s, const struct choice *c,
			const struct choice *than)
{
	const struct tl_pt_parked_stack *a = &s->parked[c->stack], *b = &s->parked[than->stack];

	if (than->stack == RUNNING)
		return true;
	if (s->resumers > 0 && (a->id == s->resumer || b->id == s->resumer))
		return a->id == s->resumer;
	return a->since < b->since;
}

static bool is_left(const struct tl_pt_stack *s, const struct choice *c)
{
	return c->stack != RUNNING && s->parked[c->stack].left;
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

/* Where a frame of the present stack goes on, which may be any one: those above it were left. */
static void consider_running(struct tl_pt_stack *s, struct returns_ahead *a,
			     const struct tl_pt_arrival_addr *at)
{
	size_t all = tl_fold_depth(&s->fold), depth = tl_pt_frame_waiting(s, at->ip, false);

	if (depth)
		depth--;
	else
		depth = tl_pt_parked_point_depth(s->points, s->point_count, all, at->ip);
	if (depth || (all && s->frames[1].back == at->ip))
		consider(s, a, s->frames,
			 (struct choice){ .stack = RUNNING, .depth = depth, .gone = all - depth });
}

static size_t waiting_near(const struct tl_pt_parked_stack *a, uint64_t ip)
{
	size_t depth = a->fold.depth;

	for (size_t i = 0; depth && i < NEAR; depth--, i++)
		if (a->frames[depth].back == ip)
			return depth;
	return 0;
}

static void consider_aside(struct tl_pt_stack *s, struct returns_ahead *a,
			   const struct tl_pt_arrival_addr *at, size_t number)
{
	const struct tl_pt_parked_stack *parked = &s->parked[number];
	size_t all = parked->fold.depth, depth = waiting_near(parked, at->ip);
	bool same = all && parked->fold.frames[all].function == tl_fold_top(&s->fold);

	if (!depth && same) {
		depth = tl_pt_parked_point_depth(parked->points, parked->point_count, all, at->ip);
		if (!depth || all - depth > JUMPED)
			return;
		depth++;
	}
	if (depth)
		consider(s, a, parked->frames,
			 (struct choice){ .stack = (int64_t)number,
					  .depth = depth - 1,
					  .gone = all - depth + 1 });
}

/* The innermost frame of a function, of those near the top. */
static size_t frame_of(const struct tl_fold_frame *frames, size_t depth, size_t most,
		       uint32_t function)
{
	for (size_t i = 0; depth && i < most; depth--, i++)
		if (frames[depth].function == function)
			return depth;
	return 0;
}

/* Exceptions: the innermost frame whose call has its landing pad there. */
static void consider_pads(struct tl_pt_stack *s, struct returns_ahead *a,
			  const struct tl_pt_arrival_addr *at)
{
	size_t all = tl_fold_depth(&s->fold),
	       most = all < TL_PT_RETURN_SEARCH ? all : TL_PT_RETURN_SEARCH;
	uint64_t before = 0, pad;

	for (size_t gone = 1; gone < most; gone++) {
		uint64_t back = s->frames[all - gone + 1].back;

		/* In a recursion most are the same. */
		if (back != before && tl_pt_functions_pad(s->functions, back, &pad) &&
		    pad == at->ip) {
			consider(s, a, s->frames,
				 (struct choice){
					 .stack = RUNNING, .depth = all - gone, .gone = gone });
			return;
		}
		before = back;
	}
}

/* Nobody is known to wait there, but in a function that is open: code without names of what returns
 * twice, or without the tables of landing pads. Of frames of one function the returns to come tell.
 */
static void consider_open(struct tl_pt_stack *s, struct returns_ahead *a, uint32_t function)
{
	size_t all = tl_fold_depth(&s->fold);

	for (size_t depth = all, i = 0; depth && i < TL_PT_RETURN_SEARCH && !a->best.whole;
	     depth--, i++)
		if (s->fold.frames[depth].function == function)
			consider(s, a, s->frames,
				 (struct choice){
					 .stack = RUNNING, .depth = depth, .gone = all - depth });
	for (size_t i = 0; i < s->parked_count; i++) {
		const struct tl_fold_stack *fold = &s->parked[i].fold;
		size_t depth = frame_of(fold->frames, fold->depth, JUMPED, function);

		if (depth && !s->parked[i].left &&
		    fold->frames[fold->depth].function == tl_fold_top(&s->fold))
			consider(s, a, s->parked[i].frames,
				 (struct choice){ .stack = (int64_t)i,
						  .depth = depth,
						  .gone = fold->depth - depth });
	}
}

/* The same in code without symbols: of the functions that are open, that whose entry is the last
 * one before the address. */
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

/* What the guesses are worth where the trace tells: whether the resumer, or who waits longest,
 * would have been right. */
static void learn(struct tl_pt_stack *s, const struct returns_ahead *a, const struct choice *c)
{
	if (!a->told || a->parked < 2 || c->stack == RUNNING)
		return;
	if (s->parked[c->stack].id == s->resumer && s->resumers < 8)
		s->resumers++;
	else if (s->parked[c->stack].id != s->resumer && s->resumers > -8)
		s->resumers--;
}

void tl_pt_stack_switch(struct tl_pt_stack *s, struct tl_pt_arrival_addr *at)
{
	struct returns_ahead a = { .ip = at->ip };
	const struct choice *c = &a.best;
	bool inside;

	look_ahead(s, &a);
	consider_running(s, &a, at);
	for (size_t i = 0; i < s->parked_count; i++)
		consider_aside(s, &a, at, i);
	if (!c->any)
		consider_pads(s, &a, at);
	if (!c->any && at->function != TL_NONE && !at->is_entry)
		consider_open(s, &a, at->function);
	inside = !c->any && at->function == TL_NONE && s->behind_call &&
		 s->behind_call(s->arg, at->ip);
	if (inside)
		consider_open(s, &a, nearest_open(s, at->ip));
	if (!c->any) {
		begin(s, at, inside);
		return;
	}
	learn(s, &a, c);
	s->resumed_depth = c->depth;
	s->resumed_gone = c->gone;
	if (c->stack == RUNNING && c->gone > 1)
		tl_pt_parked_split(s, c->depth);
	else if (c->stack != RUNNING)
		tl_pt_parked_resume(s, (size_t)c->stack);
	tl_pt_frame_leave_to(s, c->depth);
	if (tl_fold_depth(&s->fold))
		tl_pt_stack_top(s)->flags &= (uint8_t)~TL_PT_FRAME_MOVED;
}

/* ---- mistakes ---- */

/* Where the frames that were taken for the present stack's would be on the stack that should have
 * been resumed. */
static size_t same_place(const struct tl_pt_stack *s, const struct tl_pt_parked_stack *parked)
{
	size_t depth = tl_fold_depth(&s->fold);
	size_t above = s->resumed_gone + (s->resumed_depth > depth ? s->resumed_depth - depth : 0);

	return parked->fold.depth > above ? parked->fold.depth - above : 0;
}

static void consider_mistake(struct tl_pt_stack *s, struct returns_ahead *a, size_t number,
			     bool handlers)
{
	const struct tl_pt_parked_stack *parked = &s->parked[number];
	size_t depth = parked->left ? 0 : parked->fold.depth, same = same_place(s, parked);

	for (size_t looked = 0; depth && looked < DEEPEST; depth--, looked++) {
		const struct tl_pt_frame *frame = &parked->frames[depth];

		if (frame->back == a->ip && (frame->flags & TL_PT_FRAME_HANDLER) >= handlers)
			consider(s, a, parked->frames,
				 (struct choice){ .stack = (int64_t)number,
						  .depth = depth - 1,
						  .gone = depth == same ? 0 : looked + 1 });
	}
}

bool tl_pt_stack_mistaken(struct tl_pt_stack *s, uint64_t ip, bool handlers)
{
	struct returns_ahead a = { .ip = ip };

	if (!s->parked_count)
		return false;
	look_ahead(s, &a);
	for (size_t i = 0; i < s->parked_count; i++)
		consider_mistake(s, &a, i, handlers);
	if (!a.best.any)
		return false;
	tl_pt_parked_exchange(s, (size_t)a.best.stack, a.best.depth + 1);
	tl_pt_frame_leave(s);
	return true;
}
