/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_EMULATOR_PACKETS_H
#define TL_EMULATOR_PACKETS_H
/*
 * Intel PT packets (docs/formats/intel-pt.md), written where they stay. A packet's bytes come
 * first, then the outcomes they hold are forgotten, then the place moves: after a kill at any
 * instant what is there and what is not can be told.
 */
#include <string.h>

#include "emulator.h"

enum {
	TIP = 0x0d,
	TIP_PGE = 0x11,
	FUP = 0x1d,
	PGD_WITHOUT_IP = 0x01,
	TSC = 0x19,
	OUTCOMES_MAX = 47, /* in a packet */
	SHORT_OUTCOMES_MAX = 6,
	PSB_EVERY = 8192,
	ROOM = 512, /* at the end of a window: most that is written between two tests */
};

static inline uint8_t *packet_place(const struct stream *s)
{
	return (uint8_t *)(uintptr_t)s->shared.at;
}

static inline void packet_put(struct stream *s, uint64_t bytes, unsigned count)
{
	memcpy(packet_place(s), &bytes, 8);
	s->shared.at += count;
}

static inline void packet_long_outcomes(struct stream *s, uint64_t outcomes)
{
	uint64_t bytes = 0xa302 | outcomes << 16;

	memcpy(packet_place(s), &bytes, 8);
	__asm__ volatile("" ::: "memory");
	s->shared.outcomes = 1;
	__asm__ volatile("" ::: "memory");
	s->shared.at += 8;
}

static inline void packet_outcomes(struct stream *s)
{
	uint64_t outcomes = s->shared.outcomes;

	if (outcomes == 1)
		return;
	if (outcomes >> (SHORT_OUTCOMES_MAX + 1)) {
		packet_long_outcomes(s, outcomes);
		return;
	}
	*packet_place(s) = (uint8_t)(outcomes << 1);
	__asm__ volatile("" ::: "memory");
	s->shared.outcomes = 1;
	__asm__ volatile("" ::: "memory");
	s->shared.at += 1;
}

/* As few bytes as tell the address from the last one; all of them after a PSB. */
static inline void packet_ip(struct stream *s, unsigned kind, uint64_t ip)
{
	uint64_t differs = s->full_ip ? UINT64_MAX : ip ^ s->last_ip;

	s->full_ip = false;
	s->last_ip = ip;
	if (!(differs >> 16)) {
		packet_put(s, kind | 1 << 5 | ip << 8, 3);
	} else if (!(differs >> 32)) {
		packet_put(s, kind | 2 << 5 | ip << 8, 5);
	} else if ((uint64_t)((int64_t)(ip << 16) >> 16) == ip) {
		packet_put(s, kind | 3 << 5 | ip << 8, 7);
	} else {
		packet_put(s, kind | 6 << 5 | ip << 8, 8);
		packet_put(s, ip >> 56, 1);
	}
}

static inline void packet_time(struct stream *s)
{
	packet_put(s, TSC | __rdtsc() << 8, 8);
}

/* Room for more packets, and a PSB+ if it is time for one. */
static inline void packet_check(struct stream *s, uint64_t ip)
{
	if (__builtin_expect(packet_place(s) > s->end, 0))
		stream_window(s);
	if (__builtin_expect(packet_place(s) - s->sync > PSB_EVERY, 0))
		stream_sync(s, ip);
}

/* A branch whose target the code does not tell. */
static inline void packet_target(struct stream *s, uint64_t ip)
{
	packet_outcomes(s);
	packet_ip(s, TIP, ip);
	packet_check(s, ip);
}

#endif
