/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ETM_PACKETS_PACKET_H
#define TL_ETM_PACKETS_PACKET_H
/* One packet of an instruction trace from its bytes (docs/formats/etm.md, 3). */
#include <stddef.h>

#include "etm/packets/config.h"

enum tl_etm_kind {
	TL_ETM_RESERVED, /* no packet begins with this byte */
	TL_ETM_ASYNC,
	TL_ETM_DISCARD,
	TL_ETM_OVERFLOW,
	TL_ETM_TRACE_INFO,
	TL_ETM_TIMESTAMP,
	TL_ETM_TRACE_ON,
	TL_ETM_FUNCTION_RETURN,
	TL_ETM_EXCEPTION,
	TL_ETM_EXCEPTION_RETURN,
	TL_ETM_INSTRUMENTATION,
	TL_ETM_TRANSACTION_START,
	TL_ETM_TRANSACTION_COMMIT,
	TL_ETM_CYCLES_1,
	TL_ETM_CYCLES_2,
	TL_ETM_CYCLES_3,
	TL_ETM_DATA_MARKER,
	TL_ETM_DATA_MARKER_UNNUMBERED,
	TL_ETM_COMMIT,
	TL_ETM_CANCEL_1,
	TL_ETM_CANCEL_2,
	TL_ETM_CANCEL_3,
	TL_ETM_MISPREDICT,
	TL_ETM_CONDITIONAL_1,
	TL_ETM_CONDITIONAL_2,
	TL_ETM_CONDITIONAL_3,
	TL_ETM_CONDITIONAL_FLUSH,
	TL_ETM_RESULT_1,
	TL_ETM_RESULT_2,
	TL_ETM_RESULT_3,
	TL_ETM_RESULT_4,
	TL_ETM_IGNORE,
	TL_ETM_EVENT,
	TL_ETM_CONTEXT,
	TL_ETM_ADDRESS_CONTEXT,
	TL_ETM_TIMESTAMP_MARKER,
	TL_ETM_ADDRESS_MATCH,
	TL_ETM_ADDRESS_SHORT,
	TL_ETM_ADDRESS_LONG,
	TL_ETM_Q,
	TL_ETM_SOURCE_MATCH,
	TL_ETM_SOURCE_SHORT,
	TL_ETM_SOURCE_LONG,
	TL_ETM_ATOM_1,
	TL_ETM_ATOM_2,
	TL_ETM_ATOM_3,
	TL_ETM_ATOM_4,
	TL_ETM_ATOM_5,
	TL_ETM_ATOM_6,
	TL_ETM_KINDS,
};

enum {
	TL_ETM_ASYNC_BYTES = 12, /* zeros, and behind them */
	TL_ETM_ASYNC_END = 0x80,
	TL_ETM_MOST_BYTES = 40, /* no packet is longer */
	TL_ETM_KEPT_ADDRESSES = 3,
};

struct tl_etm_address {
	uint64_t value; /* whole: bits that the packet leaves out are those of the one before */
	uint8_t bits;   /* from 0 up that the packet has; 0: one of the last three */
	uint8_t is;     /* instruction set: 0 is A64 and A32, 1 is T32 */
};

struct tl_etm_context {
	bool updated; /* false: the context is as before */
	uint8_t el;
	bool is_64bit, is_nonsecure, has_vmid, has_id;
	uint32_t vmid, id;
};

struct tl_etm_exception {
	uint16_t type;
	/* of the address behind it: 1: where it returns to; 2: the target of a branch as well */
	uint8_t interpretation;
};

struct tl_etm_packet {
	uint8_t kind; /* enum tl_etm_kind */
	uint8_t size;
	/* atoms, the oldest in bit 0: 1 is E; of mispredictions and cancels, too */
	uint8_t atom_count;
	uint32_t atoms;
	struct tl_etm_address address; /* also of Q packets that have one */
	bool has_address;
	struct tl_etm_context context;
	uint64_t timestamp; /* whole */
	uint32_t cycles;    /* the threshold is added */
	bool has_cycles;
	bool mispredicts;          /* the newest atom was predicted wrongly */
	uint32_t commits, cancels; /* P0 elements */
	struct tl_etm_exception exception;
	/*
	 * of an event, a marker, an exact match, a Q packet's type, tokens of results; the level of
	 * an instrumentation packet
	 */
	uint16_t number;
	/* TRACE_INFO: of P0 elements; CONDITIONAL_1, RESULT_1: of conditional instructions */
	uint32_t key;
	uint32_t info;      /* TRACE_INFO: bits as the document names them */
	uint32_t depth;     /* TRACE_INFO: of speculation */
	uint32_t threshold; /* TRACE_INFO: of cycle counts */
	uint64_t payload;   /* INSTRUMENTATION: the value; Q: instructions, if has_count */
	bool has_count;
};

/*
 * What packets leave out, as those before them had it. Zero-filled but for `config` is right at an
 * A-Sync.
 */
struct tl_etm_state {
	const struct tl_etm_config *config;
	struct tl_etm_address addresses[TL_ETM_KEPT_ADDRESSES]; /* the newest first */
	uint64_t timestamp;
	uint32_t threshold;
};

/* Why bytes are not a packet, as negative results of tl_etm_decode(). */
enum tl_etm_broken {
	TL_ETM_CUT = 1,       /* the bytes end within the packet */
	TL_ETM_BAD_HEADER,    /* no packet begins so */
	TL_ETM_BAD_EXTENSION, /* no extension has this second byte */
	TL_ETM_BAD_ASYNC,     /* not the zeros and the 80 of an A-Sync */
	TL_ETM_BAD_FIELD,     /* a number with more bytes than it can have */
	TL_ETM_BROKEN_REASONS,
};

/*
 * Decode the packet at `pos`, of which at least one byte is there. Its size, and `state` is that
 * behind it; or a negative enum tl_etm_broken, and `state` is as before.
 */
int tl_etm_decode(struct tl_etm_packet *packet, const uint8_t *pos, const uint8_t *end,
		  struct tl_etm_state *state);

/* "async", "atom-1", ...; static. */
const char *tl_etm_kind_name(enum tl_etm_kind kind);
/* One clause; static. */
const char *tl_etm_broken_text(enum tl_etm_broken reason);

/*
 * The first A-Sync that begins at or behind `pos`; where none does, NULL. More zeros than an A-Sync
 * has may stand before it.
 */
const uint8_t *tl_etm_find_async(const uint8_t *pos, const uint8_t *end);

#endif
