/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes and threads by id, and the names of threads over time (docs/formats/perf-data.md
 * section 8).
 */
#include "perf_data/processes/trace.h"

/* ---- processes and threads by id ---- */

static bool same_process(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_trace *t = context;

	return t->processes[number].pid == *(const uint32_t *)key;
}

static bool same_thread(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_trace *t = context;

	return t->threads[number].tid == *(const uint32_t *)key;
}

uint32_t tl_perf_process_find(const struct tl_perf_trace *t, uint32_t pid)
{
	return tl_index_find(&t->process_index, tl_hash64(pid), same_process, t, &pid);
}

uint32_t tl_perf_process_add(struct tl_perf_trace *t, uint32_t pid)
{
	uint32_t number = tl_perf_process_find(t, pid);

	if (number != TL_NONE)
		return number;
	if (!tl_grow(&t->processes, &t->process_capacity, t->process_count + 1,
		     sizeof(*t->processes)) ||
	    !tl_index_add(&t->process_index, tl_hash64(pid), (uint32_t)t->process_count))
		return TL_NONE;
	t->processes[t->process_count] = (struct tl_perf_process){ .pid = pid };
	return (uint32_t)t->process_count++;
}

static uint32_t find_thread(const struct tl_perf_trace *t, uint32_t tid)
{
	return tl_index_find(&t->thread_index, tl_hash64(tid), same_thread, t, &tid);
}

uint32_t tl_perf_thread_add(struct tl_perf_trace *t, uint32_t pid, uint32_t tid)
{
	uint32_t number = find_thread(t, tid);

	if (number != TL_NONE) {
		t->threads[number].pid = pid;
		return number;
	}
	if (!tl_grow(&t->threads, &t->thread_capacity, t->thread_count + 1, sizeof(*t->threads)) ||
	    !tl_index_add(&t->thread_index, tl_hash64(tid), (uint32_t)t->thread_count))
		return TL_NONE;
	t->threads[t->thread_count] = (struct tl_perf_thread){ .tid = tid, .pid = pid };
	return (uint32_t)t->thread_count++;
}

uint32_t tl_perf_thread_pid(const struct tl_perf_trace *t, uint32_t tid)
{
	const uint32_t number = find_thread(t, tid);

	return number == TL_NONE ? TL_PERF_KERNEL_PID : t->threads[number].pid;
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
	/* Before its first name it had one that nobody wrote down: the first is the best guess. */
	return !thread->count ? NULL : &thread->comms[low ? low - 1 : 0];
}

const char *tl_perf_thread_name_at(const struct tl_perf_trace *t, uint32_t tid, uint64_t time_ns)
{
	const uint32_t number = find_thread(t, tid);
	const struct tl_perf_comm *comm =
		number == TL_NONE ? NULL : comm_at(&t->threads[number], time_ns);

	return comm ? t->names.names[comm->name].text : "";
}

int tl_perf_thread_add_name(struct tl_perf_trace *t, uint32_t number, uint32_t name,
			    uint64_t time_ns, struct tl_error *err)
{
	struct tl_perf_thread *thread = &t->threads[number];

	/* Records without a time may come late: the order of names is that of the records. */
	if (thread->count && thread->comms[thread->count - 1].time_ns > time_ns)
		time_ns = thread->comms[thread->count - 1].time_ns;
	if (!tl_grow(&thread->comms, &thread->capacity, thread->count + 1, sizeof(*thread->comms)))
		return tl_error_memory(err);
	thread->comms[thread->count++] = (struct tl_perf_comm){ time_ns, name };
	return 0;
}

/* A new thread has its creator's name until it takes another. */
int tl_perf_thread_inherit_name(struct tl_perf_trace *t, uint32_t thread, uint32_t parent_tid,
				uint64_t time_ns, struct tl_error *err)
{
	const uint32_t parent = find_thread(t, parent_tid);
	const struct tl_perf_comm *comm =
		parent == TL_NONE ? NULL : comm_at(&t->threads[parent], time_ns);

	return comm ? tl_perf_thread_add_name(t, thread, comm->name, time_ns, err) : 0;
}

void tl_perf_processes_free(struct tl_perf_trace *t)
{
	for (size_t i = 0; i < t->process_count; i++)
		free(t->processes[i].changes);
	for (size_t i = 0; i < t->thread_count; i++)
		free(t->threads[i].comms);
	free(t->processes);
	free(t->threads);
	free(t->switches);
	tl_index_free(&t->process_index);
	tl_index_free(&t->thread_index);
	tl_index_free(&t->cpu_index);
}
