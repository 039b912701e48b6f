/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/analyze/series.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/optional.h"
#include "xtrace/analyze/stream_analysis.h"

enum { ROW_HEAD = 3 }; /* of a row: the stream, the interval, its first instruction */

/* ---- the cells of a row, in the order of its columns ---- */

/* What is gone through twice: once for the names of columns, and for each row for its values. */
struct cells {
	struct tl_xtrace_table_column *columns; /* NULL: values */
	char (*names)[TL_XTRACE_SERIES_NAME];
	uint64_t *values;
	size_t count;
};

/* A counter; `level`: of a cache or predictor of that name, else NULL. */
static void cell(struct cells *c, const char *level, const char *name, uint64_t value)
{
	if (c->columns) {
		snprintf(c->names[c->count], TL_XTRACE_SERIES_NAME, "%s%s%s",
			 tl_text_or_empty(level), tl_text_if(level, ":"), name);
		c->columns[c->count] =
			(struct tl_xtrace_table_column){ c->names[c->count], TL_XTRACE_RIGHT };
	} else {
		c->values[c->count] = value;
	}
	c->count++;
}

static uint64_t all_uses(const uint64_t uses[TL_XTRACE_USE_COUNT])
{
	return uses[TL_XTRACE_USE_FETCH] + uses[TL_XTRACE_USE_LOAD] + uses[TL_XTRACE_USE_STORE];
}

static void cache_cells(const struct tl_xtrace_analysis *a,
			const struct tl_xtrace_stream_analysis *s, struct cells *c)
{
	const struct tl_xtrace_cache_config *config = a->options.caches;

	for (uint32_t i = 0; i < config->count; i++) {
		const struct tl_xtrace_cache_count *count = &s->core->counts[i];

		cell(c, config->levels[i].name, "accesses", all_uses(count->accesses));
		cell(c, config->levels[i].name, "misses", all_uses(count->misses));
	}
}

static void branch_cells(const struct tl_xtrace_analysis *a,
			 const struct tl_xtrace_stream_analysis *s, struct cells *c)
{
	const struct tl_xtrace_predictor_config *config = a->options.predictors;
	uint64_t executions = 0, taken = 0;

	for (unsigned kind = 0; kind < TL_XTRACE_BRANCH_KINDS; kind++) {
		executions += s->branch.kinds[kind].executions;
		taken += s->branch.kinds[kind].taken;
	}
	cell(c, NULL, "branches", executions);
	cell(c, NULL, "taken", taken);
	for (uint32_t p = 0; p < config->count; p++)
		cell(c, config->specs[p].name, "misses", s->branch.predicted[p].missed);
}

static void reuse_cells(const struct tl_xtrace_stream_analysis *s, struct cells *c)
{
	cell(c, "fetch", "touches", s->fetches.histogram.touches);
	cell(c, "fetch", "cold", s->fetches.histogram.cold);
	cell(c, "fetch", "distances", s->fetches.histogram.distances);
	cell(c, "data", "touches", s->data.histogram.touches);
	cell(c, "data", "cold", s->data.histogram.cold);
	cell(c, "data", "distances", s->data.histogram.distances);
}

static void sharing_cells(const struct tl_xtrace_analysis *a,
			  const struct tl_xtrace_stream_analysis *s, struct cells *c)
{
	const struct tl_xtrace_sharing_count *count = &a->sharing_counts[s - a->streams];

	cell(c, "sharing", "cold", count->cold);
	cell(c, "sharing", "evicted", count->evicted);
	cell(c, "sharing", "true", count->true_shared);
	cell(c, "sharing", "false", count->false_shared);
	cell(c, "sharing", "invalidations", count->invalidations);
	cell(c, "sharing", "lost", count->lost);
}

/* Counters that only grow; of them a row has the growth. */
static void growing(const struct tl_xtrace_analysis *a, const struct tl_xtrace_stream_analysis *s,
		    struct cells *c)
{
	unsigned wanted = a->options.analyses;

