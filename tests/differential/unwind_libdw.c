/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of a perf.data file with copies of stacks, against those of libdw and those by frame
 * pointers: unwind_libdw FILE [PROGRAM]. Address by address; libdw may stop before we do, never
 * go on behind us, and nothing may differ. Of stacks whose innermost function is PROGRAM's, which
 * keeps frame pointers, the addresses by frame pointers are ours, but for the callers of a function
 * that has not made its frame yet, or not any more.
 */
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/source.h"
#include "perf_data/samples/unwinder.h"

enum { PROCESSES_MAX = 256, FRAMES_MAX = 1024 };

/* What libdw knows of a process. */
struct peer {
	uint32_t pid;
	Dwfl *dwfl; /* told of the maps as they are now; NULL: not yet */
};

/* The sample at hand. */
static const struct tl_cfi_frame *registers;
static const struct tl_cfi_memory *memory;
static struct {
	uint64_t list[FRAMES_MAX];
	size_t count;
} theirs;

static struct peer peers[PROCESSES_MAX];
static size_t peer_count;

/* ---- libdw ---- */

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = arg;
	return 1;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *arg)
{
	uint64_t value;

	(void)dwfl;
	(void)arg;
	if (tl_cfi_load(memory, address, 8, &value) != TL_CFI_CALLER)
		return false;
	*result = value;
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < 16; i++) {
		const Dwarf_Word word = registers->registers[i];

		if (!dwfl_thread_state_registers(thread, (int)i, 1, &word))
			return false;
	}
	dwfl_thread_state_register_pc(thread, registers->pc);
	return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};
static char *debug_path;
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_path,
};

static int take_frame(Dwfl_Frame *frame, void *arg)
{
	bool exact;
	Dwarf_Addr pc;

	(void)arg;
	if (!dwfl_frame_pc(frame, &pc, &exact) || theirs.count == FRAMES_MAX)
		return DWARF_CB_ABORT;
	theirs.list[theirs.count++] = exact ? pc : pc - 1;
	return DWARF_CB_OK;
}

static struct peer *peer_of(uint32_t pid)
{
	for (size_t i = 0; i < peer_count; i++)
		if (peers[i].pid == pid)
			return &peers[i];
	if (peer_count == PROCESSES_MAX)
		abort();
	peers[peer_count] = (struct peer){ .pid = pid };
	return &peers[peer_count++];
}

/* A file of the vdso's bytes, which libdw wants by name. */
static const char *write_vdso(const struct tl_perf_object *object)
{
	static char path[] = "/tmp/unwind-vdso-XXXXXX";
	static bool written;
	const int fd = written ? -1 : mkstemp(path);

	if (fd >= 0 &&
	    write(fd, object->memory, object->memory_size) == (ssize_t)object->memory_size)
		written = true;
	if (fd >= 0)
		close(fd);
	return written ? path : NULL;
}

/* Tell libdw of all that is mapped now. */
static void report_maps(struct peer *peer, struct tl_perf_system *sys, uint32_t process)
{
	struct tl_perf_map_iter maps = { process, sys->processes.list[process].count };
	const struct tl_perf_map_change *map;
	struct tl_error err;

	dwfl_report_begin(peer->dwfl);
	while ((map = tl_perf_map_previous(sys, &maps))) {
		struct tl_perf_object *object = &sys->objects.list[map->object];
		const char *file;

		if (tl_perf_object_locate(sys, object, &err) < 0)
			abort();
		file = object->file ? object->file : object->memory ? write_vdso(object) : NULL;
		if (file)
			dwfl_report_elf(peer->dwfl, file, file, -1, map->start - map->page_offset,
					false);
	}
	dwfl_report_end(peer->dwfl, NULL, NULL);
}

static void unwind_by_libdw(struct tl_perf_unwinder *u, uint32_t pid, uint32_t process)
{
	struct peer *peer = peer_of(pid);

	theirs.count = 0;
	registers = &u->start;
	memory = &u->memory;
	if (!peer->dwfl) {
		peer->dwfl = dwfl_begin(&callbacks);
		report_maps(peer, u->sys, process);
		dwfl_attach_state(peer->dwfl, NULL, (pid_t)pid, &thread_callbacks, &peers);
	}
	dwfl_getthread_frames(peer->dwfl, 1, take_frame, NULL);
}

