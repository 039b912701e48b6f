/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_FILE_H
#define TL_CORE_FILE_H
/* Descriptors: every file that the library opens is opened here. */
#include <stdbool.h>
#include <sys/types.h>

/*
 * As open(2), close-on-exec, tried again after a signal. The descriptor is never 0, 1 or 2: where a
 * program was started with one of these closed, its messages would go into the file.
 */
int tl_file_open(const char *path, int flags, mode_t mode);

/* As mkostemp(3), with the same promise. */
int tl_file_make_temporary(char *pattern);

/*
 * Open a regular file for reading; others fail with EPERM. The test comes before open(2), which may
 * have effects on a device or wait at a pipe.
 */
int tl_file_open_regular(const char *path);

/*
 * The same for a file that an input names and not the user: it must belong to root or to the user
 * of the process.
 */
int tl_file_open_named(const char *path);

/* Whether tl_file_open_named() would open the file. */
bool tl_file_may_be_named(const char *path);

/* A file in memory, with the same promise. Negative: errno. */
int tl_file_make_in_memory(void);

/* Another descriptor of the same open file, with the same promise. Negative: errno. */
int tl_file_copy(int fd);

/*
 * As pread(2), but all `size` bytes unless the file ends before: no signal and no short read shows.
 * Negative: errno.
 */
ssize_t tl_file_read_at(int fd, void *data, size_t size, off_t offset);

/* Make the entry of a file in its directory durable. False: errno says why. */
bool tl_file_sync_directory(const char *path);

/* Bytes of a path up to its last component: "a/b" has 2, "b" none. */
int tl_file_directory_length(const char *path);

/* The last part of a path. */
static inline const char *tl_file_base_name(const char *path)
{
	return path + tl_file_directory_length(path);
}
/* That directory, "." for a path without one; for free(). NULL without memory, which errno says. */
char *tl_file_directory(const char *path);

#endif
