/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_FOLD_H
#define TL_PROFILE_FOLD_H
/*
 * The fold: the one call-stack machine that turns the calls of one thread into calling contexts,
 * costs and durations. Each thread of a trace has its own; tl_fold_into() then adds it to the
 * profile.
 *
 * The rules for what real traces hold; no other file states them:
 *
 *   exit without entry    an orphan: counted and dropped. Like every record it sets the time, but
 *                         it closes no frame.
 *   entry without exit    the frame stays open. If it is still open at the end, the call is
 *                         `unfinished`: its cost counts, but it has no duration and is not among
 *                         the finished calls.
 *   exit that skips       an exit closes the innermost open frame of its function and every frame
 *   frames                above that one (longjmp, exceptions, lost exits). The time at which the
 *                         frames above ended is unknown: they are calls, but `cut`, without a
 *                         duration, and counted as deduced. Time up to the exit is theirs. Calls
 *                         that were attributed to a cut frame may have been made by a frame further
 *                         out, after the cut frame was left: they are counted as `uncertain`, which
 *                         is an upper bound.
 *   tail exit             an exit. The function it jumps to is then entered as a call of the
 *                         caller, since that is where it returns to.
 *   gap                   records are missing: counted. A reader that can looks ahead, as far as
 *                         the next gap, for the exits that close no frame opened behind the gap.
 *                         The last of these close the outermost frames: they are matched with the
 *                         open frames from the outermost inwards, frame by frame, beginning where
 *                         most of them match. (Of equally good places the outermost; before a
 *                         further gap the innermost, since the exits of the outermost frames may
 *                         stand behind that gap.) Matched frames, and frames around them, live on,
 *                         and are finished as usual. Exits that are left over belong to frames that
 *                         were opened in the gap: they are orphans; the cost of those frames behind
 *                         the gap counts, their calls do not. Frames that are left over ended in
 *                         the gap: cut. Without such exits all frames stay open. The time of the
 *                         gap goes to a function `(lost)`, called by the innermost frame that lives
 *                         on. Whether a frame that lives on was left in the gap, and its function
 *                         entered anew, no exit tells: it counts as one call, and as `bridged`.
 *   recursion             frames of one function stand on each other; durations count every level,
 *                         inclusive cost counts the outermost (derive.c).
 *   time going back       the clock of the fold never goes back: the step counts as no time, and is
 *                         counted. Time goes on from the new value.
 *   a sum over 2^63 - 1   saturates, and is counted.
 *   outside the filter    while the gate is closed no cost is counted. A call is finished, and
 *                         timed, only if the gate was open from its entry to its exit; a call that
 *                         the gate cuts is `unfinished`.
 *
 * Functions are numbered from 0 in the order of tl_fold_add_function(). Each record takes constant
 * time on average; memory grows with the number of functions, contexts and open frames.
 *
 * A fold for a table of functions keeps no contexts (tl_fold_without_contexts()): each function has
 * one node, and its sums beside it. These equal the sums over contexts. Where they might not, as
 * stacks take turns or a sum may not fit, the fold is `refused`: its results are to be thrown away,
 * and the trace goes through a fold with contexts.
 */
#include <stdbool.h>
#include <stdint.h>

#include <tracelathe/profile.h>

#include "profile/model/latency.h"

struct tl_fold_frame {
	uint32_t function, node;
	uint64_t start; /* fold clock at entry */
	uint32_t gate;  /* gate count at entry */
};

enum { TL_FOLD_LINE = 64 / sizeof(uint32_t) }; /* places for children in a line of the cache */

/*
 * In place of the gate count at entry: the entry is not in the trace, so the call is not counted.
 */
#define TL_FOLD_NO_ENTRY UINT32_MAX
/* The same: the call began before the part of a thread that is folded (tl_fold_resume()). */
#define TL_FOLD_EARLIER (UINT32_MAX - 1)

/* A calling context. Node 0 is the outside: it has no function and no time. */
struct tl_fold_node {
	uint32_t function, parent;
	uint64_t calls;
	uint64_t ticks; /* inclusive, of the finished calls */
	/* of the last event beside time, which loops add to at every call and return */
	int64_t cost;
};

enum { TL_FOLD_SUMMED_COSTS = 2 }; /* costs beside time that a fold without contexts can have */

/* A cost of a function without contexts: that of the outermost of its calls on the stack. */
struct tl_fold_summed_cost {
	int64_t begun; /* the fold's total when the outermost call began */
	int64_t inclusive;
};

