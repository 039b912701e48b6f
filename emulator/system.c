/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls that the recording is to know of: of x86-64. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "emulator.h"

enum { SET_NAME = 15, NAME_BYTES = 16 };

/* The call that the thread is in. */
static __thread struct {
	int64_t number;
	uint64_t arguments[4];
} call __attribute__((tls_model("initial-exec")));

/* Of the process that forks. */
static uint64_t parent_process, parent_thread;

static void *or_null(uint64_t guest)
{
	return guest ? host_address(guest) : NULL;
}

static void set_handler(uint64_t number, uint64_t action)
{
	uint64_t words[3]; /* handler, flags, restorer */

	if (!action)
		return;
	memcpy(words, host_address(action), sizeof(words));
	signals_set(number, words[0], words[2]);
}

static void set_name(uint64_t text)
{
	char name[NAME_BYTES];

	snprintf(name, sizeof(name), "%.15s", (const char *)host_address(text));
	event_add(TL_EMULATION_NAME, name, 0, 0, 0);
}

/* The flags are the fifth argument, which is not handed on: any name may be empty. */
static void execute_at(const uint64_t arguments[4])
{
	char path[PATH_BYTES];

	if (arguments[1] && execute_name_at(path, (int)arguments[0], host_address(arguments[1])))
		follow(path, or_null(arguments[2]), or_null(arguments[3]));
}

void system_call(int64_t number, const uint64_t arguments[4])
{
	const int kept = errno;

	call.number = number;
	memcpy(call.arguments, arguments, sizeof(call.arguments));
	if (own_stream && own_stream->current->kind == BLOCK_SYSCALL)
		stream_disable(own_stream);
	if (number == SYS_rt_sigaction)
		set_handler(arguments[0], arguments[1]);
	else if (number == SYS_prctl && arguments[0] == SET_NAME && arguments[1])
		set_name(arguments[1]);
	else if (number == SYS_execve && arguments[0])
		follow(host_address(arguments[0]), or_null(arguments[1]), or_null(arguments[2]));
	else if (number == SYS_execveat)
		execute_at(arguments);
	else if (number == SYS_exit && own_stream) {
		stream_end(own_stream, true);
		event_add(TL_EMULATION_END, NULL, 0, 0, 0);
	}
	errno = kept;
}

void system_result(int64_t number, int64_t result)
{
	const uint64_t *arguments = call.arguments;
	const int kept = errno;

	if (number != call.number || result < 0)
		return;
	if (number == SYS_munmap)
		code_unmapped(arguments[0], arguments[1]);
	else if (number == SYS_mmap) {
		code_unmapped((uint64_t)result, arguments[1]);
		if (arguments[2] & PROT_EXEC)
			maps_tell_dump((uint64_t)result);
	} else if (number == SYS_mremap) {
		code_unmapped(arguments[0], arguments[1]);
		code_unmapped((uint64_t)result, arguments[2]);
	}
	errno = kept;
}

/* ---- the process ---- */

static void tell_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	event_add(TL_EMULATION_CLOCK, NULL,
		  (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec, 0, 0);
}

void system_begin(void)
{
	event_add(TL_EMULATION_PROGRAM, execute_program(), 0, 0, 0);
	tell_clock();
}

static void before_fork(void)
{
	pthread_mutex_lock(&process.lock);
	parent_process = (uint64_t)getpid();
	parent_thread = (uint64_t)syscall(SYS_gettid);
}

static void in_parent(void)
{
	pthread_mutex_unlock(&process.lock);
}

/* The parent's files stay as they are: the child begins its own. */
static void in_child(void)
{
	pthread_mutex_init(&process.lock, NULL);
	process.streams = NULL;
	own_stream = NULL;
	code_forked();
	event_add(TL_EMULATION_FORK, NULL, parent_process, parent_thread, 0);
}

void system_watch_forks(void)
{
	pthread_atfork(before_fork, in_parent, in_child);
}
