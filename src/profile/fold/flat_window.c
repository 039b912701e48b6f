/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How calls of the flat fold end, also where a gate is open in a window alone, and calls that are
 * cut are known, as those of an index. The rules are those of fold.c.
 */
#include "profile/fold/flat.h"

void tl_flat_gate(struct tl_flat *flat, bool open)
{
	if (open == (flat->gate & 1))
		flat->gate++;
}

void tl_flat_begin_call(struct tl_flat *flat, uint32_t function, bool late)
{
	struct tl_flat_hot hot = flat->hot;
	bool entered = tl_flat_enter(&hot, flat, function);

	flat->hot = hot;
	if (entered)
		hot.top->gate = late ? TL_FOLD_NO_ENTRY : flat->gate;
}

/* How the innermost call counts: finished, cut, unfinished, or not at all. */
enum count { UNCOUNTED, FINISHED, CUT, UNFINISHED };

/* As tl_fold_pop_slow(), tl_fold_cut() and tl_fold_end_frames(). */
static enum count count_of(const struct tl_flat *flat, enum count end)
{
	uint32_t gate = flat->hot.top->gate;

	if (gate == TL_FOLD_NO_ENTRY)
		return UNCOUNTED;
	if (gate != flat->gate)
		return UNFINISHED;
	return gate & 1 ? UNCOUNTED : end;
}

static void count_call(struct tl_flat *flat, enum count count, uint64_t ticks)
{
	uint32_t function = flat->hot.top->function;
	struct tl_flat_row *row = &flat->hot.rows[function];

	row->unfinished += count == UNFINISHED;
	flat->losses.unfinished += count == UNFINISHED;
	row->cut += count == CUT;
	if (count != FINISHED)
		return;
	row->calls++;
	flat->refused |= __builtin_add_overflow(row->ticks, ticks, &row->ticks);
	flat->no_memory |= !tl_latency_note(&flat->hot.latencies[function], ticks, flat->exact);
}

static void end_top(struct tl_flat *flat, enum count end)
{
	struct tl_flat_hot *h = &flat->hot;
	const enum count count = count_of(flat, end);
	uint64_t ticks = h->clock - h->top->start;
	bool counted = h->top->counted || count || ticks > h->top->callees;

	count_call(flat, count, ticks);
	if (h->arcs)
		tl_flat_arc_leave(h, ticks, count == FINISHED || count == CUT, counted);
	tl_flat_pop(h);
	h->top->counted |= counted;
}

void tl_flat_end_call(struct tl_flat *flat, bool cut)
{
	if (flat->hot.top == flat->frames)
		return;
	if (!cut && flat->hot.top->gate == TL_FOLD_NO_ENTRY)
		flat->losses.orphan_exits++;
	end_top(flat, cut ? CUT : FINISHED);
}

void tl_flat_end_stack(struct tl_flat *flat)
{
	while (flat->hot.top > flat->frames)
		end_top(flat, UNFINISHED);
	flat->started = false;
	flat->gate = 0;
}

void tl_flat_end(struct tl_flat *flat)
{
	tl_flat_end_stack(flat);
	for (size_t i = 0; i < flat->function_count; i++)
		tl_latency_total(&flat->hot.latencies[i], flat->hot.rows[i].calls,
				 flat->hot.rows[i].ticks);
}
