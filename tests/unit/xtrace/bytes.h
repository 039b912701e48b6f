/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_XTRACE_BYTES_H
#define TESTS_UNIT_XTRACE_BYTES_H
/*
 * Pairs of files written by hand, byte for byte from docs/formats/xtrace.md, section 2. This knows
 * nothing of the code under test.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include <tracelathe/xtrace.h>

struct bytes {
	uint8_t *data;
	size_t size, room;
};

/* "Token byte" of 2.4. */
enum {
	INST = 0x01,
	PCINST = 0x09, /* of EL0; others: EL << 6 more */
	LOAD = 0x02,
	STORE = 0x0a, /* of 1 byte; others: log2 << 4 more */
	STXR = 0x03,
	MRS = 0x0b,
	SVCARG = 0x13,
	SVCRET = 0x1b,
	DC = 0x23,
	TARGET_B = 0x2b,
	ALLGPR = 0x0c,
	FLAGS = 0x1c,
	SYSCALL_VEC = 0x24,
	TIME = 0x07,
};

/* A64 encodings (Arm Architecture Reference Manual, C6.2). */
#define A64_NOP 0xd503201fu
#define A64_RET 0xd65f03c0u
#define A64_ERET 0xd69f03e0u
#define A64_SVC 0xd4000001u
#define A64_LDR 0xf9400020u /* LDR X0, [X1] */
#define A64_STR 0xf9000020u /* STR X0, [X1] */
/* The same with registers that no system call uses: LDR X10, [X9]; STR X10, [X9] */
#define A64_LDR_FREE 0xf940012au
#define A64_STR_FREE 0xf900012au

static inline void put_byte(struct bytes *b, unsigned value)
{
	if (b->size == b->room) {
		b->room = b->room * 2 + 1024;
		b->data = realloc(b->data, b->room);
		assert_non_null(b->data);
	}
	b->data[b->size++] = (uint8_t)value;
}

static inline void put_repeat(struct bytes *b, unsigned value, size_t count)
{
	while (count--)
		put_byte(b, value);
}

/* Little-endian. */
static inline void put_number(struct bytes *b, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		put_byte(b, (unsigned)(value >> 8 * i) & 0xff);
}

static inline void free_bytes(struct bytes *b)
{
	free(b->data);
	*b = (struct bytes){ .data = NULL };
}

/* ---- tokens; each returns its offset ---- */

static inline size_t put_inst(struct bytes *b, unsigned el, uint32_t opcode)
{
	size_t at = b->size;

	put_byte(b, INST | el << 6);
	put_number(b, opcode, 4);
	return at;
}

static inline size_t put_pcinst(struct bytes *b, unsigned el, uint64_t pc, uint32_t opcode)
{
	size_t at = b->size;

	put_byte(b, PCINST | el << 6);
	put_number(b, pc, 8);
	put_number(b, opcode, 4);
	return at;
}

/* Of 2^log2 bytes, at most 8. */
static inline size_t put_access(struct bytes *b, unsigned token, unsigned log2, uint64_t address,
				uint64_t value)
{
	size_t at = b->size;

	put_byte(b, token | log2 << 4);
	put_number(b, address, 8);
	put_number(b, value, 1u << log2);
	return at;
}

static inline size_t put_value(struct bytes *b, unsigned token, uint64_t value)
{
	size_t at = b->size;

	put_byte(b, token);
	put_number(b, value, 8);
	return at;
}

/* X0 = first, X1 = first + 1, ... */
static inline size_t put_allgpr(struct bytes *b, uint64_t first)
{
	size_t at = b->size;

	put_byte(b, ALLGPR);
	for (unsigned i = 0; i < 32; i++)
		put_number(b, first + i, 8);
	return at;
}

/* ---- snapshots: "C: a plain C struct = 24 bytes", then records of 2.3 ---- */

static inline void put_header(struct bytes *b)
{
	put_number(b, 0x31525458, 4);
	put_number(b, 0, 4);
	put_number(b, 1, 8);
	put_byte(b, 0);
	put_byte(b, 0);
	put_byte(b, 0);
	put_repeat(b, 0, 5);
}

