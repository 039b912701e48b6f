/* SPDX-License-Identifier: Apache-2.0 */
/* The stacks of samples, function by function: the paths of contexts at which samples are. */
#include "query/tables/tables.h"

enum stack_column {
	STACK_STACK,
	STACK_DEPTH,
	STACK_FUNCTION,
	STACK_COLUMNS,
};

static uint64_t stack_rows(const struct tl_query_trace *trace)
{
	const struct tl_query_folded *f = &trace->folded;

	return f->stack_count ? f->stacks[f->stack_count - 1].end : 0;
}

/* The stack that has a row. */
static const struct tl_query_stack *find_stack(const struct tl_query_folded *f, uint64_t row)
{
	size_t from = 0, to = f->stack_count - 1;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (f->stacks[middle].end > row)
			to = middle;
		else
			from = middle + 1;
	}
	return &f->stacks[from];
}

static void stack_cell(const struct tl_query_trace *trace, uint64_t row, int column,
		       struct tl_query_value *value)
{
	const struct tl_query_stack *stack = find_stack(&trace->folded, row);
	uint32_t context = stack->context;

	/* The last row of a stack is its innermost function. */
	for (uint64_t i = row + 1; i < stack->end; i++)
		context = tl_profile_context(trace->profile, context)->parent;
	if (column == STACK_STACK)
		tl_query_set_integer(value, stack->context);
	else if (column == STACK_DEPTH)
		tl_query_set_integer(value, trace->folded.depths[context]);
	else if (column == STACK_FUNCTION)
		tl_query_set_function(trace, tl_profile_context(trace->profile, context)->function,
				      value);
}

static const uint8_t stack_uses[STACK_COLUMNS] = {
	[STACK_STACK] = TL_QUERY_KEY,
	[STACK_FUNCTION] = TL_QUERY_KEY,
};

const struct tl_query_table tl_query_stacks = {
	TL_QUERY_TABLE("stacks", "a function on the stack of samples, depth 0 the outermost one",
		       stack_uses, "stack INTEGER, depth INTEGER, function INTEGER"),
	.rows = stack_rows,
	.cell = stack_cell,
};
