/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_COMMANDS_JOB_H
#define TL_CLI_COMMANDS_JOB_H
/* A command that runs, and what the commands share. */
#include <tracelathe/core.h>
#include <tracelathe/export.h>
#include <tracelathe/open.h>
#include <tracelathe/profile.h>
#include <tracelathe/report.h>

#include "cli/debuginfod/debuginfod.h"
#include "cli/options/settings.h"
#include "cli/terminal/messages.h"
#include "cli/terminal/process.h"
#include "cli/terminal/progress.h"

struct command_job {
	const struct command *command;
	struct settings *settings;
	struct tl_input *input;
	struct tl_output *out;
	struct progress *progress; /* drawn until progress_end() */
	bool error_shown;          /* the error that the command returns is on stderr already */
	char *gate;     /* a gate was passed over, said behind the output: exit status 3 */
	size_t missing; /* files that could not be read */
	bool gathered;  /* the input is the sum of the files, whose damage was shown */
	struct debuginfod debuginfod; /* who asks servers; zero-filled: nobody */
	bool damaged;                 /* an input or its profile was damaged: exit status 1 */
};

/* ---- run.c: from settings to an exit status ---- */

/* Run a command: open what it reads and writes, call it, report damage. @return the exit status */
int run_command(const struct command *command, struct settings *settings);
/*
 * Open one of several files as job->input. On failure the error is shown, and false returned.
 */
bool open_file(struct command_job *job, const char *path);
/* Fold job->input, show its damage or its error, and close it. *profile NULL: failed. */
int fold_opened(struct command_job *job, const char *path, struct tl_profile **profile,
		struct tl_error *err);
/* open_file() and fold_opened(). */
int fold_file(struct command_job *job, const char *path, struct tl_profile **profile,
	      struct tl_error *err);

/*
 * Show where an input was damaged; the exit status becomes 1. Places of status TL_OK are remarks,
 * not damage.
 */
void warn_damage(struct command_job *job, struct tl_input *input, const char *file);

/* Whether there is an -o, the directory into which `files` go. False: that was said. */
bool names_directory(const struct command_job *job, const char *files);
/* Make the directory of -o, into which `files` go, unless it is there. False: that was said. */
bool make_directory(const struct command_job *job, const char *files);

/* Whether the command goes on without a file that failed with this status. */
bool keeps_going(const struct command_job *job, int status);
/* Go on without a file, whose error was shown. */
void leave_out(struct command_job *job);
/* The status of a file; what failed is left out, if the command goes on without it. */
int pass_over(struct command_job *job, int status);
/* Say how many files were left out; the exit status becomes 1. False: all were. */
bool warn_missing(struct command_job *job);

/* ---- profile.c ---- */

/* Functions named by number ("#7") only: no program was given that has their names. */
void hint_at_binary(const struct command_job *job, const struct tl_profile *profile);
/*
 * Fold the input and choose events; negative on failure. The caller frees both results, also then.
 */
int fold_input(struct command_job *job, struct tl_profile **profile, uint32_t **events,
	       struct tl_error *err);
/*
 * As fold_input(), for commands that show stacks: only stacks through the functions that the
 * filters choose are kept. With `estimate`, a profile without stacks gets estimated ones.
 */
int fold_input_stacks(struct command_job *job, bool estimate, struct tl_profile **profile,
		      uint32_t **events, struct tl_error *err);
/* Whether a profile has no stacks, but callers and callees, from which they can be estimated. */
bool lacks_stacks(const struct tl_profile *profile);
/* Estimate the stacks of a profile that has none, and warn of it. */
int add_stacks(struct command_job *job, const char *path, struct tl_profile **profile,
	       struct tl_error *err);
/* Warn of estimated paths; the exit status becomes 1. */
void warn_estimated(struct command_job *job, const char *path);
/* Warn of sums that did not fit 64 bits; the exit status becomes 1. */
void warn_saturated(struct command_job *job, const char *file, const struct tl_profile *profile);
void warn_saturated_sums(struct command_job *job, const char *file, uint64_t count);

/* The events of a profile or a comparison, to choose from. */
struct event_list {
	const void *of;
	uint32_t count;
	const struct tl_event *(*at)(const void *of, uint32_t event);
};

