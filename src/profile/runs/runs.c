/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several runs a side: what each function cost in each run, and which differences are more than
 * the runs differ among themselves. A run leaves a vector of costs behind, so that memory does not
 * hold the profiles.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/sized.h"
#include "profile/diff/diff.h"
#include "profile/runs/welch.h"

/* Of flagged functions so many are expected to be flagged wrongly. */
#define LEVEL 0.01

struct run {
	double *costs; /* by function of the side and event; in ns where a clock is known */
	double *total; /* by event */
	uint32_t functions;
};

struct side {
	struct tl_profile *functions; /* those of all runs, without costs */
	struct run *runs;
	size_t count, capacity;
};

struct tl_runs {
	struct side sides[TL_SIDES];
	struct tl_diff *matched;
	struct tl_run_row *rows; /* the first one is the total */
	double *values;          /* of all rows: those of one before, then after */
	size_t row_count, most;
	double resolution; /* of the costs: 1, or a tick in ns */
	bool in_ns, any;
	struct tl_event event; /* that was compared */
};

int tl_runs_open(struct tl_runs **runs, struct tl_error *err)
{
	*runs = calloc(1, sizeof(**runs));
	if (!(*runs))
		return tl_error_memory(err);
	return 0;
}

void tl_runs_free(struct tl_runs *runs)
{
	if (!runs)
		return;
	tl_diff_free(runs->matched);
	for (int s = 0; s < TL_SIDES; s++) {
		for (size_t i = 0; i < runs->sides[s].count; i++) {
			free(runs->sides[s].runs[i].costs);
			free(runs->sides[s].runs[i].total);
		}
		free(runs->sides[s].runs);
		tl_profile_free(runs->sides[s].functions);
	}
	free(runs->rows);
	free(runs->values);
	free(runs);
}

/* ---- a run ---- */

static bool is_ticks(const struct tl_profile *profile, uint32_t event)
{
	return !strcmp(profile->events[event].unit, "ticks");
}

static double scale_of(const struct tl_profile *profile, uint32_t event)
{
	return is_ticks(profile, event) && profile->frequency ? 1e9 / (double)profile->frequency
							      : 1;
}

/* All runs have the same events; clocks of known frequency may differ, since costs become ns. */
static int check_run(struct tl_runs *runs, const struct side *side,
		     const struct tl_profile *profile, struct tl_error *err)
{
	const struct tl_profile *first = side->functions;
	bool same = profile->event_count == first->event_count;

	for (uint32_t e = 0; same && e < first->event_count; e++)
		same = !strcmp(profile->events[e].name, first->events[e].name);
	if (!same)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "the runs of a side have different events");
	if (runs->any && profile->timed && runs->in_ns != (profile->frequency != 0))
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "the frequency of the clock is known for some of the runs only");
	runs->in_ns = profile->frequency != 0;
	runs->any = true;
	return 0;
}

/* The number of a function of a run in its side: who is who is said by names. */
static int64_t number_of(struct side *side, const struct tl_function *function,
			 struct tl_error *err)
{
	struct tl_function named = *function;

	named.id = TL_NOWHERE;
	named.address = 0;
	named.line = 0;
	return tl_profile_put_function(side->functions, &named, err);
}

static void add_row(double *to, const struct tl_profile *profile, const int64_t *costs)
{
	for (uint32_t e = 0; e < profile->event_count; e++)
		to[e] += (double)costs[e] * scale_of(profile, e);
}

static int take_costs(struct side *side, struct run *run, const struct tl_profile *profile,
		      bool inclusive, struct tl_error *err)
{
	uint32_t count = tl_profile_function_count(profile), events = profile->event_count;
	size_t most = (size_t)tl_profile_function_count(side->functions) + count;

	run->costs = calloc(most * events + 1, sizeof(*run->costs));
	run->total = calloc(events, sizeof(*run->total));
	if (!run->costs || !run->total)
		return tl_error_memory(err);
	for (uint32_t f = 0; f < count; f++) {
		int64_t number = number_of(side, &profile->functions.list[f], err);
		const int64_t *costs = inclusive ? profile->sums.inclusive : profile->sums.self;

		if (number < 0)
			return (int)number;
		add_row(run->costs + (size_t)number * events, profile, costs + (size_t)f * events);
	}
	run->functions = tl_profile_function_count(side->functions);
	add_row(run->total, profile, tl_profile_total(profile));
	return 0;
}

