/* SPDX-License-Identifier: Apache-2.0 */
/* Shared lines as tables: by thread, and by line and functions. */
#include "xtrace/analyze/stream_analysis.h"
#include "core/arithmetic.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct tl_xtrace_table_column thread_columns[] = {
	{ "thread", TL_XTRACE_LEFT },         { "loads", TL_XTRACE_RIGHT },
	{ "stores", TL_XTRACE_RIGHT },        { "cold", TL_XTRACE_RIGHT },
	{ "evicted", TL_XTRACE_RIGHT },       { "true", TL_XTRACE_RIGHT },
	{ "false", TL_XTRACE_RIGHT },         { "upgrades", TL_XTRACE_RIGHT },
	{ "invalidations", TL_XTRACE_RIGHT }, { "lost", TL_XTRACE_RIGHT },
	{ "transfers", TL_XTRACE_RIGHT },
};

static void show_threads(struct tl_xtrace_analysis *a)
{
	struct tl_xtrace_table t;

	tl_xtrace_begin_table(a, &t, "sharing",
			      "Sharing between threads: lines touched, misses and invalidations");
	tl_xtrace_table_columns(&t, thread_columns, COUNT(thread_columns));
	for (size_t i = 0; i < a->stream_count; i++) {
		const struct tl_xtrace_sharing_count *c = &a->sharing_counts[i];
		const uint64_t cells[] = { c->loads,    c->stores,        c->cold,
					   c->evicted,  c->true_shared,   c->false_shared,
					   c->upgrades, c->invalidations, c->lost,
					   c->transfers };

		tl_xtrace_cell_stream(a, &t, i);
		for (size_t n = 0; n < COUNT(cells); n++)
			tl_xtrace_cell_u64(&t, cells[n]);
	}
	tl_xtrace_table_end(&t);
}

static const struct tl_xtrace_table_column line_columns[] = {
	{ "line", TL_XTRACE_RIGHT },          { "threads", TL_XTRACE_RIGHT },
	{ "invalidations", TL_XTRACE_RIGHT }, { "true", TL_XTRACE_RIGHT },
	{ "false", TL_XTRACE_RIGHT },         { "writer", TL_XTRACE_LEFT },
	{ "function", TL_XTRACE_REST },
};

/* Most misses first; where they are as many, false ones before true ones. */
static int by_misses(const void *x, const void *y, void *lines)
{
	const struct tl_xtrace_sharing_pair *a = x, *b = y;
	const struct tl_xtrace_shared_line *list = lines;
	uint64_t m = a->true_shared + a->false_shared, n = b->true_shared + b->false_shared;

	if (m != n)
		return tl_compare(n, m);
	if (a->false_shared != b->false_shared)
		return tl_compare(b->false_shared, a->false_shared);
	if (a->line != b->line)
		return tl_compare(list[a->line].number, list[b->line].number);
	if (a->function != b->function)
		return tl_compare(a->function, b->function);
	return tl_compare(a->writer, b->writer);
}

static void cell_function(struct tl_xtrace_analysis *a, struct tl_xtrace_table *t,
			  uint32_t function)
{
	if (function == TL_NONE)
		tl_xtrace_cell_none(t);
	else
		tl_xtrace_cell_text(t, a->functions.list[function].name);
}

static void show_lines(struct tl_xtrace_analysis *a)
{
	struct tl_xtrace_sharing *s = &a->sharing;
	uint32_t shown = a->options.top;
	struct tl_xtrace_table t;

	/* The lists of the lines are of no use any more. */
	if (s->pair_count)
		qsort_r(s->pairs, s->pair_count, sizeof(*s->pairs), by_misses, s->lines);
	tl_xtrace_begin_table(
		a, &t, "shared_lines",
		"Lines that were lost to other threads and missed, most misses first");
	tl_xtrace_table_columns(&t, line_columns, COUNT(line_columns));
	for (uint32_t i = 0; i < s->pair_count && (!shown || i < shown); i++) {
		const struct tl_xtrace_sharing_pair *pair = &s->pairs[i];
		const struct tl_xtrace_shared_line *line = &s->lines[pair->line];

		tl_xtrace_cell_hex(&t, line->number << s->line_shift);
		tl_xtrace_cell_u64(&t, (uint64_t)__builtin_popcountll(line->touched));
		tl_xtrace_cell_u64(&t, line->invalidations);
		tl_xtrace_cell_u64(&t, pair->true_shared);
		tl_xtrace_cell_u64(&t, pair->false_shared);
		cell_function(a, &t, pair->writer);
		cell_function(a, &t, pair->function);
	}
	tl_xtrace_table_end(&t);
}

void tl_xtrace_show_sharing(struct tl_xtrace_analysis *a)
{
	/* CSV is one table: that of lines. */
	if (a->options.form != TL_XTRACE_CSV)
		show_threads(a);
	show_lines(a);
}
