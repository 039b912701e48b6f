/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a source. */
#include "core/source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/file.h"
#include "core/guard.h"
#include "core/memory.h"
#include "core/sized.h"

static void take_options(struct tl_source *source, const struct tl_source_options *options)
{
	struct tl_source_options *own = &source->options;

	if (options)
		tl_take(own, sizeof(*own), options, options->size);
	if (!own->max_ratio)
		own->max_ratio = 512;
	if (!own->free_expanded)
		own->free_expanded = (uint64_t)64 << 20;
}

static struct tl_source *new_source(const char *name)
{
	struct tl_source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->fd = -1;
	source->name = strdup(name);
	if (source->name)
		return source;
	free(source);
	return NULL;
}

/*
 * ---- a recording that is a directory: that of `perf record --threads` or `--kcore` is its file
 * `data`, and what threads of the recorder wrote, `data.0`, `data.1` and so on; that of `uftrace
 * record` is known by its file `info` ----
 */

static const char *const first_names[] = { "data", "info" };

/* Whether a name is `data.N`, N written as printf does. */
static bool part_number(const char *name, unsigned *number)
{
	char same[32];

	/* What does not fit in a number is not written as it was read. */
	if (sscanf(name, "data.%u", number) != 1)
		return false;
	snprintf(same, sizeof(same), "data.%u", *number);
	return !strcmp(name, same);
}

static int compare_parts(const void *a, const void *b)
{
	const struct tl_source_part *x = a, *y = b;

	return tl_compare(x->number, y->number);
}

/* The failure that errno tells of. */
static int cannot_open(const char *text, struct tl_error *err)
{
	return errno == ENOMEM ? tl_error_memory(err) : tl_error_system(err, text);
}

/* A file of the directory; negative: errno says why. */
static int open_below(const struct tl_source *source, const char *name)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s/%s", source->name, name) < 0)
		return -1;
	fd = tl_file_open_regular(path);
	free(path);
	return fd;
}

static int add_part(struct tl_source *source, const char *name, unsigned number,
		    struct tl_error *err)
{
	struct tl_source_parts *parts = &source->parts;
	struct tl_source_part part = { .number = number };
	struct stat st;

	if (!tl_grow(&parts->list, &parts->capacity, parts->count + 1, sizeof(*parts->list)))
		return tl_error_memory(err);
	part.fd = open_below(source, name);
	if (part.fd < 0)
		return cannot_open("cannot open a file data.N of the directory", err);
	parts->list[parts->count++] = part;
	if (fstat(part.fd, &st))
		return tl_error_system(err, "cannot open a file data.N of the directory");
	parts->list[parts->count - 1].size = (uint64_t)st.st_size;
	return 0;
}

/* All parts, by number: one that is not there is told, since its records are missing. */
static int find_parts(struct tl_source *source, struct tl_error *err)
{
	DIR *directory = opendir(source->name);
	const struct dirent *entry;
	unsigned number;
	int status = 0;

	if (!directory)
		return cannot_open("cannot open", err);
	while (!status && (entry = readdir(directory)))
		if (part_number(entry->d_name, &number))
			status = add_part(source, entry->d_name, number, err);
	closedir(directory);
	if (status < 0 || !source->parts.count)
		return status;
	qsort(source->parts.list, source->parts.count, sizeof(*source->parts.list), compare_parts);
	source->parts.missing = (size_t)source->parts.list[source->parts.count - 1].number + 1 -
				source->parts.count;
	return 0;
}

static int open_directory(struct tl_source *source, struct tl_error *err)
{
	const char *first = first_names[0];
	char *name;
	int data = open_below(source, first), status;

	if (data < 0 && errno == ENOENT) {
		first = first_names[1];
		data = open_below(source, first);
	}
	if (data < 0 && errno == ENOENT) {
		errno = EISDIR;
		return tl_error_system(err, "is a directory");
	}
	if (data < 0)
		return cannot_open("cannot open the first file of the directory", err);
	status = find_parts(source, err);
	close(source->fd);
	source->fd = data;
	if (status < 0)
		return status;
	if (asprintf(&name, "%s/%s", source->name, first) < 0)
		return tl_error_memory(err);
	free(source->name);
	source->name = name;
	return 0;
}

