/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The maps of a process over time, as a list of changes: map, exec, fork (docs/formats/perf-data.md
 * section 8).
 */
#include "perf_data/processes/system.h"

/* Beyond this many maps in one image a file is damaged or hostile. */
enum { MAPS_MAX = 1 << 16 };

/* ---- maps at a time ---- */

const struct tl_perf_map_change *tl_perf_map_previous(const struct tl_perf_system *sys,
						      struct tl_perf_map_iter *maps)
{
	while (maps->process != TL_NONE && maps->changes) {
		const struct tl_perf_map_change *c =
			&sys->processes.list[maps->process].changes[--maps->changes];

		if (c->kind == TL_PERF_CHANGE_MAP)
			return c;
		if (c->kind == TL_PERF_CHANGE_CLEAR)
			break;
		/* Go on with the parent's maps at the fork; ends, as time goes back. */
		if (c->kind == TL_PERF_CHANGE_FORK)
			*maps = (struct tl_perf_map_iter){ c->object, (size_t)c->start };
	}
	maps->changes = 0;
	return NULL;
}

static size_t epoch_end(const struct tl_perf_process *p, size_t from)
{
	while (from < p->count && p->changes[from].kind == TL_PERF_CHANGE_MAP)
		from++;
	return from;
}

size_t tl_perf_map_changes_at(const struct tl_perf_process *p, uint64_t time_ns)
{
	size_t end = epoch_end(p, 0);

	while (end < p->count && p->changes[end].time_ns <= time_ns)
		end = epoch_end(p, end + 1);
	return end;
}

size_t tl_perf_map_epoch_end(const struct tl_perf_system *sys, uint32_t process, size_t changes)
{
	return epoch_end(&sys->processes.list[process], changes);
}

bool tl_perf_map_next_epoch(const struct tl_perf_process *p, size_t *changes, uint64_t *time_ns)
{
	if (*changes >= p->count)
		return false;
	*time_ns = p->changes[*changes].time_ns;
	*changes = epoch_end(p, *changes + 1);
	return true;
}

static const struct tl_perf_map_change *find_map(const struct tl_perf_system *sys, uint32_t process,
						 size_t changes, uint64_t ip)
{
	struct tl_perf_map_iter maps = { process, changes };
	const struct tl_perf_map_change *c;

	while ((c = tl_perf_map_previous(sys, &maps)))
		if (ip >= c->start && ip < c->end)
			return c;
	return NULL;
}

/* Maps of a virtual machine are with those of its kernel where no process of it is known. */
static bool is_machine(const struct tl_perf_system *sys, uint32_t process)
{
	return process != TL_NONE && sys->processes.list[process].guest &&
	       sys->processes.list[process].machine == TL_NONE;
}

/* The process with the maps of the kernel that a process runs on; TL_NONE: there is none. */
static uint32_t kernel_of(const struct tl_perf_system *sys, uint32_t process)
{
	if (process != TL_NONE && sys->processes.list[process].machine != TL_NONE)
		return sys->processes.list[process].machine;
	return tl_perf_process_find(sys, TL_PERF_KERNEL_PID);
}

const struct tl_perf_map_change *tl_perf_map_find(const struct tl_perf_system *sys,
						  uint32_t process, size_t changes, uint64_t ip)
{
	if (ip & TL_PERF_KERNEL_START && !is_machine(sys, process)) {
		process = kernel_of(sys, process);
		changes = process == TL_NONE ? 0 : sys->processes.list[process].count;
	}
	return find_map(sys, process, changes, ip);
}

/* ---- adding changes ---- */

int tl_perf_map_add_change(struct tl_perf_system *sys, uint32_t process,
			   const struct tl_perf_map_change *change, struct tl_error *err)
{
	struct tl_perf_process *p = &sys->processes.list[process];

	if (!tl_grow(&p->changes, &p->capacity, p->count + 1, sizeof(*p->changes)))
		return tl_error_memory(err);
	p->changes[p->count++] = *change;
	if (change->kind == TL_PERF_CHANGE_CLEAR || change->kind == TL_PERF_CHANGE_FORK)
		p->maps = 0;
	return 0;
}