/*
 * Sums of a function without contexts, by number of node. Its node has the calls, their ticks, and
 * the cost of the function itself; `parent` of that node is the node that counts the outermost
 * calls: functions that are one function of the profile share one.
 */
struct tl_fold_sums {
	uint64_t self;      /* ticks, less those of the calls it made; modulo 2^64 until the end */
	uint64_t inclusive; /* ticks of the outermost calls */
	uint64_t active;    /* calls on the stack */
	struct tl_fold_summed_cost costs[TL_FOLD_SUMMED_COSTS]; /* [0]: of the last event */
};

/*
 * The state that a loop over records keeps in registers: load it from the fold, run, store it back.
 * The tl_fold_hot_*() functions are the fast path of tl_fold_enter() and tl_fold_leave(); any case
 * that is not the common one stores the state back and calls the slow half.
 */
struct tl_fold_hot {
	uint64_t clock;                /* time counted so far; never back, never over INT64_MAX */
	struct tl_fold_frame *top;     /* innermost open frame; &frames[0] is the outside */
	struct tl_fold_frame *last;    /* the last frame there is room for */
	struct tl_fold_frame *indexed; /* frames up to this one are counted in `open` */
	struct tl_fold_node *nodes;
	struct tl_fold_sums *sums; /* by node, without contexts; NULL: there are contexts */
	struct tl_latencies *functions;
	/* node numbers by (parent, function), open addressing behind two places; 0: empty */
	uint32_t *children;
	unsigned child_shift; /* 64 - log2 of its size */
	uint32_t gate;        /* counts openings and closings: odd is closed */
};

/* Calls of one node that have no duration. */
struct tl_fold_untimed {
	uint64_t unfinished;
	uint64_t cut;   /* calls whose end is not in the trace */
	uint64_t left;  /* of the cut ones: calls that were left without an exit */
	uint64_t ticks; /* of all of them */
};

/* Elements that there is room for, array by array. */
struct tl_fold_capacities {
	size_t frames, nodes, functions, open, costs, untimed, earlier, sums;
};

struct tl_fold {
	struct tl_fold_hot hot;
	uint64_t last;  /* time of the last record, as the trace has it */
	bool started;   /* `last` is a time */
	bool exact;     /* every duration is kept, not only a histogram */
	bool no_memory; /* sticky; the results are then worth nothing */

	struct tl_fold_frame *frames;
	size_t node_count, function_count;
	uint32_t *open; /* by function: its frames among the indexed ones */
	/*
	 * Costs beside time, when the format counts some: event_count - 1 numbers a node, the last
	 * one is in the node.
	 */
	int64_t *costs;
	uint32_t event_count;
	/* without contexts: what was counted so far of each cost, in the order of tl_fold_sums */
	int64_t totals[TL_FOLD_SUMMED_COSTS];
	bool refused;                    /* sticky: the sums are not those of contexts */
	struct tl_fold_untimed *untimed; /* by node; NULL or zero: none */
	uint64_t *earlier;               /* by depth - 1: ticks of resumed calls before the fold */
	struct tl_fold_capacities capacity;

	/*
	 * The reader's knowledge of the program's code: whether a frame of `caller` can have called
	 * `callee` after the function it had called was left. NULL: not known, any frame can.
	 */
	bool (*could_call)(void *arg, uint32_t caller, uint32_t callee);
	void *could_call_arg;
	/* Refuse calls along a path that was never taken before, until tl_fold_enter_new(). */
	bool refuse_new_paths;

	uint64_t first_ticks, last_ticks, records;
	struct tl_losses losses;
};

/* Begin. `event_count`: events beside time, counted by tl_fold_cost(). False without memory. */
bool tl_fold_begin(struct tl_fold *fold, uint32_t event_count, bool exact);
void tl_fold_free(struct tl_fold *fold);

/*
 * Keep no contexts, before the first function is added. False: no memory, or the fold has more than
 * TL_FOLD_SUMMED_COSTS events beside time; it still keeps contexts then.
 */
bool tl_fold_without_contexts(struct tl_fold *fold);

/* One more function; returns its number, TL_NONE without memory. */
uint32_t tl_fold_add_function(struct tl_fold *fold);
/*
 * Without contexts: the function, the last one added, and an earlier one are one function of the
 * profile, so that a call of one from the other is a recursion.
 */
void tl_fold_same_function(struct tl_fold *fold, uint32_t function, uint32_t earlier);

/* The time of the next record, absolute. */
void tl_fold_time(struct tl_fold *fold, uint64_t ticks);

