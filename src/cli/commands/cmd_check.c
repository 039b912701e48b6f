/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/job.h"

int cmd_check(struct command_job *job, struct tl_error *err)
{
	int64_t violations = tl_input_check(job->input, report_form(job->settings), job->out, err);

	return violations < 0 ? (int)violations : violations > 0;
}
