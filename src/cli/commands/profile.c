/* SPDX-License-Identifier: Apache-2.0 */
/* The profile that a command shows: folding the input, choosing events, adding stacks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/job.h"

static uint32_t find_event(const struct event_list *list, const char *name, size_t length)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const char *known = list->at(list->of, i)->name;

		if (strlen(known) == length && !memcmp(known, name, length))
			return i;
	}
	return TL_NONE;
}

static void complain_event(const struct command_job *job, const struct event_list *list,
			   const char *name, size_t length)
{
	show_error("tracelathe %s: --event %.*s: the input has", job->command->name, (int)length,
		   name);
	for (uint32_t i = 0; i < list->count; i++)
		show_error_item(list->at(list->of, i)->name, !i);
	putc('\n', stderr);
}

static size_t count_names(const char *list)
{
	size_t count = 1;

	for (; *list; list++)
		count += *list == ',';
	return count;
}

int choose_events_of(struct command_job *job, const struct event_list *list, uint32_t **events,
		     struct tl_error *err)
{
	const char *name = job->settings->events.names;
	struct tl_report_options *report = &job->settings->report;

	*events = calloc(count_names(name), sizeof(**events));
	if (!*events) {
		*err = (struct tl_error){ TL_NO_MEMORY,    0,          NULL,
					  "out of memory", TL_NOWHERE, TL_NOWHERE };
		return TL_NO_MEMORY;
	}
	for (;;) {
		size_t length = strcspn(name, ",");
		uint32_t event = find_event(list, name, strcspn(name, ",="));

		if (event == TL_NONE) {
			complain_event(job, list, name, length);
			job->error_shown = true;
			return TL_BAD_USAGE;
		}
		(*events)[report->event_count++] = event;
		if (!name[length])
			break;
		name += length + 1;
	}
	report->events = *events;
	return TL_OK;
}

static const struct tl_event *profile_event(const void *of, uint32_t event)
{
	return tl_profile_event(of, event);
}

int choose_events(struct command_job *job, const struct tl_profile *profile, uint32_t **events,
		  struct tl_error *err)
{
	const struct event_list list = { profile, tl_profile_event_count(profile), profile_event };

	return choose_events_of(job, &list, events, err);
}

void hint_at_binary(const struct command_job *job, const struct tl_profile *profile)
{
	uint32_t count = tl_profile_function_count(profile);

	if (job->settings->programs.binaries.list.count || job->settings->input.programs.map ||
	    !count)
		return;
	if (report_form(job->settings) != TL_REPORT_TEXT ||
	    !(job->command->bit & (C_REPORT | C_TREE | C_ANNOTATE | C_FLAME)))
		return;
	for (uint32_t i = 0; i < count; i++)
		if (tl_profile_function(profile, i)->name[0] != '#')
			return;
	fputs("hint: give --binary PROGRAM for function names\n", stderr);
}

void warn_saturated_sums(struct command_job *job, const char *file, uint64_t count)
{
	if (!count)
		return;
	job->damaged = true;
	fprintf(stderr,
		"tracelathe: %s: %" PRIu64
		" sum%s not fit 64 bits and ended at the largest number\n",
		file, count, count == 1 ? " did" : "s did");
}

void warn_saturated(struct command_job *job, const char *file, const struct tl_profile *profile)
{
	struct tl_losses losses;

	tl_profile_losses(profile, &losses, sizeof(losses));
	warn_saturated_sums(job, file, losses.saturated);
}

/* --focus and --ignore: the profile of some stacks, which has to have stacks. */
static int keep_stacks(struct command_job *job, struct tl_profile **profile, struct tl_error *err)
{
	const struct settings *settings = job->settings;
	const struct tl_profile_filter filter = { .size = sizeof(filter),
						  .function = settings->stacks.focus,
						  .ignore = settings->stacks.ignore };
	const struct tl_profile_filter shown = { .size = sizeof(shown),
						 .function = settings->input.filter.function,
						 .object = settings->input.filter.object };
	struct tl_profile *whole;
	int status;

	if (!filter.function && !filter.ignore)
		return 0;
	status = add_stacks(job, settings->paths.items[0], profile, err);
	if (status < 0)
		return status;
	whole = *profile;
	status = tl_profile_filtered(profile, whole, &filter, err);
	tl_profile_free(whole);
	if (status == 0 && (shown.function || shown.object))
		status = tl_profile_choose(*profile, &shown, err);
	return status;
}

