/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_GATHER_GATHER_PIECE_H
#define TL_OPEN_GATHER_GATHER_PIECE_H
/* A profile file that waits to be merged: the caller's, in memory, or in a file without a name. */
#include <tracelathe/core.h>

struct tl_gather_piece {
	char *path;      /* NULL: not the caller's file */
	uint8_t *data;   /* NULL: not in memory */
	int fd;          /* -1: not in a file without a name */
	uint64_t offset; /* in that file */
	uint64_t size;   /* bytes; of the caller's file: when it was added */
	bool merged;     /* made by a merge: another one, of it alone, would change no byte */
};

/* A piece that was read, as long as it is merged. */
struct tl_gather_mapping {
	const uint8_t *data;
	size_t size;
	struct tl_source *source; /* of the caller's file */
	void *mapped;             /* of a file without a name */
	size_t mapped_size;
};

/* A file without a name in a directory, NULL: the usual one. Its descriptor, or negative. */
int tl_gather_make_file(const char *scratch, struct tl_error *err);
/* Both may be called by several threads, each for another piece. */
int tl_gather_map(const struct tl_gather_piece *piece, struct tl_gather_mapping *mapping,
		  struct tl_error *err);
void tl_gather_unmap(struct tl_gather_mapping *mapping);
void tl_gather_piece_free(struct tl_gather_piece *piece);

#endif
