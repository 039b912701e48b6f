/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/commands/job.h"

/* The date of the last write, which is when the trace was recorded; NULL for a pipe. */
static const char *written(struct command_job *job, const char *path, char *text, size_t size)
{
	struct stat status;
	struct tm date;

	if (!strcmp(path, "-"))
		return NULL;
	if (stat(path, &status)) {
		complain(NULL,
			 "%s: the date of the file cannot be read, so the page does not say it: %s",
			 path, strerror(errno));
		job->damaged = true;
		return NULL;
	}
	if (!S_ISREG(status.st_mode) || !gmtime_r(&status.st_mtime, &date))
		return NULL;
	return strftime(text, size, "%Y-%m-%d %H:%M UTC", &date) ? text : NULL;
}

int write_flame(struct command_job *job, const struct tl_profile *profile,
		const struct tl_profile *baseline, struct tl_error *err)
{
	const struct settings *settings = job->settings;
	const char *path = settings->paths.items[baseline != NULL];
	bool estimated = false;
	char when[64];
	int status;
	const struct tl_flame_options options = {
		.size = sizeof(options),
		.form = settings->flame.svg ? TL_FLAME_SVG : TL_FLAME_PAGE,
		.icicle = settings->flame.icicle,
		.threads = settings->report.threads,
		.threshold = settings->report.threshold,
		.events = settings->report.events,
		.event_count = settings->report.event_count,
		.name = strcmp(path, "-") ? path : "standard input",
		.baseline_name = baseline ? settings->paths.items[0] : NULL,
		.when = written(job, path, when, sizeof(when)),
		.width = settings->flame.pixels,
		.estimated = &estimated,
	};

	status = tl_flame_write(profile, baseline, &options, job->out, err);
	if (status == 0 && estimated && !tl_profile_estimated(profile))
		warn_estimated(job, path);
	return status;
}

bool can_write_flame(struct command_job *job)
{
	if (job->settings->flame.svg || tl_flame_has_page())
		return true;
	complain(job->command->name,
		 "this tracelathe was built without the page, as npm or what it gets was missing "
		 "(`make deps`, then build again); --svg needs neither");
	job->error_shown = true;
	return false;
}

int cmd_flame(struct command_job *job, struct tl_error *err)
{
	struct tl_profile *profile;
	uint32_t *events;
	int status;

	if (!can_write_flame(job))
		return TL_UNSUPPORTED;
	/* For all functions the writer itself estimates paths, and keeps its table exact. */
	status = fold_input_stacks(
		job, job->settings->input.filter.function || job->settings->input.filter.object,
		&profile, &events, err);
	if (status == TL_OK)
		status = write_flame(job, profile, NULL, err);
	free(events);
	tl_profile_free(profile);
	return status;
}
