/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_data/processes/kernel_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "core/error.h"
#include "perf_data/processes/guests.h"

/* TL_NONE: no map of it was recorded. */
static uint32_t kernel_number(const struct tl_perf_system *sys, uint32_t guest)
{
	for (size_t i = 0; i < sys->objects.count; i++)
		if (sys->objects.list[i].kind == TL_PERF_OBJECT_KERNEL &&
		    sys->objects.list[i].guest == guest)
			return (uint32_t)i;
	return TL_NONE;
}

struct tl_perf_object *tl_perf_kernel_object(struct tl_perf_system *sys, uint32_t guest,
					     uint32_t *number)
{
	*number = kernel_number(sys, guest);
	return *number == TL_NONE ? NULL : &sys->objects.list[*number];
}

/* Whether a name begins where perf put the kernel's map, at `_text` or `_stext`. */
static bool begins_where(const struct tl_name_list *list, const struct tl_perf_object *kernel)
{
	const struct tl_named_range *first = tl_name_list_find(list, kernel->address);

	return first && first->start == kernel->address;
}

/* "DIR/.build-id/xx/rest/kallsyms", for free(). */
static char *cached_kallsyms(const struct tl_perf_build_id *id, const char *directory,
			     const char *below)
{
	char hex[2 * sizeof(id->bytes) + 2], *p = hex, *path;

	for (unsigned i = 0; i < id->size; i++)
		p += snprintf(p, sizeof(hex) - (size_t)(p - hex), i ? "%02x" : "%02x/",
			      id->bytes[i]);
	return asprintf(&path, "%s%s/.build-id/%s/kallsyms", directory, below, hex) < 0 ? NULL
											: path;
}

/* 1: the list at `path`, which is freed, has names; 0: there is none; TL_NO_MEMORY. */
static int read_list(char *path, struct tl_name_list *list, struct tl_error *err)
{
	struct tl_error own;
	const int status = path ? tl_name_list_read_kallsyms(list, path, &own) : TL_NO_MEMORY;

	free(path);
	if (status == TL_NO_MEMORY)
		return tl_error_memory(err);
	if (status == 0 && list->count && !list->hidden)
		return 1;
	tl_name_list_free(list);
	return 0;
}

/*
 * The copy that `perf record --kcore` leaves beside what it records, and `perf inject --guest-data`
 * for each virtual machine, whose process the name of the folder ends with.
 */
static int read_beside(const struct tl_perf_system *sys, const char *machine,
		       struct tl_name_list *list, struct tl_error *err)
{
	const char *input = sys->search.input;
	const char *slash = input ? strrchr(input, '/') : NULL;
	char *path;

	if (!input)
		return 0;
	if (asprintf(&path, "%.*skcore_dir%s/kallsyms", slash ? (int)(slash + 1 - input) : 0, input,
		     machine) < 0)
		path = NULL;
	return read_list(path, list, err);
}

/* A list of the kernel's names that was given: no ELF file, but names, one of them at its begin. */
static int read_given(const struct tl_perf_object *kernel, const char *given,
		      struct tl_name_list *list, struct tl_error *err)
{
	int status;

	if (!tl_name_list_is_kallsyms(given))
		return 0;
	status = read_list(strdup(given), list, err);
	if (status == 1 && !begins_where(list, kernel)) {
		tl_name_list_free(list);
		return 0;
	}
	return status;
}

int tl_perf_given_names_kernel(const struct tl_perf_system *sys, const char *given,
			       struct tl_error *err)
{
	struct tl_name_list list = { .count = 0 };
	const uint32_t number = kernel_number(sys, TL_NONE);
	int status = 0;

	if (number != TL_NONE)
		status = read_given(&sys->objects.list[number], given, &list, err);
	tl_name_list_free(&list);
	return status;
}

/* The list in a build-id cache: those that were given, or else that of the user. */
static int read_cached(const struct tl_perf_system *sys, const struct tl_perf_object *kernel,
		       struct tl_name_list *list, struct tl_error *err)
{
	const struct tl_perf_file_search *o = &sys->search;
	const char *home = getenv("HOME");
	int status = 0;

	if (!kernel->build_id.size)
		return 0;
	for (size_t i = 0; status == 0 && i < o->build_id_dir_count; i++)
		status = read_list(cached_kallsyms(&kernel->build_id, o->build_id_dirs[i], ""),
				   list, err);
	if (!o->build_id_dir_count && home)
		status = read_list(cached_kallsyms(&kernel->build_id, home, "/.debug"), list, err);
	return status;
}

