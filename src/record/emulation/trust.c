/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a QEMU can be trusted: much of what the plugins know is how QEMU 7.2 is made
 * (emulator/README.md). A small program is recorded, and what the recording says compared with what
 * is known of it; that a QEMU has passed is remembered.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/memory.h"
#include "record/emulation/emulate.h"
#include "record/kept.h"
#include "record/parts.h"

int tl_emulate_known(const struct tl_emulator *emulator, const char *path, const char *folder,
		     int *exit_status, struct tl_error *err)
{
	const char *const arguments[] = { path, NULL };
	const struct tl_record_options options = { .size = sizeof(options),
						   .arguments = arguments };
	char output[TL_RECORD_PATH], parts[TL_RECORD_PATH];
	struct tl_record_program *program = calloc(1, sizeof(*program));
	struct tl_record_result result = { .status = 0 };
	struct tl_record_session session = {
		.options = &options,
		.program = program,
		.output = output,
		.parts = parts,
		.result = &result,
	};
	int status;

	if (!program)
		return tl_error_memory(err);
	snprintf(program->path, sizeof(program->path), "%s", path);
	program->machine = emulator->machine;
	snprintf(output, sizeof(output), "%.4000s/recording", folder);
	snprintf(parts, sizeof(parts), "%.4000s/recording.parts", folder);
	status = tl_emulate(&session, emulator, err);
	free(program);
	*exit_status = result.status;
	return status;
}

/* ---- what is remembered ---- */

static uint64_t identity(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return 0;
	return tl_hash_pair(
		tl_hash_pair((uint64_t)status.st_size, (uint64_t)status.st_ino),
		tl_hash_pair((uint64_t)status.st_mtim.tv_sec, (uint64_t)status.st_mtim.tv_nsec));
}

/* The file that says that these have passed; false: there is no place for it. */
static bool name_memory(const struct tl_emulator *emulator, char path[TL_RECORD_PATH])
{
	const uint64_t hash =
		tl_hash_pair(identity(emulator->qemu),
			     tl_hash_pair(identity(emulator->plugin), identity(emulator->check)));
	char file[32];

	snprintf(file, sizeof(file), "emulator-%016" PRIx64, hash);
	return tl_record_kept_name(file, path);
}

static void remember(char path[TL_RECORD_PATH])
{
	FILE *file;

	tl_record_kept_folder(path);
	file = fopen(path, "wbe");
	if (file)
		fclose(file);
}

/* ---- trying ---- */

bool tl_emulate_is_trusted(const struct tl_emulator *emulator, char reason[TL_RECORD_TEXT])
{
	char memory[TL_RECORD_PATH], folder[TL_RECORD_PATH];
	const char *temporary = getenv("TMPDIR");
	const bool can_remember = name_memory(emulator, memory);
	bool trusted;

	if (can_remember && !access(memory, F_OK))
		return true;
	snprintf(folder, sizeof(folder), "%.4000s/tracelathe-XXXXXX",
		 temporary && *temporary ? temporary : "/tmp");
	if (!mkdtemp(folder)) {
		snprintf(reason, TL_RECORD_TEXT, "no folder to try QEMU in: %s", strerror(errno));
		return false;
	}
	trusted = emulator->is_as_known(emulator, folder, reason);
	tl_record_parts_remove(folder);
	if (trusted && can_remember)
		remember(memory);
	return trusted;
}
