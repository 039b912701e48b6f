/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_XRAY_BYTES_H
#define TESTS_UNIT_XRAY_BYTES_H
/*
 * XRay traces written by hand, byte for byte from docs/formats/xray.md, sections 1 and 2. This
 * knows nothing of the code under test. What the format leaves unused is 0xaa, as the runtime
 * leaves it ("never assume 0").
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include <tracelathe/xray.h>

struct bytes {
	uint8_t *data;
	size_t size, room;
	bool big, high; /* byte order; bit fields from the most significant bit */
	unsigned version;
};

enum { ENTER = 0, EXIT = 1, TAIL_EXIT = 2, ENTER_ARGS = 3 };
enum { BASIC = 0, FDR = 1 };

/* "byte 0: discriminant (1 bit, = 1) and kind (7 bits)" */
enum {
	K_NEW_BUFFER,
	K_END_OF_BUFFER,
	K_NEW_CPU,
	K_TSC_WRAP,
	K_WALL_CLOCK,
	K_CUSTOM,
	K_ARGUMENT,
	K_EXTENTS,
	K_TYPED,
	K_PID
};

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

/* A number of `size` bytes in the byte order of the trace. */
static inline void put_number(struct bytes *b, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		put_byte(b, (unsigned)(value >> 8 * (b->big ? size - 1 - i : i)) & 0xff);
}

/* The same over bytes that are there. */
static inline void set_number(struct bytes *b, size_t at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		b->data[at + i] = (uint8_t)(value >> 8 * (b->big ? size - 1 - i : i));
}

/* Fill a record that began at `start` up to its size. */
static inline void pad_to(struct bytes *b, size_t start, size_t size)
{
	put_repeat(b, 0xaa, start + size - b->size);
}

/* "File header, 32 bytes": both flags set, the 30 bits above them garbage. */
static inline void put_header(struct bytes *b, unsigned version, unsigned type, uint64_t frequency,
			      uint64_t buffer_size)
{
	b->version = version;
	put_number(b, version, 2);
	put_number(b, type, 2);
	put_number(b, 0xaaaaaaab, 4);
	put_number(b, frequency, 8);
	put_number(b, buffer_size, 8);
	put_repeat(b, 0xaa, 8);
}

/* ---- FDR ---- */

static inline void put_kind(struct bytes *b, unsigned kind)
{
	put_byte(b, b->high ? 0x80 | kind : kind << 1 | 1);
}

/* "discriminant 1 bit = 0, action 3, function_id 28, tsc_delta 32" */
static inline void put_function(struct bytes *b, unsigned action, uint32_t id, uint32_t delta)
{
	put_number(b, b->high ? action << 28 | id : action << 1 | id << 4, 4);
	put_number(b, delta, 4);
}

/* The metadata records; see the table of 2.3. */
static inline void put_new_buffer(struct bytes *b, int32_t thread)
{
	size_t start = b->size;

	put_kind(b, K_NEW_BUFFER);
	put_number(b, (uint32_t)thread, 4);
	pad_to(b, start, 16);
}

static inline void put_end_of_buffer(struct bytes *b)
{
	size_t start = b->size;

	put_kind(b, K_END_OF_BUFFER);
	pad_to(b, start, 16);
}

static inline void put_new_cpu(struct bytes *b, uint16_t cpu, uint64_t tsc)
{
	size_t start = b->size;

	put_kind(b, K_NEW_CPU);
	put_number(b, cpu, 2);
	put_number(b, tsc, 8);
	pad_to(b, start, 16);
}

static inline void put_tsc_wrap(struct bytes *b, uint64_t tsc)
{
	size_t start = b->size;

	put_kind(b, K_TSC_WRAP);
	put_number(b, tsc, 8);
	pad_to(b, start, 16);
}

static inline void put_wall_clock(struct bytes *b, uint64_t seconds, uint32_t microseconds)
{
	size_t start = b->size;

	put_kind(b, K_WALL_CLOCK);
	put_number(b, seconds, 8);
	put_number(b, microseconds, 4);
	pad_to(b, start, 16);
}

static inline void put_argument(struct bytes *b, uint64_t value)
{
	size_t start = b->size;

	put_kind(b, K_ARGUMENT);
	put_number(b, value, 8);
	pad_to(b, start, 16);
}

static inline void put_extents(struct bytes *b, uint64_t size)
{
	size_t start = b->size;

	put_kind(b, K_EXTENTS);
	put_number(b, size, 8);
	pad_to(b, start, 16);
}

static inline void put_pid(struct bytes *b, int32_t process)
{
	size_t start = b->size;

	put_kind(b, K_PID);
	put_number(b, (uint32_t)process, 4);
	pad_to(b, start, 16);
}

static inline void put_payload(struct bytes *b, const void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		put_byte(b, ((const uint8_t *)data)[i]);
}

/*
 * Version <= 4: `tsc` is absolute, and version 4 has the cpu; version 5: `tsc` is a signed 32-bit
 * delta.
 */
static inline void put_custom(struct bytes *b, uint64_t tsc, uint16_t cpu, const void *data,
			      int32_t size)
{
	size_t start = b->size;

	put_kind(b, K_CUSTOM);
	put_number(b, (uint32_t)size, 4);
	put_number(b, tsc, b->version == 5 ? 4 : 8);
	if (b->version == 4)
		put_number(b, cpu, 2);
	pad_to(b, start, 16);
	put_payload(b, data, size > 0 ? (size_t)size : 0);
}

