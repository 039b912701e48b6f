/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How calls of the flat fold end, also where a gate is open in a window alone, and calls that are
 * cut are known, as those of an index. The rules are those of fold.c.
 */
#include "profile/fold/flat_list.h"

void tl_flat_gate(struct tl_flat *flat, bool open)
{
	if (open == (flat->gate & 1))
		flat->gate++;
}

void tl_flat_begin_call(struct tl_flat *flat, uint32_t function, bool late)
{
	struct tl_flat_hot hot = flat->hot;
	bool entered = flat->list ? tl_flat_list_enter(&hot, flat, function)
				  : tl_flat_enter(&hot, flat, function);

	flat->hot = hot;
	if (entered)
		hot.top->gate = late ? TL_FOLD_NO_ENTRY : flat->gate;
}

/* As tl_fold_pop_slow(), tl_fold_cut() and tl_fold_end_frames(). */
static enum tl_flat_count count_of(const struct tl_flat *flat, enum tl_flat_count end)
{
	uint32_t gate = flat->hot.top->gate;

	if (gate == TL_FOLD_NO_ENTRY)
		return TL_FLAT_UNCOUNTED;
	if (gate != flat->gate)
		return TL_FLAT_UNFINISHED;
	return gate & 1 ? TL_FLAT_UNCOUNTED : end;
}

static void count_call(struct tl_flat *flat, enum tl_flat_count count, uint64_t ticks)
{
	uint32_t function = flat->hot.top->function;
	struct tl_flat_row *row = &flat->hot.rows[function];

	row->unfinished += count == TL_FLAT_UNFINISHED;
	row->cut += count == TL_FLAT_CUT;
	if (count != TL_FLAT_FINISHED)
		return;
	row->calls++;
	flat->refused |= __builtin_add_overflow(row->ticks, ticks, &row->ticks);
	flat->no_memory |= !tl_latency_note(&flat->hot.latencies[function], ticks, flat->exact);
}

static void end_top(struct tl_flat *flat, enum tl_flat_count end)
{
	struct tl_flat_hot *h = &flat->hot;
	const enum tl_flat_count count = count_of(flat, end);
	uint64_t ticks = h->clock - h->top->start;
	bool counted = h->top->counted || count || ticks > h->top->callees;

	flat->losses.unfinished += count == TL_FLAT_UNFINISHED;
	if (flat->list) {
		tl_flat_list_leave(h, flat, count, counted);
		return;
	}
	count_call(flat, count, ticks);
	if (h->arcs)
		tl_flat_arc_leave(h, ticks, count == TL_FLAT_FINISHED || count == TL_FLAT_CUT,
				  counted);
	tl_flat_pop(h);
	h->top->counted |= counted;
}

void tl_flat_end_call(struct tl_flat *flat, bool cut)
{
	if (flat->hot.top == flat->frames)
		return;
	if (!cut && flat->hot.top->gate == TL_FOLD_NO_ENTRY)
		flat->losses.orphan_exits++;
	end_top(flat, cut ? TL_FLAT_CUT : TL_FLAT_FINISHED);
}

void tl_flat_end_stack(struct tl_flat *flat)
{
	while (flat->hot.top > flat->frames)
		end_top(flat, TL_FLAT_UNFINISHED);
	flat->started = false;
	flat->gate = 0;
}

void tl_flat_end(struct tl_flat *flat)
{
	tl_flat_end_stack(flat);
	if (flat->list)
		tl_flat_list_settle(flat);
	for (size_t i = 0; i < flat->function_count; i++)
		tl_latency_total(&flat->hot.latencies[i], flat->hot.rows[i].calls,
				 flat->hot.rows[i].ticks);
}
