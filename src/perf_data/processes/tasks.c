/* SPDX-License-Identifier: Apache-2.0 */
/* COMM and FORK records: names, exec, new threads and processes. */
#include "perf_data/processes/guests.h"

int tl_perf_add_comm(struct tl_perf_system *sys, const struct tl_perf_record *rec, uint64_t time_ns,
		     struct tl_error *err)
{
	const uint32_t name = tl_names_add(&sys->names, rec->comm.name.data, rec->comm.name.size);
	const struct tl_perf_map_change clear = { .kind = TL_PERF_CHANGE_CLEAR,
						  .time_ns = time_ns };
	uint32_t machine, thread, process;

	if (!tl_perf_machine_of(sys, rec, &machine))
		return tl_error_memory(err);
	thread = tl_perf_thread_add_of(sys, machine, rec->comm.pid, rec->comm.tid);
	process = tl_perf_process_add_of(sys, machine, rec->comm.pid);
	if (thread == TL_NONE || process == TL_NONE || name == TL_NONE)
		return tl_error_memory(err);
	/* An exec of a process without maps clears nothing. */
	if (rec->misc & TL_PERF_MISC_EXEC && sys->processes.list[process].count) {
		int status = tl_perf_map_add_change(sys, process, &clear, err);

		if (status < 0)
			return status;
	}
	return tl_perf_thread_add_name(sys, thread, name, time_ns, err);
}

int tl_perf_add_fork(struct tl_perf_system *sys, const struct tl_perf_record *rec, uint64_t time_ns,
		     struct tl_error *err)
{
	struct tl_perf_map_change fork = { .kind = TL_PERF_CHANGE_FORK, .time_ns = time_ns };
	uint32_t machine, parent, process, thread;
	int status;

	if (!tl_perf_machine_of(sys, rec, &machine))
		return tl_error_memory(err);
	fork.object = parent = tl_perf_process_add_of(sys, machine, rec->task.ppid);
	process = tl_perf_process_add_of(sys, machine, rec->task.pid);
	thread = tl_perf_thread_add_of(sys, machine, rec->task.pid, rec->task.tid);
	if (parent == TL_NONE || process == TL_NONE || thread == TL_NONE)
		return tl_error_memory(err);
	status = tl_perf_thread_inherit_name(sys, thread, rec->task.ptid, time_ns, err);
	if (status < 0 || parent == process)
		return status;
	/*
	 * If neither process has maps, the fork says nothing: the child may be a process whose
	 * maps come later.
	 */
	fork.start = sys->processes.list[parent].count;
	if (!fork.start && !sys->processes.list[process].count)
		return 0;
	return tl_perf_map_add_change(sys, process, &fork, err);
}
