/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_RECORDS_READER_H
#define TL_XRAY_RECORDS_READER_H
/*
 * State of a reader. reader.c opens a trace: blocks are indexed (fdr_index.c, basic_mode.c,
 * profiling_mode.c), then sorted (block_order.c). A stream decodes the blocks of one thread, or all
 * blocks in the order of the file, one record at a time (stream.c, fdr_records.c). time_order.c
 * merges the streams of all threads by time.
 */
#include <stdatomic.h>

#include <tracelathe/xray.h>

#include "core/cursor.h"
#include "core/source.h"
#include "xray/format/layout.h"

/*
 * A buffer of an FDR log, a run of one thread's records in basic mode, or a thread's block in
 * profiling mode.
 */
struct tl_xray_block {
	/* bytes of the file; an FDR block begins with its BufferExtents if it has one */
	uint64_t start, end;
	/* of its first record with an absolute TSC; without one, that of the block before */
	uint64_t first_tsc;
	int32_t process, thread;
	bool timed;       /* `first_tsc` is its own */
	bool begun;       /* FDR: it has a NewBuffer, whose thread this is */
	bool has_process; /* FDR: it has a Pid */
	/* FDR: end of the records that another log has as well; 0: none (forks/forks.c) */
	uint64_t inherited;
	bool copy; /* FDR: a second copy of a buffer; it belongs to no thread */
	/* number of a forked process whose id is unknown, from 1 on; 0: it is known */
	uint32_t child;
};

/* Bytes between blocks that no record was made of. */
struct tl_xray_gap {
	uint64_t start, end;
	const char *text;
};

struct tl_xray_gaps {
	struct tl_xray_gap *list;
	size_t count, capacity;
};

/* Results of relating the logs of a program that forked (forks/). */
struct tl_xray_fork_state {
	bool inherits;   /* some of its records are another log's */
	bool has_copies; /* the log has some buffers twice */
	bool orphaned;   /* some records are those of another process, whose log was not given */
};

struct tl_xray_faults {
	struct tl_xray_fault *list;
	size_t listed, capacity;
	uint64_t count, skipped_bytes;
};

/*
 * The uses of functions, thread by thread: the program that ran must have all of them
 * (map/map_match.c).
 */
struct tl_xray_uses {
	struct tl_xray_use {
		uint32_t id;
		uint8_t actions; /* bits by enum tl_xray_action */
	} *list;
	size_t count, capacity;
};

/* Progress of the work on a trace, shared by streams on several threads. */
struct tl_xray_progress {
	struct tl_source *source;
	atomic_uint_fast64_t done; /* bytes of finished blocks */
	atomic_flag busy;          /* a thread is calling the hook */
	atomic_bool cancelled;     /* the hook asked to stop */
};

/*
 * Decodes blocks one after the other: the position, and the state that is kept from record to
 * record.
 */
struct tl_xray_stream {
	const struct tl_xray_reader *reader;
	struct tl_xray_faults *faults;     /* receives the damage */
	struct tl_xray_progress *progress; /* NULL: progress is not reported */
	const uint32_t *order;             /* block numbers; NULL: as numbered */
	uint32_t next_block, end_block;
	struct tl_cursor cur; /* over the present block; empty before the first one */
	/* what the cursor is over, where the trace is not mapped; a copy must not end it */
	struct tl_source_view view;
	bool no_view;    /* there was no memory for it: the cursor is empty */
	uint64_t record; /* number of the next record in the block */
	uint64_t tsc;
	int32_t process, thread;
	uint16_t cpu;
	bool begun; /* the block's NewBuffer was read */
	const struct tl_xray_block *block;
	int32_t *path; /* profiling mode: the path of the present entry */
	size_t path_capacity;
};

/* A thread: its blocks in time order are order[begin .. end). */
struct tl_xray_thread {
	int32_t process, thread;
	uint32_t child; /* as that of its blocks */
	uint32_t begin, end;
};

struct tl_xray_merge;

/* The bytes that the index looks at, of a trace that is not mapped. */
struct tl_xray_window {
	struct tl_source_view view;
	bool no_memory; /* sticky */
};