static inline void put_typed(struct bytes *b, int32_t delta, uint16_t type, const void *data,
			     int32_t size)
{
	size_t start = b->size;

	put_kind(b, K_TYPED);
	put_number(b, (uint32_t)size, 4);
	put_number(b, (uint32_t)delta, 4);
	put_number(b, type, 2);
	pad_to(b, start, 16);
	put_payload(b, data, size > 0 ? (size_t)size : 0);
}

/*
 * The head of a block as the version has it; returns where the block begins. Its NewCPUId says cpu
 * 1.
 */
static inline size_t begin_block(struct bytes *b, int32_t process, int32_t thread, uint64_t tsc)
{
	size_t start = b->size;

	if (b->version > 1)
		put_extents(b, 0);
	put_new_buffer(b, thread);
	put_wall_clock(b, 5, 250);
	if (b->version > 2)
		put_pid(b, process);
	put_new_cpu(b, 1, tsc);
	return start;
}

/* What begin_block() writes before the body: with extents, with Pid. */
static inline size_t head_size(const struct bytes *b)
{
	return b->version == 1 ? 48 : b->version == 2 ? 64 : 80;
}

/* "+1 u64 number of bytes that follow in this block, this record not counted" */
static inline void end_block(struct bytes *b, size_t start)
{
	if (b->version > 1)
		set_number(b, start + 1, b->size - start - 16, 8);
	else
		put_end_of_buffer(b);
}

/* ---- basic mode ---- */

static inline void put_basic(struct bytes *b, uint8_t cpu, unsigned action, int32_t function,
			     uint64_t tsc, int32_t thread, int32_t process)
{
	size_t start = b->size;

	put_number(b, 0, 2);
	put_byte(b, cpu);
	put_byte(b, action);
	put_number(b, (uint32_t)function, 4);
	put_number(b, tsc, 8);
	put_number(b, (uint32_t)thread, 4);
	if (b->version == 3)
		put_number(b, (uint32_t)process, 4);
	pad_to(b, start, 32);
}

static inline void put_basic_argument(struct bytes *b, int32_t function, int32_t thread,
				      int32_t process, uint64_t value)
{
	size_t start = b->size;

	put_number(b, 1, 2);
	put_repeat(b, 0xaa, 2);
	put_number(b, (uint32_t)function, 4);
	put_number(b, (uint32_t)thread, 4);
	if (b->version == 3)
		put_number(b, (uint32_t)process, 4);
	else
		put_repeat(b, 0xaa, 4);
	put_number(b, value, 8);
	pad_to(b, start, 32);
}

/* ---- profiling mode (2.9) ---- */

static inline void put_profiling_header(struct bytes *b, uint64_t timestamp, uint64_t process)
{
	put_number(b, 0x7872617970726f66, 8);
	put_number(b, 0x20180424, 8);
	put_number(b, timestamp, 8);
	put_number(b, process, 8);
}

static inline size_t begin_samples(struct bytes *b, uint32_t number, uint64_t thread)
{
	size_t start = b->size;

	put_number(b, 0, 4);
	put_number(b, number, 4);
	put_number(b, thread, 8);
	return start;
}

static inline void end_samples(struct bytes *b, size_t start)
{
	set_number(b, start, b->size - start, 4);
}

/* Function ids from leaf to root, closed by a 0 in `path`. */
static inline void put_sample(struct bytes *b, const int32_t *path, uint64_t calls, uint64_t ticks)
{
	do
		put_number(b, (uint32_t)*path, 4);
	while (*path++);
	put_number(b, calls, 8);
	put_number(b, ticks, 8);
}

/* ---- a trace opened ---- */

struct trace {
	struct tl_source *source;
	struct tl_xray_reader *reader;
	struct tl_error err;
	struct tl_xray_record *records; /* read_all() */
	size_t count;
};

static inline int try_open(struct trace *t, const struct bytes *b,
			   const struct tl_xray_options *options)
{
	*t = (struct trace){ .err = { .status = TL_OK } };
	assert_int_equal(tl_source_open_memory(&t->source, b->data, b->size, "bytes", &t->err), 0);
	return tl_xray_open(&t->reader, t->source, options, &t->err);
}

static inline void open_trace(struct trace *t, const struct bytes *b,
			      const struct tl_xray_options *options)
{
	assert_int_equal(try_open(t, b, options), 0);
}

/* Every record up to the end; pointers of events point into `b`, which the caller keeps. */
static inline int read_all(struct trace *t)
{
	struct tl_xray_record record;
	size_t room = 0;
	int status;

	while ((status = tl_xray_next(t->reader, &record, sizeof(record), &t->err)) == 1) {
		if (t->count == room) {
			room = room * 2 + 64;
			t->records = realloc(t->records, room * sizeof(*t->records));
			assert_non_null(t->records);
		}
		t->records[t->count++] = record;
	}
	return status;
}

static inline void close_trace(struct trace *t)
{
	tl_xray_close(t->reader);
	tl_source_close(t->source);
	free(t->records);
	*t = (struct trace){ 0 };
}

static inline void load(struct trace *t, const struct bytes *b,
			const struct tl_xray_options *options)
{
	open_trace(t, b, options);
	assert_int_equal(read_all(t), 0);
}

/* The n-th record of a kind; fails when there are fewer. */
static inline const struct tl_xray_record *nth(const struct trace *t, enum tl_xray_kind kind,
					       size_t n)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->records[i].kind == kind && n-- == 0)
			return &t->records[i];
	fail_msg("record missing: kind %d", (int)kind);
	return NULL;
}

static inline size_t count_kind(const struct trace *t, enum tl_xray_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < t->count; i++)
		count += t->records[i].kind == kind;
	return count;
}

static inline void free_bytes(struct bytes *b)
{
	free(b->data);
	*b = (struct bytes){ 0 };
}

#endif
