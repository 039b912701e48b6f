/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/fleet/mapping.h"

int cmd_map(struct command_job *job, struct tl_error *err)
{
	int status = TL_BAD_USAGE;

	if (make_directory(job, "profile files"))
		status = map_files(job, job->settings->output.path, err);
	else
		job->error_shown = true;
	if (status == 0 && !warn_missing(job)) {
		job->error_shown = true;
		status = TL_BAD_FORMAT;
	}
	return status;
}
