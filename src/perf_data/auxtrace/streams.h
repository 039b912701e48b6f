/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_AUXTRACE_STREAMS_H
#define TL_PERF_DATA_AUXTRACE_STREAMS_H
/*
 * AUX data: chunks, as AUXTRACE records and samples bring them, become streams, one for each buffer
 * of a processor or thread; a walk gives the ranges of a stream that have no gap
 * (docs/formats/perf-data.md section 7).
 */
#include "perf_data/container/reader.h"

#define TL_PERF_NO_CPU UINT32_MAX /* of a stream: it is a thread's */

struct tl_perf_aux_chunk {
	uint64_t at, size; /* bytes in the file, or in the spool */
	uint64_t offset;   /* in the stream; 0 in snapshots */
	bool spooled;
	bool follows; /* on the chunk before it, without a gap */
};

/* An AUX record that says more than that there is data. */
struct tl_perf_aux_loss {
	uint64_t offset, time_ns, flags;
	uint32_t cpu, tid;
};

struct tl_perf_aux_stream {
	uint32_t idx, cpu, tid; /* cpu UINT32_MAX: of one thread */
	bool snapshots;         /* chunks may repeat bytes of the one before them */
	bool sampled;           /* from AUX samples */
	struct tl_perf_aux_chunk *chunks;
	size_t count, capacity;
};

/* A temporary file for chunks that were decompressed and are gone with the next record. */
struct tl_perf_spool {
	int fd; /* -1: none */
	uint64_t size;
	void *map;
};

struct tl_perf_aux_data {
	const struct tl_perf_reader *reader;
	const struct tl_perf_pt_info *info;
	struct tl_perf_aux_stream *streams;
	size_t stream_count, stream_capacity;
	struct tl_perf_aux_loss *losses;
	size_t loss_count, loss_capacity;
	struct tl_perf_spool spool;
};

/* Bytes of a stream without gaps, at one address. */
struct tl_perf_aux_range {
	const uint8_t *data;
	size_t size;
	uint64_t offset; /* in the stream */
	bool gap;        /* trace is missing before it */
	void *mapped;    /* ours to unmap */
	size_t mapped_size;
};

/* A walk over the ranges of a stream; zeroed but for `stream` to begin. */
struct tl_perf_range_walk {
	const struct tl_perf_aux_stream *stream;
	size_t next_chunk;
	struct tl_perf_aux_range joined; /* chunks that follow each other without a gap */
	size_t used;                     /* bytes of `joined` that were in ranges */
	bool gap;                        /* before `joined` */
	struct tl_perf_aux_range range;  /* the present one */
};

/* The chunk of an AUXTRACE record, of a sample with AUX data. 0 or negative. */
int tl_perf_add_aux_chunk(struct tl_perf_aux_data *aux, const struct tl_perf_record *rec,
			  struct tl_error *err);
int tl_perf_add_sample_chunk(struct tl_perf_aux_data *aux, const struct tl_perf_record *rec,
			     struct tl_error *err);
/* An AUX record; it is kept only if a flag says that trace was lost. */
int tl_perf_add_aux_loss(struct tl_perf_aux_data *aux, const struct tl_perf_record *rec,
			 uint64_t time_ns, struct tl_error *err);
/* After the last chunk: sort streams and chunks, and drop bytes that two chunks have. */
int tl_perf_sort_streams(struct tl_perf_aux_data *aux, struct tl_error *err);
/* The next range, in walk->range. 1, 0 at the end, negative. */
int tl_perf_range_walk_next(const struct tl_perf_aux_data *aux, const struct tl_pt_config *config,
			    struct tl_perf_range_walk *walk, struct tl_error *err);
void tl_perf_range_walk_close(struct tl_perf_range_walk *walk);
void tl_perf_aux_data_free(struct tl_perf_aux_data *aux);

#endif
