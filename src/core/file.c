/* SPDX-License-Identifier: Apache-2.0 */
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_FREE = STDERR_FILENO + 1, FROM_NAME = O_RDONLY | O_NONBLOCK | O_NOCTTY };

static void close_quietly(int fd)
{
	int error = errno;

	close(fd);
	errno = error;
}

/* Move a descriptor away from those of the standard streams. */
static int above_standard(int fd)
{
	int moved;

	if (fd < 0 || fd >= FIRST_FREE)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE);
	close_quietly(fd);
	return moved;
}

int tl_file_open(const char *path, int flags, mode_t mode)
{
	int fd;

	do
		fd = open(path, flags | O_CLOEXEC, mode);
	while (fd < 0 && errno == EINTR);
	return above_standard(fd);
}

int tl_file_make_temporary(char *pattern)
{
	return above_standard(mkostemp(pattern, O_CLOEXEC));
}

/* ---- regular files ---- */

typedef bool fits_fn(const struct stat *about);

static bool is_regular(const struct stat *about)
{
	return S_ISREG(about->st_mode);
}

/* Another owner could replace the contents at any time. */
static bool is_usual(const struct stat *about)
{
	return S_ISREG(about->st_mode) && (about->st_uid == 0 || about->st_uid == geteuid());
}

bool tl_file_may_be_named(const char *path)
{
	struct stat about;

	return !stat(path, &about) && is_usual(&about);
}

/*
 * Open the file behind a descriptor of O_PATH. Without /proc: open the path again, and check that
 * it is the same file.
 */
static int open_found(int found, const char *path, const struct stat *about)
{
	char link[sizeof("/proc/self/fd/") + 3 * sizeof(int)];
	struct stat again;
	int fd;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", found);
	fd = tl_file_open(link, FROM_NAME, 0);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	fd = tl_file_open(path, FROM_NAME, 0);
	if (fd < 0 ||
	    (!fstat(fd, &again) && again.st_dev == about->st_dev && again.st_ino == about->st_ino))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

static int open_fitting(const char *path, fits_fn *fits)
{
	int found = tl_file_open(path, O_PATH, 0), fd = -1;
	struct stat about;

	if (found < 0)
		return -1;
	if (fstat(found, &about) == 0) {
		errno = EPERM;
		fd = fits(&about) ? open_found(found, path, &about) : -1;
	}
	close_quietly(found);
	return fd;
}

int tl_file_open_regular(const char *path)
{
	return open_fitting(path, is_regular);
}

int tl_file_open_named(const char *path)
{
	return open_fitting(path, is_usual);
}

/* ---- reading ---- */

int tl_file_make_in_memory(void)
{
	return above_standard(memfd_create("tracelathe", MFD_CLOEXEC));
}

int tl_file_copy(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE);
}

ssize_t tl_file_read_at(int fd, void *data, size_t size, off_t offset)
{
	size_t at = 0;

	while (at < size) {
		ssize_t got = pread(fd, (char *)data + at, size - at, offset + (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		at += (size_t)got;
	}
	return (ssize_t)at;
}

/* ---- directories ---- */

int tl_file_directory_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) + 1 : 0;
}

char *tl_file_directory(const char *path)
{
	int length = tl_file_directory_length(path);

	return length ? strndup(path, (size_t)length) : strdup(".");
}

/*
 * A directory that may be written but not read cannot be synchronised, and some file systems have
 * no need of it.
 */
static bool is_no_failure(int error)
{
	return error == EACCES || error == EINVAL || error == EROFS;
}

bool tl_file_sync_directory(const char *path)
{
	char *directory = tl_file_directory(path);
	int fd, failed;

	if (!directory)
		return false;
	fd = tl_file_open(directory, O_RDONLY | O_DIRECTORY, 0);
	free(directory);
	if (fd < 0)
		return is_no_failure(errno);
	do
		failed = fsync(fd);
	while (failed && errno == EINTR);
	close_quietly(fd);
	return !failed || is_no_failure(errno);
}
