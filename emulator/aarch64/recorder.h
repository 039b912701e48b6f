/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_EMULATOR_AARCH64_RECORDER_H
#define TL_EMULATOR_AARCH64_RECORDER_H
/* What one thread of an AArch64 program executes becomes a pair of xtrace files. */
#include <stdbool.h>
#include <stdint.h>

#include "stream.h"

struct guest;

/* An instruction at its place in the code; lives as long as the process. */
struct instruction {
	uint64_t pc;
	uint32_t opcode;
	uint16_t carries;  /* enum carries, of its encoding */
	bool leaves_block; /* a branch or an exception: the next instruction begins a block */
	bool is_sve;       /* it accesses memory under a predicate, which QEMU does not tell */
	bool is_matrix;    /* the same of SME, which nobody tells */
};

/* An access as QEMU tells it, after it was made. */
struct access {
	uint64_t address;
	unsigned shift; /* 2 to the power of this is its size */
	bool writes;    /* also where it reads, too: an atomic operation */
};

void recorder_execute(const struct instruction *now, const struct guest *guest);
void recorder_access(const struct access *access);
/* A system call is about to be made: what was written is in the files. */
void recorder_system_call(int64_t number, bool maps_code);
void recorder_system_result(void);
/* The thread ends. */
void recorder_end(void);
/* The process ends: so do all threads. */
void recorder_end_all(void);
/*
 * Before the first instruction; `snapshot_every`: instructions from one snapshot to the next;
 * `timed`: accesses are numbered in the order of all threads (TIME).
 */
void recorder_begin(const char *folder, uint64_t snapshot_every, bool timed);
/* Host address of a guest's, less that. */
void recorder_set_bias(uint64_t bias);
uint64_t recorder_bias(void);
/*
 * The process is about to execute another program: what was done is in the files. `path`: that
 * program is not recorded; NULL: it is, with streams of its own.
 */
void recorder_leave(const char *path);
/* It was not executed: the program goes on, with another stream. */
void recorder_stay(void);

#endif
