/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a source in order: stored bytes into the window, chunks out of it. */
#include "core/source.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/guard.h"

enum { PROGRESS_BYTES = 1024 * 1024 };

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

bool tl_source_changed(const struct tl_source *source)
{
	struct stat st;

	return source->mappable && !fstat(source->fd, &st) && st.st_size >= 0 &&
	       (uint64_t)st.st_size < source->stored_size;
}

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

int tl_source_fill(struct tl_source *source, struct tl_error *err)
{
	if (source->window.is_last)
		return 0;
	if (source->window.left)
		memmove(source->window.buffer, source->window.at, source->window.left);
	source->window.at = source->window.buffer;
	while (!source->window.is_last && source->window.left < TL_SOURCE_BUFFER) {
		uint8_t *end = source->window.buffer + source->window.left;
		ssize_t got = read_some(source->fd, end, TL_SOURCE_BUFFER - source->window.left);

		if (got < 0)
			return tl_error_system(err, "cannot read");
		if (!got && tl_source_changed(source))
			return tl_error_at(err, TL_IO, TL_NOWHERE,
					   "input changed while it was read");
		source->window.left += (size_t)got;
		source->window.is_last = !got;
	}
	return 0;
}

/* ---- expanded bytes ---- */

static void fault(struct tl_source *source, enum tl_status status, const char *text)
{
	tl_error_at(&source->fault, status, source->expanded, text);
	source->ended = true;
}

/* Between two frames: the next bytes must begin a frame, or the input ends. */
static void enter_frame(struct tl_source *source)
{
	while (source->frames.codec->zero_padding && source->window.left && !*source->window.at) {
		source->window.at++;
		source->window.left--;
		source->window.consumed++;
	}
	if (!source->window.left && source->window.is_last)
		source->ended = true;
	else if (source->frames.codec->begins(source->window.at, source->window.left))
		source->frames.between = false;
	else if (source->window.is_last || source->window.left >= TL_CODEC_MAGIC)
		fault(source, TL_BAD_FORMAT,
		      "bytes after the compressed data are not a frame; kept the data before them");
}

/* How far the output may go: small files expand freely, large ones in proportion. */
static uint64_t most_expanded(const struct tl_source *source)
{
	uint64_t most;

	if (__builtin_mul_overflow(source->options.max_ratio, source->window.consumed, &most) ||
	    __builtin_add_overflow(most, source->options.free_expanded, &most))
		return UINT64_MAX;
	return most;
}

/* One call of the decompressor; its output goes behind the bytes that the chunk has already. */
static int expand_once(struct tl_source *source, struct tl_error *err)
{
	struct tl_codec_io io = {
		.in = source->window.at,
		.in_left = source->window.left,
		.out = source->frames.buffer + source->chunk_left,
		.out_left = TL_SOURCE_BUFFER - source->chunk_left,
	};
	int result = source->frames.codec->expand(source->frames.state, &io);
	size_t consumed = source->window.left - io.in_left;
	size_t made = TL_SOURCE_BUFFER - source->chunk_left - io.out_left;
	bool stuck = !result && !consumed && !made;

	source->window.at = io.in;
	source->window.left = io.in_left;
	source->window.consumed += consumed;
	source->frames.between = result > 0;

	uint64_t most = most_expanded(source);
	bool bomb = made > most - source->expanded;

	if (bomb)
		made = (size_t)(most - source->expanded);
	source->chunk_left += made;
	source->expanded += made;
	if (result == TL_NO_MEMORY)
		return tl_error_memory(err);
	if (bomb)
		fault(source, TL_TOO_LARGE,
		      "expands to more than 64 MiB and 512 times its size (or the limit that was "
		      "set); kept the data before; a file expanded beforehand has no limit");
	else if (result < 0)
		fault(source, (enum tl_status)result, io.text);
	else if (stuck)
		fault(source, TL_TRUNCATED,
		      "compressed data is cut short; kept the data before the cut");
	return 0;
}

/* The next expanded chunk, a full buffer if there is so much. */
static int expand(struct tl_source *source, struct tl_error *err)
{
	int status = 0;

	source->chunk = source->frames.buffer;
	while (!status && !source->ended && source->chunk_left < TL_SOURCE_BUFFER) {
		/* Enough to see whether a frame begins. A codec takes all it is given. */
		if (source->window.left < TL_CODEC_MAGIC && !source->window.is_last)
			status = tl_source_fill(source, err);
		else if (source->frames.between)
			enter_frame(source);
		else
			status = expand_once(source, err);
	}
	return status;
}

/* The next chunk of a file that is not compressed: the window itself. */
static int pass(struct tl_source *source, struct tl_error *err)
{
	int status = source->window.left ? 0 : tl_source_fill(source, err);

	source->chunk = source->window.at;
	source->chunk_left = source->window.left;
	source->window.consumed += source->window.left;
	source->expanded += source->window.left;
	source->window.left = 0;
	source->ended = source->window.is_last;
	return status;
}

int tl_source_chunk(struct tl_source *source, struct tl_error *err)
{
	if (source->chunk_left)
		return 1;
	if (source->ended)
		return 0;

	int status = source->frames.codec ? expand(source, err) : pass(source, err);

	if (!status)
		status = tl_source_progress(source, source->window.consumed,
					    source->window.consumed, source->ended, err);
	return status ? status : source->chunk_left != 0;
}

int tl_source_peek(struct tl_source *source, const uint8_t **data, size_t *size,
		   struct tl_error *err)
{
	int status = tl_source_chunk(source, err);

	*data = source->chunk;
	*size = source->chunk_left;
	return tl_error_or_end(status);
}

int64_t tl_source_read(struct tl_source *source, void *buffer, size_t size, struct tl_error *err)
{
	int status = tl_source_chunk(source, err);

	if (status <= 0)
		return status;
	if (size > source->chunk_left)
		size = source->chunk_left;
	memcpy(buffer, source->chunk, size);
	source->chunk += size;
	source->chunk_left -= size;
	return (int64_t)size;
}
