/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/commands/job.h"
#include "view/web/view.h"

extern char **environ;

enum { MOST_PORT = 65535 };

/* ---- the files ---- */

/* Two files are compared, any other number of them is one input. */
static size_t take_files(const struct command_job *job, struct tl_web_file files[TL_WEB_MOST_FILES])
{
	const struct settings *settings = job->settings;
	size_t paths = settings->paths.list.count, count = paths == TL_WEB_MOST_FILES ? paths : 1;

	for (size_t i = 0; i < count; i++)
		files[i] = (struct tl_web_file){
			.paths = settings->paths.items + i,
			.path_count = paths / count,
			.options = &settings->input,
		};
	return count;
}

static int open_view(struct command_job *job, struct tl_web_view **view, struct tl_error *err)
{
	struct tl_web_file files[TL_WEB_MOST_FILES];
	const struct annotate_settings *annotate = &job->settings->annotate;
	size_t count = take_files(job, files);
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
static void hold_signals(sigset_t *ending)
{
	sigemptyset(ending);
	sigaddset(ending, SIGINT);
	sigaddset(ending, SIGTERM);
	sigaddset(ending, SIGHUP);
	pthread_sigmask(SIG_BLOCK, ending, NULL);
}

static void end_of_serving(const sigset_t *ending)
{
	int number;

	while (sigwait(ending, &number))
		;
}

/* The browser that the desktop has. Where there is no desktop, the address alone has to do. */
static pid_t open_browser(const char *url)
{
	char program[] = "xdg-open", *address = strdup(url);
	char *arguments[] = { program, address, NULL };
	posix_spawnattr_t attributes;
	sigset_t none;
	pid_t child = 0;

	if (!address || (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))) {
		free(address);
		return 0;
	}
	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	if (posix_spawnp(&child, program, NULL, &attributes, arguments, environ))
		child = 0;
	posix_spawnattr_destroy(&attributes);
	free(address);
	return child;
}

static int serve(struct command_job *job, struct tl_web_view *view, const sigset_t *ending,
		 struct tl_error *err)
{
	struct tl_web_server *server;
	pid_t browser = 0;
	int status = tl_web_server_open(&server, view, (uint16_t)job->settings->view.port, err);

	if (status < 0) {
		complain_error("view", err);
		job->error_shown = true;
		return status;
	}
	printf("%s\n", tl_web_server_url(server));
	fflush(stdout);
	if (!job->settings->view.no_open)
		browser = open_browser(tl_web_server_url(server));
	end_of_serving(ending);
	tl_web_server_close(server);
	if (browser > 0)
		waitpid(browser, NULL, WNOHANG);
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
	const char *why = NULL;

	if (!tl_web_has_server())
		why = "this tracelathe was built without libmicrohttpd, which its server needs; "
		      "--static does without";
	else if (settings->view.port > MOST_PORT)
		why = "--port takes a number up to 65535";
	else if (is_file(settings->output.path))
		why = "the page is served, not written: --output goes with --static";
	return refuse(job, why) && can_read_twice(job);
}

static int write_page(struct command_job *job, struct tl_error *err)
{
	struct tl_web_view *view;
	int status;

	if (!can_read_twice(job))
		return TL_UNSUPPORTED;
	progress_end(job->progress);
	status = open_view(job, &view, err);
	if (status < 0)
		return status;
	status = tl_web_view_write(view, job->out, err);
	tl_web_view_close(view);
	return status;
}

int cmd_view(struct command_job *job, struct tl_error *err)
{
	struct tl_web_view *view;
	sigset_t ending;
	int status;

	if (job->settings->view.as_file)
		return write_page(job, err);
	if (!can_serve(job))
		return TL_UNSUPPORTED;
	hold_signals(&ending);
	progress_end(job->progress);
	status = open_view(job, &view, err);
	if (status < 0)
		return status;
	status = serve(job, view, &ending, err);
	tl_web_view_close(view);
	return status;
}
