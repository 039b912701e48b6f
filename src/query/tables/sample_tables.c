/* SPDX-License-Identifier: Apache-2.0 */
/* Samples and their stacks: no format that is read has them yet, so the tables are empty. */
#include "query/tables/tables.h"

static uint64_t no_rows(const struct tl_query_trace *trace)
{
	(void)trace;
	return 0;
}

static void no_cell(const struct tl_query_trace *trace, uint64_t row, int column,
		    struct tl_query_value *value)
{
	(void)trace;
	(void)row;
	(void)column;
	(void)value;
}

static const uint8_t sample_uses[6] = { 0 };

const struct tl_query_table tl_query_samples = {
	TL_QUERY_TABLE("samples", "a sample; empty, as no format with samples is read yet",
		       sample_uses,
		       "time INTEGER, thread INTEGER, cpu INTEGER, event TEXT, period INTEGER, "
		       "stack INTEGER"),
	.rows = no_rows,
	.cell = no_cell,
};

static const uint8_t stack_uses[3] = { 0 };

const struct tl_query_table tl_query_stacks = {
	TL_QUERY_TABLE("stacks", "a function on the stack of a sample; empty, as samples are",
		       stack_uses, "stack INTEGER, depth INTEGER, function INTEGER"),
	.rows = no_rows,
	.cell = no_cell,
};
