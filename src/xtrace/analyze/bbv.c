/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Basic-block vectors: for each interval, how many instructions each block executed in it. As text
 * in the form that SimPoint 3 reads: "T:block:count :block:count ..." a line, blocks from 1 on. A
 * block over the end of an interval counts in both, by its instructions: counts of an interval sum
 * to its length. Vectors of all streams are in one file, those of one stream behind those of the
 * other, so that a phase which several threads go through is one cluster.
 */
#include <inttypes.h>

#include "core/output.h"
#include "xtrace/analyze/stream_analysis.h"

/* clang-format off */
static const struct tl_xtrace_table_column columns[] = {
	{ "interval", TL_XTRACE_REST }, { "thread", TL_XTRACE_REST },
	{ "block", TL_XTRACE_REST }, { "address", TL_XTRACE_REST },
	{ "instructions", TL_XTRACE_REST },
};
/* clang-format on */

void tl_xtrace_bbv_begin(struct tl_xtrace_analysis *a)
{
	if (a->options.form == TL_XTRACE_TEXT)
		return;
	tl_xtrace_begin_table(a, &a->tables.table, "bbv", "");
	tl_xtrace_table_columns(&a->tables.table, columns, sizeof(columns) / sizeof(columns[0]));
}

static void put_line(struct tl_output *out, const struct tl_xtrace_basic_blocks *blocks,
		     const uint32_t *list, size_t count)
{
	if (!count)
		tl_put_char(out, 'T');
	for (size_t i = 0; i < count; i++)
		tl_put_format(out, "%s%" PRIu32 ":%" PRIu64, i ? " :" : "T:", list[i] + 1,
			      blocks->list[list[i]].in_interval);
	tl_put_char(out, '\n');
}

static void put_rows(struct tl_xtrace_analysis *a, size_t stream, const uint32_t *list,
		     size_t count)
{
	struct tl_xtrace_table *table = &a->tables.table;

	for (size_t i = 0; i < count; i++) {
		const struct tl_xtrace_basic_block *block = &a->blocks.list[list[i]];

		tl_xtrace_cell_u64(table, a->intervals.count);
		tl_xtrace_cell_stream(a, table, stream);
		tl_xtrace_cell_u64(table, (uint64_t)list[i] + 1);
		tl_xtrace_cell_hex(table, block->address);
		tl_xtrace_cell_u64(table, block->in_interval);
	}
}

/* Of stream number `stream`; beyond the last: of all. */
static void put_vector(struct tl_xtrace_analysis *a, size_t stream, const uint32_t *list,
		       size_t count)
{
	if (a->options.form == TL_XTRACE_TEXT)
		put_line(a->out, &a->blocks, list, count);
	else
		put_rows(a, stream, list, count);
}

bool tl_xtrace_bbv_begin_stream(struct tl_xtrace_analysis *a,
				const struct tl_xtrace_stream_analysis *s)
{
	a->intervals.end = a->options.interval;
	return tl_xtrace_interval_stream(a, s);
}

bool tl_xtrace_bbv_end_stream(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s)
{
	return tl_xtrace_basic_block_leave(&a->blocks, &s->place) &&
	       tl_xtrace_bbv_end_interval(a, s);
}

bool tl_xtrace_bbv_end_interval(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s)
{
	const uint32_t *list;
	size_t count;

	if (!tl_xtrace_basic_block_count(&a->blocks, &s->place))
		return false;
	list = tl_xtrace_basic_blocks_interval(&a->blocks, &count);
	if (a->intervals.finder.fn)
		tl_xtrace_interval_end(a, s, count);
	else if (count)
		put_vector(a, (size_t)(s - a->streams), list, count);
	if (!count)
		return true;
	a->intervals.count++;
	tl_xtrace_basic_blocks_next_interval(&a->blocks);
	return true;
}

bool tl_xtrace_bbv_end_common(struct tl_xtrace_analysis *a)
{
	const uint32_t *list;
	size_t count;

	for (size_t i = 0; i < a->stream_count; i++)
		if (!tl_xtrace_basic_block_count(&a->blocks, &a->streams[i].place))
			return false;
	list = tl_xtrace_basic_blocks_interval(&a->blocks, &count);
	put_vector(a, a->stream_count, list, count);
	a->intervals.count++;
	tl_xtrace_basic_blocks_next_interval(&a->blocks);
	return true;
}
