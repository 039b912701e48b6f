/* SPDX-License-Identifier: Apache-2.0 */
/* Branches and their predictors as tables. */
#include <stdio.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/output.h"
#include "xtrace/analyze/stream_analysis.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

enum { COLUMN_NAME = TL_XTRACE_PREDICTOR_NAME + 16, OWN_COLUMNS = 12 };

_Static_assert(OWN_COLUMNS + (int)TL_XTRACE_PREDICTORS <= (int)TL_XTRACE_MOST_COLUMNS,
	       "a table has room for a column a predictor");

/* ---- kinds, and predictors, by stream ---- */

static const struct tl_xtrace_table_column kind_columns[] = {
	{ "thread", TL_XTRACE_LEFT },      { "kind", TL_XTRACE_LEFT },
	{ "executions", TL_XTRACE_RIGHT }, { "taken", TL_XTRACE_RIGHT },
	{ "percent", TL_XTRACE_RIGHT },    { "unknown", TL_XTRACE_RIGHT },
};

static void put_kind(struct tl_xtrace_analysis *a, struct tl_xtrace_table *t, size_t stream,
		     unsigned kind, const struct tl_xtrace_branch_count *count)
{
	if (!count->executions)
		return;
	tl_xtrace_cell_stream(a, t, stream);
	tl_xtrace_cell_text(t, tl_xtrace_branch_kind_name(kind));
	tl_xtrace_cell_u64(t, count->executions);
	tl_xtrace_cell_u64(t, count->taken);
	tl_xtrace_cell_percent(t, count->taken, count->executions - count->unknown);
	tl_xtrace_cell_u64(t, count->unknown);
}

static void show_kinds(struct tl_xtrace_analysis *a)
{
	struct tl_xtrace_table t;

	tl_xtrace_begin_table(a, &t, "branch_kinds",
			      "Branches by kind; unknown: it was not seen where they led");
	tl_xtrace_table_columns(&t, kind_columns, COUNT(kind_columns));
	for (size_t i = 0; i < a->stream_count; i++)
		for (unsigned kind = 0; kind < TL_XTRACE_BRANCH_KINDS; kind++)
			put_kind(a, &t, i, kind, &a->streams[i].branch.kinds[kind]);
	tl_xtrace_table_end(&t);
}

static const struct tl_xtrace_table_column predictor_columns[] = {
	{ "thread", TL_XTRACE_LEFT },  { "predictor", TL_XTRACE_LEFT },
	{ "kind", TL_XTRACE_LEFT },    { "branches", TL_XTRACE_RIGHT },
	{ "misses", TL_XTRACE_RIGHT }, { "missed", TL_XTRACE_RIGHT },
};

static void show_predictors(struct tl_xtrace_analysis *a)
{
	const struct tl_xtrace_predictor_config *config = a->options.predictors;
	struct tl_xtrace_table t;

	tl_xtrace_begin_table(a, &t, "predictors", "Branch predictors");
	tl_xtrace_table_columns(&t, predictor_columns, COUNT(predictor_columns));
	for (size_t i = 0; i < a->stream_count; i++)
		for (uint32_t p = 0; p < config->count; p++) {
			const struct tl_xtrace_branch_stream *s = &a->streams[i].branch;

			tl_xtrace_cell_stream(a, &t, i);
			tl_xtrace_cell_text(&t, config->specs[p].name);
			tl_xtrace_cell_text(&t,
					    tl_xtrace_predictor_kind_name(config->specs[p].kind));
			tl_xtrace_cell_u64(&t, s->predicted[p].asked);
			tl_xtrace_cell_u64(&t, s->predicted[p].missed);
			tl_xtrace_cell_percent(&t, s->predicted[p].missed, s->predicted[p].asked);
		}
	tl_xtrace_table_end(&t);
}

/* ---- columns of misses ---- */

struct columns {
	struct tl_xtrace_table_column list[OWN_COLUMNS + TL_XTRACE_PREDICTORS];
	char names[TL_XTRACE_PREDICTORS][COLUMN_NAME];
	size_t count;
};

static void add_columns(struct columns *c, const struct tl_xtrace_table_column *own, size_t count)
{
	memcpy(c->list + c->count, own, count * sizeof(*own));
	c->count += count;
}

