/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/fold/flat_list.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"

/* ---- the stack ---- */

enum { MOST_FRAMES = 4096 };

bool tl_flat_list_is_called(struct tl_flat *flat, uint32_t before, uint32_t caller)
{
	const struct tl_flat_frame *frames = flat->frames;

	for (unsigned i = 0; before; before = frames[before].before) {
		if (frames[before - 1].function == caller)
			return true;
		if (++i > MOST_FRAMES) {
			flat->refused = true;
			return true;
		}
	}
	return false;
}

bool tl_flat_list_grow(struct tl_flat *flat)
{
	struct tl_flat_list *list = flat->list;
	const size_t had = list->capacity;

	if (!tl_grow(&list->innermost, &list->capacity, flat->function_count + 1,
		     sizeof(*list->innermost)))
		return false;
	memset(list->innermost + had, 0, (list->capacity - had) * sizeof(*list->innermost));
	return true;
}

/* Frames that are open have been entered without a list. */
static void take_frames(struct tl_flat *flat)
{
	struct tl_flat_list *list = flat->list;
	const size_t depth = (size_t)(flat->hot.top - flat->frames);

	for (size_t i = 1; i <= depth; i++) {
		struct tl_flat_frame *frame = &flat->frames[i];

		flat->hot.rows[frame->function].active = 0;
		frame->before = list->innermost[frame->function];
		list->innermost[frame->function] = (uint32_t)i;
	}
}

static int by_ends(const void *a, const void *b)
{
	const struct tl_flat_arc *x = a, *y = b;

	return x->callee != y->callee ? tl_compare(x->callee, y->callee)
				      : tl_compare(x->caller, y->caller);
}

bool tl_flat_list_begin(struct tl_flat *flat)
{
	struct tl_flat_list *list = calloc(1, sizeof(*list));

	if (!list)
		return false;
	flat->list = list;
	list->calls = tl_zeroed(TL_FLAT_LIST_CALLS, sizeof(*list->calls));
	list->sorted = tl_zeroed(TL_FLAT_LIST_CALLS, sizeof(*list->sorted));
	if (!list->calls || !list->sorted || !tl_flat_list_grow(flat)) {
		tl_flat_list_free(list);
		flat->list = NULL;
		return false;
	}
	take_frames(flat);
	if (flat->arcs.count)
		qsort(flat->arcs.list, flat->arcs.count, sizeof(*flat->arcs.list), by_ends);
	return true;
}

void tl_flat_list_free(struct tl_flat_list *list)
{
	if (!list)
		return;
	free(list->calls);
	free(list->sorted);
	free(list->innermost);
	free(list->merged);
	free(list);
}

/* ---- sorting ---- */

enum { MOST_DIGIT_BITS = 10 };

/* The functions' numbers are digits; callers have 0 for none. */
static uint32_t key_of(const struct tl_flat_ended *call, bool by_caller)
{
	return by_caller ? call->caller + 1 : call->function;
}

static void sort_by_digit(struct tl_flat_list *list, bool by_caller, unsigned shift, unsigned bits)
{
	struct tl_flat_ended *restrict from = list->calls, *restrict to = list->sorted;
	const uint32_t mask = (UINT32_C(1) << bits) - 1;
	size_t places[1 << MOST_DIGIT_BITS] = { 0 }, at = 0;

	for (size_t i = 0; i < list->count; i++)
		places[key_of(&from[i], by_caller) >> shift & mask]++;
	for (size_t i = 0; i <= mask; i++) {
		size_t here = places[i];

		places[i] = at;
		at += here;
	}
	for (size_t i = 0; i < list->count; i++)
		to[places[key_of(&from[i], by_caller) >> shift & mask]++] = from[i];
	list->calls = to;
	list->sorted = from;
}

static void sort_by(struct tl_flat_list *list, bool by_caller, size_t functions)
{
	const unsigned used = 64 - (unsigned)__builtin_clzll(functions);
	const unsigned rounds = (used + MOST_DIGIT_BITS - 1) / MOST_DIGIT_BITS;
	const unsigned bits = (used + rounds - 1) / rounds;

	for (unsigned round = 0; round < rounds; round++)
		sort_by_digit(list, by_caller, round * bits, bits);
}

/* ---- adding up ---- */

