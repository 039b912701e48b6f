/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mpi/note.h"
#include "mpi/worker.h"

/* Take the list of files as that of the command line. */
static bool take_paths(struct settings *settings, const struct note *note, int bytes)
{
	char *text = bytes_read(bytes, (size_t)note->size);
	char **copy = text ? list_add(&settings->files.copies.list, sizeof(*copy)) : NULL;

	if (!copy) {
		free(text);
		return false;
	}
	*copy = text;
	settings->paths.list.count = 0;
	for (const char *path = text; path < text + note->size; path += strlen(path) + 1) {
		const char **item = list_add(&settings->paths.list, sizeof(*item));

		if (!item)
			return false;
		*item = path;
	}
	if (note->number)
		settings->input.jobs = (unsigned)note->number;
	return true;
}

/* A process that ends with its parent, however that ends. */
static pid_t make_child(void)
{
	pid_t parent = getpid(), child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_UNUSABLE);
	return 0;
}

/* What a worker writes to standard error is of one file, and is told with what became of that. */
static bool catch_messages(int *file)
{
	*file = bytes_make(NULL, 0);
	return *file >= 0 && dup2(*file, STDERR_FILENO) >= 0;
}

static void tell_lost(int socket, uint32_t life, int status, int messages)
{
	const off_t size = lseek(messages, 0, SEEK_END);
	const struct note note = {
		.kind = NOTE_LOST,
		.life = life + 1,
		.status = status,
		.size = size > 0 ? (uint64_t)size : 0,
	};

	note_send(socket, &note, size > 0 ? messages : -1);
}

enum { GRACE_SECONDS = 2, BETWEEN_LOOKS_MS = 50 };

/* Whether a worker outlives its time, as one does that is stopped: no alarm ends it then. */
static bool is_overdue(const struct fleet_options *options)
{
	const time_t until = *options->until;

	return until && worker_clock() > until + GRACE_SECONDS;
}

/* The status with which the worker ended; one that had to be ended: as by its alarm. */
static int wait_for(pid_t child, const struct fleet_options *options)
{
	int status = 0;
	pid_t ended;

	while (options->timeout && (ended = waitpid(child, &status, WNOHANG)) != child) {
		if (ended == 0 && is_overdue(options)) {
			kill(child, SIGKILL);
			while (waitpid(child, &status, 0) < 0 && errno == EINTR)
				;
			return SIGALRM;
		}
		poll(NULL, 0, BETWEEN_LOOKS_MS);
	}
	while (!options->timeout && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* What the worker and its keeper both see. NULL: no memory. */
static _Atomic time_t *share_time(void)
{
	void *shared = mmap(NULL, sizeof(time_t), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return shared == MAP_FAILED ? NULL : shared;
}

static int keep(int socket, const struct command *command, struct settings *settings,
		const struct fleet_options *given)
{
	struct fleet_options shared = *given, *options = &shared;
	struct note start;
	int bytes, messages;

	shared.until = share_time();
	if (!shared.until)
		return EXIT_UNUSABLE;

	if (!note_receive(socket, &start, &bytes) || start.kind != NOTE_START)
		return EXIT_CLEAN;
	if (!take_paths(settings, &start, bytes))
		return EXIT_UNUSABLE;
	close(bytes);
	shared.large_jobs = start.shares;
	shared.sum_jobs = start.share;
	for (uint32_t life = 0;; life++) {
		int status;
		pid_t child;

		if (!catch_messages(&messages) || (child = make_child()) < 0)
			return EXIT_UNUSABLE;
		if (!child)
			return worker_run(socket, life, command, settings, options);
		status = wait_for(child, options);
		*options->until = 0;
		if (WIFEXITED(status) && !WEXITSTATUS(status))
			return EXIT_CLEAN;
		tell_lost(socket, life, status, messages);
		close(messages);
	}
}

bool keeper_begin(struct keeper *keeper, const struct command *command, struct settings *settings,
		  const struct fleet_options *options)
{
	int ends[2], status;

	*keeper = (struct keeper){ .socket = -1 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		complain(NULL, "cannot make a socket: %s", strerror(errno));
		return false;
	}
	keeper->child = make_child();
	if (keeper->child < 0) {
		complain(NULL, "cannot make a process: %s", strerror(errno));
		close(ends[0]);
		close(ends[1]);
		return false;
	}
	keeper->socket = ends[!keeper->child];
	close(ends[!!keeper->child]);
	if (keeper->child)
		return true;
	status = keep(keeper->socket, command, settings, options);
	settings_free(settings);
	close(keeper->socket);
	exit(status);
}

/* Nothing is lost by the end of a keeper that does not end: one that is stopped never would. */
static void wait_a_while(pid_t keeper)
{
	enum { PATIENCE_MS = 2000 };
	siginfo_t ended = { .si_pid = 0 };

	for (int i = 0; i < PATIENCE_MS && !ended.si_pid; i++) {
		if (waitid(P_PID, (id_t)keeper, &ended, WEXITED | WNOHANG | WNOWAIT))
			return;
		if (!ended.si_pid)
			poll(NULL, 0, 1);
	}
	kill(keeper, SIGKILL);
}

void keeper_end(struct keeper *keeper, bool at_once)
{
	if (at_once && keeper->child > 0)
		kill(keeper->child, SIGKILL);
	if (keeper->socket >= 0)
		close(keeper->socket);
	if (keeper->child > 0)
		wait_a_while(keeper->child);
	while (keeper->child > 0 && waitpid(keeper->child, NULL, 0) < 0 && errno == EINTR)
		;
	*keeper = (struct keeper){ .socket = -1 };
}
