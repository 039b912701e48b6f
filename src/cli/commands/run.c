/* SPDX-License-Identifier: Apache-2.0 */
/* Around a command: open input and output before, report damage and make the exit status after. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands/job.h"
#include "cli/options/index_file.h"
#include "cli/confine/confine.h"

enum { DAMAGE_SHOWN = 10 };

/* ---- input ---- */

static bool open_input(struct command_job *job, const char *const *paths, size_t count)
{
	struct settings *settings = job->settings;
	const char *failed = paths[0];
	struct tl_error err;

	settings->input.progress = progress_tick;
	settings->input.progress_arg = job->progress;
	if (!tl_input_open(&job->input, paths, count, &settings->input, &failed, &err))
		return true;
	progress_end(job->progress);
	complain_error(failed ? failed : paths[0], &err);
	return false;
}

void leave_out(struct command_job *job)
{
	job->missing++;
	job->error_shown = false;
	tl_input_close(job->input);
	job->input = NULL;
}

int pass_over(struct command_job *job, int status)
{
	if (status == TL_BAD_USAGE || !keeps_going(job, status))
		return status;
	leave_out(job);
	return 0;
}

bool warn_missing(struct command_job *job)
{
	size_t count = job->settings->paths.list.count;

	if (!job->missing)
		return true;
	job->damaged = true;
	complain(NULL, "%zu of %zu files could not be read and are missing in the result",
		 job->missing, count);
	return job->missing < count;
}

bool keeps_going(const struct command_job *job, int status)
{
	const struct settings *settings = job->settings;

	return status < 0 && status != TL_NO_MEMORY && !settings->files.no_keep_going &&
	       !settings->input.strict && settings->paths.list.count > 1;
}

/* Places of one file of an input, of which the first ones are shown. */
struct damage_list {
	const char *file;
	size_t places;
};

static void end_list(const struct damage_list *list)
{
	if (list->places > DAMAGE_SHOWN)
		complain(NULL, "%s: ... and %zu more places", list->file,
			 list->places - DAMAGE_SHOWN);
}

static void show_place(const char *format, const struct tl_damage *place, struct damage_list *list)
{
	const struct tl_error err = {
		.status = place->status,
		.text = place->text,
		.format = format,
		.offset = place->offset,
		.record = place->record,
	};

	if (place->path && strcmp(place->path, list->file) != 0) {
		end_list(list);
		*list = (struct damage_list){ place->path, 0 };
	}
	if (list->places++ < DAMAGE_SHOWN)
		complain_error(list->file, &err);
}

/* Of logs that are one input each one is named, however much there is to be said of others. */
void warn_damage(struct command_job *job, struct tl_input *input, const char *file)
{
	uint64_t skipped, count = tl_input_damage_count(input, &skipped);
	struct damage_list list = { file, 0 };
	bool damaged = false, several = false;
	struct tl_damage place;
	size_t listed = 0;

	for (; tl_input_damage(input, listed, &place, sizeof(place)) == 1; listed++) {
		damaged |= place.status != TL_OK;
		several |= place.path != NULL;
		show_place(tl_input_format(input)->name, &place, &list);
	}
	if (several)
		end_list(&list);
	if (count > (several ? listed : DAMAGE_SHOWN))
		complain(NULL,
			 "%s: ... and %" PRIu64 " more places, %" PRIu64 " bytes skipped in all",
			 several ? "the logs together" : file,
			 count - (several ? listed : DAMAGE_SHOWN), skipped);
	job->damaged |= damaged || count > listed;
}

/* ---- output ---- */

/* Whether -o is a directory, in which the command makes files by itself. */
static bool writes_directory(const struct command_job *job)
{
	return job->command->directory || job->settings->slice.simpoints;
}

bool names_directory(const struct command_job *job, const char *files)
{
	if (is_file(job->settings->output.path))
		return true;
	complain(job->command->name, "-o DIR says where the %s go", files);
	return false;
}

bool make_directory(const struct command_job *job, const char *files)
{
	const char *path = job->settings->output.path;

	if (!names_directory(job, files))
		return false;
	if (!mkdir(path, 0777) || errno == EEXIST)
		return true;
	complain(job->command->name, "%s: cannot be made: %s", path, strerror(errno));
	return false;
}

static const char *output_name(const struct settings *settings)
{
	return is_file(settings->output.path) ? settings->output.path : "standard output";
}

/* A reader of the output that ended (`| head`) is no error to report. */
static void complain_output(const struct settings *settings, const struct tl_error *err)
{
	if (err->status != TL_IO || err->sys_errno != EPIPE)
		complain_error(output_name(settings), err);
}

static bool commit(struct command_job *job)
{
	struct tl_error err;
	int status = output_commit(job->out, &err);

	job->out = NULL;
	if (status < 0)
		complain_output(job->settings, &err);
	return status >= 0;
}

/*
 * A command failed: its output file is discarded. Standard output is completed, since its first
 * part may have been read already. If the output itself failed, commit() reports that instead of
 * the command's error.
 */
static void give_up(struct command_job *job, const struct tl_error *err)
{
	bool to_file = is_file(job->settings->output.path);
	bool output_failed = tl_output_failed(job->out);

	if (to_file && !output_failed) {
		output_discard(job->out);
		job->out = NULL;
	} else {
		commit(job);
	}
	if (!output_failed && !job->error_shown) {
		const char *failed = job->input ? tl_input_failed(job->input) : NULL;

		complain_error(failed ? failed : job->settings->paths.items[0], err);
	}
}

