/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/job.h"
#include "cli/options/index_file.h"
#include "cli/confine/confine.h"
#include "cli/terminal/browser.h"
#include "view/web/view.h"

enum { MOST_PORT = 65535 };

/* ---- the files ---- */

/* Two files are compared, any other number of them is one input. */
static size_t count_files(const struct settings *settings)
{
	size_t paths = settings->paths.list.count;

	return paths == TL_WEB_MOST_FILES ? paths : 1;
}

static size_t take_files(const struct command_job *job, char *const *indexes,
			 struct tl_web_file files[TL_WEB_MOST_FILES])
{
	const struct settings *settings = job->settings;
	size_t count = count_files(settings);

	for (size_t i = 0; i < count; i++)
		files[i] = (struct tl_web_file){
			.paths = settings->paths.items + i,
			.path_count = settings->paths.list.count / count,
			.options = &settings->input,
			.index_path = indexes[i],
			.unkept = warn_index_file,
		};
	return count;
}

static int open_view(struct command_job *job, char *const *indexes, struct tl_web_view **view,
		     struct tl_error *err)
{
	struct tl_web_file files[TL_WEB_MOST_FILES];
	const struct annotate_settings *annotate = &job->settings->annotate;
	size_t count = take_files(job, indexes, files);
	const char *failed = NULL;
	int status = tl_web_view_open(view, files, count, &failed, err);

	if (status < 0) {
		complain_error(failed ? failed : files[0].paths[0], err);
		job->error_shown = true;
		return status;
	}
	tl_web_look_for_sources(*view, annotate->source_dirs.items,
				annotate->source_dirs.list.count);
	return 0;
}

/* ---- serving ---- */

/*
 * The signals that end it, which all its threads leave to end_of_serving(). Those that are ignored
 * (nohup) stay so, as they are never delivered.
 */
static sigset_t hold_signals(void)
{
	sigset_t ending;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &ending, NULL);
	return ending;
}

static void end_of_serving(void)
{
	const sigset_t ending = hold_signals();
	int number;

	while (sigwait(&ending, &number))
		;
}

static int serve(struct command_job *job, struct tl_web_view *view, struct browser *browser,
		 struct tl_error *err)
{
	struct tl_web_server *server;
	int status = tl_web_server_open(&server, view, (uint16_t)job->settings->view.port, err);

	if (status < 0) {
		complain_error("view", err);
		job->error_shown = true;
		return status;
	}
	printf("%s\n", tl_web_server_url(server));
	fflush(stdout);
	browser_open(browser, tl_web_server_url(server));
	end_of_serving();
	tl_web_server_close(server);
	return 0;
}

/* ---- the command ---- */

static bool refuse(struct command_job *job, const char *why)
{
	if (why)
		complain(job->command->name, "%s", why);
	job->error_shown = why != NULL;
	return !why;
}

static bool can_read_twice(struct command_job *job)
{
	const struct settings *settings = job->settings;
	const char *why = NULL;

	for (size_t i = 0; !why && i < settings->paths.list.count; i++)
		if (!strcmp(settings->paths.items[i], "-"))
			why = "standard input can be read only once; a file is needed";
	return refuse(job, why);
}

static bool can_serve(struct command_job *job)
{
	const struct settings *settings = job->settings;
	const char *missing = tl_web_why_no_server(), *why = NULL;

	if (missing) {
		complain(job->command->name, "%s, which the server needs; --static does without",
			 missing);
		job->error_shown = true;
		return false;
	}
	if (settings->view.port > MOST_PORT)
		why = "--port takes a number up to 65535";
	else if (is_file(settings->output.path))
		why = "the page is served, not written: --output goes with --static";
	return refuse(job, why) && can_read_twice(job);
}

/* What is to be said of what the page shows, as of a report. */
static void warn_view(struct command_job *job, struct tl_web_view *view)
{
	const struct settings *settings = job->settings;

	for (size_t i = 0; i < count_files(settings); i++) {
		const char *path = settings->paths.items[i];
		const struct tl_profile *profile;
		struct tl_input *input;
		struct tl_error err;

		if (tl_web_view_whole(view, i, &input, &profile, &err) < 0)
			continue;
		warn_unmatched(job, path, profile);
		warn_saturated(job, path, profile);
		warn_damage(job, input, path);
	}
}

static int write_page(struct command_job *job, char *const *indexes, struct tl_error *err)
{
	const struct settings *settings = job->settings;
	struct tl_web_view *view;
	const char *failed;
	int status;

	job->error_shown = !confine(settings, CONFINE_FILES_ONLY);
	if (job->error_shown)
		return TL_NO_MEMORY;
	progress_end(job->progress);
	status = open_view(job, indexes, &view, err);
	if (status < 0)
		return status;
	status = tl_web_view_write(view, job->out, &failed, err);
	job->error_shown = failed != NULL;
	if (failed)
		complain_error(failed, err);
	if (status >= 0)
		warn_view(job, view);
	tl_web_view_close(view);
	return status;
}

static int open_and_serve(struct command_job *job, char *const *indexes, struct browser *browser,
			  struct tl_error *err)
{
	struct tl_web_view *view;
	int status;

	hold_signals();
	progress_end(job->progress);
	status = open_view(job, indexes, &view, err);
	if (status < 0)
		return status;
	status = serve(job, view, browser, err);
	tl_web_view_close(view);
	return status;
}

static int serve_page(struct command_job *job, char *const *indexes, struct tl_error *err)
{
	struct browser browser = { .child = 0 };
	int status;

	if (!job->settings->view.no_open)
		browser_begin(&browser);
	job->error_shown = !confine(job->settings, CONFINE_SERVES);
	status = job->error_shown ? TL_NO_MEMORY : open_and_serve(job, indexes, &browser, err);
	browser_end(&browser);
	return status;
}

int cmd_view(struct command_job *job, struct tl_error *err)
{
	const struct settings *settings = job->settings;
	size_t count = count_files(settings);
	char *indexes[TL_WEB_MOST_FILES] = { NULL };
	bool as_file = settings->view.as_file;
	int status;

	if (!(as_file ? can_read_twice(job) : can_serve(job)))
		return TL_UNSUPPORTED;
	job->error_shown = !index_file_fits(job->command, job->settings, count);
	if (job->error_shown)
		return TL_BAD_USAGE;
	for (size_t i = 0; i < count; i++)
		indexes[i] = index_file(settings, settings->paths.items + i,
					settings->paths.list.count / count);
	status = as_file ? write_page(job, indexes, err) : serve_page(job, indexes, err);
	for (size_t i = 0; i < count; i++)
		free(indexes[i]);
	return status;
}
