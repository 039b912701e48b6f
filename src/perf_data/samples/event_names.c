/* SPDX-License-Identifier: Apache-2.0 */
/* UAPI, enum perf_type_id, perf_hw_id and perf_sw_ids; names as `perf list` has them. */
#include "perf_data/samples/event_names.h"

#include <inttypes.h>
#include <stdio.h>

enum { TYPE_HARDWARE, TYPE_SOFTWARE, TYPE_TRACEPOINT, TYPE_CACHE, TYPE_RAW, TYPE_BREAKPOINT };
enum { SOFTWARE_CPU_CLOCK, SOFTWARE_TASK_CLOCK };

static const char *const hardware[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};
static const char *const software[] = {
	"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};
static const char *const others[] = {
	[TYPE_TRACEPOINT] = "tracepoint:",
	[TYPE_CACHE] = "cache:",
	[TYPE_RAW] = "r",
	[TYPE_BREAKPOINT] = "mem:",
};

#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

const char *tl_perf_event_name(const struct tl_perf_attr *attr, char room[TL_PERF_EVENT_NAME_ROOM])
{
	const char *prefix = attr->type < COUNT_OF(others) ? others[attr->type] : NULL;

	if (attr->name && *attr->name)
		return attr->name;
	if (attr->type == TYPE_HARDWARE && attr->config < COUNT_OF(hardware))
		return hardware[attr->config];
	if (attr->type == TYPE_SOFTWARE && attr->config < COUNT_OF(software))
		return software[attr->config];
	if (prefix)
		snprintf(room, TL_PERF_EVENT_NAME_ROOM, "%s%" PRIx64, prefix, attr->config);
	else
		snprintf(room, TL_PERF_EVENT_NAME_ROOM, "pmu%" PRIu32 ":%" PRIx64, attr->type,
			 attr->config);
	return room;
}

const char *tl_perf_event_unit(const struct tl_perf_attr *attr)
{
	const bool clock = attr->type == TYPE_SOFTWARE && (attr->config == SOFTWARE_CPU_CLOCK ||
							   attr->config == SOFTWARE_TASK_CLOCK);

	return clock ? "ns" : "";
}
