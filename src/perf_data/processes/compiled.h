/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_PROCESSES_COMPILED_H
#define TL_PERF_DATA_PROCESSES_COMPILED_H
/*
 * Names of code that no file has, by what the process's run-time compiler wrote down: a jitdump
 * file or a list for perf, which `record --how emulate` keeps beside the recording as
 * INPUT.jit-PID.dump and INPUT.perf-PID.map, or /tmp/perf-PID.map, where a process with the same
 * number may have written another (docs/formats/perf-data.md section 9).
 */
#include "perf_data/processes/system.h"

struct tl_perf_compiled_name {
	const char *name; /* lives as long as the system */
	uint64_t start;   /* address of the function */
};

/*
 * The name of an address of a process. One that was several functions' is that of the last one
 * that was compiled before a time, else of the first one behind it; a list knows the last one only.
 * @return 1 and a name, 0: none is known, or a negative status
 */
int tl_perf_compiled_find(struct tl_perf_system *sys, uint32_t process, uint64_t ip,
			  uint64_t time_ns, struct tl_perf_compiled_name *name,
			  struct tl_error *err);
/* After that: the file of names that is there and could not be read, and why; NULL: none. */
const char *tl_perf_compiled_why(const struct tl_perf_system *sys, uint32_t process);
void tl_perf_compiled_free(struct tl_perf_compiled *names);

#endif
