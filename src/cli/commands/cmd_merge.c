/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/job.h"

/* At most this many profiles are in memory: merging by groups gives the bytes of all at once. */
enum { GROUP = 16 };

struct group {
	struct tl_profile *profiles[GROUP];
	size_t count;
	bool flattened; /* some had call stacks, which their sum has not */
};

static void free_group(struct group *group)
{
	while (group->count)
		tl_profile_free(group->profiles[--group->count]);
}

/* Merge the profiles of the group into one. */
static int merge_group(struct command_job *job, struct group *group, struct tl_error *err)
{
	struct tl_profile *merged;
	int status = tl_profile_merge(&merged, (const struct tl_profile *const *)group->profiles,
				      group->count, err);

	for (size_t i = 0; status == 0 && i < group->count; i++)
		if (tl_profile_context_count(group->profiles[i]) &&
		    !tl_profile_context_count(merged))
			group->flattened = true;
	if (status < 0) {
		complain(job->command->name, "%s",
			 err->text ? err->text : tl_status_name(err->status));
		job->error_shown = true;
		return status;
	}
	free_group(group);
	group->profiles[group->count++] = merged;
	return 0;
}

/* Keep the stacks through the functions that the filters choose. */
static int keep_chosen_stacks(const struct command_job *job, struct tl_profile **profile,
			      struct tl_error *err)
{
	const struct tl_profile_filter filter = {
		.size = sizeof(filter),
		.function = job->settings->input.filter.function,
		.object = job->settings->input.filter.object,
	};
	struct tl_profile *whole = *profile;
	int status;

	if (!filter.function && !filter.object)
		return 0;
	status = tl_profile_filtered(profile, whole, &filter, err);
	tl_profile_free(whole);
	return status;
}

/*
 * The logs of the processes of one program are joined into one input, since what a process
 * inherited by fork counts once. `path` is the first one.
 */
struct logs {
	struct tl_input *input;
	const char *path;
};

static int add_log(struct command_job *job, struct logs *logs, const char *path,
		   struct tl_error *err)
{
	const char *failed = path;
	int status = 0;

	if (!logs->input)
		*logs = (struct logs){ job->input, path };
	else
		status = tl_input_join(logs->input, job->input, &failed, err);
	progress_end(job->progress);
	if (status < 0) {
		complain_error(failed, err);
		job->error_shown = true;
		tl_input_close(job->input);
	}
	job->input = NULL;
	return status;
}

/* Fold the open input and add its profile to the group. */
static int add_profile(struct command_job *job, struct group *group, const char *path,
		       struct tl_error *err)
{
	struct tl_profile *profile;
	int status = 0;

	if (group->count == GROUP)
		status = merge_group(job, group, err);
	if (status == 0)
		status = fold_opened(job, path, &profile, err);
	if (status == 0)
		status = keep_chosen_stacks(job, &profile, err);
	if (status == 0)
		group->profiles[group->count++] = profile;
	return status;
}

static int add_files(struct command_job *job, struct group *group, struct tl_error *err)
{
	struct logs logs = { .input = NULL };
	int status = 0;

	for (size_t i = 0; status == 0 && i < job->settings->paths.list.count; i++) {
		const char *path = job->settings->paths.items[i];

		if (!open_file(job, path))
			status = TL_BAD_FORMAT;
		else if (tl_input_format(job->input)->joins_processes)
			status = add_log(job, &logs, path, err);
		else
			status = add_profile(job, group, path, err);
	}
	if (logs.input && status == 0) {
		job->input = logs.input;
		status = add_profile(job, group, logs.path, err);
	} else {
		tl_input_close(logs.input);
	}
	if (status < 0)
		return status;
	return merge_group(job, group, err);
}

/* A sum has call stacks only if all profiles have them. */
static void warn_flattened(struct command_job *job)
{
	print_error("tracelathe: the merged profile: some files have no call stacks, so those of "
		    "the other files are left out; costs and calls are complete");
	putc('\n', stderr);
	job->damaged = true;
}

int cmd_merge(struct command_job *job, struct tl_error *err)
{
	const struct tl_exporter *exporter = chosen_exporter(job->settings);
	struct group group = { .count = 0 };
	uint32_t *events = NULL;
	int status;

	status = add_files(job, &group, err);
	if (status == 0)
		warn_saturated(job, "the sum of all files", group.profiles[0]);
	if (status == 0 && job->settings->events)
		status = choose_events(job, group.profiles[0], &events, err);
	if (status == 0 && exporter->contexts && group.flattened)
		warn_flattened(job);
	if (status == 0 && exporter->stacks)
		status = add_stacks(job, "the merged profile", &group.profiles[0], err);
	/* Without a command line in the header: it would depend on the order of the files. */
	if (status == 0)
		status = export_profile(job, exporter, group.profiles[0], NULL, err);
	free(events);
	free_group(&group);
	return status;
}
