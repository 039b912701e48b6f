/* SPDX-License-Identifier: Apache-2.0 */
/* Results of the cache simulation as tables: by level, and by function. */
#include <string.h>

#include <stdio.h>

#include "xtrace/analyze/stream_analysis.h"
#include "core/arithmetic.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

enum { COLUMN_NAME = TL_XTRACE_CACHE_NAME + 16 };

/* ---- by level ---- */

static const struct tl_xtrace_table_column level_columns[] = {
	{ "thread", TL_XTRACE_LEFT },    { "level", TL_XTRACE_LEFT }, { "access", TL_XTRACE_LEFT },
	{ "accesses", TL_XTRACE_RIGHT }, { "hits", TL_XTRACE_RIGHT }, { "misses", TL_XTRACE_RIGHT },
	{ "missed", TL_XTRACE_RIGHT },
};

static void put_uses(struct tl_xtrace_analysis *a, struct tl_xtrace_table *t, size_t stream,
		     const char *level, const char *access, uint64_t accesses, uint64_t misses)
{
	tl_xtrace_cell_stream(a, t, stream);
	tl_xtrace_cell_text(t, level);
	tl_xtrace_cell_text(t, access);
	tl_xtrace_cell_u64(t, accesses);
	tl_xtrace_cell_u64(t, accesses - misses);
	tl_xtrace_cell_u64(t, misses);
	tl_xtrace_cell_percent(t, misses, accesses);
}

static void put_level(struct tl_xtrace_analysis *a, struct tl_xtrace_table *t, size_t stream,
		      const char *name, const struct tl_xtrace_cache_count *count)
{
	static const char *const uses[] = { "fetch", "load", "store" };
	uint64_t accesses = 0, misses = 0;
	unsigned kinds = 0;

	for (unsigned use = 0; use < TL_XTRACE_USE_COUNT; use++) {
		accesses += count->accesses[use];
		misses += count->misses[use];
		kinds += count->accesses[use] != 0;
	}
	for (unsigned use = 0; use < TL_XTRACE_USE_COUNT; use++)
		if (count->accesses[use])
			put_uses(a, t, stream, name, uses[use], count->accesses[use],
				 count->misses[use]);
	if (kinds != 1)
		put_uses(a, t, stream, name, "all", accesses, misses);
}

static void add_counts(struct tl_xtrace_cache_count *sum, const struct tl_xtrace_cache_count *count)
{
	for (unsigned use = 0; use < TL_XTRACE_USE_COUNT; use++) {
		sum->accesses[use] += count->accesses[use];
		sum->misses[use] += count->misses[use];
	}
}

static const struct tl_xtrace_table_column traffic_columns[] = {
	{ "thread", TL_XTRACE_LEFT },   { "level", TL_XTRACE_LEFT },
	{ "written", TL_XTRACE_RIGHT }, { "prefetched", TL_XTRACE_RIGHT },
	{ "useful", TL_XTRACE_RIGHT },
};

/* Of levels that are followed beyond hits and misses, if there are any. */
static void show_traffic(struct tl_xtrace_analysis *a)
{
	const struct tl_xtrace_cache_config *config = a->options.caches;
	struct tl_xtrace_table t;
	bool any = config->writes;

	for (uint32_t level = 0; level < config->count; level++)
		any |= config->levels[level].prefetch != TL_XTRACE_NO_PREFETCH;
	if (!any || a->options.form == TL_XTRACE_CSV)
		return;
	tl_xtrace_begin_table(a, &t, "cache_traffic",
			      "Written to the next level, and lines fetched ahead");
	tl_xtrace_table_columns(&t, traffic_columns, COUNT(traffic_columns));
	for (size_t i = 0; i < a->stream_count; i++)
		for (uint32_t level = 0; level < config->count; level++) {
			const struct tl_xtrace_cache_count *count =
				&a->streams[i].core->counts[level];

			tl_xtrace_cell_stream(a, &t, i);
			tl_xtrace_cell_text(&t, config->levels[level].name);
			tl_xtrace_cell_u64(&t, count->written);
			tl_xtrace_cell_u64(&t, count->prefetched);
			tl_xtrace_cell_u64(&t, count->useful);
		}
	tl_xtrace_table_end(&t);
}

