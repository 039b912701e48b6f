/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_SAMPLES_OFF_CPU_H
#define TL_PERF_DATA_SAMPLES_OFF_CPU_H
/*
 * Times that threads were off the processors, from SWITCH records, or, where there are none, from
 * samples of sched:sched_switch: a thread is off from the record that says that it left up to the
 * one that says that it is back.
 */
#include "core/memory.h"
#include "perf_data/processes/sched_tracepoint.h"

/* The number of these times among the events of costs: no attribute's. */
#define TL_PERF_OFF_CPU_EVENT UINT32_MAX
/* The frame of a thread of which no sample says where it left; no marker of the kernel's. */
#define TL_PERF_OFF_CPU_IP ((uint64_t)-4094)

/* A thread that is off the processors, or is about to leave. */
struct tl_perf_away {
	bool is_away, has_stack;
	uint32_t node; /* of its stack, if it has one or is away */
	uint64_t since_ns;
};

struct tl_perf_off_cpu {
	struct tl_perf_away *list; /* by number of the thread */
	size_t count, capacity;
	uint64_t switches;   /* times that were counted */
	uint64_t unreturned; /* that a thread left again without a word of its coming back */
	struct tl_perf_sched_tracepoint tracepoint;
};

/* The thread of that number; NULL without memory. */
static inline struct tl_perf_away *tl_perf_away_at(struct tl_perf_off_cpu *off, uint32_t thread)
{
	if (!tl_grow(&off->list, &off->capacity, (size_t)thread + 1, sizeof(*off->list)))
		return NULL;
	for (; off->count <= thread; off->count++)
		off->list[off->count] = (struct tl_perf_away){ .is_away = false };
	return &off->list[thread];
}

#endif