struct record {
	uint64_t file, index, user, total;
	uint64_t first; /* X0; X1 is one more, ... */
	unsigned bits;  /* vector length, 0: 128 */
	uint64_t says;  /* ... as the last field has it, 0: the same */
};

static inline size_t put_record(struct bytes *b, const struct record *r)
{
	size_t at = b->size;
	unsigned bits = r->bits ? r->bits : 128, length = bits / 8,
		 predicate = (length / 8 + 15) / 16 * 16;

	put_number(b, r->file, 8);
	put_number(b, r->index, 8);
	put_number(b, r->user, 8);
	put_number(b, r->total, 8);
	for (unsigned i = 0; i < 32; i++)
		put_number(b, r->first + i, 8);
	for (unsigned i = 0; i < 32; i++)
		put_repeat(b, 0x80 + i, length);
	for (unsigned i = 0; i < 16; i++)
		put_repeat(b, 0xc0 + i, predicate);
	put_repeat(b, 0xff, predicate);
	put_repeat(b, 0, (size_t)length * length);
	for (unsigned i = 0; i < 11; i++)
		put_number(b, 0x1000 + i, 8);
	put_number(b, r->says ? r->says : bits, 8);
	return at;
}

/* ---- traces in memory ---- */

struct trace {
	struct tl_source *sources[4];
	struct tl_xtrace_trace *trace;
	struct tl_error err;
	const char *failed;
};

/* `stream`, `snapshots`: either may be NULL. Returns how many files there are. */
static inline size_t make_files(struct trace *t, struct tl_xtrace_file files[2],
				const struct bytes *stream, const struct bytes *snapshots)
{
	const struct bytes *given[2] = { stream, snapshots };
	static const char *const names[2] = { "a.xinsndata.bin", "a.xsnapshot.bin" };
	size_t count = 0;

	*t = (struct trace){ .err = { .offset = 12345 } };
	for (size_t i = 0; i < 2; i++) {
		if (!given[i])
			continue;
		assert_int_equal(tl_source_open_memory(&t->sources[count], given[i]->data,
						       given[i]->size, "a", NULL),
				 0);
		files[count] = (struct tl_xtrace_file){ names[i], t->sources[count] };
		count++;
	}
	return count;
}

/* Returns the status of opening. */
static inline int try_open(struct trace *t, const struct bytes *stream,
			   const struct bytes *snapshots, const struct tl_xtrace_options *options)
{
	struct tl_xtrace_file files[2];
	size_t count = make_files(t, files, stream, snapshots);

	return tl_xtrace_open(&t->trace, files, count, options, &t->failed, &t->err);
}

static inline void open_trace(struct trace *t, const struct bytes *stream,
			      const struct bytes *snapshots)
{
	const struct tl_xtrace_options options = { .size = sizeof(options), .alone = true };

	assert_int_equal(try_open(t, stream, snapshots, &options), 0);
}

static inline void close_trace(struct trace *t)
{
	tl_xtrace_close(t->trace);
	for (size_t i = 0; i < 4; i++)
		tl_source_close(t->sources[i]);
}

/* The only fault of a trace is this one. */
static inline void assert_fault(const struct trace *t, int status, uint64_t offset, uint64_t length)
{
	size_t listed;
	uint64_t count, skipped;
	const struct tl_xtrace_fault *faults =
		tl_xtrace_faults(t->trace, &listed, &count, &skipped);

	assert_int_equal(count, 1);
	assert_int_equal(listed, 1);
	assert_int_equal(faults[0].status, status);
	assert_int_equal(faults[0].offset, offset);
	assert_int_equal(faults[0].length, length);
	assert_int_equal(skipped, length);
	assert_non_null(faults[0].text);
}

static inline void assert_no_fault(const struct trace *t)
{
	size_t listed;
	uint64_t count, skipped;

	tl_xtrace_faults(t->trace, &listed, &count, &skipped);
	assert_int_equal(count, 0);
}

#endif
