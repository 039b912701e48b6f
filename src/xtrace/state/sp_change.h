/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_SP_CHANGE_H
#define TL_XTRACE_SP_CHANGE_H
/*
 * The effect of a run of instructions on SP, computed once for all its executions. SP moves by sums
 * with immediates and by base updates, and the address of every access relative to it shows it.
 * Anything else that writes it (MOV SP, X29; a switch of stacks) loses it.
 */
#include "xtrace/state/stack_pointer.h"

enum tl_xtrace_sp_change_kind {
	TL_XTRACE_SP_KEPT,
	TL_XTRACE_SP_OBSERVED, /* as it was, and an access shows it */
	TL_XTRACE_SP_MOVED     /* or lost */
};

struct tl_xtrace_sp_change {
	uint8_t kind;
	bool broken;       /* it was lost on the way, by instruction number `lost` as the last */
	bool switched;     /* by one that may go to another stack, or to an outer frame */
	uint16_t observed; /* token of the last access that shows it since then; 0: none */
	uint16_t lost;
	uint64_t moves;  /* by so much, since the beginning or since it was lost */
	uint64_t left;   /* by so much up to the first such instruction */
	uint64_t offset; /* at the end it is that access's address plus this */
};

/* One instruction more. `access`: its first access's token, 0: it has none. */
void tl_xtrace_sp_change_add(struct tl_xtrace_sp_change *change, uint32_t opcode, uint16_t number,
			     uint16_t access);

#endif
