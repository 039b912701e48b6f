/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects, and the search for the file of each: among those given, below --sysroot, at the path
 * itself, in build-id caches, in the cache of debuginfod, on its servers if they are to be asked;
 * the vdso of this machine if it is the same one (docs/formats/perf-data.md section 9).
 */
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#include "core/text/optional.h"
#include "perf_data/processes/given_programs.h"
#include "perf_data/processes/guests.h"
#include "perf_data/processes/kernel_names.h"

/* ---- objects ---- */

/* Whether a path begins with a text. */
static bool begins_with(const struct tl_perf_text *path, const char *start)
{
	const size_t size = strlen(start);

	return path->size >= size && !memcmp(path->data, start, size);
}

static enum tl_perf_object_kind kind_of(const struct tl_perf_text *path)
{
	static const struct {
		const char *start;
		enum tl_perf_object_kind kind;
	} rows[] = {
		{ "[kernel.kallsyms]", TL_PERF_OBJECT_KERNEL },
		{ "[guest.kernel", TL_PERF_OBJECT_KERNEL },
		{ "[vdso]", TL_PERF_OBJECT_VDSO },
		{ "[", TL_PERF_OBJECT_ANONYMOUS },
		{ "//anon", TL_PERF_OBJECT_ANONYMOUS },
		{ "/dev/zero", TL_PERF_OBJECT_ANONYMOUS },
		{ "/anon_hugepage", TL_PERF_OBJECT_ANONYMOUS },
		{ "/SYSV", TL_PERF_OBJECT_ANONYMOUS },
		{ "/memfd:", TL_PERF_OBJECT_ANONYMOUS },
		{ "anon_inode:", TL_PERF_OBJECT_ANONYMOUS },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (begins_with(path, rows[i].start))
			return rows[i].kind;
	return path->size ? TL_PERF_OBJECT_FILE : TL_PERF_OBJECT_ANONYMOUS;
}

/* Modules of the kernel are files NAME.ko, which may be compressed, or "[NAME]". */
static bool names_module(const struct tl_perf_text *path)
{
	static const char *const endings[] = { ".ko", ".ko.gz", ".ko.xz", ".ko.zst" };

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		const size_t length = strlen(endings[i]);

		if (path->size > length &&
		    !memcmp(path->data + path->size - length, endings[i], length))
			return true;
	}
	return begins_with(path, "[");
}

/* Any other file that the kernel maps has the bytes that ran, as in recordings made by hand. */
static enum tl_perf_object_kind kind_of_map(const struct tl_perf_record *rec)
{
	const struct tl_perf_text *path = &rec->mmap.path;
	const enum tl_perf_object_kind kind = kind_of(path);
	const unsigned mode = rec->misc & TL_PERF_MISC_CPUMODE;

	if ((mode != TL_PERF_MISC_KERNEL && mode != TL_PERF_MISC_GUEST_KERNEL) ||
	    kind == TL_PERF_OBJECT_KERNEL || !names_module(path))
		return kind;
	return TL_PERF_OBJECT_MODULE;
}

static bool is_text(const struct tl_perf_text *path, size_t size, const char *text)
{
	return size <= path->size && strlen(text) == size && !memcmp(path->data, text, size);
}

/* Whether a row of the header's table is of the file at a path. */
static bool has_path(const struct tl_perf_build_id_row *row, const struct tl_perf_text *path)
{
	const char *end = memchr(path->data, ']', path->size);

	if (is_text(path, path->size, row->path))
		return true;
	/* "[kernel.kallsyms]_text" has the id of "[kernel.kallsyms]". */
	return end && begins_with(path, "[") &&
	       is_text(path, (size_t)(end + 1 - path->data), row->path);
}

/* Whether a row is of a virtual machine, by its mode, and of this one (TL_NONE: of the host). */
static bool is_of_machine(const struct tl_perf_system *sys, const struct tl_perf_build_id_row *row,
			  uint32_t machine)
{
	const unsigned mode = row->misc & TL_PERF_MISC_CPUMODE;
	const bool guest = mode == TL_PERF_MISC_GUEST_KERNEL || mode == TL_PERF_MISC_GUEST_USER;

	if (machine == TL_NONE)
		return !guest;
	return guest && sys->processes.list[machine].pid == row->pid;
}

