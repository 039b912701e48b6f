/* SPDX-License-Identifier: Apache-2.0 */
#include "core/source.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"

/* The address of no bytes. */
static const uint8_t nothing;

/* Whether so many bytes leave little of the address space to everything else. */
static bool takes_most(uint64_t size)
{
	struct rlimit limit;
	uint64_t space = SIZE_MAX;

	if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur < space)
		space = limit.rlim_cur;
	return size > space / 4;
}

static int map_descriptor(struct tl_source *source, int fd, uint64_t size, int flags,
			  struct tl_error *err)
{
	void *map;

	if (size > PTRDIFF_MAX)
		return tl_error_at(err, TL_TOO_LARGE, TL_NOWHERE, "larger than the address space");
	if (source->mapping.may_be_viewed && takes_most(size)) {
		source->mapping.viewed = true;
		source->mapping.fd = fd;
		source->mapping.size = (size_t)size;
		return 0;
	}
	map = mmap(NULL, (size_t)size, PROT_READ, flags, fd, 0);
	if (map == MAP_FAILED)
		return errno == ENOMEM ? tl_error_memory(err) : tl_error_system(err, "cannot map");
	source->mapping.data = map;
	source->mapping.size = (size_t)size;
	source->mapping.is_ours = true;
	return 0;
}

int tl_open_unlinked(struct tl_error *err)
{
	const char *directory = secure_getenv("TMPDIR");
	char *name;
	int fd;

	if (!directory || !*directory)
		directory = "/var/tmp";
	fd = tl_file_open(directory, O_TMPFILE | O_RDWR | O_EXCL, 0600);
	if (fd >= 0)
		return fd;
	/* Not every file system has files without a name. */
	if (asprintf(&name, "%s/tracelathe.XXXXXX", directory) < 0)
		return tl_error_memory(err);
	fd = tl_file_make_temporary(name);
	if (fd >= 0)
		unlink(name);
	else
		tl_error_system(err, "cannot make a temporary file");
	free(name);
	return fd < 0 ? TL_IO : fd;
}

static int write_all(int fd, const uint8_t *data, size_t size, struct tl_error *err)
{
	while (size) {
		ssize_t done = write(fd, data, size);

		if (done >= 0) {
			data += done;
			size -= (size_t)done;
		} else if (errno != EINTR) {
			return tl_error_system(err, "cannot write the temporary file");
		}
	}
	return 0;
}

/* A thread that writes chunks, so that the next one is expanded at the same time. */
struct writer {
	int fd;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const uint8_t *data; /* to be written; NULL: nothing is */
	size_t size;
	bool over; /* nothing follows */
	int status;
	struct tl_error err;
};

