/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_SOURCE_H
#define TL_CORE_SOURCE_H
/* The inside of struct tl_source, shared by reading (source.c) and mapping (source_map.c). */
#include "core/codec.h"

struct tl_source {
	char *name;
	struct tl_source_options options;
	int fd;               /* -1: memory */
	uint64_t stored_size; /* 0: unknown */
	bool mappable;        /* a file that can be mapped as it is */
	unsigned lost_pages;  /* of all mapped files, when this one was opened */

	/* Bytes as stored: a window over the file, or the whole memory. */
	uint8_t *in_buffer; /* NULL: memory */
	const uint8_t *in;
	size_t in_left;
	bool in_end; /* nothing follows the window */
	uint64_t consumed;

	/* Bytes as expanded. */
	const struct tl_codec *codec; /* NULL: not compressed */
	void *codec_state;
	bool between_frames;
	uint8_t *out_buffer; /* NULL: not compressed */
	const uint8_t *piece;
	size_t piece_left;
	uint64_t expanded; /* up to the end of the piece */
	bool ended;
	struct tl_error fault;

	/* Everything at one address (source_map.c). */
	const uint8_t *map; /* NULL: not mapped yet */
	size_t map_size;
	bool unmap; /* the mapping is ours; else it is the caller's memory */

	uint64_t reported; /* the byte at which the progress hook was called last */
};

/*
 * Make `piece` the next expanded bytes if it is used up. Returns 1, 0 at the end, or a negative
 * status.
 */
int tl_source_piece(struct tl_source *source, struct tl_error *err);

/* The first expanded bytes that are there, to recognise a format by; nothing is consumed. */
int tl_source_peek(struct tl_source *source, const uint8_t **data, size_t *size,
		   struct tl_error *err);

/* Call the progress hook with `done` stored bytes, if byte `at` is a good way on or is the end. */
int tl_source_progress(struct tl_source *source, uint64_t at, uint64_t done, bool end,
		       struct tl_error *err);

/* A temporary file without a name ($TMPDIR, else /var/tmp): its descriptor, or negative. */
int tl_open_unlinked(struct tl_error *err);

/* Release the mapping (source_map.c). */
void tl_source_unmap(struct tl_source *source);

#endif
