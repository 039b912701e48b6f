/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static void complain_column(struct job *job, const struct tl_error *err)
{
	say("tracelathe diff: --sort %s: %s; the columns are", job->settings->report.sort, err->text);
	for (const char *const *name = tl_report_diff_sort_columns(); *name; name++)
		say("%s %s", name == tl_report_diff_sort_columns() ? "" : ",", *name);
	putc('\n', stderr);
	job->said = true;
}

/* The second file may be of another build: with a program and a map of its own. */
static int fold_both(struct job *job, struct tl_profile *profiles[2], struct tl_error *err)
{
	struct settings *settings = job->settings;
	int status = fold_file(job, settings->paths[0], &profiles[0], err);

	if (status < 0)
		return status;
	if (settings->after_count) {
		settings->input.binaries = settings->after_binaries;
		settings->input.binary_count = settings->after_count;
	}
	if (settings->after_map)
		settings->input.map = settings->after_map;
	else if (settings->after_count)
		settings->input.map = NULL;
	return fold_file(job, settings->paths[1], &profiles[1], err);
}

static enum tl_diff_unit unit_of(const struct settings *settings)
{
	if (!settings->by || !strcmp(settings->by, "function"))
		return TL_DIFF_FUNCTIONS;
	return strcmp(settings->by, "arc") ? TL_DIFF_LINES : TL_DIFF_ARCS;
}

static const struct tl_event *diff_event(const void *of, uint32_t event)
{
	return tl_diff_event(of, event);
}

static int report(struct job *job, const struct tl_diff *diff, struct tl_error *err)
{
	const struct event_list list = { diff, tl_diff_event_count(diff), diff_event };
	uint32_t *events = NULL;
	int status = 0;

	if (job->settings->events)
		status = choose_events_of(job, &list, &events, err);
	if (status == 0) {
		status = tl_report_diff(diff, &job->settings->report, job->out, err);
		if (status == TL_BAD_USAGE && job->settings->report.sort)
			complain_column(job, err);
	}
	free(events);
	return status;
}

/* Colours instead of numbers: both profiles in one flame graph. */
static int draw(struct job *job, struct tl_error *err)
{
	struct tl_profile *profiles[2] = { NULL, NULL };
	uint32_t *events = NULL;
	int status = can_write_flame(job) ? fold_both(job, profiles, err) : TL_UNSUPPORTED;

	if (status == 0 && job->settings->events)
		status = choose_events(job, profiles[1], &events, err);
	if (status == 0)
		status = write_flame(job, profiles[1], profiles[0], err);
	free(events);
	tl_profile_free(profiles[0]);
	tl_profile_free(profiles[1]);
	return status;
}

int cmd_diff(struct job *job, struct tl_error *err)
{
	if (job->settings->flame)
		return draw(job, err);

	const struct tl_diff_options options = {
		.size = sizeof(options),
		.by = unit_of(job->settings),
		.inclusive = job->settings->inclusive,
		.renames = job->settings->renames,
		.rename_count = job->settings->rename_count,
	};
	struct tl_profile *profiles[2] = { NULL, NULL };
	struct tl_diff *diff = NULL;
	int status = fold_both(job, profiles, err);

	if (status == 0)
		status = tl_profile_diff(&diff, profiles[0], profiles[1], &options, err);
	if (status == TL_BAD_USAGE && !job->said && options.rename_count) {
		complain(job->command, "--rename: %s", err->text);
		job->said = true;
	}
	if (status == 0)
		status = report(job, diff, err);
	tl_diff_free(diff);
	tl_profile_free(profiles[0]);
	tl_profile_free(profiles[1]);
	return status;
}
