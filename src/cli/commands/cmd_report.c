/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/job.h"

/* An unknown column is answered with the list of columns. */
static void complain_column(struct command_job *job, const struct tl_error *err)
{
	print_error("tracelathe report: --sort %s: %s; the columns are", job->settings->report.sort,
		    err->text);
	for (const char *const *name = tl_report_sort_columns(); *name; name++)
		print_error_item(*name, name == tl_report_sort_columns());
	putc('\n', stderr);
	job->error_shown = true;
}

int cmd_report(struct command_job *job, struct tl_error *err)
{
	struct tl_profile *profile;
	uint32_t *events;
	int status = fold_input(job, &profile, &events, err);

	if (status == TL_OK) {
		status = tl_report_functions(profile, &job->settings->report, job->out, err);
		if (status == TL_BAD_USAGE && job->settings->report.sort)
			complain_column(job, err);
	}
	free(events);
	tl_profile_free(profile);
	return status;
}
