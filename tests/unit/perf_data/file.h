/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PERF_DATA_FILE_H
#define TESTS_PERF_DATA_FILE_H
/* Bytes of a perf.data file, put together by hand, and a reader over them. */
#include <stdlib.h>
#include <string.h>
/* cmocka wants the four above first */
#include "../unit.h"

#include <tracelathe/perf_data.h>

/* A test may ask for more. */
#ifndef FILE_BYTES
#define FILE_BYTES (1 << 16)
#endif

enum { FILE_ROOM = FILE_BYTES, DATA_AT = 104 + 80 + 8 };

/* sample_type bits that most tests have: TID, TIME, CPU, IDENTIFIER. */
#define COMMON_TYPE (2 | 4 | 128 | 65536)

struct file {
	uint8_t bytes[FILE_ROOM];
	size_t size;
	bool big; /* byte order */
	struct tl_source *source;
	struct tl_perf_reader *reader;
	struct tl_perf_record rec;
	struct tl_error err;
};

static inline void put(struct file *f, uint64_t value, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		f->bytes[f->size++] = (uint8_t)(value >> 8 * (f->big ? width - 1 - i : i));
}

static inline void put16(struct file *f, uint64_t value)
{
	put(f, value, 2);
}

static inline void put32(struct file *f, uint64_t value)
{
	put(f, value, 4);
}

static inline void put64(struct file *f, uint64_t value)
{
	put(f, value, 8);
}

static inline void put_bytes(struct file *f, const void *data, size_t size)
{
	memcpy(f->bytes + f->size, data, size);
	f->size += size;
}

static inline void put_zeros(struct file *f, size_t size)
{
	memset(f->bytes + f->size, 0, size);
	f->size += size;
}

/* A text with its terminator, filled up to whole words. */
static inline void put_name(struct file *f, const char *text)
{
	const size_t size = strlen(text) + 1;

	put_bytes(f, text, size);
	put_zeros(f, (8 - size % 8) % 8);
}

static inline void put_header(struct file *f, uint32_t type, uint16_t misc, size_t size)
{
	put32(f, type);
	put16(f, misc);
	put16(f, size);
}

/* struct perf_event_attr, version 0: 64 bytes. `flags` as a little-endian recorder stores it. */
static inline void put_attr(struct file *f, uint32_t type, uint64_t sample_type, uint64_t flags)
{
	put32(f, type);
	put32(f, 64);
	put64(f, 0x2601); /* config */
	put64(f, 1);      /* sample_period */
	put64(f, sample_type);
	put64(f, 0); /* read_format */
	for (unsigned i = 0; i < 8; i++) {
		uint8_t byte = (uint8_t)(flags >> 8 * i), mirrored = 0;

		for (unsigned bit = 0; bit < 8; bit++)
			mirrored |= (uint8_t)((byte >> bit & 1) << (7 - bit));
		f->bytes[f->size++] = f->big ? mirrored : byte;
	}
	put_zeros(f, 16); /* wakeup, bp_type, config1 */
}

static inline void patch64(struct file *f, size_t at, uint64_t value)
{
	const size_t size = f->size;

	f->size = at;
	put64(f, value);
	f->size = size;
}

/*
 * The 104 bytes of a file's header, one attribute (PMU 8, sample_id_all) and one id, 77. Data begin
 * at DATA_AT.
 */
static inline void file_begin(struct file *f, uint64_t sample_type)
{
	f->size = 0;
	put_bytes(f, f->big ? "2ELIFREP" : "PERFILE2", 8);
	put64(f, 104);
	put64(f, 80); /* attribute with the place of its ids */
	put64(f, 104);
	put64(f, 80);
	put64(f, DATA_AT);
	put64(f, 0); /* the data's size: file_end() */
	put_zeros(f, 16 + 32);
	put_attr(f, 8, sample_type, 1 << 18);
	put64(f, 184);
	put64(f, 8);
	put64(f, 77);
	assert_int_equal(f->size, DATA_AT);
}

static inline void file_end(struct file *f)
{
	patch64(f, 48, f->size - DATA_AT);
}

/* What an attribute has behind the fields of version 0. */
struct wide_attr {
	uint64_t sample_type, read_format, flags;
	uint64_t branch_type, regs_user, regs_intr;
	uint32_t clock;
	uint16_t max_stack;
};

