/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of virtual machines: as they were recorded, or as the machine's own files tell them. */
#include "perf_data/processes/guest_maps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perf_data/processes/guests.h"
#include "symbols/name_list.h"

/* ---- maps ---- */

/*
 * Of the machine's own records a map is of the process that they name, or of its kernel; the
 * host's name the process that runs the machine. TL_NONE: no memory.
 */
static uint32_t process_of(struct tl_perf_system *sys, const struct tl_perf_record *rec)
{
	const bool user = (rec->misc & TL_PERF_MISC_CPUMODE) == TL_PERF_MISC_GUEST_USER;
	uint32_t machine;

	if (!tl_perf_machine_of(sys, rec, &machine))
		return TL_NONE;
	if (machine == TL_NONE)
		return tl_perf_guest_add(sys, rec->mmap.pid);
	return user ? tl_perf_process_add_of(sys, machine, rec->mmap.pid) : machine;
}

int tl_perf_guest_add_map(struct tl_perf_system *sys, const struct tl_perf_record *rec,
			  uint64_t time_ns, struct tl_error *err)
{
	struct tl_perf_map_change change = {
		.kind = TL_PERF_CHANGE_MAP,
		.time_ns = time_ns,
		.start = rec->mmap.address,
		.end = rec->mmap.address + rec->mmap.length,
		.page_offset = rec->mmap.page_offset,
	};
	uint32_t process;

	/* A range that wraps around is damaged. */
	if (tl_perf_map_is_data(rec) || change.end <= change.start)
		return 0;
	process = process_of(sys, rec);
	if (process == TL_NONE)
		return tl_error_memory(err);
	change.object = tl_perf_object_add(sys, rec, process);
	if (change.object == TL_NONE)
		return tl_error_memory(err);
	return tl_perf_map_place(sys, process, &change, false, err);
}

/* A map of the machine's kernel, as a record would say it. */
static int add_kernel_map(struct tl_perf_system *sys, uint32_t pid, uint64_t start, uint64_t size,
			  const char *path, struct tl_error *err)
{
	const struct tl_perf_record rec = {
		.type = TL_PERF_MMAP,
		.misc = TL_PERF_MISC_GUEST_KERNEL,
		.mmap = { .pid = pid,
			  .address = start,
			  .length = size,
			  .page_offset = start,
			  .path = { path, strlen(path) } },
	};

	return tl_perf_guest_add_map(sys, &rec, 0, err);
}

/* ---- what its files tell ---- */

/* "NAME SIZE USES USERS STATE ADDRESS" */
static int add_modules(struct tl_perf_system *sys, uint32_t pid, const char *root,
		       struct tl_error *err)
{
	FILE *file;
	char name[128], path[132];
	uint64_t size, start;
	int status = tl_perf_guest_open(root, "proc/modules", &file);

	if (status < 0)
		return tl_error_memory(err);

	while (file && status == 0 &&
	       fscanf(file, "%127s %" SCNu64 " %*s %*s %*s %" SCNx64 "%*[^\n]", name, &size,
		      &start) == 3) {
		snprintf(path, sizeof(path), "[%s]", name);
		status = add_kernel_map(sys, pid, start, size, path, err);
	}
	if (file)
		fclose(file);
	return status;
}

/* The kernel is where its names are, which the list has in order. */
static int add_kernel(struct tl_perf_system *sys, uint32_t pid, const struct tl_name_list *names,
		      struct tl_error *err)
{
	enum { PAGE = 4096 };
	uint64_t start = 0, last = 0;
	char path[48];

	for (size_t i = 0; i < names->count; i++) {
		const struct tl_named_range *name = &names->list[i];

		if (*name->module || !(name->start & TL_PERF_KERNEL_START))
			continue;
		start = start ? start : name->start;
		last = name->start;
	}
	if (!start)
		return 0;
	snprintf(path, sizeof(path),
		 pid ? "[guest.kernel.kallsyms.%" PRIu32 "]" : "[guest.kernel.kallsyms]", pid);
	return add_kernel_map(sys, pid, start, (last | (PAGE - 1)) - start + 1, path, err);
}

static int add_known(struct tl_perf_system *sys, uint32_t guest, struct tl_error *err)
{
	const char *root = tl_perf_guest_root(sys, guest);
	const uint32_t pid = sys->processes.list[guest].pid;
	struct tl_perf_guest *entry = tl_perf_guest_of(sys, guest);
	struct tl_name_list names = { .count = 0 };
	struct tl_error own;
	char *path;
	int status;

	if (!root || entry->asked)
		return 0;
	entry->asked = true;
	if (asprintf(&path, "%s/proc/kallsyms", root) < 0)
		return tl_error_memory(err);
	status = tl_name_list_read_kallsyms(&names, path, &own);
	free(path);
	if (status == TL_NO_MEMORY)
		tl_error_memory(err);
	else
		status = add_kernel(sys, pid, &names, err);
	tl_name_list_free(&names);
	return status < 0 ? status : add_modules(sys, pid, root, err);
}

int tl_perf_guest_at(struct tl_perf_system *sys, uint32_t pid, uint64_t time_ns, uint32_t *guest,
		     size_t *changes, struct tl_error *err)
{
	/* Where no record says which process runs it is any machine. */
	const struct tl_perf_guest *found =
		tl_perf_guest_find(sys, pid == TL_PERF_KERNEL_PID ? 0 : pid);
	int status = 0;

	if (!found)
		found = tl_perf_guest_find(sys, 0);
	*guest = found ? found->process
		       : tl_perf_guest_add(sys, pid == TL_PERF_KERNEL_PID ? 0 : pid);
	if (*guest == TL_NONE)
		return tl_error_memory(err);
	if (!sys->processes.list[*guest].count)
		status = add_known(sys, *guest, err);
	*changes = tl_perf_map_changes_at(&sys->processes.list[*guest], time_ns);
	return status;
}
