/* SPDX-License-Identifier: Apache-2.0 */
#include "core/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"
#include "core/arithmetic.h"
#include "core/tables/at_first.h"

enum { BUFFER_BYTES = TL_AT_FIRST(64 * 1024, 1024) };

struct tl_output {
	struct tl_output_buffer buffer; /* must be first: output.h writes through it */
	char *start;
	int fd;       /* -1: bytes stay in memory */
	char *target; /* NULL: not opened by us */
	bool unnamed; /* the file has no name yet */
	bool used;    /* bytes were taken out of the buffer */
	bool terminal;
	/* the name until it is finished, NULL: none; also read by a signal handler */
	_Atomic(char *) temp;
	struct tl_error error; /* the first one met */
};

/* ---- bytes out ---- */

/* Keep the first error only: later ones are its consequences. */
static void fail(struct tl_output *out, enum tl_status status, const char *text)
{
	if (out->error.status)
		return;
	if (status == TL_IO && errno == ENOMEM)
		tl_error_memory(&out->error);
	else if (status == TL_IO)
		tl_error_system(&out->error, text);
	else
		tl_error_at(&out->error, status, TL_NOWHERE, text);
}

/* True when a refused write is worth another try. */
static bool write_again(int fd)
{
	if (errno == EINTR)
		return true;
	if (errno != EAGAIN)
		return false;
	/* Someone else made the pipe or terminal non-blocking. */
	return poll(&(struct pollfd){ .fd = fd, .events = POLLOUT }, 1, -1) >= 0 || errno == EINTR;
}

/*
 * Bytes that no text for a terminal has: control characters but those that move the cursor (BEL to
 * CR) and ESC. Every binary form has some in its first bytes.
 */
static bool is_binary(const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)data[i] < ' ' && (data[i] < '\a' || data[i] > '\r') &&
		    data[i] != '\033')
			return true;
	return false;
}

static void write_all(struct tl_output *out, const char *data, size_t size)
{
	if (out->terminal && is_binary(data, size))
		fail(out, TL_BAD_USAGE,
		     "binary output is not written to a terminal; write it to a file or a pipe");
	while (size && !out->error.status) {
		ssize_t done = write(out->fd, data, size);

		if (done >= 0) {
			data += done;
			size -= (size_t)done;
		} else if (!write_again(out->fd)) {
			fail(out, TL_IO, "cannot write");
		}
	}
}

static void flush(struct tl_output *out)
{
	out->used |= out->buffer.pos > out->start;
	write_all(out, out->start, (size_t)(out->buffer.pos - out->start));
	out->buffer.pos = out->start;
}

/* After a failure the bytes gathered are given up, so that the buffer has room again. */
static void grow(struct tl_output *out, size_t size)
{
	size_t used = (size_t)(out->buffer.pos - out->start);
	size_t capacity = (size_t)(out->buffer.end - out->start);
	size_t want = capacity + tl_max(size, capacity);
	char *grown = NULL;

	if (size <= PTRDIFF_MAX - capacity && !out->error.status)
		grown = malloc(want);
	if (!grown) {
		fail(out, TL_NO_MEMORY, "out of memory");
		out->buffer.pos = out->start;
		return;
	}
	memcpy(grown, out->start, used);
	free(out->start);
	out->start = grown;
	out->buffer = (struct tl_output_buffer){ grown + used, grown + want };
}

void tl_output_make_room(struct tl_output *out, size_t size)
{
	if (out->fd < 0)
		grow(out, size);
	else
		flush(out);
}

void tl_output_write(struct tl_output *out, const void *data, size_t size)
{
	if (size > (size_t)(out->buffer.end - out->buffer.pos)) {
		tl_output_make_room(out, size);
		if (out->error.status)
			return;
		if (size > (size_t)(out->buffer.end - out->buffer.pos)) {
			out->used = true;
			write_all(out, data, size);
			return;
		}
	}
	if (size)
		memcpy(out->buffer.pos, data, size);
	out->buffer.pos += size;
}

void tl_put_format(struct tl_output *out, const char *format, ...)
{
	char *room = tl_output_room(out, TL_OUTPUT_ROOM), *text;
	va_list args, again;

	va_start(args, format);
	va_copy(again, args);
	int size = vsnprintf(room, TL_OUTPUT_ROOM, format, args);

	if (size >= 0 && size < TL_OUTPUT_ROOM) {
		tl_output_advance(out, room + size);
	} else if (vasprintf(&text, format, again) >= 0) {
		tl_output_write(out, text, strlen(text));
		free(text);
	} else {
		fail(out, TL_NO_MEMORY, "out of memory");
	}
	va_end(again);
	va_end(args);
}

bool tl_output_used(const struct tl_output *out)
{
	return out->used || out->buffer.pos > out->start;
}

