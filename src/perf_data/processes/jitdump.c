/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code that a run-time compiler wrote down. The program maps its jitdump file, so a MMAP record
 * names it; each function in it is a map of a part of that file, from the time on at which it was
 * compiled or moved (docs/formats/perf-data.md section 8).
 */
#include <time.h>

#include "perf_data/processes/guest_maps.h"

enum { USE_CLOCKID = 1 << 25 };

/* Whether records have the clock of jitdump files: `perf record -k mono`. */
static bool is_monotonic(const struct tl_perf_reader *reader)
{
	for (size_t i = 0; i < reader->attrs.count; i++)
		if (!(reader->attrs.list[i].flags & USE_CLOCKID) ||
		    reader->attrs.list[i].clock != CLOCK_MONOTONIC)
			return false;
	return reader->attrs.count > 0;
}

static bool is_dump(const struct tl_perf_text *path)
{
	const char *slash = memrchr(path->data, '/', path->size);
	const char *name = slash ? slash + 1 : path->data;
	size_t size = (size_t)(path->data + path->size - name);

	return size > 9 && !memcmp(name, "jit-", 4) && !memcmp(name + size - 5, ".dump", 5);
}

static int tell(struct tl_perf_system *sys, enum tl_perf_rule rule, struct tl_error *err)
{
	if (!sys->reader)
		return 0;
	return tl_perf_rule_broken(sys->reader, rule, sys->reader->at.pos, 0, err);
}

/* At the end: what was wrong with the file. */
static int read_next(struct tl_perf_system *sys, struct tl_perf_jit *jit, struct tl_error *err)
{
	jit->ended = !tl_jitdump_next(&jit->dump, &jit->next);
	if (!jit->ended)
		return 0;
	if (jit->dump.no_memory)
		return tl_error_memory(err);
	if (jit->dump.damage == TL_NOWHERE)
		return 0;
	return tell(sys, TL_PERF_RULE_JITDUMP, err);
}

static int open_dump(struct tl_perf_system *sys, struct tl_perf_jit *jit, struct tl_error *err)
{
	struct tl_perf_object *object = &sys->objects.list[jit->object];
	int status = tl_perf_object_locate(sys, object, err);
	struct tl_error ignored;

	jit->ended = true;
	if (status < 0 || sys->search.no_files)
		return status;
	if (!object->file || tl_jitdump_open(&jit->dump, object->file, &ignored) < 0)
		return tell(sys, TL_PERF_RULE_JITDUMP, err);
	jit->timed = !(jit->dump.flags & TL_JITDUMP_ARCH_TIME) && sys->reader &&
		     is_monotonic(sys->reader);
	sys->processes.list[jit->process].compiled = true;
	status = jit->timed ? 0 : tell(sys, TL_PERF_RULE_JITDUMP_CLOCK, err);
	if (status < 0)
		return status;
	return read_next(sys, jit, err);
}

static int add_dump(struct tl_perf_system *sys, uint32_t process, uint32_t object,
		    struct tl_error *err)
{
	struct tl_perf_jit_table *t = &sys->jits;

	for (size_t i = 0; i < t->count; i++)
		if (t->list[i].process == process && t->list[i].object == object)
			return 0;
	if (!tl_grow(&t->list, &t->capacity, t->count + 1, sizeof(*t->list)))
		return tl_error_memory(err);
	t->list[t->count++] = (struct tl_perf_jit){ .process = process, .object = object };
	return open_dump(sys, &t->list[t->count - 1], err);
}

int tl_perf_add_map_with_code(struct tl_perf_system *sys, const struct tl_perf_record *rec,
			      uint64_t time_ns, struct tl_error *err)
{
	uint32_t process, object;
	int status;

	if (tl_perf_is_of_guest(rec))
		return tl_perf_guest_add_map(sys, rec, time_ns, err);
	status = tl_perf_add_map(sys, rec, time_ns, err);
	if (status < 0 || (rec->misc & TL_PERF_MISC_CPUMODE) == TL_PERF_MISC_KERNEL ||
	    !is_dump(&rec->mmap.path))
		return status;
	process = tl_perf_process_add(sys, rec->mmap.pid);
	object = process == TL_NONE ? TL_NONE : tl_perf_object_add(sys, rec, process);
	if (object == TL_NONE)
		return tl_error_memory(err);
	return add_dump(sys, process, object, err);
}

static int place(struct tl_perf_system *sys, const struct tl_perf_jit *jit, uint64_t time_ns,
		 struct tl_error *err)
{
	const struct tl_jitdump_code *code = &jit->next;
	const struct tl_perf_map_change map = {
		.kind = TL_PERF_CHANGE_MAP,
		.object = jit->object,
		.time_ns = time_ns,
		.start = code->address,
		.end = code->address + code->size,
		.page_offset = code->offset,
	};

	if (map.end <= map.start || map.start & TL_PERF_KERNEL_START)
		return 0;
	return tl_perf_map_place(sys, jit->process, &map, true, err);
}

static int advance(struct tl_perf_system *sys, struct tl_perf_jit *jit, uint64_t time_ns,
		   struct tl_error *err)
{
	int status = 0;

	while (status == 0 && !jit->ended && (!jit->timed || jit->next.time <= time_ns)) {
		status = place(sys, jit, jit->timed ? jit->next.time : time_ns, err);
		if (status == 0)
			status = read_next(sys, jit, err);
	}
	return status;
}

int tl_perf_jit_advance(struct tl_perf_system *sys, uint64_t time_ns, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < sys->jits.count; i++)
		status = advance(sys, &sys->jits.list[i], time_ns, err);
	return status;
}
