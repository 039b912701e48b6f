/* SPDX-License-Identifier: Apache-2.0 */
#include "record/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <tracelathe/symbols.h>

#include "core/arithmetic.h"
#include "core/error.h"

/* Where `meson install` puts the run-time. */
#ifndef TL_RUNTIME_FOLDER
#define TL_RUNTIME_FOLDER "/usr/local/lib"
#endif

/* ---- finding ---- */

static bool is_executable(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

static bool find_in(const char *folders, const char *name, char path[TL_RECORD_PATH])
{
	while (folders) {
		size_t length = strcspn(folders, ":");
		int size = snprintf(path, TL_RECORD_PATH, "%.*s/%s", length ? (int)length : 1,
				    length ? folders : ".", name);

		if (size < TL_RECORD_PATH && is_executable(path))
			return true;
		folders = folders[length] ? folders + length + 1 : NULL;
	}
	return false;
}

bool tl_record_find(const char *name, char path[TL_RECORD_PATH])
{
	const char *folders = getenv("PATH");

	if (strchr(name, '/'))
		return snprintf(path, TL_RECORD_PATH, "%s", name) < TL_RECORD_PATH &&
		       is_executable(path);
	return find_in(folders ? folders : "/usr/local/bin:/usr/bin:/bin", name, path);
}

bool tl_record_library(const char *name, char path[TL_RECORD_PATH])
{
	static const char *const places[] = { "/recorder",
					      "/emulator",
					      "/../lib",
					      "/../lib/x86_64-linux-gnu",
					      "/../lib/aarch64-linux-gnu",
					      "/../lib64" };
	char self[TL_RECORD_PATH / 2];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	self[tl_max(0, length)] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, TL_RECORD_PATH, "%s%s/%s", self, places[i], name);
		if (!access(path, R_OK))
			return true;
	}
	snprintf(path, TL_RECORD_PATH, "%s/%s", TL_RUNTIME_FOLDER, name);
	return !access(path, R_OK);
}

bool tl_record_runtime(char path[TL_RECORD_PATH])
{
	return tl_record_library("libtracelathe-record.so", path);
}

/* ---- looking into it ---- */

/* A section of texts has one of its own that is this. */
static bool has_text(struct tl_binary *binary, const char *section, const char *text)
{
	struct tl_section found;
	size_t size = strlen(text) + 1;
	char whole[64] = "";

	memcpy(whole + 1, text, size);
	return tl_binary_section(binary, section, &found) && found.data &&
	       memmem(found.data, found.size, whole, size + 1);
}

/* A name that the program has or asks for. */
static bool has_name(struct tl_binary *binary, const char *name)
{
	return has_text(binary, ".dynstr", name) || has_text(binary, ".strtab", name);
}

static unsigned native_machine(void)
{
#if defined(__x86_64__)
	return TL_RECORD_X86_64;
#elif defined(__aarch64__)
	return TL_RECORD_AARCH64;
#else
	return 0;
#endif
}

static void look_into(struct tl_record_program *program, struct tl_binary *binary)
{
	struct tl_section section;

	program->is_elf = true;
	program->is_static = !tl_binary_section(binary, ".interp", &section);
	program->machine = tl_binary_machine(binary);
	program->is_native = program->machine == native_machine();
	program->has_sleds = tl_binary_section(binary, "xray_instr_map", &section);
	program->has_xray_api = has_name(binary, "__xray_set_handler");
	/* A function of LLVM's that only this mode has. */
	program->has_flight_recorder = has_name(binary, "__xray_log_init_mode") &&
				       has_name(binary, "_ZN6__xray24fdrLogDynamicInitializerEv");
	program->has_calls = has_name(binary, "__cyg_profile_func_enter");
	program->has_fentry = has_name(binary, "__fentry__");
	program->has_patchable =
		tl_binary_section(binary, "__patchable_function_entries", &section);
	program->has_runtime = has_name(binary, "rt_begin_once");
	program->has_unwinder = has_text(binary, ".strtab", "_Unwind_RaiseException") &&
				!has_text(binary, ".dynstr", "_Unwind_RaiseException") &&
				!has_text(binary, ".dynstr", "_Unwind_Resume");
}

/* A program that runs with other rights than the caller's ignores what is preloaded. */
static const char *refusal(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return NULL;
	if (status.st_mode & S_ISUID)
		return "it is set-user-id: it would run with other rights than yours, or without "
		       "them";
	if ((status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP))
		return "it is set-group-id: it would run with other rights than yours, or without "
		       "them";
	if (getxattr(path, "security.capability", NULL, 0) > 0)
		return "it has file capabilities: it would run with other rights than yours, or "
		       "without them";
	return NULL;
}

int tl_record_program_open(struct tl_record_program *program, const char *name,
			   struct tl_error *err)
{
	struct tl_binary *binary;
	char found[TL_RECORD_PATH];
	int status;

	*program = (struct tl_record_program){ .path = "" };
	if (!tl_record_find(name, found)) {
		errno = access(name, F_OK) ? ENOENT : EACCES;
		return tl_error_system(err, "no program that can be run");
	}
	if (!realpath(found, program->path))
		return tl_error_system(err, "no program that can be run");
	program->refused = refusal(program->path);
	status = tl_binary_open(&binary, program->path, 0, true, err);
	if (status == TL_NO_MEMORY)
		return status;
	if (status < 0)
		return 0; /* a script, as far as can be known */
	look_into(program, binary);
	tl_binary_close(binary);
	return 0;
}
