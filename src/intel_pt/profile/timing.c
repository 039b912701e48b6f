/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time of a fold. A trace has a timestamp only now and then (MTC: every few hundred branches). The
 * time between two timestamps is spread evenly over the instructions executed between them, so that
 * short calls have durations, too; sums stay those of the trace. Nodes are queued until the next
 * timestamp is known. If an event comes first, the time until then is the innermost call's.
 */
#include <string.h>

#include "core/error.h"
#include "intel_pt/profile/fold.h"
#include "profile/model/model.h"

/* The longest time that is spread: a longer one passed while no instruction was executed. */
enum { QUEUED_MOST = TL_PT_FOLD_BATCH / 2 };
#define SPREAD_MOST (UINT64_C(1) << 40)

static void move_gate(struct tl_pt_folder *f, uint64_t tsc)
{
	const struct tl_pt_fold_options *o = f->options;
	bool closed = tsc < o->from_ticks || (o->to_ticks && tsc >= o->to_ticks);

	if (closed == f->window.closed)
		return;
	tl_pt_fold_settle(f);
	f->window.closed = closed;
	tl_fold_gate(&f->thread->stack.fold, !closed);
}

static void set_time(struct tl_pt_folder *f, const struct tl_pt_timestamp *to)
{
	struct tl_fold *fold = &f->thread->stack.fold;
	uint64_t before = fold->hot.clock;

	if (f->cycles.seen)
		tl_pt_cycles_end(f, to->cycles);
	tl_fold_time(fold, to->tsc);
	if (f->options->from_ticks || f->options->to_ticks)
		move_gate(f, to->tsc);
	if (f->visits.nodes)
		tl_pt_attribute(f, (int64_t)(fold->hot.clock - before), 0);
}

/* Ticks per instruction that make the time behind these nodes `tsc`. */
static uint64_t rate_to(const struct tl_pt_folder *f, const uint32_t *numbers, size_t count,
			uint64_t tsc)
{
	const struct tl_fold *fold = &f->thread->stack.fold;
	uint64_t step = tsc - fold->last, insns = 0;

	if (!fold->started || f->window.closed || step > SPREAD_MOST ||
	    fold->hot.clock > INT64_MAX - step)
		return 0;
	for (size_t i = 0; i < count; i++)
		insns += f->cache->nodes[numbers[i]].insns;
	return insns ? (step << TL_PT_RATE_BITS) / insns : 0;
}

static void fold_at_rate(struct tl_pt_folder *f, const uint32_t *numbers, size_t count,
			 uint64_t rate)
{
	struct tl_fold *fold = &f->thread->stack.fold;

	if (!count)
		return;
	f->ticks.rate = rate;
	f->ticks.part = 0;
	f->ticks.base = fold->hot.clock;
	tl_pt_fold_nodes(f, numbers, count);
	fold->last += fold->hot.clock - f->ticks.base;
	f->ticks.base = fold->hot.clock;
	f->ticks.rate = 0;
}

/* Fold nodes; the time behind them is that of `to`, NULL: no time passes. */
static void fold_until(struct tl_pt_folder *f, const uint32_t *numbers, size_t count,
		       const struct tl_pt_timestamp *to)
{
	if (f->cycles.seen)
		tl_pt_cycles_begin(f, numbers, count, to ? to->cycles : f->cycles.last);
	fold_at_rate(f, numbers, count, to ? rate_to(f, numbers, count, to->tsc) : 0);
	if (to)
		set_time(f, to);
}

void tl_pt_fold_unstamped(struct tl_pt_folder *f)
{
	f->unstamped.end = f->unstamped.nodes + f->unstamped.count;
	fold_until(f, f->unstamped.nodes, f->unstamped.count,
		   f->cycles.pending ? &f->cycles.next : NULL);
	f->cycles.pending = false;
	f->unstamped.count = 0;
}

/* Whether a count of cycles is before the last timestamp, modulo 2^64. */
static bool is_over(const struct tl_pt_folder *f, uint64_t cycles)
{
	return cycles - f->cycles.last > INT64_MAX;
}

void tl_pt_fold_event(struct tl_pt_folder *f, const struct tl_pt_event *event)
{
	const struct tl_pt_timestamp now = { .tsc = event->tsc, .cycles = event->cycles };

	/* An event that was queued for a later packet (5.7) has an earlier time. */
	if (!event->has_tsc || is_over(f, event->cycles))
		return;
	f->cycles.seen |= event->cycles != f->cycles.last;
	if (f->cycles.seen)
		set_time(f, &now);
}

/* Whether a timestamp repeats the last one; behind a loss also one from before the loss. */
static bool is_now(const struct tl_pt_folder *f, const struct tl_pt_timestamp *timestamp)
{
	const struct tl_fold *fold = &f->thread->stack.fold;
	const struct tl_pt_cycle_count *c = &f->cycles;

	if (c->pending)
		return timestamp->tsc == c->next.tsc && timestamp->cycles == c->next.cycles;
	return (fold->started && timestamp->tsc == fold->last && timestamp->cycles == c->last) ||
	       is_over(f, timestamp->cycles);
}

/*
 * Fold the nodes up to a timestamp. A CYC packet precedes the packet it times: its time is that of
 * the branch which ends the next node. So in traces with CYC the nodes behind a timestamp, up to
 * the next one, are those that were executed until it.
 */
static void fold_up_to(struct tl_pt_folder *f, const uint32_t *numbers, size_t count,
		       const struct tl_pt_timestamp *timestamp)
{
	f->cycles.seen |= timestamp->cycles != f->cycles.last;
	if (!f->cycles.seen) {
		fold_until(f, numbers, count, timestamp);
		return;
	}
	fold_until(f, numbers, count, f->cycles.pending ? &f->cycles.next : NULL);
	/* Nodes before the first timestamp count as if at its time. */
	if (!f->thread->stack.fold.started)
		move_gate(f, timestamp->tsc);
	f->cycles.next = *timestamp;
	f->cycles.pending = true;
}

void tl_pt_fold_timed(struct tl_pt_folder *f, const struct tl_pt_node_batch *batch, bool more)
{
	size_t at = 0, count = f->unstamped.count + batch->count;

	for (size_t i = 0; i < batch->timestamp_count; i++) {
		size_t to = f->unstamped.count + batch->timestamps[i].index;

		if (is_now(f, &batch->timestamps[i]))
			continue;
		if (to > count)
			to = count;
		fold_up_to(f, f->unstamped.nodes + at, to - at, &batch->timestamps[i]);
		at = to;
	}
	/* In portions of fixed size, so that the result does not depend on the sizes of batches. */
	for (; count - at >= QUEUED_MOST; at += QUEUED_MOST)
		fold_until(f, f->unstamped.nodes + at, QUEUED_MOST, NULL);
	if (at)
		memmove(f->unstamped.nodes, f->unstamped.nodes + at,
			(count - at) * sizeof(*f->unstamped.nodes));
	f->unstamped.count = count - at;
	if (!more)
		tl_pt_fold_unstamped(f);
}
