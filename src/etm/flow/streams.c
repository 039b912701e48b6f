/* SPDX-License-Identifier: Apache-2.0 */
#include "etm/flow/streams.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/arithmetic.h"
#include "core/cursor.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/source.h"

/* Tokens: an instruction, one with its address, the target of an indirect branch. */
enum { INST = 0x01, PCINST = 0x09, TARGET = 0x2b };
enum { INSN_BYTES = 4, TOKEN_BYTES = 5, HEAD_ROOM = 32, IN_MEMORY = 8 << 20 };

struct tl_etm_stream *tl_etm_stream_of(struct tl_etm_streams *s, uint64_t id)
{
	struct tl_etm_stream made = { .id = id, .fd = -1 };

	if (s->count && s->list[s->last].id == id)
		return &s->list[s->last];
	for (s->last = 0; s->last < s->count; s->last++)
		if (s->list[s->last].id == id)
			return &s->list[s->last];
	if (!tl_grow(&s->list, &s->capacity, s->count + 1, sizeof(*s->list)) ||
	    tl_output_open_memory(&made.tokens, NULL) < 0)
		return NULL;
	s->list[s->count++] = made;
	return &s->list[s->last];
}

/* ---- tokens ---- */

static char *put64(char *p, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		*p++ = (char)(value >> 8 * i);
	return p;
}

/* Where the range begins, unless it follows the instruction before. */
static void put_first(struct tl_etm_stream *s, unsigned el, const struct tl_etm_range *range)
{
	char *p = tl_output_room(s->tokens, HEAD_ROOM);
	const bool follows = s->instructions && range->address == s->next && el == s->el;

	if (s->ends_indirect) {
		*p++ = TARGET;
		p = put64(p, range->address);
	}
	*p++ = (char)((follows ? INST : PCINST) | el << 6);
	if (!follows)
		p = put64(p, range->address);
	memcpy(p, range->code, INSN_BYTES);
	tl_output_advance(s->tokens, p + INSN_BYTES);
}

/* Instructions are words of little-endian bytes in code and in tokens. */
static void put_others(struct tl_etm_stream *s, unsigned el, const struct tl_etm_range *range)
{
	const char token = (char)(INST | el << 6);
	uint32_t i = 1;

	while (i < range->count) {
		const uint32_t end = tl_min(range->count, i + TL_OUTPUT_ROOM / TOKEN_BYTES);
		char *p = tl_output_room(s->tokens, TOKEN_BYTES * (size_t)(end - i));

		for (; i < end; i++, p += TOKEN_BYTES) {
			*p = token;
			memcpy(p + 1, range->code + INSN_BYTES * (size_t)i, INSN_BYTES);
		}
		tl_output_advance(s->tokens, p);
	}
}

/* ---- files ---- */

/* What is in memory goes to the file. */
static int spool(struct tl_etm_stream *s, struct tl_error *err)
{
	size_t size;
	const char *bytes = tl_output_bytes(s->tokens, &size);

	if (tl_output_failed(s->tokens))
		return tl_error_memory(err);
	if (s->fd < 0)
		s->fd = tl_open_unlinked(err);
	if (s->fd < 0)
		return s->fd;
	while (size) {
		const ssize_t done = write(s->fd, bytes, size);

		if (done < 0 && errno != EINTR)
			return tl_error_system(err, "cannot write the temporary file");
		bytes += tl_max(0, done);
		size -= (size_t)tl_max(0, done);
		s->written += (uint64_t)tl_max(0, done);
	}
	tl_output_clear(s->tokens);
	return 0;
}

int tl_etm_stream_put(struct tl_etm_stream *s, unsigned el, const struct tl_etm_range *range,
		      struct tl_error *err)
{
	size_t size;

	put_first(s, el, range);
	put_others(s, el, range);
	s->instructions += range->count;
	s->next = range->address + INSN_BYTES * (uint64_t)range->count;
	s->el = el;
	s->ends_indirect = range->ends_indirect;
	tl_output_bytes(s->tokens, &size);
	return size < IN_MEMORY ? 0 : spool(s, err);
}

int tl_etm_stream_finish(struct tl_etm_stream *s, const void **tokens, size_t *size,
			 struct tl_error *err)
{
	int status;

	*tokens = tl_output_bytes(s->tokens, size);
	if (tl_output_failed(s->tokens))
		return tl_error_memory(err);
	if (s->fd < 0)
		return 0;
	status = spool(s, err);
	if (status < 0)
		return status;
	if (s->written > SIZE_MAX)
		return tl_error_memory(err);
	s->map = mmap(NULL, (size_t)s->written, PROT_READ, MAP_SHARED, s->fd, 0);
	if (s->map == MAP_FAILED) {
		s->map = NULL;
		return tl_error_memory(err);
	}
	*tokens = s->map;
	*size = (size_t)s->written;
	return 0;
}

void tl_etm_streams_free(struct tl_etm_streams *s)
{
	for (size_t i = 0; i < s->count; i++) {
		tl_output_discard(s->list[i].tokens);
		if (s->list[i].map)
			munmap(s->list[i].map, (size_t)s->list[i].written);
		if (s->list[i].fd >= 0)
			close(s->list[i].fd);
	}
	free(s->list);
	*s = (struct tl_etm_streams){ 0 };
}