/* A column for the misses of each predictor, and the function's name. */
static void end_columns(struct columns *c, const struct tl_xtrace_predictor_config *config)
{
	static const struct tl_xtrace_table_column function[] = { { "function", TL_XTRACE_REST } };

	for (uint32_t p = 0; p < config->count; p++) {
		snprintf(c->names[p], COLUMN_NAME, "%s:misses", config->specs[p].name);
		c->list[c->count++] =
			(struct tl_xtrace_table_column){ c->names[p], TL_XTRACE_RIGHT };
	}
	add_columns(c, function, 1);
}

static void put_misses(struct tl_xtrace_table *t, const struct tl_xtrace_predictor_config *config,
		       const uint64_t *missed)
{
	for (uint32_t p = 0; p < config->count; p++)
		tl_xtrace_cell_u64(t, missed[p]);
}

/* Most misses of all predictors first, then most executions. */
struct order {
	uint64_t misses, executions, address;
	uint32_t el, number;
};

static int by_misses(const void *x, const void *y)
{
	const struct order *a = x, *b = y;

	if (a->misses != b->misses)
		return tl_compare(b->misses, a->misses);
	if (a->executions != b->executions)
		return tl_compare(b->executions, a->executions);
	if (a->address != b->address)
		return tl_compare(a->address, b->address);
	return tl_compare(a->el, b->el);
}

static uint64_t sum_of(const struct tl_xtrace_predictor_config *config, const uint64_t *missed)
{
	uint64_t sum = 0;

	for (uint32_t p = 0; p < config->count; p++)
		sum += missed[p];
	return sum;
}

/* ---- each branch ---- */

static const struct tl_xtrace_table_column site_columns[] = {
	{ "address", TL_XTRACE_RIGHT }, { "el", TL_XTRACE_RIGHT },
	{ "kind", TL_XTRACE_LEFT },     { "executions", TL_XTRACE_RIGHT },
	{ "taken", TL_XTRACE_RIGHT },   { "percent", TL_XTRACE_RIGHT },
	{ "unknown", TL_XTRACE_RIGHT }, { "targets", TL_XTRACE_RIGHT },
	{ "target", TL_XTRACE_RIGHT },  { "entropy", TL_XTRACE_RIGHT },
};

/* The target that it led to most often, the first of several. */
static void cell_target(struct tl_xtrace_table *t, const struct tl_xtrace_branch_targets *targets)
{
	uint32_t most = 0;

	for (uint32_t i = 1; i < targets->ids.count; i++)
		if (targets->counts[i] > targets->counts[most])
			most = i;
	if (targets->ids.count)
		tl_xtrace_cell_hex(t, targets->addresses[most]);
	else
		tl_xtrace_cell_none(t);
}

static void cell_entropy(struct tl_xtrace_table *t, const struct tl_xtrace_branch_site *site)
{
	tl_put_format(tl_xtrace_cell_begin(t), "%.3f", tl_xtrace_branch_entropy(site));
	tl_xtrace_cell_end(t);
}

static bool put_site(struct tl_xtrace_analysis *a, struct tl_xtrace_table *t,
		     const struct tl_xtrace_branch_site *site)
{
	uint32_t function = tl_xtrace_function_id_at(&a->functions, site->address);

	if (function == TL_NONE)
		return false;
	tl_xtrace_cell_hex(t, site->address);
	tl_xtrace_cell_u64(t, site->el);
	tl_xtrace_cell_text(t, tl_xtrace_branch_kind_name(site->kind));
	tl_xtrace_cell_u64(t, site->count.executions);
	tl_xtrace_cell_u64(t, site->count.taken);
	tl_xtrace_cell_percent(t, site->count.taken, site->count.executions - site->count.unknown);
	tl_xtrace_cell_u64(t, site->count.unknown);
	tl_xtrace_cell_u64(t, site->targets.ids.count);
	cell_target(t, &site->targets);
	cell_entropy(t, site);
	put_misses(t, a->options.predictors, site->missed);
	if (a->options.binary_count)
		tl_xtrace_cell_text(t, a->functions.list[function].name);
	else
		tl_xtrace_cell_none(t);
	return true;
}