/* The rare halves of the functions below; they work on fold->hot. */
uint32_t tl_fold_child_slow(struct tl_fold *fold, uint32_t function);
bool tl_fold_unwind(struct tl_fold *fold, uint32_t function);
void tl_fold_pop_slow(struct tl_fold *fold);
/* Make room for one more frame. False without memory. */
bool tl_fold_push_slow(struct tl_fold *fold);

/*
 * The number of the last place for children. It is made of 64 bits, as a shift by more bits than a
 * size of 32 bits has is not defined.
 */
static inline size_t tl_fold_child_mask(const struct tl_fold_hot *h)
{
	return (size_t)(UINT64_MAX >> h->child_shift);
}

/*
 * The first home slot of a child: those of one parent are in one line of the cache. The second home
 * slot is the slot beside it (home ^ 1).
 */
static inline size_t tl_fold_child_home(const struct tl_fold_hot *h, uint32_t parent,
					uint32_t function)
{
	return ((size_t)parent * TL_FOLD_LINE + function % TL_FOLD_LINE) & tl_fold_child_mask(h);
}

static inline bool tl_fold_is_child(const struct tl_fold_hot *h, uint32_t node, uint32_t parent,
				    uint32_t function)
{
	return h->nodes[node].function == function && h->nodes[node].parent == parent;
}

/*
 * A call begins. The child is nearly always in its first home slot, else in its second; any other
 * case is tl_fold_child_slow(). False: no memory, or the path is new and `refuse_new_paths` is set.
 */
static inline __attribute__((always_inline)) bool
tl_fold_hot_enter(struct tl_fold_hot *h, struct tl_fold *fold, uint32_t function)
{
	uint32_t parent = h->top->node;
	size_t home = tl_fold_child_home(h, parent, function);
	uint32_t node = h->children[home];

	if (!tl_fold_is_child(h, node, parent, function))
		node = h->children[home ^ 1];
	if (__builtin_expect(!tl_fold_is_child(h, node, parent, function) || h->top == h->last,
			     0)) {
		fold->hot = *h;
		node = tl_fold_child_slow(fold, function);
		*h = fold->hot;
		if (!node)
			return false;
	}
	*++h->top = (struct tl_fold_frame){ function, node, h->clock, h->gate };
	/* The callees of this call will be looked up soon. */
	__builtin_prefetch(&h->children[tl_fold_child_home(h, node, 0)]);
	return true;
}

/* ---- the same without contexts ---- */

/* Room for one more frame. False without memory. */
static inline __attribute__((always_inline)) bool tl_fold_hot_room(struct tl_fold_hot *h,
								   struct tl_fold *fold)
{
	bool room;

	if (__builtin_expect(h->top != h->last, 1))
		return true;
	fold->hot = *h;
	room = tl_fold_push_slow(fold);
	*h = fold->hot;
	return room;
}

/*
 * A frame leaves the stack: its ticks and costs go to the sums; `frame[-1]` is its caller's.
 * `costs`: how many the fold has beside time, or more; the others are 0.
 */
static inline __attribute__((always_inline)) void
tl_fold_sum_frame(const struct tl_fold_hot *h, const struct tl_fold *fold,
		  const struct tl_fold_frame *frame, int costs)
{
	struct tl_fold_sums *outer = &h->sums[h->nodes[frame->node].parent];
	const uint64_t ticks = h->clock - frame->start;

	h->sums[frame->node].self += ticks;
	h->sums[frame[-1].node].self -= ticks;
	if (--outer->active)
		return;
	outer->inclusive += ticks;
	for (int i = 0; i < costs; i++)
		outer->costs[i].inclusive += fold->totals[i] - outer->costs[i].begun;
}

/* As tl_fold_hot_enter(). */
static inline __attribute__((always_inline)) bool
tl_fold_hot_enter_summed(struct tl_fold_hot *h, struct tl_fold *fold, uint32_t function, int costs)
{
	struct tl_fold_sums *outer = &h->sums[h->nodes[function + 1].parent];

	if (!tl_fold_hot_room(h, fold))
		return false;
	for (int i = 0; !outer->active && i < costs; i++)
		outer->costs[i].begun = fold->totals[i];
	outer->active++;
	*++h->top = (struct tl_fold_frame){ function, function + 1, h->clock, h->gate };
	return true;
}

/*
 * Close the innermost frame as a finished call; `summed`: of a fold without contexts, of which
 * `costs` says what it does of tl_fold_sum_frame().
 */
