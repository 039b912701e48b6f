/* SPDX-License-Identifier: Apache-2.0 */
/* The recording, of what the plugin left. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/recording.h"
#include "record/clock.h"
#include "record/emulation/emulation.h"
#include "record/parts.h"

static uint64_t rate_of(const struct tl_emulation *emulation, uint64_t hz)
{
	struct tl_recording_state state = { .is_tsc = 1, .hz = hz ? hz : tl_record_measure_hz() };

	for (size_t i = 0; i < emulation->count; i++)
		if (emulation->records[i].event.kind == TL_EMULATION_CLOCK) {
			state.start_ticks = emulation->records[i].event.ticks;
			state.start_ns = emulation->records[i].event.address;
			break;
		}
	return tl_record_refine_hz(&state);
}

/* Processes that were ended by a signal, or are still there. */
static void tell_unfinished(const struct tl_emulation *emulation, struct tl_record_session *session)
{
	for (size_t i = 0; i < emulation->count; i++) {
		const struct tl_emulation_record *record = &emulation->records[i];
		const uint32_t kind = record->event.kind;
		bool finished = false;

		if (kind != TL_EMULATION_PROGRAM && kind != TL_EMULATION_FORK)
			continue;
		for (size_t j = i + 1; !finished && j < emulation->count; j++) {
			const struct tl_emulation_event *later = &emulation->records[j].event;

			finished = later->process == record->event.process &&
				   (later->kind == TL_EMULATION_FINISHED ||
				    later->kind == TL_EMULATION_PROGRAM ||
				    later->kind == TL_EMULATION_LEFT);
		}
		if (!finished)
			tl_record_note(session,
				       "process %u did not end by exit(): what it did "
				       "since its last branch is missing",
				       record->event.process);
	}
}

/* The absolute name, which the folder of parts has with a suffix. */
static void name_output(const struct tl_record_session *session, char output[TL_RECORD_PATH])
{
	snprintf(output, TL_RECORD_PATH, "%.*s", (int)(strlen(session->parts) - strlen(".parts")),
		 session->parts);
}

int tl_emulation_join(struct tl_record_session *session, struct tl_error *err)
{
	struct tl_emulation emulation = { .folder = NULL };
	char output[TL_RECORD_PATH];
	int status = 0;

	name_output(session, output);
	if (tl_emulation_is_in(session->parts))
		status = tl_emulation_read(&emulation, session, err);
	if (status == 0 && emulation.stream_count)
		status = tl_emulation_write(&emulation, output, rate_of(&emulation, session->hz),
					    err);
	if (status == 0 && emulation.stream_count)
		status = tl_emulation_keep_names(&emulation, session, output, err);
	if (status == 0 && emulation.stream_count) {
		tl_record_add_file(session, session->output);
		tell_unfinished(&emulation, session);
	}
	tl_emulation_free(&emulation);
	if (status == 0)
		tl_record_parts_remove(session->parts);
	return status;
}
