/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Everything is little-endian, whatever the machine is. */
#include "stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

enum {
	BUFFER = 1 << 20,
	ONE_INSTRUCTION = 1 << 16, /* and all that belongs to it */
	HEADER_BYTES = 24,
	TOKEN_INST = 0x01,
	TOKEN_PCINST = 0x09,
	TOKEN_LOAD = 0x02,
	TOKEN_STORE = 0x0a,
	TOKEN_ALLGPR = 0x0c,
	TOKEN_SYSCALL_VEC = 0x24,
};

#define MAGIC 0x31525458u /* "XTR1" */

static uint8_t *little(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		*at++ = (uint8_t)(value >> 8 * i);
	return at;
}

static void write_out(struct stream *stream)
{
	fwrite_unlocked(stream->buffer, 1, stream->filled, stream->instructions);
	stream->filled = 0;
}

static void put(struct stream *stream, const uint8_t *from, const uint8_t *end)
{
	size_t size = (size_t)(end - from);

	if (size > BUFFER - stream->filled)
		write_out(stream);
	memcpy(stream->buffer + stream->filled, from, size);
	stream->filled += size;
	stream->bytes += size;
}

/* All that belongs to the instruction before has been put. */
static void begin_instruction(struct stream *stream)
{
	if (stream->filled > BUFFER - ONE_INSTRUCTION)
		write_out(stream);
	stream->tokens++;
}

/* ---- the files ---- */

static FILE *open_file(const char *name, const char *suffix)
{
	char path[4096];

	if (snprintf(path, sizeof(path), "%s%s", name, suffix) < (int)sizeof(path))
		return stream_create(path);
	errno = ENAMETOOLONG;
	return NULL;
}

static void remove_file(const char *name, const char *suffix)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s%s", name, suffix);
	unlink(path);
}

static void put_header(struct stream *stream, const struct header *header)
{
	uint8_t bytes[HEADER_BYTES] = { 0 };

	little(bytes, MAGIC, 4);
	little(bytes + 8, 1, 8);
	bytes[16] = header->by_total;
	bytes[17] = header->core;
	bytes[18] = header->time;
	fwrite(bytes, 1, sizeof(bytes), stream->snapshots);
}

bool stream_open(struct stream *stream, const char *name, const struct header *header)
{
	int error;

	*stream = (struct stream){ .instructions = open_file(name, "xinsndata.bin") };
	if (!stream->instructions)
		return false;
	stream->snapshots = open_file(name, "xsnapshot.bin");
	stream->buffer = stream->snapshots ? malloc(BUFFER) : NULL;
	if (stream->buffer) {
		setvbuf(stream->instructions, NULL, _IONBF, 0);
		setvbuf(stream->snapshots, NULL, _IOFBF, BUFFER);
		put_header(stream, header);
		return true;
	}
	error = errno;
	fclose(stream->instructions);
	remove_file(name, "xinsndata.bin");
	if (stream->snapshots) {
		fclose(stream->snapshots);
		remove_file(name, "xsnapshot.bin");
	}
	errno = error;
	return false;
}

void stream_flush(struct stream *stream)
{
	write_out(stream);
	fflush(stream->snapshots);
}

static bool close_file(FILE *file)
{
	bool good = !ferror(file);

	return !fclose(file) && good;
}

bool stream_close(struct stream *stream)
{
	bool good;

	write_out(stream);
	free(stream->buffer);
	good = close_file(stream->instructions);
	return close_file(stream->snapshots) && good;
}

/* ---- tokens (2.4) ---- */

void put_instruction(struct stream *stream, unsigned el, uint32_t opcode)
{
	uint8_t bytes[5] = { (uint8_t)(TOKEN_INST | el << 6) };

	begin_instruction(stream);
	put(stream, bytes, little(bytes + 1, opcode, 4));
}

void put_instruction_at(struct stream *stream, unsigned el, uint64_t pc, uint32_t opcode)
{
	uint8_t bytes[13] = { (uint8_t)(TOKEN_PCINST | el << 6) };

	begin_instruction(stream);
	put(stream, bytes, little(little(bytes + 1, pc, 8), opcode, 4));
}

/* `value` is in the order of memory. */
void put_access(struct stream *stream, bool store, unsigned shift, uint64_t address,
		const void *value)
{
	uint8_t bytes[9 + 16] = { (uint8_t)((store ? TOKEN_STORE : TOKEN_LOAD) | shift << 4) };

	little(bytes + 1, address, 8);
	memcpy(bytes + 9, value, (size_t)1 << shift);
	put(stream, bytes, bytes + 9 + ((size_t)1 << shift));
	stream->tokens++;
}

void put_value(struct stream *stream, enum token token, uint64_t value)
{
	uint8_t bytes[9] = { (uint8_t)token };

	put(stream, bytes, little(bytes + 1, value, 8));
	stream->tokens++;
}

void put_registers(struct stream *stream, const uint64_t x[32])
{
	uint8_t bytes[1 + 256] = { TOKEN_ALLGPR }, *at = bytes + 1;

	for (unsigned i = 0; i < 32; i++)
		at = little(at, x[i], 8);
	put(stream, bytes, at);
	stream->tokens++;
}

void put_vectors(struct stream *stream, uint64_t count, const void *iovecs)
{
	const uint8_t *data = iovecs;
	uint8_t bytes[9] = { TOKEN_SYSCALL_VEC };

	put(stream, bytes, little(bytes + 1, count, 8));
	put(stream, data, data + count * 16);
	stream->tokens++;
}

/* ---- snapshots (2.3) ---- */

static void put_words(FILE *file, const uint64_t *words, unsigned count)
{
	uint8_t bytes[256], *at = bytes;

	for (unsigned i = 0; i < count; i++)
		at = little(at, words[i], 8);
	fwrite(bytes, 1, (size_t)(at - bytes), file);
}

void put_snapshot(struct stream *stream, const struct snapshot *s)
{
	uint64_t places[4] = { 0, stream->bytes, s->user, s->total };
	uint64_t bits = (uint64_t)s->vector_bytes * 8;
	unsigned predicate = (s->vector_bytes / 8 + 15) & ~15u;
	static const uint8_t no_za[MAX_VECTOR_BYTES];

	/* No snapshot is of a place that the stream does not reach. */
	write_out(stream);
	put_words(stream->snapshots, places, 4);
	put_words(stream->snapshots, s->x, 32);
	for (unsigned i = 0; i < 32; i++)
		fwrite(s->z[i], 1, s->vector_bytes, stream->snapshots);
	for (unsigned i = 0; i < 16; i++)
		fwrite(s->p[i], 1, predicate, stream->snapshots);
	fwrite(s->ffr, 1, predicate, stream->snapshots);
	/* QEMU lists no ZA: zeros, as without SME. */
	for (unsigned i = 0; i < s->vector_bytes; i++)
		fwrite(no_za, 1, s->vector_bytes, stream->snapshots);
	put_words(stream->snapshots, s->system, SYSTEM_REGISTERS);
	put_words(stream->snapshots, &bits, 1);
	fflush(stream->snapshots);
	stream->snapshot_count++;
}
