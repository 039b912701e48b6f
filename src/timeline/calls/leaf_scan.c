/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/calls/leaf_scan.h"

#include "core/arithmetic.h"

/* A leaf has no more than so many calls above each other that depth does not fit 32 bits. */
enum { MOST_DEPTH = INT32_MAX };

static bool reserve(struct tl_leaf_scan *scan, size_t steps)
{
	size_t outer = tl_min(scan->depth, steps);

	return tl_grow(&scan->calls, &scan->call_capacity, steps + 1, sizeof(*scan->calls)) &&
	       tl_grow(&scan->open, &scan->open_capacity, steps + 1, sizeof(*scan->open)) &&
	       tl_grow(&scan->ends, &scan->end_capacity, outer + 1, sizeof(*scan->ends));
}

/* A step while no call of the leaf is open: one begins, or one from before the leaf ends. */
static void pass_outer(struct tl_leaf_scan *scan, const struct tl_step *step)
{
	if (!step->end) {
		scan->open[scan->open_count++] = (uint32_t)scan->call_count;
		scan->calls[scan->call_count++] = (struct tl_leaf_call){
			.start = step->ticks,
			.end = TL_NOWHERE,
			.function = step->function,
			.depth = tl_leaf_lowest(scan),
			.flags = step->flags,
		};
	} else if (scan->end_count < scan->depth) {
		scan->ends[scan->end_count++] =
			(struct tl_leaf_end){ step->ticks, scan->low_self, step->flags };
		scan->low_self = 0;
	}
}

/*
 * Steps from number `i` on while calls of the leaf are open; returns the first one behind them.
 * Whether a call begins or ends cannot be foreseen in many traces, so the loop does both without a
 * branch: what it writes behind the last call counts only if the step begins one.
 */
static size_t pass_inner(struct tl_leaf_scan *scan, const struct tl_steps *steps, size_t i,
			 uint64_t ticks)
{
	struct tl_leaf_call *calls = scan->calls, *next = calls + scan->call_count;
	uint32_t number = (uint32_t)scan->call_count;
	uint32_t *open = scan->open, *inner = open + scan->open_count;
	const struct tl_step *step = &steps->list[i], *end = &steps->list[steps->count];
	uint32_t lowest = tl_leaf_lowest(scan);

	for (; step < end && inner > open; step++) {
		struct tl_leaf_call *top = &calls[inner[-1]];
		size_t is_end = step->end;

		top->self += step->ticks - ticks;
		ticks = step->ticks;
		/* TL_NOWHERE has all bits: a call that does not end here keeps it. */
		top->end = ticks | ((uint64_t)is_end - 1);
		if (__builtin_expect(step->flags && is_end, 0))
			top->flags |= step->flags;
		*inner = number;
		*next = (struct tl_leaf_call){
			.start = ticks,
			.end = TL_NOWHERE,
			.function = step->function,
			.depth = lowest + (uint32_t)(inner - open),
			.flags = step->flags,
		};
		next += 1 - is_end;
		number += 1 - (uint32_t)is_end;
		inner += 1 - 2 * (ptrdiff_t)is_end;
	}
	scan->call_count = number;
	scan->open_count = (size_t)(inner - open);
	return (size_t)(step - steps->list);
}

bool tl_leaf_scan(struct tl_leaf_scan *scan, const struct tl_steps *steps, uint64_t ticks,
		  uint32_t depth)
{
	scan->call_count = scan->open_count = scan->end_count = 0;
	scan->low_self = 0;
	scan->depth = depth;
	if (steps->count > MOST_DEPTH || depth > MOST_DEPTH - steps->count ||
	    !reserve(scan, steps->count)) {
		scan->no_memory = true;
		return false;
	}
	for (size_t i = 0; i < steps->count;) {
		const struct tl_step *step = &steps->list[i];

		scan->low_self += step->ticks - ticks;
		pass_outer(scan, step);
		i = pass_inner(scan, steps, i + 1, step->ticks);
		ticks = steps->list[i - 1].ticks;
	}
	scan->ticks = ticks;
	return true;
}

void tl_leaf_scan_free(struct tl_leaf_scan *scan)
{
	free(scan->calls);
	free(scan->open);
	free(scan->ends);
	*scan = (struct tl_leaf_scan){ 0 };
}