/* ---- the run ---- */

static int run_open(struct command_job *job)
{
	struct tl_error err = { .offset = TL_NOWHERE, .record = TL_NOWHERE };
	const char *path = writes_directory(job) ? NULL : job->settings->output.path;
	int result = output_open(&job->out, path, &err);
	bool written = true;

	if (result < 0) {
		complain_output(job->settings, &err);
		return EXIT_UNUSABLE;
	}
	result = job->command->run(job, &err);
	progress_end(job->progress);
	if (result < 0)
		give_up(job, &err);
	else
		written = commit(job);
	if (job->input && !job->gathered && (result >= 0 || !job->settings->input.strict))
		warn_damage(job, job->input, job->settings->paths.items[0]);
	job->damaged |= debuginfod_failed(&job->debuginfod);
	if (result < 0 || !written)
		return EXIT_UNUSABLE;
	if (job->gate) {
		complain(job->command->name, "--fail-above %g%%:%s", job->settings->diff.fail_above,
			 job->gate);
		return EXIT_GATE;
	}
	return result || job->damaged ? EXIT_DAMAGED : EXIT_CLEAN;
}

bool open_file(struct command_job *job, const char *path)
{
	/* The bar of the file before has been erased. */
	progress_begin(job->progress, job->settings->output.progress);
	if (open_input(job, &path, 1))
		return true;
	job->error_shown = true;
	return false;
}

int fold_file(struct command_job *job, const char *path, struct tl_profile **profile,
	      struct tl_error *err)
{
	*profile = NULL;
	if (!open_file(job, path))
		return TL_BAD_FORMAT;
	return fold_opened(job, path, profile, err);
}

int fold_opened(struct command_job *job, const char *path, struct tl_profile **profile,
		struct tl_error *err)
{
	int status;

	*profile = NULL;
	status = tl_input_fold(job->input, profile, err);
	progress_end(job->progress);
	if (status < 0) {
		const char *failed = tl_input_failed(job->input);

		complain_error(failed ? failed : path, err);
		job->error_shown = true;
	} else {
		warn_unmatched(job, path, *profile);
	}
	if (status >= 0)
		warn_saturated(job, path, *profile);
	if (status >= 0 || !job->settings->input.strict)
		warn_damage(job, job->input, path);
	tl_input_close(job->input);
	job->input = NULL;
	return status;
}

static bool enough_files(const struct command *command, const struct settings *settings)
{
	size_t count = settings->paths.list.count;

	if (!count && strncmp(command->arguments, "FILE", 4) != 0)
		complain(command->name, "no %s given; `tracelathe %s --help` says more",
			 command->arguments, command->name);
	else if (!count)
		complain(command->name,
			 "no FILE given (- is standard input); `tracelathe %s --help` says more",
			 command->name);
	else if (settings->diff.runs && (!settings->diff.before || settings->diff.before == count))
		complain(command->name, "--runs BEFORE... -- AFTER...: both sides need files");
	else if (command->files == FILES_TWO && count != 2 && !settings->diff.runs)
		complain(command->name,
			 "two files are needed, %zu given; `tracelathe %s --help` says more", count,
			 command->name);
	else
		return true;
	return false;
}

/*
 * Files of a list or a directory are of any formats: their sum is the input. So it is where each
 * file's costs are kept apart.
 */
static bool is_gathered(const struct command_job *job)
{
	if (by_origin(job->settings))
		return true;
	return job->command->files == FILES_TOGETHER && job->settings->files.listed &&
	       job->settings->paths.list.count > 1;
}

/* For commands that take the files as one input. */
static bool open_together(struct command_job *job)
{
	struct settings *settings = job->settings;

	if (job->command->files != FILES_TOGETHER || is_database(settings))
		return true;
	if (is_gathered(job))
		return open_gathered(job);
	return open_input(job, settings->paths.items, settings->paths.list.count);
}

/* Open the files, and run the command. */
static int run_on_files(struct command_job *job)
{
	struct settings *settings = job->settings;

	if (!enough_files(job->command, settings))
		return EXIT_UNUSABLE;
	settings->report.form = report_form(settings);
	settings->report.color = use_color(settings->output.color, settings->output.path);
	settings->report.short_names = !settings->output.wide;
	if (!settings->output.path && !settings->output.wide)
		settings->report.width = terminal_width(1);
	if (job->command->keeps_index)
		index_file_prepare(settings);
	if (!debuginfod_begin(&job->debuginfod, settings))
		return EXIT_UNUSABLE;
	if (job->command->rights == RIGHTS_FEW && !confine(settings, CONFINE_FILES_ONLY))
		return EXIT_UNUSABLE;
	progress_begin(job->progress, settings->output.progress);
	if (!open_together(job))
		return EXIT_UNUSABLE;
	return run_open(job);
}

int run_command(const struct command *command, struct settings *settings)
{
	struct progress progress = { .enabled = false };
	struct command_job job = { .command = command,
				   .settings = settings,
				   .progress = &progress };
	int status;

	if (command->files == FILES_NONE || settings->query.list)
		return command->run(&job, NULL);
	status = run_on_files(&job);
	progress_end(&progress);
	tl_input_close(job.input);
	debuginfod_end(&job.debuginfod);
	free(job.gate);
	return status;
}
