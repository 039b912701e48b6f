/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/job.h"

/*
 * The name of the second file of a format of two (NAME.xsnapshot.bin of NAME.xinsndata.bin), NULL:
 * it is not written. To free().
 */
static char *partner_name(const struct settings *settings, const struct tl_format_info *format)
{
	const char *output = settings->output.path;
	size_t size = output ? strlen(output) : 0, end;
	char *name;

	if (settings->slice.partner)
		return strdup(settings->slice.partner);
	end = format->suffix ? strlen(format->suffix) : SIZE_MAX;
	if (size <= end || strcmp(output + size - end, format->suffix))
		return NULL;
	if (asprintf(&name, "%.*s%s", (int)(size - end), output, format->partner_suffix) < 0)
		return NULL;
	return name;
}

static int write_both(struct command_job *job, struct tl_slice slice, const char *name,
		      struct tl_error *err)
{
	struct tl_output *partner = NULL;
	int status, committed = 0;

	if (name && output_open(&partner, name, err) < 0) {
		complain_error(name, err);
		job->error_shown = true;
		return err->status;
	}
	slice.partner = partner;
	status = tl_input_slice(job->input, &slice, job->out, err);
	if (status < 0) {
		output_discard(partner);
		return status;
	}
	if (partner)
		committed = output_commit(partner, err);
	if (committed < 0)
		return committed;
	return status;
}

int write_part(struct command_job *job, struct tl_slice slice, struct tl_error *err)
{
	char *name = partner_name(job->settings, tl_input_format(job->input));
	int status = write_both(job, slice, name, err);

	free(name);
	return status;
}

/* NULL, or what makes no sense without --simpoints. */
static const char *of_simpoints(const struct settings *settings)
{
	if (settings->slice.weights)
		return "--weights";
	if (settings->slice.warmup)
		return "--warmup";
	if (settings->analysis.interval)
		return "--interval";
	if (settings->analysis.together)
		return "--together";
	if (settings->output.csv)
		return "--csv";
	return settings->output.json ? "--json" : NULL;
}

int cmd_slice(struct command_job *job, struct tl_error *err)
{
	const char *option = of_simpoints(job->settings);

	if (job->settings->slice.simpoints)
		return slice_simpoints(job, err);
	if (option) {
		complain(job->command->name, "%s goes with --simpoints", option);
		job->error_shown = true;
		return TL_BAD_USAGE;
	}
	return write_part(job, job->settings->slice.part, err);
}
