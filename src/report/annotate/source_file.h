/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_ANNOTATE_SOURCE_FILE_H
#define TL_REPORT_ANNOTATE_SOURCE_FILE_H
/* The lines of a source file, wherever it is now. */
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
 * Look for `recorded`, a path that an input names, below each directory, with more and more of its
 * leading directories left out; then as it is, if it is absolute, or below the working directory if
 * no directories are given. Only regular files are opened, outside the directories only those of
 * root and of the user (core/file.h), and no ".." leads out of a directory. A file that is not
 * there is no failure: text->path is then NULL. Returns 0 or TL_NO_MEMORY. Freed by
 * tl_source_file_free(), also after a failure.
 */
int tl_source_file_read(struct tl_source_file *text, const char *recorded, const char *const *dirs,
			size_t dir_count, struct tl_error *err);
void tl_source_file_free(struct tl_source_file *text);

/* Line `number` from 1, without its end; NULL when the file has none of that number. */
const char *tl_source_file_line(const struct tl_source_file *text, uint64_t number, size_t *size);

/* A line of a source as tl_put_shown() shows it, tabs to columns of eight. */
void tl_put_source_line(struct tl_output *out, const char *text, size_t size);

#endif
