/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_RECORDS_READER_H
#define TL_XRAY_RECORDS_READER_H
/*
 * The reader's insides. Opening a trace (reader.c) indexes its blocks (fdr_index.c,
 * basic_mode.c, profiling_mode.c) and orders them (block_order.c); a stream decodes the blocks of
 * one thread, or all as they stand in the file, one record at a time (stream.c, fdr_records.c);
 * streams are merged by time (time_order.c).
 */
#include <stdatomic.h>

#include <tracelathe/xray.h>

#include "core/cursor.h"
#include "xray/format/layout.h"

/*
 * A buffer of an FDR log, a run of one thread's records in basic mode, or a thread's block in
 * profiling mode.
 */
struct tl_xray_block {
	/* bytes; an FDR block begins with its BufferExtents where it has one */
	uint64_t start, end;
	/* of its first record with an absolute one, else that of the thread's block before */
	uint64_t first_tsc;
	int32_t process, thread;
	bool timed;         /* `first_tsc` is its own */
	bool begun;         /* FDR: it has a NewBuffer, whose thread this is */
	bool has_process;   /* FDR: it has a Pid */
	uint64_t inherited; /* FDR: another log has its records up to there; 0: none (forks.c) */
	bool copy;          /* FDR: it stands in the log once more; not in any thread */
	/* of a forked process whose number is not known: which one, from 1 on */
	uint32_t child;
};

/* A stretch between blocks of which no record was made. */
struct tl_xray_gap {
	uint64_t start, end;
	const char *text;
};

struct tl_xray_gaps {
	struct tl_xray_gap *list;
	size_t count, capacity;
};

/* What relating the logs of a program that forked has found (forks/). */
struct tl_xray_fork_state {
	bool inherits;   /* some of the records are another log's */
	bool has_copies; /* buffers stand in the log twice */
	bool orphaned;   /* some records were another process's, whose log is not there */
};

struct tl_xray_faults {
	struct tl_xray_fault *list;
	size_t listed, capacity;
	uint64_t count, skipped_bytes;
};

/*
 * What was done with functions, thread by thread: what a program must have that is to be the one
 * that ran (map/map_match.c).
 */
struct tl_xray_uses {
	struct tl_xray_use {
		uint32_t id;
		uint8_t actions; /* bits by enum tl_xray_action */
	} *list;
	size_t count, capacity;
};

/* How far the work on a trace is; shared by streams on several threads. */
struct tl_xray_progress {
	struct tl_source *source;
	atomic_uint_fast64_t done; /* bytes of the blocks that were left behind */
	atomic_flag busy;          /* someone is calling the hook */
	atomic_bool cancelled;     /* the hook asked to stop */
};

/* Decodes a run of blocks: position and the state that survives from record to record. */
struct tl_xray_stream {
	const struct tl_xray_reader *reader;
	struct tl_xray_faults *faults;     /* where damage is noted */
	struct tl_xray_progress *progress; /* NULL: not told */
	const uint32_t *order;             /* block numbers; NULL: as numbered */
	uint32_t next_block, end_block;
	struct tl_cursor cur; /* over the present block; empty before the first */
	uint64_t record;      /* number of the next record in the block */
	uint64_t tsc;
	int32_t process, thread;
	uint16_t cpu;
	bool begun; /* the block had its NewBuffer */
	const struct tl_xray_block *block;
	int32_t *path; /* profiling mode: the present entry's path */
	size_t path_capacity;
};

/* A thread: its blocks in time order are order[begin .. end). */
struct tl_xray_thread {
	int32_t process, thread;
	uint32_t child; /* as that of its blocks */
	uint32_t begin, end;
};

struct tl_xray_merge;

struct tl_xray_reader {
	struct tl_source *source;
	const uint8_t *data;
	size_t size;
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
	struct tl_xray_faults index_faults; /* how many of them the index found */
	struct tl_xray_merge *merge;        /* tl_xray_next()'s state */
};

