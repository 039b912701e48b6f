/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdlib.h>

#include "cli/commands/job.h"
#include "cli/options/index_file.h"
#include "view/terminal/browser.h"

/* What `annotate` takes, in its usual form. */
static struct tl_annotate_options annotate_options(const struct settings *settings)
{
	return (struct tl_annotate_options){
		.size = sizeof(struct tl_annotate_options),
		.source_dirs = settings->annotate.source_dirs.items,
		.source_dir_count = settings->annotate.source_dirs.list.count,
		.threshold = -1,
		.context = -1,
	};
}

static int browse(struct command_job *job, const struct tl_profile *profile, const char *index,
		  struct tl_error *err)
{
	const struct settings *settings = job->settings;
	const struct tl_annotate_options annotate = annotate_options(settings);
	const struct tl_browser_options options = { .input = job->input,
						    .title = settings->paths.items[0],
						    .annotate = &annotate,
						    .index_path = index };
	struct tl_browser *browser;
	int status = tl_browser_open(&browser, profile, &options, err);

	if (status == 0)
		status =
			tl_browser_run(browser, use_color(settings->output.color, "/dev/tty"), err);
	tl_browser_close(browser);
	if (status > 0)
		raise(status);
	return status < 0 ? status : 0;
}

int cmd_browse(struct command_job *job, struct tl_error *err)
{
	struct tl_profile *profile = NULL;
	uint32_t *events = NULL;
	char *index;
	int status;

	job->error_shown = !index_file_fits(job->command, job->settings, 1);
	if (job->error_shown)
		return TL_BAD_USAGE;
	index = index_file(job->settings, job->settings->paths.items,
			   job->settings->paths.list.count);
	status = fold_input_stacks(job, true, &profile, &events, err);
	if (status == TL_OK)
		status = browse(job, profile, index, err);
	free(index);
	free(events);
	tl_profile_free(profile);
	return status;
}
