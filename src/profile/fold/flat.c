/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/fold/flat.h"

#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"
#include "profile/fold/flat_list.h"
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

static void free_local(struct tl_flat_local *local)
{
	if (!local)
		return;
	free(local->exits);
	free(local->roots);
	free(local);
}

void tl_flat_free(struct tl_flat *flat)
{
	for (size_t i = 0; i < flat->function_count; i++)
		tl_latency_free(&flat->hot.latencies[i]);
	free(flat->hot.latencies);
	free(flat->hot.rows);
	free(flat->frames);
	free(flat->arcs.list);
	free(flat->arcs.near);
	tl_index_free(&flat->arcs.index);
	free_local(flat->local);
	tl_flat_list_free(flat->list);
	*flat = (struct tl_flat){ 0 };
}

uint32_t tl_flat_add_function(struct tl_flat *flat)
{
	size_t count = flat->function_count;

	if (count >= TL_NONE ||
	    !tl_grow(&flat->hot.rows, &flat->row_capacity, count + 1, sizeof(*flat->hot.rows)) ||
	    !tl_grow(&flat->hot.latencies, &flat->latency_capacity, count + 1,
		     sizeof(*flat->hot.latencies)) ||
	    (flat->list && !tl_flat_list_grow(flat))) {
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
	} else if (flat->gate & 1) {
		return;
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

static bool same_arc(const void *context, const void *key, uint32_t number)
{
	const struct tl_flat_arc *a = &((const struct tl_flat_arcs *)context)->list[number];
	const struct tl_flat_arc *b = key;

	return a->callee == b->callee && a->caller == b->caller;
}

/* Append an arc. TL_NONE without memory. */
static uint32_t add_arc(struct tl_flat_arcs *arcs, const struct tl_flat_arc *arc)
{
	if (arcs->count >= TL_NONE - 1 ||
	    !tl_grow(&arcs->list, &arcs->capacity, arcs->count + 1, sizeof(*arcs->list)))
		return TL_NONE;
	arcs->list[arcs->count] = *arc;
	return (uint32_t)arcs->count++;
}

static uint32_t near_arc(struct tl_flat_arcs *arcs, const struct tl_flat_arc *arc)
{
	uint32_t *number = &arcs->near[(size_t)arc->caller * TL_FLAT_NEAR_ROW + arc->callee];

	/* Without memory, TL_NONE becomes 0: it is not there. */
	if (!*number)
		*number = add_arc(arcs, arc) + 1;
	return *number - 1;
}

static uint32_t arc_of(struct tl_flat_arcs *arcs, uint32_t caller, uint32_t callee)
{
	const struct tl_flat_arc arc = { .caller = caller, .callee = callee };
	uint64_t hash;
	uint32_t number;

	if (arcs->near && !((caller | callee) >> TL_FLAT_NEAR_BITS))
		return near_arc(arcs, &arc);
	hash = tl_hash_pair(caller, callee);
	number = tl_index_find(&arcs->index, hash, same_arc, arcs, &arc);
	if (number != TL_NONE)
		return number;
	number = add_arc(arcs, &arc);
	return number != TL_NONE && tl_index_add(&arcs->index, hash, number) ? number : TL_NONE;
}

bool tl_flat_keep_arcs(struct tl_flat *flat, size_t folds)
{
	flat->hot.arcs = &flat->arcs;
	if (folds > TL_FLAT_NEAR_FOLDS)
		return true;
	flat->arcs.near =
		tl_zeroed((size_t)TL_FLAT_NEAR_ROW << TL_FLAT_NEAR_BITS, sizeof(*flat->arcs.near));
	return flat->arcs.near != NULL;
}

bool tl_flat_arc_enter(struct tl_flat_hot *h, struct tl_flat *flat)
{
	struct tl_flat_frame *top = h->top;
	uint32_t caller = top[-1].function;

	if (caller == TL_NONE)
		return true;
	top->arc = arc_of(h->arcs, caller, top->function);
	if (top->arc == TL_NONE)
		flat->no_memory = true;
	else
		h->arcs->list[top->arc].active++;
	return top->arc != TL_NONE;
}

void tl_flat_arc_leave(const struct tl_flat_hot *h, uint64_t ticks, bool is_call, bool counted)
{
	struct tl_flat_arc *arc;

	if (h->top->arc == TL_NONE)
		return;
	arc = &h->arcs->list[h->top->arc];
	arc->calls += is_call;
	arc->counted |= counted;
	if (!--arc->active)
		arc->inclusive += ticks;
}

/* The sums that the profile gets without contexts, of its only event. */
static void add_sums(struct tl_profile *profile, uint32_t function, const struct tl_flat_row *row)
{
	struct tl_profile_sums *to = &profile->sums;

	to->calls[function] += row->calls + row->cut;
	to->cut[function] += row->cut;
	to->unfinished[function] += row->unfinished;
	to->self[function] += (int64_t)row->self;
	to->inclusive[function] += (int64_t)row->inclusive;
}

int tl_flat_part_into(struct tl_flat *flat, struct tl_profile *profile, const struct tl_part *part,
		      struct tl_error *err)
{
	struct tl_part filled = *part;
	int64_t number;

	if (flat->no_memory)
		return tl_error_memory(err);
	tl_losses_add(&filled.losses, &flat->losses);
	filled.records = flat->records;
	filled.first_ticks = flat->first_ticks;
	filled.last_ticks = flat->last;
	number = tl_profile_put_part(profile, &filled, err);
	flat->losses = (struct tl_losses){ 0 };
	flat->records = flat->first_ticks = flat->last = 0;
	return tl_profile_status(number);
}

static struct tl_position entry_of(const struct tl_profile *profile, uint32_t function)
{
	const struct tl_function *f = &profile->functions.list[function];

	return (struct tl_position){ .file = f->file, .line = f->line, .address = f->address };
}

/* As those of contexts (derive.c). `functions` NULL: arcs are new, functions have these numbers. */
static int put_arcs(const struct tl_flat *flat, struct tl_profile *profile,
		    const uint32_t *functions, struct tl_error *err)
{
	for (size_t i = 0; i < flat->arcs.count; i++) {
		const struct tl_flat_arc *a = &flat->arcs.list[i];
		struct tl_arc arc = { .caller = functions ? functions[a->caller] : a->caller,
				      .callee = functions ? functions[a->callee] : a->callee,
				      .part = TL_NONE,
				      .calls = a->calls };
		int64_t number;

		if (!a->counted)
			continue;
		arc.from = entry_of(profile, arc.caller);
		arc.to = entry_of(profile, arc.callee);
		if (functions)
			number = tl_profile_arc_number(profile, &arc, err);
		else
			number = tl_profile_number(tl_cost_table_add(&profile->arcs.table,
								     &profile->arcs.list, &arc,
								     sizeof(arc), 1),
						   err);
		if (number < 0)
			return (int)number;
		profile->arcs.table.cost[number] += (int64_t)a->inclusive;
	}
	return 0;
}

static int sums_into(struct tl_flat *flat, struct tl_profile *profile, const uint32_t *functions,
		     struct tl_error *err)
{
	if (flat->no_memory || !tl_profile_given_room(profile))
		return tl_error_memory(err);
	for (uint32_t i = 0; i < flat->function_count; i++) {
		struct tl_latencies *latency = &flat->hot.latencies[i];
		uint32_t function = functions ? functions[i] : i;

		add_sums(profile, function, &flat->hot.rows[i]);
		if (latency->calls && !tl_profile_move_latency(profile, function, TL_NONE, latency))
			return tl_error_memory(err);
	}
	return put_arcs(flat, profile, functions, err);
}

int tl_flat_sums_into(struct tl_flat *flat, struct tl_profile *profile, struct tl_error *err)
{
	return sums_into(flat, profile, NULL, err);
}

int tl_flat_into(struct tl_flat *flat, struct tl_profile *profile, const struct tl_part *part,
		 const uint32_t *functions, struct tl_error *err)
{
	int status = tl_flat_part_into(flat, profile, part, err);

	return status < 0 ? status : sums_into(flat, profile, functions, err);
}
