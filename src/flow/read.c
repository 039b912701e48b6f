/* SPDX-License-Identifier: Apache-2.0 */
/* Reading one side of a comparison. */
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/pool.h"
#include "flow/compare.h"

/*
 * So much work that starting a thread for it does not count: with a quarter of it, two threads took
 * as long as one, with four times as much, the caches of the processor were too small.
 */
enum { AHEAD = 1 << 18 };

/* The last mark at or before `begin`; 0: there is none. */
static size_t mark_of(const struct tl_flow_side *s)
{
	size_t i = s->list.mark_count;

	while (i > 1 && s->list.marks[i - 1].at > s->begin)
		i--;
	return i ? i - 1 : 0;
}

uint64_t tl_flow_offset(const struct tl_flow_side *side)
{
	return side->list.mark_count ? side->list.marks[mark_of(side)].offset : 0;
}

static void drop_marks(struct tl_flow_side *s)
{
	struct tl_flow_list *list = &s->list;
	const size_t first = mark_of(s);

	for (size_t i = first; i < list->mark_count; i++) {
		const struct tl_flow_mark mark = list->marks[i];

		list->marks[i - first] =
			(struct tl_flow_mark){ tl_excess(mark.at, s->begin), mark.offset };
	}
	list->mark_count -= first;
}

uint64_t tl_flow_count(struct tl_flow_side *s)
{
	for (; s->counted < s->begin; s->counted++)
		s->instructions += s->source.blocks->list[s->list.numbers[s->counted]].count;
	return s->instructions;
}

/* Forget what was compared. */
static void drop_compared(struct tl_flow_side *s)
{
	struct tl_flow_list *list = &s->list;
	const size_t left = list->count - s->begin;

	drop_marks(s);
	tl_flow_count(s);
	if (left)
		memmove(list->numbers, list->numbers + s->begin, left * sizeof(*list->numbers));
	list->count = left;
	s->begin = s->counted = 0;
}

int tl_flow_read(struct tl_flow_side *side, size_t want, struct tl_error *err)
{
	if (side->over || side->list.count - side->begin >= want)
		return 0;
	drop_compared(side);
	while (!side->over && side->list.count < want) {
		int status = side->source.next(side->source.arg, &side->list, err);

		side->failed = status < 0;
		if (status < 0)
			return status;
		if (side->source.blocks->no_memory)
			return tl_error_memory(err);
		side->over = status == 0;
	}
	return 0;
}

/* ---- both sides ---- */

struct reading {
	struct tl_flow_side *sides;
	struct tl_error errors[TL_FLOW_SIDES];
};

static int read_ahead(void *arg, size_t side)
{
	struct reading *reading = arg;

	return tl_flow_read(&reading->sides[side], AHEAD, &reading->errors[side]);
}

static bool is_waited_for(const struct tl_flow_side *side)
{
	return !side->over && side->begin == side->list.count;
}

int tl_flow_read_both(struct tl_flow_side *sides, unsigned jobs, struct tl_error *err)
{
	struct reading reading = { .sides = sides };
	int status;

	if (!is_waited_for(&sides[0]) && !is_waited_for(&sides[1]))
		return 0;
	if (jobs < 2 || sides[0].over || sides[1].over) {
		status = tl_flow_read(&sides[0], 1, err);
		return status < 0 ? status : tl_flow_read(&sides[1], 1, err);
	}
	status = tl_pool_run(TL_FLOW_SIDES, TL_FLOW_SIDES, read_ahead, &reading);
	if (status < 0 && err)
		*err = reading.errors[sides[0].failed ? 0 : 1];
	sides[1].failed &= !sides[0].failed;
	return status;
}
