/* SPDX-License-Identifier: Apache-2.0 */
/* Context switches: which thread a processor runs from a time on. */
#include "perf_data/processes/trace.h"

static bool same_cpu(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_trace *t = context;

	return t->switches[number].cpu == *(const uint64_t *)key;
}

bool tl_perf_has_switches(const struct tl_perf_trace *t, uint64_t cpu)
{
	return tl_index_find(&t->cpu_index, tl_hash64(cpu), same_cpu, t, &cpu) != TL_NONE;
}

int tl_perf_add_switch(struct tl_perf_trace *t, uint64_t time_ns, uint64_t cpu, uint32_t pid,
		       uint32_t tid, struct tl_error *err)
{
	if (cpu > UINT32_MAX)
		return 0;
	if (!tl_grow(&t->switches, &t->switch_capacity, t->switch_count + 1, sizeof(*t->switches)))
		return tl_error_memory(err);
	if (!tl_perf_has_switches(t, cpu) &&
	    !tl_index_add(&t->cpu_index, tl_hash64(cpu), (uint32_t)t->switch_count))
		return tl_error_memory(err);
	t->switches[t->switch_count++] =
		(struct tl_perf_switch){ time_ns, (uint32_t)cpu, pid, tid };
	return 0;
}
