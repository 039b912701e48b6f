/* SPDX-License-Identifier: Apache-2.0 */
#include "core/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"
#include "core/guard.h"

enum { BUFFER_BYTES = 256 * 1024, PROGRESS_BYTES = 1024 * 1024 };

int tl_source_progress(struct tl_source *source, uint64_t at, uint64_t done, bool end,
		       struct tl_error *err)
{
	/* Each further page that is gone would cost a signal, and the work is lost anyway. */
	if (tl_guard_lost_pages() != source->lost_pages)
		return tl_error_at(err, TL_IO, TL_NOWHERE, "input changed while it was read");
	if (!source->options.progress || (at < source->reported + PROGRESS_BYTES && !end))
		return 0;
	source->reported = at;
	if (!source->options.progress(source->options.progress_arg, done, source->stored_size))
		return 0;
	errno = ECANCELED;
	return tl_error_system(err, "cancelled");
}

/* ---- stored bytes ---- */

/* Bytes read, 0 at the end, -1: errno says why. */
static ssize_t read_some(int fd, uint8_t *data, size_t size)
{
	for (;;) {
		ssize_t got = read(fd, data, size);

		if (got >= 0)
			return got;
		if (errno == EAGAIN)
			poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, -1);
		else if (errno != EINTR)
			return -1;
	}
}

/*
 * Fill the window whole, also from a pipe that gives little at a time: how the input is cut must
 * not show in what comes out.
 */
static int fill(struct tl_source *source, struct tl_error *err)
{
	if (source->in_end)
		return 0;
	if (source->in_left)
		memmove(source->in_buffer, source->in, source->in_left);
	source->in = source->in_buffer;
	while (!source->in_end && source->in_left < BUFFER_BYTES) {
		uint8_t *end = source->in_buffer + source->in_left;
		ssize_t got = read_some(source->fd, end, BUFFER_BYTES - source->in_left);

		if (got < 0)
			return tl_error_system(err, "cannot read");
		if (!got && tl_source_changed(source))
			return tl_error_at(err, TL_IO, TL_NOWHERE,
					   "input changed while it was read");
		source->in_left += (size_t)got;
		source->in_end = !got;
	}
	return 0;
}

/* ---- expanded bytes ---- */

static void fault(struct tl_source *source, enum tl_status status, const char *text)
{
	tl_error_at(&source->fault, status, source->expanded, text);
	source->ended = true;
}

/* Between two frames: what follows must be a frame, or the end. */
static void enter_frame(struct tl_source *source)
{
	while (source->codec->zero_padding && source->in_left && !*source->in) {
		source->in++;
		source->in_left--;
		source->consumed++;
	}
	if (!source->in_left && source->in_end)
		source->ended = true;
	else if (source->codec->begins(source->in, source->in_left))
		source->between_frames = false;
	else if (source->in_end || source->in_left >= TL_CODEC_MAGIC)
		fault(source, TL_BAD_FORMAT,
		      "bytes after the compressed data are not a frame; kept what came before");
}

/* How far the output may go: small files expand freely, large ones in proportion. */
static uint64_t most_expanded(const struct tl_source *source)
{
	uint64_t most;

	if (__builtin_mul_overflow(source->options.max_ratio, source->consumed, &most) ||
	    __builtin_add_overflow(most, source->options.free_expanded, &most))
		return UINT64_MAX;
	return most;
}

/* One call of the decompressor, with room at the end of the piece. */
static int expand_once(struct tl_source *source, struct tl_error *err)
{
	struct tl_codec_io io = {
		.in = source->in,
		.in_left = source->in_left,
		.out = source->out_buffer + source->piece_left,
		.out_left = BUFFER_BYTES - source->piece_left,
	};
	int result = source->codec->expand(source->codec_state, &io);
	size_t consumed = source->in_left - io.in_left;
	size_t made = BUFFER_BYTES - source->piece_left - io.out_left;
	bool stuck = !result && !consumed && !made;

	source->in = io.in;
	source->in_left = io.in_left;
	source->consumed += consumed;
	source->between_frames = result > 0;

	uint64_t most = most_expanded(source);
	bool bomb = made > most - source->expanded;

	if (bomb)
		made = (size_t)(most - source->expanded);
	source->piece_left += made;
	source->expanded += made;
	if (result == TL_NO_MEMORY)
		return tl_error_memory(err);
	if (bomb)
		fault(source, TL_TOO_LARGE,
		      "expands to more than the guard allows; kept what came before");
	else if (result < 0)
		fault(source, (enum tl_status)result, io.text);
	else if (stuck)
		fault(source, TL_TRUNCATED, "compressed data is cut short; kept what came before");
	return 0;
}

