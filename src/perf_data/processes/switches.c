/* SPDX-License-Identifier: Apache-2.0 */
/* Context switches: which thread a processor runs from a time on. */
#include <stdlib.h>

#include "core/error.h"
#include "perf_data/processes/guests.h"

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

/* ---- processors of virtual machines ---- */

const struct tl_perf_guest_processor *
tl_perf_guest_processor_of(const struct tl_perf_system *sys, uint32_t tid,
			   const struct tl_perf_guest **machine)
{
	for (size_t i = 0; i < sys->guests.count; i++) {
		const struct tl_perf_guest *guest = &sys->guests.list[i];

		for (size_t k = 0; k < guest->processor_count; k++)
			if (guest->processors[k].thread == tid) {
				*machine = guest;
				return &guest->processors[k];
			}
	}
	return NULL;
}

size_t tl_perf_guest_switches_at(const struct tl_perf_guest_processor *processor, uint64_t time_ns)
{
	size_t low = 0, high = processor->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (processor->list[middle].time_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int add_guest_switch(struct tl_perf_guest_processor *processor, uint64_t time_ns,
			    struct tl_perf_thread_fields comes, struct tl_error *err)
{
	const size_t count = processor->count;

	/* A record without a time may come late: switches stay in the order of records. */
	if (count && processor->list[count - 1].time_ns > time_ns)
		time_ns = processor->list[count - 1].time_ns;
	if (!tl_grow(&processor->list, &processor->capacity, count + 1, sizeof(*processor->list)))
		return tl_error_memory(err);
	processor->list[processor->count++] =
		(struct tl_perf_guest_switch){ time_ns, comes.pid, comes.tid };
	return 0;
}

int tl_perf_guest_add_switch(struct tl_perf_system *sys, const struct tl_perf_record *rec,
			     uint64_t time_ns, struct tl_error *err)
{
	const struct tl_perf_guest_id *id = tl_perf_guest_ids_find(sys->reader, rec->id.id);
	const struct tl_perf_thread_fields own = { (uint32_t)rec->id.process,
						   (uint32_t)rec->id.thread };
	const bool out = rec->misc & TL_PERF_MISC_OUT, wide = rec->type == TL_PERF_SWITCH_CPU_WIDE;
	const struct tl_perf_thread_fields other =
		wide ? rec->thread : (struct tl_perf_thread_fields){ 0, 0 };
	struct tl_perf_guest_processor *processor;
	uint32_t machine;
	int status = 0;

	if (!id || rec->id.thread == TL_NOWHERE)
		return 0;
	if (!tl_perf_machine_of(sys, rec, &machine))
		return tl_error_memory(err);
	processor = tl_perf_guest_processor_add(tl_perf_guest_of(sys, machine), id);
	if (!processor)
		return tl_error_memory(err);
	/* Who goes at the first switch ran from the beginning. */
	if (!processor->count && (out || wide))
		status = add_guest_switch(processor, 0, out ? own : other, err);
	if (status < 0)
		return status;
	return add_guest_switch(processor, time_ns, out ? other : own, err);
}
