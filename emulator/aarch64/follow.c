/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that executes another program: its streams end, and what goes on is told. */
#include "follow.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../execute.h"
#include "recorder.h"

/* Numbers of AArch64's system calls. */
enum { EXECVE = 221, EXECVEAT = 281 };

static void follow(const char *path, char **arguments, char **environment)
{
	struct executable executable;

	if (!strcmp(path, "/proc/self/exe"))
		path = execute_program();
	if (access(path, X_OK))
		return; /* QEMU finds the error, and tells the program */
	if (execute_can(&executable, path, MACHINE_AARCH64)) {
		recorder_leave(NULL);
		execute(&executable, path, arguments, environment, recorder_bias());
	}
	recorder_leave(path);
}

static void *or_null(uint64_t guest)
{
	return guest ? (void *)(uintptr_t)(guest + recorder_bias()) : NULL;
}

void follow_system_call(int64_t number, const uint64_t arguments[4])
{
	const int kept = errno;
	char path[PATH_BYTES];

	if (number == EXECVE && arguments[0])
		follow(or_null(arguments[0]), or_null(arguments[1]), or_null(arguments[2]));
	else if (number == EXECVEAT && arguments[1] &&
		 execute_name_at(path, (int)arguments[0], or_null(arguments[1])))
		follow(path, or_null(arguments[2]), or_null(arguments[3]));
	errno = kept;
}

void follow_system_result(int64_t number)
{
	const int kept = errno;

	if (number == EXECVE || number == EXECVEAT)
		recorder_stay();
	errno = kept;
}
