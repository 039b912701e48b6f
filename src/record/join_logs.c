/* SPDX-License-Identifier: Apache-2.0 */
#include "record/join_logs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cursor.h"
#include "core/error.h"
#include "core/output.h"
#include "core/recording.h"
#include "record/clock.h"
#include "record/side_file.h"

/* docs/formats/xray.md, 2.1 and 2.3. */
enum { HEADER = 32, METADATA = 16, EXTENTS = 7 << 1 | 1, FREQUENCY_AT = 8 };

struct joining {
	const char *folder;
	struct tl_output *out;
	const struct tl_recording_state *state;
	uint64_t hz;
	bool begun;
};

/* ---- one file ---- */

typedef int file_fn(void *arg, struct tl_cursor *cur, struct tl_error *err);

static int with_file(const char *folder, const char *name, file_fn *fn, void *arg,
		     struct tl_error *err)
{
	char path[TL_RECORD_PATH];
	struct tl_source *source;
	const uint8_t *data;
	size_t size;
	int status;

	snprintf(path, sizeof(path), "%.*s/%.255s", TL_RECORD_PATH - 300, folder, name);
	status = tl_source_open(&source, path, NULL, err);
	if (status < 0)
		return status;
	status = tl_source_map(source, &data, &size, err);
	if (status >= 0) {
		struct tl_cursor cur = tl_cursor_over(data, size);

		status = fn(arg, &cur, err);
	}
	tl_source_close(source);
	return status;
}

static int copy_state(void *arg, struct tl_cursor *cur, struct tl_error *err)
{
	struct tl_recording_state *state = arg;

	if (!tl_cursor_has(cur, sizeof(*state)))
		return tl_error_at(err, TL_TRUNCATED, 0, "the state of a recording is cut short");
	memcpy(state, cur->pos, sizeof(*state));
	if (state->magic != TL_RECORDING_MAGIC)
		return tl_error_at(err, TL_BAD_FORMAT, 0,
				   "not the state of a recording, or one of another version");
	return 0;
}

/* ---- the log of a thread ---- */

/* The next buffer from an offset on; a ring has them at the beginnings of its windows only. */
static bool find_buffer(const struct joining *joining, struct tl_cursor *cur)
{
	uint64_t window = joining->state->window_bytes, at;

	while (tl_cursor_has(cur, METADATA)) {
		if (cur->pos[0] == EXTENTS && tl_get64(cur->pos + 1))
			return true;
		if (!window)
			return false;
		at = tl_cursor_offset(cur);
		tl_cursor_seek(cur, at / window * window + window);
	}
	return false;
}

static int copy_thread(void *arg, struct tl_cursor *cur, struct tl_error *err)
{
	struct joining *joining = arg;
	uint8_t header[HEADER];

	(void)err;
	if (!tl_cursor_has(cur, HEADER + METADATA))
		return 0;
	memcpy(header, cur->pos, HEADER);
	memcpy(header + FREQUENCY_AT, &joining->hz, sizeof(joining->hz));
	tl_cursor_seek(cur, HEADER);
	while (find_buffer(joining, cur)) {
		uint64_t size = tl_get64(cur->pos + 1);

		if (!tl_cursor_has(cur, METADATA) || size > tl_cursor_left(cur) - METADATA)
			size = tl_cursor_left(cur) - METADATA;
		if (!joining->begun)
			tl_output_write(joining->out, header, HEADER);
		joining->begun = true;
		tl_output_write(joining->out, cur->pos, METADATA + (size_t)size);
		cur->pos += METADATA + size;
	}
	return 0;
}

static int is_log(const struct dirent *entry)
{
	return entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
}

static int copy_threads(struct joining *joining, struct tl_error *err)
{
	struct dirent **names;
	int count = scandir(joining->folder, &names, is_log, versionsort), status = 0;

	if (count < 0)
		return tl_error_system(err, "cannot read the parts of a recording");
	for (int i = 0; i < count; i++) {
		if (status == 0)
			status = with_file(joining->folder, names[i]->d_name, copy_thread, joining,
					   err);
		free(names[i]);
	}
	free(names);
	return status;
}

/* ---- the log ---- */

static int join(struct joining *joining, const char *path, struct tl_error *err)
{
	int status = tl_output_open(&joining->out, path, err);

	if (status < 0)
		return status;
	status = copy_threads(joining, err);
	if (status < 0 || !joining->begun) {
		tl_output_discard(joining->out);
		return status;
	}
	return tl_output_commit(joining->out, err);
}

static void tell_losses(struct tl_record_session *session, const char *path,
			const struct tl_recording_state *state)
{
	if (state->lost_errno || state->lost_records) {
		session->result->incomplete = true;
		tl_record_note(session, "%s: %llu records could not be written: %s", path,
			       (unsigned long long)state->lost_records,
			       strerror((int)state->lost_errno));
	}
	if (state->overwritten_bytes)
		tl_record_note(session, "%s: the ring kept the last records only, as --ring asks",
			       path);
	if (state->refused) {
		session->result->incomplete = true;
		tl_record_note(session,
			       "%s: %u functions were not recorded: they have no room for a call "
			       "(5 bytes on x86-64, 8 on AArch64), or nothing says that they begin "
			       "at it (is the program stripped?)",
			       path, state->refused);
	}
}

static uint64_t rate_of(struct tl_record_session *session, const struct tl_recording_state *state)
{
	if (!state->is_tsc)
		return state->hz;
	if (!session->rough_hz || session->rough_hz != state->hz) {
		session->rough_hz = state->hz;
		session->exact_hz = tl_record_refine_hz(state);
	}
	return session->exact_hz;
}

int tl_record_image_join(struct tl_record_session *session, const char *folder, const char *path,
			 struct tl_error *err)
{
	struct tl_recording_state state;
	int status = with_file(folder, "state", copy_state, &state, err);
	struct joining joining = { .folder = folder, .state = &state };

	/* A process that was killed before it had one has recorded nothing. */
	if (status < 0)
		return tl_error_if_memory(status);
	joining.hz = rate_of(session, &state);
	status = join(&joining, path, err);
	if (status < 0)
		return status;
	tell_losses(session, path, &state);
	if (!joining.begun)
		return 0;
	tl_record_add_file(session, path);
	status = tl_record_side_file(session, folder, path, &state, err);
	if (status < 0)
		return status;
	return 1;
}
