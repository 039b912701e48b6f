/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_RECORDS_FDR_BUFFERS_H
#define TL_XRAY_RECORDS_FDR_BUFFERS_H
/*
 * Where the buffers of an FDR log are: heads of buffers in the bytes (fdr_buffers.c), and the size
 * of the buffers of version 1, which have no extents (v1_buffers.c).
 */
#include "xray/records/reader.h"

/* The head of a buffer. */
struct tl_xray_buffer_head {
	uint64_t start;
	uint64_t end;      /* by its extents; UINT64_MAX: it has none */
	bool found, sized; /* sized: it has extents */
};

/* Whether a metadata record of a kind stands at an offset. */
bool tl_xray_is_kind(const struct tl_xray_reader *reader, uint64_t at, enum tl_xray_metadata kind);

/*
 * Whether NewBuffer and WallClock stand at an offset. They follow each other in every buffer of the
 * runtime, so a search may rely on them.
 */
bool tl_xray_is_buffer(const struct tl_xray_reader *reader, uint64_t at);

/*
 * The end of the buffer whose BufferExtents stand at an offset; UINT64_MAX if it is not an offset.
 */
uint64_t tl_xray_extents_end(const struct tl_xray_reader *reader, uint64_t at);

/* The next head at or behind an offset, with its extents if it has some. */
struct tl_xray_buffer_head tl_xray_next_head(const struct tl_xray_reader *reader, uint64_t from);

/* Version 1: the distance from the start of a buffer to that of the next, 0: unknown. */
uint64_t tl_xray_buffer_spacing(const struct tl_xray_reader *reader);

/* Version 1: find the end of the buffer that begins at `start`; a wrong length is reported. */
int tl_xray_buffer_end(struct tl_xray_reader *reader, uint64_t start, uint64_t spacing,
		       uint64_t *end, struct tl_error *err);

#endif
