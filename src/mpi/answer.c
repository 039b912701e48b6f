/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpi/run.h"

static const struct fleet_command *run_of(const struct command_job *job)
{
	return (const struct fleet_command *)job->command;
}

/* A descriptor as the name of a file. */
struct file_name {
	char text[64];
	const char *path;
};

static void name_file(struct file_name *name, int fd)
{
	snprintf(name->text, sizeof(name->text), "/proc/self/fd/%d", fd);
	name->path = name->text;
}

/* ---- one sum ---- */

/* command.gather: all files are in one profile file. */
static int gather_sum(struct command_job *job, struct tl_gather *gather, struct tl_error *err)
{
	const struct fleet_outcome *outcome = &run_of(job)->outcome;
	const struct tl_exporter *exporter = chosen_exporter(job->settings);
	int status = 0;

	job->missing = outcome->missing;
	job->damaged |= outcome->damaged;
	/* Its call stacks are told of below, as those that it has not. */
	if (outcome->sum >= 0)
		status = tl_gather_add_written(gather, outcome->sum, 0,
					       (uint64_t)lseek(outcome->sum, 0, SEEK_END),
					       TL_GATHER_SUM, err);
	/* What has no call stacks anyway does not miss them. */
	if (outcome->flattened &&
	    (job->command->files == FILES_TOGETHER || exporter->contexts || exporter->whole))
		warn_flattened(job);
	return status;
}

/* ---- query ---- */

/* The sum is the only file; what the files were filtered by is done. */
static int ask_sum(struct command_job *job, struct tl_error *err)
{
	static const struct tl_input_options all = TL_INPUT_OPTIONS_DEFAULT;
	const struct fleet_command *run = run_of(job);
	struct settings *settings = job->settings;
	struct file_name name;
	const char *arguments[] = { NULL, run->sql };

	job->missing = run->outcome.missing;
	job->damaged |= run->outcome.damaged;
	if (!warn_missing(job) || run->outcome.sum < 0) {
		job->error_shown = true;
		return TL_BAD_FORMAT;
	}
	if (run->outcome.flattened)
		warn_flattened(job);
	name_file(&name, run->outcome.sum);
	arguments[0] = name.path;
	list_free(&settings->paths.list);
	for (size_t i = 0; i < (run->sql ? 2 : 1); i++) {
		const char **item = list_add(&settings->paths.list, sizeof(*item));

		if (!item)
			return TL_NO_MEMORY;
		*item = arguments[i];
	}
	settings->input.filter = all.filter;
	return cmd_query(job, err);
}

/* ---- diff ---- */

/* command.fold_run: what was read of a file. */
static int fold_kept(struct command_job *job, size_t number, struct tl_profile **profile,
		     struct tl_error *err)
{
	const struct fleet_outcome *outcome = &run_of(job)->outcome;
	struct tl_input *input = NULL;
	struct file_name name;
	int fd, status;

	*profile = NULL;
	job->damaged |= outcome->damaged;
	if (!outcome->runs.places[number].size) {
		job->error_shown = true; /* by the master */
		return TL_BAD_FORMAT;
	}
	fd = fleet_run(&outcome->runs, number, job->settings);
	name_file(&name, fd);
	status = fd < 0 ? TL_NO_MEMORY : tl_input_open(&input, &name.path, 1, NULL, NULL, err);
	if (status == 0)
		status = tl_input_fold(input, profile, err);
	tl_input_close(input);
	if (fd >= 0)
		close(fd);
	return status;
}

/* ---- which ---- */

void answer_by_ranks(struct fleet_command *run)
{
	run->command.gather = gather_sum;
	run->command.rights = RIGHTS_OWN; /* workers give them up */
	if (run->command.bit & C_DIFF)
		run->command.fold_run = fold_kept;
	else if (run->command.bit & C_QUERY)
		run->command.run = ask_sum;
}

void answer_alone(struct fleet_command *run)
{
	const struct command *row = command_find(run->command.name);

	run->command.gather = NULL;
	run->command.fold_run = NULL;
	run->command.run = row->run;
}
