/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_FILE_NAME_H
#define TL_XTRACE_FILE_NAME_H
/* File names (2.1): "xtrace.TIMESTAMP.ID.hintH.xinsndata.bin" and "... .xsnapshot.bin", also
 * compressed; "....xinsndata.bin.0", "....xinsndata.bin.1" of a stream in several files. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tl_xtrace_file_kind {
	TL_XTRACE_FILE_UNKNOWN,
	TL_XTRACE_FILE_STREAM,
	TL_XTRACE_FILE_SNAPSHOTS
};

struct tl_xtrace_file_name {
	enum tl_xtrace_file_kind kind; /* by its suffix */
	size_t stem; /* bytes of the path before ".xinsndata.bin"; what both of a pair have */
	/* The file's number behind its suffix, of a stream in several files (2.1). */
	bool numbered;
	uint32_t number;
	const char *compression; /* what follows ".bin": "", ".zst", ... */
	/* If the rest is as published; else hint 0. */
	const char *timestamp;
	size_t timestamp_size;
	uint64_t id;
	unsigned hint;
};

void tl_xtrace_file_name_parse(const char *path, struct tl_xtrace_file_name *name);

/* The path of file `number` of the numbered files that `path` is one of; else as the next. */
char *tl_xtrace_file_name_numbered(const char *path, const struct tl_xtrace_file_name *name,
				   uint32_t number, bool *no_memory);

/* The path of the other file of the pair if there is one, compressed in whatever way; to free().
 * NULL: none, or no memory. */
char *tl_xtrace_file_name_partner(const char *path, const struct tl_xtrace_file_name *name,
				  bool *no_memory);

#endif
