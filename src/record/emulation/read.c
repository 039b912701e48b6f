/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what the plugin left, after any end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/arithmetic.h"
#include "core/cursor.h"
#include "core/error.h"
#include "core/memory.h"
#include "record/emulation/emulation.h"

bool tl_emulation_is_in(const char *folder)
{
	char path[TL_RECORD_PATH + 16];

	snprintf(path, sizeof(path), "%s/events", folder);
	return !access(path, R_OK);
}

static int open_in(const struct tl_emulation *emulation, const char *name,
		   struct tl_source **source, struct tl_cursor *cur, struct tl_error *err)
{
	char path[TL_RECORD_PATH + 64];
	const uint8_t *data;
	size_t size;
	int status;

	snprintf(path, sizeof(path), "%.*s/%.63s", TL_RECORD_PATH - 1, emulation->folder, name);
	status = tl_source_open(source, path, NULL, err);
	if (status < 0)
		return status;
	status = tl_source_map(*source, &data, &size, err);
	if (status < 0) {
		tl_source_close(*source);
		*source = NULL;
		return status;
	}
	*cur = tl_cursor_over(data, size);
	return 0;
}

/* ---- events ---- */

/* False: the rest is no event, as its writer was ended in the middle of it. */
static bool take_event(struct tl_cursor *cur, struct tl_emulation_record *record)
{
	struct tl_emulation_event *event = &record->event;

	if (!tl_cursor_has(cur, sizeof(*event)))
		return false;
	memcpy(event, cur->pos, sizeof(*event));
	if (event->size <= sizeof(*event) || event->size > sizeof(*event) + TL_EMULATION_TEXT ||
	    event->size % 8 || !tl_cursor_has(cur, event->size) || cur->pos[event->size - 1])
		return false;
	record->text = (const char *)cur->pos + sizeof(*event);
	cur->pos += event->size;
	return true;
}

static int by_time(const void *left, const void *right)
{
	const struct tl_emulation_record *a = left, *b = right;

	if (a->event.ticks != b->event.ticks)
		return tl_compare(a->event.ticks, b->event.ticks);
	return tl_compare(a->order, b->order);
}

static int read_events(struct tl_emulation *emulation, struct tl_error *err)
{
	struct tl_emulation_record record = { .order = 0 };
	struct tl_cursor cur;
	int status = open_in(emulation, "events", &emulation->source, &cur, err);

	if (status < 0)
		return status;
	while (take_event(&cur, &record)) {
		if (!tl_grow(&emulation->records, &emulation->capacity, emulation->count + 1,
			     sizeof(record)))
			return tl_error_memory(err);
		emulation->records[emulation->count++] = record;
		record.order++;
		if (record.event.ticks > emulation->last_ticks)
			emulation->last_ticks = record.event.ticks;
	}
	if (emulation->count)
		qsort(emulation->records, emulation->count, sizeof(record), by_time);
	return 0;
}

/* ---- threads ---- */

/* As the plugin writes it when there is time for it. */
static void pack_rest(struct tl_emulation_stream *stream, uint64_t outcomes)
{
	enum { LONG_OUTCOMES = 0xa302 };
	const uint64_t bytes = LONG_OUTCOMES | outcomes << 16;

	if (outcomes < 2 || outcomes >> 48)
		return;
	memcpy(stream->rest, &bytes, sizeof(bytes));
	stream->rest_size = sizeof(bytes);
}

/* A packet of outcomes that was written, but not counted: the process was killed at that. */
static size_t uncounted(const struct tl_cursor *cur, uint64_t outcomes)
{
	if (outcomes != 1 || !tl_cursor_has(cur, 8))
		return 0;
	if (cur->pos[0] == 0x02 && cur->pos[1] == 0xa3)
		return 8;
	return cur->pos[0] && cur->pos[0] != 0x02 && !(cur->pos[0] & 1);
}

static uint64_t packets_end(const struct tl_emulation_thread *thread, struct tl_cursor *cur)
{
	uint64_t end = thread->window_offset + (thread->at - thread->window);

	if (thread->lost_errno)
		return thread->lost_offset;
	tl_cursor_seek(cur, end);
	return thread->ended ? end : end + uncounted(cur, thread->outcomes);
}

static void tell_thread(struct tl_record_session *session, const struct tl_emulation_thread *thread)
{
	if (thread->lost_errno || thread->event_errno) {
		session->result->incomplete = true;
		tl_record_note(session,
			       "thread %u: the recording could not be written to its end: "
			       "%s",
			       thread->thread,
			       strerror((int)(thread->lost_errno ? thread->lost_errno
								 : thread->event_errno)));
	}
	if (thread->unexplained)
		tl_record_note(session,
			       "thread %u: %llu jumps that no instruction explains are "
			       "recorded as interrupts",
			       thread->thread, (unsigned long long)thread->unexplained);
}

