/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PERF_DATA_SIDEBAND_H
#define TESTS_PERF_DATA_SIDEBAND_H
/* Two streams of kernel records beside a trace, put together by hand. */
#include "file.h"

#include "perf_data/auxtrace/sideband.h"

static struct file first, second;
static struct tl_perf_sideband *sideband;
static struct tl_perf_record rec;
static const struct tl_perf_sideband_stream *stream;
static struct tl_error err;

/* TID, TIME: the trailers of the streams. */
static inline void put_record(struct file *to, uint32_t type, uint16_t misc, const uint64_t *words,
			      size_t count, uint64_t time)
{
	put_header(to, type, misc, 8 + 8 * count + 16);
	for (size_t i = 0; i < count; i++)
		put64(to, words[i]);
	put64(to, (uint64_t)0x22 << 32 | 0x11);
	put64(to, time);
}

static inline void put_start(struct file *to, uint32_t pid, uint64_t time)
{
	const uint64_t thread = (uint64_t)pid << 32 | pid;

	put_record(to, TL_PERF_ITRACE_START, 0, &thread, 1, time);
}

static inline void add(const struct file *from, const char *name, uint64_t mult)
{
	const struct tl_perf_sideband_stream about = {
		.name = name,
		.data = from->bytes,
		.size = from->size,
		.sample_type = 2 | 4,
		.time_mult = mult,
	};

	assert_int_equal(tl_perf_sideband_add(sideband, &about, &err), 0);
}

static inline int begin(void **state)
{
	(void)state;
	first.size = second.size = 0;
	return tl_perf_sideband_open(&sideband, "/nowhere", UINT64_C(1) << 63, &err);
}

static inline int end(void **state)
{
	(void)state;
	tl_perf_sideband_close(sideband);
	return 0;
}

static inline int next_until(uint64_t tsc)
{
	return tl_perf_sideband_next(sideband, tsc, &rec, &stream, &err);
}

static inline void assert_next(uint64_t tsc, const char *name, uint32_t pid)
{
	assert_int_equal(next_until(tsc), 1);
	assert_string_equal(stream->name, name);
	assert_int_equal(rec.thread.pid, pid);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

#endif
