/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdlib.h>

#include "cli/commands/job.h"
#include "cli/options/index_file.h"
#include "view/files/stamps.h"
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

/*
 * What is browsed: the profile with stacks, and the one with lines, which may be the same; and the
 * sums of functions and calls where stacks are estimated, else NULL.
 */
struct browsed {
	struct tl_profile *stacks, *lines, *sums;
};

static int fold_browsed(struct command_job *job, struct browsed *browsed, uint32_t **events,
			struct tl_error *err)
{
	const struct tl_profile_filter filter = {
		.size = sizeof(filter),
		.function = job->settings->input.filter.function,
		.object = job->settings->input.filter.object,
	};
	int status = fold_input(job, &browsed->lines, events, err);

	browsed->stacks = browsed->lines;
	/* Estimated stacks are a profile of their own, which has no lines. */
	if (status == TL_OK && lacks_stacks(browsed->lines)) {
		status = tl_profile_stacks(&browsed->stacks, browsed->lines, NULL, err);
		if (status == TL_OK)
			warn_estimated(job, job->settings->paths.items[0]);
	}
	if (status == TL_OK && tl_profile_estimated(browsed->stacks))
		browsed->sums = browsed->lines;
	if (status == TL_OK && (filter.function || filter.object)) {
		struct tl_profile *all = browsed->stacks;

		status = tl_profile_filtered(&browsed->stacks, all, &filter, err);
		if (all != browsed->lines)
			tl_profile_free(all);
		if (status == TL_OK && browsed->sums)
			status = tl_profile_filtered(&browsed->sums, browsed->lines, &filter, err);
	}
	return status;
}

static void free_browsed(struct browsed *browsed)
{
	if (browsed->sums != browsed->lines)
		tl_profile_free(browsed->sums);
	if (browsed->stacks != browsed->lines)
		tl_profile_free(browsed->stacks);
	tl_profile_free(browsed->lines);
}

static int browse(struct command_job *job, const struct browsed *browsed,
		  const struct tl_view_stamps *stamps, const char *index, struct tl_error *err)
{
	const struct settings *settings = job->settings;
	const struct tl_annotate_options annotate = annotate_options(settings);
	const struct tl_browser_options options = { .input = job->input,
						    .title = settings->paths.items[0],
						    .stamps = stamps,
						    .annotate = &annotate,
						    .lines = browsed->lines,
						    .sums = browsed->sums,
						    .index_path = index,
						    .opened = &settings->input };
	struct tl_browser *browser;
	int status = tl_browser_open(&browser, browsed->stacks, &options, err);

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
	const struct settings *settings = job->settings;
	struct browsed browsed = { NULL, NULL, NULL };
	struct tl_view_stamps stamps;
	uint32_t *events = NULL;
	char *index;
	int status;

	job->error_shown = !index_file_fits(job->command, settings, 1);
	if (job->error_shown)
		return TL_BAD_USAGE;
	status = tl_view_stamps_take(&stamps, settings->paths.items, settings->paths.list.count,
				     err);
	if (status < 0)
		return status;
	index = index_file(job->settings, settings->paths.items, settings->paths.list.count);
	status = fold_browsed(job, &browsed, &events, err);
	if (status == TL_OK)
		status = browse(job, &browsed, &stamps, index, err);
	free(index);
	free(events);
	free_browsed(&browsed);
	tl_view_stamps_free(&stamps);
	return status;
}