static bool show_sites(struct tl_xtrace_analysis *a)
{
	const struct tl_xtrace_predictor_config *config = a->options.predictors;
	uint32_t count = a->branches.ids.count, shown = a->options.top;
	struct order *order = tl_zeroed(count, sizeof(*order));
	struct columns columns = { .count = 0 };
	struct tl_xtrace_table t;
	bool good = order;

	for (uint32_t i = 0; good && i < count; i++) {
		const struct tl_xtrace_branch_site *site = &a->branches.list[i];

		order[i] = (struct order){ sum_of(config, site->missed), site->count.executions,
					   site->address, site->el, i };
	}
	if (good && count)
		qsort(order, count, sizeof(*order), by_misses);
	add_columns(&columns, site_columns, COUNT(site_columns));
	end_columns(&columns, config);
	tl_xtrace_begin_table(a, &t, "branches", "Branches, most misses first");
	tl_xtrace_table_columns(&t, columns.list, columns.count);
	for (uint32_t i = 0; good && i < count && (!shown || i < shown); i++)
		good = put_site(a, &t, &a->branches.list[order[i].number]);
	tl_xtrace_table_end(&t);
	free(order);
	return good;
}

/* ---- by function ---- */

struct branch_row {
	uint64_t branches, taken, missed[TL_XTRACE_PREDICTORS];
};

static const struct tl_xtrace_table_column function_columns[] = {
	{ "branches", TL_XTRACE_RIGHT },
	{ "taken", TL_XTRACE_RIGHT },
};

/* Rows by the number of a function, of which *room are there. */
static bool sum_functions(struct tl_xtrace_analysis *a, struct branch_row **rows, size_t *room)
{
	for (uint32_t i = 0; i < a->branches.ids.count; i++) {
		const struct tl_xtrace_branch_site *site = &a->branches.list[i];
		uint32_t function = tl_xtrace_function_id_at(&a->functions, site->address);
		size_t before = *room;

		if (function == TL_NONE ||
		    !tl_grow(rows, room, (size_t)function + 1, sizeof(**rows)))
			return false;
		for (size_t n = before; n < *room; n++)
			(*rows)[n] = (struct branch_row){ 0 };
		(*rows)[function].branches += site->count.executions;
		(*rows)[function].taken += site->count.taken;
		for (uint32_t p = 0; p < a->options.predictors->count; p++)
			(*rows)[function].missed[p] += site->missed[p];
	}
	return true;
}

static void put_functions(struct tl_xtrace_analysis *a, struct tl_xtrace_table *t,
			  const struct branch_row *rows, const struct order *order, size_t count)
{
	uint32_t shown = a->options.top;

	for (size_t i = 0; i < count && order[i].executions && (!shown || i < shown); i++) {
		const struct branch_row *row = &rows[order[i].number];

		tl_xtrace_cell_u64(t, row->branches);
		tl_xtrace_cell_u64(t, row->taken);
		put_misses(t, a->options.predictors, row->missed);
		tl_xtrace_cell_text(t, a->functions.list[order[i].number].name);
	}
}

static bool show_functions(struct tl_xtrace_analysis *a)
{
	struct branch_row *rows = NULL;
	struct columns columns = { .count = 0 };
	struct tl_xtrace_table t;
	struct order *order;
	size_t room = 0;
	bool good = sum_functions(a, &rows, &room);

	if (room > a->functions.starts.count)
		room = a->functions.starts.count;
	order = good ? tl_zeroed(room, sizeof(*order)) : NULL;
	for (size_t i = 0; order && i < room; i++)
		order[i] = (struct order){ sum_of(a->options.predictors, rows[i].missed),
					   rows[i].branches, a->functions.list[i].start, 0,
					   (uint32_t)i };
	if (order && room)
		qsort(order, room, sizeof(*order), by_misses);
	add_columns(&columns, function_columns, COUNT(function_columns));
	end_columns(&columns, a->options.predictors);
	tl_xtrace_begin_table(a, &t, "branch_functions", "Branches by function, most misses first");
	tl_xtrace_table_columns(&t, columns.list, columns.count);
	if (order)
		put_functions(a, &t, rows, order, room);
	tl_xtrace_table_end(&t);
	good = order;
	free(order);
	free(rows);
	return good;
}

bool tl_xtrace_show_branches(struct tl_xtrace_analysis *a)
{
	/* CSV is one table: that of single branches. */
	if (a->options.form != TL_XTRACE_CSV) {
		show_predictors(a);
		show_kinds(a);
	}
	if (!show_sites(a))
		return false;
	return a->options.form == TL_XTRACE_CSV || !a->options.binary_count || show_functions(a);
}
