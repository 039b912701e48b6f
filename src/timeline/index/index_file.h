/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TIMELINE_INDEX_INDEX_FILE_H
#define TL_TIMELINE_INDEX_INDEX_FILE_H
/*
 * An index in a file, so that a trace is gone through once and not each time that it is looked at.
 *
 * The file is for the program that wrote it: there is one version, and a file that is in doubt (of
 * another version, of another trace, damaged, cut short) is made anew. Numbers are of variable
 * length (tl_put_varint()); what can be computed from others is not in it.
 *
 *   header    magic, version, sizes of the three parts below
 *   key       what the index was made of (open/index/index_key.c): the same, byte by byte, or it is
 *             another one
 *   body      tracks: leaves, frames, tiles; then what the source has saved
 *   spool     steps of leaves that cannot be decoded again
 *   checksum  CRC-32 of all before it
 *
 * A file that was made by somebody else may have a right checksum and wrong numbers: the reader
 * holds them against each other, so that no later access is out of bounds; and a leaf that does not
 * fit its trace is an error when it is read (tl_leaf_read()).
 */
#include "timeline/index/index.h"

#define TL_INDEX_FILE_MAGIC "TLINDEX\n"
enum {
	TL_INDEX_FILE_VERSION = 4,
	TL_INDEX_FILE_HEADER = 36, /* magic 8, version 4, sizes of key, body and spool 8 each */
	TL_INDEX_FILE_CHECKSUM = 4,
	/* In place of the duration of a frame: it does not end. */
	TL_INDEX_FILE_FRAME_OPEN = 0,
};

/*
 * Write an index that was built. 1; 0: it cannot be kept, as it has gaps, or its source says so:
 * nothing was written; or negative. The caller commits the output.
 */
int tl_call_index_write(struct tl_call_index *index, const struct tl_packed *key,
			struct tl_output *out, struct tl_error *err);
/*
 * Fill an index that has just begun from a file, in place of tl_call_index_build(). 1; 0: the file
 * is not there, or does not fit: the index is to be closed, and another one built; or negative.
 */
int tl_call_index_read(struct tl_call_index *index, const struct tl_packed *key, const char *path,
		       struct tl_error *err);

#endif