static void *write_chunks(void *arg)
{
	struct writer *w = arg;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		int status = w->status;

		while (!w->data && !w->over)
			pthread_cond_wait(&w->changed, &w->lock);
		if (!w->data)
			break;
		pthread_mutex_unlock(&w->lock);
		if (status == 0)
			status = write_all(w->fd, w->data, w->size, &w->err);
		pthread_mutex_lock(&w->lock);
		w->status = status;
		w->data = NULL;
		pthread_cond_signal(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* Wait for the chunk before to be written; then hand over another, NULL: none follows. */
static int hand_over(struct writer *w, const uint8_t *data, size_t size)
{
	int status;

	pthread_mutex_lock(&w->lock);
	while (w->data)
		pthread_cond_wait(&w->changed, &w->lock);
	w->data = data;
	w->size = size;
	w->over = !data;
	status = w->status;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	return status;
}

/* Chunks are expanded to either of two buffers; one of them is `other`. */
static int expand_chunks(struct tl_source *source, struct writer *w, uint8_t **other,
			 struct tl_error *err)
{
	int status = 0;

	while (!status && (status = tl_source_chunk(source, err)) > 0) {
		uint8_t *buffer = source->frames.buffer;

		status = hand_over(w, source->chunk, source->chunk_left);
		source->chunk_left = 0;
		source->frames.buffer = *other;
		*other = buffer;
	}
	return status;
}

/*
 * spool_source() with a thread that writes. An error of the thread is that of an earlier chunk. 1:
 * there is no thread, or no memory for it.
 */
static int spool_with_thread(struct tl_source *source, int fd, struct tl_error *err)
{
	struct writer w = { .fd = fd };
	uint8_t *other = malloc(TL_SOURCE_BUFFER);
	int status = 1;

	if (!other)
		return 1;
	pthread_mutex_init(&w.lock, NULL);
	pthread_cond_init(&w.changed, NULL);
	if (!pthread_create(&w.thread, NULL, write_chunks, &w)) {
		status = expand_chunks(source, &w, &other, err);
		hand_over(&w, NULL, 0);
		pthread_join(w.thread, NULL);
		if (w.status < 0) {
			status = w.status;
			if (err)
				*err = w.err;
		}
	}
	pthread_cond_destroy(&w.changed);
	pthread_mutex_destroy(&w.lock);
	free(other);
	return status;
}

/* So many bytes, as they are stored, are worth a thread; the window has more if there are. */
enum { WORTH_THREAD = 64 << 10 };

static int spool_source(struct tl_source *source, int fd, struct tl_error *err)
{
	int status = 1;

	if (source->frames.codec && source->window.left >= WORTH_THREAD)
		status = spool_with_thread(source, fd, err);
	if (status <= 0)
		return status;
	status = 0;
	while (!status && (status = tl_source_chunk(source, err)) > 0) {
		status = write_all(fd, source->chunk, source->chunk_left, err);
		source->chunk_left = 0;
	}
	return status;
}

/* Damage of one that follows is told as that of the whole, at its place there. */
static int spool_following(struct tl_source *source, int fd, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < source->following_count; i++) {
		struct tl_source_following *f = &source->following[i];
		off_t begin = lseek(fd, 0, SEEK_CUR);

		if (begin < 0)
			return tl_error_system(err, "cannot write the temporary file");
		f->begin = (uint64_t)begin;
		status = spool_source(f->source, fd, err);
		if (f->source->fault.status && !source->fault.status) {
			source->fault = f->source->fault;
			source->fault.offset += f->begin;
		}
	}
	return status;
}

static int spool(struct tl_source *source, struct tl_error *err)
{
	int fd = tl_open_unlinked(err), status;
	off_t size;

	if (fd < 0)
		return fd;
	status = spool_source(source, fd, err);
	if (!status)
		status = spool_following(source, fd, err);
	if (!status && (size = lseek(fd, 0, SEEK_END)) > 0)
		status = map_descriptor(source, fd, (uint64_t)size, MAP_SHARED, err);
	if (!source->mapping.viewed)
		close(fd);
	return status;
}

/* ---- the files of a directory ---- */

/* `size` bytes of a file at `at`; the rest of its last page is zero. */
static int map_at(uint8_t *at, int fd, uint64_t size, struct tl_error *err)
{
	if (!size)
		return 0;
	if (mmap(at, (size_t)size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) != MAP_FAILED)
		return 0;
	return errno == ENOMEM ? tl_error_memory(err) : tl_error_system(err, "cannot map");
}

static uint64_t whole_pages(uint64_t size)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (size + page - 1) / page * page;
}

static int map_parts(struct tl_source *source, struct tl_error *err)
{
	uint64_t size = whole_pages(source->stored_size);
	uint8_t *map;
	int status;

	if (source->frames.codec)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "the first file of a directory is compressed");
	for (size_t i = 0; i < source->parts.count; i++) {
		source->parts.list[i].begin = size;
		size += whole_pages(source->parts.list[i].size);
	}
	if (size > PTRDIFF_MAX)
		return tl_error_at(err, TL_TOO_LARGE, TL_NOWHERE, "larger than the address space");
	map = mmap(NULL, (size_t)size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		   0);
	if (map == MAP_FAILED)
		return tl_error_memory(err);
	source->mapping = (struct tl_source_mapping){
		.data = map,
		.size = (size_t)size,
		.is_ours = true,
	};
	status = map_at(map, source->fd, source->stored_size, err);
	for (size_t i = 0; status == 0 && i < source->parts.count; i++)
		status = map_at(map + source->parts.list[i].begin, source->parts.list[i].fd,
				source->parts.list[i].size, err);
	if (status == 0)
		return 0;
	tl_source_unmap(source);
	source->mapping = (struct tl_source_mapping){ .data = NULL };
	return status;
}

/* ---- the whole ---- */

static int map_whole(struct tl_source *source, struct tl_error *err)
{
	if (!source->parts.count && (source->following_count || source->frames.codec ||
				     (source->window.buffer && !source->mappable)))
		return spool(source, err);
	/*
	 * The bytes that were read to recognise the format are mapped again: nothing is consumed
	 * yet.
	 */
	source->window.consumed = 0;
	if (source->parts.count)
		return map_parts(source, err);
	if (source->window.buffer)
		return map_descriptor(source, source->fd, source->stored_size, MAP_PRIVATE, err);
	source->mapping.data = source->window.at;
	source->mapping.size = source->window.left;
	return 0;
}

