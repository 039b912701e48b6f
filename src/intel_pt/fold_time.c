/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time of a fold. A trace tells it now and then, with MTC every few hundred branches; between two
 * such moments time is spread over the instructions that ran, so that short calls have durations,
 * too. Sums stay what the trace says. Nodes are held back until the next moment is known; where an
 * event comes before it, what it takes is the innermost call's.
 */
#include <string.h>

#include "core/error.h"
#include "intel_pt/fold.h"

/* Steps of time that are spread: a longer one is no step inside a run of code. */
enum { HELD_MOST = PT_RUN_NODES / 2 };
#define SPREAD_MOST (UINT64_C(1) << 40)

static void move_gate(struct pt_folder *f, uint64_t tsc)
{
	const struct tl_pt_fold_options *o = f->options;
	bool closed = tsc < o->from_ticks || (o->to_ticks && tsc >= o->to_ticks);

	if (closed == f->closed)
		return;
	tl_pt_fold_settle(f);
	f->closed = closed;
	tl_fold_gate(&f->thread->stack.fold, !closed);
}

void tl_pt_fold_pay(struct pt_folder *f)
{
	uint32_t to = f->last_visit;

	for (uint32_t i = 1; f->owed_ticks && i < f->visit_count; i++)
		if (f->visits[i].function == f->owed_to)
			to = i;
	f->visits[to].ticks += f->owed_ticks;
	f->owed_ticks = 0;
}

static void owe(struct pt_folder *f, uint32_t function, int64_t ticks)
{
	if (f->owed_to != function)
		tl_pt_fold_pay(f);
	f->owed_to = function;
	f->owed_ticks += ticks;
}

static void set_time(struct pt_folder *f, uint64_t tsc)
{
	struct tl_fold *fold = &f->thread->stack.fold;
	uint64_t before = fold->hot.clock;

	tl_fold_time(fold, tsc);
	if (f->options->from_ticks || f->options->to_ticks)
		move_gate(f, tsc);
	if (!f->node_lines)
		return;
	if (f->visits[f->last_visit].function == tl_fold_top(fold))
		f->visits[f->last_visit].ticks += (int64_t)(fold->hot.clock - before);
	else
		owe(f, tl_fold_top(fold), (int64_t)(fold->hot.clock - before));
}

/* Ticks per instruction, so that time is `tsc` behind these nodes. */
static uint64_t rate_to(const struct pt_folder *f, const uint32_t *numbers, size_t count,
			uint64_t tsc)
{
	const struct tl_fold *fold = &f->thread->stack.fold;
	uint64_t step = tsc - fold->last, insns = 0;

	if (!fold->started || f->closed || step > SPREAD_MOST || fold->hot.clock > INT64_MAX - step)
		return 0;
	for (size_t i = 0; i < count; i++)
		insns += f->nodes[numbers[i]].insns;
	return insns ? (step << PT_RATE_BITS) / insns : 0;
}

static void run_at(struct pt_folder *f, const uint32_t *numbers, size_t count, uint64_t rate)
{
	struct tl_fold *fold = &f->thread->stack.fold;

	if (!count)
		return;
	f->rate = rate;
	f->part = 0;
	f->base = fold->hot.clock;
	tl_pt_fold_run(f, numbers, count);
	fold->last += fold->hot.clock - f->base;
	f->base = fold->hot.clock;
	f->rate = 0;
}

void tl_pt_fold_rest(struct pt_folder *f)
{
	run_at(f, f->numbers, f->held, 0);
	f->held = 0;
}

void tl_pt_fold_timed(struct pt_folder *f, const struct tl_pt_run *run, bool more)
{
	struct tl_fold *fold = &f->thread->stack.fold;
	size_t at = 0, count = f->held + run->count;

	for (size_t i = 0; i < run->mark_count; i++) {
		size_t to = f->held + run->marks[i].index;
		uint64_t tsc = run->marks[i].tsc;

		/* What is said again moves nothing. */
		if (fold->started && tsc == fold->last)
			continue;
		if (to > count)
			to = count;
		run_at(f, f->numbers + at, to - at, rate_to(f, f->numbers + at, to - at, tsc));
		set_time(f, tsc);
		at = to;
	}
	/* In fixed portions, so that it does not matter in what runs nodes come. */
	for (; count - at >= HELD_MOST; at += HELD_MOST)
		run_at(f, f->numbers + at, HELD_MOST, 0);
	memmove(f->numbers, f->numbers + at, (count - at) * sizeof(*f->numbers));
	f->held = count - at;
	if (!more)
		tl_pt_fold_rest(f);
}
