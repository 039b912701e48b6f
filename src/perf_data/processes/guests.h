/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_PROCESSES_GUESTS_H
#define TL_PERF_DATA_PROCESSES_GUESTS_H
/*
 * Virtual machines. Each is a process of its own in the table, with one list of maps, those of its
 * kernel among them, as no record says which of its processes runs (docs/formats/perf-data.md
 * section 13). It is known by the process of the host that runs it; records of process 0 are of any
 * machine that has none of its own.
 */
#include <stdio.h>

#include "perf_data/processes/system.h"

/* The machine of a process; NULL: it is not in the table. */
const struct tl_perf_guest *tl_perf_guest_find(const struct tl_perf_system *sys, uint32_t pid);
/* The number of the machine of a process, made if it is new; TL_NONE: no memory. */
uint32_t tl_perf_guest_add(struct tl_perf_system *sys, uint32_t pid);
/* "[guest:PID]", or "[guest]": what the paths of its objects end with. */
const char *tl_perf_guest_label(const struct tl_perf_system *sys, uint32_t guest);
/* Where its files are; NULL: not known. */
const char *tl_perf_guest_root(const struct tl_perf_system *sys, uint32_t guest);
/* Why nothing is known of a machine's code. */
const char *tl_perf_guest_why(const struct tl_perf_system *sys);
/* A file below a root, open for reading; NULL: there is none. 0 or TL_NO_MEMORY. */
int tl_perf_guest_open(const char *root, const char *name, FILE **file);
/* The release of its kernel; "": not known. 0 or TL_NO_MEMORY. */
enum { TL_PERF_RELEASE = 256 };
int tl_perf_guest_release(const struct tl_perf_system *sys, uint32_t guest,
			  char release[TL_PERF_RELEASE]);

#endif
