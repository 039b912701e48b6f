/* SPDX-License-Identifier: Apache-2.0 */
/* Results of the cache simulation as tables: by level, and by function. */
#include <string.h>

#include <stdio.h>

#include "xtrace/lane.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

enum { COLUMN_NAME = XTRACE_LEVEL_NAME + 16 };

/* ---- by level ---- */

static const struct xtrace_column level_columns[] = {
	{ "thread", -10 }, { "level", -8 },  { "access", -6 }, { "accesses", 14 },
	{ "hits", 14 },    { "misses", 12 }, { "missed", 7 },
};

static void put_uses(struct xtrace_analysis *a, struct xtrace_table *t, size_t lane,
		     const char *level, const char *access, uint64_t accesses, uint64_t misses)
{
	tl_xtrace_cell_lane(a, t, lane);
	tl_xtrace_cell_text(t, level);
	tl_xtrace_cell_text(t, access);
	tl_xtrace_cell_u64(t, accesses);
	tl_xtrace_cell_u64(t, accesses - misses);
	tl_xtrace_cell_u64(t, misses);
	tl_xtrace_cell_percent(t, misses, accesses);
}

static void put_level(struct xtrace_analysis *a, struct xtrace_table *t, size_t lane,
		      const char *name, const struct xtrace_cache_count *count)
{
	static const char *const uses[] = { "fetch", "load", "store" };
	uint64_t accesses = 0, misses = 0;
	unsigned kinds = 0;

	for (unsigned use = 0; use < XTRACE_USES; use++) {
		accesses += count->accesses[use];
		misses += count->misses[use];
		kinds += count->accesses[use] != 0;
	}
	for (unsigned use = 0; use < XTRACE_USES; use++)
		if (count->accesses[use])
			put_uses(a, t, lane, name, uses[use], count->accesses[use],
				 count->misses[use]);
	if (kinds != 1)
		put_uses(a, t, lane, name, "all", accesses, misses);
}

static void add_counts(struct xtrace_cache_count *sum, const struct xtrace_cache_count *count)
{
	for (unsigned use = 0; use < XTRACE_USES; use++) {
		sum->accesses[use] += count->accesses[use];
		sum->misses[use] += count->misses[use];
	}
}

void tl_xtrace_show_cache(struct xtrace_analysis *a)
{
	const struct xtrace_cache_config *config = a->wishes.caches;
	struct xtrace_cache_count sums[XTRACE_LEVELS] = { 0 };
	struct xtrace_table t;

	tl_xtrace_begin_table(a, &t, "cache", "Caches and TLBs");
	tl_xtrace_table_columns(&t, level_columns, COUNT(level_columns));
	for (size_t i = 0; i < a->lane_count; i++)
		for (uint32_t level = 0; level < config->count; level++) {
			const struct xtrace_cache_count *count = &a->lanes[i].core->counts[level];

			put_level(a, &t, i, config->levels[level].name, count);
			add_counts(&sums[level], count);
		}
	for (uint32_t level = 0; a->lane_count > 1 && level < config->count; level++)
		put_level(a, &t, a->lane_count, config->levels[level].name, &sums[level]);
	tl_xtrace_table_end(&t);
}

/* ---- by function ---- */

struct function_row {
	const struct xtrace_found *function;
	const struct xtrace_function_count *count;
	uint64_t misses; /* of all levels: what the rows are sorted by */
};

static uint64_t all_uses(const uint64_t uses[XTRACE_USES])
{
	return uses[XTRACE_FETCH] + uses[XTRACE_LOAD] + uses[XTRACE_STORE];
}

static int by_misses(const void *x, const void *y)
{
	const struct function_row *a = x, *b = y;
	int names = strcmp(a->function->name, b->function->name);

	if (a->misses != b->misses)
		return a->misses < b->misses ? 1 : -1;
	if (names)
		return names;
	return (a->function->start > b->function->start) -
	       (a->function->start < b->function->start);
}

static struct function_row *make_rows(const struct xtrace_analysis *a, uint32_t count)
{
	struct function_row *rows = tl_zeroed(count, sizeof(*rows));

	for (uint32_t i = 0; rows && i < count; i++) {
		rows[i].function = &a->functions.list[i];
		rows[i].count = &a->function_counts[i];
		for (uint32_t level = 0; level < a->wishes.caches->count; level++)
			rows[i].misses += all_uses(rows[i].count->levels[level].misses);
	}
	if (rows && count)
		qsort(rows, count, sizeof(*rows), by_misses);
	return rows;
}

static void put_function(const struct xtrace_analysis *a, struct xtrace_table *t,
			 const struct function_row *row)
{
	tl_xtrace_cell_u64(t, row->count->instructions);
	for (uint32_t level = 0; level < a->wishes.caches->count; level++) {
		tl_xtrace_cell_u64(t, all_uses(row->count->levels[level].accesses));
		tl_xtrace_cell_u64(t, all_uses(row->count->levels[level].misses));
	}
	tl_xtrace_cell_text(t, row->function->name);
}

/* Two columns a level. */
static size_t make_columns(const struct xtrace_cache_config *config, char (*names)[COLUMN_NAME],
			   struct xtrace_column *columns)
{
	size_t count = 0;

	columns[count++] = (struct xtrace_column){ "instructions", 12 };
	for (uint32_t level = 0; level < config->count; level++)
		for (unsigned misses = 0; misses < 2; misses++) {
			int length = snprintf(names[count], COLUMN_NAME, "%s:%s",
					      config->levels[level].name,
					      misses ? "misses" : "accesses");

			columns[count] =
				(struct xtrace_column){ names[count], length < 10 ? 10 : length };
			count++;
		}
	columns[count++] = (struct xtrace_column){ "function", 0 };
	return count;
}

bool tl_xtrace_show_cache_functions(struct xtrace_analysis *a)
{
	char names[2 + 2 * XTRACE_LEVELS][COLUMN_NAME];
	struct xtrace_column columns[2 + 2 * XTRACE_LEVELS];
	uint32_t count = a->functions.starts.count, shown = a->wishes.top;
	struct function_row *rows = make_rows(a, count);
	struct xtrace_table t;

	if (!rows)
		return false;
	tl_xtrace_begin_table(a, &t, "cache_functions",
			      "Caches and TLBs by function, most misses first");
	tl_xtrace_table_columns(&t, columns, make_columns(a->wishes.caches, names, columns));
	for (uint32_t i = 0; i < count && (!shown || i < shown); i++)
		put_function(a, &t, &rows[i]);
	tl_xtrace_table_end(&t);
	free(rows);
	return true;
}
