/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PERF_DATA_TRACE_H
#define TESTS_PERF_DATA_TRACE_H
/* A perf.data file with Intel PT, put together record by record and packet by packet. */
#include "file.h"

static struct file f;
static struct tl_perf_trace *trace;
static struct tl_perf_sched_slice slice;

/* ---- packets, as docs/formats/intel-pt.md has them (4) ---- */

struct stream {
	uint8_t bytes[4096];
	size_t size;
};

static inline void packet(struct stream *s, const void *bytes, size_t size)
{
	memcpy(s->bytes + s->size, bytes, size);
	s->size += size;
}

/* PSB, TSC, PSBEND: tracing is off. */
static inline void psb(struct stream *s, uint64_t tsc)
{
	uint8_t time[8] = { 0x19 };

	for (int i = 0; i < 8; i++)
		packet(s, "\x02\x82", 2);
	for (int i = 0; i < 7; i++)
		time[1 + i] = (uint8_t)(tsc >> 8 * i);
	packet(s, time, 8);
	packet(s, "\x02\x23", 2);
}

static inline void tsc(struct stream *s, uint64_t value)
{
	uint8_t time[8] = { 0x19 };

	for (int i = 0; i < 7; i++)
		time[1 + i] = (uint8_t)(value >> 8 * i);
	packet(s, time, 8);
}

/* TIP.PGE and TIP.PGD with six bytes of address (code 3). */
static inline void on(struct stream *s, uint64_t ip)
{
	uint8_t pge[7] = { 0x71 };

	for (int i = 0; i < 6; i++)
		pge[1 + i] = (uint8_t)(ip >> 8 * i);
	packet(s, pge, 7);
}

static inline void off(struct stream *s)
{
	packet(s, "\x01", 1);
}

/* ---- records ---- */

static inline void put_info(uint64_t shift, uint64_t mult, uint64_t zero, bool snapshot)
{
	const uint64_t words[17] = { 8, shift,  mult,    zero, 1, 1 << 10, 1 << 11, 3, snapshot,
				     1, 1 << 9, 0x3c000, 176,  2, 2,       32,      0 };

	put_header(&f, TL_PERF_AUXTRACE_INFO, 0, 8 + 8 + sizeof(words));
	put32(&f, 1);
	put32(&f, 0);
	for (int i = 0; i < 17; i++)
		put64(&f, words[i]);
}

static inline void put_switch(uint32_t from, uint32_t to, uint64_t time)
{
	put_header(&f, TL_PERF_SWITCH_CPU_WIDE, 0, 8 + 8 + TRAILER);
	put32(&f, from);
	put32(&f, from);
	put_trailer(&f, to, to, time, 0);
}

static inline void put_aux(uint64_t offset, uint64_t size, uint64_t flags)
{
	put_header(&f, TL_PERF_AUX, 0, 8 + 24 + TRAILER);
	put64(&f, offset);
	put64(&f, size);
	put64(&f, flags);
	put_trailer(&f, 1, 1, 1, 0);
}

static inline void put_auxtrace(const uint8_t *data, size_t size, uint64_t offset, uint32_t tid,
				uint32_t cpu)
{
	const size_t padded = (size + 7) / 8 * 8;

	put_header(&f, TL_PERF_AUXTRACE, 0, 48);
	put64(&f, padded);
	put64(&f, offset);
	put64(&f, 1);
	put32(&f, 0);
	put32(&f, tid);
	put32(&f, cpu);
	put32(&f, 0);
	put_bytes(&f, data, size);
	put_zeros(&f, padded - size);
}

static inline void trace_open(void)
{
	file_end(&f);
	assert_int_equal(tl_source_open_memory(&f.source, f.bytes, f.size, "test", &f.err), 0);
	assert_int_equal(tl_perf_trace_open(&trace, f.source, NULL, &f.err), 0);
}

static inline void trace_close(void)
{
	tl_perf_trace_close(trace);
	tl_source_close(f.source);
}

static inline int next_slice(void)
{
	return tl_perf_trace_next(trace, &slice, sizeof(slice), &f.err);
}

#endif
