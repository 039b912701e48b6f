/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_ANNOTATE_SOURCE_FILE_H
#define TL_REPORT_ANNOTATE_SOURCE_FILE_H
/* The lines of a source file, found by the path that an input recorded. */
#include <stdbool.h>
#include <stddef.h>

#include <tracelathe/core.h>

struct tl_source_file {
	char *path; /* where it was found, NULL: nowhere */
	char *data;
	size_t *starts; /* of each line, and where the text ends */
	size_t lines;
};

/*
 * Search for a source file by `recorded`, a path that an input names: first below each directory,
 * leaving out more and more of its leading directories; then by the path itself, if it is absolute;
 * then, if no directories are given, below the working directory. Only regular files are opened;
 * outside the directories only files of root and of the user (core/file.h); no ".." leads out of a
 * directory. text->path is NULL if there is no such file. @return 0 or TL_NO_MEMORY; call
 * tl_source_file_free() in either case
 */
int tl_source_file_read(struct tl_source_file *text, const char *recorded, const char *const *dirs,
			size_t dir_count, struct tl_error *err);
void tl_source_file_free(struct tl_source_file *text);

/* Line `number` from 1, without its end; NULL when the file has none of that number. */
const char *tl_source_file_line(const struct tl_source_file *text, uint64_t number, size_t *size);

/* Write a line of source like tl_put_shown(), with tabs expanded to columns of eight. */
void tl_put_source_line(struct tl_output *out, const char *text, size_t size);

#endif
