/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERFETTO_READING_H
#define TL_PERFETTO_READING_H
/* A trace while it is read, and a packet of it: what read.c finds and events.c makes of it. */
#include "perfetto/state.h"

enum { TL_PERFETTO_CLEARED = 1, TL_PERFETTO_NEEDS_STATE = 2 }; /* flags of a packet */

struct tl_perfetto_reading {
	struct tl_perfetto_state s;
	struct tl_foreign_file *foreign;
	const uint8_t *base; /* of the file; NULL inside of compressed packets */
	uint64_t packets, events, counters, others, no_state, no_clock, no_name, untyped;
	uint64_t dropped, base_offset;
	int error; /* TL_NO_MEMORY, or the fault of strict mode */
	struct tl_error *err;
};

/* What a packet says before its event is looked at; fields come in any order. */
struct tl_perfetto_packet {
	uint64_t timestamp, clock, flags;
	uint32_t sequence;
	bool has_timestamp, dropped;
	struct tl_cursor event, interned, descriptor, snapshot, defaults, thread, compressed;
	uint64_t offset, number, known;
};

/* Keep the first failure. True: there is one. */
bool tl_perfetto_failed(struct tl_perfetto_reading *r, int status);
void tl_perfetto_no_memory(struct tl_perfetto_reading *r);
/* A fault in a packet. */
void tl_perfetto_broken(struct tl_perfetto_reading *r, const char *rule, int status,
			const struct tl_perfetto_packet *p, uint64_t length, const char *text);
/* What a packet has, in the order in which it counts. */
void tl_perfetto_apply(struct tl_perfetto_reading *r, const struct tl_perfetto_packet *p);

#endif