enum fit { FIT_NEW, FIT_KNOWN, FIT_CONTRADICTS };

/* How a new map relates to those in effect: the newest one that overlaps decides. */
static enum fit fit_map(const struct tl_perf_system *sys, uint32_t process,
			const struct tl_perf_map_change *map, bool compiled)
{
	struct tl_perf_map_iter maps = { process, sys->processes.list[process].count };
	const struct tl_perf_map_change *c;

	for (size_t i = 0; i < MAPS_MAX && (c = tl_perf_map_previous(sys, &maps)); i++) {
		if (c->start >= map->end || c->end <= map->start)
			continue;
		if (compiled && sys->objects.list[c->object].kind == TL_PERF_OBJECT_ANONYMOUS)
			continue;
		if (c->object != map->object ||
		    c->page_offset - c->start != map->page_offset - map->start)
			return FIT_CONTRADICTS;
		if (c->start <= map->start && c->end >= map->end)
			return FIT_KNOWN;
	}
	return FIT_NEW;
}

int tl_perf_map_place(struct tl_perf_system *sys, uint32_t process,
		      const struct tl_perf_map_change *map, bool compiled, struct tl_error *err)
{
	const struct tl_perf_map_change epoch = { .kind = TL_PERF_CHANGE_EPOCH,
						  .time_ns = map->time_ns };
	enum fit fit;

	if (sys->processes.list[process].maps >= MAPS_MAX)
		return 0;
	fit = fit_map(sys, process, map, compiled);
	if (fit == FIT_KNOWN)
		return 0;
	if (fit == FIT_CONTRADICTS) {
		int status = tl_perf_map_add_change(sys, process, &epoch, err);

		if (status < 0)
			return status;
	}
	sys->processes.list[process].maps++;
	return tl_perf_map_add_change(sys, process, map, err);
}

bool tl_perf_map_is_data(const struct tl_perf_record *rec)
{
	enum { PROT_EXECUTE = 4 };

	if (rec->type == TL_PERF_MMAP)
		return rec->misc & TL_PERF_MISC_EXEC;
	return rec->mmap.protection && !(rec->mmap.protection & PROT_EXECUTE);
}

int tl_perf_add_map(struct tl_perf_system *sys, const struct tl_perf_record *rec, uint64_t time_ns,
		    struct tl_error *err)
{
	const bool kernel = (rec->misc & TL_PERF_MISC_CPUMODE) == TL_PERF_MISC_KERNEL;
	uint32_t process;
	struct tl_perf_map_change map = {
		.kind = TL_PERF_CHANGE_MAP,
		.time_ns = time_ns,
		.start = rec->mmap.address,
		.end = rec->mmap.address + rec->mmap.length,
		.page_offset = rec->mmap.page_offset,
	};

	/*
	 * Maps of virtual machines are of other address spaces (guest_maps.h); a range that wraps
	 * around is damaged.
	 */
	if ((rec->misc & TL_PERF_MISC_CPUMODE) > TL_PERF_MISC_USER || tl_perf_map_is_data(rec) ||
	    map.end <= map.start)
		return 0;
	process = tl_perf_process_add(sys, kernel ? TL_PERF_KERNEL_PID : rec->mmap.pid);
	if (process == TL_NONE)
		return tl_error_memory(err);
	map.object = tl_perf_object_add(sys, rec, process);
	if (map.object == TL_NONE)
		return tl_error_memory(err);
	if (!kernel && tl_perf_thread_add(sys, rec->mmap.pid, rec->mmap.tid) == TL_NONE)
		return tl_error_memory(err);
	/* Memory that is made executable is mapped anew, after the code in it was written down. */
	if (!kernel && sys->processes.list[process].compiled &&
	    sys->objects.list[map.object].kind == TL_PERF_OBJECT_ANONYMOUS)
		return 0;
	return tl_perf_map_place(sys, process, &map, false, err);
}
