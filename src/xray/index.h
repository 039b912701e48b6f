/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_INDEX_H
#define TL_XRAY_INDEX_H
/*
 * Where the buffers of an FDR log are: what every version has (index.c), and the buffers of version
 * 1 (stride.c).
 */
#include "xray/reader.h"

/* A head of a buffer in the bytes. */
struct xray_head {
	uint64_t start;
	uint64_t end;      /* by its extents; UINT64_MAX: it has none */
	bool found, sized; /* sized: it has extents */
};

/* A metadata record of a kind may stand at a place. */
bool tl_xray_is_kind(const struct tl_xray_reader *reader, uint64_t at, enum xray_metadata kind);

/*
 * NewBuffer and WallClock follow each other in every buffer that the runtime wrote: what a search
 * may trust.
 */
bool tl_xray_is_buffer(const struct tl_xray_reader *reader, uint64_t at);

/* The next head, with its extents or without, from a position on. */
struct xray_head tl_xray_next_head(const struct tl_xray_reader *reader, uint64_t from);

/* Version 1: the bytes from one buffer to the next, 0: they are not known. */
uint64_t tl_xray_stride(const struct tl_xray_reader *reader);

/* Version 1: where the buffer that begins at `start` ends; one of a wrong length is told. */
int tl_xray_buffer_end(struct tl_xray_reader *reader, uint64_t start, uint64_t stride,
		       uint64_t *end, struct tl_error *err);

#endif
