/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recording of an emulated program as a perf.data file (docs/formats/perf-data.md) with Intel
 * PT: what the kernel would have written. Copies of pages of code lie between the head and the
 * records; maps name the file itself for them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/file.h"
#include "core/output.h"
#include "core/recording.h"
#include "record/emulation/emulation.h"

enum {
	HEAD = 104,
	ATTR = 112,
	FEATURES = 72, /* of the head: a bit each */
	FEATURE_VERSION = 5,
	EVENT_ID = 1,
	PMU = 8,
	TRAILER = 24, /* pid, tid, time, id */
	RECORD_MAX = 8 + 64 + TL_EMULATION_TEXT + TRAILER,

	/* kinds of records */
	MMAP = 1,
	COMM = 3,
	FORK = 7,
	AUX = 11,
	ITRACE_START = 12,
	AUXTRACE_INFO = 70,
	AUXTRACE = 71,
	MISC_USER = 2,
	MISC_EXEC = 1 << 13,

	/* bits of the event's configuration */
	CONFIG_PT = 1 << 0,
	CONFIG_TSC = 1 << 10,
	CONFIG_NO_COMPRESSION = 1 << 11,
	CONFIG_BRANCH = 1 << 13,
	CONFIG_MTC = 1 << 9,
	CONFIG_CYC = 1 << 1,
};

struct writing {
	const struct tl_emulation *emulation;
	const char *output;
	struct tl_output *out; /* NULL: sizes are added up */
	uint64_t size;         /* of the records */
	uint32_t mult, shift;
	uint64_t zero; /* ns = zero + ticks * mult / 2^shift */
};

/* A record while it is put together. */
struct record {
	uint8_t bytes[RECORD_MAX];
	size_t size;
};

/* ---- time ---- */

/* Ticks to nanoseconds, as perf computes it. */
static uint64_t ns_of(const struct writing *w, uint64_t ticks)
{
	const uint64_t whole = ticks >> w->shift, rest = ticks & ((UINT64_C(1) << w->shift) - 1);

	return w->zero + whole * w->mult + (rest * w->mult >> w->shift);
}

static void set_clock(struct writing *w, uint64_t hz)
{
	const struct tl_emulation *e = w->emulation;

	w->shift = 31;
	while (w->shift && (UINT64_C(1000000000) << w->shift) / hz > UINT32_MAX)
		w->shift--;
	w->mult = (uint32_t)((UINT64_C(1000000000) << w->shift) / hz);
	for (size_t i = 0; i < e->count; i++)
		if (e->records[i].event.kind == TL_EMULATION_CLOCK) {
			w->zero = e->records[i].event.address - ns_of(w, e->records[i].event.ticks);
			return;
		}
}

/* ---- records ---- */

static void put(struct record *r, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		r->bytes[r->size++] = (uint8_t)(value >> 8 * i);
}

static void begin(struct record *r, uint32_t kind, uint16_t misc)
{
	r->size = 0;
	put(r, kind, 4);
	put(r, misc, 2);
	put(r, 0, 2);
}

/* Up to `most` bytes of a text, with its terminator, filled up to whole words. */
static void put_text(struct record *r, const char *text, size_t most)
{
	size_t size = strnlen(text, most);

	memcpy(r->bytes + r->size, text, size);
	r->size += size;
	do
		r->bytes[r->size++] = 0;
	while (r->size % 8);
}

static void put_bytes(struct writing *w, const void *bytes, size_t size)
{
	if (w->out)
		tl_output_write(w->out, bytes, size);
	w->size += size;
}

static void end(struct writing *w, struct record *r)
{
	r->bytes[6] = (uint8_t)r->size;
	r->bytes[7] = (uint8_t)(r->size >> 8);
	put_bytes(w, r->bytes, r->size);
}

/* With who and when behind it. */
static void end_with_trailer(struct writing *w, struct record *r, uint32_t pid, uint32_t tid,
			     uint64_t ticks)
{
	put(r, pid, 4);
	put(r, tid, 4);
	put(r, ns_of(w, ticks), 8);
	put(r, EVENT_ID, 8);
	end(w, r);
}

static void put_name(struct writing *w, const struct tl_emulation_event *event, const char *name,
		     uint16_t misc)
{
	struct record r;
	char comm[16];

	snprintf(comm, sizeof(comm), "%.15s", name);
	begin(&r, COMM, misc);
	put(&r, event->process, 4);
	put(&r, event->thread, 4);
	put_text(&r, comm, sizeof(comm));
	end_with_trailer(w, &r, event->process, event->thread, event->ticks);
}

static void put_fork(struct writing *w, const struct tl_emulation_event *event, uint64_t parent,
		     uint64_t parent_thread)
{
	struct record r;

	begin(&r, FORK, 0);
	put(&r, event->process, 4);
	put(&r, parent, 4);
	put(&r, event->thread, 4);
	put(&r, parent_thread, 4);
	put(&r, ns_of(w, event->ticks), 8);
	end_with_trailer(w, &r, event->process, event->thread, event->ticks);
}

