/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cli/commands/job.h"

int cmd_tree(struct command_job *job, struct tl_error *err)
{
	struct tl_profile *profile;
	uint32_t *events;
	bool stacks =
		job->settings->tree == TL_TREE_TOP_DOWN || job->settings->tree == TL_TREE_BOTTOM_UP;
	int status = stacks ? fold_input_stacks(job, true, &profile, &events, err)
			    : fold_input(job, &profile, &events, err);

	if (status == TL_OK)
		status = tl_report_tree(profile, job->settings->tree, &job->settings->report,
					job->out, err);
	free(events);
	tl_profile_free(profile);
	return status;
}