bool tl_output_failed(const struct tl_output *out)
{
	return out->error.status != TL_OK;
}

const char *tl_output_bytes(struct tl_output *out, size_t *size)
{
	bool has = out->fd < 0 && !out->error.status;

	*size = has ? (size_t)(out->buffer.pos - out->start) : 0;
	return has ? out->start : "";
}

void tl_output_clear(struct tl_output *out)
{
	out->buffer.pos = out->start;
}

/* ---- open ---- */

static struct tl_output *new_output(void)
{
	struct tl_output *out = calloc(1, sizeof(*out));

	if (!out)
		return NULL;
	out->start = malloc(BUFFER_BYTES);
	if (!out->start) {
		free(out);
		return NULL;
	}
	out->buffer = (struct tl_output_buffer){ out->start, out->start + BUFFER_BYTES };
	out->fd = -1;
	return out;
}

/* Replace *path by the target of the link at that path. False: errno says why. */
static bool follow_link(char **path)
{
	char link[4096], *next;
	ssize_t size = readlink(*path, link, sizeof(link));

	if (size < 0)
		return false;

	int directory = link[0] == '/' ? 0 : tl_file_directory_length(*path);

	if (asprintf(&next, "%.*s%.*s", directory, *path, (int)size, link) < 0)
		return false;
	free(*path);
	*path = next;
	return true;
}

/*
 * The name to rename to: links of the last component are followed, so that a link is not replaced
 * by a file, and a dangling link names a new file. Links of /proc (/dev/stdout, /dev/fd/N) lead to
 * open files, not to names: they are `special`. NULL: errno says why.
 */
static char *resolve(const char *path, bool *special)
{
	char *at = strdup(path);
	struct stat st, proc;
	bool has_proc = !stat("/proc/self", &proc);

	for (int links = 0; at && !lstat(at, &st) && S_ISLNK(st.st_mode); links++) {
		*special = *special || (has_proc && st.st_dev == proc.st_dev);
		errno = ELOOP;
		if (*special)
			break;
		if (links == 40 || !follow_link(&at)) {
			free(at);
			return NULL;
		}
	}
	return at;
}

/* Six random letters. */
static void random_letters(char *letters)
{
	uint64_t bits = 0;

	if (getrandom(&bits, sizeof(bits), 0) < 0)
		bits = (uint64_t)getpid();
	for (int i = 0; i < 6; i++, bits /= 26)
		letters[i] = (char)('a' + bits % 26);
}

/* `.NAME.XXXXXX` beside the target, the letters still to be chosen; NULL without memory. */
static char *temporary_name(const struct tl_output *out)
{
	int directory = tl_file_directory_length(out->target);
	char *name;

	/* A name has room for 255 bytes. */
	if (asprintf(&name, "%.*s.%.200s.XXXXXX", directory, out->target,
		     out->target + directory) >= 0)
		return name;
	errno = ENOMEM;
	return NULL;
}

/* Set or take back the name that a signal handler may read at any time. */
static void set_temporary(struct tl_output *out, char *name)
{
	char *old = atomic_exchange(&out->temp, name);

	free(old);
}

static int create_named(struct tl_output *out, mode_t mode)
{
	char *name = temporary_name(out);

	if (!name)
		return -1;
	for (int tries = 0; tries < 100; tries++) {
		random_letters(name + strlen(name) - 6);
		out->fd = tl_file_open(name, O_WRONLY | O_CREAT | O_EXCL, mode);
		if (out->fd >= 0 || errno != EEXIST)
			break;
	}
	if (out->fd >= 0) {
		atomic_store(&out->temp, name);
		return 0;
	}
	free(name);
	return -1;
}

/*
 * A file that has no name goes away with the process, however that ends. Not every file system has
 * such files.
 */
static bool create_unnamed(struct tl_output *out, mode_t mode)
{
	char *directory;

	/* The way to name it is a link of /proc. */
	if (access("/proc/self/fd", X_OK))
		return false;
	directory = tl_file_directory(out->target);
	if (!directory)
		return false;
	out->fd = tl_file_open(directory, O_TMPFILE | O_WRONLY, mode);
	free(directory);
	out->unnamed = out->fd >= 0;
	return out->unnamed;
}

/*
 * A new file in the directory of the target. The umask holds for it unless it takes the place of an
 * old one.
 */
static int create_temporary(struct tl_output *out, const struct stat *old)
{
	mode_t mode = old ? 0600 : 0666;

	if (!create_unnamed(out, mode) && create_named(out, mode))
		return -1;
	return old ? fchmod(out->fd, old->st_mode & 0777) : 0;
}

