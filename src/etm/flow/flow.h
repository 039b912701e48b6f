/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ETM_FLOW_FLOW_H
#define TL_ETM_FLOW_FLOW_H
/*
 * Packets as what they mean for execution: what is speculative waits until it is committed, and
 * atoms become the instructions that were executed (docs/formats/etm.md, 5).
 */
#include "etm/flow/blocks.h"
#include "etm/packets/packet.h"

/* Instructions that follow each other in memory. */
struct tl_etm_range {
	uint64_t address;
	const uint8_t *code;
	uint32_t count;
	bool ends_indirect; /* the last one is an indirect branch that was taken */
};

/* Where instructions were executed, as the last context said. */
struct tl_etm_place {
	unsigned el;
	bool is_64bit;
	bool has_id;
	uint64_t id; /* of the context; of the virtual one where there is no other */
};

/* Why what was executed next is not known. */
enum tl_etm_gap {
	TL_ETM_GAP_OFF,     /* tracing was off before, or bytes are damaged */
	TL_ETM_GAP_LOST,    /* an overflow, a discard */
	TL_ETM_GAP_CODE,    /* no code is known at an address */
	TL_ETM_GAP_AARCH32, /* instructions of A32 and T32 */
	TL_ETM_GAP_ADDRESS, /* an atom without an address */
	TL_ETM_GAP_Q,       /* a Q packet */
	TL_ETM_GAP_ORDER,   /* packets contradict each other */
	TL_ETM_GAPS,
};

/* Who is told, in the order of execution. 0 or negative, which ends the flow. */
struct tl_etm_told {
	int (*range)(void *arg, const struct tl_etm_place *place, const struct tl_etm_range *range);
	void *arg;
};

/* An element that waits for its commit, or for one before it. */
struct tl_etm_element {
	uint8_t kind; /* of the packet */
	uint8_t atom_count;
	uint32_t atoms;
	uint64_t address;
	uint8_t is;
	bool has_address;
	struct tl_etm_exception exception;
	struct tl_etm_context context;
};

enum { TL_ETM_RETURNS = 16 }; /* no trace unit has a deeper return stack */

/* Addresses behind calls, the newest last; older ones are forgotten. */
struct tl_etm_returns {
	bool is_used;    /* TRCCONFIGR.RS */
	bool is_pending; /* an indirect branch was taken: its target is the newest, or follows */
	unsigned count, top;
	uint64_t list[TL_ETM_RETURNS];
};

/* The elements that are not committed, the oldest at `begin`. */
struct tl_etm_waiting {
	struct tl_etm_element *list;
	size_t begin, end, capacity;
	uint32_t depth;  /* P0 elements among them, and before them */
	uint32_t unseen; /* P0 elements from before the trace */
};

struct tl_etm_flow {
	const struct tl_etm_config *config;
	struct tl_etm_blocks *blocks;
	struct tl_etm_told told;
	struct tl_etm_place place;
	uint64_t address;
	bool has_address, has_context, is_synchronised, awaits_address;
	bool is_in_gap; /* why there is no address has been counted */
	struct tl_etm_returns returns;
	struct tl_etm_waiting waiting;
	uint64_t gaps[TL_ETM_GAPS];
	uint64_t no_code; /* the first address without code */
	uint64_t lost_atoms;
};

void tl_etm_flow_begin(struct tl_etm_flow *flow, const struct tl_etm_config *config,
		       struct tl_etm_blocks *blocks, const struct tl_etm_told *told);
/* 0, TL_NO_MEMORY, or what `told` answered. */
int tl_etm_flow_packet(struct tl_etm_flow *flow, const struct tl_etm_packet *packet);
/* Bytes that are no packets. */
void tl_etm_flow_lost(struct tl_etm_flow *flow);
/* What is speculative at the end was never committed. */
void tl_etm_flow_end(struct tl_etm_flow *flow);

#endif