static inline __attribute__((always_inline)) void
tl_fold_hot_close(struct tl_fold_hot *h, struct tl_fold *fold, bool summed, int costs)
{
	const struct tl_fold_frame *frame = h->top;
	struct tl_fold_node *node = &h->nodes[frame->node];
	uint64_t ticks = h->clock - frame->start;

	if (__builtin_expect(frame <= h->indexed || frame->gate != h->gate || h->gate & 1, 0)) {
		fold->hot = *h;
		tl_fold_pop_slow(fold);
		*h = fold->hot;
		return;
	}
	h->top--;
	node->calls++;
	if (summed) {
		fold->refused |= __builtin_add_overflow(node->ticks, ticks, &node->ticks);
		tl_fold_sum_frame(h, fold, frame, costs);
	} else {
		node->ticks += ticks;
	}
	if (__builtin_expect(!tl_latency_note(&h->functions[frame->function], ticks, fold->exact),
			     0))
		fold->no_memory = true;
}

static inline __attribute__((always_inline)) void
tl_fold_hot_pop_summed(struct tl_fold_hot *h, struct tl_fold *fold, int costs)
{
	tl_fold_hot_close(h, fold, true, costs);
}

/* ---- the end of a call ---- */

/* Close the innermost frame as a finished call. */
static inline __attribute__((always_inline)) void tl_fold_hot_pop(struct tl_fold_hot *h,
								  struct tl_fold *fold)
{
	tl_fold_hot_close(h, fold, false, 0);
}

/* A call ends. */
static inline __attribute__((always_inline)) void
tl_fold_hot_leave(struct tl_fold_hot *h, struct tl_fold *fold, uint32_t function)
{
	if (__builtin_expect(h->top->function != function, 0)) {
		bool open;

		fold->hot = *h;
		open = tl_fold_unwind(fold, function);
		*h = fold->hot;
		if (!open)
			return;
	}
	tl_fold_hot_pop(h, fold);
}

/*
 * The same for readers that need the stack alone: no contexts, no costs and no durations are kept.
 */
static inline __attribute__((always_inline)) bool
tl_fold_hot_push(struct tl_fold_hot *h, struct tl_fold *fold, uint32_t function)
{
	if (!tl_fold_hot_room(h, fold))
		return false;
	*++h->top = (struct tl_fold_frame){ function, 0, h->clock, h->gate };
	return true;
}

/*
 * A call begins, or (`is_exit` is 1, not 0) the innermost one ends, which is to be one of the
 * function and not to have been searched; else nothing happens, and the result is false. Which of
 * both comes next cannot be foreseen in many traces, so there is no branch for it: a frame is
 * written behind the innermost one in either case, and counts if it is a call.
 */
static inline __attribute__((always_inline)) bool
tl_fold_hot_step(struct tl_fold_hot *h, struct tl_fold *fold, uint32_t function, size_t is_exit)
{
	if ((h->top <= h->indexed && is_exit) ||
	    __builtin_expect(((h->top->function ^ function) & -(uint32_t)is_exit) != 0, 0) ||
	    !tl_fold_hot_room(h, fold))
		return false;
	h->top[1] = (struct tl_fold_frame){ function, 0, h->clock, h->gate };
	h->top += 1 - 2 * (ptrdiff_t)is_exit;
	return true;
}

/* The same, for callers outside of hot loops. */
bool tl_fold_enter(struct tl_fold *fold, uint32_t function);
/* As tl_fold_enter(), but new paths are never refused. */
void tl_fold_enter_new(struct tl_fold *fold, uint32_t function);
void tl_fold_leave(struct tl_fold *fold, uint32_t function);

/* A call that began where records are missing: its cost from here on counts, the call does not. */
void tl_fold_enter_late(struct tl_fold *fold, uint32_t function);
/*
 * Close the innermost frame as a call that ended at an unknown time. `left`: without an exit, so
 * that a frame further out may have made its last calls.
 */
void tl_fold_cut(struct tl_fold *fold, bool left);

/* Open frames, and the function of the innermost one (TL_NONE: none). */
static inline size_t tl_fold_depth(const struct tl_fold *fold)
{
	return (size_t)(fold->hot.top - fold->frames);
}

static inline uint32_t tl_fold_top(const struct tl_fold *fold)
{
	return fold->hot.top->function;
}

/* The cost of a node for one of the events beside time. */
static inline int64_t *tl_fold_cost_at(const struct tl_fold *fold, size_t node, uint32_t event)
{
	uint32_t others = fold->event_count - 1;

	return event == others ? &fold->hot.nodes[node].cost : &fold->costs[node * others + event];
}