/* A machine's kernel has another name in the table than in its own map. */
static bool is_kernel_of_guest(const struct tl_perf_build_id_row *row,
			       const struct tl_perf_object *object)
{
	static const char start[] = "[guest.kernel";

	return object->guest != TL_NONE && object->kind == TL_PERF_OBJECT_KERNEL &&
	       !strncmp(row->path, start, sizeof(start) - 1);
}

/* The build id of a map: in the MMAP2 record, else by path in the table of the header. */
static struct tl_perf_build_id recorded_id(const struct tl_perf_system *sys,
					   const struct tl_perf_record *rec,
					   const struct tl_perf_object *object)
{
	const struct tl_perf_build_id_table *ids = sys->search.build_ids;

	if (rec->mmap.build_id.size)
		return rec->mmap.build_id;
	for (size_t i = 0; ids && i < ids->count; i++)
		if (is_of_machine(sys, &ids->list[i], object->guest) &&
		    (has_path(&ids->list[i], &rec->mmap.path) ||
		     is_kernel_of_guest(&ids->list[i], object)))
			return ids->list[i].id;
	return (struct tl_perf_build_id){ .size = 0 };
}

struct object_key {
	uint32_t path;
	const struct tl_perf_build_id *id;
};

static bool same_object(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_system *sys = context;
	const struct object_key *wanted = key;
	const struct tl_perf_object *o = &sys->objects.list[number];

	return o->path == wanted->path && o->recorded_id.size == wanted->id->size &&
	       !memcmp(o->recorded_id.bytes, wanted->id->bytes, wanted->id->size);
}

/* "[guest.kernel.kallsyms.PID]" says itself of which machine it is; other paths are told so. */
static bool is_labelled(const struct tl_perf_record *rec)
{
	return tl_perf_is_of_guest(rec) && !begins_with(&rec->mmap.path, "[guest.kernel");
}

/* The number of an object's path; TL_NONE: no memory. */
static uint32_t add_path(struct tl_perf_system *sys, const struct tl_perf_record *rec,
			 uint32_t process)
{
	const struct tl_perf_text *path = &rec->mmap.path;
	uint32_t number;
	char *text;

	if (!is_labelled(rec))
		return tl_names_add(&sys->names, path->data, path->size);
	if (asprintf(&text, "%.*s %s", (int)path->size, path->data,
		     tl_perf_guest_label(sys, process)) < 0)
		return TL_NONE;
	number = tl_names_add(&sys->names, text, strlen(text));
	free(text);
	return number;
}

uint32_t tl_perf_object_add(struct tl_perf_system *sys, const struct tl_perf_record *rec,
			    uint32_t process)
{
	const uint32_t path = add_path(sys, rec, process);
	const struct object_key key = { path, &rec->mmap.build_id };
	const uint64_t hash = tl_hash_pair(path, tl_hash_bytes(key.id->bytes, key.id->size));
	struct tl_perf_object *made;
	uint32_t number;

	if (path == TL_NONE)
		return TL_NONE;
	number = tl_index_find(&sys->objects.index, hash, same_object, sys, &key);
	if (number != TL_NONE)
		return number;
	if (!tl_grow(&sys->objects.list, &sys->objects.capacity, sys->objects.count + 1,
		     sizeof(*sys->objects.list)) ||
	    !tl_index_add(&sys->objects.index, hash, (uint32_t)sys->objects.count))
		return TL_NONE;
	made = &sys->objects.list[sys->objects.count];
	*made = (struct tl_perf_object){
		.path = path,
		.process = process,
		.guest = tl_perf_is_of_guest(rec) ? tl_perf_guest_machine(sys, process) : TL_NONE,
		.address = rec->mmap.address,
		.length = rec->mmap.length,
		.page_offset = rec->mmap.page_offset,
		.recorded_id = rec->mmap.build_id,
		.kind = kind_of_map(rec),
	};
	made->build_id = recorded_id(sys, rec, made);
	return (uint32_t)sys->objects.count++;
}

