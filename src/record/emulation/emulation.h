/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_RECORD_EMULATION_EMULATION_H
#define TL_RECORD_EMULATION_EMULATION_H
/* What the plugin left in OUTPUT.parts (folder.h), and the perf.data of it. */
#include "record/emulation/folder.h"
#include "record/recorder.h"

/* An event with its text, as it lies in the file of events. */
struct tl_emulation_record {
	struct tl_emulation_event event;
	const char *text;
	uint64_t order; /* in the file */
};

/* The packets of a thread. */
struct tl_emulation_stream {
	const struct tl_emulation_record *begin;
	struct tl_source *source;
	const uint8_t *packets;
	size_t size;
	uint8_t rest[8]; /* outcomes that were not written, as a packet */
	size_t rest_size;
	uint64_t end_ticks;
};

/* A file of copies of pages. */
struct tl_emulation_copies {
	const char *name;
	uint64_t size, offset; /* bytes that events name; where they go in the recording */
};

/* Zero-filled is an empty one. */
struct tl_emulation {
	const char *folder;
	struct tl_source *source; /* of the events */
	struct tl_emulation_record *records;
	size_t count, capacity;
	struct tl_emulation_stream *streams;
	size_t stream_count, stream_capacity;
	struct tl_emulation_copies *copies;
	size_t copies_count, copies_capacity;
	uint64_t last_ticks;
};

/* Read the folder of a session; what is missing is told. The events are in the order of time. */
int tl_emulation_read(struct tl_emulation *emulation, struct tl_record_session *session,
		      struct tl_error *err);
void tl_emulation_free(struct tl_emulation *emulation);
/* The place of a file of copies; NULL: no event names it. */
const struct tl_emulation_copies *tl_emulation_copies_find(const struct tl_emulation *emulation,
							   const char *name);

/*
 * Keep what run-time compilers wrote of their code beside the output (its absolute name). What
 * cannot be kept is told. 0 or TL_NO_MEMORY.
 */
int tl_emulation_keep_names(const struct tl_emulation *emulation, struct tl_record_session *session,
			    const char *output, struct tl_error *err);

/* Write the session's output; `hz`: of the TSC. */
int tl_emulation_write(struct tl_emulation *emulation, const char *output, uint64_t hz,
		       struct tl_error *err);
#endif
