/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sums of a window: as in window.c, but through the flat fold, as contexts can be as many as
 * calls. All tracks go through one fold, whose functions have the numbers of the profile.
 */
#include "open/window/window.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "open/format.h"
#include "open/input.h"
#include "profile/fold/flat.h"

/*
 * Functions below NEAR have their numbers in an array, which most traces' have: of 100,000 a hash
 * takes a quarter of the time.
 */
enum { NEAR = 1 << 20, LAST_BITS = 12 };

struct sums {
	struct tl_call_index *index;
	struct tl_call_cursor *cursor;
	struct tl_call_span span;
	struct tl_profile *profile;
	struct tl_flat flat;
	uint32_t *near; /* the profile's number plus one, by the index's; 0: not met yet */
	size_t near_capacity;
	struct tl_index met; /* numbers in `functions`, by the index's */
	struct met_function {
		uint32_t function, number; /* the index's and the profile's; TL_NONE: none */
	} *functions;
	size_t function_count, function_capacity;
	struct met_function last[1 << LAST_BITS]; /* by the low bits of the index's number */
	uint64_t now;                             /* of the last step */
	int status;                               /* negative: a function could not be named */
	struct tl_error err;                      /* why */
};

/* ---- functions ---- */

static bool same_function(const void *context, const void *key, uint32_t number)
{
	const struct sums *s = context;

	return s->functions[number].function == *(const uint32_t *)key;
}

/* A function of the profile and of the fold, TL_NONE as in number_of(). */
static uint32_t name_function(struct sums *s, uint32_t function)
{
	int64_t number = tl_window_function(s->index, function, s->profile, &s->err);

	if (number < 0) {
		s->status = (int)number;
		return TL_NONE;
	}
	while (s->flat.function_count <= (size_t)number)
		if (tl_flat_add_function(&s->flat) == TL_NONE)
			return TL_NONE;
	return (uint32_t)number;
}

static uint32_t add_near(struct sums *s, uint32_t function)
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

static uint32_t add_function(struct sums *s, uint32_t function, uint64_t hash)
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
	s->functions[s->function_count++] = (struct met_function){ function, number };
	return number;
}

static uint32_t far_number(struct sums *s, uint32_t function)
{
	struct met_function *last = &s->last[function & ((1 << LAST_BITS) - 1)];
	uint64_t hash;
	uint32_t met, number;

	if (last->function == function && last->number != TL_NONE)
		return last->number;
	hash = tl_hash64(function);
	met = tl_index_find(&s->met, hash, same_function, s, &function);
	number = met == TL_NONE ? add_function(s, function, hash) : s->functions[met].number;
	*last = (struct met_function){ function, number };
	return number;
}

/* The profile's number of a function; TL_NONE: it has none, and `status` or the fold says why. */
static uint32_t number_of(struct sums *s, uint32_t function)
{
	if (function >= NEAR)
		return far_number(s, function);
	if (function < s->near_capacity && s->near[function])
		return s->near[function] - 1;
	return add_near(s, function);
}

/* ---- steps ---- */

static void begin_call(struct sums *s, uint32_t function, unsigned flags)
{
	uint32_t number = number_of(s, function);

	if (number != TL_NONE)
		tl_flat_begin_call(&s->flat, number, flags & TL_CALL_LATE);
}

/* Time passes; the gate opens and closes exactly at the borders of the window. */
static void pass_time(struct sums *s, uint64_t ticks)
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

/* The calls that are open where the first leaf begins. 0 or negative. */
static int open_calls(struct sums *s, const struct tl_call_track *track, size_t leaf,
		      struct tl_error *err)
{
	size_t count = track->leaves[leaf].depth;
	int status = count ? tl_cursor_open_calls(s->cursor, track, leaf, err) : 0;

	if (status < 0)
		return status;
	s->now = track->leaves[leaf].ticks;
	tl_flat_time(&s->flat, s->now);
	tl_flat_gate(&s->flat, s->now >= s->span.from && s->now < s->span.to);
	for (size_t i = 0; i < count; i++)
		begin_call(s, s->cursor->deep[i].function, s->cursor->deep[i].flags);
	return 0;
}

static bool can_go_on(const struct sums *s)
{
	return s->now < s->span.to && s->status == 0 && !s->flat.no_memory && !s->flat.refused;
}

static void pass_step(struct sums *s, const struct tl_step *step)
{
	pass_time(s, step->ticks);
	if (!can_go_on(s))
		return;
	if (step->end)
		tl_flat_end_call(&s->flat, step->flags & TL_CALL_CUT);
	else
		begin_call(s, step->function, step->flags);
	s->flat.records++;
}

