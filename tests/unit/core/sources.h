/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_CORE_SOURCES_H
#define TESTS_UNIT_CORE_SOURCES_H
/* Sources opened and compared: what the tests of reading and of compression share. */
#include <pthread.h>
#include "../unit.h"

#include <tracelathe/core.h>
#include "../temp.h"
#include "packers.h"

/* None, few, and both sides of the 256 KiB that are read at once. */
static const size_t sizes[] = { 0, 1, 5, 4096, 262143, 262144, 262145, 1000000 };

static inline int setup(void **state)
{
	*state = calloc(1, sizeof(struct temp));
	temp_open(*state);
	return 0;
}

static inline int teardown(void **state)
{
	temp_close(*state);
	free(*state);
	return 0;
}

/* Text that compresses, but not to nothing. */
static inline uint8_t *make_content(size_t size)
{
	uint8_t *content = malloc(size + 1);
	uint32_t seed = 1;

	assert_non_null(content);
	for (size_t i = 0; i < size; i++) {
		seed = seed * 1664525 + 1013904223;
		content[i] = (uint8_t)("abcdefghijklmnop"[seed >> 28]);
	}
	return content;
}

static inline struct tl_source *open_at(const char *path)
{
	struct tl_source *source;
	struct tl_error err;

	assert_int_equal(tl_source_open(&source, path, NULL, &err), 0);
	return source;
}

static inline struct tl_source *open_bytes(const struct packed *packed)
{
	struct tl_source *source;

	assert_int_equal(tl_source_open_memory(&source, packed->data, packed->size, "memory", NULL),
			 0);
	return source;
}

/* Reads all by pieces of odd size and compares; frees the source. */
static inline size_t read_and_compare(struct tl_source *source, const uint8_t *content, size_t size)
{
	uint8_t buffer[7001];
	size_t total = 0;
	struct tl_error err;

	for (int64_t got; (got = tl_source_read(source, buffer, total % 7001 + 1, &err)) != 0;
	     total += (size_t)got) {
		assert_true(got > 0);
		assert_true((size_t)got <= size - total);
		assert_memory_equal(buffer, content + total, (size_t)got);
	}
	assert_int_equal(tl_source_read(source, buffer, 1, &err), 0);
	return total;
}

static inline void assert_maps(struct tl_source *source, const uint8_t *content, size_t size)
{
	const uint8_t *data = NULL, *again;
	struct tl_error err;
	size_t got = SIZE_MAX;

	assert_int_equal(tl_source_map(source, &data, &got, &err), 0);
	assert_int_equal(got, size);
	assert_non_null(data);
	assert_memory_equal(data, content, size);
	/* Pages given back are read again when they are needed. */
	tl_source_release(source, 0, size);
	tl_source_release(source, 5000, 1);
	tl_source_release(source, size + 1, UINT64_MAX);
	tl_source_release(source, 4097, UINT64_MAX);
	assert_memory_equal(data, content, size);
	assert_int_equal(tl_source_map(source, &again, &got, &err), 0);
	assert_ptr_equal(again, data);
	assert_int_equal(tl_source_tick(source, size, &err), 0);
}

static inline void assert_clean(struct tl_source *source)
{
	assert_null(tl_source_fault(source));
	tl_source_close(source);
}

static inline void assert_fault(const struct tl_source *source, enum tl_status status,
				uint64_t offset)
{
	const struct tl_error *fault = tl_source_fault(source);

	assert_non_null(fault);
	assert_int_equal(fault->status, status);
	assert_int_equal(fault->offset, offset);
	assert_non_null(fault->text);
}

struct feed {
	int fd;
	const uint8_t *data;
	size_t size;
};

/* Writes by pieces of many sizes, the first one byte long. */
static inline void *feed(void *arg)
{
	struct feed *feed = arg;

	for (size_t at = 0, piece = 1; at < feed->size; piece = piece * 3 % 50021) {
		ssize_t done = write(feed->fd, feed->data + at,
				     piece < feed->size - at ? piece : feed->size - at);

		if (done < 0)
			break;
		at += (size_t)done;
	}
	close(feed->fd);
	return NULL;
}

static inline struct tl_source *open_pipe(pthread_t *thread, struct feed *feed_arg)
{
	int ends[2];
	char path[64];

	assert_int_equal(pipe(ends), 0);
	feed_arg->fd = ends[1];
	assert_int_equal(pthread_create(thread, NULL, feed, feed_arg), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	struct tl_source *source = open_at(path);

	close(ends[0]);
	return source;
}

#endif
