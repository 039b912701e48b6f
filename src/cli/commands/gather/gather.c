/* SPDX-License-Identifier: Apache-2.0 */
/* Many files become one sum: what `merge` writes, and other commands read of a list of files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/job.h"
#include "cli/commands/gather/relatives.h"

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
 * inherited by fork counts once.
 */
struct logs {
	struct tl_input *input;
	LIST_OF(const char *) paths;
};

static int add_log(struct command_job *job, struct logs *logs, const char *path,
		   struct tl_error *err)
{
	const char *failed = path, **item = list_add(&logs->paths.list, sizeof(*item));
	int status = item ? 0 : TL_NO_MEMORY;

	if (item)
		*item = path;
	if (status == 0 && !logs->input)
		logs->input = job->input;
	else if (status == 0)
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

/* A profile file is added as it is, where its rows are all there. 1: done. */
static int add_stream(struct command_job *job, struct tl_gather *gather, const char *path,
		      struct tl_error *err)
{
	int status = tl_gather_add_input(gather, job->input, err);

	if (status == 1) {
		progress_end(job->progress);
		warn_damage(job, job->input, path);
		tl_input_close(job->input);
		job->input = NULL;
	}
	return status;
}

/* --by trace, --spread and the like: what the file cost, by where it is from. */
static int keep_origins(const struct command_job *job, const char *name,
			struct tl_profile **profile, struct tl_error *err)
{
	const struct tl_origin_options options = {
		.size = sizeof(options),
		.by = job->settings->report.by,
		.name = name,
		.functions = job->settings->spread.wanted,
	};
	struct tl_profile *whole = *profile;
	int status = tl_profile_origins(profile, whole, &options, err);

	tl_profile_free(whole);
	return status;
}

/* What is kept of a profile, which is freed, goes to the others; what cannot is named. */
static int add_folded(struct command_job *job, struct tl_gather *gather, const char *name,
		      struct tl_profile *profile, struct tl_error *err)
{
	int status = by_origin(job->settings) ? keep_origins(job, name, &profile, err)
					      : keep_chosen_stacks(job, &profile, err);

	if (status == 0) {
		status = tl_gather_take(gather, &profile, err);
		if (status == TL_BAD_USAGE) {
			complain_error(name, err);
			job->error_shown = true;
		}
	}
	tl_profile_free(profile);
	return status;
}

int gather_opened(struct command_job *job, struct tl_gather *gather, const char *path,
		  const char *name, struct tl_error *err)
{
	struct tl_profile *profile;
	/* Rows as they are have no formulas, and tell no origin. */
	bool rows = !job->settings->input.formula_count && !by_origin(job->settings);
	int status = rows ? add_stream(job, gather, path, err) : 0;

	if (status)
		return status < 0 ? status : 0;
	status = fold_opened(job, path, &profile, err);
	return status < 0 ? status : add_folded(job, gather, name, profile, err);
}

/* Each of the logs by itself. */
static int gather_log(struct command_job *job, struct tl_gather *gather, const struct logs *logs,
		      size_t number, struct tl_error *err)
{
	const char *path = logs->paths.items[number];
	struct tl_profile *profile;
	int status = tl_input_fold_file(logs->input, number, &profile, err);

	if (status < 0) {
		complain_error(path, err);
		return status;
	}
	warn_unmatched(job, path, profile);
	warn_saturated(job, path, profile);
	return add_folded(job, gather, path, profile, err);
}

static int gather_logs_apart(struct command_job *job, struct tl_gather *gather,
			     const struct logs *logs, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < logs->paths.list.count; i++) {
		status = gather_log(job, gather, logs, i, err);
		if (status != TL_BAD_USAGE && keeps_going(job, status)) {
			job->missing++;
			status = 0;
		}
	}
	warn_damage(job, logs->input, logs->paths.items[0]);
	return status;
}

static int gather_logs(struct command_job *job, struct tl_gather *gather, struct logs *logs,
		       struct tl_error *err)
{
	int status;

	if (!logs->input)
		return 0;
	if (by_origin(job->settings))
		return gather_logs_apart(job, gather, logs, err);
	job->input = logs->input;
	logs->input = NULL;
	status = gather_opened(job, gather, logs->paths.items[0], logs->paths.items[0], err);
	if (status == TL_BAD_USAGE || !keeps_going(job, status))
		return status;
	leave_out(job);
	job->missing += logs->paths.list.count - 1;
	return 0;
}

/* ---- which logs belong together ---- */

struct gathering {
	struct command_job *job;
	struct tl_gather *gather;
	struct relatives relatives;
	struct logs open; /* where one of the files is a pipe */
};

static int gather_file(struct gathering *g, const char *path, struct tl_error *err)
{
	struct command_job *job = g->job;

	if (!open_file(job, path))
		return TL_BAD_FORMAT;
	if (!tl_input_format(job->input)->joins_processes)
		return gather_opened(job, g->gather, path, path, err);
	return g->relatives.kin ? relatives_add(&g->relatives, job, path, err)
				: add_log(job, &g->open, path, err);
}

static int gather_group(void *arg, const char *const *paths, size_t count, struct tl_error *err)
{
	struct gathering *g = arg;
	struct command_job *job = g->job;
	struct logs logs = { .input = NULL };
	int status = 0;

	for (size_t i = 0; status == 0 && i < count; i++) {
		status = open_file(job, paths[i]) ? add_log(job, &logs, paths[i], err)
						  : TL_BAD_FORMAT;
		status = pass_over(job, status);
	}
	if (status == 0)
		status = gather_logs(job, g->gather, &logs, err);
	tl_input_close(logs.input);
	list_free(&logs.paths.list);
	return status;
}

