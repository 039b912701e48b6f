/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters that nothing passes: without a warning, an empty table would look like a statement about
 * the program.
 */
#include <stdio.h>
#include "cli/commands/job.h"

/* ---- the filters that are set ---- */

static bool chooses_time(const struct tl_input_options *o)
{
	return o->filter.from_seconds > 0 || o->filter.to_seconds > 0;
}

static bool chooses_records(const struct tl_input_options *o)
{
	return o->filter.thread != TL_NOWHERE || o->filter.process != TL_NOWHERE ||
	       o->filter.cpu != TL_NOWHERE || o->filter.part || chooses_time(o);
}

static bool chooses_functions(const struct tl_input_options *o)
{
	return o->filter.function || o->filter.object;
}

static void print_id(const char *option, uint64_t id, uint64_t none)
{
	if (id != none)
		show_error(" --%s %lld", option, (long long)id);
}

static void print_text(const char *option, const char *text)
{
	if (text)
		show_error(" --%s %s", option, text);
}

static void warn_nothing_matches(struct command_job *job, const char *file, bool functions)
{
	const struct tl_input_options *o = &job->settings->input;

	progress_end(job->progress);
	show_error("tracelathe: %s: nothing matches", file);
	print_id("thread", o->filter.thread, TL_NOWHERE);
	print_id("pid", o->filter.process, TL_NOWHERE);
	print_id("cpu", o->filter.cpu, TL_NOWHERE);
	print_id("part", o->filter.part, 0);
	if (chooses_time(o))
		show_error(" --time %g..", o->filter.from_seconds);
	if (chooses_time(o) && o->filter.to_seconds > 0)
		show_error("%g", o->filter.to_seconds);
	print_text("focus", job->settings->stacks.focus);
	print_text("ignore", job->settings->stacks.ignore);
	print_text("function", functions ? o->filter.function : NULL);
	print_text("object", functions ? o->filter.object : NULL);
	putc('\n', stderr);
	job->damaged = true;
}

/* ---- whether anything is left ---- */

static bool chooses_stacks(const struct settings *settings)
{
	return settings->stacks.focus || settings->stacks.ignore;
}

static bool has_cost(const struct tl_profile *profile, const struct tl_function_totals *totals)
{
	uint32_t events = tl_profile_event_count(profile);

	for (uint32_t e = 0; e < events; e++)
		if (totals->self[e] || totals->inclusive[e])
			return true;
	return totals->calls || totals->unfinished;
}

/* Whether any function, with `chosen` one of those that were chosen, was called or has a cost. */
static bool has_function(const struct tl_profile *profile, bool chosen)
{
	uint32_t count = tl_profile_function_count(profile);
	struct tl_function_totals totals;

	for (uint32_t f = 0; f < count; f++) {
		if (chosen && !tl_profile_chosen(profile, f))
			continue;
		tl_profile_function_totals(profile, f, TL_NONE, &totals, sizeof(totals));
		if (has_cost(profile, &totals))
			return true;
	}
	return false;
}

void warn_unmatched(struct command_job *job, const char *file, const struct tl_profile *profile)
{
	const struct tl_input_options *o = &job->settings->input;

	if ((chooses_records(o) || chooses_stacks(job->settings)) && !has_function(profile, false))
		warn_nothing_matches(job, file, false);
	else if (chooses_functions(o) && !has_function(profile, true))
		warn_nothing_matches(job, file, true);
}

void warn_empty(struct command_job *job)
{
	const struct tl_input_options *o = &job->settings->input;

	if (chooses_records(o) || chooses_functions(o))
		warn_nothing_matches(job, job->settings->paths.items[0], true);
}