/* The next expanded piece, a full buffer if there is so much. */
static int expand(struct tl_source *source, struct tl_error *err)
{
	int status = 0;

	source->piece = source->out_buffer;
	while (!status && !source->ended && source->piece_left < BUFFER_BYTES) {
		/* Enough to see whether a frame begins. A codec takes all it is given. */
		if (source->in_left < TL_CODEC_MAGIC && !source->in_end)
			status = fill(source, err);
		else if (source->between_frames)
			enter_frame(source);
		else
			status = expand_once(source, err);
	}
	return status;
}

/* The next piece of a file that is not compressed: the window itself. */
static int pass(struct tl_source *source, struct tl_error *err)
{
	int status = source->in_left ? 0 : fill(source, err);

	source->piece = source->in;
	source->piece_left = source->in_left;
	source->consumed += source->in_left;
	source->expanded += source->in_left;
	source->in_left = 0;
	source->ended = source->in_end;
	return status;
}

int tl_source_piece(struct tl_source *source, struct tl_error *err)
{
	if (source->piece_left)
		return 1;
	if (source->ended)
		return 0;

	int status = source->codec ? expand(source, err) : pass(source, err);

	if (!status)
		status = tl_source_progress(source, source->consumed, source->consumed,
					    source->ended, err);
	return status ? status : source->piece_left != 0;
}

int tl_source_peek(struct tl_source *source, const uint8_t **data, size_t *size,
		   struct tl_error *err)
{
	int status = tl_source_piece(source, err);

	*data = source->piece;
	*size = source->piece_left;
	return status < 0 ? status : 0;
}

int64_t tl_source_read(struct tl_source *source, void *buffer, size_t size, struct tl_error *err)
{
	int status = tl_source_piece(source, err);

	if (status <= 0)
		return status;
	if (size > source->piece_left)
		size = source->piece_left;
	memcpy(buffer, source->piece, size);
	source->piece += size;
	source->piece_left -= size;
	return (int64_t)size;
}

/* ---- open and close ---- */

static void take_options(struct tl_source *source, const struct tl_source_options *options)
{
	struct tl_source_options *own = &source->options;

	if (options)
		memcpy(own, options, options->size < sizeof(*own) ? options->size : sizeof(*own));
	if (!own->max_ratio)
		own->max_ratio = 512;
	if (!own->free_expanded)
		own->free_expanded = (uint64_t)1 << 30;
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
	source->in_buffer = malloc(BUFFER_BYTES);
	if (!source->in_buffer)
		return tl_error_memory(err);
	return fill(source, err);
}

static int open_codec(struct tl_source *source, struct tl_error *err)
{
	source->codec = tl_codec_find(source->in, source->in_left);
	if (!source->codec)
		return 0;
	source->out_buffer = malloc(BUFFER_BYTES);
	source->codec_state = source->out_buffer ? source->codec->open() : NULL;
	return source->codec_state ? 0 : tl_error_memory(err);
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

	*source = NULL;
	if (!opened)
		return tl_error_memory(err);
	take_options(opened, NULL);
	opened->lost_pages = tl_guard_lost_pages();
	opened->in = data;
	opened->in_left = size;
	opened->in_end = true;
	opened->stored_size = size;
	if (open_codec(opened, err)) {
		tl_source_close(opened);
		return TL_NO_MEMORY;
	}
	*source = opened;
	return 0;
}

void tl_source_close(struct tl_source *source)
{
	if (!source)
		return;
	tl_source_unmap(source);
	if (source->codec_state)
		source->codec->close(source->codec_state);
	if (source->fd >= 0 && strcmp(source->name, "-"))
		close(source->fd);
	free(source->in_buffer);
	free(source->out_buffer);
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

bool tl_source_changed(const struct tl_source *source)
{
	struct stat st;

	return source->mappable && !fstat(source->fd, &st) && st.st_size >= 0 &&
	       (uint64_t)st.st_size < source->stored_size;
}

const char *tl_source_compression(const struct tl_source *source)
{
	return source->codec ? source->codec->name : "none";
}

const struct tl_error *tl_source_fault(const struct tl_source *source)
{
	return source->fault.status ? &source->fault : NULL;
}