static int map_or_view(struct tl_source *source, const uint8_t **data, size_t *size,
		       struct tl_error *err)
{
	if (!source->mapping.data && !source->mapping.viewed) {
		int status = map_whole(source, err);

		if (status)
			return status;
		if (!source->mapping.size)
			source->mapping.data = &nothing;
		/* Reading is over; progress counts the mapped bytes from here. */
		source->ended = true;
		source->reported = 0;
		free(source->window.buffer);
		source->window.buffer = NULL;
		free(source->frames.buffer);
		source->frames.buffer = NULL;
	}
	*data = source->mapping.data;
	*size = source->mapping.size;
	return 0;
}

int tl_source_map(struct tl_source *source, const uint8_t **data, size_t *size,
		  struct tl_error *err)
{
	if (source->mapping.viewed)
		return tl_error_memory(err);
	return map_or_view(source, data, size, err);
}

int tl_source_map_or_view(struct tl_source *source, const uint8_t **data, size_t *size,
			  struct tl_error *err)
{
	source->mapping.may_be_viewed = true;
	return map_or_view(source, data, size, err);
}

/* How far a view begins behind the beginning of a page. */
static size_t page_rest(uint64_t offset)
{
	return (size_t)(offset % (uint64_t)sysconf(_SC_PAGESIZE));
}

void tl_source_view_end(struct tl_source_view *view)
{
	const size_t rest = page_rest(view->offset);

	if (view->data)
		munmap((void *)(uintptr_t)(view->data - rest), view->size + rest);
	*view = (struct tl_source_view){ .data = NULL };
}

int tl_source_view(const struct tl_source *source, struct tl_source_view *view, uint64_t offset,
		   size_t size, struct tl_error *err)
{
	const size_t rest = page_rest(offset);
	uint8_t *map;

	tl_source_view_end(view);
	map = mmap(NULL, size + rest, PROT_READ, MAP_PRIVATE, source->mapping.fd,
		   (off_t)(offset - rest));
	if (map == MAP_FAILED)
		return errno == ENOMEM ? tl_error_memory(err) : tl_error_system(err, "cannot map");
	*view = (struct tl_source_view){ map + rest, offset, size };
	return 0;
}

void tl_source_release(struct tl_source *source, uint64_t offset, uint64_t size)
{
	enum { FOLIO_BYTES = 2 << 20 };
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t end;

	if (!source->mapping.is_ours || offset >= source->mapping.size)
		return;
	end = size > source->mapping.size - offset ? source->mapping.size : offset + size;
	/*
	 * The page of the first byte goes too, else small ranges would release none; it can be read
	 * again.
	 */
	offset -= offset % page;
	end -= end % page;
	if (offset >= end)
		return;
	/* The first touch behind a folio of the kernel may have mapped all of that folio again. */
	offset -= offset < FOLIO_BYTES ? offset : FOLIO_BYTES;
	madvise((void *)(uintptr_t)(source->mapping.data + offset), (size_t)(end - offset),
		MADV_DONTNEED);
}

int tl_source_tick(struct tl_source *source, uint64_t done, struct tl_error *err)
{
	/*
	 * A spooled input has reported all its stored bytes already: from here on the hook can only
	 * cancel.
	 */
	uint64_t stored = source->window.consumed ? source->window.consumed : done;

	return tl_source_progress(source, done, stored, done >= source->mapping.size, err);
}

int tl_source_follow(struct tl_source *source, struct tl_source *next, struct tl_error *err)
{
	struct tl_source_following *list = realloc(
		source->following, (source->following_count + 1) * sizeof(*source->following));

	if (!list)
		return tl_error_memory(err);
	source->following = list;
	list[source->following_count++] = (struct tl_source_following){ .source = next };
	return 0;
}

uint64_t tl_source_following_begin(const struct tl_source *source, size_t number)
{
	return source->following[number].begin;
}

void tl_source_unmap(struct tl_source *source)
{
	if (source->mapping.is_ours)
		munmap((void *)(uintptr_t)source->mapping.data, source->mapping.size);
	if (source->mapping.viewed && source->mapping.fd != source->fd)
		close(source->mapping.fd);
}