static void put_thread(struct writing *w, const struct tl_emulation_event *event)
{
	struct record r;

	if (event->thread != event->process)
		put_fork(w, event, event->process, event->process);
	begin(&r, ITRACE_START, 0);
	put(&r, event->process, 4);
	put(&r, event->thread, 4);
	end_with_trailer(w, &r, event->process, event->thread, event->ticks);
}

static void put_map(struct writing *w, const struct tl_emulation_event *event, uint64_t offset,
		    const char *path)
{
	struct record r;

	begin(&r, MMAP, MISC_USER);
	put(&r, event->process, 4);
	put(&r, event->thread, 4);
	put(&r, event->address, 8);
	put(&r, event->length, 8);
	put(&r, offset, 8);
	put_text(&r, path, TL_EMULATION_TEXT - 8);
	end_with_trailer(w, &r, event->process, event->thread, event->ticks);
}

static void put_event(struct writing *w, const struct tl_emulation_record *record)
{
	const struct tl_emulation_event *event = &record->event;
	const struct tl_emulation_copies *copies;

	switch (event->kind) {
	case TL_EMULATION_PROGRAM:
		put_name(w, event, tl_file_base_name(record->text), MISC_EXEC);
		break;
	case TL_EMULATION_NAME:
		put_name(w, event, record->text, 0);
		break;
	case TL_EMULATION_FORK:
		put_fork(w, event, event->address, event->length);
		break;
	case TL_EMULATION_THREAD:
		put_thread(w, event);
		break;
	case TL_EMULATION_MAP:
		put_map(w, event, event->offset, record->text);
		break;
	case TL_EMULATION_CODE:
		copies = tl_emulation_copies_find(w->emulation, record->text);
		put_map(w, event, copies->offset + event->offset, w->output);
		break;
	default:
		break;
	}
}

/* ---- streams ---- */

static void put_aux(struct writing *w, const struct tl_emulation_stream *stream)
{
	const struct tl_emulation_event *event = &stream->begin->event;
	struct record r;

	begin(&r, AUX, 0);
	put(&r, 0, 8);
	put(&r, stream->size + stream->rest_size, 8);
	put(&r, 0, 8);
	end_with_trailer(w, &r, event->process, event->thread, stream->end_ticks);
}

static void put_packets(struct writing *w, const struct tl_emulation_stream *stream,
			uint32_t number)
{
	const uint64_t size = stream->size + stream->rest_size;
	const uint8_t padding[8] = { 0 };
	struct record r;

	begin(&r, AUXTRACE, 0);
	put(&r, (size + 7) & ~UINT64_C(7), 8);
	put(&r, 0, 8);
	put(&r, stream->begin->event.ticks, 8); /* its high bits are those of all times */
	put(&r, number, 4);
	put(&r, stream->begin->event.thread, 4);
	put(&r, UINT32_MAX, 4); /* of a thread, not of a processor */
	put(&r, 0, 4);
	end(w, &r);
	if (stream->packets)
		put_bytes(w, stream->packets, stream->size);
	put_bytes(w, stream->rest, stream->rest_size);
	put_bytes(w, padding, (size_t)(-size & 7));
}

static void put_info(struct writing *w)
{
	const uint64_t info[] = {
		PMU,        w->shift, w->mult, w->zero,    1, CONFIG_TSC, CONFIG_NO_COMPRESSION,
		0,          0,        0,       CONFIG_MTC, 0, 0,          0,
		CONFIG_CYC, 32,       0
	};
	struct record r;

	begin(&r, AUXTRACE_INFO, 0);
	put(&r, 1, 4); /* Intel PT */
	put(&r, 0, 4);
	for (size_t i = 0; i < sizeof(info) / sizeof(info[0]); i++)
		put(&r, info[i], 8);
	end(w, &r);
}

static void put_records(struct writing *w)
{
	const struct tl_emulation *e = w->emulation;

	w->size = 0;
	put_info(w);
	for (size_t i = 0; i < e->count; i++)
		put_event(w, &e->records[i]);
	for (size_t i = 0; i < e->stream_count; i++)
		put_aux(w, &e->streams[i]);
	for (size_t i = 0; i < e->stream_count; i++)
		put_packets(w, &e->streams[i], (uint32_t)i);
}

/* ---- the file ---- */

static uint64_t place_copies(struct tl_emulation *emulation, uint64_t from)
{
	uint64_t at = emulation->copies_count
			      ? (from + TL_EMULATION_PAGE - 1) & ~(uint64_t)(TL_EMULATION_PAGE - 1)
			      : from;

	for (size_t i = 0; i < emulation->copies_count; i++) {
		emulation->copies[i].offset = at;
		at += emulation->copies[i].size;
	}
	return at;
}

