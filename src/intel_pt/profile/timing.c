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

/* ---- the window of time ---- */

static bool is_limited(const struct tl_pt_folder *f)
{
	return f->options->from_ticks || f->options->to_ticks;
}

static void move_gate(struct tl_pt_folder *f)
{
	const struct tl_pt_fold_options *o = f->options;
	const uint64_t now = f->thread->now;
	bool closed = now < o->from_ticks || (o->to_ticks && now >= o->to_ticks);

	if (closed == f->window.closed)
		return;
	tl_pt_fold_settle(f);
	f->window.closed = closed;
	tl_fold_gate(&f->thread->stack.fold, !closed);
}

void tl_pt_window_resume(struct tl_pt_folder *f)
{
	struct tl_pt_fold_thread *t = f->thread;

	f->window.closed = t->closed;
	if (t->ran || !is_limited(f))
		return;
	/* Until its first timestamp, the thread's time is that of the processor it runs on. */
	if (tl_pt_decoder_time(f->decoder, &t->now, NULL, NULL) < 0)
		t->now = 0;
	move_gate(f);
}

/* The next edge of the window on the thread's clock, TL_NOWHERE: there is none. */
static uint64_t next_edge(const struct tl_pt_folder *f)
{
	const struct tl_pt_fold_options *o = f->options;
	const uint64_t now = f->thread->now;

	if (now < o->from_ticks)
		return o->from_ticks;
	return o->to_ticks && now < o->to_ticks ? o->to_ticks : TL_NOWHERE;
}

/* Whether an edge is reached before so many ticks have passed, or with the last one. */
static bool is_edge_within(const struct tl_pt_folder *f, uint64_t ticks)
{
	const uint64_t edge = next_edge(f);

	return edge != TL_NOWHERE && ticks <= INT64_MAX && edge - f->thread->now <= ticks;
}

/* Time passes to an edge of the window. */
static void pass_edge(struct tl_pt_folder *f)
{
	struct tl_fold *fold = &f->thread->stack.fold;
	const uint64_t edge = next_edge(f);

	tl_fold_time(fold, fold->last + (edge - f->thread->now));
	f->thread->now = edge;
	move_gate(f);
}

/* Time passes for the innermost call; the gate moves exactly at the edges of the window. */
static void pass_time(struct tl_pt_folder *f, uint64_t tsc)
{
	struct tl_pt_fold_thread *t = f->thread;
	struct tl_fold *fold = &t->stack.fold;
	uint64_t step;

	while (fold->started && is_edge_within(f, tsc - fold->last))
		pass_edge(f);
	step = fold->started ? tsc - fold->last : 0;
	if (!fold->started)
		t->now = tsc;
	else if (step <= INT64_MAX)
		t->now += step;
	tl_fold_time(fold, tsc);
	move_gate(f);
}

static void set_time(struct tl_pt_folder *f, const struct tl_pt_timestamp *to)
{
	struct tl_fold *fold = &f->thread->stack.fold;
	uint64_t before = fold->hot.clock;

	if (f->cycles.seen)
		tl_pt_cycles_end(f, to->cycles);
	if (is_limited(f))
		pass_time(f, to->tsc);
	else
		tl_fold_time(fold, to->tsc);
	if (f->visits.nodes)
		tl_pt_attribute(f, (int64_t)(fold->hot.clock - before), 0);
}

/* ---- nodes between two timestamps ---- */

/* Ticks per instruction that make the time behind these nodes `tsc`. */
static uint64_t rate_to(const struct tl_pt_folder *f, const uint32_t *numbers, size_t count,
			uint64_t tsc)
{
	const struct tl_fold *fold = &f->thread->stack.fold;
	uint64_t step = tsc - fold->last, insns = 0;

	if (!fold->started || step > SPREAD_MOST || fold->hot.clock > INT64_MAX - step ||
	    (f->window.closed && !is_edge_within(f, step)))
		return 0;
	for (size_t i = 0; i < count; i++)
		insns += f->cache->nodes[numbers[i]].insns;
	return insns ? (step << TL_PT_RATE_BITS) / insns : 0;
}

/*
 * `fraction`: of a tick that passed before these nodes. While the gate is closed the clock rests.
 */
static void fold_at_rate(struct tl_pt_folder *f, const uint32_t *numbers, size_t count,
			 uint64_t rate, uint64_t fraction)
{
	struct tl_fold *fold = &f->thread->stack.fold;
	uint64_t passed;

	if (!count)
		return;
	f->ticks.rate = f->window.closed ? 0 : rate;
	f->ticks.part = fraction;
	f->ticks.base = fold->hot.clock;
	tl_pt_fold_nodes(f, numbers, count);
	passed = fold->hot.clock - f->ticks.base;
	fold->last += passed;
	f->thread->now += passed;
	f->ticks.base = fold->hot.clock;
	f->ticks.rate = 0;
}

/* Take back ticks that the last node was given. */
static void take_back(struct tl_pt_folder *f, uint64_t ticks)
{
	struct tl_fold *fold = &f->thread->stack.fold;

	fold->hot.clock -= ticks;
	fold->last -= ticks;
	f->thread->now -= ticks;
	if (f->visits.nodes)
		f->visits.list[f->visits.last].ticks -= (int64_t)ticks;
}

/*
 * Fold nodes up to the first that is entered at the next edge of the window or behind it, and move
 * the gate there: the node before it ran while the edge was passed, and counts with where it began.
 * Returns how many nodes, 0: all of these are entered before the edge.
 */
static size_t fold_to_edge(struct tl_pt_folder *f, const uint32_t *numbers, size_t count,
			   uint64_t rate, uint64_t *fraction)
{
	struct tl_fold *fold = &f->thread->stack.fold;
	const uint64_t last = fold->last, edge = next_edge(f), ticks = edge - f->thread->now;
	uint64_t part = *fraction, clock;
	size_t n = 0;

	if (!rate || edge == TL_NOWHERE)
		return 0;
	while (n < count && part >> TL_PT_RATE_BITS < ticks)
		part += f->cache->nodes[numbers[n++]].insns * rate;
	if (part >> TL_PT_RATE_BITS < ticks)
		return 0;
	fold_at_rate(f, numbers, n, rate, *fraction);
	if (!f->window.closed) {
		take_back(f, (part >> TL_PT_RATE_BITS) - ticks);
		move_gate(f);
	}
	clock = fold->hot.clock;
	pass_time(f, last + (part >> TL_PT_RATE_BITS));
	if (f->visits.nodes)
		tl_pt_attribute(f, (int64_t)(fold->hot.clock - clock), 0);
	*fraction = part & ((UINT64_C(1) << TL_PT_RATE_BITS) - 1);
	return n;
}

/* Fold nodes; the time behind them is that of `to`, NULL: no time passes. */
static void fold_until(struct tl_pt_folder *f, const uint32_t *numbers, size_t count,
		       const struct tl_pt_timestamp *to)
{
	uint64_t rate, fraction = 0;
	size_t at = 0, n = 0;

	/* Nodes before the first timestamp count as if at its time. */
	if (to && is_limited(f) && !f->thread->stack.fold.started) {
		f->thread->now = to->tsc;
		move_gate(f);
	}
	if (f->cycles.seen)
		tl_pt_cycles_begin(f, numbers, count, to ? to->cycles : f->cycles.last);
	rate = to ? rate_to(f, numbers, count, to->tsc) : 0;
	do {
		n = is_limited(f) ? fold_to_edge(f, numbers + at, count - at, rate, &fraction) : 0;
		at += n;
	} while (n);
	fold_at_rate(f, numbers + at, count - at, rate, fraction);
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
