/* SPDX-License-Identifier: Apache-2.0 */
#include "open/window/sums.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "open/window/tile_sums.h"
#include "profile/fold/flat_list.h"

/*
 * Functions below NEAR have their numbers in an array, which most traces' have: of 100,000 a hash
 * takes a quarter of the time.
 */
enum { NEAR = 1 << 20 };

struct tl_sums *tl_sums_begin(struct tl_known_functions *known, bool exact, bool arcs)
{
	struct tl_sums *s = tl_zeroed(1, sizeof(*s));

	if (!s)
		return NULL;
	s->known = known;
	s->span = (struct tl_call_span){ .to = TL_NOWHERE };
	memset(s->last, 0xff, sizeof(s->last));
	if (tl_flat_begin(&s->flat, 1, exact) && (!arcs || tl_flat_keep_arcs(&s->flat, 1)))
		return s;
	tl_sums_free(s);
	return NULL;
}

void tl_sums_free(struct tl_sums *s)
{
	if (!s)
		return;
	tl_flat_free(&s->flat);
	tl_index_free(&s->met);
	free(s->functions);
	free(s->near);
	free(s->places);
	free(s->indexed);
	free(s->numbers);
	free(s->skipped);
	free(s);
}

int tl_sums_fault(const struct tl_sums *s, struct tl_error *err)
{
	if (s->flat.no_memory)
		return tl_error_memory(err);
	if (s->status < 0)
		*err = s->err;
	return s->status;
}

/* ---- functions ---- */

static bool same_function(const void *context, const void *key, uint32_t number)
{
	const struct tl_sums *s = context;

	return s->functions[number].function == *(const uint32_t *)key;
}

/* The fold's number of a function by its number among those that are known; 0: none, else + 1. */
static uint32_t *place_of(struct tl_sums *s, uint32_t same)
{
	const size_t had = s->place_capacity;

	if (!tl_grow(&s->places, &s->place_capacity, (size_t)same + 1, sizeof(*s->places))) {
		s->flat.no_memory = true;
		return NULL;
	}
	memset(s->places + had, 0, (s->place_capacity - had) * sizeof(*s->places));
	return &s->places[same];
}

static uint32_t add_to_fold(struct tl_sums *s, uint32_t function, uint32_t known)
{
	const size_t count = s->flat.function_count;

	if (!tl_grow(&s->indexed, &s->indexed_capacity, count + 1, sizeof(*s->indexed)) ||
	    !tl_grow(&s->numbers, &s->number_capacity, count + 1, sizeof(*s->numbers))) {
		s->flat.no_memory = true;
		return TL_NONE;
	}
	s->indexed[count] = function;
	s->numbers[count] = known;
	return tl_flat_add_function(&s->flat);
}

/* A function of the fold, TL_NONE as in tl_sums_function(). */
static uint32_t name_function(struct tl_sums *s, uint32_t function)
{
	uint32_t known, same, number, *place;
	int status = tl_known_find(s->known, function, &known, &same, &s->err);

	if (status < 0) {
		s->status = status;
		return TL_NONE;
	}
	place = place_of(s, same);
	if (!place)
		return TL_NONE;
	if (*place)
		return *place - 1;
	number = add_to_fold(s, function, known);
	if (number != TL_NONE)
		*place = number + 1;
	return number;
}

static uint32_t add_near(struct tl_sums *s, uint32_t function)
{
	size_t had = s->near_capacity;
	uint32_t number = name_function(s, function);

	if (number == TL_NONE)
		return TL_NONE;
	if (!tl_grow(&s->near, &s->near_capacity, (size_t)function + 1, sizeof(*s->near))) {
		s->flat.no_memory = true;
		return TL_NONE;
	}
	memset(s->near + had, 0, (s->near_capacity - had) * sizeof(*s->near));
	s->near[function] = number + 1;
	return number;
}

static uint32_t add_function(struct tl_sums *s, uint32_t function, uint64_t hash)
{
	uint32_t number = name_function(s, function);
	size_t count = s->function_count;

	if (number == TL_NONE)
		return TL_NONE;
	if (!tl_grow(&s->functions, &s->function_capacity, count + 1, sizeof(*s->functions)) ||
	    !tl_index_add(&s->met, hash, (uint32_t)count)) {
		s->flat.no_memory = true;
		return TL_NONE;
	}
	s->functions[s->function_count++] = (struct tl_met_function){ function, number };
	return number;
}