static void put_zeros(struct tl_output *out, uint64_t count)
{
	static const uint8_t zeros[TL_EMULATION_PAGE];

	for (; count > sizeof(zeros); count -= sizeof(zeros))
		tl_output_write(out, zeros, sizeof(zeros));
	tl_output_write(out, zeros, (size_t)count);
}

/* What the disk had no room for is zeros. */
static int put_copies(const struct tl_emulation *emulation, struct tl_output *out,
		      const struct tl_emulation_copies *copies, struct tl_error *err)
{
	char path[TL_RECORD_PATH + 64];
	struct tl_source *source = NULL;
	const uint8_t *data = NULL;
	size_t size = 0;
	int status;

	snprintf(path, sizeof(path), "%.*s/%.63s", TL_RECORD_PATH - 1, emulation->folder,
		 copies->name);
	status = tl_source_open(&source, path, NULL, err);
	if (status == 0)
		status = tl_source_map(source, &data, &size, err);
	if (status < 0)
		size = 0;
	if (size > copies->size)
		size = (size_t)copies->size;
	if (size)
		tl_output_write(out, data, size);
	put_zeros(out, copies->size - size);
	tl_source_close(source);
	return tl_error_if_memory(status);
}

static void put_attr(struct record *r)
{
	enum {
		SAMPLE_IP_TID_TIME_IDENTIFIER = 1 | 2 | 4 | 1 << 16,
		DISABLED_USER_WITH_TRAILERS = 1 | 1 << 5 | 1 << 6 | 1 << 18,
	};
	const size_t start = r->size;

	put(r, PMU, 4);
	put(r, ATTR, 4);
	put(r, CONFIG_PT | CONFIG_TSC | CONFIG_BRANCH, 8);
	put(r, 1, 8); /* period */
	put(r, SAMPLE_IP_TID_TIME_IDENTIFIER, 8);
	put(r, 0, 8);
	put(r, DISABLED_USER_WITH_TRAILERS, 8);
	while (r->size < start + ATTR)
		put(r, 0, 8);
}

/* The file's head, the id of the one event, the event. */
static void put_head(struct tl_output *out, uint64_t data_offset, uint64_t data_size)
{
	const uint64_t ids = HEAD, attrs = ids + 8, attr_size = ATTR + 16;
	struct record r = { .size = 0 };

	put(&r, UINT64_C(0x32454c4946524550), 8); /* PERFILE2 */
	put(&r, HEAD, 8);
	put(&r, attr_size, 8);
	put(&r, attrs, 8);
	put(&r, attr_size, 8);
	put(&r, data_offset, 8);
	put(&r, data_size, 8);
	while (r.size < FEATURES)
		put(&r, 0, 8);
	put(&r, 1 << FEATURE_VERSION, 8);
	while (r.size < HEAD)
		put(&r, 0, 8);
	put(&r, EVENT_ID, 8);
	put_attr(&r);
	put(&r, ids, 8);
	put(&r, 8, 8);
	tl_output_write(out, r.bytes, r.size);
}

/* Behind the records, so that a reader can tell the emulator's times from a processor's. */
static void put_version(struct tl_output *out, uint64_t at)
{
	enum { TEXT = 32, ENTRY = 16 };
	struct record r = { .size = 0 };

	put(&r, at + ENTRY, 8);
	put(&r, 4 + TEXT, 8);
	put(&r, TEXT, 4);
	snprintf((char *)r.bytes + r.size, TEXT, "%s", TL_RECORDING_EMULATED);
	r.size += TEXT;
	tl_output_write(out, r.bytes, r.size);
}

static int write_all(struct tl_emulation *emulation, struct writing *w, struct tl_error *err)
{
	const uint64_t head = HEAD + 8 + ATTR + 16, data = place_copies(emulation, head);
	struct tl_output *out = w->out;
	int status = 0;

	w->out = NULL;
	put_records(w);
	w->out = out;
	put_head(out, data, w->size);
	if (emulation->copies_count)
		put_zeros(out, emulation->copies[0].offset - head);
	for (size_t i = 0; status == 0 && i < emulation->copies_count; i++)
		status = put_copies(emulation, out, &emulation->copies[i], err);
	put_records(w);
	put_version(out, data + w->size);
	return status;
}

int tl_emulation_write(struct tl_emulation *emulation, const char *output, uint64_t hz,
		       struct tl_error *err)
{
	struct writing w = { .emulation = emulation, .output = output };
	int status = tl_output_open(&w.out, output, err);

	if (status < 0)
		return status;
	set_clock(&w, hz);
	status = write_all(emulation, &w, err);
	if (status < 0) {
		tl_output_discard(w.out);
		return status;
	}
	return tl_output_commit(w.out, err);
}
