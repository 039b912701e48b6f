/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_COMMANDS_JOB_H
#define TL_CLI_COMMANDS_JOB_H
/* A command that runs, and what the commands share. */
#include <tracelathe/core.h>
#include <tracelathe/export.h>
#include <tracelathe/open.h>
#include <tracelathe/profile.h>
#include <tracelathe/report.h>

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
	bool said;                 /* the failure is on stderr already */
	bool damaged;              /* an input or its profile was, which is on stderr already */
};

/* ---- run.c: from settings to an exit status ---- */

int run_command(const struct command *command, struct settings *settings);
/* Write a part of the input, its second file to where the settings say. */
int write_part(struct command_job *job, struct tl_slice what, struct tl_error *err);
/* Write a profile by an exporter; `command` is what the header names as measured, or NULL. */
int export_profile(const struct command_job *job, const struct tl_exporter *exporter,
		   const struct tl_profile *profile, const char *command, struct tl_error *err);
/* Fold the input and write the profile by an exporter. */
int export_input(struct command_job *job, const struct tl_exporter *exporter, struct tl_error *err);
/* The exporter of --to, by default the first one; NULL: --to names no format of profiles. */
const struct tl_exporter *chosen_exporter(const struct settings *settings);
/*
 * Open, fold and close one of several files; tells what is wrong with it by itself. *profile NULL:
 * failed.
 */
int fold_file(struct command_job *job, const char *path, struct tl_profile **profile,
	      struct tl_error *err);
/*
 * The same in two steps: open one of several files, or tell why not; then fold and close what is
 * open.
 */
bool open_file(struct command_job *job, const char *path);
int fold_opened(struct command_job *job, const char *path, struct tl_profile **profile,
		struct tl_error *err);
/* Sums that did not fit are told, and the exit status says so. */
void tell_saturated(struct command_job *job, const char *file, const struct tl_profile *profile);
/*
 * Whether this build can write what is asked for, a page or a picture; tells it by itself when not.
 */
bool can_write_flame(struct command_job *job);
/*
 * The page or the picture of a profile or, with a baseline (the first file), of what changed since.
 */
int write_flame(struct command_job *job, const struct tl_profile *profile,
		const struct tl_profile *baseline, struct tl_error *err);
/* Events that can be chosen. */
struct event_list {
	const void *of;
	uint32_t count;
	const struct tl_event *(*at)(const void *of, uint32_t event);
};
int choose_events_of(struct command_job *job, const struct event_list *list, uint32_t **events,
		     struct tl_error *err);
/*
 * Choose the events that --event names; complains by itself of unknown ones. The caller frees
 * `*events`.
 */
int choose_events(struct command_job *job, const struct tl_profile *profile, uint32_t **events,
		  struct tl_error *err);
/*
 * Fold the input and choose events; negative on failure. The caller frees both results, also then.
 */
int fold_input(struct command_job *job, struct tl_profile **profile, uint32_t **events,
	       struct tl_error *err);
/*
 * The same, cut down to the stacks through the functions asked for: for what shows stacks.
 * `wanted`: where the input has no stacks, those that it can be given.
 */
int fold_input_stacks(struct command_job *job, bool wanted, struct tl_profile **profile,
		      uint32_t **events, struct tl_error *err);
/* Give a profile without stacks some; tells when they are estimated. */
int give_stacks(struct command_job *job, const char *path, struct tl_profile **profile,
		struct tl_error *err);
/* Tell that paths are estimated, which makes the exit status 1. */
void tell_estimated(struct command_job *job, const char *path);

/* ---- unmatched.c ---- */

/*
 * Tell that a profile of a file is empty because of the filters, if it is; the exit status is then
 * EXIT_DAMAGED.
 */
void tell_unmatched(struct command_job *job, const char *file, const struct tl_profile *profile);
/* The same of an output that is known to be empty. */
void tell_empty(struct command_job *job);

#endif
