/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/job.h"

int cmd_info(struct command_job *job, struct tl_error *err)
{
	return tl_input_info(job->input, report_form(job->settings), job->out, err);
}