int tl_runs_add(struct tl_runs *runs, bool after, const struct tl_profile *profile, bool inclusive,
		struct tl_error *err)
{
	struct side *side = &runs->sides[after];
	struct run *run;
	int status = 0;

	if (runs->matched || !profile->finished)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "runs are finished profiles, added before they are compared");
	if (!side->functions)
		status = tl_profile_make(&side->functions, profile->format, profile->events,
					 profile->event_count, profile->frequency, err);
	if (status == 0)
		status = check_run(runs, side, profile, err);
	if (status < 0)
		return status;
	if (!tl_grow(&side->runs, &side->capacity, side->count + 1, sizeof(*side->runs)))
		return tl_error_memory(err);
	run = &side->runs[side->count];
	*run = (struct run){ NULL, NULL, 0 };
	status = take_costs(side, run, profile, inclusive, err);
	if (status == 0) {
		side->count++;
	} else {
		free(run->costs);
		free(run->total);
	}
	return status;
}

/* ---- rows ---- */

/* The first event that both sides have, or the one of a name. */
static int choose_event(struct tl_runs *runs, const char *name, uint32_t events[TL_SIDES],
			struct tl_error *err)
{
	const struct tl_profile *a = runs->sides[TL_BEFORE].functions,
				*b = runs->sides[TL_AFTER].functions;

	for (uint32_t i = 0; i < a->event_count; i++)
		for (uint32_t j = 0; j < b->event_count; j++) {
			if (strcmp(a->events[i].name, b->events[j].name) != 0 ||
			    (name && strcmp(a->events[i].name, name) != 0))
				continue;
			events[TL_BEFORE] = i;
			events[TL_AFTER] = j;
			runs->event = a->events[i];
			runs->resolution = fmax(scale_of(a, i), scale_of(b, j));
			runs->in_ns = is_ticks(a, i) && a->frequency && b->frequency;
			return 0;
		}
	return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
			   name ? "there is no event of this name on both sides"
				: "the runs of the two sides have no event in common");
}

static double *values_of(const struct tl_runs *runs, size_t row, int side)
{
	return runs->values + row * runs->most + (side ? runs->sides[TL_BEFORE].count : 0);
}

/* The costs of all functions that are one row, by run. */
static void fill_side(struct tl_runs *runs, int side, uint32_t event)
{
	const struct side *s = &runs->sides[side];
	uint32_t events = s->functions->event_count;

	for (size_t r = 0; r < s->count; r++) {
		const struct run *run = &s->runs[r];

		values_of(runs, 0, side)[r] = run->total[event];
		for (uint32_t f = 0; f < run->functions; f++) {
			size_t row = (size_t)runs->matched->function_maps[side][f] + 1;

			values_of(runs, row, side)[r] += run->costs[(size_t)f * events + event];
		}
	}
}

static double percent_of(double change, double before)
{
	return before > 0 ? 100 * change / before : NAN;
}

/* False: the function has no cost in any run. */
static bool test_row(struct tl_runs *runs, struct tl_run_row *row)
{
	struct tl_sample before = { row->before, row->before_count },
			 after = { row->after, row->after_count };
	struct tl_welch test;
	bool any = false;

	for (size_t i = 0; i < before.count + after.count; i++)
		any |= row->before[i] != 0;
	if (!any)
		return false;
	test = tl_welch_test(before, after, runs->resolution);
	row->p = test.p;
	row->effect = test.effect;
	row->percent = percent_of(test.mean_after - test.mean_before, test.mean_before);
	row->low_percent = percent_of(test.low, test.mean_before);
	row->high_percent = percent_of(test.high, test.mean_before);
	return true;
}

static bool set_medians(struct tl_run_row *row)
{
	size_t count = tl_max(row->before_count, row->after_count);
	double *room = malloc(count * sizeof(*room));

	if (!room)
		return false;
	memcpy(room, row->before, row->before_count * sizeof(*room));
	row->median_before = tl_median(room, row->before_count);
	memcpy(room, row->after, row->after_count * sizeof(*room));
	row->median_after = tl_median(room, row->after_count);
	free(room);
	return true;
}

