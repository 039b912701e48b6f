/* SPDX-License-Identifier: Apache-2.0 */
#include "record/process.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "core/memory.h"

/* ---- the environment ---- */

struct environment {
	struct tl_arena arena;
	char **list;
	size_t count, capacity;
};

static bool add(struct environment *env, char *text)
{
	if (!text || !tl_grow(&env->list, &env->capacity, env->count + 1, sizeof(*env->list)))
		return false;
	env->list[env->count++] = text;
	return true;
}

static bool is_set_by(const struct tl_record_variable *variables, const char *text)
{
	for (; variables->name; variables++) {
		size_t size = strlen(variables->name);

		if (!strncmp(text, variables->name, size) && text[size] == '=')
			return true;
	}
	return false;
}

static bool make_environment(struct environment *env, const struct tl_record_variable *variables)
{
	bool ok = true;

	for (char **text = environ; ok && *text; text++)
		if (!is_set_by(variables, *text))
			ok = add(env, *text);
	for (; ok && variables->name; variables++) {
		size_t size = strlen(variables->name) + strlen(variables->value) + 2;
		char *text = tl_arena_alloc(&env->arena, size);

		if (text)
			snprintf(text, size, "%s=%s", variables->name, variables->value);
		ok = add(env, text);
	}
	ok = ok && tl_grow(&env->list, &env->capacity, env->count + 1, sizeof(*env->list));
	if (ok)
		env->list[env->count] = NULL;
	return ok;
}

/* ---- signals ---- */

/* What comes from the terminal's keys, the program has got itself: the kernel sends it to both. */
static void hand_on(const struct signalfd_siginfo *info, pid_t child)
{
	if (info->ssi_pid)
		kill(child, (int)info->ssi_signo);
}

/* Waits with these signals blocked, so that none is lost and no handler is needed. */
static int wait_for(pid_t child, const sigset_t *signals)
{
	int fd = signalfd(-1, signals, SFD_CLOEXEC), status = 0;
	struct signalfd_siginfo info;

	while (waitpid(child, &status, fd < 0 ? 0 : WNOHANG) == 0)
		if (read(fd, &info, sizeof(info)) == sizeof(info) && info.ssi_signo != SIGCHLD)
			hand_on(&info, child);
	if (fd >= 0)
		close(fd);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- running ---- */

static int spawn(pid_t *child, const char *path, const char *const *arguments, char **environment,
		 const sigset_t *signals)
{
	posix_spawnattr_t attributes;
	int error = posix_spawnattr_init(&attributes);

	if (error)
		return error;
	posix_spawnattr_setsigmask(&attributes, signals);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	error = posix_spawn(child, path, NULL, &attributes, (char *const *)arguments, environment);
	posix_spawnattr_destroy(&attributes);
	return error;
}

int tl_record_process_run(struct tl_record_session *session, const char *path,
			  const char *const *arguments, const struct tl_record_variable *variables,
			  struct tl_error *err)
{
	static const int handed_on[] = {
		SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2
	};
	struct environment env = { .list = NULL };
	sigset_t signals, before;
	pid_t child = 0;
	int error = ENOMEM;

	sigemptyset(&signals);
	for (size_t i = 0; i < sizeof(handed_on) / sizeof(handed_on[0]); i++)
		sigaddset(&signals, handed_on[i]);
	pthread_sigmask(SIG_BLOCK, &signals, &before);
	if (make_environment(&env, variables))
		error = spawn(&child, path, arguments, env.list, &before);
	if (!error) {
		session->child = child;
		session->result->status = wait_for(child, &signals);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	tl_arena_free(&env.arena);
	free(env.list);
	if (!error)
		return 0;
	errno = error;
	if (error == ENOMEM)
		return tl_error_memory(err);
	return tl_error_system(err, "cannot run it");
}
