/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_RECORDING_H
#define TL_CORE_RECORDING_H
/*
 * What `tracelathe record` and the run-time in the recorded program (recorder/) agree on: the
 * folder of a recording while it is made, and the variables by which the run-time learns of it.
 *
 *   FOLDER/functions      numbers of the functions to patch, as text; not there: all
 *   FOLDER/PID-N/         a program that the process PID executed, the Nth one
 *     state               struct tl_recording_state, mapped
 *     objects             a line an object: FIRST-ID SIZE ADDRESS PATH
 *     TID-N               a thread's XRay FDR log, version 5
 */
#include <stdint.h>

/* Absolute path of the folder; not set: nothing is recorded. */
#define TL_RECORDING_FOLDER "TRACELATHE_RECORDING"
/*
 * "NAME=NUMBER ..." in decimal: hz (of the TSC, 0: measure it), threshold (ns), ring (bytes a
 * thread), depth, and the front ends that are allowed: calls, patch, xray, llvm (0 or 1).
 */
#define TL_RECORDING_OPTIONS "TRACELATHE_RECORDING_OPTIONS"
/* Options of LLVM's flight data recorder, handed on as they are. */
#define TL_RECORDING_LLVM "TRACELATHE_RECORDING_LLVM"

#define TL_RECORDING_MAGIC 0x31646365726c74u /* "tlrecd1" */

/* What a perf.data of an emulated program has in the place of perf's version. */
#define TL_RECORDING_EMULATED "tracelathe emulate"

enum tl_recording_ids {
	TL_RECORDING_ADDRESSES, /* ids are offsets in the objects of the file `objects` */
	TL_RECORDING_SLEDS,     /* ids are those of the program's XRay instrumentation map */
};

/* Whoever writes it may be killed at any instant; every field is good at every instant. */
struct tl_recording_state {
	uint64_t magic;
	uint32_t process, ids;      /* enum tl_recording_ids */
	uint64_t start_ticks;       /* both clocks at one instant */
	uint64_t start_ns;          /* CLOCK_MONOTONIC */
	uint64_t hz;                /* of the records' clock */
	uint32_t is_tsc;            /* else CLOCK_MONOTONIC in nanoseconds */
	uint32_t ended;             /* the process came to its end by exit() */
	uint64_t lost_records;      /* could not be written */
	uint32_t lost_errno;        /* why: of the first of them */
	uint32_t patched, refused;  /* --patch: functions; those without room for a call */
	uint32_t ring;              /* 1: older windows may have been overwritten */
	uint64_t overwritten_bytes; /* by the ring */
	uint64_t window_bytes;      /* of the ring */
};

#endif
