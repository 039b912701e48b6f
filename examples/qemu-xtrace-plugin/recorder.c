/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recorders: their files, their turns, their processes. */
#include "recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <unistd.h>

struct plugin plugin = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct processor *processor(unsigned vcpu)
{
	return qemu_plugin_scoreboard_find(plugin.processors, vcpu);
}

void say(const char *format, ...)
{
	char text[4096 + 256];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	fprintf(stderr, "xtrace: %s\n", text);
}

/* QEMU ends programs the same way when there is no memory. */
void *allocate(size_t size)
{
	void *memory = calloc(1, size);

	if (!memory) {
		say("out of memory");
		_exit(EXIT_FAILURE);
	}
	return memory;
}

/* ---- the order of accesses ---- */

/*
 * QEMU tells of an access when it is done. That its number is that of its place in the order, one
 * access is done and numbered at a time. A processor that has the turn may never come to its
 * access: QEMU executes another one by the same thread, or stops all. So nobody waits for ever.
 */
void recorder_take_turn(struct recorder *r)
{
	enum { NANOSECONDS = 50 * 1000 * 1000 };
	struct timespec begun, now;

	for (unsigned i = 0; __atomic_exchange_n(&plugin.turn, true, __ATOMIC_ACQUIRE); i++) {
		sched_yield();
		clock_gettime(CLOCK_MONOTONIC, i ? &now : &begun);
		if (i && (now.tv_sec - begun.tv_sec) * 1000000000 + now.tv_nsec - begun.tv_nsec >
				 NANOSECONDS)
			break;
	}
	r->has_turn = true;
}

void recorder_leave_turn(struct recorder *r)
{
	if (r->has_turn)
		__atomic_store_n(&plugin.turn, false, __ATOMIC_RELEASE);
	r->has_turn = false;
}

/* ---- a recorder's beginning and end ---- */

FILE *stream_create(const char *path)
{
	return fopen(path, "wbx");
}

static bool open_stream(struct recorder *r, unsigned number)
{
	struct header header = { plugin.core, plugin.time, plugin.by_total };
	unsigned hint = plugin.core && r->vcpu != plugin.main ? 13 : 9;
	char name[4096];

	snprintf(name, sizeof(name), "%s/xtrace.%" PRIu64 ".%u.hint%u.", plugin.folder,
		 plugin.stamp, number, hint);
	if (stream_open(&r->stream, name, &header)) {
		__atomic_store_n(&plugin.recorded, true, __ATOMIC_RELAXED);
		return true;
	}
	if (errno == EEXIST)
		return false;
	say("%s: %s", name, strerror(errno));
	_exit(EXIT_FAILURE);
}

/*
 * Of the processor's number; where that is taken (by another process, or by a thread that has
 * ended), of the thread's number. A program that a thread executes by execve() has the same once
 * more, and comes behind all that Linux may give.
 */
static void open_files(struct recorder *r)
{
	enum { LINUX_MOST = 1 << 22, PROGRAMS = 1 << 9 };
	unsigned number = (unsigned)gettid();

	if (!plugin.forked && open_stream(r, r->vcpu))
		return;
	for (unsigned i = 0; !plugin.system && i < PROGRAMS; i++)
		if (open_stream(r, number + i * LINUX_MOST))
			return;
	say("no name is free for the stream of processor %u of process %d", r->vcpu, (int)getpid());
	_exit(EXIT_FAILURE);
}

struct recorder *recorder_begin(unsigned vcpu)
{
	struct recorder *r = allocate(sizeof(*r));

	r->vcpu = vcpu;
	r->with_pc = true;
	open_files(r);
	registers_find(&r->registers);
	pthread_mutex_lock(&plugin.lock);
	r->next = plugin.recorders;
	plugin.recorders = r;
	pthread_mutex_unlock(&plugin.lock);
	return r;
}

void recorder_end(struct recorder *r)
{
	recorder_leave_turn(r);
	if (r->ended)
		return;
	r->ended = true;
	if (!stream_close(&r->stream))
		say("processor %u: the files could not be written whole", r->vcpu);
	say("processor %u: %" PRIu64 " instructions, %" PRIu64 " of them at EL0, %" PRIu64
	    " tokens, %" PRIu64 " bytes, %" PRIu64 " snapshots",
	    r->vcpu, r->total, r->user, r->stream.tokens, r->stream.bytes,
	    r->stream.snapshot_count);
	registers_free(&r->registers);
}

/* ---- other processes ---- */

/* Who executes in this thread. */
static __thread struct recorder *own;

/* Nothing stays in buffers, which both processes would write. */
static void before_fork(void)
{
	pthread_mutex_lock(&plugin.lock);
	for (struct recorder *r = plugin.recorders; r; r = r->next)
		if (!r->ended)
			stream_flush(&r->stream);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&plugin.lock);
}

/* Only the thread that forked is there; its stream begins anew, behind the system call. */
static void after_fork_in_child(void)
{
	plugin.forked = true;
	plugin.turn = false;
	for (struct recorder *r = plugin.recorders; r; r = r->next) {
		if (r->ended)
			continue;
		stream_close(&r->stream);
		r->ended = r != own;
	}
	if (own && !own->ended) {
		open_files(own);
		own->user = own->total = own->next_snapshot = 0;
		own->last = NULL;
		own->with_pc = true;
		own->in_syscall = own->timed = own->reserved = own->has_turn = false;
	}
	pthread_mutex_unlock(&plugin.lock);
}

/*
 * execve() leaves no time for it later. What other threads have not written yet is lost with them.
 */
static void calls(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
		  uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	enum { EXECVE = 221, EXECVEAT = 281 };

	(void)id, (void)vcpu, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7,
		(void)a8;
	if ((number == EXECVE || number == EXECVEAT) && own && !own->ended)
		stream_flush(&own->stream);
}

void recorder_executes(struct recorder *r)
{
	own = r;
}

void recorder_follow_processes(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_syscall_cb(id, calls);
	pthread_atfork(before_fork, after_fork, after_fork_in_child);
}
