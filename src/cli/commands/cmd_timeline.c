/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/job.h"

int cmd_timeline(struct command_job *job, struct tl_error *err)
{
	int status = tl_input_timeline(job->input, job->settings->convert.to, job->out, err);

	if (status == 1)
		warn_empty(job);
	return status < 0 ? status : 0;
}