struct tl_xray_reader {
	struct tl_source *source;
	const uint8_t *data; /* NULL: too large to be mapped, views show parts of it */
	size_t size;
	struct tl_xray_window *window; /* NULL: it is mapped */
	struct tl_xray_options options;
	struct tl_xray_info info;
	struct tl_xray_dialect dialect;

	struct tl_xray_block *blocks; /* as in the file */
	size_t block_count, block_capacity;
	struct tl_xray_gaps gaps; /* as in the file */
	uint32_t *order;          /* block numbers by (process, thread, first TSC, position) */
	struct tl_xray_thread *threads;
	size_t thread_count, thread_capacity;
	struct tl_xray_fork_state forks;

	struct tl_xray_uses uses; /* noted while folding with a map */
	struct tl_xray_progress progress;
	struct tl_xray_faults faults;
	struct tl_xray_faults index_faults; /* those of `faults` that the index found */
	struct tl_xray_merge *merge;        /* tl_xray_next()'s state */
	bool from_text;                     /* the trace was made of records as YAML */
};

/*
 * Bytes [at, at + size), which are there, until the next call (window.c); by one thread, while the
 * index is made and logs are related. NULL without memory, which the window notes.
 */
const uint8_t *tl_xray_look(const struct tl_xray_reader *reader, uint64_t at, size_t size);
/* The same of as many as can be seen at once: *size, at most what it was before, is set to that. */
const uint8_t *tl_xray_look_on(const struct tl_xray_reader *reader, uint64_t at, size_t *size);
/* Order of the bytes of two traces of one size, as by memcmp(). */
int tl_xray_compare_bytes(const struct tl_xray_reader *a, const struct tl_xray_reader *b);
/* The window is not needed for now. 0, or TL_NO_MEMORY if it noted that. */
int tl_xray_window_end(const struct tl_xray_reader *reader, struct tl_error *err);

/* Find the blocks (fdr_index.c, basic_mode.c, profiling_mode.c). */
int tl_xray_index_fdr(struct tl_xray_reader *reader, struct tl_error *err);
int tl_xray_index_basic(struct tl_xray_reader *reader, struct tl_error *err);
int tl_xray_index_profiling(struct tl_xray_reader *reader, struct tl_error *err);

/* Add a block or a gap that the index found. 0 or TL_NO_MEMORY. */
int tl_xray_add_block(struct tl_xray_reader *reader, const struct tl_xray_block *block,
		      struct tl_error *err);
int tl_xray_add_gap(struct tl_xray_reader *reader, uint64_t start, uint64_t end,
		    enum tl_status status, const char *text, struct tl_error *err);

/*
 * Sort the blocks by thread and time: after indexing, and again after threads were renamed
 * (block_order.c). 0 or TL_NO_MEMORY.
 */
int tl_xray_order_blocks(struct tl_xray_reader *reader, struct tl_error *err);

/* Append uses. False without memory. */
bool tl_xray_note_uses(struct tl_xray_uses *uses, const uint32_t *ids, const uint8_t *actions,
		       size_t count);

/*
 * Collect the uses of a whole trace, for commands that need names before they have read all of it.
 * 0 or negative.
 */
int tl_xray_collect_uses(struct tl_xray_reader *reader, struct tl_error *err);

/* Count and list a fault. False without memory. */
bool tl_xray_fault(struct tl_xray_faults *faults, const struct tl_xray_fault *fault);
/*
 * Faults of the text that a trace was made of: they are met before all others. 0 or TL_NO_MEMORY.
 */
int tl_xray_add_faults(struct tl_xray_reader *reader, const struct tl_xray_faults *faults,
		       struct tl_error *err);
/* Append another list of faults. */
bool tl_xray_faults_merge(struct tl_xray_faults *into, const struct tl_xray_faults *from);

/*
 * A stream over blocks order[begin .. end), or over blocks begin .. end as numbered when `order` is
 * NULL.
 */
void tl_xray_stream_begin(struct tl_xray_stream *stream, const struct tl_xray_reader *reader,
			  const uint32_t *order, uint32_t begin, uint32_t end,
			  struct tl_xray_faults *faults);
void tl_xray_stream_end(struct tl_xray_stream *stream);

/* Put the cursor over bytes of the file, from `start` up to `end` or the end of the file. */
void tl_xray_stream_place(struct tl_xray_stream *stream, uint64_t start, uint64_t end);
/*
 * Have the cursor over so many bytes, if the block has them: a view does not show all of a long
 * block. False without memory.
 */
