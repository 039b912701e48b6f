/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/format/time_order.h"

#include <stdlib.h>

#include "core/error.h"

static bool begins_instruction(enum tl_xtrace_kind kind)
{
	return tl_xtrace_is_instruction(kind) || kind == TL_XTRACE_ALLGPR ||
	       kind == TL_XTRACE_SVCRET;
}

/* Find the end of the next instruction that has a TIME. */
static void scout_ahead(struct tl_xtrace_lookahead *scout)
{
	enum tl_xtrace_kind kind = scout->ahead;
	bool timed = false;

	scout->time = UINT64_MAX;
	if (kind == TL_XTRACE_NONE)
		kind = tl_xtrace_walk_on(&scout->walk, &scout->segment);
	for (; kind != TL_XTRACE_NONE; kind = tl_xtrace_walk_on(&scout->walk, &scout->segment)) {
		if (timed && begins_instruction(kind))
			break;
		if (kind == TL_XTRACE_TIME && !timed) {
			scout->time = tl_xtrace_walk_time(&scout->walk);
			timed = true;
		}
	}
	scout->ahead = kind;
	scout->end = kind == TL_XTRACE_NONE ? scout->walk.stream->size
					    : tl_xtrace_walk_offset(&scout->walk);
}

int tl_xtrace_time_order_begin(struct tl_xtrace_time_order *order, struct tl_xtrace_trace *trace,
			       const bool *wanted, struct tl_error *err)
{
	order->trace = trace;
	order->scouts = calloc(trace->stream_count, sizeof(*order->scouts));
	if (!order->scouts)
		return tl_error_memory(err);
	for (uint32_t i = 0; i < trace->stream_count; i++) {
		struct tl_xtrace_lookahead *scout = &order->scouts[i];
		const struct tl_xtrace_stream *s = &trace->streams[i];

		scout->over = (wanted && !wanted[i]) || !s->size;
		if (scout->over)
			continue;
		tl_xtrace_walk_begin(&scout->walk, trace, s, &s->segments[0]);
		scout_ahead(scout);
	}
	return 0;
}

/* The two streams that come first. */
static void find_first(const struct tl_xtrace_time_order *order, uint32_t *first, uint32_t *second)
{
	*first = *second = TL_NONE;
	for (uint32_t i = 0; i < order->trace->stream_count; i++) {
		if (order->scouts[i].over)
			continue;
		if (*first == TL_NONE || order->scouts[i].time < order->scouts[*first].time) {
			*second = *first;
			*first = i;
		} else if (*second == TL_NONE ||
			   order->scouts[i].time < order->scouts[*second].time) {
			*second = i;
		}
	}
}

bool tl_xtrace_time_order_next(struct tl_xtrace_time_order *order, uint32_t *stream, uint64_t *end)
{
	uint32_t second;
	struct tl_xtrace_lookahead *scout;
	uint64_t limit, size;

	find_first(order, stream, &second);
	if (*stream == TL_NONE)
		return false;
	scout = &order->scouts[*stream];
	size = scout->walk.stream->size;
	limit = second == TL_NONE ? UINT64_MAX : order->scouts[second].time;
	/* On, as long as nobody else's turn comes. */
	do {
		*end = scout->end;
		scout->over = *end == size;
		if (!scout->over)
			scout_ahead(scout);
	} while (!scout->over && scout->time < limit);
	return true;
}

void tl_xtrace_time_order_end(struct tl_xtrace_time_order *order)
{
	free(order->scouts);
	order->scouts = NULL;
}
