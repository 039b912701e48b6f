/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of self cost by function, for readers of the file that want no single lines
 * (TL_CALLGRIND_FUNCTIONS). A line with only decimal costs of at most seven digits is added to the
 * function's sum at once, without an item; nearly all lines are of this kind, and their sums cannot
 * overflow. Other lines take the plain way, tl_callgrind_cost_line(): one item for each line, with
 * the same sums.
 */
#include "callgrind/reader/cost_line.h"

static bool may_run(const struct tl_callgrind_reader *reader)
{
	const struct tl_callgrind_state *s = &reader->state;

	if (!reader->by_function.wanted || s->pending || !reader->part.open ||
	    !reader->columns.count || s->owner.function == TL_NONE ||
	    reader->positions.further_count)
		return false;
	if (reader->by_function.lines)
		return reader->by_function.lines < TL_CALLGRIND_LONGEST_RUN;
	return tl_callgrind_sums_are_safe(reader);
}

bool tl_callgrind_add_to_function(struct tl_callgrind_reader *reader)
{
	struct tl_callgrind_state *s = &reader->state;
	uint64_t at[TL_CALLGRIND_COLUMNS];
	const uint8_t *p;
	int count;

	if (!may_run(reader))
		return false;
	memcpy(at, s->base, sizeof(at));
	p = tl_callgrind_fast_positions(reader, reader->lines.start, at);
	if (!p || at[TL_CALLGRIND_COLUMN_LINE] > UINT32_MAX)
		return false;
	count = tl_callgrind_fast_costs(reader, p);
	if (count < 0)
		return false;
	for (int i = 0; i < count; i++)
		reader->by_function.costs[i] += reader->columns.costs[i];
	memcpy(s->base, at, sizeof(at));
	s->self_file = s->file;
	reader->part.body = reader->part.costs = true;
	reader->part.summary.last = false;
	reader->by_function.lines++;
	return true;
}

void tl_callgrind_function_item(struct tl_callgrind_reader *reader)
{
	struct tl_callgrind_item *item = &reader->item;

	tl_callgrind_item(reader, TL_CALLGRIND_COST);
	for (size_t i = 0; i < reader->columns.count; i++) {
		reader->columns.sums[i] += reader->by_function.costs[i];
		reader->columns.costs[i] = reader->by_function.costs[i];
		reader->by_function.costs[i] = 0;
	}
	item->owner = reader->state.owner;
	item->costs = reader->columns.costs;
	item->cost_count = (uint32_t)reader->columns.count;
	item->count = reader->by_function.lines;
	reader->by_function.lines = 0;
}
