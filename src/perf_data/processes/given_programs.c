/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_data/processes/given_programs.h"

#include <string.h>

#include "core/error.h"
#include "core/file.h"
#include "perf_data/processes/kernel_names.h"

/* Whether the last part of a recorded path, without " (deleted)", is a name. */
static bool has_name(const char *path, const char *name)
{
	static const char deleted[] = " (deleted)";
	const char *base = tl_file_base_name(path);
	const size_t size = strlen(name);

	return size && !strncmp(base, name, size) && (!base[size] || !strcmp(base + size, deleted));
}

static bool same_name(const struct tl_perf_system *sys, const struct tl_perf_object *object,
		      const char *given)
{
	static const char kernel[] = "vmlinux";
	const char *name = tl_file_base_name(given);

	/* Of a virtual machine no name says that it is the same file. */
	if (object->guest != TL_NONE)
		return false;
	if (object->kind == TL_PERF_OBJECT_KERNEL)
		return !strncmp(name, kernel, sizeof(kernel) - 1);
	return has_name(sys->names.names[object->path].text, name);
}

static bool same_id(const struct tl_perf_object *object, const struct tl_perf_elf *elf)
{
	return object->build_id.size == elf->build_id.size &&
	       !memcmp(object->build_id.bytes, elf->build_id.bytes, elf->build_id.size);
}

static bool has_file(const struct tl_perf_object *object)
{
	return object->kind == TL_PERF_OBJECT_FILE || object->kind == TL_PERF_OBJECT_KERNEL;
}

bool tl_perf_is_candidate(const struct tl_perf_system *sys, const struct tl_perf_object *object,
			  const char *given)
{
	struct tl_perf_elf elf;
	int error;

	if (!has_file(object))
		return false;
	if (same_name(sys, object, given))
		return true;
	return object->build_id.size &&
	       tl_perf_elf_read_given(given, &elf, &error) == TL_PERF_ELF_READ &&
	       same_id(object, &elf);
}

static bool is_objects(const struct tl_perf_system *sys, const struct tl_perf_object *object,
		       const char *given, const struct tl_perf_elf *elf)
{
	if (!has_file(object))
		return false;
	if (object->build_id.size && elf->build_id.size)
		return same_id(object, elf);
	return same_name(sys, object, given);
}

static bool is_any(const struct tl_perf_system *sys, const char *given,
		   const struct tl_perf_elf *elf)
{
	for (size_t i = 0; i < sys->objects.count; i++)
		if (is_objects(sys, &sys->objects.list[i], given, elf))
			return true;
	return false;
}

int tl_perf_given_is_used(const struct tl_perf_system *sys, const char *given, const char **why,
			  struct tl_error *err)
{
	struct tl_perf_elf elf;
	int error, status = 0;

	switch (tl_perf_elf_read_given(given, &elf, &error)) {
	case TL_PERF_ELF_OTHER:
		status = tl_perf_given_names_kernel(sys, given, err);
		break;
	case TL_PERF_ELF_READ:
		break;
	default:
		*why = strerror(error);
		return 0;
	}
	*why = "the recording has no program of its build id, or of its name where one of both has "
	       "no build id";
	return status ? status : is_any(sys, given, &elf);
}