/* A step behind `now`, both in the window: of a function that was met, or the end of a call there. */
static inline __attribute__((always_inline)) bool is_common(const struct sums *s,
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

/*
 * Steps from `first` on as far as they are common ones: what the fold counts with stays in
 * registers meanwhile. Returns the first one that is not.
 */
static size_t pass_common(struct sums *s, const struct tl_steps *steps, size_t first)
{
	struct tl_flat *flat = &s->flat;
	struct tl_flat_hot hot = flat->hot;
	uint64_t now = s->now;
	size_t i = first;

	if (now < s->span.from || !flat->started)
		return first;
	for (; i < steps->count && is_common(s, &hot, &steps->list[i], now); i++) {
		const struct tl_step *step = &steps->list[i];

		hot.clock += step->ticks - now;
		now = step->ticks;
		if (step->end) {
			tl_flat_end_counted(&hot, flat);
		} else {
			if (!tl_flat_enter(&hot, flat, s->near[step->function] - 1))
				break;
			hot.top->gate = flat->gate;
		}
	}
	flat->hot = hot;
	flat->last = s->now = now;
	flat->records += i - first;
	return i;
}

static int fold_leaf(struct sums *s, const struct tl_call_track *track, size_t leaf,
		     struct tl_error *err)
{
	struct tl_leaf_reader *reader = &s->cursor->reader;
	int status = tl_leaf_read_steps(reader, track, leaf, err);

	if (status < 0)
		return status;
	for (size_t i = 0; i < reader->steps.count && can_go_on(s); i++) {
		i = pass_common(s, &reader->steps, i);
		if (i < reader->steps.count)
			pass_step(s, &reader->steps.list[i]);
	}
	return 0;
}

/* ---- tracks ---- */

/* What keeps the sums from being right. 0: nothing. */
static int fault_of(struct sums *s, struct tl_error *err)
{
	if (s->flat.no_memory)
		return tl_error_memory(err);
	if (s->status < 0)
		*err = s->err;
	return s->status;
}

static int fold_track(struct sums *s, const struct tl_input *input,
		      const struct tl_call_track *track, struct tl_error *err)
{
	const struct tl_part part = tl_window_part(track);
	size_t leaf = tl_leaf_before(track, s->span.from);
	int status = open_calls(s, track, leaf, err);

	for (; status == 0 && leaf < track->leaf_count && can_go_on(s); leaf++) {
		status = fold_leaf(s, track, leaf, err);
		if (status == 0)
			status = tl_call_span_progress(input, leaf, track->leaf_count, err);
	}
	if (status == 0)
		status = fault_of(s, err);
	if (status < 0 || s->flat.refused)
		return status;
	tl_flat_end_stack(&s->flat);
	return tl_flat_part_into(&s->flat, s->profile, &part, err);
}

static int fold_tracks(struct sums *s, const struct tl_input *input, struct tl_error *err)
{
	const struct tl_call_tracks *tracks = &s->index->tracks;
	int status = 0;

	for (size_t i = 0; status == 0 && !s->flat.refused && i < tracks->count; i++)
		if (tracks->list[i]->leaf_count && (!s->span.one_track || s->span.track == i))
			status = fold_track(s, input, tracks->list[i], err);
	if (status < 0 || s->flat.refused)
		return status;
	tl_flat_end(&s->flat);
	status = tl_flat_sums_into(&s->flat, s->profile, err);
	return status < 0 ? status : 1;
}

int tl_window_sums(struct tl_input *input, struct tl_call_index *index,
		   struct tl_call_cursor *cursor, const struct tl_call_span *span,
		   struct tl_profile *profile, struct tl_error *err)
{
	struct sums *s = tl_zeroed(1, sizeof(*s));
	int status;

	if (!s)
		return tl_error_memory(err);
	s->index = index;
	s->cursor = cursor;
	s->span = *span;
	s->profile = profile;
	memset(s->last, 0xff, sizeof(s->last));
	if (tl_flat_begin(&s->flat, 1, input->options.exact) &&
	    (span->table || tl_flat_keep_arcs(&s->flat, 1)))
		status = fold_tracks(s, input, err);
	else
		status = tl_error_memory(err);
	tl_flat_free(&s->flat);
	tl_index_free(&s->met);
	free(s->functions);
	free(s->near);
	free(s);
	return status;
}
