/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of self cost by function, for readers of the file that want no single lines
 * (TL_CALLGRIND_FUNCTIONS). A line with only decimal costs of at most seven digits is added to the
 * function's sum at once, without an item; nearly all lines are of this kind, and their sums cannot
 * overflow. Other lines take the plain way, tl_callgrind_cost_line(): one item for each line, with
 * the same sums.
 */
#include "callgrind/reader/cost_line.h"

/*
 * Costs have at most seven digits, so the sums of that many lines stay far below the limit of
 * is_safe().
 */
enum { LONGEST_RUN = 1 << 30 };

/* Whether the part's sums are so far from overflow that lines need no check one by one. */
static bool is_safe(const struct tl_callgrind_reader *reader)
{
	static const int64_t largest = (int64_t)1 << 61;

	for (size_t i = 0; i < reader->columns.count; i++)
		if (reader->columns.sums[i] > largest || reader->columns.sums[i] < -largest)
			return false;
	return true;
}

static bool may_run(const struct tl_callgrind_reader *reader)
{
	const struct tl_callgrind_state *s = &reader->state;

	if (!reader->by_function.wanted || s->pending || !reader->part.open ||
	    !reader->columns.count || s->owner.function == TL_NONE)
		return false;
	if (reader->by_function.lines)
		return reader->by_function.lines < LONGEST_RUN;
	return is_safe(reader);
}

/*
 * Read the costs of the line at p into reader->columns.costs. Returns their number, -1: one is not
 * a short decimal number.
 */
static int fast_costs(struct tl_callgrind_reader *reader, const uint8_t *p)
{
	const uint8_t *stop = reader->lines.stop;
	int count = 0, room = (int)reader->columns.count;

	while (p < stop) {
		if (count == room)
			return -1;
		p = tl_callgrind_fast_cost(p, stop, &reader->columns.costs[count++]);
		if (!p)
			return -1;
	}
	return count;
}

bool tl_callgrind_add_to_function(struct tl_callgrind_reader *reader)
{
	struct tl_callgrind_state *s = &reader->state;
	struct tl_callgrind_subpositions position;
	unsigned positions;
	int count;

	if (!may_run(reader))
		return false;
	tl_callgrind_subpositions_begin(&position, reader);
	const uint8_t *p =
		tl_callgrind_sub_positions(reader, reader->lines.start, &position, &positions);

	if (!p || position.negative || position.over ||
	    position.at[TL_CALLGRIND_COLUMN_LINE] > UINT32_MAX)
		return false;
	count = fast_costs(reader, p);
	if (count < 0)
		return false;
	for (int i = 0; i < count; i++)
		reader->by_function.costs[i] += reader->columns.costs[i];
	tl_callgrind_set_base(reader, &position);
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
