/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RECORDER_H
#define RECORDER_H
/*
 * A stream belongs to a virtual processor, and is written by the processor's own thread. A process
 * that is forked is a copy of all that, open files included: it begins a stream of its own.
 */
#include <pthread.h>
#include <sys/types.h>

#include "registers.h"

#pragma GCC visibility push(hidden)

/* An instruction at its place in the code; lives as long as the plugin. */
struct instruction {
	uint64_t pc;
	uint32_t opcode;
	unsigned carries;
};

struct recorder {
	struct stream stream;
	struct registers registers;
	struct snapshot snapshot;
	unsigned vcpu;
	bool ended;
	uint64_t user, total, next_snapshot;
	const struct instruction *last;
	unsigned el, last_el;
	bool with_pc;         /* the next instruction needs its PC */
	bool timed;           /* the present one has its TIME */
	bool has_turn;        /* no other processor's access comes between */
	bool in_syscall;      /* EL0 waits for a result */
	uint64_t operands[4]; /* of an atomic access: Rs, Rs + 1, Rt, Rt + 1 */
	uint64_t tile;        /* where a slice of ZA is loaded from or stored to */
	uint8_t old[16];      /* what it, or a store exclusive, loaded */
	bool reserved;
	uint8_t reservation[16]; /* what the last load exclusive found */
	struct recorder *next;
};

/* Per virtual processor. */
struct processor {
	uint64_t on; /* tested by translated code */
	struct recorder *recorder;
};

/* What the arguments say, and what all processors share. */
struct plugin {
	const char *folder;
	uint64_t stamp, interval, limit;
	bool core, hints, time, by_total, system;
	unsigned main; /* core streams: who began */
	bool begun;
	uint64_t *order; /* of accesses; processes that are forked share it */
	bool forked, told_sme, told_length;
	bool recorded; /* there is a stream */
	bool turn;     /* some processor's */
	pid_t thread;  /* of the core that came last */
	struct qemu_plugin_scoreboard *processors;
	qemu_plugin_u64 on;
	pthread_mutex_t lock; /* instructions, recorders */
	void *instructions;   /* a tree, of tsearch() */
	struct recorder *recorders;
};

extern struct plugin plugin;

/* To standard error, with the plugin's name. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Zeroed. The program ends where there is no memory. */
void *allocate(size_t size);

struct processor *processor(unsigned vcpu);
struct recorder *recorder_begin(unsigned vcpu);
void recorder_end(struct recorder *r);
/* Whose streams a fork of this thread goes on with. */
void recorder_executes(struct recorder *r);
void recorder_take_turn(struct recorder *r);
void recorder_leave_turn(struct recorder *r);
/* What forks and execve need. */
void recorder_follow_processes(qemu_plugin_id_t id);

/* An instruction is about to be executed; `arg` is its struct instruction. */
void executes(unsigned vcpu, void *arg);
/* It has accessed memory. */
void accesses(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *arg);
/* What the last instruction has written, now that it is over; what belongs behind it. */
void put_results(struct recorder *r, const struct instruction *last, uint64_t pc);
void put_boundary(struct recorder *r);

#pragma GCC visibility pop

#endif
