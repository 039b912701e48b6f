/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

int cmd_dump(struct job *job, struct tl_error *err)
{
	return tl_input_dump(job->input, report_form(job->settings), job->out, err);
}
