/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/calls/spool.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/source.h"

enum { SPOOL_MEMORY = 8 << 20 };

void tl_spool_begin(struct tl_spool *spool)
{
	*spool = (struct tl_spool){ .fd = -1 };
	pthread_mutex_init(&spool->lock, NULL);
}

void tl_spool_free(struct tl_spool *spool)
{
	free(spool->buffer);
	if (spool->fd >= 0)
		close(spool->fd);
	pthread_mutex_destroy(&spool->lock);
}

void tl_spool_over(struct tl_spool *spool, int fd, uint64_t base, uint64_t size)
{
	spool->fd = fd;
	spool->base = base;
	spool->written = size;
}

uint64_t tl_spool_size(const struct tl_spool *spool)
{
	return spool->written + spool->used;
}

uint64_t tl_spool_left(const struct tl_spool *spool, uint64_t offset)
{
	return offset < spool->written ? spool->written - offset : tl_spool_size(spool) - offset;
}

static int write_out(struct tl_spool *spool, struct tl_error *err)
{
	size_t done = 0;

	if (spool->fd < 0) {
		int fd = tl_open_unlinked(err);

		if (fd < 0)
			return fd;
		spool->fd = fd;
	}
	while (done < spool->used) {
		ssize_t count = pwrite(spool->fd, spool->buffer + done, spool->used - done,
				       (off_t)(spool->written + done));

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return tl_error_system(err, "cannot write a temporary file");
		done += (size_t)count;
	}
	spool->written += spool->used;
	spool->used = 0;
	return 0;
}

static int add(struct tl_spool *spool, const void *bytes, size_t size, uint64_t *offset,
	       struct tl_error *err)
{
	int status = spool->used && spool->used + size > SPOOL_MEMORY ? write_out(spool, err) : 0;

	if (status < 0)
		return status;
	if (!tl_grow(&spool->buffer, &spool->capacity, spool->used + size, 1))
		return tl_error_memory(err);
	memcpy(spool->buffer + spool->used, bytes, size);
	*offset = spool->written + spool->used;
	spool->used += size;
	return 0;
}

int tl_spool_add(struct tl_spool *spool, const void *bytes, size_t size, uint64_t *offset,
		 struct tl_error *err)
{
	int status;

	pthread_mutex_lock(&spool->lock);
	status = add(spool, bytes, size, offset, err);
	pthread_mutex_unlock(&spool->lock);
	return status;
}

static int read_back(const struct tl_spool *spool, uint64_t offset, uint8_t *bytes, size_t size,
		     struct tl_error *err)
{
	while (size) {
		ssize_t count = pread(spool->fd, bytes, size, (off_t)(spool->base + offset));

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return tl_error_system(err, "cannot read a temporary file");
		offset += (size_t)count;
		bytes += count;
		size -= (size_t)count;
	}
	return 0;
}

int tl_spool_read(struct tl_spool *spool, uint64_t offset, void *bytes, size_t size,
		  struct tl_error *err)
{
	if (offset < spool->written)
		return size > spool->written - offset
			       ? tl_error_at(err, TL_BAD_SIZE, TL_NOWHERE, "no such piece")
			       : read_back(spool, offset, bytes, size, err);
	if (offset - spool->written > spool->used ||
	    size > spool->used - (size_t)(offset - spool->written))
		return tl_error_at(err, TL_BAD_SIZE, TL_NOWHERE, "no such piece");
	memcpy(bytes, spool->buffer + (offset - spool->written), size);
	return 0;
}
