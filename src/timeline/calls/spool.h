/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TIMELINE_CALLS_SPOOL_H
#define TL_TIMELINE_CALLS_SPOOL_H
/*
 * Bytes that are written once, in pieces, and read again in any order: in memory as long as they
 * are few, then in a temporary file without a name, so that memory does not grow with the trace.
 */
#include <pthread.h>

#include <tracelathe/core.h>

/* Ready when zero-filled, except `fd`, which is negative, and `lock`. */
struct tl_spool {
	uint8_t *buffer; /* the last bytes, from offset `written` on */
	size_t used, capacity;
	uint64_t written; /* bytes in the file */
	uint64_t base;    /* where they begin in it */
	int fd;
	pthread_mutex_t lock;
};

void tl_spool_begin(struct tl_spool *spool);
void tl_spool_free(struct tl_spool *spool);
/* The bytes are [base, base + size) of a file that is only read, and then closed by us. */
void tl_spool_over(struct tl_spool *spool, int fd, uint64_t base, uint64_t size);
/* How many bytes there are. */
uint64_t tl_spool_size(const struct tl_spool *spool);
/* How many bytes from an offset on can be read as one piece. */
uint64_t tl_spool_left(const struct tl_spool *spool, uint64_t offset);
/* Append bytes; *offset is where they are. Several threads may. 0, TL_NO_MEMORY or TL_IO. */
int tl_spool_add(struct tl_spool *spool, const void *bytes, size_t size, uint64_t *offset,
		 struct tl_error *err);
/* Read what was appended whole. 0, TL_IO or TL_BAD_SIZE: there is no such piece. */
int tl_spool_read(struct tl_spool *spool, uint64_t offset, void *bytes, size_t size,
		  struct tl_error *err);

#endif
