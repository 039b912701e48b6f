/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef STREAM_H
#define STREAM_H
/* A pair of files: xinsndata and xsnapshot (docs/formats/xtrace.md, sections 2.2 to 2.4). */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SYSTEM_REGISTERS = 11, MAX_VECTOR_BYTES = 256, MAX_PREDICATE_BYTES = 32 };

/*
 * What is in the files ends with an instruction at any time, so that a collector that is killed
 * leaves a shorter trace, but none that is cut.
 */
struct stream {
	FILE *instructions, *snapshots;
	uint8_t *buffer;
	size_t filled;
	uint64_t bytes, tokens, snapshot_count;
	unsigned vector_bytes; /* of all its snapshots */
};

struct header {
	bool core, time, by_total;
};

/* What a snapshot holds; registers that are not known are 0. */
struct snapshot {
	uint64_t user, total;
	uint64_t x[32];
	uint8_t z[32][MAX_VECTOR_BYTES], p[16][MAX_PREDICATE_BYTES], ffr[MAX_PREDICATE_BYTES];
	uint64_t system[SYSTEM_REGISTERS];
	unsigned vector_bytes;
};

/* A new file; NULL: errno says why. Each plugin has its own. */
FILE *stream_create(const char *path);

/*
 * `name` is all of the path up to "xinsndata.bin". False: errno says why; EEXIST: such files are
 * there already.
 */
bool stream_open(struct stream *stream, const char *name, const struct header *header);
/* All that was written is in the files. */
void stream_flush(struct stream *stream);
/* False when something could not be written. */
bool stream_close(struct stream *stream);

void put_instruction(struct stream *stream, unsigned el, uint32_t opcode);
void put_instruction_at(struct stream *stream, unsigned el, uint64_t pc, uint32_t opcode);
void put_access(struct stream *stream, bool store, unsigned shift, uint64_t address,
		const void *value);
/* Tokens of eight bytes. */
enum token {
	TOKEN_STATUS = 0x03,
	TOKEN_MRS = 0x0b,
	TOKEN_ARGUMENT = 0x13,
	TOKEN_RESULT = 0x1b,
	TOKEN_DC = 0x23,
	TOKEN_TARGET = 0x2b,
	TOKEN_FLAGS = 0x1c,
	TOKEN_TIME = 0x07,
};
void put_value(struct stream *stream, enum token token, uint64_t value);
void put_registers(struct stream *stream, const uint64_t x[32]);
void put_vectors(struct stream *stream, uint64_t count, const void *iovecs);
void put_snapshot(struct stream *stream, const struct snapshot *snapshot);

#endif
