/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ETM_FLOW_BLOCKS_H
#define TL_ETM_FLOW_BLOCKS_H
/* A64 code cut at the instructions that have atoms (docs/formats/etm.md, 5.1). */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The code at an address: bytes from there on, of which *size are there; NULL: none. It stays where
 * it is.
 */
typedef const uint8_t *tl_etm_code_fn(void *arg, uint64_t address, size_t *size);

/* What ends a block. */
enum tl_etm_end {
	TL_ETM_END_NOWHERE,  /* the code does */
	TL_ETM_END_DIRECT,   /* a branch, to `target` if it is taken */
	TL_ETM_END_INDIRECT, /* a branch; the trace, or the return stack, says where to */
	TL_ETM_END_BARRIER,  /* an instruction with an atom of its own that is no branch */
};

struct tl_etm_block {
	uint64_t address; /* of the first instruction */
	const uint8_t *code;
	uint32_t count; /* of instructions; 0: no code is known there */
	uint8_t end;    /* enum tl_etm_end */
	bool is_call;
	uint64_t target;
};

enum { TL_ETM_BLOCK_BITS = 12 };

/* Blocks met before, by address: a program has few that are executed often. */
struct tl_etm_blocks {
	tl_etm_code_fn *code;
	void *arg;
	bool waits_count; /* TRCIDR2.WFXMODE: WFI and WFE have atoms */
	bool is_ete;      /* TSTART has atoms */
	struct tl_etm_block slots[1 << TL_ETM_BLOCK_BITS];
};

void tl_etm_blocks_begin(struct tl_etm_blocks *blocks, tl_etm_code_fn *code, void *arg,
			 bool waits_count, bool is_ete);
/* The block at an address; valid until the next one is asked for. */
const struct tl_etm_block *tl_etm_block_at(struct tl_etm_blocks *blocks, uint64_t address);

#endif
