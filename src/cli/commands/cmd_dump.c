/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/job.h"

int cmd_dump(struct command_job *job, struct tl_error *err)
{
	int status = tl_input_dump(job->input, report_form(job->settings), job->out, err);

	if (status == 0 && !tl_output_used(job->out))
		warn_empty(job);
	return status;
}
