/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The function table as CSV (RFC 4180): the columns of "report --csv", all functions, times in
 * ticks. Sorted by self cost of the chosen event, largest first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "export/profile/exporters.h"
#include "profile/model/unsized.h"

struct table {
	const struct tl_profile *profile;
	uint32_t event; /* to sort by */
};

/* A total order: no two functions agree in name, object, file and id. */
static int compare_names(const struct tl_function *f, const struct tl_function *g)
{
	int order = strcmp(f->name, g->name);

	if (!order)
		order = strcmp(f->object, g->object);
	if (!order)
		order = strcmp(f->file, g->file);
	if (!order)
		order = tl_compare(f->id, g->id);
	return order;
}

static int compare_functions(const void *a, const void *b, void *context)
{
	const struct table *table = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	struct tl_function_totals s, t;

	tl_profile_totals_of(table->profile, x, TL_NONE, &s);
	tl_profile_totals_of(table->profile, y, TL_NONE, &t);
	if (s.self[table->event] != t.self[table->event])
		return tl_compare(t.self[table->event], s.self[table->event]);
	if (s.inclusive[table->event] != t.inclusive[table->event])
		return tl_compare(t.inclusive[table->event], s.inclusive[table->event]);
	return compare_names(tl_profile_function(table->profile, x),
			     tl_profile_function(table->profile, y));
}

/* "E:self" is one field, which may need its quotes. */
static bool put_event_column(struct tl_output *out, const char *event, const char *column)
{
	char *name;

	if (asprintf(&name, "%s:%s", event, column) < 0)
		return false;
	tl_put_char(out, ',');
	tl_put_csv(out, name);
	free(name);
	return true;
}

static bool put_head(const struct table *table, struct tl_output *out)
{
	uint32_t events = tl_profile_event_count(table->profile);

	tl_put_text(out, "function,object,file,line,id");
	for (uint32_t e = 0; e < events; e++) {
		const char *name = tl_profile_event(table->profile, e)->name;

		if (!put_event_column(out, name, "self") ||
		    !put_event_column(out, name, "inclusive"))
			return false;
	}
	tl_put_text(out, ",calls");
	if (tl_profile_timed(table->profile))
		tl_put_text(out, ",min,median,p90,p99,max,sum,unfinished,cut");
	tl_put_char(out, '\n');
	return true;
}

static void put_known(struct tl_output *out, uint64_t value, bool known)
{
	tl_put_char(out, ',');
	if (known)
		tl_put_u64(out, value);
}

/* Without a finished call there is no shortest call, but the sum of all durations is 0. */
static void put_times(const struct table *table, uint32_t function, struct tl_output *out)
{
	struct tl_latency latency = { 0 };
	bool known = tl_profile_latency_of(table->profile, function, TL_NONE, &latency);

	put_known(out, latency.min, known);
	put_known(out, latency.median, known);
	put_known(out, latency.p90, known);
	put_known(out, latency.p99, known);
	put_known(out, latency.max, known);
	put_known(out, latency.sum, true);
}

static void put_row(const struct table *table, uint32_t number, struct tl_output *out)
{
	const struct tl_function *function = tl_profile_function(table->profile, number);
	uint32_t events = tl_profile_event_count(table->profile);
	struct tl_function_totals totals;

	tl_profile_totals_of(table->profile, number, TL_NONE, &totals);
	tl_put_csv(out, function->name);
	tl_put_char(out, ',');
	tl_put_csv(out, function->object);
	tl_put_char(out, ',');
	tl_put_csv(out, function->file);
	put_known(out, function->line, function->line);
	put_known(out, function->id, function->id != TL_NOWHERE);
	for (uint32_t e = 0; e < events; e++) {
		tl_put_char(out, ',');
		tl_put_i64(out, totals.self[e]);
		tl_put_char(out, ',');
		tl_put_i64(out, totals.inclusive[e]);
	}
	put_known(out, totals.calls, true);
	if (tl_profile_timed(table->profile)) {
		put_times(table, number, out);
		put_known(out, totals.unfinished, true);
		put_known(out, totals.cut, true);
	}
	tl_put_char(out, '\n');
}

static int write_csv(const struct tl_profile *profile, const struct tl_export_options *options,
		     struct tl_output *out, struct tl_error *err)
{
	struct tl_export_options filled;
	struct table table = { .profile = profile };
	uint32_t count = tl_profile_function_count(profile), *order;
	int status = tl_export_options(&filled, profile, options, err);

	if (status < 0)
		return status;
	table.event = filled.event;
	order = malloc(((size_t)count + 1) * sizeof(*order));
	if (!order)
		return tl_error_memory(err);
	for (uint32_t f = 0; f < count; f++)
		order[f] = f;
	if (tl_profile_event_count(profile))
		qsort_r(order, count, sizeof(*order), compare_functions, &table);
	if (!put_head(&table, out))
		status = tl_error_memory(err);
	for (uint32_t i = 0; status == 0 && i < count && !tl_output_failed(out); i++)
		put_row(&table, order[i], out);
	free(order);
	return status;
}

const struct tl_exporter tl_csv_exporter = {
	.name = "csv",
	.suffix = ".csv",
	.help = "the function table, CSV",
	.write = write_csv,
	.contexts = true,
};