static bool matches_any(const struct tl_profile *profile, uint32_t event)
{
	return tl_profile_total(profile)[event] != 0;
}

/* --idle: waiting apart from work. */
static int split_idle(struct command_job *job, struct tl_profile **profile, struct tl_error *err)
{
	const char *file = job->settings->paths.items[0], *idle = job->settings->stacks.idle;
	struct tl_profile *whole;
	int status;

	if (!idle)
		return 0;
	status = add_stacks(job, file, profile, err);
	if (status < 0)
		return status;
	whole = *profile;
	status = tl_profile_idle_apart(profile, whole, idle, err);
	tl_profile_free(whole);
	if (status < 0 || matches_any(*profile, tl_profile_event_count(*profile) - 1))
		return status;
	show_error("tracelathe: %s: no time was spent in functions that match --idle %s: all is "
		   "work",
		   file, idle);
	putc('\n', stderr);
	job->damaged = true;
	return 0;
}

int fold_input(struct command_job *job, struct tl_profile **profile, uint32_t **events,
	       struct tl_error *err)
{
	int status = tl_input_fold(job->input, profile, err);

	/* The messages below must not be written into the bar. */
	progress_end(job->progress);
	*events = NULL;
	if (status < 0) {
		*profile = NULL;
		return status;
	}
	warn_saturated(job, job->settings->paths.items[0], *profile);
	status = keep_stacks(job, profile, err);
	if (status == 0)
		status = split_idle(job, profile, err);
	if (status < 0)
		return status;
	if (job->settings->report.seconds && !tl_profile_frequency(*profile) &&
	    !by_origin(job->settings))
		fputs("hint: the input does not say how long a tick is; --seconds shows ticks\n",
		      stderr);
	if (job->settings->events.names)
		status = choose_events(job, *profile, events, err);
	if (status == TL_OK)
		hint_at_binary(job, *profile);
	if (status == TL_OK)
		warn_unmatched(job, job->settings->paths.items[0], *profile);
	return status;
}

void warn_estimated(struct command_job *job, const char *path)
{
	show_error("tracelathe: %s: the input has no call stacks; paths are estimated from "
		   "callers and callees",
		   path);
	putc('\n', stderr);
	job->damaged = true;
}

bool lacks_stacks(const struct tl_profile *profile)
{
	return !tl_profile_context_count(profile) && tl_profile_line_count(profile) &&
	       tl_profile_arc_count(profile);
}

int add_stacks(struct command_job *job, const char *path, struct tl_profile **profile,
	       struct tl_error *err)
{
	struct tl_profile *sums = *profile;
	int status;

	if (!lacks_stacks(sums))
		return 0;
	status = tl_profile_stacks(profile, sums, NULL, err);
	tl_profile_free(sums);
	if (status == 0 && tl_profile_estimated(*profile))
		warn_estimated(job, path);
	return status;
}

int fold_input_stacks(struct command_job *job, bool estimate, struct tl_profile **profile,
		      uint32_t **events, struct tl_error *err)
{
	const struct tl_profile_filter filter = {
		.size = sizeof(filter),
		.function = job->settings->input.filter.function,
		.object = job->settings->input.filter.object,
	};
	struct tl_profile *whole;
	int status = fold_input(job, &whole, events, err);

	if (status == TL_OK && estimate)
		status = add_stacks(job, job->settings->paths.items[0], &whole, err);
	*profile = whole;
	if (status < 0 || (!filter.function && !filter.object))
		return status;
	status = tl_profile_filtered(profile, whole, &filter, err);
	tl_profile_free(whole);
	return status;
}