	cell(c, NULL, "instructions", s->series.instructions);
	cell(c, NULL, "user", s->series.user);
	cell(c, NULL, "loads", s->series.loads);
	cell(c, NULL, "stores", s->series.stores);
	for (unsigned i = 0; wanted & TL_XTRACE_ANALYZE_MIX && i < TL_A64_CLASS_COUNT; i++)
		cell(c, "class", tl_a64_class_name(i), s->series.classes[i]);
	if (wanted & TL_XTRACE_ANALYZE_REUSE)
		reuse_cells(s, c);
	if (wanted & TL_XTRACE_ANALYZE_CACHE)
		cache_cells(a, s, c);
	if (wanted & TL_XTRACE_ANALYZE_BRANCHES)
		branch_cells(a, s, c);
	if (wanted & TL_XTRACE_ANALYZE_DEPENDENCES) {
		cell(c, "register", "reads", s->dependences.registers.reads);
		cell(c, "memory", "reads", s->dependences.memory.reads);
	}
	if (wanted & TL_XTRACE_ANALYZE_SHARING)
		sharing_cells(a, s, c);
	if (wanted & TL_XTRACE_ANALYZE_SYSCALLS)
		cell(c, NULL, "syscalls", s->series.calls);
}

/* What was touched in the interval. False without memory. */
static bool touched(const struct tl_xtrace_analysis *a, const struct tl_xtrace_stream_analysis *s,
		    struct cells *c)
{
	struct tl_xtrace_footprint_counts lines = { 0 }, pages = { 0 };

	if (!(a->options.analyses & TL_XTRACE_ANALYZE_FOOTPRINT))
		return true;
	if (!tl_xtrace_footprint_sum(&s->series.footprint, TL_XTRACE_EVERY_EL, a->page_shift,
				     &lines, &pages))
		return false;
	cell(c, "lines", "fetched", lines.fetched);
	cell(c, "lines", "data", lines.data);
	cell(c, "pages", "fetched", pages.fetched);
	cell(c, "pages", "data", pages.data);
	return true;
}

/* ---- rows ---- */

/* The end of the interval that begins at `first`. */
static void find_end(const struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s)
{
	if (a->options.together) {
		s->series.end = tl_xtrace_cuts_end(&a->intervals.cuts, s->series.interval,
						   (size_t)(s - a->streams));
		return;
	}
	s->series.end = s->series.first + a->series.length;
	if (s->series.end < s->series.first)
		s->series.end = TL_NOWHERE;
}

static bool put_row(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s)
{
	struct tl_xtrace_series *series = &a->series;
	size_t size = ROW_HEAD + series->cells, at = series->row_count * size;
	struct cells now = { .values = (uint64_t[TL_XTRACE_SERIES_CELLS]){ 0 } };
	uint64_t *row;
	size_t growth;

	growing(a, s, &now);
	growth = now.count;
	if (!touched(a, s, &now) ||
	    !tl_grow(&series->rows, &series->room, at + size, sizeof(*series->rows)))
		return false;
	row = series->rows + at;
	row[0] = (uint64_t)(s - a->streams);
	row[1] = s->series.interval;
	row[2] = s->series.first;
	for (size_t i = 0; i < now.count; i++)
		row[ROW_HEAD + i] = now.values[i] - (i < growth ? s->series.before[i] : 0);
	memcpy(s->series.before, now.values, growth * sizeof(*now.values));
	series->row_count++;
	return true;
}

bool tl_xtrace_series_end_interval(struct tl_xtrace_analysis *a,
				   struct tl_xtrace_stream_analysis *s)
{
	if (!put_row(a, s))
		return false;
	tl_xtrace_footprint_free(&s->series.footprint);
	tl_xtrace_footprint_begin(&s->series.footprint, a->line_shift);
	s->series.interval++;
	s->series.first = s->series.end;
	find_end(a, s);
	return true;
}

