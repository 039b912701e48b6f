/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/job.h"

/*
 * Profiles are merged by groups, and the sums by groups again, like digits of a number that counts
 * up: each profile is read once and takes part in as many merges as the number of files has digits.
 * Merging by groups gives the bytes of merging all at once.
 */
enum { GROUP = 8, LEVELS = 11 };

struct group {
	struct tl_profile *profiles[GROUP];
	size_t count;
};

struct groups {
	struct group levels[LEVELS];
	bool flattened; /* some had call stacks, which their sum has not */
};

static void free_group(struct group *group)
{
	while (group->count)
		tl_profile_free(group->profiles[--group->count]);
}

static void free_groups(struct groups *groups)
{
	for (int level = 0; level < LEVELS; level++)
		free_group(&groups->levels[level]);
}

/* Merge profiles into one and free them. */
static int merge_into(struct command_job *job, struct groups *groups, struct group *from,
		      size_t levels, struct tl_profile **merged, struct tl_error *err)
{
	const struct tl_profile *list[GROUP * LEVELS] = { NULL };
	size_t count = 0;
	int status;

	for (size_t level = 0; level < levels; level++)
		for (size_t i = 0; i < from[level].count; i++)
			list[count++] = from[level].profiles[i];
	status = tl_profile_merge(merged, list, count, err);
	if (status < 0) {
		complain(job->command->name, "%s",
			 err->text ? err->text : tl_status_name(err->status));
		job->error_shown = true;
		return status;
	}
	for (size_t i = 0; i < count; i++)
		if (tl_profile_context_count(list[i]) && !tl_profile_context_count(*merged))
			groups->flattened = true;
	for (size_t level = 0; level < levels; level++)
		free_group(&from[level]);
	return 0;
}

/* Make room for a profile in a level. */
static int make_room(struct command_job *job, struct groups *groups, size_t level,
		     struct tl_error *err)
{
	struct group *group = &groups->levels[level];
	struct tl_profile *merged;
	int status;

	if (group->count < GROUP)
		return 0;
	if (level + 1 == LEVELS) /* more files than there can be */
		return TL_NO_MEMORY;
	status = make_room(job, groups, level + 1, err);
	if (status == 0)
		status = merge_into(job, groups, group, 1, &merged, err);
	if (status == 0)
		group[1].profiles[group[1].count++] = merged;
	return status;
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

/* Fold the open input and add its profile to the others. */
static int add_profile(struct command_job *job, struct groups *groups, const char *path,
		       struct tl_error *err)
{
	struct group *group = &groups->levels[0];
	struct tl_profile *profile;
	int status = make_room(job, groups, 0, err);

	if (status == 0)
		status = fold_opened(job, path, &profile, err);
	if (status == 0)
		status = keep_chosen_stacks(job, &profile, err);
	if (status == 0)
		group->profiles[group->count++] = profile;
	return status;
}

static int merge_files(struct command_job *job, struct groups *groups, struct tl_profile **merged,
		       struct tl_error *err)
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
			status = add_profile(job, groups, path, err);
	}
	if (logs.input && status == 0) {
		job->input = logs.input;
		status = add_profile(job, groups, logs.path, err);
	} else {
		tl_input_close(logs.input);
	}
	if (status < 0)
		return status;
	return merge_into(job, groups, groups->levels, LEVELS, merged, err);
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
	struct groups groups = { .flattened = false };
	struct tl_profile *merged = NULL;
	uint32_t *events = NULL;
	int status;

	status = merge_files(job, &groups, &merged, err);
	if (status == 0)
		warn_saturated(job, "the sum of all files", merged);
	if (status == 0 && job->settings->events.names)
		status = choose_events(job, merged, &events, err);
	if (status == 0 && exporter->contexts && groups.flattened)
		warn_flattened(job);
	if (status == 0 && exporter->stacks)
		status = add_stacks(job, "the merged profile", &merged, err);
	/* Without a command line in the header: it would depend on the order of the files. */
	if (status == 0)
		status = export_profile(job, exporter, merged, NULL, err);
	free(events);
	free_groups(&groups);
	tl_profile_free(merged);
	return status;
}
