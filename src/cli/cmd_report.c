/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* A column that the library does not know: which there are. */
static void complain_column(struct job *job, const struct tl_error *err)
{
	say("tracelathe report: --sort %s: %s; the columns are", job->settings->report.sort,
	    err->text);
	for (const char *const *name = tl_report_sort_columns(); *name; name++)
		say("%s %s", name == tl_report_sort_columns() ? "" : ",", *name);
	putc('\n', stderr);
	job->said = true;
}

static enum tl_profile_unit unit_of(const struct settings *settings)
{
	if (!settings->by || !strcmp(settings->by, "function"))
		return TL_BY_FUNCTION;
	return strcmp(settings->by, "file") ? TL_BY_OBJECT : TL_BY_FILE;
}

int cmd_report(struct job *job, struct tl_error *err)
{
	struct tl_profile *profile;
	uint32_t *events;
	int status = fold_input(job, &profile, &events, err);

	job->settings->report.by = unit_of(job->settings);
	if (status == TL_OK) {
		status = tl_report_functions(profile, &job->settings->report, job->out, err);
		if (status == TL_BAD_USAGE && job->settings->report.sort)
			complain_column(job, err);
	}
	free(events);
	tl_profile_free(profile);
	return status;
}
