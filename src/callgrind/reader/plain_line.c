/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Self-cost lines of the form that nearly all have: known columns, decimal costs of at most seven
 * digits. Each becomes an item, or is added to the sum of its function where no single lines are
 * wanted (TL_CALLGRIND_FUNCTIONS). Sums are added to without a look at whether they fit, for as
 * many lines as cannot make them too large. Other lines take the plain way,
 * tl_callgrind_cost_line(), which makes the same items, one for each line.
 */
#include "callgrind/reader/cost_line.h"

bool tl_callgrind_may_be_plain(struct tl_callgrind_reader *reader)
{
	const struct tl_callgrind_state *s = &reader->state;

	if (s->pending || s->owner.function == TL_NONE || reader->positions.further_count)
		return false;
	if (reader->plain_left)
		return true;
	if (!reader->part.open || !reader->columns.count || !tl_callgrind_sums_are_safe(reader))
		return false;
	reader->plain_left = TL_CALLGRIND_LONGEST_RUN;
	return true;
}

/*
 * Read the line's position, the base of the next one, and its costs. Returns the number of costs;
 * -1, and nothing is changed: a line of another form.
 */
static inline int read_line(struct tl_callgrind_reader *reader)
{
	struct tl_callgrind_state *s = &reader->state;
	uint64_t at[TL_CALLGRIND_COLUMNS];
	const uint8_t *p;
	int count;

	memcpy(at, s->base, sizeof(at));
	p = tl_callgrind_fast_positions(reader, reader->lines.start, at);
	if (!p || at[TL_CALLGRIND_COLUMN_LINE] > UINT32_MAX)
		return -1;
	count = tl_callgrind_fast_costs(reader, p);
	if (count < 0)
		return -1;
	memcpy(s->base, at, sizeof(at));
	s->self_file = s->file;
	reader->part.body = reader->part.costs = true;
	reader->part.summary.last = false;
	reader->plain_left--;
	return count;
}

static void line_item(struct tl_callgrind_reader *reader, int count)
{
	const struct tl_callgrind_state *s = &reader->state;
	struct tl_callgrind_item *item = &reader->item;

	tl_callgrind_item(reader, TL_CALLGRIND_COST);
	item->count = 1;
	item->owner = s->owner;
	item->file = s->file;
	item->at = (struct tl_callgrind_position){ s->base[TL_CALLGRIND_COLUMN_INSTR],
						   s->base[TL_CALLGRIND_COLUMN_BB],
						   s->base[TL_CALLGRIND_COLUMN_LINE] };
	item->costs = reader->columns.costs;
	item->cost_count = (uint32_t)count;
}

int tl_callgrind_plain_line(struct tl_callgrind_reader *reader)
{
	const bool summed = reader->by_function.wanted;
	int64_t *sums = reader->columns.sums;
	int count = tl_callgrind_may_be_plain(reader) ? read_line(reader) : -1;

	if (count < 0)
		return -1;
	if (summed)
		sums = reader->by_function.costs;
	for (int i = 0; i < count; i++)
		sums[i] += reader->columns.costs[i];
	if (summed)
		reader->by_function.lines++;
	else
		line_item(reader, count);
	return !summed;
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