enum { WIDE_ATTR = 112, WIDE_DATA_AT = 104 + WIDE_ATTR + 16 + 8 };

/* As file_begin(), with an attribute of 112 bytes; data begin at WIDE_DATA_AT. */
static inline void file_begin_wide(struct file *f, const struct wide_attr *attr)
{
	file_begin(f, attr->sample_type);
	f->size = 104;
	put_attr(f, 8, attr->sample_type, 1 << 18 | attr->flags);
	put64(f, 0); /* config2 */
	put64(f, attr->branch_type);
	put64(f, attr->regs_user);
	put32(f, 0); /* sample_stack_user */
	put32(f, attr->clock);
	put64(f, attr->regs_intr);
	put32(f, 0); /* aux_watermark */
	put16(f, attr->max_stack);
	put16(f, 0);
	put64(f, 104 + WIDE_ATTR + 16);
	put64(f, 8);
	put64(f, 77);
	f->bytes[104 + 4] = WIDE_ATTR;
	patch64(f, 104 + 32, attr->read_format);
	patch64(f, 16, WIDE_ATTR + 16);
	patch64(f, 32, WIDE_ATTR + 16);
	patch64(f, 40, WIDE_DATA_AT);
	assert_int_equal(f->size, WIDE_DATA_AT);
}

static inline void file_end_wide(struct file *f)
{
	patch64(f, 48, f->size - WIDE_DATA_AT);
}

/* TID, TIME, CPU, IDENTIFIER. */
static inline void put_trailer(struct file *f, uint32_t pid, uint32_t tid, uint64_t time,
			       uint32_t cpu)
{
	put32(f, pid);
	put32(f, tid);
	put64(f, time);
	put32(f, cpu);
	put32(f, 0);
	put64(f, 77);
}

enum { TRAILER = 32 };

/* Executable code of a process, from the beginning of the file on. */
static inline void put_map(struct file *f, uint32_t pid, uint64_t address, uint64_t size,
			   const char *path, uint64_t time)
{
	const size_t padded = (strlen(path) + 8) / 8 * 8;

	put_header(f, TL_PERF_MMAP, TL_PERF_MISC_USER, 8 + 32 + padded + TRAILER);
	put32(f, pid);
	put32(f, pid);
	put64(f, address);
	put64(f, size);
	put64(f, 0);
	put_name(f, path);
	put_trailer(f, pid, pid, time, 0);
}

static inline void put_comm(struct file *f, uint32_t pid, uint32_t tid, const char *name,
			    uint16_t misc, uint64_t time)
{
	const size_t padded = (strlen(name) + 8) / 8 * 8;

	put_header(f, TL_PERF_COMM, misc, 8 + 8 + padded + TRAILER);
	put32(f, pid);
	put32(f, tid);
	put_name(f, name);
	put_trailer(f, pid, tid, time, 0);
}

static inline void reader_open(struct file *f, const struct tl_perf_options *options)
{
	assert_int_equal(tl_source_open_memory(&f->source, f->bytes, f->size, "test", &f->err), 0);
	assert_int_equal(tl_perf_open(&f->reader, f->source, options, &f->err), 0);
}

static inline void reader_close(struct file *f)
{
	tl_perf_close(f->reader);
	tl_source_close(f->source);
}

static inline int next(struct file *f)
{
	return tl_perf_next(f->reader, &f->rec, sizeof(f->rec), &f->err);
}

static inline void assert_text(struct tl_perf_text text, const char *wanted)
{
	assert_int_equal(text.size, strlen(wanted));
	assert_memory_equal(text.data, wanted, text.size);
}

/* The only fault there is. */
static inline void assert_fault(const struct file *f, enum tl_status status, uint64_t offset,
				uint64_t length)
{
	size_t listed;
	uint64_t count, skipped;
	const struct tl_perf_fault *faults = tl_perf_faults(f->reader, &listed, &count, &skipped);

	assert_int_equal(count, 1);
	assert_int_equal(faults[0].status, status);
	assert_int_equal(faults[0].offset, offset);
	assert_int_equal(faults[0].length, length);
	assert_int_equal(skipped, length);
}

static inline void assert_no_fault(const struct file *f)
{
	size_t listed;
	uint64_t count, skipped;

	tl_perf_faults(f->reader, &listed, &count, &skipped);
	assert_int_equal(count, 0);
}

#endif