/*
 * Put the events that --event names into the report options. An unknown name is an error that is
 * shown with the list of those there are. The caller frees `*events`.
 */
int choose_events_of(struct command_job *job, const struct event_list *list, uint32_t **events,
		     struct tl_error *err);
int choose_events(struct command_job *job, const struct tl_profile *profile, uint32_t **events,
		  struct tl_error *err);

/* ---- gather/gather.c: the sum of many files ---- */

/*
 * Add all files, and say which are missing; command->gather does it where it is set. Negative if
 * there is nothing to show: job->error_shown tells whether that was said.
 */
int gather_files(struct command_job *job, struct tl_gather *gather, struct tl_error *err);
/* The same with the files in this process, without a word about missing ones. */
int gather_related(struct command_job *job, struct tl_gather *gather, struct tl_error *err);
/* Add job->input, which is closed; `name` is what --by trace calls it. */
int gather_opened(struct command_job *job, struct tl_gather *gather, const char *path,
		  const char *name, struct tl_error *err);
/* Say that the sum has no call stacks since some files have none; the exit status becomes 1. */
void warn_flattened(struct command_job *job);
/* Open the sum of the files as job->input. On failure the error is shown. */
bool open_gathered(struct command_job *job);
/*
 * What each file is read with whose sum is shown: functions and objects are chosen of the sum; what
 * ran where and when, of each file. *kept: the filter as it was.
 */
void settings_of_each(struct settings *settings, struct tl_input_filter *kept);
/* A file without a name, of --scratch; -1: there is none. */
int make_scratch_file(const struct settings *settings);

/* ---- unmatched.c ---- */

/* Warn of filters by which the profile of a file became empty; the exit status becomes 1. */
void warn_unmatched(struct command_job *job, const char *file, const struct tl_profile *profile);
/* The same for an output that has nothing in it. */
void warn_empty(struct command_job *job);

/* ---- cmd_query.c ---- */

/*
 * Take the statement, or the name of a ready query, out of the list of files. NULL: there is none;
 * "-": it is on standard input. *text, which may be the result, is for free().
 */
const char *query_statement(struct settings *settings, char **text);

/* ---- query_inputs.c ---- */

struct tl_query;

/* Add the files, so many each as one input. 0 or negative, which was said. */
int add_inputs(struct command_job *job, struct tl_query *query, size_t each, struct tl_error *err);
/* What SQLite said of a failure. */
void complain_query(struct command_job *job, const struct tl_query *query);
/* What was read was damaged, or did not fit: the answer stands on less than all. */
void warn_inputs(struct command_job *job, const struct tl_query *query);

/* ---- shared by several commands ---- */

/* cmd_convert.c: whether --to is a database, for which the files are opened when they are asked. */
bool is_database(const struct settings *settings);

/* cmd_convert.c: write a profile; `command` is the command line that its header gives, or NULL. */
int export_profile(struct command_job *job, const struct tl_exporter *exporter,
		   const struct tl_profile *profile, const char *command, struct tl_error *err);
/* Fold the input and write its profile. */
int export_input(struct command_job *job, const struct tl_exporter *exporter, struct tl_error *err);

/* cmd_slice.c: write a part of the input; the partner of a format of two files is written, too. */
int write_part(struct command_job *job, struct tl_slice slice, struct tl_error *err);

/* simpoints.c: slice --simpoints. */
int slice_simpoints(struct command_job *job, struct tl_error *err);

/* diff/diff_runs.c: diff --runs. */
int diff_runs(struct command_job *job, struct tl_error *err);
/* diff/diff_flow.c: diff --flow. */
int diff_flow(struct command_job *job, struct tl_error *err);
/* cmd_diff.c: take the programs of the second side from here on. */
void use_programs_after(struct settings *settings);

/* cmd_flame.c: false, with an error, if a page is asked for that this build cannot write. */
bool can_write_flame(struct command_job *job);
/* Write a flame graph of a profile; with a baseline (the first file), colored by the change. */
int write_flame(struct command_job *job, const struct tl_profile *profile,
		const struct tl_profile *baseline, struct tl_error *err);

#endif
