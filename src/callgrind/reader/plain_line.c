/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Self-cost lines of the form that nearly all have: known columns, decimal costs of at most seven
 * digits. Sums of the part are added to without a look at whether they fit, for as many lines as
 * cannot make them too large. Other lines take the plain way, tl_callgrind_cost_line(), which makes
 * the same items.
 */
#include "callgrind/reader/cost_line.h"

static bool may_be_plain(struct tl_callgrind_reader *reader)
{
	const struct tl_callgrind_state *s = &reader->state;

	if (s->pending || reader->by_function.wanted || s->owner.function == TL_NONE ||
	    reader->positions.further_count)
		return false;
	if (reader->plain_left)
		return true;
	if (!reader->part.open || !reader->columns.count || !tl_callgrind_sums_are_safe(reader))
		return false;
	reader->plain_left = TL_CALLGRIND_LONGEST_RUN;
	return true;
}

bool tl_callgrind_plain_line(struct tl_callgrind_reader *reader)
{
	struct tl_callgrind_state *s = &reader->state;
	struct tl_callgrind_item *item = &reader->item;
	uint64_t at[TL_CALLGRIND_COLUMNS];
	const uint8_t *p;
	int count;

	if (!may_be_plain(reader))
		return false;
	memcpy(at, s->base, sizeof(at));
	p = tl_callgrind_fast_positions(reader, reader->lines.start, at);
	if (!p || at[TL_CALLGRIND_COLUMN_LINE] > UINT32_MAX)
		return false;
	count = tl_callgrind_fast_costs(reader, p);
	if (count < 0)
		return false;
	for (int i = 0; i < count; i++)
		reader->columns.sums[i] += reader->columns.costs[i];
	reader->plain_left--;
	memcpy(s->base, at, sizeof(at));
	s->self_file = s->file;
	reader->part.body = reader->part.costs = true;
	reader->part.summary.last = false;
	tl_callgrind_item(reader, TL_CALLGRIND_COST);
	item->count = 1;
	item->owner = s->owner;
	item->file = s->file;
	item->at = (struct tl_callgrind_position){ at[TL_CALLGRIND_COLUMN_INSTR],
						   at[TL_CALLGRIND_COLUMN_BB],
						   at[TL_CALLGRIND_COLUMN_LINE] };
	item->costs = reader->columns.costs;
	item->cost_count = (uint32_t)count;
	return true;
}
