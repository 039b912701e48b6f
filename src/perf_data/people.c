/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who: processes, their maps over time, threads and their names, switches
 * (docs/formats/perf-data.md section 8).
 */
#include "perf_data/trace.h"

/* Beyond this many maps in one image a file is up to no good. */
enum { MOST_MAPS = 1 << 16 };

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

uint32_t tl_perf_find_process(const struct tl_perf_trace *t, uint32_t pid)
{
	return tl_index_find(&t->process_index, tl_hash64(pid), same_process, t, &pid);
}

uint32_t tl_perf_process(struct tl_perf_trace *t, uint32_t pid)
{
	uint32_t number = tl_perf_find_process(t, pid);

	if (number != TL_NONE)
		return number;
	if (!tl_grow(&t->processes, &t->process_capacity, t->process_count + 1,
		     sizeof(*t->processes)) ||
	    !tl_index_add(&t->process_index, tl_hash64(pid), (uint32_t)t->process_count))
		return TL_NONE;
	t->processes[t->process_count] = (struct perf_process){ .pid = pid };
	return (uint32_t)t->process_count++;
}

static uint32_t find_thread(const struct tl_perf_trace *t, uint32_t tid)
{
	return tl_index_find(&t->thread_index, tl_hash64(tid), same_thread, t, &tid);
}

uint32_t tl_perf_thread(struct tl_perf_trace *t, uint32_t pid, uint32_t tid)
{
	uint32_t number = find_thread(t, tid);

	if (number != TL_NONE) {
		t->threads[number].pid = pid;
		return number;
	}
	if (!tl_grow(&t->threads, &t->thread_capacity, t->thread_count + 1, sizeof(*t->threads)) ||
	    !tl_index_add(&t->thread_index, tl_hash64(tid), (uint32_t)t->thread_count))
		return TL_NONE;
	t->threads[t->thread_count] = (struct perf_thread){ .tid = tid, .pid = pid };
	return (uint32_t)t->thread_count++;
}

uint32_t tl_perf_pid_of(const struct tl_perf_trace *t, uint32_t tid)
{
	const uint32_t number = find_thread(t, tid);

	return number == TL_NONE ? KERNEL_PID : t->threads[number].pid;
}

/* ---- names ---- */

static const struct perf_comm *comm_at(const struct perf_thread *thread, uint64_t time_ns)
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

const char *tl_perf_comm_at(const struct tl_perf_trace *t, uint32_t tid, uint64_t time_ns)
{
	const uint32_t number = find_thread(t, tid);
	const struct perf_comm *comm =
		number == TL_NONE ? NULL : comm_at(&t->threads[number], time_ns);

	return comm ? t->names.names[comm->name].text : "";
}

static int name_thread(struct tl_perf_trace *t, uint32_t number, uint32_t name, uint64_t time_ns,
		       struct tl_error *err)
{
	struct perf_thread *thread = &t->threads[number];

	/* Records without a time may come late: the order of names is that of the records. */
	if (thread->count && thread->comms[thread->count - 1].time_ns > time_ns)
		time_ns = thread->comms[thread->count - 1].time_ns;
	if (!tl_grow(&thread->comms, &thread->capacity, thread->count + 1, sizeof(*thread->comms)))
		return tl_error_memory(err);
	thread->comms[thread->count++] = (struct perf_comm){ time_ns, name };
	return 0;
}

/* ---- changes ---- */

static int add_change(struct tl_perf_trace *t, uint32_t process, const struct perf_change *change,
		      struct tl_error *err)
{
	struct perf_process *p = &t->processes[process];

	if (!tl_grow(&p->changes, &p->capacity, p->count + 1, sizeof(*p->changes)))
		return tl_error_memory(err);
	p->changes[p->count++] = *change;
	if (change->kind == CHANGE_CLEAR || change->kind == CHANGE_FORK)
		p->maps = 0;
	return 0;
}

int tl_perf_add_comm(struct tl_perf_trace *t, const struct tl_perf_record *rec, uint64_t time_ns,
		     struct tl_error *err)
{
	const uint32_t thread = tl_perf_thread(t, rec->comm.pid, rec->comm.tid);
	const uint32_t process = tl_perf_process(t, rec->comm.pid);
	const uint32_t name = tl_names_add(&t->names, rec->comm.name.data, rec->comm.name.size);
	const struct perf_change clear = { .kind = CHANGE_CLEAR, .time_ns = time_ns };

	if (thread == TL_NONE || process == TL_NONE || name == TL_NONE)
		return tl_error_memory(err);
	/* The first exec of a process that had no maps yet clears nothing. */
	if (rec->misc & TL_PERF_MISC_EXEC && t->processes[process].count) {
		int status = add_change(t, process, &clear, err);

		if (status < 0)
			return status;
	}
	return name_thread(t, thread, name, time_ns, err);
}