static int make_rows(struct tl_runs *runs, const uint32_t events[TL_SIDES], struct tl_error *err)
{
	uint32_t functions = runs->matched->function_count;

	runs->most = runs->sides[TL_BEFORE].count + runs->sides[TL_AFTER].count;
	runs->rows = calloc((size_t)functions + 1, sizeof(*runs->rows));
	runs->values = calloc(((size_t)functions + 1) * runs->most, sizeof(*runs->values));
	if (!runs->rows || !runs->values)
		return tl_error_memory(err);
	fill_side(runs, TL_BEFORE, events[TL_BEFORE]);
	fill_side(runs, TL_AFTER, events[TL_AFTER]);
	for (size_t i = 0; i <= functions; i++) {
		struct tl_run_row *row = &runs->rows[runs->row_count];

		*row = (struct tl_run_row){
			.function = i ? &runs->matched->functions[i - 1] : NULL,
			.before = values_of(runs, i, TL_BEFORE),
			.after = values_of(runs, i, TL_AFTER),
			.before_count = runs->sides[TL_BEFORE].count,
			.after_count = runs->sides[TL_AFTER].count,
		};
		if (!test_row(runs, row) && i)
			continue;
		if (!set_medians(row))
			return tl_error_memory(err);
		runs->row_count++;
	}
	return 0;
}

/* ---- many tests ---- */

static int by_p(const void *a, const void *b, void *context)
{
	const struct tl_run_row *rows = context;
	double x = rows[*(const uint32_t *)a].p, y = rows[*(const uint32_t *)b].p;

	return tl_compare(x, y);
}

/*
 * Benjamini and Hochberg: the adjusted p of a row is the least share of false ones among all rows
 * that are flagged with it. The total is one test of its own.
 */
static int adjust(struct tl_runs *runs, struct tl_error *err)
{
	size_t count = runs->row_count - 1;
	uint32_t *order = malloc((count + 1) * sizeof(*order));
	double least = 1;

	if (!order)
		return tl_error_memory(err);
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i + 1;
	qsort_r(order, count, sizeof(*order), by_p, runs->rows);
	for (size_t i = count; i-- > 0;) {
		struct tl_run_row *row = &runs->rows[order[i]];

		least = fmin(least, row->p * (double)count / (double)(i + 1));
		row->adjusted_p = least;
	}
	runs->rows[0].adjusted_p = runs->rows[0].p;
	for (size_t i = 0; i <= count; i++)
		runs->rows[i].significant = runs->rows[i].adjusted_p <= LEVEL;
	free(order);
	return 0;
}

static int match(struct tl_runs *runs, const struct tl_runs_options *options, struct tl_error *err)
{
	const struct tl_diff_options by_name = {
		.size = sizeof(by_name),
		.renames = options->renames,
		.rename_count = options->rename_count,
	};
	int status = tl_profile_finish(runs->sides[TL_BEFORE].functions, err);

	if (status == 0)
		status = tl_profile_finish(runs->sides[TL_AFTER].functions, err);
	if (status < 0)
		return status;
	return tl_profile_diff(&runs->matched, runs->sides[TL_BEFORE].functions,
			       runs->sides[TL_AFTER].functions, &by_name, err);
}

int tl_runs_compare(struct tl_runs *runs, const struct tl_runs_options *options,
		    struct tl_error *err)
{
	struct tl_runs_options filled = { .size = sizeof(filled) };
	uint32_t events[TL_SIDES] = { 0 };
	int status = 0;

	if (options)
		status = tl_take_options(&filled, sizeof(filled), sizeof(filled), options,
					 options->size, err);
	if (status < 0)
		return status;
	if (runs->matched || runs->sides[TL_BEFORE].count < 2 || runs->sides[TL_AFTER].count < 2)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "at least two runs a side are needed to know how runs differ");
	status = choose_event(runs, filled.event, events, err);
	if (status == 0)
		status = match(runs, &filled, err);
	if (status == 0)
		status = make_rows(runs, events, err);
	if (status < 0)
		return status;
	return adjust(runs, err);
}

/* ---- reading ---- */

const struct tl_event *tl_runs_event(const struct tl_runs *runs)
{
	return &runs->event;
}

uint64_t tl_runs_rate(const struct tl_runs *runs)
{
	return runs->in_ns || !strcmp(runs->event.unit, "ns") ? 1000000000 : 0;
}

size_t tl_runs_row_count(const struct tl_runs *runs)
{
	return runs->row_count;
}

int tl_runs_row(const struct tl_runs *runs, size_t row, struct tl_run_row *to, size_t size)
{
	if (row >= runs->row_count)
		return TL_BAD_USAGE;
	return tl_give(to, size, sizeof(*to), &runs->rows[row], sizeof(*to));
}
