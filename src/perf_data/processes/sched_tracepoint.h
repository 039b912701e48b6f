/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_PROCESSES_SCHED_TRACEPOINT_H
#define TL_PERF_DATA_PROCESSES_SCHED_TRACEPOINT_H
/* The tracepoint sched:sched_switch: which thread leaves a processor, and which comes. */
#include "perf_data/container/reader.h"

struct tl_perf_sched_tracepoint {
	uint64_t id;                 /* config of its event; TL_NOWHERE: none */
	unsigned next_pid, prev_pid; /* offsets in the raw data of its samples */
};

/* What a sample of it says; the kernel's pids are numbers of threads. */
struct tl_perf_sched_switch {
	uint32_t previous, next;
};

/* Its description in TRACING_DATA, if that was read already. */
struct tl_perf_sched_tracepoint tl_perf_sched_tracepoint_find(const struct tl_perf_reader *reader);

/* Whether a record is a whole sample of it; *tids is set then. */
bool tl_perf_sched_switch_of(const struct tl_perf_sched_tracepoint *point,
			     const struct tl_perf_record *rec, struct tl_perf_sched_switch *tids);

#endif
