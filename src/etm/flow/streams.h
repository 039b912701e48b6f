/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ETM_FLOW_STREAMS_H
#define TL_ETM_FLOW_STREAMS_H
/*
 * The executed instructions of a trace as streams of tokens, as xtrace has them
 * (docs/formats/xtrace.md, 2.4): one for each context ID, else one for each source. Long ones are
 * in temporary files without a name, so that memory does not grow with the trace.
 */
#include "core/output.h"
#include "etm/flow/flow.h"

struct tl_etm_stream {
	uint64_t id;
	struct tl_output *tokens; /* those that are not in the file yet */
	int fd;                   /* -1: there is no file */
	uint64_t written;         /* bytes in the file */
	void *map;                /* the whole file, once it is finished */
	uint64_t instructions;
	uint64_t next; /* the address behind the last instruction */
	unsigned el;
	bool ends_indirect;
};

struct tl_etm_streams {
	struct tl_etm_stream *list; /* in the order of their first instructions */
	size_t count, capacity;
	size_t last; /* the one that was written to */
};

/* The stream with an ID, made if there is none; NULL without memory. */
struct tl_etm_stream *tl_etm_stream_of(struct tl_etm_streams *streams, uint64_t id);
/* 0 or negative. */
int tl_etm_stream_put(struct tl_etm_stream *stream, unsigned el, const struct tl_etm_range *range,
		      struct tl_error *err);
/* All of its tokens; they live as long as the streams. 0 or negative. */
int tl_etm_stream_finish(struct tl_etm_stream *stream, const void **tokens, size_t *size,
			 struct tl_error *err);
void tl_etm_streams_free(struct tl_etm_streams *streams);

#endif
