/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_FOLD_FLAT_H
#define TL_PROFILE_FOLD_FLAT_H
/*
 * The flat fold: what a function table needs, and if wanted the calls between functions (arcs),
 * without calling contexts. Its memory grows with functions, about 100 bytes each, and arcs, where
 * contexts can be as many as calls.
 *
 * It is the fold of fold.h for a stack whose exits all end its innermost call, or are orphans. Of
 * anything else (a call that is cut, a gap, a filter, sums beyond 64 bits) it says `refused`: what
 * it has is then to be thrown away, and the trace goes through the fold with contexts. So the
 * results of both are the same. Calls whose ends are known to be cut, and a gate, are for those who
 * go through the calls of an index (flat_window.c).
 *
 * A piece of a thread can be folded by itself, before it is known which calls are open where it
 * begins, and spliced to the fold of what is before it (flat_local.c).
 */
#include <stdbool.h>
#include <stdint.h>

#include <tracelathe/profile.h>

#include "core/memory.h"
#include "profile/fold/fold.h"

struct tl_flat_frame {
	uint64_t start;   /* clock at entry */
	uint64_t callees; /* ticks of the finished calls right below */
	uint32_t function;
	union {
		uint32_t arc; /* that it is a call along; TL_NONE: from outside, or none are kept */
		uint32_t before; /* in a list: the frame of its function below it; 0: none */
	};
	uint32_t gate; /* gate count at entry, or TL_FOLD_NO_ENTRY; 0 without a gate */
	bool counted;  /* a call below it is counted, or has a cost */
};

/* The calls of one function by another. Inclusive counts the outermost of them on the stack. */
struct tl_flat_arc {
	uint64_t calls, inclusive;
	uint32_t caller, callee;
	uint32_t active; /* calls on the stack */
	bool counted;    /* some were while the gate was open */
};

/*
 * Arcs among the first 2^TL_FLAT_NEAR_BITS functions have their number plus one in a square, which
 * is all of it that few functions touch: a hash would miss the caches twice a call. Its rows are no
 * power of two apart, which would be the same few places of the caches. It has 4 MiB, too much for
 * more than TL_FLAT_NEAR_FOLDS folds at a time.
 */
enum {
	TL_FLAT_NEAR_BITS = 10,
	TL_FLAT_NEAR_ROW = (1 << TL_FLAT_NEAR_BITS) + 16,
	TL_FLAT_NEAR_FOLDS = 8
};

struct tl_flat_arcs {
	struct tl_flat_arc *list;
	size_t count, capacity;
	uint32_t *near;        /* NULL: too many folds */
	struct tl_index index; /* all others */
};

/* A function. Inclusive counts the outermost of its calls on the stack, `ticks` all of them. */
struct tl_flat_row {
	uint64_t calls, ticks; /* finished */
	uint64_t self, inclusive;
	uint32_t active; /* calls on the stack */
	uint32_t unfinished;
	uint64_t cut; /* calls whose end is not known */
};

/* What a loop keeps in registers: load it from the fold, run, store it back. */
struct tl_flat_hot {
	uint64_t clock;            /* time counted so far */
	struct tl_flat_frame *top; /* innermost open frame; &frames[0] is the outside */
	struct tl_flat_frame *last;
	struct tl_flat_row *rows;
	struct tl_latencies *latencies;
	struct tl_flat_arcs *arcs; /* NULL: none are kept */
};

/* An exit of a function that is not among the calls of the piece (flat_local.c). */
struct tl_flat_exit {
	uint64_t clock;     /* of the piece */
	uint64_t callees;   /* ticks of the piece's outermost calls since the exit before */
	uint64_t inclusive; /* of the function, until then */
	uint32_t function;
	bool inside; /* a call of the piece is open: it can only be an orphan */
};

/* A function that an unknown frame called. */
struct tl_flat_root {
	size_t exits; /* that were before */
	uint32_t function;
};

/* What a piece has to do with calls that were open where it begins. */
struct tl_flat_local {
	struct tl_flat_exit *exits;
	struct tl_flat_root *roots;
	size_t exit_count, exit_capacity, root_count, root_capacity;
};