/* ---- candidates ---- */

struct file_search {
	struct tl_perf_system *sys;
	struct tl_perf_object *object;
	bool failed; /* no memory */
	bool other;  /* a file was found, but of another build */
	bool lacked; /* servers were asked, and have no such file */
	int error;   /* of the first file that was there but could not be read, 0: none */
};

static bool same_id(const struct tl_perf_build_id *a, const struct tl_perf_build_id *b)
{
	return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

typedef enum tl_perf_elf_result read_elf_fn(const char *path, struct tl_perf_elf *elf, int *error);

/*
 * Accept the file at `path` if it can be the object's. `path` is allocated, NULL without
 * memory, and is freed here.
 */
static bool try_by(struct file_search *s, read_elf_fn *read_elf, char *path)
{
	struct tl_perf_object *o = s->object;
	struct tl_perf_elf elf;
	enum tl_perf_elf_result found;
	bool right;
	int error;

	if (!path) {
		s->failed = true;
		return false;
	}
	found = read_elf(path, &elf, &error);
	if (found == TL_PERF_ELF_UNREADABLE && !s->error)
		s->error = error;
	/* Code may be mapped from a file of any format. */
	right = found == TL_PERF_ELF_READ ||
		(found == TL_PERF_ELF_OTHER && !o->build_id.size && o->kind == TL_PERF_OBJECT_FILE);
	/* A file without a build id is accepted: nothing tells it from another build. */
	if (right && o->build_id.size && elf.build_id.size &&
	    !same_id(&o->build_id, &elf.build_id)) {
		s->other = true;
		right = false;
	}
	if (right) {
		const uint32_t name = tl_names_add(&s->sys->names, path, strlen(path));

		s->failed = name == TL_NONE;
		o->file = s->failed ? NULL : s->sys->names.names[name].text;
		o->elf = elf;
	}
	free(path);
	return right && !s->failed;
}

/* A file that the recording names. */
static bool try_file(struct file_search *s, char *path)
{
	return try_by(s, tl_perf_elf_read, path);
}

/* The concatenation of three texts, for free(); NULL without memory. */
static char *join(const char *a, const char *b, const char *c)
{
	char *path;

	return asprintf(&path, "%s%s%s", a, b, c) < 0 ? NULL : path;
}

/* A directory and the first bytes of a path; the same. */
static char *join_part(const char *directory, const char *path, size_t size)
{
	char *made;

	return asprintf(&made, "%s/%.*s", directory, (int)size, path) < 0 ? NULL : made;
}

/* "xx/rest" of a build id. */
static void id_path(const struct tl_perf_build_id *id, char path[48], bool split)
{
	char *p = path;

	for (unsigned i = 0; i < id->size; i++) {
		static const char digits[] = "0123456789abcdef";

		*p++ = digits[id->bytes[i] >> 4];
		*p++ = digits[id->bytes[i] & 15];
		if (!i && split)
			*p++ = '/';
	}
	*p = '\0';
}

/*
 * DIR/.build-id/xx/rest is a link to a directory with the file as "elf", "vdso", or is the file
 * itself (older perf).
 */
static bool try_cache(struct file_search *s, const char *directory, const char *below)
{
	static const char *const names[] = { "/elf", "/vdso", "/kcore", "/vmlinux", "" };
	char hex[48];
	char *start;
	bool found = false;

	id_path(&s->object->build_id, hex, true);
	start = join(directory, below, "/.build-id/");
	if (!start)
		s->failed = true;
	for (size_t i = 0; start && !found && !s->failed && i < sizeof(names) / sizeof(names[0]);
	     i++)
		found = try_file(s, join(start, hex, names[i]));
	free(start);
	return found;
}

static bool try_caches(struct file_search *s)
{
	const struct tl_perf_file_search *o = &s->sys->search;
	const char *home = getenv("HOME");

	if (!s->object->build_id.size)
		return false;
	for (size_t i = 0; i < o->build_id_dir_count; i++)
		if (try_cache(s, o->build_id_dirs[i], ""))
			return true;
	return !o->build_id_dir_count && home && try_cache(s, home, "/.debug");
}

/* Ask the servers for the file itself. */
static bool try_servers(struct file_search *s, const char *build_id)
{
	const struct tl_debuginfod *debuginfod = s->sys->search.debuginfod;
	char *path;
	int status;

	if (!debuginfod)
		return false;
	status = debuginfod->find(debuginfod->arg, TL_DEBUGINFOD_EXECUTABLE, build_id, &path);
	s->failed |= status < 0;
	s->lacked |= status == 0;
	return status > 0 && try_file(s, path);
}

/* What debuginfod left on this machine. */
static bool try_debuginfod_cache(struct file_search *s, const char *hex)
{
	const char *set = getenv("DEBUGINFOD_CACHE_PATH"), *cache = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");
	char *start;
	bool found;

	if (set && *set)
		start = join(set, "/", hex);
	else if (cache && *cache)
		start = join(cache, "/debuginfod_client/", hex);
	else if (home)
		start = join(home, "/.cache/debuginfod_client/", hex);
	else
		return false;
	if (!start) {
		s->failed = true;
		return false;
	}
	found = try_file(s, join(start, "/executable", ""));
	free(start);
	return found;
}

static bool try_debuginfod(struct file_search *s)
{
	char hex[48];

	if (!s->object->build_id.size || s->failed)
		return false;
	id_path(&s->object->build_id, hex, false);
	return try_debuginfod_cache(s, hex) || (!s->failed && try_servers(s, hex));
}

static bool try_paths(struct file_search *s, const char *path)
{
	const struct tl_perf_file_search *o = &s->sys->search;

	if (o->sysroot && try_file(s, join(o->sysroot, *path == '/' ? "" : "/", path)))
		return true;
	/*
	 * With a sysroot the trace is of another machine: a file of this one is accepted only by
	 * its build id.
	 */
	if (o->sysroot && !s->object->build_id.size)
		return false;
	if (*path == '/')
		return try_file(s, join(path, "", ""));
	return (s->sys->search.directory &&
		try_file(s, join(s->sys->search.directory, "/", path))) ||
	       try_file(s, join(path, "", ""));
}

static bool try_given(struct file_search *s)
{
	const struct tl_perf_file_search *o = &s->sys->search;

	for (size_t i = 0; i < o->program_count; i++)
		if (tl_perf_is_candidate(s->sys, s->object, o->programs[i]) &&
		    try_by(s, tl_perf_elf_read_given, strdup(o->programs[i])))
			return true;
	return false;
}

/* ---- kinds ---- */

/* The release of the recorded kernel, "" when unknown. */
static const char *kernel_release(const struct file_search *s)
{
	return s->sys->search.header ? s->sys->search.header->os_release : "";
}

static void locate_file(struct file_search *s)
{
	const char *path = s->sys->names.names[s->object->path].text;
	const size_t size = strlen(path), suffix = strlen(" (deleted)");
	const bool deleted = size > suffix && !strcmp(path + size - suffix, " (deleted)");

	if (try_given(s) || try_paths(s, path) || try_caches(s) || try_debuginfod(s))
		return;
	if (s->other)
		s->object->reason = "another build: the build ids differ";
	else if (s->lacked)
		s->object->reason = "no such file, and no server of debuginfod gave it";
	else
		s->object->reason = deleted ? "the file had been deleted" : "no such file";
}

/* The section headers are the last part of a vdso, so their end is its size. */
static size_t vdso_size(const uint8_t *vdso)
{
	ElfW(Ehdr) header;

	memcpy(&header, vdso, sizeof(header));
	return (size_t)header.e_shoff + (size_t)header.e_shentsize * header.e_shnum;
}

/* Whether the vdso of this process can be that of the recorded ones. */
static bool is_same_vdso(const struct file_search *s, const struct tl_perf_build_id *own)
{
	struct utsname machine;

	if (s->object->build_id.size)
		return same_id(&s->object->build_id, own);
	return !uname(&machine) && !strcmp(machine.release, kernel_release(s));
}

static bool try_own_vdso(struct file_search *s)
{
	const uint8_t *vdso = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	struct tl_perf_elf elf;
	size_t size;

	if (!vdso || sizeof(void *) != 8)
		return false;
	size = vdso_size(vdso);
	if (!tl_perf_elf_read_memory(vdso, size, &elf) || !is_same_vdso(s, &elf.build_id))
		return false;
	s->object->memory = vdso;
	s->object->memory_size = size;
	s->object->elf = elf;
	return true;
}

static void locate_vdso(struct file_search *s)
{
	if (!try_caches(s) && !try_own_vdso(s))
		s->object->reason =
			"the vdso of another kernel, and no copy of it in a build-id cache";
}

static void locate_kernel(struct file_search *s)
{
	const char *release = kernel_release(s);
	const char *root = tl_text_or_empty(s->sys->search.sysroot);

	if (try_given(s))
		return;
	if (s->sys->search.directory &&
	    try_file(s, join(s->sys->search.directory, "/kcore_dir/kcore", "")))
		return;
	if (try_caches(s))
		return;
	if (*release && s->object->build_id.size &&
	    try_file(s, join(root, "/usr/lib/debug/boot/vmlinux-", release)))
		return;
	if (try_debuginfod(s))
		return;
	s->object->reason =
		"no copy of the kernel (kcore_dir, build-id cache, /usr/lib/debug/boot)";
}

/* Whether a copy of the running kernel has all code of a module. */
static bool has_module(const struct tl_perf_elf *elf, const struct tl_perf_object *module)
{
	for (size_t i = 0; elf->core && i < elf->segment_count; i++) {
		const struct tl_perf_segment *segment = &elf->segments[i];

		if (module->address >= segment->address &&
		    module->address - segment->address < segment->size &&
		    module->length <= segment->size - (module->address - segment->address))
			return true;
	}
	return false;
}

/*
 * The code of a module is not that of its file: the kernel relocates it, and puts its sections
 * where it likes. It is in the copy of the kernel that ran, if that is one of its memory.
 */
static void locate_module(struct file_search *s)
{
	uint32_t number;
	struct tl_perf_object *kernel = tl_perf_kernel_object(s->sys, s->object->guest, &number);
	struct tl_error err;

	if (kernel && tl_perf_object_locate(s->sys, kernel, &err) < 0) {
		s->failed = true;
	} else if (kernel && kernel->file && has_module(&kernel->elf, s->object)) {
		s->object->file = kernel->file;
		s->object->elf = kernel->elf;
	} else {
		s->object->reason = "the kernel changes the code of a module as it loads it, and "
				    "there is no copy of the kernel's memory (perf record --kcore)";
	}
}

/* ---- virtual machines ---- */

/* A file at a place below the machine's root. */
static bool try_below(struct file_search *s, const char *name, const char *release)
{
	char *path = join(tl_perf_guest_root(s->sys, s->object->guest), name, release);

	return try_file(s, path);
}

/* The copy of the machine's kernel that `perf inject --guest-data` leaves beside the recording. */
static bool try_injected_kernel(struct file_search *s)
{
	const char *directory = s->sys->search.directory;
	char *path;

	if (!directory)
		return false;
	if (asprintf(&path, "%s/kcore_dir__%" PRIu32 "/kcore", directory,
		     s->sys->processes.list[s->object->guest].pid) < 0)
		path = NULL;
	return try_file(s, path);
}

static bool try_guest_kernel(struct file_search *s)
{
	static const char *const named[] = {
		"/boot/vmlinux-",
		"/usr/lib/debug/boot/vmlinux-",
		"/usr/lib/debug/vmlinux-",
	};
	char release[TL_PERF_RELEASE];
	bool found = try_below(s, "/proc/kcore", "");

	if (found)
		return true;
	s->failed |= tl_perf_guest_release(s->sys, s->object->guest, release) < 0;
	for (size_t i = 0; *release && !found && i < sizeof(named) / sizeof(*named); i++)
		found = try_below(s, named[i], release);
	return found || try_below(s, "/boot/vmlinux", "") || try_below(s, "/vmlinux", "");
}

/* Its path, without the label of the machine. */
static bool try_guest_path(struct file_search *s)
{
	const char *path = s->sys->names.names[s->object->path].text;
	const char *label = tl_perf_guest_label(s->sys, s->object->guest);

	return try_file(s, join_part(tl_perf_guest_root(s->sys, s->object->guest), path,
				     strlen(path) - strlen(label) - 1));
}

/* `none`: what to say where the machine's root has no such file. */
static void locate_of_guest(struct file_search *s, bool (*try_root)(struct file_search *s),
			    const char *none)
{
	if (try_given(s) || try_caches(s) || try_debuginfod(s))
		return;
	if (!tl_perf_guest_root(s->sys, s->object->guest))
		s->object->reason = tl_perf_guest_why(s->sys);
	else if (!try_root(s))
		s->object->reason = s->other ? "another build: the build ids differ" : none;
}

static void locate_guest_kernel(struct file_search *s)
{
	if (try_injected_kernel(s))
		return;
	locate_of_guest(s, try_guest_kernel,
			"no copy of the machine's kernel in --guest-root (proc/kcore, "
			"boot/vmlinux-RELEASE, vmlinux)");
}

static void locate_guest_file(struct file_search *s)
{
	locate_of_guest(s, try_guest_path, "no such file in --guest-root");
}

static void locate_nothing(struct file_search *s)
{
	s->object->reason = "memory without a file (code made at run time)";
}

/* What a user may do about a file that cannot be read; "": nothing that is known here. */
static const char *way_out(int error)
{
	/* Of tl_file_open_named(): what a recording names must be root's or the user's. */
	if (error == EPERM)
		return "; it belongs to another user, or is no regular file: give it with "
		       "--binary, "
		       "or a copy of your own below --sysroot";
	if (error == EACCES)
		return "; give a copy that may be read with --binary, or below --sysroot";
	return "";
}

/* A file that exists but cannot be read is the reason to report, before all others. */
static bool report_unreadable(struct file_search *s)
{
	uint32_t name = TL_NONE;
	char *text;

	if (asprintf(&text, "it cannot be read: %s%s", strerror(s->error), way_out(s->error)) < 0)
		return false;
	name = tl_names_add(&s->sys->names, text, strlen(text));
	free(text);
	if (name != TL_NONE)
		s->object->reason = s->sys->names.names[name].text;
	return name != TL_NONE;
}

int tl_perf_object_locate(struct tl_perf_system *sys, struct tl_perf_object *object,
			  struct tl_error *err)
{
	/* Of the host, and of virtual machines. */
	static void (*const locators[][2])(struct file_search *s) = {
		[TL_PERF_OBJECT_FILE] = { locate_file, locate_guest_file },
		[TL_PERF_OBJECT_VDSO] = { locate_vdso, locate_nothing },
		[TL_PERF_OBJECT_KERNEL] = { locate_kernel, locate_guest_kernel },
		[TL_PERF_OBJECT_MODULE] = { locate_module, locate_module },
		[TL_PERF_OBJECT_ANONYMOUS] = { locate_nothing, locate_nothing },
	};
	struct file_search s = { .sys = sys, .object = object };

	if (object->located)
		return 0;
	if (sys->search.no_files)
		object->reason = "not looked for";
	else
		locators[object->kind][object->guest != TL_NONE](&s);
	if (s.error && object->reason && !s.failed)
		s.failed = !report_unreadable(&s);
	if (s.failed)
		return tl_error_memory(err);
	object->located = true;
	return 0;
}
