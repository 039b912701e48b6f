/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What functions cost in many files: statistics over them, and which files stand out. Costs of one
 * function at a time are in memory beside the profile.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/sized.h"
#include "profile/model/groups.h"
#include "profile/model/model.h"
#include "profile/runs/welch.h"

/* Iglewicz and Hoaglin (1993): what is further off the median than this stands out. */
#define FAR 3.5

struct tl_spread {
	const struct tl_profile *profile;
	struct tl_spread_options options;
	struct tl_spread_row *rows; /* the first one is the total */
	struct tl_spread_origin *origins;
	size_t row_count, origin_count;
	uint32_t event; /* of the profile; TL_NONE: calls */
	double total_median;
};

/* What is needed while rows are made. */
struct filling {
	struct tl_spread *spread;
	uint32_t *origin;         /* by part */
	struct tl_groups entries; /* lines or arcs by function */
	double *costs;            /* by origin */
	double *sorted;           /* those of origins that have the event, and room to sort */
	size_t compared;
};

static bool by_arcs(const struct tl_spread *s)
{
	return s->options.inclusive || s->event == TL_NONE;
}

/* ---- origins ---- */

static int by_name(const void *a, const void *b)
{
	const struct tl_spread_origin *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Whether the header of a part names the event (profile/transform/origins.c). */
static bool has_event(const struct tl_spread *s, const struct tl_part *part)
{
	static const char key[] = "event: ";
	const char *name;

	if (s->event == TL_NONE)
		return true;
	name = s->profile->events[s->event].name;
	for (const char *line = part->header; *line; line += strcspn(line, "\n")) {
		line += strspn(line, "\n");
		if (!strncmp(line, key, sizeof(key) - 1) &&
		    !strncmp(line + sizeof(key) - 1, name, strlen(name)) &&
		    line[sizeof(key) - 1 + strlen(name)] == '\n')
			return true;
	}
	return false;
}

/* Parts of one name are one origin: files of a host may have different events. */
static int make_origins(struct tl_spread *s, struct tl_error *err)
{
	size_t count = s->profile->parts.count, kept = 0;
	bool any = false;

	s->origins = calloc(count + 1, sizeof(*s->origins));
	if (!s->origins)
		return tl_error_memory(err);
	for (size_t i = 0; i < count; i++)
		s->origins[i] = (struct tl_spread_origin){
			.name = s->profile->parts.list[i].command,
			.has_event = has_event(s, &s->profile->parts.list[i]),
		};
	for (size_t i = 0; i < count; i++)
		any |= s->origins[i].has_event;
	if (!any)
		return tl_error_at(
			err, TL_UNSUPPORTED, TL_NOWHERE,
			"the profile does not say which file or process its costs are from");
	qsort(s->origins, count, sizeof(*s->origins), by_name);
	for (size_t i = 0; i < count; i++) {
		if (kept && !strcmp(s->origins[kept - 1].name, s->origins[i].name))
			s->origins[kept - 1].has_event |= s->origins[i].has_event;
		else
			s->origins[kept++] = s->origins[i];
	}
	s->origin_count = kept;
	return 0;
}

static uint32_t find_origin(const struct tl_spread *s, const char *name)
{
	const struct tl_spread_origin key = { .name = name },
				      *found = bsearch(&key, s->origins, s->origin_count,
						       sizeof(*s->origins), by_name);

	return (uint32_t)(found - s->origins);
}

/* ---- costs by function ---- */

static uint32_t function_of(const void *context, uint32_t entry)
{
	const struct tl_spread *s = context;

	return by_arcs(s) ? s->profile->arcs.list[entry].callee
			  : s->profile->lines.list[entry].function;
}

static double cost_of(const struct tl_spread *s, uint32_t entry)
{
	if (s->event == TL_NONE)
		return (double)s->profile->arcs.list[entry].calls;
	if (s->options.inclusive)
		return (double)tl_profile_arc_cost(s->profile, entry)[s->event];
	return (double)tl_profile_line_cost(s->profile, entry)[s->event];
}

static uint32_t part_of(const struct tl_spread *s, uint32_t entry)
{
	return by_arcs(s) ? s->profile->arcs.list[entry].part : s->profile->lines.list[entry].part;
}

static int group_entries(struct filling *f, struct tl_error *err)
{
	const struct tl_spread *s = f->spread;
	size_t count = by_arcs(s) ? s->profile->arcs.table.count : s->profile->lines.table.count;

	if (!tl_groups_make(&f->entries, (uint32_t)count,
			    (uint32_t)s->profile->functions.table.count, function_of, s))
		return tl_error_memory(err);
	return 0;
}

static void add_entry(struct filling *f, uint32_t entry)
{
	uint32_t part = part_of(f->spread, entry);

	if (part < f->spread->profile->parts.count)
		f->costs[f->origin[part]] += cost_of(f->spread, entry);
}

static void fill_costs(struct filling *f, uint32_t function)
{
	memset(f->costs, 0, f->spread->origin_count * sizeof(*f->costs));
	for (uint32_t i = f->entries.start[function]; i < f->entries.start[function + 1]; i++)
		add_entry(f, f->entries.order[i]);
}

/* The total: the self cost, or the calls, of all functions. */
static void fill_total(struct filling *f)
{
	const struct tl_spread *s = f->spread;
	size_t count =
		s->event == TL_NONE ? s->profile->arcs.table.count : s->profile->lines.table.count;

	memset(f->costs, 0, s->origin_count * sizeof(*f->costs));
	for (size_t i = 0; i < count; i++) {
		uint32_t part = s->event == TL_NONE ? s->profile->arcs.list[i].part
						    : s->profile->lines.list[i].part;
		double cost =
			s->event == TL_NONE
				? (double)s->profile->arcs.list[i].calls
				: (double)tl_profile_line_cost(s->profile, (uint32_t)i)[s->event];

		if (part < s->profile->parts.count)
			f->costs[f->origin[part]] += cost;
	}
}

/* ---- a row ---- */

static void take_extremes(const struct filling *f, struct tl_spread_row *row)
{
	const struct tl_spread *s = f->spread;

	row->min = INFINITY;
	row->max = -INFINITY;
	for (size_t i = 0; i < s->origin_count; i++) {
		double cost = f->costs[i];

		if (!s->origins[i].has_event)
			continue;
		row->count += cost != 0;
		if (cost < row->min) {
			row->min = cost;
			row->least = s->origins[i].name;
		}
		if (cost > row->max) {
			row->max = cost;
			row->most = s->origins[i].name;
		}
	}
}

static void take_moments(const struct filling *f, struct tl_spread_row *row)
{
	double count = (double)f->compared, sum = 0, squares = 0;

	for (size_t i = 0; i < f->compared; i++)
		sum += f->sorted[i];
	row->mean = sum / count;
	for (size_t i = 0; i < f->compared; i++)
		squares += (f->sorted[i] - row->mean) * (f->sorted[i] - row->mean);
	row->deviation = f->compared > 1 ? sqrt(squares / (count - 1)) : 0;
	row->variation = row->mean != 0 ? row->deviation / row->mean : NAN;
}

/* ---- what stands out ---- */

/*
 * What a distance from the median is divided by to be a score: the median distance, scaled to be
 * the standard deviation of a normal distribution. Where more than half of the origins cost the
 * same, that is 0, and the mean distance takes its place. 0: all cost the same.
 */
static double score_unit(struct filling *f, double median)
{
	double sum = 0, middle;

	for (size_t i = 0; i < f->compared; i++) {
		f->sorted[i] = fabs(f->sorted[i] - median);
		sum += f->sorted[i];
	}
	middle = tl_median(f->sorted, f->compared);
	return middle > 0 ? middle / 0.6745 : 1.253314 * sum / (double)f->compared;
}

static void mark_origin(struct tl_spread *s, size_t origin, const struct tl_spread_row *row,
			double cost)
{
	struct tl_spread_origin *o = &s->origins[origin];

	o->stands_out = true;
	if (!row->function)
		return;
	o->functions++;
	if (o->function && fabs(cost - row->median) <= fabs(o->cost - o->median))
		return;
	o->function = row->function;
	o->cost = cost;
	o->median = row->median;
}

static void find_outliers(struct filling *f, struct tl_spread_row *row)
{
	struct tl_spread *s = f->spread;
	double unit = score_unit(f, row->median),
	       least = s->options.threshold / 100 * fabs(s->total_median);

	for (size_t i = 0; i < s->origin_count; i++) {
		double off = f->costs[i] - row->median, score = unit > 0 ? off / unit : 0;

		if (!s->origins[i].has_event)
			continue;
		if (!row->function) {
			s->origins[i].total = f->costs[i];
			s->origins[i].score = score;
		}
		if (fabs(score) <= FAR || fabs(off) < least)
			continue;
		row->outliers++;
		mark_origin(s, i, row, f->costs[i]);
	}
}

/* False: the function costs nothing anywhere. */
static bool make_row(struct filling *f, struct tl_spread_row *row)
{
	struct tl_spread *s = f->spread;

	f->compared = 0;
	take_extremes(f, row);
	if (!row->count && row->function)
		return false;
	for (size_t i = 0; i < s->origin_count; i++)
		if (s->origins[i].has_event)
			f->sorted[f->compared++] = f->costs[i];
	take_moments(f, row);
	row->median = tl_median(f->sorted, f->compared);
	if (!row->function)
		s->total_median = row->median;
	find_outliers(f, row);
	return true;
}

/* ---- the whole ---- */

static int choose_event(struct tl_spread *s, struct tl_error *err)
{
	const char *name = s->options.event;

	for (uint32_t e = 0; e < s->profile->event_count; e++)
		if (!name || !strcmp(s->profile->events[e].name, name)) {
			s->event = e;
			return 0;
		}
	s->event = TL_NONE;
	if (name && !strcmp(name, "calls"))
		return 0;
	return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE, "there is no such event");
}