/* ---- comparison ---- */

static struct {
	uint64_t samples, equal, further, differ, frames;
	/* by frame pointers: equal, without the caller, different */
	uint64_t framed, unframed, misframed;
} sums;

/* Their stacks may have a null or all ones behind the last frame. */
static bool is_frame(uint64_t address)
{
	return address + 2 > 2;
}

/*
 * A process in a system call that is its function's last instruction is at the address behind the
 * function, where libdw has no rule.
 */
static bool is_syscall_end(const struct tl_perf_call_chain *chain, size_t from)
{
	return theirs.count && chain->count > from && chain->list[from] + 1 == theirs.list[0];
}

/* A process in exec is at an address of the program before, which we leave out. */
static bool is_between_programs(size_t ours)
{
	return !ours && theirs.count == 1;
}

static void compare(const struct tl_perf_call_chain *chain, size_t from)
{
	const size_t ours = chain->count - from;
	size_t i = 0;

	while (theirs.count && !is_frame(theirs.list[theirs.count - 1]))
		theirs.count--;
	/* The frame of a signal's return is exact with us. */
	while (i < ours && i < theirs.count &&
	       (chain->list[from + i] == theirs.list[i] ||
		chain->list[from + i] == theirs.list[i] + 1))
		i++;
	sums.samples++;
	sums.frames += ours;
	if (i == ours && i == theirs.count) {
		sums.equal++;
	} else if (i == theirs.count || is_syscall_end(chain, from) || is_between_programs(ours)) {
		sums.further++;
	} else if (sums.differ++ < 5) {
		printf("differs at frame %zu of %zu, libdw's of %zu:\n", i, ours, theirs.count);
		for (size_t k = 0; k < ours || k < theirs.count; k++)
			printf("  %16" PRIx64 "  %16" PRIx64 "\n",
			       k < ours ? chain->list[from + k] : 0,
			       k < theirs.count ? theirs.list[k] : 0);
	}
}

/* ---- frame pointers ---- */

static const char *program; /* NULL: not asked for */

/* The object that an address is of. */
static const char *object_at(const struct tl_perf_system *sys, uint32_t process, uint64_t ip)
{
	const struct tl_perf_map_change *map =
		tl_perf_map_find(sys, process, sys->processes.list[process].count, ip);

	return map ? sys->names.names[sys->objects.list[map->object].path].text : "";
}

/* Callers by frame pointers, as long as they are of the program. */
static size_t walk_frames(const struct tl_perf_system *sys, uint32_t process, uint64_t *list)
{
	uint64_t frame = registers->registers[6], back;
	size_t count = 0;

	while (count < FRAMES_MAX && tl_cfi_load(memory, frame + 8, 8, &back) == TL_CFI_CALLER &&
	       !strcmp(object_at(sys, process, back - 1), program)) {
		list[count++] = back - 1;
		if (tl_cfi_load(memory, frame, 8, &frame) != TL_CFI_CALLER)
			break;
	}
	return count;
}

static void compare_frames(const struct tl_perf_system *sys, uint32_t process,
			   const struct tl_perf_call_chain *chain, size_t from)
{
	static uint64_t list[FRAMES_MAX];
	const size_t count = walk_frames(sys, process, list), ours = chain->count - from;
	size_t skip;

	for (skip = 1; skip < ours; skip++) {
		size_t i = 0;

		while (i < count && i + skip < ours && chain->list[from + i + skip] == list[i])
			i++;
		if (i == count)
			break;
	}
	sums.framed += skip == 1;
	sums.unframed += skip > 1 && skip < ours;
	if (skip >= ours && count && sums.misframed++ < 5)
		printf("frame pointers differ at %" PRIx64 "\n", chain->list[from]);
}

/* ---- the recording ---- */

