/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/debuginfod/debuginfod.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/terminal/messages.h"

/* Servers that cannot be reached may take a minute and a half each time. */
enum { MOST_FAILURES = 3, TEXT_ROOM = 1 << 14 };

/* ---- one question ---- */

/* The text of a reply, for free(); NULL: no memory, or the other side ended (*ended). */
static char *read_text(const struct debuginfod *d, const struct debuginfod_reply *reply,
		       bool *ended)
{
	char *text;

	*ended = reply->size > TEXT_ROOM;
	text = *ended ? NULL : malloc((size_t)reply->size + 1);
	if (!text)
		return NULL;
	if (debuginfod_read(d->replies, text, reply->size)) {
		text[reply->size] = '\0';
		return text;
	}
	*ended = true;
	free(text);
	return NULL;
}

/* 1 and the text of the reply; 0: the other side ended; TL_NO_MEMORY. */
static int receive(const struct debuginfod *d, struct debuginfod_reply *reply, char **text)
{
	bool ended;

	if (!debuginfod_read(d->replies, reply, sizeof(*reply)))
		return 0;
	*text = read_text(d, reply, &ended);
	if (*text)
		return 1;
	return ended ? 0 : TL_NO_MEMORY;
}

static void tell_failure(struct debuginfod *d, const char *why)
{
	d->failures++;
	complain(NULL, "debuginfod: no server could be asked: %s%s", why,
		 d->failures < MOST_FAILURES ? "" : "; nothing more is asked for");
}

/* 1 and a path; 0; TL_NO_MEMORY. */
static int ask(struct debuginfod *d, const struct debuginfod_request *request, char **path)
{
	static const char ended[] = "the process that asks has ended";
	struct debuginfod_reply reply;
	int status = debuginfod_write(d->requests, request, sizeof(*request))
			     ? receive(d, &reply, path)
			     : 0;

	if (status < 0)
		d->failures = MOST_FAILURES; /* the rest of this reply would be the next one */
	if (status == 0) {
		tell_failure(d, ended);
		d->failures = MOST_FAILURES;
	}
	if (status <= 0 || reply.found > 0)
		return status;
	if (reply.found < 0)
		tell_failure(d, *path);
	free(*path);
	return 0;
}

static int find(void *arg, enum tl_debuginfod_kind kind, const char *build_id, char **path)
{
	struct debuginfod *d = arg;
	struct debuginfod_request request = { .kind = kind };
	int status = 0;

	if (strlen(build_id) >= sizeof(request.build_id))
		return 0;
	memcpy(request.build_id, build_id, strlen(build_id));
	pthread_mutex_lock(&d->lock);
	if (d->failures < MOST_FAILURES)
		status = ask(d, &request, path);
	pthread_mutex_unlock(&d->lock);
	return status;
}

/* ---- the second process ---- */

static bool start(struct debuginfod *d)
{
	int requests[2], replies[2] = { -1, -1 };

	if (pipe2(requests, O_CLOEXEC))
		return false;
	d->child = pipe2(replies, O_CLOEXEC) ? -1 : fork();
	if (!d->child) {
		close(requests[1]);
		close(replies[0]);
		debuginfod_serve(requests[0], replies[1]);
	}
	close(requests[0]);
	d->requests = requests[1];
	d->replies = replies[0];
	if (replies[1] >= 0)
		close(replies[1]);
	if (d->child > 0)
		return true;
	close(d->requests);
	if (d->replies >= 0)
		close(d->replies);
	d->child = 0;
	return false;
}

/* Whether the other side has a library to ask with. */
static bool is_ready(const struct debuginfod *d)
{
	struct debuginfod_reply reply = { .found = 0 };
	char *text = NULL;
	const int status = receive(d, &reply, &text);
	const bool ready = status > 0 && reply.found > 0;

	if (!ready)
		complain(NULL, "--debuginfod: %s",
			 status > 0 ? text : "the process that asks has ended");
	free(text);
	return ready;
}

bool debuginfod_begin(struct debuginfod *d, struct settings *settings)
{
	const char *servers = getenv("DEBUGINFOD_URLS");

	if (!settings->programs.debuginfod)
		return true;
	if (!servers || !servers[strspn(servers, " ")]) {
		complain(NULL, "--debuginfod: DEBUGINFOD_URLS names no server");
		return false;
	}
	if (!start(d)) {
		complain(NULL, "--debuginfod: %s", strerror(errno));
		return false;
	}
	d->client = (struct tl_debuginfod){ find, d };
	pthread_mutex_init(&d->lock, NULL);
	settings->input.programs.debuginfod = &d->client;
	return is_ready(d);
}

bool debuginfod_failed(const struct debuginfod *d)
{
	return d->failures > 0;
}

void debuginfod_end(struct debuginfod *d)
{
	if (!d->child)
		return;
	close(d->requests);
	close(d->replies);
	while (waitpid(d->child, NULL, 0) < 0 && errno == EINTR)
		;
	pthread_mutex_destroy(&d->lock);
	d->child = 0;
}
