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

static void begin_call(struct tl_leaf_scan *scan, const struct tl_step *step, uint32_t depth)
{
	scan->open[scan->open_count++] = (uint32_t)scan->call_count;
	scan->calls[scan->call_count++] = (struct tl_leaf_call){
		.start = step->ticks,
		.end = TL_NOWHERE,
		.function = step->function,
		.depth = depth,
		.flags = step->flags,
	};
}

static void end_call(struct tl_leaf_scan *scan, const struct tl_step *step)
{
	if (scan->open_count) {
		struct tl_leaf_call *call = &scan->calls[scan->open[--scan->open_count]];

		call->end = step->ticks;
		call->flags |= step->flags;
	} else if (scan->end_count < scan->depth) {
		scan->ends[scan->end_count++] =
			(struct tl_leaf_end){ step->ticks, scan->low_self, step->flags };
		scan->low_self = 0;
	}
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
	for (size_t i = 0; i < steps->count; i++) {
		const struct tl_step *step = &steps->list[i];
		uint64_t *self = scan->open_count
					 ? &scan->calls[scan->open[scan->open_count - 1]].self
					 : &scan->low_self;

		*self += step->ticks - ticks;
		ticks = step->ticks;
		if (step->end)
			end_call(scan, step);
		else
			begin_call(scan, step, tl_leaf_depth_after(scan));
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
