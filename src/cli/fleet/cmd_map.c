/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/fleet/mapping.h"

static bool make_directory(const struct command_job *job)
{
	const char *path = job->settings->output.path;

	if (!path || !strcmp(path, "-")) {
		complain(job->command->name, "-o DIR says where the profile files go");
		return false;
	}
	if (!mkdir(path, 0777) || errno == EEXIST)
		return true;
	complain(job->command->name, "%s: cannot be made: %s", path, strerror(errno));
	return false;
}

int cmd_map(struct command_job *job, struct tl_error *err)
{
	int status = TL_BAD_USAGE;

	if (make_directory(job))
		status = map_files(job, job->settings->output.path, err);
	else
		job->error_shown = true;
	if (status == 0 && !warn_missing(job)) {
		job->error_shown = true;
		status = TL_BAD_FORMAT;
	}
	return status;
}
