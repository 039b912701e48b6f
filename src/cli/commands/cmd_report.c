/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/job.h"

/* An unknown column is answered with the list of columns. */
static void complain_column(struct command_job *job, const struct tl_error *err)
{
	show_error("tracelathe report: --sort %s: %s; the columns are", job->settings->report.sort,
		   err->text);
	for (const char *const *name = tl_report_sort_columns(); *name; name++)
		show_error_item(*name, name == tl_report_sort_columns());
	putc('\n', stderr);
	job->error_shown = true;
}

/* ---- --by trace, host, process, cgroup, and --spread ---- */

static const char *origin_word(enum tl_profile_unit by)
{
	if (by == TL_BY_HOST)
		return "host";
	return by == TL_BY_CGROUP ? "control group" : "process";
}

static void warn_unknown_origin(struct command_job *job, const struct tl_profile *profile)
{
	if (!tl_profile_origin_unknown(profile))
		return;
	complain(job->command->name,
		 "%s not tell which %s they are from: what they cost is of (unknown)",
		 tl_profile_part_count(profile) == 1 ? "the files do" : "some files, or parts, do",
		 origin_word(job->settings->report.by));
	job->damaged = true;
}

static void complain_spread_column(struct command_job *job)
{
	const char *const *names = tl_report_spread_sort_columns();

	show_error("tracelathe report: --spread --sort %s: there is no such column; the columns "
		   "are",
		   job->settings->report.sort);
	for (size_t i = 0; names[i]; i++)
		show_error_item(names[i], !i);
	putc('\n', stderr);
	job->error_shown = true;
}

static void complain_event(struct command_job *job, const struct tl_profile *profile,
			   const char *event)
{
	show_error("tracelathe report: --event %s: the files have", event);
	for (uint32_t i = 0; i < tl_profile_event_count(profile); i++)
		show_error_item(tl_profile_event(profile, i)->name, !i);
	show_error_item("calls", !tl_profile_event_count(profile));
	putc('\n', stderr);
	job->error_shown = true;
}

/* Files that cannot be compared: they have other events. */
static void warn_left_out(struct command_job *job, const struct tl_spread *spread)
{
	size_t count = tl_spread_origin_count(spread), without = 0;
	struct tl_spread_origin origin;

	for (size_t i = 0; i < count; i++)
		without += tl_spread_origin(spread, i, &origin, sizeof(origin)) == 0 &&
			   !origin.has_event;
	if (!without)
		return;
	complain(job->command->name, "--spread: %zu of %zu have no event %s and are left out",
		 without, count, tl_spread_event(spread));
	job->damaged = true;
}

static int put_spread(struct command_job *job, const struct tl_profile *profile, const char *event,
		      struct tl_error *err)
{
	const struct settings *settings = job->settings;
	const struct tl_spread_options options = {
		.size = sizeof(options),
		.event = event,
		.inclusive = settings->spread.inclusive,
		.threshold = settings->report.threshold,
	};
	struct tl_spread *spread;
	int status = tl_spread_make(&spread, profile, &options, err);

	if (status == TL_UNSUPPORTED && event)
		complain_event(job, profile, event);
	if (status == 0)
		status = tl_report_spread(spread, &settings->report, job->out, err);
	if (status == TL_BAD_USAGE && settings->report.sort)
		complain_spread_column(job);
	if (status == 0)
		warn_left_out(job, spread);
	tl_spread_free(spread);
	return status;
}

static int report_spread(struct command_job *job, struct tl_error *err)
{
	const char *names = job->settings->events.names;
	char *event = names ? strndup(names, strcspn(names, "=")) : NULL;
	struct tl_profile *profile = NULL;
	int status = names && !event ? TL_NO_MEMORY : tl_input_fold(job->input, &profile, err);

	progress_end(job->progress);
	if (status == 0) {
		warn_saturated(job, job->settings->paths.items[0], profile);
		warn_unmatched(job, job->settings->paths.items[0], profile);
		hint_at_binary(job, profile);
		warn_unknown_origin(job, profile);
		status = put_spread(job, profile, event, err);
	}
	tl_profile_free(profile);
	free(event);
	return status;
}

/* ---- the whole ---- */

int cmd_report(struct command_job *job, struct tl_error *err)
{
	struct tl_profile *profile;
	uint32_t *events;
	int status;

	if (job->settings->spread.wanted)
		return report_spread(job, err);
	status = fold_input(job, &profile, &events, err);
	if (status == TL_OK && by_origin(job->settings))
		warn_unknown_origin(job, profile);
	if (status == TL_OK) {
		status = tl_report_functions(profile, &job->settings->report, job->out, err);
		if (status == TL_BAD_USAGE && job->settings->report.sort)
			complain_column(job, err);
	}
	free(events);
	tl_profile_free(profile);
	return status;
}