static int fill_rows(struct filling *f, struct tl_error *err)
{
	struct tl_spread *s = f->spread;
	size_t functions = s->profile->functions.table.count;

	f->origin = malloc((s->profile->parts.count + 1) * sizeof(*f->origin));
	f->costs = malloc((s->origin_count + 1) * sizeof(*f->costs));
	f->sorted = malloc((s->origin_count + 1) * sizeof(*f->sorted));
	s->rows = calloc(functions + 1, sizeof(*s->rows));
	if (!f->origin || !f->costs || !f->sorted || !s->rows)
		return tl_error_memory(err);
	for (size_t i = 0; i < s->profile->parts.count; i++)
		f->origin[i] = find_origin(s, s->profile->parts.list[i].command);
	fill_total(f);
	s->row_count = 1;
	make_row(f, &s->rows[0]);
	for (uint32_t i = 0; i < functions; i++) {
		struct tl_spread_row *row = &s->rows[s->row_count];

		if (!tl_profile_chosen(s->profile, i))
			continue;
		*row = (struct tl_spread_row){ .function = &s->profile->functions.list[i] };
		fill_costs(f, i);
		s->row_count += make_row(f, row);
	}
	return 0;
}

static int fill(struct tl_spread *s, struct tl_error *err)
{
	struct filling f = { .spread = s };
	int status = choose_event(s, err);

	if (status == 0)
		status = make_origins(s, err);
	if (status == 0)
		status = group_entries(&f, err);
	if (status == 0)
		status = fill_rows(&f, err);
	free(f.origin);
	tl_groups_free(&f.entries);
	free(f.costs);
	free(f.sorted);
	return status;
}