/* What frames[0] has for a function in a piece, plus the number of exits so far. */
enum { TL_FLAT_MOST_EXITS = 1 << 20 };
#define TL_FLAT_UNKNOWN UINT32_C(0x80000000)

struct tl_flat {
	struct tl_flat_hot hot;
	uint64_t most_clock; /* beyond it, sums might not fit: refused */
	uint64_t last;       /* time of the last record */
	bool started, exact;
	bool refused, no_memory; /* sticky */
	uint32_t gate;           /* counts openings and closings: odd is closed */
	struct tl_flat_arcs arcs;
	struct tl_flat_frame *frames;
	size_t frame_capacity, function_count, row_capacity, latency_capacity;
	uint64_t first_ticks, records;
	struct tl_losses losses;
	struct tl_flat_local *local; /* of a piece; NULL: the stack is known */
	struct tl_flat_list *list; /* of many functions (flat_list.h); NULL: calls count at once */
};

/* How a call counts: finished, cut, unfinished, or not at all. */
enum tl_flat_count { TL_FLAT_UNCOUNTED, TL_FLAT_FINISHED, TL_FLAT_CUT, TL_FLAT_UNFINISHED };

/* Begin one of `folds` whose sums are added up. False without memory. */
bool tl_flat_begin(struct tl_flat *flat, size_t folds, bool exact);
/*
 * Keep the calls between functions from here on, in one of `folds` at a time; the fold stays at its
 * address. False without memory.
 */
bool tl_flat_keep_arcs(struct tl_flat *flat, size_t folds);
void tl_flat_free(struct tl_flat *flat);
/* One more function; returns its number, TL_NONE without memory. */
uint32_t tl_flat_add_function(struct tl_flat *flat);
/* The time of the next record, absolute. */
void tl_flat_time(struct tl_flat *flat, uint64_t ticks);
/* No more records: open frames are unfinished. */
void tl_flat_end(struct tl_flat *flat);
/* Room for a frame, in the state of fold->hot. False without memory. */
bool tl_flat_grow(struct tl_flat *flat);

/* ---- a piece of a thread (flat_local.c) ---- */

/* It is a piece whose stack is not known; without arcs. False without memory. */
bool tl_flat_begin_local(struct tl_flat *flat);
/* A call ends that is not the innermost of the piece. False: the fold refuses, or no memory. */
bool tl_flat_leave_unknown(struct tl_flat_hot *h, struct tl_flat *flat, uint32_t function);
/* The unknown frame calls a function: whether it can is asked when the piece is spliced. */
void tl_flat_note_root(struct tl_flat *flat, uint32_t function);

/* Whether one function can call the other. */
typedef bool tl_flat_can_call_fn(void *arg, uint32_t caller, uint32_t callee);

/*
 * Go on in `flat` with a piece, which is used up: as if its records were folded in place. Function
 * i of the piece is functions[i] of `flat`. `can_call` NULL: all can. False: the fold refuses, or
 * there is no memory.
 */
bool tl_flat_splice(struct tl_flat *flat, struct tl_flat *piece, const uint32_t *functions,
		    tl_flat_can_call_fn *can_call, void *arg);

/* The innermost frame is a new call along its arc. False without memory. */
bool tl_flat_arc_enter(struct tl_flat_hot *h, struct tl_flat *flat);
/* It ends after so many ticks. */
void tl_flat_arc_leave(const struct tl_flat_hot *h, uint64_t ticks, bool is_call, bool counted);

/* Room for the next frame. False without memory. */
static inline __attribute__((always_inline)) bool tl_flat_has_room(struct tl_flat_hot *h,
								   struct tl_flat *flat)
{
	bool room = true;

	if (__builtin_expect(h->top == h->last, 0)) {
		flat->hot = *h;
		room = tl_flat_grow(flat);
		*h = flat->hot;
	}
	return room;
}

/* A call begins. False without memory. */
static inline __attribute__((always_inline)) bool
tl_flat_enter(struct tl_flat_hot *h, struct tl_flat *flat, uint32_t function)
{
	if (!tl_flat_has_room(h, flat))
		return false;
	h->rows[function].active++;
	*++h->top = (struct tl_flat_frame){
		.start = h->clock,
		.function = function,
		.arc = TL_NONE,
	};
	return !h->arcs || tl_flat_arc_enter(h, flat);
}