static int open_name(struct tl_source *source, struct stat *st, struct tl_error *err)
{
	int status;

	source->fd =
		strcmp(source->name, "-") ? tl_file_open(source->name, O_RDONLY, 0) : STDIN_FILENO;
	if (source->fd < 0 || fstat(source->fd, st))
		return tl_error_system(err, "cannot open");
	if (!S_ISDIR(st->st_mode))
		return 0;
	status = open_directory(source, err);
	if (status == 0 && fstat(source->fd, st))
		status = tl_error_system(err, "cannot open");
	return status;
}

static int open_file(struct tl_source *source, struct tl_error *err)
{
	struct stat st = { .st_size = 0 };
	int status = open_name(source, &st, err);

	if (status < 0)
		return status;
	/* Files of /proc say 0; standard input may be a file already read in part. */
	if (S_ISREG(st.st_mode) && st.st_size > 0 && lseek(source->fd, 0, SEEK_CUR) == 0) {
		source->mappable = true;
		source->stored_size = (uint64_t)st.st_size;
	}
	source->window.buffer = malloc(TL_SOURCE_BUFFER);
	if (!source->window.buffer)
		return tl_error_memory(err);
	return tl_source_fill(source, err);
}

static int open_codec(struct tl_source *source, struct tl_error *err)
{
	source->frames.codec = tl_codec_find(source->window.at, source->window.left);
	if (!source->frames.codec)
		return 0;
	if (source->frames.codec->absent)
		return tl_error_at(err, TL_UNSUPPORTED, 0, source->frames.codec->absent);
	source->frames.buffer = malloc(TL_SOURCE_BUFFER);
	source->frames.state = source->frames.buffer ? source->frames.codec->open() : NULL;
	if (!source->frames.state)
		return tl_error_memory(err);
	return 0;
}

int tl_source_open(struct tl_source **source, const char *path,
		   const struct tl_source_options *options, struct tl_error *err)
{
	struct tl_source *opened = new_source(path);
	int status;

	*source = NULL;
	if (!opened)
		return tl_error_memory(err);
	take_options(opened, options);
	opened->lost_pages = tl_guard_lost_pages();
	status = open_file(opened, err);
	if (!status)
		status = open_codec(opened, err);
	if (!status)
		*source = opened;
	else
		tl_source_close(opened);
	return status;
}

int tl_source_open_memory(struct tl_source **source, const void *data, size_t size,
			  const char *name, struct tl_error *err)
{
	struct tl_source *opened = new_source(name);
	int status;

	*source = NULL;
	if (!opened)
		return tl_error_memory(err);
	take_options(opened, NULL);
	opened->lost_pages = tl_guard_lost_pages();
	opened->window.at = data;
	opened->window.left = size;
	opened->window.is_last = true;
	opened->stored_size = size;
	status = open_codec(opened, err);
	if (!status)
		*source = opened;
	else
		tl_source_close(opened);
	return status;
}

static void close_parts(struct tl_source *source)
{
	for (size_t i = 0; i < source->parts.count; i++)
		close(source->parts.list[i].fd);
	free(source->parts.list);
}

void tl_source_close(struct tl_source *source)
{
	if (!source)
		return;
	tl_source_unmap(source);
	if (source->frames.state)
		source->frames.codec->close(source->frames.state);
	if (source->fd >= 0 && strcmp(source->name, "-"))
		close(source->fd);
	close_parts(source);
	free(source->following);
	free(source->window.buffer);
	free(source->frames.buffer);
	free(source->name);
	free(source);
}

const char *tl_source_name(const struct tl_source *source)
{
	return source->name;
}

uint64_t tl_source_stored_size(const struct tl_source *source)
{
	return source->stored_size;
}

const char *tl_source_compression(const struct tl_source *source)
{
	return source->frames.codec ? source->frames.codec->name : "none";
}

const struct tl_error *tl_source_fault(const struct tl_source *source)
{
	return source->fault.status ? &source->fault : NULL;
}
