/* SPDX-License-Identifier: Apache-2.0 */
/* Context switches: which thread a processor runs from a time on. */
#include "perf_data/processes/system.h"

static bool same_cpu(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_system *sys = context;

	return sys->switches.list[number].cpu == *(const uint64_t *)key;
}

bool tl_perf_has_switches(const struct tl_perf_system *sys, uint64_t cpu)
{
	return tl_index_find(&sys->switches.by_cpu, tl_hash64(cpu), same_cpu, sys, &cpu) != TL_NONE;
}

int tl_perf_add_switch(struct tl_perf_system *sys, uint64_t time_ns, uint64_t cpu, uint32_t pid,
		       uint32_t tid, struct tl_error *err)
{
	if (cpu > UINT32_MAX)
		return 0;
	if (!tl_grow(&sys->switches.list, &sys->switches.capacity, sys->switches.count + 1,
		     sizeof(*sys->switches.list)))
		return tl_error_memory(err);
	if (!tl_perf_has_switches(sys, cpu) &&
	    !tl_index_add(&sys->switches.by_cpu, tl_hash64(cpu), (uint32_t)sys->switches.count))
		return tl_error_memory(err);
	sys->switches.list[sys->switches.count++] =
		(struct tl_perf_switch){ time_ns, (uint32_t)cpu, pid, tid };
	return 0;
}
