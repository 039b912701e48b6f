/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/job.h"

/* So many profiles are held at a time: merging in groups gives the same result as all at once. */
enum { GROUP = 16 };

struct group {
	struct tl_profile *profiles[GROUP];
	size_t count;
	bool flattened; /* some had call stacks, which their sum has not */
};

static void group_free(struct group *group)
{
	while (group->count)
		tl_profile_free(group->profiles[--group->count]);
}

/* All that is there becomes one. */
static int group_merge(struct command_job *job, struct group *group, struct tl_error *err)
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
		job->said = true;
		return status;
	}
	group_free(group);
	group->profiles[group->count++] = merged;
	return 0;
}

/* The stacks that the options ask for. */
static int narrow(const struct command_job *job, struct tl_profile **profile, struct tl_error *err)
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
 * The logs of the processes of one program know of each other: they are one input, of its first
 * path.
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
		job->said = true;
		tl_input_close(job->input);
	}
	job->input = NULL;
	return status;
}

/* Fold what is open and put it to the others. */
static int add_profile(struct command_job *job, struct group *group, const char *path,
		       struct tl_error *err)
{
	struct tl_profile *profile;
	int status = group->count == GROUP ? group_merge(job, group, err) : 0;

	if (status == 0)
		status = fold_opened(job, path, &profile, err);
	if (status == 0)
		status = narrow(job, &profile, err);
	if (status == 0)
		group->profiles[group->count++] = profile;
	return status;
}

static int gather(struct command_job *job, struct group *group, struct tl_error *err)
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
	return status == 0 ? group_merge(job, group, err) : status;
}

/* A sum has call stacks only if all profiles have them. */
static void tell_flattened(struct command_job *job)
{
	say("tracelathe: the merged profile: some files have no call stacks, so those of the other "
	    "files are left out; costs and calls are complete");
	putc('\n', stderr);
	job->damaged = true;
}

int cmd_merge(struct command_job *job, struct tl_error *err)
{
	const struct tl_exporter *exporter = chosen_exporter(job->settings);
	struct group group = { .count = 0 };
	uint32_t *events = NULL;
	int status;

	status = gather(job, &group, err);
	if (status == 0)
		tell_saturated(job, "the sum of all files", group.profiles[0]);
	if (status == 0 && job->settings->events)
		status = choose_events(job, group.profiles[0], &events, err);
	if (status == 0 && exporter->contexts && group.flattened)
		tell_flattened(job);
	if (status == 0 && exporter->stacks)
		status = give_stacks(job, "the merged profile", &group.profiles[0], err);
	/* No command: the name of the first file would tell the order. */
	if (status == 0)
		status = export_profile(job, exporter, group.profiles[0], NULL, err);
	free(events);
	group_free(&group);
	return status;
}
