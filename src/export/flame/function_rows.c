/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of functions beside a flame graph: the totals of the profile, which pruning does not
 * change, for all columns together and for each column.
 */
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "export/flame/flame.h"
#include "profile/model/part_lists.h"
#include "profile/model/unsized.h"

struct collection {
	const struct tl_flame *flame;
	struct tl_flame_rows *out;
	bool *listed; /* by function: has a row */
};

struct ranked {
	double score;
	uint32_t function;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->score != y->score)
		return tl_compare(y->score, x->score);
	return tl_compare(x->function, y->function);
}

static void rank_side(const struct tl_flame *flame, int side, struct ranked *ranked)
{
	const struct tl_profile *profile = flame->profile[side];
	const int64_t *total = tl_profile_total(profile);
	uint32_t count = tl_profile_function_count(profile);

	for (uint32_t f = 0; f < count; f++) {
		struct tl_function_totals totals;
		double *score = &ranked[flame->functions.of[side][f]].score;

		tl_profile_totals_of(profile, f, TL_NONE, &totals);
		/* Called without cost: behind all that have a cost. */
		if ((totals.calls || totals.unfinished) && !(*score > 0))
			*score = 1e-300;
		for (uint32_t e = 0; e < flame->event_count; e++) {
			double share =
				tl_flame_share(tl_flame_cost(flame, side, totals.inclusive, e),
					       tl_flame_cost(flame, side, total, e));

			if (share > *score)
				*score = share;
		}
	}
}

/* Functions that were called or cost something, the largest TL_FLAME_MOST_ROWS. */
static bool choose_rows(struct collection *g)
{
	const struct tl_flame *flame = g->flame;
	struct ranked *ranked = calloc((size_t)flame->functions.count + 1, sizeof(*ranked));

	if (!ranked)
		return false;
	for (uint32_t f = 0; f < flame->functions.count; f++)
		ranked[f].function = f;
	for (int side = 0; side < 2 && flame->profile[side]; side++)
		rank_side(flame, side, ranked);
	qsort(ranked, flame->functions.count, sizeof(*ranked), compare_ranked);
	for (uint32_t i = 0; i < flame->functions.count && ranked[i].score > 0; i++) {
		if (i >= TL_FLAME_MOST_ROWS) {
			g->out->left_out++;
			continue;
		}
		g->listed[ranked[i].function] = true;
	}
	free(ranked);
	return true;
}

/* The row of a function in `column`, whose rows so far `row_of` has; added if new. */
static int64_t *row_costs(struct collection *g, uint32_t *row_of, uint32_t function,
			  uint32_t column, struct tl_flame_row **row)
{
	size_t width = (size_t)g->flame->event_count * 2;

	if (row_of[function] == TL_NONE) {
		if (!tl_grow(&g->out->rows, &g->out->row_capacity, g->out->count + 1,
			     sizeof(*g->out->rows)) ||
		    !tl_grow(&g->out->costs, &g->out->cost_capacity, (g->out->count + 1) * width,
			     sizeof(*g->out->costs)))
			return NULL;
		g->out->rows[g->out->count] = (struct tl_flame_row){ function, column, 0 };
		memset(g->out->costs + g->out->count * width, 0, width * sizeof(*g->out->costs));
		row_of[function] = (uint32_t)g->out->count++;
	}
	*row = &g->out->rows[row_of[function]];
	return g->out->costs + row_of[function] * width;
}

static bool add_row(struct collection *g, uint32_t *row_of, int side, uint32_t number,
		    uint32_t part, uint32_t column)
{
	const struct tl_flame *flame = g->flame;
	uint32_t function = flame->functions.of[side][number], events = flame->event_count;
	struct tl_function_totals totals;
	struct tl_flame_row *row;
	bool any;
	int64_t *costs;

	tl_profile_totals_of(flame->profile[side], number, part, &totals);
	any = totals.calls || totals.unfinished;
	for (uint32_t e = 0; !any && e < events; e++)
		any = tl_flame_cost(flame, side, totals.inclusive, e) != 0;
	if (!any || !g->listed[function])
		return true;
	costs = row_costs(g, row_of, function, column, &row);
	if (!costs)
		return false;
	row->calls += totals.calls;
	for (uint32_t e = 0; e < events; e++) {
		costs[e] = tl_sum_saturating(costs[e], tl_flame_cost(flame, side, totals.self, e));
		costs[events + e] = tl_sum_saturating(
			costs[events + e], tl_flame_cost(flame, side, totals.inclusive, e));
	}
	return true;
}

static bool add_rows(struct collection *g, uint32_t *row_of, int side, uint32_t column)
{
	uint32_t count = tl_profile_function_count(g->flame->profile[side]);
	bool ok = true;

	for (uint32_t f = 0; ok && f < count; f++)
		ok = add_row(g, row_of, side, f, TL_NONE, column);
	return ok;
}

/* The rows of each column of threads; `row_of` is as large as `size` says. */
static bool add_columns(struct collection *g, uint32_t *row_of, size_t size)
{
	const struct tl_flame *flame = g->flame;
	uint32_t parts = tl_profile_part_count(flame->profile[0]);
	struct tl_part_lists lists;
	bool ok = tl_part_lists_make(&lists, flame->profile[0]);

	for (uint32_t column = 0; ok && column < flame->columns.count; column++) {
		memset(row_of, 0xff, size);
		for (uint32_t part = 0; ok && part < parts; part++) {
			if (flame->columns.of_part[part] != column)
				continue;
			for (uint32_t i = lists.start[part]; ok && i < lists.start[part + 1]; i++)
				ok = add_row(g, row_of, 0, lists.functions[i], part, column);
		}
	}
	tl_part_lists_free(&lists);
	return ok;
}

static bool collect(struct collection *g)
{
	const struct tl_flame *flame = g->flame;
	size_t size = ((size_t)flame->functions.count + 1) * sizeof(uint32_t);
	uint32_t *row_of = malloc(size);
	bool ok = row_of && choose_rows(g),
	     threads = flame->columns.count > 1 && !flame->profile[1];

	for (int side = 0; ok && side < 2 && flame->profile[side]; side++) {
		uint32_t column = threads ? TL_NONE : (uint32_t)side;

		memset(row_of, 0xff, size);
		ok = add_rows(g, row_of, side, column);
	}
	if (ok && threads)
		ok = add_columns(g, row_of, size);
	free(row_of);
	return ok;
}

bool tl_flame_rows_collect(struct tl_flame_rows *rows, const struct tl_flame *flame)
{
	struct collection g = { flame, rows,
				calloc((size_t)flame->functions.count + 1, sizeof(bool)) };
	bool ok = g.listed && collect(&g);

	free(g.listed);
	return ok;
}

void tl_flame_rows_free(struct tl_flame_rows *rows)
{
	free(rows->rows);
	free(rows->costs);
}
