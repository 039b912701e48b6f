/* SPDX-License-Identifier: Apache-2.0 */
#include "record/side_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/symbols.h>

#include "core/output.h"
#include "core/recording.h"

static void put_build_id(struct tl_output *out, const char *path)
{
	struct tl_binary *binary;
	struct tl_error ignored;
	const char *id = "";

	if (tl_binary_open(&binary, path, 0, false, &ignored) < 0)
		binary = NULL;
	if (binary)
		id = tl_binary_build_id(binary);
	tl_put_text(out, *id ? id : "-");
	tl_binary_close(binary);
}

/*
 * A line `FIRST SIZE ADDRESS PATH` of the run-time; the build id goes before the path. The last one
 * of a process that was killed may be cut.
 */
static void put_object(struct tl_output *out, const char *line)
{
	uint64_t first, size, address;
	int used = 0;

	if (sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %n", &first, &size, &address,
		   &used) != 3 ||
	    !line[used])
		return;
	tl_put_format(out, "object %" PRIu64 " %" PRIu64 " 0x%" PRIx64 " ", first, size, address);
	put_build_id(out, line + used);
	tl_put_format(out, " %s\n", line + used);
}

static void put_objects(struct tl_output *out, const char *folder)
{
	char path[TL_RECORD_PATH], line[2 * TL_RECORD_PATH];
	FILE *file;

	snprintf(path, sizeof(path), "%.*s/objects", TL_RECORD_PATH - 64, folder);
	file = fopen(path, "rbe");
	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		put_object(out, line);
	}
	if (file)
		fclose(file);
}

/* The program itself is the object that its sleds are in. */
static void put_program(struct tl_output *out, const char *folder)
{
	char path[TL_RECORD_PATH], line[2 * TL_RECORD_PATH];
	int used = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%.*s/objects", TL_RECORD_PATH - 64, folder);
	file = fopen(path, "rbe");
	if (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		sscanf(line, "%*u %*u %*u %n", &used);
		tl_put_text(out, "binary ");
		put_build_id(out, line + used);
		tl_put_format(out, " %s\n", line + used);
	}
	if (file)
		fclose(file);
}

static void put_state(struct tl_output *out, const struct tl_recording_state *state)
{
	if (state->lost_records || state->lost_errno)
		tl_put_format(out, "lost %" PRIu64 " %s\n", state->lost_records,
			      strerror((int)state->lost_errno));
	if (state->overwritten_bytes)
		tl_put_format(out, "overwritten %" PRIu64 "\n", state->overwritten_bytes);
	if (!state->ended)
		tl_put_text(out, "cut\n");
}

static int open_side_file(struct tl_output **out, const char *log, struct tl_error *err)
{
	char path[TL_RECORD_PATH + 8];
	int status;

	snprintf(path, sizeof(path), "%s.map", log);
	status = tl_output_open(out, path, err);
	if (status >= 0)
		tl_put_text(*out, "tracelathe-map 1\n");
	return status;
}

int tl_record_side_file(struct tl_record_session *session, const char *folder, const char *log,
			const struct tl_recording_state *state, struct tl_error *err)
{
	struct tl_output *out;
	int status = open_side_file(&out, log, err);

	(void)session;
	if (status < 0)
		return status;
	if (state->ids == TL_RECORDING_SLEDS)
		put_program(out, folder);
	else
		put_objects(out, folder);
	put_state(out, state);
	return tl_output_commit(out, err);
}

int tl_record_side_file_sleds(struct tl_record_session *session, const char *log,
			      struct tl_error *err)
{
	struct tl_output *out;
	int status = open_side_file(&out, log, err);

	if (status < 0)
		return status;
	tl_put_text(out, "binary ");
	put_build_id(out, session->program->path);
	tl_put_format(out, " %s\n", session->program->path);
	return tl_output_commit(out, err);
}