static bool has_own_id(const struct tl_perf_object *kernel)
{
	struct tl_perf_build_id own;

	return tl_perf_elf_own_kernel(&own) && own.size == kernel->build_id.size &&
	       !memcmp(own.bytes, kernel->build_id.bytes, own.size);
}

/*
 * Why this machine does not run the recorded kernel; NULL: it does, by its own note of the build
 * id, or by its release where none was recorded (`perf record -z`); then read_own() looks closer.
 */
static const char *why_not_running(const struct tl_perf_system *sys,
				   const struct tl_perf_object *kernel)
{
	const char *release = sys->search.header ? sys->search.header->os_release : "";
	struct utsname machine;
	bool same;

	if (!kernel->build_id.size && !*release)
		return "no list of the kernel's names (kallsyms): the file says neither the build "
		       "id of the kernel nor its release";
	if (kernel->build_id.size)
		same = has_own_id(kernel);
	else
		same = !uname(&machine) && !strcmp(machine.release, release);
	return same ? NULL
		    : "no list of the kernel's names (kallsyms) in a build-id cache, and another "
		      "kernel runs here";
}

/*
 * A kernel of the same release was put elsewhere at another boot.
 */
static bool is_in_place(const struct tl_name_list *list, const struct tl_perf_object *kernel)
{
	return kernel->build_id.size || begins_where(list, kernel);
}

/* The names of the kernel that runs here. */
static int read_own(const struct tl_perf_object *kernel, struct tl_name_list *list,
		    const char **why, struct tl_error *err)
{
	struct tl_error own;
	const int status = tl_name_list_read_kallsyms(list, "/proc/kallsyms", &own);

	if (status == TL_NO_MEMORY)
		return tl_error_memory(err);
	if (status < 0)
		*why = "/proc/kallsyms cannot be read";
	else if (list->hidden || !list->count)
		*why = "/proc/kallsyms hides its addresses (kptr_restrict)";
	else if (!is_in_place(list, kernel))
		*why = "the kernel that runs here has the same release, but stands elsewhere";
	if (*why)
		tl_name_list_free(list);
	return 0;
}

/* The list that a virtual machine has of its own kernel. */
static int read_of_guest(const struct tl_perf_system *sys, const struct tl_perf_object *kernel,
			 struct tl_name_list *list, const char **why, struct tl_error *err)
{
	const char *root = tl_perf_guest_root(sys, kernel->guest);
	char machine[16], *path;
	int status;

	snprintf(machine, sizeof(machine), "__%" PRIu32, sys->processes.list[kernel->guest].pid);
	status = read_beside(sys, machine, list, err);
	if (status)
		return tl_error_or_end(status);
	*why = tl_perf_guest_why(sys);
	if (!root)
		return 0;
	if (asprintf(&path, "%s/proc/kallsyms", root) < 0)
		path = NULL;
	status = read_list(path, list, err);
	*why = status == 1 ? NULL : "there is no list of its names (proc/kallsyms) in --guest-root";
	return tl_error_or_end(status);
}

int tl_perf_kernel_names_read(const struct tl_perf_system *sys, const struct tl_perf_object *kernel,
			      struct tl_name_list *list, const char **why, struct tl_error *err)
{
	int status = 0;

	*why = NULL;
	if (sys->search.no_files) {
		*why = "not looked for";
		return 0;
	}
	if (kernel->guest != TL_NONE)
		return read_of_guest(sys, kernel, list, why, err);
	for (size_t i = 0; status == 0 && i < sys->search.program_count; i++)
		status = read_given(kernel, sys->search.programs[i], list, err);
	if (status == 0)
		status = read_beside(sys, "", list, err);
	if (status == 0)
		status = read_cached(sys, kernel, list, err);
	if (status)
		return tl_error_or_end(status);
	*why = why_not_running(sys, kernel);
	return *why ? 0 : read_own(kernel, list, why, err);
}

/*
 * The padding before a function of the kernel has a name, and no call: what was taken for the end
 * of a call there is the function's first instruction, which an interrupt came before.
 */
const struct tl_named_range *tl_perf_kernel_names_find(const struct tl_name_list *list, uint64_t ip)
{
	static const char padding[] = "__pfx_";
	const struct tl_named_range *range = tl_name_list_find(list, ip);

	if (range && !strncmp(range->name, padding, sizeof(padding) - 1) && ip + 1 == range->end)
		return tl_name_list_find(list, ip + 1);
	return range;
}
