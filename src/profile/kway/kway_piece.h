/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_KWAY_PIECE_H
#define TL_PROFILE_KWAY_PIECE_H
/* One of the profile files that are merged. */
#include "profile/kway/kway_cursor.h"
#include "profile/model/model.h"

/* What a key of a row is: the number of something in this file, or a number of its own. */
enum tl_kway_key {
	TL_KWAY_PLAIN,
	TL_KWAY_LINE, /* of a source file: at most 2^32-1 */
	TL_KWAY_FLAG, /* 0 or 1 */
	TL_KWAY_STRING,
	TL_KWAY_FUNCTION,
	TL_KWAY_CALLER, /* a function, or none */
	TL_KWAY_PART,   /* a part, or none */
	TL_KWAY_ABOVE,  /* 1 + a context, or 0 */
};

/* The keys of a section, and how many of them say who an element is. */
struct tl_kway_keys {
	unsigned identity;
	bool unique; /* no two elements of a file may be the same */
	uint8_t kinds[12];
};
extern const struct tl_kway_keys tl_kway_keys[TL_PFILE_SECTIONS];

/* How large the sums in a section can become: the largest column, and the largest number. */
struct tl_kway_bound {
	uint64_t sum, peak;
};

struct tl_kway_piece {
	struct tl_pfile_reader reader;
	struct tl_profile *whole; /* what is said once: head, events, notes; no elements */
	bool exact;               /* every duration is kept */
	uint64_t rows[TL_PFILE_SECTIONS];
	struct tl_kway_bound bounds[TL_PFILE_SECTIONS];
	bool *used; /* by string: an element has it */

	/* While it is merged: by number here, the number in the merged file. */
	struct tl_kway_cursor cursor;
	uint32_t *strings, *functions, *parts, *contexts;
	uint32_t *events;
	uint64_t *row, *key; /* of the cursor; its keys as those of the merged file */
};

/*
 * Look a profile file through. *usable: all rows are there, sorted, and refer to what there is, so
 * that it can be merged as a stream; else it has to be read as a profile. The bytes stay where they
 * are. Close it also after a failure.
 */
int tl_kway_piece_open(struct tl_kway_piece *piece, const uint8_t *data, size_t size, bool *usable,
		       struct tl_error *err);
void tl_kway_piece_close(struct tl_kway_piece *piece);
/* Bytes of memory that merging it takes, about. */
uint64_t tl_kway_piece_memory(const struct tl_kway_piece *piece);

#endif