void tl_xtrace_show_cache(struct tl_xtrace_analysis *a)
{
	const struct tl_xtrace_cache_config *config = a->options.caches;
	struct tl_xtrace_cache_count sums[TL_XTRACE_CACHE_LEVELS] = { 0 };
	struct tl_xtrace_table t;

	tl_xtrace_begin_table(a, &t, "cache", "Caches and TLBs");
	tl_xtrace_table_columns(&t, level_columns, COUNT(level_columns));
	for (size_t i = 0; i < a->stream_count; i++)
		for (uint32_t level = 0; level < config->count; level++) {
			const struct tl_xtrace_cache_count *count =
				&a->streams[i].core->counts[level];

			put_level(a, &t, i, config->levels[level].name, count);
			add_counts(&sums[level], count);
		}
	for (uint32_t level = 0; a->stream_count > 1 && level < config->count; level++)
		put_level(a, &t, a->stream_count, config->levels[level].name, &sums[level]);
	tl_xtrace_table_end(&t);
	show_traffic(a);
}

/* ---- by function ---- */

struct function_row {
	const struct tl_xtrace_function_range *function;
	const struct tl_xtrace_function_count *count;
	uint64_t misses; /* of all levels: what the rows are sorted by */
};

static uint64_t all_uses(const uint64_t uses[TL_XTRACE_USE_COUNT])
{
	return uses[TL_XTRACE_USE_FETCH] + uses[TL_XTRACE_USE_LOAD] + uses[TL_XTRACE_USE_STORE];
}

static int by_misses(const void *x, const void *y)
{
	const struct function_row *a = x, *b = y;
	int names = strcmp(a->function->name, b->function->name);

	if (a->misses != b->misses)
		return tl_compare(b->misses, a->misses);
	if (names)
		return names;
	return (a->function->start > b->function->start) -
	       (a->function->start < b->function->start);
}

static struct function_row *make_rows(const struct tl_xtrace_analysis *a, uint32_t count)
{
	struct function_row *rows = tl_zeroed(count, sizeof(*rows));

	for (uint32_t i = 0; rows && i < count; i++) {
		rows[i].function = &a->functions.list[i];
		rows[i].count = &a->counted.list[i];
		for (uint32_t level = 0; level < a->options.caches->count; level++)
			rows[i].misses += all_uses(rows[i].count->levels[level].misses);
	}
	if (rows && count)
		qsort(rows, count, sizeof(*rows), by_misses);
	return rows;
}

static void put_function(const struct tl_xtrace_analysis *a, struct tl_xtrace_table *t,
			 const struct function_row *row)
{
	tl_xtrace_cell_u64(t, row->count->instructions);
	for (uint32_t level = 0; level < a->options.caches->count; level++) {
		tl_xtrace_cell_u64(t, all_uses(row->count->levels[level].accesses));
		tl_xtrace_cell_u64(t, all_uses(row->count->levels[level].misses));
	}
	tl_xtrace_cell_text(t, row->function->name);
}

_Static_assert(2 + 2 * TL_XTRACE_CACHE_LEVELS <= TL_XTRACE_MOST_COLUMNS,
	       "a table has room for two columns a level");

/* Two columns a level. */
static size_t make_columns(const struct tl_xtrace_cache_config *config, char (*names)[COLUMN_NAME],
			   struct tl_xtrace_table_column *columns)
{
	size_t count = 0;

	columns[count++] = (struct tl_xtrace_table_column){ "instructions", TL_XTRACE_RIGHT };
	for (uint32_t level = 0; level < config->count; level++)
		for (unsigned misses = 0; misses < 2; misses++) {
			snprintf(names[count], COLUMN_NAME, "%s:%s", config->levels[level].name,
				 misses ? "misses" : "accesses");
			columns[count] =
				(struct tl_xtrace_table_column){ names[count], TL_XTRACE_RIGHT };
			count++;
		}
	columns[count++] = (struct tl_xtrace_table_column){ "function", TL_XTRACE_REST };
	return count;
}

bool tl_xtrace_show_cache_functions(struct tl_xtrace_analysis *a)
{
	char names[2 + 2 * TL_XTRACE_CACHE_LEVELS][COLUMN_NAME];
	struct tl_xtrace_table_column columns[2 + 2 * TL_XTRACE_CACHE_LEVELS];
	uint32_t count = a->functions.starts.count, shown = a->options.top;
	struct function_row *rows = make_rows(a, count);
	struct tl_xtrace_table t;

	if (!rows)
		return false;
	tl_xtrace_begin_table(a, &t, "cache_functions",
			      "Caches and TLBs by function, most misses first");
	tl_xtrace_table_columns(&t, columns, make_columns(a->options.caches, names, columns));
	for (uint32_t i = 0; i < count && (!shown || i < shown); i++)
		put_function(a, &t, &rows[i]);
	tl_xtrace_table_end(&t);
	free(rows);
	return true;
}