struct pass {
	struct tl_perf_system sys;
	struct tl_perf_unwinder unwinder;
	struct tl_perf_call_chain chain;
};

static void take_sample(struct pass *p, const struct tl_perf_record *rec)
{
	struct tl_perf_stack_root root = { .process = 0 };
	struct tl_error err;
	size_t from;

	if (!tl_perf_call_chain_of(&p->chain, rec, false) ||
	    tl_perf_unwind_begin(&p->unwinder, rec, &p->chain) <= 0)
		return;
	from = p->chain.count - 1;
	root.process = tl_perf_process_add(&p->sys, (uint32_t)rec->id.process);
	root.changes = p->sys.processes.list[root.process].count;
	if (tl_perf_unwind(&p->unwinder, &root, &p->chain, &err) < 0)
		abort();
	unwind_by_libdw(&p->unwinder, (uint32_t)rec->id.process, root.process);
	compare(&p->chain, from);
	if (program && !strcmp(object_at(&p->sys, root.process, registers->pc), program))
		compare_frames(&p->sys, root.process, &p->chain, from);
}

static void take_record(struct pass *p, const struct tl_perf_record *rec)
{
	struct tl_error err;
	const uint64_t time = rec->id.time_ns == TL_NOWHERE ? 0 : rec->id.time_ns;
	int status = 0;

	if (rec->type == TL_PERF_MMAP || rec->type == TL_PERF_MMAP2) {
		/* libdw is told of the maps at the next sample. */
		struct peer *peer = peer_of(rec->mmap.pid);

		dwfl_end(peer->dwfl);
		peer->dwfl = NULL;
		status = tl_perf_add_map(&p->sys, rec, time, &err);
	} else if (rec->type == TL_PERF_COMM) {
		status = tl_perf_add_comm(&p->sys, rec, time, &err);
	} else if (rec->type == TL_PERF_FORK) {
		status = tl_perf_add_fork(&p->sys, rec, time, &err);
	} else if (rec->type == TL_PERF_SAMPLE) {
		take_sample(p, rec);
	}
	if (status < 0)
		abort();
}

int main(int argc, char **argv)
{
	const struct tl_perf_options options = { .size = sizeof(options), .in_order = true };
	struct pass pass = { .sys = { .search = { .header = NULL } } };
	struct tl_perf_reader *reader;
	struct tl_source *source;
	struct tl_perf_record rec;
	struct tl_error err;

	program = argc > 2 ? argv[2] : NULL;
	if (argc < 2 || tl_source_open(&source, argv[1], NULL, &err) < 0 ||
	    tl_perf_open(&reader, source, &options, &err) < 0)
		return 2;
	pass.sys.search.header = &reader->header;
	pass.sys.search.build_ids = &reader->build_ids;
	pass.unwinder.sys = &pass.sys;
	pass.unwinder.header = &reader->header;
	tl_names_add(&pass.sys.names, "", 0);
	while (tl_perf_record_next(reader, &rec, &err) > 0)
		take_record(&pass, &rec);
	printf("%" PRIu64 " stacks of %" PRIu64 " frames: %" PRIu64 " equal libdw's, %" PRIu64
	       " go on where it stops, %" PRIu64 " differ; cut %" PRIu64 ", lost %" PRIu64 "\n",
	       sums.samples, sums.frames, sums.equal, sums.further, sums.differ, pass.unwinder.cut,
	       pass.unwinder.lost);
	if (program)
		printf("by frame pointers %" PRIu64 " equal, %" PRIu64 " lack the caller, %" PRIu64
		       " differ\n",
		       sums.framed, sums.unframed, sums.misframed);
	for (size_t i = 0; i < peer_count; i++)
		dwfl_end(peers[i].dwfl);
	tl_perf_unwinder_free(&pass.unwinder);
	tl_perf_system_free(&pass.sys);
	free(pass.chain.list);
	tl_perf_close(reader);
	tl_source_close(source);
	return !sums.samples || sums.differ || 50 * sums.further > sums.samples || sums.misframed ||
	       (program && sums.framed <= 9 * sums.unframed);
}