/* Take the innermost frame off the stack. @return its ticks */
static inline __attribute__((always_inline)) uint64_t tl_flat_pop(struct tl_flat_hot *h)
{
	const struct tl_flat_frame *frame = h->top--;
	struct tl_flat_row *row = &h->rows[frame->function];
	uint64_t ticks = h->clock - frame->start;

	row->self += ticks - frame->callees;
	if (!--row->active)
		row->inclusive += ticks;
	h->top->callees += ticks;
	return ticks;
}

/* The innermost frame is a call that ends, all of which is counted. */
static inline __attribute__((always_inline)) void tl_flat_finish(struct tl_flat_hot *h,
								 struct tl_flat *flat)
{
	uint32_t function = h->top->function;
	struct tl_flat_row *row = &h->rows[function];
	uint64_t ticks;

	if (h->arcs)
		tl_flat_arc_leave(h, h->clock - h->top->start, true, true);
	ticks = tl_flat_pop(h);
	row->calls++;
	flat->refused |= __builtin_add_overflow(row->ticks, ticks, &row->ticks);
	flat->no_memory |= !tl_latency_note(&h->latencies[function], ticks, flat->exact);
}

/* A call ends. False: the fold refuses, or there is no memory. */
static inline __attribute__((always_inline)) bool
tl_flat_leave(struct tl_flat_hot *h, struct tl_flat *flat, uint32_t function)
{
	if (__builtin_expect(h->top->function != function, 0)) {
		if (flat->local)
			return tl_flat_leave_unknown(h, flat, function);
		flat->losses.orphan_exits++;
		flat->refused |= h->rows[function].active != 0;
		return !flat->refused;
	}
	tl_flat_finish(h, flat);
	return true;
}

/* The same for the stack alone: nothing of the call is counted. */
static inline __attribute__((always_inline)) bool
tl_flat_drop(struct tl_flat_hot *h, struct tl_flat *flat, uint32_t function)
{
	if (__builtin_expect(h->top->function != function, 0)) {
		flat->refused |= h->rows[function].active != 0;
		return !flat->refused;
	}
	h->rows[function].active--;
	h->top--;
	return true;
}

/* ---- the calls of a window (flat_window.c) ---- */

/* The innermost frame is a call that began at the present gate, and ends at a known time. */
static inline __attribute__((always_inline)) void tl_flat_end_counted(struct tl_flat_hot *h,
								      struct tl_flat *flat)
{
	tl_flat_finish(h, flat);
	h->top->counted = true;
}

/* Open or close the gate: costs count while it is open. */
void tl_flat_gate(struct tl_flat *flat, bool open);
/* A call begins; `late`: before the first record that is known of it. */
void tl_flat_begin_call(struct tl_flat *flat, uint32_t function, bool late);
/* The innermost call ends, if there is one; `cut`: at a time that is not known. */
void tl_flat_end_call(struct tl_flat *flat, bool cut);
/* The open calls are unfinished; what follows is another stack, with times of its own. */
void tl_flat_end_stack(struct tl_flat *flat);
/*
 * Add the part of a stack that has ended to a profile: its records and losses. The next one begins
 * without any. 0 or negative.
 */
int tl_flat_part_into(struct tl_flat *flat, struct tl_profile *profile, const struct tl_part *part,
		      struct tl_error *err);
/*
 * Add the sums of all stacks to a profile without arcs, whose functions have the numbers of the
 * fold. 0 or negative.
 */
int tl_flat_sums_into(struct tl_flat *flat, struct tl_profile *profile, struct tl_error *err);

/*
 * Add an ended fold that did not refuse to a profile as one more part, whose costs are in the sums
 * of all parts alone. `functions[i]` is the profile's number of function i; event 0 of the profile,
 * its only one, is time.
 */
int tl_flat_into(struct tl_flat *flat, struct tl_profile *profile, const struct tl_part *part,
		 const uint32_t *functions, struct tl_error *err);

#endif