/* Find the blocks (fdr_index.c, basic_mode.c, profiling_mode.c). */
int tl_xray_index_fdr(struct tl_xray_reader *reader, struct tl_error *err);
int tl_xray_index_basic(struct tl_xray_reader *reader, struct tl_error *err);
int tl_xray_index_profiling(struct tl_xray_reader *reader, struct tl_error *err);

/* Note a block or a gap found by the index. 0 or TL_NO_MEMORY. */
int tl_xray_add_block(struct tl_xray_reader *reader, const struct tl_xray_block *block,
		      struct tl_error *err);
int tl_xray_add_gap(struct tl_xray_reader *reader, uint64_t start, uint64_t end,
		    enum tl_status status, const char *text, struct tl_error *err);

/*
 * Order the blocks by thread and time, when all are there, or threads have other names
 * (block_order.c).
 * 0 or TL_NO_MEMORY.
 */
int tl_xray_order_blocks(struct tl_xray_reader *reader, struct tl_error *err);

/* Append uses. False without memory. */
bool tl_xray_note_uses(struct tl_xray_uses *uses, const uint32_t *ids, const uint8_t *actions,
		       size_t count);

/*
 * Gather the uses of a whole trace, where nothing else reads all of it before names are needed. 0
 * or negative.
 */
int tl_xray_collect_uses(struct tl_xray_reader *reader, struct tl_error *err);

/* Note damage. False without memory. */
bool tl_xray_fault(struct tl_xray_faults *faults, const struct tl_xray_fault *fault);
/* Append what another list holds. */
bool tl_xray_faults_merge(struct tl_xray_faults *into, const struct tl_xray_faults *from);

/*
 * A stream over blocks order[begin .. end), or over blocks begin .. end as numbered when `order` is
 * NULL.
 */
void tl_xray_stream_begin(struct tl_xray_stream *stream, const struct tl_xray_reader *reader,
			  const uint32_t *order, uint32_t begin, uint32_t end,
			  struct tl_xray_faults *faults);
void tl_xray_stream_end(struct tl_xray_stream *stream);

/* A stream whose progress is told, over all threads' work on the reader. */
void tl_xray_stream_open(struct tl_xray_stream *stream, struct tl_xray_reader *reader,
			 const uint32_t *order, uint32_t begin, uint32_t end,
			 struct tl_xray_faults *faults);

/* Go to the next block. False: there is none, or the work was cancelled. */
bool tl_xray_stream_block(struct tl_xray_stream *stream);

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
 * The record of each mode (fdr_records.c, basic_mode.c, profiling_mode.c); the same contract as
 * tl_xray_stream_record().
 */
int tl_xray_decode_fdr(struct tl_xray_stream *stream, struct tl_xray_record *record,
		       struct tl_error *err);
int tl_xray_decode_basic(struct tl_xray_stream *stream, struct tl_xray_record *record,
			 struct tl_error *err);
int tl_xray_decode_profiling(struct tl_xray_stream *stream, struct tl_xray_record *record,
			     struct tl_error *err);

/*
 * Give up the rest of the present block from `start` on: note the fault, make the LOST record. 1,
 * or negative for strict mode and no memory.
 */
int tl_xray_lose(struct tl_xray_stream *stream, uint64_t start, enum tl_status status,
		 const char *text, struct tl_xray_record *record, struct tl_error *err);

/* tl_xray_next() without a copy: the next record of the trace in the order of the options. */
int tl_xray_next_record(struct tl_xray_reader *reader, struct tl_xray_record *record,
			struct tl_error *err);

/* tl_xray_next()'s state (time_order.c); NULL is allowed. */
void tl_xray_merge_free(struct tl_xray_merge *merge);

/* Start reading from the beginning; faults met while reading are forgotten. */
void tl_xray_rewind(struct tl_xray_reader *reader);

#endif
