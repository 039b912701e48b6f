/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_FOLD_FLAT_H
#define TL_PROFILE_FOLD_FLAT_H
/*
 * The flat fold: what a function table needs, without calling contexts. Its memory grows with
 * functions alone, about 100 bytes each, where contexts can be as many as calls.
 *
 * It is the fold of fold.h for a stack whose exits all end its innermost call, or are orphans. Of
 * anything else (a call that is cut, a gap, a filter, sums beyond 64 bits) it says `refused`: what
 * it has is then to be thrown away, and the trace goes through the fold with contexts. So the
 * results of both are the same.
 */
#include <stdbool.h>
#include <stdint.h>

#include <tracelathe/profile.h>

#include "profile/model/latency.h"

struct tl_flat_frame {
	uint64_t start;   /* clock at entry */
	uint64_t callees; /* ticks of the finished calls right below */
	uint32_t function;
};

/* A function. Inclusive counts the outermost of its calls on the stack, `ticks` all of them. */
struct tl_flat_row {
	uint64_t calls, ticks; /* finished */
	uint64_t self, inclusive;
	uint32_t active; /* calls on the stack */
	uint32_t unfinished;
};

/* What a loop keeps in registers: load it from the fold, run, store it back. */
struct tl_flat_hot {
	uint64_t clock;            /* time counted so far */
	struct tl_flat_frame *top; /* innermost open frame; &frames[0] is the outside */
	struct tl_flat_frame *last;
	struct tl_flat_row *rows;
	struct tl_latencies *latencies;
};

struct tl_flat {
	struct tl_flat_hot hot;
	uint64_t most_clock; /* beyond it, sums might not fit: refused */
	uint64_t last;       /* time of the last record */
	bool started, exact;
	bool refused, no_memory; /* sticky */
	struct tl_flat_frame *frames;
	size_t frame_capacity, function_count, row_capacity, latency_capacity;
	uint64_t first_ticks, records;
	struct tl_losses losses;
};

/* Begin one of `folds` whose sums are added up. False without memory. */
bool tl_flat_begin(struct tl_flat *flat, size_t folds, bool exact);
void tl_flat_free(struct tl_flat *flat);
/* One more function; returns its number, TL_NONE without memory. */
uint32_t tl_flat_add_function(struct tl_flat *flat);
/* The time of the next record, absolute. */
void tl_flat_time(struct tl_flat *flat, uint64_t ticks);
/* No more records: open frames are unfinished. */
void tl_flat_end(struct tl_flat *flat);
/* Room for a frame, in the state of fold->hot. False without memory. */
bool tl_flat_grow(struct tl_flat *flat);

/* A call begins. False without memory. */
static inline __attribute__((always_inline)) bool
tl_flat_enter(struct tl_flat_hot *h, struct tl_flat *flat, uint32_t function)
{
	if (__builtin_expect(h->top == h->last, 0)) {
		bool room;

		flat->hot = *h;
		room = tl_flat_grow(flat);
		*h = flat->hot;
		if (!room)
			return false;
	}
	h->rows[function].active++;
	*++h->top = (struct tl_flat_frame){ h->clock, 0, function };
	return true;
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

/* A call ends. False: the fold refuses, or there is no memory. */
static inline __attribute__((always_inline)) bool
tl_flat_leave(struct tl_flat_hot *h, struct tl_flat *flat, uint32_t function)
{
	struct tl_flat_row *row = &h->rows[function];
	uint64_t ticks;

	if (__builtin_expect(h->top->function != function, 0)) {
		flat->losses.orphan_exits++;
		flat->refused |= row->active != 0;
		return !flat->refused;
	}
	ticks = tl_flat_pop(h);
	row->calls++;
	flat->refused |= __builtin_add_overflow(row->ticks, ticks, &row->ticks);
	flat->no_memory |= !tl_latency_note(&h->latencies[function], ticks, flat->exact);
	return true;
}

/*
 * Add an ended fold that did not refuse to a profile as one more part, whose costs are in the sums
 * of all parts alone. `functions[i]` is the profile's number of function i; event 0 of the profile,
 * its only one, is time.
 */
int tl_flat_into(struct tl_flat *flat, struct tl_profile *profile, const struct tl_part *part,
		 const uint32_t *functions, struct tl_error *err);

#endif