/* A new thread has its creator's name until it takes another. */
static int inherit_name(struct tl_perf_trace *t, uint32_t thread, uint32_t parent_tid,
			uint64_t time_ns, struct tl_error *err)
{
	const uint32_t parent = find_thread(t, parent_tid);
	const struct perf_comm *comm =
		parent == TL_NONE ? NULL : comm_at(&t->threads[parent], time_ns);

	return comm ? name_thread(t, thread, comm->name, time_ns, err) : 0;
}

int tl_perf_add_fork(struct tl_perf_trace *t, const struct tl_perf_record *rec, uint64_t time_ns,
		     struct tl_error *err)
{
	const uint32_t parent = tl_perf_process(t, rec->task.ppid);
	const uint32_t process = tl_perf_process(t, rec->task.pid);
	const uint32_t thread = tl_perf_thread(t, rec->task.pid, rec->task.tid);
	struct perf_change fork = { .kind = CHANGE_FORK, .object = parent, .time_ns = time_ns };
	int status;

	if (parent == TL_NONE || process == TL_NONE || thread == TL_NONE)
		return tl_error_memory(err);
	status = inherit_name(t, thread, rec->task.ptid, time_ns, err);
	if (status < 0 || parent == process)
		return status;
	/*
	 * A thread of a process that has not been heard of before is no fork of its parent: the ids
	 * tell.
	 */
	fork.start = t->processes[parent].count;
	return fork.start || t->processes[process].count ? add_change(t, process, &fork, err) : 0;
}

enum fit { FIT_NEW, FIT_KNOWN, FIT_CONTRADICTS };

/* How a map fits what is there, the newest first, since that is what shows. */
static enum fit fit_map(const struct tl_perf_trace *t, uint32_t process,
			const struct perf_change *map)
{
	struct perf_maps maps = { process, t->processes[process].count };
	const struct perf_change *c;

	for (size_t i = 0; i < MOST_MAPS && (c = tl_perf_older_map(t, &maps)); i++) {
		if (c->start >= map->end || c->end <= map->start)
			continue;
		if (c->object != map->object ||
		    c->page_offset - c->start != map->page_offset - map->start)
			return FIT_CONTRADICTS;
		if (c->start <= map->start && c->end >= map->end)
			return FIT_KNOWN;
	}
	return FIT_NEW;
}

static int place_map(struct tl_perf_trace *t, uint32_t process, const struct perf_change *map,
		     struct tl_error *err)
{
	const struct perf_change epoch = { .kind = CHANGE_EPOCH, .time_ns = map->time_ns };
	enum fit fit;

	if (t->processes[process].maps >= MOST_MAPS)
		return 0;
	fit = fit_map(t, process, map);
	if (fit == FIT_KNOWN)
		return 0;
	if (fit == FIT_CONTRADICTS) {
		int status = add_change(t, process, &epoch, err);

		if (status < 0)
			return status;
	}
	t->processes[process].maps++;
	return add_change(t, process, map, err);
}

static bool is_data(const struct tl_perf_record *rec)
{
	enum { PROT_EXECUTE = 4 };

	return rec->type == TL_PERF_MMAP
		       ? (rec->misc & TL_PERF_MISC_EXEC) != 0
		       : rec->mmap.protection && !(rec->mmap.protection & PROT_EXECUTE);
}

int tl_perf_add_map(struct tl_perf_trace *t, const struct tl_perf_record *rec, uint64_t time_ns,
		    struct tl_error *err)
{
	const bool kernel = (rec->misc & TL_PERF_MISC_CPUMODE) == TL_PERF_MISC_KERNEL;
	const uint32_t process = tl_perf_process(t, kernel ? KERNEL_PID : rec->mmap.pid);
	struct perf_change map = {
		.kind = CHANGE_MAP,
		.time_ns = time_ns,
		.start = rec->mmap.address,
		.end = rec->mmap.address + rec->mmap.length,
		.page_offset = rec->mmap.page_offset,
	};

	/* Guests have addresses of their own; what wraps around is none. */
	if ((rec->misc & TL_PERF_MISC_CPUMODE) > TL_PERF_MISC_USER || is_data(rec) ||
	    map.end <= map.start)
		return 0;
	if (process == TL_NONE)
		return tl_error_memory(err);
	map.object = tl_perf_object(t, rec, process);
	if (map.object == TL_NONE)
		return tl_error_memory(err);
	if (!kernel && tl_perf_thread(t, rec->mmap.pid, rec->mmap.tid) == TL_NONE)
		return tl_error_memory(err);
	return place_map(t, process, &map, err);
}

/* ---- switches ---- */

static bool same_cpu(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_trace *t = context;

	return t->switches[number].cpu == *(const uint64_t *)key;
}

bool tl_perf_knows_cpu(const struct tl_perf_trace *t, uint64_t cpu)
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
	if (!tl_perf_knows_cpu(t, cpu) &&
	    !tl_index_add(&t->cpu_index, tl_hash64(cpu), (uint32_t)t->switch_count))
		return tl_error_memory(err);
	t->switches[t->switch_count++] = (struct perf_switch){ time_ns, (uint32_t)cpu, pid, tid };
	return 0;
}

void tl_perf_people_free(struct tl_perf_trace *t)
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
