/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_PROCESSES_GUESTS_H
#define TL_PERF_DATA_PROCESSES_GUESTS_H
/*
 * Virtual machines. Each is a process of its own in the table, with the maps of its kernel, known
 * by the process of the host that runs it; records of process 0 are of any machine that has none of
 * its own. Where no record says which of its processes runs, all maps are in that one list; its own
 * records (perf inject --guest-data) give its processes, threads and switches
 * (docs/formats/perf-data.md section 13).
 */
#include <stdio.h>

#include "perf_data/processes/system.h"

/* The machine of a process; NULL: it is not in the table. */
const struct tl_perf_guest *tl_perf_guest_find(const struct tl_perf_system *sys, uint32_t pid);
/* The number of the machine of a process, made if it is new; TL_NONE: no memory. */
uint32_t tl_perf_guest_add(struct tl_perf_system *sys, uint32_t pid);
/* The machine that a guest process of the table is, or is in. */
uint32_t tl_perf_guest_machine(const struct tl_perf_system *sys, uint32_t process);
/*
 * An id of a process or thread in a machine, as one of the whole recording: 2^32 more for each
 * machine up to this one, and once more (once is what threads of the host have that run an unknown
 * one).
 */
uint64_t tl_perf_guest_id_in(const struct tl_perf_system *sys, uint32_t process, uint32_t id);
/* The entry of a processor of a machine, made if it is new; NULL without memory. */
struct tl_perf_guest_processor *tl_perf_guest_processor_add(struct tl_perf_guest *guest,
							    const struct tl_perf_guest_id *id);
/*
 * The number of the machine that wrote a record, made if it is new, as is its processor; TL_NONE:
 * the host did. False without memory.
 */
bool tl_perf_machine_of(struct tl_perf_system *sys, const struct tl_perf_record *rec,
			uint32_t *machine);
/* The entry of a machine in the table, by its number. */
struct tl_perf_guest *tl_perf_guest_of(struct tl_perf_system *sys, uint32_t machine);
void tl_perf_guests_free(struct tl_perf_system *sys);

/* ---- switches.c ---- */

/* A record of a switch that a machine wrote. 0 or TL_NO_MEMORY. */
int tl_perf_guest_add_switch(struct tl_perf_system *sys, const struct tl_perf_record *rec,
			     uint64_t time_ns, struct tl_error *err);
/*
 * The processor of a machine that a thread of the host runs, and that machine; NULL: none that is
 * known.
 */
const struct tl_perf_guest_processor *
tl_perf_guest_processor_of(const struct tl_perf_system *sys, uint32_t tid,
			   const struct tl_perf_guest **machine);
/* The number of switches up to a time. */
size_t tl_perf_guest_switches_at(const struct tl_perf_guest_processor *processor, uint64_t time_ns);

/* ---- what its files tell ---- */

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