static void add_call(struct tl_flat_row *row, const struct tl_flat_ended *call)
{
	row->self += call->self;
	row->inclusive += call->outermost ? call->ticks : 0;
	row->unfinished += call->count == TL_FLAT_UNFINISHED;
	row->cut += call->count == TL_FLAT_CUT;
}

/* Calls of one function. */
static void add_function(struct tl_flat *flat, const struct tl_flat_ended *calls, size_t count)
{
	struct tl_flat_row *row = &flat->hot.rows[calls->function];
	struct tl_latencies *latency = &flat->hot.latencies[calls->function];

	flat->no_memory |= !tl_latency_reserve(latency, count, flat->exact);
	for (size_t i = 0; i < count; i++) {
		add_call(row, &calls[i]);
		if (calls[i].count != TL_FLAT_FINISHED)
			continue;
		row->calls++;
		flat->refused |= __builtin_add_overflow(row->ticks, calls[i].ticks, &row->ticks);
		flat->no_memory |= !tl_latency_note(latency, calls[i].ticks, flat->exact);
	}
}

/* Calls of one function by one other. */
static struct tl_flat_arc arc_of(const struct tl_flat_ended *calls, size_t count)
{
	struct tl_flat_arc arc = { .caller = calls->caller, .callee = calls->function };

	for (size_t i = 0; i < count; i++) {
		arc.calls += calls[i].count == TL_FLAT_FINISHED || calls[i].count == TL_FLAT_CUT;
		arc.inclusive += calls[i].outermost_arc ? calls[i].ticks : 0;
		arc.counted |= calls[i].counted;
	}
	return arc;
}

/* How many of the calls, from the first on, are of one function, and by one caller if so wanted. */
static size_t alike(const struct tl_flat_ended *calls, size_t count, bool by_caller)
{
	size_t n = 1;

	while (n < count && calls[n].function == calls->function &&
	       (!by_caller || calls[n].caller == calls->caller))
		n++;
	return n;
}

static void take_arc(struct tl_flat_arc *to, const struct tl_flat_arc *from)
{
	to->calls += from->calls;
	to->inclusive += from->inclusive;
	to->counted |= from->counted;
}

/* Arcs that are in order already go on in front of the one that is not less. */
static size_t pass_arcs(struct tl_flat *flat, size_t *from, const struct tl_flat_arc *arc,
			size_t count)
{
	const struct tl_flat_arcs *arcs = &flat->arcs;
	struct tl_flat_arc *merged = flat->list->merged;

	while (*from < arcs->count && by_ends(&arcs->list[*from], arc) < 0)
		merged[count++] = arcs->list[(*from)++];
	merged[count] = *arc;
	if (*from < arcs->count && !by_ends(&arcs->list[*from], arc))
		take_arc(&merged[count], &arcs->list[(*from)++]);
	return count + 1;
}

/* The list, sorted by callee and caller, and the arcs so far become one. False without memory. */
static bool add_arcs(struct tl_flat *flat)
{
	struct tl_flat_list *list = flat->list;
	struct tl_flat_arcs *arcs = &flat->arcs, old = *arcs;
	size_t count = 0, from = 0;

	if (!tl_grow(&list->merged, &list->merged_capacity, arcs->count + list->count,
		     sizeof(*list->merged)))
		return false;
	for (size_t i = 0, n; i < list->count; i += n) {
		n = alike(&list->calls[i], list->count - i, true);
		if (list->calls[i].caller != TL_NONE) {
			const struct tl_flat_arc arc = arc_of(&list->calls[i], n);

			count = pass_arcs(flat, &from, &arc, count);
		}
	}
	while (from < arcs->count)
		list->merged[count++] = arcs->list[from++];
	arcs->list = list->merged;
	arcs->capacity = list->merged_capacity;
	arcs->count = count;
	list->merged = old.list;
	list->merged_capacity = old.capacity;
	return true;
}

void tl_flat_list_settle(struct tl_flat *flat)
{
	struct tl_flat_list *list = flat->list;

	if (!list->count)
		return;
	if (flat->hot.arcs)
		sort_by(list, true, flat->function_count);
	sort_by(list, false, flat->function_count);
	for (size_t i = 0, n; i < list->count; i += n) {
		n = alike(&list->calls[i], list->count - i, false);
		add_function(flat, &list->calls[i], n);
	}
	if (flat->hot.arcs && !add_arcs(flat))
		flat->no_memory = true;
	list->count = 0;
}
