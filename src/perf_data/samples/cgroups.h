/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_SAMPLES_CGROUPS_H
#define TL_PERF_DATA_SAMPLES_CGROUPS_H
/* Control groups: a CGROUP record gives the path of an id, samples have the id. */
#include "perf_data/processes/system.h"

struct tl_perf_cgroup {
	uint64_t id;
	uint32_t path; /* a name of the system */
};

/* Zero-filled: none is known. */
struct tl_perf_cgroups {
	struct tl_perf_cgroup *list;
	size_t count, capacity;
	struct tl_index by_id;
};

/* From here on an id stands for the path of a CGROUP record. False without memory. */
bool tl_perf_cgroups_add(struct tl_perf_cgroups *cgroups, struct tl_perf_system *sys,
			 const struct tl_perf_record *rec);
/*
 * The path of the group of a sample, as a name of the system; 0: it was not recorded. A group of
 * which no record tells the path has its id in its place. TL_NONE without memory.
 */
uint32_t tl_perf_cgroups_of(struct tl_perf_cgroups *cgroups, struct tl_perf_system *sys,
			    const struct tl_perf_record *rec);
void tl_perf_cgroups_free(struct tl_perf_cgroups *cgroups);

#endif