static int open_path(struct tl_output *out, const char *path)
{
	bool special = false;
	struct stat st;

	out->target = resolve(path, &special);
	if (!out->target)
		return -1;
	if (stat(path, &st)) {
		/* Not there yet. The empty path names no file. */
		if (errno == ENOENT && *path)
			return create_temporary(out, NULL);
		return -1;
	}
	if (special || !S_ISREG(st.st_mode)) {
		/* Append, since other processes may write to the same file. */
		out->fd = tl_file_open(path, O_WRONLY | O_APPEND, 0);
		return out->fd < 0 ? -1 : 0;
	}
	/* A rename would replace a file that is protected against writing. */
	if (faccessat(AT_FDCWD, out->target, W_OK, AT_EACCESS))
		return -1;
	return create_temporary(out, &st);
}

int tl_output_open(struct tl_output **out, const char *path, struct tl_error *err)
{
	struct tl_output *opened = new_output();

	*out = NULL;
	if (!opened)
		return tl_error_memory(err);
	if (!path || !strcmp(path, "-")) {
		opened->fd = STDOUT_FILENO;
		opened->terminal = isatty(STDOUT_FILENO);
	} else if (open_path(opened, path)) {
		int status = errno == ENOMEM ? tl_error_memory(err)
					     : tl_error_system(err, "cannot open for writing");

		tl_output_discard(opened);
		return status;
	}
	*out = opened;
	return 0;
}

int tl_output_open_descriptor(struct tl_output **out, int fd, struct tl_error *err)
{
	*out = new_output();
	if (!*out)
		return tl_error_memory(err);
	(*out)->fd = fd;
	return 0;
}

int tl_output_open_memory(struct tl_output **out, struct tl_error *err)
{
	*out = new_output();
	if (!*out)
		return tl_error_memory(err);
	return 0;
}

void tl_output_make_executable(struct tl_output *out)
{
	struct stat st;

	if (!(out->temp || out->unnamed) || out->error.status)
		return;
	if (fstat(out->fd, &st) || fchmod(out->fd, st.st_mode | (st.st_mode & 0444) >> 2))
		fail(out, TL_IO, "cannot make the file executable");
}

/* ---- close ---- */

/* Give the file the name of a temporary one beside the target. */
static bool link_unnamed(struct tl_output *out)
{
	char *name = temporary_name(out), file[sizeof("/proc/self/fd/") + 3 * sizeof(int)];
	bool linked = false;

	if (!name)
		return false;
	snprintf(file, sizeof(file), "/proc/self/fd/%d", out->fd);
	atomic_store(&out->temp, name);
	for (int tries = 0; tries < 100 && !linked; tries++) {
		random_letters(name + strlen(name) - 6);
		linked = !linkat(AT_FDCWD, file, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
		if (!linked && errno != EEXIST)
			break;
	}
	if (!linked)
		set_temporary(out, NULL);
	return linked;
}

static void sync_file(struct tl_output *out)
{
	int failed;

	do
		failed = fsync(out->fd);
	while (failed && errno == EINTR);
	/* Some file systems have no need of it. */
	if (failed && errno != EINVAL)
		fail(out, TL_IO, "cannot write");
}

/* Some file systems report a failed write only when the file is closed. */
static void close_file(struct tl_output *out)
{
	/* Linux closes the file also where a signal interrupts that. */
	if (close(out->fd) && errno != EINTR)
		fail(out, TL_IO, "cannot write");
	out->fd = -1;
}

static void put_in_place(struct tl_output *out)
{
	if (rename(out->temp, out->target)) {
		fail(out, TL_IO, "cannot rename the finished file");
		return;
	}
	set_temporary(out, NULL);
	if (!tl_file_sync_directory(out->target))
		fail(out, TL_IO, "the file is complete, but its directory cannot be synchronised");
}

static void finish(struct tl_output *out)
{
	flush(out);
	if (out->error.status || !(out->temp || out->unnamed))
		return;
	sync_file(out);
	if (!out->error.status && out->unnamed && !link_unnamed(out))
		fail(out, TL_IO, "cannot name the finished file");
	close_file(out);
	if (!out->error.status)
		put_in_place(out);
}

int tl_output_finish(struct tl_output *out, struct tl_error *err)
{
	if (out->fd >= 0)
		finish(out);
	if (out->error.status && err)
		*err = out->error;
	return out->error.status;
}

int tl_output_commit(struct tl_output *out, struct tl_error *err)
{
	int status = tl_output_finish(out, err);

	tl_output_discard(out);
	return status;
}

void tl_output_discard(struct tl_output *out)
{
	if (!out)
		return;
	tl_output_abandon(out);
	if (out->fd >= 0 && out->target)
		close(out->fd);
	set_temporary(out, NULL);
	free(out->target);
	free(out->start);
	free(out);
}

void tl_output_abandon(struct tl_output *out)
{
	const char *temp = out->temp;

	if (temp)
		unlink(temp);
}