static uint32_t far_number(struct tl_sums *s, uint32_t function)
{
	struct tl_met_function *last = &s->last[function & ((1 << TL_SUMS_LAST_BITS) - 1)];
	uint64_t hash;
	uint32_t met, number;

	if (last->function == function && last->number != TL_NONE)
		return last->number;
	hash = tl_hash64(function);
	met = tl_index_find(&s->met, hash, same_function, s, &function);
	number = met == TL_NONE ? add_function(s, function, hash) : s->functions[met].number;
	*last = (struct tl_met_function){ function, number };
	return number;
}

uint32_t tl_sums_function(struct tl_sums *s, uint32_t function)
{
	if (function >= NEAR)
		return far_number(s, function);
	if (function < s->near_capacity && s->near[function])
		return s->near[function] - 1;
	return add_near(s, function);
}

/* ---- steps ---- */

void tl_sums_begin_call(struct tl_sums *s, uint32_t function, unsigned flags)
{
	uint32_t number = tl_sums_function(s, function);

	if (number != TL_NONE)
		tl_flat_begin_call(&s->flat, number, flags & TL_CALL_LATE);
}

void tl_sums_pass_time(struct tl_sums *s, uint64_t ticks)
{
	if (s->now < s->span.from && ticks >= s->span.from) {
		tl_flat_time(&s->flat, s->span.from);
		tl_flat_gate(&s->flat, true);
	}
	if (s->now < s->span.to && ticks >= s->span.to) {
		tl_flat_time(&s->flat, s->span.to);
		tl_flat_gate(&s->flat, false);
	}
	tl_flat_time(&s->flat, ticks);
	s->now = ticks;
}

int tl_sums_open_calls(struct tl_sums *s, const struct tl_call_track *track, size_t leaf,
		       struct tl_error *err)
{
	size_t count = track->leaves[leaf].depth;
	int status = count ? tl_cursor_open_functions(s->cursor, track, leaf, err) : 0;

	if (status < 0)
		return status;
	s->now = track->leaves[leaf].ticks;
	tl_flat_time(&s->flat, s->now);
	tl_flat_gate(&s->flat, s->now >= s->span.from && s->now < s->span.to);
	/* Ends of calls around a tile are noted, so that none of them may be a common step. */
	for (size_t i = 0; i < count; i++)
		tl_sums_begin_call(s, s->cursor->deep[i].function,
				   s->tile ? TL_CALL_LATE : s->cursor->deep[i].flags);
	return 0;
}

bool tl_sums_can_go_on(const struct tl_sums *s)
{
	return s->now < s->span.to && s->status == 0 && !s->flat.no_memory && !s->flat.refused;
}

/* A step ends a call: true if it is one from before the tile that is made, which is noted. */
static bool end_around(struct tl_sums *s, const struct tl_step *step)
{
	struct tl_tile_sums *tile = s->tile;
	struct tl_flat_hot *h = &s->flat.hot;

	if (!tile->open || (size_t)(h->top - s->flat.frames) > tile->open)
		return false;
	tile->open--;
	if (!tl_grow(&tile->ends, &tile->end_capacity, tile->end_count + 1, sizeof(*tile->ends))) {
		s->flat.no_memory = true;
		return true;
	}
	tile->ends[tile->end_count++] =
		(struct tl_tile_end){ step->ticks, h->top->callees, step->flags };
	h->rows[h->top->function].active--;
	h->top--;
	return true;
}

static void pass_step(struct tl_sums *s, const struct tl_step *step)
{
	tl_sums_pass_time(s, step->ticks);
	if (!tl_sums_can_go_on(s))
		return;
	if (step->end && !(s->tile && end_around(s, step)))
		tl_flat_end_call(&s->flat, step->flags & TL_CALL_CUT);
	else if (!step->end)
		tl_sums_begin_call(s, step->function, step->flags);
	s->flat.records++;
}

/* A step in the window, as is `now`: of a function that was met, or the end of a call there. */
static inline __attribute__((always_inline)) bool is_common(const struct tl_sums *s,
							    const struct tl_flat_hot *hot,
							    const struct tl_step *step,
							    uint64_t now)
{
	const struct tl_flat *flat = &s->flat;

	if (step->ticks < now || step->ticks >= s->span.to ||
	    step->ticks - now > flat->most_clock - hot->clock)
		return false;
	if (step->end)
		return hot->top != flat->frames && hot->top->gate == flat->gate &&
		       !(step->flags & TL_CALL_CUT);
	return step->function < s->near_capacity && s->near[step->function] &&
	       !(step->flags & TL_CALL_LATE);
}

/* Beyond so many functions their sums are in no near cache; the steps ahead say which are next. */
enum { MANY_FUNCTIONS = 4096, STEPS_AHEAD = 12 };

