/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/job.h"

enum { ROWS = 40 };

int cmd_analyze(struct command_job *job, struct tl_error *err)
{
	struct tl_analysis analysis = job->settings->analysis;
	const char *failed = NULL;
	int status;

	analysis.size = sizeof(analysis);
	analysis.form = report_form(job->settings);
	analysis.width = job->settings->report.width;
	if (!analysis.top && analysis.form == TL_REPORT_TEXT && !job->settings->report.all)
		analysis.top = ROWS;
	status = tl_input_analyze(job->input, &analysis, job->out, &failed, err);
	if (status < 0 && failed) {
		complain_error(failed, err);
		job->error_shown = true;
	}
	return status;
}
