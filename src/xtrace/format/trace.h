/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_TRACE_H
#define TL_XTRACE_TRACE_H
/* An opened trace: its streams, their segments, and the damage that was found. */
#include <pthread.h>

#include "core/cursor.h"
#include "xtrace/format/layout.h"

struct tl_xtrace_segment {
	uint64_t begin, end; /* bytes of the instruction stream */
	/* taken right before it; TL_NONE: the stream begins before its first snapshot */
	uint32_t snapshot;
};

struct tl_xtrace_faults {
	struct tl_xtrace_fault *list;
	size_t listed, capacity;
	uint64_t count, skipped_bytes;
};

/* One of the numbered files of a stream (numbered.c). */
struct tl_xtrace_numbered {
	struct tl_source *source;
	bool own; /* opened, and closed, by us: of the first one the stream says it */
	uint32_t number;
	uint64_t begin; /* in the stream */
};

struct tl_xtrace_stream {
	struct tl_xtrace_stream_info info;
	struct tl_xtrace_layout layout;
	char *path, *snapshot_path, *timestamp; /* what info points to */
	struct tl_source *source, *snapshot_source;
	bool own_source, own_snapshot_source; /* opened, and closed, by us */
	const uint8_t *data;                  /* the instruction stream, mapped */
	size_t size;
	struct tl_xtrace_numbered *files; /* by number; NULL: the stream is a file without one */
	size_t file_count, file_capacity;
	const uint8_t *snapshots; /* the snapshot file, mapped */
	size_t snapshots_size;
	struct tl_xtrace_tokens tokens;
	struct tl_xtrace_record_layout record;
	struct tl_xtrace_segment *segments; /* in the order of the bytes; at least one */
	size_t segment_count;
};

enum tl_xtrace_length_kind {
	TL_XTRACE_LENGTH_SET,  /* by a system call */
	TL_XTRACE_LENGTH_SEEN, /* by an access, or asked for; it may be so since the entry before */
	TL_XTRACE_LENGTH_LOST, /* another program is executed, which has the system's */
};

/* From an instruction on; an entry that was seen says what was so before, too. */
struct tl_xtrace_length {
	enum tl_xtrace_length_kind kind;
	uint32_t bytes;
	uint64_t offset, record;
};

/* Where the walk for lengths is. */
struct tl_xtrace_length_scan {
	uint64_t count, pc, offset; /* instructions; the present one */
	uint64_t arguments[3];      /* of its system call: X8, X0, X1 */
	unsigned argument_count;
	bool returned;      /* its result was told */
	uint32_t scale;     /* it accesses a whole register: bytes of a vector for each of its */
	uint64_t accessed;  /* by it */
	uint64_t at_execve; /* the length that execve() brings; 0: none */
	bool inherits;      /* the present one stays then */
};

/* Lengths of vectors along a stream (elf/vector_lengths.h). */
struct tl_xtrace_vector_lengths {
	struct tl_xtrace_length *list;
	size_t count, capacity;
	size_t segments; /* so many were walked over */
	uint32_t passed; /* to threads that the thread made: bits by 16 bytes */
	struct tl_xtrace_length_scan scan;
};

struct tl_xtrace_trace {
	const char *format; /* static: what the streams were made of, "xtrace" */
	/* that has no accesses: profiles have the event of instructions, and no others */
	bool no_accesses;
	struct tl_xtrace_options options;
	struct tl_xtrace_stream *streams;
	uint32_t stream_count;
	struct tl_xtrace_faults faults;
	struct tl_xtrace_faults open_faults;      /* how many of them opening found */
	pthread_mutex_t progress;                 /* one thread at a time calls the hook */
	struct tl_xtrace_vector_lengths *lengths; /* of each stream; NULL: not asked for */
};

/*
 * The sources of files that the trace opened by itself (the other ones of pairs), by number; NULL
 * behind the last.
 */
const struct tl_source *tl_xtrace_own_source(const struct tl_xtrace_trace *trace, size_t number);

/* Forget what earlier passes over the streams found. Every operation begins with this. */
void tl_xtrace_rewind(struct tl_xtrace_trace *trace);

/* Count damage, and list it if few places are listed. 0, or TL_NO_MEMORY. */
int tl_xtrace_note_fault(struct tl_xtrace_faults *faults, const struct tl_xtrace_fault *fault,
			 struct tl_error *err);

/* tl_xtrace_snapshot_read(), for use inside the library. */
int tl_xtrace_read_snapshot(const struct tl_xtrace_trace *trace, uint32_t stream, uint32_t number,
			    struct tl_xtrace_snapshot *snapshot);

#endif