static inline __attribute__((always_inline)) void
fetch_ahead(const struct tl_sums *s, const struct tl_flat_hot *hot, const struct tl_step *step)
{
	uint32_t number = 0;

	if (!step->end && step->function < s->near_capacity)
		number = s->near[step->function];
	if (!number)
		return;
	__builtin_prefetch(&hot->rows[number - 1], 1);
	__builtin_prefetch(&hot->latencies[number - 1], 1);
}

/*
 * Steps from `first` on as far as they are common ones: what the fold counts with stays in
 * registers meanwhile. Returns the first one that is not.
 */
static inline __attribute__((always_inline)) size_t pass_common(struct tl_sums *s,
								const struct tl_steps *steps,
								size_t first, bool listed)
{
	struct tl_flat *flat = &s->flat;
	struct tl_flat_hot hot = flat->hot;
	uint64_t now = s->now;
	size_t i = first, known = 0;

	if (now < s->span.from || !flat->started)
		return first;
	if (!listed && flat->function_count > MANY_FUNCTIONS)
		known = tl_excess(steps->count, STEPS_AHEAD);
	for (; i < steps->count && is_common(s, &hot, &steps->list[i], now); i++) {
		const struct tl_step *step = &steps->list[i];
		bool entered = true;

		if (!listed && i < known)
			fetch_ahead(s, &hot, step + STEPS_AHEAD);
		hot.clock += step->ticks - now;
		now = step->ticks;
		if (step->end && listed)
			tl_flat_list_leave(&hot, flat, TL_FLAT_FINISHED, true);
		else if (step->end)
			tl_flat_end_counted(&hot, flat);
		else if (listed)
			entered = tl_flat_list_enter(&hot, flat, s->near[step->function] - 1);
		else
			entered = tl_flat_enter(&hot, flat, s->near[step->function] - 1);
		if (!entered)
			break;
		if (!step->end)
			hot.top->gate = flat->gate;
	}
	flat->hot = hot;
	flat->last = s->now = now;
	flat->records += i - first;
	return i;
}

/* Calls of many functions are noted, and added up by function; those of tiles count at once. */
static bool is_listed(struct tl_sums *s)
{
	struct tl_flat *flat = &s->flat;

	if (!flat->list && !s->tile && flat->function_count > MANY_FUNCTIONS)
		flat->no_memory |= !tl_flat_list_begin(flat);
	return flat->list != NULL;
}

/* A step before the window begins a call, or ends the innermost one. */
static void skip_step(struct tl_sums *s, const struct tl_steps *steps, size_t number, size_t *open)
{
	const struct tl_step *step = &steps->list[number], *begin;

	if (!step->end) {
		if (tl_grow(&s->skipped, &s->skipped_capacity, *open + 1, sizeof(*s->skipped)))
			s->skipped[(*open)++] = number;
		else
			s->flat.no_memory = true;
		return;
	}
	if (!*open) {
		tl_flat_end_call(&s->flat, step->flags & TL_CALL_CUT);
		return;
	}
	begin = &steps->list[s->skipped[--*open]];
	s->flat.losses.orphan_exits += begin->flags & TL_CALL_LATE && !(step->flags & TL_CALL_CUT);
}

/*
 * Nothing counts before the window: of the steps there, only calls that are open where it begins
 * go through the fold. Returns the first step that is not before it.
 */
static size_t skip_steps(struct tl_sums *s, const struct tl_steps *steps)
{
	uint64_t now = s->now;
	size_t i = 0, open = 0;

	if (s->tile || now >= s->span.from)
		return 0;
	for (; i < steps->count && !s->flat.no_memory; i++) {
		const struct tl_step *step = &steps->list[i];

		if (step->ticks >= s->span.from || step->ticks < now)
			break;
		now = step->ticks;
		skip_step(s, steps, i, &open);
	}
	if (i)
		tl_sums_pass_time(s, now);
	s->flat.records += i;
	for (size_t n = 0; n < open; n++) {
		const struct tl_step *begin = &steps->list[s->skipped[n]];

		tl_sums_begin_call(s, begin->function, begin->flags);
	}
	return i;
}

int tl_sums_fold_leaf(struct tl_sums *s, const struct tl_call_track *track, size_t leaf,
		      struct tl_error *err)
{
	struct tl_leaf_reader *reader = &s->cursor->reader;
	int status = tl_leaf_read_steps(reader, track, leaf, err);
	bool listed;

	if (status < 0)
		return status;
	listed = is_listed(s);
	for (size_t i = skip_steps(s, &reader->steps);
	     i < reader->steps.count && tl_sums_can_go_on(s); i++) {
		i = listed ? pass_common(s, &reader->steps, i, true)
			   : pass_common(s, &reader->steps, i, false);
		if (i < reader->steps.count)
			pass_step(s, &reader->steps.list[i]);
	}
	return 0;
}
