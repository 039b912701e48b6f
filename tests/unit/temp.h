/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_TEMP_H
#define TESTS_UNIT_TEMP_H
/* A directory for one test, and whole files in it. Failures end the test program. */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct temp {
	char directory[256];
	char path[512];
};

static inline void temp_fail(const char *what)
{
	perror(what);
	exit(99);
}

static inline void temp_open(struct temp *temp)
{
	const char *base = getenv("TMPDIR");

	snprintf(temp->directory, sizeof(temp->directory), "%s/tracelathe-test.XXXXXX",
		 base && *base ? base : "/tmp");
	if (!mkdtemp(temp->directory))
		temp_fail(temp->directory);
}

/*
 * The path of a name in the directory; valid until the next call. Without a directory the path
 * would be one of the root's, where a test that runs as root leaves its files.
 */
static inline const char *temp_path(struct temp *temp, const char *name)
{
	if (!temp->directory[0])
		temp_fail("no directory is open");
	snprintf(temp->path, sizeof(temp->path), "%s/%s", temp->directory, name);
	return temp->path;
}

static inline const char *temp_write(struct temp *temp, const char *name, const void *data,
				     size_t size)
{
	const char *path = temp_path(temp, name);
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file))
		temp_fail(path);
	return path;
}

/* A whole file, terminated; the caller frees it. NULL when there is none. */
static inline char *temp_read(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *data = NULL;

	*size = 0;
	if (!file)
		return NULL;
	for (size_t got = 1; got;) {
		data = realloc(data, *size + 65537);
		if (!data)
			temp_fail(path);
		got = fread(data + *size, 1, 65536, file);
		*size += got;
	}
	data[*size] = '\0';
	fclose(file);
	return data;
}

/* How many names the directory holds, hidden ones too. */
static inline int temp_count(const struct temp *temp)
{
	DIR *directory = opendir(temp->directory);
	int count = 0;

	if (!directory)
		temp_fail(temp->directory);
	for (struct dirent *entry; (entry = readdir(directory));)
		count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(directory);
	return count;
}

static inline int temp_unlink(const char *path, const struct stat *st, int flag, struct FTW *walk)
{
	(void)st;
	(void)flag;
	(void)walk;
	return remove(path);
}

static inline void temp_close(struct temp *temp)
{
	nftw(temp->directory, temp_unlink, 8, FTW_DEPTH | FTW_PHYS);
	temp->directory[0] = '\0';
}

#endif
