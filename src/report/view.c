/* SPDX-License-Identifier: Apache-2.0 */
#include "report/view.h"

#include <math.h>
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "core/sized.h"
#include "profile/model/unsized.h"

/* Threshold of trees in text by default, in percent of the total; CSV and JSON are complete. */
static const double text_threshold = 0.5;

/* Shares of the total from which on a cost has a color, in percent. */
static const double hot = 10, warm = 1;

static int choose_events(struct tl_view *view, struct tl_error *err)
{
	const struct tl_report_options *options = &view->options;
	uint32_t known = tl_profile_event_count(view->profile);

	view->event_count = known;
	if (options->events)
		view->event_count = options->event_count;
	if (!known || !view->event_count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "a report needs at least one event");
	view->events = malloc(view->event_count * sizeof(*view->events));
	if (!view->events)
		return tl_error_memory(err);
	for (uint32_t i = 0; i < view->event_count; i++) {
		view->events[i] = tl_profile_shown_event(view->profile, i);
		if (options->events)
			view->events[i] = options->events[i];
		if (view->events[i] >= known)
			return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
					   "the profile has no event of that number");
	}
	return TL_OK;
}

static bool several_objects(const struct tl_profile *profile)
{
	uint32_t count = tl_profile_function_count(profile);

	for (uint32_t i = 1; i < count; i++)
		if (strcmp(tl_profile_function(profile, i)->object,
			   tl_profile_function(profile, 0)->object))
			return true;
	return false;
}

int tl_view_open(struct tl_view *view, const struct tl_profile *profile,
		 const struct tl_report_options *options, struct tl_output *out,
		 struct tl_error *err)
{
	int status = 0;

	*view = (struct tl_view){
		.profile = profile,
		.out = out,
		.timed = tl_profile_timed(profile),
		.ends = tl_profile_timed(profile) ||
			tl_profile_call_count(profile) == TL_CALLS_ENTERED,
		.counts_calls = tl_profile_call_count(profile) != TL_CALLS_NONE,
		.several_objects = several_objects(profile),
	};
	view->options.threshold = -1;
	if (options)
		status = tl_take_options(&view->options, sizeof(view->options),
					 sizeof(view->options), options, options->size, err);
	if (status < 0)
		return status;
	if (view->options.threshold < 0 || isnan(view->options.threshold)) {
		view->options.threshold = 0;
		if (view->options.form == TL_REPORT_TEXT)
			view->options.threshold = text_threshold;
	}
	if (view->options.cycles && !tl_cycle_costs_make(&view->cycles, profile))
		return tl_error_memory(err);
	return choose_events(view, err);
}

void tl_view_close(struct tl_view *view)
{
	free(view->events);
	view->events = NULL;
	tl_cycle_costs_free(&view->cycles);
}

/* ---- functions and cycles ---- */

uint32_t tl_view_function_count(const struct tl_view *view)
{
	return tl_profile_function_count(view->profile) + view->cycles.count;
}

const struct tl_function *tl_view_function(const struct tl_view *view, uint32_t function)
{
	uint32_t functions = tl_profile_function_count(view->profile);

	if (function >= functions)
		return &view->cycles.functions[function - functions];
	return tl_profile_function(view->profile, function);
}

struct tl_function_totals tl_view_totals(const struct tl_view *view, uint32_t function,
					 uint32_t part)
{
	uint32_t functions = tl_profile_function_count(view->profile), cycle = function - functions;
	size_t row = (size_t)cycle * tl_profile_event_count(view->profile);
	struct tl_function_totals totals;

	if (function >= functions)
		return (struct tl_function_totals){ .calls = view->cycles.calls[cycle],
						    .self = view->cycles.self + row,
						    .inclusive = view->cycles.inclusive + row };
	tl_profile_totals_of(view->profile, function, part, &totals);
	return totals;
}

uint32_t tl_view_cycle_of(const struct tl_view *view, uint32_t function)
{
	uint32_t functions = tl_profile_function_count(view->profile), cycle = TL_NONE;

	if (view->cycles.count && function < functions)
		cycle = view->cycles.of[function];
	if (cycle == TL_NONE)
		return TL_NONE;
	return functions + cycle;
}

bool tl_view_chosen(const struct tl_view *view, uint32_t function)
{
	uint32_t functions = tl_profile_function_count(view->profile);

	if (function >= functions)
		return view->cycles.chosen[function - functions];
	return tl_profile_chosen(view->profile, function);
}

bool tl_view_by_functions(const struct tl_view *view)
{
	return view->options.by == TL_BY_FUNCTION || view->options.by == TL_BY_CYCLE;
}

const char *tl_view_unit(const struct tl_view *view)
{
	static const char *const units[] = { "function", "file", "object", "class", "namespace",
					     "function", "part", "trace",  "host",  "process",
					     "level",    "task", "cgroup" };

	return units[view->options.by];
}

int64_t tl_view_total(const struct tl_view *view)
{
	return tl_profile_total(view->profile)[view->events[0]];
}

double tl_view_floor(const struct tl_view *view)
{
	return fabs((double)tl_view_total(view)) * view->options.threshold / 100;
}

uint64_t tl_view_rate(const struct tl_view *view, uint32_t event)
{
	const char *unit = tl_profile_event(view->profile, event)->unit;

	if (!strcmp(unit, "ns"))
		return 1000000000;
	if (!view->timed || strcmp(unit, "ticks") != 0)
		return 0;
	return tl_profile_frequency(view->profile);
}

const char *tl_view_name(const struct tl_view *view, uint32_t function)
{
	if (function == TL_NONE)
		return "(outside)";
	return tl_view_function(view, function)->name;
}

/* Static functions of several files may have the same name. TL_NONE, "(outside)", has no file. */
int tl_view_compare_names(const struct tl_view *view, uint32_t a, uint32_t b)
{
	int order = strcmp(tl_view_name(view, a), tl_view_name(view, b));

	if (!order && a != b && a != TL_NONE && b != TL_NONE) {
		const struct tl_function *f = tl_view_function(view, a),
					 *g = tl_view_function(view, b);

		order = strcmp(f->object, g->object);
		if (!order)
			order = strcmp(f->file, g->file);
	}
	if (!order)
		order = tl_compare(a, b);
	return order;
}

const char *tl_view_color(const struct tl_view *view, int64_t cost)
{
	double total = (double)tl_view_total(view), share = 0;

	if (total != 0)
		share = 100 * (double)cost / total;
	if (!view->options.color || share < warm)
		return NULL;
	if (share < hot)
		return TL_COLOR_WARM;
	return TL_COLOR_HOT;
}

void tl_view_end_line(const struct tl_view *view)
{
	if (view->options.color)
		tl_put_text(view->out, TL_COLOR_END);
	tl_put_char(view->out, '\n');
}
