/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files without a descriptor, as the program may close all of them, and be given the same again. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream.h"

/* Of a buffer that is full or flushed: all of it, or 0. */
static ssize_t append(void *path, const char *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
	size_t done = 0;
	ssize_t written = 1;

	if (fd < 0)
		return 0;
	while (done < size && written > 0) {
		written = write(fd, bytes + done, size - done);
		done += written > 0 ? (size_t)written : 0;
	}
	close(fd);
	return done == size ? (ssize_t)size : 0;
}

static int forget(void *path)
{
	free(path);
	return 0;
}

FILE *stream_create(const char *path)
{
	const cookie_io_functions_t functions = { .write = append, .close = forget };
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	char *kept = fd < 0 ? NULL : strdup(path);
	FILE *file;

	if (fd >= 0)
		close(fd);
	file = kept ? fopencookie(kept, "w", functions) : NULL;
	if (!file)
		free(kept);
	return file;
}