int tl_spread_make(struct tl_spread **spread, const struct tl_profile *profile,
		   const struct tl_spread_options *options, struct tl_error *err)
{
	struct tl_spread *s = calloc(1, sizeof(*s));
	int status = tl_error_unless_made(s, err);

	*spread = NULL;
	if (status == 0 && options)
		status = tl_take_options(&s->options, sizeof(s->options), sizeof(s->options),
					 options, options->size, err);
	if (status == 0) {
		s->profile = profile;
		if (s->options.threshold <= 0)
			s->options.threshold = 1;
		status = fill(s, err);
	}
	if (status < 0) {
		tl_spread_free(s);
		return status;
	}
	*spread = s;
	return 0;
}

void tl_spread_free(struct tl_spread *s)
{
	if (!s)
		return;
	free(s->rows);
	free(s->origins);
	free(s);
}

/* ---- reading ---- */

const char *tl_spread_event(const struct tl_spread *s)
{
	return s->event == TL_NONE ? "calls" : s->profile->events[s->event].name;
}

uint64_t tl_spread_rate(const struct tl_spread *s)
{
	const char *unit = s->event == TL_NONE ? "" : s->profile->events[s->event].unit;

	return strcmp(unit, "ns") ? 0 : 1000000000;
}

const char *tl_spread_unit(const struct tl_spread *s)
{
	return s->event == TL_NONE ? "" : s->profile->events[s->event].unit;
}

size_t tl_spread_row_count(const struct tl_spread *s)
{
	return s->row_count;
}

int tl_spread_row(const struct tl_spread *s, size_t row, struct tl_spread_row *to, size_t size)
{
	if (row >= s->row_count)
		return TL_BAD_USAGE;
	return tl_give(to, size, sizeof(*to), &s->rows[row], sizeof(*to));
}

size_t tl_spread_origin_count(const struct tl_spread *s)
{
	return s->origin_count;
}

int tl_spread_origin(const struct tl_spread *s, size_t origin, struct tl_spread_origin *to,
		     size_t size)
{
	if (origin >= s->origin_count)
		return TL_BAD_USAGE;
	return tl_give(to, size, sizeof(*to), &s->origins[origin], sizeof(*to));
}
