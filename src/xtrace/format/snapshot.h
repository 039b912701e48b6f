/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_SNAPSHOT_H
#define TL_XTRACE_SNAPSHOT_H
/* The snapshot file: which layout it has, its records, and the segments of the stream they make. */
#include "xtrace/format/trace.h"

/* The layout of --layout; fields that its text does not name are found by trying. */
struct tl_xtrace_given_layout {
	struct tl_xtrace_layout layout;
	bool given;               /* there is a text at all: its snapshot part is taken as it is */
	bool vector, time, codes; /* named in the text */
};

int tl_xtrace_given_layout_parse(const char *text, struct tl_xtrace_given_layout *forced,
				 struct tl_error *err);

/*
 * Find the layout of a stream's snapshots (2.3, "Probing") and read the header. A file that nothing
 * fits is a fault, and the stream is read without snapshots. 0 or TL_NO_MEMORY, or (strict) the
 * fault.
 */
int tl_xtrace_snapshots_open(struct tl_xtrace_trace *trace, struct tl_xtrace_stream *stream,
			     const struct tl_xtrace_given_layout *forced, struct tl_error *err);

/* Read whole record number `number` < info.snapshots. */
void tl_xtrace_snapshot_decode(const struct tl_xtrace_stream *stream, uint32_t number,
			       struct tl_xtrace_snapshot *snapshot);

/*
 * Where byte `index` of file number `file` is in the stream; TL_NOWHERE: it has no such file. Which
 * file the byte at `offset` is in. A stream that is one file without a number has any.
 */
uint64_t tl_xtrace_place_in_stream(const struct tl_xtrace_stream *stream, uint64_t file,
				   uint64_t index);
uint64_t tl_xtrace_file_at(const struct tl_xtrace_stream *stream, uint64_t offset);

/* Find how tokens are written: TIME's width (A11), the numbers of VAL and MISC (A14). 0 or
 * TL_BAD_USAGE. */
int tl_xtrace_tokens_probe(struct tl_xtrace_trace *trace, struct tl_xtrace_stream *stream,
			   const struct tl_xtrace_given_layout *forced, struct tl_error *err);

/* Cut the stream at its snapshots. 0 or TL_NO_MEMORY. */
int tl_xtrace_segments_make(struct tl_xtrace_trace *trace, struct tl_xtrace_stream *stream,
			    struct tl_error *err);

/* How many bytes from `offset` on parse as whole tokens, at most up to `end` or `most` tokens. */
uint64_t tl_xtrace_parse_extent(const struct tl_xtrace_tokens *tokens, const uint8_t *data,
				uint64_t begin, uint64_t end, uint64_t most, bool *times_increase);

/* Whether a snapshot file of some layout may begin like this; 0..100. */
int tl_xtrace_probe_snapshots(const uint8_t *data, size_t size);

#endif