void tl_xtrace_series_count(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s)
{
	s->series.instructions++;
	s->series.user += s->el == 0;
	if (a->options.analyses & TL_XTRACE_ANALYZE_MIX)
		s->series.classes[tl_a64_look(a->series.instructions, s->opcode)->class]++;
}

/* ---- beginning and end ---- */

static void begin_stream(const struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s)
{
	s->series.first = s->first;
	find_end(a, s);
	tl_xtrace_footprint_begin(&s->series.footprint, a->line_shift);
}

bool tl_xtrace_series_begin(struct tl_xtrace_analysis *a)
{
	struct cells now = { .values = (uint64_t[TL_XTRACE_SERIES_CELLS]){ 0 } };

	if (a->options.analyses & TL_XTRACE_ANALYZE_BBV)
		return true;
	a->series.length = a->options.interval;
	if (!a->series.length)
		return true;
	a->series.instructions = malloc(sizeof(*a->series.instructions));
	if (!a->series.instructions)
		return false;
	tl_a64_cache_begin(a->series.instructions);
	for (size_t i = 0; i < a->stream_count; i++)
		begin_stream(a, &a->streams[i]);
	growing(a, &a->streams[0], &now);
	if (!touched(a, &a->streams[0], &now))
		return false;
	a->series.cells = now.count;
	return true;
}

void tl_xtrace_series_free(struct tl_xtrace_analysis *a)
{
	for (size_t i = 0; i < a->stream_count; i++)
		tl_xtrace_footprint_free(&a->streams[i].series.footprint);
	free(a->series.instructions);
	free(a->series.rows);
}

/* ---- the table ---- */

static const struct tl_xtrace_table_column head_columns[ROW_HEAD] = {
	{ "thread", TL_XTRACE_LEFT },
	{ "interval", TL_XTRACE_RIGHT },
	{ "first", TL_XTRACE_RIGHT },
};

_Static_assert(TL_XTRACE_SERIES_CELLS + (int)ROW_HEAD <= (int)TL_XTRACE_MOST_COLUMNS,
	       "a table has room for all cells of a row");

/* Rows come in the order in which intervals ended: those of a stream are shown together. */
static void put_rows(struct tl_xtrace_analysis *a, struct tl_xtrace_table *t)
{
	const struct tl_xtrace_series *series = &a->series;
	size_t size = ROW_HEAD + series->cells;

	for (size_t stream = 0; stream < a->stream_count; stream++)
		for (size_t i = 0; i < series->row_count; i++) {
			const uint64_t *row = series->rows + i * size;

			if (row[0] != stream)
				continue;
			tl_xtrace_cell_stream(a, t, stream);
			for (size_t n = 1; n < size; n++)
				tl_xtrace_cell_u64(t, row[n]);
		}
}

bool tl_xtrace_show_series(struct tl_xtrace_analysis *a)
{
	struct tl_xtrace_table_column columns[TL_XTRACE_MOST_COLUMNS];
	char names[TL_XTRACE_SERIES_CELLS][TL_XTRACE_SERIES_NAME];
	struct cells now = { .columns = columns + ROW_HEAD, .names = names };
	struct tl_xtrace_table t;

	/* A last interval may be shorter. */
	for (size_t i = 0; i < a->stream_count; i++)
		if (a->streams[i].instructions > a->streams[i].series.first &&
		    !put_row(a, &a->streams[i]))
			return false;
	memcpy(columns, head_columns, sizeof(head_columns));
	growing(a, &a->streams[0], &now);
	if (!touched(a, &a->streams[0], &now))
		return false;
	tl_xtrace_begin_table(a, &t, "intervals", "Intervals of the streams, one after the other");
	tl_xtrace_table_columns(&t, columns, ROW_HEAD + now.count);
	put_rows(a, &t);
	tl_xtrace_table_end(&t);
	return true;
}
