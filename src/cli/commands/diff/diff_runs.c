/* SPDX-License-Identifier: Apache-2.0 */
/* diff --runs: several runs a side. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/job.h"

static int fold_run(struct command_job *job, size_t number, struct tl_profile **profile,
		    struct tl_error *err)
{
	if (job->command->fold_run)
		return job->command->fold_run(job, number, profile, err);
	return fold_file(job, job->settings->paths.items[number], profile, err);
}

static int add_run(struct command_job *job, struct tl_runs *runs, size_t number,
		   struct tl_error *err)
{
	const struct settings *settings = job->settings;
	struct tl_profile *profile;
	int status = fold_run(job, number, &profile, err);

	/* Of a list or a directory, what cannot be read is said, and no run. */
	if (settings->files.listed && keeps_going(job, status)) {
		leave_out(job);
		return 0;
	}
	if (status < 0)
		return status;
	status = tl_runs_add(runs, number >= settings->diff.before, profile,
			     settings->diff.inclusive, err);
	tl_profile_free(profile);
	if (status < 0) {
		complain_error(settings->paths.items[number], err);
		job->error_shown = true;
	}
	return status;
}

static int add_sides(struct command_job *job, struct tl_runs *runs, struct tl_error *err)
{
	struct settings *settings = job->settings;
	int status = 0;

	for (size_t i = 0; status == 0 && i < settings->paths.list.count; i++) {
		if (i == settings->diff.before)
			use_programs_after(settings);
		status = add_run(job, runs, i, err);
	}
	if (status == 0 && !warn_missing(job)) {
		job->error_shown = true;
		return TL_BAD_FORMAT;
	}
	return status;
}

/* The rows that differ by more than chance, and grew by more than the limit. */
static int pass_gate(struct command_job *job, const struct tl_runs *runs)
{
	const double limit = job->settings->diff.fail_above;
	struct tl_run_row row, worst = { .percent = 0 };
	size_t count = 0;

	for (size_t i = 0; tl_runs_row(runs, i, &row, sizeof(row)) == 0; i++) {
		double percent = isnan(row.percent) ? INFINITY : row.percent;

		if (!row.significant || row.median_after <= row.median_before || percent <= limit)
			continue;
		row.percent = percent;
		if (!count++ || percent > worst.percent)
			worst = row;
	}
	if (!count)
		return 0;
	if (asprintf(&job->gate, " %zu of the rows grew by more, most of all by %.4g%%: %s", count,
		     worst.percent, worst.function ? worst.function->name : "the total") < 0)
		return TL_NO_MEMORY;
	return 0;
}

int diff_runs(struct command_job *job, struct tl_error *err)
{
	const struct settings *settings = job->settings;
	char *event = settings->events.names ? strndup(settings->events.names,
						       strcspn(settings->events.names, "="))
					     : NULL;
	const struct tl_runs_options options = {
		.size = sizeof(options),
		.event = event,
		.renames = settings->diff.renames.items,
		.rename_count = settings->diff.renames.list.count,
	};
	struct tl_runs *runs = NULL;
	int status = !event && settings->events.names ? TL_NO_MEMORY : tl_runs_open(&runs, err);

	if (status == 0)
		status = add_sides(job, runs, err);
	if (status == 0) {
		status = tl_runs_compare(runs, &options, err);
		if (status < 0) {
			complain(job->command->name, "--runs: %s", err->text);
			job->error_shown = true;
		}
	}
	if (status == 0 && settings->diff.markdown)
		status = tl_report_runs_markdown(runs, &settings->report, job->out, err);
	else if (status == 0)
		status = tl_report_runs(runs, &settings->report, job->out, err);
	if (status == 0 && settings->diff.fail_above >= 0)
		status = pass_gate(job, runs);
	tl_runs_free(runs);
	free(event);
	return status;
}
