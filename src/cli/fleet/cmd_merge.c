/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands/job.h"

/* An error of the sum as a whole. */
static int complain_sum(struct command_job *job, int status, const struct tl_error *err)
{
	if (status < 0) {
		complain(job->command->name, "%s",
			 err->text ? err->text : tl_status_name(err->status));
		job->error_shown = true;
	}
	return status;
}

/* A profile file is written as a stream. */
static int write_stream(struct command_job *job, struct tl_gather *gather, struct tl_error *err)
{
	struct tl_gathered gathered = { .size = sizeof(gathered) };
	int status = tl_gather_write(gather, job->out, &gathered, sizeof(gathered), err);

	if (status == 0)
		warn_saturated_sums(job, "the sum of all files", gathered.losses.saturated);
	if (status == 0 && gathered.flattened)
		warn_flattened(job);
	return complain_sum(job, status, err);
}

/* Other formats are written from the merged profile, which has to be in memory for that. */
static int write_profile(struct command_job *job, struct tl_gather *gather, struct tl_error *err)
{
	const struct tl_exporter *exporter = chosen_exporter(job->settings);
	struct tl_gathered gathered = { .size = sizeof(gathered) };
	struct tl_profile *merged = NULL;
	uint32_t *events = NULL;
	int status = tl_gather_profile(gather, &merged, &gathered, sizeof(gathered), err);

	complain_sum(job, status, err);
	if (status == 0)
		warn_saturated(job, "the sum of all files", merged);
	if (status == 0 && job->settings->events.names)
		status = choose_events(job, merged, &events, err);
	if (status == 0 && exporter->contexts && gathered.flattened)
		warn_flattened(job);
	if (status == 0 && exporter->stacks)
		status = add_stacks(job, "the merged profile", &merged, err);
	/* Without a command line in the header: it would depend on the order of the files. */
	if (status == 0)
		status = export_profile(job, exporter, merged, NULL, err);
	free(events);
	tl_profile_free(merged);
	return status;
}

int cmd_merge(struct command_job *job, struct tl_error *err)
{
	const struct tl_gather_options options = {
		.size = sizeof(options),
		.memory = job->settings->files.memory_megabytes << 20,
		.scratch = job->settings->files.scratch,
		.per_thread = job->settings->input.per_thread,
		.packed = chosen_exporter(job->settings)->packed,
	};
	bool stream = chosen_exporter(job->settings)->whole && !job->settings->events.names;
	struct tl_gather *gather;
	int status = tl_gather_open(&gather, &options, err);

	if (status == 0)
		tl_gather_threads(gather, job->settings->input.jobs);
	if (status == 0)
		status = gather_files(job, gather, err);
	if (status == 0)
		status = stream ? write_stream(job, gather, err) : write_profile(job, gather, err);
	tl_gather_close(gather);
	return status;
}
