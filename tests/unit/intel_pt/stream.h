/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEL_PT_STREAM_H
#define TESTS_INTEL_PT_STREAM_H
/* Traces written byte by byte, and what a flow says about them. */
#include <string.h>

#include "../unit.h"

#include "intel_pt/flow/flow.h"

/*
 * Packets by their bytes (docs/formats/intel-pt.md, 4). Addresses are of the form 0x00000000XXXX.
 */
#define PSB                                                                                        \
	0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02,  \
		0x82
#define PSBEND 0x02, 0x23
#define LOW(ip) (ip) & 0xff, (ip) >> 8 & 0xff
#define FUP(ip) 0x7d, LOW(ip), 0, 0, 0, 0 /* code 3, 7 bytes */
#define FUP16(ip) 0x3d, LOW(ip)           /* code 1, 3 bytes */
#define TIP(ip) 0x2d, LOW(ip)
#define PGE(ip) 0x71, LOW(ip), 0, 0, 0, 0
#define PGD(ip) 0x21, LOW(ip)
#define PGD0 0x01
#define MODE64 0x99, 0x01
#define MODE32 0x99, 0x02
#define TSX(bits) 0x99, 0x20 | (bits)
#define OVF 0x02, 0xf3
#define TSC(t) 0x19, LOW(t), 0, 0, 0, 0, 0
#define TMA(ctc, fc) 0x02, 0x73, LOW(ctc), 0, LOW(fc)
#define MTC(ctc) 0x59, ctc
#define CYC(n) (n) << 3 | 3 /* below 32 cycles */
#define CBR(r) 0x02, 0x03, r, 0
#define PIP(cr3) 0x02, 0x43, LOW((cr3) >> 5 << 1), 0, 0, 0, 0
#define VMCS(base) 0x02, 0xc8, LOW((base) >> 12), 0, 0, 0
#define TNT_T 0x06                             /* 1 */
#define TNT_N 0x04                             /* 0 */
#define TNT_TTNTNN 0xe8                        /* stop 1, then 1 1 0 1 0 0 */
#define START PSB, FUP(0x1000), MODE64, PSBEND /* 16 + 7 + 2 + 2 = 27 bytes */
#define START_OFF PSB, MODE64, PSBEND          /* 20 bytes */
enum { START_BYTES = 27, START_OFF_BYTES = 20 };

struct stream {
	uint8_t data[2048];
	size_t size;
	struct tl_pt_config config;
	struct tl_pt_flow flow;
	struct tl_pt_flow_item item;
};

static inline void put_bytes(struct stream *s, const uint8_t *bytes, size_t size)
{
	assert_true(size <= sizeof(s->data) - s->size);
	memcpy(s->data + s->size, bytes, size);
	s->size += size;
}

#define PUT(s, ...)                                                                                \
	put_bytes(s, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* Set config fields of `s` before, if they matter. */
static inline void begin_flow(struct stream *s, unsigned flags)
{
	s->config.size = sizeof(s->config);
	s->config.begin = s->data;
	s->config.end = s->data + s->size;
	assert_int_equal(tl_pt_flow_open(&s->flow, &s->config, flags), 0);
	assert_int_equal(tl_pt_flow_sync_forward(&s->flow), 0);
}

static inline enum tl_pt_flow_item_kind next(struct stream *s)
{
	tl_pt_flow_next(&s->flow, &s->item);
	return s->item.kind;
}

static inline const struct tl_pt_event *want_event(struct stream *s, enum tl_pt_event_kind kind,
						   uint64_t offset)
{
	assert_int_equal(next(s), TL_PT_FLOW_ITEM_EVENT);
	assert_int_equal(s->item.event.kind, kind);
	assert_int_equal(s->item.event.offset, offset);
	assert_int_equal(s->item.offset, offset);
	return &s->item.event;
}

/* An event at an address, or without one. */
static inline void want_at(struct stream *s, enum tl_pt_event_kind kind, uint64_t offset,
			   uint64_t ip)
{
	const struct tl_pt_event *event = want_event(s, kind, offset);

	assert_false(event->ip_suppressed);
	assert_int_equal(event->ip, ip);
}

static inline void want_bare(struct stream *s, enum tl_pt_event_kind kind, uint64_t offset)
{
	assert_true(want_event(s, kind, offset)->ip_suppressed);
}

static inline void want_tnt(struct stream *s, uint32_t count, uint64_t bits, uint64_t offset)
{
	assert_int_equal(next(s), TL_PT_FLOW_ITEM_TNT);
	assert_int_equal(s->item.count, count);
	assert_int_equal(s->item.bits, bits);
	assert_int_equal(s->item.offset, offset);
}

static inline void want_tip(struct stream *s, uint64_t ip, uint64_t offset)
{
	assert_int_equal(next(s), TL_PT_FLOW_ITEM_TIP);
	assert_false(s->item.suppressed);
	assert_int_equal(s->item.ip, ip);
	assert_int_equal(s->item.offset, offset);
}

static inline void want_error(struct stream *s, enum tl_pt_error error, uint64_t offset)
{
	assert_int_equal(next(s), TL_PT_FLOW_ITEM_ERROR);
	assert_int_equal(s->item.error, error);
	assert_int_equal(s->item.offset, offset);
}

static inline void want_end(struct stream *s)
{
	assert_int_equal(next(s), TL_PT_FLOW_ITEM_END);
}

/* What START gives: on at 0x1000, 64 bit. */
static inline void want_start(struct stream *s)
{
	want_at(s, TL_PT_EV_ENABLED, 0, 0x1000);
	assert_true(s->item.event.status_update);
	want_at(s, TL_PT_EV_EXEC_MODE, 23, 0x1000);
	assert_true(s->item.event.status_update);
	assert_int_equal(s->item.event.exec_mode.mode, TL_PT_MODE_64);
}

static inline void want_start_off(struct stream *s)
{
	want_bare(s, TL_PT_EV_DISABLED, 0);
	want_bare(s, TL_PT_EV_EXEC_MODE, 16);
}

#endif
