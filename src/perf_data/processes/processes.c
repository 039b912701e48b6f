/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes and threads by id, and the names of threads over time (docs/formats/perf-data.md
 * section 8).
 */
#include "perf_data/processes/compiled.h"
#include "perf_data/processes/guests.h"

/* ---- processes and threads by id ---- */

/* A process or thread: of the host, or of a virtual machine, which has the same ids. */
struct id_key {
	uint32_t machine, id;
};

static uint64_t hash_of(struct id_key key)
{
	return tl_hash64((uint64_t)(uint32_t)(key.machine - TL_NONE) << 32 | key.id);
}

static bool same_process(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_system *sys = context;
	const struct tl_perf_process *p = &sys->processes.list[number];
	const struct id_key *wanted = key;

	return p->pid == wanted->id && p->machine == wanted->machine;
}

static bool same_thread(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_system *sys = context;
	const struct tl_perf_thread *thread = &sys->threads.list[number];
	const struct id_key *wanted = key;

	return thread->tid == wanted->id && thread->machine == wanted->machine;
}

uint32_t tl_perf_process_find_of(const struct tl_perf_system *sys, uint32_t machine, uint32_t pid)
{
	const struct id_key key = { machine, pid };

	return tl_index_find(&sys->processes.index, hash_of(key), same_process, sys, &key);
}

uint32_t tl_perf_process_find(const struct tl_perf_system *sys, uint32_t pid)
{
	return tl_perf_process_find_of(sys, TL_NONE, pid);
}

uint32_t tl_perf_process_add_of(struct tl_perf_system *sys, uint32_t machine, uint32_t pid)
{
	const struct id_key key = { machine, pid };
	uint32_t number = tl_perf_process_find_of(sys, machine, pid);

	if (number != TL_NONE)
		return number;
	if (!tl_grow(&sys->processes.list, &sys->processes.capacity, sys->processes.count + 1,
		     sizeof(*sys->processes.list)) ||
	    !tl_index_add(&sys->processes.index, hash_of(key), (uint32_t)sys->processes.count))
		return TL_NONE;
	sys->processes.list[sys->processes.count] = (struct tl_perf_process){
		.pid = pid,
		.guest = machine != TL_NONE,
		.machine = machine,
	};
	return (uint32_t)sys->processes.count++;
}

uint32_t tl_perf_process_add(struct tl_perf_system *sys, uint32_t pid)
{
	return tl_perf_process_add_of(sys, TL_NONE, pid);
}

static uint32_t find_thread(const struct tl_perf_system *sys, uint32_t machine, uint32_t tid)
{
	const struct id_key key = { machine, tid };

	return tl_index_find(&sys->threads.index, hash_of(key), same_thread, sys, &key);
}

uint32_t tl_perf_thread_add_of(struct tl_perf_system *sys, uint32_t machine, uint32_t pid,
			       uint32_t tid)
{
	const struct id_key key = { machine, tid };
	uint32_t number = find_thread(sys, machine, tid);

	if (number != TL_NONE) {
		sys->threads.list[number].pid = pid;
		return number;
	}
	if (!tl_grow(&sys->threads.list, &sys->threads.capacity, sys->threads.count + 1,
		     sizeof(*sys->threads.list)) ||
	    !tl_index_add(&sys->threads.index, hash_of(key), (uint32_t)sys->threads.count))
		return TL_NONE;
	sys->threads.list[sys->threads.count] =
		(struct tl_perf_thread){ .tid = tid, .pid = pid, .machine = machine };
	return (uint32_t)sys->threads.count++;
}

uint32_t tl_perf_thread_add(struct tl_perf_system *sys, uint32_t pid, uint32_t tid)
{
	return tl_perf_thread_add_of(sys, TL_NONE, pid, tid);
}

uint32_t tl_perf_thread_pid(const struct tl_perf_system *sys, uint32_t tid)
{
	const uint32_t number = find_thread(sys, TL_NONE, tid);

	return number == TL_NONE ? TL_PERF_KERNEL_PID : sys->threads.list[number].pid;
}

/* ---- names ---- */

static const struct tl_perf_comm *comm_at(const struct tl_perf_thread *thread, uint64_t time_ns)
{
	size_t low = 0, high = thread->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (thread->comms[middle].time_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	/* Before the first recorded name the thread had one that is unknown: guess the first. */
	if (!thread->count)
		return NULL;
	return &thread->comms[low ? low - 1 : 0];
}

const char *tl_perf_thread_name_of(const struct tl_perf_system *sys, uint32_t machine, uint32_t tid,
				   uint64_t time_ns)
{
	const uint32_t number = find_thread(sys, machine, tid);
	const struct tl_perf_comm *comm =
		number == TL_NONE ? NULL : comm_at(&sys->threads.list[number], time_ns);

	return comm ? sys->names.names[comm->name].text : "";
}

const char *tl_perf_thread_name_at(const struct tl_perf_system *sys, uint32_t tid, uint64_t time_ns)
{
	return tl_perf_thread_name_of(sys, TL_NONE, tid, time_ns);
}

int tl_perf_thread_add_name(struct tl_perf_system *sys, uint32_t number, uint32_t name,
			    uint64_t time_ns, struct tl_error *err)
{
	struct tl_perf_thread *thread = &sys->threads.list[number];

	/* A record without a time may come late: names stay in the order of records. */
	if (thread->count && thread->comms[thread->count - 1].time_ns > time_ns)
		time_ns = thread->comms[thread->count - 1].time_ns;
	if (!tl_grow(&thread->comms, &thread->capacity, thread->count + 1, sizeof(*thread->comms)))
		return tl_error_memory(err);
	thread->comms[thread->count++] = (struct tl_perf_comm){ time_ns, name };
	return 0;
}

int tl_perf_thread_inherit_name(struct tl_perf_system *sys, uint32_t thread, uint32_t parent_tid,
				uint64_t time_ns, struct tl_error *err)
{
	const uint32_t parent = find_thread(sys, sys->threads.list[thread].machine, parent_tid);
	const struct tl_perf_comm *comm =
		parent == TL_NONE ? NULL : comm_at(&sys->threads.list[parent], time_ns);

	if (!comm)
		return 0;
	return tl_perf_thread_add_name(sys, thread, comm->name, time_ns, err);
}

void tl_perf_system_free(struct tl_perf_system *sys)
{
	for (size_t i = 0; i < sys->processes.count; i++) {
		free(sys->processes.list[i].changes);
		tl_perf_compiled_free(sys->processes.list[i].compiled_names);
	}
	for (size_t i = 0; i < sys->threads.count; i++)
		free(sys->threads.list[i].comms);
	free(sys->processes.list);
	tl_perf_guests_free(sys);
	free(sys->threads.list);
	free(sys->switches.list);
	free(sys->objects.list);
	tl_index_free(&sys->processes.index);
	tl_index_free(&sys->threads.index);
	tl_index_free(&sys->switches.by_cpu);
	tl_index_free(&sys->objects.index);
	tl_names_free(&sys->names);
	free(sys->search.directory);
	for (size_t i = 0; i < sys->jits.count; i++)
		tl_jitdump_close(&sys->jits.list[i].dump);
	free(sys->jits.list);
	free(sys->pokes.list);
	tl_arena_free(&sys->pokes.bytes);
}
