/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_SOURCE_H
#define TL_CORE_SOURCE_H
/*
 * The inside of struct tl_source: stored bytes go through the window and, where they are
 * compressed, through a decompressor, and come out as chunks. source.c opens and closes;
 * source_read.c makes chunks; source_map.c puts all bytes at one address. A source of several files
 * is its first one until it is mapped.
 */
#include "core/codecs/codec.h"

/* Bytes as stored: a window over the file, or the whole memory. */
struct tl_source_window {
	uint8_t *buffer; /* NULL: memory of the caller */
	const uint8_t *at;
	size_t left;
	bool is_last; /* nothing follows the window */
	uint64_t consumed;
};

/* The decompressor of a compressed input. */
struct tl_source_frames {
	const struct tl_codec *codec; /* NULL: not compressed */
	void *state;
	bool between; /* the next byte begins a frame, or is the end */
	uint8_t *buffer;
};

/* All expanded bytes at one address (source_map.c). */
struct tl_source_mapping {
	const uint8_t *data; /* NULL: not mapped yet, or only seen through views */
	size_t size;
	bool is_ours; /* to be unmapped; else it is memory of the caller */
	bool may_be_viewed;
	bool viewed; /* too large for the address space: views show parts of `fd` */
	int fd;
};

/* A part of the bytes, mapped by itself. Zero-filled, it shows nothing. */
struct tl_source_view {
	const uint8_t *data; /* of byte `offset` */
	uint64_t offset;
	size_t size;
};

/* A file of a directory beside its `data`. */
struct tl_source_part {
	int fd;
	unsigned number; /* data.N */
	uint64_t size;
	uint64_t begin; /* in the mapping, a whole page */
};

struct tl_source_parts {
	struct tl_source_part *list; /* by number */
	size_t count, capacity;
	size_t missing; /* numbers below the last one without a file */
};

/* A source whose bytes come behind those of another one, once that is mapped. */
struct tl_source_following {
	struct tl_source *source; /* the caller's */
	uint64_t begin;           /* of its bytes in the mapping */
};

/* Bytes of the window, and of a chunk of expanded bytes, at most. */
enum { TL_SOURCE_BUFFER = 256 * 1024 };

struct tl_source {
	char *name;
	struct tl_source_options options;
	int fd;               /* -1: memory */
	uint64_t stored_size; /* 0: unknown */
	bool mappable;        /* a file that can be mapped as it is */
	unsigned lost_pages;  /* of all mapped files, when this one was opened */
	struct tl_source_window window;
	struct tl_source_frames frames;
	const uint8_t *chunk; /* the expanded bytes that are read next */
	size_t chunk_left;
	uint64_t expanded; /* bytes up to the end of the chunk */
	bool ended;        /* no chunk follows */
	struct tl_error fault;
	struct tl_source_mapping mapping;
	struct tl_source_parts parts;
	struct tl_source_following *following; /* in their order */
	size_t following_count;
	uint64_t reported; /* the byte at which the progress hook was called last */
};

/* ---- source_read.c ---- */

/*
 * Fill the window whole, also from a pipe that gives little at a time: the sizes of a pipe's reads
 * must not show in the results.
 */
int tl_source_fill(struct tl_source *source, struct tl_error *err);

/*
 * Make `chunk` the next expanded bytes if it is used up. Returns 1, 0 at the end, or a negative
 * status.
 */
int tl_source_chunk(struct tl_source *source, struct tl_error *err);

/* The first expanded bytes that are there, to recognise a format by; nothing is consumed. */
int tl_source_peek(struct tl_source *source, const uint8_t **data, size_t *size,
		   struct tl_error *err);

/* Call the progress hook with `done` stored bytes, if byte `at` is a good way on or is the end. */
int tl_source_progress(struct tl_source *source, uint64_t at, uint64_t done, bool end,
		       struct tl_error *err);

/* ---- source_map.c ---- */

/* A temporary file without a name ($TMPDIR, else /var/tmp): its descriptor, or negative. */
int tl_open_unlinked(struct tl_error *err);

/*
 * tl_source_map(), but bytes that would take most of the address space that the process may have
 * are not mapped: *data is NULL then, and views show them.
 */
int tl_source_map_or_view(struct tl_source *source, const uint8_t **data, size_t *size,
			  struct tl_error *err);

/*
 * Have a view show bytes [offset, offset + size), which must be there, instead of what it showed.
 * 0 or negative: then it shows nothing.
 */
int tl_source_view(const struct tl_source *source, struct tl_source_view *view, uint64_t offset,
		   size_t size, struct tl_error *err);

/* Have it show nothing. */
void tl_source_view_end(struct tl_source_view *view);

/*
 * Let the expanded bytes of `next` follow those of `source`, and of what follows it already. Both
 * are neither read nor mapped yet. Then `source` is mapped, which reads `next`; the caller closes
 * both, `next` not before that. 0 or TL_NO_MEMORY.
 */
int tl_source_follow(struct tl_source *source, struct tl_source *next, struct tl_error *err);

/* Where the bytes of the source that follows as number `number` begin in the mapping. */
uint64_t tl_source_following_begin(const struct tl_source *source, size_t number);

/* Release the mapping. */
void tl_source_unmap(struct tl_source *source);

#endif