static int read_thread(struct tl_emulation *emulation, struct tl_emulation_stream *stream,
		       struct tl_record_session *session, struct tl_error *err)
{
	struct tl_emulation_thread thread;
	struct tl_cursor cur;
	uint64_t end;
	int status = open_in(emulation, stream->begin->text, &stream->source, &cur, err);

	if (status < 0)
		return tl_error_if_memory(status);
	if (!tl_cursor_has(&cur, TL_EMULATION_PAGE))
		return 0;
	memcpy(&thread, cur.pos, sizeof(thread));
	if (thread.magic != TL_EMULATION_MAGIC)
		return 0;
	tell_thread(session, &thread);
	stream->packets = cur.pos + TL_EMULATION_PAGE;
	stream->size = tl_cursor_left(&cur) - TL_EMULATION_PAGE;
	end = packets_end(&thread, &cur);
	if (end - TL_EMULATION_PAGE <= stream->size)
		stream->size = (size_t)(end - TL_EMULATION_PAGE);
	if (!thread.lost_errno && !thread.ended)
		pack_rest(stream, thread.outcomes);
	return 0;
}

static int add_stream(struct tl_emulation *emulation, const struct tl_emulation_record *record,
		      struct tl_record_session *session, struct tl_error *err)
{
	struct tl_emulation_stream *stream;

	if (!tl_grow(&emulation->streams, &emulation->stream_capacity, emulation->stream_count + 1,
		     sizeof(*stream)))
		return tl_error_memory(err);
	stream = &emulation->streams[emulation->stream_count++];
	*stream =
		(struct tl_emulation_stream){ .begin = record, .end_ticks = emulation->last_ticks };
	return read_thread(emulation, stream, session, err);
}

static void end_stream(struct tl_emulation *emulation, const struct tl_emulation_event *event)
{
	for (size_t i = emulation->stream_count; i--;)
		if (emulation->streams[i].begin->event.thread == event->thread) {
			emulation->streams[i].end_ticks = event->ticks;
			return;
		}
}

/* ---- copies of pages ---- */

const struct tl_emulation_copies *tl_emulation_copies_find(const struct tl_emulation *emulation,
							   const char *name)
{
	for (size_t i = emulation->copies_count; i--;)
		if (!strcmp(emulation->copies[i].name, name))
			return &emulation->copies[i];
	return NULL;
}

static int add_copies(struct tl_emulation *emulation, const struct tl_emulation_record *record,
		      struct tl_error *err)
{
	const uint64_t end = record->event.offset + record->event.length;
	size_t i = 0;

	while (i < emulation->copies_count && strcmp(emulation->copies[i].name, record->text) != 0)
		i++;
	if (i == emulation->copies_count) {
		if (!tl_grow(&emulation->copies, &emulation->copies_capacity, i + 1,
			     sizeof(*emulation->copies)))
			return tl_error_memory(err);
		emulation->copies[i] = (struct tl_emulation_copies){ .name = record->text };
		emulation->copies_count++;
	}
	if (end > emulation->copies[i].size && end >= record->event.offset)
		emulation->copies[i].size = end;
	return 0;
}

/* ---- all ---- */

static int take_record(struct tl_emulation *emulation, const struct tl_emulation_record *record,
		       struct tl_record_session *session, struct tl_error *err)
{
	switch (record->event.kind) {
	case TL_EMULATION_THREAD:
		return add_stream(emulation, record, session, err);
	case TL_EMULATION_END:
		end_stream(emulation, &record->event);
		return 0;
	case TL_EMULATION_CODE:
		return add_copies(emulation, record, err);
	case TL_EMULATION_LEFT:
		session->result->incomplete = true;
		tl_record_note(session,
			       "process %u: %s is not recorded: no x86-64 program, or one "
			       "that runs with other rights",
			       record->event.process, record->text);
		return 0;
	default:
		return 0;
	}
}

int tl_emulation_read(struct tl_emulation *emulation, struct tl_record_session *session,
		      struct tl_error *err)
{
	int status;

	emulation->folder = session->parts;
	status = read_events(emulation, err);
	for (size_t i = 0; status >= 0 && i < emulation->count; i++)
		status = take_record(emulation, &emulation->records[i], session, err);
	return status;
}

void tl_emulation_free(struct tl_emulation *emulation)
{
	for (size_t i = 0; i < emulation->stream_count; i++)
		tl_source_close(emulation->streams[i].source);
	tl_source_close(emulation->source);
	free(emulation->records);
	free(emulation->streams);
	free(emulation->copies);
}