bool tl_xray_stream_extend(struct tl_xray_stream *stream, size_t bytes);
/* Go to a byte of the present block. */
void tl_xray_stream_seek(struct tl_xray_stream *stream, uint64_t offset);
/* No record follows in the block. 0, or TL_NO_MEMORY if it could not be seen. */
int tl_xray_stream_over(const struct tl_xray_stream *stream, struct tl_error *err);

/* The same, with progress reported for all streams of the reader together. */
void tl_xray_stream_open(struct tl_xray_stream *stream, struct tl_xray_reader *reader,
			 const uint32_t *order, uint32_t begin, uint32_t end,
			 struct tl_xray_faults *faults);

/* Go to the next block. False: there is none, or the work was cancelled. */
bool tl_xray_stream_block(struct tl_xray_stream *stream);
/* Behind the last block that is wanted: its pages are given back, and the progress is told. */
void tl_xray_stream_leave(struct tl_xray_stream *stream);

/*
 * The next record of the present block. 1: a record; 0: the block is over; negative: no memory or
 * (strict) a fault. Damage is noted and comes as a LOST record, which is the last of its block.
 */
int tl_xray_stream_record(struct tl_xray_stream *stream, struct tl_xray_record *record,
			  struct tl_error *err);

/* 0, or TL_IO when the work was cancelled. */
int tl_xray_stream_cancelled(const struct tl_xray_stream *stream, struct tl_error *err);

/* The next record, through all blocks. */
int tl_xray_stream_next(struct tl_xray_stream *stream, struct tl_xray_record *record,
			struct tl_error *err);

/*
 * Decode a record of each mode (fdr_records.c, basic_mode.c, profiling_mode.c), with the contract
 * of tl_xray_stream_record().
 */
int tl_xray_decode_fdr(struct tl_xray_stream *stream, struct tl_xray_record *record,
		       struct tl_error *err);
int tl_xray_decode_basic(struct tl_xray_stream *stream, struct tl_xray_record *record,
			 struct tl_error *err);
int tl_xray_decode_profiling(struct tl_xray_stream *stream, struct tl_xray_record *record,
			     struct tl_error *err);

/*
 * Give up the rest of the present block from `start` on: note the fault, and make the LOST record.
 * 1; negative: strict mode, or no memory.
 */
int tl_xray_lose(struct tl_xray_stream *stream, uint64_t start, enum tl_status status,
		 const char *text, struct tl_xray_record *record, struct tl_error *err);

/* tl_xray_next() without a copy: the next record of the trace in the order of the options. */
int tl_xray_next_record(struct tl_xray_reader *reader, struct tl_xray_record *record,
			struct tl_error *err);

/* A function record without arguments. */
struct tl_xray_plain {
	uint64_t offset, tsc;
	uint32_t function, delta;
	enum tl_xray_action action;
	uint32_t thread_number; /* in the order of threads; 0 in file order */
	/* its thread, process and processor, until the next record that is not plain is read */
	const struct tl_xray_stream *stream;
};

/*
 * Records that are next, as tl_xray_next_record() would give them, as long as they are plain: up to
 * `most`. Returns their number, 0: another one is next, or none; negative: an error.
 */
int tl_xray_next_plain(struct tl_xray_reader *reader, struct tl_xray_plain *records, size_t most,
		       struct tl_error *err);

/* tl_xray_next()'s state (time_order.c); NULL is allowed. */
void tl_xray_merge_free(struct tl_xray_merge *merge);

/* Which function records and events are written; arguments go with their function record. */
struct tl_xray_choice {
	bool (*wanted)(void *arg, const struct tl_xray_record *record);
	void *arg;
	uint64_t *count; /* of those that were written, counted on */
};

/*
 * tl_xray_convert() of some records (convert.c). Buffers without one are left out; the wall clock
 * of a buffer is moved to its first one.
 */
int tl_xray_convert_some(struct tl_xray_reader *reader, struct tl_output *out,
			 const struct tl_xray_writer_options *options,
			 const struct tl_xray_choice *choice, struct tl_error *err);

/* Start again at the beginning, and forget faults that were found by reading. */
void tl_xray_rewind(struct tl_xray_reader *reader);

#endif
