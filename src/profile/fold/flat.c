/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/fold/flat.h"

#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"
#include "profile/model/model.h"

bool tl_flat_begin(struct tl_flat *flat, size_t folds, bool exact)
{
	*flat = (struct tl_flat){ .exact = exact, .most_clock = INT64_MAX / (folds + 1) };
	if (!tl_grow(&flat->frames, &flat->frame_capacity, 64, sizeof(*flat->frames)))
		return false;
	flat->frames[0] = (struct tl_flat_frame){ .function = TL_NONE };
	flat->hot.top = flat->frames;
	flat->hot.last = flat->frames + flat->frame_capacity - 1;
	return true;
}

void tl_flat_free(struct tl_flat *flat)
{
	for (size_t i = 0; i < flat->function_count; i++)
		tl_latency_free(&flat->hot.latencies[i]);
	free(flat->hot.latencies);
	free(flat->hot.rows);
	free(flat->frames);
	*flat = (struct tl_flat){ 0 };
}

uint32_t tl_flat_add_function(struct tl_flat *flat)
{
	size_t count = flat->function_count;

	if (count >= TL_NONE ||
	    !tl_grow(&flat->hot.rows, &flat->row_capacity, count + 1, sizeof(*flat->hot.rows)) ||
	    !tl_grow(&flat->hot.latencies, &flat->latency_capacity, count + 1,
		     sizeof(*flat->hot.latencies))) {
		flat->no_memory = true;
		return TL_NONE;
	}
	flat->hot.rows[count] = (struct tl_flat_row){ 0 };
	flat->hot.latencies[count] = TL_LATENCIES_NONE;
	return (uint32_t)flat->function_count++;
}

void tl_flat_time(struct tl_flat *flat, uint64_t ticks)
{
	uint64_t step = ticks - flat->last;

	flat->last = ticks;
	if (!flat->started) {
		flat->started = true;
		flat->first_ticks = ticks;
	} else if (step > INT64_MAX) {
		flat->losses.time_reversals++;
	} else if (step > flat->most_clock - flat->hot.clock) {
		flat->refused = true;
	} else {
		flat->hot.clock += step;
	}
}

bool tl_flat_grow(struct tl_flat *flat)
{
	size_t depth = (size_t)(flat->hot.top - flat->frames);

	if (!tl_grow(&flat->frames, &flat->frame_capacity, depth + 2, sizeof(*flat->frames))) {
		flat->no_memory = true;
		return false;
	}
	flat->hot.top = flat->frames + depth;
	flat->hot.last = flat->frames + flat->frame_capacity - 1;
	return true;
}

void tl_flat_end(struct tl_flat *flat)
{
	while (flat->hot.top > flat->frames) {
		flat->hot.rows[flat->hot.top->function].unfinished++;
		flat->losses.unfinished++;
		tl_flat_pop(&flat->hot);
	}
	for (size_t i = 0; i < flat->function_count; i++)
		tl_latency_total(&flat->hot.latencies[i], flat->hot.rows[i].calls,
				 flat->hot.rows[i].ticks);
}

/* The sums that the profile gets without contexts, by function. */
static bool make_room(struct tl_profile *profile)
{
	struct tl_profile_sums *sums = &profile->sums;
	size_t had = sums->given_capacity;

	if (!tl_grow(&sums->given, &sums->given_capacity, profile->functions.table.count,
		     sizeof(*sums->given)))
		return false;
	for (size_t i = had; i < sums->given_capacity; i++)
		sums->given[i] = (struct tl_given_sums){ 0 };
	return true;
}

static void add_sums(struct tl_given_sums *to, const struct tl_flat_row *row)
{
	to->calls += row->calls;
	to->unfinished += row->unfinished;
	to->self += (int64_t)row->self;
	to->inclusive += (int64_t)row->inclusive;
}

int tl_flat_into(struct tl_flat *flat, struct tl_profile *profile, const struct tl_part *part,
		 const uint32_t *functions, struct tl_error *err)
{
	struct tl_part filled = *part;
	int64_t number;

	if (flat->no_memory || !make_room(profile))
		return tl_error_memory(err);
	tl_losses_add(&filled.losses, &flat->losses);
	filled.records = flat->records;
	filled.first_ticks = flat->first_ticks;
	filled.last_ticks = flat->last;
	number = tl_profile_put_part(profile, &filled, err);
	if (number < 0)
		return (int)number;
	for (size_t i = 0; i < flat->function_count; i++) {
		struct tl_latencies *latency = &flat->hot.latencies[i];

		add_sums(&profile->sums.given[functions[i]], &flat->hot.rows[i]);
		if (latency->calls &&
		    !tl_profile_move_latency(profile, functions[i], TL_NONE, latency))
			return tl_error_memory(err);
	}
	return 0;
}