int gather_related(struct command_job *job, struct tl_gather *gather, struct tl_error *err)
{
	struct gathering g = { .job = job, .gather = gather };
	int status = relatives_open(&g.relatives, job->settings, err);

	for (size_t i = 0; status == 0 && i < job->settings->paths.list.count; i++)
		status = pass_over(job, gather_file(&g, job->settings->paths.items[i], err));
	if (status == 0)
		status = g.relatives.kin ? relatives_each(&g.relatives, gather_group, &g, err)
					 : gather_logs(job, gather, &g.open, err);
	relatives_close(&g.relatives);
	tl_input_close(g.open.input);
	list_free(&g.open.paths.list);
	return status;
}

int gather_files(struct command_job *job, struct tl_gather *gather, struct tl_error *err)
{
	int status = job->command->gather ? job->command->gather(job, gather, err)
					  : gather_related(job, gather, err);

	if (status == 0 && !warn_missing(job)) {
		job->error_shown = true;
		return TL_BAD_FORMAT;
	}
	return status;
}

/* A sum has call stacks only if all profiles have them. */
void warn_flattened(struct command_job *job)
{
	show_error("tracelathe: the merged profile: some files have no call stacks, so those of "
		   "the other files are left out; costs and calls are complete");
	putc('\n', stderr);
	job->damaged = true;
}

/* ---- the sum as an input ---- */

static int write_sum(struct command_job *job, struct tl_gather *gather, struct tl_error *err)
{
	struct tl_gathered gathered = { .size = sizeof(gathered) };
	int status = gather_files(job, gather, err);

	if (status == 0)
		status = tl_gather_write(gather, job->out, &gathered, sizeof(gathered), err);
	if (status == 0 && gathered.flattened)
		warn_flattened(job);
	return status;
}

void settings_of_each(struct settings *settings, struct tl_input_filter *kept)
{
	struct tl_input_filter *filter = &settings->input.filter;

	*kept = *filter;
	/* What all functions of a file cost together has no functions to choose from later. */
	if (by_origin(settings) && !settings->spread.wanted)
		kept->function = kept->object = NULL;
	else
		filter->function = filter->object = NULL;
	/* A table of one file has no call stacks, which those of the others need for a sum. */
	if (settings->input.detail == TL_DETAIL_TABLE ||
	    settings->input.detail == TL_DETAIL_CONTEXTS)
		settings->input.detail = TL_DETAIL_FUNCTIONS;
}

static void settings_of_sum(struct settings *settings, const struct tl_input_filter *kept)
{
	static const struct tl_input_options all = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_input_filter *filter = &settings->input.filter;

	*filter = all.filter;
	filter->function = kept->function;
	filter->object = kept->object;
}

static int write_gathered(struct command_job *job, const char *path, struct tl_error *err)
{
	const struct tl_gather_options options = {
		.size = sizeof(options),
		.memory = job->settings->files.memory_megabytes << 20,
		.scratch = job->settings->files.scratch,
		.threads_together = job->settings->files.threads_together,
	};
	const enum tl_input_detail detail = job->settings->input.detail;
	struct tl_gather *gather = NULL;
	struct tl_input_filter kept;
	int status = output_open(&job->out, path, err);

	if (status < 0)
		return status;
	settings_of_each(job->settings, &kept);
	/* Calls between functions follow from the stacks of the sum. */
	if (options.threads_together)
		job->settings->input.detail = TL_DETAIL_CONTEXTS;
	status = tl_gather_open(&gather, &options, err);
	if (status == 0)
		tl_gather_threads(gather, job->settings->input.jobs);
	if (status == 0)
		status = write_sum(job, gather, err);
	if (status == 0)
		status = output_commit(job->out, err);
	else
		output_discard(job->out);
	job->out = NULL;
	tl_gather_close(gather);
	settings_of_sum(job->settings, &kept);
	if (options.threads_together)
		job->settings->input.detail = detail;
	return status;
}

/* Where a file system has none without a name: one whose name goes at once. */
static int make_removed_file(const char *directory)
{
	char *name;
	int fd;

	if (asprintf(&name, "%s/tracelathe.XXXXXX", directory) < 0)
		return -1;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	free(name);
	return fd;
}

int make_scratch_file(const struct settings *settings)
{
	const char *directory = settings->files.scratch;
	int fd;

	if (!directory)
		directory = getenv("TMPDIR");
	if (!directory || !*directory)
		directory = "/var/tmp";
	do
		fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	while (fd < 0 && errno == EINTR);
	return fd < 0 ? make_removed_file(directory) : fd;
}

bool open_gathered(struct command_job *job)
{
	struct tl_error err = { .offset = TL_NOWHERE, .record = TL_NOWHERE };
	int fd = make_scratch_file(job->settings);
	bool opened = false;
	char path[64];

	job->gathered = true;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0)
		complain(job->command->name, "cannot make a temporary file");
	else if (write_gathered(job, path, &err) == 0)
		opened = open_file(job, path);
	else if (!job->error_shown)
		complain(job->command->name, "%s",
			 err.text ? err.text : tl_status_name(err.status));
	if (fd >= 0)
		close(fd);
	return opened;
}
