/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ETM_PACKETS_READER_H
#define TL_ETM_PACKETS_READER_H
/*
 * The packets of one source in their order, from a trace of that source alone or from frames that
 * it shares with others. Bytes that are no packets are passed over up to the next A-Sync.
 */
#include "etm/packets/frames.h"
#include "etm/packets/packet.h"

/* Bytes of a trace. */
struct tl_etm_trace {
	const uint8_t *begin, *end;
	bool is_framed;
};

enum { TL_ETM_WINDOW = 4096 };

/* Bytes of a source that were taken out of frames, with their places in the trace. */
struct tl_etm_window {
	struct tl_etm_frames frames;
	bool is_last; /* no more bytes follow */
	size_t count;
	uint8_t bytes[TL_ETM_WINDOW];
	uint64_t offsets[TL_ETM_WINDOW];
};

/* A range of bytes of the trace that is no packets. */
struct tl_etm_lost {
	enum tl_etm_broken why;
	uint64_t from, to;
	uint64_t bytes; /* of the source */
};

struct tl_etm_reader {
	const struct tl_etm_trace *trace;
	uint8_t id; /* of frames */
	struct tl_etm_state state;
	const uint8_t *pos, *end; /* in the trace, or in the window */
	bool synchronised;
	uint64_t offset;         /* of the packet given last */
	uint64_t passed_bytes;   /* before the first A-Sync */
	uint64_t packets, bytes; /* given so far */
	bool is_cut;             /* at the end: the last packet is cut short */
	struct tl_etm_lost lost;
	struct tl_etm_window window; /* last: large, and not set to zeros */
};

enum tl_etm_read {
	TL_ETM_END,
	TL_ETM_PACKET,
	TL_ETM_LOST, /* reader->lost: bytes that are no packets; reading goes on behind them */
};

/* `config` and `trace` have to live as long; `id`: the source in frames, else not used. */
void tl_etm_reader_begin(struct tl_etm_reader *reader, const struct tl_etm_trace *trace, uint8_t id,
			 const struct tl_etm_config *config);
enum tl_etm_read tl_etm_reader_next(struct tl_etm_reader *reader, struct tl_etm_packet *packet);

/*
 * The sources in a trace that have an A-Sync, in the order of their IDs; a trace without frames has
 * one, with ID 0. Returns how many there are; `ids` has room for TL_ETM_IDS.
 */
size_t tl_etm_sources(const struct tl_etm_trace *trace, uint8_t *ids);

#endif
