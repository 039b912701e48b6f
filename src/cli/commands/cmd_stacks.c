/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/job.h"

int cmd_stacks(struct command_job *job, struct tl_error *err)
{
	return export_input(job, tl_exporter_find("folded"), err);
}
