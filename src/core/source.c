/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a source. */
#include "core/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"
#include "core/guard.h"
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

static int open_file(struct tl_source *source, struct tl_error *err)
{
	struct stat st;

	source->fd =
		strcmp(source->name, "-") ? tl_file_open(source->name, O_RDONLY, 0) : STDIN_FILENO;
	if (source->fd < 0 || fstat(source->fd, &st))
		return tl_error_system(err, "cannot open");
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return tl_error_system(err, "is a directory");
	}
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

void tl_source_close(struct tl_source *source)
{
	if (!source)
		return;
	tl_source_unmap(source);
	if (source->frames.state)
		source->frames.codec->close(source->frames.state);
	if (source->fd >= 0 && strcmp(source->name, "-"))
		close(source->fd);
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