/* Without contexts: what was counted so far for one of these events. */
static inline int64_t *tl_fold_total_at(struct tl_fold *fold, uint32_t event)
{
	return &fold->totals[event == fold->event_count - 1 ? 0 : event + 1];
}

/* True when the function has an open frame; otherwise its exit is an orphan. */
bool tl_fold_is_open(struct tl_fold *fold, uint32_t function);

/* Cost of the innermost open function, `event_count` numbers. */
void tl_fold_cost(struct tl_fold *fold, const int64_t *cost);
/* Records are known to be missing here. */
void tl_fold_gap(struct tl_fold *fold);

/*
 * How a gap changed the stack, found by a reader that looked ahead. `exits`: the functions of the
 * exits behind the gap that close no frame opened behind it, in order; `to_end`: no further gap
 * follows them.
 */
struct tl_fold_match {
	size_t kept;  /* open frames that live on, from the outermost */
	size_t begun; /* the first so many exits are those of frames that were opened in the gap */
};
/* False without memory. */
bool tl_fold_match_exits(struct tl_fold *fold, const uint32_t *exits, size_t count, bool to_end,
			 struct tl_fold_match *match);
/* Whether the exits close the open frames one by one, so that nothing need be missing. */
bool tl_fold_fits(const struct tl_fold *fold, const uint32_t *exits, size_t count);
/*
 * Close the frames that did not live on, enter `lost`, a function; the time that passes is then the
 * gap's.
 */
void tl_fold_gap_begin(struct tl_fold *fold, const struct tl_fold_match *match, uint32_t lost);
/* Leave `lost`, and open the frames that were opened in the gap and whose exits follow it. */
void tl_fold_gap_end(struct tl_fold *fold, const uint32_t *exits, size_t begun);

/* Open or close the gate: costs count while it is open. */
void tl_fold_gate(struct tl_fold *fold, bool open);
/* No more records: open frames are unfinished. */
void tl_fold_end(struct tl_fold *fold);

/*
 * A part of a thread: what all its parts count is together what the fold of the thread counts, if
 * no call of it is cut. tl_fold_resume(), before the first record: a frame on the stack, whose call
 * has taken `ticks` so far. It is counted where it ends, and its ticks where they pass.
 * tl_fold_pause(), in the place of tl_fold_end(): open frames go on in the next part.
 */
void tl_fold_resume(struct tl_fold *fold, uint32_t function, uint64_t ticks);
void tl_fold_pause(struct tl_fold *fold);

/*
 * Several stacks of one thread (coroutines), of which one runs: the fold's own frames are those of
 * that one (fold_stacks.c). Time passes for the stack that runs alone: each has its own clock, so
 * that a call costs what ran on its stack.
 */
struct tl_fold_stack {
	struct tl_fold_frame *frames; /* [0] is the outside */
	size_t capacity, depth;
	uint64_t clock;
};

/* Begin an empty stack. False without memory. */
bool tl_fold_stack_begin(struct tl_fold_stack *stack);
void tl_fold_stack_free(struct tl_fold_stack *stack);
/* Exchange the running stack and the one given. */
void tl_fold_stack_swap(struct tl_fold *fold, struct tl_fold_stack *stack);
/*
 * Move the frames above `depth` to a stack that has none. False without memory; the fold is then
 * marked `no_memory`, too.
 */
bool tl_fold_stack_split(struct tl_fold *fold, size_t depth, struct tl_fold_stack *stack);
/*
 * The fold's frames change places with the outermost `depth` ones of the stack. False without
 * memory.
 */
bool tl_fold_stack_exchange(struct tl_fold *fold, struct tl_fold_stack *stack, size_t depth);
/* End the running stack: its open frames are unfinished. tl_fold_end() does so, too. */
void tl_fold_end_frames(struct tl_fold *fold);

/*
 * Add an ended fold to a profile as one more part. `functions[i]` is the profile's number of
 * function i; event 0 of the profile is time. `keep_latency`: durations also for the part alone.
 */
int tl_fold_into(struct tl_fold *fold, struct tl_profile *profile, const struct tl_part *part,
		 const uint32_t *functions, bool keep_latency, struct tl_error *err);
/*
 * 1 if the sums of a fold without contexts, which has ended, are those of contexts; if `folds`
 * of them are added up, also these. 0 if not; TL_NO_MEMORY. `functions`: as for tl_fold_into().
 */
int tl_fold_sums_hold(const struct tl_fold *fold, size_t folds, const uint32_t *functions,
		      size_t profile_functions);

#endif
