/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_RECORDS_FDR_BUFFERS_H
#define TL_XRAY_RECORDS_FDR_BUFFERS_H
/*
 * Where the buffers of an FDR log are: heads of buffers in the bytes (fdr_buffers.c), and the size
 * of the buffers of version 1, which have no extents (v1_buffers.c).
 */
#include "xray/records/reader.h"

/* A head of a buffer in the bytes. */
struct tl_xray_buffer_head {
	uint64_t start;
	uint64_t end;      /* by its extents; UINT64_MAX: it has none */
	bool found, sized; /* sized: it has extents */
};

/* A metadata record of a kind may stand at a place. */
bool tl_xray_is_kind(const struct tl_xray_reader *reader, uint64_t at, enum tl_xray_metadata kind);

/*
 * NewBuffer and WallClock follow each other in every buffer that the runtime wrote: what a search
 * may trust.
 */
bool tl_xray_is_buffer(const struct tl_xray_reader *reader, uint64_t at);

/* Where the buffer ends by its BufferExtents at a place; UINT64_MAX when that is no offset. */
uint64_t tl_xray_extents_end(const struct tl_xray_reader *reader, uint64_t at);

/* The next head, with its extents or without, from a position on. */
struct tl_xray_buffer_head tl_xray_next_head(const struct tl_xray_reader *reader, uint64_t from);

/* Version 1: the bytes from one buffer to the next, 0: they are not known. */
uint64_t tl_xray_buffer_spacing(const struct tl_xray_reader *reader);

/* Version 1: where the buffer that begins at `start` ends; one of a wrong length is told. */
int tl_xray_buffer_end(struct tl_xray_reader *reader, uint64_t start, uint64_t spacing,
		       uint64_t *end, struct tl_error *err);

#endif
