/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_PROCESSES_GUEST_MAPS_H
#define TL_PERF_DATA_PROCESSES_GUEST_MAPS_H
/* What virtual machines (guests.h) have mapped. */
#include "perf_data/processes/system.h"

/* A MMAP or MMAP2 record of a virtual machine. 0 or TL_NO_MEMORY. */
int tl_perf_guest_add_map(struct tl_perf_system *sys, const struct tl_perf_record *rec,
			  uint64_t time_ns, struct tl_error *err);
/*
 * The machine that a process runs, and the number of its changes at a time. One of which nothing
 * was recorded has the maps of the kernel and modules that search.guest_root tells.
 * @return 0 or TL_NO_MEMORY
 */
int tl_perf_guest_at(struct tl_perf_system *sys, uint32_t pid, uint64_t time_ns, uint32_t *guest,
		     size_t *changes, struct tl_error *err);

#endif
